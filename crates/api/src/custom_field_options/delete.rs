//! `DELETE /v2/custom_field_definitions/{id}/options/{option_id}`

use http::StatusCode;
use jsonapi::query::Rules;
use tracking::custom_fields::remove_option;

use super::named;
use crate::answer::{Answer, Media};
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "delete_custom_field_option",
    summary: "Remove an option; values keep its string",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Empty,
    subject: "custom field option",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (of, id) = named(&call)?;
    if remove_option(&call.app.tracking, call.caller.account, of, id).await? {
        Ok(Answer::new(StatusCode::OK, Media::JsonApi, ""))
    } else {
        Err(call.not_found())
    }
}
