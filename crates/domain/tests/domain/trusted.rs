//! Ranks that an operator gives to single sources.

use domain::container::ContainerState;
use domain::event::EventName;
use domain::report::{Mode, SourceKind, Verb};
use domain::timeline::container_state;
use domain::trust::{Group, Rank, Trust};

use crate::telling::*;

fn trusting(source: &str, group: Group, rank: u8) -> Trust {
    let mut trust = Trust::default();
    trust.give(source, group, Rank::new(rank).unwrap());
    trust
}

fn by(told: &[Told], trust: &Trust) -> ContainerState {
    container_state(number(), &reports(told), &gazetteer(), trust, day(300))
}

#[test]
fn a_better_rank_changes_who_wins_in_its_group_only() {
    let mut story = direct()[..7].to_vec();
    let lift = |source: &str, kind, hour| {
        let lift = act(Verb::Discharge, "USLAX", at(20, hour))
            .aboard(FIRST)
            .laden();
        lift.from(source, kind)
    };
    story.push(lift("quay", SourceKind::Coarri, 15));
    story.push(lift("hub", SourceKind::X12_315, 17));
    let discharged = |trust: &Trust| {
        by(&story, trust)
            .milestone(EventName::VesselDischarged)
            .unwrap()
            .at
    };
    assert_eq!(discharged(Trust::USUAL), at(20, 15));
    let mut trust = trusting("hub", Group::Lifts, 1);
    trust.give("quay", Group::Lifts, Rank::new(2).unwrap());
    assert_eq!(discharged(&trust), at(20, 17));
    assert_eq!(discharged(&trusting("hub", Group::Gates, 1)), at(20, 15));
    assert_eq!(
        discharged(&trusting("another", Group::Lifts, 1)),
        at(20, 15)
    );
    // As good as the quay: then the newer issue of the two.
    assert_eq!(discharged(&trusting("hub", Group::Lifts, 1)), at(20, 17));
}

#[test]
fn who_rules_the_yard_can_be_said() {
    let mut story = direct()[..8].to_vec();
    story.push(act(Verb::Available, "USLAX", at(21, 0)).from("yard", SourceKind::TerminalApi));
    story.push(act(Verb::NotAvailable, "USLAX", at(21, 5)));
    assert_eq!(by(&story, Trust::USUAL).pickup.available, Some(true));
    let line = trusting("line", Group::Pickup, 1);
    assert_eq!(by(&story, &line).pickup.available, Some(false));
    let mut worse = trusting("yard", Group::Pickup, 2);
    assert_eq!(by(&story, &worse).pickup.available, Some(false));
    worse.give("line", Group::Pickup, Rank::new(3).unwrap());
    assert_eq!(
        by(&story, &worse).pickup.available,
        Some(false),
        "nobody rules"
    );
}

#[test]
fn type_mass_and_estimates_follow_given_ranks() {
    let mut story = direct()[..6].to_vec();
    let told = |source: &str, kind, iso: &str, kg: i64| {
        act(Verb::GateIn, "CNSHA", day(2))
            .by(Mode::Truck)
            .laden()
            .from(source, kind)
            .with(|r| {
                let gear = r.equipment.as_mut().unwrap();
                gear.iso_type = Some(iso.into());
                gear.gross_kg = Some(kg.into());
            })
    };
    story.push(told("yard", SourceKind::TerminalApi, "22G1", 21_000));
    story.push(told("line", SourceKind::Dcsa2, "45R1", 20_000));
    let hub = est(Verb::Arrive, "USLAX", at(19, 20))
        .aboard(FIRST)
        .issued(at(11, 0));
    story.push(hub.from("hub", SourceKind::X12_315));
    let usual = by(&story, Trust::USUAL);
    let mut trust = trusting("yard", Group::Equipment, 1);
    trust.give("line", Group::Equipment, Rank::new(5).unwrap());
    trust.give("line", Group::Mass, Rank::new(1).unwrap());
    trust.give("yard", Group::Mass, Rank::new(2).unwrap());
    trust.give("hub", Group::Estimates, Rank::new(1).unwrap());
    let given = by(&story, &trust);
    let shown = |state: &ContainerState| {
        let eta = state
            .estimate(EventName::EstimatedVesselArrived)
            .unwrap()
            .at;
        (
            state.size_type.length_ft,
            state.gross_kg.unwrap().to_string(),
            eta,
        )
    };
    assert_eq!(shown(&usual), (Some(40), "21000".to_owned(), at(19, 5)));
    assert_eq!(shown(&given), (Some(20), "20000".to_owned(), at(19, 20)));
}
