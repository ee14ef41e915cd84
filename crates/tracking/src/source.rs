//! A configured carrier: its profile, and the door to ask through.

use domain::codes::Scac;
use domain::tracking_request::NumberKind;
use sources::ocean::dcsa::{Profile, Puller};

/// One configured carrier.
pub struct Source {
    puller: Puller,
}

impl Source {
    /// A carrier that speaks DCSA Track & Trace 2.x.
    pub fn new(puller: Puller) -> Self {
        Self { puller }
    }

    /// Its id: names it in watches, raw messages and reports.
    pub fn id(&self) -> &str {
        &self.profile().id
    }

    /// How it is asked and how its quirks are read.
    pub fn profile(&self) -> &Profile {
        self.puller.profile()
    }

    pub(crate) fn puller(&self) -> &Puller {
        &self.puller
    }

    /// Whether it answers for this line to numbers of this kind.
    pub fn answers(&self, scac: Scac, kind: NumberKind) -> bool {
        self.profile().scacs.contains(&scac) && self.profile().supports(kind)
    }
}
