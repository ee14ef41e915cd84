//! `include` where there is much to include.

use std::collections::HashSet;
use std::fmt::Write as _;

use domain::codes::ContainerNumber;
use domain::ids::{ContainerId, EventId, ReportId};
use domain::report::Report;
use jsonapi::resource::container::{View, render};
use serde_json::Value;
use store::Key;
use store::container::Container;
use store::event::Event;
use tracking::id_source;

use crate::client::Answer;
use crate::house::House;
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
    let why = "include asks for too much for one answer; a smaller page[size] or fewer names at once will do";
    assert_eq!(told, [format!("include: {why}")]);
    let one = house.get(&format!("{path}&page[size]=1")).await;
    assert_eq!(one.status, 200);
}
