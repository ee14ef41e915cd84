//! Tellings in the formats of their feeds, written from the published structure of each.

mod ais;
mod clm;
mod edifact;
mod habits;
mod line;
mod line3;
mod road;
mod terminal;
mod truck;
mod x12;

use jiff::Timestamp;

use super::tell::{Noticed, Telling};
use super::way::{Notice, Way};
use super::{Condition, Feed, way};
use crate::world::places::Place;
pub use ais::{QUAYS, Quay};
pub(super) use habits::condition;
pub(super) use line3::Dialect;
pub(super) use terminal::{look, useless};

/// The bytes of a telling; `None` where its feed has no word for it.
pub(super) fn message(way: &Way, telling: &Telling) -> Option<(Vec<u8>, Condition)> {
    let bytes = match telling.feed {
        Feed::Line => return Some(line::message(way, telling)),
        Feed::LineNext => Some(line3::message(way, telling)),
        Feed::Up | Feed::Cn | Feed::Bnsf => road::moved(way, telling),
        Feed::Trucker => truck::status(way, telling),
        Feed::Quay => Some(edifact::coarri(way, telling)),
        Feed::Gate => Some(edifact::codeco(way, telling)),
        Feed::Forwarder => edifact::iftsta(way, telling),
        Feed::Hub => x12::status(way, telling),
        Feed::Ramp => x12::ramp(way, telling),
        Feed::Road => return clm::sighting(way, telling),
        Feed::Ais => ais::stop(telling),
        Feed::Terminal | Feed::Sheet => return terminal::moved(way, telling),
    };
    Some((bytes?, habits::condition(telling.feed, telling.issued_at)))
}

/// A word about collecting the box.
pub(super) fn notice(way: &Way, notice: &Notice, said: &Noticed) -> Option<Vec<u8>> {
    match said.feed {
        Feed::Up | Feed::Cn | Feed::Bnsf => road::notice(way, notice, said),
        _ => Some(x12::notice(way, notice, said)),
    }
}

/// The line says that the booking is dead.
pub(super) fn cancellation(way: &Way, at: Timestamp) -> Vec<u8> {
    line::cancellation(way, at)
}

/// A moment on the clock of a place.
fn local(at: Timestamp, place: &Place, form: &str) -> String {
    at.to_zoned(place.clock()).strftime(form).to_string()
}

/// The moment in UTC, as envelopes have it.
fn universal(at: Timestamp, form: &str) -> String {
    at.strftime(form).to_string()
}

/// A number that differs from message to message, for control references.
fn control(received_at: Timestamp) -> String {
    let digits = received_at.as_second().unsigned_abs() % 1_000_000_000;
    format!("{digits:09}")
}

/// Owner and serial number, and the check digit.
fn parts(way: &way::Way) -> (String, String, String) {
    let number = way.number.to_string();
    let part = |from: usize, to: usize| number.get(from..to).unwrap_or_default().to_owned();
    (part(0, 4), part(4, 10), part(10, 11))
}
