//! How many more deliveries whoever claims can take, webhook by webhook.
//!
//! A claim is bounded where it is made, not where it is sent: what nobody may send now stays in the store,
//! where another node can take it, and holds no lease.

use std::collections::HashMap;

use domain::ids::{AccountId, WebhookId};

use super::Record;

/// Room for claims.
#[derive(Clone, Debug)]
pub struct Room {
    /// In all.
    pub all: usize,
    /// Webhooks whose room is known.
    pub webhooks: HashMap<WebhookId, usize>,
    /// Each webhook that is not among them: one whose receiver has not shown yet that it answers.
    pub unknown: usize,
    /// All of those together.
    pub unknown_together: usize,
    /// All of those of an account whose room for them is known.
    pub unknown_accounts: HashMap<AccountId, usize>,
    /// All of those of each account that is not among them.
    pub unknown_account: usize,
    /// Of those, the ones that have accepted nothing last: what failed, and what is new.
    pub unproven: Part,
    /// Of those, the ones that failed last.
    pub failing: Part,
    /// Accounts whose room is known.
    pub accounts: HashMap<AccountId, usize>,
    /// Each account that is not among them.
    pub account: usize,
}

/// How much of the room for those that are not known to answer some of them may take: whoever succeeded last is not to wait for
/// as many as hang, be it that these are new, nor whoever is new for as many as failed.
#[derive(Clone, Debug)]
pub struct Part {
    /// All together.
    pub together: usize,
    /// All of an account whose room for them is known.
    pub accounts: HashMap<AccountId, usize>,
    /// All of each account that is not among them.
    pub account: usize,
}

impl Part {
    fn anywhere(all: usize) -> Self {
        Self {
            together: all,
            accounts: HashMap::new(),
            account: all,
        }
    }

    fn of(&self, account: AccountId) -> usize {
        let of_account = self.accounts.get(&account).copied();
        self.together.min(of_account.unwrap_or(self.account))
    }

    fn fill(&mut self, account: AccountId, count: usize) {
        self.together = self.together.saturating_sub(count);
        let of_account = self.accounts.entry(account).or_insert(self.account);
        *of_account = of_account.saturating_sub(count);
    }
}

impl Room {
    /// `all`, however they are spread.
    pub fn anywhere(all: usize) -> Self {
        Self {
            all,
            webhooks: HashMap::new(),
            unknown: all,
            unknown_together: all,
            unknown_accounts: HashMap::new(),
            unknown_account: all,
            unproven: Part::anywhere(all),
            failing: Part::anywhere(all),
            accounts: HashMap::new(),
            account: all,
        }
    }

    /// How many of this webhook fit, which has this record.
    pub(super) fn of(&self, webhook: WebhookId, account: AccountId, record: Record) -> usize {
        let of_account = self.accounts.get(&account).copied();
        let room = of_account.unwrap_or(self.account).min(self.all);
        if let Some(known) = self.webhooks.get(&webhook) {
            return room.min(*known);
        }
        let of_account = self.unknown_accounts.get(&account).copied();
        let unknown = room
            .min(self.unknown)
            .min(self.unknown_together)
            .min(of_account.unwrap_or(self.unknown_account));
        let unproven = unknown.min(self.unproven.of(account));
        match record {
            Record::Answered => unknown,
            Record::New => unproven,
            Record::Failed => unproven.min(self.failing.of(account)),
        }
    }

    /// Takes room for `count` of this webhook, which must not be more than [`of`](Self::of) says.
    pub(super) fn fill(
        &mut self,
        webhook: WebhookId,
        account: AccountId,
        record: Record,
        count: usize,
    ) {
        let left = |room: usize| room.saturating_sub(count);
        self.all = left(self.all);
        let of_account = self.accounts.entry(account).or_insert(self.account);
        *of_account = left(*of_account);
        if let Some(room) = self.webhooks.get_mut(&webhook) {
            *room = left(*room);
        } else {
            self.unknown_together = left(self.unknown_together);
            let unknown = self.unknown_accounts.entry(account);
            let unknown = unknown.or_insert(self.unknown_account);
            *unknown = left(*unknown);
            if record != Record::Answered {
                self.unproven.fill(account, count);
            }
            if record == Record::Failed {
                self.failing.fill(account, count);
            }
            self.webhooks.insert(webhook, left(self.unknown));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn room() -> Room {
        Room {
            all: 10,
            webhooks: HashMap::from([(webhook(1), 6)]),
            unknown: 1,
            unknown_together: 3,
            unknown_accounts: HashMap::new(),
            unknown_account: 2,
            unproven: Part::anywhere(3),
            failing: Part {
                together: 2,
                accounts: HashMap::new(),
                account: 1,
            },
            accounts: HashMap::from([(account(9), 1)]),
            account: 5,
        }
    }

    fn webhook(n: u128) -> WebhookId {
        WebhookId(Uuid::from_u128(n))
    }

    fn account(n: u128) -> AccountId {
        AccountId(Uuid::from_u128(n))
    }

    #[test]
    fn the_narrowest_bound_counts() {
        let room = room();
        assert_eq!(
            room.of(webhook(1), account(1), Record::Answered),
            5,
            "the account's"
        );
        assert_eq!(
            room.of(webhook(1), account(9), Record::Answered),
            1,
            "a known account's"
        );
        assert_eq!(
            room.of(webhook(2), account(1), Record::Answered),
            1,
            "an unknown webhook's"
        );
    }

    #[test]
    fn those_that_failed_leave_room_for_others() {
        let mut room = room();
        assert_eq!(room.of(webhook(2), account(1), Record::Failed), 1);
        room.fill(webhook(2), account(1), Record::Failed, 1);
        assert_eq!(
            room.of(webhook(3), account(1), Record::Failed),
            0,
            "one of an account"
        );
        assert_eq!(room.of(webhook(3), account(1), Record::Answered), 1);
        room.fill(webhook(4), account(2), Record::Failed, 1);
        assert_eq!(
            room.of(webhook(5), account(3), Record::Failed),
            0,
            "two together"
        );
        assert_eq!(room.of(webhook(5), account(3), Record::Answered), 1);
        assert_eq!(
            room.of(webhook(1), account(5), Record::Failed),
            5,
            "it is known to answer"
        );
    }

    #[test]
    fn those_that_are_new_leave_room_for_those_that_answered() {
        let mut room = Room {
            unknown_account: 4,
            unknown_together: 4,
            unproven: Part::anywhere(3),
            ..room()
        };
        room.fill(webhook(2), account(1), Record::New, 1);
        room.fill(webhook(3), account(1), Record::Failed, 1);
        assert_eq!(room.of(webhook(4), account(1), Record::Failed), 0);
        assert_eq!(room.of(webhook(4), account(1), Record::New), 1);
        room.fill(webhook(4), account(1), Record::New, 1);
        assert_eq!(room.of(webhook(5), account(1), Record::New), 0);
        assert_eq!(room.of(webhook(5), account(1), Record::Answered), 1);
    }

    #[test]
    fn what_is_taken_is_gone_everywhere() {
        let mut room = room();
        room.fill(webhook(1), account(1), Record::Answered, 4);
        assert_eq!(
            (room.all, room.of(webhook(1), account(1), Record::Answered)),
            (6, 1)
        );
        assert_eq!(
            room.of(webhook(1), account(2), Record::Answered),
            2,
            "the webhook's"
        );
        room.fill(webhook(2), account(2), Record::Answered, 1);
        assert_eq!(
            room.of(webhook(2), account(2), Record::Answered),
            0,
            "one each"
        );
        room.fill(webhook(3), account(2), Record::Answered, 1);
        assert_eq!(
            room.of(webhook(4), account(2), Record::Answered),
            0,
            "two of an account"
        );
        room.fill(webhook(4), account(3), Record::Answered, 1);
        assert_eq!(
            room.of(webhook(5), account(4), Record::Answered),
            0,
            "three together"
        );
        assert_eq!(
            room.of(webhook(1), account(5), Record::Answered),
            2,
            "the known are not touched"
        );
    }
}
