//! Availability, appointments, seals and mass over time.

use domain::container::{
    CurrentStatus, Fee, FeeKind, Hold, HoldName, HoldStatus, Pickup, QualityFlag,
};
use domain::event::EventName;
use domain::report::{Classifier, Precision, SourceKind, Value, Verb};
use domain::timeline;
use jiff::SignedDuration;
use rust_decimal::Decimal;

use crate::telling::*;

fn terminal(verb: Verb, when: jiff::Timestamp) -> Told {
    act(verb, "USLAX", when).from("terminal", SourceKind::TerminalApi)
}

#[test]
fn each_change_of_availability_is_told_once() {
    let mut story = direct()[..8].to_vec();
    let word = |free: bool, hour| {
        terminal(
            if free {
                Verb::Available
            } else {
                Verb::NotAvailable
            },
            at(21, hour),
        )
    };
    story.extend([
        word(false, 1),
        word(false, 2),
        word(true, 3),
        word(false, 4),
        word(true, 5),
    ]);
    let state = state(&story);
    let slots: Vec<(EventName, u32, jiff::Timestamp)> = state.milestones[6..]
        .iter()
        .map(|m| (m.slot.event, m.slot.occurrence, m.at))
        .collect();
    assert_eq!(
        slots,
        [
            (EventName::Available, 0, at(21, 3)),
            (EventName::NotAvailable, 0, at(21, 4)),
            (EventName::Available, 1, at(21, 5)),
        ]
    );
    assert_eq!(state.pickup.available, Some(true));
}

#[test]
fn words_that_nobody_understands_take_back_their_own_sources_word_and_say_none() {
    let says = |source: &str, verb, hour| {
        act(verb, "USLAX", at(21, hour)).from(source, SourceKind::TerminalApi)
    };
    let yes = |source, hour| says(source, Verb::Available, hour);
    let no = |source, hour| says(source, Verb::NotAvailable, hour);
    let unclear =
        |source, hour| says(source, Verb::Document, hour).worth(Value::AvailabilityUnclear);
    let told = |words: &[Told]| {
        let mut story = direct()[..8].to_vec();
        story.extend_from_slice(words);
        let state = state(&story);
        let words = state.milestones[6..].iter();
        let words: Vec<bool> = words
            .map(|m| m.slot.event == EventName::Available)
            .collect();
        (words, state.pickup.available)
    };
    let pier = "pier";
    assert_eq!(told(&[yes(pier, 1), unclear(pier, 2)]), (vec![true], None));
    assert_eq!(told(&[no(pier, 1), unclear(pier, 2)]), (vec![], None));
    assert_eq!(told(&[unclear(pier, 2)]), (vec![], None));
    // Of one moment nobody knows which was said last.
    assert_eq!(told(&[unclear(pier, 1), yes(pier, 1)]).1, None);
    let again = [yes(pier, 1), unclear(pier, 2), yes(pier, 3)];
    assert_eq!(told(&again), (vec![true, true], Some(true)));
    let refused = [yes(pier, 1), no(pier, 2), unclear(pier, 3), no(pier, 4)];
    assert_eq!(told(&refused), (vec![true, false], Some(false)));
    // What another one says stands, and is not said anew.
    let others = [yes(pier, 1), unclear("sheet", 2)];
    assert_eq!(told(&others), (vec![true], Some(true)));
    let both = [yes(pier, 1), yes("sheet", 2), unclear(pier, 3)];
    assert_eq!(told(&both), (vec![true], Some(true)));
    let differs = [
        no("sheet", 1),
        yes(pier, 2),
        unclear(pier, 3),
        no("sheet", 4),
    ];
    assert_eq!(told(&differs), (vec![true, false], Some(false)));
    // A portal speaks of each terminal by itself.
    let of = |told: Told, code: &str| told.terminal(code);
    let portal = [of(yes("portal", 1), "APM"), of(unclear("portal", 2), "TRP")];
    assert_eq!(told(&portal), (vec![true], Some(true)));
}

#[test]
fn a_hold_of_its_own_is_taken_away_by_no_list() {
    let customs = |text: &str| Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: Some(text.into()),
    };
    let own = |verb, hour| {
        terminal(verb, at(21, hour)).worth(Value::HoldOfItsOwn(customs("Customs: HOLD")))
    };
    let list = |holds: &[&str], hour| {
        let holds = holds.iter().map(|text| customs(text)).collect();
        terminal(Verb::HoldSet, at(21, hour)).worth(Value::Holds(holds))
    };
    let single =
        |verb, hour| terminal(verb, at(21, hour)).worth(Value::Hold(customs("CUSTOMS EXAM")));
    let standing = |told: &[Told]| -> Vec<String> {
        let mut story = direct()[..8].to_vec();
        story.extend_from_slice(told);
        let holds = state(&story).pickup.holds.into_iter();
        holds.filter_map(|hold| hold.description).collect()
    };
    let (set, clear) = (Verb::HoldSet, Verb::HoldClear);
    let column = ["Customs: HOLD".to_owned()];
    assert_eq!(standing(&[own(set, 1), list(&[], 2)]), column);
    assert_eq!(
        standing(&[list(&["CUSTOMS EXAM"], 1), own(set, 1), list(&[], 2)]),
        column
    );
    assert_eq!(
        standing(&[own(set, 1), single(set, 2), list(&[], 3)]),
        column
    );
    assert!(standing(&[own(set, 1), own(clear, 2)]).is_empty());
    assert!(standing(&[own(set, 1), single(clear, 2)]).is_empty());
    assert!(standing(&[list(&["CUSTOMS EXAM"], 1), list(&[], 2)]).is_empty());
}

#[test]
fn a_terminals_first_no_is_its_answer_and_no_event() {
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::NotAvailable, at(21, 2)));
    let told = |story: &[Told]| {
        let state = state(story);
        let mut words = state.milestones.iter();
        let told = words.any(|m| m.slot.event == EventName::NotAvailable);
        (state.pickup.available, state.status, told)
    };
    let refused = (Some(false), CurrentStatus::NotAvailable);
    assert_eq!(told(&story), (refused.0, refused.1, false));
    // A yes of before that comes late makes it a change.
    story.push(terminal(Verb::Available, at(21, 1)));
    assert_eq!(told(&story), (refused.0, refused.1, true));
}

#[test]
fn after_collection_availability_stays_as_it_was() {
    let mut story = direct()[..9].to_vec();
    story.push(terminal(Verb::Available, at(21, 0)));
    story.push(terminal(Verb::NotAvailable, at(24, 0)));
    assert_eq!(state(&story).pickup.available, Some(true));
}

#[test]
fn the_last_appointment_and_the_last_place_in_the_yard_stand() {
    let mut story = direct()[..8].to_vec();
    let appointment =
        |on| terminal(Verb::Appointment, day(on)).worth(Value::Appointment(day(on + 2)));
    story.extend([appointment(22), appointment(21)]);
    story.push(terminal(Verb::Document, day(21)).worth(Value::YardLocation("A12".into())));
    let pickup = state(&story).pickup;
    assert_eq!(pickup.appointment, Some(day(24)));
    assert_eq!(pickup.yard_location.as_deref(), Some("A12"));
    assert_eq!(pickup.terminal_checked_at, Some(at(22, 1)));
}

#[test]
fn an_appointment_that_is_cancelled_is_none_any_more() {
    let said = |source: &str, on, slot: Option<i64>| {
        act(Verb::Appointment, "USLAX", day(on))
            .from(source, SourceKind::TerminalApi)
            .worth(slot.map_or(Value::NoAppointment, |on| Value::Appointment(day(on))))
    };
    let booked = |more: &[Told]| {
        let mut story = direct()[..8].to_vec();
        story.extend_from_slice(more);
        state(&story).pickup.appointment
    };
    let (first, none) = (said("terminal", 21, Some(24)), said("terminal", 22, None));
    assert_eq!(booked(&[none.clone(), first.clone()]), None);
    let again = said("terminal", 23, Some(26));
    assert_eq!(booked(&[again, first.clone(), none]), Some(day(26)));
    // A list that has no appointments takes back nothing that others know.
    let others = said("list", 22, None);
    assert_eq!(booked(&[others.clone(), first]), Some(day(24)));
    assert_eq!(booked(&[others]), None);
    // Nor does one terminal of a portal what it says of the next.
    let of = |slot, code: &str| said("portal", 21, slot).terminal(code);
    assert_eq!(
        booked(&[of(Some(24), "APM"), of(None, "TRP")]),
        Some(day(24))
    );
}

/// A sheet with dates alone must not send a driver at midnight.
#[test]
fn a_bare_date_does_not_take_back_the_hour_of_that_day() {
    let said = |source: &str, on, slot: Option<jiff::Timestamp>| {
        act(Verb::Appointment, "USLAX", day(on))
            .from(source, SourceKind::TerminalApi)
            .worth(slot.map_or(Value::NoAppointment, Value::Appointment))
    };
    let booked = |more: &[Told]| {
        let mut story = direct()[..8].to_vec();
        story.extend_from_slice(more);
        state(&story).pickup.appointment
    };
    // Midnight in Los Angeles.
    let bare = |on| at(on, 7);
    let hour = said("pier", 21, Some(at(24, 18)));
    let dated = |on| said("sheet", 22, Some(bare(on)));
    assert_eq!(booked(&[hour.clone(), dated(24)]), Some(at(24, 18)));
    assert_eq!(booked(&[hour.clone(), dated(25)]), Some(bare(25)));
    assert_eq!(booked(&[dated(24)]), Some(bare(24)));
    let own = said("pier", 22, Some(bare(24)));
    assert_eq!(
        booked(&[hour.clone(), own]),
        Some(bare(24)),
        "a slot at night"
    );
    // Another day that a third one named meanwhile takes nothing from the pier's word.
    let third = said("line", 22, Some(bare(20)));
    let sheet = said("sheet", 23, Some(bare(24)));
    assert_eq!(booked(&[hour.clone(), third, sheet]), Some(at(24, 18)));
    // It was cancelled in between, by who had said it.
    let cancelled = [
        hour,
        said("pier", 22, None),
        said("pier", 23, Some(bare(24))),
    ];
    assert_eq!(booked(&cancelled), Some(bare(24)));
}

#[test]
fn a_seal_that_was_removed_is_not_on_the_box() {
    let seals = |original: &str| {
        let sealed = |verb, on, word: &str| {
            act(verb, "CNSHA", day(on)).with(|r| {
                r.equipment.as_mut().unwrap().seals = vec!["SHI1".into()];
                r.original = word.into();
            })
        };
        let story = [
            sealed(Verb::Load, 4, "EQUIPMENT/LOAD"),
            sealed(Verb::SealChange, 5, original),
        ];
        state(&story).seals
    };
    for removed in [
        "EQUIPMENT/RMVD",
        "EQUIPMENT/REMOVED",
        "EQUIPMENT/SEAL_REMOVED",
    ] {
        assert!(seals(removed).is_empty(), "{removed}");
    }
    assert_eq!(seals("EQUIPMENT/RESEALED"), ["SHI1"]);
}

#[test]
fn seals_are_a_union_and_masses_must_be_possible() {
    let sealed = |told: Told, seals: &[&str], kg: i64| {
        let seals: Vec<String> = seals.iter().map(|s| (*s).to_owned()).collect();
        told.with(|r| {
            let equipment = r.equipment.as_mut().unwrap();
            equipment.seals = seals;
            equipment.gross_kg = Some(Decimal::from(kg));
        })
    };
    let load = || act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden();
    let story = [
        sealed(load(), &["CAR1", "SHI1"], 24_000),
        sealed(
            act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
            &["SHI1"],
            400_000,
        ),
        sealed(terminal(Verb::GateIn, day(21)), &[], 24_650),
    ];
    let state = state(&story);
    assert_eq!(state.seals, ["CAR1", "SHI1"]);
    assert_eq!(state.gross_kg, Some(Decimal::from(24_650)));
    assert!(
        state
            .milestones
            .iter()
            .all(|m| m.precision == Precision::Minute)
    );
}

fn hold(name: HoldName) -> Hold {
    Hold {
        name,
        status: HoldStatus::Hold,
        description: None,
    }
}

fn holds_are(names: &[HoldName], when: jiff::Timestamp) -> Told {
    let all = names.iter().map(|name| hold(*name)).collect();
    terminal(Verb::HoldSet, when).worth(Value::Holds(all))
}

fn held(story: &[Told]) -> Vec<HoldName> {
    let holds = state(story).pickup.holds;
    holds.into_iter().map(|hold| hold.name).collect()
}

#[test]
fn a_complete_list_of_holds_clears_what_it_does_not_name_and_only_of_its_source() {
    use HoldName::{Customs, Freight, Usda, Vacis};
    let mut story = direct()[..8].to_vec();
    let ramp = terminal(Verb::HoldSet, at(21, 0))
        .from("ramp", SourceKind::RailApi)
        .worth(Value::Hold(hold(Usda)));
    story.push(ramp);
    story.push(holds_are(&[Customs, Freight], at(21, 1)));
    assert_eq!(held(&story), [Freight, Customs, Usda]);
    story.push(holds_are(&[Customs], at(21, 2)));
    assert_eq!(held(&story), [Customs, Usda]);
    let one_more = terminal(Verb::HoldSet, at(21, 3)).worth(Value::Hold(hold(Vacis)));
    story.push(one_more);
    assert_eq!(held(&story), [Customs, Usda, Vacis], "one hold is no list");
    let silent = terminal(Verb::Available, at(21, 4));
    story.push(silent);
    assert_eq!(held(&story).len(), 3, "silence is no list either");
    story.push(holds_are(&[], at(21, 5)));
    assert_eq!(held(&story), [Usda]);
    story.reverse();
    assert_eq!(held(&story), [Usda], "in whatever order they come");
    story.push(holds_are(&[Customs], at(20, 23)));
    assert_eq!(held(&story), [Usda], "and late ones change nothing");
}

#[test]
fn a_lines_release_of_freight_counts_until_the_terminals_next_list() {
    use HoldName::{Customs, Freight};
    let mut story = direct()[..8].to_vec();
    story.push(holds_are(&[Freight, Customs], at(21, 1)));
    let release = act(Verb::HoldClear, "USLAX", at(21, 2)).worth(Value::Hold(hold(Freight)));
    story.push(release);
    assert_eq!(held(&story), [Customs]);
    story.push(holds_are(&[Freight, Customs], at(21, 3)));
    assert_eq!(held(&story), [Freight, Customs], "the fresher word decides");
}

/// Found by a reviewer: a release of a fortnight before, sent late, took the hold that the terminal had set since.
#[test]
fn a_lines_release_of_before_the_terminals_word_is_no_newer_for_being_sent_late() {
    use HoldName::Freight;
    let mut story = direct()[..8].to_vec();
    story.push(holds_are(&[Freight], at(21, 10)));
    let release = act(Verb::HoldClear, "USLAX", at(8, 8)).worth(Value::Hold(hold(Freight)));
    story.push(release.clone().issued(at(22, 10)));
    assert_eq!(held(&story), [Freight]);
    story.push(release.issued(at(8, 9)));
    assert_eq!(held(&story), [Freight], "nor for being sent twice");
    let of_the_day = act(Verb::HoldClear, "USLAX", at(21, 12)).worth(Value::Hold(hold(Freight)));
    story.push(of_the_day.dated().issued(at(21, 15)));
    assert_eq!(held(&story), [], "a date and the time of its message");
}

/// Found by a reviewer: the line released the freight, and held it again.
#[test]
fn a_line_that_holds_the_freight_again_has_taken_its_release_back() {
    use HoldName::Freight;
    let mut story = direct()[..8].to_vec();
    story.push(holds_are(&[Freight], at(21, 1)));
    let says = |verb, hour| act(verb, "USLAX", at(21, hour)).worth(Value::Hold(hold(Freight)));
    story.push(says(Verb::HoldClear, 2));
    assert_eq!(held(&story), []);
    story.push(says(Verb::HoldSet, 3));
    assert_eq!(held(&story), [Freight]);
    story.push(says(Verb::HoldClear, 4));
    assert_eq!(held(&story), [], "and released again");
}

/// A hold as a message of the line tells it: one each, with its code.
fn coded(verb: Verb, code: &str, name: HoldName, text: Option<&str>, hour: i64) -> Told {
    let hold = Hold {
        name,
        status: if code == "K" {
            HoldStatus::Pending
        } else {
            HoldStatus::Hold
        },
        description: text.map(str::to_owned),
    };
    act(verb, "USLAX", at(21, hour))
        .from("hub", SourceKind::X12_315)
        .worth(Value::Hold(hold))
        .with(|report| report.original = format!("315/{code}"))
}

/// Found by a reviewer: both are `other`, one took the place of the other, and the release of one took all.
#[test]
fn holds_of_one_name_with_codes_of_their_own_stand_and_go_one_by_one() {
    use HoldName::{Customs, Other};
    let (set, clear) = (Verb::HoldSet, Verb::HoldClear);
    let told = |story: &[Told]| -> Vec<String> {
        let held = |story: &[Told]| -> Vec<String> {
            let holds = state(story).pickup.holds;
            let texts = holds.into_iter().map(|hold| hold.description);
            texts.map(Option::unwrap_or_default).collect()
        };
        let mut back = story.to_vec();
        back.reverse();
        assert_eq!(held(story), held(&back), "in another order");
        held(story)
    };
    let mut story = direct()[..8].to_vec();
    story.push(coded(set, "PU", Other, Some("other agency: FDA HOLD"), 1));
    story.push(coded(set, "TC", Other, Some("terminal charges"), 2));
    assert_eq!(told(&story), ["other agency: FDA HOLD", "terminal charges"]);
    let again = coded(set, "PU", Other, Some("other agency: FDA EXAM"), 3);
    story.push(again);
    assert_eq!(told(&story), ["other agency: FDA EXAM", "terminal charges"]);
    let charges = Some("TERMINAL CHARGES RELEASED");
    story.push(coded(clear, "HR", Other, charges, 4));
    assert_eq!(told(&story), ["other agency: FDA EXAM"]);
    let mut all = story.clone();
    all.push(coded(clear, "HR", Other, Some("ALL CLEAR"), 5));
    assert_eq!(told(&all), [""; 0], "a text that names none of them");
    story.push(coded(clear, "78", Other, Some("FDA EXAM RELEASED"), 5));
    assert_eq!(told(&story), [""; 0]);
    let mut customs = direct()[..8].to_vec();
    customs.push(coded(set, "PA", Customs, Some("DOC CHECK"), 1));
    customs.push(coded(set, "PB", Customs, Some("TAIL GATE"), 2));
    customs.push(coded(clear, "CT", Customs, None, 3));
    assert_eq!(told(&customs), [""; 0], "its code takes the whole name");
}

/// Found by a reviewer: the text was read only among holds of the name that it was taken for.
#[test]
fn a_release_that_only_its_text_tells_takes_what_it_names_whatever_that_is_called() {
    use HoldName::{Customs, Other};
    let release = |name, text: &str| {
        let told = coded(Verb::HoldClear, "HR", Other, None, 9);
        told.worth(Value::Release(name, text.into()))
    };
    let told = |release: Told| -> Vec<(HoldName, String)> {
        let mut story = direct()[..8].to_vec();
        for (code, name, text, hour) in [
            ("PU", Other, "other agency: FDA EXAM", 1),
            ("PA", Customs, "CUSTOMS", 2),
            ("PB", Customs, "CUSTOMS TAIL GATE", 3),
        ] {
            story.push(coded(Verb::HoldSet, code, name, Some(text), hour));
        }
        story.push(release);
        let holds = state(&story).pickup.holds.into_iter();
        let held = holds.map(|hold| (hold.name, hold.description.unwrap_or_default()));
        held.collect()
    };
    let fda = || (Other, "other agency: FDA EXAM".to_owned());
    let customs = || (Customs, "CUSTOMS".to_owned());
    let gate = || (Customs, "CUSTOMS TAIL GATE".to_owned());
    let cases = [
        // Taken for customs, and it names what is called otherwise.
        (Some(Customs), "FDA EXAM RELEASED", vec![customs(), gate()]),
        (
            Some(Customs),
            "CUSTOMS TAIL GATE RELEASED",
            vec![customs(), fda()],
        ),
        // The kind alone picks none.
        (Some(Customs), "CUSTOMS RELEASED", vec![fda()]),
        (Some(HoldName::Usda), "USDA", vec![customs(), gate(), fda()]),
        (None, "ALL CLEAR", vec![]),
    ];
    for (name, text, left) in cases {
        assert_eq!(told(release(name, text)), left, "{text}");
    }
}

/// Found by a reviewer: the pending arrival at customs freed a box that an examination held.
#[test]
fn what_is_pending_takes_no_hold_away() {
    let mut story = direct()[..8].to_vec();
    story.push(coded(Verb::HoldSet, "PA", HoldName::Customs, None, 9));
    story.push(coded(Verb::HoldSet, "K", HoldName::Customs, None, 10));
    story.push(act(Verb::Available, "USLAX", at(21, 11)).from("hub", SourceKind::X12_315));
    let held = state(&story);
    let stand: Vec<HoldStatus> = held.pickup.holds.iter().map(|hold| hold.status).collect();
    assert_eq!(stand, [HoldStatus::Hold, HoldStatus::Pending]);
    assert_eq!(held.status, CurrentStatus::NotAvailable);
    story.push(coded(Verb::HoldClear, "CT", HoldName::Customs, None, 12));
    assert_eq!(state(&story).status, CurrentStatus::Available);
}

#[test]
fn what_is_planned_with_a_hold_changes_nothing() {
    let mut story = direct()[..8].to_vec();
    let customs =
        |verb, hour| terminal(verb, at(21, hour)).worth(Value::Hold(hold(HoldName::Customs)));
    let planned = |told: Told| told.with(|report| report.classifier = Classifier::Planned);
    story.push(planned(customs(Verb::HoldSet, 1)));
    assert_eq!(held(&story), []);
    story.push(customs(Verb::HoldSet, 2));
    story.push(planned(customs(Verb::HoldClear, 3)));
    assert_eq!(held(&story), [HoldName::Customs]);
    story.push(customs(Verb::HoldClear, 4));
    assert_eq!(held(&story), []);
}

#[test]
fn a_complete_list_of_fees_clears_what_it_does_not_name() {
    let fee = |kind, amount: Option<i64>| Fee {
        kind,
        amount: amount.map(Decimal::from),
        currency: "USD".into(),
    };
    let owed = |told: &[Told]| -> Vec<(FeeKind, Option<Decimal>)> {
        let fees = state(told).pickup.fees;
        fees.into_iter().map(|fee| (fee.kind, fee.amount)).collect()
    };
    let all = |fees: Vec<Fee>, when| terminal(Verb::Fee, when).worth(Value::Fees(fees));
    let (demurrage, exam) = (FeeKind::Demurrage, FeeKind::Exam);
    let mut story = direct()[..8].to_vec();
    let both = vec![fee(demurrage, Some(120)), fee(exam, None)];
    story.push(all(both, at(21, 1)));
    assert_eq!(
        owed(&story),
        [(demurrage, Some(Decimal::from(120))), (exam, None)],
        "one that is not posted is owed"
    );
    story.push(all(vec![fee(demurrage, Some(240))], at(21, 2)));
    assert_eq!(owed(&story), [(demurrage, Some(Decimal::from(240)))]);
    story.push(all(vec![fee(demurrage, Some(0))], at(21, 3)));
    assert_eq!(owed(&story), [], "paid");
    story.push(terminal(Verb::Fee, at(21, 4)).worth(Value::Fee(fee(exam, Some(80)))));
    story.push(all(Vec::new(), at(21, 5)));
    assert_eq!(owed(&story), []);
}

/// Reports that were filed before the fees of a list had a number each say the same under the name of their kind.
#[test]
fn fees_of_one_kind_and_record_stand_together_and_are_told_once() {
    let (exam, other) = (FeeKind::Exam, FeeKind::Other);
    let owed = |told: &[(&str, &str, FeeKind, i64, i64)]| -> Vec<(FeeKind, Option<Decimal>)> {
        let mut story = direct()[..8].to_vec();
        story.extend(told.iter().map(|(source, id, kind, amount, hour)| {
            let fee = Fee {
                kind: *kind,
                amount: Some(Decimal::from(*amount)),
                currency: "USD".into(),
            };
            let told = terminal(Verb::Fee, at(21, *hour)).from(source, SourceKind::TerminalApi);
            told.id(id).worth(Value::Fee(fee))
        }));
        let fees = state(&story).pickup.fees.into_iter();
        fees.map(|fee| (fee.kind, fee.amount)).collect()
    };
    let of = |kind, amount: i64| (kind, Some(Decimal::from(amount)));
    let both = [
        ("pier", "fee/0", other, 20, 1),
        ("pier", "fee/1", other, 310, 1),
    ];
    assert_eq!(owed(&both), [of(other, 20), of(other, 310)]);
    let filed_before = [
        ("pier", "fee/Other", other, 20, 1),
        ("pier", "fee/Other", other, 310, 1),
    ];
    assert_eq!(
        owed(&[&both[..], &filed_before[..]].concat()),
        [of(other, 20), of(other, 310)]
    );
    let equal = [
        ("pier", "fee/0", exam, 80, 1),
        ("pier", "fee/1", exam, 80, 1),
    ];
    assert_eq!(owed(&equal), [of(exam, 80), of(exam, 80)]);
    let elsewhere = [equal[0], ("pier", "fee/exam", exam, 80, 1)];
    assert_eq!(owed(&elsewhere), [of(exam, 80)], "in a column of its own");
    let read_once_more = [("pier", "fee/Exam", exam, 80, 1), equal[0], equal[1]];
    assert_eq!(owed(&read_once_more), [of(exam, 80), of(exam, 80)]);
    for (paid, left) in [("fee/0", "fee/1"), ("fee/1", "fee/0")] {
        let told = [("pier", paid, exam, 0, 1), ("pier", left, exam, 450, 1)];
        assert_eq!(owed(&told), [of(exam, 450)], "{paid} is paid");
    }
    let later = [&both[..], &[("pier", "fee/0", other, 0, 2)]].concat();
    assert_eq!(owed(&later), [], "a later row speaks of the kind");
    let two = [
        ("pier", "fee/0", exam, 80, 1),
        ("yard", "fee/1", exam, 90, 1),
    ];
    assert_eq!(owed(&two).len(), 1, "one kind of two sources");
}

#[test]
fn what_a_terminal_said_stands_when_it_falls_silent_and_is_marked() {
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Available, at(21, 1)));
    let fresh = state_at(&story, at(22, 0));
    assert_eq!(fresh.flags, []);
    let due = timeline::due(number(), &reports(&story), at(22, 0));
    assert_eq!(due, Some(at(22, 1)), "and the moment is known beforehand");
    let stale = state_at(&story, at(22, 1));
    assert_eq!(stale.flags, [QualityFlag::TerminalStale]);
    assert_eq!(stale.pickup.available, Some(true));
    assert_eq!(stale.status, CurrentStatus::Available);
    let again = terminal(Verb::Available, at(22, 2));
    story.push(again.issued(at(22, 2)));
    assert_eq!(state_at(&story, at(22, 3)).flags, []);
    story.push(direct()[8].clone());
    let out = state_at(&story, at(23, 9) + SignedDuration::from_hours(48));
    assert_eq!(out.flags, [], "a box that has left waits for nobody");
}

/// Found by the figure: collected "on that day", and what was said free that morning was said before.
#[test]
fn a_collection_told_as_a_date_ends_with_its_day() {
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Available, at(23, 9)));
    story.push(
        act(Verb::GateOut, "USLAX", at(23, 15))
            .by(domain::report::Mode::Truck)
            .laden()
            .dated(),
    );
    assert_eq!(state(&story).pickup.available, Some(true));
    assert!(state(&story).milestone(EventName::Available).is_some());
}

#[test]
fn the_silence_of_the_terminal_where_the_box_stands_is_told_in_time() {
    let mut story = direct()[..7].to_vec();
    story.push(
        act(Verb::Discharge, "USLAX", at(20, 15))
            .aboard(FIRST)
            .laden()
            .terminal("APM"),
    );
    let word = |verb, when, source: &str, code: &str| {
        act(verb, "USLAX", when)
            .terminal(code)
            .from(source, SourceKind::TerminalApi)
    };
    story.push(word(Verb::Available, at(21, 8), "apm", "APM"));
    story.push(word(Verb::NotAvailable, at(22, 7), "trp", "TRP"));
    let due = timeline::due(number(), &reports(&story), at(22, 7)).unwrap();
    assert!(due <= at(22, 9), "{due}");
    let stale = |now| {
        state_at(&story, now)
            .flags
            .contains(&QualityFlag::TerminalStale)
    };
    assert!(!stale(at(22, 7)) && stale(at(22, 9)));
}

/// A terminal that tells only the day, as midnight.
#[test]
fn of_two_lists_of_one_time_the_one_received_later_counts() {
    let word = |verb, hour| terminal(verb, at(21, 0)).received(at(21, hour));
    let told = |free_at, refused_at| {
        let words = [
            word(Verb::Available, free_at),
            word(Verb::NotAvailable, refused_at),
        ];
        let mut told = [words.clone().to_vec(), words.into_iter().rev().collect()].map(|words| {
            let mut story = direct()[..8].to_vec();
            story.extend(words);
            state(&story).pickup.available
        });
        told.sort_unstable();
        told
    };
    assert_eq!(told(9, 17), [Some(false); 2]);
    assert_eq!(told(17, 9), [Some(true); 2]);
}

/// The release comes in a second list of the same time; or further up in a second message of the same minute.
#[test]
fn a_hold_that_a_later_list_of_the_same_time_releases_is_gone() {
    let customs = || {
        Value::Hold(Hold {
            name: HoldName::Customs,
            status: HoldStatus::Hold,
            description: None,
        })
    };
    let word = |verb, hour, position| {
        terminal(verb, at(21, 0))
            .worth(customs())
            .received(at(21, hour))
            .with(|r| r.position = position)
    };
    let held = |set, clear| {
        let mut story = direct()[..8].to_vec();
        story.extend([set, clear]);
        state(&story).pickup.holds.len()
    };
    for (first, second) in [(None, None), (Some(14), Some(9)), (Some(9), Some(14))] {
        let set = |hour, position| word(Verb::HoldSet, hour, position);
        let clear = |hour, position| word(Verb::HoldClear, hour, position);
        assert_eq!(held(set(9, first), clear(17, second)), 0, "{first:?}");
        assert_eq!(held(set(17, second), clear(9, first)), 1, "{first:?}");
    }
}

/// A hub sends a hold once more that it released in the message in which it was told first.
#[test]
fn a_hold_that_is_sent_once_more_was_said_when_it_was_said_first() {
    let word = |verb, position, received| {
        terminal(verb, at(21, 0))
            .worth(Value::Hold(Hold {
                name: HoldName::Customs,
                status: HoldStatus::Hold,
                description: None,
            }))
            .received(received)
            .with(|r| r.position = Some(position))
    };
    let mut story = direct()[..8].to_vec();
    story.push(word(Verb::HoldSet, 1, at(21, 9)));
    story.push(word(Verb::HoldClear, 2, at(21, 9)));
    assert!(state(&story).pickup.holds.is_empty());
    story.push(word(Verb::HoldSet, 1, at(22, 9)));
    assert!(state(&story).pickup.holds.is_empty());
}

/// What lists are filtered by is what the box is shown with.
#[test]
fn a_box_is_held_by_what_is_in_force_and_owes_what_is_not_paid() {
    use FeeKind::{Demurrage, Exam, Total};
    use HoldName::{Customs, Freight, Tmf};
    use HoldStatus::{Hold as InForce, Pending};
    type Case = (
        &'static [(HoldName, HoldStatus)],
        &'static [(FeeKind, Option<i64>)],
        (bool, &'static [HoldName], &'static [FeeKind]),
    );
    let hold = |(name, status): &(HoldName, HoldStatus)| Hold {
        name: *name,
        status: *status,
        description: None,
    };
    let fee = |(kind, cents): &(FeeKind, Option<i64>)| Fee {
        kind: *kind,
        amount: cents.map(|cents| Decimal::new(cents, 2)),
        currency: "USD".into(),
    };
    let cases: [Case; 7] = [
        // Nobody told, or all that was told is gone.
        (&[], &[], (false, &[], &[])),
        (&[(Customs, InForce)], &[], (true, &[Customs], &[])),
        // It is shown, and does not block the box yet.
        (&[(Customs, Pending)], &[], (true, &[], &[])),
        (
            &[(Freight, InForce), (Customs, Pending), (Tmf, InForce)],
            &[(Exam, Some(0))],
            (true, &[Freight, Tmf], &[]),
        ),
        (&[], &[(Demurrage, Some(0))], (false, &[], &[])),
        // How much is not known yet.
        (&[], &[(Demurrage, None)], (false, &[], &[Demurrage])),
        (
            &[],
            &[(Demurrage, Some(0)), (Exam, Some(1)), (Total, Some(1))],
            (false, &[], &[Exam, Total]),
        ),
    ];
    for (holds, fees, expected) in cases {
        let pickup = Pickup {
            holds: holds.iter().map(hold).collect(),
            fees: fees.iter().map(fee).collect(),
            ..Pickup::default()
        };
        let (held_by, owed): (Vec<_>, Vec<_>) =
            (pickup.held_by().collect(), pickup.owed().collect());
        let (has_holds, names, kinds) = expected;
        let counted = (pickup.has_holds(), held_by.as_slice(), owed.as_slice());
        assert_eq!(counted, (has_holds, names, kinds), "{holds:?} {fees:?}");
    }
}

#[test]
fn names_of_holds_are_read_in_capital_and_small_letters() {
    for name in HoldName::ALL {
        let spelt = name.as_str();
        for text in [spelt.to_owned(), spelt.to_uppercase(), spelt.to_lowercase()] {
            assert_eq!(HoldName::parse(&text), Some(name), "{text}");
        }
    }
    for none in ["", "hold", "custom", "customs "] {
        assert_eq!(HoldName::parse(none), None, "{none}");
    }
}
