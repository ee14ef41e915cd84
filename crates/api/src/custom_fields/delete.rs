//! `DELETE /v2/custom_fields/{id}`

use domain::ids::CustomFieldId;
use http::StatusCode;
use jsonapi::query::Rules;
use tracking::custom_fields::{Which, clear};

use crate::answer::{Answer, Media};
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "delete_custom_field",
    summary: "Take a custom field off its record; its definition stays",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Empty,
    subject: "custom field",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: CustomFieldId = call.id()?;
    if clear(&call.app.tracking, call.caller.account, Which::Id(id)).await? {
        Ok(Answer::new(StatusCode::OK, Media::JsonApi, ""))
    } else {
        Err(call.not_found())
    }
}
