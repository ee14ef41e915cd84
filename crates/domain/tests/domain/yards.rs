//! Terminals that speak of a box that does not stand with them.

use domain::container::{Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner, Pickup};
use domain::report::{Mode, MoveHint, SourceKind, Value, Verb};
use jiff::Timestamp;
use rust_decimal::Decimal;

use crate::telling::*;

/// All that a terminal says of a box that may not leave.
fn row(source: &str, port: &str, facility: Option<&str>, when: Timestamp) -> Vec<Told> {
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
    vec![
        says(Verb::NotAvailable),
        says(Verb::HoldSet).worth(Value::Hold(hold)),
        says(Verb::Fee).worth(Value::Fee(fee)),
        says(Verb::LastFreeDay).worth(Value::LastFreeDay(LfdOwner::Terminal, day)),
        says(Verb::Document).worth(Value::YardLocation("B7".into())),
        says(Verb::Appointment).worth(Value::Appointment(at(25, 0))),
    ]
}

/// What the terminal of the port says that has only seen the box.
fn apm(when: Timestamp) -> Told {
    let told = act(Verb::Document, "USLAX", when).from("apm", SourceKind::TerminalApi);
    told.terminal("APM")
}

fn trapac(when: Timestamp) -> Vec<Told> {
    row("trapac", "USLAX", Some("TRP"), when)
}

fn oakland(when: Timestamp) -> Vec<Told> {
    row("oak", "USOAK", Some("OICT"), when)
}

/// What is told of: availability, holds, fees, last free day, place in the yard, appointment.
fn heard(pickup: &Pickup) -> [bool; 6] {
    [
        pickup.available.is_some(),
        !pickup.holds.is_empty(),
        !pickup.fees.is_empty(),
        pickup.lfd_terminal.is_some(),
        pickup.yard_location.is_some(),
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
    let own = |when| row("apm", "USLAX", Some("APM"), when);
    let mut story = landed_at(Some("APM"));
    story.push(own(at(20, 20)).remove(0).with(|r| r.verb = Verb::Available));
    story.extend(trapac(at(20, 21)));
    assert_eq!(state(&story).pickup.available, Some(true));
    let gate = |verb, when, yard: &str| {
        let told = act(verb, "USLAX", when).by(Mode::Truck);
        told.laden().terminal(yard)
    };
    story.push(gate(Verb::GateOut, at(21, 9), "APM"));
    story.push(gate(Verb::GateIn, at(21, 11), "TRP"));
    story.extend(own(at(21, 20)));
    let held = state(&story).pickup;
    assert_eq!(held.available, Some(false), "the word of its yard");
    assert!(is_heard(&story));
    // The first terminal still lists it: nothing of that counts.
    let mut later = own(at(22, 9)).remove(3);
    later = later.worth(Value::LastFreeDay(
        LfdOwner::Terminal,
        LastFreeDay {
            date: "2026-03-22".parse().unwrap(),
            zone: Some("America/Los_Angeles".into()),
        },
    ));
    story.push(later);
    assert_eq!(state(&story).pickup.lfd_terminal, held.lfd_terminal);
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
