//! The parsers of the service, one for each feed of the simulator.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use domain::codes::UnLocode;
use domain::place::Gazetteer;
use domain::report::Report;
use jiff::Timestamp;
use simulator::feeds::{Feed, Message, QUAYS};
use sources::ocean::{self, dcsa};
use sources::rail::clm;
use sources::{Parsed, ais, edi_drop, table};

/// What reads each feed.
pub struct Readers {
    line: dcsa::Profile,
    quay: edi_drop::Profile,
    gate: edi_drop::Profile,
    hub: edi_drop::Profile,
    forwarder: edi_drop::Profile,
    ramp: edi_drop::Profile,
    road: clm::Profile,
    terminal: table::Profile,
    sheet: table::Profile,
    ais: ais::Profile,
    feeds: Vec<Feed>,
}

impl Readers {
    /// The readers of all feeds, with the profiles that an operator would write.
    pub fn new(gazetteer: &Gazetteer) -> Result<Self> {
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
            terminal: terminal(ANSWER)?,
            sheet: terminal(SHEET)?,
            ais: ais::Profile::parse(&listener(gazetteer))
                .map_err(|error| anyhow!("ais: {error}"))?,
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
            Feed::Terminal => table::parse(&self.terminal, bytes, received_at, gazetteer),
            Feed::Sheet => table::parse(&self.sheet, bytes, received_at, gazetteer),
            Feed::Ais => ais::parse(&self.ais, bytes, received_at, gazetteer),
        }
    }
}

fn edi(id: &str, sender: &str) -> Result<edi_drop::Profile> {
    let text = format!("id = {id:?}\nprotocol = \"edi\"\nsender = {sender:?}");
    edi_drop::Profile::parse(&text).map_err(|error| anyhow!("{id}: {error}"))
}

fn terminal(mapping: &str) -> Result<table::Profile> {
    table::Profile::parse(mapping).map_err(|error| anyhow!("terminal: {error}"))
}

/// The mapping of the terminal's interface.
const ANSWER: &str = r#"
id = "pier"
protocol = "terminal-table"

[format]
kind = "json"
records = "units"

[columns]
container = "id"
as_of = "$.asOf"
locode = "$.port"
facility = "$.pier"
bill = "bill"
available = "ready"
holds = "holds"
fees = "fees"
last_free_day = "freeUntil"
appointment = "slot"
yard_location = "spot"

[moves]
vessel_berthed = "berthed"
vessel_discharged = "discharged"
full_out = "out"

[holds]
complete = true
name = "kind"
status = "state"

[fees]
complete = true
name = "kind"
amount = "sum"
currency_member = "money"
"#;

/// The mapping of the terminal's page.
const SHEET: &str = r#"
id = "pier-page"
protocol = "terminal-table"

[format]
kind = "csv"

[columns]
container = "Unit"
bill = "Bill"
locode = "Port"
facility = "Pier"
as_of = "Refreshed"
available = "Ready"
holds = "Holds"
fees = "Fees"
currency = "Money"
last_free_day = "Free until"
appointment = "Slot"
yard_location = "Spot"

[moves]
vessel_berthed = "Berthed"
vessel_discharged = "Discharged"
full_out = "Out"

[holds]
complete = true

[fees]
complete = true

[times]
dates = "month-first"
"#;

/// The profile of who hears ships, with every quay that our tables know.
fn listener(gazetteer: &Gazetteer) -> String {
    let mut text = "id = \"harbour\"\nprotocol = \"ais\"\n".to_owned();
    for quay in QUAYS {
        let terminal = UnLocode::parse(quay.port)
            .ok()
            .and_then(|port| gazetteer.terminal_at(port, quay.terminal));
        let Some(terminal) = terminal else { continue };
        let _ = write!(
            text,
            "[[quays]]\nterminal = {:?}\nlatitude = {:.3}\nlongitude = {:.3}\nradius_km = 0.9\n",
            terminal.code, quay.latitude, quay.longitude
        );
    }
    text
}
