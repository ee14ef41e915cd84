//! Whose messages are read next.
//!
//! What waits stands in lines: of each source what is everybody's, and beside it, for each account, what is its own (uploads,
//! entries by hand). Whichever was read from the longest ago is read from next, so that a thousand files of one account stand
//! in the way of nobody: the carrier's news to all have every second turn at that source, and of several accounts each is one
//! in the ring. Inside a line the oldest comes first; between lines no order is owed, since what is true does not depend on it.

use std::collections::BTreeMap;

use domain::ids::AccountId;

/// Which lines were read from, and how long ago.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    taken: u64,
    last: BTreeMap<String, Last>,
}

/// Of one source.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// The last turn of what is everybody's.
    everybodys: u64,
    /// The last turn of what is accounts' own.
    own: u64,
    /// The account that had it.
    account: Option<AccountId>,
}

/// Sorts lines by whose turn it is: how long ago, and for accounts where in the ring.
pub type Place = (u64, bool, Option<AccountId>);

impl Turns {
    /// A message of this line is read now.
    pub fn take(&mut self, source: &str, account: Option<AccountId>) {
        self.taken += 1;
        let last = self.last.entry(source.to_owned()).or_default();
        if account.is_some() {
            last.own = self.taken;
            last.account = account;
        } else {
            last.everybodys = self.taken;
        }
    }

    /// The place of this line; the lowest has its turn.
    pub fn place(&self, source: &str, account: Option<AccountId>) -> Place {
        let last = self.last.get(source).copied().unwrap_or_default();
        match account {
            None => (last.everybodys, false, None),
            Some(_) => (last.own, account <= last.account, account),
        }
    }

    /// By source, the account after which its ring goes on.
    pub(super) fn passed(&self) -> impl Iterator<Item = (&str, AccountId)> {
        let of_source = self.last.iter();
        of_source.filter_map(|(source, last)| Some((source.as_str(), last.account?)))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn account(number: u128) -> AccountId {
        AccountId(Uuid::from_u128(number))
    }

    /// The lines from which these are read one after the other, none of which ends.
    fn read(lines: &[(&'static str, Option<AccountId>)]) -> Vec<(&'static str, u128)> {
        let mut turns = Turns::default();
        let mut next = || {
            let place = |(source, of): &&(&str, _)| turns.place(source, *of);
            let (source, of) = *lines.iter().min_by_key(place)?;
            turns.take(source, of);
            Some((source, of.map_or(0, |of| of.0.as_u128())))
        };
        (0..18).filter_map(|_| next()).collect()
    }

    #[test]
    fn no_account_of_one_source_waits_for_those_of_another() {
        let lines = [("a", 1), ("a", 3), ("b", 2)].map(|(source, of)| (source, Some(account(of))));
        let read = read(&lines);
        let expected = [("a", 1), ("b", 2), ("a", 3), ("b", 2)];
        assert_eq!(read[..8], [expected, expected].concat()[..], "{read:?}");
    }

    #[test]
    fn lines_that_never_end_are_read_in_turn() {
        let lines = [
            ("a", None),
            ("a", Some(account(1))),
            ("a", Some(account(2))),
            ("a", Some(account(3))),
            ("b", None),
        ];
        let read = read(&lines);
        for own in 1..=3 {
            let of_one = read.iter().filter(|one| **one == ("a", own)).count();
            assert_eq!(of_one, 2, "{read:?}");
        }
        for source in ["a", "b"] {
            let of_all = read.iter().filter(|one| **one == (source, 0)).count();
            assert_eq!(of_all, 6, "{read:?}");
        }
    }
}
