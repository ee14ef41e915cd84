//! Positions of a ship coming alongside: as a stream of JSON.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::tell::Telling;
use super::super::way::Act;
use crate::world::fleet::Vessel;

/// A quay of this world. Where it lies is invented, like the ships.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quay {
    /// UN/LOCODE of the port.
    pub port: &'static str,
    /// SMDG code of the terminal.
    pub terminal: &'static str,
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}

/// The quays at which ships of this world are seen.
pub const QUAYS: [Quay; 9] = [
    quay("HKHKG", "HITHK", 22.34, 114.12),
    quay("DEHAM", "CTA", 53.50, 9.94),
    quay("DEHAM", "CTB", 53.53, 9.90),
    quay("USLAX", "TRAP", 33.76, -118.27),
    quay("USLAX", "WBCT", 33.75, -118.29),
    quay("USOAK", "B58", 37.80, -122.32),
    quay("USNYC", "MAHER", 40.68, -74.16),
    quay("USNYC", "PNCT", 40.69, -74.15),
    quay("USSAV", "GCMT", 32.12, -81.13),
];

const fn quay(port: &'static str, terminal: &'static str, latitude: f64, longitude: f64) -> Quay {
    Quay {
        port,
        terminal,
        latitude,
        longitude,
    }
}

/// Coming in, making fast, and still there half an hour after.
pub(super) fn stop(telling: &Telling) -> Option<Vec<u8>> {
    let what = &telling.what;
    let ship = what.ship.filter(|_| what.act == Act::Berth)?;
    let quay = QUAYS
        .iter()
        .find(|quay| quay.port == telling.place.code && Some(quay.terminal) == what.terminal)?;
    let minutes = SignedDuration::from_mins;
    let lines = [
        (telling.at - minutes(40), 0.08, 9.5, 0),
        (telling.at - minutes(9), 0.02, 3.1, 0),
        (telling.at, 0.0, 0.1, 5),
        (telling.at + minutes(28), 0.0, 0.0, 5),
    ];
    let seen: Vec<Value> = lines
        .iter()
        .map(|(at, off, knots, status)| position(ship.vessel, quay, *at, *off, *knots, *status))
        .collect();
    Some(Value::Array(seen).to_string().into_bytes())
}

fn position(
    vessel: &Vessel,
    quay: &Quay,
    at: Timestamp,
    off: f64,
    knots: f64,
    status: u8,
) -> Value {
    json!({
        "mmsi": mmsi(vessel), "imo": vessel.imo(), "name": vessel.name,
        "lat": quay.latitude - off, "lon": quay.longitude - off,
        "sog": knots, "navStatus": status, "timestamp": at.to_string(),
    })
}

/// Nine digits of its radio.
fn mmsi(vessel: &Vessel) -> String {
    format!("21{}", vessel.imo())
}
