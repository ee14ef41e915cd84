//! The parts of a message to reports.

use domain::codes::ContainerNumber;
use domain::place::Gazetteer;
use domain::report::{
    Classifier, Doubt, Equipment, Leg, Mode, Place, References, Report, Verb, ZoneSource,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::places::Places;
use super::{blank, words};
use crate::ocean::dcsa::text::cleaned;
use crate::ocean::dcsa::{Profile, time};
use crate::{Defect, Located, Parsed};

/// How far ahead of its receipt an actual is still believed.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);
/// How many claims one message may make.
const CLAIMS_MAX: usize = 50_000;

/// What every part of a message is read with.
pub(super) struct Message<'a> {
    profile: &'a Profile,
    received_at: Timestamp,
    gazetteer: &'a Gazetteer,
    places: Places<'a>,
    references: References,
}

type Fault = (&'static str, String);

impl<'a> Message<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        told: &Value,
        received_at: Timestamp,
        gazetteer: &'a Gazetteer,
    ) -> Self {
        let papers = told.pointer("/data/content/trackingPath");
        let number = |name: &str| text(papers?, name);
        let references = References {
            bills: number("trackingGroupReferenceCode").into_iter().collect(),
            bookings: number("billOfladingRefCode").into_iter().collect(),
            scac: profile.scac(),
            others: Vec::new(),
        };
        Self {
            profile,
            received_at,
            gazetteer,
            places: Places::new(gazetteer, told),
            references,
        }
    }

    pub(super) fn read(&self, told: &Value, parsed: &mut Parsed) {
        let Some(data) = told.get("data") else {
            parsed.defects.push(Defect {
                place: "data".into(),
                reason: match text(told, "message") {
                    Some(words) => format!("there is none; the carrier says {words:?}"),
                    None => "there is none".into(),
                },
            });
            return;
        };
        let Some(content) = data.get("content").filter(|content| !content.is_null()) else {
            return; // the number is not known
        };
        let root = "data.content";
        for (index, shipped) in items(content, "containers") {
            let at = format!("{root}.containers[{index}]");
            let of_box = shipped.get("container").unwrap_or(&Value::Null);
            for (index, moved) in items(shipped, "containerCircleStatus") {
                let at = format!("{at}.containerCircleStatus[{index}]");
                let told = self.moved(moved, of_box, "containerNumberStatus", "timeOfIssue");
                keep(parsed, &at, told.map(|report| vec![report]));
            }
        }
        for (index, status) in items(content, "containerStatus") {
            for (number, last) in items(status, "containers") {
                let at = format!("{root}.containerStatus[{index}].containers[{number}]");
                let told = self.moved(last, last, "label", "locationDateTime");
                keep(parsed, &at, told.map(|report| vec![report]));
            }
        }
        for (index, voyage) in items(content, "actualShipment") {
            let at = format!("{root}.actualShipment[{index}]");
            for end in self.voyage(voyage) {
                keep(parsed, &at, end.map(|report| vec![report]));
            }
        }
    }

    /// A move of a box: `says` is the member with the sentence, `when` the one with its time.
    fn moved(
        &self,
        moved: &Value,
        of_box: &Value,
        says: &'static str,
        when: &'static str,
    ) -> Result<Report, Fault> {
        let sentence = text(moved, says).ok_or((says, "there is none".to_owned()))?;
        let told = words::of(&sentence);
        let number = text(moved, "containerNumber").or_else(|| text(of_box, "containerNumber"));
        let number = number.ok_or(("containerNumber", "a move names its box".to_owned()))?;
        let (number, fits) = ContainerNumber::from_feed(&number)
            .map_err(|error| ("containerNumber", error.to_string()))?;
        let mut report = self.at(text(moved, "location"));
        self.time(&mut report, moved, when)?;
        if !fits {
            report.doubts.push(Doubt::CheckDigit);
        }
        if told.is_none() {
            report.doubts.push(Doubt::Unmapped);
        }
        let said = text(moved, "transportation").and_then(|word| words::mode(&word));
        report.verb = told.map_or(Verb::Document, |told| told.verb);
        report.leg.mode = said.or_else(|| told.and_then(|told| told.mode));
        report.move_hint = told.and_then(|told| told.hint);
        report.original = sentence.to_uppercase();
        let seal = text(of_box, "sealNumber");
        report.equipment = Some(Equipment {
            number,
            iso_type: text(of_box, "containerType"),
            laden: told.and_then(|told| told.laden),
            seals: seal.into_iter().collect(),
            gross_kg: None,
        });
        Ok(report)
    }

    /// The ends of one voyage, as claims about every box of the bill. Each stands by itself: a time that is none costs no
    /// other.
    fn voyage(&self, voyage: &Value) -> Vec<Result<Report, Fault>> {
        let leg = Leg {
            mode: Some(Mode::Vessel),
            vessel_name: text(voyage, "vesselName"),
            voyage_out: text(voyage, "voyageNo"),
            voyage_in: text(voyage, "voyageNo"),
            service: text(voyage, "service"),
            ..Leg::default()
        };
        let ends = [
            (
                "actualDepartureDate",
                "portOfLoading",
                Verb::Depart,
                Classifier::Actual,
            ),
            (
                "expectedDateOfDeparture",
                "portOfLoading",
                Verb::Depart,
                Classifier::Estimated,
            ),
            (
                "actualArrivalDate",
                "portOfDischarge",
                Verb::Arrive,
                Classifier::Actual,
            ),
            (
                "estimatedDateOfArrival",
                "portOfDischarge",
                Verb::Arrive,
                Classifier::Estimated,
            ),
        ];
        let mut told = Vec::new();
        for (when, place, verb, classifier) in ends {
            if text(voyage, when).is_none() {
                continue;
            }
            let mut report = self.at(text(voyage, place));
            report.classifier = classifier;
            told.push(self.time(&mut report, voyage, when).map(|()| {
                report.verb = verb;
                report.leg = leg.clone();
                report.original = format!("VOYAGE/{}", when.to_uppercase());
                report
            }));
        }
        if told.is_empty() {
            told.push(Err(("", "a voyage has at least one time".to_owned())));
        }
        told
    }

    fn at(&self, name: Option<String>) -> Report {
        let locode = name.as_deref().and_then(|name| self.places.locode(name));
        let mut report = blank(self.profile, self.received_at);
        report.references = self.references.clone();
        if name.is_some() && locode.is_none() {
            report.doubts.push(Doubt::PlaceUnknown);
        }
        report.place = Place {
            locode,
            name,
            ..Place::default()
        };
        report
    }

    fn time(&self, report: &mut Report, from: &Value, member: &'static str) -> Result<(), Fault> {
        let told = text(from, member).ok_or((member, "there is no time".to_owned()))?;
        let shown: String = told.chars().take(40).collect();
        let spot = time::Spot {
            gazetteer: self.gazetteer,
            locode: report.place.locode,
            facility: None,
        };
        let occurred = time::read(&told)
            .and_then(|clock| time::resolve(clock, spot, self.profile.quirks))
            .ok_or_else(|| (member, format!("{shown:?} is no time")))?;
        if !time::is_plausible(occurred.at, self.received_at) {
            return Err((member, format!("{shown} cannot be true")));
        }
        if occurred.zone_source == ZoneSource::Unknown {
            report.doubts.push(Doubt::ZoneUnknown);
        }
        let ahead = occurred.at.duration_since(self.received_at);
        if report.classifier == Classifier::Actual && ahead > SignedDuration::ZERO {
            let far = ahead > AHEAD_MAX;
            report.doubts.push(if far {
                Doubt::DowngradedToEstimate
            } else {
                Doubt::InFuture
            });
        }
        report.occurred = Some(occurred);
        Ok(())
    }
}

fn keep(parsed: &mut Parsed, position: &str, told: Result<Vec<Report>, Fault>) {
    match told {
        Ok(reports) => {
            let left = CLAIMS_MAX.saturating_sub(parsed.reports.len());
            let located = reports.into_iter().take(left).map(|report| Located {
                position: position.to_owned(),
                report,
            });
            parsed.reports.extend(located);
        }
        Err((member, reason)) => {
            let dot = if member.is_empty() { "" } else { "." };
            parsed.defects.push(Defect {
                place: format!("{position}{dot}{member}"),
                reason,
            });
        }
    }
}

/// The elements of a list; one object counts as a list of one.
fn items<'v>(within: &'v Value, name: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    let list = match within.get(name) {
        Some(Value::Array(list)) => list.as_slice(),
        Some(only @ Value::Object(_)) => std::slice::from_ref(only),
        _ => &[],
    };
    list.iter().enumerate()
}

/// A member as a text, numbers included; blanks and fillers are none.
fn text(within: &Value, name: &str) -> Option<String> {
    let told = match within.get(name)? {
        Value::String(text) => cleaned(text.trim()),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let meant = !matches!(
        told.to_ascii_uppercase().as_str(),
        "" | "-" | "N/A" | "NULL"
    );
    meant.then_some(told)
}
