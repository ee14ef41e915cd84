//! What really happened, and what the carrier said about it when.
//!
//! A carrier may say a wrong time first. So the truth about a milestone is the list of its published words:
//! at any moment one of them is the one to believe, and in the end the last one is.

use std::collections::BTreeMap;

use domain::codes::{ContainerNumber, UnLocode};
use domain::container::CurrentStatus;
use domain::event::EventName;
use jiff::Timestamp;

/// Everything that is true in a world, by container.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Every box.
    pub boxes: BTreeMap<ContainerNumber, BoxTruth>,
}

/// What is true about one box.
#[derive(Clone, Debug)]
pub struct BoxTruth {
    /// Its number.
    pub number: ContainerNumber,
    /// The number it is tracked by: bill, booking, or its own.
    pub tracked_as: String,
    /// Its actual happenings that have a public name, in the order in which they happened.
    pub milestones: Vec<Milestone>,
    /// Its calls with a public estimate.
    pub estimates: Vec<Estimate>,
    /// Where it stands at the end.
    pub status: CurrentStatus,
}

/// One actual happening.
#[derive(Clone, Debug)]
pub struct Milestone {
    /// Its public name.
    pub event: EventName,
    /// A second name that the public rules leave open (the hub where a barge meets the mother vessel).
    pub or: Option<EventName>,
    /// Where, by the main code of the port.
    pub place: UnLocode,
    /// What was said about it.
    pub words: Words,
}

/// The shown estimate of one call.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Its public name.
    pub event: EventName,
    /// The call's place, by the main code of the port.
    pub place: UnLocode,
    /// What was said: plans and estimates.
    pub words: Words,
    /// From this moment on a reader may know that the call is over.
    pub closes_from: Timestamp,
    /// From this moment on every reader knows that the call is over: the actual is published.
    pub closes_by: Timestamp,
    /// Whether it has to be told; not where the public rules leave the call's meaning open.
    pub required: bool,
}

/// One published claim of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// When it became visible.
    pub published_at: Timestamp,
    /// When the carrier says it wrote it. The newest among the visible is the one to believe.
    pub created_at: Timestamp,
    /// The time it claims.
    pub at: Timestamp,
    /// How firm it is: an estimate outranks a plan, a minute outranks a date.
    pub firm: bool,
}

/// All that was said about one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub Vec<Word>);

impl Truth {
    /// The truth about some of the tracked numbers only, for a run that follows only those.
    #[must_use]
    pub fn only(&self, tracked: &[&str]) -> Self {
        let wanted = |truth: &&BoxTruth| tracked.contains(&truth.tracked_as.as_str());
        let boxes = self.boxes.values().filter(wanted);
        Self {
            boxes: boxes.map(|truth| (truth.number, truth.clone())).collect(),
        }
    }
}

impl Words {
    /// The word to believe at `now`.
    pub fn believed(&self, now: Timestamp) -> Option<Word> {
        self.0
            .iter()
            .filter(|word| word.published_at <= now)
            .max_by_key(|word| (word.firm, word.created_at))
            .copied()
    }

    /// The word that is believed when all is said.
    pub fn last(&self) -> Option<Word> {
        self.believed(Timestamp::MAX)
    }

    /// When the first word was published.
    pub fn first_published(&self) -> Option<Timestamp> {
        self.0.iter().map(|word| word.published_at).min()
    }

    /// The moments up to `now` at which another word came to be believed, with that word.
    pub fn believed_until(&self, now: Timestamp) -> impl Iterator<Item = (Timestamp, Word)> {
        self.0
            .iter()
            .filter(move |word| word.published_at <= now)
            .filter_map(|word| {
                let moment = word.published_at;
                self.believed(moment).map(|believed| (moment, believed))
            })
    }
}
