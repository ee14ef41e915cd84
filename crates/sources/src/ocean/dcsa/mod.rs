//! DCSA Track & Trace 2.x.

mod code;
mod harvest;
mod key;
mod parse;
mod profile;
mod pull;
mod reading;
mod recovery;
mod section;
mod time;
mod wire;

use domain::report::Report;

pub use parse::parse;
pub use profile::{
    Auth, Endpoint, LineNames, Numbers, Polling, Profile, ProfileError, Quirks, TokenGrant,
};
pub use pull::{Payload, PullFailure, Puller, Question, Secrets};

/// What was read from one message. Reading never fails: what cannot be used is a defect.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// What is claimed, in the order of the message.
    pub reports: Vec<Located>,
    /// What could not be used.
    pub defects: Vec<Defect>,
    /// Whether the message itself is damaged, so that parts of it may not have been found.
    pub envelope_broken: bool,
}

/// A report and where in the message it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Path in the message: `[3]`, `events[3]`.
    pub position: String,
    /// What is claimed there.
    pub report: Report,
}

/// Something that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Path in the message (`[3].eventDateTime`), or line and column when it is no JSON.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}
