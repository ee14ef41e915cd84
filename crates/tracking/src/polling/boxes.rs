//! Terminals and railroads, asked about boxes.
//!
//! Nobody orders these questions: they follow from where a box goes. When a box turns out to be bound for a terminal
//! that is configured, or to go on by a railroad that is, a watch is made for it there; when it has left, the watch
//! rests. Many boxes go into one question.
//!
//! A watch at rest is woken by whatever brings its box up to date while there is something to be learnt: a report, tracking
//! that is resumed, or the moment at which time alone makes it worth asking, which is stored as the box's due time
//! ([`begins_at`]). Who looks for those who follow the box and lets it rest holds the watch, and so does who wakes it:
//! neither misses the other.
//!
//! What is answered is kept like a message that came by itself, and filed under the boxes it names: so every account
//! that follows one of them hears it, and a box that the answer leaves out loses nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::codes::ContainerNumber;
use domain::container::ContainerState;
use domain::ids::{AccountId, IdSource, ShipmentId, WatchId};
use domain::source::{Interest, Keeper, interest, interest_begins};
use domain::tracking_request::{NumberKind, retry_after};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use sources::Told;
use sources::ocean::dcsa::{Payload, Polling, PullFailure};
use store::docket::{self, Number};
use store::raw_message::RawMessage;
use store::watch::{Settled, Watch};
use store::{AccountTx, Key, Tx};
use tracing::warn;

use super::looking::{Row, Step};
use super::settling::put_off;
use super::{Came, Outcome, failures, standing, tell};
use crate::source::Pulled;
use crate::{Source, Tracking, id_source};

/// Shipments looked at in one step after a start.
const STEP_SHIPMENTS_MAX: u32 = 200;

/// Sees to it that the sources which can know something about this box now are asked about it, sooner when there is more
/// to be learnt than by `before`, the state that stood until now; `None` where nobody was asked for it until now.
pub(crate) fn follow(
    a: &mut AccountTx<'_>,
    tracking: &Tracking,
    before: Option<&ContainerState>,
    state: &ContainerState,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let account = a.account();
    let tx = a.tx();
    for (source, keeper) in askers(tracking) {
        let wanted = |state| interest(state, &keeper, tracking.gazetteer(), now);
        let (was, is) = (before.and_then(wanted), wanted(state));
        if is.is_none() {
            continue;
        }
        let watch = watch(tx, account, source, state.number, ids, now)?;
        let sooner = was.is_some() && is < was;
        // Accounts that follow the box share the watch, and most reports change nothing of it: they do not wait for each
        // other. Whoever lets it rest has seen that nobody follows, so not who has wanted it since before.
        if was.is_some() && !sooner && watch.next_poll_at.is_some() {
            continue;
        }
        // Its poll may end at this moment and find nobody: that comes before, and is seen, or after, and finds us.
        store::watch::lock(tx, watch.id)?;
        if sooner {
            store::watch::pull_forward(tx, watch.id, account, now)?;
        } else {
            store::watch::wake(tx, watch.id, account, now)?;
        }
    }
    Ok(())
}

/// When a source is first to be asked about this box though nothing more is said of it.
pub(crate) fn begins_at(
    tracking: &Tracking,
    state: &ContainerState,
    now: Timestamp,
) -> Option<Timestamp> {
    let moments = askers(tracking)
        .filter_map(|(_, keeper)| interest_begins(state, &keeper, tracking.gazetteer(), now));
    moments.min()
}

/// The watches of a box at sources that are asked about boxes, those at rest only where there is something to be learnt.
pub(crate) fn watches_of(
    tx: &mut Tx,
    tracking: &Tracking,
    state: &ContainerState,
    now: Timestamp,
) -> Result<Vec<WatchId>, store::Error> {
    let mut found = Vec::new();
    for (source, keeper) in askers(tracking) {
        let (kind, number) = (NumberKind::Container, state.number.as_str());
        let known = store::watch::of_number(tx, source.id(), kind, number)?;
        let is_wanted = interest(state, &keeper, tracking.gazetteer(), now).is_some();
        let asked = known.filter(|watch| watch.next_poll_at.is_some() || is_wanted);
        found.extend(asked.map(|watch| watch.id));
    }
    Ok(found)
}

fn askers(tracking: &Tracking) -> impl Iterator<Item = (&Source, Keeper)> {
    let sources = tracking.sources();
    sources.filter_map(|source| Some((source, source.keeper()?)))
}

fn watch(
    tx: &mut Tx,
    account: AccountId,
    source: &Source,
    number: ContainerNumber,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Watch, store::Error> {
    let row = Watch {
        id: ids.draw(),
        source: source.id().to_owned(),
        kind: NumberKind::Container,
        number: number.to_string(),
        created_at: now,
        next_poll_at: Some(now),
        failures: 0,
        last_attempted_at: None,
        last_succeeded_at: None,
        last_changed_at: None,
        claim_token: 0,
        asked_by: Some(account),
    };
    store::watch::find_or_insert(tx, &row)
}

/// Asks about boxes that are claimed, and settles them.
pub(crate) async fn ask(
    tracking: &Tracking,
    source: &str,
    watches: Vec<Watch>,
) -> Result<(), store::Error> {
    let found = tracking.source(source);
    let Some((source, asker)) = found.and_then(|source| Some((source, source.asker()?))) else {
        return Ok(());
    };
    // As their lines write them: where the check digit does not fit, it may be what is painted on the box.
    let mut numbers: Vec<ContainerNumber> = watches
        .iter()
        .filter_map(|watch| ContainerNumber::from_feed(&watch.number).ok())
        .map(|(number, _)| number)
        .collect();
    numbers.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    let pulled = Pulled::by(Box::pin(asker.ask(&numbers, tracking.now()))).await;
    let now = tracking.now();
    let mut outcome = Outcome::of(&pulled, failures(&watches));
    let (mut heard, mut kept) = (Heard::default(), Ok(()));
    match pulled.answer {
        Ok(payload) => match named_in(tracking, source, &payload, now) {
            Ok(named) => {
                heard = Heard {
                    answered: true,
                    named,
                };
                kept = keep(tracking, source, payload, now).await;
            }
            // Kept all the same: an operator must be able to look at it.
            Err(why) => {
                outcome = outcome.unreadable(&why);
                kept = keep(tracking, source, payload, now).await;
            }
        },
        Err(PullFailure::NotFound) => heard.answered = true,
        // Nobody typed these numbers: a source that refuses them all is to be left alone, and an operator told of it.
        Err(PullFailure::InvalidNumber(status)) => {
            let why =
                format!("it refuses the question, its form or a number in it: it answers {status}");
            outcome = outcome.unreadable(&why);
        }
        Err(_) => {}
    }
    if let Err(error) = kept {
        if error.is_away() {
            return Err(error);
        }
        warn!(source = source.id(), %error, "an answer cannot be kept; its boxes are asked about again later");
        heard = Heard::default();
    }
    tell(source.id(), &about(&numbers), &outcome);
    let answered = Answered {
        outcome,
        heard,
        polling: asker.asking().polling.clone(),
    };
    settle(tracking, source, watches, answered, now).await
}

/// What a question was about, for the log.
fn about(numbers: &[ContainerNumber]) -> String {
    match numbers {
        [alone] => alone.to_string(),
        several => format!("{} boxes", several.len()),
    }
}

/// What came of a question, and how often others follow.
struct Answered {
    outcome: Outcome,
    heard: Heard,
    polling: Polling,
}

/// What was heard.
#[derive(Clone, Debug, Default)]
struct Heard {
    answered: bool,
    /// Boxes that the answer names.
    named: BTreeSet<String>,
}

/// The boxes that an answer names; the error tells why nothing of it can be read.
fn named_in(
    tracking: &Tracking,
    source: &Source,
    payload: &Payload,
    now: Timestamp,
) -> Result<BTreeSet<String>, String> {
    let parsed = source.read(Told::InAnswer, &payload.bytes, now, tracking.gazetteer());
    if parsed.envelope_broken && parsed.reports.is_empty() {
        let first = parsed.defects.into_iter().next();
        return Err(first.map_or_else(String::new, |defect| defect.reason));
    }
    let boxes = parsed
        .reports
        .iter()
        .filter_map(|located| located.report.equipment.as_ref());
    Ok(boxes
        .map(|equipment| equipment.number.to_string())
        .collect())
}

/// Keeps the answer; it is read with the messages that come by themselves.
async fn keep(
    tracking: &Tracking,
    source: &Source,
    payload: Payload,
    now: Timestamp,
) -> Result<(), store::Error> {
    let row = RawMessage {
        id: id_source(now).draw(),
        source: source.id().to_owned(),
        watch: None,
        account: None,
        question: payload.question,
        content_type: payload.content_type,
        received_at: now,
        digest: Sha256::digest(&payload.bytes).into(),
        body: payload.bytes,
    };
    let keeping = tracking.store().write(Key::message(row.digest), move |tx| {
        store::raw_message::receive(tx, &row)
    });
    keeping.await?;
    tracking.nudges().read();
    Ok(())
}

/// Ends the claims, all in one transaction; where that fails for good, each in its own, so that one of them keeps neither the
/// others nor the source.
async fn settle(
    tracking: &Tracking,
    source: &Source,
    mut watches: Vec<Watch>,
    answered: Answered,
    now: Timestamp,
) -> Result<(), store::Error> {
    // In the order in which a shipment's boxes are brought up to date.
    watches.sort_by(|a, b| a.number.cmp(&b.number));
    let (outcome, answered) = (answered.outcome.clone(), Arc::new(answered));
    let noted = Some(outcome.clone());
    match settle_some(tracking, source, watches.clone(), &answered, noted, now).await {
        Err(error) if !error.is_away() => {}
        done => return done,
    }
    standing::note(tracking, source.login(), outcome).await?;
    let mut failed = Ok(());
    for watch in watches {
        let alone = vec![watch.clone()];
        let alone = settle_some(tracking, source, alone, &answered, None, now).await;
        if let Err(error) = alone {
            failed = put_off(tracking, &watch, error, now).await.and(failed);
        }
    }
    failed
}

async fn settle_some(
    tracking: &Tracking,
    source: &Source,
    watches: Vec<Watch>,
    answered: &Arc<Answered>,
    noted: Option<Outcome>,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (shared, login, keeper) = (tracking.clone(), source.login().to_owned(), source.keeper());
    let answered = Arc::clone(answered);
    let keys = watches.iter().map(|watch| Key::watch(watch.id)).collect();
    let settling = tracking.store().write(Key::several(keys), move |tx| {
        for watch in &watches {
            // Whoever begins to follow the box at this moment waits here, or is found.
            store::watch::lock(tx, watch.id)?;
            let there = keeper
                .as_ref()
                .map(|keeper| wanted(tx, &shared, keeper, watch, now));
            let wanted = there.transpose()?.flatten();
            if let Came::Throttle { .. } = answered.outcome.came {
                // Behind all that are due now, as for lines.
                store::watch::give_back(tx, watch.id, watch.claim_token, now)?;
                continue;
            }
            let settled = result(watch, wanted, &answered, now);
            store::watch::settle(tx, watch.id, watch.claim_token, &settled)?;
        }
        noted
            .iter()
            .try_for_each(|outcome| outcome.note(tx, &login, now))
    });
    settling.await
}

fn result(watch: &Watch, wanted: Option<Interest>, answered: &Answered, now: Timestamp) -> Settled {
    let Answered { heard, polling, .. } = answered;
    let failures = if heard.answered {
        0
    } else {
        watch.failures + 1
    };
    let ordinary = |wanted| match wanted {
        Interest::Near => span(polling.near_arrival),
        Interest::UnderWay => span(polling.in_transit),
    };
    let interval = wanted.map(|wanted| {
        if failures > 0 {
            // Breaker, budget and pauses spare the source; no box is left alone for longer than if it had answered.
            retry_after(failures).min(ordinary(wanted))
        } else if heard.named.contains(&watch.number) {
            ordinary(wanted)
        } else if wanted == Interest::Near {
            // It is to come up any day, and its free days run from then.
            span(polling.not_found).min(span(polling.in_transit))
        } else {
            span(polling.not_found)
        }
    });
    Settled {
        next_poll_at: interval.map(|interval| now + interval),
        failures,
        attempted_at: now,
        succeeded_at: heard.answered.then_some(now),
        // What it says is read later, with what comes by itself; that it knows the box is seen now.
        changed_at: heard.named.contains(&watch.number).then_some(now),
    }
}

fn span(setting: std::time::Duration) -> SignedDuration {
    SignedDuration::try_from(setting).unwrap_or(SignedDuration::from_hours(24))
}

/// How much there is to be learnt about a box for those who follow it; `None` when nobody does, or it has left.
fn wanted(
    tx: &mut Tx,
    tracking: &Tracking,
    keeper: &Keeper,
    watch: &Watch,
    now: Timestamp,
) -> Result<Option<Interest>, store::Error> {
    let number = Number {
        kind: NumberKind::Container,
        number: watch.number.clone(),
    };
    let dockets = docket::existing(tx, None, &[number])?;
    let followers = docket::followers(tx, &dockets)?;
    let mut most = None;
    for (_, account, shipment) in followers.shipments {
        for state in states(tx, account, shipment, &watch.number)? {
            let there = interest(&state, keeper, tracking.gazetteer(), now);
            most = most.into_iter().chain(there).min();
        }
    }
    Ok(most)
}

fn states(
    tx: &mut Tx,
    account: AccountId,
    shipment: ShipmentId,
    number: &str,
) -> Result<impl Iterator<Item = ContainerState>, store::Error> {
    let containers = store::container::of_shipment(&mut tx.account(account), shipment)?;
    let number = number.to_owned();
    let same = containers
        .into_iter()
        .filter(move |row| row.number.as_str() == number);
    Ok(same.map(|row| row.state))
}

/// Shipments behind `after` whose boxes are looked at: all that are tracked, where a terminal or railroad can be asked.
pub(super) async fn shipments(
    tracking: &Tracking,
    after: Option<Row>,
) -> Result<Step, store::Error> {
    let mut rows = Vec::new();
    if askers(tracking).next().is_some() {
        let after = after.map(|(account, id)| (account, ShipmentId(id)));
        let reading = tracking.store();
        let reading =
            reading.read(move |tx| store::replay::shipments(tx, after, STEP_SHIPMENTS_MAX));
        let told = reading.await?.into_iter();
        rows.extend(told.map(|(account, id)| (account, id.0)));
    }
    let last = rows.last().copied();
    Ok(Step { rows, last })
}

/// Sees to it that whoever can know something about the boxes of a shipment is asked.
pub(super) async fn look_at(
    tracking: &Tracking,
    account: AccountId,
    shipment: ShipmentId,
) -> Result<(), store::Error> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let ids = id_source(now);
    let looking = tracking.store().write(
        Key::account(account),
        move |tx| -> Result<(), store::Error> {
            let mut ids = ids.clone();
            let mut a = tx.account(account);
            for row in store::container::of_shipment(&mut a, shipment)? {
                follow(&mut a, &shared, None, &row.state, &mut ids, now)?;
            }
            Ok(())
        },
    );
    looking.await
}
