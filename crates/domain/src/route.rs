//! The way of a box as people look at it: call by call, with who brings it, who takes it, and when.
//!
//! Made by [`timeline::route`](crate::timeline::route) from the same reports as the container's state. Nothing
//! in it is predicted: a time that no source gave is missing.

use jiff::Timestamp;

use crate::codes::UnLocode;
use crate::container::Vessel;
use crate::report::Mode;

/// One place where the box changes from one means of transport to another, begins or ends its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Canonical place.
    pub place: UnLocode,
    /// What the place is on the way.
    pub part: Part,
    /// Our code of the terminal or ramp, when it is known.
    pub terminal: Option<String>,
    /// How the box comes; `None` where its way begins.
    pub inbound: Option<Passage>,
    /// How it leaves; `None` where its way ends.
    pub outbound: Option<Passage>,
}

/// What a call is on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Port of lading.
    Lading,
    /// A port between.
    Transshipment,
    /// Port of discharge.
    Discharge,
    /// Inland destination.
    Inland,
}

/// One side of a call: the coming or the leaving.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// By what.
    pub mode: Option<Mode>,
    /// The vessel.
    pub vessel: Option<Vessel>,
    /// Voyage number as sent.
    pub voyage: Option<String>,
    /// The last estimate a source gave, the one before the fact where it has happened.
    pub estimated_at: Option<Timestamp>,
    /// When it happened.
    pub actual_at: Option<Timestamp>,
    /// It has happened, though perhaps nobody said when: the box has been seen further on.
    pub done: bool,
}

/// Two calls that follow each other at sea, and the vessel between them.
#[derive(Clone, Copy, Debug)]
pub struct Leg<'a> {
    /// Where it begins.
    pub from: &'a Call,
    /// Where it ends.
    pub to: &'a Call,
    /// The leaving.
    pub departure: &'a Passage,
    /// The coming.
    pub arrival: &'a Passage,
}

impl<'a> Leg<'a> {
    /// The vessel, as either end names it.
    pub fn vessel(&self) -> Option<&'a Vessel> {
        self.departure
            .vessel
            .as_ref()
            .or(self.arrival.vessel.as_ref())
    }

    /// The voyage, as either end names it.
    pub fn voyage(&self) -> Option<&'a str> {
        let named = self.departure.voyage.as_deref();
        named.or(self.arrival.voyage.as_deref())
    }

    /// Whether the vessel is between the two ports.
    pub fn is_under_way(&self) -> bool {
        self.departure.done && !self.arrival.done
    }
}

/// The legs at sea, in order.
pub fn sea_legs(calls: &[Call]) -> impl Iterator<Item = Leg<'_>> {
    calls.windows(2).filter_map(|pair| {
        let [from, to] = pair else { return None };
        let leg = Leg {
            from,
            to,
            departure: from.outbound.as_ref()?,
            arrival: to.inbound.as_ref()?,
        };
        (to.part != Part::Inland).then_some(leg)
    })
}
