//! `DELETE /v2/webhooks/{id}`

use domain::ids::WebhookId;
use http::StatusCode;
use jsonapi::query::Rules;
use tracking::webhooks::delete;

use crate::answer::{Answer, Media};
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "delete_webhook",
    summary: "End a subscription; its notifications, open or not, go with it",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Empty,
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    if delete(&call.app.tracking, call.caller.account, id).await? {
        Ok(Answer::new(StatusCode::OK, Media::JsonApi, ""))
    } else {
        Err(call.not_found())
    }
}
