//! Whose line is looked for next: accounts have turns.
//!
//! An import brings a thousand container numbers at once, and a line may be asked about some of them in a minute. One after the
//! other, whoever registers one number afterwards for another account would wait until all of these were asked about. So the
//! requests of each account stand in a line of their own, longest untouched first, and one of each line is taken up in turn.
//!
//! A line goes on behind the request that was seen last, and begins again at the end: however many of it wait for one
//! source, the others have their turn. What one look may read is bounded, and each line reads once before another reads
//! twice: one of which thousands wait costs the others no look.

use std::collections::{BTreeMap, VecDeque};

use domain::ids::{AccountId, TrackingRequestId};
use jiff::Timestamp;
use store::tracking_request::TrackingRequest;

use super::detect;
use crate::Tracking;

/// Requests read at once.
pub(super) const PAGE_MAX: usize = 64;
/// Reads of one look, where there are no more lines than that.
const PAGES_MAX: usize = 32;
/// Lines of one look; those behind them come first at the next.
const LINES_MAX: usize = 256;

/// When a request changed, and its id.
pub(super) type Mark = (Timestamp, TrackingRequestId);

/// How far each line came.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// What was seen last of each; one that is not here begins with its first.
    seen: BTreeMap<AccountId, Mark>,
    /// Of whom one was taken up last.
    passed: Option<AccountId>,
}

/// What became of a request that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// Its line is looked for.
    Taken,
    /// It is in hand, or to be left alone for now.
    PassedOver,
    /// There is no place for another one of its account.
    NoRoom,
}

impl Turns {
    /// Offers one request of each line in turn, from the line behind the one whose turn it was last, once around each at most.
    pub(super) async fn offer(
        &mut self,
        tracking: &Tracking,
        mut offer: impl FnMut(AccountId, &TrackingRequest) -> Offered,
    ) -> Result<(), store::Error> {
        let mut ring = self.ring(tracking).await?;
        let mut reads = PAGES_MAX.max(ring.len());
        // Where there are more lines than are looked at and nobody of these is taken, the next look begins behind them.
        if ring.len() >= LINES_MAX {
            self.passed = ring.back().map(|line| line.account);
        }
        while let Some(mut line) = ring.pop_front() {
            if line.page.is_empty() {
                if line.is_through {
                    self.seen.remove(&line.account);
                }
                if line.is_through || reads == 0 {
                    continue;
                }
                reads -= 1;
                line.read(tracking).await?;
            }
            if self.turn_of(&mut line, &mut offer) {
                ring.push_back(line);
            }
        }
        Ok(())
    }

    /// Offers what was read of a line until one is taken; whether it has another turn.
    fn turn_of(
        &mut self,
        line: &mut Line,
        offer: &mut impl FnMut(AccountId, &TrackingRequest) -> Offered,
    ) -> bool {
        while let Some(row) = line.page.front() {
            let offered = offer(line.account, row);
            if offered == Offered::NoRoom {
                return false;
            }
            self.seen.insert(line.account, (row.updated_at, row.id));
            line.page.pop_front();
            if offered == Offered::Taken {
                self.passed = Some(line.account);
                break;
            }
        }
        true
    }

    /// The lines behind the one whose turn it was last, then from the first.
    async fn ring(&mut self, tracking: &Tracking) -> Result<VecDeque<Line>, store::Error> {
        let passed = self.passed;
        let mut accounts = detect::seekers(tracking, passed, LINES_MAX).await?;
        if passed.is_some() && accounts.len() < LINES_MAX {
            let first = detect::seekers(tracking, None, LINES_MAX - accounts.len()).await?;
            accounts.extend(first.into_iter().filter(|one| Some(*one) <= passed));
        }
        if accounts.len() < LINES_MAX {
            self.seen.retain(|account, _| accounts.contains(account));
        }
        let lines = accounts.into_iter().map(|account| Line {
            account,
            page: VecDeque::new(),
            after: self.seen.get(&account).copied(),
            is_last_round: !self.seen.contains_key(&account),
            is_through: false,
        });
        Ok(lines.collect())
    }
}

/// The requests of one account, as one look goes through them.
struct Line {
    account: AccountId,
    page: VecDeque<TrackingRequest>,
    /// The last that was read; `None`: it begins with the first.
    after: Option<Mark>,
    /// Whether it began with the first.
    is_last_round: bool,
    is_through: bool,
}

impl Line {
    async fn read(&mut self, tracking: &Tracking) -> Result<(), store::Error> {
        let page = detect::due(tracking, self.account, self.after, PAGE_MAX).await?;
        if page.len() < PAGE_MAX {
            self.is_through = self.is_last_round;
            (self.after, self.is_last_round) = (None, true);
        } else {
            self.after = page.last().map(|row| (row.updated_at, row.id));
        }
        self.page = page.into();
        Ok(())
    }
}
