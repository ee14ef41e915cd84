//! Invented vessels on loops between real ports.
//!
//! A loop is a row of calls that repeats; its vessels follow each other at equal distance. When a vessel
//! calls is computed from (seed, loop, vessel, rotation, call), so nothing has to be stored and every bill
//! aboard the same vessel sees the same arrival.

use jiff::{SignedDuration, Timestamp};

use super::places::Place;
use crate::dice::Dice;

/// A ship.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Vessel {
    /// Its name.
    pub(crate) name: &'static str,
    /// Six digits; the seventh is the check digit.
    hull: u32,
}

/// A row of calls that repeats.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The carrier's service code.
    pub(crate) service: &'static str,
    /// Letter that ends its voyage numbers.
    bound: char,
    /// Days until it begins again.
    rotation_days: i64,
    /// Port and day of arrival.
    calls: &'static [(&'static str, i64)],
    /// Its ships.
    vessels: &'static [Vessel],
}

/// One call of one vessel.
#[derive(Clone, Debug)]
pub(crate) struct PortCall {
    /// Where.
    pub(crate) place: &'static Place,
    /// Who.
    pub(crate) vessel: &'static Vessel,
    /// The carrier's service code.
    pub(crate) service: &'static str,
    /// Voyage number, the same inwards and outwards.
    pub(crate) voyage: String,
    /// Arrival and departure by the published schedule.
    pub(crate) planned: (Timestamp, Timestamp),
    /// Arrival and departure as they will be.
    pub(crate) real: (Timestamp, Timestamp),
}

/// The loops of the carrier.
pub(crate) const LOOPS: &[Loop] = &[
    Loop {
        service: "TP1",
        bound: 'E',
        rotation_days: 36,
        calls: &[
            ("CNNGB", 0),
            ("CNSHA", 2),
            ("KRPUS", 5),
            ("USLAX", 17),
            ("USOAK", 21),
        ],
        vessels: &[
            ship("LARKSPUR ARDENT", 990_041),
            ship("LARKSPUR BOREAL", 990_053),
            ship("LARKSPUR CASCADE", 990_067),
        ],
    },
    Loop {
        service: "AE1",
        bound: 'W',
        rotation_days: 64,
        calls: &[
            ("CNNGB", 0),
            ("CNSHA", 2),
            ("SGSIN", 9),
            ("NLRTM", 30),
            ("DEHAM", 33),
        ],
        vessels: &[
            ship("LARKSPUR DELTA", 990_079),
            ship("LARKSPUR EMBER", 990_082),
            ship("LARKSPUR FATHOM", 990_094),
            ship("LARKSPUR GALE", 990_106),
        ],
    },
    Loop {
        service: "AU1",
        bound: 'N',
        rotation_days: 57,
        calls: &[("SGSIN", 0), ("LKCMB", 5), ("USNYC", 26), ("USSAV", 30)],
        vessels: &[
            ship("LARKSPUR HARBOUR", 990_118),
            ship("LARKSPUR ISLE", 990_121),
            ship("LARKSPUR JETTY", 990_133),
        ],
    },
    Loop {
        service: "IA1",
        bound: 'S',
        rotation_days: 18,
        calls: &[("HKHKG", 0), ("CNSHA", 3), ("KRPUS", 6), ("SGSIN", 12)],
        vessels: &[
            ship("LARKSPUR KEEL", 990_145),
            ship("LARKSPUR LANTERN", 990_157),
        ],
    },
    Loop {
        service: "TA1",
        bound: 'W',
        rotation_days: 28,
        calls: &[("DEHAM", 0), ("NLRTM", 2), ("USNYC", 12), ("USSAV", 15)],
        vessels: &[
            ship("LARKSPUR MERIDIAN", 990_169),
            ship("LARKSPUR NORTHLIGHT", 990_172),
        ],
    },
];

/// The schedule is older than any voyage of the world by so much.
const SCHEDULE_DAYS_BEFORE: i64 = 130;
/// Rotations that one vessel makes within the life of a world.
const ROTATIONS_MAX: i64 = 20;
/// Minutes alongside by the published schedule.
const STAY_MINUTES: i64 = 20 * 60;

pub(crate) const fn ship(name: &'static str, hull: u32) -> Vessel {
    Vessel { name, hull }
}

impl Vessel {
    /// Its IMO number, check digit included.
    pub(crate) fn imo(&self) -> String {
        let digits = format!("{:06}", self.hull);
        let sum: u32 = digits
            .bytes()
            .zip((2..=7).rev())
            .map(|(digit, weight)| u32::from(digit - b'0') * weight)
            .sum();
        format!("{digits}{}", sum % 10)
    }
}

/// The calls of one voyage from `from` to `to`, both included: the first that a box can meet which is ready
/// at `ready`.
pub(crate) fn sail(
    seed: u64,
    start: Timestamp,
    service: &str,
    (from, to): (&str, &str),
    ready: Timestamp,
) -> Option<Vec<PortCall>> {
    let ring = LOOPS.iter().find(|ring| ring.service == service)?;
    let first = position(ring, from)?;
    let last = position(ring, to)?;
    let (vessel, rotation) = (0..ring.vessels.len())
        .flat_map(|vessel| (0..ROTATIONS_MAX).map(move |rotation| (vessel, rotation)))
        .filter_map(|way| {
            let call = port_call(seed, start, ring, way, first)?;
            (call.real.0.min(call.planned.0) >= ready).then_some((call.planned.0, way))
        })
        .min()?
        .1;
    (first..=last)
        .map(|at| port_call(seed, start, ring, (vessel, rotation), at))
        .collect()
}

fn position(ring: &Loop, port: &str) -> Option<usize> {
    ring.calls.iter().position(|(code, _)| *code == port)
}

fn port_call(
    seed: u64,
    start: Timestamp,
    ring: &'static Loop,
    (vessel, rotation): (usize, i64),
    at: usize,
) -> Option<PortCall> {
    let (port, day) = ring.calls.get(at)?;
    let ship = ring.vessels.get(vessel)?;
    let day_minutes = 24 * 60;
    let distance = ring.rotation_days * day_minutes * i64::try_from(vessel).ok()?
        / i64::try_from(ring.vessels.len()).ok()?;
    let phase = Dice::about(seed, ring.service).between(0, ring.rotation_days * 24) * 60;
    let hour = Dice::about(seed, &format!("{}/{port}", ring.service)).between(0, 6) * 60;
    let minutes = phase
        + distance
        + (rotation * ring.rotation_days + day - SCHEDULE_DAYS_BEFORE) * day_minutes
        + hour;
    let arrival = start + SignedDuration::from_mins(minutes);
    let late =
        Dice::about(seed, &format!("{}/{vessel}/{rotation}", ring.service)).minutes(0, 40 * 60);
    let mut here = Dice::about(seed, &format!("{}/{vessel}/{rotation}/{at}", ring.service));
    let berthed = arrival + late + here.minutes(-180, 300);
    Some(PortCall {
        place: Place::of(port)?,
        vessel: ship,
        service: ring.service,
        voyage: format!("{}{}", 200 + rotation, ring.bound),
        planned: (arrival, arrival + SignedDuration::from_mins(STAY_MINUTES)),
        real: (berthed, berthed + here.minutes(16 * 60, 25 * 60)),
    })
}
