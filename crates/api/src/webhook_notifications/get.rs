//! `GET /v2/webhook_notifications/{id}`

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification::TYPE;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_webhook_notification",
    summary: "One notification, with what it is about",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        include_by_default: &["reference_object"],
        ..Rules::of(&TYPE)
    },
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
            let texts = super::texts(reading, &rows)?;
            reading.with_included(texts)
        })
        .await?;
    call.found(rows)
}
