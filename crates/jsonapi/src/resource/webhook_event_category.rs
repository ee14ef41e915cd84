//! A group of events, for whoever chooses what a webhook is told.

use domain::event::{Category, EventName};
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::Resource;

use super::webhook::event_names;

const EVENT: &[Attribute] = &[
    Attribute::new("name", Shape::OneOf(event_names)),
    Attribute::new("description", Shape::Text),
];

/// What a group of events consists of.
pub const TYPE: Type = Type {
    name: "webhook_event_category",
    about: "A group of events that webhooks can be told.",
    attributes: &[
        Attribute::new("name", Shape::Text),
        Attribute::new("events", Shape::Objects(EVENT)),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// The resource object as JSON text, of the events that `offered` lets through.
pub fn render(category: Category, offered: impl Fn(EventName) -> bool) -> String {
    let events = category.events().filter(|event| offered(*event));
    let attributes = Attributes {
        name: category.name(),
        events: events
            .map(|event| Event {
                name: event.as_str(),
                description: event.about(),
            })
            .collect(),
    };
    Resource::worded(TYPE.name, category.as_str(), attributes, Relationships {}).text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Event {
    name: &'static str,
    description: &'static str,
}

#[derive(Serialize)]
struct Attributes {
    name: &'static str,
    events: Vec<Event>,
}
