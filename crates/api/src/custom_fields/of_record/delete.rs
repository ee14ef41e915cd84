//! `DELETE /v2/{records}/{id}/custom_fields/{api_slug}`

use domain::custom_field::EntityKind;
use jsonapi::query::Rules;
use tracking::custom_fields::clear;

use super::{gate, which};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Handling, Needs, Operation};

pub(crate) const SHIPMENT: Operation = operation(
    "delete_shipment_custom_field",
    "Take a custom field off a shipment; its definition stays",
    EntityKind::Shipment,
    |call| Box::pin(handle(call, EntityKind::Shipment)),
);
pub(crate) const CONTAINER: Operation = operation(
    "delete_container_custom_field",
    "Take a custom field off a container; its definition stays",
    EntityKind::Container,
    |call| Box::pin(handle(call, EntityKind::Container)),
);
pub(crate) const TRACKING_REQUEST: Operation = operation(
    "delete_tracking_request_custom_field",
    "Take a custom field off a tracking request; its definition stays",
    EntityKind::TrackingRequest,
    |call| Box::pin(handle(call, EntityKind::TrackingRequest)),
);

const fn operation(
    name: &'static str,
    summary: &'static str,
    kind: EntityKind,
    handle: fn(Call) -> Handling,
) -> Operation {
    Operation {
        name,
        summary,
        needs: Needs::Update,
        gate: gate(kind),
        bucket: Bucket::Default,
        query: Rules::NONE,
        body: None,
        answers: Answers::NoContent,
        subject: "custom field",
        handle,
    }
}

async fn handle(call: Call, kind: EntityKind) -> Result<Answer, Failure> {
    let which = which(&call, kind)?;
    if clear(&call.app.tracking, call.caller.account, which).await? {
        Ok(Answer::no_content())
    } else {
        Err(call.not_found())
    }
}
