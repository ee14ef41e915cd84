//! What was read, in texts that can be kept.
//!
//! Every text of a message may hold what no text should: a zero byte, which a store refuses together with all that comes
//! with it, an escape sequence for the terminal of whoever looks, a megabyte without end. Connectors take care of what
//! they know; here goes all that any of them gives, field by field, so that a new field is forgotten by nobody.

use domain::container::{Fee, Hold, LastFreeDay};
use domain::report::{Equipment, Leg, Place, References, Report, Value, Withdrawal};

use crate::Parsed;

/// Longer than any connector makes a text, the id of an event of many boxes with the number of one behind it included:
/// what is cut here says nothing to anybody.
const TEXT_CHARS_MAX: usize = 512;

/// The same, with every text as it can be kept.
pub(crate) fn plain(mut parsed: Parsed) -> Parsed {
    for located in &mut parsed.reports {
        of_report(&mut located.report);
        text(&mut located.position);
    }
    for sighting in &mut parsed.sightings {
        maybe(&mut sighting.name);
    }
    for defect in &mut parsed.defects {
        text(&mut defect.place);
        text(&mut defect.reason);
    }
    parsed
}

fn of_report(report: &mut Report) {
    let Report {
        source: _,
        source_kind: _,
        source_event_id,
        retracts,
        reported_at: _,
        received_at: _,
        verb: _,
        classifier: _,
        occurred: _,
        equipment,
        place,
        leg,
        move_hint: _,
        references,
        original,
        value,
        doubts: _,
        position: _,
    } = report;
    maybe(source_event_id);
    maybe(retracts);
    text(original);
    if let Some(Equipment {
        number: _,
        iso_type,
        laden: _,
        seals,
        gross_kg: _,
    }) = equipment
    {
        maybe(iso_type);
        all(seals);
    }
    let Place {
        locode: _,
        facility_code,
        facility_list,
        facility_type: _,
        name,
    } = place;
    [facility_code, facility_list, name]
        .into_iter()
        .for_each(maybe);
    let Leg {
        mode: _,
        vessel_name,
        vessel_imo: _,
        voyage_out,
        voyage_in,
        service,
        call_id,
        sequence: _,
        sequence_total: _,
    } = leg;
    [vessel_name, voyage_out, voyage_in, service, call_id]
        .into_iter()
        .for_each(maybe);
    let References {
        bills,
        bookings,
        scac: _,
        others,
    } = references;
    for texts in [bills, bookings, others] {
        all(texts);
    }
    if let Some(value) = value {
        of_value(value);
    }
}

fn of_value(value: &mut Value) {
    let of_hold = |hold: &mut Hold| maybe(&mut hold.description);
    let of_fee = |fee: &mut Fee| text(&mut fee.currency);
    match value {
        Value::Hold(hold) | Value::HoldOfItsOwn(hold) => of_hold(hold),
        Value::Holds(holds) => holds.iter_mut().for_each(of_hold),
        Value::Fee(fee) => of_fee(fee),
        Value::Fees(fees) => fees.iter_mut().for_each(of_fee),
        Value::LastFreeDay(_, LastFreeDay { date: _, zone }) => maybe(zone),
        Value::YardLocation(words)
        | Value::Chassis(words)
        | Value::Release(_, words)
        | Value::Lifted(_, words) => text(words),
        Value::Withdraws(Withdrawal {
            reference,
            date: _,
            original,
            replaced: _,
        }) => {
            maybe(reference);
            maybe(original);
        }
        Value::Appointment(_)
        | Value::NoAppointment
        | Value::AvailabilityUnclear
        | Value::BookingCancelled
        | Value::BookingConfirmed
        | Value::LoadCancelled => {}
    }
}

fn all(texts: &mut [String]) {
    texts.iter_mut().for_each(text);
}

fn maybe(said: &mut Option<String>) {
    if let Some(said) = said {
        text(said);
    }
}

fn text(said: &mut String) {
    // What can be a control character begins with one of these bytes; hardly any text has one.
    let suspect = |byte: u8| byte.is_ascii_control() || byte == 0xC2;
    if said.len() <= TEXT_CHARS_MAX && !said.bytes().any(suspect) {
        return;
    }
    let kept = said.chars().filter(|letter| !letter.is_control());
    *said = kept.take(TEXT_CHARS_MAX).collect();
}
