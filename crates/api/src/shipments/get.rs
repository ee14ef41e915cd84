//! `GET /v2/shipments/{id}`

use domain::ids::ShipmentId;
use jsonapi::query::Rules;
use jsonapi::resource::shipment::TYPE;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_shipment",
    summary: "One shipment",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "shipment",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ShipmentId = call.id()?;
    let rows = call
        .glance(move |reading| {
            let found = store::shipment::documents(&mut reading.account(), &[id])?;
            reading.with_included(documents(found))
        })
        .await?;
    call.found(rows)
}
