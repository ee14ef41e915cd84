//! The parsers of the service, one for each feed of the simulator.

use anyhow::{Result, anyhow};
use domain::place::Gazetteer;
use domain::report::Report;
use jiff::Timestamp;
use simulator::feeds::{Feed, Message};
use sources::Parsed;
use sources::ocean::{self, dcsa};

/// What reads each feed.
pub struct Readers {
    line: dcsa::Profile,
    feeds: Vec<Feed>,
}

impl Readers {
    /// The readers of all feeds, with the profiles that an operator would write.
    pub fn new() -> Result<Self> {
        let line = "id = \"heron\"\nprotocol = \"dcsa-2\"\nscac = \"HRNS\"\n\
                    [endpoint]\nbase = \"https://heron.invalid\"";
        Ok(Self {
            line: dcsa::Profile::parse(line).map_err(|error| anyhow!("{error}"))?,
            feeds: vec![Feed::Line],
        })
    }

    /// The feeds that can be read.
    pub fn feeds(&self) -> &[Feed] {
        &self.feeds
    }

    /// Their names.
    pub fn names(&self) -> String {
        let names = self
            .feeds
            .iter()
            .map(|feed| format!("{feed:?}").to_lowercase());
        names.collect::<Vec<String>>().join(", ")
    }

    /// What is claimed in a message, and how many defects it has.
    pub fn read(&self, message: &Message, gazetteer: &Gazetteer) -> (Vec<Report>, usize) {
        let parsed = self.parse(message.feed, &message.bytes, message.received_at, gazetteer);
        let reports = parsed.reports.into_iter().map(|located| located.report);
        (reports.collect(), parsed.defects.len())
    }

    fn parse(
        &self,
        feed: Feed,
        bytes: &[u8],
        received_at: Timestamp,
        gazetteer: &Gazetteer,
    ) -> Parsed {
        match feed {
            Feed::Line => ocean::parse(&self.line, bytes, received_at, gazetteer),
            _ => Parsed::default(),
        }
    }
}
