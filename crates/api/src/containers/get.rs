//! `GET /v2/containers/{id}`

use domain::ids::ContainerId;
use jsonapi::query::Rules;
use jsonapi::resource::container::TYPE;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_container",
    summary: "One container",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let rows = call
        .glance(move |reading| {
            let found = store::container::documents(&mut reading.account(), &[id])?;
            reading.with_included(documents(found))
        })
        .await?;
    call.found(rows)
}
