//! `GET /v2/tracking_requests/{id}`

use domain::ids::TrackingRequestId;
use jsonapi::query::Rules;
use jsonapi::resource::tracking_request::TYPE;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_tracking_request",
    summary: "One tracking request",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        include_by_default: &["tracked_object"],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "tracking request",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: TrackingRequestId = call.id()?;
    let rows = call
        .glance(move |reading| {
            let found = store::tracking_request::documents(&mut reading.account(), &[id])?;
            reading.with_included(documents(found))
        })
        .await?;
    call.found(rows)
}
