//! Where vessels are seen.
//!
//! Vessels are reference data: a ship is the same ship for everybody who has cargo on her, so her name, number
//! and positions are shared by all accounts. Which voyage an account follows is not, and stands in its own rows.
//!
//! A vessel that lies still at a quay is alongside ([`stops`]). Nobody said so, so this is the weakest word there is
//! on a berth: it counts where no terminal gives one.

mod radio;
mod stay;
mod stop;
mod trail;

pub use radio::is_of_one_ship;
pub use stay::is_moved;
pub use stop::{Quay, Seen, Stop, stops};
pub use trail::{KNOTS_MAX, last_sure};

use jiff::{SignedDuration, Timestamp};

use crate::geography::Point;

/// One sighting of a vessel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// When.
    pub at: Timestamp,
    /// Where.
    pub point: Point,
    /// Where the bow points, or where that is not known the course; in degrees, 0 is north and 90 is east.
    pub heading: Option<f64>,
    /// Speed over ground in knots.
    pub speed_knots: Option<f64>,
}

impl Position {
    /// How old the sighting is; one from the future of a clock is new.
    pub fn age(&self, now: Timestamp) -> SignedDuration {
        now.duration_since(self.at).max(SignedDuration::ZERO)
    }
}

/// Whether a radio tells a place. It sends 91 and 181 degrees where it knows none, and 0/0, in the sea off Africa, where it lost
/// it. A long-range position is rounded to a tenth of a minute.
pub fn is_somewhere(point: Point) -> bool {
    let is_on_earth = point.latitude.abs() <= 90.0 && point.longitude.abs() <= 180.0;
    is_on_earth && !is_lost(point)
}

/// Whether this is the place that radios send which lost theirs.
pub fn is_lost(point: Point) -> bool {
    point.latitude.abs() < LOST_DEGREES && point.longitude.abs() < LOST_DEGREES
}

/// A tenth of a minute, and less than that of a ship's length.
const LOST_DEGREES: f64 = 0.001;

/// Spacing of expected positions, in seconds.
pub const EXPECTED_STEP_SECONDS: i64 = 60;
/// Expected positions of one answer at most: a week of minutes. A longer voyage is cut there.
pub const EXPECTED_POSITIONS_MAX: usize = 7 * 24 * 60;

/// A voyage between two points of time and place, both of which somebody reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voyage {
    /// Where it begins, or where the vessel was seen last.
    pub from: Point,
    /// When it was there.
    pub departed_at: Timestamp,
    /// Where it ends.
    pub to: Point,
    /// When it is expected there.
    pub arrives_at: Timestamp,
}

/// Where a map may draw the vessel from `now` until its reported arrival: each minute a point on the great
/// circle, as if it went at an even speed. It is geometry between two reported facts and says nothing of the
/// sea between them. Empty when the reported arrival has passed or does not lie after the departure.
pub fn expected(voyage: &Voyage, now: Timestamp) -> Vec<Position> {
    let whole = voyage.arrives_at.duration_since(voyage.departed_at);
    if whole <= SignedDuration::ZERO {
        return Vec::new();
    }
    let step = SignedDuration::from_secs(EXPECTED_STEP_SECONDS);
    let mut at = now.max(voyage.departed_at);
    let mut positions: Vec<Position> = Vec::new();
    let to = voyage.to.near(voyage.from);
    while at <= voyage.arrives_at && positions.len() < EXPECTED_POSITIONS_MAX {
        let part = at
            .duration_since(voyage.departed_at)
            .div_duration_f64(whole);
        let point = voyage.from.towards(to, part);
        let before = positions
            .last()
            .map_or(voyage.from, |position| position.point);
        positions.push(Position {
            at,
            point: point.near(before),
            heading: None,
            speed_knots: None,
        });
        let Ok(next) = at.checked_add(step) else {
            break;
        };
        at = next;
    }
    positions
}
