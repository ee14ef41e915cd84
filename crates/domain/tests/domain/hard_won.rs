//! Rules that others learnt the hard way, each with the mistake it prevents. The rest of them stand where they are
//! kept: what was reported stays when an answer leaves it out (`tracking`), names of towns count with their state
//! only (`sources::table::place`), other codes of a line mean the line (`sources`, `registry`), bills without
//! containers wait (`request_states`), `include` follows declared relationships only (`jsonapi::query`), every event
//! can be listed (`api`, `every_event_can_be_listed`).

use domain::codes::{EquipmentHeight, EquipmentType};
use domain::container::{
    CurrentStatus, Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner,
};
use domain::event::EventName;
use domain::report::{Doubt, FacilityType, Mode, SourceKind, Value, Verb};
use jiff::SignedDuration;
use rust_decimal::Decimal;

use crate::telling::*;

#[test]
fn an_eta_in_the_past_is_not_an_arrival() {
    let story = &direct()[..6];
    let state = state(story);
    assert!(state.milestone(EventName::VesselArrived).is_none());
    assert_eq!(state.status, CurrentStatus::OnShip);
    assert_eq!(
        state
            .estimate(EventName::EstimatedVesselArrived)
            .unwrap()
            .at,
        at(19, 5)
    );
}

#[test]
fn an_actual_far_in_the_future_is_an_estimate_for_ever() {
    let early = act(Verb::Arrive, "USLAX", day(20))
        .aboard(FIRST)
        .received(day(18));
    let mut story = direct()[..5].to_vec();
    story.push(early.clone());
    let heard = state(&story);
    assert!(heard.milestone(EventName::VesselArrived).is_none());
    assert_eq!(
        heard
            .estimate(EventName::EstimatedVesselArrived)
            .unwrap()
            .at,
        day(20)
    );
    let slightly = early.received(day(20) - SignedDuration::from_hours(20));
    *story.last_mut().unwrap() = slightly;
    let flagged = state(&story);
    assert!(flagged.milestone(EventName::VesselArrived).is_some());
    assert_eq!(flagged.flags, [domain::container::QualityFlag::InFuture]);
}

#[test]
fn only_the_last_gate_in_of_a_journey_is_the_return() {
    let mut story = direct();
    story.truncate(9);
    let yard = act(Verb::GateIn, "USLAX", at(23, 12))
        .by(Mode::Truck)
        .empty();
    story.push(yard.facility(FacilityType::OffDock));
    story.push(
        act(Verb::GateOut, "USLAX", at(24, 9))
            .by(Mode::Truck)
            .laden(),
    );
    let drayed = state(&story);
    assert!(
        drayed.milestone(EventName::EmptyIn).is_none(),
        "goods moved on"
    );
    assert_eq!(drayed.status, CurrentStatus::PickedUp);
    story.push(
        act(Verb::GateIn, "USOAK", at(28, 9))
            .by(Mode::Truck)
            .empty(),
    );
    let returned = state(&story);
    assert_eq!(
        returned.milestone(EventName::EmptyIn).unwrap().at,
        at(28, 9)
    );
    assert_eq!(
        events(&returned)
            .iter()
            .filter(|e| e.starts_with("empty_in"))
            .count(),
        1
    );
}

#[test]
fn an_empty_that_comes_in_before_the_voyage_is_no_return() {
    let story = [
        pln(Verb::Depart, "CNSHA", day(4)).aboard(FIRST),
        act(Verb::GateOut, "CNSHA", day(1)).by(Mode::Truck).empty(),
        act(Verb::GateIn, "CNSHA", day(2)).by(Mode::Truck).empty(),
    ];
    assert_eq!(events(&state(&story)), ["empty_out CNSHA"]);
}

/// The line told of neither the landing nor the collection.
#[test]
fn a_return_of_which_the_line_names_the_papers_is_believed_once_the_goods_were_due() {
    let voyage = direct().into_iter().take(6);
    let voyage: Vec<Told> = voyage.map(|told| told.bill("B1")).collect();
    let back = |port, when| {
        let back = act(Verb::GateIn, port, when).by(Mode::Truck).empty();
        back.facility(FacilityType::Depot)
    };
    let returned = |back: Told| {
        let state = state(&[voyage.clone(), vec![back]].concat());
        state.milestone(EventName::EmptyIn).is_some()
    };
    assert!(returned(back("USLAX", at(26, 9)).bill("B1")));
    let early = back("USLAX", at(18, 9)).bill("B1");
    assert!(!returned(early), "they are expected later");
    assert!(!returned(back("USLAX", at(26, 9))), "of whatever goods");
    let others = back("USLAX", at(26, 9)).bill("B2");
    assert!(!returned(others), "of other goods");
    let elsewhere = back("CNSHA", at(26, 9)).bill("B1");
    assert!(!returned(elsewhere), "they go elsewhere");
    let seen = back("USLAX", at(26, 9)).bill("B1");
    let seen = seen.from("terminal", SourceKind::TerminalApi);
    assert!(!returned(seen), "a terminal sees the box alone");
}

#[test]
fn a_lone_return_is_believed() {
    let lone = act(Verb::GateIn, "USLAX", day(2)).empty();
    assert_eq!(
        events(&state(&[lone.facility(FacilityType::Depot)])),
        ["empty_in USLAX"]
    );
}

#[test]
fn a_return_overrides_what_the_terminal_still_says() {
    let mut story = direct();
    story.push(act(Verb::Available, "USLAX", at(21, 0)).from("terminal", SourceKind::TerminalApi));
    assert_eq!(state(&story).status, CurrentStatus::EmptyReturned);
}

fn terminal(verb: Verb, when: jiff::Timestamp) -> Told {
    act(verb, "USLAX", when).from("terminal", SourceKind::TerminalApi)
}

fn lfd(owner: LfdOwner, date: &str) -> Value {
    Value::LastFreeDay(
        owner,
        LastFreeDay {
            date: date.parse().unwrap(),
            zone: Some("America/Los_Angeles".into()),
        },
    )
}

#[test]
fn a_terminals_last_free_day_waits_for_the_arrival_and_is_not_of_a_visit_before() {
    let day_told =
        |on, date| terminal(Verb::LastFreeDay, day(on)).worth(lfd(LfdOwner::Terminal, date));
    let mut story = direct()[..6].to_vec();
    story.push(day_told(10, "2026-03-25"));
    assert_eq!(state(&story).pickup.lfd_terminal, None);
    story.push(direct()[6].clone());
    let date = |told: &[Told]| state(told).pickup.lfd_terminal.map(|d| d.date.to_string());
    assert_eq!(date(&story).as_deref(), Some("2026-03-25"));
    story.push(day_told(21, "2026-03-05"));
    assert_eq!(
        date(&story).as_deref(),
        Some("2026-03-25"),
        "a day before the arrival is an old one"
    );
    story.push(day_told(22, "2026-03-27"));
    assert_eq!(date(&story).as_deref(), Some("2026-03-27"));
}

#[test]
fn the_day_of_a_visit_before_does_not_hide_that_free_time_is_over() {
    let sheet = |date| terminal(Verb::LastFreeDay, day(20)).worth(lfd(LfdOwner::Terminal, date));
    let over = |on| {
        let told = act(Verb::LastFreeDay, "USLAX", day(on)).from("pier", SourceKind::X12_315);
        told.worth(lfd(LfdOwner::Terminal, "2026-03-26"))
            .with(|report| report.doubts.push(Doubt::Derived))
            .issued(day(on))
    };
    let shown = |told: &[Told]| state(told).pickup.lfd_terminal.map(|d| d.date.to_string());
    let mut story = direct()[..7].to_vec();
    story.extend([sheet("2026-02-03"), over(22)]);
    assert_eq!(shown(&story).as_deref(), Some("2026-03-26"));
    story.push(sheet("2026-03-25"));
    assert_eq!(shown(&story).as_deref(), Some("2026-03-25"), "announced");
}

/// Found by the figure: a notice has the free day itself for its time, and the box leaves before it.
#[test]
fn a_free_day_said_before_the_collection_stands_though_the_day_is_after_it() {
    let notice = |on, says| {
        let told = act(Verb::LastFreeDay, "USLAX", day(on)).from("pier", SourceKind::X12_315);
        told.worth(lfd(LfdOwner::Terminal, "2026-03-29"))
            .issued(day(says))
            .received(day(says))
    };
    let shown = |told: &[Told]| state(told).pickup.lfd_terminal.map(|d| d.date.to_string());
    let mut story = direct()[..9].to_vec();
    story.push(notice(29, 22));
    assert_eq!(shown(&story).as_deref(), Some("2026-03-29"));
    story.pop();
    story.push(notice(29, 27));
    assert_eq!(shown(&story), None, "said of the next visit");
}

#[test]
fn the_lines_day_hides_the_others_and_the_earliest_never_wins() {
    let mut story = direct()[..8].to_vec();
    let line = act(Verb::LastFreeDay, "USLAX", day(21)).worth(lfd(LfdOwner::Line, "2026-03-30"));
    story.push(terminal(Verb::LastFreeDay, day(21)).worth(lfd(LfdOwner::Terminal, "2026-03-25")));
    let shown = |told: &[Told]| state(told).pickup.last_free_day().unwrap().date.to_string();
    assert_eq!(shown(&story), "2026-03-25");
    story.push(line);
    assert_eq!(shown(&story), "2026-03-30");
}

#[test]
fn silence_clears_nothing_and_other_names_clear_nothing() {
    let hold = |name| {
        Value::Hold(Hold {
            name,
            status: HoldStatus::Hold,
            description: None,
        })
    };
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::HoldSet, day(21)).worth(hold(HoldName::Customs)));
    story.push(terminal(Verb::HoldSet, day(21)).worth(hold(HoldName::Freight)));
    story.push(terminal(Verb::NotAvailable, day(22)));
    let names = |told: &[Told]| -> Vec<HoldName> {
        state(told).pickup.holds.iter().map(|h| h.name).collect()
    };
    assert_eq!(names(&story), [HoldName::Freight, HoldName::Customs]);
    story.push(terminal(Verb::HoldClear, day(22)).worth(hold(HoldName::Freight)));
    assert_eq!(names(&story), [HoldName::Customs]);
    let broken_clock = terminal(Verb::HoldClear, day(40)).worth(hold(HoldName::Customs));
    story.push(broken_clock.issued(day(23)).received(day(23)));
    assert_eq!(
        names(&story),
        [HoldName::Customs],
        "a reading of the future is dropped"
    );
}

#[test]
fn lines_do_not_overrule_the_terminal_ashore() {
    let hold = Value::Hold(Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    });
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Available, day(21)));
    story.push(terminal(Verb::HoldSet, day(21)).worth(hold.clone()));
    story.push(act(Verb::NotAvailable, "USLAX", day(22)));
    story.push(act(Verb::HoldClear, "USLAX", day(22)).worth(hold));
    let state = state(&story);
    assert_eq!(state.pickup.available, Some(true));
    assert_eq!(state.pickup.holds.len(), 1);
    assert_eq!(state.status, CurrentStatus::NotAvailable, "free, but held");
}

#[test]
fn lines_do_not_overrule_the_fees_of_the_terminal_ashore() {
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Fee, day(21)).worth(demurrage(120)));
    story.push(act(Verb::Fee, "USLAX", day(22)).worth(demurrage(0)));
    let amounts = |told: &[Told]| -> Vec<String> {
        let fees = state(told).pickup.fees;
        fees.iter()
            .map(|fee| fee.amount.unwrap().to_string())
            .collect()
    };
    assert_eq!(amounts(&story), ["120"]);
    story.push(terminal(Verb::Fee, day(23)).worth(demurrage(0)));
    assert_eq!(amounts(&story), [""; 0], "its own word clears it");
}

#[test]
fn a_reading_without_holds_is_not_one_of_no_holds() {
    let hold = Hold {
        name: HoldName::Other,
        status: HoldStatus::Hold,
        description: Some("CET HOLD".into()),
    };
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::HoldSet, day(21)).worth(Value::Holds(vec![hold.clone()])));
    // A reading of the yard alone, then one that says nothing at all about holds.
    story.push(terminal(Verb::Document, day(22)).worth(Value::YardLocation("C12".into())));
    story.push(terminal(Verb::Available, day(22)));
    assert_eq!(state(&story).pickup.holds, [hold]);
    story.push(terminal(Verb::HoldSet, day(23)).worth(Value::Holds(Vec::new())));
    assert_eq!(
        state(&story).pickup.holds,
        [],
        "a list that is empty is one"
    );
}

#[test]
fn a_hold_keeps_the_words_of_its_source() {
    let words = "CBP A6 - INTENSIVE EXAM";
    let hold = Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: Some(words.into()),
    };
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::HoldSet, day(21)).worth(Value::Hold(hold)));
    let held = state(&story).pickup.holds;
    assert_eq!(held[0].description.as_deref(), Some(words));
}

#[test]
fn what_a_terminal_dates_in_the_future_is_dropped_whatever_it_is() {
    let fee = Value::Fee(Fee {
        kind: FeeKind::Exam,
        amount: Some(Decimal::from(300)),
        currency: "USD".into(),
    });
    let hold = Value::Hold(Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    });
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Available, day(21)));
    let calm = state(&story);
    for reading in [
        terminal(Verb::NotAvailable, day(40)),
        terminal(Verb::Fee, day(40)).worth(fee),
        terminal(Verb::HoldSet, day(40)).worth(hold),
    ] {
        let mut story = story.clone();
        story.push(reading.issued(day(22)).received(day(22)));
        let pickup = state(&story).pickup;
        let said = (pickup.available, pickup.fees.len(), pickup.holds.len());
        assert_eq!(said, (calm.pickup.available, 0, 0));
    }
}

#[test]
fn a_last_free_day_told_after_the_collection_is_of_another_visit() {
    let told = |date, when| terminal(Verb::LastFreeDay, when).worth(lfd(LfdOwner::Terminal, date));
    let mut story = direct()[..9].to_vec();
    story.push(told("2026-03-25", at(21, 0)));
    let date = |told: &[Told]| state(told).pickup.lfd_terminal.map(|d| d.date.to_string());
    assert_eq!(date(&story).as_deref(), Some("2026-03-25"));
    story.push(told("2026-04-09", at(30, 0)));
    assert_eq!(date(&story).as_deref(), Some("2026-03-25"));
    // What the line charges goes on outside the gate, so its day can still move.
    let line = act(Verb::LastFreeDay, "USLAX", at(30, 0));
    story.push(line.worth(lfd(LfdOwner::Line, "2026-04-02")));
    let line = state(&story).pickup.lfd_line.unwrap();
    assert_eq!(line.date.to_string(), "2026-04-02");
}

#[test]
fn a_box_on_a_train_owes_no_fees() {
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Fee, day(21)).worth(demurrage(120)));
    assert_eq!(state(&story).pickup.fees.len(), 1);
    let train = act(Verb::Depart, "USLAX", at(22, 4)).by(Mode::Rail).laden();
    story.push(train.from("rail", SourceKind::RailApi));
    let state = state(&story);
    assert_eq!(state.status, CurrentStatus::OnRail);
    assert_eq!(state.pickup.fees, []);
}

/// The line tells the arrival and never the discharge.
#[test]
fn what_is_charged_since_the_ship_arrived_is_owed() {
    let mut story = direct()[..7].to_vec();
    story.retain(|told| told.0.verb != Verb::Discharge);
    let arrived = state(&story);
    let landed = arrived.milestone(EventName::VesselArrived).unwrap().at;
    assert_eq!(arrived.status, CurrentStatus::OnShip);
    let hours = SignedDuration::from_hours;
    story.push(terminal(Verb::Fee, landed - hours(20)).worth(demurrage(120)));
    assert_eq!(state(&story).pickup.fees, [], "of an earlier move");
    story.push(terminal(Verb::NotAvailable, landed + hours(30)));
    story.push(terminal(Verb::Fee, landed + hours(30)).worth(demurrage(80)));
    let charged = state(&story);
    assert_eq!(charged.status, CurrentStatus::OnShip);
    let amounts: Vec<_> = charged.pickup.fees.iter().map(|fee| fee.amount).collect();
    assert_eq!(amounts, [Some(Decimal::from(80))]);
}

#[test]
fn a_yard_off_the_dock_is_neither_the_return_nor_the_end() {
    let mut story = direct()[..9].to_vec();
    let yard = act(Verb::GateIn, "USLAX", at(23, 12))
        .by(Mode::Truck)
        .laden();
    story.push(yard.facility(FacilityType::OffDock).terminal("YARD"));
    let parked = state(&story);
    assert_eq!(parked.status, CurrentStatus::OffDock);
    assert!(parked.milestone(EventName::EmptyIn).is_none());
    story.push(
        act(Verb::GateOut, "USLAX", at(25, 9))
            .by(Mode::Truck)
            .laden()
            .terminal("YARD"),
    );
    story.push(
        act(Verb::GateIn, "USLAX", at(27, 9))
            .by(Mode::Truck)
            .empty(),
    );
    let ended = state(&story);
    assert_eq!(ended.status, CurrentStatus::EmptyReturned);
    assert_eq!(ended.milestone(EventName::EmptyIn).unwrap().at, at(27, 9));
    let times = ended.milestone_times();
    let time = |name| times.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_eq!(
        time("pod_full_out_at"),
        Some(at(23, 9)),
        "out of the terminal"
    );
    assert_eq!(
        time("pol_full_in_at"),
        Some(at(2, 8)),
        "into the port of lading"
    );
}

#[test]
fn a_box_on_its_way_owes_no_fees() {
    let fee = Value::Fee(Fee {
        kind: FeeKind::Demurrage,
        amount: Some(Decimal::from(120)),
        currency: "USD".into(),
    });
    let mut story = direct()[..6].to_vec();
    story.push(terminal(Verb::Fee, day(6)).worth(fee));
    assert_eq!(state(&story).pickup.fees, []);
    story.extend(direct()[6..8].to_vec());
    assert_eq!(state(&story).pickup.fees.len(), 1);
}

#[test]
fn a_forecast_of_another_berth_must_stand_before_it_moves_the_terminal() {
    let forecast = |code: &str, on| {
        est(Verb::Arrive, "USLAX", day(20))
            .aboard(FIRST)
            .terminal(code)
            .id(code)
            .issued(at(on, 0))
            .received(at(on, 0))
    };
    let mut story = direct()[..5].to_vec();
    story.push(forecast("APM", 10));
    story.push(forecast("TRP", 15));
    let shown = |now| state_at(&story, now).pickup.pod_terminal;
    assert_eq!(shown(at(15, 11)).as_deref(), Some("USLAX-APM"));
    assert_eq!(shown(at(15, 12)).as_deref(), Some("USLAX-TRP"));
    let due = domain::timeline::due(number(), &reports(&story), at(15, 1));
    assert_eq!(due, Some(at(15, 12)), "and the moment is known beforehand");
    story.push(
        act(Verb::Discharge, "USLAX", at(20, 2))
            .aboard(FIRST)
            .laden()
            .terminal("APM"),
    );
    let landed = state_at(&story, day(30)).pickup.pod_terminal;
    assert_eq!(
        landed.as_deref(),
        Some("USLAX-APM"),
        "where it was discharged needs no wait"
    );
}

#[test]
fn where_the_line_names_no_terminal_it_is_the_first_yard_that_speaks_of_the_box() {
    let yard = |verb, code: &str, when| {
        act(verb, "USLAX", when)
            .from(code, SourceKind::TerminalApi)
            .terminal(code)
    };
    let shown = |story: &[Told]| state(story).pickup.pod_terminal;
    let mut story = direct()[..8].to_vec();
    assert_eq!(shown(&story), None);
    story.push(yard(Verb::NotAvailable, "TRP", at(21, 1)));
    assert_eq!(shown(&story), None, "a no says nobody's yard");
    story.push(yard(Verb::Available, "APM", at(21, 2)));
    assert_eq!(shown(&story).as_deref(), Some("USLAX-APM"));
    story.push(yard(Verb::Available, "TRP", at(21, 3)));
    assert_eq!(shown(&story).as_deref(), Some("USLAX-APM"), "no turns");
    let here = act(Verb::Discharge, "USLAX", at(20, 2));
    story.push(here.aboard(FIRST).laden().terminal("TRP"));
    assert_eq!(
        shown(&story).as_deref(),
        Some("USLAX-TRP"),
        "the line knows better"
    );
}

#[test]
fn a_forecast_of_a_berth_that_was_taken_back_in_time_never_stood() {
    let forecast = |code: &str, hours_ago: i64| {
        let said = at(15, 0) - SignedDuration::from_hours(hours_ago);
        est(Verb::Arrive, "USLAX", day(20))
            .aboard(FIRST)
            .terminal(code)
            .id("call")
            .issued(said)
            .received(said)
    };
    let shown = |story: &[Told]| state_at(story, at(15, 0)).pickup.pod_terminal;
    let mut story = direct()[1..5].to_vec();
    story.push(forecast("APM", 48));
    story.push(forecast("TRP", 13));
    assert_eq!(shown(&story).as_deref(), Some("USLAX-TRP"));
    story.push(forecast("APM", 11));
    assert_eq!(
        shown(&story).as_deref(),
        Some("USLAX-APM"),
        "it stood for two hours"
    );
    story.push(forecast("TRP", 40));
    assert_eq!(
        shown(&story).as_deref(),
        Some("USLAX-TRP"),
        "for a day and five hours"
    );
}

#[test]
fn type_length_and_height_come_together_or_not_at_all() {
    let coded = |told: Told, code: &str| {
        let code = code.to_owned();
        told.with(|r| r.equipment.as_mut().unwrap().iso_type = Some(code))
    };
    let mut story = direct();
    story.push(coded(terminal(Verb::GateIn, day(2)), "22G1"));
    assert_eq!(state(&story).size_type.length_ft, Some(20));
    story[2] = coded(story[2].clone(), "45R1");
    story.push(coded(act(Verb::Document, "USLAX", day(30)), "45"));
    let size = state(&story).size_type;
    assert_eq!(size.equipment_type, Some(EquipmentType::Reefer));
    assert_eq!(size.height, Some(EquipmentHeight::HighCube));
    let person = act(Verb::Document, "USLAX", day(1)).from("person", SourceKind::Manual);
    story.push(coded(person, "22T1"));
    let size = state(&story).size_type;
    assert_eq!(
        size.equipment_type,
        Some(EquipmentType::Tank),
        "a person's word"
    );
    assert_eq!(size.length_ft, Some(20));
}

#[test]
fn no_place_is_guessed_for_a_move_that_names_none() {
    let lone = act(Verb::Discharge, "", day(20)).aboard(FIRST).laden();
    let state = state(&[lone]);
    assert_eq!(events(&state), ["vessel_discharged "]);
    let milestone = &state.milestones[0];
    assert_eq!((milestone.locode, milestone.zone.as_deref()), (None, None));
    assert_eq!(milestone.terminal, None);
}

/// It may be the hub's, where nobody waits for the box.
#[test]
fn a_call_without_a_place_is_no_arrival_while_the_way_has_a_hub() {
    let mut story = transshipped()[..6].to_vec();
    story.push(act(Verb::Arrive, "", at(7, 2)).aboard(FIRST).of_bill());
    story.push(act(Verb::Discharge, "", at(7, 9)).aboard(FIRST).laden());
    let hub = state(&story);
    assert_eq!(
        events(&hub),
        ["vessel_loaded CNSHA", "vessel_departed CNSHA"]
    );
    assert_eq!(hub.status, CurrentStatus::OnShip);
    let expected = hub.estimate(EventName::EstimatedVesselArrived).unwrap();
    assert_eq!(expected.at, day(22));
    let came = act(Verb::Arrive, "USLAX", at(22, 6)).aboard(SECOND);
    story.push(came.of_bill().from("hub", SourceKind::X12_315));
    let came = state(&story);
    assert_eq!(
        came.milestone(EventName::VesselArrived).unwrap().at,
        at(22, 6)
    );
}

#[test]
fn rail_moves_without_a_place_are_no_events() {
    let rail = act(Verb::Arrive, "", day(2)).by(Mode::Rail).laden();
    assert_eq!(events(&state(&[rail])), Vec::<String>::new());
}
