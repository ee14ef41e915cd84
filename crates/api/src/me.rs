//! `GET /v2/me`: who calls. Clients of the reference interface ask it to try a key.

use jsonapi::query::Rules;
use jsonapi::resource::credential::{TYPE, View, render};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_me",
    summary: "The key that calls, and its account",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        include_by_default: &["account"],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "API key",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let rows = call
        .read(|reading| {
            let key = store::api_key::find(reading.tx, reading.caller.key)?;
            let text = key.map(|key| {
                render(&View {
                    key: key.id,
                    name: &key.name,
                    account: key.account,
                    created_at: key.created_at,
                })
            });
            reading.with_included(text.into_iter().collect())
        })
        .await?;
    call.found(rows)
}
