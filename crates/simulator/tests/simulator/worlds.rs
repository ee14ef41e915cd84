//! The world itself.

use std::collections::BTreeSet;

use domain::event::EventName;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use simulator::mischief::Mischief;
use simulator::{World, WorldSettings};

fn world(seed: u64) -> World {
    World::new(seed, &WorldSettings::default())
}

#[test]
fn the_same_seed_gives_the_same_world() {
    for seed in [1, 7, 1_000_003] {
        assert_eq!(
            format!("{:?}", world(seed)),
            format!("{:?}", world(seed)),
            "seed {seed}"
        );
    }
    assert_ne!(format!("{:?}", world(1)), format!("{:?}", world(2)));
}

#[test]
fn fifty_worlds_are_sound() {
    for seed in 1..=50 {
        let world = world(seed);
        let boxes = world.truth().boxes.len();
        assert_eq!(
            world.bills().len(),
            WorldSettings::default().bills,
            "seed {seed}"
        );
        assert!((25..=85).contains(&boxes), "seed {seed}: {boxes} boxes");
        let days = world.ends_at().duration_since(world.starts_at()).as_hours() / 24;
        assert!((40..=91).contains(&days), "seed {seed}: {days} days");
        for truth in world.truth().boxes.values() {
            assert!(
                truth.number.check_digit_fits(),
                "seed {seed}: {}",
                truth.number
            );
            let times: Vec<_> = truth
                .milestones
                .iter()
                .map(|m| m.words.last().unwrap().at)
                .collect();
            assert!(times.is_sorted(), "seed {seed}: {} {times:?}", truth.number);
            assert_eq!(truth.milestones.first().unwrap().event, EventName::EmptyOut);
            assert_eq!(truth.milestones.last().unwrap().event, EventName::EmptyIn);
            let end = truth
                .milestones
                .last()
                .unwrap()
                .words
                .first_published()
                .unwrap();
            let names: Vec<_> = truth
                .milestones
                .iter()
                .map(|m| (m.event, m.place))
                .collect();
            let different: BTreeSet<_> = names.iter().collect();
            assert_eq!(names.len(), different.len(), "seed {seed}: {names:?}");
            for milestone in &truth.milestones {
                for word in &milestone.words.0 {
                    let told = format!("seed {seed}: {} {milestone:?}", truth.number);
                    assert!(
                        word.at <= word.published_at,
                        "told before it happened: {told}"
                    );
                    assert!(word.created_at <= word.published_at, "{told}");
                    let closing = milestone.event == EventName::EmptyIn || word.published_at <= end;
                    assert!(closing, "told after the end: {told}");
                }
            }
            assert!(!truth.estimates.is_empty());
            for estimate in &truth.estimates {
                assert!(estimate.closes_from <= estimate.closes_by);
                let last = estimate.words.0.iter().map(|word| word.published_at).max();
                assert!(
                    last < Some(estimate.closes_from),
                    "seed {seed}: {estimate:?}"
                );
            }
        }
    }
}

#[test]
fn every_kind_of_way_and_number_is_sailed() {
    let worlds: Vec<World> = (1..=5).map(world).collect();
    let boxes: Vec<_> = worlds
        .iter()
        .flat_map(|world| world.truth().boxes.values())
        .collect();
    let seen: BTreeSet<EventName> = boxes
        .iter()
        .flat_map(|b| b.milestones.iter().map(|m| m.event))
        .collect();
    for event in EventName::ALL {
        let sayable = event.is_transport()
            && !matches!(
                event,
                EventName::VesselBerthed | EventName::NotAvailable | EventName::Delivered
            );
        let estimate = event.as_str().contains("estimated");
        assert_eq!(
            seen.contains(&event),
            sayable && !estimate,
            "{}",
            event.as_str()
        );
    }
    let twice = |b: &&&simulator::truth::BoxTruth| {
        b.milestones
            .iter()
            .filter(|m| m.event == EventName::TransshipmentLoaded)
            .count()
            == 2
    };
    assert!(
        boxes.iter().any(|b| twice(&b)),
        "no box with two transshipments"
    );
    for kind in [
        NumberKind::BillOfLading,
        NumberKind::Booking,
        NumberKind::Container,
    ] {
        assert!(worlds[0].bills().iter().any(|bill| bill.kind == kind));
    }
    for bill in worlds[0]
        .bills()
        .iter()
        .filter(|bill| bill.kind == NumberKind::Container)
    {
        assert_eq!(bill.number, bill.containers[0].as_str());
    }
}

#[test]
fn mischief_happens_and_can_be_switched_off() {
    let words = |world: &World| -> (usize, usize, usize) {
        let all = world
            .truth()
            .boxes
            .values()
            .flat_map(|b| b.milestones.clone());
        let all: Vec<_> = all.collect();
        let several = all.iter().filter(|m| m.words.0.len() > 1).count();
        let wrong = all.iter().filter(|m| {
            m.words
                .0
                .iter()
                .any(|word| word.firm && word.at != m.words.last().unwrap().at)
        });
        let late = all.iter().filter(|m| {
            let told = m.words.first_published().unwrap();
            told.duration_since(m.words.last().unwrap().at) > SignedDuration::from_hours(6)
        });
        (several, wrong.count(), late.count())
    };
    let (several, wrong, late) = words(&world(3));
    assert!(
        several > 30 && wrong > 10 && late > 10,
        "{several} {wrong} {late}"
    );
    let quiet = WorldSettings {
        mischief: Mischief::NONE,
        ..WorldSettings::default()
    };
    assert_eq!(words(&World::new(3, &quiet)), (0, 0, 0));
}

#[test]
fn changes_come_in_order_and_end() {
    let world = world(4);
    let mut moment = world.starts_at() - SignedDuration::from_hours(24 * 60);
    let mut count = 0;
    while let Some(next) = world.next_change_after(moment) {
        assert!(next > moment);
        moment = next;
        count += 1;
    }
    assert!(count > 300, "{count}");
    assert!(moment < world.ends_at());
}
