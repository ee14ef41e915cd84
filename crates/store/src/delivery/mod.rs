//! Deliveries: claimed by lease, settled in bulk, in order per endpoint and container.
//!
//! A notification is open until it is delivered or given up, and an open one has a row in `deliveries`. Rows of
//! one webhook and order key form a line; only its head may be claimed. The question "what can be delivered
//! now" must stay cheap with a hundred thousand open rows, most of them waiting behind a head that is being
//! retried for hours, so a row that waits leaves the index of what is due:
//!
//! - `due_at` says when somebody should look at the row: the time of the next attempt; the end of the lease
//!   while it is claimed (an expired lease is then simply due again); null while it waits in line.
//! - A claim that meets a row that is not the head *parks* it (null), **while it holds the head's lock**.
//! - Whoever ends a head makes the next one of its line due, in the same transaction. The head's lock makes the
//!   two see each other on PostgreSQL too: either the parking stands when the head is ended, or the end stands
//!   before the parking, which then does not happen. No row can be parked behind a head that is gone.
//!
//! A claim waits for no lock: it skips what others hold. What stands beside it in its group may, and holds what it has locked; a
//! deadlock of two nodes by that is ended by the engine, and the group is run again.
//!
//! A webhook that a listener fetches from is no part of that: its rows are claimed by the listener alone.
//!
//! Claims are fair: first the webhooks that have something due are found, then each gives an equal share. A
//! webhook with a backlog of thousands does not keep the one delivery of another waiting.

mod again;
mod claim;
mod collect;
mod forget;
mod health;
mod history;
mod hold;
mod overlooked;
mod park;
mod restart;
mod room;
mod settle;

pub use again::{Again, again, again_now, open_of, tails};
pub use claim::{claim_due, claimed, next_due};
pub use collect::{attempt_in_hand, claim_of, has_due};
pub use forget::{ended_before, forget, forgotten_until, hold_forgotten_until};
pub use health::Disabled;
pub use history::{attempt_numbers, attempts, next_attempt};
pub use hold::{
    Claim, PUT_OFF_FOR, outdate, put_off, release, release_all, release_sent, renew, take_back,
};
pub use overlooked::{Overlooked, overlooked, wake};
pub use restart::{RESTARTED_AT_ONCE_MAX, Restarted, go_on, hurry, lead_elsewhere, under_way};
pub use room::{Part, Room};
pub use settle::{Settled, settle};

use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::webhook::Verdict;
use jiff::Timestamp;

use crate::db::{Row, Value, pieces, rows_of_values};
use crate::notification::Notification;
use crate::packed::{Kind, Packed};
use crate::webhook::{DELETED, Retired};
use crate::{Error, Tx};

/// A delivery leased to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Whose it is.
    pub account: AccountId,
    /// What to deliver.
    pub notification: Notification,
    /// Where to.
    pub url: String,
    /// The signing secret, sealed.
    pub secret: Vec<u8>,
    /// Secrets before it that may still be needed.
    pub retired: Option<Retired>,
    /// Extra headers, sealed; empty when there are none.
    pub headers: Vec<u8>,
    /// Number of this attempt since the delivery was last begun, from 1: its place in the schedule.
    pub attempt: u32,
    /// Attempts of earlier deliveries of the same notification.
    pub attempts_before: u32,
    /// Refusals in a row before this attempt.
    pub refusals_in_a_row: u32,
    /// What its webhook has shown, whatever was sent.
    pub record: Record,
    /// Shown when settling.
    pub claim_token: i64,
    /// When the lease ends, unless it is [renewed](renew).
    pub leased_until: Timestamp,
    /// What is to be sent.
    pub body: Body,
}

/// What a webhook has shown where it leads now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// It accepted a delivery last.
    Answered,
    /// Nothing has ended yet.
    New,
    /// It failed last.
    Failed,
}

impl Record {
    fn read(row: &Row<'_>) -> Result<Self, Error> {
        let failures: Option<i64> = row.get("failures")?;
        Ok(match failures {
            None => Self::Answered,
            Some(0) => Self::New,
            Some(_) => Self::Failed,
        })
    }
}

/// Where the body of a delivery is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nowhere: it was not rendered yet.
    Unmade,
    /// In the store, and so long that it is [read](body) by itself when it is sent.
    Kept,
    /// Here.
    InHand(String),
}

impl Body {
    /// What is in hand of it.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::InHand(text) => Some(text),
            Self::Unmade | Self::Kept => None,
        }
    }

    /// Takes what is in hand of it; it is kept, too.
    pub fn take(&mut self) -> Option<String> {
        match std::mem::replace(self, Self::Kept) {
            Self::InHand(text) => Some(text),
            other => {
                *self = other;
                None
            }
        }
    }
}

/// One attempt, for people to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u32,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// Why it failed.
    pub reason: Option<String>,
    /// Headers of the answer, shortened.
    pub response_headers: String,
    /// Body of the answer, shortened.
    pub response_body: String,
}

/// How a claimed delivery went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which.
    pub notification: NotificationId,
    /// From the claim; an outcome of an earlier claim is dropped.
    pub claim_token: i64,
    /// Whom it was sent to.
    pub webhook: WebhookId,
    /// Where it was sent: a 410 from there says nothing about where the webhook leads by now.
    pub url: String,
    /// What happened.
    pub attempt: Attempt,
    /// What follows.
    pub verdict: Verdict,
    /// Refusals in a row, this attempt included.
    pub refusals_in_a_row: u32,
    /// Whether it says how the receiver fares: what did not get out of our own house does not.
    pub tells_of_receiver: bool,
}

/// Keeps rendered bodies; the first one stays.
pub fn store_bodies(
    tx: &mut Tx,
    bodies: &[(NotificationId, impl AsRef<str>)],
) -> Result<(), Error> {
    for piece in pieces(bodies) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "bytea"]);
        let texts = piece.iter().map(|(_, body)| body.as_ref());
        let texts = texts.map(|body| Packed::of(Kind::Body, body));
        let packed: Vec<Packed> = texts.collect();
        let values: Vec<Value<'_>> = piece
            .iter()
            .zip(&packed)
            .flat_map(|((id, _), body)| [Value::from(*id), Value::from(body)])
            .collect();
        tx.execute(
            &format!(
                "insert into bodies (notification_id, body) values {rows}
                 on conflict (notification_id) do nothing"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// The rendered body of this notification, however long.
pub fn body(tx: &mut Tx, notification: NotificationId) -> Result<Option<String>, Error> {
    tx.query_one(
        "select body from bodies where notification_id = $1",
        &[notification.into()],
        |row| row.unpacked("body"),
    )
}

/// How many deliveries are open, of webhooks that are there.
pub fn open_count(tx: &mut Tx) -> Result<u64, Error> {
    let count = tx.query_one(
        &format!("select count(*) as open from deliveries where webhook_id not in ({DELETED})"),
        &[],
        |row| row.get::<i64>("open"),
    )?;
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
}
