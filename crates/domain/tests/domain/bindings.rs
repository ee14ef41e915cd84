//! Which claims that came unasked belong to a shipment.

use domain::binding::{Followed, Unasked, bound};
use domain::codes::Scac;
use domain::report::{Report, SourceKind, Verb};
use domain::tracking_request::NumberKind;
use jiff::Timestamp;

use crate::telling::{BOX, Told, act, day, pln, reports};

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
    let verdicts = bound(followed, &asked, &forward);
    let mut reversed = bound(followed, &asked, &backward);
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
        assert_eq!(bound(followed, &[], &[named, seen]), [true, stands]);
    }
}
