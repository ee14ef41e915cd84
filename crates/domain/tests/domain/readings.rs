//! Corrections, retractions, ranks and precision.

use domain::container::QualityFlag;
use domain::event::EventName;
use domain::report::{Mode, SourceKind, Verb};

use crate::telling::*;

fn loaded_at(told: &[Told]) -> Option<jiff::Timestamp> {
    state(told).milestone(EventName::VesselLoaded).map(|m| m.at)
}

fn load(when: jiff::Timestamp) -> Told {
    act(Verb::Load, "CNSHA", when).aboard(FIRST).laden()
}

#[test]
fn the_newer_issue_of_a_claim_stands_whichever_came_first() {
    let old = load(at(4, 3)).id("x").issued(at(4, 4));
    let new = load(at(4, 9)).id("x").issued(at(4, 10));
    for story in [[old.clone(), new.clone()], [new.clone(), old.clone()]] {
        assert_eq!(loaded_at(&story), Some(at(4, 9)));
    }
    let other_id = new.id("y");
    assert_eq!(
        loaded_at(&[other_id, old]),
        Some(at(4, 9)),
        "an id of its own makes no second loading"
    );
}

#[test]
fn a_retraction_works_before_and_after_the_claim_it_names() {
    let claim = load(at(4, 3)).id("x").issued(at(4, 4));
    let gone = retract("x", at(5, 0));
    for story in [[claim.clone(), gone.clone()], [gone.clone(), claim.clone()]] {
        assert_eq!(loaded_at(&story), None);
    }
    let undated = claim.clone().with(|r| r.reported_at = None);
    assert_eq!(
        loaded_at(&[gone.clone(), undated]),
        None,
        "received after, yet withdrawn"
    );
    let again = load(at(6, 3)).id("x").issued(at(6, 4));
    assert_eq!(
        loaded_at(&[claim.clone(), gone.clone(), again]),
        Some(at(6, 3)),
        "said anew after the retraction"
    );
    let elsewhere = retract("x", at(5, 0)).from("other", SourceKind::Dcsa2);
    assert_eq!(
        loaded_at(&[claim, elsewhere]),
        Some(at(4, 3)),
        "ids belong to their source"
    );
}

#[test]
fn a_bare_date_does_not_push_out_a_time_of_its_day() {
    let minute = load(at(4, 3)).issued(at(4, 4));
    let date = load(at(4, 3)).dated().issued(at(4, 20));
    assert_eq!(loaded_at(&[minute.clone(), date.clone()]), Some(at(4, 3)));
    let better = date.clone().from("quay", SourceKind::Coarri);
    assert_eq!(
        loaded_at(&[minute.clone(), better]),
        Some(at(4, 3)),
        "not even of a better source"
    );
    assert_eq!(loaded_at(&[date]), Some(day(4)));
}

#[test]
fn the_party_with_the_clock_in_its_hand_wins() {
    let line = load(at(4, 3)).issued(at(9, 0));
    let quay = load(at(4, 5))
        .from("quay", SourceKind::Coarri)
        .issued(at(4, 6));
    let edi = load(at(4, 4))
        .from("edi", SourceKind::X12_315)
        .issued(at(10, 0));
    assert_eq!(
        loaded_at(&[line.clone(), quay.clone(), edi.clone()]),
        Some(at(4, 5))
    );
    assert_eq!(loaded_at(&[line.clone(), edi]), Some(at(4, 3)));
    let person = load(at(4, 7)).from("people", SourceKind::Manual);
    assert_eq!(loaded_at(&[line.clone(), quay, person]), Some(at(4, 7)));

    let far = load(at(7, 5)).from("quay", SourceKind::Coarri);
    let differ = state(&[line, far]);
    assert_eq!(differ.flags, [QualityFlag::TimesDiffer]);
}

#[test]
fn sailings_are_the_lines_to_tell_and_ships_only_fill_gaps() {
    let arrival = |kind, source: &str, hour| {
        act(Verb::Arrive, "USLAX", at(20, hour))
            .aboard(FIRST)
            .of_bill()
            .from(source, kind)
    };
    let mut story = direct()[..5].to_vec();
    story.push(arrival(SourceKind::Ais, "ais", 3));
    let arrived = |told: &[Told], now| {
        state_at(told, now)
            .milestone(EventName::VesselArrived)
            .map(|m| m.at)
    };
    assert_eq!(arrived(&story, at(20, 14)), None, "AIS waits its turn");
    assert_eq!(arrived(&story, at(20, 15)), Some(at(20, 3)));
    story.push(arrival(SourceKind::TerminalApi, "terminal", 4));
    story.push(arrival(SourceKind::Dcsa2, "line", 5));
    assert_eq!(arrived(&story, day(30)), Some(at(20, 5)));
}

/// A line whose clock is taken for UTC and stands in China: what it writes at ten bears the time of six in the evening.
#[test]
fn nothing_was_said_after_it_was_heard() {
    let arrival = |source: &str, kind, on, issued, received| {
        est(Verb::Arrive, "USLAX", day(on))
            .aboard(FIRST)
            .of_bill()
            .from(source, kind)
            .issued(issued)
            .received(received)
    };
    let eta = |told: &[Told]| {
        let mut story = direct()[..5].to_vec();
        story.extend_from_slice(told);
        let state = state(&story);
        let eta = state.estimate(EventName::EstimatedVesselArrived);
        eta.map(|eta| eta.at)
    };
    let ahead = arrival("edi", SourceKind::X12_315, 21, at(12, 18), at(12, 10));
    let later = arrival("line", SourceKind::Dcsa2, 23, at(12, 11), at(12, 12));
    assert_eq!(eta(&[ahead.clone(), later.clone()]), Some(day(23)));
    assert_eq!(eta(&[later, ahead.clone()]), Some(day(23)));
    // Of one receipt, the source's own order counts.
    let corrected = arrival("edi", SourceKind::X12_315, 22, at(12, 19), at(12, 10));
    assert_eq!(eta(&[corrected.clone(), ahead.clone()]), Some(day(22)));
    assert_eq!(eta(&[ahead, corrected]), Some(day(22)));
}

/// The same line: what it wrote first comes last.
#[test]
fn of_one_claim_the_sources_own_clock_tells_the_newest_reading() {
    let load = |hour, written, received| {
        act(Verb::Load, "CNSHA", at(4, hour))
            .aboard(FIRST)
            .from("edi", SourceKind::X12_315)
            .with(|r| r.reported_at = Some(written))
            .received(received)
    };
    let first = load(3, at(4, 18), at(4, 11));
    let corrected = load(5, at(4, 19), at(4, 10));
    let loaded = |told: &[Told]| {
        let state = state(told);
        state.milestone(EventName::VesselLoaded).map(|m| m.at)
    };
    assert_eq!(loaded(&[corrected.clone(), first.clone()]), Some(at(4, 5)));
    assert_eq!(loaded(&[first, corrected]), Some(at(4, 5)));
}

#[test]
fn estimates_follow_the_last_opinion_until_the_ship_is_there() {
    let eta = |told: &[Told]| {
        state(told)
            .estimate(EventName::EstimatedVesselArrived)
            .map(|e| e.at)
    };
    let arrival = |on, issued| {
        est(Verb::Arrive, "USLAX", day(on))
            .aboard(FIRST)
            .of_bill()
            .issued(day(issued))
    };
    let mut story = direct()[..5].to_vec();
    story.extend([
        pln(Verb::Arrive, "USLAX", day(18))
            .aboard(FIRST)
            .of_bill()
            .issued(day(15)),
        arrival(21, 12),
        arrival(19, 10).id("older"),
    ]);
    assert_eq!(
        eta(&story),
        Some(day(21)),
        "an estimate over a newer plan, the newest estimate"
    );
    story.push(arrival(3, 14).id("before the departure"));
    assert_eq!(eta(&story), Some(day(21)), "nothing arrives before it left");
    let schedule = |issued| arrival(22, issued).from("terminal", SourceKind::TerminalApi);
    story.push(schedule(11));
    assert_eq!(eta(&story), Some(day(21)));
    story.push(schedule(20));
    story.push(arrival(24, 21).id("newest"));
    assert_eq!(
        eta(&story),
        Some(day(22)),
        "the terminal knows the last three days"
    );
    story.push(
        act(Verb::Arrive, "USLAX", at(22, 4))
            .aboard(FIRST)
            .of_bill(),
    );
    assert_eq!(eta(&story), None);
}

#[test]
fn the_departure_keeps_the_estimate_made_before_it() {
    let etd = |on, issued| {
        est(Verb::Depart, "CNSHA", day(on))
            .aboard(FIRST)
            .of_bill()
            .issued(day(issued))
    };
    let mut story = direct();
    story.extend([etd(4, 1), etd(9, 6).id("after")]);
    let shown = state(&story);
    assert_eq!(
        shown
            .estimate(EventName::EstimatedVesselDeparted)
            .unwrap()
            .at,
        day(4)
    );
}

#[test]
fn values_come_per_field_from_who_tells_them() {
    let quay = act(Verb::Load, "CNSHA", at(4, 5))
        .by(Mode::Vessel)
        .laden()
        .from("quay", SourceKind::Coarri);
    let line = load(at(4, 3)).with(|r| r.leg.voyage_out = Some("012E".into()));
    let state = state(&[line, quay]);
    let loaded = state.milestone(EventName::VesselLoaded).unwrap();
    assert_eq!((loaded.at, loaded.source), (at(4, 5), SourceKind::Coarri));
    assert_eq!(loaded.voyage.as_deref(), Some("012E"));
    assert!(loaded.vessel.is_some());
}

/// The ship waits outside: the day that the terminal had named is over.
#[test]
fn an_estimate_that_is_over_is_none_once_a_later_time_was_told() {
    let arrival = |on, issued| {
        let told = est(Verb::Arrive, "USLAX", day(on)).aboard(FIRST).of_bill();
        told.issued(day(issued))
    };
    let eta = |issued| {
        let mut story = direct()[..5].to_vec();
        story.push(arrival(20, 18).from("terminal", SourceKind::TerminalApi));
        story.push(arrival(25, issued));
        state(&story)
            .estimate(EventName::EstimatedVesselArrived)
            .unwrap()
            .at
    };
    assert_eq!(eta(19), day(20), "the terminal knows better");
    assert_eq!(eta(21), day(25));
}

/// The road goes on telling a time that is over.
#[test]
fn an_estimate_that_is_over_inland_is_none_once_a_later_time_was_told() {
    let arrival = |on, issued: jiff::Timestamp| {
        let told = est(Verb::Arrive, "USCHI", day(on)).by(Mode::Rail);
        told.issued(issued)
    };
    let mut story = direct()[..8].to_vec();
    story.push(arrival(26, at(27, 12)).from("road", SourceKind::RailApi));
    story.push(arrival(29, at(27, 6)));
    let inland = EventName::EstimatedArrivedAtInlandDestination;
    assert_eq!(state(&story).estimate(inland).unwrap().at, day(29));
}
