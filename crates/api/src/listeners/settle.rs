//! `POST /v2/listeners/{id}/settle`

use std::time::Duration;

use domain::ids::{NotificationId, WebhookId};
use domain::webhook::{DeliveryStatus, Verdict};
use jsonapi::query::Rules;
use jsonapi::read::{Form, Node};
use jsonapi::schema::{Attribute, Shape};
use serde_json::{Value, json};
use tracking::webhooks::{Came, Handed, Whose, settle};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::listeners::TURN;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "settle_delivery",
    summary: "Tell how an attempt at a delivery that was taken ended, or that it goes on",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Listen,
    query: Rules::NONE,
    body: Some(Body::Plain(&[
        Member::required("id", Shape::Id, "The delivery, as it was taken."),
        Member::required("claim", Shape::Integer, "As it was taken."),
        TURN,
        Member::required(
            "ending",
            Shape::OneOf(endings),
            "given_back: nothing was tried, and it is due again at once. shown: there is no receiver, and \
             somebody saw it. too_long: of an answer more came than is read. under_way: it has not ended, and stays \
             the caller's for another lease.",
        ),
        Member::optional(
            "status",
            Shape::Integer,
            "Of the answer, also of one that did not end.",
        ),
        Member::optional("duration_ms", Shape::Integer, "How long it took."),
        Member::optional(
            "response_headers",
            Shape::Text,
            "Of the answer, a line each.",
        ),
        Member::optional(
            "response_body",
            Shape::Text,
            "Of the answer, its first part.",
        ),
    ])),
    answers: Answers::Plain(&[
        Attribute::new("counted", Shape::Boolean)
            .about("False when the claim had run out: the delivery comes again."),
        Attribute::or_null("delivery_status", Shape::OneOf(statuses))
            .about("Of the notification; null when it did not count."),
        Attribute::or_null("next_attempt_at", Shape::Moment).about("When it is due again."),
    ]),
    subject: "listener",
    handle: |call| Box::pin(handle(call)),
};

/// Longest duration that is believed, in milliseconds: a day.
const DURATION_MS_MAX: i64 = 86_400_000;

async fn handle(call: Call) -> Result<Answer, Failure> {
    let webhook: WebhookId = call.id()?;
    let mut form = call.plain_form()?;
    let id = form.required("id", "must be an id", |text| text.parse().ok());
    let claim = form.integer("claim");
    if claim.is_none() && !form.is_refused("claim") {
        form.blank("claim");
    }
    let turn = form.integer(TURN.name);
    let took = form.integer("duration_ms").unwrap_or(0);
    let took = Duration::from_millis(took.clamp(0, DURATION_MS_MAX).unsigned_abs());
    let handed = handed(&mut form);
    form.finish()?;
    let (Some(id), Some(claim), Some(handed)) = (id, claim, handed) else {
        return Err(Vec::new().into());
    };
    let account = call.caller.account;
    let known = call
        .read(move |reading| Ok(store::listener::find(&mut reading.account(), webhook)?))
        .await?;
    known.ok_or_else(|| call.not_found())?;
    let claim = (NotificationId(id), claim);
    let whose = Whose {
        account,
        webhook,
        turn,
        key: Some(call.caller.key),
    };
    let settling = settle(&call.app.tracking, whose, claim, (handed, took));
    call.done(settling, |_, verdict| {
        Ok(Answer::plain(told(*verdict).to_string()))
    })
    .await?
}

fn endings() -> Vec<&'static str> {
    vec![
        "answered",
        "shown",
        "too_long",
        "timed_out",
        "broken",
        "given_back",
        "under_way",
    ]
}

fn statuses() -> Vec<&'static str> {
    vec!["pending", "succeeded", "failed"]
}

fn handed(form: &mut Form) -> Option<Handed> {
    let status = form.integer("status");
    let headers = long_text(form, "response_headers");
    let body = long_text(form, "response_body");
    let known = |word: &str| endings().into_iter().find(|known| *known == word);
    let wish = "must be answered, shown, too_long, timed_out, broken, given_back or under_way";
    let ending = form.required("ending", wish, known)?;
    let came = status_of(form, ending, status).map(|status| Came {
        status,
        headers,
        body,
    });
    match ending {
        "answered" => came.map(Handed::Answered),
        "too_long" => came.map(Handed::TooLong),
        "shown" => Some(Handed::Shown),
        "timed_out" => Some(Handed::TimedOut(came)),
        "broken" => Some(Handed::Broken(came)),
        "under_way" => Some(Handed::UnderWay),
        _ => Some(Handed::GivenBack),
    }
}

/// The status of what came, which an answer that ended must have.
fn status_of(form: &mut Form, ending: &str, said: Option<i64>) -> Option<u16> {
    let is_needed = matches!(ending, "answered" | "too_long");
    let status = said.and_then(|said| u16::try_from(said).ok());
    let status = status.filter(|status| (100..=999).contains(status));
    if status.is_none() && (is_needed || said.is_some()) && !form.is_refused("status") {
        form.fault("status", "must be the status of the answer, 100 to 999");
    }
    status
}

/// A text of many lines, as it was sent.
fn long_text(form: &mut Form, name: &'static str) -> String {
    match form.value(name) {
        Some(Node::Text(text)) => return text,
        None | Some(Node::Null) => {}
        Some(_) => form.fault(name, "must be a string"),
    }
    String::new()
}

fn told(verdict: Option<Verdict>) -> Value {
    let status = verdict.map(|verdict| match verdict {
        Verdict::Succeeded => DeliveryStatus::Succeeded,
        Verdict::Failed | Verdict::Gone => DeliveryStatus::Failed,
        Verdict::RetryAt(_) => DeliveryStatus::Pending,
    });
    let next = match verdict {
        Some(Verdict::RetryAt(at)) => Some(format!("{at:.0}")),
        _ => None,
    };
    json!({
        "counted": verdict.is_some(),
        "delivery_status": status.map(DeliveryStatus::as_str),
        "next_attempt_at": next,
    })
}
