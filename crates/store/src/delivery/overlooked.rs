//! Heads of lines that nobody would look at.
//!
//! There should be none: whoever ends a head wakes the next of its line. Should that ever fail, this look is what keeps a
//! delivery from waiting for ever. It goes through everything that is open, which may be a million deliveries of a receiver
//! that is away, so it goes in stretches, beside the writer, and only what was found is written.

use domain::ids::NotificationId;
use jiff::Timestamp;
use uuid::Uuid;

use super::claim::EARLIER;
use crate::db::{Value, pieces, placeholders};
use crate::webhook::DELETED;
use crate::{Error, Tx};

/// What was found in a stretch of the deliveries.
#[derive(Debug, PartialEq, Eq)]
pub struct Overlooked {
    /// Heads of lines that are not due.
    pub heads: Vec<NotificationId>,
    /// Where the next stretch begins; `None` at the end.
    pub until: Option<Uuid>,
}

/// Looks through up to `count` deliveries behind `after`.
pub fn overlooked(tx: &mut Tx, after: Uuid, count: u32) -> Result<Overlooked, Error> {
    let rows = tx.query(
        &format!(
            "select notification_id,
                 (due_at is null and not exists ({EARLIER}) and webhook_id not in ({DELETED})) as is_overlooked
             from (
                 select * from deliveries where notification_id > $1 order by notification_id limit $2
             ) as d order by notification_id"
        ),
        &[after.into(), i64::from(count).into()],
        |row| Ok((row.id("notification_id")?, row.get::<bool>("is_overlooked")?)),
    )?;
    let is_last = rows.len() < usize::try_from(count).unwrap_or(usize::MAX);
    let last: Option<NotificationId> = rows.last().map(|(id, _)| *id);
    Ok(Overlooked {
        heads: rows
            .into_iter()
            .filter_map(|(id, is_overlooked)| is_overlooked.then_some(id))
            .collect(),
        until: last.filter(|_| !is_last).map(|id| id.0),
    })
}

/// Makes those of them due that still are what they were. How many.
pub fn wake(tx: &mut Tx, heads: &[NotificationId], now: Timestamp) -> Result<u64, Error> {
    let mut woken = 0;
    for piece in pieces(heads) {
        let mut values = vec![now.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(2, piece.len());
        woken += tx.execute(
            &format!(
                "update deliveries set due_at = $1 where notification_id in (
                     select notification_id from deliveries d
                     where notification_id in ({places}) and due_at is null
                         and not exists ({EARLIER}) and webhook_id not in ({DELETED})
                     /*pg for update of d skip locked*/
                 )"
            ),
            &values,
        )?;
    }
    Ok(woken)
}
