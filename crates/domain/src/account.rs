//! Tenants: plans, features and what a key may do.

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
}

/// What an account can have switched off. Everything is on unless it was set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// Routes, maps, positions of vessels.
    Routing,
    /// Asking the sources of a container now.
    Refresh,
    /// The railroad's last free day.
    Rail,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 3] = [Self::Routing, Self::Refresh, Self::Rail];

    /// As stored and as typed on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Routing => "routing",
            Self::Refresh => "refresh",
            Self::Rail => "rail",
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
        .is_none_or(|(_, on)| *on)
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
