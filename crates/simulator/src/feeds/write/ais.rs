//! Positions of a ship coming alongside: a stream of JSON, or the lines of a receiver.

mod nmea;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::tell::Telling;
use super::super::way::Act;
use crate::dice::Dice;
use crate::world::fleet::Vessel;

/// A quay of this world. Where it lies is invented, like the ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quay {
    /// UN/LOCODE of the port.
    pub port: &'static str,
    /// SMDG code of the terminal.
    pub terminal: &'static str,
    /// Thousandths of a degree north.
    pub latitude: i32,
    /// Thousandths of a degree east.
    pub longitude: i32,
}

/// The quays at which ships of this world are seen.
pub const QUAYS: [Quay; 9] = [
    quay("HKHKG", "HITHK", 22_340, 114_120),
    quay("DEHAM", "CTA", 53_500, 9_940),
    quay("DEHAM", "CTB", 53_530, 9_900),
    quay("USLAX", "TRAP", 33_760, -118_270),
    quay("USLAX", "WBCT", 33_730, -118_300),
    quay("USOAK", "B58", 37_800, -122_320),
    quay("USNYC", "MAHER", 40_680, -74_160),
    quay("USNYC", "PNCT", 40_710, -74_130),
    quay("USSAV", "GCMT", 32_120, -81_130),
];

const fn quay(port: &'static str, terminal: &'static str, latitude: i32, longitude: i32) -> Quay {
    Quay {
        port,
        terminal,
        latitude,
        longitude,
    }
}

/// Where a ship was seen, and what it said of itself.
struct Seen {
    at: Timestamp,
    latitude: i32,
    longitude: i32,
    /// Tenths of a knot.
    speed: i32,
    /// Navigational status: 0 under way, 5 moored.
    status: u8,
}

/// Coming in, making fast, and still there half an hour after; `None` where nobody listens.
pub(super) fn stop(telling: &Telling) -> Option<Vec<u8>> {
    let what = &telling.what;
    let ship = what.ship.filter(|_| what.act == Act::Berth)?;
    let mut quays = QUAYS.iter().filter(|quay| quay.port == telling.place.code);
    let quay = quays.find(|quay| Some(quay.terminal) == what.terminal)?;
    let seen = seen(telling, quay);
    if Dice::about(0, &telling.id).per_mille(500) {
        return Some(nmea::lines(ship.vessel, &seen).into_bytes());
    }
    let all = seen.iter().map(|seen| position(ship.vessel, seen));
    Some(all.collect::<Value>().to_string().into_bytes())
}

fn seen(telling: &Telling, quay: &Quay) -> [Seen; 4] {
    let minutes = SignedDuration::from_mins;
    // Nobody is seen where it will be.
    let still = (telling.at + minutes(28)).min(telling.issued_at);
    [
        (telling.at - minutes(40), 80, 95, 0),
        (telling.at - minutes(9), 20, 31, 0),
        (telling.at, 0, 1, 5),
        (still, 0, 0, 5),
    ]
    .map(|(at, off, speed, status)| Seen {
        at,
        latitude: quay.latitude - off,
        longitude: quay.longitude - off,
        speed,
        status,
    })
}

fn position(vessel: &Vessel, seen: &Seen) -> Value {
    json!({
        "mmsi": mmsi(vessel), "imo": vessel.imo(), "name": vessel.name,
        "lat": f64::from(seen.latitude) / 1000.0, "lon": f64::from(seen.longitude) / 1000.0,
        "sog": f64::from(seen.speed) / 10.0, "navStatus": seen.status,
        "timestamp": seen.at.to_string(),
    })
}

/// Nine digits of its radio.
fn mmsi(vessel: &Vessel) -> String {
    format!("21{}", vessel.imo())
}
