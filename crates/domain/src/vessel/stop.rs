//! Stops at a quay, from where a vessel was seen.

use jiff::{SignedDuration, Timestamp};

use super::Position;
use super::trail::{DOUBT_FOR, Trail, is_jump};
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
    /// The sighting that made it a stop: moored, or still for long enough.
    pub settled_at: Timestamp,
    /// The last one so far.
    pub until: Timestamp,
}

/// The stops of one vessel, oldest first. `track` may be in any order and hold the same sighting twice.
///
/// A stop needs the vessel still inside one quay's circle: for twenty minutes, or by its own word moored. A
/// vessel that says it is moored and moves has forgotten to say otherwise; one at anchor is not alongside.
///
/// Where a vessel cannot have come from one sighting to the next, one of the two is false and nobody knows which: neither makes
/// a stop, nor does what is seen soon after, nor what is seen where it cannot be. A stop that was sure before goes
/// on, and a single false sighting delays the next for that long only.
///
/// A sighting that says nothing of motion begins no stop and ends none where it lies.
pub fn stops<'q>(track: &[Seen], quays: &'q [Quay]) -> Vec<Stop<'q>> {
    let mut track: Vec<&Seen> = track.iter().collect();
    track.sort_by_key(|seen| seen.position.at);
    let mut found: Vec<Stop<'q>> = Vec::new();
    let mut open: Option<Open<'q>> = None;
    let mut trail = Trail::default();
    let mut doubted_at: Option<Timestamp> = None;
    for (index, seen) in track.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| track.get(index));
        let came_by_jump = before.is_some_and(|before| is_jump(&before.position, &seen.position));
        let next = track.get(index + 1);
        let leaves_by_jump = next.is_some_and(|next| is_jump(&seen.position, &next.position));
        if came_by_jump || leaves_by_jump {
            doubted_at = Some(seen.position.at);
        }
        let can_be = trail.leads_to(&seen.position);
        let is_past = |at: Timestamp| seen.position.at.duration_since(at) >= DOUBT_FOR;
        let is_sure = can_be && doubted_at.is_none_or(is_past);
        let here = quay_at(seen.position.point, quays);
        let quay = here.filter(|_| is_still(seen));
        open = match (open.take(), quay) {
            (Some(stop), Some(quay)) if stop.goes_on(quay, seen) => Some(stop.on(seen, is_sure)),
            (Some(stop), None)
                if is_silent(seen) && here.is_some_and(|here| stop.goes_on(here, seen)) =>
            {
                Some(stop.until(seen))
            }
            (Some(stop), quay)
                if (came_by_jump || !can_be) && (quay.is_none() || stop.is_sure()) =>
            {
                Some(stop)
            }
            (before, quay) => {
                found.extend(before.and_then(Open::settled));
                quay.map(|quay| Open::begun(quay, seen, is_sure))
            }
        };
    }
    found.extend(open.and_then(Open::settled));
    found
}

/// A time at a quay of which it is not sure yet that it is a stop.
struct Open<'q> {
    quay: &'q Quay,
    from: Timestamp,
    until: Timestamp,
    settled_at: Option<Timestamp>,
}

impl<'q> Open<'q> {
    fn begun(quay: &'q Quay, seen: &Seen, is_sure: bool) -> Self {
        let at = seen.position.at;
        let begun = Self {
            quay,
            from: at,
            until: at,
            settled_at: None,
        };
        begun.on(seen, is_sure)
    }

    fn on(self, seen: &Seen, is_sure: bool) -> Self {
        let at = seen.position.at;
        let lies = seen.moored == Some(true) || at.duration_since(self.from) >= STILL_FOR;
        let settled_at = self.settled_at.or((lies && is_sure).then_some(at));
        Self {
            settled_at,
            ..self.until(seen)
        }
    }

    fn until(self, seen: &Seen) -> Self {
        let until = seen.position.at;
        Self { until, ..self }
    }

    fn is_sure(&self) -> bool {
        self.settled_at.is_some()
    }

    fn goes_on(&self, quay: &Quay, seen: &Seen) -> bool {
        self.quay.terminal == quay.terminal
            && self.quay.port == quay.port
            && seen.position.at.duration_since(self.until) <= GAP_MAX
    }

    fn settled(self) -> Option<Stop<'q>> {
        Some(Stop {
            quay: self.quay,
            from: self.from,
            settled_at: self.settled_at?,
            until: self.until,
        })
    }
}

fn is_still(seen: &Seen) -> bool {
    let slow = seen.position.speed_knots.map(|knots| knots < STILL_KNOTS);
    match seen.moored {
        Some(true) => slow != Some(false),
        Some(false) => false,
        None => slow == Some(true),
    }
}

/// It says neither how fast it is nor what it does.
fn is_silent(seen: &Seen) -> bool {
    seen.position.speed_knots.is_none() && seen.moored.is_none()
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
