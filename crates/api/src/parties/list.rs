//! `GET /v2/parties`

use jsonapi::query::{Holds, Parameter, Rules};
use jsonapi::resource::party::TYPE;

use super::PAGE_SIZE;
use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::filters::text;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_parties",
    summary: "Parties, newest first",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[Parameter::new(
            Q,
            Holds::TextOrBlank,
            "Part of the company's name, whatever the letter case.",
        )
        .or(&["query"])],
        sorts: &["-created_at"],
        paged: true,
        page_size: PAGE_SIZE,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "party",
    handle: |call| Box::pin(handle(call)),
};

const Q: &str = "q";

async fn handle(call: Call) -> Result<Answer, Failure> {
    let (rows, total) = call
        .read(|reading| {
            let slice = reading.slice();
            let named = text(reading.query, Q);
            let a = &mut reading.account();
            let page = match named {
                Some(name) => store::party::page_named(a, &name, slice)?,
                None => store::party::page(a, slice)?,
            };
            Ok((reading.with_included(documents(page.rows))?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}
