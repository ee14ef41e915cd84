//! A box on one journey.
//!
//! The attributes are the milestones that stand, spread over named times. Each time is written in UTC; the
//! zone it is meant in stands beside it (`pod_timezone` and friends).

use domain::codes::{EquipmentHeight, EquipmentType, Scac};
use domain::container::{
    ContainerState, CurrentStatus, Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay,
};
use domain::event::EventName;
use domain::ids::{ContainerId, CustomFieldId, EventId, PartyId, ReportId, ShipmentId};
use domain::place::Gazetteer;
use jiff::Timestamp;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Exact, Moment, Resource, Shown, ToMany, ToOne, moment};

/// What a container consists of.
pub const TYPE: Type = Type {
    name: "container",
    about: "One box on one journey. The same box number may appear on several.",
    attributes: ATTRIBUTES,
    relationships: &[
        Relationship::one("shipment", &["shipment"]),
        Relationship::one("customer", &["party"]),
        Relationship::one("pod_terminal", &["terminal"]),
        Relationship::one("pickup_facility", &["terminal"]),
        Relationship::many("transport_events", &["transport_event"]),
        Relationship::many("raw_events", &["raw_event"]),
        Relationship::many("custom_fields", &["custom_field"]),
    ],
    collection: Some("containers"),
    versioned: true,
};

/// What a container is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: ContainerId,
    /// The shipment it belongs to.
    pub shipment: ShipmentId,
    /// What we hold true.
    pub state: &'a ContainerState,
    /// The account's own references.
    pub ref_numbers: &'a [String],
    /// When the box became known.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// When the line was last asked.
    pub line_checked_at: Option<Timestamp>,
    /// Its transport events, in the order to show.
    pub transport_events: &'a [EventId],
    /// Claims about it, in source order.
    pub raw_events: &'a [ReportId],
    /// Its customer: its own, else the shipment's.
    pub customer: Option<PartyId>,
    /// The custom fields that are set.
    pub custom_fields: &'a [CustomFieldId],
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let journey = &view.state.journey;
    let pickup = &view.state.pickup;
    let facility = journey
        .destination
        .map_or(pickup.pod_terminal.as_deref(), |_| {
            journey.destination_terminal.as_deref()
        });
    let relationships = Relationships {
        shipment: ToOne::to("shipment", view.shipment),
        customer: ToOne::maybe(view.customer.map(|id| ("party", id))),
        pod_terminal: place::facility(pickup.pod_terminal.as_deref(), view.gazetteer),
        pickup_facility: place::facility(facility, view.gazetteer),
        transport_events: ToMany::to("transport_event", view.transport_events),
        raw_events: ToMany::to("raw_event", view.raw_events),
        custom_fields: ToMany::to("custom_field", view.custom_fields),
    };
    Resource::new(TYPE.name, view.id, attributes(view), relationships)
        .linked("containers")
        .versioned(view.version)
        .text()
}

fn attributes<'a>(view: &View<'a>) -> Attributes<'a> {
    let state = view.state;
    let journey = &state.journey;
    let pickup = &state.pickup;
    let times = state.milestone_times();
    let at = |attribute| {
        let mut found = times.iter().filter(|(name, _)| *name == attribute);
        moment(found.find_map(|(_, at)| *at))
    };
    let lfd_rail = lfd(pickup.lfd_rail.as_ref());
    let at_ramp = journey.destination.is_some() && state.rail.heard_at.is_some();
    Attributes {
        number: state.number.as_str(),
        current_status: state.status.as_str(),
        ref_numbers: view.ref_numbers,
        equipment_type: state.size_type.equipment_type.map(type_word),
        equipment_length: state.size_type.length_ft,
        equipment_height: state.size_type.height.map(height_word),
        weight_in_lbs: state.gross_kg.and_then(pounds),
        seal_number: state.seals.first().map(String::as_str),
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
        availability_known: pickup.available.is_some(),
        available_for_pickup: pickup.available,
        holds_at_pod_terminal: pickup.holds.iter().map(HoldItem::of).collect(),
        fees_at_pod_terminal: pickup.fees.iter().map(FeeItem::of).collect(),
        pickup_lfd: lfd(pickup.last_free_day()),
        import_deadlines: ImportDeadlines {
            pickup_lfd_line: lfd(pickup.lfd_line.as_ref()),
            pickup_lfd_terminal: lfd(pickup.lfd_terminal.as_ref()),
            pickup_lfd_rail: lfd_rail,
        },
        pickup_appointment_at: moment(pickup.appointment),
        location_at_pod_terminal: pickup.yard_location.as_deref(),
        pod_arrived_at: at("pod_arrived_at"),
        pod_discharged_at: at("pod_discharged_at"),
        pod_full_out_at: at("pod_full_out_at"),
        pod_full_out_chassis_number: pickup.chassis.as_deref(),
        terminal_checked_at: moment(pickup.terminal_checked_at),
        pod_last_tracking_request_at: moment(pickup.terminal_checked_at),
        shipment_last_tracking_request_at: moment(view.line_checked_at),
        rail_last_tracking_request_at: moment(state.rail.heard_at),
        final_destination_full_out_at: at("final_destination_full_out_at"),
        empty_terminated_at: at("empty_terminated_at"),
        pod_timezone: place::zone(journey.port_of_discharge, view.gazetteer),
        final_destination_timezone: place::zone(journey.destination, view.gazetteer),
        empty_terminated_timezone: state
            .milestone(EventName::EmptyIn)
            .and_then(|milestone| milestone.zone.as_deref()),
        pod_rail_carrier_scac: state.rail.pod_carrier.map(Shown),
        ind_rail_carrier_scac: state.rail.inland_carrier.map(Shown),
        pod_rail_loaded_at: at("pod_rail_loaded_at"),
        pod_rail_departed_at: at("pod_rail_departed_at"),
        ind_eta_at: moment(
            state
                .estimate(EventName::EstimatedArrivedAtInlandDestination)
                .filter(|_| at("ind_ata_at").is_none())
                .map(|estimate| estimate.at),
        ),
        ind_ata_at: at("ind_ata_at"),
        ind_rail_unloaded_at: at("ind_rail_unloaded_at"),
        ind_facility_lfd_on: lfd_rail,
        empty_out_at: at("empty_out_at"),
        pol_full_in_at: at("pol_full_in_at"),
        pol_vessel_loaded_at: at("pol_vessel_loaded_at"),
        pol_vessel_departed_at: at("pol_vessel_departed_at"),
        delivered_at: at("delivered_at"),
        ind_facility_holds: at_ramp.then(|| state.rail.holds.iter().map(HoldItem::of).collect()),
        ind_facility_fees: at_ramp.then(|| state.rail.fees.iter().map(FeeItem::of).collect()),
        ssl_lfd: lfd(pickup.lfd_line.as_ref()),
    }
}

pub(crate) fn lfd(day: Option<&LastFreeDay>) -> Option<Moment> {
    day.map(|day| Moment(day.instant()))
}

pub(crate) fn pounds(kilograms: Decimal) -> Option<i64> {
    kilograms
        .checked_mul(Decimal::new(2_204_622_622, 9))?
        .round()
        .to_i64()
}

fn type_word(kind: EquipmentType) -> &'static str {
    match kind {
        EquipmentType::Dry => "dry",
        EquipmentType::Reefer => "reefer",
        EquipmentType::OpenTop => "open top",
        EquipmentType::FlatRack => "flat rack",
        EquipmentType::Bulk => "bulk",
        EquipmentType::Tank => "tank",
    }
}

fn height_word(height: EquipmentHeight) -> &'static str {
    match height {
        EquipmentHeight::Standard => "standard",
        EquipmentHeight::HighCube => "high cube",
    }
}

/// A hold as listed.
#[derive(Serialize)]
pub(crate) struct HoldItem<'a> {
    name: &'static str,
    status: &'static str,
    description: Option<&'a str>,
}

impl<'a> HoldItem<'a> {
    pub(crate) fn of(hold: &'a Hold) -> Self {
        Self {
            name: hold.name.as_str(),
            status: match hold.status {
                HoldStatus::Hold => "hold",
                HoldStatus::Pending => "pending",
            },
            description: hold.description.as_deref(),
        }
    }
}

/// A fee as listed: 0 and `posted: false` when the kind is known and the amount is not.
#[derive(Serialize)]
pub(crate) struct FeeItem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    amount: Exact,
    currency_code: &'a str,
    posted: bool,
}

impl<'a> FeeItem<'a> {
    pub(crate) fn of(fee: &'a Fee) -> Self {
        Self {
            kind: match fee.kind {
                FeeKind::Demurrage => "demurrage",
                FeeKind::Exam => "exam",
                FeeKind::ExtendedDwellTime => "extended_dwell_time",
                FeeKind::Other => "other",
                FeeKind::Total => "total",
            },
            amount: Exact(fee.amount.unwrap_or_default()),
            currency_code: &fee.currency,
            posted: fee.amount.is_some(),
        }
    }
}

#[derive(Serialize)]
struct Relationships {
    shipment: ToOne,
    customer: ToOne,
    pod_terminal: ToOne,
    pickup_facility: ToOne,
    transport_events: ToMany,
    raw_events: ToMany,
    custom_fields: ToMany,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "names of the wire")]
struct ImportDeadlines {
    pickup_lfd_line: Option<Moment>,
    pickup_lfd_terminal: Option<Moment>,
    pickup_lfd_rail: Option<Moment>,
}

#[derive(Serialize)]
struct Attributes<'a> {
    number: &'a str,
    current_status: &'static str,
    ref_numbers: &'a [String],
    equipment_type: Option<&'static str>,
    equipment_length: Option<u8>,
    equipment_height: Option<&'static str>,
    weight_in_lbs: Option<i64>,
    seal_number: Option<&'a str>,
    created_at: Moment,
    updated_at: Moment,
    availability_known: bool,
    available_for_pickup: Option<bool>,
    holds_at_pod_terminal: Vec<HoldItem<'a>>,
    fees_at_pod_terminal: Vec<FeeItem<'a>>,
    pickup_lfd: Option<Moment>,
    import_deadlines: ImportDeadlines,
    pickup_appointment_at: Option<Moment>,
    location_at_pod_terminal: Option<&'a str>,
    pod_arrived_at: Option<Moment>,
    pod_discharged_at: Option<Moment>,
    pod_full_out_at: Option<Moment>,
    pod_full_out_chassis_number: Option<&'a str>,
    terminal_checked_at: Option<Moment>,
    pod_last_tracking_request_at: Option<Moment>,
    shipment_last_tracking_request_at: Option<Moment>,
    rail_last_tracking_request_at: Option<Moment>,
    final_destination_full_out_at: Option<Moment>,
    empty_terminated_at: Option<Moment>,
    pod_timezone: Option<&'a str>,
    final_destination_timezone: Option<&'a str>,
    empty_terminated_timezone: Option<&'a str>,
    pod_rail_carrier_scac: Option<Shown<Scac>>,
    ind_rail_carrier_scac: Option<Shown<Scac>>,
    pod_rail_loaded_at: Option<Moment>,
    pod_rail_departed_at: Option<Moment>,
    ind_eta_at: Option<Moment>,
    ind_ata_at: Option<Moment>,
    ind_rail_unloaded_at: Option<Moment>,
    ind_facility_lfd_on: Option<Moment>,
    empty_out_at: Option<Moment>,
    pol_full_in_at: Option<Moment>,
    pol_vessel_loaded_at: Option<Moment>,
    pol_vessel_departed_at: Option<Moment>,
    delivered_at: Option<Moment>,
    ind_facility_holds: Option<Vec<HoldItem<'a>>>,
    ind_facility_fees: Option<Vec<FeeItem<'a>>>,
    ssl_lfd: Option<Moment>,
}

const HOLD: &[Attribute] = &[
    Attribute::new(
        "name",
        Shape::OneOf(|| HoldName::ALL.iter().map(|name| name.as_str()).collect()),
    ),
    Attribute::new("status", Shape::OneOf(|| vec!["hold", "pending"])),
    Attribute::or_null("description", Shape::Text).about("The source's own words."),
];

const FEE: &[Attribute] = &[
    Attribute::new(
        "type",
        Shape::OneOf(|| vec!["demurrage", "exam", "extended_dwell_time", "other", "total"]),
    ),
    Attribute::new("amount", Shape::Number).about("0 while the amount is not posted."),
    Attribute::new("currency_code", Shape::Text).about("ISO 4217."),
    Attribute::new("posted", Shape::Boolean).about("Whether the amount is known."),
];

const DEADLINES: &[Attribute] = &[
    Attribute::or_null("pickup_lfd_line", Shape::Moment),
    Attribute::or_null("pickup_lfd_terminal", Shape::Moment),
    Attribute::or_null("pickup_lfd_rail", Shape::Moment),
];

const ATTRIBUTES: &[Attribute] = &[
    Attribute::new("number", Shape::Text).about("ISO 6346, with check digit."),
    Attribute::new(
        "current_status",
        Shape::OneOf(|| CurrentStatus::ALL.iter().map(|s| s.as_str()).collect()),
    ),
    Attribute::new("ref_numbers", Shape::Texts),
    Attribute::or_null(
        "equipment_type",
        Shape::OneOf(|| vec!["dry", "reefer", "open top", "flat rack", "bulk", "tank"]),
    ),
    Attribute::or_null("equipment_length", Shape::Integer).about("Feet: 10, 20, 40 or 45."),
    Attribute::or_null(
        "equipment_height",
        Shape::OneOf(|| vec!["standard", "high cube"]),
    ),
    Attribute::or_null("weight_in_lbs", Shape::Number).about("Gross mass."),
    Attribute::or_null("seal_number", Shape::Text).about("The carrier's seal first."),
    Attribute::new("created_at", Shape::Moment),
    Attribute::new("updated_at", Shape::Moment),
    Attribute::new("availability_known", Shape::Boolean)
        .about("Whether the terminal reports availability at all."),
    Attribute::or_null("available_for_pickup", Shape::Boolean),
    Attribute::new("holds_at_pod_terminal", Shape::Objects(HOLD)).about("Active holds only."),
    Attribute::new("fees_at_pod_terminal", Shape::Objects(FEE)),
    Attribute::or_null("pickup_lfd", Shape::Moment)
        .about("Last free day: the line's, else the terminal's, else the railroad's."),
    Attribute::or_null("import_deadlines", Shape::Object(DEADLINES))
        .about("Last free days by source."),
    Attribute::or_null("pickup_appointment_at", Shape::Moment),
    Attribute::or_null("location_at_pod_terminal", Shape::Text).about("Where in the yard."),
    Attribute::or_null("pod_arrived_at", Shape::Moment),
    Attribute::or_null("pod_discharged_at", Shape::Moment),
    Attribute::or_null("pod_full_out_at", Shape::Moment)
        .about("Null when the box is collected inland."),
    Attribute::or_null("pod_full_out_chassis_number", Shape::Text),
    Attribute::or_null("terminal_checked_at", Shape::Moment),
    Attribute::or_null("pod_last_tracking_request_at", Shape::Moment),
    Attribute::or_null("shipment_last_tracking_request_at", Shape::Moment),
    Attribute::or_null("rail_last_tracking_request_at", Shape::Moment),
    Attribute::or_null("final_destination_full_out_at", Shape::Moment),
    Attribute::or_null("empty_terminated_at", Shape::Moment),
    Attribute::or_null("pod_timezone", Shape::Zone),
    Attribute::or_null("final_destination_timezone", Shape::Zone),
    Attribute::or_null("empty_terminated_timezone", Shape::Zone),
    Attribute::or_null("pod_rail_carrier_scac", Shape::Text),
    Attribute::or_null("ind_rail_carrier_scac", Shape::Text),
    Attribute::or_null("pod_rail_loaded_at", Shape::Moment),
    Attribute::or_null("pod_rail_departed_at", Shape::Moment),
    Attribute::or_null("ind_eta_at", Shape::Moment).about("Null once arrived."),
    Attribute::or_null("ind_ata_at", Shape::Moment),
    Attribute::or_null("ind_rail_unloaded_at", Shape::Moment),
    Attribute::or_null("ind_facility_lfd_on", Shape::Moment)
        .about("The same as import_deadlines.pickup_lfd_rail."),
    Attribute::or_null("empty_out_at", Shape::Moment),
    Attribute::or_null("pol_full_in_at", Shape::Moment),
    Attribute::or_null("pol_vessel_loaded_at", Shape::Moment),
    Attribute::or_null("pol_vessel_departed_at", Shape::Moment),
    Attribute::or_null("delivered_at", Shape::Moment),
    Attribute::or_null("ind_facility_holds", Shape::Objects(HOLD)),
    Attribute::or_null("ind_facility_fees", Shape::Objects(FEE)),
    Attribute::or_null("ssl_lfd", Shape::Moment)
        .about("The same as import_deadlines.pickup_lfd_line."),
];
