//! Where it happened and on which leg.

use domain::codes::{ImoNumber, UnLocode};
use domain::place::Gazetteer;
use domain::report::{Doubt, Leg, MoveHint, Place};

use super::code;
use super::text::{clean, cleaned, meant, trimmed};
use super::wire::{Call, Event, Text};

pub(super) fn place(
    event: &Event<'_>,
    call: &Call<'_>,
    gazetteer: &Gazetteer,
    doubts: &mut Vec<Doubt>,
) -> Place {
    let spots = [
        &event.location,
        &call.location,
        &call.spot,
        &event.flat_call.spot,
    ];
    let codes = spots.map(|spot| UnLocode::parse(meant(&spot.locode)?).ok());
    // A place sent as one word may be the code itself, where none was sent: MIAMI is no code, but has the looks of one.
    let as_name = || {
        let mut names = spots.iter().filter_map(|spot| meant(&spot.name));
        names.find_map(|name| {
            let code = UnLocode::parse(upper_code(name)?).ok()?;
            gazetteer.port(code).map(|_| code)
        })
    };
    let locode = codes.iter().find_map(|code| *code).or_else(as_name);
    // A facility code means something only at its own port.
    let here = spots
        .iter()
        .zip(codes)
        .filter(|(_, code)| code.is_none_or(|there| Some(there) == locode))
        .map(|(spot, _)| *spot);
    let facility = here
        .clone()
        .find(|spot| meant(&spot.facility_code).is_some());
    let types = || here.clone().filter_map(|spot| meant(&spot.facility_type));
    let facility_type = types().find_map(code::facility_type);
    // Terminal codes have been seen where the type belongs.
    let stray = types().find(|word| code::facility_type(word).is_none());
    let place = Place {
        locode,
        facility_code: facility
            .and_then(|spot| clean(&spot.facility_code))
            .or_else(|| stray.map(cleaned)),
        facility_list: facility.and_then(|spot| clean(&spot.facility_list)),
        facility_type,
        name: spots.iter().find_map(|spot| clean(&spot.name)),
    };
    let told = spots.iter().any(|spot| meant(&spot.locode).is_some()) || place.name.is_some();
    if told && locode.is_none_or(|locode| gazetteer.port(locode).is_none()) {
        doubts.push(Doubt::PlaceUnknown);
    }
    place
}

/// A five-letter word in capitals, as a code would be written.
fn upper_code(word: &str) -> Option<&str> {
    let code = word.len() == 5
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    code.then_some(word)
}

pub(super) fn leg(event: &Event<'_>, call: &Call<'_>, doubts: &mut Vec<Doubt>) -> Leg {
    let flat = &event.flat_call;
    let either = |own: &Text<'_>, flat: &Text<'_>| clean(own).or_else(|| clean(flat));
    let number = |own: &Text<'_>, flat: &Text<'_>| {
        meant(own)
            .or(meant(flat))?
            .parse()
            .ok()
            .filter(|number: &u32| *number > 0)
    };
    let mode = meant(&call.mode).or(meant(&flat.mode)).and_then(code::mode);
    let imo_text = meant(&call.vessel_imo).or(meant(&flat.vessel_imo));
    let vessel_imo = imo_text.and_then(ImoNumber::parse);
    let none_meant = imo_text.is_none_or(|text| matches!(text, "0000000" | "1111111" | "9999999"));
    if vessel_imo.is_none() && !none_meant {
        doubts.push(Doubt::VesselUnknown);
    }
    let voyage = either(&call.voyage, &flat.voyage);
    Leg {
        mode: mode.or_else(|| meant(&event.description).and_then(code::mode_in_words)),
        vessel_name: either(&call.vessel_name, &flat.vessel_name),
        vessel_imo,
        voyage_out: either(&call.voyage_out, &flat.voyage_out).or_else(|| voyage.clone()),
        voyage_in: either(&call.voyage_in, &flat.voyage_in).or(voyage),
        service: either(&call.service, &flat.service),
        call_id: either(&call.id, &flat.id),
        sequence: number(&call.sequence, &flat.sequence),
        sequence_total: number(&call.sequence_total, &flat.sequence_total),
    }
}

/// What the event says about the purpose of the move: its own flag first, a sentence last.
pub(super) fn move_hint(event: &Event<'_>) -> Option<MoveHint> {
    if trimmed(&event.transshipment).is_some_and(|flag| flag.eq_ignore_ascii_case("true")) {
        return Some(MoveHint::Transshipment);
    }
    [
        &event.movement,
        &event.location_kind,
        &event.phase,
        &event.description,
    ]
    .into_iter()
    .find_map(|words| code::move_hint(trimmed(words)?))
}
