//! A sighting of a vessel as one line of JSON.

use jiff::Timestamp;
use serde_json::{Value, json};
use sources::ais::Sighting;

/// Where a vessel was seen, and how long ago.
pub fn line(seen: &Sighting, now: Timestamp) -> Value {
    json!({
        "mmsi": seen.mmsi,
        "vessel_imo": seen.imo.map(|imo| imo.to_string()),
        "vessel_name": seen.name,
        "seen_at": seen.position.at.to_string(),
        "age_seconds": seen.position.age(now).as_secs(),
        "latitude": seen.position.point.latitude,
        "longitude": seen.position.point.longitude,
        "heading": seen.position.heading,
        "speed_knots": seen.position.speed_knots,
        "moored": seen.moored,
    })
}
