use serde_json::json;

use super::Row;
use crate::planted::Planted;
use crate::planted_fields::slug_of;

const KIND: &str = "custom_field";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    let fields = &planted.fields;
    let set = json!({"api_slug": slug_of(operation), "value": "low"});
    let value = json!({"value": "low"});
    let record = |row: Row| row.and("api_slug", slug_of(operation));
    Some(match operation {
        "create_custom_field" => Row::bare().body(json!({"data": {
            "type": KIND,
            "attributes": {"api_slug": "of_shipment", "value": "low"},
            "relationships": {"entity": {"data": {"type": "shipment", "id": planted.shipment.to_string()}}},
        }})),
        "list_custom_fields" => Row::bare(),
        "get_custom_field" | "delete_custom_field" => Row::of(fields.field),
        "update_custom_field" => Row::of(fields.field).attributes(KIND, value),
        "list_shipment_custom_fields" => Row::of(planted.shipment),
        "list_container_custom_fields" => Row::of(planted.containers[0]),
        "list_tracking_request_custom_fields" => Row::of(planted.request),
        "set_shipment_custom_field" => Row::of(planted.shipment).attributes(KIND, set),
        "set_container_custom_field" => Row::of(planted.containers[0]).attributes(KIND, set),
        "set_tracking_request_custom_field" => Row::of(planted.request).attributes(KIND, set),
        "update_shipment_custom_field" => {
            record(Row::of(planted.shipment)).attributes(KIND, value)
        }
        "update_container_custom_field" => {
            record(Row::of(planted.containers[0])).attributes(KIND, value)
        }
        "update_tracking_request_custom_field" => {
            record(Row::of(planted.request)).attributes(KIND, value)
        }
        "delete_shipment_custom_field" => record(Row::of(planted.shipment)),
        "delete_container_custom_field" => record(Row::of(planted.containers[0])),
        "delete_tracking_request_custom_field" => record(Row::of(planted.request)),
        _ => return None,
    })
}
