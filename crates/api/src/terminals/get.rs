//! `GET /v2/terminals/{id}`

use jsonapi::query::{Holds, Include, Parameter, Rules, Value};
use jsonapi::resource::terminal::{RAIL_TYPE, TYPE};
use uuid::Uuid;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::include;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_terminal",
    summary: "One marine terminal or rail ramp",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[Parameter::new(
            "include",
            Holds::Words(included),
            "The port; of a ramp its metropolitan area as well.",
        )],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Either(&TYPE, &RAIL_TYPE),
    subject: "terminal",
    handle: |call| Box::pin(handle(call)),
};

fn included() -> Vec<&'static str> {
    vec!["port", "metro_area"]
}

/// Ramps are terminals of another type; both are found here.
async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: Uuid = call.id()?;
    let registry = call.app.tracking.registry();
    let find = |kind: &str| call.app.references.document(registry, kind, id);
    let found = find(TYPE.name).or_else(|| find(RAIL_TYPE.name));
    let primary: Vec<String> = found.into_iter().collect();
    let asked = call.query.value("include").and_then(Value::words);
    let wanted: Vec<Include> = asked
        .unwrap_or_default()
        .iter()
        .map(|relationship| Include {
            relationship,
            then: Vec::new(),
        })
        .collect();
    let rows = call
        .read(move |reading| {
            let included = include::resolve(reading, &primary, &wanted)?;
            let primary = primary.clone();
            Ok(Rows { primary, included })
        })
        .await?;
    call.found(rows)
}
