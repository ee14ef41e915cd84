//! What plans and features keep from whom.

use api::{Answers, Gate, Needs, ROUTES};
use domain::account::{Feature, Plan};
use jiff::SignedDuration;
use serde_json::json;
use tokio::task::JoinSet;
use tracking::clock::Clock;

use crate::client::{Answer, Client};
use crate::house::House;
use crate::planted::plant;
use crate::rows::row;

/// Everything that is known of the caller's freight.
const TRACKING_DATA: [&str; 10] = [
    "shipment",
    "container",
    "transport_event",
    "estimated_event",
    "container_updated_event",
    "container_created_event",
    "container_pod_terminal_changed_event",
    "raw_event",
    "route",
    "route_location",
];

fn names_a_feature(words: &str) -> bool {
    let words = words.to_lowercase();
    words.contains("not enabled") || words.contains("feature")
}

async fn track(client: &Client, number: &str) -> Answer {
    let body = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": number, "scac": "MSCU"}}});
    client
        .send("POST", "/v2/tracking_requests", Some(&body))
        .await
}

#[test]
fn whatever_answers_with_tracking_data_is_gated() {
    for route in ROUTES {
        let operation = route.operation;
        let below = ["/v2/shipments", "/v2/containers", "/v2/search"];
        let tells = match operation.answers {
            Answers::One(kind)
            | Answers::WithTurn(kind)
            | Answers::Created(kind)
            | Answers::AcceptedOne(kind)
            | Answers::Many(kind) => TRACKING_DATA.contains(&kind.name),
            Answers::Empty | Answers::NoContent | Answers::Plain(_) | Answers::Accepted(_) => false,
        };
        if tells || below.iter().any(|place| route.path.starts_with(place)) {
            assert_ne!(operation.gate, Gate::Open, "{}", operation.name);
        }
    }
}

#[tokio::test]
async fn a_trial_reads_for_seven_days_and_creates_after_them() {
    let house = House::open().await;
    let planted = plant(&house).await;
    house.plan(Plan::Trial).await;
    let almost = SignedDuration::from_hours(7 * 24) - SignedDuration::from_secs(1);
    for (passes, reads) in [
        (SignedDuration::ZERO, true),
        (almost, true),
        (SignedDuration::from_secs(1), false),
    ] {
        house.clock.advance_to(house.clock.now() + passes);
        for route in ROUTES {
            if route.operation.needs != Needs::Show || route.method != api::Method::Get {
                continue;
            }
            let answer = row(route, &planted).call(&house.client(), route).await;
            if reads || route.operation.gate == Gate::Open {
                assert_eq!(answer.status, 200, "{}", route.path);
            } else {
                let told = answer.faults(403);
                assert!(names_a_feature(&told[0]), "{told:?}");
            }
        }
    }
    assert_eq!(track(&house.client(), "DAY8").await.status, 201);
}

#[tokio::test]
async fn requests_stay_open_and_bring_no_tracking_data_along() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let one = format!("/v2/tracking_requests/{}", planted.request);
    let paths = ["/v2/tracking_requests", one.as_str()];
    for path in paths {
        assert_eq!(house.get(path).await.included().len(), 1, "{path}");
    }
    house.plan(Plan::Free).await;
    for path in paths {
        let answer = house.get(path).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.included().is_empty(), "{}", answer.body);
        for asked in ["tracked_object", "tracked_object.containers"] {
            let asked = house.get(&format!("{path}?include={asked}")).await;
            assert!(names_a_feature(&asked.faults(403)[0]), "{}", asked.body);
        }
    }
    let told = format!("/v2/webhook_notifications/{}", planted.notification);
    let answer = house.get(&told).await;
    assert_eq!(answer.status, 200);
    assert!(answer.included().is_empty(), "{}", answer.body);
    house
        .get(&format!("{told}?include=reference_object"))
        .await
        .faults(403);
    let sent = house.get(&format!("{told}/body")).await;
    assert!(names_a_feature(&sent.faults(403)[0]), "{}", sent.body);
    let webhook = house.get(&format!("{told}?include=webhook")).await;
    assert_eq!(
        webhook.included().len(),
        1,
        "what is no tracking data stays"
    );
}

#[tokio::test]
async fn the_eleventh_is_refused_also_when_they_come_together() {
    let house = House::open().await;
    house.plan(Plan::Free).await;
    let mut together = JoinSet::new();
    for place in 0..15 {
        let client = house.client();
        together.spawn(async move { track(&client, &format!("FREE{place}")).await });
    }
    let answers = together.join_all().await;
    let accepted = answers.iter().filter(|answer| answer.status == 201);
    assert_eq!(accepted.count(), 10);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        let told = refused.faults(403);
        assert!(!names_a_feature(&told[0]), "{told:?}");
        assert_eq!(refused.json()["errors"][0]["code"], "plan_limit");
    }
    let duplicate = track(&house.client(), "FREE0").await;
    let code = duplicate.json()["errors"][0]["code"].clone();
    assert!(code == "duplicate" || code == "plan_limit", "{code}");
    house.plan(Plan::SelfHosted).await;
    assert_eq!(track(&house.client(), "PAID").await.status, 201);
}

#[tokio::test]
async fn a_feature_that_is_off_says_so_in_the_known_words() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let off = Feature::ALL.map(|feature| (feature, false));
    house.switch(&off).await;
    for route in ROUTES {
        let Gate::Feature(feature) = route.operation.gate else {
            continue;
        };
        let answer = row(route, &planted).call(&house.client(), route).await;
        let told = answer.faults(403);
        let words = match feature {
            Feature::Routing => "Routing data feature is not enabled for this account",
            Feature::Refresh => "This API endpoint is not enabled for your account.",
            Feature::Rail => "Rail data feature is not enabled for this account",
            Feature::Sources => {
                "Sources are shared by all accounts; changing them is not enabled for this account. Its operator \
                 switches it on: quayside account set NAME --feature sources=on"
            }
        };
        assert_eq!(told, [words], "{}", route.path);
        if feature == Feature::Refresh {
            let title = answer.json()["errors"][0]["title"].clone();
            assert_eq!(title, "API access not enabled");
        }
    }
    assert_eq!(house.get("/v2/containers").await.status, 200);
}
