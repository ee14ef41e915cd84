//! `PATCH /v2/shipments/{id}/resume_tracking`

use domain::ids::ShipmentId;
use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::resource::shipment::TYPE;
use tracking::shipment::{ResumeRefused, resume_tracking};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "resume_tracking_shipment",
    summary: "Track a stopped shipment again, and ask its line at once",
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
    let resuming = resume_tracking(&call.app.tracking, call.caller.account, id);
    call.done_to_one(resuming, |call, row| call.resource(&row.document))
        .await
        .map_err(refused)?
}

fn refused(why: ResumeRefused) -> Failure {
    match why {
        ResumeRefused::FollowedElsewhere(request) => {
            let detail = format!("Shipment cannot be tracked again: {why}");
            ErrorItem::new(422, detail)
                .code("duplicate")
                .meta("tracking_request_id", request.to_string())
                .into()
        }
        ResumeRefused::Store(error) => Failure::Store(error),
    }
}
