//! `POST /v2/webhook_notifications/{id}/redeliver`

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification::TYPE;
use tracking::webhooks::redeliver;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "redeliver_webhook_notification",
    summary: "Send a notification again: the same id, the same bytes",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Nothing),
    answers: Answers::AcceptedOne(&TYPE),
    subject: "webhook notification",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: NotificationId = call.id()?;
    let sent = redeliver(&call.app.tracking, call.caller.account, id)
        .await?
        .ok_or_else(|| call.not_found())?;
    let primary = call
        .read(move |reading| super::texts(reading, std::slice::from_ref(&sent)))
        .await?;
    let rows = Rows {
        primary,
        included: Vec::new(),
    };
    Ok(call.one(rows).accepted())
}
