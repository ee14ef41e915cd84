//! Tables of terminals: the answer of an interface in JSON, and a sheet that somebody exports.
//!
//! Other boxes stand in them too, and rows that nobody can read.

use domain::container::{FeeKind, HoldName, HoldStatus};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::tell::Telling;
use super::super::way::{Act, Way};
use super::super::yard::{Look, Yard};
use super::super::{Condition, Feed};
use super::local;
use crate::dice::Dice;
use crate::world::places::Place;

/// Rows of a thousand files that have one nobody can read.
const DAMAGED: u32 = 120;

/// What a row says of the box; what is not there was left empty.
#[derive(Default)]
struct Row<'a> {
    look: Option<&'a Look>,
    /// Column of a move, and when.
    moved: Option<(&'static str, String)>,
}

/// An answer about the box.
pub(in super::super) fn look(way: &Way, yard: &Yard, look: &Look) -> (Vec<u8>, Condition) {
    let row = Row {
        look: Some(look),
        moved: None,
    };
    file(
        way,
        look.feed,
        (yard.place, yard.terminal),
        look.as_of,
        &row,
    )
}

/// A row that tells of a move.
pub(super) fn moved(way: &Way, telling: &Telling) -> Option<(Vec<u8>, Condition)> {
    let column = match telling.what.act {
        Act::Berth => "berthed",
        Act::Discharge => "discharged",
        Act::GateOut => "out",
        _ => return None,
    };
    let form = match (telling.feed, telling.day_only) {
        (Feed::Sheet, true) => "%m/%d/%Y",
        (Feed::Sheet, false) => "%m/%d/%Y %H:%M",
        (_, true) => "%Y-%m-%d",
        (_, false) => "%Y-%m-%dT%H:%M:%S%:z",
    };
    let row = Row {
        look: None,
        moved: Some((column, local(telling.at, telling.place, form))),
    };
    let at = (telling.place, telling.what.terminal?);
    Some(file(way, telling.feed, at, telling.issued_at, &row))
}

fn file(
    way: &Way,
    feed: Feed,
    at: (&'static Place, &'static str),
    as_of: Timestamp,
    row: &Row<'_>,
) -> (Vec<u8>, Condition) {
    let mut dice = Dice::about(0, &format!("row of {} at {as_of}", way.number));
    let damaged = dice.per_mille(DAMAGED);
    let condition = if damaged {
        Condition::Damaged
    } else {
        Condition::Sound
    };
    let bytes = if feed == Feed::Sheet {
        sheet(way, at, as_of, row, damaged, &mut dice)
    } else {
        answer(way, at, as_of, row, damaged, &mut dice)
    };
    (bytes, condition)
}

fn answer(
    way: &Way,
    (place, terminal): (&Place, &str),
    as_of: Timestamp,
    row: &Row<'_>,
    damaged: bool,
    dice: &mut Dice,
) -> Vec<u8> {
    let iso = "%Y-%m-%dT%H:%M:%S%:z";
    let mut unit = Map::new();
    unit.insert("id".into(), json!(way.number.to_string()));
    if dice.per_mille(500) {
        unit.insert("bill".into(), json!(way.bill));
    }
    let mut put = |name: &str, told: Option<Value>| {
        // Empty in one of the three ways of JSON.
        let told = told.or_else(|| match dice.between(0, 2) {
            0 => None,
            1 => Some(Value::Null),
            _ => Some(json!("")),
        });
        told.map(|told| unit.insert(name.to_owned(), told));
    };
    let look = row.look;
    put(
        "ready",
        look.and_then(|look| look.available).map(Value::from),
    );
    let holds = look.and_then(|look| look.holds.as_ref());
    put(
        "holds",
        holds.map(|holds| {
            let each = holds.iter().map(
                |(name, status)| json!({ "kind": hold_name(*name), "state": hold_status(*status) }),
            );
            each.collect()
        }),
    );
    let fees = look.and_then(|look| look.fees.as_ref());
    put(
        "fees",
        fees.map(|fees| {
            let each = fees.iter().map(|(kind, cents)| {
                let sum = cents.map_or("TBD".to_owned(), money);
                json!({ "kind": fee_kind(*kind), "sum": sum, "money": currency(place) })
            });
            each.collect()
        }),
    );
    let day = look.and_then(|look| look.free_day);
    put("freeUntil", day.map(|day| json!(day.to_string())));
    let slot = look.and_then(|look| look.appointment);
    put("slot", slot.map(|at| json!(local(at, place, iso))));
    let spot = look.and_then(|look| look.spot.clone());
    put("spot", spot.map(Value::from));
    if let Some((column, at)) = &row.moved {
        unit.insert((*column).to_owned(), json!(at));
    }
    let mut units = vec![Value::Object(unit)];
    units.insert(0, json!({ "id": neighbour(way, dice), "ready": false }));
    if damaged {
        units.insert(1, json!({ "id": "see remarks", "ready": true }));
    }
    json!({ "asOf": local(as_of, place, iso), "port": place.code, "pier": terminal, "units": units })
        .to_string()
        .into_bytes()
}

/// Columns of the sheet.
const COLUMNS: [&str; 15] = [
    "Unit",
    "Bill",
    "Port",
    "Pier",
    "Refreshed",
    "Ready",
    "Holds",
    "Fees",
    "Money",
    "Free until",
    "Slot",
    "Spot",
    "Berthed",
    "Discharged",
    "Out",
];

fn sheet(
    way: &Way,
    (place, terminal): (&Place, &str),
    as_of: Timestamp,
    row: &Row<'_>,
    damaged: bool,
    dice: &mut Dice,
) -> Vec<u8> {
    let clock = "%m/%d/%Y %H:%M";
    let refreshed = local(as_of, place, clock);
    let look = row.look;
    let told =
        |column: &str| -> Option<String> {
            Some(match column {
                "Unit" => way.number.to_string(),
                "Port" => place.code.to_owned(),
                "Pier" => terminal.to_owned(),
                "Refreshed" => refreshed.clone(),
                "Money" => currency(place).to_owned(),
                "Ready" => if look?.available? { "Y" } else { "N" }.to_owned(),
                "Holds" => listed(look?.holds.as_ref()?.iter().map(|(name, status)| {
                    format!("{} {}", hold_name(*name), hold_status(*status))
                })),
                "Fees" => listed(look?.fees.as_ref()?.iter().map(|(kind, cents)| {
                    let sum = cents.map_or("TBD".to_owned(), money);
                    format!("{} {sum}", fee_kind(*kind))
                })),
                "Free until" => look?.free_day?.strftime("%m/%d/%Y").to_string(),
                "Slot" => local(look?.appointment?, place, clock),
                "Spot" => look?.spot.clone()?,
                "Berthed" | "Discharged" | "Out" => {
                    let (moved, at) = row.moved.as_ref()?;
                    moved.eq_ignore_ascii_case(column).then(|| at.clone())?
                }
                _ => return None,
            })
        };
    let named = dice.per_mille(500);
    let cells: Vec<String> = COLUMNS
        .iter()
        .map(|column| match (*column, told(column)) {
            ("Bill", _) if named => way.bill.clone(),
            (_, Some(told)) => told,
            _ => dice
                .pick(&["", "-", "N/A"])
                .copied()
                .unwrap_or_default()
                .to_owned(),
        })
        .collect();
    let mut lines = vec![COLUMNS.join(",")];
    let near = neighbour(way, dice);
    lines.push(format!(
        "{near},,{},{terminal},{refreshed},N,,,,,,,,,",
        place.code
    ));
    if damaged {
        lines.push(format!(
            "see remarks,,{},{terminal},{refreshed},Y,,,,,,,,,",
            place.code
        ));
    }
    lines.push(cells.join(","));
    let end = if dice.per_mille(500) { "\r\n" } else { "\n" };
    let mut text = lines.join(end);
    text.push_str(end);
    text.into_bytes()
}

/// A terminal that is down, or answers an empty list by mistake.
pub(in super::super) fn useless(feed: Feed, down: bool) -> Vec<u8> {
    match (feed, down) {
        (_, true) => b"<html><body>Back at 06:00</body></html>".to_vec(),
        (Feed::Sheet, false) => format!("{}\n", COLUMNS.join(",")).into_bytes(),
        _ => br#"{"units":[]}"#.to_vec(),
    }
}

fn listed(each: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = each.collect();
    if all.is_empty() {
        "NONE".to_owned()
    } else {
        all.join("; ")
    }
}

fn neighbour(way: &Way, dice: &mut Dice) -> String {
    let serial = format!("HRNU9{}", dice.digits(5));
    let other = domain::codes::ContainerNumber::parse(&serial);
    other.unwrap_or(way.number).to_string()
}

fn hold_name(name: HoldName) -> &'static str {
    match name {
        HoldName::Freight => "STEAMSHIP LINE",
        HoldName::Customs => "CBP",
        HoldName::Usda => "AGRICULTURE",
        HoldName::Vacis => "X-RAY",
        HoldName::Tmf => "TMF",
        HoldName::Other => "DAMAGE",
    }
}

fn hold_status(status: HoldStatus) -> &'static str {
    match status {
        HoldStatus::Hold => "HOLD",
        HoldStatus::Pending => "PENDING",
    }
}

fn fee_kind(kind: FeeKind) -> &'static str {
    match kind {
        FeeKind::Demurrage => "DEMURRAGE",
        FeeKind::Exam => "TAILGATE",
        FeeKind::ExtendedDwellTime => "DWELL",
        FeeKind::Other => "REEFER PLUG",
        FeeKind::Total => "BALANCE",
    }
}

fn money(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn currency(place: &Place) -> &'static str {
    match place.code.get(..2) {
        Some("US") => "USD",
        Some("HK") => "HKD",
        _ => "EUR",
    }
}
