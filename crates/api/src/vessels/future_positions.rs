//! `GET /v2/vessels/{id}/future_positions`

use domain::account::Feature;
use jsonapi::query::Rules;
use jsonapi::resource::vessel::TYPE;

use super::expected::{PORT, PREVIOUS_PORT, answer};
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_future_positions",
    summary: "Where a vessel may be drawn each minute until its reported arrival",
    needs: Needs::Show,
    gate: Gate::Feature(Feature::Routing),
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[PORT, PREVIOUS_PORT],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "vessel",
    handle: |call| Box::pin(answer(call, None)),
};
