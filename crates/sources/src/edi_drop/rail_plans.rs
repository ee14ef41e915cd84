//! 404, 417 and 418: what railroads say of a way that is still to be gone.
//!
//! A waybill (404, 417) names box, origin and destination and no time; it says where the box will go inland. A
//! consist (418) says which boxes a train brings to the next railroad, and when: an interchange is no milestone
//! and not the end of the way, so it is kept without a place that could be taken for one.

use domain::report::{Classifier, Mode, Place, SourceKind, Verb};
use edi::Segment;

use super::desk::{Desk, Draft, Fault, fault, put};
use super::numbers::{Numbers, means_box};
use super::ocean_315::box_number;
use super::parse::Written;
use super::time;
use super::whereabouts::Told;
use crate::{Parsed, towns};

/// Reads a waybill.
pub(super) fn waybill(
    code: &str,
    body: &[Segment<'_>],
    written: Written,
    desk: &Desk<'_>,
    parsed: &mut Parsed,
) {
    let numbers = Numbers::of(body);
    let station = |tag: &str| body.iter().find(|segment| segment.is(tag));
    let mut boxes = 0;
    for n7 in body.iter().filter(|segment| segment.is("N7")) {
        let Some(number) = container(n7) else {
            continue;
        };
        boxes += 1;
        for (verb, tag) in [(Verb::Depart, "F9"), (Verb::Arrive, "D9")] {
            let Some(station) = station(tag) else {
                continue;
            };
            let draft = base(&number, &numbers, written, desk).map(|draft| {
                let mut draft = draft.says(verb, format!("{code}/{tag}"));
                draft.report.classifier = Classifier::Planned;
                draft.at(&place(station, desk), desk.gazetteer);
                vec![draft]
            });
            put(parsed, n7, draft);
        }
    }
    if let (0, Some(first)) = (boxes, body.first()) {
        fault(parsed, first, "it names no container (N7)");
    }
}

/// Reads a consist.
pub(super) fn consist(
    body: &[Segment<'_>],
    written: Written,
    desk: &Desk<'_>,
    parsed: &mut Parsed,
) {
    let numbers = Numbers::default();
    let Some(bax) = body.iter().find(|segment| segment.is("BAX")) else {
        if let Some(first) = body.first() {
            fault(parsed, first, "a 418 without BAX says nothing");
        }
        return;
    };
    let clock = time::x12(&bax.text(4), &bax.text(5), "");
    for (sequence, w2) in (1..).zip(body.iter().filter(|segment| segment.is("W2"))) {
        // Rail cars stand in the train too, and are none of ours.
        let Some(number) = container(w2) else {
            continue;
        };
        let draft = base(&number, &numbers, written, desk).and_then(|draft| {
            let mut draft = draft.says(Verb::Eta, "418/BAX".to_owned());
            draft.report.classifier = Classifier::Estimated;
            draft.report.place.name = Some(format!("SPLC {}", bax.text(1)));
            draft.report.leg.voyage_out = Some(bax.text(6).into_owned()).filter(|t| !t.is_empty());
            draft.report.leg.sequence = Some(sequence);
            draft.laden(match w2.text(5).as_ref() {
                "L" => Some(true),
                "E" => Some(false),
                _ => None,
            });
            desk.date(
                &mut draft,
                clock.clone().ok_or("there is no time (BAX-04)")?,
            )?;
            Ok(vec![draft])
        });
        put(parsed, w2, draft);
    }
}

fn container(segment: &Segment<'_>) -> Option<String> {
    let number = box_number(&segment.text(1), &segment.text(2), "")?;
    means_box(&number).then_some(number)
}

fn base(
    number: &str,
    numbers: &Numbers,
    written: Written,
    desk: &Desk<'_>,
) -> Result<Draft, Fault> {
    let mut draft = desk.draft(SourceKind::X12_322, written.at);
    draft.about(number)?;
    draft.report.references = numbers.references.clone();
    draft.report.leg.mode = Some(Mode::Rail);
    Ok(draft)
}

/// A station: city, state, country, and its SPLC where it is told.
fn place(station: &Segment<'_>, desk: &Desk<'_>) -> Place {
    let state = station.text(3);
    desk.terminals_place(Told {
        qualifier: "SL",
        code: &station.text(5),
        city: &station.text(2),
        state: &state,
        country: &towns::country_beside(&state, &station.text(4)),
        ..Told::default()
    })
}
