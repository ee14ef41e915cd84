//! What a store is told before it takes the place of another one: it was a copy, and time has gone on without it.
//!
//! Claims in it were made by a process that is gone. They end, so that what was in hand is taken up at once and not when
//! leases run out. Nor must claims count that were made *after* the copy: a program that listens may still hold a delivery
//! under a token that the copy would give out again, and would confirm it for another one. So the tokens of all open
//! deliveries go up by more than were ever given in a life ([`LIFE`]).
//!
//! What was confirmed before the copy has no delivery in it and is not sent again. What was confirmed later is sent again,
//! under the id and, where an attempt was made before the copy, with the bytes it had: nobody can know better.

use domain::audit::Action;
use domain::ids::NotificationId;
use jiff::Timestamp;
use store::{Error, Key, Store, Tx, delivery, raw_message, source, watch};
use uuid::Uuid;

use crate::audit::{self, By, Detail};

/// More claims than a delivery sees between two restores.
const LIFE: i64 = 1_000_000_000;
/// Deliveries whose tokens go up in one transaction.
const OUTDATED_AT_ONCE: u32 = 10_000;
const SUBJECT: &str = "store";

/// What was in somebody's hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// Deliveries.
    pub deliveries: u64,
    /// Messages that were being read.
    pub messages: u64,
    /// Questions to sources.
    pub questions: u64,
}

/// Ends all claims of a store that is about to take the place of another one, and notes in it that it was restored from
/// `file`.
pub async fn begin_again(store: &Store, now: Timestamp, file: &str) -> Result<Released, Error> {
    let mut after = NotificationId(Uuid::nil());
    let outdate = |after| {
        let raised = move |tx: &mut Tx| delivery::outdate(tx, after, LIFE, OUTDATED_AT_ONCE);
        store.write(Key::sightings(), raised)
    };
    while let Some(last) = outdate(after).await? {
        after = last;
    }
    let file = file.to_owned();
    let ending = store.write(Key::sightings(), move |tx| {
        let released = Released {
            deliveries: delivery::release_all(tx, now)?,
            messages: raw_message::release_all(tx)?,
            questions: watch::release_all(tx)?,
        };
        source::end_trials(tx)?;
        let detail = Detail::default().with("file", file.clone());
        audit::note_for_all(
            tx,
            By::operator(now),
            Action::StoreRestored,
            SUBJECT,
            detail,
        );
        Ok::<_, Error>(released)
    });
    ending.await
}
