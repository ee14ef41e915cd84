//! Whose word counts, for every milestone and every kind of feed, read off the table of the trade.

use domain::container::{Milestone, QualityFlag};
use domain::event::{Change, EventName, difference};
use domain::report::{FacilityType, Mode, MoveHint, Occurred, SourceKind, Verb, ZoneSource};
use jiff::Timestamp;
use jiff::civil::date;

use crate::telling::*;

type Kinds = &'static [SourceKind];

const CARRIER: Kinds = &[SourceKind::Dcsa2, SourceKind::Dcsa3, SourceKind::CarrierApi];
const QUAY: Kinds = &[SourceKind::Coarri, SourceKind::TerminalApi];
const GATE: Kinds = &[SourceKind::Codeco, SourceKind::TerminalApi];
const HUB: Kinds = &[SourceKind::X12_315, SourceKind::Iftsta];

/// One milestone: how it is told, and who is believed, the best first.
struct Row {
    event: EventName,
    act: fn(Timestamp) -> Told,
    at: Timestamp,
    believed: &'static [Kinds],
}

fn rows() -> Vec<Row> {
    use EventName as E;
    use SourceKind as S;
    let row = |event, act, at, believed| Row {
        event,
        act,
        at,
        believed,
    };
    let lift: &[Kinds] = &[QUAY, CARRIER, HUB];
    let sail: &[Kinds] = &[CARRIER, &[S::TerminalApi], HUB, &[S::Ais]];
    let gate: &[Kinds] = &[GATE, CARRIER, &[S::X12_315, S::X12_322], &[S::X12_214]];
    let depot: &[Kinds] = &[CARRIER, &[S::Codeco], &[S::X12_315]];
    let rail: &[Kinds] = &[&[S::RailApi], &[S::Clm, S::X12_322], CARRIER, &[S::X12_315]];
    vec![
        row(
            E::EmptyOut,
            |t| act(Verb::GateOut, "CNSHA", t).by(Mode::Truck).empty(),
            at(1, 9),
            depot,
        ),
        row(
            E::FullIn,
            |t| act(Verb::GateIn, "CNSHA", t).by(Mode::Truck).laden(),
            at(2, 9),
            gate,
        ),
        row(
            E::VesselLoaded,
            |t| act(Verb::Load, "CNSHA", t).aboard(FIRST).laden(),
            at(4, 3),
            lift,
        ),
        row(
            E::VesselDeparted,
            |t| act(Verb::Depart, "CNSHA", t).aboard(FIRST),
            at(4, 20),
            sail,
        ),
        row(
            E::VesselArrived,
            |t| act(Verb::Arrive, "USLAX", t).aboard(FIRST),
            at(20, 5),
            sail,
        ),
        row(
            E::VesselBerthed,
            |t| act(Verb::Berth, "USLAX", t).aboard(FIRST),
            at(20, 7),
            &[&[S::TerminalApi], &[S::Ais]],
        ),
        row(
            E::VesselDischarged,
            |t| act(Verb::Discharge, "USLAX", t).aboard(FIRST).laden(),
            at(20, 15),
            lift,
        ),
        row(
            E::RailLoaded,
            |t| act(Verb::Load, "USLAX", t).by(Mode::Rail).laden(),
            at(22, 3),
            rail,
        ),
        row(
            E::RailDeparted,
            |t| act(Verb::Depart, "USLAX", t).by(Mode::Rail).laden(),
            at(22, 20),
            rail,
        ),
        row(
            E::RailArrived,
            |t| act(Verb::Arrive, "USCHI", t).by(Mode::Rail).laden(),
            at(26, 3),
            rail,
        ),
        row(
            E::ArrivedAtInlandDestination,
            |t| act(Verb::Arrive, "USCHI", t).by(Mode::Rail).laden(),
            at(26, 3),
            rail,
        ),
        row(
            E::RailUnloaded,
            |t| act(Verb::Discharge, "USCHI", t).by(Mode::Rail).laden(),
            at(26, 9),
            rail,
        ),
        row(
            E::FullOut,
            |t| act(Verb::GateOut, "USCHI", t).by(Mode::Truck).laden(),
            at(28, 9),
            gate,
        ),
        row(
            E::Delivered,
            |t| {
                act(Verb::Dropoff, "FRPAR", t)
                    .by(Mode::Truck)
                    .laden()
                    .facility(FacilityType::CustomerLocation)
            },
            at(29, 9),
            &[CARRIER, &[S::X12_315], &[S::X12_214]],
        ),
        row(
            E::EmptyIn,
            |t| {
                act(Verb::GateIn, "USCHI", t)
                    .by(Mode::Truck)
                    .empty()
                    .facility(FacilityType::Depot)
            },
            at(31, 9),
            depot,
        ),
    ]
}

/// The whole way of the box, told by a hub of the lowest rank that still counts, without `event`.
fn story_without(row: &Row) -> Vec<Told> {
    rows()
        .into_iter()
        .filter(|other| other.at != row.at)
        .map(|other| (other.act)(other.at).from("hub", SourceKind::Iftsta))
        .collect()
}

fn of(told: &[Told], event: EventName) -> Milestone {
    let state = state(told);
    let mut found = state.milestones.iter().filter(|m| m.slot.event == event);
    let one = found.next().unwrap_or_else(|| panic!("no {event:?}"));
    assert!(found.next().is_none(), "{event:?} stands twice");
    one.clone()
}

fn hours(count: i64) -> jiff::SignedDuration {
    jiff::SignedDuration::from_hours(count)
}

#[test]
fn the_party_that_holds_the_clock_is_believed_for_every_milestone() {
    for row in rows() {
        for (place, better) in row.believed.iter().enumerate() {
            for worse in &row.believed[place + 1..] {
                for (good, bad) in better
                    .iter()
                    .flat_map(|g| worse.iter().map(move |b| (*g, *b)))
                {
                    let wrong = row.at + hours(2);
                    let last = (row.act)(wrong).from("bad", bad).issued(day(60));
                    let first = (row.act)(row.at).from("good", good).issued(row.at);
                    let mut story = story_without(&row);
                    story.extend([first, last]);
                    let found = of(&story, row.event);
                    assert_eq!(
                        (found.at, found.source),
                        (row.at, good),
                        "{:?}: {good:?} over {bad:?}",
                        row.event
                    );
                }
            }
        }
    }
}

#[test]
fn a_person_is_believed_over_every_feed() {
    for row in rows() {
        for kind in row.believed.iter().copied().flatten() {
            let mut story = story_without(&row);
            story.push(
                (row.act)(row.at + hours(1))
                    .from("feed", *kind)
                    .issued(day(60)),
            );
            story.push(
                (row.act)(row.at)
                    .from("people", SourceKind::Manual)
                    .issued(row.at),
            );
            assert_eq!(of(&story, row.event).at, row.at, "{:?} {kind:?}", row.event);
        }
    }
}

#[test]
fn equals_are_told_apart_by_their_precision_then_by_their_issue() {
    for row in rows() {
        for kind in row.believed.iter().copied().flatten() {
            let told =
                |source: &str, when, issued| (row.act)(when).from(source, *kind).issued(issued);
            let mut story = story_without(&row);
            story.push(told("one", row.at - hours(1), day(40)));
            story.push(told("two", row.at, day(41)));
            assert_eq!(
                of(&story, row.event).at,
                row.at,
                "{:?}: newer issue of {kind:?}",
                row.event
            );
            story.push(told("three", row.at - hours(24), day(42)).dated());
            assert_eq!(
                of(&story, row.event).at,
                row.at,
                "{:?}: finer time of {kind:?}",
                row.event
            );
        }
    }
}

/// The second evidence may change the time. It fires nothing, whichever of the two comes first.
#[test]
fn a_second_evidence_changes_the_time_and_fires_no_second_event() {
    for row in rows() {
        let kinds: Vec<SourceKind> = row.believed.iter().copied().flatten().copied().collect();
        for first in &kinds {
            for second in kinds.iter().filter(|kind| *kind != first) {
                let mut story = story_without(&row);
                story.push((row.act)(row.at).from("first", *first));
                let before = state(&story);
                story.push((row.act)(row.at + hours(2)).from("second", *second));
                let told = difference(Some(&before), &state(&story));
                let fires = |change: &Change| {
                    matches!(
                        change,
                        Change::Stands(_) | Change::Replaced { .. } | Change::Withdrawn(_)
                    )
                };
                assert!(
                    !told.iter().any(fires),
                    "{:?}: {first:?} then {second:?}: {told:?}",
                    row.event
                );
            }
        }
    }
}

/// In Los Angeles the evening of the 19th is the morning of the 20th in UTC.
#[test]
fn a_bare_date_is_a_date_of_the_place_whatever_clock_the_other_wrote() {
    let evening: Timestamp = "2026-03-20T03:10:00Z".parse().unwrap();
    let midnight: Timestamp = "2026-03-19T07:00:00Z".parse().unwrap();
    let dated = Occurred {
        at: midnight,
        local: date(2026, 3, 19).at(0, 0, 0, 0),
        zone_source: ZoneSource::Location,
        precision: domain::report::Precision::Day,
    };
    let minute = act(Verb::Discharge, "USLAX", evening).aboard(FIRST).laden();
    let only_dated = minute
        .clone()
        .with(|r| r.occurred = Some(dated))
        .issued(day(40));
    let found = |told: Told| {
        let mut story = direct()[..7].to_vec();
        story.extend([minute.clone(), told]);
        of(&story, EventName::VesselDischarged).at
    };
    assert_eq!(
        found(only_dated.clone()),
        evening,
        "a newer reading of the same claim"
    );
    assert_eq!(
        found(only_dated.from("quay", SourceKind::Coarri)),
        evening,
        "a better source"
    );
}

#[test]
fn a_date_of_another_day_by_a_better_source_stands() {
    let line = act(Verb::Discharge, "USLAX", at(20, 15))
        .aboard(FIRST)
        .laden();
    let quay = act(Verb::Discharge, "USLAX", at(22, 0))
        .by(Mode::Vessel)
        .laden()
        .dated();
    let mut story = direct()[..7].to_vec();
    story.extend([line, quay.from("quay", SourceKind::Coarri)]);
    assert_eq!(of(&story, EventName::VesselDischarged).at, day(22));
}

#[test]
fn two_good_sources_a_day_apart_are_flagged_and_a_date_may_mean_its_evening() {
    let flags = |quay: Told| {
        let mut story = direct()[..7].to_vec();
        story.push(
            act(Verb::Discharge, "USLAX", at(20, 3))
                .aboard(FIRST)
                .laden(),
        );
        story.push(quay.from("quay", SourceKind::Coarri));
        state(&story).flags
    };
    let lift = |when| act(Verb::Discharge, "USLAX", when).by(Mode::Vessel).laden();
    assert_eq!(flags(lift(at(21, 3))), []);
    assert_eq!(flags(lift(at(21, 4))), [QualityFlag::TimesDiffer]);
    assert_eq!(
        flags(lift(day(19)).dated()),
        [],
        "the evening of the day before is near"
    );
    assert_eq!(flags(lift(day(18)).dated()), [QualityFlag::TimesDiffer]);
    assert_eq!(flags(lift(day(21)).dated()), []);
}

#[test]
fn a_hub_of_the_third_rank_raises_no_flag() {
    let mut story = direct()[..8].to_vec();
    let hub = act(Verb::Discharge, "USLAX", at(23, 15))
        .by(Mode::Vessel)
        .laden();
    story.push(hub.from("hub", SourceKind::X12_315));
    assert_eq!(state(&story).flags, []);
    assert_eq!(of(&story, EventName::VesselDischarged).at, at(20, 15));
}

#[test]
fn the_railroad_knows_best_when_its_train_comes() {
    let eta = |on, issued: i64| {
        est(Verb::Arrive, "USCHI", day(on))
            .by(Mode::Rail)
            .of_bill()
            .issued(day(issued))
    };
    for kind in [SourceKind::RailApi, SourceKind::Clm, SourceKind::X12_322] {
        let mut story = direct()[..8].to_vec();
        story.push(eta(27, 21).from("road", kind));
        story.push(eta(30, 22));
        let shown = state(&story);
        let shown = shown
            .estimate(EventName::EstimatedArrivedAtInlandDestination)
            .unwrap();
        assert_eq!((shown.at, shown.source), (day(27), kind));
    }
}

/// A marker of the source decides which port it was; two lifts at two ports are not merged.
#[test]
fn a_discharge_marked_as_transshipment_is_no_arrival_of_the_goods() {
    let mut story = direct()[..5].to_vec();
    let hub = act(Verb::Discharge, "KRPUS", day(8))
        .by(Mode::Vessel)
        .laden();
    story.push(
        hub.hint(MoveHint::Transshipment)
            .from("quay", SourceKind::Coarri),
    );
    let found = events(&state(&story));
    assert!(
        found.contains(&"transshipment_discharged KRPUS".into()),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|e| e.starts_with("vessel_discharged")),
        "{found:?}"
    );
}
