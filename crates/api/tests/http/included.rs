//! `include` where there is much to include.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use api::Settings;
use domain::codes::ContainerNumber;
use domain::ids::{ContainerId, EventId, ReportId, ShipmentId};
use domain::report::Report;
use jsonapi::resource::container::{View, render};
use serde_json::Value;
use store::Key;
use store::container::Container;
use store::event::Event;
use tracking::id_source;

use crate::client::Answer;
use crate::house::{House, settings};
use crate::planted::{Planted, plant};

/// Events of each box, and as many claims.
const OF_EACH: usize = 30;

/// Puts so many boxes of the account on the planted bill, each with a long history of events that are longer by so much.
async fn histories(house: &House, planted: &Planted, boxes: usize, longer_bytes: usize) {
    let (account, planted, service) = (house.account, planted.clone(), house.tracking.clone());
    let key = Key::account(account);
    let writing = house.tracking.store().write(key, move |tx| {
        let mut ids = id_source(service.now());
        let mut a = tx.account(account);
        let first = store::container::find(&mut a, planted.containers[0])?.unwrap();
        let told = store::event::find(&mut a, planted.event)?.unwrap();
        let watch = store::shipment::watches_of(&mut a, planted.shipment)?[0];
        let claims = store::report::of_watches(tx, &[watch])?;
        let message = store::report::messages_of(tx, &[watch])?;
        let raw = *message.values().next().unwrap();
        let was = planted.event.to_string();
        let longer = " ".repeat(longer_bytes);
        let mut links = String::new();
        for place in 0..boxes {
            let number = ContainerNumber::parse(&format!("QYSU{place:06}")).unwrap();
            let id: ContainerId = ids.draw();
            write!(links, r#"{{"type":"container","id":"{id}"}},"#).unwrap();
            let events: Vec<EventId> = (0..OF_EACH).map(|_| ids.draw()).collect();
            let reports: Vec<ReportId> = (0..OF_EACH).map(|_| ids.draw()).collect();
            let mut container = Container {
                id,
                number,
                ..first.clone()
            };
            container.state.number = number;
            container.document = render(&View {
                id,
                shipment: planted.shipment,
                state: &container.state,
                ref_numbers: &[],
                created_at: service.now(),
                updated_at: service.now(),
                version: 1,
                line_checked_at: None,
                transport_events: &events,
                raw_events: &reports,
                customer: None,
                custom_fields: &[],
                gazetteer: service.gazetteer(),
            });
            let rows = events.into_iter().enumerate().map(|(place, event)| Event {
                id: event,
                container: Some(id),
                slot: Some(format!("{place}")),
                document: told.document.replace(&was, &event.to_string()) + &longer,
                ..told.clone()
            });
            let rows: Vec<Event> = rows.collect();
            let claimed = reports.into_iter().enumerate().map(|(place, report)| {
                let mut said: Report = claims[0].report.clone();
                said.source_event_id = Some(format!("{number}-{place}"));
                if let Some(equipment) = &mut said.equipment {
                    equipment.number = number;
                }
                (report, said)
            });
            let claimed: Vec<(ReportId, Report)> = claimed.collect();
            let mut a = tx.account(account);
            store::container::insert(&mut a, &container)?;
            store::event::insert(&mut a, &rows)?;
            store::report::insert(tx, watch, raw, &claimed, service.now())?;
        }
        let mut a = tx.account(account);
        let mut bill = store::shipment::find(&mut a, planted.shipment)?.unwrap();
        let named = r#""containers":{"data":["#;
        bill.document = bill.document.replace(named, &format!("{named}{links}"));
        assert!(store::shipment::update(&mut a, &bill)?);
        Ok::<_, store::Error>(())
    });
    writing.await.unwrap();
}

/// How many events and claims the boxes of an answer name, and how many of them are included.
fn named_and_included(answer: &Answer, boxes: &str) -> (usize, usize) {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let told = answer.json();
    let included = told["included"].as_array().unwrap().iter();
    let named = told[boxes].as_array().unwrap().iter().map(|one| {
        let links = &one["relationships"];
        let of = |name: &str| links[name]["data"].as_array().map_or(0, Vec::len);
        of("transport_events") + of("raw_events")
    });
    let kinds = ["transport_event", "raw_event"];
    let histories = included.filter(|one| kinds.contains(&one["type"].as_str().unwrap()));
    let ids: HashSet<&Value> = histories.map(|one| &one["id"]).collect();
    (named.sum(), ids.len())
}

/// A page that is offered is answered, however long the histories of its boxes have become.
#[tokio::test]
async fn a_full_page_of_boxes_comes_with_its_histories() {
    let house = House::open().await;
    let planted = plant(&house).await;
    histories(&house, &planted, 100, 0).await;
    let page = "/v2/containers?page[size]=100&include=transport_events,raw_events";
    let bill = format!(
        "/v2/shipments/{}?include=containers.transport_events,containers.raw_events",
        planted.shipment
    );
    for (path, boxes) in [(page, "data"), (&bill, "included")] {
        let (named, included) = named_and_included(&house.get(path).await, boxes);
        assert!(named > 5_900, "{path}: {named}");
        assert_eq!(included, named, "{path}");
    }
}

/// What no answer can hold is refused, and says what to do.
#[tokio::test]
async fn more_than_an_answer_holds_is_refused() {
    let house = House::open().await;
    let planted = plant(&house).await;
    histories(&house, &planted, 2, 1_000_000).await;
    let path = "/v2/containers?include=transport_events";
    let told = house.get(path).await.faults(400);
    assert_eq!(told, [TOO_MUCH]);
    let one = house.get(&format!("{path}&page[size]=1")).await;
    assert_eq!(one.status, 200);
}

/// Puts a box of the account on a bill of its own that names so many claims; so many of them are there, so long.
async fn bill_of_claims(
    house: &House,
    planted: &Planted,
    number: &'static str,
    named: usize,
    (stored, bytes): (usize, usize),
) -> Vec<ReportId> {
    let (account, planted, service) = (house.account, planted.clone(), house.tracking.clone());
    let key = Key::account(account);
    let writing = house.tracking.store().write(key, move |tx| {
        let mut ids = id_source(service.now());
        let shipment: ShipmentId = ids.draw();
        let reports: Vec<ReportId> = (0..named).map(|_| ids.draw()).collect();
        let mut a = tx.account(account);
        let mut bill = store::shipment::find(&mut a, planted.shipment)?.unwrap();
        let planted_watch = store::shipment::watches_of(&mut a, planted.shipment)?[0];
        bill.document = (bill.document).replace(&bill.id.to_string(), &shipment.to_string());
        (bill.id, bill.number, bill.normalized_number) = (shipment, number.into(), number.into());
        let mut container = store::container::find(&mut a, planted.containers[0])?.unwrap();
        (container.id, container.shipment) = (ids.draw(), shipment);
        container.document = render(&View {
            id: container.id,
            shipment,
            state: &container.state,
            ref_numbers: &[],
            created_at: service.now(),
            updated_at: service.now(),
            version: 1,
            line_checked_at: None,
            transport_events: &[],
            raw_events: &reports,
            customer: None,
            custom_fields: &[],
            gazetteer: service.gazetteer(),
        });
        let mut watch = store::watch::find(tx, planted_watch)?.unwrap();
        (watch.id, watch.number) = (ids.draw(), number.into());
        let watch = store::watch::find_or_insert(tx, &watch)?.id;
        let claims = store::report::of_watches(tx, &[planted_watch])?;
        let messages = store::report::messages_of(tx, &[planted_watch])?;
        let raw = *messages.values().next().unwrap();
        let said = reports.iter().take(stored).zip(0..).map(|(id, place)| {
            let said = Report {
                source_event_id: Some(format!("{number}-{place}")),
                original: "x".repeat(bytes),
                ..claims[0].report.clone()
            };
            (*id, said)
        });
        let said: Vec<(ReportId, Report)> = said.collect();
        store::report::insert(tx, watch, raw, &said, service.now())?;
        let mut a = tx.account(account);
        store::shipment::insert(&mut a, &bill)?;
        store::shipment::link_watch(&mut a, shipment, watch)?;
        store::container::insert(&mut a, &container)?;
        Ok::<_, store::Error>(reports)
    });
    writing.await.unwrap()
}

/// Nobody can read this claim.
fn damage(house: &House, claim: ReportId) {
    let id = claim.0.simple();
    let changed = house.tamper(&format!(
        "update reports set body = x'00' where id = x'{id}'"
    ));
    assert_eq!(changed, 1);
}

const TOO_MUCH: &str = "include: include asks for too much for one answer; a smaller page[size] or fewer names at once will do";

/// Claims are counted bill by bill: what stands behind the bound is not read, let alone written out.
#[tokio::test]
async fn claims_behind_the_bound_are_not_read() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let behind = bill_of_claims(&house, &planted, "QUAYBEHIND", 1, (1, 0)).await;
    damage(&house, behind[0]);
    let path = "/v2/containers?include=raw_events";
    assert_eq!(house.get(path).await.status, 500, "they cannot be read");
    bill_of_claims(&house, &planted, "QUAYLONG", 45, (45, 1_000_000)).await;
    assert_eq!(house.get(path).await.faults(400), [TOO_MUCH]);
}

/// A bill that names more claims than an answer holds, however short they are, is not read at all.
#[tokio::test]
async fn more_claims_than_an_answer_holds_are_not_read() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let named = bill_of_claims(&house, &planted, "QUAYMANY", 75_000, (1, 0)).await;
    damage(&house, named[0]);
    let path = "/v2/containers?include=raw_events&page[size]=1";
    assert_eq!(house.get(path).await.faults(400), [TOO_MUCH]);
}

/// There is none here. Who takes none is served by the thread at hand.
#[tokio::test]
async fn what_may_take_long_waits_for_a_place_and_holds_up_nothing_else() {
    let house = House::with(Settings {
        long_reads_max: 0,
        long_read_wait: Duration::from_millis(100),
        ..settings()
    })
    .await;
    let planted = plant(&house).await;
    let one = format!("/v2/containers/{}", planted.containers[0]);
    for long in [
        format!("{one}?include=raw_events"),
        "/v2/containers?include=shipment".into(),
        "/v2/containers?page[number]=2".into(),
        "/v2/containers?filter[current_status]=on_ship".into(),
        "/v2/containers?sort=-updated_at".into(),
        "/v2/search?query=NWLU".into(),
        "/v2/webhook_notifications".into(),
        format!("{one}/raw_events"),
        format!("{one}/route"),
        format!("{one}/map_geojson"),
    ] {
        let answer = house.get(&long).await;
        assert_eq!(answer.header("retry-after"), Some("5"), "{long}");
        answer.faults(503);
    }
    for plain in [&one, "/v2/containers", "/v2/containers?page[size]=100"] {
        assert_eq!(house.get(plain).await.status, 200, "{plain}");
    }
}

/// One place, which each of them gives back.
#[tokio::test]
async fn who_reads_long_again_and_again_is_served_each_time() {
    let house = House::with(Settings {
        long_reads_max: 1,
        ..settings()
    })
    .await;
    let planted = plant(&house).await;
    histories(&house, &planted, 20, 8_000).await;
    for _ in 0..5 {
        let answer = house
            .get("/v2/containers?page[size]=100&include=transport_events")
            .await;
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 4_000_000, "{}", answer.body.len());
    }
}
