//! `GET /v2/terminals/{id}`

use jsonapi::query::Rules;
use jsonapi::resource::terminal::{RAIL_TYPE, TYPE};
use uuid::Uuid;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_terminal",
    summary: "One marine terminal or rail ramp",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "terminal",
    handle: |call| Box::pin(handle(call)),
};

/// Ramps are terminals of another type; both are found here.
async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: Uuid = call.id()?;
    let registry = call.app.tracking.registry();
    let find = |kind: &str| call.app.references.document(registry, kind, id);
    let found = find(TYPE.name).or_else(|| find(RAIL_TYPE.name));
    let primary = found.into_iter().collect();
    let rows = call
        .read(move |reading| reading.with_included(Vec::clone(&primary)))
        .await?;
    call.found(rows)
}
