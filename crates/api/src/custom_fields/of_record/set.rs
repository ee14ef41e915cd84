//! `POST /v2/{records}/{id}/custom_fields`

use domain::custom_field::EntityKind;
use jsonapi::query::Rules;
use jsonapi::resource::custom_field::TYPE;
use jsonapi::schema::Shape;

use super::{entity, gate, refuse_entity};
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::{created, refused, sent};
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Handling, Member, Needs, Operation};

/// What is sent: the record is named by the path.
const BODY: Body = Body::Resource {
    kind: TYPE.name,
    attributes: &[
        Member::required("api_slug", Shape::Text, "Which custom field."),
        Member::required("value", Shape::Any, "What its definition holds."),
    ],
    relationships: &[],
};

pub(crate) const SHIPMENT: Operation = operation(
    ("set_shipment_custom_field", "shipment"),
    "Set a custom field of a shipment, whether it has one or not",
    EntityKind::Shipment,
    |call| Box::pin(handle(call, EntityKind::Shipment)),
);
pub(crate) const CONTAINER: Operation = operation(
    ("set_container_custom_field", "container"),
    "Set a custom field of a container, whether it has one or not",
    EntityKind::Container,
    |call| Box::pin(handle(call, EntityKind::Container)),
);
pub(crate) const TRACKING_REQUEST: Operation = operation(
    ("set_tracking_request_custom_field", "tracking request"),
    "Set a custom field of a tracking request, whether it has one or not",
    EntityKind::TrackingRequest,
    |call| Box::pin(handle(call, EntityKind::TrackingRequest)),
);

const fn operation(
    (name, subject): (&'static str, &'static str),
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
        body: Some(BODY),
        answers: Answers::Created(&TYPE),
        subject,
        handle,
    }
}

async fn handle(call: Call, kind: EntityKind) -> Result<Answer, Failure> {
    let entity = entity(&call, kind)?;
    let mut form = call.form(TYPE.name)?;
    refuse_entity(&mut form);
    let slug = sent::slug(&mut form);
    let value = sent::value(&mut form, &call);
    form.finish()?;
    let (slug, value) = slug.zip(value).ok_or_else(|| call.not_found())?;
    let account = call.caller.account;
    sent::refuse_nobody(&call, [("value".to_owned(), &value)]).await?;
    let setting = tracking::custom_fields::set(&call.app.tracking, account, entity, slug, value);
    call.done_to_one(setting, created)
        .await
        .map_err(refused::failure)?
}
