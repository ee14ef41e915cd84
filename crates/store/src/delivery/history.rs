//! What was tried so far, for people to look at.

use domain::ids::NotificationId;
use jiff::Timestamp;

use super::Attempt;
use crate::db::{Row, Value, pieces, placeholders};
use crate::{AccountTx, Error, Page, Slice};

/// A page of the attempts of a notification, first to last.
pub fn attempts(
    a: &mut AccountTx,
    id: NotificationId,
    slice: Slice,
) -> Result<Page<Attempt>, Error> {
    let total = a.query_one(
        "select count(*) as total
         from attempts join notifications on notifications.id = attempts.notification_id
         where account_id = $1 and notification_id = $2",
        &[id.into()],
        |row| row.get::<i64>("total"),
    )?;
    let limit = slice.limit;
    let rows = a.query(
        &format!(
            "select number, started_at, duration_ms, attempts.status as answer, reason,
                 response_headers, response_body
             from attempts join notifications on notifications.id = attempts.notification_id
             where account_id = $1 and notification_id = $2
             order by number limit {limit} offset $3"
        ),
        &[id.into(), slice.skipped()],
        read,
    )?;
    Ok(Page::new(rows, total))
}

/// The numbers of the attempts of each of these notifications, first to last.
pub fn attempt_numbers(
    a: &mut AccountTx,
    ids: &[NotificationId],
) -> Result<Vec<(NotificationId, u32)>, Error> {
    let mut numbers = Vec::new();
    for piece in pieces(ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(2, values.len());
        numbers.extend(a.query(
            &format!("{NUMBERS} ({places}) order by notification_id, number"),
            &values,
            |row| Ok((row.id("notification_id")?, row.count("number")?)),
        )?);
    }
    Ok(numbers)
}

/// From the attempts on: SQLite would rather walk along all notifications of the account and look each up among a page of ids.
const NUMBERS: &str = "select notification_id, number from attempts cross join notifications
    where notifications.id = notification_id and account_id = $1 and notification_id in";

/// When a notification is tried next; `None` when it is not open, is being tried at this moment, waits for
/// an earlier one of its line, or for its webhook to be switched on.
pub fn next_attempt(a: &mut AccountTx, id: NotificationId) -> Result<Option<Timestamp>, Error> {
    let due = a.query_one(
        "select due_at from deliveries
         where account_id = $1 and notification_id = $2 and lease_owner is null
             and exists (select 1 from webhooks w where w.account_id = deliveries.account_id
                 and w.id = deliveries.webhook_id and w.active)",
        &[id.into()],
        |row| row.get::<Option<Timestamp>>("due_at"),
    )?;
    Ok(due.flatten())
}

fn read(row: &Row<'_>) -> Result<Attempt, Error> {
    let status: Option<i64> = row.get("answer")?;
    Ok(Attempt {
        number: row.count("number")?,
        started_at: row.get("started_at")?,
        duration_ms: row.count("duration_ms")?,
        status: status.and_then(|status| u16::try_from(status).ok()),
        reason: row.get("reason")?,
        response_headers: row.get("response_headers")?,
        response_body: row.get("response_body")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn attempts_of_a_page_are_found_by_their_notifications() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let plan = store.read(|tx| {
            let places = placeholders(2, 32);
            let sql = format!("explain query plan {NUMBERS} ({places})");
            tx.query(&sql, &[Value::Null; 33], |row| row.get::<String>("detail"))
        });
        let steps: Vec<String> = plan.await.unwrap();
        assert!(steps[0].contains("attempts USING PRIMARY KEY"), "{steps:?}");
    }
}
