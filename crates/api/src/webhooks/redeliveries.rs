//! `GET /v2/webhooks/{id}/redeliveries`

use domain::ids::WebhookId;
use jiff::{SignedDuration, Timestamp};
use jsonapi::query::Rules;
use jsonapi::schema::{Attribute, Shape};
use serde_json::{Value, json};
use store::redelivery::{Redelivery, of_webhook};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_webhook_redeliveries",
    summary: "Windows of a webhook that are, or were, sent again: the last 20, newest first",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Plain(&[Attribute::new("redeliveries", Shape::Objects(MEMBERS))]),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

/// What is told of a redelivery.
pub(super) const MEMBERS: &[Attribute] = &[
    Attribute::new("id", Shape::Id),
    Attribute::new("count", Shape::Integer)
        .about("How many there were to send, among the first 10000 notifications and the first 10000 events of the window."),
    Attribute::new("redelivered_count", Shape::Integer)
        .about("How many are on their way, or arrived."),
    Attribute::new("from", Shape::Moment),
    Attribute::new("to", Shape::Moment)
        .about("Its end as it was asked for; the present of then, where that was earlier."),
    Attribute::new("created_at", Shape::Moment),
    Attribute::or_null("finished_at", Shape::Moment).about("Null while more will follow."),
];

/// By this a window ends behind a whole second that was asked for.
pub(super) const SECOND: SignedDuration = SignedDuration::from_secs(1);
/// By this it ends behind a moment with a fraction: the store keeps no smaller one.
pub(super) const MICROSECOND: SignedDuration = SignedDuration::from_micros(1);

/// Shown at once at most.
const SHOWN_MAX: u32 = 20;

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    let rows = call
        .read(move |reading| {
            let mut a = reading.account();
            if store::webhook::find(&mut a, id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(of_webhook(&mut a, id, SHOWN_MAX)?))
        })
        .await?;
    let rows = rows.ok_or_else(|| call.not_found())?;
    let told: Vec<Value> = rows.iter().map(members).collect();
    Ok(Answer::plain(json!({ "redeliveries": told }).to_string()))
}

/// A redelivery as it is told.
pub(super) fn members(row: &Redelivery) -> Value {
    json!({
        "id": row.id.to_string(),
        "count": row.counted,
        "redelivered_count": row.redelivered,
        "from": row.from.to_string(),
        "to": asked_end(row).to_string(),
        "created_at": row.created_at.to_string(),
        "finished_at": row.finished_at.map(|at| at.to_string()),
    })
}

/// The row says where the window is over: right behind the end that was asked for, unless the present was earlier.
fn asked_end(row: &Redelivery) -> Timestamp {
    let behind_by = match row.until {
        cut_off if cut_off >= row.created_at => SignedDuration::ZERO,
        until if until.subsec_nanosecond() == 0 => SECOND,
        _ => MICROSECOND,
    };
    row.until.checked_sub(behind_by).unwrap_or(row.until)
}
