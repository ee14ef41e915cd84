//! `GET /v2/sources`

use jsonapi::query::{PAGE_SIZE_MAX, Rules};
use jsonapi::resource::source_state::TYPE;
use tracking::source_state::all;

use super::text;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_sources",
    summary: "All configured sources, and how they are doing",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        paged: true,
        page_size: PAGE_SIZE_MAX,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "source",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let all = call.read(|reading| {
        let tracking = &reading.app.tracking;
        let now = tracking.now();
        let states = all(reading.tx, tracking, now)?;
        Ok(states.iter().map(|state| text(state, now)).collect())
    });
    Ok(call.some_of(all.await?))
}
