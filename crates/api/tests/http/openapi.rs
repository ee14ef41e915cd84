//! The description, compared with what it describes.

use std::collections::BTreeSet;

use api::ROUTES;
use serde_json::Value;

use crate::client::Client;
use crate::house::House;

fn described() -> Value {
    serde_json::from_str(&api::openapi()).unwrap()
}

#[tokio::test]
async fn it_is_served_to_everybody() {
    let house = House::open().await;
    let answer = Client::new(house.address).get("/openapi.json").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json(), described());
}

#[test]
fn every_route_is_in_it_and_nothing_else() {
    let api = described();
    assert_eq!(api["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    for route in ROUTES {
        let below = route.path.trim_start_matches("/v2");
        let method = route.method.as_str().to_lowercase();
        let operation = &api["paths"][below][&method];
        assert_eq!(
            operation["operationId"], route.operation.name,
            "{method} {below}"
        );
        assert!(
            names.insert(route.operation.name),
            "{} twice",
            route.operation.name
        );
        let body = operation.get("requestBody").is_some();
        assert_eq!(body, route.operation.body.is_some(), "{method} {below}");
        for parameter in route.operation.query.parameters {
            let known = operation["parameters"].as_array().unwrap();
            assert!(
                known.iter().any(|p| p["name"] == parameter.name),
                "{}",
                parameter.name
            );
        }
        for response in operation["responses"].as_object().unwrap().values() {
            let response = followed(&api, response);
            assert!(!response["description"].as_str().unwrap().is_empty());
            assert!(response["headers"]["X-Request-Id"].is_object());
            for content in response["content"].as_object().into_iter().flatten() {
                let shown = content.1.get("example").or(content.1.get("examples"));
                assert!(shown.is_some(), "{method} {below} has no example");
            }
        }
    }
    let paths = api["paths"].as_object().unwrap();
    let operations: usize = paths
        .values()
        .map(|item| item.as_object().unwrap().len())
        .sum();
    assert_eq!(operations, ROUTES.len());
}

/// What a reference leads to, or the value itself.
fn followed<'a>(api: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(place) => api.pointer(place.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

#[test]
fn every_group_and_every_event_is_described() {
    let api = described();
    for tag in api["tags"].as_array().unwrap() {
        assert!(
            tag["description"].is_string(),
            "the group {} has no sentence: add one in openapi/tags.rs",
            tag["name"]
        );
    }
    let told = api["webhooks"].as_object().unwrap();
    assert_eq!(told.len(), domain::event::EventName::ALL.len());
    for (name, item) in told {
        let bodies = item["post"]["requestBody"]["content"].as_object().unwrap();
        let kinds: Vec<&String> = bodies.keys().collect();
        assert_eq!(kinds, ["application/json"], "{name}: what is sent");
        let headers = item["post"]["parameters"].as_array().unwrap().iter();
        let optional = headers.filter(|header| header["required"] == false);
        let optional: Vec<&Value> = optional.map(|header| &header["name"]).collect();
        assert_eq!(optional, ["X-T49-Webhook-Signature-Previous"], "{name}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let api = described();
    let mut references = BTreeSet::new();
    collect(&api, &mut references);
    assert!(references.len() > 5, "{references:?}");
    for reference in references {
        let pointer = reference.trim_start_matches('#');
        assert!(api.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("$ref", Value::String(reference)) => {
                        references.insert(reference.clone());
                    }
                    _ => collect(member, references),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}

#[test]
fn a_resource_is_described_as_it_is_declared() {
    let api = described();
    let container = &api["components"]["schemas"]["container"]["properties"];
    let attributes = &container["attributes"]["properties"];
    assert_eq!(
        attributes["pickup_lfd"]["type"],
        serde_json::json!(["string", "null"])
    );
    assert_eq!(attributes["pickup_lfd"]["format"], "date-time");
    assert_eq!(attributes["number"]["type"], "string");
    let heights = &attributes["equipment_height"]["enum"];
    assert_eq!(heights, &serde_json::json!(["standard", "high cube", null]));
    assert_eq!(
        container["meta"]["properties"]["version"]["type"],
        "integer"
    );
}

/// Writes the file anew when `UPDATE_DOCS` is set; otherwise it has to be as it would be written.
pub fn current(name: &str, text: &str) {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == text,
        "docs/{name} is not current: run `UPDATE_DOCS=1 cargo test -p api --test http`, look at it and commit it"
    );
}

#[test]
fn the_file_in_docs_is_current() {
    current("openapi.json", &(api::openapi() + "\n"));
}
