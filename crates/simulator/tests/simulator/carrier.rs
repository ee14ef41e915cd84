//! The carrier's interface.

use std::collections::BTreeSet;

use http::Request;
use http_body_util::Full;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use simulator::WorldSettings;
use simulator::mischief::Mischief;

use crate::asking::{Carrier, get, send};

fn patient() -> WorldSettings {
    WorldSettings {
        mischief: Mischief {
            throttled: 0,
            failing: 0,
            ..Mischief::default()
        },
        ..WorldSettings::default()
    }
}

fn bill_query(carrier: &Carrier) -> String {
    let bill = carrier
        .world
        .bills()
        .iter()
        .max_by_key(|bill| bill.containers.len())
        .unwrap();
    let name = match bill.kind.as_str() {
        "bill_of_lading" => "transportDocumentReference",
        "booking_number" => "carrierBookingReference",
        _ => "equipmentReference",
    };
    format!("{name}={}", bill.number)
}

#[tokio::test]
async fn pages_hold_every_event_once() {
    let carrier = Carrier::of(1, &WorldSettings::default()).await;
    let query = bill_query(&carrier);
    let whole = carrier.all(&format!("{query}&limit=1000")).await;
    let paged = carrier.all(&format!("{query}&limit=7")).await;
    assert!(whole.len() > 50, "{}", whole.len());
    assert_eq!(whole, paged);
    carrier.server.stop().await;
}

#[tokio::test]
async fn links_stand_where_they_apply() {
    let carrier = Carrier::of(2, &patient()).await;
    let token = carrier.token().await;
    let query = bill_query(&carrier);
    let first = get(
        &carrier.events_url(&format!("{query}&limit=20")),
        Some(&token),
    )
    .await;
    assert_eq!(first.headers["api-version"], "2.2.0");
    assert!(first.headers.contains_key("current-page") && !first.headers.contains_key("prev-page"));
    let next = first.headers["next-page"].to_str().unwrap().to_owned();
    let second = get(&next, Some(&token)).await;
    assert!(second.headers.contains_key("prev-page"));
    assert_ne!(first.body, second.body);
    let last = get(second.headers["last-page"].to_str().unwrap(), Some(&token)).await;
    assert!(!last.headers.contains_key("next-page"));
    assert!(!last.body.as_array().unwrap().is_empty());
}

#[tokio::test]
async fn only_published_events_are_visible() {
    let carrier = Carrier::of(3, &patient()).await;
    let bill = carrier
        .world
        .bills()
        .iter()
        .find(|bill| bill.known_from > carrier.world.starts_at());
    let bill = bill.unwrap().clone();
    let query = format!("equipmentReference={}", bill.containers[0]);
    carrier
        .clock
        .set(bill.known_from - SignedDuration::from_secs(1));
    let token = carrier.token().await;
    let unknown = get(&carrier.events_url(&query), Some(&token)).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.body["statusCode"], 404);
    assert!(unknown.body["errors"][0]["message"].is_string());
    carrier.clock.set(bill.known_from);
    let planned = carrier.all(&query).await;
    assert!(!planned.is_empty());
    assert!(
        planned
            .iter()
            .all(|event| event["eventClassifierCode"] != "ACT"
                || event["eventType"] == "SHIPMENT"
                || event.get("eventDateTime").is_none())
    );
    let mut before = planned.len();
    for week in 1..14 {
        carrier
            .clock
            .set(bill.known_from + SignedDuration::from_hours(24 * 7 * week));
        let now = carrier.all(&query).await.len();
        assert!(now >= before);
        before = now;
    }
    assert!(before > planned.len() + 10);
}

#[tokio::test]
async fn filters_narrow() {
    let carrier = Carrier::of(4, &patient()).await;
    let query = bill_query(&carrier);
    let all = carrier.all(&query).await;
    let ships = carrier.all(&format!("{query}&eventType=transport")).await;
    assert!(!ships.is_empty() && ships.len() < all.len());
    assert!(ships.iter().all(|e| {
        e["eventType"]
            .as_str()
            .unwrap()
            .eq_ignore_ascii_case("transport")
    }));
    let bill = carrier
        .world
        .bills()
        .iter()
        .max_by_key(|bill| bill.containers.len())
        .unwrap();
    let one = carrier
        .all(&format!("equipmentReference={}", bill.containers[0]))
        .await;
    let others: BTreeSet<&str> = one
        .iter()
        .filter_map(|e| e["equipmentReference"].as_str())
        .collect();
    assert!(others.contains(bill.containers[0].as_str()));
    assert!(one.len() < all.len());
    let middle: Timestamp = bill.known_from + SignedDuration::from_hours(24 * 20);
    let newer = carrier
        .all(&format!("{query}&eventCreatedDateTime:gte={middle}"))
        .await;
    let older = carrier
        .all(&format!("{query}&eventCreatedDateTime:lt={middle}"))
        .await;
    assert!(!newer.is_empty() && !older.is_empty());
    let papers = 6; // records without a moment of publication pass both filters
    assert!(newer.len() + older.len() <= all.len() + papers);
    let token = carrier.token().await;
    for bad in [
        "",
        "colour=red",
        "limit=many&transportDocumentReference=x",
        "cursor=7&transportDocumentReference=x",
    ] {
        assert_eq!(
            get(&carrier.events_url(bad), Some(&token)).await.status,
            400,
            "{bad}"
        );
    }
}

#[tokio::test]
async fn tokens_are_needed_and_expire() {
    let carrier = Carrier::of(5, &patient()).await;
    let url = carrier.events_url(&bill_query(&carrier));
    assert_eq!(get(&url, None).await.status, 401);
    assert_eq!(get(&url, Some("99999999999-0000")).await.status, 401);
    carrier
        .clock
        .set(carrier.world.ends_at() - SignedDuration::from_hours(2));
    let token = carrier.token().await;
    assert_eq!(get(&url, Some(&token)).await.status, 200);
    carrier.clock.set(carrier.world.ends_at());
    assert_eq!(get(&url, Some(&token)).await.status, 401);
    let wrong = "grant_type=client_credentials&client_id=a&client_secret=b";
    let request = Request::post(format!("{}/oauth2/token", carrier.server.base_url()));
    assert_eq!(
        send(request.body(Full::from(wrong)).unwrap()).await.status,
        401
    );
}

#[tokio::test]
async fn moods_repeat_with_the_seed_and_never_come_twice_in_a_row() {
    let moody = WorldSettings {
        mischief: Mischief {
            throttled: 200,
            failing: 200,
            ..Mischief::default()
        },
        ..WorldSettings::default()
    };
    let mut runs = Vec::new();
    for _ in 0..2 {
        let carrier = Carrier::of(6, &moody).await;
        let token = carrier.token().await;
        let url = carrier.events_url(&bill_query(&carrier));
        let mut run: Vec<(u16, Option<String>, Value)> = Vec::new();
        for _ in 0..40 {
            let answer = get(&url, Some(&token)).await;
            let wait = answer
                .headers
                .get("retry-after")
                .map(|wait| wait.to_str().unwrap().to_owned());
            assert_eq!(wait.is_some(), answer.status == 429);
            let body = if answer.status == 200 {
                answer.body
            } else {
                Value::Null
            };
            run.push((answer.status, wait, body));
        }
        assert!(run.iter().any(|(status, ..)| *status == 429));
        assert!(run.iter().any(|(status, ..)| *status >= 500));
        assert!(
            run.windows(2)
                .all(|pair| pair.iter().any(|(status, ..)| *status == 200))
        );
        runs.push(run);
    }
    assert_eq!(runs[0], runs[1]);
}

/// Any time with an offset says the same as the truth; this is about the rest: the wall clock is the one
/// of the place.
#[tokio::test]
async fn local_times_are_those_of_the_place() {
    let carrier = Carrier::of(7, &patient()).await;
    let zones = [
        ("US", -9..=-4),
        ("CN", 8..=8),
        ("HK", 8..=8),
        ("KR", 9..=9),
        ("DE", 1..=2),
        ("NL", 1..=2),
        ("SG", 8..=8),
    ];
    let mut checked = 0;
    for bill in carrier.world.bills() {
        for event in carrier
            .all(&format!("equipmentReference={}", bill.containers[0]))
            .await
        {
            let Some(time) = event["eventDateTime"]
                .as_str()
                .filter(|time| time.len() == 25)
            else {
                continue;
            };
            let place = event["transportCall"]["UNLocationCode"]
                .as_str()
                .unwrap_or_default();
            let Some((_, hours)) = zones.iter().find(|(country, _)| place.starts_with(country))
            else {
                continue;
            };
            let hour: i32 = time[19..22].parse().unwrap();
            assert!(hours.contains(&hour), "{place} {time}");
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked}");
}
