//! The parsers of the service, one for each feed of the simulator.

use anyhow::{Result, anyhow};
use domain::place::Gazetteer;
use domain::report::Report;
use jiff::Timestamp;
use simulator::feeds::{Feed, Message};
use sources::ocean::{self, dcsa};
use sources::rail::clm;
use sources::{Parsed, edi_drop};

/// What reads each feed.
pub struct Readers {
    line: dcsa::Profile,
    quay: edi_drop::Profile,
    gate: edi_drop::Profile,
    hub: edi_drop::Profile,
    forwarder: edi_drop::Profile,
    ramp: edi_drop::Profile,
    road: clm::Profile,
    feeds: Vec<Feed>,
}

impl Readers {
    /// The readers of all feeds, with the profiles that an operator would write.
    pub fn new() -> Result<Self> {
        let line = "id = \"heron\"\nprotocol = \"dcsa-2\"\nscac = \"HRNS\"\n\
                    [endpoint]\nbase = \"https://heron.invalid\"";
        Ok(Self {
            line: dcsa::Profile::parse(line).map_err(|error| anyhow!("{error}"))?,
            quay: edi("quay", "terminal")?,
            gate: edi("gate", "terminal")?,
            hub: edi("hub", "line")?,
            forwarder: edi("forwarder", "line")?,
            ramp: edi("ramp", "railroad")?,
            road: clm::Profile::parse("id = \"road\"\nprotocol = \"clm\"")
                .map_err(|error| anyhow!("road: {error}"))?,
            feeds: Feed::ALL.to_vec(),
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
        let edi = |profile| edi_drop::parse(profile, bytes, received_at, gazetteer);
        match feed {
            Feed::Line => ocean::parse(&self.line, bytes, received_at, gazetteer),
            Feed::Quay => edi(&self.quay),
            Feed::Gate => edi(&self.gate),
            Feed::Hub => edi(&self.hub),
            Feed::Forwarder => edi(&self.forwarder),
            Feed::Ramp => edi(&self.ramp),
            Feed::Road => clm::parse(&self.road, bytes, received_at, gazetteer),
        }
    }
}

fn edi(id: &str, sender: &str) -> Result<edi_drop::Profile> {
    let text = format!("id = {id:?}\nprotocol = \"edi\"\nsender = {sender:?}");
    edi_drop::Profile::parse(&text).map_err(|error| anyhow!("{id}: {error}"))
}
