//! `GET /v2/custom_field_definitions/{id}/options/{option_id}`

use jsonapi::query::Rules;
use jsonapi::resource::custom_field_option::TYPE;
use store::custom_field::option;

use super::{answer, named};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_custom_field_option",
    summary: "One option",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "custom field option",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (of, id) = named(&call)?;
    let found = call
        .read(move |reading| Ok(option::find(&mut reading.account(), of, id)?))
        .await?;
    let row = found.ok_or_else(|| call.not_found())?;
    Ok(answer(&call, &row))
}
