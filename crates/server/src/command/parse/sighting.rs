//! A sighting of a vessel as one line of JSON.

use jiff::Timestamp;
use serde_json::{Value, json};
use sources::ais::Sighting;

/// Where a vessel was seen, and how long ago; or which vessel a radio says that it is aboard.
pub fn line(seen: &Sighting, now: Timestamp) -> Value {
    let Some(position) = seen.position else {
        return json!({
            "mmsi": seen.mmsi,
            "vessel_imo": seen.imo.map(|imo| imo.to_string()),
            "vessel_name": seen.name,
        });
    };
    json!({
        "mmsi": seen.mmsi,
        "vessel_imo": seen.imo.map(|imo| imo.to_string()),
        "vessel_name": seen.name,
        "seen_at": position.at.to_string(),
        "age_seconds": position.age(now).as_secs(),
        "latitude": position.point.latitude,
        "longitude": position.point.longitude,
        "heading": position.heading,
        "speed_knots": position.speed_knots,
        "moored": seen.moored,
    })
}
