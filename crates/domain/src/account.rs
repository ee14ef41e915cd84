//! Tenants: plans, features and what a key may do.

use jiff::{SignedDuration, Timestamp};

use crate::container::CurrentStatus;

/// How long an account on trial reads.
pub const TRIAL_READING: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Active containers of an account with a cap.
pub const ACTIVE_CONTAINERS_MAX: u32 = 10;

/// What an account may do beyond the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plan {
    /// Everything on, no cap. What a self-hosted account has unless told otherwise.
    SelfHosted,
    /// 10 active containers, no reading of tracking data.
    Free,
    /// As free, with 7 days of reading.
    Trial,
}

impl Plan {
    /// As stored and as typed on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SelfHosted => "self_hosted",
            Self::Free => "free",
            Self::Trial => "trial",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::SelfHosted, Self::Free, Self::Trial]
            .into_iter()
            .find(|plan| plan.as_str() == text)
    }

    /// Whether an account that has had this plan since `since` reads tracking data at `now`.
    pub fn reads(self, since: Timestamp, now: Timestamp) -> bool {
        match self {
            Self::SelfHosted => true,
            Self::Free => false,
            Self::Trial => now.duration_since(since) < TRIAL_READING,
        }
    }

    /// Active containers at most; `None` is no cap.
    pub fn active_containers_max(self) -> Option<u32> {
        match self {
            Self::SelfHosted => None,
            Self::Free | Self::Trial => Some(ACTIVE_CONTAINERS_MAX),
        }
    }
}

/// Whether a container of this status takes one of the places that a plan has. One that was collected has
/// given its place back, whatever it does afterwards.
pub fn takes_a_place(status: CurrentStatus) -> bool {
    use CurrentStatus as S;
    match status {
        S::New
        | S::OnShip
        | S::Grounded
        | S::Available
        | S::NotAvailable
        | S::AwaitingInlandTransfer
        | S::OnRail
        | S::OffDock => true,
        S::PickedUp | S::Delivered | S::EmptyReturned => false,
    }
}

/// What an account can have switched on and off. Everything is on unless it was set off, but for
/// [`Sources`](Self::Sources), which concerns all accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// Routes, maps, positions of vessels.
    Routing,
    /// Asking the sources of a container now.
    Refresh,
    /// The railroad's last free day.
    Rail,
    /// Pausing and resuming the sources that all accounts share.
    Sources,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 4] = [Self::Routing, Self::Refresh, Self::Rail, Self::Sources];

    /// Whether an account has it that was never told otherwise.
    pub fn is_usual(self) -> bool {
        match self {
            Self::Routing | Self::Refresh | Self::Rail => true,
            Self::Sources => false,
        }
    }

    /// As stored and as typed on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Routing => "routing",
            Self::Refresh => "refresh",
            Self::Rail => "rail",
            Self::Sources => "sources",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|feature| feature.as_str() == text)
    }
}

/// Whether a feature is on among those that were set, by name.
pub fn enabled(set: &[(String, bool)], feature: Feature) -> bool {
    set.iter()
        .find(|(name, _)| name == feature.as_str())
        .map_or(feature.is_usual(), |(_, on)| *on)
}

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permissions {
    /// Read.
    pub show: bool,
    /// Write.
    pub update: bool,
}

impl Permissions {
    /// Both.
    pub const ALL: Self = Self {
        show: true,
        update: true,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_reads_for_seven_days_and_not_on_the_eighth() {
        let since: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let after =
            |hours: i64, seconds| since + SignedDuration::from_secs(hours * 3_600 + seconds);
        for (plan, now, reads) in [
            (Plan::SelfHosted, after(10_000, 0), true),
            (Plan::Free, since, false),
            (Plan::Trial, since, true),
            (Plan::Trial, after(168, -1), true),
            (Plan::Trial, after(168, 0), false),
        ] {
            assert_eq!(plan.reads(since, now), reads, "{plan:?} {now}");
        }
    }

    #[test]
    fn a_feature_is_as_usual_until_it_is_set() {
        let set = [("routing".to_owned(), false), ("rail".to_owned(), true)];
        for (feature, on) in [
            (Feature::Routing, false),
            (Feature::Refresh, true),
            (Feature::Rail, true),
            (Feature::Sources, false),
        ] {
            assert_eq!(enabled(&set, feature), on, "{feature:?}");
            assert_eq!(Feature::parse(feature.as_str()), Some(feature));
        }
    }
}
