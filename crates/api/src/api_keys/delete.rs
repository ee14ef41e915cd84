//! `DELETE /v2/api_keys/{id}`

use domain::ids::ApiKeyId;
use jsonapi::query::Rules;
use tracking::access::delete_key;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "delete_api_key",
    summary: "Delete a key; within a second it opens nothing any more",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::NoContent,
    subject: "API key",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ApiKeyId = call.id()?;
    if delete_key(&call.app.tracking, call.caller.account, id).await? {
        Ok(Answer::no_content())
    } else {
        Err(call.not_found())
    }
}
