//! `POST /v2/custom_field_definitions`

use domain::custom_field::{DataType, Definition, EntityKind, REFERENCE_TYPES, is_slug};
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::custom_field_definition::{TYPE, data_types, entity_types};
use tracking::custom_fields::define;

use super::form::{self, needed};
use crate::address::absolute;
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::{refused, sent};
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "create_custom_field_definition",
    summary: "Define a custom field",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            needed(form::ENTITY_TYPE),
            needed(form::API_SLUG),
            needed(form::DISPLAY_NAME),
            needed(form::DATA_TYPE),
            form::DESCRIPTION,
            form::REFERENCE_TYPE,
            form::VALIDATION_MEMBER,
            form::DEFAULT_FORMAT,
            form::DEFAULT_VALUE,
        ],
        relationships: &[],
    }),
    answers: Answers::Created(&TYPE),
    subject: "custom field definition",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.form(TYPE.name)?;
    let wanted = read(&mut form, &call);
    form.finish()?;
    let wanted = wanted.ok_or_else(|| call.not_found())?;
    let defining = define(&call.app.tracking, call.caller.account, wanted);
    call.done(defining, |call, made| {
        let path = format!("/v2/custom_field_definitions/{}", made.id);
        let own = absolute(call.app.tracking.base_url(), &path);
        Ok(call.resource(&made.text).created(&own))
    })
    .await
    .map_err(refused::failure)?
}

fn read(form: &mut Form, call: &Call) -> Option<Definition> {
    let entities = format!("must be one of: {}", entity_types().join(", "));
    let types = format!("must be one of: {}", data_types().join(", "));
    let entity = form.required("entity_type", &entities, EntityKind::parse);
    let api_slug = sent::slug(form);
    if api_slug.as_deref().is_some_and(|slug| !is_slug(slug)) {
        form.fault("api_slug", "must be of letters, digits, _, - and .");
    }
    let display_name = form.required_text("display_name", Text::NAME);
    let data_type = form.required("data_type", &types, DataType::parse);
    let description = form::description(form);
    let reference_type = reference_type(form, data_type);
    let rules = form::rules(form);
    let default_format = form::default_format(form);
    let default_value = form::default_value(form, call);
    Some(Definition {
        entity: entity?,
        api_slug: api_slug?,
        display_name: display_name?,
        description,
        data_type: data_type?,
        reference_type,
        rules,
        default_format,
        default_value,
    })
}

fn reference_type(form: &mut Form, data_type: Option<DataType>) -> Option<String> {
    let given = form.text("reference_type", Text::NAME);
    match (data_type, &given) {
        (Some(DataType::Reference), None) if !form.is_refused("reference_type") => {
            form.blank("reference_type");
        }
        (Some(other), Some(_)) if other != DataType::Reference => {
            form.fault("reference_type", "is for the data type reference only");
        }
        (_, Some(given)) if !REFERENCE_TYPES.contains(&given.as_str()) => {
            let types = REFERENCE_TYPES.join(", ");
            form.fault("reference_type", &format!("must be one of: {types}"));
        }
        _ => {}
    }
    given
}
