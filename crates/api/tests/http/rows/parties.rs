use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "party";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "create_party" => Row::bare().attributes(KIND, json!({"company_name": "Other Ltd"})),
        "list_parties" => Row::bare(),
        "get_party" => Row::of(planted.party),
        "update_party" => {
            Row::of(planted.party).attributes(KIND, json!({"company_name": "New Name"}))
        }
        _ => return None,
    })
}
