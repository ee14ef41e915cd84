//! One position as an object: of a stream, of an interface, or of a decoder.
//!
//! * **Where it was** says the message and not what the stream puts around it: that is where the ship was last, beside a
//!   message that says who she is.
//! * **Units are the feed's.** An answer says in its head that it counts in parts of a minute and tenths of knots; a feed of
//!   tenths is known by members that no other has. What is in no such unit is a defect.

use domain::codes::ImoNumber;
use domain::geography::Point;
use domain::vessel::Position;
use serde_json::Value;

use super::clock::{self, Clock};
use super::message::{imo, moored};
use super::{Heard, Sighting, Stamp, nmea};
use crate::ocean::dcsa::text::cleaned;

/// Parts of a degree in which radios count.
const RADIO_DEGREE: f64 = 600_000.0;
/// Smaller numbers are the second of the minute, or 60 to 63 for none, as AIS has it in each position.
const MINUTE_SECONDS_MAX: f64 = 63.0;

/// What the numbers of an answer count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    Degrees,
    /// As radios send them: ten-thousandths of a minute, tenths of knots and degrees.
    Radio,
}

/// Reads it. `units` are what the head of the answer said, and what it says where this is one.
pub(super) fn read(told: &Value, place: &str, units: &mut Units, heard: &mut Heard<'_>) {
    if let Some(failed) = named(told, &["error"]).and_then(Value::as_bool) {
        let is_raw = named(told, &["format"]).and_then(Value::as_str) == Some("AIS");
        *units = if is_raw { Units::Radio } else { Units::Degrees };
        if failed {
            let why = named(told, &["error_message"]).and_then(Value::as_str);
            let why = cleaned(why.unwrap_or("an error"));
            heard.defect(place, &format!("the answer is: {why}"));
        }
        return;
    }
    let one = Object::of(told, *units);
    if let Some(lines) = named(told, &["nmea"]).and_then(Value::as_array) {
        let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
        return nmea::read_told(&lines, one.clock(), place, heard);
    }
    if let Err(reason) = one.read(place, heard) {
        heard.defect(place, reason);
    }
}

struct Object<'v> {
    body: &'v Value,
    around: &'v Value,
    units: Units,
    /// The feed counts speed in tenths of knots.
    in_tenths: bool,
}

impl<'v> Object<'v> {
    fn of(told: &'v Value, units: Units) -> Self {
        let member = |names: &[&str]| names.iter().find_map(|name| told.get(name));
        let message = member(&["Message", "message"]).filter(|message| message.is_object());
        let kinds = message
            .and_then(Value::as_object)
            .map(|kinds| kinds.values());
        let of_kind = kinds.and_then(|mut kinds| kinds.find(|kind| kind.is_object()));
        let has = |name: &str| named(told, &[name]).is_some();
        Self {
            body: of_kind.or(message).unwrap_or(told),
            around: member(&["MetaData", "Metadata", "metadata"]).unwrap_or(told),
            units,
            in_tenths: has("dsrc") && has("ship_id"),
        }
    }

    fn read(&self, place: &str, heard: &mut Heard<'_>) -> Result<(), &'static str> {
        let mmsi = self
            .number(&["mmsi", "userid", "mmsi_string"])
            .and_then(whole);
        let mmsi = mmsi.ok_or("it names no radio (mmsi)")?;
        if named(self.body, &["valid"]) == Some(&Value::Bool(false)) {
            return Err("the source says that this message is not valid");
        }
        let (vessel, name, clock) = (self.vessel(), self.name(), self.clock());
        heard.named(mmsi, vessel, name.clone(), clock);
        let Some(point) = self.point()? else {
            return Ok(()); // it says which vessel it is, not where
        };
        let at = match clock {
            Clock::At(at) => at,
            Clock::Unread => return Err(clock::UNREAD),
            Clock::Silent => return Err("a position has no time"),
        };
        let status = [
            "navigationalstatus",
            "navstatus",
            "navstat",
            "nav_status",
            "status",
        ];
        let status = self.number(&status).and_then(whole);
        let sighting = Sighting {
            mmsi,
            imo: vessel,
            name,
            at,
            position: Some(Position {
                at,
                point,
                heading: self.heading(),
                speed_knots: self.knots(),
            }),
            moored: status.and_then(moored),
        };
        heard.sighting(sighting, Stamp::Told(at), place);
        Ok(())
    }

    fn vessel(&self) -> Option<ImoNumber> {
        let number = self.number(&["imonumber", "imo", "imo_number"]);
        number.and_then(whole).and_then(imo)
    }

    fn name(&self) -> Option<String> {
        let name = self.find(&["name", "shipname", "vesselname", "vessel_name"]);
        let name = cleaned(name?.as_str()?.trim_matches(['@', ' ']));
        (!name.is_empty()).then_some(name)
    }

    /// The first that reads as a time: `Timestamp` of a position is the second of its minute.
    fn clock(&self) -> Clock {
        let names = [
            "time_utc",
            "timestamp",
            "time",
            "at",
            "received_at",
            "msgtime",
            "rxuxtime",
            "rxtime",
        ];
        let said = names.iter().flat_map(|name| {
            let both = [named(self.body, &[name]), named(self.around, &[name])];
            both.into_iter().flatten()
        });
        said.map(when).fold(Clock::Silent, Clock::with)
    }

    fn point(&self) -> Result<Option<Point>, &'static str> {
        let latitude = named(self.body, &["latitude", "lat"]);
        let longitude = named(self.body, &["longitude", "lon", "lng"]);
        let (Some(latitude), Some(longitude)) = (latitude, longitude) else {
            return Ok(None);
        };
        let both = as_number(latitude).zip(as_number(longitude));
        let (latitude, longitude) = both.ok_or("the coordinates are no numbers")?;
        let by = match self.units {
            Units::Degrees => 1.0,
            Units::Radio => RADIO_DEGREE,
        };
        let (latitude, longitude) = (latitude / by, longitude / by);
        // So radios say that they do not know.
        if same(latitude.abs(), 91.0) || same(longitude.abs(), 181.0) {
            return Ok(None);
        }
        if latitude.abs() > 90.0 || longitude.abs() > 180.0 {
            return Err("the coordinates are no degrees");
        }
        Ok(Some(Point::of((latitude, longitude))))
    }

    /// Where the bow points, or else its course.
    fn heading(&self) -> Option<f64> {
        let on_the_rose = |degrees: &f64| (0.0..360.0).contains(degrees);
        let bow = self.number(&["trueheading", "true_heading", "heading", "hdg"]);
        let course = || {
            let course = self.number(&["cog", "course", "courseoverground"]);
            course.map(|course| course / self.tenths())
        };
        bow.filter(on_the_rose)
            .or_else(|| course().filter(on_the_rose))
    }

    fn knots(&self) -> Option<f64> {
        let said = self.find(&["sog", "speed", "speedoverground"])?;
        let is_whole = said.is_u64() || said.as_str().is_some_and(|text| !text.contains('.'));
        let by = if self.in_tenths && is_whole {
            10.0
        } else {
            self.tenths()
        };
        let knots = as_number(said)? / by;
        (0.0..102.3).contains(&knots).then_some(knots)
    }

    fn tenths(&self) -> f64 {
        match self.units {
            Units::Degrees => 1.0,
            Units::Radio => 10.0,
        }
    }

    fn find(&self, names: &[&str]) -> Option<&'v Value> {
        named(self.body, names).or_else(|| named(self.around, names))
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        self.find(names).and_then(as_number)
    }
}

fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < f64::EPSILON
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
fn when(value: &Value) -> Clock {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return Clock::Silent,
    };
    let is_second = || {
        text.parse()
            .is_ok_and(|number: f64| number <= MINUTE_SECONDS_MAX)
    };
    if text.is_empty() || is_second() {
        return Clock::Silent;
    }
    clock::read(&text).map_or(Clock::Unread, Clock::At)
}
