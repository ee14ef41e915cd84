//! `PATCH /v2/{records}/{id}/custom_fields/{api_slug}`

use domain::custom_field::EntityKind;
use jsonapi::query::Rules;
use jsonapi::resource::custom_field::TYPE;
use tracking::custom_fields::change;

use super::{gate, refuse_entity, which};
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::update::BODY;
use crate::custom_fields::{answer, refused, sent};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Handling, Needs, Operation};

pub(crate) const SHIPMENT: Operation = operation(
    "update_shipment_custom_field",
    "Change a custom field of a shipment; null clears it",
    EntityKind::Shipment,
    |call| Box::pin(handle(call, EntityKind::Shipment)),
);
pub(crate) const CONTAINER: Operation = operation(
    "update_container_custom_field",
    "Change a custom field of a container; null clears it",
    EntityKind::Container,
    |call| Box::pin(handle(call, EntityKind::Container)),
);
pub(crate) const TRACKING_REQUEST: Operation = operation(
    "update_tracking_request_custom_field",
    "Change a custom field of a tracking request; null clears it",
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
        body: Some(BODY),
        answers: Answers::One(&TYPE),
        subject: "custom field",
        handle,
    }
}

async fn handle(call: Call, kind: EntityKind) -> Result<Answer, Failure> {
    let which = which(&call, kind)?;
    let mut form = call.form(TYPE.name)?;
    refuse_entity(&mut form);
    let value = sent::value(&mut form, &call);
    form.finish()?;
    let value = value.ok_or_else(|| call.not_found())?;
    sent::refuse_nobody(&call, [("value".to_owned(), &value)]).await?;
    let changing = change(&call.app.tracking, call.caller.account, which, value);
    call.done_to_one(changing, answer)
        .await
        .map_err(refused::failure)?
}
