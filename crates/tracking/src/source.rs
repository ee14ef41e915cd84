//! A configured source: how its messages are read, and how they come.
//!
//! Some are asked; others are not, and send or drop what they have to say. What comes either way is read by the
//! same profile.

use domain::codes::Scac;
use domain::place::Gazetteer;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use sources::ocean::dcsa::{self, Payload, Polling, PullFailure, Puller, Question};
use sources::{Parsed, Profile};

use crate::trials;

/// One source.
pub struct Source {
    profile: Profile,
    door: Door,
}

enum Door {
    /// A carrier that is asked over HTTP.
    Ocean(Box<Puller>),
    /// The line `TEST`, in this process.
    Trials,
    /// Nobody is asked.
    Closed,
}

impl Source {
    /// A carrier that is asked over HTTP.
    pub fn new(puller: Puller) -> Self {
        Self {
            profile: puller.profile().clone().into(),
            door: Door::Ocean(Box::new(puller)),
        }
    }

    /// A source that is not asked: its messages come by themselves.
    pub fn unasked(profile: Profile) -> Self {
        let door = Door::Closed;
        Self { profile, door }
    }

    /// The line `TEST`.
    pub(crate) fn trials() -> Option<Self> {
        let profile = trials::profile()?.into();
        let door = Door::Trials;
        Some(Self { profile, door })
    }

    /// Its id: names it in watches, raw messages and reports.
    pub fn id(&self) -> &str {
        self.profile.id()
    }

    /// Whether it is the line `TEST`, which knows no real number.
    pub fn is_for_trials(&self) -> bool {
        matches!(self.door, Door::Trials)
    }

    /// How often it is asked; `None`: it is not.
    pub(crate) fn polling(&self) -> Option<&Polling> {
        self.asked().map(|profile| &profile.polling)
    }

    /// The main code of the line that is asked.
    pub(crate) fn scac(&self) -> Option<Scac> {
        self.asked().and_then(dcsa::Profile::scac)
    }

    /// Whether it answers for this line to numbers of this kind.
    pub fn answers(&self, scac: Scac, kind: NumberKind) -> bool {
        self.asked()
            .is_some_and(|profile| profile.scacs.contains(&scac) && profile.supports(kind))
    }

    /// Asks for everything the carrier knows about a number. An empty list is an answer.
    pub(crate) async fn pull(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<Vec<Payload>, PullFailure> {
        match &self.door {
            Door::Ocean(puller) => puller.pull(question, now).await,
            Door::Trials => trials::answer(question),
            Door::Closed => Err(PullFailure::NotFound),
        }
    }

    /// Reads one of its messages.
    pub(crate) fn read(&self, bytes: &[u8], at: Timestamp, gazetteer: &Gazetteer) -> Parsed {
        self.profile.read(bytes, at, gazetteer)
    }

    /// Whether there is a claim in this answer.
    pub(crate) fn tells_something(
        &self,
        answer: &[u8],
        now: Timestamp,
        gazetteer: &Gazetteer,
    ) -> bool {
        !self.read(answer, now, gazetteer).reports.is_empty()
    }

    fn asked(&self) -> Option<&dcsa::Profile> {
        match (&self.profile, &self.door) {
            (_, Door::Closed) => None,
            (Profile::Ocean(profile), _) => Some(profile),
        }
    }
}
