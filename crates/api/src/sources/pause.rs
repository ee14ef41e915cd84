//! `PATCH /v2/sources/{id}/pause`

use domain::account::Feature;
use jsonapi::query::Rules;
use jsonapi::resource::source_state::TYPE;
use tracking::source_state::pause_and_tell;

use super::{telling, told};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "pause_source",
    summary: "Leave a source alone until it is resumed, for every account",
    needs: Needs::Update,
    gate: Gate::Feature(Feature::Sources),
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Nothing),
    answers: Answers::One(&TYPE),
    subject: "source",
    handle: |call| Box::pin(handle(call)),
};

/// What is shown as the reason.
const REASON: &str = "by a call of the API";

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (id, tracking) = (call.segment("id"), &call.app.tracking);
    let pausing = pause_and_tell(tracking, id, REASON, telling(&call));
    call.done(pausing, told).await?
}
