//! The profiles that an operator would write for the feeds of the simulator, one a feed.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use domain::codes::UnLocode;
use domain::place::Gazetteer;
use simulator::feeds::{Feed, QUAYS};
use sources::{Profile, rail};

/// The profile of a feed.
pub fn profile(feed: Feed, gazetteer: &Gazetteer) -> Result<Profile> {
    let text = text(feed, gazetteer)?;
    Profile::parse(&text).map_err(|error| anyhow!("the profile of {feed:?}: {error}"))
}

fn text(feed: Feed, gazetteer: &Gazetteer) -> Result<String> {
    Ok(match feed {
        Feed::Line => line("heron", "dcsa-2"),
        Feed::LineNext => line("heron-next", "dcsa-3"),
        Feed::Quay => edi("quay", "terminal"),
        Feed::Gate => edi("gate", "terminal"),
        Feed::Hub => edi("hub", "line"),
        Feed::Forwarder => edi("forwarder", "line"),
        Feed::Trucker => edi("trucker", "line"),
        Feed::Ramp => edi("ramp", "railroad"),
        Feed::Road => "id = \"road\"\nprotocol = \"clm\"".to_owned(),
        Feed::Up => railroad("up")?,
        Feed::Cn => railroad("cn")?,
        Feed::Bnsf => railroad("bnsf")?,
        Feed::Terminal => ANSWER.to_owned(),
        Feed::Sheet => SHEET.to_owned(),
        Feed::Ais => listener(gazetteer),
    })
}

fn line(id: &str, protocol: &str) -> String {
    format!(
        "id = {id:?}\nprotocol = {protocol:?}\nscac = \"HRNS\"\n[endpoint]\nbase = \"https://heron.invalid\""
    )
}

fn edi(id: &str, sender: &str) -> String {
    format!("id = {id:?}\nprotocol = \"edi\"\nsender = {sender:?}")
}

/// The mapping of a railroad that comes with Quayside, without whom to ask: here it speaks by itself.
fn railroad(name: &str) -> Result<String> {
    let mut templates = rail::templates().iter();
    let found = templates.find(|template| template.name == name);
    let text = found.map(|template| template.text);
    let text = text.ok_or_else(|| anyhow!("no template {name}"))?;
    let head = text.split("[endpoint]").next().unwrap_or_default();
    let (_, mapping) = text
        .split_once("[format]")
        .ok_or_else(|| anyhow!("the template {name} has no format"))?;
    Ok(format!("{head}[format]{mapping}"))
}

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
            "[[quays]]\nterminal = {:?}\nlatitude = {}\nlongitude = {}\nradius_km = 0.9\n",
            terminal.code,
            f64::from(quay.latitude) / 1000.0,
            f64::from(quay.longitude) / 1000.0
        );
    }
    text
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
vessel_name = "ship.name"
vessel_imo = "ship.imo"
voyage = "ship.voyage"

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
vessel_name = "Ship"
vessel_imo = "IMO"
voyage = "Voyage"

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
