//! Merging, proved by properties: any order, any repetition, any cut into batches gives one state, and whoever
//! replays what was told ends with the milestones that stand.
//!
//! The stories are not random bytes: they are a voyage with its usual troubles, so that reports clash as they
//! do in life. Twenty thousand of them run each time; `PROPTEST_CASES` changes the number, and a failure prints
//! the story that it shrank to.

use std::collections::BTreeSet;

use domain::container::{
    ContainerState, Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner, Slot,
};
use domain::event::{Change, difference};
use domain::provenance::{Part, Subject};
use domain::report::{
    Classifier, FacilityType, Mode, MoveHint, Precision, Report, SourceKind, Value, Verb,
};
use domain::timeline::{self, container_state};
use domain::trust::Trust;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;
use rust_decimal::Decimal;

use crate::telling::*;

/// Cases of each property (three of them share `TRUTHS`); together twenty thousand.
const SHUFFLES: u32 = 9_000;
const REPLAYS: u32 = 6_500;
const TRUTHS: u32 = 1_400;
const PERMUTATIONS: u32 = 200;
const LONG: u32 = 100;

fn cases(count: u32) -> Config {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    Config {
        cases: wanted.and_then(|n| n.parse().ok()).unwrap_or(count),
        failure_persistence: None,
        ..Config::default()
    }
}

const PORTS: [&str; 8] = [
    "CNSHA", "CNSGH", "KRPUS", "SGSIN", "USLAX", "USLGB", "USCHI", "",
];

fn source() -> impl Strategy<Value = (&'static str, SourceKind)> {
    select(vec![
        ("line", SourceKind::Dcsa2),
        ("line", SourceKind::Dcsa2),
        ("line", SourceKind::Dcsa2),
        ("line3", SourceKind::Dcsa3),
        ("api", SourceKind::CarrierApi),
        ("edi", SourceKind::X12_315),
        ("hub", SourceKind::Iftsta),
        ("ramp", SourceKind::X12_322),
        ("truck", SourceKind::X12_214),
        ("road", SourceKind::Clm),
        ("quay", SourceKind::Coarri),
        ("gate", SourceKind::Codeco),
        ("terminal", SourceKind::TerminalApi),
        ("rail", SourceKind::RailApi),
        ("ais", SourceKind::Ais),
        ("people", SourceKind::Manual),
    ])
}

fn classifier() -> impl Strategy<Value = Classifier> {
    prop_oneof![
        5 => Just(Classifier::Actual),
        2 => Just(Classifier::Estimated),
        1 => Just(Classifier::Planned),
    ]
}

/// Moves of a voyage: where and about when they happen when all goes well.
fn scene() -> impl Strategy<Value = (Verb, &'static str, Mode, Option<bool>, i64)> {
    use Mode::{Barge, Rail, Truck, Vessel};
    select(vec![
        (Verb::GateOut, "CNSHA", Truck, Some(false), 1),
        (Verb::GateIn, "CNSHA", Truck, Some(true), 2),
        (Verb::Load, "CNSHA", Vessel, Some(true), 4),
        (Verb::Depart, "CNSHA", Vessel, None, 5),
        (Verb::Arrive, "KRPUS", Vessel, None, 8),
        (Verb::Discharge, "KRPUS", Vessel, Some(true), 8),
        (Verb::Load, "KRPUS", Vessel, Some(true), 11),
        (Verb::Depart, "KRPUS", Vessel, None, 11),
        (Verb::Load, "KRPUS", Barge, Some(true), 10),
        (Verb::Arrive, "USLAX", Vessel, None, 22),
        (Verb::Berth, "USLAX", Vessel, None, 22),
        (Verb::Discharge, "USLAX", Vessel, Some(true), 23),
        (Verb::Discharge, "USLGB", Vessel, Some(true), 23),
        (Verb::Load, "USLAX", Rail, Some(true), 25),
        (Verb::Depart, "USLAX", Rail, None, 26),
        (Verb::Arrive, "USCHI", Rail, None, 30),
        (Verb::Discharge, "USCHI", Rail, Some(true), 30),
        (Verb::Discharge, "USMEM", Rail, Some(true), 28),
        (Verb::Load, "USMEM", Rail, Some(true), 29),
        (Verb::GateOut, "USMEM", Truck, Some(true), 30),
        (Verb::GateOut, "USLAX", Truck, Some(true), 26),
        (Verb::GateOut, "USCHI", Truck, Some(true), 32),
        (Verb::Dropoff, "USCHI", Truck, Some(true), 33),
        (Verb::Strip, "USCHI", Truck, None, 34),
        (Verb::GateIn, "USLAX", Truck, Some(false), 36),
        (Verb::GateIn, "USCHI", Truck, Some(false), 36),
        (Verb::GateOut, "USLAX", Truck, Some(false), 45),
        (Verb::Load, "USLAX", Vessel, Some(true), 50),
        (Verb::Eta, "USLAX", Vessel, None, 22),
    ])
}

fn movement() -> impl Strategy<Value = Told> {
    let where_and_when = (scene(), select(PORTS.to_vec()), 0..100u32, -30..30i64);
    let words = (classifier(), source(), 0..96i64, 0..200i64);
    let ship = (select(vec![Some(FIRST), Some(SECOND), None]), 0..100u32);
    (where_and_when, words, ship, odd()).prop_map(
        |((scene, port, astray, hours), (classifier, source, issued, received), (ship, _), odd)| {
            let (verb, usual, mode, laden, on) = scene;
            let port = if astray < 12 { port } else { usual };
            let when = at(on, 12 + hours);
            let mut report = told(classifier, verb, port, when)
                .from(source.0, source.1)
                .issued(when + SignedDuration::from_hours(issued - 48))
                .received(when + SignedDuration::from_hours(received - 30))
                .by(mode)
                .with(|r| r.equipment.as_mut().unwrap().laden = laden)
                .0;
            if mode == Mode::Vessel {
                report = Told(report)
                    .with(|r| r.leg.vessel_imo = ship.and_then(domain::codes::ImoNumber::parse))
                    .0;
            }
            odd.apply(Told(report))
        },
    )
}

/// What makes a report unlike the next one about the same thing.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each oddity comes alone")]
struct Odd {
    id: Option<u8>,
    issue_missing: bool,
    dated: bool,
    hint: Option<MoveHint>,
    facility: Option<FacilityType>,
    terminal: Option<&'static str>,
    bill_level: bool,
    named: Option<&'static str>,
    mode_missing: bool,
    flag_missing: bool,
    seen: bool,
}

fn odd() -> impl Strategy<Value = Odd> {
    let seldom = |share: u32| (0..100u32).prop_map(move |roll| roll < share);
    let hints = vec![
        None,
        None,
        None,
        None,
        None,
        None,
        Some(MoveHint::Transshipment),
        Some(MoveHint::Import),
        Some(MoveHint::Delivery),
        Some(MoveHint::Export),
        Some(MoveHint::Shifting),
    ];
    let facilities = vec![
        None,
        None,
        None,
        Some(FacilityType::PortTerminal),
        Some(FacilityType::Depot),
        Some(FacilityType::OffDock),
        Some(FacilityType::CustomerLocation),
    ];
    (
        proptest::option::weighted(0.5, 0..12u8),
        (
            seldom(15),
            seldom(15),
            seldom(30),
            seldom(10),
            seldom(8),
            seldom(12),
        ),
        select(hints),
        select(facilities),
        select(vec![None, Some("APM"), Some("TRP")]),
        select(vec![None, None, Some("B1"), Some("B2")]),
    )
        .prop_map(
            |(id, (issue, dated, bill, mode, flag, seen), hint, facility, terminal, named)| Odd {
                id,
                issue_missing: issue,
                dated,
                hint,
                facility,
                terminal,
                bill_level: bill,
                named,
                mode_missing: mode,
                flag_missing: flag,
                seen,
            },
        )
}

impl Odd {
    fn apply(self, told: Told) -> Told {
        let told = if self.dated { told.dated() } else { told };
        let told = if self.seen { told.seen() } else { told };
        told.with(|r| {
            r.source_event_id = self.id.map(|id| id.to_string());
            r.move_hint = self.hint;
            r.place.facility_type = self.facility;
            r.place.facility_code = self.terminal.map(str::to_owned);
            r.references.bills.extend(self.named.map(str::to_owned));
            if self.issue_missing {
                r.reported_at = None;
            }
            if self.mode_missing {
                r.leg.mode = None;
            }
            if self.flag_missing {
                r.equipment.as_mut().unwrap().laden = None;
            }
            if self.bill_level && !matches!(r.verb, Verb::GateIn | Verb::GateOut) {
                r.equipment = None;
            }
        })
    }
}

fn retraction() -> impl Strategy<Value = Told> {
    (0..12u8, source(), -5..60i64, any::<bool>()).prop_map(|(id, source, on, dated)| {
        retract(&id.to_string(), day(on))
            .from(source.0, source.1)
            .with(|r| {
                if !dated {
                    r.reported_at = None;
                }
            })
    })
}

fn reading() -> impl Strategy<Value = Told> {
    let names = vec![HoldName::Customs, HoldName::Freight, HoldName::Other];
    let value = (select(names), 0..9u32, 15..40i8, any::<bool>());
    (value, source(), 18..40i64, 0..24i64).prop_map(
        |((name, what, date, pending), source, on, hour)| {
            let hold = Value::Hold(Hold {
                name,
                status: if pending {
                    HoldStatus::Pending
                } else {
                    HoldStatus::Hold
                },
                description: None,
            });
            let free_until = |owner| {
                let date =
                    jiff::civil::date(2026, 3, 1).saturating_add(jiff::Span::new().days(date));
                Value::LastFreeDay(owner, LastFreeDay { date, zone: None })
            };
            let (verb, value) = match what {
                0 => (Verb::Available, None),
                1 => (Verb::NotAvailable, None),
                2 => (Verb::HoldSet, Some(hold)),
                3 => (Verb::HoldClear, Some(hold)),
                4 => (Verb::HoldClear, None),
                5 => (
                    Verb::Fee,
                    Some(Value::Fee(Fee {
                        kind: FeeKind::Demurrage,
                        amount: (!pending).then(|| Decimal::from(i64::from(date) - 20)),
                        currency: "USD".into(),
                    })),
                ),
                6 => (Verb::LastFreeDay, Some(free_until(LfdOwner::Terminal))),
                7 => (Verb::LastFreeDay, Some(free_until(LfdOwner::Line))),
                _ => (
                    Verb::Appointment,
                    Some(Value::Appointment(at(on + 1, hour))),
                ),
            };
            act(verb, "USLAX", at(on, hour))
                .from(source.0, source.1)
                .with(|r| r.value = value)
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    prop_oneof![
        12 => movement(),
        3 => reading(),
        1 => retraction(),
    ]
    .prop_map(|told| told.0)
}

/// Reports, some of them again with another time: corrections and slips.
fn story(most: usize) -> impl Strategy<Value = Vec<Report>> {
    let again =
        proptest::collection::vec((any::<Index>(), -40..40i64, -20..90i64), 0..=most / 3 + 1);
    (proptest::collection::vec(report(), 1..=most), again).prop_map(|(mut reports, again)| {
        for (index, hours, later) in again {
            let mut other = index.get(&reports).clone();
            if let Some(occurred) = &other.occurred {
                let moved = occurred.at + SignedDuration::from_hours(hours);
                other.occurred = Some(crate::telling::occurred(moved, occurred.precision));
            }
            let issued = other.issued_at() + SignedDuration::from_hours(later);
            other.reported_at = other.reported_at.map(|_| issued);
            other.received_at = other.received_at.max(issued);
            reports.push(other);
        }
        reports
    })
}

/// A box that was landed and goes inland, by way of a ramp that may be the end of its way.
fn inland() -> impl Strategy<Value = Vec<Report>> {
    use Classifier::{Actual, Estimated};
    use Mode::{Rail, Truck};
    let scenes = select(vec![
        (Estimated, Verb::Arrive, "USCHI", Rail, 27),
        (Estimated, Verb::Arrive, "USCHI", Rail, 27),
        (Estimated, Verb::Arrive, "USMEM", Rail, 25),
        (Actual, Verb::Load, "USLAX", Rail, 22),
        (Actual, Verb::Arrive, "USMEM", Rail, 25),
        (Actual, Verb::Discharge, "USMEM", Rail, 25),
        (Actual, Verb::Available, "USMEM", Rail, 25),
        (Actual, Verb::GateOut, "USMEM", Truck, 26),
        (Actual, Verb::Load, "USMEM", Rail, 26),
        (Actual, Verb::Discharge, "USCHI", Rail, 27),
    ]);
    let sources = select(vec![
        ("edi", SourceKind::X12_315),
        ("edi", SourceKind::X12_315),
        ("line", SourceKind::Dcsa2),
        ("road", SourceKind::RailApi),
    ]);
    let when = (-6..18i64, 0..9i64, (0..4u8).prop_map(|roll| roll == 0));
    let one = (scenes, sources, when, any::<bool>());
    let one = one.prop_map(|(scene, source, (hours, issued, dated), says_so)| {
        let (classifier, verb, port, mode, on) = scene;
        let told = told(classifier, verb, port, at(on, hours)).by(mode).laden();
        let told = told.from(source.0, source.1).issued(day(20 + issued));
        let told = if dated { told.dated() } else { told };
        let by_line = source.1 == SourceKind::X12_315 && classifier == Actual;
        let hint = (by_line && says_so).then_some(MoveHint::Delivery);
        told.with(|r| r.move_hint = hint).0
    });
    proptest::collection::vec(one, 3..12).prop_map(|more| {
        let landed = direct().into_iter().take(8).map(|told| told.0);
        landed.chain(more).collect()
    })
}

fn fold(reports: &[Report], now: Timestamp) -> ContainerState {
    container_state(number(), reports, &gazetteer(), Trust::USUAL, now)
}

fn slots(state: &ContainerState) -> BTreeSet<Slot> {
    state.milestones.iter().map(|m| m.slot.clone()).collect()
}

proptest! {
    #![proptest_config(cases(TRUTHS))]

    /// Whoever asks who said it gets the same state, and each value from a claim that says it.
    #[test]
    fn provenance_is_the_same_decision(reports in story(30), later in 0..200i64) {
        let now = day(later);
        let decided = fold(&reports, now);
        let (state, provenance) =
            timeline::provenance(number(), &reports, &gazetteer(), Trust::USUAL, now);
        prop_assert_eq!(&state, &decided);
        for milestone in &state.milestones {
            let backing = provenance.of(&Subject::Milestone(milestone.slot.clone())).unwrap();
            let timed: Vec<_> = backing.standing.iter().collect();
            let first = timed.first().unwrap();
            let says = first.report.occurred.as_ref().map_or(first.report.issued_at(), |o| o.at);
            // What had happened by then may have stood before something else by a time before that.
            let is_by_then = first.report.is_as_of() && milestone.at < says;
            prop_assert!(says == milestone.at || is_by_then);
            prop_assert_eq!(first.report.source_kind, milestone.source);
            let timing = backing.standing.iter().filter(|s| s.gives.contains(&Part::Time));
            prop_assert!(timing.count() <= 1);
        }
        for estimate in &state.estimates {
            let backing = provenance.of(&Subject::Estimate(estimate.event)).unwrap();
            let says = backing.standing[0].report.occurred.as_ref().unwrap().at;
            prop_assert_eq!(says, estimate.at);
        }
        for backing in &provenance.backings {
            let all: Vec<_> = backing.standing.iter().chain(&backing.others).collect();
            for (index, statement) in all.iter().enumerate() {
                let again = all[..index].iter().any(|s| std::ptr::eq(s.report, statement.report));
                prop_assert!(!again, "{:?} names a claim twice", backing.subject);
            }
        }
        let pickup = &state.pickup;
        let said = |subject| provenance.of(&subject).is_some_and(|b| !b.standing.is_empty());
        prop_assert_eq!(pickup.available.is_some(), said(Subject::Available));
        prop_assert_eq!(pickup.lfd_line.is_some(), said(Subject::LastFreeDay(LfdOwner::Line)));
        prop_assert_eq!(
            pickup.lfd_terminal.is_some(),
            said(Subject::LastFreeDay(LfdOwner::Terminal))
        );
        prop_assert_eq!(pickup.appointment.is_some(), said(Subject::Appointment));
        prop_assert!(pickup.holds.is_empty() || said(Subject::Holds));
        prop_assert!(pickup.fees.is_empty() || said(Subject::Fees));
        prop_assert_eq!(pickup.pod_terminal.is_some(), said(Subject::PodTerminal));
    }
}

proptest! {
    #![proptest_config(cases(SHUFFLES))]

    #[test]
    fn any_order_and_any_repetition_give_one_state(
        reports in story(24),
        swaps in proptest::collection::vec((any::<Index>(), any::<Index>()), 0..40),
        repeated in proptest::collection::vec(any::<Index>(), 0..12),
        days in 0..80i64,
    ) {
        let now = day(days);
        let expected = fold(&reports, now);
        let mut shuffled = reports.clone();
        shuffled.extend(repeated.iter().map(|index| index.get(&reports).clone()));
        for (a, b) in &swaps {
            let (a, b) = (a.index(shuffled.len()), b.index(shuffled.len()));
            shuffled.swap(a, b);
        }
        let found = fold(&shuffled, now);
        prop_assert_eq!(format!("{expected:?}"), format!("{found:?}"));
        prop_assert_eq!(slots(&found).len(), found.milestones.len(), "slots are unique");
    }
}

proptest! {
    #![proptest_config(cases(REPLAYS))]

    #[test]
    fn replaying_what_was_told_ends_with_what_stands(
        reports in story(20),
        cuts in proptest::collection::vec(any::<Index>(), 0..6),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(reports.len())).collect();
        ends.push(reports.len());
        ends.sort_unstable();
        let mut standing = BTreeSet::new();
        let mut before: Option<ContainerState> = None;
        for end in ends {
            let after = fold(&reports[..end], day(100));
            for change in difference(before.as_ref(), &after) {
                replay(&mut standing, &change)?;
            }
            prop_assert_eq!(&standing, &slots(&after));
            before = Some(after);
        }
        let whole = fold(&reports, day(100));
        prop_assert_eq!(before, Some(whole), "the cuts leave no trace");
    }
}

proptest! {
    #![proptest_config(cases(TRUTHS))]

    /// Whatever else is told of a ramp on the way, only the line's own word of the delivery there ends the way before a plan.
    #[test]
    fn a_ramp_on_the_way_is_the_end_by_the_lines_word_alone(
        reports in inland(),
        swaps in proptest::collection::vec((any::<Index>(), any::<Index>()), 0..20),
    ) {
        let found = fold(&reports, day(60));
        let mut shuffled = reports.clone();
        for (a, b) in &swaps {
            let (a, b) = (a.index(shuffled.len()), b.index(shuffled.len()));
            shuffled.swap(a, b);
        }
        prop_assert_eq!(&fold(&shuffled, day(60)), &found);
        // A train that came there unplanned may have come to an interchange before the other ramp.
        let is_beyond = |r: &Report| {
            r.place.locode == Some(place("USCHI")) && r.classifier == Classifier::Estimated
        };
        let says_so = |r: &Report| r.move_hint == Some(MoveHint::Delivery);
        if reports.iter().any(is_beyond) && !reports.iter().any(says_so) {
            prop_assert_eq!(found.journey.destination, Some(place("USCHI")));
        }
    }
}

/// Applies one change as a keeper of records would; a record must be there when it is changed.
fn replay(standing: &mut BTreeSet<Slot>, change: &Change) -> Result<(), TestCaseError> {
    match change {
        Change::Stands(m) => prop_assert!(standing.insert(m.slot.clone()), "fired twice"),
        Change::Corrected { before, after } => {
            prop_assert_eq!(&before.slot.event, &after.slot.event);
            let placed = before.slot.place.is_none() != after.slot.place.is_none();
            let leg_apart = before.slot.place == after.slot.place && before.at == after.at;
            prop_assert!(placed || leg_apart || before.slot == after.slot);
            prop_assert!(standing.remove(&before.slot));
            prop_assert!(standing.insert(after.slot.clone()));
        }
        Change::Withdrawn(m) => prop_assert!(standing.remove(&m.slot)),
        Change::Replaced { before, after } => {
            prop_assert!(standing.remove(&before.slot));
            prop_assert!(standing.insert(after.slot.clone()));
        }
        Change::Updated(set) => prop_assert!(!set.is_empty()),
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(TRUTHS))]

    /// Without an actual that was heard in time, no moment ever makes one.
    #[test]
    fn nothing_planned_or_estimated_ever_happened(reports in story(24)) {
        let hoped: Vec<Report> = reports
            .into_iter()
            .filter(|r| !matches!(r.verb, Verb::Available | Verb::NotAvailable))
            .map(|mut r| {
                if r.classifier == Classifier::Actual {
                    r.classifier = Classifier::Estimated;
                }
                r
            })
            .collect();
        for days in [0, 20, 50, 4_000] {
            prop_assert_eq!(&fold(&hoped, day(days)).milestones, &[]);
        }
    }

    /// Every milestone that stands is a claim that somebody made, in the words in which it was made.
    #[test]
    fn every_milestone_was_reported(reports in story(24)) {
        let state = fold(&reports, day(100));
        for milestone in &state.milestones {
            // A lift that had happened by then stands at the time of what must come after it.
            let is_lift = |r: &Report| matches!(r.verb, Verb::Load | Verb::Discharge);
            let at = |r: &Report| r.occurred.as_ref().map(|o| o.at);
            let is_followed = || reports.iter().any(|r| at(r) == Some(milestone.at));
            let claimed = reports.iter().any(|r| {
                let is_by_then = || r.is_as_of() && is_lift(r) && at(r) > Some(milestone.at);
                r.classifier == Classifier::Actual
                    && r.source_kind == milestone.source
                    && (at(r) == Some(milestone.at) || (is_by_then() && is_followed()))
            });
            prop_assert!(claimed, "{milestone:?}");
        }
        let returns = state.milestones.iter().filter(|m| {
            m.slot.event == domain::event::EventName::EmptyIn
        });
        prop_assert!(returns.count() <= 1);
    }

    /// A retraction of every claim leaves nothing, wherever it stands in the order.
    #[test]
    fn what_is_withdrawn_does_not_stand(reports in story(12), first in any::<bool>()) {
        let mut claims: Vec<Report> = reports;
        claims.retain(|r| r.retracts.is_none());
        let mut tombstones = Vec::new();
        for (index, report) in claims.iter_mut().enumerate() {
            let id = format!("claim {index}");
            report.source_event_id = Some(id.clone());
            // Later by the source's own clock, which may run ahead.
            let issued = report.written_at() + SignedDuration::from_hours(1);
            let mut tombstone = retract(&id, issued).0;
            tombstone.source.clone_from(&report.source);
            tombstones.push(tombstone);
        }
        let all = if first {
            [tombstones, claims].concat()
        } else {
            [claims, tombstones].concat()
        };
        let state = fold(&all, day(100));
        prop_assert_eq!(state, ContainerState::unknown(number()));
    }
}

proptest! {
    #![proptest_config(cases(PERMUTATIONS))]

    #[test]
    fn all_permutations_of_a_few(reports in proptest::collection::vec(report(), 1..=6)) {
        let expected = format!("{:?}", fold(&reports, day(60)));
        let mut order: Vec<usize> = (0..reports.len()).collect();
        loop {
            let turned: Vec<Report> = order.iter().map(|&i| reports[i].clone()).collect();
            prop_assert_eq!(&format!("{:?}", fold(&turned, day(60))), &expected);
            if !next_permutation(&mut order) {
                break;
            }
        }
    }
}

fn next_permutation(order: &mut [usize]) -> bool {
    let Some(pivot) = (1..order.len()).rev().find(|&i| order[i - 1] < order[i]) else {
        return false;
    };
    let swap = (pivot..order.len())
        .rev()
        .find(|&i| order[i] > order[pivot - 1]);
    order.swap(pivot - 1, swap.unwrap());
    order[pivot..].reverse();
    true
}

proptest! {
    #![proptest_config(cases(LONG))]

    #[test]
    fn two_hundred_reports_in_any_order(
        reports in story(150),
        swaps in proptest::collection::vec((any::<Index>(), any::<Index>()), 200),
    ) {
        let mut shuffled = reports.clone();
        for (a, b) in &swaps {
            let (a, b) = (a.index(shuffled.len()), b.index(shuffled.len()));
            shuffled.swap(a, b);
        }
        prop_assert_eq!(fold(&reports, day(60)), fold(&shuffled, day(60)));
    }
}

/// The generator makes what it promises; a generator that went blind would prove everything.
#[test]
fn the_stories_are_rich() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    let (mut flagged, mut dated, mut replaced, mut sent) = (0, 0, 0, 0);
    for _ in 0..1_500 {
        let reports = story(24).new_tree(&mut runner).unwrap().current();
        let state = fold(&reports, day(100));
        seen.extend(state.milestones.iter().map(|m| m.slot.event));
        flagged += usize::from(!state.flags.is_empty());
        dated += state
            .milestones
            .iter()
            .filter(|m| m.precision == Precision::Day)
            .count();
        let mut inland = inland().new_tree(&mut runner).unwrap().current();
        let told = fold(&inland, day(100)).journey.destination;
        for report in &mut inland {
            report.move_hint = None;
        }
        sent += usize::from(fold(&inland, day(100)).journey.destination != told);
        let half = fold(&reports[..reports.len() / 2], day(100));
        let told = difference(Some(&half), &state);
        replaced += told
            .iter()
            .filter(|c| matches!(c, Change::Replaced { .. }))
            .count();
    }
    assert!(seen.len() >= 20, "{} event names: {seen:?}", seen.len());
    assert!(
        flagged > 100 && dated > 100 && replaced > 100 && sent > 20,
        "{flagged} {dated} {replaced} {sent}"
    );
}
