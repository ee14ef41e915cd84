//! A subscription of one endpoint.

use domain::event::EventName;
use domain::ids::WebhookId;
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource};

/// An extra header.
pub const HEADER: &[Attribute] = &[
    Attribute::new("name", Shape::Text),
    Attribute::new("value", Shape::Text),
];

/// What a webhook consists of.
pub const TYPE: Type = Type {
    name: "webhook",
    about: "An endpoint, and the events it is told.",
    attributes: &[
        Attribute::new("url", Shape::Url),
        Attribute::new("active", Shape::Boolean),
        Attribute::new("events", Shape::Words(event_names)),
        Attribute::new("secret", Shape::Text)
            .about("Signs deliveries. In full at creation and rotation only, masked after."),
        Attribute::new("headers", Shape::Objects(HEADER)).about(
            "Sent with every delivery; names are capitalised. A key without the permission `update` reads each value as `…`.",
        ),
        Attribute::or_null("disabled_reason", Shape::Text)
            .about("Why deliveries were switched off, when they were not by hand."),
        Attribute::new("created_at", Shape::Moment),
    ],
    relationships: &[],
    collection: Some("webhooks"),
    versioned: false,
};

/// Every event name.
pub fn event_names() -> Vec<&'static str> {
    EventName::ALL.map(EventName::as_str).to_vec()
}

/// What stands for events where some are asked for: their names, and the patterns that mean several.
pub fn event_words() -> Vec<&'static str> {
    let mut words = event_names();
    words.extend(EventName::PATTERNS);
    words
}

/// The same, and the names of the reference interface that mean nothing here: a subscription may name them.
pub fn subscribed_words() -> Vec<&'static str> {
    let mut words = event_words();
    words.extend(EventName::OF_DOCUMENTS);
    words
}

/// What a webhook is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: WebhookId,
    /// Where deliveries go.
    pub url: &'a str,
    /// Whether deliveries are sent.
    pub active: bool,
    /// Which events.
    pub events: &'a [EventName],
    /// Already masked, or in full where the moment allows it.
    pub secret: &'a str,
    /// Name and value of each extra header.
    pub headers: &'a [(String, String)],
    /// When it was made.
    pub created_at: Timestamp,
    /// Why it was switched off by us.
    pub disabled_reason: Option<&'a str>,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        url: view.url,
        active: view.active,
        events: view.events.iter().map(|event| event.as_str()).collect(),
        secret: view.secret,
        headers: view.headers.iter().map(Header::of).collect(),
        disabled_reason: view.disabled_reason,
        created_at: Moment(view.created_at),
    };
    Resource::new(TYPE.name, view.id, attributes, Relationships {})
        .linked("webhooks")
        .text()
}

#[derive(Serialize)]
struct Header<'a> {
    name: String,
    value: &'a str,
}

impl<'a> Header<'a> {
    fn of((name, value): &'a (String, String)) -> Self {
        let name = capitalised(name);
        Self { name, value }
    }
}

/// The name of a header as deliveries write it over HTTP/1: `x-team` as `X-Team`.
fn capitalised(name: &str) -> String {
    let mut starts = true;
    let letters = name.chars().map(|letter| {
        let shown = if starts {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        };
        starts = letter == '-';
        shown
    });
    letters.collect()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    url: &'a str,
    active: bool,
    events: Vec<&'static str>,
    secret: &'a str,
    headers: Vec<Header<'a>>,
    disabled_reason: Option<&'a str>,
    created_at: Moment,
}
