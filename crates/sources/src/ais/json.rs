//! Positions as JSON: messages of a stream (`{"MessageType": …, "MetaData": …, "Message": …}`), one a line or in a
//! list, or plain objects with `mmsi`, `lat`, `lon` and a time.

use domain::codes::ImoNumber;
use domain::geography::Point;
use domain::vessel::Position;
use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{imo, moored};
use super::clock::Clock;
use super::{Heard, Sighting, Stamp};
use crate::ocean::dcsa::recovery::reason_of;
use crate::ocean::dcsa::text::cleaned;
use crate::ocean::dcsa::time;

/// Reads a list, one object, or one object on each line. A list is pointed into and read object by object: as a tree it
/// would be ten times as large.
pub(super) fn read(bytes: &[u8], heard: &mut Heard<'_>) {
    let text = String::from_utf8_lossy(bytes);
    let values = serde_json::Deserializer::from_str(&text).into_iter::<&RawValue>();
    let mut count = 0;
    for value in values {
        let value = match value {
            Ok(value) => value,
            Err(error) => {
                let place = format!("line {} column {}", error.line(), error.column());
                return heard.broken(&place, &reason_of(&error));
            }
        };
        let list = serde_json::from_str::<Vec<&RawValue>>(value.get());
        for told in list.unwrap_or_else(|_| vec![value]) {
            let place = format!("[{count}]");
            match serde_json::from_str(told.get()) {
                Ok(told) => one(&told, &place, heard),
                Err(error) => heard.defect(&place, &reason_of(&error)),
            }
            count += 1;
        }
    }
}

fn one(told: &Value, place: &str, heard: &mut Heard<'_>) {
    let body = ["Message", "message"]
        .iter()
        .find_map(|name| told.get(name));
    let body = body
        .and_then(Value::as_object)
        .and_then(|body| body.values().next());
    let body = body.unwrap_or(told);
    let around = ["MetaData", "Metadata", "metadata"]
        .iter()
        .find_map(|name| told.get(name));
    let around = around.unwrap_or(told);
    let find = |names: &[&str]| named(body, names).or_else(|| named(around, names));
    let number = |names: &[&str]| find(names).and_then(as_number);
    let mmsi = number(&["mmsi", "userid", "mmsi_string"]).and_then(whole);
    let Some(mmsi) = mmsi else {
        return heard.defect(place, "it names no radio (mmsi)");
    };
    let name = find(&["name", "shipname", "vesselname", "vessel_name"])
        .and_then(Value::as_str)
        .map(|name| cleaned(name.trim_matches(['@', ' '])))
        .filter(|name| !name.is_empty());
    let vessel = number(&["imonumber", "imo", "imo_number"])
        .and_then(whole)
        .and_then(imo);
    // The first that reads as a time: `Timestamp` of a position is the second of its minute, as AIS has it.
    let times = ["time_utc", "timestamp", "time", "at", "received_at"];
    let mut said = times.iter().flat_map(|name| {
        let both = [named(body, &[name]), named(around, &[name])];
        both.into_iter().flatten()
    });
    let at = said.find_map(when);
    heard.named(mmsi, vessel, name.clone(), at.map_or(Clock::Silent, Clock::At));
    let Some(point) = point(&number) else {
        return; // it says which vessel it is, not where
    };
    match at {
        None => heard.defect(place, "a position has no time"),
        Some(at) => {
            let sighting = sighting(
                mmsi,
                vessel,
                name,
                Position {
                    at,
                    point,
                    heading: number(&["cog", "course", "courseoverground"])
                        .filter(|course| (0.0..360.0).contains(course)),
                    speed_knots: number(&["sog", "speed", "speedoverground"])
                        .filter(|knots| (0.0..102.3).contains(knots)),
                },
            );
            let status = number(&["navigationalstatus", "navstatus", "nav_status", "status"]);
            let moored = status.and_then(whole).and_then(moored);
            heard.sighting(Sighting { moored, ..sighting }, Stamp::Told(at), place);
        }
    }
}

fn sighting(
    mmsi: u32,
    imo: Option<ImoNumber>,
    name: Option<String>,
    position: Position,
) -> Sighting {
    Sighting {
        mmsi,
        imo,
        name,
        at: position.at,
        position: Some(position),
        moored: None,
    }
}

fn point(number: &dyn Fn(&[&str]) -> Option<f64>) -> Option<Point> {
    let latitude = number(&["latitude", "lat"])?;
    let longitude = number(&["longitude", "lon", "lng"])?;
    let somewhere = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
    somewhere.then(|| Point::of((latitude, longitude)))
}

/// A member by any of its names, which are compared without case.
fn named<'v>(object: &'v Value, names: &[&str]) -> Option<&'v Value> {
    let members = object.as_object()?;
    names.iter().find_map(|name| {
        let found = members
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found
            .map(|(_, value)| value)
            .filter(|value| !value.is_null())
    })
}

fn as_number(value: &Value) -> Option<f64> {
    let number = value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and within the range of what it becomes"
)]
fn whole(number: f64) -> Option<u32> {
    let fits = number.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&number);
    fits.then_some(number as u32)
}

/// Seconds or milliseconds since 1970, or a text; one without an offset is UTC, as all of AIS is.
fn when(value: &Value) -> Option<Timestamp> {
    if let Some(number) = value.as_i64() {
        return match number {
            1_000_000_000..=9_999_999_999 => Timestamp::from_second(number).ok(),
            1_000_000_000_000..=9_999_999_999_999 => Timestamp::from_millisecond(number).ok(),
            _ => None,
        };
    }
    let text = value.as_str()?.trim();
    // `2026-03-20 05:12:33.123456789 +0000 UTC`
    let text = text.strip_suffix(" UTC").map_or(text, str::trim);
    let clock = time::read(text)?;
    let quirks = crate::ocean::dcsa::Quirks::default();
    let nowhere = domain::place::Gazetteer::default();
    let spot = time::Spot {
        gazetteer: &nowhere,
        locode: None,
        facility: None,
    };
    time::resolve(clock, spot, quirks).map(|occurred| occurred.at)
}
