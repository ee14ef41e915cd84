//! What a source saw when it looked, which had happened by then: sheets that say where a box is and not since when.

use domain::container::QualityFlag;
use domain::event::EventName;
use domain::provenance::{Subject, Verdict};
use domain::report::{Mode, SourceKind, Verb};
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
