//! How endpoints fare: what fails for days without a success is disabled.
//!
//! A row stands for an endpoint that fails, and goes with its next success. Answers that are all well therefore
//! cost one look at an empty index and no write.

use std::collections::{BTreeMap, BTreeSet};

use domain::ids::{AccountId, WebhookId};
use domain::webhook::{DeliveryStatus, Failing, Verdict};
use jiff::Timestamp;

use super::settle::{Held, ending};
use crate::db::{Value, pieces, placeholders};
use crate::webhook::note_disabled;
use crate::{Error, Tx};

/// What is told to the owner of a webhook whose endpoint answered 410.
const GONE: &str = "the endpoint answered 410 Gone";

/// A webhook that was disabled just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// Whose it is.
    pub account: AccountId,
    /// Which one.
    pub webhook: WebhookId,
    /// Why, as its owner is told.
    pub reason: String,
}

/// Keeps the score of the endpoints of these outcomes; disables those that are gone or have failed for too long. Which.
pub(super) fn note(tx: &mut Tx, held: &[Held<'_>], at: Timestamp) -> Result<Vec<Disabled>, Error> {
    let mut disabled = Vec::new();
    let failed = failures(held);
    let well = well(held);
    recovered(tx, &well)?;
    let failing: BTreeMap<_, _> = failed
        .into_iter()
        .filter(|(webhook, _)| !well.contains(webhook))
        .collect();
    for (webhook, failures) in failing {
        let now = fails(tx, webhook, failures, at)?;
        if now.is_hopeless() {
            let reason = format!("no delivery has succeeded since {:.0}", now.since);
            disabled.extend(disable(tx, webhook, &reason, at)?);
        }
    }
    let gone = held.iter().filter(|held| held.verdict == Verdict::Gone);
    for webhook in gone.map(|held| held.webhook).collect::<BTreeSet<_>>() {
        disabled.extend(disable(tx, webhook, GONE, at)?);
    }
    Ok(disabled)
}

fn well(held: &[Held<'_>]) -> BTreeSet<WebhookId> {
    let well = held
        .iter()
        .filter(|held| ending(held.verdict) == Some(DeliveryStatus::Succeeded));
    well.map(|held| held.webhook).collect()
}

fn failures(held: &[Held<'_>]) -> BTreeMap<WebhookId, u32> {
    let mut failures: BTreeMap<WebhookId, u32> = BTreeMap::new();
    for held in held.iter().filter(|held| held.outcome.tells_of_receiver) {
        if ending(held.verdict) != Some(DeliveryStatus::Succeeded) {
            *failures.entry(held.webhook).or_default() += 1;
        }
    }
    failures
}

fn recovered(tx: &mut Tx, webhooks: &BTreeSet<WebhookId>) -> Result<(), Error> {
    let webhooks: Vec<WebhookId> = webhooks.iter().copied().collect();
    for piece in pieces(&webhooks) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        let failing = tx.query(
            &format!("select webhook_id from webhook_health where webhook_id in ({places})"),
            &ids,
            |row| row.id::<WebhookId>("webhook_id"),
        )?;
        for webhook in failing {
            tx.execute(
                "delete from webhook_health where webhook_id = $1",
                &[webhook.into()],
            )?;
        }
    }
    Ok(())
}

fn fails(tx: &mut Tx, webhook: WebhookId, failures: u32, at: Timestamp) -> Result<Failing, Error> {
    let rows = tx.returning(
        "insert into webhook_health as h (webhook_id, failing_since, failed_at, failures)
         values ($1, $2, $2, $3)
         on conflict (webhook_id) do update
             set failed_at = excluded.failed_at, failures = h.failures + excluded.failures
         returning failing_since, failed_at, failures",
        &[webhook.into(), at.into(), failures.into()],
        |row| {
            Ok(Failing {
                since: row.get("failing_since")?,
                last: row.get("failed_at")?,
                failures: row.count("failures")?,
            })
        },
    )?;
    let first = rows.into_iter().next();
    first.ok_or_else(|| Error::Refused("an endpoint's score was not written".into()))
}

/// Disables a webhook that is active. Its open deliveries are kept and wait.
fn disable(
    tx: &mut Tx,
    webhook: WebhookId,
    reason: &str,
    at: Timestamp,
) -> Result<Option<Disabled>, Error> {
    let disabled = tx.returning(
        "update webhooks set active = false, disabled_reason = $2, disabled_at = $3, updated_at = $3
         where id = $1 and active returning account_id",
        &[webhook.into(), reason.into(), at.into()],
        |row| row.id::<AccountId>("account_id"),
    )?;
    let Some(account) = disabled.into_iter().next() else {
        return Ok(None);
    };
    note_disabled(tx, account, webhook, reason, at);
    let reason = reason.to_owned();
    Ok(Some(Disabled {
        account,
        webhook,
        reason,
    }))
}
