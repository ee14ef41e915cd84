//! `GET /v2/webhooks/{id}`

use domain::ids::WebhookId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook::TYPE;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_webhook",
    summary: "One webhook; its secret is masked",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    let primary = call
        .read(move |reading| super::texts(reading, &[id]))
        .await?;
    let included = Vec::new();
    call.found(Rows { primary, included })
}
