//! A carrier that can be asked: its profile, and the door to ask through.

use domain::codes::Scac;
use domain::place::Gazetteer;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use sources::ocean;
use sources::ocean::dcsa::{Payload, Profile, PullFailure, Puller, Question};

use crate::trials;

/// One carrier.
pub struct Source {
    door: Door,
}

enum Door {
    /// A carrier that speaks DCSA Track & Trace 2.x.
    Dcsa(Box<Puller>),
    /// The line `TEST`, in this process.
    Trials(Box<Profile>),
}

impl Source {
    /// A carrier that speaks DCSA Track & Trace 2.x.
    pub fn new(puller: Puller) -> Self {
        let door = Door::Dcsa(Box::new(puller));
        Self { door }
    }

    /// The line `TEST`.
    pub(crate) fn trials() -> Option<Self> {
        let door = Door::Trials(Box::new(trials::profile()?));
        Some(Self { door })
    }

    /// Its id: names it in watches, raw messages and reports.
    pub fn id(&self) -> &str {
        &self.profile().id
    }

    /// How it is asked and how its quirks are read.
    pub fn profile(&self) -> &Profile {
        match &self.door {
            Door::Dcsa(puller) => puller.profile(),
            Door::Trials(profile) => profile,
        }
    }

    /// Whether it is the line `TEST`, which knows no real number.
    pub fn is_for_trials(&self) -> bool {
        matches!(self.door, Door::Trials(_))
    }

    /// Asks for everything the carrier knows about a number. An empty list is an answer.
    pub(crate) async fn pull(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<Vec<Payload>, PullFailure> {
        match &self.door {
            Door::Dcsa(puller) => puller.pull(question, now).await,
            Door::Trials(_) => trials::answer(question),
        }
    }

    /// Whether there is a claim in this answer.
    pub(crate) fn tells_something(
        &self,
        answer: &[u8],
        now: Timestamp,
        gazetteer: &Gazetteer,
    ) -> bool {
        let parsed = ocean::parse(self.profile(), answer, now, gazetteer);
        !parsed.reports.is_empty()
    }

    /// Whether it answers for this line to numbers of this kind.
    pub fn answers(&self, scac: Scac, kind: NumberKind) -> bool {
        self.profile().scacs.contains(&scac) && self.profile().supports(kind)
    }
}
