//! Our subscriptions at carriers that send by themselves: one for each source, with its secret, sealed.

use domain::source::Subscribed;
use jiff::Timestamp;

use crate::db::Row;
use crate::{Error, Tx};

/// A subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushSubscription {
    /// The source's profile id.
    pub source: String,
    /// How it stands.
    pub standing: Subscribed,
    /// The secret that counts, sealed.
    pub secret: Vec<u8>,
    /// The one before it, sealed; it counts as well.
    pub secret_before: Option<Vec<u8>>,
    /// What went wrong the last time; none when it went well.
    pub trouble: Option<String>,
    /// When it is looked at next.
    pub due_at: Timestamp,
}

/// The subscription at this source.
pub fn find(tx: &mut Tx, source: &str) -> Result<Option<PushSubscription>, Error> {
    tx.query_one(
        &format!("select {COLUMNS} from push_subscriptions where source = $1"),
        &[source.into()],
        read,
    )
}

/// Begins one; `false`: there is one, and nothing happens.
pub fn begin(tx: &mut Tx, row: &PushSubscription) -> Result<bool, Error> {
    let begun = tx.execute(
        "insert into push_subscriptions (source, subscription_id, callback, secret, secret_before,
             told, secret_at, renewed_at, failures, trouble, due_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing",
        &values(row),
    )?;
    Ok(begun > 0)
}

/// When one was last told, or begun.
pub(crate) const TOLD_AT: &str = "coalesce(renewed_at, secret_at)";

/// Those that were last told, or begun, behind this time.
pub(crate) fn told_behind(tx: &mut Tx, now: Timestamp) -> Result<Vec<PushSubscription>, Error> {
    tx.locking(
        &format!(
            "select {COLUMNS} from push_subscriptions where {TOLD_AT} > $1
             /*pg for update*/"
        ),
        &[now.into()],
        read,
    )
}

/// Takes up the subscription at this source when it is due: nobody else does before `until`.
pub fn claim(
    tx: &mut Tx,
    source: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<PushSubscription>, Error> {
    let claimed = tx.returning(
        &format!(
            "update push_subscriptions set due_at = $3 where source = $1 and due_at <= $2
             returning {COLUMNS}"
        ),
        &[source.into(), now.into(), until.into()],
        read,
    )?;
    Ok(claimed.into_iter().next())
}

/// Writes how it stands now.
pub fn update(tx: &mut Tx, row: &PushSubscription) -> Result<(), Error> {
    tx.execute(
        "update push_subscriptions set subscription_id = $2, callback = $3, secret = $4,
             secret_before = $5, told = $6, secret_at = $7, renewed_at = $8, failures = $9,
             trouble = $10, due_at = $11
         where source = $1",
        &values(row),
    )?;
    Ok(())
}

/// Whether anything is asked of this source: else nothing of it is wanted.
pub fn is_wanted(tx: &mut Tx, source: &str) -> Result<bool, Error> {
    let followed = tx.query_one(
        "select 1 as followed from watches where source = $1 and next_poll_at is not null limit 1",
        &[source.into()],
        |_| Ok(()),
    )?;
    Ok(followed.is_some())
}

const COLUMNS: &str = "source, subscription_id, callback, secret, secret_before, told, secret_at, \
    renewed_at, failures, trouble, due_at";

fn values(row: &PushSubscription) -> [crate::db::Value<'_>; 11] {
    let standing = &row.standing;
    [
        (&row.source).into(),
        (&standing.id).into(),
        (&standing.callback).into(),
        (&row.secret).into(),
        row.secret_before.as_ref().into(),
        standing.told.into(),
        standing.secret_at.into(),
        standing.renewed_at.into(),
        standing.failures.into(),
        (&row.trouble).into(),
        row.due_at.into(),
    ]
}

fn read(row: &Row<'_>) -> Result<PushSubscription, Error> {
    Ok(PushSubscription {
        source: row.get("source")?,
        standing: Subscribed {
            id: row.get("subscription_id")?,
            callback: row.get("callback")?,
            told: row.get("told")?,
            secret_at: row.get("secret_at")?,
            renewed_at: row.get("renewed_at")?,
            failures: row.count("failures")?,
        },
        secret: row.get("secret")?,
        secret_before: row.get("secret_before")?,
        trouble: row.get("trouble")?,
        due_at: row.get("due_at")?,
    })
}
