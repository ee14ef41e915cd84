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
