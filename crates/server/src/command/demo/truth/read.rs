//! The parsers of the service, one for each feed of the simulator.

use std::collections::BTreeMap;

use anyhow::Result;
use domain::place::Gazetteer;
use domain::report::Report;
use simulator::feeds::{Feed, Message};
use sources::Profile;

use super::super::feeds::profile;

/// What reads each feed.
pub struct Readers(BTreeMap<Feed, Profile>);

impl Readers {
    /// The readers of all feeds.
    pub fn new(gazetteer: &Gazetteer) -> Result<Self> {
        let each = Feed::ALL.into_iter();
        let read = each.map(|feed| Ok((feed, profile(feed, gazetteer)?)));
        Ok(Self(read.collect::<Result<_>>()?))
    }

    /// Their names.
    pub fn names(&self) -> String {
        let names = self.0.keys().map(|feed| format!("{feed:?}").to_lowercase());
        names.collect::<Vec<String>>().join(", ")
    }

    /// What is claimed in a message, and how many defects it has.
    pub fn read(&self, message: &Message, gazetteer: &Gazetteer) -> (Vec<Report>, usize) {
        let Some(profile) = self.0.get(&message.feed) else {
            return (Vec::new(), 1);
        };
        let parsed = profile.read(&message.bytes, message.received_at, gazetteer);
        let reports = parsed.reports.into_iter().map(|located| located.report);
        (reports.collect(), parsed.defects.len())
    }
}
