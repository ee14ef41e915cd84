use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "api_key";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "list_api_keys" => Row::bare(),
        "create_api_key" => Row::bare().attributes(KIND, json!({"name": "ci"})),
        "delete_api_key" => Row::of(planted.key),
        _ => return None,
    })
}
