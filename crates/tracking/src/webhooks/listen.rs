//! Listening: deliveries fetched instead of sent, for a receiver that nobody can call.
//!
//! A listener is a webhook of its own. Its notifications and deliveries are rows like all others, written with
//! the change they tell of, so that order, leases, attempts on record and replays are the ones of the delivery
//! engine and not a second set of rules. Only the last step differs: the engine never claims them, the listener
//! does, over HTTP. It gets the very headers and bytes that would have been sent, hands them to the program
//! beside it, and tells how that went under the token of its claim. Where it stopped is therefore known here and
//! nowhere else: a listener that is killed, a node that dies and a receiver that is away all leave a lease that
//! runs out, and the same bytes are fetched again. Who starts anew under the same name need not wait for that: what the one
//! before him had in hand is taken back, what waits for another try is due, and its wait, which may go on without anybody at
//! the other end, gets nothing any more. A cursor ("all after the last id") was not an option: ids commit out of order.
//!
//! Two programs that take each other's deliveries would both believe that they have all. So each opening has a *turn*, a
//! number that its program shows whenever it takes or settles. Who shows an earlier one is told that it was taken over;
//! one whose network was away for a while goes on with its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::audit::Action;
use domain::event::EventName;
use domain::ids::{AccountId, ApiKeyId, NotificationId, WebhookId};
use domain::listener::{IDLE_MAX, LISTENERS_MAX, ListenerName, verdict};
use domain::webhook::{AttemptEnd, Verdict};
use jiff::{SignedDuration, Timestamp};
use sources::outbound;
use store::Key;
use store::delivery::{Attempt, Body, Claim, Claimed, Outcome, Settled};
use store::listener::Listener;
use store::webhook::Webhook;
use uuid::Uuid;

use super::body;
use super::deliver::{self, ANSWER_BYTES_KEPT_MAX, TOO_LONG};
use super::desk::claim_of;
use super::send::readable;
use super::subscription::{self, NewWebhook, Opened, WebhookRefused, of_changed, of_new};
use super::unreadable::{Picked, put_off_unreadable};
use crate::audit::{self, By};
use crate::{Tracking, VaultError, entropy};

/// Deliveries handed to a listener at once.
pub const TAKEN_MAX: usize = 16;
/// Bytes of their bodies together, unless the first has more: news of a bill of a thousand boxes has some ten million, and what
/// is handed over must arrive whole before its lease ends.
const TAKEN_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Between two looks while a listener waits: what another node wrote nudges nobody here.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The turn of whoever made a listener.
const FIRST_TURN: i64 = 1;
/// Between two notes that somebody asked.
const ASKED_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Why nobody can listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenRefused {
    /// As many as an account may have.
    #[error(
        "the account has {LISTENERS_MAX} listeners already: delete a webhook whose url begins with listen:"
    )]
    TooMany,
    /// What a subscription is refused for.
    #[error(transparent)]
    Webhook(#[from] WebhookRefused),
}

impl From<store::Error> for ListenRefused {
    fn from(error: store::Error) -> Self {
        Self::Webhook(error.into())
    }
}

/// Who takes and settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose {
    /// The account.
    pub account: AccountId,
    /// The listener, which is a webhook.
    pub webhook: WebhookId,
    /// As it was given at the opening. Who shows none is never told that another one has opened it since.
    pub turn: Option<i64>,
    /// The key that opens the account to him; `None`: he needs none. Who waits gets nothing once it was deleted.
    pub key: Option<ApiKeyId>,
}

impl Whose {
    fn check(self, listener: &Listener) -> Result<(), FetchRefused> {
        match self.turn {
            Some(turn) if turn != listener.turn => Err(FetchRefused::TakenOver),
            _ => Ok(()),
        }
    }
}

/// Why nothing can be taken or settled.
#[derive(Debug, thiserror::Error)]
pub enum FetchRefused {
    /// It was opened again since.
    #[error("another program listens by this name now, and has what was in hand here")]
    TakenOver,
    /// The key that was shown has been deleted since.
    #[error("the key is deleted")]
    KeyDeleted,
    /// A secret or header does not open.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// A listener that was opened.
#[derive(Debug)]
pub struct OpenedListener {
    /// The webhook that it is.
    pub opened: Opened,
    /// Whether it is new; only then the secret may be shown.
    pub is_new: bool,
    /// Shown when taking and settling.
    pub turn: i64,
}

/// A delivery in the hands of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Which.
    pub notification: NotificationId,
    /// Shown when settling.
    pub claim_token: i64,
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// Headers as they would have been sent, by name.
    pub headers: Vec<(String, String)>,
    /// The exact text.
    pub body: String,
}

/// What came of an answer, to its end or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// HTTP status.
    pub status: u16,
    /// Headers of the answer, a line each.
    pub headers: String,
    /// Body of the answer.
    pub body: String,
}

/// What was taken.
#[derive(Debug, Default)]
pub struct Taken {
    /// These are leased to whoever took them.
    pub deliveries: Vec<Fetched>,
    /// Whether the listener is switched on: what is due waits while it is not.
    pub is_active: bool,
}

/// How the listener's attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The receiver answered.
    Answered(Came),
    /// The receiver's answer, a success by its status, was longer than is read.
    TooLong(Came),
    /// There is no receiver; somebody has seen it.
    Shown,
    /// The receiver did not answer in time. What came until then is for people to look at.
    TimedOut(Option<Came>),
    /// The receiver broke the connection off. What came until then is for people to look at.
    Broken(Option<Came>),
    /// Nothing was tried: it is due again at once.
    GivenBack,
    /// It has not ended: the delivery stays the listener's for another lease.
    UnderWay,
}

/// Opens the listener of this name: makes it, or switches it on again and takes it over from whoever had it.
pub async fn open_listener(
    tracking: &Tracking,
    account: AccountId,
    name: ListenerName,
    events: Vec<EventName>,
) -> Result<OpenedListener, ListenRefused> {
    let wanted = NewWebhook {
        url: name.address(),
        active: true,
        events,
        headers: Vec::new(),
    };
    let fresh = subscription::drawn(tracking, account, &wanted)?;
    let (now, shared) = (tracking.now(), tracking.clone());
    let by = tracking.whoever(now);
    let key = Key::several(vec![Key::account(account), Key::webhook(fresh.webhook.id)]);
    let opened = tracking
        .store()
        .write(key, move |tx| {
            let a = &mut tx.account(account);
            let known = match store::listener::named(a, &name)? {
                Some(known) => Some(known),
                None => add(a, by, &name, &fresh.webhook)?,
            };
            let Some(known) = known else {
                return Ok(OpenedListener {
                    opened: fresh.clone(),
                    is_new: true,
                    turn: FIRST_TURN,
                });
            };
            // Now: what was tried while this waited was tried before.
            let (events, now) = (
                &fresh.webhook.events,
                (shared.now(), shared.delivery_lease()),
            );
            let (row, turn) = reopen(a, by, known.webhook, events, now)?;
            Ok::<_, ListenRefused>(OpenedListener {
                opened: subscription::open(&shared, account, row)?,
                is_new: false,
                turn,
            })
        })
        .await;
    tracking.nudges().restart();
    opened
}

/// Adds a listener, with the account held for its limit; the one that was there first when another node was quicker by a moment.
fn add(
    a: &mut store::AccountTx<'_>,
    by: By,
    name: &ListenerName,
    webhook: &Webhook,
) -> Result<Option<Listener>, ListenRefused> {
    let account = a.account();
    store::account::lock(a.tx(), account)?;
    if store::listener::count(a)? >= LISTENERS_MAX {
        return Err(ListenRefused::TooMany);
    }
    store::webhook::insert(a, webhook)?;
    let listener = Listener {
        name: name.clone(),
        webhook: webhook.id,
        asked_at: webhook.created_at,
        turn: FIRST_TURN,
    };
    if store::listener::insert(a, &listener)? {
        let detail = of_new(webhook, 0);
        audit::note(a, by, Action::WebhookCreated, webhook.id, detail);
        return Ok(None);
    }
    store::webhook::delete(a, webhook.id, webhook.created_at)?;
    Ok(store::listener::named(a, name)?)
}

fn reopen(
    a: &mut store::AccountTx<'_>,
    by: By,
    id: WebhookId,
    events: &[EventName],
    (now, lease): (Timestamp, SignedDuration),
) -> Result<(Webhook, i64), ListenRefused> {
    let gone = || store::Error::Refused("a listener has no webhook".into());
    let mut row = store::webhook::lock(a, id)?.ok_or_else(gone)?;
    if !row.active || row.events != events {
        let before = row.clone();
        events.clone_into(&mut row.events);
        row.active = true;
        row.disabled_reason = None;
        row.updated_at = now;
        store::webhook::update(a, &row)?;
        let detail = of_changed(&before, &row);
        if !detail.is_empty() {
            audit::note(a, by, Action::WebhookUpdated, id, detail);
        }
    }
    let turn = store::listener::take_over(a, id, now)?.ok_or_else(gone)?;
    // While it is in hand, so that it begins anew with the rest.
    store::delivery::hurry(a, id, now, lease)?;
    store::delivery::take_back(a, id, now)?;
    Ok((row, turn))
}

/// Takes up to `most` deliveries that are due, waiting up to `wait` (real time) for the first. `None`: this
/// account has no such listener. `go_on` is asked between two looks; when it says no, the wait ends. It ends with nothing,
/// too, when the listener is switched off or on meanwhile, and, for whoever shows no turn, when somebody else has opened it
/// since or taken something.
pub async fn take(
    tracking: &Tracking,
    whose: Whose,
    most: usize,
    wait: Duration,
    go_on: impl Fn() -> bool + Send,
) -> Result<Option<Taken>, FetchRefused> {
    let until = tokio::time::Instant::now() + wait;
    let mut asked_at = None;
    let mut was_active = None;
    loop {
        let mut nudged = std::pin::pin!(tracking.nudges().listened());
        nudged.as_mut().enable();
        let Some(look) = look(tracking, whose).await? else {
            return Ok(None);
        };
        whose.check(&look.listener)?;
        let is_active = look.is_active;
        let nothing = Taken {
            deliveries: Vec::new(),
            is_active,
        };
        let found = look.listener.asked_at;
        let is_changed = *was_active.get_or_insert(is_active) != is_active;
        if is_changed || asked_at.is_some_and(|before| before != found) {
            return Ok(Some(nothing));
        }
        asked_at = Some(found);
        if (look.is_due && is_active) || look.is_forgotten {
            match claim(tracking, whose, &look.listener, most).await? {
                // Nothing could be had; it is known now that somebody asked.
                Some(fetched) if fetched.is_empty() => asked_at = None,
                Some(deliveries) => {
                    return Ok(Some(Taken {
                        deliveries,
                        is_active,
                    }));
                }
                // The next look tells who was quicker.
                None => continue,
            }
        }
        if tokio::time::Instant::now() >= until || !go_on() {
            return Ok(Some(nothing));
        }
        let next = until.min(tokio::time::Instant::now() + LOOK_EVERY);
        tokio::select! {
            () = nudged => {}
            () = tokio::time::sleep_until(next) => {}
        }
    }
}

/// What a look into the store found.
struct Look {
    is_due: bool,
    /// Whether it is long since it was noted that somebody asked.
    is_forgotten: bool,
    is_active: bool,
    listener: Listener,
}

async fn look(tracking: &Tracking, whose: Whose) -> Result<Option<Look>, FetchRefused> {
    let now = tracking.now();
    let Whose {
        account,
        webhook,
        key,
        ..
    } = whose;
    tracking
        .store()
        .read(move |tx| {
            if let Some(key) = key
                && store::api_key::find(tx, key)?.is_none()
            {
                return Err(FetchRefused::KeyDeleted);
            }
            let a = &mut tx.account(account);
            let Some(listener) = store::listener::find(a, webhook)? else {
                return Ok(None);
            };
            Ok(Some(Look {
                is_due: store::delivery::has_due(a, webhook, now)?,
                is_forgotten: now.duration_since(listener.asked_at) >= ASKED_EVERY,
                is_active: store::webhook::find(a, webhook)?.is_some_and(|row| row.active),
                listener,
            }))
        })
        .await
}

/// `None`: somebody else has asked or opened it since it was found like this.
async fn claim(
    tracking: &Tracking,
    whose: Whose,
    found: &Listener,
    most: usize,
) -> Result<Option<Vec<Fetched>>, FetchRefused> {
    let now = tracking.now();
    let found = (found.asked_at, found.turn);
    let Whose {
        account, webhook, ..
    } = whose;
    let until = now + tracking.delivery_lease();
    let owner = Uuid::from_bytes(entropy::random_bytes());
    let (shared, due) = (tracking.clone(), Picked::default());
    let picked = due.clone();
    let claimed: Result<Option<Vec<Claimed>>, store::Error> = tracking
        .store()
        .write(Key::webhook(webhook), move |tx| {
            if !store::listener::ask(&mut tx.account(account), webhook, found, now)? {
                return Ok(None);
            }
            let active = store::webhook::find(&mut tx.account(account), webhook)?;
            if !active.is_some_and(|row| row.active) {
                return Ok(Some(Vec::new()));
            }
            let most = most.min(TAKEN_MAX);
            let whose = (account, webhook);
            let ids = store::delivery::claim_of(tx, whose, (now, until), owner, most)?;
            picked.are(&ids);
            let mut claimed = store::delivery::claimed(tx, &ids)?;
            let documents = body::Documents::default();
            let unmade = body::complete(tx, &shared, &mut claimed, documents, TAKEN_BYTES_MAX)?;
            let next_time = read_as_many_as_fit(tx, &mut claimed)?;
            let given_back = next_time.iter().chain(&unmade);
            let given_back: Vec<Claim> = given_back.map(claim_of).collect();
            store::delivery::release(tx, &given_back, now)?;
            Ok(Some(claimed))
        })
        .await;
    let claimed = match claimed {
        // Whoever asks again finds the rest.
        Err(error) if !error.passes() && put_off_unreadable(tracking, &due).await > 0 => None,
        claimed => claimed?,
    };
    let Some(claimed) = claimed else {
        return Ok(None);
    };
    let fetched = claimed
        .into_iter()
        .map(|delivery| fetched(tracking, delivery, now));
    Ok(Some(fetched.collect::<Result<_, VaultError>>()?))
}

/// Reads the bodies that are left in the store, and takes out what is not handed over this time: all but as many as fit, one at
/// least.
fn read_as_many_as_fit(
    tx: &mut store::Tx,
    claimed: &mut Vec<Claimed>,
) -> Result<Vec<Claimed>, store::Error> {
    let mut together = 0_usize;
    for delivery in claimed.iter_mut() {
        if delivery.body == Body::Kept && together < TAKEN_BYTES_MAX {
            let text = store::delivery::body(tx, delivery.notification.id)?;
            delivery.body = text.map_or(Body::Unmade, Body::InHand);
        }
        let with_it = together + delivery.body.text().map_or(0, str::len);
        if together > 0 && with_it > TAKEN_BYTES_MAX {
            delivery.body = Body::Kept;
        } else {
            together = with_it;
        }
    }
    let is_left = |delivery: &mut Claimed| delivery.body.text().is_none();
    Ok(claimed.extract_if(.., is_left).collect())
}

fn fetched(
    tracking: &Tracking,
    mut delivery: Claimed,
    at: Timestamp,
) -> Result<Fetched, VaultError> {
    let text = delivery.body.take().unwrap_or_default();
    let headers = deliver::headers(tracking, &delivery, at, &text)?;
    let named = headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    Ok(Fetched {
        notification: delivery.notification.id,
        claim_token: delivery.claim_token,
        attempt: delivery.attempts_before + delivery.attempt,
        headers: named.collect(),
        body: text,
    })
}

/// Writes how an attempt ended and says what follows; `None` when the claim is not the latest any more, or holds
/// nothing of this listener. A delivery that was given back follows at once, one that is still being attempted
/// when its lease ends.
pub async fn settle(
    tracking: &Tracking,
    whose: Whose,
    claim: Claim,
    (handed, took): (Handed, Duration),
) -> Result<Option<Verdict>, FetchRefused> {
    let now = tracking.now();
    let Whose {
        account, webhook, ..
    } = whose;
    let took = SignedDuration::try_from(took).unwrap_or_default();
    let (goes_on, leased) = (handed == Handed::UnderWay, now + tracking.delivery_lease());
    let ended = Arc::new(Mutex::new(Settled::default()));
    let ends = Arc::clone(&ended);
    let end = move |settled| *ends.lock().unwrap_or_else(PoisonError::into_inner) = settled;
    let verdict = tracking
        .store()
        .write(Key::webhook(webhook), move |tx| {
            // What an earlier run ended was never committed.
            end(Settled::default());
            let a = &mut tx.account(account);
            if let Some(listener) = store::listener::find(a, webhook)? {
                whose.check(&listener)?;
            }
            let Some(attempt) = store::delivery::attempt_in_hand(a, webhook, claim)? else {
                return Ok(None);
            };
            if goes_on {
                let held = store::delivery::renew(tx, &[claim], leased)?;
                return Ok((!held.is_empty()).then_some(Verdict::RetryAt(leased)));
            }
            if handed == Handed::GivenBack {
                store::delivery::release(tx, &[claim], now)?;
                return Ok(Some(Verdict::RetryAt(now)));
            }
            let outcome = outcome(webhook, claim, attempt, &handed, (now, took));
            let mut verdict = outcome.verdict;
            let settled = store::delivery::settle(tx, &[outcome])?;
            if !settled.at_once.is_empty() {
                verdict = Verdict::RetryAt(now);
            }
            let counted = settled.counted > 0;
            end(settled);
            Ok::<_, FetchRefused>(counted.then_some(verdict))
        })
        .await?;
    deliver::warn_of_disabled(&ended.lock().unwrap_or_else(PoisonError::into_inner));
    if !goes_on {
        tracking.nudges().deliver();
    }
    Ok(verdict)
}

fn outcome(
    webhook: WebhookId,
    (notification, claim_token): Claim,
    (attempt, number): (u32, u32),
    handed: &Handed,
    (now, took): (Timestamp, SignedDuration),
) -> Outcome {
    let answered = |status, headers| AttemptEnd::Answered {
        status,
        retry_after: retry_after(headers, now),
    };
    let (end, came, reason) = match handed {
        Handed::Answered(came) => (answered(came.status, &came.headers), Some(came), None),
        Handed::TooLong(came) => (AttemptEnd::TooLong, Some(came), Some(TOO_LONG)),
        Handed::Shown => (answered(200, ""), None, Some("shown")),
        Handed::TimedOut(came) => (AttemptEnd::TimedOut, came.as_ref(), Some("timeout")),
        Handed::Broken(came) => (AttemptEnd::Unreachable, came.as_ref(), Some("protocol")),
        Handed::GivenBack | Handed::UnderWay => (AttemptEnd::Unreachable, None, Some("protocol")),
    };
    let (headers, text) = came.map_or(("", ""), |came| (&came.headers, &came.body));
    Outcome {
        notification,
        claim_token,
        webhook,
        // Wherever its program is: no answer of it ends the listener.
        url: String::new(),
        verdict: verdict(attempt, &end, now),
        refusals_in_a_row: 0,
        tells_of_receiver: true,
        attempt: Attempt {
            number,
            started_at: now.checked_sub(took).unwrap_or(now),
            duration_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            status: came.map(|came| came.status),
            reason: reason.map(ToOwned::to_owned),
            response_headers: readable(headers.as_bytes(), ANSWER_BYTES_KEPT_MAX),
            response_body: readable(text.as_bytes(), ANSWER_BYTES_KEPT_MAX),
        },
    }
}

/// `Retry-After` among these lines of headers.
fn retry_after(headers: &str, now: Timestamp) -> Option<SignedDuration> {
    let mut named = headers.lines().filter_map(|line| line.split_once(':'));
    let (_, text) = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("retry-after"))?;
    outbound::retry_after(text, now)
}

/// Switches off listeners that nobody asked for a week; how many.
pub(crate) async fn retire_listeners(tracking: &Tracking) -> Result<u64, store::Error> {
    let now = tracking.now();
    let Ok(before) = now.checked_sub(IDLE_MAX) else {
        return Ok(0);
    };
    let reason = format!("nobody listened since {before:.0}");
    tracking
        .store()
        .write(Key::webhook(WebhookId(Uuid::nil())), move |tx| {
            store::listener::retire_idle(tx, before, &reason, now)
        })
        .await
}
