//! Answers that cannot be taken in at once, taken in apart: each reading is filed by itself, and each of those who follow
//! the watch is brought up to date by itself.
//!
//! An answer that is taken in at once costs one commit, whoever follows it. So that is tried first, and this is done only
//! where it failed for good: what cannot be filed, and who cannot be told, keeps nobody else from hearing what was answered.
//! Nothing here is lost to them either: a message that was not filed and told to all stays unread, and is tried again.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::ids::WatchId;
use jiff::Timestamp;
use store::{Key, Tx};

use super::answer::file_reading;
use super::{Reading, close_all, finish, recalls};
use crate::projection::{self, Follower, Following, LineSays, Stale};
use crate::{Tracking, id_source};

/// A watch, and under which claim it is asked; `None`: what was answered before is only read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) watch: WatchId,
    pub(crate) claim: Option<i64>,
}

/// What came of it.
pub(crate) struct Apart {
    held: Held,
    /// Reports that were new.
    pub(crate) fresh: usize,
    /// What is known of those who could be told.
    pub(crate) following: Following,
    /// Whether everything could be filed.
    pub(crate) all_filed: bool,
    /// Whether everybody could be told.
    pub(crate) all_told: bool,
    failed: Option<store::Error>,
    /// Which readings were filed, by their places.
    filed: Vec<usize>,
    followers: BTreeSet<Follower>,
}

/// Takes an answer in apart. Where something of it cannot be filed, what the line says is not judged: what is missing may be
/// what somebody waits for.
pub(crate) async fn take_in(
    tracking: &Tracking,
    held: Held,
    readings: &Arc<[Reading]>,
    says: LineSays,
    now: Timestamp,
) -> Result<Apart, Stale> {
    let mut apart = Apart {
        held,
        fresh: 0,
        following: Following::default(),
        all_filed: true,
        all_told: true,
        failed: None,
        filed: Vec::with_capacity(readings.len()),
        followers: BTreeSet::new(),
    };
    let spread = recalls::spread(tracking, held.watch, readings).await;
    apart.all_told = apart.noted(spread.map_err(Stale::from))?.is_some();
    apart.file_each(tracking, readings, now).await?;
    let nothing = LineSays::nothing();
    let says = if apart.all_filed { says } else { nothing };
    apart.tell_each(tracking, says, now).await?;
    Ok(apart)
}

impl Apart {
    async fn file_each(
        &mut self,
        tracking: &Tracking,
        readings: &Arc<[Reading]>,
        now: Timestamp,
    ) -> Result<(), Stale> {
        for place in 0..readings.len() {
            let (held, readings, ids) = (self.held, Arc::clone(readings), id_source(now));
            let file = move |tx: &mut Tx| -> Result<usize, Stale> {
                held.hold(tx)?;
                let Some(reading) = readings.get(place) else {
                    return Ok(0);
                };
                let ids = &mut ids.clone();
                Ok(file_reading(tx, held.watch, reading, ids, now)?)
            };
            let filed = tracking
                .store()
                .write(Key::watch(self.held.watch), file)
                .await;
            if let Err(error) = &filed {
                let watch = self.held.watch;
                tracing::warn!(%watch, %error, "a page of an answer cannot be filed; it is tried again soon");
            }
            match self.noted(filed)? {
                Some(fresh) => {
                    self.fresh += fresh;
                    self.filed.push(place);
                }
                None => self.all_filed = false,
            }
        }
        Ok(())
    }

    async fn tell_each(
        &mut self,
        tracking: &Tracking,
        says: LineSays,
        now: Timestamp,
    ) -> Result<(), Stale> {
        let (store, held, key) = (tracking.store(), self.held, Key::watch(self.held.watch));
        let listing = move |tx: &mut Tx| -> Result<_, Stale> {
            held.hold(tx)?;
            Ok(projection::followers(tx, held.watch)?)
        };
        self.followers = store.write(key, listing).await?;
        for follower in self.followers.clone() {
            let (shared, ids) = (tracking.clone(), id_source(now));
            let tell = move |tx: &mut Tx| -> Result<_, Stale> {
                held.hold(tx)?;
                let ids = &mut ids.clone();
                Ok(projection::project_one(
                    tx, &shared, held.watch, follower, says, ids, now,
                )?)
            };
            let told = store.write(Key::watch(self.held.watch), tell).await;
            if let Err(error) = &told {
                let account = follower.account();
                tracing::warn!(%account, %error, "an account cannot be told what its line answered; it is tried again");
            }
            match self.noted(told)? {
                Some((mut following, opened)) => {
                    finish(tracking, std::mem::take(&mut following.rest)).await;
                    self.followers.extend(opened);
                    self.following.extend(following);
                }
                None => self.all_told = false,
            }
        }
        Ok(())
    }

    /// Marks what was filed and told to all as read.
    pub(crate) fn close(
        &self,
        tx: &mut Tx,
        readings: &[Reading],
        now: Timestamp,
    ) -> Result<(), store::Error> {
        if !self.all_told {
            return Ok(());
        }
        let filed = self.filed.iter().filter_map(|place| readings.get(*place));
        close_all(tx, filed, now)
    }

    /// Whether somebody follows the watch by now who has not been told. The watch is held.
    pub(crate) fn somebody_came(&self, tx: &mut Tx) -> Result<bool, store::Error> {
        let followers = projection::followers(tx, self.held.watch)?;
        Ok(!followers.is_subset(&self.followers))
    }

    /// The first failure, taken out.
    pub(crate) fn take_failure(&mut self) -> Option<store::Error> {
        self.failed.take()
    }

    /// What was done; the first failure is kept. What the store fails for everybody, or another worker has taken over, ends
    /// it all.
    fn noted<Done>(&mut self, done: Result<Done, Stale>) -> Result<Option<Done>, Stale> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(Stale::Store(error)) if !error.is_away() => {
                self.failed.get_or_insert(error);
                Ok(None)
            }
            Err(stale) => Err(stale),
        }
    }
}

impl Held {
    /// Holds the watch until the end of the transaction; not where another worker has claimed it since.
    pub(crate) fn hold(self, tx: &mut Tx) -> Result<(), Stale> {
        store::watch::lock(tx, self.watch)?;
        let Some(claim) = self.claim else {
            return Ok(());
        };
        let found = store::watch::find(tx, self.watch)?;
        match found.filter(|watch| watch.claim_token == claim) {
            Some(_) => Ok(()),
            None => Err(Stale::ClaimLost),
        }
    }
}
