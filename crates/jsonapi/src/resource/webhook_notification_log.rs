//! One attempt to deliver a notification.

use domain::ids::{NotificationId, ReferenceId};
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource, moment};

/// What a webhook notification log consists of.
pub const TYPE: Type = Type {
    name: "webhook_notification_log",
    about: "One attempt to deliver a notification, and what came back.",
    attributes: &[
        Attribute::new("attempt", Shape::Integer).about("From 1."),
        Attribute::new("started_at", Shape::Moment),
        Attribute::new("duration_ms", Shape::Integer),
        Attribute::or_null("status", Shape::Integer)
            .about("HTTP status of the answer, also of one that did not end; null when none came."),
        Attribute::or_null("reason", Shape::Text)
            .about("Why no answer of use came; it failed then, whatever its status."),
        Attribute::new("response_headers", Shape::Text).about("One to a line; the first 2 KB."),
        Attribute::new("response_body", Shape::Text).about("The first 2 KB."),
        Attribute::or_null("next_attempt_at", Shape::Moment)
            .about("Of the latest attempt, while another one will follow."),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// What a log is rendered from.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The notification it belongs to.
    pub notification: NotificationId,
    /// From 1.
    pub attempt: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u32,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// Why there was none of use.
    pub reason: Option<&'a str>,
    /// Headers of the answer, shortened.
    pub response_headers: &'a str,
    /// Body of the answer, shortened.
    pub response_body: &'a str,
    /// When it will be tried again.
    pub next_attempt_at: Option<Timestamp>,
}

/// The id of one attempt: made from what it is, so nothing has to be stored.
pub fn id(notification: NotificationId, attempt: u32) -> ReferenceId {
    ReferenceId::named(TYPE.name, &format!("{notification}/{attempt}"))
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        attempt: view.attempt,
        started_at: Moment(view.started_at),
        duration_ms: view.duration_ms,
        status: view.status,
        reason: view.reason,
        response_headers: view.response_headers,
        response_body: view.response_body,
        next_attempt_at: moment(view.next_attempt_at),
    };
    let id = id(view.notification, view.attempt);
    Resource::new(TYPE.name, id, attributes, Relationships {}).text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    attempt: u32,
    started_at: Moment,
    duration_ms: u32,
    status: Option<u16>,
    reason: Option<&'a str>,
    response_headers: &'a str,
    response_body: &'a str,
    next_attempt_at: Option<Moment>,
}
