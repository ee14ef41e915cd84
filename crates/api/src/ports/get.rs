//! `GET /v2/ports/{id}`

use jsonapi::query::Rules;
use jsonapi::resource::port::TYPE;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_port",
    summary: "One port, by id or UN/LOCODE",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "port",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id = call.coded_id(TYPE.name)?;
    call.reference(TYPE.name, id).await
}
