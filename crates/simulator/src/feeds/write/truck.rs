//! X12 214 of the trucker who collects and delivers.

use super::super::tell::Telling;
use super::super::way::{Act, Way};
use super::road::station;
use super::x12::set;
use super::{local, parts};

/// A status of the drive; `None` where a trucker has no code for it.
pub(super) fn status(way: &Way, telling: &Telling) -> Option<Vec<u8>> {
    let code = match telling.what.act {
        Act::GateOut => "AF",
        Act::Deliver => "D1",
        _ => return None,
    };
    let (owner, serial, check) = parts(way);
    let number = format!("{owner}{serial}{check}");
    let date = local(telling.at, telling.place, "%Y%m%d");
    let time = if telling.day_only {
        "0000".to_owned()
    } else {
        local(telling.at, telling.place, "%H%M")
    };
    let (city, state) = station(telling.place);
    Some(set(
        (telling.issued_at, telling.received_at),
        "QM",
        "214",
        |out| {
            out.segment("B10", &["DRAY1", "1", "HRNT"]);
            out.segment("L11", &[&number, "EQ"]);
            out.segment("L11", &[&way.bill, "BM"]);
            out.segment("LX", &["1"]);
            out.segment("AT7", &[code, "NS", "", "", &date, &time, "LT"]);
            out.segment("MS1", &[city, state, "US"]);
            out.segment("MS2", &[&owner, &serial, "CN"]);
        },
    ))
}
