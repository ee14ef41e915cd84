//! Includes, fields, pages, filters, tags of unchanged answers.

use domain::event::EventName;
use serde_json::{Value, json};
use store::Key;
use store::event::Event;
use store::notification::Notification;
use tracking::id_source;

use crate::house::{House, NOW};
use crate::planted::{BILL, BOXES, event, notification, order, plant};

#[tokio::test]
async fn a_range_that_ends_at_a_time_that_was_shown_holds_what_it_was_shown_of() {
    let house = House::open().await;
    house
        .clock
        .advance_to("2026-03-01T12:00:07.5Z".parse().unwrap());
    let wanted = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": "SECOND1", "scac": "MSCU"}}});
    let path = "/v2/tracking_requests";
    let made = house.client().send("POST", path, Some(&wanted)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let shown = &made.json()["data"]["attributes"]["created_at"];
    assert_eq!(*shown, "2026-03-01T12:00:07Z");
    for (end, found) in [
        ("2026-03-01T12:00:07Z", 1),
        ("2026-03-01T12:00:06Z", 0),
        ("2026-03-01T12:00:07.4Z", 0),
        ("2026-03-01T12:00:07.5Z", 1),
    ] {
        for name in ["created_at", "updated_at"] {
            let told = house
                .get(&format!("{path}?filter[{name}][end]={end}"))
                .await;
            let told = told.json()["data"].as_array().unwrap().len();
            assert_eq!(told, found, "{name} {end}");
        }
    }
}

#[tokio::test]
async fn a_request_brings_its_shipment_and_every_container() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/tracking_requests/{}", planted.request);
    let shipment = ("shipment".to_owned(), planted.shipment.to_string());
    assert_eq!(
        house.get(&path).await.included(),
        std::slice::from_ref(&shipment)
    );
    let deep = house
        .get(&format!("{path}?include=tracked_object.containers"))
        .await;
    let boxes = planted
        .containers
        .map(|id| ("container".to_owned(), id.to_string()));
    let mut expected = vec![shipment];
    expected.extend(boxes);
    assert_eq!(deep.included(), expected);
    let numbers: Vec<Value> = deep.json()["included"].as_array().unwrap()[1..]
        .iter()
        .map(|one| one["attributes"]["number"].clone())
        .collect();
    assert_eq!(numbers, BOXES);
    assert!(
        house
            .get(&format!("{path}?include="))
            .await
            .included()
            .is_empty()
    );
    assert!(
        house
            .get(&format!("{path}?include=customer"))
            .await
            .included()
            .is_empty()
    );
}

#[tokio::test]
async fn who_asks_to_include_what_is_not_there_is_told_so_by_an_empty_list() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let one = format!("/v2/shipments/{}", planted.shipment);
    for (path, expected) in [
        (format!("{one}?include=pod_terminal"), json!([])),
        (format!("{one}?include="), json!([])),
        ("/v2/shipments?include=pod_terminal".into(), json!([])),
        (
            "/v2/shipments?number=NONE&include=containers".into(),
            json!([]),
        ),
        (one, Value::Null),
        ("/v2/shipments".into(), Value::Null),
        ("/v2/tracking_requests?q=NONE".into(), Value::Null),
    ] {
        let told = house.get(&path).await.json();
        assert_eq!(told["included"], expected, "{path}");
    }
}

#[tokio::test]
async fn included_resources_come_once_and_never_repeat_the_primary_one() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/shipments/{}", planted.shipment);
    let include = "containers.shipment,containers.shipment.containers,port_of_lading,\
                   containers.transport_events.vessel,containers.transport_events.location,\
                   containers.raw_events,containers.transport_events.source_event.vessel";
    let kinds = |answer: crate::client::Answer| {
        let mut kinds: Vec<String> = answer
            .included()
            .into_iter()
            .map(|(kind, _)| kind)
            .collect();
        kinds.sort();
        kinds
    };
    let answer = house.get(&format!("{path}?include={include}")).await;
    assert_eq!(
        kinds(answer),
        [
            "container",
            "container",
            "port",
            "port",
            "raw_event",
            "transport_event",
            "vessel"
        ],
    );
    let list = format!("/v2/containers/{}/transport_events", planted.containers[0]);
    let answer = house
        .get(&format!(
            "{list}?include=shipment,container,location,terminal,vessel"
        ))
        .await;
    assert_eq!(kinds(answer), ["container", "port", "shipment", "vessel"]);
}

/// Who knows of no pages reads the first: the way of a box has hardly ever more events.
#[tokio::test]
async fn the_first_page_of_events_is_the_greatest() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let stands = event(&house.tracking, &planted);
    let mut ids = id_source(NOW.parse().unwrap());
    let more: Vec<Event> = (0..99)
        .map(|place| Event {
            id: ids.draw(),
            slot: Some(format!("slot {place}")),
            ..stands.clone()
        })
        .collect();
    let account = house.account;
    let writing = house
        .tracking
        .store()
        .write(Key::account(account), move |tx| {
            store::event::insert(&mut tx.account(account), &more)
        });
    writing.await.unwrap();
    let list = format!("/v2/containers/{}/transport_events", planted.containers[0]);
    let answer = house.get(&list).await;
    assert_eq!(answer.ids().len(), 100);
    assert_eq!(answer.json()["links"].get("next"), None);
    for (asked, rows) in [("page[size]=30", 30), ("page[size]=40&page[number]=3", 20)] {
        let answer = house.get(&format!("{list}?{asked}")).await;
        assert_eq!(answer.ids().len(), rows, "{asked}");
    }
}

#[tokio::test]
async fn notifications_bring_what_they_are_about() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/webhook_notifications/{}", planted.notification);
    let event = ("transport_event".to_owned(), planted.event.to_string());
    let answer = house.get(&path).await;
    assert_eq!(answer.included().last(), Some(&event));
    assert_eq!(answer.json()["data"]["meta"]["version"], 1);
    let answer = house
        .get("/v2/webhook_notifications?include=webhook,reference_object.container")
        .await;
    let kinds: Vec<String> = answer
        .included()
        .into_iter()
        .map(|(kind, _)| kind)
        .collect();
    assert_eq!(kinds, ["webhook", "transport_event", "container"]);
    let secret = answer.json()["included"][0]["attributes"]["secret"].clone();
    assert!(secret.as_str().unwrap().starts_with("whsec_…"), "{secret}");
}

#[tokio::test]
async fn who_said_what_is_told_when_it_is_asked() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}", planted.containers[0]);
    let plain = house.get(&path).await;
    assert!(plain.json().get("meta").is_none());
    let asked = house.get(&format!("{path}?include_meta=provenance")).await;
    assert_eq!(asked.json()["data"], plain.json()["data"]);
    let told = &asked.json()["meta"]["provenance"];
    let arrived = &told["attributes"]["pod_arrived_at"];
    assert_eq!(arrived["basis"], "reported", "{told}");
    let stands = &arrived["standing"][0];
    assert_eq!(stands["verdict"], "stands");
    assert_eq!(stands["raw_event_id"], planted.report.to_string());
    assert!(stands["raw_message_id"].is_string(), "{stands}");
    let source = json!({"id": "MSCU", "kind": "dcsa2", "data_source": "shipping_line"});
    assert_eq!(stands["source"], source);
    assert_eq!(stands["rank"], 1);
    assert_eq!(stands["value"], NOW);
    let again = house.get(&format!("{path}?include_meta=provenance")).await;
    assert_eq!(again.body, asked.body, "nothing of it is of the moment");

    let events = format!("{path}/transport_events");
    let listed = house
        .get(&format!("{events}?include_meta=provenance"))
        .await;
    let told = listed.json()["meta"]["provenance"].clone();
    assert_eq!(told["attributes"], json!({}));
    let event = &told["transport_events"][planted.event.to_string()];
    assert_eq!(
        event["standing"][0]["raw_event_id"],
        planted.report.to_string()
    );
    assert!(
        house.get(&events).await.json()["meta"]
            .get("provenance")
            .is_none()
    );

    for (path, wrong) in [(&path, "all"), (&events, "")] {
        let refused = house.get(&format!("{path}?include_meta={wrong}")).await;
        assert_eq!(refused.status, 400);
        assert_eq!(
            refused.json()["errors"][0]["source"]["parameter"],
            "include_meta"
        );
    }
    let nobody = format!(
        "/v2/containers/{}?include_meta=provenance",
        planted.shipment
    );
    assert_eq!(house.get(&nobody).await.status, 404);
}

/// One row that cannot be shown would take the page with it.
#[tokio::test]
async fn every_event_can_be_listed() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let mut ids = id_source(house.tracking.now());
    let told: Vec<Notification> = EventName::ALL
        .into_iter()
        .map(|event| Notification {
            id: ids.draw(),
            event,
            ..notification(&planted)
        })
        .collect();
    let (account, key) = (house.account, order(&planted));
    let store = house.tracking.store();
    let write = store.write(store::Key::account(account), move |tx| {
        let told: Vec<_> = told.iter().map(|one| (one.clone(), key)).collect();
        store::notification::insert(&mut tx.account(account), &told)
    });
    write.await.unwrap();
    let path = "/v2/webhook_notifications?include=webhook,reference_object&page[size]=100";
    let answer = house.get(path).await;
    let rows = answer.json()["data"].as_array().unwrap().clone();
    let shown = |event: &EventName| {
        let mut named = rows.iter().map(|row| &row["attributes"]["event"]);
        named.any(|name| name == event.as_str())
    };
    for event in EventName::ALL {
        assert!(shown(&event), "{}", event.as_str());
    }
}

#[tokio::test]
async fn raw_events_in_their_order_without_links() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}/raw_events", planted.containers[0]);
    let answer = house.get(&path).await;
    assert_eq!(answer.ids(), [planted.report.to_string()]);
    let told = answer.json();
    assert_eq!(told["data"][0]["attributes"]["event"], "vessel_arrived");
    let container = &told["data"][0]["relationships"]["container"]["data"]["id"];
    assert_eq!(container, &planted.containers[0].to_string());
    assert!(told.get("links").is_none() && told.get("meta").is_none());
    let other = format!("/v2/containers/{}/raw_events", planted.containers[1]);
    assert!(house.get(&other).await.ids().is_empty());
}

#[tokio::test]
async fn sparse_fields_cut_and_whole_answers_are_copies() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}", planted.containers[0]);
    let whole = house.get(&path).await;
    let id = planted.containers[0];
    let found = house
        .tracking
        .store()
        .read(move |tx| store::container::find(&mut tx.account(house.account), id));
    let stored = found.await.unwrap().unwrap().document;
    assert!(whole.body.contains(&stored), "a copy, byte for byte");
    let cut = house
        .get(&format!(
            "{path}?fields[container]=number,shipment&include=shipment&fields[shipment]=tags"
        ))
        .await
        .json();
    let names =
        |part: &Value| -> Vec<String> { part.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(names(&cut["data"]["attributes"]), ["number"]);
    assert_eq!(names(&cut["data"]["relationships"]), ["shipment"]);
    assert_eq!(names(&cut["included"][0]["attributes"]), ["tags"]);
    assert_eq!(cut["data"]["id"], id.to_string());
}

#[tokio::test]
async fn pages_have_links_that_lead_on() {
    let house = House::open().await;
    plant(&house).await;
    let first = house.get("/v2/containers?page[size]=1").await;
    assert_eq!(first.ids().len(), 1);
    let told = first.json();
    let link = |name: &str| told["links"][name].as_str().map(str::to_owned);
    let at = |number: u32| {
        Some(format!(
            "https://quay.example/v2/containers?page[number]={number}&page[size]=1"
        ))
    };
    assert_eq!(
        link("self").as_deref(),
        Some("https://quay.example/v2/containers?page[size]=1")
    );
    assert_eq!(
        (link("current"), link("next"), link("last")),
        (at(1), at(2), at(2))
    );
    assert_eq!((link("prev"), link("first")), (None, None));
    assert_eq!(told["meta"]["total"], 2);
    let next = link("next").unwrap();
    let second = house
        .get(next.trim_start_matches("https://quay.example"))
        .await;
    assert_eq!(second.ids().len(), 1);
    assert_ne!(second.ids(), first.ids());
    assert_eq!(second.json()["links"]["next"], Value::Null);
    let beyond = house.get("/v2/containers?page[number]=9").await;
    assert!(beyond.ids().is_empty());
    assert_eq!(beyond.json()["meta"]["total"], 2);
    assert_eq!(
        house
            .get("/v2/containers?page[size]=5000")
            .await
            .ids()
            .len(),
        2
    );
}

#[tokio::test]
async fn filters() {
    let house = House::open().await;
    let webhook = plant(&house).await.webhook;
    for (path, rows) in [
        (format!("/v2/containers?filter[number]={}", BOXES[0]), 1),
        ("/v2/containers?filter[number]=msku%20601167-2".into(), 1),
        ("/v2/containers?filter[number]=TCLU4255603".into(), 0),
        (
            "/v2/containers?filter[current_status]=new,on_ship".into(),
            2,
        ),
        ("/v2/containers?filter[current_status]=loaded".into(), 0),
        (format!("/v2/shipments?q={}", BOXES[1]), 1),
        ("/v2/shipments?q=+".into(), 1),
        (format!("/v2/shipments?number={BILL}"), 1),
        (format!("/v2/shipments?number={}", BOXES[1]), 0),
        ("/v2/shipments?filter[tracking_stopped]=false".into(), 1),
        (
            "/v2/shipments?filter[tracking_stopped]=true&sort=-created_at".into(),
            0,
        ),
        ("/v2/containers?filter[scac]=mscu,ONEY".into(), 2),
        ("/v2/containers?filter[scac]=ONEY".into(), 0),
        ("/v2/containers?filter[scac]=medu".into(), 2),
        ("/v2/shipments?filter[scac]=ONEY,MEDU".into(), 1),
        ("/v2/containers?filter[customer_name]=nobody".into(), 0),
        ("/v2/shipments?filter[customer_name]=nobody".into(), 0),
        (
            "/v2/containers?filter[port_of_discharge]=uslax,USOAK".into(),
            2,
        ),
        ("/v2/containers?filter[port_of_discharge]=USOAK".into(), 0),
        (
            "/v2/containers?filter[port_of_lading]=CNSHA&sort=number".into(),
            0,
        ),
        (
            "/v2/containers?filter[updated_at][start]=2026-03-01T12:00:00Z&sort=updated_at".into(),
            2,
        ),
        (
            "/v2/containers?filter[updated_at][end]=2026-03-01".into(),
            2,
        ),
        (
            "/v2/containers?filter[updated_at][end]=2026-02-28".into(),
            0,
        ),
        (
            "/v2/containers?filter[created_at][start]=2026-03-02".into(),
            0,
        ),
        (
            "/v2/containers?filter[pickup_lfd][start]=2026-03-02&sort=pickup_lfd".into(),
            0,
        ),
        ("/v2/containers?filter[available_for_pickup]=true".into(), 0),
        (
            "/v2/containers?filter[equipment_height]=high_cube,high%20cube".into(),
            0,
        ),
        ("/v2/containers?filter[tracking_stopped]=false".into(), 2),
        (
            "/v2/containers?filter[customer]=0190f2a0-0000-7000-8000-000000000001".into(),
            0,
        ),
        (
            "/v2/containers?filter[customer_id]=0190f2a0-0000-7000-8000-000000000001".into(),
            0,
        ),
        (
            "/v2/shipments?filter[scac]=MSCU&filter[port_of_lading]=CNSHA,CNNGB".into(),
            1,
        ),
        ("/v2/shipments?filter[port_of_discharge]=CNNGB".into(), 0),
        // The port's other code.
        ("/v2/shipments?filter[port_of_lading]=cnsgh".into(), 1),
        (
            "/v2/shipments?filter[pod_ata_at][start]=2026-03-01&filter[pod_ata_at][end]=2026-03-01"
                .into(),
            1,
        ),
        (
            "/v2/shipments?filter[arrival_date][end]=2026-02-28".into(),
            0,
        ),
        (
            "/v2/shipments?filter[pod_eta_at][start]=2020-01-01".into(),
            0,
        ),
        (
            "/v2/shipments?filter[updated_at][start]=2026-03-01&sort=-updated_at".into(),
            1,
        ),
        (
            "/v2/shipments?filter[customer_id]=0190f2a0-0000-7000-8000-000000000001".into(),
            0,
        ),
        ("/v2/shipments?filter[tags]=rush,hot".into(), 0),
        ("/v2/shipments?filter[ref_number]=PO%201".into(), 0),
        (
            format!("/v2/shipments?filter[number]={BILL}&number={BILL}"),
            1,
        ),
        (
            format!("/v2/tracking_requests?filter[request_number]={BILL}&sort=-request_number"),
            1,
        ),
        (
            "/v2/tracking_requests?filter[customer]=0190f2a0-0000-7000-8000-000000000001".into(),
            0,
        ),
        ("/v2/webhook_notifications?sort=created_at".into(), 1),
        ("/v2/tracking_requests?filter[status]=created".into(), 1),
        (
            "/v2/tracking_requests?filter[status]=pending,failed".into(),
            0,
        ),
        ("/v2/tracking_requests?filter[scac]=mscu".into(), 1),
        ("/v2/tracking_requests?filter[scac]=MEDU".into(), 1),
        (
            "/v2/tracking_requests?filter[request_type]=container".into(),
            0,
        ),
        (
            "/v2/tracking_requests?filter[created_at][start]=2026-03-01T12:00:00Z".into(),
            1,
        ),
        (
            "/v2/tracking_requests?filter[created_at][start]=2026-03-01T12:00:01Z".into(),
            0,
        ),
        (
            "/v2/tracking_requests?filter[updated_at][end]=2026-03-01T12:00:00Z".into(),
            1,
        ),
        ("/v2/shipping_lines?search=mscu".into(), 1),
        ("/v2/tracking_requests?q=".into(), 1),
        ("/v2/webhook_notifications?filter[status]=pending".into(), 1),
        (
            "/v2/webhook_notifications?filter[event]=container.updated".into(),
            0,
        ),
        (
            format!("/v2/webhook_notifications?filter[webhook]={webhook}"),
            1,
        ),
    ] {
        assert_eq!(house.get(&path).await.ids().len(), rows, "{path}");
    }
}

#[tokio::test]
async fn filters_that_mean_nothing_are_refused_by_name() {
    let house = House::open().await;
    for (path, name) in [
        ("/v2/containers?filter[scac]=MSCU,toolong", "filter[scac]"),
        (
            "/v2/containers?filter[port_of_discharge]=LAX",
            "filter[port_of_discharge]",
        ),
        (
            "/v2/containers?filter[port_of_lading]=,",
            "filter[port_of_lading]",
        ),
        ("/v2/containers?filter[customer]=me", "filter[customer]"),
        (
            "/v2/containers?filter[pickup_lfd][start]=soon",
            "filter[pickup_lfd][start]",
        ),
        (
            "/v2/containers?filter[equipment_height]=tall",
            "filter[equipment_height]",
        ),
        ("/v2/containers?sort=weight_in_lbs", "sort"),
        (
            "/v2/containers?filter[custom_field][po]=1",
            "filter[custom_field][po]",
        ),
        (
            "/v2/shipments?filter[custom_field][po]=1",
            "filter[custom_field][po]",
        ),
        (
            "/v2/shipments?filter[custom_field]=1",
            "filter[custom_field]",
        ),
        ("/v2/shipments?number=A&filter[number]=B", "filter[number]"),
        (
            "/v2/shipments?filter[arrival_date][end]=2026-13-01",
            "filter[arrival_date][end]",
        ),
        (
            "/v2/containers?filter[created_at][start]=-000001-12-31",
            "filter[created_at][start]",
        ),
        (
            "/v2/webhook_notifications?filter[created_at][end]=-000001-12-31T23:59:59.5Z",
            "filter[created_at][end]",
        ),
    ] {
        let answer = house.get(path).await;
        answer.faults(400);
        assert_eq!(
            answer.json()["errors"][0]["source"]["parameter"],
            name,
            "{path}"
        );
    }
}

#[tokio::test]
async fn orders_run_both_ways() {
    let house = House::open().await;
    plant(&house).await;
    for sort in ["created_at", "updated_at", "pickup_lfd", "number"] {
        let forth = house
            .get(&format!("/v2/containers?sort={sort}"))
            .await
            .ids();
        let mut back = house
            .get(&format!("/v2/containers?sort=-{sort}"))
            .await
            .ids();
        back.reverse();
        assert_eq!(forth, back, "{sort}");
    }
    let newest = house.get("/v2/containers?sort=-created_at").await.ids();
    assert_eq!(house.get("/v2/containers").await.ids(), newest);
}

#[tokio::test]
async fn an_unchanged_resource_is_not_sent_again() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/shipments/{}", planted.shipment);
    let first = house.get(&path).await;
    let tag = first.header("etag").unwrap().to_owned();
    for known in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"x\", {tag}"),
        "*".into(),
    ] {
        let again = house
            .client()
            .header("If-None-Match", &known)
            .get(&path)
            .await;
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{known}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
    }
    let other = house
        .client()
        .header("If-None-Match", "\"x\"")
        .get(&path)
        .await;
    assert_eq!(other.status, 200);
    let foreign = house
        .neighbour()
        .await
        .header("If-None-Match", "*")
        .get(&path)
        .await;
    foreign.faults(404);
}

#[tokio::test]
async fn links_do_not_believe_the_host() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let request = format!(
        "GET /v2/shipments/{} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n\
         Authorization: token {}\r\nConnection: close\r\n\r\n",
        planted.shipment, house.key,
    );
    let answer = crate::client::exchange(house.address, request.as_bytes()).await;
    assert_eq!(answer.status, 200);
    assert!(!answer.body.contains("evil"), "{}", answer.body);
    let own = format!("https://quay.example/v2/shipments/{}", planted.shipment);
    assert_eq!(answer.json()["links"]["self"], own);
}

#[tokio::test]
async fn the_open_pages() {
    let house = House::open().await;
    let stranger = crate::client::Client::new(house.address);
    let home = stranger.get("/").await;
    assert!(home.status == 200 && home.body.contains("/openapi.json"));
    let alive = stranger.get("/health/live").await;
    assert_eq!(alive.status, 200, "{}", alive.body);
    // A disk that takes a second for one commit is none to be ready on.
    let mut ready = stranger.get("/health/ready").await;
    for _ in 0..30 {
        if ready.status == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        ready = stranger.get("/health/ready").await;
    }
    assert_eq!(ready.status, 200, "{}", ready.body);
    let refused = stranger.send("POST", "/health/live", None).await;
    refused.faults(405);
    assert_eq!(refused.header("allow"), Some("GET, HEAD"));
}

#[tokio::test]
async fn the_lines_come_whole_also_for_who_asks_for_a_page() {
    let house = House::open().await;
    let all = house.get("/v2/shipping_lines").await.ids();
    assert!(all.len() > 30, "{}", all.len());
    let page = "/v2/shipping_lines?page[number]=1&page[size]=100";
    assert_eq!(house.get(page).await.ids(), all);
    let behind = "/v2/shipping_lines?page[number]=2&page[size]=100";
    assert_eq!(house.get(behind).await.json()["data"], json!([]));
    let wrong = house.get("/v2/shipping_lines?page[number]=last").await;
    wrong.faults(400);
}
