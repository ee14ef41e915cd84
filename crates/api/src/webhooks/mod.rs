//! Subscriptions: the endpoints that are told, and what they are told.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod events;
pub(crate) mod get;
pub(crate) mod ips;
pub(crate) mod list;
pub(crate) mod redeliver;
pub(crate) mod redeliveries;
pub(crate) mod rotate_secret;
pub(crate) mod trigger;
pub(crate) mod update;

use domain::event::EventName;
use domain::ids::WebhookId;
use domain::webhook::WEBHOOKS_MAX;
use jsonapi::error::ErrorItem;
use jsonapi::read::{Form, Node, Text, is_blank};
use jsonapi::resource::webhook::{View, render};
use sources::outbound::{EgressSettings, check_url};
use store::webhook::Webhook;
use tracking::webhooks::{Opened, WebhookRefused, mask, open};

use crate::call::Reading;
use crate::failure::Failure;

/// What stands for the value of a header where it is not shown. It says nothing of the value, which may be short, and
/// no header can have it: who reads it and writes it back is refused.
const VALUE_MASKED: &str = "…";

/// The texts of these webhooks, secrets masked.
pub(crate) fn texts(reading: &mut Reading<'_>, ids: &[WebhookId]) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::with_capacity(ids.len());
    for id in ids {
        if let Some(row) = store::webhook::find(&mut reading.account(), *id)? {
            texts.push(text_of(reading, row)?);
        }
    }
    Ok(texts)
}

/// Values of headers are the receiver's passwords as often as not. The reference interface shows them, and whoever
/// changes a webhook needs them, since headers are replaced as a whole; who may only look sees that they are there.
fn text_of(reading: &Reading<'_>, row: Webhook) -> Result<String, Failure> {
    let mut opened = open(&reading.app.tracking, reading.caller.account, row).map_err(refused)?;
    if !reading.caller.permissions.update {
        for (_, value) in &mut opened.headers {
            VALUE_MASKED.clone_into(value);
        }
    }
    Ok(masked(&opened))
}

pub(crate) fn masked(opened: &Opened) -> String {
    text(opened, &mask(&opened.secret))
}

pub(crate) fn text(opened: &Opened, secret: &str) -> String {
    let webhook = &opened.webhook;
    render(&View {
        id: webhook.id,
        url: &webhook.url,
        active: webhook.active,
        events: &webhook.events,
        secret,
        headers: &opened.headers,
        created_at: webhook.created_at,
        disabled_reason: webhook.disabled_reason.as_deref(),
    })
}

const NAMED_TWICE: &str = "names an event twice";

/// The address of a form, to the letter: what needs repair is refused, be it a space at its end. The one that stands was judged
/// before.
fn url(form: &mut Form, egress: &EgressSettings, stands: Option<&str>) -> Option<String> {
    match form.value("url") {
        Some(Node::Text(text)) if stands == Some(text.as_str()) => return Some(text),
        Some(Node::Text(text)) if !is_blank(&text) => match check_url(&text, egress) {
            Ok(_) => return Some(text),
            Err(why) => form.fault("url", &format!("is refused: {why}")),
        },
        None | Some(Node::Null | Node::Text(_)) => form.blank("url"),
        Some(_) => form.fault("url", "must be a string"),
    }
    None
}

/// The events of a form; each name that is none, and each that stands twice, is a fault of its own. What a pattern means is
/// looked up now and kept as the list that it stood for: a receiver is never told an event that nobody had heard of when it was
/// set up, and what a webhook shows is what it gets. One that a name says already is no fault of a pattern. For the same reason
/// events of documents, which never happen, are left out of the list; they are a fault where nothing else is named, for who
/// waits for nothing else would wait for ever.
pub(crate) fn events(form: &mut Form) -> Option<Vec<EventName>> {
    let names = form.placed_texts("events", Text::NAME)?;
    let mut events = Vec::with_capacity(names.len());
    let mut meant = Vec::new();
    let mut idle: Vec<&str> = Vec::new();
    for (place, name) in &names {
        match EventName::parse(name) {
            None if idle.contains(&name.as_str()) => {
                form.fault(&format!("events/{place}"), NAMED_TWICE);
            }
            None if EventName::OF_DOCUMENTS.contains(&name.as_str()) => idle.push(name),
            None => match EventName::matching(name) {
                None => form.fault(&format!("events/{place}"), &no_event(name)),
                Some(several) => meant.extend(several),
            },
            Some(event) if events.contains(&event) => {
                form.fault(&format!("events/{place}"), NAMED_TWICE);
            }
            Some(event) => events.push(event),
        }
    }
    for event in meant {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    if names.is_empty() && !form.is_refused("events") {
        form.blank("events");
    }
    if !idle.is_empty() && idle.len() == names.len() {
        form.fault(
            "events",
            "names events of documents only, which are not taken in here; no delivery would ever come",
        );
    }
    Some(events)
}

/// What is said of a name that no event has.
pub(crate) fn no_event(name: &str) -> String {
    let shown: String = name.chars().take(64).collect();
    if name.starts_with("document.") {
        return format!(
            "names an event of documents, {shown:?}, which are not taken in here; leave it out"
        );
    }
    format!("names an event that does not exist, {shown:?}; GET /v2/webhooks/events lists them")
}

pub(crate) fn refused(why: WebhookRefused) -> Failure {
    let at = |name: &str, detail: String| -> Failure {
        ErrorItem::pointer(format!("/data/attributes/{name}"), detail).into()
    };
    match why {
        WebhookRefused::Url(why) => at("url", format!("Url is refused: {why}")),
        WebhookRefused::TooMany => {
            let detail = format!(
                "Webhook is refused: the account has {WEBHOOKS_MAX} already; delete one that nobody needs, or change it"
            );
            ErrorItem::pointer("/data", detail).into()
        }
        WebhookRefused::IsListener => at("url", format!("Url is refused: {why}")),
        WebhookRefused::NoEvents | WebhookRefused::EventTwice(_) => {
            at("events", format!("Events are refused: {why}"))
        }
        WebhookRefused::TooManyHeaders(_) => at("headers", format!("Headers are refused: {why}")),
        WebhookRefused::Headers(refused) => {
            let items = refused.iter().map(|one| {
                let pointer = format!("/data/attributes/headers/{}", one.index);
                ErrorItem::pointer(pointer, format!("Headers are refused: {one}"))
            });
            items.collect::<Vec<_>>().into()
        }
        WebhookRefused::Vault(error) => Failure::Sealed(error),
        WebhookRefused::Store(error) => Failure::Store(error),
    }
}
