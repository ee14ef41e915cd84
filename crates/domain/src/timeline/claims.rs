//! A claim about a move, settled as far as it can be without the others.
//!
//! An actual that lies more than a day after we received it has not happened: it counts as an estimate, for
//! ever. Nothing ever goes the other way.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::codes::{ImoNumber, UnLocode};
use crate::container::is_one_ship;
use crate::place::Gazetteer;
use crate::report::{
    Classifier, Doubt, FacilityType, Leg, Mode, MoveHint, Precision, Report, SourceKind, Verb,
    ZoneSource,
};
use crate::trust::{FACILITY, Ranks, Trust};

/// How far in the future of its receipt an actual may lie (wrong zones) and still be one.
const FUTURE_ACTUAL_MAX: SignedDuration = SignedDuration::from_hours(24);

/// One claim about a move of the box or its vessel, settled as far as it can be without the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    pub report: &'a Report,
    pub verb: Verb,
    pub classifier: Classifier,
    pub at: Timestamp,
    pub precision: Precision,
    /// Canonical: twins of one port are one place.
    pub place: Option<UnLocode>,
    /// The metropolitan area around the place, else the place.
    pub area: Option<UnLocode>,
    pub mode: Option<Mode>,
    pub laden: Option<bool>,
    pub hint: Option<MoveHint>,
    /// The ship; by number wherever any report tells the number of that name.
    pub ship: Option<Ship<'a>>,
    /// The ranks that its source was given.
    pub ranks: Option<&'a Ranks>,
    /// When its source said it last, though an older reading of it stands.
    pub said_last: Timestamp,
    /// When we were told it first, at this place; corrections of its time are no later news.
    pub heard_first: Timestamp,
}

/// A ship as far as it can be told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ship<'a> {
    Numbered(ImoNumber),
    Named(&'a str),
}

impl<'a> Ship<'a> {
    pub fn of(leg: &'a Leg) -> Option<Self> {
        let named = || leg.vessel_name.as_deref().map(Self::Named);
        leg.vessel_imo.map(Self::Numbered).or_else(named)
    }

    /// A number and a name cannot be compared: then neither this nor [`differs`](Self::differs) holds.
    pub fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Named(a), Self::Named(b)) => is_one_ship(a, b),
            (a, b) => a == b,
        }
    }

    /// However it is spelt there.
    pub fn is_among(self, ships: &[Self]) -> bool {
        ships.iter().any(|ship| ship.is(self))
    }

    pub fn differs(self, other: Self) -> bool {
        match (self, other) {
            (Self::Numbered(_), Self::Named(_)) | (Self::Named(_), Self::Numbered(_)) => false,
            (a, b) => !a.is(b),
        }
    }
}

impl<'a> Claim<'a> {
    /// Reads one; `None` when it has no time.
    pub fn of(report: &'a Report, gazetteer: &Gazetteer, trust: &'a Trust) -> Option<Self> {
        let occurred = report.occurred.as_ref()?;
        Some(Self {
            report,
            verb: report.verb,
            classifier: effective_classifier(report, occurred.at),
            at: occurred.at,
            precision: occurred.precision,
            place: report.place.locode.map(|code| gazetteer.canonical(code)),
            area: report.place.locode.map(|code| gazetteer.area(code)),
            mode: settled_mode(report, gazetteer),
            laden: report.equipment.as_ref().and_then(|e| e.laden),
            hint: report.move_hint,
            ship: Ship::of(&report.leg),
            ranks: trust.of(&report.source),
            said_last: report.issued_at(),
            heard_first: report.received_at,
        })
    }

    pub fn is_actual(&self) -> bool {
        self.classifier == Classifier::Actual
    }

    pub fn is_by(&self, mode: Mode) -> bool {
        self.mode == Some(mode)
    }

    pub fn facility(&self) -> Option<FacilityType> {
        self.report.place.facility_type
    }

    /// The last moment that the claim can mean: a bare date may mean the evening.
    pub fn latest(&self) -> Timestamp {
        self.precision.latest(self.at)
    }

    /// Whether it lies after its own receipt, though not far enough to be no actual.
    pub fn is_in_future(&self) -> bool {
        self.is_actual() && self.at > self.report.received_at
    }
}

/// The day on the clock of the place. A bare date is a date of that clock; a time may be written on another
/// one (UTC, the sender's), whose calendar can be a day off.
pub(crate) fn local_day(report: &Report, gazetteer: &Gazetteer) -> Option<Date> {
    let occurred = report.occurred.as_ref()?;
    let as_sent = occurred.local.date();
    if occurred.precision == Precision::Day || occurred.zone_source == ZoneSource::Unknown {
        return Some(as_sent);
    }
    let clock = clock_there(report, gazetteer);
    Some(clock.map_or(as_sent, |clock| clock.to_datetime(occurred.at).date()))
}

/// The clock of the place that a report names.
pub(crate) fn clock_there(report: &Report, gazetteer: &Gazetteer) -> Option<TimeZone> {
    let zone = gazetteer.zone(report.place.locode?)?;
    TimeZone::get(zone).ok()
}

fn effective_classifier(report: &Report, at: Timestamp) -> Classifier {
    let limit = report
        .received_at
        .checked_add(FUTURE_ACTUAL_MAX)
        .unwrap_or(Timestamp::MAX);
    let not_yet = at > limit || report.doubts.contains(&Doubt::DowngradedToEstimate);
    match report.classifier {
        Classifier::Actual if not_yet => Classifier::Estimated,
        told => told,
    }
}

/// The means of transport, where a source leaves it out and the rest tells it.
fn settled_mode(report: &Report, gazetteer: &Gazetteer) -> Option<Mode> {
    let aboard = matches!(
        report.verb,
        Verb::Load | Verb::Discharge | Verb::Arrive | Verb::Depart | Verb::Berth
    );
    if report.leg.mode.is_some() || !aboard {
        // No ship goes through a gate: it is that of the voyage for which the box comes in or by which it came.
        let is_gate = matches!(report.verb, Verb::GateIn | Verb::GateOut);
        return report
            .leg
            .mode
            .filter(|mode| !(is_gate && *mode == Mode::Vessel));
    }
    match report.place.facility_type {
        _ if names_vessel(&report.leg) => Some(Mode::Vessel),
        Some(FacilityType::Ramp | FacilityType::InlandTerminal) => Some(Mode::Rail),
        Some(FacilityType::CustomerLocation) => Some(Mode::Truck),
        // No ship comes here; whether a train does is not said.
        Some(FacilityType::Depot | FacilityType::FreightStation | FacilityType::OffDock) => None,
        Some(FacilityType::Border | FacilityType::PortTerminal | FacilityType::Waypoint) | None => {
            let is_inland = report
                .place
                .locode
                .is_some_and(|place| gazetteer.is_inland(place));
            (!is_inland).then_some(Mode::Vessel)
        }
    }
}

fn names_vessel(leg: &Leg) -> bool {
    leg.vessel_imo.is_some() || leg.vessel_name.is_some()
}

/// Whether the feed is a railroad's.
pub(crate) fn is_railroad(kind: SourceKind) -> bool {
    matches!(
        kind,
        SourceKind::RailApi | SourceKind::X12_322 | SourceKind::Clm
    )
}

/// Whether the feed stands where the box stands: a terminal or a railroad.
pub(crate) fn is_facility(kind: SourceKind) -> bool {
    FACILITY.contains(&kind)
}
