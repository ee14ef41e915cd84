//! Taking rows that wait in line out of the index of what is due.

use std::collections::BTreeMap;

use domain::ids::NotificationId;

use super::claim::{Candidate, Line};
use crate::db::{Value, pieces, placeholders, rows_of_values};
use crate::{Error, Tx};

/// Parks rows that wait behind a head, where the head's lock can be had; how many.
pub(super) fn park(tx: &mut Tx, waiting: &[Candidate]) -> Result<u64, Error> {
    let mut lines: BTreeMap<Line, Vec<NotificationId>> = BTreeMap::new();
    for candidate in waiting {
        lines.entry(candidate.line).or_default().push(candidate.id);
    }
    let keys: Vec<Line> = lines.keys().copied().collect();
    let mut behind = Vec::new();
    for piece in pieces(&keys) {
        for (line, head) in lock_heads(tx, piece)? {
            let waiting = lines.remove(&line).unwrap_or_default();
            behind.extend(waiting.into_iter().filter(|id| *id != head));
        }
    }
    let mut parked = 0;
    for piece in pieces(&behind) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        parked += tx.execute(
            &format!("update deliveries set due_at = null where notification_id in ({places})"),
            &ids,
        )?;
    }
    Ok(parked)
}

/// The heads of these lines that nobody else holds, now held.
fn lock_heads(tx: &mut Tx, lines: &[Line]) -> Result<Vec<(Line, NotificationId)>, Error> {
    let rows = rows_of_values(1, lines.len(), &["uuid", "uuid"]);
    let values: Vec<Value<'_>> = lines
        .iter()
        .flat_map(|(webhook, key)| [Value::from(*webhook), Value::Id(*key)])
        .collect();
    tx.locking(
        &format!(
            "with line (line_webhook, line_key) as (values {rows})
             select notification_id, webhook_id, order_key from deliveries
             where notification_id in (
                 select (select e.notification_id from deliveries e
                         where e.webhook_id = line_webhook and e.order_key = line_key
                         order by e.sequence, e.notification_id limit 1)
                 from line
             )
             /*pg for update skip locked*/"
        ),
        &values,
        |row| {
            let line = (row.id("webhook_id")?, row.get("order_key")?);
            Ok((line, row.id("notification_id")?))
        },
    )
}
