//! Keeping claims, and giving them back.

use domain::ids::{NotificationId, WebhookId};
use jiff::{SignedDuration, Timestamp};

use crate::db::{Value, pieces, rows_of_values};
use crate::{AccountTx, Error, Tx};

/// What cannot be read is looked at again after so long. Nothing else that is to be tried for the first time waits for a later
/// time than this.
pub const PUT_OFF_FOR: SignedDuration = SignedDuration::from_mins(10);

/// A claim: the delivery and the token it was given.
pub type Claim = (NotificationId, i64);

/// Prolongs claims. Those that are still held, in the order of their ids; the others belong to somebody else by
/// now.
pub fn renew(
    tx: &mut Tx,
    claims: &[Claim],
    lease_until: Timestamp,
) -> Result<Vec<NotificationId>, Error> {
    due_at(tx, claims, lease_until, "")
}

/// Gives claims back without an attempt: they are due again at that time, for anybody.
pub fn release(tx: &mut Tx, claims: &[Claim], at: Timestamp) -> Result<usize, Error> {
    let released = due_at(
        tx,
        claims,
        at,
        ", claim_token = claim_token + 1, lease_owner = null",
    )?;
    Ok(released.len())
}

/// Puts off a delivery that is due [for so long](PUT_OFF_FOR), without an attempt; whether it was due. Its line waits behind it.
pub fn put_off(tx: &mut Tx, delivery: NotificationId, now: Timestamp) -> Result<bool, Error> {
    let until = now + PUT_OFF_FOR;
    let put_off = tx.execute(
        "update deliveries set due_at = $3, claim_token = claim_token + 1, lease_owner = null
         where notification_id = $1 and due_at <= $2",
        &[delivery.into(), now.into(), until.into()],
    )?;
    Ok(put_off > 0)
}

/// Takes back what is claimed of this webhook, whoever has it in hand: it is due again at once.
pub fn take_back(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<u64, Error> {
    a.execute(
        "update deliveries set due_at = $3, claim_token = claim_token + 1, lease_owner = null
         where account_id = $1 and webhook_id = $2 and due_at is not null
             and lease_owner is not null",
        &[webhook.into(), now.into()],
    )
}

/// Ends every claim, of all accounts: whoever held them is gone. What is claimed is due again at once. How many.
pub fn release_all(tx: &mut Tx, now: Timestamp) -> Result<u64, Error> {
    tx.execute(
        "update deliveries set due_at = $1, claim_token = claim_token + 1, lease_owner = null
         where lease_owner is not null",
        &[now.into()],
    )
}

/// The same but for listeners: what they have in hand is in another program, which goes on.
pub fn release_sent(tx: &mut Tx, now: Timestamp) -> Result<u64, Error> {
    tx.execute(
        "update deliveries set due_at = $1, claim_token = claim_token + 1, lease_owner = null
         where lease_owner is not null and webhook_id not in (select webhook_id from listeners)",
        &[now.into()],
    )
}

/// Raises the tokens of up to `limit` open deliveries behind `after` by `step`, so that no token counts that was given for
/// one of them in a life of this store that did not happen. The last of them; `None`: there was none.
pub fn outdate(
    tx: &mut Tx,
    after: NotificationId,
    step: i64,
    limit: u32,
) -> Result<Option<NotificationId>, Error> {
    let ids: Vec<NotificationId> = tx.query(
        "select notification_id from deliveries where notification_id > $1
         order by notification_id limit $2",
        &[after.into(), limit.into()],
        |row| row.id("notification_id"),
    )?;
    let last = ids.last().copied();
    if let Some(last) = last {
        tx.execute(
            "update deliveries set claim_token = claim_token + $3
             where notification_id > $1 and notification_id <= $2",
            &[after.into(), last.into(), step.into()],
        )?;
    }
    Ok(last)
}

fn due_at(
    tx: &mut Tx,
    claims: &[Claim],
    at: Timestamp,
    also: &str,
) -> Result<Vec<NotificationId>, Error> {
    let mut claims = claims.to_vec();
    claims.sort_unstable();
    let mut held = Vec::with_capacity(claims.len());
    for piece in pieces(&claims) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "bigint"]);
        let mut values = vec![at.into()];
        values.extend(
            piece
                .iter()
                .flat_map(|(id, token)| [Value::from(*id), Value::from(*token)]),
        );
        held.extend(tx.returning(
            &format!(
                "with held (held_id, held_token) as (values {rows})
                 update deliveries set due_at = $1{also}
                 from held where notification_id = held_id and claim_token = held_token
                 returning notification_id"
            ),
            &values,
            |row| row.id::<NotificationId>("notification_id"),
        )?);
    }
    held.sort_unstable();
    Ok(held)
}
