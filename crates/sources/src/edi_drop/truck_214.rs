//! 214: a trucker's word. Read for the truck legs of boxes only; without a box it is about other freight.
//!
//! A trucker has one word for a delivery at the consignee's and for the export that he hands in at the port, and no word for
//! whether goods are in the box that he brings in. What the rest of the shipment [shows](Shown) of the box tells one from the
//! other; where it shows neither, nothing is told.

use std::collections::HashMap;

use domain::report::{Doubt, Mode, Place, Precision, SourceKind, Verb};
use edi::Segment;
use jiff::civil::DateTime;

use super::code::{By, Says, Tongue, appointment_of, says};
use super::desk::{Desk, Draft, Fault, Region, fault, put};
use super::numbers::{Numbers, is_box, key, means_box};
use super::ocean_315::box_number;
use super::parse::Written;
use super::ramp_322::weight;
use super::status::Status;
use super::time;
use super::whereabouts::Told;
use crate::{Parsed, towns};

/// Reads a set: each AT7 is a status, with the MS1 and MS2 behind it.
///
/// Each LX begins another shipment. Its references stand behind its statuses, and its box is nobody else's: a status of a
/// shipment that names none is not about a box.
pub(super) fn read(body: &[Segment<'_>], written: Written, desk: &Desk<'_>, parsed: &mut Parsed) {
    let Some(first) = body.first() else { return };
    if !body.iter().any(|segment| segment.is("AT7")) {
        return fault(parsed, first, "a 214 without a status (AT7) says nothing");
    }
    let begins = |segment: &Segment<'_>| segment.is("LX") || segment.is("AT7");
    let heading = body.iter().position(begins).unwrap_or(body.len());
    let (heading, shipments) = body.split_at(heading);
    for shipment in shipments.chunk_by(|_, next| !next.is("LX")) {
        read_shipment(heading, shipment, written, desk, parsed);
    }
}

fn read_shipment(
    heading: &[Segment<'_>],
    shipment: &[Segment<'_>],
    written: Written,
    desk: &Desk<'_>,
    parsed: &mut Parsed,
) {
    let about_all = heading.len() + shipment.len();
    if let Some(first) = shipment.first()
        && !desk.goes_on(parsed, first, about_all)
    {
        return;
    }
    let shared = equipment(shipment).or_else(|| equipment(heading));
    let of_status = |segment: &&Segment<'_>| ["AT7", "MS1", "MS2"].contains(&segment.tag());
    let about: Vec<Segment<'_>> = heading
        .iter()
        .chain(shipment.iter().filter(|segment| !of_status(segment)))
        .copied()
        .collect();
    let heading = about.as_slice();
    let first = shipment.iter().position(|segment| segment.is("AT7"));
    let statuses = shipment.get(first.unwrap_or(shipment.len())..);
    let statuses = || {
        let all = statuses.unwrap_or_default();
        all.chunk_by(|_, next| !next.is("AT7"))
    };
    let shown = shown_of_each(heading, statuses(), shared.as_deref(), desk);
    for each in statuses() {
        let Some(at7) = each.first() else { continue };
        if !desk.goes_on(parsed, at7, heading.len() + each.len()) {
            return;
        }
        let own = equipment(each);
        let number = own.as_ref().or(shared.as_ref());
        let Some(number) = number else {
            fault(parsed, at7, "it names no container (MS2, L11*EQ)");
            continue;
        };
        let shown = shown.get(&key(number)).copied().unwrap_or_default();
        put(
            parsed,
            at7,
            status(at7, each, heading, &shown, number, written, desk),
        );
        let code = at7.text(3);
        if !code.is_empty() && !desk.ignores(&code.to_ascii_uppercase()) {
            put(
                parsed,
                at7,
                appointment(at7, each, heading, &shown, number, written, desk),
            );
        }
    }
}

/// What a shipment shows of the goods in a box.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// It has a booking and no bill, as goods that are to go to sea.
    is_booked: bool,
    has_bill: bool,
    has_weight: bool,
    /// Since when the goods are on their way from a shipper inland.
    shipped: Option<When>,
    /// Since when they are on their way from a port.
    collected: Option<When>,
    /// Since when goods were handed over inland.
    delivered: Option<When>,
    /// Since when they were unloaded where there may be a quay.
    unloaded_at_port: Option<When>,
}

/// When a status happened, by the clock there.
#[derive(Clone, Copy, Debug)]
struct When {
    local: DateTime,
    precision: Precision,
}

/// What a town is to a trucker who comes to the sea.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shore {
    /// A port with terminals.
    Quay,
    /// A town in which terminals of a port stand, and other doors.
    Harbour,
    /// A place of which we know no terminal, nor that it is inland.
    Unsure,
    Inland,
}

/// What a shipment shows of the goods in each of its boxes; a status that names none is of the `shared` one.
fn shown_of_each<'s>(
    heading: &[Segment<'_>],
    statuses: impl Iterator<Item = &'s [Segment<'s>]>,
    shared: Option<&str>,
    desk: &Desk<'_>,
) -> HashMap<String, Shown> {
    let references = Numbers::of(heading).references;
    let has_bill = !references.bills.is_empty();
    let of_all = Shown {
        is_booked: !has_bill && !references.bookings.is_empty(),
        has_bill,
        has_weight: heading.iter().any(weighs_goods),
        ..Shown::default()
    };
    let mut shown = HashMap::new();
    for each in statuses {
        if let Some(number) = equipment(each).as_deref().or(shared) {
            let of_box = shown.entry(key(number)).or_insert(of_all);
            of_box.see(each, desk);
        }
    }
    shown
}

impl Shown {
    fn see(&mut self, each: &[Segment<'_>], desk: &Desk<'_>) {
        let Some(at7) = each.first() else { return };
        let Some(at) = When::of(at7) else { return };
        let there = Whereabouts::of(each, desk);
        if there.door == Place::default() {
            return;
        }
        let since = match (at7.text(1).as_ref(), there.shore(desk)) {
            ("X3" | "AF", Shore::Inland) => &mut self.shipped,
            ("X3" | "AF", Shore::Quay) => &mut self.collected,
            ("D1", Shore::Inland) => &mut self.delivered,
            ("D1", _) => &mut self.unloaded_at_port,
            _ => return,
        };
        *since = first(*since, Some(at));
    }

    /// Whether goods for the sea had been fetched inland when this happened, and nobody tells of a consignee.
    fn is_export(&self, at: Option<When>) -> bool {
        self.is_booked && is_since(self.shipped, at)
    }

    /// Whether goods that are unloaded then, where there may be a quay, may be an export as well as an import.
    fn may_be_either(&self, at: Option<When>) -> bool {
        self.is_booked && !is_since(self.collected, at)
    }

    /// Whether what is brought in has goods in it. Beside a bill it may be the empty that comes back.
    fn is_laden(&self, at: Option<When>) -> bool {
        let goods = self.is_booked || self.has_weight || is_since(self.shipped, at);
        let unloaded = self
            .unloaded_at_port
            .filter(|at| !self.is_export(Some(*at)));
        let is_empty = is_since(self.delivered, at) || is_since(unloaded, at);
        goods && !self.has_bill && !is_empty
    }
}

impl When {
    fn of(at7: &Segment<'_>) -> Option<Self> {
        let clock = time::x12(&at7.text(5), &at7.text(6), "")?;
        Some(Self {
            local: clock.local,
            precision: clock.precision,
        })
    }

    /// Whether this came first, or may have: a bare day orders nothing within it.
    fn is_by(self, other: Self) -> bool {
        let is_day = |when: Self| when.precision == Precision::Day;
        if is_day(self) || is_day(other) {
            return self.local.date() <= other.local.date();
        }
        self.local <= other.local
    }
}

fn first(one: Option<When>, other: Option<When>) -> Option<When> {
    let both = one.into_iter().chain(other);
    both.min_by_key(|when| when.local)
}

fn is_since(since: Option<When>, at: Option<When>) -> bool {
    since.zip(at).is_some_and(|(since, at)| since.is_by(at))
}

/// A weight, which is not the box's own.
fn weighs_goods(segment: &Segment<'_>) -> bool {
    segment.is("AT8")
        && segment.text(1) != "T"
        && weight(&segment.text(3), &segment.text(2)).is_some()
}

/// The box that segments name, be it one that cannot be read.
fn equipment(segments: &[Segment<'_>]) -> Option<String> {
    let mut numbers = Numbers::default();
    let mut named = Vec::new();
    for segment in segments {
        numbers.segment(segment);
        if segment.is("MS2") {
            named.extend(box_number(
                &segment.text(1),
                &segment.text(2),
                &segment.text(4),
            ));
        }
    }
    named.extend(numbers.box_number);
    let readable = named.iter().find(|number| is_box(number));
    let meant = || named.iter().find(|number| means_box(number));
    readable.or_else(meant).cloned()
}

fn base(
    heading: &[Segment<'_>],
    each: &[Segment<'_>],
    number: &str,
    written: Written,
    desk: &Desk<'_>,
) -> Result<Draft, Fault> {
    // The references of the shipment are all in the heading.
    let numbers = Numbers::of(heading);
    let mut draft = desk.draft(SourceKind::X12_214, written.at);
    draft.about(number)?;
    let carrier = draft.report.references.scac;
    draft.report.references = numbers.references;
    draft.report.references.scac = draft.report.references.scac.or(carrier);
    let there = Whereabouts::of(each, desk);
    draft.at(&there.door, desk.gazetteer);
    draft.region = there.region;
    draft.report.leg.mode = Some(Mode::Truck);
    Ok(draft)
}

fn status(
    at7: &Segment<'_>,
    each: &[Segment<'_>],
    heading: &[Segment<'_>],
    shown: &Shown,
    number: &str,
    written: Written,
    desk: &Desk<'_>,
) -> Result<Vec<Draft>, Fault> {
    let code = at7.text(1).to_ascii_uppercase();
    if (code.is_empty() && !at7.text(3).is_empty()) || desk.ignores(&code) {
        return Ok(Vec::new());
    }
    let mut draft = base(heading, each, number, written, desk)?;
    draft = draft.says(Verb::Document, format!("214/{code}"));
    let (there, at) = (Whereabouts::of(each, desk), When::of(at7));
    let says = match meant(&code, there.shore(desk), shown, at) {
        // At the consignee's and at a shipper's nobody fetches an import.
        Some(Says::Free) if !there.is_fetched_from(shown, desk) => Some(Says::Document),
        says => says,
    };
    let from_a_shipper = code == "AF" && shown.is_booked;
    if says.is_some_and(Says::is_at_a_terminal) && !from_a_shipper {
        draft
            .report
            .doubts
            .retain(|doubt| *doubt != Doubt::PlaceUnknown);
        draft.at(&there.terminal, desk.gazetteer);
    }
    // Leaving the pick-up with goods is leaving the terminal; at an inland ramp or a shipper it is not.
    let at_sea = draft
        .report
        .place
        .locode
        .is_some_and(|l| !desk.known().is_off_the_sea(l));
    if code == "AF" {
        draft.laden(at_sea.then_some(true));
    }
    match says {
        Some(Says::Moved(Verb::GateOut, _)) if code != "AF" => draft.laden(Some(true)),
        Some(Says::Moved(Verb::GateIn, _)) if shown.is_laden(at) => {
            draft.laden(Some(true));
        }
        _ => {}
    }
    desk.claims(Status {
        says,
        draft,
        clock: time::x12(&at7.text(5), &at7.text(6), &at7.text(7)),
        role: None,
        words: "",
        text: "",
    })
}

/// What a code says there. Goods that come to the sea under a booking are an export that is handed in, or go to a consignee in the
/// port: where the shipment does not show which, neither is told.
fn meant(code: &str, shore: Shore, shown: &Shown, at: Option<When>) -> Option<Says> {
    let is_unloaded = matches!(code, "D1" | "X1") && shore != Shore::Inland;
    let has_terminals = matches!(shore, Shore::Quay | Shore::Harbour);
    if is_unloaded && has_terminals && shown.is_export(at) {
        return Some(match code {
            "D1" => Says::MovedAs(Verb::GateIn, By::Mode(Mode::Truck), true),
            _ => Says::Document,
        });
    }
    if is_unloaded && shown.may_be_either(at) {
        return Some(Says::Document);
    }
    says(code, Tongue::Truck)
}

fn appointment(
    at7: &Segment<'_>,
    each: &[Segment<'_>],
    heading: &[Segment<'_>],
    shown: &Shown,
    number: &str,
    written: Written,
    desk: &Desk<'_>,
) -> Result<Vec<Draft>, Fault> {
    let code = at7.text(3).to_ascii_uppercase();
    let draft = base(heading, each, number, written, desk)?;
    // An exporter has appointments at his door, to collect his goods.
    let says = match appointment_of(&code) {
        Some(Says::Appointment) if !Whereabouts::of(each, desk).is_fetched_from(shown, desk) => {
            Some(Says::Document)
        }
        says => says,
    };
    desk.claims(Status {
        says,
        draft: draft.says(Verb::Document, format!("214/appointment/{code}")),
        clock: time::x12(&at7.text(5), &at7.text(6), &at7.text(7)),
        role: None,
        words: "",
        text: "",
    })
}

/// City, state and country of MS1.
struct Whereabouts {
    /// The place, if goods come to a door there.
    door: Place,
    /// The place, if it is one of a terminal.
    terminal: Place,
    /// What the clocks there say.
    region: Region,
    /// Whether a terminal or ramp stands in the town, though no table has that as a place.
    has_terminals: bool,
}

impl Whereabouts {
    fn of(each: &[Segment<'_>], desk: &Desk<'_>) -> Self {
        let ms1 = each.iter().find(|segment| segment.is("MS1"));
        let text = |element: usize| ms1.map(|ms1| ms1.text(element).into_owned());
        let text = |element: usize| text(element).unwrap_or_default();
        let (city, state) = (text(1), text(2));
        let country = towns::country_beside(&state, &text(3));
        let told = Told {
            city: &city,
            state: &state,
            country: &country,
            ..Told::default()
        };
        Self {
            door: desk.place(told),
            terminal: desk.terminals_place(told),
            region: ms1.and_then(|_| desk.region_of(told, None)),
            has_terminals: desk.known().is_town_of_a_terminal(&city, &state, &country),
        }
    }

    /// Whether an import may be fetched here: inland only where a ramp stands, and nowhere under a booking alone, whose goods are
    /// fetched at their shipper's, be he in a port. Where no place is told, nobody says otherwise.
    fn is_fetched_from(&self, shown: &Shown, desk: &Desk<'_>) -> bool {
        let stands_here = |port| desk.known().has_terminals(port);
        let is_unsaid = self.door == Place::default();
        let has_ramp = || self.has_terminals || self.terminal.locode.is_some_and(stands_here);
        !shown.is_booked && (self.shore(desk) != Shore::Inland || is_unsaid || has_ramp())
    }

    fn shore(&self, desk: &Desk<'_>) -> Shore {
        let known = desk.known();
        match (self.door.locode, self.terminal.locode) {
            (Some(port), _) if known.has_a_quay(port) => Shore::Quay,
            (Some(place), _) if desk.is_seaport(place) => Shore::Unsure,
            (None, Some(_)) => Shore::Harbour,
            _ => Shore::Inland,
        }
    }
}
