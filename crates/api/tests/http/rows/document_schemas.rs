use super::Row;
use crate::planted::{Planted, SCHEMA};

pub fn row(operation: &str, _: &Planted) -> Option<Row> {
    (operation == "get_document_schema").then(|| Row::of(SCHEMA).shared())
}
