//! One sighting.

use std::collections::BTreeSet;

use domain::codes::{ContainerNumber, UnLocode};
use domain::report::{
    Classifier, Doubt, Equipment, Leg, Mode, MoveHint, Occurred, Precision, References, Report,
    SourceKind, Verb, ZoneSource,
};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::layout::LINE_COLUMNS_MAX;
use super::{DEFECTS_MAX, Profile, Running};
use crate::ocean::dcsa::text::cleaned;
use crate::ocean::dcsa::time::is_plausible;
use crate::table::{Finder, Found, Said, equipment, known_railroad, railroad};
use crate::{Defect, Located, Parsed};

/// How far ahead of its receipt an actual is still believed.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// One line of the file.
pub(super) struct Line<'l> {
    pub(super) text: &'l [u8],
    pub(super) number: usize,
}

/// What all lines of a file are read with.
pub(super) struct Lines<'a> {
    pub(super) profile: &'a Profile,
    pub(super) received_at: Timestamp,
    pub(super) finder: Finder<'a>,
    pub(super) ramps: BTreeSet<UnLocode>,
    pub(super) departed: Running,
}

/// Why a line is no sighting: which column, and what is wrong with it.
type Fault = (&'static str, String);

impl Lines<'_> {
    pub(super) fn read(&mut self, line: &Line<'_>, parsed: &mut Parsed) {
        let place = format!("line {}", line.number);
        match self.sighting(line.text) {
            Ok(reports) => parsed
                .reports
                .extend(reports.into_iter().map(|report| Located {
                    position: place.clone(),
                    report,
                })),
            Err((column, reason)) if parsed.defects.len() < DEFECTS_MAX => {
                let dot = if column.is_empty() { "" } else { "." };
                let place = format!("{place}{dot}{column}");
                parsed.defects.push(Defect { place, reason });
            }
            Err(_) => {}
        }
    }

    fn sighting(&mut self, line: &[u8]) -> Result<Vec<Report>, Fault> {
        let layout = &self.profile.layout;
        let least = layout.least();
        // Blanks at the end may have been taken off; then the mark that is left is one of a railroad.
        let trimmed = layout.text(line, "road").and_then(known_railroad).is_some();
        if line.len() > LINE_COLUMNS_MAX || (line.len() < least && !trimmed) {
            let length = line.len();
            let reason =
                format!("a sighting has {least} to {LINE_COLUMNS_MAX} columns, this has {length}");
            return Err(("", reason));
        }
        let text = |key: &str| layout.text(line, key);
        let initial = text("initial").ok_or(("initial", "there is none".to_owned()))?;
        if !matches!(initial.as_bytes(), [.., b'U' | b'u']) || initial.len() != 4 {
            return Ok(Vec::new()); // a car, a chassis or a trailer
        }
        let number = text("number").ok_or(("number", "there is none".to_owned()))?;
        let check = text("check_digit")
            .filter(|_| number.len() == 6)
            .unwrap_or_default();
        let whole = format!("{initial}{number}{check}");
        let (number, fits) = equipment(&whole).map_err(|reason| ("number", reason))?;
        let sight = text("sight").ok_or(("sight", "there is none".to_owned()))?;
        let owned = |key: &str| text(key).map(cleaned);
        let said = Said {
            splc: owned("splc"),
            locode: owned("locode"),
            facility: None,
            name: owned("city"),
            state: owned("state"),
        };
        let destination = Said {
            splc: owned("destination_splc"),
            locode: owned("destination_locode"),
            facility: None,
            name: owned("destination_city"),
            state: owned("destination_state"),
        };
        let found = self.finder.find(said, true);
        let destination = self.finder.find(destination, true);
        let mut report = self.blank(&found, number, line);
        if !fits {
            report.doubts.push(Doubt::CheckDigit);
        }
        let sighted = text("sighted_at").ok_or(("sighted_at", "there is none".to_owned()))?;
        let occurred = self
            .time(sighted, &found)
            .ok_or_else(|| ("sighted_at", format!("{sighted:?} is no time")))?;
        if !is_plausible(occurred.at, self.received_at) {
            return Err(("sighted_at", format!("{} cannot be true", occurred.local)));
        }
        let reported = text("reported_at").and_then(|text| self.time(text, &found));
        report.reported_at = reported.map(|reported| reported.at.max(occurred.at));
        let expected = self.estimate(&report, line);
        self.mean(&mut report, sight, &found, &destination);
        doubt(&mut report, &occurred);
        report.occurred = Some(occurred);
        Ok(std::iter::once(report).chain(expected).collect())
    }

    fn blank(&self, found: &Found, number: ContainerNumber, line: &[u8]) -> Report {
        let profile = self.profile;
        let text = |key: &str| profile.layout.text(line, key);
        let road = text("road").and_then(railroad).or(profile.railroad);
        let carrier = text("carrier").map(cleaned);
        Report {
            source: profile.id.clone(),
            source_kind: SourceKind::Clm,
            source_event_id: None,
            retracts: None,
            reported_at: None,
            received_at: self.received_at,
            verb: Verb::Document,
            classifier: Classifier::Actual,
            occurred: None,
            equipment: Some(Equipment {
                number,
                iso_type: None,
                laden: match text("laden") {
                    Some("L") => Some(true),
                    Some("E") => Some(false),
                    _ => None,
                },
                seals: Vec::new(),
                gross_kg: None,
            }),
            place: found.place.clone(),
            leg: Leg::default(),
            move_hint: None,
            references: References {
                bills: text("bill").map(cleaned).into_iter().collect(),
                bookings: Vec::new(),
                scac: road,
                others: carrier.into_iter().collect(),
            },
            original: String::new(),
            value: None,
            doubts: (!self.finder.knows(&found.place))
                .then_some(Doubt::PlaceUnknown)
                .into_iter()
                .collect(),
            position: None,
        }
    }

    /// What a letter means at its place.
    fn mean(&mut self, report: &mut Report, sight: &str, found: &Found, destination: &Found) {
        let number = report.equipment.as_ref().map(|gear| gear.number);
        let at_destination = self.is_one_place(found, destination);
        let at_ramp = at_destination || self.is_ramp(found);
        let running = number.is_some_and(|number| self.departed.contains(&number));
        let (verb, mode) = match sight {
            "A" if at_ramp => (Verb::Arrive, Some(Mode::Rail)),
            "D" => (Verb::Arrive, Some(Mode::Rail)),
            "P" if at_ramp && !at_destination && !running => (Verb::Depart, Some(Mode::Rail)),
            "U" => (Verb::Load, Some(Mode::Rail)),
            "V" => (Verb::Discharge, Some(Mode::Rail)),
            "C" => (Verb::GateIn, Some(Mode::Truck)),
            "E" => (Verb::GateOut, Some(Mode::Truck)),
            "Y" => (Verb::Available, None),
            "A" | "P" | "J" | "R" | "K" | "Z" | "W" | "X" | "H" | "B" | "F" | "G" | "Q" | "S"
            | "N" | "L" | "M" => (Verb::Document, None),
            _ => {
                report.doubts.push(Doubt::Unmapped);
                (Verb::Document, None)
            }
        };
        let laden = report.equipment.as_ref().and_then(|gear| gear.laden) == Some(true);
        let knows = |found: &Found| found.place.locode.is_some();
        report.move_hint = match verb {
            Verb::GateOut if laden && at_destination => Some(MoveHint::Import),
            Verb::GateIn if laden && !at_destination => Some(MoveHint::Export),
            // The waybill names an end further on. What the road calls the destination is one, whatever the waybill names.
            Verb::Arrive | Verb::Discharge | Verb::GateOut | Verb::Available
                if sight != "D"
                    && laden
                    && knows(found)
                    && knows(destination)
                    && !at_destination =>
            {
                Some(MoveHint::Onward)
            }
            _ => None,
        };
        match (verb, number) {
            (Verb::Depart, Some(number)) => _ = self.departed.insert(number),
            (Verb::Document, Some(number)) if matches!(sight, "J" | "R" | "K") => {
                // Another road takes over, and departs.
                self.departed.remove(&number);
            }
            (Verb::Document, _) | (_, None) => {}
            (_, Some(number)) => _ = self.departed.remove(&number),
        }
        report.verb = verb;
        report.leg.mode = mode;
        report.original = format!("SIGHT/{}", cleaned(&sight.to_uppercase()));
    }

    /// What is expected, where the line says so.
    fn estimate(&mut self, of: &Report, line: &[u8]) -> Option<Report> {
        let layout = &self.profile.layout;
        let owned = |key: &str| layout.text(line, key).map(cleaned);
        let sight = owned("estimate_sight")?;
        let at = owned("estimate_at")?;
        let verb = match sight.as_str() {
            "A" | "D" | "V" | "Y" => Verb::Eta,
            "P" => Verb::Depart,
            _ => return None,
        };
        let said = Said {
            splc: owned("estimate_splc"),
            locode: None,
            facility: None,
            name: owned("estimate_city"),
            state: owned("estimate_state"),
        };
        let found = self.finder.find(said, true);
        let occurred = self.time(&at, &found)?;
        if !is_plausible(occurred.at, self.received_at) {
            return None;
        }
        let mut report = of.clone();
        report.doubts.retain(|doubt| *doubt != Doubt::PlaceUnknown);
        if !self.finder.knows(&found.place) {
            report.doubts.push(Doubt::PlaceUnknown);
        }
        report.place = found.place;
        report.classifier = Classifier::Estimated;
        report.verb = verb;
        report.leg.mode = Some(Mode::Rail);
        report.original = format!("ESTIMATE/{}", sight.to_uppercase());
        doubt(&mut report, &occurred);
        report.occurred = Some(occurred);
        Some(report)
    }

    fn is_ramp(&self, found: &Found) -> bool {
        found
            .place
            .locode
            .is_some_and(|locode| self.ramps.contains(&self.finder.area(locode)))
    }

    fn is_one_place(&self, a: &Found, b: &Found) -> bool {
        let area = |found: &Found| found.place.locode.map(|locode| self.finder.area(locode));
        let named = |found: &Found| {
            found
                .place
                .name
                .clone()
                .filter(|_| found.place.locode.is_none())
        };
        (area(a).is_some() && area(a) == area(b)) || (named(a).is_some() && named(a) == named(b))
    }

    /// `yyyymmddHHMM` or `yyyymmddHH`.
    fn time(&self, text: &str, found: &Found) -> Option<Occurred> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || !matches!(text.len(), 10 | 12) {
            return None;
        }
        let part = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
        let small = |from, to| part(from, to).and_then(|part| i8::try_from(part).ok());
        let minute = if text.len() == 12 { small(10, 12)? } else { 0 };
        let date = Date::new(part(0, 4)?, small(4, 6)?, small(6, 8)?).ok()?;
        let (date, time) = match (small(8, 10)?, minute) {
            (24, 0) => (date.tomorrow().ok()?, Time::midnight()),
            (hour, minute) => (date, Time::new(hour, minute, 0, 0).ok()?),
        };
        let local = DateTime::from_parts(date, time);
        let (zone, zone_source) = match (&self.profile.zone, &found.zone) {
            (Some(zone), _) => (zone.clone(), ZoneSource::Tag),
            (None, Some(zone)) => (zone.clone(), ZoneSource::Location),
            (None, None) => {
                let near = found.near.clone().unwrap_or(TimeZone::UTC);
                (near, ZoneSource::Unknown)
            }
        };
        Some(Occurred {
            at: local.to_zoned(zone).ok()?.timestamp(),
            local,
            zone_source,
            precision: if text.len() == 12 {
                Precision::Minute
            } else {
                Precision::Hour
            },
        })
    }
}

fn doubt(report: &mut Report, occurred: &Occurred) {
    if occurred.zone_source == ZoneSource::Unknown {
        report.doubts.push(Doubt::ZoneUnknown);
    }
    let ahead = occurred.at.duration_since(report.received_at);
    if report.classifier == Classifier::Actual && ahead > SignedDuration::ZERO {
        let far = ahead > AHEAD_MAX;
        report.doubts.push(if far {
            Doubt::DowngradedToEstimate
        } else {
            Doubt::InFuture
        });
    }
}
