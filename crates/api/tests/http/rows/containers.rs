use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "container";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "list_containers" => Row::bare(),
        "update_container" => {
            Row::of(planted.containers[0]).attributes(KIND, json!({"ref_numbers": ["PO 1"]}))
        }
        "update_container_named_in_body" => Row::bare().body(json!({"data": {
            "type": KIND, "id": planted.containers[0].to_string(),
            "attributes": {"ref_numbers": ["PO 2"]},
        }})),
        "get_container"
        | "list_container_transport_events"
        | "list_container_raw_events"
        | "get_container_map"
        | "get_container_route"
        | "refresh_container" => Row::of(planted.containers[0]),
        _ => return None,
    })
}
