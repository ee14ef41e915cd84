//! `GET /v2/webhook_notifications/{id}`

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification::TYPE;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_webhook_notification",
    summary: "One notification, with all that its delivery carries, as it stands now; with `include`, only what that names",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "webhook notification",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: NotificationId = call.id()?;
    let rows = call
        .read(move |reading| {
            let found = store::notification::find(&mut reading.account(), id)?;
            let rows: Vec<_> = found.into_iter().map(|(row, _)| row).collect();
            let primary = super::texts(reading, &rows)?;
            match rows.first().filter(|_| !reading.query.asks_include) {
                Some(row) => {
                    let included = super::carried(reading, row)?;
                    Ok(Rows { primary, included })
                }
                None => reading.with_included(primary),
            }
        })
        .await?;
    call.found(rows)
}
