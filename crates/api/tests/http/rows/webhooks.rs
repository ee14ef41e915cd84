use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "webhook";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "create_webhook" => Row::bare().attributes(
            KIND,
            json!({"url": "https://hooks.example/other", "events": ["container.updated"]}),
        ),
        "list_webhooks" => Row::bare(),
        "get_webhook" | "delete_webhook" => Row::of(planted.webhook),
        "update_webhook" => Row::of(planted.webhook).attributes(KIND, json!({"active": false})),
        _ => return None,
    })
}
