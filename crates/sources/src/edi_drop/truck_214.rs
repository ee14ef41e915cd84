//! 214: a trucker's word. Read for the truck legs of boxes only; without a box it is about other freight.

use domain::report::{Mode, Place, SourceKind, Verb};
use edi::Segment;

use super::code::{Says, Tongue, says};
use super::desk::{Desk, Draft, Fault, Region, fault, put};
use super::numbers::{Numbers, is_box, means_box};
use super::ocean_315::box_number;
use super::parse::Written;
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
    for each in statuses
        .unwrap_or_default()
        .chunk_by(|_, next| !next.is("AT7"))
    {
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
            status(at7, each, heading, number, written, desk),
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
    let says = says(&code, Tongue::Truck);
    // Leaving the pick-up with goods is leaving the terminal; at an inland ramp or a shipper it is not.
    let at_sea = draft
        .report
        .place
        .locode
        .is_some_and(|l| !desk.known().is_off_the_sea(l));
    if code == "AF" {
        draft.laden(at_sea.then_some(true));
    }
    if matches!(says, Some(Says::Moved(Verb::GateIn | Verb::GateOut, _))) && code != "AF" {
        draft.laden(Some(true));
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
