use super::Row;
use crate::planted::Planted;

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "list_shipments" => Row::bare(),
        "get_shipment" => Row::of(planted.shipment),
        _ => return None,
    })
}
