//! Terminals that speak of a box that does not stand with them.

use domain::container::{
    ContainerState, CurrentStatus, Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner,
    Pickup, QualityFlag,
};
use domain::report::{FacilityType, Mode, MoveHint, Place, Precision, SourceKind, Value, Verb};
use domain::timeline::repeated;
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;

use crate::telling::*;

/// All that a terminal says of a box that may not leave.
fn row(source: &str, port: &str, facility: Option<&str>, when: Timestamp) -> [Told; 6] {
    let says = |verb| {
        let told = act(verb, port, when).from(source, SourceKind::TerminalApi);
        match facility {
            Some(code) => told.terminal(code),
            None => told,
        }
    };
    let hold = Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    };
    let fee = Fee {
        kind: FeeKind::Demurrage,
        amount: Some(Decimal::from(150)),
        currency: "USD".into(),
    };
    let day = LastFreeDay {
        date: "2026-03-28".parse().unwrap(),
        zone: Some("America/Los_Angeles".into()),
    };
    [
        says(Verb::NotAvailable),
        says(Verb::HoldSet).worth(Value::Hold(hold)),
        says(Verb::Fee).worth(Value::Fee(fee)),
        says(Verb::LastFreeDay).worth(Value::LastFreeDay(LfdOwner::Terminal, day)),
        says(Verb::Document).worth(Value::YardLocation("B7".into())),
        says(Verb::Appointment).worth(Value::Appointment(at(25, 0))),
    ]
}

/// What the terminal of the port says that knows where the box stands, and no more.
fn apm(when: Timestamp) -> Told {
    let told = act(Verb::Document, "USLAX", when).from("apm", SourceKind::TerminalApi);
    told.terminal("APM").worth(Value::YardLocation("A1".into()))
}

/// All that the terminal says at which it was discharged.
fn own(when: Timestamp) -> [Told; 6] {
    row("apm", "USLAX", Some("APM"), when)
}

/// The same terminal lets it go.
fn frees(row: [Told; 6]) -> Told {
    let [word, ..] = row;
    word.with(|r| r.verb = Verb::Available)
}

fn gate(verb: Verb, when: Timestamp, yard: &str) -> Told {
    let told = act(verb, "USLAX", when).by(Mode::Truck);
    told.laden().terminal(yard)
}

/// From the yard where it was discharged to the one next door.
fn drive() -> [Told; 2] {
    [
        gate(Verb::GateOut, at(21, 9), "APM"),
        gate(Verb::GateIn, at(21, 11), "TRP"),
    ]
}

/// The same word, said then.
fn said_then(word: &Told, when: Timestamp) -> Told {
    let said = word.clone().with(|r| {
        r.reported_at = Some(when);
        r.received_at = when + SignedDuration::from_hours(1);
    });
    said.with(|r| r.occurred = Some(occurred(when, Precision::Minute)))
}

fn free_day(word: &Told) -> LastFreeDay {
    match &word.0.value {
        Some(Value::LastFreeDay(_, day)) => day.clone(),
        other => panic!("{other:?}"),
    }
}

/// The state, which no order of arrival changes.
fn settled(story: &[Told]) -> ContainerState {
    let found = state(story);
    let mut turned = story.to_vec();
    for _ in story {
        turned.rotate_left(1);
        assert_eq!(state(&turned), found);
    }
    turned.reverse();
    assert_eq!(state(&turned), found);
    found
}

fn trapac(when: Timestamp) -> [Told; 6] {
    row("trapac", "USLAX", Some("TRP"), when)
}

fn oakland(when: Timestamp) -> [Told; 6] {
    row("oak", "USOAK", Some("OICT"), when)
}

/// What is told of: availability, holds, fees, last free day, place in the yard, appointment.
fn heard(pickup: &Pickup) -> [bool; 6] {
    [
        pickup.available.is_some(),
        !pickup.holds.is_empty(),
        !pickup.fees.is_empty(),
        pickup.lfd_terminal.is_some(),
        pickup.yard_location.as_deref() == Some("B7"),
        pickup.appointment.is_some(),
    ]
}

fn is_heard(story: &[Told]) -> bool {
    let heard = heard(&state(story).pickup);
    assert!(heard.iter().all(|one| *one == heard[0]), "{heard:?}");
    heard[0]
}

/// Discharged at Los Angeles, at this terminal.
fn landed_at(facility: Option<&str>) -> Vec<Told> {
    let told = direct()[..8].to_vec().into_iter();
    told.map(|told| match facility {
        Some(code) if told.0.verb == Verb::Discharge => told.terminal(code),
        _ => told,
    })
    .collect()
}

#[test]
fn a_terminal_of_the_port_speaks_of_its_own_yard_alone() {
    for (discharged_at, counts) in [
        (Some("APM"), false),
        (Some("TRP"), true),
        (None, true),
        (Some("WHO"), true),
    ] {
        let mut story = landed_at(discharged_at);
        story.push(apm(at(20, 20)));
        story.extend(trapac(at(21, 0)));
        assert_eq!(is_heard(&story), counts, "discharged at {discharged_at:?}");
    }
    let mut silent = landed_at(Some("APM"));
    silent.extend(trapac(at(21, 0)));
    assert!(is_heard(&silent), "the line may have named the wrong berth");
    let mut unknown = landed_at(Some("APM"));
    unknown.extend(row("who", "USLAX", Some("WHO"), at(21, 0)));
    assert!(is_heard(&unknown), "it may be the right one");
    let mut nameless = landed_at(Some("APM"));
    nameless.extend(row("who", "USLAX", None, at(21, 0)));
    assert!(is_heard(&nameless));
}

#[test]
fn the_codes_of_one_terminal_are_one() {
    for discharged_at in ["APM", "W185", "USLAXAPMA", " w185 "] {
        for named in ["APM", "W185", "USLAXAPMA"] {
            let mut story = landed_at(Some(discharged_at));
            story.extend(row("apm", "USLAX", Some(named), at(21, 0)));
            assert!(is_heard(&story), "{discharged_at} {named}");
            let mut other = landed_at(Some(discharged_at));
            other.push(apm(at(20, 20)));
            other.extend(trapac(at(21, 0)));
            assert!(!is_heard(&other), "{discharged_at}");
        }
    }
}

#[test]
fn each_terminal_counts_that_is_named_by_who_tells_of_the_discharge() {
    let mut story = landed_at(Some("APM"));
    story.push(apm(at(20, 20)));
    let lift = act(Verb::Discharge, "USLAX", at(20, 16)).aboard(FIRST);
    story.push(
        lift.laden()
            .from("quay", SourceKind::Coarri)
            .terminal("TRP"),
    );
    story.extend(trapac(at(21, 0)));
    assert!(is_heard(&story));
}

#[test]
fn before_the_discharge_every_terminal_of_the_port_may_speak() {
    let mut story = direct()[..6].to_vec();
    story.push(
        est(Verb::Discharge, "USLAX", at(20, 15))
            .aboard(FIRST)
            .terminal("APM"),
    );
    story.extend(trapac(at(19, 0)));
    let before = state(&story).pickup;
    assert!(!before.holds.is_empty());
    let lift = act(Verb::Discharge, "USLAX", at(20, 15)).aboard(FIRST);
    story.push(lift.laden().terminal("APM"));
    story.push(apm(at(20, 20)));
    assert_eq!(state(&story).pickup.holds, [], "it came ashore next door");
}

#[test]
fn a_box_that_is_driven_to_another_yard_is_that_ones_from_then_on() {
    let mut story = landed_at(Some("APM"));
    story.push(frees(own(at(20, 20))));
    story.extend(trapac(at(20, 21)));
    assert_eq!(state(&story).pickup.available, Some(true));
    story.extend(drive());
    story.extend(own(at(21, 20)));
    let held = state(&story).pickup;
    assert_eq!(held.available, Some(false), "the word of its yard");
    assert!(is_heard(&story));
    // The first terminal still lists it: nothing of that counts.
    let [.., later, _, _] = own(at(22, 9));
    let later = later.worth(Value::LastFreeDay(
        LfdOwner::Terminal,
        LastFreeDay {
            date: "2026-03-22".parse().unwrap(),
            zone: Some("America/Los_Angeles".into()),
        },
    ));
    story.push(later);
    assert_eq!(settled(&story).pickup.lfd_terminal, held.lfd_terminal);
}

/// What is silent clears nothing: a box is driven to be examined because it is held.
#[test]
fn what_the_first_yard_said_stands_until_the_second_one_says_something_of_it() {
    let mut story = landed_at(Some("APM"));
    story.extend(own(at(20, 20)));
    let before = state(&story).pickup;
    story.extend(drive());
    let mut driven = settled(&story);
    driven.pickup.terminal_checked_at = None;
    let weighed = |story: &[Told]| Pickup {
        terminal_checked_at: None,
        ..settled(story).pickup
    };
    assert_eq!(driven.status, CurrentStatus::OffDock);
    assert_eq!(driven.pickup.available, Some(false));
    assert_eq!(driven.pickup.holds, before.holds);
    assert_eq!(driven.pickup.fees, before.fees);
    assert_eq!(driven.pickup.lfd_terminal, before.lfd_terminal);
    assert_eq!(driven.pickup.yard_location, None, "it is not there");
    assert_eq!(driven.pickup.appointment, None);
    assert!(
        driven.flags.contains(&QualityFlag::TerminalStale),
        "nobody confirms it"
    );
    // What the first one says now is of a box that it has no more.
    let gone = |verb, value| {
        let told = act(verb, "USLAX", at(22, 6)).from("apm", SourceKind::TerminalApi);
        told.terminal("APM").worth(value)
    };
    story.push(gone(Verb::HoldSet, Value::Holds(Vec::new())));
    story.push(gone(Verb::Fee, Value::Fees(Vec::new())));
    assert_eq!(weighed(&story), driven.pickup);
    // The second one was told of the box before the ship came, and of no hold.
    let early = |verb, value| {
        let told = act(verb, "USLAX", at(18, 6)).from("trapac", SourceKind::TerminalApi);
        told.terminal("TRP").worth(value)
    };
    story.push(early(Verb::HoldSet, Value::Holds(Vec::new())));
    assert_eq!(weighed(&story), driven.pickup);
    let [_, _, fee, day, ..] = trapac(at(22, 9));
    let paid = fee.worth(Value::Fees(Vec::new()));
    let spoken = settled(&[story.as_slice(), &[paid]].concat()).pickup;
    assert_eq!(spoken.fees, []);
    assert_eq!(spoken.holds, before.holds, "of holds it said nothing");
    let mut next = before.lfd_terminal.clone().unwrap();
    next.date = "2026-02-25".parse().unwrap();
    let of_old = Value::LastFreeDay(LfdOwner::Terminal, next.clone());
    story.push(day.clone().worth(of_old));
    assert_eq!(weighed(&story), driven.pickup, "of the visit before");
    next.date = "2026-03-25".parse().unwrap();
    let day = day.worth(Value::LastFreeDay(LfdOwner::Terminal, next.clone()));
    let spoken = settled(&[story.as_slice(), &[day]].concat()).pickup;
    assert_eq!(spoken.lfd_terminal, Some(next));
    assert_eq!(spoken.fees, before.fees);
    // Whose yard lets it go knows of no hold.
    story.push(frees(trapac(at(23, 9))));
    let free = settled(&story).pickup;
    assert_eq!((free.available, free.holds), (Some(true), Vec::new()));
    assert_eq!(free.lfd_terminal, before.lfd_terminal);
}

/// The line names the berth to which the ship was to go.
#[test]
fn a_terminal_that_only_expected_the_box_does_not_silence_the_one_that_has_it() {
    let [no, hold, _, day, ..] = own(at(18, 0));
    let listed = [
        vec![no.clone(), hold.clone()],
        vec![hold.clone()],
        vec![no.clone(), day.clone()],
    ];
    let goes_on = [vec![], vec![&no], vec![&no, &hold], vec![&no, &day]];
    let mut next = free_day(&day);
    next.date = "2026-03-29".parse().unwrap();
    for (listed, goes_on, since) in listed.iter().flat_map(|listed| {
        let each = goes_on.iter();
        each.flat_map(move |goes_on| [20, 22].map(|since| (listed, goes_on, since)))
    }) {
        let mut story = landed_at(Some("APM"));
        story.extend(listed.clone());
        for word in goes_on {
            story.extend((since..23).map(|on| said_then(word, at(on, 20))));
        }
        let [.., free_until, _, _] = trapac(at(23, 2));
        let free_until = free_until.worth(Value::LastFreeDay(LfdOwner::Terminal, next.clone()));
        story.extend([frees(trapac(at(21, 0))), free_until]);
        let found = settled(&story).pickup;
        assert_eq!(found.available, Some(true), "{goes_on:?} since {since}");
        assert_eq!(found.lfd_terminal, Some(next.clone()));
    }
    // One that knows where the box stands has it.
    let mut story = landed_at(Some("APM"));
    story.extend([apm(at(20, 20)), said_then(&no, at(20, 21))]);
    story.push(frees(trapac(at(21, 0))));
    assert_eq!(settled(&story).pickup.available, Some(false));
}

/// Customs have it driven to a station of their own, and back.
#[test]
fn a_box_that_comes_back_to_its_terminal_from_an_exam_stands_there_again() {
    let exam = |verb, when| {
        let told = act(verb, "USLAX", when).by(Mode::Truck).laden();
        told.facility(FacilityType::OffDock)
    };
    let out = gate(Verb::GateOut, at(21, 9), "APM");
    let back = gate(Verb::GateIn, at(24, 9), "APM");
    let there = exam(Verb::GateIn, at(21, 12));
    let away = exam(Verb::GateOut, at(24, 7));
    for discharged_at in [Some("APM"), None] {
        for trip in [
            vec![out.clone(), there.clone(), away.clone()],
            vec![out.clone(), there.clone()],
            vec![out.clone()],
        ] {
            let mut story = landed_at(discharged_at);
            let [no, ..] = own(at(20, 20));
            story.extend([apm(at(20, 20)), no]);
            story.extend(trip);
            let driven = state(&story).status;
            assert!(matches!(
                driven,
                CurrentStatus::OffDock | CurrentStatus::PickedUp
            ));
            story.push(back.clone());
            assert_eq!(settled(&story).status, CurrentStatus::NotAvailable);
            story.push(frees(own(at(24, 12))));
            let free = settled(&story);
            assert_eq!(free.status, CurrentStatus::Available);
            assert_eq!(free.pickup.available, Some(true));
            story.push(gate(Verb::GateOut, at(26, 9), "APM"));
            assert_eq!(settled(&story).status, CurrentStatus::PickedUp);
        }
    }
    // It was let go and collected: what comes in days later without a word is the next shipper's.
    let mut story = landed_at(Some("APM"));
    story.push(frees(own(at(20, 20))));
    story.extend([out.clone(), back.clone()]);
    let gone = settled(&story);
    assert!(
        matches!(
            gone.status,
            CurrentStatus::OffDock | CurrentStatus::PickedUp
        ),
        "{gone:?}"
    );
    // Weeks later it is another journey's.
    let mut story = landed_at(Some("APM"));
    story.extend([out, gate(Verb::GateIn, at(30, 9), "APM")]);
    assert_eq!(settled(&story).status, CurrentStatus::PickedUp);
}

/// Whether a box of which this was said when it was driven out stands there again when it comes in three days later.
fn is_back(before: &[Told], behind: &[Told]) -> bool {
    let mut story = landed_at(Some("APM"));
    story.extend_from_slice(before);
    story.push(gate(Verb::GateOut, at(21, 9), "APM"));
    assert_eq!(settled(&story).status, CurrentStatus::PickedUp);
    story.push(gate(Verb::GateIn, at(24, 9), "APM"));
    story.extend_from_slice(behind);
    let status = settled(&story).status;
    !matches!(status, CurrentStatus::OffDock | CurrentStatus::PickedUp)
}

/// A list of holds that the terminal calls complete.
fn list(statuses: &[HoldStatus], when: Timestamp) -> Told {
    let [_, hold, ..] = own(when);
    let named = |status: &HoldStatus| Hold {
        name: HoldName::Customs,
        status: *status,
        description: None,
    };
    hold.worth(Value::Holds(statuses.iter().map(named).collect()))
}

/// A hold of customs, or its release, as the line tells it.
fn line_says(verb: Verb, when: Timestamp) -> Told {
    let [_, hold, ..] = own(when);
    let told = act(verb, "USLAX", when).from("hub", SourceKind::X12_315);
    told.worth(hold.0.value.unwrap())
}

/// A row that lists no hold, or a hold that was released, made the drive to an exam of the collection.
#[test]
fn a_collected_box_is_not_back_when_the_next_shipper_brings_it_in() {
    let yes = |hour| frees(own(at(20, hour)));
    let clears = |hour| {
        own(at(20, hour))[1]
            .clone()
            .with(|r| r.verb = Verb::HoldClear)
    };
    let [_, hold, ..] = own(at(20, 18));
    let (set, clear) = (Verb::HoldSet, Verb::HoldClear);
    let (held, released) = (line_says(set, at(20, 18)), line_says(clear, at(20, 22)));
    let in_force = HoldStatus::Hold;
    let stories = [
        ("a row of its sheet", vec![yes(20), list(&[], at(20, 20))]),
        (
            "an announced hold",
            vec![yes(20), list(&[HoldStatus::Pending], at(20, 20))],
        ),
        ("released by the line", vec![held.clone(), released.clone()]),
        (
            "told late of the release",
            vec![held.clone(), released.clone().issued(at(25, 9))],
        ),
        (
            "the hold sent once more",
            vec![
                held.clone(),
                released,
                held.clone().issued(at(20, 23)).received(at(20, 23)),
            ],
        ),
        ("released by the yard", vec![hold.clone(), clears(20)]),
        (
            "listed no more",
            vec![list(&[in_force], at(20, 18)), list(&[], at(20, 20))],
        ),
        ("not listed", vec![held.clone(), list(&[], at(20, 20))]),
        ("let go by the yard", vec![held, yes(20)]),
        ("let go by who held it", vec![hold, yes(20)]),
    ];
    let back = stories.iter().filter(|(_, before)| is_back(before, &[]));
    let back: Vec<&str> = back.map(|(why, _)| *why).collect();
    assert_eq!(back, [""; 0]);
}

/// Sheets list the next goods, too, and tell of each box that nothing holds it and nothing is owed.
#[test]
fn a_sheet_without_holds_and_fees_brings_no_collected_box_back() {
    let yes = frees(own(at(20, 20)));
    let [_, _, fee, ..] = own(at(24, 12));
    let paid = Fee {
        kind: FeeKind::Demurrage,
        amount: Some(Decimal::ZERO),
        currency: "USD".into(),
    };
    for value in [
        Value::Fees(vec![]),
        Value::Fees(vec![paid.clone()]),
        Value::Fee(paid),
    ] {
        let sheet = [list(&[], at(24, 12)), fee.clone().worth(value)];
        assert!(
            !is_back(std::slice::from_ref(&yes), &sheet),
            "{:?}",
            sheet[1].0.value
        );
    }
    assert!(
        is_back(std::slice::from_ref(&yes), &[fee]),
        "it is owed for goods"
    );
}

#[test]
fn a_box_that_was_held_when_it_was_driven_out_is_back_when_it_comes_in() {
    let yes = |hour| frees(own(at(20, hour)));
    let [no, hold, ..] = own(at(20, 22));
    let (set, clear) = (Verb::HoldSet, Verb::HoldClear);
    let listed = |hour| list(&[HoldStatus::Hold], at(20, hour));
    let stories = [
        ("held by the yard", vec![hold.clone()]),
        ("held by the line", vec![line_says(set, at(20, 18))]),
        ("held after the yes", vec![yes(20), hold.clone()]),
        (
            "held by the line after the yes",
            vec![yes(20), line_says(set, at(20, 22))],
        ),
        (
            "not free any more",
            vec![yes(20), list(&[], at(20, 20)), no.clone()],
        ),
        ("not free, for no hold", vec![no, list(&[], at(20, 22))]),
        ("held in the row of the yes", vec![yes(20), listed(20)]),
        (
            "listed before the yes, and still",
            vec![listed(18), yes(20)],
        ),
        (
            "held again",
            vec![
                line_says(set, at(20, 18)),
                line_says(clear, at(20, 20)),
                line_says(set, at(20, 22)),
            ],
        ),
        (
            "released by the line, which did not hold it",
            vec![hold, line_says(clear, at(20, 23))],
        ),
        (
            "released when it was out",
            vec![line_says(set, at(20, 18)), line_says(clear, at(22, 9))],
        ),
    ];
    let gone = stories.iter().filter(|(_, before)| !is_back(before, &[]));
    let gone: Vec<&str> = gone.map(|(why, _)| *why).collect();
    assert_eq!(gone, [""; 0]);
}

/// A gate that tells only the day is no earlier than one that tells the hour.
#[test]
fn a_box_that_is_driven_to_another_yard_on_a_day_is_not_collected() {
    let [out, into] = drive();
    for (out, into) in [
        (out.clone(), into.clone().dated()),
        (out.clone().dated(), into.clone().dated()),
        (out.dated(), into),
    ] {
        let mut story = landed_at(Some("APM"));
        story.extend(own(at(20, 20)));
        let yes = frees(own(at(21, 6)));
        story.extend([yes, out, into]);
        let driven = settled(&story);
        assert_eq!(driven.status, CurrentStatus::OffDock);
        assert_eq!(driven.pickup.available, Some(true));
        let [no, .., day, _, _] = trapac(at(22, 9));
        let mut next = free_day(&day);
        next.date = "2026-03-30".parse().unwrap();
        story.push(day.worth(Value::LastFreeDay(LfdOwner::Terminal, next.clone())));
        story.push(no);
        let spoken = settled(&story).pickup;
        assert_eq!(spoken.available, Some(false));
        assert_eq!(spoken.lfd_terminal, Some(next));
        // Out of the second yard is out.
        story.push(gate(Verb::GateOut, at(24, 9), "TRP"));
        story.push(frees(trapac(at(24, 12))));
        let collected = settled(&story);
        assert_eq!(collected.status, CurrentStatus::PickedUp);
        assert_eq!(collected.pickup.available, Some(false));
    }
}

/// The day on which it came is the day on which it went, too.
#[test]
fn a_box_that_left_the_second_yard_on_the_day_it_came_is_collected() {
    let [out, into] = drive();
    let mut story = landed_at(Some("APM"));
    story.extend([out, into.dated(), gate(Verb::GateOut, at(21, 20), "TRP")]);
    story.push(frees(trapac(at(22, 9))));
    assert_eq!(settled(&story).pickup.available, None);
}

/// It may be the empty that comes back, or the next goods.
#[test]
fn a_gate_that_does_not_say_that_the_box_is_laden_undoes_no_collection() {
    let mut story = landed_at(Some("APM"));
    story.extend([
        frees(own(at(20, 20))),
        gate(Verb::GateOut, at(23, 9), "APM"),
    ]);
    let [no, hold, fee, day, ..] = own(at(25, 9));
    story.extend([no, hold, fee, day]);
    let collected = settled(&story);
    for yard in ["APM", "TRP"] {
        let back = gate(Verb::GateIn, at(24, 10), yard);
        let back = back.with(|r| r.equipment.as_mut().unwrap().laden = None);
        let found = settled(&[story.as_slice(), &[back]].concat());
        assert_eq!(found.pickup, collected.pickup, "{yard}");
        assert_eq!(found.milestones, collected.milestones);
    }
}

#[test]
fn a_terminal_of_another_port_is_put_aside_when_the_box_is_known_to_be_here() {
    let mut story = landed_at(Some("APM"));
    story.extend(oakland(at(21, 0)));
    assert!(is_heard(&story), "this may be a hub");
    let proofs: [Vec<Told>; 2] = [
        vec![
            act(Verb::Available, "USLAX", at(20, 20))
                .from("apm", SourceKind::TerminalApi)
                .terminal("APM"),
        ],
        vec![
            act(Verb::GateOut, "USLAX", at(23, 9))
                .by(Mode::Truck)
                .laden()
                .with(|r| r.move_hint = Some(MoveHint::Import)),
        ],
    ];
    for proof in proofs {
        let mut proved = story.clone();
        let is_word = proof[0].0.verb == Verb::Available;
        proved.extend(proof);
        let told = heard(&state(&proved).pickup);
        assert_eq!(told, [is_word, false, false, false, false, false]);
        // Brought there by truck all the same.
        proved.push(
            act(Verb::GateIn, "USOAK", at(24, 9))
                .by(Mode::Truck)
                .laden(),
        );
        assert!(state(&proved).pickup.yard_location.is_some());
    }
}

#[test]
fn a_hub_puts_no_terminal_aside() {
    for hint in [None, Some(MoveHint::Import)] {
        // Nobody has told of the ship onward.
        let mut story = vec![
            act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
            act(Verb::Depart, "CNSHA", at(4, 20))
                .aboard(FIRST)
                .of_bill(),
            act(Verb::Discharge, "KRPUS", at(7, 15))
                .aboard(FIRST)
                .laden()
                .terminal("HJNC")
                .with(|r| r.move_hint = hint),
        ];
        story.extend(oakland(at(19, 0)));
        assert!(state(&story).pickup.yard_location.is_some(), "{hint:?}");
    }
}

/// What the portal of a port says of a box at one of its terminals, which it lists together.
fn portal(yard: &str, value: Value, when: Timestamp) -> Told {
    let verb = match value {
        Value::Fee(_) | Value::Fees(_) => Verb::Fee,
        _ => Verb::HoldSet,
    };
    let told = act(verb, "USLAX", when).from("portal", SourceKind::TerminalApi);
    let field = format!("{verb:?}");
    told.terminal(yard).worth(value).id(&field)
}

fn customs() -> Hold {
    Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    }
}

fn demurrage(amount: i64) -> Fee {
    Fee {
        kind: FeeKind::Demurrage,
        amount: Some(Decimal::from(amount)),
        currency: "USD".into(),
    }
}

#[test]
fn of_two_terminals_in_one_record_neither_list_takes_away_what_the_other_says() {
    // Which of them is heard first is nothing that a source decides: each hour draws it anew.
    let hours = (0..8).flat_map(|hour| [("APM", "TRP", hour), ("TRP", "APM", hour)]);
    for (one, other, hour) in hours {
        let mut story = landed_at(None);
        let when = at(21, hour);
        story.push(portal(one, Value::Holds(Vec::new()), when));
        story.push(portal(other, Value::Holds(vec![customs()]), when));
        story.push(portal(one, Value::Fees(vec![demurrage(150)]), when));
        story.push(portal(other, Value::Fees(vec![demurrage(80)]), when));
        let pickup = settled(&story).pickup;
        assert_eq!(pickup.holds, [customs()], "held at {other}, {hour}");
        let fees = [demurrage(80), demurrage(150)];
        assert_eq!(pickup.fees, fees, "in whose yard it stands nobody knows");
        // The next record speaks of both again, and the one behind it of one alone.
        for yard in [one, other] {
            story.push(portal(yard, Value::Holds(Vec::new()), at(21, 9)));
            story.push(portal(yard, Value::Fees(vec![demurrage(90)]), at(21, 9)));
        }
        let pickup = settled(&story).pickup;
        assert_eq!((pickup.holds, pickup.fees), (vec![], vec![demurrage(90)]));
        story.push(portal(one, Value::Holds(vec![customs()]), at(21, 10)));
        story.push(portal(one, Value::Fees(Vec::new()), at(21, 10)));
        let pickup = settled(&story).pickup;
        assert_eq!((pickup.holds, pickup.fees), (vec![customs()], vec![]));
    }
}

#[test]
fn two_terminals_of_a_port_that_could_not_be_read_are_two_and_a_record_read_again_is_one() {
    for (one, other, hour) in (0..8).flat_map(|hour| [("APM", "TRP", hour), ("TRP", "APM", hour)]) {
        let mut story = landed_at(None);
        let when = at(21, hour);
        let nowhere = |told: Told| told.with(|report| report.place.locode = None);
        story.push(nowhere(portal(one, Value::Holds(Vec::new()), when)));
        story.push(nowhere(portal(other, Value::Holds(vec![customs()]), when)));
        assert_eq!(settled(&story).pickup.holds, [customs()], "{other}, {hour}");
    }
    let mut story = landed_at(None);
    // Read again by who knows the place, the fee is still one.
    let fees = |amount| portal("APM", Value::Fees(vec![demurrage(amount)]), at(21, 8));
    story.push(fees(80).with(|report| report.place = Place::default()));
    story.push(fees(150));
    assert_eq!(settled(&story).pickup.fees.len(), 1);
}

#[test]
fn a_list_takes_away_no_single_hold_or_fee_that_its_record_tells_of_another_terminal() {
    let hours = (0..8).flat_map(|hour| [("APM", "TRP", hour), ("TRP", "APM", hour)]);
    for (one, other, hour) in hours {
        let mut story = landed_at(None);
        let when = at(21, hour);
        story.push(portal(one, Value::Holds(Vec::new()), when));
        story.push(portal(other, Value::Hold(customs()), when));
        story.push(portal(one, Value::Fee(demurrage(0)), when));
        story.push(portal(other, Value::Fee(demurrage(80)), when));
        let pickup = settled(&story).pickup;
        let expected = (vec![customs()], vec![demurrage(80)]);
        assert_eq!((pickup.holds, pickup.fees), expected, "{other}, {hour}");
    }
}

#[test]
fn of_two_terminals_in_one_record_the_one_counts_where_the_box_stands() {
    for (yard, held) in [("APM", true), ("TRP", false)] {
        let mut story = landed_at(Some(yard));
        let here = act(Verb::Document, "USLAX", at(21, 7)).from("yard", SourceKind::TerminalApi);
        story.push(here.terminal(yard).worth(Value::YardLocation("A1".into())));
        story.push(portal("APM", Value::Holds(vec![customs()]), at(21, 8)));
        story.push(portal("TRP", Value::Holds(Vec::new()), at(21, 8)));
        story.push(portal("APM", Value::Fees(vec![demurrage(150)]), at(21, 8)));
        story.push(portal("TRP", Value::Fees(Vec::new()), at(21, 8)));
        let pickup = settled(&story).pickup;
        let heard = (pickup.holds.len(), pickup.fees.len());
        assert_eq!(heard, (usize::from(held), usize::from(held)), "at {yard}");
    }
}

#[test]
fn of_two_terminals_in_each_record_each_repeats_what_it_said_itself() {
    let told = (0..4).flat_map(|hour| {
        let when = at(21, hour);
        [
            portal("APM", Value::Holds(vec![customs()]), when).0,
            portal("TRP", Value::Holds(Vec::new()), when).0,
        ]
    });
    let told: Vec<_> = told.collect();
    let listed = repeated(&told).into_iter().map(|repeats| !repeats);
    let first_and_last = [true, true, false, false, false, false, true, true];
    assert_eq!(listed.collect::<Vec<_>>(), first_and_last);
}

/// A field of a sheet has one name whatever it says.
#[test]
fn a_yes_that_was_taken_back_meanwhile_is_listed_with_what_took_it_back() {
    let said = |verb, hour| {
        let mut told = act(verb, "USLAX", at(21, hour)).from("yard", SourceKind::TerminalApi);
        told.0.source_event_id = Some("QSDU1000014/available".into());
        told.0
    };
    let (yes, no) = (Verb::Available, Verb::NotAvailable);
    let told: Vec<_> = [yes, no, yes, yes, yes].into_iter().zip(0..).collect();
    let told: Vec<_> = told
        .into_iter()
        .map(|(verb, hour)| said(verb, hour))
        .collect();
    assert_eq!(repeated(&told), [false, false, false, true, false]);
}

/// Driven out to be examined, back, and collected later: per diem runs from the last.
#[test]
fn a_box_that_came_back_from_its_exam_is_out_when_it_leaves_again() {
    let out = |told: &[Told]| {
        let times = state(told).milestone_times();
        times
            .iter()
            .find(|(name, _)| *name == "pod_full_out_at")
            .unwrap()
            .1
    };
    let gate = |verb, when| {
        let told = act(verb, "USLAX", when).by(Mode::Truck).laden();
        told.terminal("APM").from("gate", SourceKind::Codeco)
    };
    for discharge in [direct()[..8].to_vec(), landed_at(Some("APM"))] {
        let mut story = discharge;
        story.extend(own(at(20, 20)));
        story.push(gate(Verb::GateOut, at(22, 9)));
        assert_eq!(out(&story), Some(at(22, 9)));
        story.push(gate(Verb::GateIn, at(23, 9)));
        assert_eq!(out(&story), None);
        story.push(gate(Verb::GateOut, at(25, 9)));
        assert_eq!(out(&story), Some(at(25, 9)));
    }

    // What its terminal marks as an export does not come back.
    let mut marked = landed_at(Some("APM"));
    marked.push(gate(Verb::GateOut, at(22, 9)));
    marked.push(gate(Verb::GateIn, at(25, 9)).hint(MoveHint::Export));
    assert!(!events(&state(&marked)).contains(&"full_in USLAX".to_owned()));

    // Nothing held it: what comes back to the port is the next export.
    let mut export = direct()[..8].to_vec();
    export.push(gate(Verb::GateOut, at(22, 9)));
    export.push(gate(Verb::GateIn, at(27, 9)));
    assert_eq!(out(&export), Some(at(22, 9)));
}

/// A driver is sent where the box can be had.
#[test]
fn where_nobody_names_the_terminal_it_is_the_one_that_lets_the_box_go() {
    let charges = |when| {
        let [no, hold, fee, day, ..] = trapac(when);
        [no, hold, fee, day]
    };
    let terminal = |story: &[Told]| settled(story).pickup.pod_terminal.unwrap();
    let free = frees(own(at(21, 0)));
    for when in [at(20, 20), at(21, 12)] {
        let mut story = landed_at(None);
        story.extend(charges(when));
        assert_eq!(terminal(&story), "USLAX-TRP");
        story.push(free.clone());
        assert_eq!(settled(&story).pickup.available, Some(true));
        assert_eq!(terminal(&story), "USLAX-APM");
        // It takes that back for a day: nobody else lets it go, so that it stands there as before.
        let [no, ..] = own(at(22, 0));
        story.push(no);
        assert_eq!(terminal(&story), "USLAX-APM");
        // The other one does now, and then neither.
        story.push(frees(trapac(at(22, 6))));
        assert_eq!(terminal(&story), "USLAX-TRP");
        let [no, ..] = trapac(at(22, 12));
        story.push(no);
        assert_eq!(terminal(&story), "USLAX-TRP");
        story.push(frees(own(at(22, 18))));
        assert_eq!(terminal(&story), "USLAX-APM");
    }
    // What a list says of a box that has left.
    let mut story = landed_at(None);
    story.extend(charges(at(20, 20)));
    story.push(free.clone());
    story.push(
        act(Verb::GateOut, "USLAX", at(22, 9))
            .by(Mode::Truck)
            .laden(),
    );
    let [no, ..] = own(at(23, 0));
    story.push(no);
    story.push(frees(trapac(at(23, 6))));
    assert_eq!(terminal(&story), "USLAX-APM");
    // Both let it go: the first stays the terminal.
    let mut story = landed_at(None);
    story.push(frees(trapac(at(21, 6))));
    story.push(free);
    assert_eq!(terminal(&story), "USLAX-APM");
}
