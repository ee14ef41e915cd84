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
    /// By source, the last turn of what is everybody's and the last one of what is accounts' own.
    last: BTreeMap<String, [u64; 2]>,
    /// The account whose own was read last.
    account: Option<AccountId>,
}

/// Sorts lines by whose turn it is: how long ago, and for accounts where in the ring.
pub type Place = (u64, bool, Option<AccountId>);

impl Turns {
    /// A message of this line is read now.
    pub fn take(&mut self, source: &str, account: Option<AccountId>) {
        self.taken += 1;
        let [everybodys, own] = self.last.entry(source.to_owned()).or_default();
        if account.is_some() {
            *own = self.taken;
            self.account = account;
        } else {
            *everybodys = self.taken;
        }
    }

    /// The place of this line; the lowest has its turn.
    pub fn place(&self, source: &str, account: Option<AccountId>) -> Place {
        let [everybodys, own] = self.last.get(source).copied().unwrap_or_default();
        match account {
            None => (everybodys, false, None),
            Some(_) => (own, account <= self.account, account),
        }
    }

    /// The account after which the ring goes on.
    pub(super) fn account(&self) -> Option<AccountId> {
        self.account
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn account(number: u128) -> AccountId {
        AccountId(Uuid::from_u128(number))
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
        let mut turns = Turns::default();
        let mut read = Vec::new();
        for _ in 0..18 {
            let next = lines
                .iter()
                .min_by_key(|(source, of)| turns.place(source, *of));
            let (source, of) = next.unwrap();
            turns.take(source, *of);
            read.push((*source, of.map_or(0, |of| of.0.as_u128())));
        }
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
