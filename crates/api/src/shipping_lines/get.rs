//! `GET /v2/shipping_lines/{id}`

use std::future::ready;

use jsonapi::query::Rules;
use jsonapi::resource::shipping_line::TYPE;
use uuid::Uuid;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_shipping_line",
    summary: "One shipping line",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "shipping line",
    handle: |call| Box::pin(ready(handle(&call))),
};

fn handle(call: &Call) -> Result<Answer, Failure> {
    let id: Uuid = call.id()?;
    let registry = call.app.tracking.registry();
    let line = call.app.references.document(registry, TYPE.name, id);
    call.found(Rows {
        primary: line.into_iter().collect(),
        included: Vec::new(),
    })
}
