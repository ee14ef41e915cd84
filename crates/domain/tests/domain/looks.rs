//! What a source saw when it looked, which had happened by then: sheets that say where a box is and not since when.

use domain::container::QualityFlag;
use domain::event::EventName;
use domain::provenance::{Subject, Verdict};
use domain::report::{Mode, MoveHint, SourceKind, Verb};
use domain::timeline;
use domain::trust::Trust;

use crate::telling::*;

/// The terminal's sheet of this moment says that the box is out.
fn out(when: jiff::Timestamp) -> Told {
    sheet(Verb::GateOut, "OUT", when).by(Mode::Truck)
}

fn sheet(verb: Verb, word: &str, when: jiff::Timestamp) -> Told {
    act(verb, "USLAX", when)
        .laden()
        .from("pier", SourceKind::TerminalApi)
        .with(|r| r.original = format!("MOVE/{word}"))
        .seen()
}

fn told_at(story: &[Told], event: EventName) -> Option<jiff::Timestamp> {
    let told = state(story).milestone(event).map(|m| m.at);
    let mut other = story.to_vec();
    other.reverse();
    assert_eq!(told, state(&other).milestone(event).map(|m| m.at));
    told
}

/// As far as the landing.
fn landed() -> Vec<Told> {
    let ends = |t: &Told| {
        t.0.verb == Verb::GateOut
            && t.0
                .equipment
                .as_ref()
                .is_some_and(|e| e.laden == Some(true))
    };
    let story = direct();
    let until = story.iter().position(ends).unwrap_or(story.len());
    story[..until].to_vec()
}

#[test]
fn what_each_sheet_says_again_had_happened_by_the_first() {
    let mut story = landed();
    story.extend([out(at(26, 8)), out(at(27, 8)), out(at(30, 8))]);
    assert_eq!(told_at(&story, EventName::FullOut), Some(at(26, 8)));
    // A sheet of before that comes late.
    story.push(out(at(25, 8)));
    assert_eq!(told_at(&story, EventName::FullOut), Some(at(25, 8)));
}

#[test]
fn whoever_has_a_time_of_its_own_knows_better_than_who_looked() {
    let mut story = landed();
    story.extend([out(at(26, 8)), out(at(30, 8))]);
    let line = act(Verb::GateOut, "USLAX", at(25, 17))
        .by(Mode::Truck)
        .laden();
    story.push(line.clone());
    assert_eq!(told_at(&story, EventName::FullOut), Some(at(25, 17)));
    assert!(
        !state(&story).flags.contains(&QualityFlag::TimesDiffer),
        "who looked later contradicts nobody"
    );
    // A bare date is a time of its own, and none that the look of that day refines.
    story.pop();
    story.push(
        act(Verb::GateOut, "USLAX", at(26, 0))
            .by(Mode::Truck)
            .laden()
            .dated(),
    );
    assert_eq!(told_at(&story, EventName::FullOut), Some(day(26)));
    // The same sheet with the time filled in, once.
    story.pop();
    let timed = out(at(25, 22)).issued(at(28, 8)).with(|r| r.doubts.clear());
    story.push(timed);
    assert_eq!(told_at(&story, EventName::FullOut), Some(at(25, 22)));
}

#[test]
fn of_two_words_for_one_state_the_first_look_counts() {
    let mut story = direct();
    story.retain(|t| {
        t.0.verb != Verb::Discharge && t.0.verb != Verb::GateOut
            || t.0.place.locode != Some(place("USLAX"))
    });
    let landed = |word, when| {
        sheet(Verb::Discharge, word, when)
            .by(Mode::Vessel)
            .aboard(FIRST)
    };
    story.extend([
        landed("DISCHARGED", at(23, 8)),
        landed("DISCHARGED", at(24, 8)),
        landed("GROUNDED", at(25, 8)),
        landed("GROUNDED", at(26, 8)),
    ]);
    assert_eq!(
        told_at(&story, EventName::VesselDischarged),
        Some(at(23, 8))
    );
}

#[test]
fn a_box_that_came_back_went_out_again() {
    let mut story = landed();
    let inside = |when| sheet(Verb::GateIn, "IN YARD", when).by(Mode::Truck);
    story.extend([
        out(at(24, 8)),
        out(at(25, 8)),
        inside(at(26, 8)),
        out(at(28, 8)),
        out(at(29, 8)),
    ]);
    let exam = state(&story);
    assert_eq!(
        exam.milestone(EventName::FullOut).map(|m| m.at),
        Some(at(28, 8)),
        "{:#?}",
        exam.milestones
    );
}

#[test]
fn the_next_voyage_is_another_visit() {
    let mut story = vec![out(at(-40, 8)), out(at(-39, 8))];
    story.extend(landed());
    story.extend([out(at(26, 8)), out(at(30, 8))]);
    assert_eq!(told_at(&story, EventName::FullOut), Some(at(26, 8)));
}

#[test]
fn who_asks_sees_which_look_counts() {
    let mut story = landed();
    story.extend([out(at(26, 8)), out(at(30, 8))]);
    story.push(
        act(Verb::GateOut, "USLAX", at(25, 17))
            .by(Mode::Truck)
            .laden(),
    );
    let reports = reports(&story);
    let gazetteer = gazetteer();
    let (state, provenance) =
        timeline::provenance(number(), &reports, &gazetteer, Trust::USUAL, day(60));
    let slot = state.milestone(EventName::FullOut).unwrap().slot.clone();
    let backing = provenance.of(&Subject::Milestone(slot)).unwrap();
    let others: Vec<_> = backing
        .others
        .iter()
        .chain(&backing.standing)
        .map(|s| {
            (
                s.report.occurred.as_ref().unwrap().at,
                s.verdict,
                s.contradicts,
            )
        })
        .collect();
    for told in [
        (at(30, 8), Verdict::Repeats, false),
        (at(26, 8), Verdict::Coarser, false),
        (at(25, 17), Verdict::Stands, false),
    ] {
        assert!(others.contains(&told), "{others:?}");
    }
}

/// A lift of which the terminal's list tells only when it was written.
fn listed(verb: Verb, port: &str, ship: &str, when: jiff::Timestamp) -> Told {
    act(verb, port, when)
        .aboard(ship)
        .laden()
        .from("quay", SourceKind::Coarri)
        .with(|r| r.original = format!("COARRI/{verb:?}"))
        .seen()
}

fn gate(port: &str, when: jiff::Timestamp) -> Told {
    act(Verb::GateOut, port, when)
        .by(Mode::Truck)
        .from("gate", SourceKind::Codeco)
}

type Happened = Vec<(EventName, jiff::Timestamp)>;

/// What had happened by the time of a list stands where it can have happened, and what must come after it is told.
#[test]
fn a_lift_had_happened_before_what_must_come_after_it() {
    use EventName as E;
    let landed = |when| listed(Verb::Discharge, "USLAX", FIRST, when);
    let loaded = |when| listed(Verb::Load, "CNSHA", FIRST, when);
    let sailed = |when| act(Verb::Depart, "CNSHA", when).aboard(FIRST).of_bill();
    let came = |when| act(Verb::Arrive, "USLAX", when).aboard(FIRST).of_bill();
    let told: Vec<(&str, Vec<Told>, Happened)> = vec![
        (
            "out through the gate, be it not said that it was full",
            vec![landed(at(22, 16)), gate("USLAX", at(21, 9))],
            vec![(E::VesselDischarged, at(21, 9)), (E::FullOut, at(21, 9))],
        ),
        (
            "out after the list",
            vec![landed(at(22, 16)), gate("USLAX", at(23, 9))],
            vec![(E::VesselDischarged, at(22, 16)), (E::FullOut, at(23, 9))],
        ),
        (
            "somebody knows the time",
            vec![
                landed(at(22, 16)),
                act(Verb::Discharge, "USLAX", at(20, 15))
                    .aboard(FIRST)
                    .laden(),
                gate("USLAX", at(21, 9)).laden(),
            ],
            vec![(E::VesselDischarged, at(20, 15)), (E::FullOut, at(21, 9))],
        ),
        (
            "its ship sailed",
            vec![loaded(at(5, 16)), sailed(at(4, 20))],
            vec![(E::VesselLoaded, at(4, 20)), (E::VesselDeparted, at(4, 20))],
        ),
        (
            "a visit of before, of which the gate is",
            vec![
                gate("USLAX", at(19, 9)).laden().hint(MoveHint::Import),
                came(at(20, 5)),
                landed(at(22, 16)),
            ],
            vec![
                (E::FullOut, at(19, 9)),
                (E::VesselArrived, at(20, 5)),
                (E::VesselDischarged, at(22, 16)),
            ],
        ),
        (
            "by train from the port, with the gate at the ramp",
            vec![
                came(at(20, 5)),
                landed(at(24, 16)),
                act(Verb::Arrive, "USCHI", at(24, 3)).by(Mode::Rail).laden(),
            ],
            vec![
                (E::VesselArrived, at(20, 5)),
                (E::VesselDischarged, at(24, 3)),
                (E::RailArrived, at(24, 3)),
                (E::ArrivedAtInlandDestination, at(24, 3)),
            ],
        ),
        (
            "a hub, of which both lists tell no time",
            vec![
                listed(Verb::Discharge, "KRPUS", FIRST, at(9, 16)),
                listed(Verb::Load, "KRPUS", SECOND, at(9, 12)),
                act(Verb::Depart, "KRPUS", at(8, 22)).aboard(SECOND).laden(),
                act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
            ],
            vec![
                (E::VesselLoaded, at(4, 3)),
                (E::TransshipmentDischarged, at(8, 22)),
                (E::TransshipmentLoaded, at(8, 22)),
                (E::TransshipmentDeparted, at(8, 22)),
            ],
        ),
        (
            "out of the harbour by a gate whose place nobody has",
            vec![
                landed(at(22, 16)),
                gate("", at(21, 9)).laden().hint(MoveHint::Import),
            ],
            vec![(E::VesselDischarged, at(21, 9)), (E::FullOut, at(21, 9))],
        ),
        (
            "put ashore again from the ship it was loaded on",
            vec![
                gate("CNSHA", at(1, 8)).empty(),
                act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
                listed(Verb::Discharge, "CNSHA", FIRST, at(5, 16)),
            ],
            vec![(E::EmptyOut, at(1, 8)), (E::VesselLoaded, at(4, 3))],
        ),
    ];
    for (what, story, expected) in told {
        let mut story = story;
        for _ in 0..2 {
            let found = state(&story);
            let happened: Vec<_> = found
                .milestones
                .iter()
                .map(|m| (m.slot.event, m.at))
                .collect();
            assert_eq!(happened, expected, "{what}");
            story.reverse();
        }
    }
}

/// The gate of the next trip is no correction of ours, though its landing was listed a day after it.
#[test]
fn a_landing_that_is_listed_late_lies_between_two_gates() {
    let out = |when| gate("USLAX", when).laden().hint(MoveHint::Import);
    let mut story: Vec<Told> = landed().into_iter().map(|told| told.bill("B1")).collect();
    story.extend([
        out(at(23, 9)),
        act(Verb::Load, "CNSHA", at(48, 3))
            .aboard(SECOND)
            .laden()
            .bill("B2"),
        out(at(61, 9)),
    ]);
    for when in [at(60, 16), at(62, 16)] {
        let mut story = story.clone();
        story.push(listed(Verb::Discharge, "USLAX", SECOND, when).bill("B2"));
        let reports = reports(&story);
        let gazetteer = gazetteer();
        let (_, provenance) =
            timeline::provenance(number(), &reports, &gazetteer, Trust::USUAL, day(100));
        let others = provenance.backings.iter().flat_map(|one| &one.others);
        let mut told = others.chain(&provenance.set_aside);
        let corrected = told.find(|s| s.verdict == Verdict::Corrected);
        assert_eq!(corrected.map(|s| &s.report.occurred), None, "{when}");
    }
}
