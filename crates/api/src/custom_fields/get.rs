//! `GET /v2/custom_fields/{id}`

use domain::ids::CustomFieldId;
use jsonapi::query::Rules;
use jsonapi::resource::custom_field::TYPE;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_custom_field",
    summary: "One custom field",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "custom field",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: CustomFieldId = call.id()?;
    let rows = call
        .read(move |reading| {
            let texts = super::texts(reading, &[id])?;
            reading.with_included(texts)
        })
        .await?;
    call.found(rows)
}
