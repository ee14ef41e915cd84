//! `POST /v2/custom_fields`

use domain::custom_field::EntityKind;
use jsonapi::query::Rules;
use jsonapi::read::Form;
use jsonapi::resource::custom_field::TYPE;
use jsonapi::schema::Shape;
use tracking::custom_fields::{Entity, FieldRefused, set};

use super::{created, refused, sent};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Linked, Member, Needs, Operation};

/// What a value can be set on.
const ENTITIES: &[&str] = &["shipment", "container", "tracking_request"];

pub(crate) const OPERATION: Operation = Operation {
    name: "create_custom_field",
    summary: "Set a custom field on a record, whether it has one or not",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::required("api_slug", Shape::Text, "Which custom field."),
            Member::required("value", Shape::Any, "What its definition holds."),
        ],
        relationships: &[Linked::required(
            "entity",
            ENTITIES,
            "The record that is to have it.",
        )],
    }),
    answers: Answers::Created(&TYPE),
    subject: "custom field",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.form(TYPE.name)?;
    let slug = sent::slug(&mut form);
    let value = sent::value(&mut form, &call);
    let entity = entity(&mut form);
    form.finish()?;
    let (Some(slug), Some(value), Some(entity)) = (slug, value, entity) else {
        return Err(call.not_found());
    };
    sent::refuse_nobody(&call, [("value".to_owned(), &value)]).await?;
    let setting = set(&call.app.tracking, call.caller.account, entity, slug, value);
    call.done(setting, move |call, set| {
        let unknown = || refused::failure(FieldRefused::EntityUnknown(entity.kind));
        Ok(created(call, set.as_ref().ok_or_else(unknown)?))
    })
    .await
    .map_err(refused::failure)?
}

fn entity(form: &mut Form) -> Option<Entity> {
    if !form.has_link("entity") {
        form.fault_of_link("entity", "can't be blank");
        return None;
    }
    let linked = form.linked("entity", ENTITIES)?;
    let entity = linked.and_then(|(kind, id)| {
        let kind = EntityKind::of_resource(kind)?;
        Some(Entity { kind, id })
    });
    if entity.is_none() {
        form.fault_of_link("entity", "can't be blank");
    }
    entity
}
