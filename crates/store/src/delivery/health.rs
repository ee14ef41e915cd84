//! How endpoints fare: what fails for days without a success is disabled.
//!
//! A row stands for an endpoint that fails, or has accepted nothing yet (it has no failures then), and goes with its next success.
//! Answers that are all well therefore cost one look at an empty index and no write.
//!
//! The record is that of the address where the webhook leads now: it goes when the owner names another one, and what was
//! under way to the old one counts neither for nor against the new one. A listener has no record: what its program answers is
//! for whoever sits in front of it, and only that nobody asks any more switches it off.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::ids::{AccountId, WebhookId};
use domain::webhook::{DeliveryStatus, FAILURES_LAPSE_AFTER, Failing, Verdict};
use jiff::Timestamp;

use super::Outcome;
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

/// Where a webhook leads at this moment.
pub(super) struct Leads {
    url: String,
    active: bool,
}

impl Leads {
    /// Whether deliveries go where this attempt went.
    pub(super) fn to_where_it_went(&self, held: &Held<'_>) -> bool {
        self.active && self.went_here(held)
    }

    pub(super) fn went_here(&self, held: &Held<'_>) -> bool {
        self.url == held.outcome.url
    }
}

/// The webhooks of the attempts that went wrong, but for listeners, which no answer switches off. They are locked until the
/// end of the transaction, so that nobody leads one elsewhere between the look and what follows from it; and before their
/// deliveries, as whoever does that locks them.
pub(super) fn lock_failing(
    tx: &mut Tx,
    outcomes: &[Outcome],
) -> Result<HashMap<WebhookId, Leads>, Error> {
    let failing = outcomes
        .iter()
        .filter(|outcome| outcome.verdict != Verdict::Succeeded);
    let failing: BTreeSet<WebhookId> = failing.map(|outcome| outcome.webhook).collect();
    let failing: Vec<WebhookId> = failing.into_iter().collect();
    let mut leads = HashMap::with_capacity(failing.len());
    for piece in pieces(&failing) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        leads.extend(tx.locking(
            &format!(
                "select id, url, active from webhooks where id in ({places})
                     and not exists (select 1 from listeners l where l.webhook_id = webhooks.id)
                 order by id /*pg for no key update*/"
            ),
            &ids,
            |row| {
                let (url, active) = (row.get("url")?, row.get("active")?);
                Ok((row.id::<WebhookId>("id")?, Leads { url, active }))
            },
        )?);
    }
    Ok(leads)
}

/// Keeps the score of the endpoints of these outcomes; disables those that are gone or have failed for too long. Which.
/// `leads` has the webhooks of those that went wrong.
pub(super) fn note(
    tx: &mut Tx,
    held: &[Held<'_>],
    leads: &HashMap<WebhookId, Leads>,
    at: Timestamp,
) -> Result<Vec<Disabled>, Error> {
    let mut disabled = Vec::new();
    let (recovered, failures) = (recovered(tx, held)?, failures(held, leads));
    // In one order: another node may write the same rows the other way round.
    let either = recovered.keys().chain(failures.keys()).copied();
    for webhook in either.collect::<BTreeSet<WebhookId>>() {
        if let Some(url) = recovered.get(&webhook) {
            // It may lead elsewhere since it was looked at, with a record that begins there.
            tx.execute(
                "delete from webhook_health where webhook_id = $1
                     and exists (select 1 from webhooks where id = $1 and url = $2)",
                &[webhook.into(), url.into()],
            )?;
        }
        let Some(failures) = failures.get(&webhook) else {
            continue;
        };
        let now = fails(tx, webhook, *failures, at)?;
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

fn succeeded(held: &Held<'_>) -> bool {
    ending(held.verdict) == Some(DeliveryStatus::Succeeded)
}

/// How many attempts failed where their webhook leads, for each of which none succeeded there.
fn failures(held: &[Held<'_>], leads: &HashMap<WebhookId, Leads>) -> BTreeMap<WebhookId, u32> {
    let mut failures: BTreeMap<WebhookId, u32> = BTreeMap::new();
    let mut well: BTreeSet<WebhookId> = BTreeSet::new();
    for held in held {
        let leads = leads.get(&held.webhook);
        let tells =
            held.outcome.tells_of_receiver && leads.is_some_and(|leads| leads.went_here(held));
        if !tells {
            continue;
        }
        if succeeded(held) {
            well.insert(held.webhook);
        } else {
            *failures.entry(held.webhook).or_default() += 1;
        }
    }
    failures.retain(|webhook, _| !well.contains(webhook));
    failures
}

/// Those with a record where one of these has succeeded, and where that is.
fn recovered(tx: &mut Tx, held: &[Held<'_>]) -> Result<BTreeMap<WebhookId, String>, Error> {
    let well = held.iter().filter(|held| succeeded(held));
    let well: BTreeSet<(WebhookId, &str)> = well
        .map(|held| (held.webhook, held.outcome.url.as_str()))
        .collect();
    let webhooks: BTreeSet<WebhookId> = well.iter().map(|(webhook, _)| *webhook).collect();
    let webhooks: Vec<WebhookId> = webhooks.into_iter().collect();
    let mut recovered = BTreeMap::new();
    for piece in pieces(&webhooks) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        let failing = tx.query(
            &format!(
                "select webhook_id, url from webhook_health join webhooks on id = webhook_id
                 where webhook_id in ({places})"
            ),
            &ids,
            |row| {
                Ok((
                    row.id::<WebhookId>("webhook_id")?,
                    row.get::<String>("url")?,
                ))
            },
        )?;
        let failing = failing.into_iter();
        recovered.extend(failing.filter(|(webhook, url)| well.contains(&(*webhook, url.as_str()))));
    }
    Ok(recovered)
}

fn fails(tx: &mut Tx, webhook: WebhookId, failures: u32, at: Timestamp) -> Result<Failing, Error> {
    let lapsed_before = at.checked_sub(FAILURES_LAPSE_AFTER);
    let lapsed_before = lapsed_before.unwrap_or(Timestamp::MIN);
    let rows = tx.returning(
        "insert into webhook_health as h (webhook_id, failing_since, failed_at, failures)
         values ($1, $2, $2, $3)
         on conflict (webhook_id) do update
             set failed_at = excluded.failed_at,
                 failing_since = case when h.failed_at < $4 or h.failures = 0
                     then excluded.failing_since else h.failing_since end,
                 failures = case when h.failed_at < $4
                     then excluded.failures else h.failures + excluded.failures end
         returning failing_since, failed_at, failures",
        &[
            webhook.into(),
            at.into(),
            failures.into(),
            lapsed_before.into(),
        ],
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
