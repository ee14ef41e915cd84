use super::Row;
use crate::planted::Planted;

pub fn row(operation: &str, _: &Planted) -> Option<Row> {
    (operation == "search").then(|| Row::bare().query("?query=quay"))
}
