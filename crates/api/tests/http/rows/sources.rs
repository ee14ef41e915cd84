use serde_json::json;

use super::Row;
use crate::planted::Planted;

/// The source that every service has.
pub const SOURCE: &str = "quayside-trials";

pub fn row(operation: &str, _: &Planted) -> Option<Row> {
    match operation {
        "list_sources" => Some(Row::bare().shared()),
        "get_source" | "pause_source" | "resume_source" => Some(Row::of(SOURCE).shared()),
        "bring_source_message" => Some(Row::of("road").shared().body(json!([]))),
        _ => None,
    }
}
