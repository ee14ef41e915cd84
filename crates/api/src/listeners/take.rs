//! `POST /v2/listeners/{id}/take`

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::ids::WebhookId;
use jsonapi::query::Rules;
use jsonapi::read::Form;
use jsonapi::schema::{Attribute, Shape};
use serde_json::{Map, Value, json};
use tracking::webhooks::{Fetched, TAKEN_MAX, Whose, take};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::listeners::TURN;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "take_deliveries",
    summary: "Take deliveries that are due, waiting for the first when there is none; each is leased to the caller",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Listen,
    query: Rules::NONE,
    body: Some(Body::Plain(&[
        Member::optional("most", Shape::Integer, "How many at most, 1 to 16; 16."),
        Member::optional(
            "wait_seconds",
            Shape::Integer,
            "How long to wait for the first, 0 to 20; 0.",
        ),
        TURN,
    ])),
    answers: Answers::Plain(&[
        Attribute::new(
            "deliveries",
            Shape::Objects(&[
                Attribute::new("id", Shape::Id).about("The notification."),
                Attribute::new("claim", Shape::Integer).about("Shown when settling."),
                Attribute::new("attempt", Shape::Integer).about("From 1."),
                Attribute::new("headers", Shape::Object(&[]))
                    .about("By name, as they would have been sent."),
                Attribute::new("body", Shape::Text).about("The text that would have been sent."),
            ]),
        ),
        Attribute::new("lease_seconds", Shape::Integer)
            .about("How long they are the caller's; it is prolonged by settling as under_way."),
        Attribute::new("active", Shape::Boolean)
            .about("Whether the listener is switched on: what is due waits while it is not. A change ends the wait."),
    ]),
    subject: "listener",
    handle: |call| Box::pin(handle(call)),
};

/// Longest wait; less than a handler may take.
const WAIT_SECONDS_MAX: i64 = 20;

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    let mut form = call.plain_form()?;
    let most = within(&mut form, "most", 1, taken_max()).unwrap_or(taken_max());
    let wait = within(&mut form, "wait_seconds", 0, WAIT_SECONDS_MAX).unwrap_or(0);
    let turn = form.integer(TURN.name);
    form.finish()?;
    let wait = Duration::from_secs(wait.unsigned_abs());
    let most = usize::try_from(most).unwrap_or(TAKEN_MAX);
    let whose = Whose {
        account: call.caller.account,
        webhook: id,
        turn,
        key: Some(call.caller.key),
    };
    let app = call.app.clone();
    let go_on = move || !app.stopping.load(Ordering::Relaxed);
    // Leased is not done: what a call had in hand that nobody heard comes again.
    let unnamed = call.app.unnamed();
    let taken = take(&unnamed.tracking, whose, most, wait, go_on).await?;
    let taken = taken.ok_or_else(|| call.not_found())?;
    let deliveries: Vec<Value> = taken.deliveries.into_iter().map(shown).collect();
    let lease = call.app.tracking.delivery_lease().as_secs();
    let told = json!({"deliveries": deliveries, "lease_seconds": lease, "active": taken.is_active});
    Ok(Answer::plain(told.to_string()))
}

fn taken_max() -> i64 {
    i64::try_from(TAKEN_MAX).unwrap_or(i64::MAX)
}

/// A whole number in this range; missing counts as not said.
fn within(form: &mut Form, name: &'static str, least: i64, most: i64) -> Option<i64> {
    let said = form.integer(name)?;
    if (least..=most).contains(&said) {
        return Some(said);
    }
    form.fault(name, &format!("must be {least} to {most}"));
    None
}

fn shown(fetched: Fetched) -> Value {
    let headers = fetched.headers.into_iter();
    let headers: Map<String, Value> = headers
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    json!({
        "id": fetched.notification.to_string(),
        "claim": fetched.claim_token,
        "attempt": fetched.attempt,
        "headers": headers,
        "body": fetched.body,
    })
}
