//! What an event that names nothing is about.
//!
//! Some lines tell the calls of the ship without a word about whose goods are on it: their equipment events name the box
//! and nothing else, their transport events nothing at all. Whose they are is known by how the message came.
//!
//! **In an answer** they are about what was asked. Their reports name nothing either: an answer is filed under the watch
//! that asked, and what names no box concerns every box of it. It is so where the answer names several boxes, as the
//! standard has it of events that name the bill only; a question about one box follows that box alone. Nothing of the
//! rest of the answer is lent to them, or the same call would be another claim as soon as the answer names a second box,
//! and the first would stand for ever.
//!
//! **Unasked** they are filed under the numbers they name, and so they would be nobody's. One message may tell of many
//! boxes of many accounts. Only where all else in it is about one thing are they about that: the box that every other
//! event names, or the bill and booking that every other event names where no second one is named anywhere. An event
//! whose box cannot be read, or that names some other number only, is about another thing. So is whatever may have been
//! lost in a damaged message.
//!
//! Where events of the box name ships, only a call of these is lent to it: of one that it was lifted to or from, or of the only
//! one it is to go with, where the call has happened; of any of them where it is expected. The box may have been planned
//! otherwise before.

use domain::codes::{ContainerNumber, ImoNumber};
use domain::report::{Classifier, Leg, References};

use super::boxes::{NamedBox, NamedBoxes};
use super::references::is_bare;

/// How many ships of one message are told apart.
const SHIPS_MAX: usize = 20;

/// The one thing that a message is about.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    number: Option<ContainerNumber>,
    bill: Option<String>,
    booking: Option<String>,
    /// Those that the events of the box name.
    ships: Vec<Ship>,
}

#[derive(Clone, Debug)]
struct Ship {
    imo: Option<ImoNumber>,
    name: Option<String>,
    /// Whether it has happened, what names it.
    is_actual: bool,
}

impl Ship {
    fn of(leg: &Leg, classifier: Classifier) -> Option<Self> {
        let (imo, name) = (leg.vessel_imo, leg.vessel_name.clone());
        let is_actual = classifier == Classifier::Actual;
        (imo.is_some() || name.is_some()).then_some(Self {
            imo,
            name,
            is_actual,
        })
    }

    fn is(&self, other: &Self) -> bool {
        match (self.imo, other.imo) {
            (Some(own), Some(other)) => own == other,
            _ => self.name.is_some() && self.name == other.name,
        }
    }
}

impl Subject {
    /// What is known of its papers, for an event that names none.
    pub(super) fn lend_papers(&self, references: &mut References) {
        references.bills.extend(self.bill.clone());
        references.bookings.extend(self.booking.clone());
    }

    /// Its box, where it is about one and this may be a call of the box's ship.
    pub(super) fn box_aboard(&self, leg: &Leg, classifier: Classifier) -> Option<NamedBox> {
        if self.ships.is_empty() {
            return self.number.map(NamedBox::alone);
        }
        let called = Ship::of(leg, classifier)?;
        let own = self.ships.iter().filter(|ship| ship.is(&called));
        let is_its = if called.is_actual && self.ships.len() > 1 {
            own.clone().any(|ship| ship.is_actual)
        } else {
            own.count() > 0
        };
        self.number.filter(|_| is_its).map(NamedBox::alone)
    }

    fn has_papers(&self) -> bool {
        self.bill.is_some() || self.booking.is_some()
    }

    /// Leaves what this event names too, and no other of its kind.
    fn keep_common(&mut self, boxes: &NamedBoxes, references: &References) {
        self.number = self.number.filter(|number| boxes.only() == Some(*number));
        let keep = |own: &mut Option<String>, named: &[String]| {
            if own.as_ref() != only(named) {
                *own = None;
            }
        };
        keep(&mut self.bill, &references.bills);
        keep(&mut self.booking, &references.bookings);
    }
}

fn only(numbers: &[String]) -> Option<&String> {
    numbers.first().filter(|_| numbers.len() == 1)
}

/// What the events of a message name, one after the other.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// What every event names that names anything.
    common: Option<Subject>,
    first_bill: Option<String>,
    first_booking: Option<String>,
    /// Whether there is a second bill, or a second booking.
    several_papers: bool,
    ships: Vec<Ship>,
    /// Events that name nothing.
    nameless: usize,
}

impl Names {
    /// Notes what an event names, be it that it cannot be read.
    pub(super) fn note(&mut self, boxes: &NamedBoxes, references: &References) {
        if boxes.are_none() && is_bare(references) {
            return;
        }
        let papers = [
            (&mut self.first_bill, &references.bills),
            (&mut self.first_booking, &references.bookings),
        ];
        for (first, named) in papers {
            for paper in named {
                let first = first.get_or_insert_with(|| paper.clone());
                self.several_papers |= first != paper;
            }
        }
        match &mut self.common {
            Some(common) => common.keep_common(boxes, references),
            None => {
                self.common = Some(Subject {
                    number: boxes.only(),
                    bill: only(&references.bills).cloned(),
                    booking: only(&references.bookings).cloned(),
                    ships: Vec::new(),
                });
            }
        }
    }

    /// Notes the ship of an event that names a box.
    pub(super) fn note_ship(&mut self, leg: &Leg, classifier: Classifier) {
        let Some(ship) = Ship::of(leg, classifier) else {
            return;
        };
        if let Some(known) = self.ships.iter_mut().find(|known| known.is(&ship)) {
            known.is_actual |= ship.is_actual;
        } else if self.ships.len() < SHIPS_MAX {
            self.ships.push(ship);
        }
    }

    /// Notes an event that names nothing.
    pub(super) fn note_nameless(&mut self) {
        self.nameless += 1;
    }

    /// What the events that name nothing are about, where there are any.
    pub(super) fn subject(self) -> Option<Subject> {
        let mut subject = self.common.filter(|_| self.nameless > 0)?;
        if self.several_papers {
            (subject.bill, subject.booking) = (None, None);
        }
        subject.ships = self.ships;
        Some(subject).filter(|subject| subject.number.is_some() || subject.has_papers())
    }
}
