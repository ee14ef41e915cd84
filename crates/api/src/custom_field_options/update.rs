//! `PATCH /v2/custom_field_definitions/{id}/options/{option_id}`

use jsonapi::query::Rules;
use jsonapi::read::Text;
use jsonapi::resource::custom_field_option::TYPE;
use jsonapi::schema::Shape;
use tracking::custom_fields::{OptionPatch, change_option};

use super::{answer, named};
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::refused;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "update_custom_field_option",
    summary: "Give an option another label or place; values keep it",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::optional("label", Shape::Text, "What people see."),
            Member::optional(
                "position",
                Shape::Integer,
                "Where it stands among the others.",
            ),
            Member::optional(
                "value",
                Shape::Text,
                "Cannot be changed; may be sent as it is.",
            ),
        ],
        relationships: &[],
    }),
    answers: Answers::One(&TYPE),
    subject: "custom field option",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (of, id) = named(&call)?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let mut text = |name| {
        let sent = form.has(name).then_some(());
        sent.and_then(|()| form.required_text(name, Text::NAME))
    };
    let (label, value) = (text("label"), text("value"));
    let position = form.has("position").then(|| form.integer("position"));
    form.finish()?;
    let patch = OptionPatch {
        label,
        position,
        value,
    };
    let account = call.caller.account;
    let changing = change_option(&call.app.tracking, account, of, id, patch);
    call.done_to_one(changing, answer)
        .await
        .map_err(refused::failure)?
}
