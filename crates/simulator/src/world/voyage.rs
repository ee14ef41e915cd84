//! The way of the boxes of one bill, from the empty's collection to its return: what truly happens.

use domain::event::EventName;
use jiff::{SignedDuration, Timestamp};

use super::fleet::{self, PortCall, Vessel};
use super::pen::Pen;
use super::places::Place;
use crate::dice::Dice;

/// What the carrier's codes can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Code {
    /// Gate in.
    Gtin,
    /// Gate out.
    Gtot,
    /// Loaded.
    Load,
    /// Discharged.
    Disc,
    /// Available for pick-up.
    Avpu,
    /// Arrived.
    Arri,
    /// Departed.
    Depa,
}

/// Planned, estimated, actual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Sure {
    /// Planned.
    Planned,
    /// Estimated.
    Estimated,
    /// Actual.
    Actual,
}

/// Means of transport of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// Sea vessel.
    Vessel,
    /// Barge.
    Barge,
    /// Rail.
    Rail,
    /// Truck.
    Truck,
}

/// A stop on the way, as the carrier's messages describe it.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// Position on the way, from 1; gates have none.
    pub(crate) sequence: Option<u32>,
    /// Where.
    pub(crate) place: &'static Place,
    /// SMDG code of the terminal.
    pub(crate) terminal: Option<&'static str>,
    /// Facility type code.
    pub(crate) facility: &'static str,
    /// Means of transport.
    pub(crate) mode: Mode,
    /// The ship, of sea calls.
    pub(crate) vessel: Option<&'static Vessel>,
    /// Service code, of sea calls.
    pub(crate) service: Option<&'static str>,
    /// Voyage number.
    pub(crate) voyage: Option<String>,
}

/// Something that truly happens, or is said in advance.
#[derive(Clone, Debug)]
pub(crate) struct Happening {
    /// What.
    pub(crate) code: Code,
    /// How sure the carrier is.
    pub(crate) sure: Sure,
    /// When.
    pub(crate) at: Timestamp,
    /// When it is published, where that is a matter of plan (plans and estimates).
    pub(crate) published_at: Option<Timestamp>,
    /// Which stop.
    pub(crate) stop: usize,
    /// Which box of the bill; `None`: all of them.
    pub(crate) of: Option<usize>,
    /// Laden.
    pub(crate) laden: bool,
    /// Its public names.
    pub(crate) means: Vec<EventName>,
    /// A name the rules leave open instead of the first.
    pub(crate) or: Option<EventName>,
}

/// The whole way.
#[derive(Clone, Debug)]
pub(crate) struct Voyage {
    /// When the booking is confirmed and the plan published.
    pub(crate) opens_at: Timestamp,
    /// When the last empty is back.
    pub(crate) ends_at: Timestamp,
    /// Its stops.
    pub(crate) stops: Vec<Stop>,
    /// What happens and is said.
    pub(crate) happenings: Vec<Happening>,
}

/// The pattern of a way.
#[derive(Debug)]
pub(crate) struct Route {
    /// Barge from here to the first port.
    pub(crate) barge_from: Option<&'static str>,
    /// Services with their ports.
    pub(crate) sea: &'static [(&'static str, &'static str, &'static str)],
    /// Barge from the last port to here.
    pub(crate) barge_to: Option<&'static str>,
    /// Rail from the last port to here.
    pub(crate) rail_to: Option<&'static str>,
}

const fn route(
    barge_from: Option<&'static str>,
    sea: &'static [(&'static str, &'static str, &'static str)],
    barge_to: Option<&'static str>,
    rail_to: Option<&'static str>,
) -> Route {
    Route {
        barge_from,
        sea,
        barge_to,
        rail_to,
    }
}

/// The ways that are sold.
pub(crate) const ROUTES: &[Route] = &[
    route(None, &[("TP1", "CNSHA", "USLAX")], None, None),
    route(None, &[("TP1", "CNNGB", "USOAK")], None, None),
    route(None, &[("TP1", "CNSHA", "USLAX")], None, Some("USCHI")),
    route(None, &[("TP1", "KRPUS", "USLAX")], None, Some("USMEM")),
    route(None, &[("AE1", "CNSHA", "NLRTM")], None, None),
    route(None, &[("AE1", "CNNGB", "DEHAM")], None, None),
    route(None, &[("AE1", "CNSHA", "NLRTM")], Some("DEDUI"), None),
    route(None, &[("TA1", "DEHAM", "USSAV")], None, None),
    route(Some("DEDUI"), &[("TA1", "NLRTM", "USNYC")], None, None),
    route(None, &[("TA1", "NLRTM", "USNYC")], None, Some("USCHI")),
    route(None, &[("AU1", "LKCMB", "USNYC")], None, None),
    route(
        None,
        &[("IA1", "HKHKG", "KRPUS"), ("TP1", "KRPUS", "USLAX")],
        None,
        None,
    ),
    route(
        None,
        &[("IA1", "HKHKG", "KRPUS"), ("TP1", "KRPUS", "USLAX")],
        None,
        Some("USCHI"),
    ),
    route(
        None,
        &[("AE1", "CNSHA", "SGSIN"), ("AU1", "SGSIN", "USNYC")],
        None,
        None,
    ),
    route(
        None,
        &[
            ("IA1", "HKHKG", "CNSHA"),
            ("AE1", "CNSHA", "SGSIN"),
            ("AU1", "SGSIN", "USSAV"),
        ],
        None,
        None,
    ),
];

/// What a way is drawn from.
pub(crate) struct Draw<'a> {
    /// Seed of the world.
    pub(crate) seed: u64,
    /// Its start.
    pub(crate) start: Timestamp,
    /// The pattern.
    pub(crate) route: &'a Route,
    /// When the boxes can be at the first port at the earliest.
    pub(crate) ready: Timestamp,
    /// How many boxes.
    pub(crate) boxes: usize,
    /// Whether the carrier also lists calls where nothing happens to the boxes.
    pub(crate) lists_every_call: bool,
}

/// Draws a way; `None` when no vessel fits.
pub(crate) fn draw(draw: &Draw<'_>, dice: &mut Dice) -> Option<Voyage> {
    let legs = sea_legs(draw)?;
    let mut pen = Pen::new(draw.boxes);
    pen.origin(draw, &legs, dice)?;
    for (index, leg) in legs.iter().enumerate() {
        pen.sea_leg(leg, (index, legs.len()), draw, dice)?;
    }
    pen.inland(draw, dice)?;
    pen.return_of_empties(dice);
    pen.estimates(dice);
    Some(pen.finish())
}

fn sea_legs(draw: &Draw<'_>) -> Option<Vec<Vec<PortCall>>> {
    let mut ready = draw.ready;
    let mut legs = Vec::new();
    for (service, from, to) in draw.route.sea {
        let leg = fleet::sail(draw.seed, draw.start, service, (from, to), ready)?;
        let last = leg.last()?;
        // The published plan must connect as well as the real calls do.
        ready = last.real.1.max(last.planned.1) + SignedDuration::from_hours(18);
        legs.push(leg);
    }
    Some(legs)
}
