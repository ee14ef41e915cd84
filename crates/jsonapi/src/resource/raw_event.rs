//! One claim of one source, as it was read: not yet what we hold true.

use domain::codes::{ImoNumber, UnLocode};
use domain::container::Vessel;
use domain::ids::{ContainerId, ReportId};
use domain::place::Gazetteer;
use domain::report::{Classifier, Mode, MoveHint, Occurred, Precision, Report, Verb, ZoneSource};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::{place, source};
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToOne, moment};

/// What a raw event consists of.
pub const TYPE: Type = Type {
    name: "raw_event",
    about: "One claim of one source, in the order in which they came to us.",
    attributes: ATTRIBUTES,
    relationships: &[
        Relationship::one("container", &["container"]),
        Relationship::one("location", &["port", "metro_area"]),
        Relationship::one("terminal", &["terminal", "rail_terminal"]),
        Relationship::one("vessel", &["vessel"]),
    ],
    collection: None,
    versioned: false,
};

/// No text is shorter: all names of attributes stand in each.
pub const TEXT_BYTES_MIN: usize = 600;
/// The zone of a time that is known where the place is not.
const UTC: &str = "Etc/UTC";

/// What a raw event is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: ReportId,
    /// Its number among all that was claimed about the shipment, from 0, in the order in which it came to us.
    pub index: i64,
    /// The claim.
    pub report: &'a Report,
    /// When we got it.
    pub created_at: Timestamp,
    /// When another word of the source took its place or withdrew it.
    pub invalidated_at: Option<Timestamp>,
    /// The box it is about.
    pub container: Option<ContainerId>,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let report = view.report;
    let locode = report.place.locode;
    let facility = report.place.facility_code.as_deref();
    let terminal = locode
        .zip(facility)
        .and_then(|(port, code)| view.gazetteer.terminal_at(port, code));
    let relationships = Relationships {
        container: ToOne::maybe(view.container.map(|id| ("container", id))),
        location: place::site(locode, view.gazetteer),
        terminal: place::terminal(terminal.map(|t| t.code.as_str()), view.gazetteer),
        vessel: place::vessel(vessel(report).as_ref()),
    };
    Resource::new(TYPE.name, view.id, attributes(view), relationships).text()
}

/// The vessel a claim names, when it names one.
pub fn vessel(report: &Report) -> Option<Vessel> {
    let named = report.leg.vessel_imo.is_some() || report.leg.vessel_name.is_some();
    named.then(|| Vessel {
        imo: report.leg.vessel_imo,
        name: report.leg.vessel_name.clone(),
    })
}

fn attributes<'a>(view: &View<'a>) -> Attributes<'a> {
    let report = view.report;
    let locode = report.place.locode;
    let occurred = report.occurred.as_ref();
    let zone = zone(report, view.gazetteer);
    let at = occurred.and_then(|when| told(when, zone));
    let day = occurred
        .filter(|when| when.precision == Precision::Day)
        .map(|when| when.local.date());
    let instant = at.filter(|_| day.is_none());
    let actual = report.classifier == Classifier::Actual;
    Attributes {
        event: word(report),
        original_event: &report.original,
        timestamp: moment(at),
        estimated: !actual,
        actual_on: day.filter(|_| actual).map(Shown),
        estimated_on: day.filter(|_| !actual).map(Shown),
        actual_at: moment(instant.filter(|_| actual)),
        estimated_at: moment(instant.filter(|_| !actual)),
        will_occur_at: moment(at.filter(|_| !actual)),
        timezone: zone,
        created_at: Moment(view.created_at),
        location_name: report
            .place
            .name
            .as_deref()
            .or_else(|| place::name(locode, view.gazetteer)),
        location_locode: locode.map(Shown),
        vessel_name: report.leg.vessel_name.as_deref(),
        vessel_imo: report.leg.vessel_imo.map(Shown),
        voyage_number: voyage(report),
        index: view.index,
        data_source: source::word(report.source_kind),
        data_provider_name: &report.source,
        data_provider_code: &report.source,
        invalidated_at: moment(view.invalidated_at),
    }
}

/// The zone of the place. Without one a time whose zone the source told, or we found, is UTC and says so: null means the local
/// clock. A date of an unknown place has none, for it began at no known instant.
fn zone<'a>(report: &Report, gazetteer: &'a Gazetteer) -> Option<&'a str> {
    let there = place::zone(report.place.locode, gazetteer);
    let Some(when) = &report.occurred else {
        return there;
    };
    if when.zone_source == ZoneSource::Unknown {
        return None;
    }
    there.or((when.precision != Precision::Day).then_some(UTC))
}

/// The instant, and of a date beside which no zone is told its midnight read as UTC.
fn told(when: &Occurred, zone: Option<&str>) -> Option<Timestamp> {
    if when.precision != Precision::Day || zone.is_some() {
        return Some(when.at);
    }
    let midnight = when.local.to_zoned(TimeZone::UTC).ok()?;
    Some(midnight.timestamp())
}

/// The voyage of the side the claim is about: arrivals and discharges belong to the inbound one.
fn voyage(report: &Report) -> Option<&str> {
    let leg = &report.leg;
    let inbound = matches!(report.verb, Verb::Arrive | Verb::Discharge | Verb::Berth);
    let (first, second) = if inbound {
        (&leg.voyage_in, &leg.voyage_out)
    } else {
        (&leg.voyage_out, &leg.voyage_in)
    };
    first.as_deref().or(second.as_deref())
}

/// The claim's own word of the public list, read alone: whether a port is a transshipment only the whole way
/// tells, so that is said here only when the source says it. `None` when no word fits.
fn word(report: &Report) -> Option<&'static str> {
    let laden = report.equipment.as_ref().and_then(|e| e.laden);
    let carriage = Carriage::of(report);
    match report.verb {
        Verb::GateIn => match (laden, report.move_hint) {
            (Some(false), _) => Some("empty_in"),
            (Some(true), _) | (None, Some(MoveHint::Export)) => Some("full_in"),
            (None, _) => None,
        },
        Verb::GateOut => match (laden, report.move_hint) {
            (Some(false), _) => Some("empty_out"),
            (Some(true), _) | (None, Some(MoveHint::Import | MoveHint::Delivery)) => {
                Some("full_out")
            }
            (None, _) => None,
        },
        Verb::Load => carriage.choose([
            "vessel_loaded",
            "transshipment_loaded",
            "feeder_loaded",
            "rail_loaded",
        ]),
        Verb::Discharge => carriage.choose([
            "vessel_discharged",
            "transshipment_discharged",
            "feeder_discharged",
            "rail_unloaded",
        ]),
        Verb::Arrive => carriage.choose([
            "vessel_arrived",
            "transshipment_arrived",
            "feeder_arrived",
            "rail_arrived",
        ]),
        Verb::Depart => carriage.choose([
            "vessel_departed",
            "transshipment_departed",
            "feeder_departed",
            "rail_departed",
        ]),
        Verb::Dropoff if laden == Some(true) => Some("delivered"),
        Verb::Available => Some("available"),
        Verb::Berth
        | Verb::Stuff
        | Verb::Strip
        | Verb::Pickup
        | Verb::Dropoff
        | Verb::SealChange
        | Verb::Inspect
        | Verb::NotAvailable
        | Verb::HoldSet
        | Verb::HoldClear
        | Verb::Fee
        | Verb::LastFreeDay
        | Verb::Appointment
        | Verb::Eta
        | Verb::Document
        | Verb::Position
        | Verb::Customs => None,
    }
}

/// By what, as far as one claim tells.
enum Carriage {
    Sea,
    Transshipment,
    Feeder,
    Rail,
    Other,
}

impl Carriage {
    fn of(report: &Report) -> Self {
        match (report.leg.mode, report.move_hint) {
            (Some(Mode::Rail), _) => Self::Rail,
            (Some(Mode::Truck), _) | (_, Some(MoveHint::Shifting)) => Self::Other,
            (Some(Mode::Barge), _) => Self::Feeder,
            (_, Some(MoveHint::Transshipment)) => Self::Transshipment,
            (_, Some(MoveHint::Onward)) if report.verb == Verb::Discharge => Self::Transshipment,
            (_, Some(MoveHint::PreCarriage)) if report.verb != Verb::Arrive => Self::Feeder,
            (_, Some(MoveHint::Onward | MoveHint::PreCarriage)) => Self::Other,
            (Some(Mode::Vessel), _) => Self::Sea,
            (None, _) if report.leg.vessel_name.is_some() || report.leg.vessel_imo.is_some() => {
                Self::Sea
            }
            (None, _) => Self::Other,
        }
    }

    fn choose(
        &self,
        [sea, transshipment, feeder, rail]: [&'static str; 4],
    ) -> Option<&'static str> {
        match self {
            Self::Sea => Some(sea),
            Self::Transshipment => Some(transshipment),
            Self::Feeder => Some(feeder),
            Self::Rail => Some(rail),
            Self::Other => None,
        }
    }
}

#[derive(Serialize)]
struct Relationships {
    container: ToOne,
    location: ToOne,
    terminal: ToOne,
    vessel: ToOne,
}

#[derive(Serialize)]
struct Attributes<'a> {
    event: Option<&'static str>,
    original_event: &'a str,
    timestamp: Option<Moment>,
    estimated: bool,
    actual_on: Option<Shown<Date>>,
    estimated_on: Option<Shown<Date>>,
    actual_at: Option<Moment>,
    estimated_at: Option<Moment>,
    will_occur_at: Option<Moment>,
    timezone: Option<&'a str>,
    created_at: Moment,
    location_name: Option<&'a str>,
    location_locode: Option<Shown<UnLocode>>,
    vessel_name: Option<&'a str>,
    vessel_imo: Option<Shown<ImoNumber>>,
    voyage_number: Option<&'a str>,
    index: i64,
    data_source: &'static str,
    data_provider_name: &'a str,
    data_provider_code: &'a str,
    invalidated_at: Option<Moment>,
}

fn words() -> Vec<&'static str> {
    vec![
        "empty_out",
        "full_in",
        "positioned_in",
        "positioned_out",
        "vessel_loaded",
        "vessel_departed",
        "transshipment_arrived",
        "transshipment_discharged",
        "transshipment_loaded",
        "transshipment_departed",
        "feeder_arrived",
        "feeder_discharged",
        "feeder_loaded",
        "feeder_departed",
        "rail_loaded",
        "rail_departed",
        "rail_arrived",
        "rail_unloaded",
        "vessel_arrived",
        "vessel_discharged",
        "arrived_at_destination",
        "delivered",
        "full_out",
        "empty_in",
        "vgm_received",
        "carrier_release",
        "customs_release",
        "available",
    ]
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute::or_null("event", Shape::OneOf(words)).about("Null when no word fits."),
    Attribute::or_null("original_event", Shape::Text).about("The source's own code or words."),
    Attribute::or_null("timestamp", Shape::Moment),
    Attribute::new("estimated", Shape::Boolean),
    Attribute::or_null("actual_on", Shape::Date).about("Only when no time of day is known."),
    Attribute::or_null("estimated_on", Shape::Date).about("Only when no time of day is known."),
    Attribute::or_null("actual_at", Shape::Moment),
    Attribute::or_null("estimated_at", Shape::Moment),
    Attribute::or_null("will_occur_at", Shape::Moment),
    Attribute::or_null("timezone", Shape::Zone)
        .about(
            "The place's. Etc/UTC when that is unknown and the times are UTC; null when they are the local clock read as UTC, \
             as is a date of an unknown place.",
        ),
    Attribute::new("created_at", Shape::Moment),
    Attribute::or_null("location_name", Shape::Text),
    Attribute::or_null("location_locode", Shape::Text),
    Attribute::or_null("vessel_name", Shape::Text),
    Attribute::or_null("vessel_imo", Shape::Text),
    Attribute::or_null("voyage_number", Shape::Text),
    Attribute::new("index", Shape::Integer).about("Number among all that was claimed about the shipment, from 0, in the order in which it came to us."),
    Attribute::new("data_source", Shape::OneOf(source::words)),
    Attribute::new("data_provider_name", Shape::Text),
    Attribute::new("data_provider_code", Shape::Text),
    Attribute::or_null("invalidated_at", Shape::Moment),
];
