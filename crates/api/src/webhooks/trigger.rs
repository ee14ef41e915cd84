//! `POST /v2/webhooks/trigger`

use domain::event::EventName;
use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Node, is_blank};
use jsonapi::resource::webhook::event_names;
use jsonapi::schema::{Attribute, Shape};
use serde_json::{Map, Value, json};
use tracking::webhooks::sign::REFERENCE_HEADER;
use tracking::webhooks::{Tried, trigger};

use super::no_event;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "trigger_webhook",
    summary: "Send a sample of an event to an address, and tell what came back",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Trigger,
    query: Rules::NONE,
    body: Some(Body::Plain(&[
        Member::required("url", Shape::Url, "Where the sample goes."),
        Member::required("event", Shape::OneOf(event_names), "Which event."),
        Member::optional(
            "secret",
            Shape::Text,
            "Signs the sample; without one it is not signed. Any text makes X-T49-Webhook-Signature; \
             webhook-signature takes whsec_ and base64.",
        ),
    ])),
    answers: Answers::Plain(&[
        Attribute::new("url", Shape::Text),
        Attribute::new("succeeded", Shape::Boolean)
            .about("Whether a delivery would have counted as made."),
        Attribute::or_null("error", Shape::Text).about(
            "Why there was no answer of use, in one word; it failed then, whatever its status.",
        ),
        Attribute::or_null("status_code", Shape::Integer)
            .about("Of the answer, also of one that did not end; null when none came."),
        Attribute::or_null("note", Shape::Text)
            .about("What the sample lacks beside a delivery; null when it lacks nothing that was asked for."),
        Attribute::new("request_headers", Shape::Object(&[])),
        Attribute::new("request_body", Shape::Text).about("The text that was sent."),
        Attribute::or_null("response_headers", Shape::Object(&[])).about("The first of them."),
        Attribute::or_null("response_body", Shape::Text).about("Its first part."),
    ]),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

/// A secret: any text that a receiver may hold, to the letter.
const SECRET_CHARS_MAX: usize = 1_024;
/// What is said of a secret as the reference interface makes them. It is none to refuse, since its receivers are what the
/// other signature is for; but one of ours that lost its prefix on the way would look like a fault of the receiver.
const STANDARD_LEFT_OUT: &str =
    "the secret is not whsec_ and base64, so webhook-signature was left out";

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.plain_form()?;
    let url = required(&mut form, "url");
    let event = required(&mut form, "event");
    let known = event.as_deref().and_then(EventName::parse);
    if let (Some(name), None) = (&event, known) {
        form.fault("event", &no_event(name));
    }
    let secret = secret(&mut form);
    form.finish()?;
    let (Some(url), Some(event)) = (url, known) else {
        return Err(Vec::new().into());
    };
    let tried = trigger(&call.app.tracking, &url, event, secret.as_deref())
        .await
        .map_err(|why| ErrorItem::pointer("/url", format!("url is refused: {why}")))?;
    Ok(Answer::plain(text(&url, tried)))
}

/// A text that must be there, as it was sent.
fn required(form: &mut Form, name: &'static str) -> Option<String> {
    match form.value(name) {
        Some(Node::Text(text)) if !is_blank(&text) => return Some(text),
        None | Some(Node::Null | Node::Text(_)) => {
            form.fault_in_words(name, format!("{name} is required"));
        }
        Some(_) => form.fault(name, "must be a string"),
    }
    None
}

fn secret(form: &mut Form) -> Option<String> {
    match form.value("secret") {
        Some(Node::Text(text)) if text.chars().count() > SECRET_CHARS_MAX => {
            let why = format!("is longer than {SECRET_CHARS_MAX} characters");
            form.fault("secret", &why);
        }
        Some(Node::Text(text)) => return Some(text).filter(|text| !text.is_empty()),
        None | Some(Node::Null) => {}
        Some(_) => form.fault("secret", "must be a string"),
    }
    None
}

fn text(url: &str, tried: Tried) -> String {
    let told = json!({
        "url": url,
        "succeeded": tried.succeeded,
        "error": tried.error,
        "status_code": tried.status,
        "note": note(&tried.request_headers),
        "request_headers": object(tried.request_headers),
        "request_body": tried.request_body,
        "response_headers": tried.response_headers.map(object),
        "response_body": tried.response_body,
    });
    told.to_string()
}

/// Judged by what was sent.
fn note(sent: &[(String, String)]) -> Option<&'static str> {
    let has = |wanted: &str| {
        sent.iter()
            .any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    };
    (has(REFERENCE_HEADER) && !has("webhook-signature")).then_some(STANDARD_LEFT_OUT)
}

/// Headers by name; what came several times in the order in which it came.
fn object(headers: Vec<(String, String)>) -> Map<String, Value> {
    let mut members = Map::new();
    for (name, value) in headers {
        let value = match members.get(&name).and_then(Value::as_str) {
            Some(before) => format!("{before}, {value}"),
            None => value,
        };
        members.insert(name, Value::String(value));
    }
    members
}
