//! The check finds what is planted, and nothing else.

use domain::event::EventName;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use simulator::check::{Standing, contradictions, standing, summary};
use simulator::truth::{BoxTruth, Truth};
use simulator::{Delivery, World, WorldSettings};

/// A notification as a faithful service sends it.
fn told(number: &str, event: &str, at: Timestamp, place: &str, now: Timestamp) -> Delivery {
    document(
        event,
        now,
        &json!({ "type": "transport_event", "id": "e", "attributes": {
            "event": event, "timestamp": at.to_string(), "location_locode": place },
            "relationships": { "container": { "data": { "type": "container", "id": number } } } }),
        number,
    )
}

fn document(event: &str, now: Timestamp, object: &serde_json::Value, number: &str) -> Delivery {
    let link = json!({ "type": object["type"], "id": object["id"] });
    let container =
        json!({ "type": "container", "id": number, "attributes": { "number": number } });
    let body = json!({
        "data": { "id": "n", "type": "webhook_notification", "attributes": { "event": event },
            "relationships": { "reference_object": { "data": link } } },
        "included": [object, container],
    });
    Delivery {
        notification_id: "n".into(),
        event: event.into(),
        body,
        verified: true,
        faults: Vec::new(),
        received_at: now,
        repeat: false,
        answered: 200,
    }
}

/// What a service delivers that asks every minute.
fn faithful(truth: &Truth) -> Vec<Delivery> {
    let mut all: Vec<Delivery> = truth.boxes.values().flat_map(about_box).collect();
    all.sort_by_key(|delivery| delivery.received_at);
    all
}

fn about_box(truth: &BoxTruth) -> Vec<Delivery> {
    let number = truth.number.as_str();
    let mut all = Vec::new();
    for milestone in &truth.milestones {
        let mut shown: Option<Timestamp> = None;
        let mut moments: Vec<_> = milestone.words.believed_until(Timestamp::MAX).collect();
        moments.sort_by_key(|(moment, _)| *moment);
        for (moment, word) in moments {
            match shown.replace(word.at) {
                None => all.push(told(
                    number,
                    milestone.event.as_str(),
                    word.at,
                    milestone.place.as_str(),
                    moment,
                )),
                Some(before) if before != word.at => {
                    all.extend(correction(truth, milestone.event, before, word.at, moment));
                }
                Some(_) => {}
            }
        }
    }
    for estimate in &truth.estimates {
        let mut moments: Vec<_> = estimate
            .words
            .believed_until(estimate.closes_from)
            .collect();
        moments.sort_by_key(|(moment, _)| *moment);
        for (moment, word) in moments {
            all.push(told(
                number,
                estimate.event.as_str(),
                word.at,
                estimate.place.as_str(),
                moment,
            ));
        }
    }
    all
}

fn correction(
    truth: &BoxTruth,
    event: EventName,
    before: Timestamp,
    after: Timestamp,
    now: Timestamp,
) -> Option<Delivery> {
    let attribute = match event {
        EventName::EmptyOut => "empty_out_at",
        EventName::FullIn => "pol_full_in_at",
        EventName::VesselLoaded => "pol_vessel_loaded_at",
        EventName::VesselDeparted => "pol_vessel_departed_at",
        EventName::VesselArrived => "pod_arrived_at",
        EventName::VesselDischarged => "pod_discharged_at",
        EventName::FullOut => "pod_full_out_at",
        EventName::RailLoaded => "pod_rail_loaded_at",
        EventName::RailDeparted => "pod_rail_departed_at",
        EventName::RailUnloaded => "ind_rail_unloaded_at",
        EventName::ArrivedAtInlandDestination => "ind_ata_at",
        _ => return None,
    };
    let changeset = json!({ attribute: [before.to_string(), after.to_string()] });
    let object = json!({ "type": "container_updated_event", "id": "u", "attributes": { "changeset": changeset } });
    Some(document(
        "container.updated",
        now,
        &object,
        truth.number.as_str(),
    ))
}

fn run() -> (Truth, Vec<Delivery>) {
    let world = World::new(11, &WorldSettings::default());
    let deliveries = faithful(world.truth());
    (world.truth().clone(), deliveries)
}

#[test]
fn a_faithful_run_has_no_contradiction() {
    for seed in 1..=10 {
        let world = World::new(seed, &WorldSettings::default());
        let deliveries = faithful(world.truth());
        assert_eq!(
            contradictions(world.truth(), &deliveries),
            Vec::<String>::new(),
            "seed {seed}"
        );
    }
}

#[track_caller]
fn is_found(truth: &Truth, deliveries: &[Delivery], words: &str) {
    let found = contradictions(truth, deliveries);
    assert!(
        found.iter().any(|sentence| sentence.contains(words)),
        "{words:?} not in {found:#?}"
    );
}

#[test]
fn planted_lies_are_found() {
    let (truth, honest) = run();
    let arrival = honest
        .iter()
        .position(|d| d.event.ends_with("vessel_arrived") && !d.event.contains("estimated"))
        .unwrap();
    let plant = |change: &dyn Fn(&mut Vec<Delivery>)| {
        let mut deliveries = honest.clone();
        change(&mut deliveries);
        deliveries
    };
    let elsewhere = plant(&|all| {
        all[arrival].body["included"][0]["attributes"]["location_locode"] = json!("SGSIN");
    });
    is_found(&truth, &elsewhere, "never happened");
    let otherwise = plant(&|all| {
        all[arrival].body["included"][0]["attributes"]["timestamp"] = json!("2026-03-09T00:00:13Z");
    });
    is_found(&truth, &otherwise, "nobody gave");
    is_found(
        &truth,
        &plant(&|all| all.push(all[arrival].clone())),
        "told twice",
    );
    is_found(
        &truth,
        &plant(&|all| drop(all.remove(arrival))),
        "was never told",
    );
    let early = plant(&|all| all[arrival].received_at = Timestamp::UNIX_EPOCH);
    is_found(&truth, &early, "nobody gave");
    let stranger = plant(&|all| {
        let now = all[arrival].received_at;
        all.push(told(
            "CSQU3054383",
            "container.transport.vessel_arrived",
            now,
            "USLAX",
            now,
        ));
    });
    is_found(&truth, &stranger, "no such box exists");
    let failed = plant(&|all| all[arrival].event = "tracking_request.failed".into());
    is_found(&truth, &failed, "request failed");
    let nonsense = plant(&|all| all[arrival].event = "container.exploded".into());
    is_found(&truth, &nonsense, "is no event");
    let forged = plant(&|all| {
        all[arrival]
            .faults
            .push(simulator::receiver::Fault::BodySignature);
    });
    is_found(&truth, &forged, "does not fit");
}

#[test]
fn silent_corrections_are_found() {
    let (truth, mut deliveries) = run();
    deliveries.retain(|delivery| delivery.event != "container.updated");
    is_found(&truth, &deliveries, "was left at");
}

#[test]
fn estimates_must_end_with_the_last_word() {
    let (truth, honest) = run();
    let mut mute = honest.clone();
    mute.retain(|delivery| delivery.event != "container.transport.estimated.vessel_arrived");
    is_found(&truth, &mute, "the last word in time");
    let mut invented = honest.clone();
    let at = invented
        .iter()
        .position(|d| d.event.contains("estimated.vessel_arrived"))
        .unwrap();
    invented[at].body["included"][0]["attributes"]["timestamp"] = json!("2026-05-05T05:05:05Z");
    is_found(&truth, &invented, "nobody gave");
    let mut late = honest;
    late[at].received_at += SignedDuration::from_hours(1);
    assert_eq!(
        contradictions(&truth, &late),
        Vec::<String>::new(),
        "being late is no fault"
    );
}

#[test]
fn what_stands_at_the_end_must_be_the_last_word() {
    let (truth, deliveries) = run();
    let mut stands: Vec<Standing> = truth
        .boxes
        .values()
        .flat_map(|b| b.milestones.iter().map(move |m| (b, m)))
        .map(|(b, m)| Standing {
            container: b.number.to_string(),
            event: m.event.as_str().into(),
            at: m.words.last().map(|word| word.at),
            place: Some(m.place.to_string()),
        })
        .collect();
    assert_eq!(standing(&truth, &stands), Vec::<String>::new());
    let kept = stands[5].clone();
    stands[5].place = Some("DEHAM".into());
    assert_eq!(standing(&truth, &stands).len(), 2);
    stands[5] = kept;
    stands.pop();
    assert_eq!(standing(&truth, &stands).len(), 1);
    let line = summary(&truth, &deliveries).to_string();
    assert!(
        line.ends_with(" 0 wrong") && line.contains(" signatures verified, "),
        "{line}"
    );
}
