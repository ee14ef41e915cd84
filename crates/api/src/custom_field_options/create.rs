//! `POST /v2/custom_field_definitions/{id}/options`

use domain::ids::CustomFieldDefinitionId;
use jsonapi::query::Rules;
use jsonapi::read::Text;
use jsonapi::resource::custom_field_option::TYPE;
use jsonapi::schema::Shape;
use tracking::custom_fields::{NewOption, add_option};

use super::answer;
use crate::address::absolute;
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::refused;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "create_custom_field_option",
    summary: "Add an option to an enum or enum_multi definition",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::required("label", Shape::Text, "What people see."),
            Member::required("value", Shape::Text, "What fields hold; unique."),
            Member::optional(
                "position",
                Shape::Integer,
                "Where it stands among the others; last when missing.",
            ),
        ],
        relationships: &[],
    }),
    answers: Answers::Created(&TYPE),
    subject: "custom field definition",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let of: CustomFieldDefinitionId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    let label = form.required_text("label", Text::NAME);
    let value = form.required_text("value", Text::NAME);
    let position = form.integer("position");
    form.finish()?;
    let wanted = NewOption {
        label: label.unwrap_or_default(),
        value: value.unwrap_or_default(),
        position,
    };
    let adding = add_option(&call.app.tracking, call.caller.account, of, wanted);
    call.done_to_one(adding, move |call, row| {
        let path = format!("/v2/custom_field_definitions/{of}/options/{}", row.id);
        let own = absolute(call.app.tracking.base_url(), &path);
        answer(call, row).created(&own)
    })
    .await
    .map_err(refused::failure)?
}
