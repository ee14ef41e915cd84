//! `GET /v2/webhook_notifications/{id}/body`

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification::TYPE;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_webhook_notification_body",
    summary: "The bytes that were sent, every one of them: what the signatures are made of. 404 before the first attempt",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::One(&TYPE),
    subject: "webhook notification that was sent",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: NotificationId = call.id()?;
    let found = call
        .read(move |reading| Ok(store::notification::find(&mut reading.account(), id)?))
        .await?;
    let body = found.and_then(|(_, body)| body);
    let body = body.ok_or_else(|| call.not_found())?;
    Ok(Answer::document(body).tagged())
}
