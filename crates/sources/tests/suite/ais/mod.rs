//! Positions of vessels, line by line: what is read of each form that receivers, loggers and streams write.

mod identities;
mod jsons;
mod parts;
mod radio;
mod times;

use domain::place::Gazetteer;
use jiff::Timestamp;
use sources::{Parsed, ais};

use crate::told::received_at;

/// 2026-03-14T05:00:00Z, a day and more before what is read is received.
pub const FIVE: i64 = 1_773_464_400;
pub const MMSI: u32 = 211_987_654;
pub const OURS: u32 = 9_321_483;
pub const OTHER: u32 = 9_401_001;
/// Inside the quay of [`profile`].
pub const PIER: (f64, f64) = (33.7365, -118.2540);

pub fn profile(more: &str) -> ais::Profile {
    let quay = "[[quays]]\nterminal = \"USLAX-W185\"\nlatitude = 33.7365\nlongitude = -118.2540\nradius_km = 1.2\n";
    ais::Profile::parse(&format!("id = \"sea\"\nprotocol = \"ais\"\n{more}\n{quay}")).unwrap()
}

pub fn read(text: &str) -> Parsed {
    read_as("", text.as_bytes())
}

pub fn read_live(text: &str) -> Parsed {
    read_as("live = true", text.as_bytes())
}

pub fn read_as(more: &str, bytes: &[u8]) -> Parsed {
    let nowhere = Gazetteer::default();
    ais::parse(&profile(more), bytes, received_at(), &nowhere)
}

/// When each position was, in seconds after [`FIVE`].
pub fn seconds(parsed: &Parsed) -> Vec<i64> {
    let placed = parsed.sightings.iter().filter(|s| s.position.is_some());
    placed.map(|s| s.at.as_second() - FIVE).collect()
}

/// The ships that berthed, and when, in seconds after [`FIVE`].
pub fn berths(parsed: &Parsed) -> Vec<(String, i64)> {
    let told = parsed.reports.iter().map(|located| &located.report);
    let told = told.map(|report| {
        let imo = report.leg.vessel_imo.unwrap().to_string();
        let at = report.occurred.as_ref().unwrap().at;
        (imo, at.as_second() - FIVE)
    });
    told.collect()
}

pub fn reasons(parsed: &Parsed) -> Vec<&str> {
    let reasons = parsed.defects.iter();
    reasons.map(|defect| defect.reason.as_str()).collect()
}

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(FIVE + second).unwrap()
}
