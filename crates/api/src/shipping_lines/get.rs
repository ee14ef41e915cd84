//! `GET /v2/shipping_lines/{id}`

use jsonapi::query::Rules;
use jsonapi::resource::shipping_line::TYPE;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_shipping_line",
    summary: "One shipping line",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "shipping line",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id = call.id()?;
    call.reference(TYPE.name, id).await
}
