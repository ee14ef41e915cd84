//! `GET /v2/parties/{id}`

use domain::ids::PartyId;
use jsonapi::query::Rules;
use jsonapi::resource::party::TYPE;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_party",
    summary: "One party",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "party",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: PartyId = call.id()?;
    let rows = call
        .read(move |reading| {
            let found = store::party::documents(&mut reading.account(), &[id])?;
            reading.with_included(documents(found))
        })
        .await?;
    call.found(rows)
}
