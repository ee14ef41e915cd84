//! What a use case changes: decides its lane and its place in a group.

use domain::ids::{AccountId, ReferenceId, WatchId, WebhookId};
use uuid::Uuid;

/// Lanes of [`Key::sightings`], and of [`Key::dockets`] and [`Key::stops`].
const INTAKE_LANES: usize = 2;

/// What a use case changes.
///
/// Use cases of equal keys run in the order in which they came. A use case locks rows of its own key only;
/// one that needs several names them all.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Vec<(Kind, Uuid)>);

/// Kinds of work; each has its own share of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Account,
    Watch,
    Webhook,
}

impl Key {
    /// Rows of one account.
    pub fn account(id: AccountId) -> Self {
        Self(vec![(Kind::Account, id.0)])
    }

    /// A watch, its messages and reports, and what follows from them.
    pub fn watch(id: WatchId) -> Self {
        Self(vec![(Kind::Watch, id.0)])
    }

    /// Where vessels were seen: intake that belongs to no watch.
    pub fn sightings() -> Self {
        Self(vec![(Kind::Watch, Uuid::nil())])
    }

    /// The stops of one vessel: alone, since whoever keeps them is to hold no other vessel.
    pub fn stops(vessel: ReferenceId) -> Self {
        Self::several(vec![Self::sightings(), Self::watch(WatchId(vessel.0))])
    }

    /// The dockets that messages name: rows of many numbers, so that it runs alone. Beside [`sightings`](Self::sightings),
    /// whose rows it only prolongs.
    pub fn dockets() -> Self {
        Self::several(vec![Self::sightings(), Self::watch(WatchId(Uuid::max()))])
    }

    /// A message that came by itself, by the digest of its bytes: two of the same bytes meet in one lane.
    pub fn message(digest: [u8; 32]) -> Self {
        let (first, _) = digest.split_first_chunk().unwrap_or((&[0; 16], &[]));
        Self(vec![(Kind::Watch, Uuid::from_bytes(*first))])
    }

    /// Deliveries to one webhook.
    pub fn webhook(id: WebhookId) -> Self {
        Self(vec![(Kind::Webhook, id.0)])
    }

    /// All of these; such a use case runs in a transaction of its own.
    pub fn several(keys: Vec<Self>) -> Self {
        let mut parts: Vec<_> = keys.into_iter().flat_map(|key| key.0).collect();
        parts.sort_unstable();
        parts.dedup();
        Self(parts)
    }
}

impl Key {
    /// Which share of the queue it uses.
    pub(super) fn share(&self) -> usize {
        match self.0.first() {
            None | Some((Kind::Account, _)) => 0,
            Some((Kind::Watch, _)) => 1,
            Some((Kind::Webhook, _)) => 2,
        }
    }

    /// Which of `lanes` lanes it takes: equal keys take the same one.
    ///
    /// What comes in has a lane of its own, and its filing another, when there are that many: whoever sends waits for a
    /// commit, and is not to wait for the accounts that follow.
    pub(super) fn lane(&self, lanes: usize) -> usize {
        let own = if lanes > INTAKE_LANES {
            INTAKE_LANES
        } else {
            0
        };
        if own > 0 && self.is_of_intake() {
            return usize::from(self.alone());
        }
        let bits = self.0.first().map_or(0, |(_, id)| id.as_u128());
        // The low bits of version 7 ids are random.
        own + usize::try_from(bits & 0xffff_ffff).unwrap_or(0) % (lanes - own).max(1)
    }

    fn is_of_intake(&self) -> bool {
        self.0.first() == Some(&(Kind::Watch, Uuid::nil()))
    }

    /// Whether it must run in a transaction of its own.
    pub(super) fn alone(&self) -> bool {
        self.0.len() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intake_has_lanes_of_its_own_when_there_are_enough() {
        let accounts = (0..64).map(|n| Key::account(AccountId(Uuid::from_u128(n))));
        let taken: Vec<usize> = accounts.map(|key| key.lane(4)).collect();
        assert!([2, 3].iter().all(|lane| taken.contains(lane)) && !taken.contains(&0));
        assert!(!taken.contains(&1));
        assert_eq!((Key::sightings().lane(4), Key::dockets().lane(4)), (0, 1));
    }

    #[test]
    fn any_number_of_lanes_will_do() {
        for lanes in 0..6 {
            for key in [
                Key::sightings(),
                Key::dockets(),
                Key::account(AccountId(Uuid::max())),
                Key::several(Vec::new()),
            ] {
                assert!(key.lane(lanes) < lanes.max(1), "{key:?} of {lanes}");
            }
        }
    }
}
