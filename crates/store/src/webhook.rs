//! Webhooks of an account. One that was [deleted] is none of them, whatever of it is still there.

mod deleted;

pub(crate) use deleted::{DELETED, has_deleted};
pub use deleted::{delete, deleted, forget, forget_history};

use domain::audit::{Action, Actor, Entry};
use domain::event::EventName;
use domain::ids::{AccountId, WebhookId};
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, placeholders};
use crate::{AccountTx, Error, Page, Slice, Tx, audit, mirror};

/// A subscription of one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where deliveries go.
    pub url: String,
    /// Whether deliveries go out.
    pub active: bool,
    /// What it wants to hear.
    pub events: Vec<EventName>,
    /// The signing secret, sealed.
    pub secret: Vec<u8>,
    /// Secrets that signed before it and may still be needed.
    pub retired: Option<Retired>,
    /// Extra headers, sealed; empty when there are none.
    pub headers: Vec<u8>,
    /// Why it was disabled, when we did it.
    pub disabled_reason: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Secrets that sign beside the present one for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// All of them, sealed together.
    pub sealed: Vec<u8>,
    /// When the last of them has ceased to count.
    pub until: Timestamp,
}

impl Retired {
    pub(crate) fn read(row: &Row<'_>) -> Result<Option<Self>, Error> {
        let sealed: Option<Vec<u8>> = row.get("retired_secrets")?;
        let until: Option<Timestamp> = row.get("retired_until")?;
        let both = sealed.zip(until);
        Ok(both.map(|(sealed, until)| Self { sealed, until }))
    }
}

/// Adds a webhook.
pub fn insert(a: &mut AccountTx, webhook: &Webhook) -> Result<(), Error> {
    let events = mirror::text(&webhook.events)?;
    a.execute(
        "insert into webhooks (account_id, id, url, active, events, secret, headers,
             disabled_reason, updated_at, retired_secrets, retired_until, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &values(webhook, &events, Some(webhook.created_at)),
    )?;
    a.tx().execute(
        "insert into webhook_health (webhook_id, failing_since, failed_at, failures)
         values ($1, $2, $2, 0)",
        &[webhook.id.into(), webhook.created_at.into()],
    )?;
    Ok(())
}

/// Replaces everything but the id and the time of creation; `false` when there is no such webhook. One that was off
/// and is active again starts with a clean record, as if it were new, whoever had switched it off: while nothing is sent nothing can
/// succeed.
/// So does one that leads elsewhere: what failed there says nothing about the new address.
pub fn update(a: &mut AccountTx, webhook: &Webhook) -> Result<bool, Error> {
    let events = mirror::text(&webhook.events)?;
    a.execute(
        "insert into webhook_health (webhook_id, failing_since, failed_at, failures)
         select id, $5/*pg ::timestamptz*/, $5/*pg ::timestamptz*/, 0 from webhooks
         where account_id = $1 and id = $2 and deleted_at is null and (url <> $3 or ($4 and not active))
         on conflict (webhook_id) do update set failing_since = excluded.failing_since,
             failed_at = excluded.failed_at, failures = 0",
        &[
            webhook.id.into(),
            (&webhook.url).into(),
            webhook.active.into(),
            webhook.updated_at.into(),
        ],
    )?;
    let changed = a.execute(
        "update webhooks set url = $3, active = $4, events = $5, secret = $6, headers = $7,
             disabled_reason = $8, updated_at = $9, retired_secrets = $10, retired_until = $11,
             disabled_at = case when $4 then null else disabled_at end
         where account_id = $1 and id = $2 and deleted_at is null",
        &values(webhook, &events, None),
    )?;
    Ok(changed > 0)
}

/// The webhook with this id.
pub fn find(a: &mut AccountTx, id: WebhookId) -> Result<Option<Webhook>, Error> {
    a.query_one(
        &format!(
            "select {COLUMNS} from webhooks where account_id = $1 and id = $2 and deleted_at is null"
        ),
        &[id.into()],
        read,
    )
}

/// The webhook with this id, locked until the end of the transaction: who writes it anew must not undo what the service
/// has done to it meanwhile.
pub fn lock(a: &mut AccountTx, id: WebhookId) -> Result<Option<Webhook>, Error> {
    let locked = a.locking(
        &format!(
            "select {COLUMNS} from webhooks
             where account_id = $1 and id = $2 and deleted_at is null /*pg for no key update*/"
        ),
        &[id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// How many the account has, beside its listeners.
pub fn count(a: &mut AccountTx) -> Result<u32, Error> {
    let counted = a.query_one(
        "select count(*) as webhooks from webhooks w where account_id = $1 and deleted_at is null
             and not exists (select 1 from listeners l where l.webhook_id = w.id)",
        &[],
        |row| row.count("webhooks"),
    )?;
    Ok(counted.unwrap_or(0))
}

/// Webhooks by time of creation, newest first.
pub fn page(a: &mut AccountTx, slice: Slice) -> Result<Page<Webhook>, Error> {
    let rows = a.query(
        &format!(
            "select {COLUMNS} from webhooks where account_id = $1 and deleted_at is null
             order by created_at desc, id desc limit $2 offset $3"
        ),
        &[slice.limit.into(), slice.skipped()],
        read,
    )?;
    let total = a.query_one(
        "select count(*) as total from webhooks where account_id = $1 and deleted_at is null",
        &[],
        |row| row.get::<i64>("total"),
    )?;
    Ok(Page::new(rows, total))
}

/// All there are, listeners among them, by id.
pub(crate) fn ids(a: &mut AccountTx) -> Result<Vec<WebhookId>, Error> {
    a.query(
        "select id from webhooks where account_id = $1 and deleted_at is null order by id",
        &[],
        |row| row.id("id"),
    )
}

/// The active webhooks that want to hear of `event`, by id.
pub fn subscribed(a: &mut AccountTx, event: EventName) -> Result<Vec<WebhookId>, Error> {
    let active = active(a)?;
    let hears = active
        .into_iter()
        .filter(|webhook| webhook.events.contains(&event));
    Ok(hears.map(|webhook| webhook.id).collect())
}

/// All active webhooks, by id.
pub fn active(a: &mut AccountTx) -> Result<Vec<Webhook>, Error> {
    a.query(
        &format!("select {COLUMNS} from webhooks where account_id = $1 and active order by id"),
        &[],
        read,
    )
}

/// Those among these webhooks, of whatever accounts, that are active.
pub fn active_among(tx: &mut Tx, ids: &[WebhookId]) -> Result<Vec<Webhook>, Error> {
    let mut active = Vec::new();
    for values in chunks(ids) {
        let places = placeholders(1, values.len());
        active.extend(tx.query(
            &format!("select {COLUMNS} from webhooks where active and id in ({places})"),
            &values,
            read,
        )?);
    }
    Ok(active)
}

/// How many webhooks of all accounts the service has switched off and nobody has switched on again. Listeners, which
/// people leave behind, are not among them.
pub fn disabled_count(tx: &mut Tx) -> Result<u64, Error> {
    let count = tx.query_one(
        "select count(*) as disabled from webhooks w where not active and disabled_reason is not null
             and deleted_at is null and not exists (select 1 from listeners l where l.webhook_id = w.id)",
        &[],
        |row| row.count("disabled"),
    )?;
    Ok(count.map_or(0, u64::from))
}

/// Notes that the service has switched off a webhook of this account.
pub(crate) fn note_disabled(
    tx: &mut Tx,
    account: AccountId,
    webhook: WebhookId,
    reason: &str,
    at: Timestamp,
) {
    let entry = Entry {
        at,
        actor: Actor::Quayside,
        action: Action::WebhookDisabled,
        subject: webhook.to_string(),
        detail: serde_json::json!({ "reason": reason }).to_string(),
    };
    audit::note(&mut tx.account(account), entry);
}

const COLUMNS: &str = "id, url, active, events, secret, retired_secrets, retired_until, headers, disabled_reason, \
     created_at, updated_at";

/// From `$2`; the time of creation, when it is written, is the last.
fn values<'v>(
    webhook: &'v Webhook,
    events: &'v str,
    created_at: Option<Timestamp>,
) -> Vec<Value<'v>> {
    let mut values = vec![
        webhook.id.into(),
        (&webhook.url).into(),
        webhook.active.into(),
        events.into(),
        (&webhook.secret).into(),
        (&webhook.headers).into(),
        (&webhook.disabled_reason).into(),
        webhook.updated_at.into(),
        webhook
            .retired
            .as_ref()
            .map(|retired| &retired.sealed)
            .into(),
        webhook.retired.as_ref().map(|retired| retired.until).into(),
    ];
    values.extend(created_at.map(Value::from));
    values
}

fn read(row: &Row<'_>) -> Result<Webhook, Error> {
    Ok(Webhook {
        id: row.id("id")?,
        url: row.get("url")?,
        active: row.get("active")?,
        events: row.mirrored("events")?,
        secret: row.get("secret")?,
        retired: Retired::read(row)?,
        headers: row.get("headers")?,
        disabled_reason: row.get("disabled_reason")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
