//! The way call by call, first estimates, railroads and the lines of a map.

use domain::codes::Scac;
use domain::event::EventName;
use domain::geography::{Point, drawn, great_circle};
use domain::report::{Mode, MoveHint, Report, SourceKind, Value, Verb};
use domain::route::{Call, Part, sea_legs};
use domain::shipment::shipment_state;
use domain::timeline::{route, source_of, withdrawn};
use domain::trust::Trust;

use crate::telling::*;

fn way(told: &[Told]) -> Vec<Call> {
    route(
        number(),
        &reports(told),
        &gazetteer(),
        Trust::USUAL,
        day(300),
    )
}

fn parts(calls: &[Call]) -> Vec<(String, Part)> {
    calls
        .iter()
        .map(|c| (c.place.to_string(), c.part))
        .collect()
}

#[test]
fn a_change_of_ships_has_both_sides_of_the_hub() {
    let calls = way(&transshipped());
    assert_eq!(
        parts(&calls),
        [
            ("CNSHA".into(), Part::Lading),
            ("KRPUS".into(), Part::Transshipment),
            ("USLAX".into(), Part::Discharge),
        ]
    );
    let hub = &calls[1];
    let (inbound, outbound) = (
        hub.inbound.as_ref().unwrap(),
        hub.outbound.as_ref().unwrap(),
    );
    assert_eq!(inbound.actual_at, Some(at(7, 2)));
    assert_eq!(inbound.estimated_at, Some(day(7)));
    assert_eq!(outbound.actual_at, Some(at(10, 22)));
    let ship = |p: &domain::route::Passage| p.vessel.as_ref().unwrap().imo.unwrap().to_string();
    assert_eq!(
        (ship(inbound), ship(outbound)),
        (FIRST.into(), SECOND.into())
    );
    assert_eq!((&calls[0].inbound, &calls[2].outbound), (&None, &None));
    let legs: Vec<_> = sea_legs(&calls).collect();
    assert_eq!(legs.len(), 2);
    assert!(legs.iter().all(|leg| !leg.is_under_way()));
}

/// The terminal tells of the hub and of the ship that takes the box on; the line has not spoken since it sailed.
#[test]
fn a_ship_that_took_the_box_on_at_a_hub_brings_it() {
    let quay = |told: Told, ship| told.aboard(ship).laden().from("quay", SourceKind::Coarri);
    let mut story = vec![
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        est(Verb::Arrive, "USLAX", day(20))
            .aboard(FIRST)
            .issued(at(4, 4)),
        quay(act(Verb::Discharge, "KRPUS", at(7, 9)), FIRST).hint(MoveHint::Transshipment),
        quay(act(Verb::Load, "KRPUS", at(10, 4)), SECOND),
    ];
    let brings = |story: &[Told]| {
        let held = state(story);
        let vessel = held.journey.pod_vessel.clone().unwrap();
        let last = way(story).pop().unwrap();
        assert_eq!(last.place, place("USLAX"));
        let inbound = last.inbound.unwrap();
        assert_eq!(inbound.vessel.unwrap().imo, vessel.imo, "map and shipment");
        let eta = shipment_state(&[held]).pod_eta;
        assert_eq!(inbound.estimated_at, eta, "map and shipment");
        (vessel.imo.unwrap().to_string(), eta)
    };
    assert_eq!(brings(&story[..2]), (FIRST.into(), Some(day(20))));
    assert_eq!(brings(&story), (SECOND.into(), None));
    // Who names the ship of before anew means it.
    story.push(
        est(Verb::Arrive, "USLAX", day(21))
            .aboard(FIRST)
            .issued(at(11, 0)),
    );
    assert_eq!(brings(&story), (FIRST.into(), Some(day(21))));
}

#[test]
fn a_box_at_sea_is_under_way_on_one_leg() {
    let calls = way(&transshipped()[..10]);
    let under_way: Vec<_> = sea_legs(&calls)
        .filter(domain::route::Leg::is_under_way)
        .collect();
    assert_eq!(under_way.len(), 1);
    assert_eq!(under_way[0].to.place, place("USLAX"));
    assert_eq!(under_way[0].arrival.estimated_at, Some(day(22)));
    assert_eq!(
        under_way[0].vessel().unwrap().imo.unwrap().to_string(),
        SECOND
    );
    assert_eq!(way(&[]), []);
}

#[test]
fn a_departure_that_nobody_reported_has_happened_when_the_box_is_seen_further_on() {
    let mut story = transshipped();
    story.retain(|told| {
        !(told.0.verb == Verb::Depart && told.0.place.locode == Some(place("KRPUS")))
    });
    let calls = way(&story);
    let outbound = calls[1].outbound.as_ref().unwrap();
    assert_eq!((outbound.actual_at, outbound.done), (None, true));
}

/// Reports in any order give one route.
#[test]
fn a_route_does_not_depend_on_the_order_of_reports() {
    let mut story = inland();
    let expected = way(&story);
    for _ in 0..story.len() {
        story.rotate_left(1);
        assert_eq!(way(&story), expected);
    }
}

#[test]
fn the_first_estimate_stays_whatever_becomes_of_it() {
    let first = pln(Verb::Arrive, "USLAX", day(18))
        .aboard(FIRST)
        .id("eta")
        .issued(day(-20));
    let second = est(Verb::Arrive, "USLAX", day(19))
        .aboard(FIRST)
        .id("eta")
        .issued(day(2));
    let schedule = est(Verb::Arrive, "USLAX", day(17))
        .aboard(FIRST)
        .from("pier", SourceKind::TerminalApi)
        .issued(day(-25));
    let mut story = vec![second.clone(), first, schedule];
    story.extend(direct()[3..].iter().cloned());
    let held = state(&story);
    assert_eq!(held.first_estimates.pod_arrival, Some(day(18)));
    let shipment = shipment_state(&[held]);
    assert_eq!(shipment.pod_original_eta, Some(day(18)));
    assert_eq!(
        (shipment.pod_eta, shipment.pod_ata),
        (None, Some(at(20, 5)))
    );
    let later = state(&[vec![second], direct()[3..].to_vec()].concat());
    assert_eq!(
        later.first_estimates.pod_arrival,
        Some(day(19)),
        "the older of its two"
    );
    assert_eq!(later.first_estimates.pol_departure, None);
}

/// To Chicago by rail: the line says Chicago, the railroad says Joliet.
fn inland() -> Vec<Told> {
    let mut story = direct()[..8].to_vec();
    let road = |told: Told, mark: &str| {
        told.by(Mode::Rail)
            .laden()
            .from(mark, SourceKind::RailApi)
            .with(|r| r.references.scac = Scac::parse(mark).ok())
    };
    story.extend([
        pln(Verb::Arrive, "USCHI", day(26)).by(Mode::Rail).laden(),
        road(act(Verb::Depart, "USLAX", at(21, 3)), "BNSF"),
        road(act(Verb::Arrive, "USJOT", at(26, 8)), "NSRR"),
        act(Verb::Arrive, "USCHI", at(26, 12))
            .by(Mode::Rail)
            .laden(),
        road(act(Verb::Discharge, "USJOT", at(26, 14)), "NSRR"),
    ]);
    story
}

#[test]
fn a_ramp_of_the_metropolitan_area_is_the_destination_once() {
    let state = state(&inland());
    let arrivals: Vec<_> = state
        .milestones
        .iter()
        .filter(|m| m.slot.event == EventName::ArrivedAtInlandDestination)
        .collect();
    assert_eq!(arrivals.len(), 1, "{:?}", events(&state));
    assert_eq!(arrivals[0].slot.place, Some(place("USCHI")));
    let rail = &state.rail;
    assert_eq!(rail.pod_carrier, Scac::parse("BNSF").ok());
    assert_eq!(rail.inland_carrier, Scac::parse("NSRR").ok());
    assert_eq!(rail.heard_at, Some(at(26, 15)));
    let calls = way(&inland());
    assert_eq!(calls.last().unwrap().part, Part::Inland);
    let by = |call: &Call| call.outbound.as_ref().and_then(|passage| passage.mode);
    assert_eq!(by(&calls[1]), Some(Mode::Rail));
    let left = calls[1].outbound.as_ref().unwrap();
    assert_eq!((left.actual_at, left.done), (Some(at(21, 3)), true));
    let mut times = state.milestone_times().into_iter();
    let told = times.find(|(name, _)| *name == "pod_rail_departed_at");
    assert_eq!(told.unwrap().1, left.actual_at, "as the container says");
    let waiting = way(&inland()[..9]);
    let stays = waiting[1].outbound.as_ref().unwrap();
    assert_eq!(stays.mode, Some(Mode::Rail));
    assert_eq!((stays.actual_at, stays.done), (None, false));
    assert_eq!(sea_legs(&calls).count(), 1, "rails are not at sea");
}

#[test]
fn the_chassis_is_the_one_told_last() {
    let mut story = direct();
    let gate = act(Verb::GateOut, "USLAX", at(23, 9))
        .by(Mode::Truck)
        .laden();
    story.push(
        gate.from("pier", SourceKind::TerminalApi)
            .worth(Value::Chassis("DCLZ400123".into())),
    );
    assert_eq!(state(&story).pickup.chassis.as_deref(), Some("DCLZ400123"));
}

#[test]
fn an_event_goes_back_to_the_report_that_says_it() {
    let story = reports(&direct());
    let told: Vec<&Report> = story.iter().collect();
    let state = state(&direct());
    for milestone in &state.milestones {
        let event = milestone.slot.event;
        let found = source_of(
            event,
            milestone.at,
            milestone.locode,
            milestone.source,
            &told,
        );
        let report = told[found.unwrap()];
        assert_eq!(
            report.occurred.as_ref().unwrap().at,
            milestone.at,
            "{event:?}"
        );
    }
    let elsewhen = source_of(
        EventName::VesselArrived,
        day(99),
        Some(place("USLAX")),
        SourceKind::Dcsa2,
        &told,
    );
    assert_eq!(elsewhen, None);
}

#[test]
fn what_was_said_again_or_taken_back_no_longer_stands() {
    let first = act(Verb::Arrive, "USLAX", at(20, 5))
        .id("a")
        .received(day(21));
    let again = act(Verb::Arrive, "USLAX", at(20, 6))
        .id("a")
        .issued(day(22))
        .received(day(23));
    let gone = act(Verb::Depart, "CNSHA", day(4)).id("b");
    let other = act(Verb::Load, "CNSHA", day(3)).id("c");
    let story = reports(&[first, again, gone, retract("b", day(5)), other]);
    let told: Vec<&Report> = story.iter().collect();
    let heard = at(5, 1);
    assert_eq!(
        withdrawn(&told),
        [Some(day(23)), None, Some(heard), None, None]
    );
}

#[test]
fn an_event_that_is_sent_again_to_take_it_back_stands_as_little_as_what_it_takes_back() {
    let gone = act(Verb::GateOut, "USLAX", day(4)).id("b");
    let mark = gone.clone().issued(day(5)).received(day(6)).with(|r| {
        r.retracts = r.source_event_id.take();
    });
    let story = reports(&[gone, mark]);
    let told: Vec<&Report> = story.iter().collect();
    assert_eq!(withdrawn(&told), [Some(day(6)), Some(day(6))]);
}

#[test]
fn a_line_over_the_pacific_goes_on_past_the_antimeridian() {
    let (shanghai, los_angeles) = (Point::of((31.36, 121.58)), Point::of((33.74, -118.26)));
    for (from, to, end) in [
        (shanghai, los_angeles, 241.74),
        (los_angeles, shanghai, -238.42),
        (Point::of((53.5, 9.9)), Point::of((40.7, -74.0)), -74.0),
        (Point::of((-18.1, 178.4)), Point::of((-13.8, -171.8)), 188.2),
    ] {
        let line = great_circle(from, to);
        assert_eq!(line[0], from);
        let last = line.last().unwrap();
        assert!((last.longitude - end).abs() < 0.01, "{last:?}");
        assert!((last.latitude - to.latitude).abs() < 1e-9);
        assert!(line.len() <= 128);
        for pair in line.windows(2) {
            assert!(
                (pair[1].longitude - pair[0].longitude).abs() < 20.0,
                "{pair:?}"
            );
            assert!(pair[0].distance_km(pair[1]) < 250.0, "{pair:?}");
        }
    }
    let peak = great_circle(shanghai, los_angeles)
        .iter()
        .map(|point| point.latitude)
        .fold(0.0, f64::max);
    assert!(
        (51.0..53.0).contains(&peak),
        "a great circle, not a straight line: {peak}"
    );
}

#[test]
fn odd_lines_are_lines() {
    let here = Point::of((1.0, 2.0));
    assert_eq!(great_circle(here, here), [here, here]);
    let far = great_circle(Point::of((0.0, 0.0)), Point::of((0.0, 180.0)));
    assert!(
        far.iter()
            .all(|p| p.latitude.is_finite() && p.longitude.is_finite())
    );
    let poles = great_circle(Point::of((90.0, 0.0)), Point::of((-90.0, 0.0)));
    assert!(
        poles
            .iter()
            .all(|p| p.latitude.is_finite() && p.longitude.is_finite())
    );
    let seen: Vec<Point> = [179.0, 179.9, -179.5, -178.0]
        .map(|x| Point::of((0.0, x)))
        .into();
    let lons: Vec<f64> = drawn(&seen, 10).iter().map(|p| p.longitude).collect();
    assert_eq!(lons, [179.0, 179.9, 180.5, 182.0]);
    let many: Vec<Point> = (0..1000)
        .map(|n| Point::of((0.0, f64::from(n) / 10.0)))
        .collect();
    let few = drawn(&many, 100);
    assert!(few.len() <= 101 && few.last() == many.last());
}
