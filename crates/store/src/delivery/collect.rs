//! Claims of one webhook alone: those of a listener, who fetches what others are sent.

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::Timestamp;
use uuid::Uuid;

use super::Claim;
use super::claim::{Due, Lease, ROUNDS_MAX, candidates, take};
use super::park::park;
use crate::webhook::DELETED;
use crate::{AccountTx, Error, Tx};

/// Whether a delivery of this webhook is due.
pub fn has_due(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<bool, Error> {
    let found = a.query_one(
        "select exists (select 1 from deliveries
             where account_id = $1 and webhook_id = $2 and due_at <= $3) as due",
        &[webhook.into(), now.into()],
        |row| row.get::<bool>("due"),
    )?;
    Ok(found.unwrap_or(false))
}

/// Leases up to `most` due deliveries of one webhook; never one with an earlier open delivery of the same
/// order key. They are read [apart](super::claimed).
pub fn claim_of(
    tx: &mut Tx,
    (account, webhook): (AccountId, WebhookId),
    (now, until): (Timestamp, Timestamp),
    owner: Uuid,
    most: usize,
) -> Result<Vec<NotificationId>, Error> {
    let lease = Lease { now, until, owner };
    let mut claimed: Vec<NotificationId> = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let room = most.saturating_sub(claimed.len());
        if room == 0 {
            break;
        }
        let due = Due::of(webhook, account, room);
        let looked_at = due.looked_at(room);
        let found = candidates(tx, &lease, &[due], room)?;
        let count = found.len();
        let (heads, waiting): (Vec<_>, Vec<_>) = found.into_iter().partition(|c| c.is_head);
        let parked = park(tx, &waiting)?;
        let heads: Vec<NotificationId> = heads.iter().map(|c| c.id).take(room).collect();
        take(tx, &lease, &heads)?;
        claimed.extend(&heads);
        if count < looked_at || (parked == 0 && heads.is_empty()) {
            break;
        }
    }
    Ok(claimed)
}

/// Which attempt this claim is for: its place in the schedule, from 1, and its number on record; `None` when it
/// claims nothing of this webhook, or is not the latest any more.
pub fn attempt_in_hand(
    a: &mut AccountTx,
    webhook: WebhookId,
    (notification, token): Claim,
) -> Result<Option<(u32, u32)>, Error> {
    a.query_one(
        &format!(
            "select attempts, attempts_before from deliveries
             where account_id = $1 and webhook_id = $2 and notification_id = $3 and claim_token = $4
                 and lease_owner is not null and webhook_id not in ({DELETED})"
        ),
        &[webhook.into(), notification.into(), token.into()],
        |row| {
            let attempt = row.count("attempts")? + 1;
            Ok((attempt, row.count("attempts_before")? + attempt))
        },
    )
}
