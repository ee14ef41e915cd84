//! Which boxes an event is about, and one report for each.

use domain::codes::ContainerNumber;
use domain::report::{Doubt, Equipment, Report, Verb};

use super::code::{self, Kind};
use super::reading::Fault;
use super::references::REFERENCES_PER_EVENT_MAX;
use super::text::{clean, meant, trimmed};
use super::wire::{Event, Text};

/// How many boxes one event may name.
const BOXES_PER_EVENT_MAX: usize = 200;

/// A box that an event names.
pub(super) struct NamedBox {
    number: ContainerNumber,
    fits: bool,
    /// Whether it is named among the references: then the event is about several things, and its id is too.
    by_reference: bool,
}

impl NamedBox {
    /// One that an event is about without naming it.
    pub(super) fn alone(number: ContainerNumber) -> Self {
        Self {
            number,
            fits: number.check_digit_fits(),
            by_reference: false,
        }
    }
}

/// The boxes that an event names.
#[derive(Default)]
pub(super) struct NamedBoxes {
    read: Vec<NamedBox>,
    /// The first that cannot be read.
    unread: Option<Fault>,
    /// Whether there were more than are read.
    cut: bool,
}

impl NamedBoxes {
    /// The boxes of an event. Equipment events are about their box; transport events about the boxes in their
    /// references, and when there are none, about all of the bill; papers about the bill.
    pub(super) fn of(event: &Event<'_>, kind: Option<Kind>) -> Self {
        let own = trimmed(&event.box_number);
        let own_only = kind == Some(Kind::Equipment) && own.is_some();
        let documents = event.document.iter().chain(&event.documents);
        let referenced = event
            .references
            .iter()
            .chain(documents)
            .filter(|_| !own_only)
            .filter(|reference| {
                trimmed(&reference.kind)
                    .is_some_and(|kind| code::document(&code::upper(kind)) == "EQ")
            })
            .filter_map(|reference| meant(&reference.value));
        let mut boxes = Self::default();
        let named = own.into_iter().map(|number| (number, false));
        for (text, by_reference) in named.chain(referenced.map(|number| (number, true))) {
            boxes.add(text, by_reference);
            if boxes.read.len() == BOXES_PER_EVENT_MAX {
                boxes.cut = true;
                break;
            }
        }
        boxes
    }

    fn add(&mut self, text: &str, by_reference: bool) {
        match ContainerNumber::from_feed(text) {
            Ok((number, _)) if self.read.iter().any(|known| known.number == number) => {}
            Ok((number, fits)) => self.read.push(NamedBox {
                number,
                fits,
                by_reference,
            }),
            Err(reason) => {
                let member = if by_reference {
                    ".references"
                } else {
                    ".equipmentReference"
                };
                self.unread
                    .get_or_insert_with(|| (member, reason.to_string()));
            }
        }
    }

    /// Whether none is named, be it that it cannot be read.
    pub(super) fn are_none(&self) -> bool {
        self.read.is_empty() && self.unread.is_none()
    }

    /// The box, where one is named and no other.
    pub(super) fn only(&self) -> Option<ContainerNumber> {
        match self.read.as_slice() {
            [only] if self.unread.is_none() => Some(only.number),
            _ => None,
        }
    }

    /// Those that are read, where the event can be used at all.
    pub(super) fn usable(
        self,
        event: &Event<'_>,
        kind: Option<Kind>,
        notes: &mut Vec<Fault>,
    ) -> Result<Vec<NamedBox>, Fault> {
        if self.cut {
            notes.push((
                ".references",
                format!("only the first {BOXES_PER_EVENT_MAX} boxes are read"),
            ));
        }
        match (self.read.is_empty(), self.unread) {
            // It is about a box that cannot be told; it must not be taken for a word about the whole bill.
            (true, Some(fault)) => return Err(fault),
            (true, None) if kind == Some(Kind::Equipment) && !event.withdraws() => {
                return Err((
                    ".equipmentReference",
                    "an equipment event names its box".into(),
                ));
            }
            (false, Some(fault)) => notes.push(fault),
            _ => {}
        }
        Ok(self.read)
    }
}

/// One report for each box; one for all when none is named, and one for papers, which are the bill's.
pub(super) fn per_box(
    mut report: Report,
    mut boxes: Vec<NamedBox>,
    event: &Event<'_>,
    laden: Option<bool>,
    give: &mut dyn FnMut(Report),
) {
    let about_bill = report.verb == Verb::Document && report.original.starts_with("SHIPMENT");
    // Nearly every event names one box, which then gets the report itself and not a copy.
    if let Some(last) = boxes.pop().filter(|_| !about_bill) {
        let equipment = Equipment {
            number: last.number,
            iso_type: clean(&event.iso_type),
            laden,
            seals: seals(event),
            gross_kg: None,
        };
        for named in boxes {
            let mut report = report.clone();
            be_about(&mut report, &named, equipment.clone());
            bury(&mut report, event);
            give(report);
        }
        be_about(&mut report, &last, equipment);
    }
    bury(&mut report, event);
    give(report);
}

/// Makes a report one about this box.
fn be_about(report: &mut Report, named: &NamedBox, mut equipment: Equipment) {
    equipment.number = named.number;
    report.equipment = Some(equipment);
    if let Some(id) = report
        .source_event_id
        .as_mut()
        .filter(|_| named.by_reference)
    {
        id.push('/');
        id.push_str(named.number.as_str());
    }
    if !named.fits {
        report.doubts.push(Doubt::CheckDigit);
    }
}

/// `isRetracted` withdraws the event's own id. The tombstone is a claim of its own, without that id, or it
/// would be taken for a newer reading of what it withdraws.
fn bury(report: &mut Report, event: &Event<'_>) {
    if event.is_withdrawn() && report.retracts.is_none() {
        report.retracts = report.source_event_id.take();
    }
}

/// Carrier's seals first, then the shipper's, then the rest.
fn seals(event: &Event<'_>) -> Vec<String> {
    let rank = |source: &Text<'_>| match code::upper(trimmed(source).unwrap_or_default()).as_str() {
        "CAR" | "CARRIER" => 0,
        "SHI" | "SHIPPER" => 1,
        _ => 2,
    };
    let is_one = |number: &str| !matches!(code::upper(number).as_str(), "NOSEAL" | "NO_SEAL");
    let numbered = event.seals.iter();
    let numbered = numbered.filter(|seal| meant(&seal.number).is_some_and(is_one));
    let mut kept: Vec<_> = numbered.take(REFERENCES_PER_EVENT_MAX).collect();
    kept.sort_by_key(|seal| rank(&seal.source));
    kept.into_iter()
        .filter_map(|seal| clean(&seal.number))
        .collect()
}
