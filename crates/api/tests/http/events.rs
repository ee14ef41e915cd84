//! Every event on a page for people, `docs/events.md`, written from the events themselves.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use domain::event::{Category, EventName};
use jsonapi::example;
use serde_json::Value;

use crate::openapi::current;

const HEAD: &str = "# Events

Everything a webhook can be told, written by a test from the events themselves. A delivery is one
`webhook_notification` that points to its *reference object*; both stand in it in full, together with all that the
event is about. `GET /v2/webhook_notifications/examples?event=…` shows each as it would arrive, and
`POST /v2/webhooks/trigger` sends one to an endpoint of yours.
";

#[test]
fn the_page_of_events_is_current() {
    let mut text = String::from(HEAD);
    for category in Category::ALL {
        let _ = write!(
            text,
            "\n## {}\n\n| Event | Tells | Reference object | Also included |\n|---|---|---|---|\n",
            category.name()
        );
        for event in category.events() {
            text.push_str(&row(event));
        }
    }
    for event in EventName::ALL {
        assert!(text.contains(&format!("`{}`", event.as_str())));
    }
    current("events.md", &text);
}

fn row(event: EventName) -> String {
    let sample = example::delivery(event, "https://quay.example/v2", example::MOMENT);
    let sample: Value = serde_json::from_str(&sample).unwrap();
    let reference = &sample["data"]["relationships"]["reference_object"]["data"]["type"];
    let reference = reference.as_str().unwrap();
    let included = sample["included"].as_array().unwrap();
    let kinds: BTreeSet<&str> = included
        .iter()
        .filter_map(|one| one["type"].as_str())
        .collect();
    let others: Vec<&str> = kinds
        .into_iter()
        .filter(|kind| *kind != reference)
        .collect();
    format!(
        "| `{}` | {} | {reference} | {} |\n",
        event.as_str(),
        event.about(),
        others.join(", ")
    )
}
