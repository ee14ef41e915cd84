//! How much is read at once of what may take long.
//!
//! Most calls read one record or the first page of a list: they take less than a millisecond, and are read by the thread that
//! serves them. What is included with a hundred boxes may be forty megabytes and take a second. Two such reads at once
//! would stand on both threads of a small machine, and nobody else would be served, nor any webhook sent. So what is more
//! than the first page as it is takes a place first, and is read on a thread of its own. An account has half of the places at
//! most: who asks for much at once waits for himself, for some seconds, and is told to come back then.
//!
//! An answer of megabytes stays in memory until its last byte is taken, which may be minutes. An account has a few of
//! those at once, too; while it waits for that, it keeps its own place for reading, and not one of those of all, as long as not
//! too many wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use domain::ids::AccountId;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::failure::Failure;

/// An answer of more bytes is long.
const LONG_ANSWER_BYTES: usize = 1024 * 1024;
/// Long answers of an account that are being written at once.
const LONG_ANSWERS_OF_ACCOUNT_MAX: usize = 2;
/// Accounts remembered; when there are more, those that wait for nothing are forgotten.
const ACCOUNTS_MAX: usize = 1_000;

/// The places.
pub(crate) struct LongReads {
    all: Arc<Semaphore>,
    /// Those that have read and wait to be written: their answers are in memory.
    read: Arc<Semaphore>,
    of_account: usize,
    wait: Duration,
    accounts: Mutex<HashMap<AccountId, Own>>,
}

/// The places of one account.
#[derive(Clone)]
struct Own {
    reading: Arc<Semaphore>,
    writing: Arc<Semaphore>,
}

/// A place for reading, until it is dropped.
pub(crate) struct Place {
    account: AccountId,
    _own: OwnedSemaphorePermit,
    /// Until all is read.
    of_all: Mutex<Option<OwnedSemaphorePermit>>,
}

impl LongReads {
    /// So many read at once; for a place is waited so long.
    pub(crate) fn new(places: usize, wait: Duration) -> Self {
        Self {
            all: Arc::new(Semaphore::new(places)),
            read: Arc::new(Semaphore::new(places)),
            of_account: (places / 2).max(1),
            wait,
            accounts: Mutex::default(),
        }
    }

    /// Waits for a place. The account's own comes first, so that it stands in the line of all with no more than it may have.
    pub(crate) async fn place(&self, account: AccountId) -> Result<Place, Failure> {
        let waiting = async {
            let own = self.of(account).reading.acquire_owned().await?;
            let of_all = Arc::clone(&self.all).acquire_owned().await?;
            Ok::<_, AcquireError>((own, of_all))
        };
        let places = timeout(self.wait, waiting).await.ok().and_then(Result::ok);
        let (own, of_all) = places.ok_or(Failure::ReadsFull)?;
        Ok(Place {
            account,
            _own: own,
            of_all: Mutex::new(Some(of_all)),
        })
    }

    /// The body of an answer for which all was read. A long one counts until its last byte was taken, or nobody waits for it any
    /// more.
    pub(crate) async fn hand_over(&self, body: Bytes, place: &Place) -> Bytes {
        if body.len() <= LONG_ANSWER_BYTES {
            return body;
        }
        let has_read = Arc::clone(&self.read).try_acquire_owned();
        if has_read.is_ok() {
            let of_all = &place.of_all;
            drop(of_all.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
        let writing = self.of(place.account).writing.acquire_owned().await;
        Bytes::from_owner(Written {
            body,
            _place: writing.ok(),
        })
    }

    fn of(&self, account: AccountId) -> Own {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= ACCOUNTS_MAX {
            // Who waits for a place or holds one has a part in it.
            let is_used = |places: &Arc<Semaphore>| Arc::strong_count(places) > 1;
            accounts.retain(|_, own| is_used(&own.reading) || is_used(&own.writing));
        }
        let own = accounts.entry(account).or_insert_with(|| Own {
            reading: Arc::new(Semaphore::new(self.of_account)),
            writing: Arc::new(Semaphore::new(LONG_ANSWERS_OF_ACCOUNT_MAX)),
        });
        own.clone()
    }
}

/// A long body and its place.
struct Written {
    body: Bytes,
    _place: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Written {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn account(n: u128) -> AccountId {
        Uuid::from_u128(n).into()
    }

    fn places(places: usize) -> LongReads {
        LongReads::new(places, Duration::from_millis(10))
    }

    async fn has_room(reads: &LongReads, account: AccountId) -> bool {
        reads.place(account).await.is_ok()
    }

    #[tokio::test]
    async fn an_account_has_half_of_the_places() {
        let reads = places(4);
        let first = reads.place(account(1)).await;
        let second = reads.place(account(1)).await;
        assert!(!has_room(&reads, account(1)).await);
        assert!(has_room(&reads, account(2)).await);
        drop(second);
        assert!(has_room(&reads, account(1)).await);
        drop(first);
    }

    #[tokio::test]
    async fn all_together_have_no_more_than_there_are() {
        let reads = places(2);
        let held = (reads.place(account(1)).await, reads.place(account(2)).await);
        assert!(!has_room(&reads, account(3)).await);
        drop(held);
        assert!(has_room(&reads, account(3)).await);
    }

    #[tokio::test]
    async fn a_long_answer_counts_until_nobody_holds_it() {
        let reads = places(2);
        let long = || Bytes::from(vec![b'x'; LONG_ANSWER_BYTES + 1]);
        let place = reads.place(account(1)).await.unwrap();
        let mut held = Vec::new();
        for _ in 0..LONG_ANSWERS_OF_ACCOUNT_MAX {
            held.push(reads.hand_over(long(), &place).await);
        }
        assert_eq!(held[0], long());
        let soon = Duration::from_millis(10);
        assert!(
            timeout(soon, reads.hand_over(long(), &place))
                .await
                .is_err()
        );
        let short = Bytes::from_static(b"{}");
        assert_eq!(reads.hand_over(short.clone(), &place).await, short);
        let part = held.remove(0).slice(1..);
        assert!(
            timeout(soon, reads.hand_over(long(), &place))
                .await
                .is_err()
        );
        drop(part);
        assert!(timeout(soon, reads.hand_over(long(), &place)).await.is_ok());
    }

    #[tokio::test]
    async fn who_waits_to_be_written_holds_nobody_up_who_reads() {
        let reads = Arc::new(places(2));
        let long = || Bytes::from(vec![b'x'; LONG_ANSWER_BYTES + 1]);
        let mut held = Vec::new();
        for n in 1..=2 {
            for _ in 0..LONG_ANSWERS_OF_ACCOUNT_MAX {
                let place = reads.place(account(n)).await.unwrap();
                held.push(reads.hand_over(long(), &place).await);
            }
        }
        let waiting = (1..=2).map(|n| {
            let (reads, body) = (Arc::clone(&reads), long());
            tokio::spawn(async move {
                let place = reads.place(account(n)).await.unwrap();
                reads.hand_over(body, &place).await
            })
        });
        let waiting: Vec<_> = waiting.collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert!(!has_room(&reads, account(1)).await, "it waits for itself");
        assert!(has_room(&reads, account(3)).await);
        assert!(waiting.iter().all(|one| !one.is_finished()));
        let more = (3..=4).map(|n| {
            let reads = Arc::clone(&reads);
            tokio::spawn(async move {
                let place = reads.place(account(n)).await.unwrap();
                let written: Vec<_> = (0..LONG_ANSWERS_OF_ACCOUNT_MAX).map(|_| long()).collect();
                let mut held = Vec::new();
                for body in written {
                    held.push(reads.hand_over(body, &place).await);
                }
                reads.hand_over(long(), &place).await
            })
        });
        let more: Vec<_> = more.collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert!(!has_room(&reads, account(5)).await, "too many wait");
        more.iter().for_each(tokio::task::JoinHandle::abort);
        drop(held);
        for one in waiting {
            assert_eq!(one.await.unwrap(), long());
        }
    }

    #[tokio::test]
    async fn accounts_that_wait_for_nothing_are_forgotten() {
        let reads = places(2);
        let held = reads.place(account(0)).await;
        for n in 1..=2 * ACCOUNTS_MAX {
            drop(reads.place(account(n as u128)).await);
        }
        let remembered = reads.accounts.lock().unwrap().len();
        assert!(remembered <= ACCOUNTS_MAX, "{remembered}");
        assert!(
            !has_room(&reads, account(0)).await,
            "who holds a place is known"
        );
        drop(held);
    }
}
