//! `GET /v2/webhook_notifications/{id}/webhook_notification_logs`

use std::collections::HashSet;

use domain::ids::NotificationId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook_notification_log::{TYPE, View, id, render};
use store::delivery::{attempts, next_attempt};
use store::{Page, Slice};
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

/// Logs of one notification that are included with it at most, the first ones; the list has them all.
const INCLUDED_MAX: u32 = 100;

async fn handle(call: Call) -> Result<Answer, Failure> {
    let notification: NotificationId = call.id()?;
    let found = call
        .read(move |reading| {
            let known = store::notification::find(&mut reading.account(), notification)?;
            if known.is_none() {
                return Ok(None);
            }
            let slice = reading.slice();
            of_notification(reading, notification, slice).map(Some)
        })
        .await?;
    let page = found.ok_or_else(|| call.not_found())?;
    let rows = Rows {
        primary: page.rows,
        included: Vec::new(),
    };
    Ok(call.many(rows, page.total))
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
            let first = Slice {
                offset: 0,
                limit: INCLUDED_MAX,
            };
            texts.extend(of_notification(reading, notification, first)?.rows);
        }
    }
    Ok(texts)
}

/// Some logs of one notification. Only the last attempt of all can tell of a next one.
fn of_notification(
    reading: &mut Reading<'_>,
    notification: NotificationId,
    slice: Slice,
) -> Result<Page<String>, Failure> {
    let tried = attempts(&mut reading.account(), notification, slice)?;
    let next = next_attempt(&mut reading.account(), notification)?;
    let texts = (slice.offset + 1..)
        .zip(&tried.rows)
        .map(|(place, attempt)| {
            render(&View {
                notification,
                attempt: attempt.number,
                started_at: attempt.started_at,
                duration_ms: attempt.duration_ms,
                status: attempt.status,
                reason: attempt.reason.as_deref(),
                response_headers: &attempt.response_headers,
                response_body: &attempt.response_body,
                next_attempt_at: next.filter(|_| place == tried.total),
            })
        });
    Ok(Page {
        rows: texts.collect(),
        total: tried.total,
    })
}
