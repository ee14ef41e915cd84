//! `PATCH /v2/sources/{id}/resume`

use domain::account::Feature;
use jsonapi::query::Rules;
use jsonapi::resource::source_state::TYPE;
use tracking::source_state::resume_and_tell;

use super::{telling, told};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "resume_source",
    summary: "Ask a paused or broken source again",
    needs: Needs::Update,
    gate: Gate::Feature(Feature::Sources),
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Nothing),
    answers: Answers::One(&TYPE),
    subject: "source",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (id, tracking) = (call.segment("id"), &call.app.tracking);
    let resuming = resume_and_tell(tracking, id, telling(&call));
    call.done(resuming, told).await?
}
