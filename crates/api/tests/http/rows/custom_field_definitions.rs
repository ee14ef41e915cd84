use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "custom_field_definition";
const OPTION: &str = "custom_field_option";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    let fields = &planted.fields;
    let option = || Row::of(fields.definition).and("option_id", fields.option);
    Some(match operation {
        "create_custom_field_definition" => Row::bare().attributes(
            KIND,
            json!({
                "entity_type": "Shipment", "api_slug": "another", "display_name": "Another",
                "data_type": "number", "default_format": "0.00", "validation": {"min": 0},
            }),
        ),
        "list_custom_field_definitions" => Row::bare(),
        "get_custom_field_definition" | "list_custom_field_options" => Row::of(fields.definition),
        // Another one than the others need: what is deleted is gone with its options and values.
        "delete_custom_field_definition" => Row::of(fields.spare),
        "update_custom_field_definition" => {
            Row::of(fields.definition).attributes(KIND, json!({"display_name": "Renamed"}))
        }
        "create_custom_field_option" => {
            Row::of(fields.definition).attributes(OPTION, json!({"label": "Mid", "value": "mid"}))
        }
        "get_custom_field_option" | "delete_custom_field_option" => option(),
        "update_custom_field_option" => option().attributes(OPTION, json!({"label": "Lowest"})),
        _ => return None,
    })
}
