//! `PATCH /v2/sources/{id}/resume`

use domain::account::Feature;
use jsonapi::query::Rules;
use jsonapi::resource::source_state::TYPE;
use tracking::source_state::resume;

use super::shown;
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
    if resume(&call.app.tracking, call.segment("id")).await? {
        shown(&call).await
    } else {
        Err(call.not_found())
    }
}
