//! The profile of one feed of positions.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::codes::{ImoNumber, UnLocode};
use domain::geography::Point;
use domain::vessel::{Quay, is_of_one_ship};

use crate::ProfileError;
use crate::section::Section;
use crate::table::mapping::file::id;

/// One feed of positions. Its keys are described in `docs/sources/ais.md`.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name of the feed; stands in every report as its source.
    pub id: String,
    /// Lines without a time are of the moment of their receipt.
    pub live: bool,
    /// Where vessels lie alongside.
    pub quays: Vec<Quay>,
    /// Vessels by the number of their radio, for those that do not tell theirs.
    pub vessels: BTreeMap<u32, ImoNumber>,
    /// The receiver that is listened to; `None`: files and pushes only.
    pub receiver: Option<Receiver>,
}

/// A receiver or hub that serves lines to whoever connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Of each radio one position is kept in this time.
    pub every: Duration,
}

/// Of each radio one position is kept in this many seconds, where nothing else is said.
const POSITION_SECONDS: u32 = 60;
/// How far a quay may reach, in kilometres.
const RADIUS_KM_MAX: f64 = 10.0;

impl Profile {
    /// Reads a profile. Every key is checked, and one that means nothing is an error with its place.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut top = Section::of_document(text)?;
        let protocol = top.required_text("protocol")?;
        if protocol != "ais" {
            return Err(top.bad("protocol", &format!("is ais, not {protocol:?}")));
        }
        let id = id(&mut top)?;
        let live = top.flag("live")?;
        let quays = top.tables("quays")?;
        let quays = quays.into_iter().map(quay).collect::<Result<_, _>>()?;
        let vessels = vessels(&mut top)?;
        let receiver = top.table("receiver")?.map(receiver).transpose()?;
        top.finish()?;
        Ok(Self {
            id,
            live,
            quays,
            vessels,
            receiver,
        })
    }
}

fn receiver(mut table: Section) -> Result<Receiver, ProfileError> {
    let address = table.required_text("address")?;
    let parts = address.rsplit_once(':').and_then(|(host, port)| {
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host);
        let port = port.parse().ok().filter(|port| *port > 0)?;
        (!host.is_empty() && !host.contains('/')).then(|| (host.to_owned(), port))
    });
    let (host, port) =
        parts.ok_or_else(|| table.bad("address", "is host:port, such as 192.168.1.20:10110"))?;
    let seconds = table.number("position_seconds", POSITION_SECONDS, 0..=3600)?;
    table.finish()?;
    Ok(Receiver {
        host,
        port,
        every: Duration::from_secs(seconds.into()),
    })
}

fn quay(mut table: Section) -> Result<Quay, ProfileError> {
    let terminal = table.required_text("terminal")?;
    let port = terminal.split('-').next().unwrap_or_default();
    let port = UnLocode::parse(port).map_err(|error| table.bad("terminal", &error.to_string()))?;
    let latitude = table.required_real("latitude", -90.0..=90.0)?;
    let longitude = table.required_real("longitude", -180.0..=180.0)?;
    let radius_km = table.required_real("radius_km", 0.05..=RADIUS_KM_MAX)?;
    table.finish()?;
    Ok(Quay {
        port,
        terminal,
        middle: Point::of((latitude, longitude)),
        radius_km,
    })
}

/// `"366999999" = "9321483"`.
fn vessels(top: &mut Section) -> Result<BTreeMap<u32, ImoNumber>, ProfileError> {
    let Some(mut table) = top.table("vessels")? else {
        return Ok(BTreeMap::new());
    };
    let mut found = BTreeMap::new();
    for key in table.names() {
        let number = table.required_text(&key)?;
        let mmsi = key.parse().ok().filter(|_| key.len() == 9);
        let mmsi = mmsi.ok_or_else(|| table.bad(&key, "is the number of a radio, nine digits"))?;
        if !is_of_one_ship(mmsi) {
            return Err(table.bad(&key, "is no ship's: stations, or many radios, send it"));
        }
        let imo = ImoNumber::parse(&number)
            .ok_or_else(|| table.bad(&key, &format!("{number:?} is no IMO number")))?;
        found.insert(mmsi, imo);
    }
    Ok(found)
}
