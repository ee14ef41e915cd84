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
/// Faster than this no vessel goes from one sighting to the next, in knots: one of them is false.
const KNOTS_MAX: f64 = 60.0;
/// Receivers' clocks and positions tremble: nearer than this is no jump, in kilometres.
const JUMP_MIN_KM: f64 = 5.0;
/// After a jump it is not sure where the vessel is: nothing becomes a stop for this long.
const DOUBT_FOR: SignedDuration = SignedDuration::from_hours(2);
const KM_PER_SEA_MILE: f64 = 1.852;

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
/// Two radios may claim one vessel, and receivers err. Where a vessel cannot have come from one sighting to the next, one
/// of the two is false and nobody knows which: neither makes a stop, nor does what is seen soon after. A stop that was
/// sure before goes on, and a single false sighting delays the next for that long only.
pub fn stops<'q>(track: &[Seen], quays: &'q [Quay]) -> Vec<Stop<'q>> {
    let mut track: Vec<&Seen> = track.iter().collect();
    track.sort_by_key(|seen| seen.position.at);
    let mut found: Vec<Stop<'q>> = Vec::new();
    let mut open: Option<Open<'q>> = None;
    let mut doubted_at: Option<Timestamp> = None;
    for (index, seen) in track.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| track.get(index));
        let came_by_jump = before.is_some_and(|before| is_jump(before, seen));
        let leaves_by_jump = track.get(index + 1).is_some_and(|next| is_jump(seen, next));
        if came_by_jump || leaves_by_jump {
            doubted_at = Some(seen.position.at);
        }
        let quay = is_still(seen)
            .then(|| quay_at(seen.position.point, quays))
            .flatten();
        open = match (open.take(), quay) {
            (Some(stop), Some(quay)) if stop.goes_on(quay, seen) => Some(stop.on(seen, doubted_at)),
            (Some(stop), quay) if came_by_jump && (quay.is_none() || stop.is_sure()) => Some(stop),
            (before, quay) => {
                found.extend(before.and_then(Open::settled));
                quay.map(|quay| Open::begun(quay, seen, doubted_at))
            }
        };
    }
    found.extend(open.and_then(Open::settled));
    found
}

/// Whether no vessel can have come from the one place to the other meanwhile.
fn is_jump(from: &Seen, to: &Seen) -> bool {
    let (from, to) = (&from.position, &to.position);
    let distance = from.point.distance_km(to.point);
    let hours = to.at.duration_since(from.at).as_secs_f64() / 3_600.0;
    distance > JUMP_MIN_KM && distance > KNOTS_MAX * KM_PER_SEA_MILE * hours
}

/// A time at a quay of which it is not sure yet that it is a stop.
struct Open<'q> {
    quay: &'q Quay,
    from: Timestamp,
    until: Timestamp,
    settled_at: Option<Timestamp>,
}

impl<'q> Open<'q> {
    fn begun(quay: &'q Quay, seen: &Seen, doubted_at: Option<Timestamp>) -> Self {
        let at = seen.position.at;
        let begun = Self {
            quay,
            from: at,
            until: at,
            settled_at: None,
        };
        begun.on(seen, doubted_at)
    }

    fn on(self, seen: &Seen, doubted_at: Option<Timestamp>) -> Self {
        let at = seen.position.at;
        let lies = seen.moored == Some(true) || at.duration_since(self.from) >= STILL_FOR;
        let sure = lies && doubted_at.is_none_or(|doubted| at.duration_since(doubted) >= DOUBT_FOR);
        Self {
            until: at,
            settled_at: self.settled_at.or(sure.then_some(at)),
            ..self
        }
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

/// The nearest quay whose circle holds the point.
fn quay_at(point: Point, quays: &[Quay]) -> Option<&Quay> {
    quays
        .iter()
        .map(|quay| (quay.middle.distance_km(point), quay))
        .filter(|(distance, quay)| *distance <= quay.radius_km)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, quay)| quay)
}
