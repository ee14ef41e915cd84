//! `POST /v2/webhook_notifications/{id}/redeliver`

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification::TYPE;
use tracking::webhooks::redeliver;

use super::text;
use crate::answer::Answer;
use crate::call::Call;
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
    let sending = redeliver(&call.app.tracking, call.caller.account, id);
    call.done_to_one(sending, |call, sent| {
        let text = text(&sent.notification, &sent.attempts);
        call.resource(text).accepted()
    })
    .await?
}
