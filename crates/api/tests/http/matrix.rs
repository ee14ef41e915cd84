//! Every route, generated from the routes themselves: it answers, it needs a key, it does not know unknown
//! ids, and it does not know another account's. A new route without a row here fails.

use api::{Answers, Method, Needs, ROUTES, Route};
use domain::account::Permissions;
use uuid::Uuid;

use crate::client::Client;
use crate::house::House;
use crate::planted::plant;
use crate::rows::{nowhere, row};

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
        let answer = row(route, &planted).call(&house.client(), route).await;
        let (status, shape) = match route.operation.answers {
            Answers::One(kind) | Answers::WithTurn(kind) => (200, Some((kind, false))),
            Answers::Created(kind) => (201, Some((kind, false))),
            Answers::Many(kind) => (200, Some((kind, true))),
            Answers::Empty | Answers::Plain(_) => (200, None),
            Answers::AcceptedOne(kind) => (202, Some((kind, false))),
            Answers::Accepted(_) => (202, None),
            Answers::NoContent => (204, None),
        };
        assert_eq!(answer.status, status, "{}: {}", named(route), answer.body);
        assert!(answer.header("x-request-id").is_some());
        let media = answer.header("content-type");
        if let Answers::Plain(members) | Answers::Accepted(members) = route.operation.answers {
            assert_eq!(media, Some("application/json"));
            let told = answer.json();
            for member in members {
                assert!(told.get(member.name).is_some(), "{}: {told}", member.name);
            }
            continue;
        }
        let Some((kind, many)) = shape else {
            assert_eq!(answer.body, "", "{}", named(route));
            continue;
        };
        assert_eq!(media, Some("application/vnd.api+json"));
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
        let row = row(route, &planted);
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
            let answer = row.call(&client, route).await;
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
        let row = row(route, &planted);
        let Some((_, id)) = row.segments.first() else {
            continue;
        };
        let unknown = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001).to_string();
        let missing = row.with_id(&unknown).call(&house.client(), route).await;
        let told = missing.faults(404);
        let foreign = row.call(&neighbour, route).await;
        if row.shared {
            assert!(foreign.status < 300, "{}", named(route));
        } else if row.segments.len() == 1 {
            assert!(told[0].contains(&unknown), "{told:?}");
            let expected = told[0].replace(&unknown, id);
            assert_eq!(foreign.faults(404), [expected], "{}", named(route));
        } else {
            assert_eq!(foreign.faults(404), told, "{}", named(route));
        }
        for odd in [
            "nonsense",
            "1",
            "%00",
            "%ff",
            "..%2f..",
            "0190000000007000800000000000000g",
        ] {
            let answer = row.with_id(odd).call(&house.client(), route).await;
            answer.faults(404);
        }
    }
}

#[tokio::test]
async fn lists_of_a_neighbour_hold_nothing_of_ours() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let neighbour = house.neighbour().await;
    for route in ROUTES {
        let list = matches!(route.operation.answers, Answers::Many(_));
        let row = row(route, &planted);
        if list && row.segments.is_empty() && !row.shared {
            let path = row.path(route);
            let theirs = neighbour.get(&path).await.ids();
            let ours = house.get(&path).await.ids();
            assert!(
                !theirs.iter().any(|id| ours.contains(id)),
                "{}",
                named(route)
            );
            assert!(!ours.is_empty(), "{}", named(route));
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
        let row = row(route, &planted);
        let refused = match route.operation.needs {
            Needs::Show => &writer,
            Needs::Update => &reader,
        };
        let told = row.call(refused, route).await.faults(403);
        let words = told[0].to_lowercase();
        assert!(
            !words.contains("not enabled") && !words.contains("feature"),
            "{words}"
        );
        assert!(words.contains("permission"), "{words}");
        assert!(!words.contains("changes"), "some only read: {words}");
    }
}

#[tokio::test]
async fn other_methods_are_named() {
    let house = House::open().await;
    for route in ROUTES {
        let path = nowhere(route);
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
            // 400: a parameter is missing that must be there.
            let known = matches!(head.status, 200 | 400 | 404);
            assert!(known, "{}: {}", named(route), head.status);
            assert_eq!(head.body, "");
        }
    }
    for path in [
        "/v2",
        "/v2/",
        "/v2/boats",
        "/v1/shipments",
        "/v1//shipments",
        "/v2/shipments/1/",
    ] {
        house.get(path).await.faults(404);
    }
}
