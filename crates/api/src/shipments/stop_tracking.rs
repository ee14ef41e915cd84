//! `PATCH /v2/shipments/{id}/stop_tracking`

use domain::ids::ShipmentId;
use jsonapi::query::Rules;
use jsonapi::resource::shipment::TYPE;
use tracking::shipment::stop_tracking;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "stop_tracking_shipment",
    summary: "Stop to track a shipment; what is known of it stays",
    needs: Needs::Update,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Nothing),
    answers: Answers::One(&TYPE),
    subject: "shipment",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ShipmentId = call.id()?;
    let stopping = stop_tracking(&call.app.tracking, call.caller.account, id);
    call.done_to_one(stopping, |call, row| call.resource(&row.document))
        .await?
}
