//! Stops at a quay, from where a vessel was seen.

use jiff::{SignedDuration, Timestamp};

use super::Position;
use crate::codes::UnLocode;
use crate::geography::Point;

/// A vessel that says that it is moored, or is slow for this long, is alongside.
const STILL_FOR: SignedDuration = SignedDuration::from_mins(20);
/// Slower than this is still, in knots: a moored vessel's position trembles.
const STILL_KNOTS: f64 = 0.5;
/// Sightings further apart than this do not belong to one stop: it may have been away.
const GAP_MAX: SignedDuration = SignedDuration::from_hours(6);

/// A place where vessels lie alongside: a circle is enough, as quays are far apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Quay {
    /// The port.
    pub port: UnLocode,
    /// Our code of the terminal (`USLAX-W185`).
    pub terminal: String,
    /// Its middle.
    pub middle: Point,
    /// How far it reaches, in kilometres.
    pub radius_km: f64,
}

/// A sighting and what the vessel itself said of its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// When, where and how fast.
    pub position: Position,
    /// Said to be moored, or (`false`) at anchor or under way; `None`: nothing said, or crews forgot.
    pub moored: Option<bool>,
}

/// A time alongside.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop<'q> {
    /// Where.
    pub quay: &'q Quay,
    /// The first sighting there.
    pub from: Timestamp,
    /// The last one so far.
    pub until: Timestamp,
}

/// The stops of one vessel, oldest first. `track` may be in any order and hold the same sighting twice.
///
/// A stop needs the vessel still inside one quay's circle: for twenty minutes, or by its own word moored. A
/// vessel that says it is moored and moves has forgotten to say otherwise; one at anchor is not alongside.
pub fn stops<'q>(track: &[Seen], quays: &'q [Quay]) -> Vec<Stop<'q>> {
    let mut track: Vec<&Seen> = track.iter().collect();
    track.sort_by_key(|seen| seen.position.at);
    let mut found: Vec<Stop<'q>> = Vec::new();
    let mut open: Option<(Stop<'q>, bool)> = None;
    for seen in track {
        let at = seen.position.at;
        let quay = is_still(seen)
            .then(|| quay_at(seen.position.point, quays))
            .flatten();
        open = match (open.take(), quay) {
            (Some((stop, moored)), Some(quay)) if goes_on(&stop, quay, at) => {
                let moored = moored || seen.moored == Some(true);
                Some((Stop { until: at, ..stop }, moored))
            }
            (before, quay) => {
                found.extend(before.and_then(settled));
                quay.map(|quay| {
                    let stop = Stop {
                        quay,
                        from: at,
                        until: at,
                    };
                    (stop, seen.moored == Some(true))
                })
            }
        };
    }
    found.extend(open.and_then(settled));
    found
}

fn settled((stop, moored): (Stop<'_>, bool)) -> Option<Stop<'_>> {
    let long = stop.until.duration_since(stop.from) >= STILL_FOR;
    (moored || long).then_some(stop)
}

fn goes_on(stop: &Stop<'_>, quay: &Quay, at: Timestamp) -> bool {
    stop.quay.terminal == quay.terminal
        && stop.quay.port == quay.port
        && at.duration_since(stop.until) <= GAP_MAX
}

fn is_still(seen: &Seen) -> bool {
    let slow = seen.position.speed_knots.map(|knots| knots < STILL_KNOTS);
    match seen.moored {
        Some(true) => slow != Some(false),
        Some(false) => false,
        None => slow == Some(true),
    }
}

/// The nearest quay whose circle holds the point.
fn quay_at(point: Point, quays: &[Quay]) -> Option<&Quay> {
    quays
        .iter()
        .map(|quay| (quay.middle.distance_km(point), quay))
        .filter(|(distance, quay)| *distance <= quay.radius_km)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, quay)| quay)
}
