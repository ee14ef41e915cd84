//! Car location messages: one sighting a line, everything in its column.

use super::super::Condition;
use super::super::tell::Telling;
use super::super::way::{Act, Way};
use super::{local, parts, universal};
use crate::dice::Dice;

/// A file of one sighting; `None` where the road has no code for the move, or knows no minute.
pub(super) fn sighting(way: &Way, telling: &Telling) -> Option<(Vec<u8>, Condition)> {
    if telling.day_only {
        return None;
    }
    let code = match telling.what.act {
        Act::Load => "U",
        Act::Depart => "P",
        Act::Arrive if !telling.what.means.is_empty() => "D",
        Act::Arrive => "A",
        Act::Discharge => "V",
        _ => return None,
    };
    let (owner, serial, check) = parts(way);
    let (city, state, splc) = match telling.place.code {
        "USLAX" => ("LOSANGELE", "CA", "883010000"),
        "USOAK" => ("OAKLAND", "CA", "876300000"),
        "USMEM" => ("MEMPHIS", "TN", "481000000"),
        "USJOT" => ("JOLIET", "IL", "386500000"),
        _ => ("CHICAGO", "IL", "380000000"),
    };
    let mut line = vec![b' '; COLUMNS];
    let bill = if telling.what.foreign { "" } else { &way.bill };
    let cells: [(usize, &str); 18] = [
        (1, "1"),
        (2, &owner),
        (6, &serial),
        (12, &local(telling.at, telling.place, "%Y%m%d%H%M")),
        (24, code),
        (27, city),
        (36, state),
        (38, splc),
        (47, "L"),
        (48, "HRN101"),
        (54, &local(telling.issued_at, telling.place, "%Y%m%d%H")),
        (64, "QSDE"),
        (68, "BNSF"),
        (132, telling.place.code),
        (144, &check),
        (146, bill),
        (167, "HRNS"),
        (170, ""),
    ];
    for (column, text) in cells {
        let from = column.saturating_sub(1);
        if let Some(cell) = line.get_mut(from..from + text.len()) {
            cell.copy_from_slice(text.as_bytes());
        }
    }
    let header = format!(
        "CLM BNSF QSDE {}\n",
        universal(telling.issued_at, "%Y%m%d%H%M")
    );
    let mut file = header.into_bytes();
    file.extend(line);
    let miscounted = Dice::about(0, &telling.id).per_mille(MISCOUNTED);
    let (trailer, condition) = if miscounted {
        (b"\nEOM00000007\n", Condition::Damaged)
    } else {
        (b"\nEOM00000001\n", Condition::Sound)
    };
    file.extend(trailer);
    Some((file, condition))
}

/// Trailers of a thousand that count something else.
const MISCOUNTED: u32 = 50;
/// Width of a full line.
const COLUMNS: usize = 170;
