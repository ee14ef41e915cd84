//! Words that take back or wait: what EDI needs that others say otherwise.

use domain::event::EventName;
use domain::report::{Doubt, FacilityType, Mode, MoveHint, SourceKind, Value, Verb, Withdrawal};
use domain::timeline::{due, withdrawn};

use crate::telling::*;

fn line(told: Told) -> Told {
    told.from("line", SourceKind::X12_315)
}

fn ramp(told: Told) -> Told {
    told.from("ramp", SourceKind::X12_322)
}

fn loaded(when: jiff::Timestamp) -> Told {
    line(act(Verb::Load, "CNSHA", when).aboard(FIRST).laden())
}

fn cancelled(port: &str, when: jiff::Timestamp) -> Told {
    line(act(Verb::Document, port, when)).worth(Value::LoadCancelled)
}

fn has(told: &[Told], event: EventName) -> bool {
    state(told).milestone(event).is_some()
}

#[test]
fn a_cancelled_load_is_no_load() {
    let story = |by: Told| has(&[loaded(at(4, 3)), by], EventName::VesselLoaded);
    assert!(has(&[loaded(at(4, 3))], EventName::VesselLoaded));
    assert!(!story(cancelled("CNSHA", at(5, 3))));
    assert!(!story(cancelled("CNSGH", at(5, 3))), "twins of one port");
    assert!(story(cancelled("KRPUS", at(5, 3))), "another place");
    assert!(
        story(cancelled("CNSHA", at(12, 3))),
        "older than seven days"
    );
    let other = cancelled("CNSHA", at(5, 3)).from("other", SourceKind::X12_315);
    assert!(story(other), "another source's word");
    let reloaded = [
        loaded(at(4, 3)),
        cancelled("CNSHA", at(5, 3)),
        loaded(at(6, 3)),
    ];
    let again = state(&reloaded);
    assert_eq!(
        again.milestone(EventName::VesselLoaded).unwrap().at,
        at(6, 3)
    );
}

/// A hub writes one stamp over all that it sends on a day, and sends a message once more.
#[test]
fn a_load_behind_a_cancelled_one_stands() {
    let second = loaded(at(5, 20)).aboard(SECOND);
    for (sent, loaded_again) in [
        (at(5, 23), second.clone()),
        (day(7), second),
        (at(5, 23), loaded(at(5, 20))),
    ] {
        let mut story = [
            loaded(at(4, 3)),
            cancelled("CNSHA", at(5, 3)).issued(sent),
            loaded_again.issued(at(5, 23)),
        ];
        for _ in 0..2 {
            let found = state(&story);
            assert_eq!(
                found.milestone(EventName::VesselLoaded).unwrap().at,
                at(5, 20)
            );
            story.reverse();
        }
    }
}

/// Of two loads of one day the ship tells which is meant.
#[test]
fn a_load_on_another_ship_is_not_the_cancelled_one() {
    let by = cancelled("CNSHA", at(5, 23)).aboard(FIRST);
    let story = [
        loaded(at(4, 3)),
        loaded(at(5, 20)).aboard(SECOND).issued(at(5, 22)),
        by,
    ];
    let found = state(&story);
    assert_eq!(
        found.milestone(EventName::VesselLoaded).unwrap().at,
        at(5, 20)
    );
}

fn withdrawal(replaced: bool, when: jiff::Timestamp) -> Told {
    ramp(act(Verb::Document, "", when)).worth(Value::Withdraws(Withdrawal {
        reference: Some("W77".into()),
        date: Some(jiff::civil::date(2026, 3, 5)),
        original: None,
        replaced,
    }))
}

fn on_rail(when: jiff::Timestamp) -> Told {
    let move_by_rail = act(Verb::Load, "USLAX", when).by(Mode::Rail).laden();
    ramp(move_by_rail).with(|r| r.references.others.push("W77".into()))
}

#[test]
fn a_correction_silences_what_it_names() {
    let wrong = on_rail(at(4, 9));
    assert!(has(std::slice::from_ref(&wrong), EventName::RailLoaded));
    assert!(!has(
        &[wrong.clone(), withdrawal(false, at(5, 0))],
        EventName::RailLoaded
    ));
    let right = on_rail(at(5, 12)).issued(at(6, 0));
    let story = [wrong.clone(), withdrawal(true, at(6, 0)), right];
    assert_eq!(
        state(&story).milestone(EventName::RailLoaded).unwrap().at,
        at(5, 12)
    );
    let other_day = on_rail(at(7, 9)).issued(at(4, 0));
    assert!(has(
        &[other_day, withdrawal(false, at(8, 0))],
        EventName::RailLoaded
    ));
    let later = wrong.clone().issued(at(9, 0));
    assert!(
        has(&[later, withdrawal(false, at(5, 0))], EventName::RailLoaded),
        "said again since"
    );
}

#[test]
fn the_number_tells_claims_of_one_day_apart() {
    let named = on_rail(at(4, 9));
    let unnamed = ramp(act(Verb::Depart, "USLAX", at(4, 20)).by(Mode::Rail).laden());
    let story = [named, unnamed.clone(), withdrawal(false, at(5, 0))];
    assert!(!has(&story, EventName::RailLoaded));
    assert!(
        has(&story, EventName::RailDeparted),
        "it does not name the number"
    );
    assert!(!has(
        &[unnamed, withdrawal(false, at(5, 0))],
        EventName::RailDeparted
    ));
}

/// Found by a reviewer: the date of a ZC1 is that on which the former set was written.
#[test]
fn number_and_word_find_what_the_day_does_not() {
    let by = |number: &str, word: &str| {
        ramp(act(Verb::Document, "", at(8, 0))).worth(Value::Withdraws(Withdrawal {
            reference: Some(number.into()),
            date: Some(jiff::civil::date(2026, 3, 5)),
            original: Some(word.into()),
            replaced: false,
        }))
    };
    let stands = |told: &[Told], by: Told| {
        let story = [told, &[by]].concat();
        events(&state(&story))
    };
    let early = on_rail(at(2, 9)).issued(at(3, 0));
    let loaded = std::slice::from_ref(&early);
    assert!(stands(loaded, by("W77", "Load")).is_empty());
    assert_eq!(stands(loaded, by("W78", "Load")), ["rail_loaded USLAX"]);
    assert_eq!(stands(loaded, by("W77", "Depart")), ["rail_loaded USLAX"]);
    // Another move of that day under the same waybill is not what the word means.
    let left = ramp(act(Verb::Depart, "USLAX", at(4, 20)).by(Mode::Rail).laden())
        .with(|r| r.references.others.push("W77".into()));
    let both = [early.clone(), left];
    assert_eq!(stands(&both, by("W77", "Load")), ["rail_departed USLAX"]);
    // Of two that fit, the one that was written on that day.
    let later = on_rail(at(3, 23)).issued(at(4, 1)).with(|r| {
        r.place.locode = domain::codes::UnLocode::parse("USOAK").ok();
    });
    let both = [early, later];
    assert_eq!(stands(&both, by("W77", "Load")), ["rail_loaded USLAX"]);
}

/// Found by a reviewer: what is cancelled under a number of its own, as of every message, stood.
#[test]
fn without_a_number_in_common_the_same_word_place_and_time_are_meant() {
    let terminal = |told: Told| told.from("quay", SourceKind::Coarri);
    let lift = |port: &str, when| {
        let lift = act(Verb::Discharge, port, when).aboard(FIRST).laden();
        terminal(lift).with(|r| r.references.others.push("D1".into()))
    };
    let by = |port: &str, when, word: &str| {
        let by = Value::Withdraws(Withdrawal {
            reference: Some("D2".into()),
            date: None,
            original: Some(word.into()),
            replaced: false,
        });
        terminal(act(Verb::Document, port, when).issued(at(21, 0))).worth(by)
    };
    let when = at(20, 5);
    let stands = |by: Told| has(&[lift("USLAX", when), by], EventName::VesselDischarged);
    assert!(!stands(by("USLAX", when, "Discharge")));
    assert!(stands(by("USLAX", at(20, 6), "Discharge")), "another time");
    assert!(stands(by("USOAK", when, "Discharge")), "another place");
    assert!(stands(by("USLAX", when, "Load")), "another word");
    let undated = by("USLAX", when, "Discharge").with(|r| r.occurred = None);
    assert!(stands(undated), "no time");
    let other = by("USLAX", when, "Discharge").from("other", SourceKind::Coarri);
    assert!(stands(other), "another source's word");
}

#[test]
fn the_time_of_what_was_taken_back_is_none_of_the_papers() {
    let named = |told: Told| {
        let told = told.from("line", SourceKind::Iftsta);
        told.with(|r| r.references.bills.push("B1".into()))
    };
    let load = |when| named(act(Verb::Load, "CNSHA", when).aboard(FIRST).laden());
    let by = Value::Withdraws(Withdrawal {
        reference: None,
        date: None,
        original: Some("Load".into()),
        replaced: false,
    });
    let misdated = load(at(2, 0));
    let cancelled = named(act(Verb::Document, "CNSHA", at(2, 0)).issued(at(3, 0))).worth(by);
    let before = act(Verb::GateIn, "CNSHA", at(1, 0)).by(Mode::Truck).laden();
    let before = before.from("gate", SourceKind::Codeco);
    let story = [before, misdated, cancelled, load(at(90, 0))];
    assert_eq!(
        events(&state_at(&story, at(95, 0))),
        ["vessel_loaded CNSHA"]
    );
}

#[test]
fn who_lists_claims_sees_which_were_taken_back() {
    let story = [loaded(at(4, 3)), cancelled("CNSHA", at(5, 3))];
    let reports = reports(&story);
    let told: Vec<&domain::report::Report> = reports.iter().collect();
    assert_eq!(withdrawn(&told), [Some(reports[1].received_at), None]);
}

fn on_the_side(when: jiff::Timestamp) -> Told {
    let told = act(Verb::Arrive, "USLAX", when).aboard(FIRST).laden();
    line(told).with(|r| r.doubts.push(Doubt::Derived))
}

#[test]
fn what_is_told_on_the_side_waits_for_a_direct_word() {
    let derived = on_the_side(at(20, 5)).received(at(21, 0));
    let alone = std::slice::from_ref(&derived);
    let arrived = |told: &[Told], now| {
        let state = state_at(told, now);
        state.milestone(EventName::VesselArrived).map(|m| m.at)
    };
    assert_eq!(arrived(alone, at(21, 5)), None, "not yet six hours");
    assert_eq!(arrived(alone, at(21, 6)), Some(at(20, 5)));
    assert_eq!(due(number(), &reports(alone), at(21, 0)), Some(at(21, 6)));
    let direct = line(act(Verb::Arrive, "USLAX", at(20, 8)).aboard(FIRST)).received(at(30, 0));
    let both = [derived.clone(), direct];
    assert_eq!(
        arrived(&both, at(31, 0)),
        Some(at(20, 8)),
        "the direct word, however late"
    );
    let repeated = [derived.clone(), on_the_side(at(20, 5)).issued(at(21, 4))];
    assert_eq!(
        arrived(&repeated, at(21, 7)),
        Some(at(20, 5)),
        "waiting since it was first heard"
    );
}

fn at_the_door(verb: Verb, when: jiff::Timestamp) -> Told {
    let told = act(verb, "USLAX", when).by(Mode::Truck).laden();
    line(told.facility(FacilityType::CustomerLocation))
}

#[test]
fn reaching_the_door_is_the_delivery_when_nobody_unloads_in_seven_days() {
    let mut story = direct()[..9].to_vec();
    story.push(at_the_door(Verb::Arrive, at(23, 14)));
    let delivered = |told: &[Told], now| {
        let state = state_at(told, now);
        state.milestone(EventName::Delivered).map(|m| m.at)
    };
    assert_eq!(delivered(&story, at(30, 13)), None);
    assert_eq!(delivered(&story, at(30, 14)), Some(at(23, 14)));
    assert_eq!(due(number(), &reports(&story), at(24, 0)), Some(at(30, 14)));
    story.push(at_the_door(Verb::Dropoff, at(24, 9)));
    assert_eq!(
        delivered(&story, at(40, 0)),
        Some(at(24, 9)),
        "the unloading, not the arrival"
    );
}

#[test]
fn a_terminals_word_of_an_import_needs_no_sea() {
    let gate = |verb, mode| {
        let told = act(verb, "USLAX", at(23, 9))
            .by(mode)
            .laden()
            .hint(MoveHint::Import);
        events(&state(&[told.from("gate", SourceKind::Codeco)]))
    };
    assert_eq!(gate(Verb::GateIn, Mode::Rail)[0], "rail_arrived USLAX");
    assert_eq!(gate(Verb::GateOut, Mode::Rail), ["rail_departed USLAX"]);
    assert_eq!(gate(Verb::GateOut, Mode::Barge), ["feeder_departed USLAX"]);
    assert_eq!(gate(Verb::GateOut, Mode::Truck), ["full_out USLAX"]);
    assert_eq!(gate(Verb::GateIn, Mode::Truck), ["full_in USLAX"]);
}

#[test]
fn free_time_that_is_over_tells_the_day_only_where_nobody_did() {
    use domain::container::{LastFreeDay, LfdOwner};
    let day_of = |day: i8| LastFreeDay {
        date: jiff::civil::date(2026, 3, day),
        zone: None,
    };
    let told = |day: i8, when| {
        let lfd = Value::LastFreeDay(LfdOwner::Terminal, day_of(day));
        line(act(Verb::LastFreeDay, "USLAX", when)).worth(lfd)
    };
    let over = told(29, at(29, 0)).with(|r| r.doubts.push(Doubt::Derived));
    let mut story = direct()[..8].to_vec();
    story.push(over.clone());
    assert_eq!(state(&story).pickup.lfd_terminal, Some(day_of(29)));
    story.push(told(27, at(22, 0)));
    assert_eq!(state(&story).pickup.lfd_terminal, Some(day_of(27)));
}
