//! `GET /v2/sources/{id}`

use jsonapi::query::Rules;
use jsonapi::resource::source_state::TYPE;

use super::shown;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_source",
    summary: "One source, and how it is doing",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "source",
    handle: |call| Box::pin(async move { shown(&call).await }),
};
