//! Tables of terminals: the answer of an interface in JSON, and a sheet that somebody exports.
//!
//! Other boxes stand in them too, and rows that nobody can read.

mod answer;
mod book;
mod sheet;

use domain::container::{FeeKind, HoldName, HoldStatus};
use jiff::Timestamp;

use super::super::tell::Telling;
use super::super::way::{Act, Ship, Way};
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
    /// On or from which ship.
    ship: Option<Ship>,
}

/// An answer about the box.
pub(in super::super) fn look(way: &Way, yard: &Yard, look: &Look) -> (Vec<u8>, Condition) {
    let row = Row {
        look: Some(look),
        ..Row::default()
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
        ship: telling.what.ship,
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
        sheet::bytes(way, at, as_of, row, damaged, &mut dice)
    } else {
        answer::bytes(way, at, as_of, row, damaged, &mut dice)
    };
    (bytes, condition)
}

/// A terminal that is down, or answers an empty list by mistake.
pub(in super::super) fn useless(feed: Feed, down: bool) -> Vec<u8> {
    match (feed, down) {
        (_, true) => b"<html><body>Back at 06:00</body></html>".to_vec(),
        (Feed::Sheet, false) => sheet::nothing(),
        _ => br#"{"units":[]}"#.to_vec(),
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
