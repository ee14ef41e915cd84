//! What a subscription at a carrier needs next: it is made, kept from going stale, and its secret is changed now and
//! then.
//!
//! The secret is stored before the carrier is told, and counts from then on; the one before it counts until the next
//! change. So a crash between the two loses no message, and the carrier is told again.

use jiff::{SignedDuration, Timestamp};

/// A subscription is renewed this often.
pub const RENEWED_EVERY: SignedDuration = SignedDuration::from_hours(24);
/// Its secret is changed this often.
pub const SECRET_LASTS: SignedDuration = SignedDuration::from_hours(30 * 24);
/// After a failure it is tried again after this, doubling to [`RETRY_LONGEST`].
pub const RETRY_FIRST: SignedDuration = SignedDuration::from_mins(1);
/// The longest wait between two tries.
pub const RETRY_LONGEST: SignedDuration = SignedDuration::from_hours(6);

/// How a subscription stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscribed {
    /// The carrier's id of it; `None`: it is not made yet, or gone.
    pub id: Option<String>,
    /// Where the carrier sends to.
    pub callback: String,
    /// Whether the carrier has the current secret.
    pub told: bool,
    /// When the current secret was made.
    pub secret_at: Timestamp,
    /// When the carrier last confirmed it.
    pub renewed_at: Option<Timestamp>,
    /// Failures in a row.
    pub failures: u32,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make it.
    Make,
    /// Tell the carrier the current secret.
    TellSecret,
    /// Make a new secret, and tell it.
    ChangeSecret,
    /// Say again what we want, and where to.
    Renew,
    /// Nothing.
    Rest,
}

impl Subscribed {
    /// What it needs at `now`, when messages are wanted at `callback`.
    pub fn needs(&self, callback: &str, now: Timestamp) -> Step {
        let old = |since: Timestamp, span| now.duration_since(since) >= span;
        if self.id.is_none() {
            Step::Make
        } else if !self.told {
            Step::TellSecret
        } else if old(self.secret_at, SECRET_LASTS) {
            Step::ChangeSecret
        } else if self.callback != callback
            || self.renewed_at.is_none_or(|at| old(at, RENEWED_EVERY))
        {
            Step::Renew
        } else {
            Step::Rest
        }
    }

    /// When to look at it again.
    pub fn due_at(&self, now: Timestamp) -> Timestamp {
        let wait = match self.failures {
            0 => RENEWED_EVERY,
            failures => (RETRY_FIRST * (1i32 << (failures - 1).min(10))).min(RETRY_LONGEST),
        };
        let settled = self.failures == 0 && self.id.is_some() && self.told;
        if settled || self.failures > 0 {
            now.checked_add(wait).unwrap_or(now)
        } else {
            now
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "https://quay.example/inbound/line";

    fn at(hours: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
    }

    fn made() -> Subscribed {
        Subscribed {
            id: Some("s-1".into()),
            callback: HERE.into(),
            told: true,
            secret_at: at(0),
            renewed_at: Some(at(0)),
            failures: 0,
        }
    }

    #[test]
    fn a_subscription_is_made_kept_and_its_secret_changed() {
        let gone = Subscribed { id: None, ..made() };
        assert_eq!(gone.needs(HERE, at(0)), Step::Make);
        assert_eq!(made().needs(HERE, at(23)), Step::Rest);
        assert_eq!(made().needs(HERE, at(24)), Step::Renew);
        assert_eq!(
            made().needs("https://moved.example/inbound/line", at(1)),
            Step::Renew
        );
        let renewed = Subscribed {
            renewed_at: Some(at(720)),
            ..made()
        };
        assert_eq!(renewed.needs(HERE, at(719)), Step::Rest);
        assert_eq!(renewed.needs(HERE, at(720)), Step::ChangeSecret);
        let changed = Subscribed {
            told: false,
            secret_at: at(720),
            ..renewed
        };
        assert_eq!(changed.needs(HERE, at(720)), Step::TellSecret);
    }

    #[test]
    fn a_carrier_that_refuses_is_tried_less_and_less_often() {
        let waits: Vec<i64> = [1, 2, 3, 9, 40]
            .map(|failures| Subscribed { failures, ..made() }.due_at(at(0)))
            .map(|due| due.duration_since(at(0)).as_mins())
            .to_vec();
        assert_eq!(waits, [1, 2, 4, 256, 360]);
        assert_eq!(made().due_at(at(0)), at(24));
    }
}
