use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "tracking_request";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "create_tracking_request" => Row::bare().attributes(
            KIND,
            json!({
                "request_type": "bill_of_lading", "request_number": "QUAY00002", "scac": "MSCU",
            }),
        ),
        "infer_number" => Row::bare().body(json!({"number": "MEDUAB123456"})),
        "list_tracking_requests" => Row::bare(),
        "get_tracking_request" => Row::of(planted.request),
        "update_tracking_request" => {
            Row::of(planted.request).attributes(KIND, json!({"ref_numbers": ["PO 1"]}))
        }
        _ => return None,
    })
}
