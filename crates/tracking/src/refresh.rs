//! Asking the sources of a container now.
//!
//! Nothing is asked here: the watches of the container's shipment are made due, and the poller, nudged, asks.
//! So a refresh keeps the carrier's budget, and its answer goes the way of all answers. What the caller is told
//! is who will be asked, and the truth when nobody will.

use std::collections::BTreeMap;

use domain::ids::{AccountId, ContainerId, WatchId};
use domain::source::{Closed, Keeper, WAIT_LONGEST};
use jiff::Timestamp;
use store::{Key, Tx};

use crate::polling::{boxes, standing};
use crate::{Source, Tracking};

/// What came of a wish to refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// The account has no such container.
    Unknown,
    /// These are asked.
    Started(Asked),
    /// No source is configured that could be asked.
    NoSource,
    /// Tracking of the shipment has stopped.
    Stopped,
    /// Every source is left alone until then: it failed too often, or asked for it.
    Paused {
        /// When the first of them may be asked again.
        until: Timestamp,
    },
}

/// The kinds of source that are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The shipping line.
    pub line: bool,
    /// A terminal.
    pub terminal: bool,
    /// A railroad.
    pub rail: bool,
}

/// Asks the sources of a container now.
pub async fn refresh(
    tracking: &Tracking,
    account: AccountId,
    container: ContainerId,
) -> Result<Refreshed, store::Error> {
    let now = tracking.now();
    let shared = tracking.clone();
    let refreshed = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let Some((watches, stopped)) = watches(tx, &shared, account, container, now)? else {
                return Ok(Refreshed::Unknown);
            };
            if stopped {
                return Ok(Refreshed::Stopped);
            }
            pull_forward(tx, &shared, account, &watches, now)
        })
        .await?;
    if matches!(refreshed, Refreshed::Started(_)) {
        tracking.nudges().poll();
    }
    Ok(refreshed)
}

/// What feeds the container's shipment, and whether its tracking has stopped.
fn watches(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    container: ContainerId,
    now: Timestamp,
) -> Result<Option<(Vec<WatchId>, bool)>, store::Error> {
    let mut a = tx.account(account);
    let Some(container) = store::container::find(&mut a, container)? else {
        return Ok(None);
    };
    let shipment = store::shipment::find(&mut a, container.shipment)?;
    let stopped = shipment.is_none_or(|shipment| shipment.stopped.is_some());
    let mut watches = store::shipment::watches_of(&mut a, container.shipment)?;
    watches.sort_unstable();
    // Behind them, as whoever brings the box up to date holds them.
    watches.extend(boxes::watches_of(tx, tracking, &container.state, now)?);
    Ok(Some((watches, stopped)))
}

fn pull_forward(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    watches: &[WatchId],
    now: Timestamp,
) -> Result<Refreshed, store::Error> {
    let standings = store::source::all(tx)?;
    let closed = standing::closed(tracking, &standings, now);
    let closed: BTreeMap<String, Closed> = closed.into_iter().collect();
    let mut outcome = Refreshed::NoSource;
    for id in watches {
        let watch = store::watch::find(tx, *id)?;
        let Some(source) = watch.and_then(|watch| tracking.source(&watch.source)) else {
            continue;
        };
        // A pause by hand has no end: then what a client is told is to come back in an hour.
        let until = closed
            .get(source.id())
            .map(|closed| closed.until.unwrap_or(now + WAIT_LONGEST));
        outcome = match (until, outcome) {
            (None, _) => {
                store::watch::pull_forward(tx, *id, account, now)?;
                let so_far = match outcome {
                    Refreshed::Started(asked) => asked,
                    _ => Asked::default(),
                };
                Refreshed::Started(so_far.and(source))
            }
            (Some(_), Refreshed::Started(asked)) => Refreshed::Started(asked),
            (Some(until), Refreshed::Paused { until: other }) => Refreshed::Paused {
                until: until.min(other),
            },
            (Some(until), _) => Refreshed::Paused { until },
        };
    }
    Ok(outcome)
}

impl Asked {
    fn and(self, source: &Source) -> Self {
        match source.keeper() {
            None => Self { line: true, ..self },
            Some(Keeper::Terminal { .. }) => Self {
                terminal: true,
                ..self
            },
            Some(Keeper::Railroad(_)) => Self { rail: true, ..self },
        }
    }
}
