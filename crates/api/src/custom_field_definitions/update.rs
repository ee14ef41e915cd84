//! `PATCH /v2/custom_field_definitions/{id}`

use domain::custom_field::{DataType, EntityKind};
use domain::ids::CustomFieldDefinitionId;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::custom_field_definition::TYPE;
use tracking::custom_fields::{DefinitionPatch, redefine};

use super::form::{self, fixed};
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::{refused, sent};
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "update_custom_field_definition",
    summary: "Change a definition; values that stand are not judged again",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::optional(
                form::DISPLAY_NAME.0,
                form::DISPLAY_NAME.1,
                form::DISPLAY_NAME.2,
            ),
            form::DESCRIPTION,
            form::VALIDATION_MEMBER,
            form::DEFAULT_FORMAT,
            form::DEFAULT_VALUE,
            fixed(form::ENTITY_TYPE),
            fixed(form::API_SLUG),
            fixed(form::DATA_TYPE),
        ],
        relationships: &[],
    }),
    answers: Answers::One(&TYPE),
    subject: "custom field definition",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: CustomFieldDefinitionId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let patch = patch(&mut form, &call);
    form.finish()?;
    let changing = redefine(&call.app.tracking, call.caller.account, id, patch);
    call.done_to_one(changing, |call, changed| call.resource(&changed.text))
        .await
        .map_err(refused::failure)?
}

fn patch(form: &mut Form, call: &Call) -> DefinitionPatch {
    const FIXED: &str = "cannot be changed";
    let has = |form: &Form, name| form.has(name).then_some(());
    DefinitionPatch {
        display_name: has(form, "display_name")
            .and_then(|()| form.required_text("display_name", Text::NAME)),
        description: has(form, "description").map(|()| form::description(form)),
        rules: has(form, "validation").map(|()| form::rules(form)),
        default_format: has(form, "default_format").map(|()| form::default_format(form)),
        default_value: has(form, "default_value").map(|()| form::default_value(form, call)),
        api_slug: has(form, "api_slug").and_then(|()| sent::slug(form)),
        entity: has(form, "entity_type")
            .and_then(|()| form.required("entity_type", FIXED, EntityKind::parse)),
        data_type: has(form, "data_type")
            .and_then(|()| form.required("data_type", FIXED, DataType::parse)),
        reference_type: has(form, "reference_type")
            .map(|()| form.text("reference_type", Text::NAME)),
    }
}
