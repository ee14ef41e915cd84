//! `GET /v2/webhook_notifications/{id}/webhook_notification_logs`

use std::collections::HashSet;

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification_log::{TYPE, View, id, render};
use store::delivery::{attempts, next_attempt};
use uuid::Uuid;

use crate::answer::Answer;
use crate::call::{Call, Reading, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_webhook_notification_logs",
    summary: "What was tried to deliver a notification, first to last",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "webhook notification",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let notification: NotificationId = call.id()?;
    let found = call
        .read(move |reading| {
            let known = store::notification::find(&mut reading.account(), notification)?;
            if known.is_none() {
                return Ok(None);
            }
            let slice = reading.slice();
            Ok(Some((of_notification(reading, notification)?, slice)))
        })
        .await?;
    let (texts, slice) = found.ok_or_else(|| call.not_found())?;
    let total = texts.len();
    let skipped = usize::try_from(slice.offset).unwrap_or(usize::MAX);
    let shown = usize::try_from(slice.limit).unwrap_or(usize::MAX);
    let rows = Rows {
        primary: texts.into_iter().skip(skipped).take(shown).collect(),
        included: Vec::new(),
    };
    Ok(call.many(rows, u64::try_from(total).unwrap_or(u64::MAX)))
}

/// The logs of these notifications that are `wanted`.
pub(crate) fn of_notifications(
    reading: &mut Reading<'_>,
    notifications: &[NotificationId],
    wanted: &[Uuid],
) -> Result<Vec<String>, Failure> {
    let wanted: HashSet<Uuid> = wanted.iter().copied().collect();
    let mut texts = Vec::new();
    for (notification, number) in
        store::delivery::attempt_numbers(&mut reading.account(), notifications)?
    {
        if number == 1 && wanted.contains(&id(notification, number).0) {
            texts.extend(of_notification(reading, notification)?);
        }
    }
    Ok(texts)
}

/// All logs of one notification. They are few: a delivery is given up after a dozen tries.
fn of_notification(
    reading: &mut Reading<'_>,
    notification: NotificationId,
) -> Result<Vec<String>, Failure> {
    let tried = attempts(&mut reading.account(), notification)?;
    let next = next_attempt(&mut reading.account(), notification)?;
    let last = tried.last().map(|attempt| attempt.number);
    let texts = tried.iter().map(|attempt| {
        render(&View {
            notification,
            attempt: attempt.number,
            started_at: attempt.started_at,
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            reason: attempt.reason.as_deref(),
            response_headers: &attempt.response_headers,
            response_body: &attempt.response_body,
            next_attempt_at: next.filter(|_| Some(attempt.number) == last),
        })
    });
    Ok(texts.collect())
}
