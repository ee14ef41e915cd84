//! CODECO and COARRI: a terminal's word about boxes at its gate and at its quay.
//!
//! Both are lists of boxes (EQD) under a heading that says what was done (BGM). What stands in a box's own group
//! overrides the heading.

use domain::codes::UnLocode;
use domain::report::{Doubt, Mode, MoveHint, Place, SourceKind, Verb, ZoneSource};
use edi::Segment;

use super::desk::{Desk, Draft, Fault, Region, fault};
use super::edifact_group::{self, Document, Group, PLACES_LOOKED_AT_MAX, Spot};
use super::parse::Written;
use super::whereabouts::{Told, name_vessel, name_voyage};
use crate::Parsed;

/// When the box passed the gate, best first (element 2005).
const TIMES_OF_GATE: &[&str] = &["7", "203"];
/// When it was lifted.
const TIMES_OF_LIFT: &[&str] = &["203", "7"];

/// Reads a CODECO.
pub(super) fn codeco(body: &[Segment<'_>], written: Written, desk: &Desk<'_>, parsed: &mut Parsed) {
    let document = Document::of(body, written, desk);
    let verb = match document.code.as_str() {
        "34" | "109" => Verb::GateIn,
        "36" | "111" => Verb::GateOut,
        other => {
            if let Some(first) = body.first() {
                let reason = format!(
                    "a CODECO is a gate-in (34, 109) or a gate-out (36, 111), not {other:?}"
                );
                fault(parsed, document.bgm.as_ref().unwrap_or(first), reason);
            }
            return;
        }
    };
    let (heading, boxes) = split(body);
    if let (None, Some(first)) = (boxes.first(), body.first()) {
        fault(parsed, first, "it names no container (EQD)");
    }
    for each in boxes.chunk_by(|_, next| !next.is("EQD")) {
        let Some(eqd) = each.first().filter(|eqd| eqd.text(1) == "CN") else {
            continue;
        };
        if !desk.goes_on(parsed, eqd, each.len() + heading.len()) {
            return;
        }
        let group = Group { own: each, heading };
        document.put(parsed, eqd, || gate(verb, eqd, group, &document, desk));
        group.tell_unread(TIMES_OF_GATE, desk, parsed);
    }
}

fn gate(
    verb: Verb,
    eqd: &Segment<'_>,
    group: Group<'_, '_>,
    document: &Document<'_>,
    desk: &Desk<'_>,
) -> Result<Vec<Draft>, Fault> {
    let original = format!("CODECO/{}", document.code);
    let mut draft = document
        .draft(SourceKind::Codeco, eqd, group, desk)?
        .says(verb, original);
    let (place, region) = gate_place(group, draft.report.move_hint, desk);
    draft.at(&place, desk.gazetteer);
    draft.region = region;
    draft.report.leg.mode = group.inland_mode();
    match group.time(TIMES_OF_GATE) {
        Some(clock) => desk.date(&mut draft, clock)?,
        None if document.cancels_by_number() => {}
        None => return Err("there is no time of the gate (DTM+7, DTM+203)".into()),
    }
    Ok(vec![draft])
}

/// The terminal, with the port it stands in: that of the goods where the terminal is known there, or none is named; else the one
/// that the message names with it. Otherwise the gate may be that of a yard or ramp inland, at which the clock of the port is
/// nearer than none.
fn gate_place(group: Group<'_, '_>, hint: Option<MoveHint>, desk: &Desk<'_>) -> (Place, Region) {
    let Spot { mut place, region } = group.spot(&["165"], desk).unwrap_or_default();
    let (ports, far_end): (&[&str], &str) = match hint {
        Some(MoveHint::Export) => (&["9"], "11"),
        Some(MoveHint::Import) => (&["11"], "9"),
        _ => (&[], ""),
    };
    let port = group.place(ports, desk).unwrap_or_default();
    let told = Told {
        terminal: place.facility_code.as_deref().unwrap_or_default(),
        name: place.name.as_deref().unwrap_or_default(),
        ..Told::default()
    };
    let stands_there = port
        .locode
        .filter(|locode| place == Place::default() || desk.facility(*locode, told).is_some());
    if let (None, Some(locode)) = (place.locode, stands_there) {
        place.locode = Some(locode);
        return (place, None);
    }
    if let (None, Some(code)) = (place.locode, &place.facility_code) {
        // A code may be that of another terminal at the other end of the way.
        let near = group
            .all("LOC")
            .filter(|loc| loc.component(1, 1) != far_end)
            .take(PLACES_LOOKED_AT_MAX);
        let told = near.map(|loc| edifact_group::place(loc, desk));
        let named =
            |told: &Place| told.locode.is_some() && told.facility_code.as_ref() == Some(code);
        let mut same: Vec<Place> = told.filter(named).collect();
        // One code may be that of terminals in two ports.
        same.dedup_by_key(|told| told.locode);
        if let [only] = same.as_slice() {
            return (only.clone(), None);
        }
    }
    // Its own state says more than the port of the goods; a word of its name that may be a state says less.
    let quay = group.all("LOC").find(|loc| is_place(loc, "165"));
    let told = quay.and_then(|quay| edifact_group::told_region(quay, desk));
    if place.locode.is_some() || port.locode.is_none() || told.is_some() {
        return (place, region);
    }
    let zone = desk
        .zone_at(&port)
        .map(|(zone, _)| (zone, ZoneSource::Unknown));
    (place, zone)
}

/// Reads a COARRI.
pub(super) fn coarri(body: &[Segment<'_>], written: Written, desk: &Desk<'_>, parsed: &mut Parsed) {
    let document = Document::of(body, written, desk);
    let told = match document.code.as_str() {
        "44" | "98" | "119" => Some(Verb::Discharge),
        "46" | "270" | "122" => Some(Verb::Load),
        // Where it was put aboard the same ship: neither one nor the other.
        RESTOWED => Some(Verb::Document),
        _ => None,
    };
    let (heading, boxes) = split(body);
    if let Some(first) = body.first() {
        if boxes.is_empty() {
            fault(parsed, first, "it names no container (EQD)");
        } else if told.is_none() {
            let code = &document.code;
            let reason = format!(
                "{code:?} is neither a list of loads nor of discharges; the boxes' status tells which"
            );
            fault(parsed, document.bgm.as_ref().unwrap_or(first), reason);
        }
    }
    for each in boxes.chunk_by(|_, next| !next.is("EQD")) {
        let Some(eqd) = each.first().filter(|eqd| eqd.text(1) == "CN") else {
            continue;
        };
        if !desk.goes_on(parsed, eqd, each.len() + heading.len()) {
            return;
        }
        let group = Group { own: each, heading };
        let status = eqd.component(5, 1);
        if let Some(astray) = astray(&status) {
            fault(
                parsed,
                eqd,
                format!("the box is {astray}: no lift follows from this"),
            );
        }
        document.put(parsed, eqd, || lift(told, eqd, group, &document, desk));
        group.tell_unread(TIMES_OF_LIFT, desk, parsed);
    }
}

/// A list of boxes that were restowed (BGM).
const RESTOWED: &str = "24";

/// Newer lists have two numbers for boxes that went astray.
fn astray(status: &str) -> Option<&'static str> {
    match status {
        "7" => Some("shortlanded"),
        "8" => Some("overlanded"),
        _ => None,
    }
}

fn lift(
    told: Option<Verb>,
    eqd: &Segment<'_>,
    group: Group<'_, '_>,
    document: &Document<'_>,
    desk: &Desk<'_>,
) -> Result<Vec<Draft>, Fault> {
    let status = eqd.component(5, 1);
    let verb = told.or(match status.as_ref() {
        "3" => Some(Verb::Discharge),
        "2" => Some(Verb::Load),
        _ => None,
    });
    let verb =
        verb.ok_or("neither the list nor the box says whether it was loaded or discharged")?;
    let end = if verb == Verb::Load {
        group.spot(&["9"], desk)
    } else {
        group
            .spot(&["11"], desk)
            .or_else(|| group.spot(&["12"], desk))
    };
    let original = format!("COARRI/{}", document.code);
    let draft = document.draft(SourceKind::Coarri, eqd, group, desk)?;
    let mut draft = match astray(&status) {
        Some(_) => draft.says(Verb::Document, original),
        None => draft.says(verb, original),
    };
    let hint = draft.report.move_hint;
    let activity = activity(group, desk);
    let elsewhere = activity
        .clone()
        .filter(|activity| is_elsewhere(verb, activity, end.as_ref(), hint, desk));
    let at_sea = activity
        .clone()
        .filter(|activity| is_before_land(activity, end.as_ref(), group, desk));
    let of_trade = !matches!(hint, Some(MoveHint::Transshipment | MoveHint::Shifting));
    if elsewhere.is_some() && verb == Verb::Discharge && of_trade {
        // An import or export of the whole way goes on from here.
        draft.report.move_hint = Some(MoveHint::Onward);
    }
    let quay = group.spot(&["165"], desk);
    let told = elsewhere.or(at_sea).or(end).or(activity.clone());
    let Spot { mut place, region } = told.or_else(|| quay.clone()).unwrap_or_default();
    if place.facility_code.is_none() {
        let coded = activity.filter(|activity| activity.place.locode.is_some());
        let terminal = quay.or(coded).unwrap_or_default().place;
        let same = terminal.locode.is_none_or(|quay| {
            let is_here = |port| quay == port || is_other_name(quay, port, desk);
            place.locode.is_some_and(is_here)
        });
        place.facility_code = terminal.facility_code.filter(|_| same);
    }
    draft.at(&place, desk.gazetteer);
    draft.region = region;
    vessel(&mut draft, group);
    if status == "4" {
        // It stays aboard; somebody only counted it.
        draft.report.move_hint = Some(MoveHint::Shifting);
    }
    match group.time(TIMES_OF_LIFT) {
        Some(clock) => desk.date(&mut draft, clock)?,
        None => date_by_list(&mut draft, group, document, desk)?,
    }
    Ok(vec![draft])
}

/// The ship's own dates say nothing of one box. When the list was written it had been lifted: lists of D.95B, which most terminals
/// send, tell that in the header of the interchange only.
fn date_by_list(
    draft: &mut Draft,
    group: Group<'_, '_>,
    document: &Document<'_>,
    desk: &Desk<'_>,
) -> Result<(), Fault> {
    draft.report.doubts.push(Doubt::AsOf);
    match (group.time(&["137"]), document.written_at()) {
        (Some(clock), _) => desk.date(draft, clock)?,
        (None, Some(at)) => desk.date_by_envelope(draft, at),
        (None, None) if document.cancels_by_number() => {}
        (None, None) => {
            let reason =
                "there is no time of the lift (DTM+203, DTM+7), nor of the list (DTM+137, UNB)";
            return Err(reason.into());
        }
    }
    Ok(())
}

/// Where the crane stands: the activity's place (175), else that of the terminal that reports (165) where a port is told with it;
/// of the box before that of the heading.
fn activity(group: Group<'_, '_>, desk: &Desk<'_>) -> Option<Spot> {
    let [of_box, of_all] = [group.own, group.heading].map(|part| {
        let told = |function| part.iter().any(|loc| is_place(loc, function));
        // A box that repeats the port of the heading stands at the terminal that is named there.
        let group = Group { own: part, ..group };
        let spot = |function| {
            told(function)
                .then(|| group.spot(&[function], desk))
                .flatten()
        };
        spot("175").or_else(|| spot("165").filter(|quay| quay.place.locode.is_some()))
    });
    of_box.or(of_all)
}

fn is_place(loc: &Segment<'_>, function: &str) -> bool {
    loc.is("LOC") && loc.component(1, 1) == function
}

/// Whether it was lifted at another port than the end of the way that the list names beside it: a crane stands where the
/// activity is, whatever the box is in trade. What is transshipped is lifted at neither end. Else a neighbour of the port of
/// discharge may be the same quay by another name, and a load that is none in transshipment is at the port of loading.
///
/// A terminal that only reports (165) from another port of the same country is believed, too: some sit elsewhere than their
/// cranes, but a box that is told to have landed where it did not is the worse fault, and a gate at the end sets the other right.
fn is_elsewhere(
    verb: Verb,
    activity: &Spot,
    end: Option<&Spot>,
    hint: Option<MoveHint>,
    desk: &Desk<'_>,
) -> bool {
    let here = (activity.place.locode).map(|here| desk.gazetteer.canonical(here));
    let end = end.and_then(|end| end.place.locode);
    let Some((here, end)) = here.zip(end) else {
        return false;
    };
    match hint {
        Some(MoveHint::Transshipment) => here != desk.gazetteer.canonical(end),
        _ => {
            verb == Verb::Discharge
                && !is_other_name(here, end, desk)
                && desk.lies_between(here, [end])
        }
    }
}

/// Whether a code that no table has is that of a port by another name, as far as anybody can know: terminals have some of their
/// own country's that lines do not use (Maptaphut for Laem Chabang, Yangshan for Shanghai). A country needs no table.
fn is_other_name(code: UnLocode, port: UnLocode, desk: &Desk<'_>) -> bool {
    !desk.knows(code) && code.country() == port.country()
}

/// Whether the list names a place inland as the end, and a seaport as that of the crane: no ship goes farther. A barge does, and
/// who reports it may sit in the port.
fn is_before_land(
    activity: &Spot,
    end: Option<&Spot>,
    group: Group<'_, '_>,
    desk: &Desk<'_>,
) -> bool {
    let end = end.and_then(|end| end.place.locode);
    let inland = end.is_some_and(|end| desk.known().is_off_the_sea(end));
    let at_sea = activity
        .place
        .locode
        .is_some_and(|here| desk.is_seaport(here));
    let by_barge = group
        .transport(&["20"])
        .is_some_and(|tdt| edifact_group::mode(&tdt.component(3, 1)) == Some(Mode::Barge));
    inland && at_sea && !by_barge
}

fn vessel(draft: &mut Draft, group: Group<'_, '_>) {
    draft.report.leg.mode = Some(Mode::Vessel);
    if let Some(tdt) = group.transport(&["20"]) {
        let (number, name) = super::edifact_group::vessel_of(tdt);
        name_vessel(
            &mut draft.report.leg,
            &mut draft.report.doubts,
            &number,
            &name,
        );
        name_voyage(&mut draft.report.leg, &tdt.text(2));
    }
}

fn split<'s, 'a>(body: &'s [Segment<'a>]) -> (&'s [Segment<'a>], &'s [Segment<'a>]) {
    let first = body.iter().position(|segment| segment.is("EQD"));
    body.split_at(first.unwrap_or(body.len()))
}
