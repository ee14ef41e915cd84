//! `GET /v2/api_keys`

use jsonapi::query::{PAGE_SIZE_MAX, Rules};
use jsonapi::resource::api_key::TYPE;

use super::text;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_api_keys",
    summary: "The account's keys, oldest first, masked",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        paged: true,
        page_size: PAGE_SIZE_MAX,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "API key",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let all = call
        .read(move |reading| {
            let keys = store::api_key::list(&mut reading.account())?;
            Ok(keys.iter().map(text).collect())
        })
        .await?;
    Ok(call.some_of(all))
}
