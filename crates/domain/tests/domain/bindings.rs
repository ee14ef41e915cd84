//! Which claims that came unasked belong to a shipment.

use domain::binding::{Followed, Unasked, bound, forget_own_numbers};
use domain::codes::Scac;
use domain::report::{FacilityType, Mode, Report, SourceKind, Verb};
use domain::timeline::container_state;
use domain::tracking_request::NumberKind;
use domain::trust::Trust;
use jiff::Timestamp;

use crate::telling::{BOX, FIRST, SECOND, Told, act, day, events, gazetteer, number, pln, reports};

const LINE: &str = "MSCU";

fn of_bill(bill: &str, asked: &[Told], unasked: &[Told]) -> Vec<bool> {
    judged(NumberKind::BillOfLading, bill, asked, unasked)
}

fn judged(kind: NumberKind, number: &str, asked: &[Told], unasked: &[Told]) -> Vec<bool> {
    judged_since(None, kind, number, asked, unasked)
}

fn judged_since(
    since: Option<Timestamp>,
    kind: NumberKind,
    number: &str,
    asked: &[Told],
    unasked: &[Told],
) -> Vec<bool> {
    let lines = [Scac::parse(LINE).unwrap()];
    let (asked, unasked) = (reports(asked), reports(unasked));
    let followed = Followed {
        kind,
        number,
        lines: &lines,
        since,
    };
    let asked: Vec<&Report> = asked.iter().collect();
    let told = |claim| Unasked {
        claim,
        stands: true,
    };
    let forward: Vec<Unasked<'_>> = unasked.iter().map(told).collect();
    let backward: Vec<Unasked<'_>> = unasked.iter().rev().map(told).collect();
    let verdicts = bound(followed, &asked, &forward, &gazetteer());
    let mut reversed = bound(followed, &asked, &backward, &gazetteer());
    reversed.reverse();
    assert_eq!(verdicts, reversed, "no order of arrival shows through");
    verdicts
}

fn load(on: i64) -> Told {
    act(Verb::Load, "CNSHA", day(on)).laden()
}

fn out(on: i64) -> Told {
    act(Verb::GateOut, "CNSHA", day(on)).empty()
}

fn returned(on: i64) -> Told {
    act(Verb::GateIn, "USLAX", day(on)).empty()
}

fn booked(told: Told, booking: &str) -> Told {
    told.with(|report| report.references.bookings.push(booking.into()))
}

fn for_line(told: Told, line: &str) -> Told {
    let line = Scac::parse(line).unwrap();
    told.with(|report| report.references.scac = Some(line))
}

#[test]
fn a_claim_is_bound_by_the_bill_it_names_however_it_is_written() {
    for (named, ours) in [
        ("B1", true),
        ("b-1", true),
        ("MSCUB1", true),
        ("B2", false),
        ("HLCUB1", false),
    ] {
        assert_eq!(
            of_bill("B1", &[], &[load(5).bill(named)]),
            [ours],
            "{named}"
        );
        assert_eq!(
            of_bill("MSCUB1", &[], &[load(5).bill(named)]),
            [ours],
            "{named}"
        );
    }
}

#[test]
fn a_claim_that_names_the_bill_tells_its_booking_too() {
    let told = [
        booked(load(5), "K1"),
        booked(load(3).bill("B1"), "K1"),
        booked(load(4), "K2"),
        // Shipped on another bill under the same booking.
        booked(load(6).bill("B2"), "K1"),
    ];
    assert_eq!(of_bill("B1", &[], &told), [true, true, false, false]);
}

#[test]
fn another_lines_bill_of_the_same_number_is_another_bill() {
    for (line, kind, ours) in [
        ("MSCU", SourceKind::X12_315, true),
        ("HLCU", SourceKind::X12_315, false),
        ("HLCU", SourceKind::Iftsta, false),
        // A railroad names itself.
        ("BNSF", SourceKind::X12_322, true),
    ] {
        let told = for_line(load(5).bill("B1").from("feed", kind), line);
        assert_eq!(of_bill("B1", &[], &[told]), [ours], "{line} {kind:?}");
    }
}

/// Hauliers and railroads have numbers of their own, which they send as bills.
#[test]
fn what_a_haulier_or_a_railroad_calls_a_bill_hides_nothing_and_binds_nothing() {
    let line = [booked(load(5).bill("B1"), "K1")];
    for (kind, ours) in [
        (SourceKind::X12_214, true),
        (SourceKind::X12_322, true),
        (SourceKind::Clm, true),
        (SourceKind::RailApi, true),
        (SourceKind::Codeco, false),
        (SourceKind::X12_315, false),
    ] {
        let said = act(Verb::GateOut, "USLAX", day(20)).laden();
        let said = said.from("other", kind).bill("LOAD5001");
        let beside = booked(said.clone(), "K1");
        let foreign = booked(said.clone(), "K9");
        let judged = of_bill("B1", &line, &[said.clone(), beside, foreign]);
        assert_eq!(judged, [ours, ours, false], "{kind:?}");
    }
    // Its number is no bill of ours, beside which that of the line would be another's.
    let hauled = booked(
        load(6).from("other", SourceKind::X12_214).bill("LOAD5001"),
        "K1",
    );
    let told = [booked(load(5).bill("B1"), "K1")];
    assert_eq!(judged(NumberKind::Booking, "K1", &[hauled], &told), [true]);
    // One that the line names, too, is a bill.
    let theirs = load(5).bill("B2");
    let said = act(Verb::GateOut, "USLAX", day(20)).laden();
    let said = said.from("other", SourceKind::X12_214).bill("B2");
    assert_eq!(of_bill("B1", &line, &[theirs, said]), [false, false]);
}

/// What is told of the box on a bill, once others' claims are away and hauliers' and railroads' own numbers forgotten.
fn told_on_bill(bill: &str, told: &[Told]) -> Vec<String> {
    let ours = of_bill(bill, &[], told);
    let mut reports = reports(told);
    let lines = [Scac::parse(LINE).unwrap()];
    let followed = Followed {
        kind: NumberKind::BillOfLading,
        number: bill,
        lines: &lines,
        since: None,
    };
    forget_own_numbers(followed, reports.iter_mut());
    let kept = reports.into_iter().zip(ours);
    let kept: Vec<Report> = kept
        .filter_map(|(told, ours)| ours.then_some(told))
        .collect();
    let state = container_state(number(), &kept, &gazetteer(), Trust::USUAL, day(100));
    events(&state)
}

/// Found by a reader: the next import's train was told on our bill, with an arrival inland and a gate-out that were not ours.
#[test]
fn a_train_that_takes_up_the_box_weeks_after_a_truck_took_it_away_is_the_next_trips() {
    let by_rail = |kind, bill: &str, from: i64| {
        let rail = |verb, port, on: i64| {
            let told = act(verb, port, day(from + on)).by(Mode::Rail).laden();
            told.from("rail", kind).bill(bill)
        };
        let out = truck(Verb::GateOut, "USCHI", from + 6).laden();
        vec![
            rail(Verb::Load, "USLAX", 0),
            rail(Verb::Depart, "USLAX", 1),
            rail(Verb::Arrive, "USCHI", 5),
            rail(Verb::Discharge, "USCHI", 5),
            out.from("rail", kind).bill(bill),
        ]
    };
    let ours = on_bill(import(), "B1");
    let alone = told_on_bill("B1", &ours);
    assert!(alone.contains(&"full_out USLAX".to_owned()), "{alone:?}");
    for kind in [SourceKind::X12_322, SourceKind::Clm, SourceKind::RailApi] {
        let next = [ours.clone(), by_rail(kind, "WB77", 60)].concat();
        assert_eq!(told_on_bill("B1", &next), alone, "{kind:?}");
        // Nor what goes on from there under further numbers of their own.
        let goes_on = truck(Verb::Dropoff, "USCHI", 67).laden();
        let goes_on = goes_on.from("haul", SourceKind::X12_214).bill("LOAD9");
        let further = [next.clone(), vec![goes_on]].concat();
        assert_eq!(told_on_bill("B1", &further), alone, "{kind:?}");
        // Where the line plans to go on by rail it is ours, however late.
        let planned = pln(Verb::Arrive, "USCHI", day(24))
            .by(Mode::Rail)
            .laden()
            .bill("B1");
        let late = [vec![planned], next].concat();
        let told = told_on_bill("B1", &late);
        assert!(told.contains(&"rail_arrived USCHI".to_owned()), "{told:?}");
        // Nor need the line say by what, where it names the town: as a plan, or as what happened there.
        let named = |told: Told| told.laden().bill("B1");
        for onward in [
            named(pln(Verb::Arrive, "USCHI", day(24))),
            named(pln(Verb::Eta, "USCHI", day(24))),
            named(pln(Verb::GateOut, "USCHI", day(26)).by(Mode::Truck)),
            named(act(Verb::Arrive, "USCHI", day(33))),
            named(truck(Verb::Dropoff, "USCHI", 36)),
        ] {
            let late = by_rail(kind, "WB77", 28);
            let late = [ours.clone(), vec![onward], late].concat();
            let told = told_on_bill("B1", &late);
            assert!(told.contains(&"rail_arrived USCHI".to_owned()), "{told:?}");
        }
        // Another town is none to which this train brings it.
        let elsewhere = named(truck(Verb::Dropoff, "USOAK", 20));
        let ours_elsewhere = [ours.clone(), vec![elsewhere]].concat();
        let alone = told_on_bill("B1", &ours_elsewhere);
        let next = [ours_elsewhere, by_rail(kind, "WB77", 60)].concat();
        assert_eq!(told_on_bill("B1", &next), alone, "{kind:?}");
        // A waybill of ours is no paper that hides it.
        let on = [ours[..2].to_vec(), by_rail(kind, "WB77", 18)].concat();
        let told = told_on_bill("B1", &on);
        assert!(told.contains(&"rail_arrived USCHI".to_owned()), "{told:?}");
        assert!(told.contains(&"full_out USCHI".to_owned()), "{told:?}");
        // Nor where it is driven to the ramp.
        let driven = [ours.clone(), by_rail(kind, "WB77", 22)].concat();
        let told = told_on_bill("B1", &driven);
        assert!(told.contains(&"rail_arrived USCHI".to_owned()), "{told:?}");
    }
}

/// Found by a reader: behind a next trip that is proven, a load of a haulier's own was ours again.
#[test]
fn a_hauliers_own_number_is_theirs_once_their_trip_has_begun() {
    let ours = on_bill(import(), "B1");
    let emptied = booked(truck(Verb::GateOut, "USLAX", 21).empty(), "EXP9");
    let hauled = |on: i64| {
        let gate = truck(Verb::GateIn, "USLAX", on).laden();
        gate.from("haul", SourceKind::X12_214).bill("LOAD5")
    };
    let told = [ours, vec![emptied, hauled(23)]].concat();
    let judged = of_bill("B1", &[], &told);
    assert_eq!(judged[3..], [false, false]);
}

#[test]
fn what_a_railroad_told_before_the_empty_of_a_planned_load_went_out_is_of_the_goods_before() {
    let rail = |verb, on| {
        let told = act(verb, "USCHI", day(on)).by(Mode::Rail).laden();
        told.from("rail", SourceKind::Clm).bill("WB66")
    };
    let before = [rail(Verb::Arrive, 0), rail(Verb::Discharge, 0)];
    let planned = pln(Verb::Load, "USLAX", day(6)).aboard(FIRST).laden();
    let export = on_bill(
        vec![planned, truck(Verb::GateOut, "USLAX", 4).empty()],
        "B1",
    );
    let told = [export, before.to_vec()].concat();
    assert_eq!(of_bill("B1", &[], &told), [true, true, false, false]);
    // An import whose empty is fetched from the consignee is told until then.
    let planned = pln(Verb::Load, "CNSHA", day(-20)).aboard(FIRST).laden();
    let fetched = truck(Verb::Pickup, "USCHI", 4).empty();
    let import = on_bill(vec![planned, fetched], "B1");
    let told = [import, before.to_vec()].concat();
    assert_eq!(of_bill("B1", &[], &told), [true; 4]);
}

#[test]
fn a_booking_in_the_place_of_a_bill_is_our_booking() {
    let line = [booked(load(5).bill("B1"), "K1")];
    let gate = || {
        act(Verb::GateIn, "CNSHA", day(4))
            .laden()
            .from("pier", SourceKind::Codeco)
    };
    assert_eq!(of_bill("B1", &line, &[gate().bill("K1")]), [true]);
    assert_eq!(of_bill("B1", &line, &[booked(gate(), "B1")]), [true]);
    // And is not taken for a bill from then on.
    let told = [booked(load(5).bill("B1"), "K1")];
    let judged = judged(NumberKind::Booking, "K1", &[gate().bill("K1")], &told);
    assert_eq!(judged, [true]);
    // In whatever order they came.
    let both = gate().bill("B1").bill("K1");
    let told = [both, booked(gate().bill("B1"), "K1"), booked(gate(), "K9")];
    assert_eq!(of_bill("B1", &[], &told), [true, true, false]);
}

#[test]
fn without_a_paper_only_the_time_of_the_journey_counts() {
    let journey = [
        pln(Verb::Load, "CNSHA", day(10)).laden().bill("B1"),
        out(9).bill("B1"),
        load(12).bill("B1"),
    ];
    for (on, ours) in [(1, false), (2, true), (9, true), (300, true)] {
        assert_eq!(of_bill("B1", &journey, &[load(on)]), [ours], "day {on}");
    }
    let mut ended = journey.to_vec();
    ended.push(returned(50).bill("B1"));
    for (on, ours) in [(1, false), (49, true), (51, true), (52, false)] {
        assert_eq!(of_bill("B1", &ended, &[load(on)]), [ours], "day {on}");
    }
    // An empty box that went out again has not ended its journey.
    ended.push(load(60).bill("B1"));
    assert_eq!(of_bill("B1", &ended, &[load(55)]), [true]);
}

#[test]
fn a_box_that_the_bill_does_not_have_is_not_ours() {
    assert_eq!(of_bill("B1", &[], &[load(5)]), [false]);
    let journey = [load(5).bill("B1")];
    assert_eq!(
        of_bill("B1", &[], &[journey[0].clone(), load(6)]),
        [true, true]
    );
    let nobody = load(6).of_bill();
    assert_eq!(
        of_bill("B1", &journey, &[nobody]),
        [false],
        "it names nothing at all"
    );
}

#[test]
fn a_box_tracked_by_its_number_alone_is_on_its_last_journey() {
    let told = [load(2), returned(20), out(40), load(45)];
    let verdicts = judged(NumberKind::Container, BOX, &[], &told);
    assert_eq!(verdicts, [false, false, true, true]);
    let verdicts = judged(NumberKind::Container, BOX, &[], &told[..1]);
    assert_eq!(verdicts, [true], "nothing is known against it");
}

#[test]
fn a_box_that_is_asked_for_by_its_number_is_on_a_journey_that_began_not_long_ago() {
    let asked = |since| {
        let told = [load(5), load(40)];
        judged_since(since, NumberKind::Container, BOX, &[], &told)
    };
    assert_eq!(asked(None), [true, true]);
    assert_eq!(asked(Some(day(30))), [false, true]);
    // What its line answers tells when its journey began.
    let answered = judged_since(
        Some(day(30)),
        NumberKind::Container,
        BOX,
        &[out(4)],
        &[load(5), load(40)],
    );
    assert_eq!(answered, [true, true]);
    // An empty pick-up before that was of another journey, or of a long one: it opens nothing by itself.
    let picked = judged_since(
        Some(day(30)),
        NumberKind::Container,
        BOX,
        &[],
        &[out(4), load(5), load(40)],
    );
    assert_eq!(picked, [false, false, true]);
}

#[test]
fn a_claim_that_was_taken_back_puts_no_box_on_a_bill() {
    let lines = [Scac::parse(LINE).unwrap()];
    let followed = Followed {
        kind: NumberKind::BillOfLading,
        number: "B1",
        lines: &lines,
        since: None,
    };
    let (named, seen) = (load(5).bill("B1").0, load(6).0);
    for stands in [true, false] {
        let named = Unasked {
            claim: &named,
            stands,
        };
        let seen = Unasked {
            claim: &seen,
            stands: true,
        };
        assert_eq!(
            bound(followed, &[], &[named, seen], &gazetteer()),
            [true, stands]
        );
    }
}

/// Under papers that nobody named yet, as a rule.
fn import() -> Vec<Told> {
    vec![
        act(Verb::Load, "CNSHA", day(5)).aboard(FIRST).laden(),
        act(Verb::Discharge, "USLAX", day(16)).aboard(FIRST).laden(),
        truck(Verb::GateOut, "USLAX", 19).laden(),
    ]
}

fn export() -> Vec<Told> {
    vec![
        truck(Verb::GateOut, "USLAX", 21).empty(),
        truck(Verb::GateIn, "USLAX", 23).laden(),
        act(Verb::Load, "USLAX", day(25)).aboard(SECOND).laden(),
    ]
}

fn truck(verb: Verb, port: &str, on: i64) -> Told {
    act(verb, port, day(on)).by(Mode::Truck)
}

fn all(told: Vec<Told>, name: impl Fn(Told) -> Told) -> Vec<Told> {
    told.into_iter().map(name).collect()
}

fn on_bill(told: Vec<Told>, bill: &str) -> Vec<Told> {
    all(told, |told| told.bill(bill))
}

fn on_booking(told: Vec<Told>, booking: &str) -> Vec<Told> {
    all(told, |told| booked(told, booking))
}

/// Of ours and of what came besides, the first is ours and nothing of the second.
fn only_ours(kind: NumberKind, number: &str, ours: &[Told], theirs: &[Told], name: &str) {
    let told = [ours, theirs].concat();
    let wanted = [vec![true; ours.len()], vec![false; theirs.len()]].concat();
    assert_eq!(judged(kind, number, &[], &told), wanted, "{name}");
    let verdicts = judged(kind, number, ours, theirs);
    assert_eq!(
        verdicts,
        vec![false; theirs.len()],
        "{name}, ours asked for"
    );
}

#[test]
fn the_next_shippers_export_under_a_number_that_nobody_tied_to_ours_is_not_ours() {
    let ours = on_bill(import(), "B1");
    let bill =
        |theirs: &[Told], name| only_ours(NumberKind::BillOfLading, "B1", &ours, theirs, name);
    let next = on_booking(export(), "K2");
    bill(&next, "it names only its booking");
    bill(&next[1..], "the empty was not told");
    bill(&next[1..2], "only the gate");
    bill(&next[2..], "only the load");
    bill(&next[..1], "only the empty");
    let mut both = next.clone();
    both[0] = both[0].clone().bill("B2");
    bill(&both, "its empty names a bill, too");
    let mut silent = next.clone();
    silent.extend(all(export(), |told| told.from("quay", SourceKind::Coarri)).split_off(2));
    bill(&silent, "the terminal names no papers");
    let mut third = next.clone();
    third.push(booked(truck(Verb::GateOut, "KRPUS", 45).empty(), "K3"));
    bill(&third, "and another one behind it");
    let mut by_ship = import();
    by_ship[1] = act(Verb::Arrive, "USLAX", day(16)).aboard(FIRST).of_bill();
    let asked = on_bill(by_ship, "B1");
    assert_eq!(
        of_bill("B1", &asked, &next),
        [false; 3],
        "only the ship's arrival was told"
    );
    let booked_import = on_booking(import(), "K1");
    only_ours(
        NumberKind::Booking,
        "K1",
        &booked_import,
        &on_bill(export(), "B2"),
        "a booking is followed, and the next trip names a bill",
    );
}

#[test]
fn the_goods_that_were_in_the_box_before_our_pick_up_are_not_ours() {
    for (kind, number, ours, theirs) in [
        (
            NumberKind::Booking,
            "K2",
            on_booking(export(), "K2"),
            on_bill(import(), "B1"),
        ),
        (
            NumberKind::BillOfLading,
            "B2",
            on_bill(export(), "B2"),
            on_booking(import(), "K1"),
        ),
    ] {
        only_ours(kind, number, &ours, &theirs, "what came before");
        let back = truck(Verb::GateIn, "USLAX", 20).empty();
        let back = [back.clone().bill("B0"), booked(back, "K0")];
        let back = if kind == NumberKind::Booking {
            &back[..1]
        } else {
            &back[1..]
        };
        only_ours(kind, number, &ours, back, "the return of the empty");
    }
}

/// The line tells of our trip under a number that we do not know yet.
#[test]
fn our_own_trip_under_a_number_that_nobody_tied_to_ours_stays_ours() {
    let ours = |story: &[Told], name: &str| {
        let told = [story, &[load(5).bill("B1")]].concat();
        let wanted = vec![true; told.len()];
        assert_eq!(of_bill("B1", &[], &told), wanted, "{name}");
    };
    let onward = vec![
        act(Verb::Load, "KRPUS", day(12)).aboard(SECOND).laden(),
        act(Verb::Discharge, "USLAX", day(24))
            .aboard(SECOND)
            .laden(),
        truck(Verb::GateOut, "USLAX", 26).laden(),
        truck(Verb::GateIn, "USLAX", 29).empty(),
    ];
    let landed = act(Verb::Discharge, "KRPUS", day(9)).aboard(FIRST).laden();
    let mut hub = vec![landed.bill("B1")];
    hub.extend(on_booking(onward, "K1"));
    ours(&hub, "behind a hub");
    let emptied = booked(truck(Verb::GateOut, "USLAX", 40).empty(), "K1");
    let emptied = [&hub[..hub.len() - 1], &[emptied]].concat();
    ours(&emptied, "behind a hub, and the empty left the customer");
    hub.push(truck(Verb::GateOut, "KRPUS", 10).laden().bill("B1"));
    hub.push(booked(truck(Verb::GateIn, "KRPUS", 11).laden(), "K1"));
    ours(&hub, "driven between the terminals of the hub");
    let collected = on_bill(import(), "B1");
    let driven = [
        booked(truck(Verb::GateOut, "USLAX", 21).empty(), "K1"),
        booked(truck(Verb::GateIn, "USLAX", 22).empty(), "K1"),
    ];
    ours(
        &[&collected[..], &driven].concat(),
        "the empty is driven to the depot",
    );
    let gate = |on| booked(truck(Verb::GateIn, "USLAX", on).laden(), "K1");
    let yard = gate(30).facility(FacilityType::OffDock);
    for into in [gate(20), yard] {
        let driven = [&collected[..], &[into]].concat();
        ours(&driven, "the goods are driven to a yard");
    }
    let mut told = on_bill(import(), "B1")[..2].to_vec();
    told.push(booked(truck(Verb::GateOut, "USLAX", 19).laden(), "K1"));
    told.push(booked(truck(Verb::GateOut, "USLAX", 24).empty(), "K1"));
    ours(&told, "who collected the goods tells of the empty");
    told[2] = booked(load(5), "K1");
    ours(&told, "who loaded the goods tells of the empty");
}

/// A forwarder tells of the way inland under his own number, and what he tells last is the empty that leaves the consignee.
/// Another bill's words are not ours, but what is told without papers is cut off by the next trip alone.
#[test]
fn an_empty_that_leaves_at_the_end_of_the_way_inland_begins_no_other_trip() {
    let left = truck(Verb::GateOut, "USCHI", 26).empty();
    // Whoever takes the empty back knows no papers.
    let back = truck(Verb::GateIn, "USCHI", 31).empty();
    let ours = |inland: Vec<Told>, name: &str| {
        let inland = [inland, vec![left.clone()]].concat();
        for landed in [&import()[..2], &import()[..]] {
            for (inland, bound) in [
                (on_bill(inland.clone(), "H1"), false),
                (on_booking(inland.clone(), "K1"), true),
            ] {
                let mut wanted = vec![true; landed.len()];
                wanted.extend(vec![bound; inland.len()]);
                wanted.push(true);
                let landed = on_bill(landed.to_vec(), "B1");
                let told = [landed, inland, vec![back.clone()]].concat();
                assert_eq!(of_bill("B1", &[], &told), wanted, "{name}, {bound}");
            }
        }
    };
    let by_rail = |verb, port, on| act(verb, port, day(on)).by(Mode::Rail).laden();
    let rail = vec![
        by_rail(Verb::Depart, "USLAX", 20),
        by_rail(Verb::Arrive, "USCHI", 23),
        truck(Verb::GateOut, "USCHI", 24).laden(),
    ];
    ours(rail.clone(), "by rail");
    ours(rail[1..].to_vec(), "by rail, from the ramp on");
    let door = truck(Verb::Dropoff, "USCHI", 24).laden();
    ours(vec![door], "delivered");
}

/// Goods that went into a terminal before are another's, also where nobody told of the empty that was fetched for them.
#[test]
fn an_empty_behind_goods_that_went_aboard_ends_another_trip() {
    let ours = on_bill(import(), "B1");
    let emptied = truck(Verb::GateOut, "KRPUS", 45).empty();
    let back = truck(Verb::GateIn, "KRPUS", 60).empty();
    let theirs = |story: Vec<Told>| {
        let told = [story, vec![emptied.clone()]].concat();
        [on_booking(told, "K2"), vec![back.clone()]].concat()
    };
    let bill =
        |theirs: &[Told], name| only_ours(NumberKind::BillOfLading, "B1", &ours, theirs, name);
    let landed = act(Verb::Discharge, "KRPUS", day(40))
        .aboard(SECOND)
        .laden();
    bill(&theirs(vec![landed.clone()]), "landed elsewhere");
    bill(
        &theirs(vec![truck(Verb::GateIn, "USLAX", 24).laden()]),
        "only the gate",
    );
    let rail = act(Verb::Arrive, "USLAX", day(28)).by(Mode::Rail).laden();
    bill(&theirs(vec![rail]), "brought to the port by rail");
}
