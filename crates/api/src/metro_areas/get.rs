//! `GET /v2/metro_areas/{id}`

use jsonapi::query::Rules;
use jsonapi::resource::metro_area::TYPE;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_metro_area",
    summary: "One metropolitan area, by id or UN/LOCODE",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "metropolitan area",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id = call.coded_id(TYPE.name)?;
    call.reference(TYPE.name, id).await
}
