//! 214: a trucker's word. Read for the truck legs of boxes only; without a box it is about other freight.
//!
//! A trucker has one word for a delivery at the consignee's and for the export that he hands in at the port, and no word for
//! whether goods are in the box that he brings in. What the rest of the shipment [shows](Shown) tells one from the other.

use domain::report::{Mode, Place, SourceKind, Verb};
use edi::Segment;
use jiff::civil::DateTime;

use super::code::{By, Says, Tongue, says};
use super::desk::{Desk, Draft, Fault, Region, fault, put};
use super::numbers::{Numbers, is_box, means_box};
use super::ocean_315::box_number;
use super::parse::Written;
use super::ramp_322::weight;
use super::status::Status;
use super::time;
use super::whereabouts::Told;
use crate::Parsed;

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
    let shown = Shown::of(heading, statuses(), desk);
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
        put(
            parsed,
            at7,
            status(at7, each, heading, &shown, number, written, desk),
        );
        let code = at7.text(3);
        if matches!(code.as_ref(), "AA" | "AB") {
            put(
                parsed,
                at7,
                appointment(at7, each, heading, number, written, desk),
            );
        }
    }
}

/// What a shipment shows of its goods.
struct Shown {
    /// It has a booking and no bill, as goods that are to go to sea.
    is_booked: bool,
    has_bill: bool,
    has_weight: bool,
    /// Since when the goods are on their way from a shipper inland.
    shipped_at: Option<DateTime>,
    /// Since when goods were handed over inland.
    delivered_at: Option<DateTime>,
}

impl Shown {
    fn of<'s>(
        heading: &[Segment<'_>],
        statuses: impl Iterator<Item = &'s [Segment<'s>]>,
        desk: &Desk<'_>,
    ) -> Self {
        let references = Numbers::of(heading).references;
        let has_bill = !references.bills.is_empty();
        let mut shown = Self {
            is_booked: !has_bill && !references.bookings.is_empty(),
            has_bill,
            has_weight: heading.iter().any(weighs_goods),
            shipped_at: None,
            delivered_at: None,
        };
        for each in statuses {
            let Some(at7) = each.first() else { continue };
            let (code, at) = (at7.text(1), local(at7));
            let since = match code.as_ref() {
                "X3" | "AF" => &mut shown.shipped_at,
                "D1" => &mut shown.delivered_at,
                _ => continue,
            };
            let (place, _) = place(each, desk);
            let is_port = place.locode.is_some_and(|place| desk.is_seaport(place));
            if let (Some(at), false) = (at, is_port || place == Place::default()) {
                *since = Some(since.map_or(at, |first| first.min(at)));
            }
        }
        shown
    }

    /// Whether goods for the sea had been fetched inland when this happened, and nobody tells of a consignee.
    fn is_export(&self, at: Option<DateTime>) -> bool {
        self.is_booked && is_since(self.shipped_at, at)
    }

    /// Whether what is brought in has goods in it. Beside a bill it may be the empty that comes back.
    fn is_laden(&self, at: Option<DateTime>) -> bool {
        let goods = self.is_booked || self.has_weight || is_since(self.shipped_at, at);
        goods && !self.has_bill && !is_since(self.delivered_at, at)
    }
}

fn is_since(since: Option<DateTime>, at: Option<DateTime>) -> bool {
    since.zip(at).is_some_and(|(since, at)| since <= at)
}

fn local(at7: &Segment<'_>) -> Option<DateTime> {
    time::x12(&at7.text(5), &at7.text(6), "").map(|clock| clock.local)
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
    let (place, region) = place(each, desk);
    draft.at(&place, desk.gazetteer);
    draft.region = region;
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
    let mut says = says(&code, Tongue::Truck);
    let place = draft.report.place.locode;
    let is_port = place.is_some_and(|place| desk.is_seaport(place));
    if is_port && shown.is_export(local(at7)) {
        says = match code.as_str() {
            "D1" => Some(Says::MovedAs(Verb::GateIn, By::Mode(Mode::Truck), true)),
            "X1" => Some(Says::Document),
            _ => says,
        };
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
        Some(Says::Moved(Verb::GateIn, _)) if shown.is_laden(local(at7)) => {
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

fn appointment(
    at7: &Segment<'_>,
    each: &[Segment<'_>],
    heading: &[Segment<'_>],
    number: &str,
    written: Written,
    desk: &Desk<'_>,
) -> Result<Vec<Draft>, Fault> {
    let code = at7.text(3).to_ascii_uppercase();
    let draft = base(heading, each, number, written, desk)?;
    desk.claims(Status {
        says: Some(if code == "AA" {
            Says::Appointment
        } else {
            Says::Document
        }),
        draft: draft.says(Verb::Document, format!("214/appointment/{code}")),
        clock: time::x12(&at7.text(5), &at7.text(6), &at7.text(7)),
        role: None,
        words: "",
        text: "",
    })
}

/// City, state and country of MS1, and what the clocks there say.
fn place(each: &[Segment<'_>], desk: &Desk<'_>) -> (Place, Region) {
    let Some(ms1) = each.iter().find(|segment| segment.is("MS1")) else {
        return (Place::default(), None);
    };
    let (state, country) = (ms1.text(2), ms1.text(3));
    let country = if country.is_empty() { "US" } else { &country };
    let place = desk.place(Told {
        city: &ms1.text(1),
        state: &state,
        country,
        ..Told::default()
    });
    (place, desk.region(&state, country))
}
