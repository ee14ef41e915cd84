//! `PATCH /v2/custom_fields/{id}`

use domain::ids::CustomFieldId;
use jsonapi::query::Rules;
use jsonapi::resource::custom_field::TYPE;
use jsonapi::schema::Shape;
use tracking::custom_fields::{Which, change};

use super::{answer, refused, sent};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

/// What a change of a value holds.
pub(super) const BODY: Body = Body::Resource {
    kind: TYPE.name,
    attributes: &[Member::required(
        "value",
        Shape::Any,
        "What its definition holds; null clears it.",
    )],
    relationships: &[],
};

pub(crate) const OPERATION: Operation = Operation {
    name: "update_custom_field",
    summary: "Change a custom field; null clears it",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(BODY),
    answers: Answers::One(&TYPE),
    subject: "custom field",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: CustomFieldId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let value = sent::value(&mut form, &call);
    form.finish()?;
    let value = value.ok_or_else(|| call.not_found())?;
    sent::refuse_nobody(&call, [("value".to_owned(), &value)]).await?;
    let account = call.caller.account;
    let changing = change(&call.app.tracking, account, Which::Id(id), value);
    call.done_to_one(changing, answer)
        .await
        .map_err(refused::failure)?
}
