//! `DELETE /v2/custom_field_definitions/{id}`

use domain::ids::CustomFieldDefinitionId;
use http::StatusCode;
use jsonapi::query::Rules;
use tracking::custom_fields::undefine;

use crate::answer::{Answer, Media};
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "delete_custom_field_definition",
    summary: "End a definition with its options and all its values",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Empty,
    subject: "custom field definition",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: CustomFieldDefinitionId = call.id()?;
    if undefine(&call.app.tracking, call.caller.account, id).await? {
        Ok(Answer::new(StatusCode::OK, Media::JsonApi, ""))
    } else {
        Err(call.not_found())
    }
}
