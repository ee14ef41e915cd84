use super::Row;
use crate::planted::Planted;

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "list_containers" => Row::bare(),
        "get_container" | "list_container_transport_events" | "list_container_raw_events" => {
            Row::of(planted.containers[0])
        }
        _ => return None,
    })
}
