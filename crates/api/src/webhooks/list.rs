//! `GET /v2/webhooks`

use jsonapi::query::Rules;
use jsonapi::resource::webhook::TYPE;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_webhooks",
    summary: "Webhooks, newest first; their secrets are masked",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        sorts: &["-created_at"],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (primary, total) = call
        .read(move |reading| {
            let slice = reading.slice();
            let page = store::webhook::page(&mut reading.account(), slice)?;
            let rows = page
                .rows
                .into_iter()
                .map(|row| super::text_of(reading, row));
            Ok((rows.collect::<Result<Vec<String>, Failure>>()?, page.total))
        })
        .await?;
    let included = Vec::new();
    Ok(call.many(Rows { primary, included }, total))
}
