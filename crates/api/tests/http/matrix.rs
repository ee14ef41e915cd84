//! Every route, generated from the routes themselves: it answers, it needs a key, it does not know unknown
//! ids, and it does not know another account's. A new route without a row here fails.

use api::{Answers, Method, Needs, ROUTES, Route};
use domain::account::Permissions;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{Answer, Client};
use crate::house::House;
use crate::planted::{Planted, plant};

/// A good id for the path, and whether it belongs to the account (reference records belong to nobody).
fn id_for(route: &Route, planted: &Planted) -> Option<(Uuid, bool)> {
    if !route.path.contains("{id}") {
        return None;
    }
    let collection = route.path.split('/').nth(2).unwrap_or_default();
    Some(match collection {
        "tracking_requests" => (planted.request.0, true),
        "shipments" => (planted.shipment.0, true),
        "containers" => (planted.containers[0].0, true),
        "webhooks" => (planted.webhook.0, true),
        "webhook_notifications" => (planted.notification.0, true),
        "shipping_lines" => (line_id(), false),
        other => panic!("the collection {other} has no row: add one"),
    })
}

fn line_id() -> Uuid {
    let scac = domain::codes::Scac::parse("MSCU").unwrap();
    jsonapi::resource::shipping_line::id(scac).0
}

/// A good body for the operation.
fn body_for(route: &Route) -> Option<Value> {
    let kind = route.operation.body.as_ref()?.kind;
    let attributes = match route.operation.name {
        "create_tracking_request" => json!({
            "request_type": "bill_of_lading", "request_number": "QUAY00002", "scac": "MSCU",
        }),
        "update_tracking_request" => json!({"ref_numbers": ["PO 1"]}),
        "create_webhook" => json!({
            "url": "https://hooks.example/other", "events": ["container.updated"],
        }),
        "update_webhook" => json!({"active": false}),
        other => panic!("the operation {other} has no body: add one"),
    };
    Some(json!({"data": {"type": kind, "attributes": attributes}}))
}

async fn call(client: &Client, route: &Route, id: Option<Uuid>) -> Answer {
    let id = id.map(|id| id.to_string()).unwrap_or_default();
    let path = route.path.replace("{id}", &id);
    let body = body_for(route);
    client
        .send(route.method.as_str(), &path, body.as_ref())
        .await
}

fn named(route: &Route) -> String {
    format!("{} {}", route.method.as_str(), route.path)
}

#[tokio::test]
async fn every_route_answers() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let deletes_last = |route: &&Route| route.method == Method::Delete;
    for route in ROUTES
        .iter()
        .filter(|r| !deletes_last(r))
        .chain(ROUTES.iter().filter(deletes_last))
    {
        let id = id_for(route, &planted).map(|(id, _)| id);
        let answer = call(&house.client(), route, id).await;
        let (status, shape) = match route.operation.answers {
            Answers::One(kind) => (200, Some((kind, false))),
            Answers::Created(kind) => (201, Some((kind, false))),
            Answers::Many(kind) => (200, Some((kind, true))),
            Answers::Empty => (200, None),
        };
        assert_eq!(answer.status, status, "{}: {}", named(route), answer.body);
        assert_eq!(
            answer.header("content-type"),
            Some("application/vnd.api+json")
        );
        assert!(answer.header("x-request-id").is_some());
        let Some((kind, many)) = shape else {
            assert_eq!(answer.body, "", "{}", named(route));
            continue;
        };
        let data = answer.json()["data"].clone();
        let rows = if many {
            data.as_array().cloned().unwrap()
        } else {
            vec![data]
        };
        assert!(!rows.is_empty(), "{}", named(route));
        for row in rows {
            assert_eq!(row["type"], kind.name, "{}", named(route));
            let attributes = row["attributes"].as_object().unwrap();
            let declared = kind.attributes.iter().map(|a| a.name);
            for name in declared {
                assert!(attributes.contains_key(name), "{}: {name}", named(route));
            }
        }
    }
}

#[tokio::test]
async fn every_route_needs_a_key() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let stranger = Client::new(house.address);
    for route in ROUTES {
        let id = id_for(route, &planted).map(|(id, _)| id);
        for client in [
            stranger.clone(),
            stranger.clone().key("ct_live_nonsense"),
            stranger.clone().key(&swapped(&house.key)),
            stranger
                .clone()
                .header("Authorization", &format!("Bearer {}", house.key)),
            stranger.clone().header("Authorization", &house.key),
            stranger.clone().header("X-Api-Key", &house.key),
        ] {
            let answer = call(&client, route, id).await;
            let told = answer.faults(401);
            assert_eq!(told, ["Invalid or missing API token."], "{}", named(route));
            assert_eq!(answer.header("www-authenticate"), Some("Token"));
        }
    }
}

/// Another key of the same look: two characters change places, so its check still may or may not fit.
fn swapped(key: &str) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    let place = (10..30).find(|place| letters[*place] != letters[*place + 1]);
    let place = place.unwrap();
    letters.swap(place, place + 1);
    letters.into_iter().collect()
}

#[tokio::test]
async fn unknown_and_foreign_ids_look_alike() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let neighbour = house.neighbour().await;
    for route in ROUTES {
        let Some((id, owned)) = id_for(route, &planted) else {
            continue;
        };
        let unknown = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);
        let missing = call(&house.client(), route, Some(unknown)).await;
        let told = missing.faults(404);
        assert!(told[0].contains(&unknown.to_string()), "{told:?}");
        let foreign = call(&neighbour, route, Some(id)).await;
        if owned {
            let expected = told[0].replace(&unknown.to_string(), &id.to_string());
            assert_eq!(foreign.faults(404), [expected], "{}", named(route));
        } else {
            assert_eq!(foreign.status, 200, "{}", named(route));
        }
        for odd in [
            "nonsense",
            "1",
            "%00",
            "%ff",
            "..%2f..",
            "0190000000007000800000000000000g",
        ] {
            let path = route.path.replace("{id}", odd);
            let body = body_for(route);
            let answer = house
                .client()
                .send(route.method.as_str(), &path, body.as_ref())
                .await;
            answer.faults(404);
        }
    }
}

#[tokio::test]
async fn lists_of_a_neighbour_are_empty() {
    let house = House::open().await;
    plant(&house).await;
    let neighbour = house.neighbour().await;
    for route in ROUTES {
        let list = route.method == Method::Get && !route.path.contains("{id}");
        if list && route.path != "/v2/shipping_lines" {
            assert!(
                neighbour.get(route.path).await.ids().is_empty(),
                "{}",
                named(route)
            );
            assert!(
                !house.get(route.path).await.ids().is_empty(),
                "{}",
                named(route)
            );
        }
    }
}

#[tokio::test]
async fn a_key_may_do_what_it_may() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let reader = Permissions {
        show: true,
        update: false,
    };
    let writer = Permissions {
        show: false,
        update: true,
    };
    let (reader, writer) = (house.limited(reader).await, house.limited(writer).await);
    for route in ROUTES {
        let id = id_for(route, &planted).map(|(id, _)| id);
        let refused = match route.operation.needs {
            Needs::Show => &writer,
            Needs::Update => &reader,
        };
        let told = call(refused, route, id).await.faults(403);
        let words = told[0].to_lowercase();
        assert!(
            !words.contains("not enabled") && !words.contains("feature"),
            "{words}"
        );
    }
}

#[tokio::test]
async fn other_methods_are_named() {
    let house = House::open().await;
    for route in ROUTES {
        let path = route.path.replace("{id}", &Uuid::nil().to_string());
        for method in ["PUT", "OPTIONS", "TRACE", "PROPFIND", "get", "BREW"] {
            let answer = house.client().send(method, &path, None).await;
            answer.faults(405);
            let allow = answer.header("allow").unwrap_or_default();
            assert!(
                allow.contains(route.method.as_str()),
                "{}: {allow}",
                named(route)
            );
        }
        if route.method == Method::Get {
            let head = house.client().send_head(&path).await;
            assert!(head.status == 200 || head.status == 404, "{}", named(route));
            assert_eq!(head.body, "");
        }
    }
    for path in [
        "/v2",
        "/v2/",
        "/v2/boats",
        "/v1/shipments",
        "/v2/shipments/",
        "/v2//shipments",
    ] {
        house.get(path).await.faults(404);
    }
}
