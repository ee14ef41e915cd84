use serde_json::json;
use uuid::Uuid;

use super::Row;
use crate::planted::Planted;

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "open_listener" => Row::bare().body(json!({"name": "another-laptop"})),
        "take_deliveries" => Row::of(planted.listener).body(json!({"most": 1})),
        "settle_delivery" => Row::of(planted.listener).body(json!({
            "id": Uuid::nil().to_string(), "claim": 1, "ending": "answered", "status": 200,
        })),
        _ => return None,
    })
}
