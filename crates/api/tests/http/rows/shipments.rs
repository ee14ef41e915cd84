use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "shipment";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "list_shipments" => Row::bare(),
        "get_shipment" | "stop_tracking_shipment" | "resume_tracking_shipment" => {
            Row::of(planted.shipment)
        }
        "update_shipment" => {
            Row::of(planted.shipment).attributes(KIND, json!({"tags": ["spring"]}))
        }
        _ => return None,
    })
}
