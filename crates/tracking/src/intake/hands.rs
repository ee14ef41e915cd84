//! Hands: which messages this node holds, from the commit that leased them until they are read.
//!
//! A lease is short, so that what a killed node held is taken up soon. What has to wait here behind a long file may wait for
//! many leases, and so may the file itself. So everything that is held is renewed from one place, beside those who
//! read, as long as this node lives; who reads never thinks of it. Most messages are read long before.
//!
//! A renewal counts only under the lease that is known here. A node that stood still for longer finds that others have
//! taken up what it held: that is in its hands no more, and what still waits in line is not read here.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ids::RawMessageId;
use jiff::Timestamp;
use store::{Error, Key};

use crate::Tracking;

/// Messages renewed in one commit.
const RENEWED_AT_ONCE_MAX: usize = 1_024;
/// Messages whose excuses are remembered; the oldest go first.
const EXCUSED_MAX: usize = 10_000;
/// Longest real time between two looks at what is held.
const LOOK_EVERY_MAX: std::time::Duration = std::time::Duration::from_secs(30);

/// What is held, and until when; and how often the store was at fault that one could not be read.
#[derive(Default)]
pub(crate) struct Hands {
    held: Mutex<BTreeMap<RawMessageId, Timestamp>>,
    excused: Mutex<BTreeMap<RawMessageId, u32>>,
}

impl Hands {
    /// From now on these are held, leased until then.
    pub(super) fn take(&self, messages: impl Iterator<Item = RawMessageId>, until: Timestamp) {
        let mut held = self.lock();
        held.extend(messages.map(|id| (id, until)));
    }

    /// Whether a message is held under a lease that has not run out.
    pub(super) fn hold(&self, message: RawMessageId, now: Timestamp) -> bool {
        self.lock().get(&message).is_some_and(|until| *until > now)
    }

    /// These are read by who holds what comes back, and let go with it.
    pub(super) fn read(&self, messages: Vec<RawMessageId>) -> Read<'_> {
        let hands = self;
        Read { hands, messages }
    }

    /// Lets go of everything; each with the end of its lease.
    pub(super) fn empty(&self) -> Vec<(RawMessageId, Timestamp)> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }

    /// Lets go of these; each that was held, with the end of its lease.
    pub(super) fn let_go(&self, messages: &[RawMessageId]) -> Vec<(RawMessageId, Timestamp)> {
        let mut held = self.lock();
        let gone = messages.iter();
        gone.filter_map(|id| held.remove(id).map(|until| (*id, until)))
            .collect()
    }

    /// What is held under leases that end before then. What has run out is not held any more.
    fn ending_before(&self, then: Timestamp, now: Timestamp) -> Vec<(RawMessageId, Timestamp)> {
        let mut held = self.lock();
        held.retain(|_, until| *until > now);
        let ending = held.iter().filter(|(_, until)| **until < then);
        ending.map(|(id, until)| (*id, *until)).collect()
    }

    /// Notes which of these were renewed. Others hold the rest, or it was read.
    fn renewed(
        &self,
        tried: &[(RawMessageId, Timestamp)],
        kept: &BTreeSet<RawMessageId>,
        until: Timestamp,
    ) {
        let mut held = self.lock();
        for (id, before) in tried {
            // What was let go meanwhile stays so.
            if held.get(id) != Some(before) {
                continue;
            }
            if kept.contains(id) {
                held.insert(*id, until);
            } else {
                held.remove(id);
            }
        }
    }

    /// It could not be read, and that was not its own fault.
    pub(super) fn excuse(&self, message: RawMessageId) {
        let mut excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        if excused.len() >= EXCUSED_MAX {
            excused.pop_first();
        }
        *excused.entry(message).or_default() += 1;
    }

    /// How often that was.
    pub(super) fn excuses(&self, message: RawMessageId) -> u32 {
        let excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        excused.get(&message).copied().unwrap_or_default()
    }

    /// It is read or put aside.
    pub(super) fn done(&self, messages: &[RawMessageId]) {
        let mut excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        for message in messages {
            excused.remove(message);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RawMessageId, Timestamp>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Messages that are being read.
pub(super) struct Read<'h> {
    hands: &'h Hands,
    messages: Vec<RawMessageId>,
}

impl Drop for Read<'_> {
    fn drop(&mut self) {
        drop(self.hands.let_go(&self.messages));
    }
}

/// Renews what is held, for as long as somebody waits for this.
pub(super) async fn keep_hold(tracking: &Tracking) -> Infallible {
    loop {
        let third = tracking.delivery_lease() / 3;
        let look = tracking.clock().real_wait(tracking.now() + third);
        tokio::time::sleep(look.min(LOOK_EVERY_MAX)).await;
        let now = tracking.now();
        let ending = tracking.hands().ending_before(now + third * 2, now);
        for some in ending.chunks(RENEWED_AT_ONCE_MAX) {
            if let Err(error) = renew(tracking, some).await {
                tracing::warn!(%error, "messages in hand could not be held for longer");
            }
        }
    }
}

async fn renew(tracking: &Tracking, held: &[(RawMessageId, Timestamp)]) -> Result<(), Error> {
    let until = tracking.message_lease();
    let rows = held.to_vec();
    let renewing = tracking.store().write(Key::sightings(), move |tx| {
        store::raw_message::renew(tx, &rows, until)
    });
    let kept: Vec<RawMessageId> = renewing.await?;
    tracking
        .hands()
        .renewed(held, &kept.into_iter().collect(), until);
    Ok(())
}
