//! `POST /v2/sources/{id}/messages`
//!
//! What an account brings to `/inbound/{id}` with its key, under the path of the interface: the same limits and answers.

use jsonapi::query::Rules;
use jsonapi::schema::{Attribute, Shape};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::inbound;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "bring_source_message",
    summary: "A message as the source would send it, of at most 20 MiB, for this account alone: kept as it is, and read afterwards",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Messages,
    query: Rules::NONE,
    body: Some(Body::Message),
    answers: Answers::Accepted(KEPT),
    subject: "source",
    handle: |call| Box::pin(handle(call)),
};

const KEPT: &[Attribute] = &[
    Attribute::new("message_id", Shape::Id),
    Attribute::new("known", Shape::Boolean)
        .about("Whether the source or the account sent the same before: it is not read again."),
];

async fn handle(call: Call) -> Result<Answer, Failure> {
    let source = inbound::source(&call.app, call.segment("id"))?;
    let (account, body) = (call.caller.account, call.body.clone());
    let (headers, place) = (&call.headers, &call.upload);
    inbound::bring(&call.app, source, Some(account), headers, body, place).await
}
