//! Which sightings of a vessel can be of one ship.
//!
//! Two radios may claim one vessel, a radio passes on to another ship, and receivers and satellites err. Where a vessel
//! cannot have come from one sighting to the next, one of the two is false. That the second place goes on proves nothing: the
//! other ship goes on, too. So where a vessel was seen for some time it is, until it can have come to another place. What was
//! seen for a moment is no such place: what goes on behind it for some time is true, and it was false.

use jiff::{SignedDuration, Timestamp};

use super::Position;

/// Faster than this no vessel goes from one sighting to the next, in knots.
pub const KNOTS_MAX: f64 = 60.0;
/// Receivers' clocks and positions tremble: nearer than this is no jump, in kilometres.
const JUMP_MIN_KM: f64 = 5.0;
/// After a jump it is not sure for this long where the vessel is.
pub(super) const DOUBT_FOR: SignedDuration = SignedDuration::from_hours(2);
/// Seen on one way for so long a ship is on it; what a radio sends before it knows where it is lasts no longer.
const HELD_FOR: SignedDuration = SignedDuration::from_mins(20);
const KM_PER_SEA_MILE: f64 = 1.852;

/// Whether no vessel can have come from the one place to the other meanwhile.
pub(super) fn is_jump(from: &Position, to: &Position) -> bool {
    let distance = from.point.distance_km(to.point);
    let hours = to.at.duration_since(from.at).as_secs_f64() / 3_600.0;
    distance > JUMP_MIN_KM && distance > KNOTS_MAX * KM_PER_SEA_MILE * hours
}

/// The last of these, oldest first, at which the vessel can be.
pub fn last_sure(track: &[Position]) -> Option<Position> {
    let mut trail = Trail::default();
    let sure = track.iter().filter(|position| trail.leads_to(position));
    sure.last().copied()
}

/// The way of a vessel so far.
#[derive(Default)]
pub(super) struct Trail {
    held: Option<Way>,
    /// Where it is seen otherwise.
    elsewhere: Option<Way>,
}

/// Sightings of which each can have come from the one before.
#[derive(Clone, Copy)]
struct Way {
    since: Timestamp,
    last: Position,
}

impl Way {
    fn begun(here: &Position) -> Self {
        Self {
            since: here.at,
            last: *here,
        }
    }

    /// The way on to here, where it leads there.
    fn on(self, here: &Position) -> Option<Self> {
        (!is_jump(&self.last, here)).then_some(Self {
            last: *here,
            ..self
        })
    }

    fn lasts(self) -> SignedDuration {
        self.last.at.duration_since(self.since)
    }
}

impl Trail {
    /// Whether it can be here. Sightings come oldest first.
    pub(super) fn leads_to(&mut self, here: &Position) -> bool {
        let Some(held) = self.held else {
            self.held = Some(Way::begun(here));
            return true;
        };
        let goes_on = held.on(here);
        if goes_on.is_none() && !self.goes_on_elsewhere(held, here) {
            return false;
        }
        self.held = goes_on.or(self.elsewhere);
        self.elsewhere = None;
        true
    }

    /// Whether it was there for so long that what was seen for a moment before was false.
    fn goes_on_elsewhere(&mut self, held: Way, here: &Position) -> bool {
        let way = self.elsewhere.and_then(|way| way.on(here));
        let way = way.unwrap_or_else(|| Way::begun(here));
        self.elsewhere = Some(way);
        held.lasts() < HELD_FOR && way.lasts() >= DOUBT_FOR
    }
}
