use jsonapi::resource;

use super::Row;
use crate::planted::Planted;

/// From Shanghai to Los Angeles.
const FUTURE: &str = "?previous_port_id=34b4d2e3-4e2f-5e01-85f2-1b75aa43d7ea&port_id=b6fb7db1-9a49-5404-9866-35441e70de67";
const FUTURE_FROM_HERE: &str = "?previous_port_id=34b4d2e3-4e2f-5e01-85f2-1b75aa43d7ea&port_id=b6fb7db1-9a49-5404-9866-35441e70de67&latitude=40&longitude=-170.5";

pub fn row(operation: &str, _: &Planted) -> Option<Row> {
    Some(match operation {
        "get_port" => Row::of("USLAX").shared(),
        "get_metro_area" => Row::of("USCHI").shared(),
        "get_terminal" => Row::of(resource::terminal::id("USLAX-Y258")).shared(),
        "get_vessel" => Row::of("9321483").shared(),
        "list_future_positions" => Row::of("9321483").shared().query(FUTURE),
        "list_future_positions_with_coordinates" => {
            Row::of("9321483").shared().query(FUTURE_FROM_HERE)
        }
        _ => return None,
    })
}
