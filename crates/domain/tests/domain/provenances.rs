//! Who said a value, and why what else was said does not count.

use domain::container::{Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner};
use domain::event::EventName;
use domain::provenance::{Backing, Basis, Part, Provenance, Subject, Verdict};
use domain::report::{Doubt, FacilityType, Mode, Report, SourceKind, Value, Verb};
use domain::timeline;
use domain::trust::Trust;
use jiff::Timestamp;

use crate::telling::*;

/// What each statement of a value comes to: `source verdict`, those that stand first.
fn weighed(told: &[Told], now: Timestamp, subject: impl Fn(&Subject) -> bool) -> Vec<String> {
    let reports = reports(told);
    let provenance = explained(&reports, now);
    let backing = found(&provenance, subject);
    let all = backing.standing.iter().chain(&backing.others);
    all.map(|s| format!("{} {:?}", s.report.source, s.verdict))
        .collect()
}

fn explained(reports: &[Report], now: Timestamp) -> Provenance<'_> {
    timeline::provenance(number(), reports, &gazetteer(), Trust::USUAL, now).1
}

fn found<'p, 'a>(
    provenance: &'p Provenance<'a>,
    subject: impl Fn(&Subject) -> bool,
) -> &'p Backing<'a> {
    let mut backings = provenance.backings.iter();
    backings.find(|backing| subject(&backing.subject)).unwrap()
}

fn of(event: EventName) -> impl Fn(&Subject) -> bool {
    move |subject| matches!(subject, Subject::Milestone(slot) if slot.event == event)
}

fn is(wanted: Subject) -> impl Fn(&Subject) -> bool {
    move |subject| *subject == wanted
}

fn discharge(source: &str, kind: SourceKind, when: Timestamp) -> Told {
    act(Verb::Discharge, "USLAX", when)
        .aboard(FIRST)
        .laden()
        .from(source, kind)
}

#[test]
fn a_milestone_names_who_won_and_why_the_others_lost() {
    let mut story = direct()[..7].to_vec();
    story.push(discharge("quay", SourceKind::Coarri, at(20, 15)));
    story.push(discharge("line", SourceKind::Dcsa2, at(20, 16)).terminal("APM"));
    story.push(discharge("hub", SourceKind::X12_315, at(22, 3)));
    story.push(discharge("quay2", SourceKind::Coarri, at(20, 15)).dated());
    let lost = weighed(&story, day(60), of(EventName::VesselDischarged));
    assert_eq!(
        lost,
        [
            "quay Stands",
            "line Outranked",
            "hub Outranked",
            "quay2 Coarser"
        ]
    );
    let reports = reports(&story);
    let provenance = explained(&reports, day(60));
    let backing = found(&provenance, of(EventName::VesselDischarged));
    assert_eq!(backing.basis, Basis::Reported);
    let ranks: Vec<Option<u8>> = backing.standing.iter().map(|s| s.rank).collect();
    assert_eq!(
        ranks,
        [Some(1), Some(2)],
        "the line is asked for the terminal"
    );
    assert_eq!(backing.standing[0].gives, [Part::Time, Part::Vessel]);
    assert_eq!(backing.standing[1].gives, [Part::Terminal]);
    let contradicting = backing.others.iter().filter(|s| s.contradicts);
    let sources: Vec<&str> = contradicting.map(|s| s.report.source.as_str()).collect();
    assert_eq!(sources, ["hub"]);
}

#[test]
fn confidence_is_that_of_the_source_unless_others_agree_or_contradict() {
    let mut story = direct()[..7].to_vec();
    let sure = |told: &[Told]| {
        let reports = reports(told);
        let provenance = explained(&reports, day(60));
        found(&provenance, of(EventName::VesselDischarged)).confidence()
    };
    story.push(discharge("hub", SourceKind::X12_315, at(20, 15)).dated());
    assert_eq!(sure(&story), Some(40));
    story.push(discharge("hub", SourceKind::X12_315, at(20, 16)).id("b"));
    assert_eq!(sure(&story), Some(60));
    story.push(discharge("line", SourceKind::Dcsa2, at(21, 4)));
    assert_eq!(sure(&story), Some(80));
    story.push(discharge("quay", SourceKind::Coarri, at(20, 12)));
    assert_eq!(sure(&story), Some(90));
    story.push(discharge("quay2", SourceKind::Coarri, at(20, 11)));
    assert_eq!(sure(&story), Some(100));
    story.push(discharge("forwarder", SourceKind::Iftsta, at(23, 0)));
    assert_eq!(sure(&story), Some(80), "somebody says another day");
}

#[test]
fn a_date_by_a_better_source_loses_to_a_time_of_that_day() {
    let mut story = direct()[..7].to_vec();
    story.push(discharge("quay", SourceKind::Coarri, at(20, 15)).dated());
    story.push(discharge("hub", SourceKind::X12_315, at(20, 15)));
    let lost = weighed(&story, day(60), of(EventName::VesselDischarged));
    assert_eq!(lost, ["hub Stands", "quay Coarser"]);
}

#[test]
fn a_correction_and_what_it_corrects_are_told_apart() {
    let mut story = direct()[..7].to_vec();
    let first = discharge("line", SourceKind::Dcsa2, at(20, 15)).id("d");
    let second = discharge("line", SourceKind::Dcsa2, at(20, 18)).id("d");
    story.extend([first, second]);
    let reports = reports(&story);
    let provenance = explained(&reports, day(60));
    let backing = found(&provenance, of(EventName::VesselDischarged));
    assert_eq!(backing.basis, Basis::Corrected);
    assert_eq!(
        backing.standing[0].report.occurred.as_ref().unwrap().at,
        at(20, 18)
    );
    assert_eq!(backing.others[0].verdict, Verdict::Corrected);
    assert_eq!(backing.others.len(), 1);
}

#[test]
fn what_was_taken_back_stands_beside_the_milestone_it_was_about() {
    let mut story = direct();
    let wrong = discharge("quay", SourceKind::Coarri, at(21, 15)).id("q");
    story.extend([
        wrong,
        retract("q", at(22, 0)).from("quay", SourceKind::Coarri),
    ]);
    let lost = weighed(&story, day(60), of(EventName::VesselDischarged));
    assert_eq!(lost, ["line Stands", "quay Retracted"]);
    // Where nothing of the kind stands it is not lost either.
    story.retain(|told| told.0.verb != Verb::Discharge || told.0.source == "quay");
    let reports = reports(&story);
    let provenance = explained(&reports, day(60));
    let aside: Vec<Verdict> = provenance.set_aside.iter().map(|s| s.verdict).collect();
    assert_eq!(aside, [Verdict::Retracted]);
}

#[test]
fn a_claim_told_on_the_side_waits_and_is_derived_when_it_stands() {
    let mut story = direct()[..5].to_vec();
    let aside = act(Verb::Arrive, "USLAX", at(20, 5))
        .aboard(FIRST)
        .from("hub", SourceKind::X12_315)
        .with(|r| r.doubts.push(Doubt::Derived));
    story.push(aside);
    let arrived = of(EventName::VesselArrived);
    let reports = reports(&story);
    let provenance = explained(&reports, day(60));
    assert_eq!(found(&provenance, &arrived).basis, Basis::Derived);
    story.push(direct()[6].clone());
    assert_eq!(
        weighed(&story, day(60), arrived),
        ["line Stands", "hub Waits"]
    );
}

#[test]
fn a_silent_terminal_is_marked_where_it_spoke() {
    let terminal = |verb, when| act(verb, "USLAX", when).from("yard", SourceKind::TerminalApi);
    let mut story = direct()[..8].to_vec();
    story.push(terminal(Verb::Available, at(21, 0)));
    story.push(act(Verb::NotAvailable, "USLAX", at(21, 5)));
    let reports = reports(&story);
    for (now, stale) in [(at(21, 20), false), (at(23, 0), true)] {
        let provenance = explained(&reports, now);
        let available = found(&provenance, is(Subject::Available));
        assert_eq!(available.stale, stale, "{now}");
        assert_eq!(available.others[0].verdict, Verdict::Outranked);
        assert!(!found(&provenance, of(EventName::VesselDischarged)).stale);
    }
}

#[test]
fn each_hold_that_stands_has_its_own_witness() {
    let hold = |name| {
        Value::Hold(Hold {
            name,
            status: HoldStatus::Hold,
            description: None,
        })
    };
    let yard = |verb, when| act(verb, "USLAX", when).from("yard", SourceKind::TerminalApi);
    let mut story = direct()[..8].to_vec();
    story.push(act(Verb::HoldSet, "USLAX", at(19, 0)).worth(hold(HoldName::Freight)));
    story.push(yard(Verb::HoldSet, at(21, 0)).worth(hold(HoldName::Customs)));
    story.push(yard(Verb::HoldSet, at(21, 1)).worth(hold(HoldName::Usda)));
    story.push(yard(Verb::HoldClear, at(21, 2)).worth(hold(HoldName::Usda)));
    let words = weighed(&story, at(21, 3), is(Subject::Holds));
    assert_eq!(
        words,
        ["yard Stands", "yard Older", "yard Older", "line Outranked"]
    );
    story.push(yard(Verb::HoldClear, at(21, 4)).worth(hold(HoldName::Customs)));
    let words = weighed(&story, at(21, 5), is(Subject::Holds));
    assert_eq!(
        words[0], "yard Stands",
        "that there is none is somebody's word, too"
    );
}

#[test]
fn a_last_free_day_names_the_word_of_its_owner_and_days_of_an_earlier_visit() {
    let told = |date: &str, when| {
        let day = LastFreeDay {
            date: date.parse().unwrap(),
            zone: None,
        };
        act(Verb::LastFreeDay, "USLAX", when)
            .from("yard", SourceKind::TerminalApi)
            .worth(Value::LastFreeDay(LfdOwner::Terminal, day))
    };
    let mut story = direct()[..8].to_vec();
    story.push(told("2026-03-25", at(21, 0)));
    story.push(told("2026-03-26", at(22, 0)));
    story.push(told("2026-03-02", at(22, 5)));
    let words = weighed(
        &story,
        day(23),
        is(Subject::LastFreeDay(LfdOwner::Terminal)),
    );
    assert_eq!(words, ["yard Stands", "yard EarlierVisit", "yard Older"]);
    let reports = reports(&story);
    let mut provenance = explained(&reports, day(23));
    provenance.conceal(&Subject::LastFreeDay(LfdOwner::Terminal));
    assert!(
        provenance
            .of(&Subject::LastFreeDay(LfdOwner::Terminal))
            .is_none()
    );
    assert!(provenance.of(&Subject::Status).is_some());
}

#[test]
fn an_estimate_names_what_else_is_expected_and_what_came_too_late() {
    let mut story = direct()[..6].to_vec();
    let edi = est(Verb::Arrive, "USLAX", at(19, 20))
        .aboard(FIRST)
        .issued(at(11, 0));
    story.push(edi.from("hub", SourceKind::X12_315));
    let eta = is(Subject::Estimate(EventName::EstimatedVesselArrived));
    let words = weighed(&story, at(12, 0), eta);
    // Newest issue first, and a plan below any estimate.
    assert_eq!(words, ["line Stands", "hub Older", "line Outranked"]);
}

#[test]
fn the_return_that_was_none_and_the_other_journey_are_named() {
    let mut story = direct();
    let yard = act(Verb::GateIn, "USLAX", at(23, 12))
        .by(Mode::Truck)
        .empty();
    story.insert(9, yard.facility(FacilityType::OffDock));
    let words = weighed(&story, day(60), of(EventName::EmptyIn));
    assert_eq!(
        words,
        ["line Stands", "line Older"],
        "of one place they are one happening"
    );
    story[9] = story[9]
        .clone()
        .with(|r| r.place.locode = Some(place("USOAK")));
    story.insert(
        10,
        act(Verb::GateOut, "USOAK", at(24, 9))
            .by(Mode::Truck)
            .laden(),
    );
    let reports = reports(&story);
    let provenance = explained(&reports, day(60));
    let aside: Vec<Verdict> = provenance.set_aside.iter().map(|s| s.verdict).collect();
    assert_eq!(aside, [Verdict::NoReturn]);
}

#[test]
fn the_status_names_what_it_follows_from() {
    let follows = |told: &[Told]| -> Vec<String> {
        let reports = reports(told);
        let provenance = explained(&reports, day(60));
        let status = found(&provenance, is(Subject::Status));
        assert_eq!(status.basis, Basis::Derived);
        let name = |subject: &Subject| match subject {
            Subject::Milestone(slot) => slot.event.as_str().to_owned(),
            other => format!("{other:?}"),
        };
        status.follows.iter().map(name).collect()
    };
    assert_eq!(follows(&direct()), ["container.transport.empty_in"]);
    assert_eq!(
        follows(&direct()[..6]),
        ["container.transport.vessel_departed"]
    );
    let mut free = direct()[..8].to_vec();
    free.push(act(Verb::Available, "USLAX", at(21, 0)));
    assert_eq!(
        follows(&free),
        [
            "Available",
            "Holds",
            "container.transport.vessel_discharged"
        ]
    );
}

#[test]
fn type_mass_and_seals_name_who_told_them() {
    let mut story = direct();
    let told = |source: &str, kind, on, iso: &str, kg: i64| {
        act(Verb::GateIn, "USLAX", day(on))
            .from(source, kind)
            .with(|r| {
                let gear = r.equipment.as_mut().unwrap();
                gear.iso_type = Some(iso.into());
                gear.gross_kg = Some(kg.into());
                gear.seals = vec!["S1".into()];
            })
    };
    story.push(told("yard", SourceKind::TerminalApi, 20, "22G1", 21_000));
    story.push(told("line", SourceKind::Dcsa2, 3, "45R1", 20_000));
    story.push(told("hub", SourceKind::X12_315, 4, "45", 200));
    let sizes = weighed(&story, day(60), is(Subject::SizeType));
    assert_eq!(sizes, ["line Stands", "yard Outranked", "hub Unusable"]);
    let masses = weighed(&story, day(60), is(Subject::GrossMass));
    assert_eq!(masses, ["yard Stands", "hub Unusable", "line Outranked"]);
    let seals = weighed(&story, day(60), is(Subject::Seals));
    assert_eq!(seals, ["line Stands", "yard Repeats", "hub Repeats"]);
}
