//! `POST /v2/webhooks/{id}/rotate_secret`

use domain::ids::WebhookId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook::TYPE;
use tracking::webhooks::{Opened, rotate_secret};

use super::{refused, text};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "rotate_webhook_secret",
    summary: "Give a webhook a new secret, shown in full this once",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Nothing),
    answers: Answers::One(&TYPE),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    let rotating = rotate_secret(&call.app.tracking, call.caller.account, id);
    let told = |call: &Call, opened: &Opened| call.resource(text(opened, &opened.secret));
    call.done_to_one(rotating, told).await.map_err(refused)?
}
