//! How features are written: longitude before latitude, six decimals at most.

use domain::codes::ImoNumber;
use domain::geography::Point;
use domain::ids::ReferenceId;
use serde::Serialize;

use crate::wire::{Moment, Shown};

#[derive(Serialize)]
pub(super) struct Collection<'a> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub features: Vec<Feature<'a>>,
}

#[derive(Serialize)]
pub(super) struct Feature<'a> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub geometry: Geometry,
    pub properties: Properties<'a>,
}

impl<'a> Feature<'a> {
    pub fn line(points: &[Point], properties: Properties<'a>) -> Self {
        Self {
            kind: "Feature",
            geometry: Geometry::LineString {
                coordinates: points.iter().copied().map(pair).collect(),
            },
            properties,
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Geometry {
    Point { coordinates: [f64; 2] },
    LineString { coordinates: Vec<[f64; 2]> },
}

impl Geometry {
    pub fn point(point: Point) -> Self {
        Self::Point {
            coordinates: pair(point),
        }
    }
}

fn pair(point: Point) -> [f64; 2] {
    [point.longitude, point.latitude].map(|degrees| (degrees * 1e6).round() / 1e6)
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Properties<'a> {
    Port(PortProperties<'a>),
    Current(Box<Current<'a>>),
    Past(Past),
    Full(Full),
    Partial(Partial),
}

#[derive(Serialize)]
pub(super) struct PortProperties<'a> {
    pub feature_type: &'static str,
    pub ports_sequence: usize,
    pub ports_total: usize,
    pub location_id: Shown<ReferenceId>,
    pub location_type: &'static str,
    pub name: &'a str,
    pub state_abbr: Option<&'a str>,
    pub state: Option<&'a str>,
    pub country_code: String,
    pub country: String,
    pub time_zone: &'a str,
    pub label: String,
    pub inbound_eta_at: Option<Moment>,
    pub inbound_ata_at: Option<Moment>,
    pub outbound_etd_at: Option<Moment>,
    pub outbound_atd_at: Option<Moment>,
    pub updated_at: Moment,
}

#[derive(Serialize)]
pub(super) struct Current<'a> {
    pub feature_type: &'static str,
    pub ports_sequence: usize,
    pub vessel_id: Shown<ReferenceId>,
    pub vessel_name: Option<&'a str>,
    pub vessel_imo: Option<Shown<ImoNumber>>,
    pub voyage_number: Option<&'a str>,
    pub vessel_location_timestamp: Moment,
    pub vessel_location_heading: Option<f64>,
    pub vessel_location_speed: Option<f64>,
    pub departure_port_id: Shown<ReferenceId>,
    pub departure_port_name: &'a str,
    pub departure_port_state_abbr: Option<&'a str>,
    pub departure_port_state: Option<&'a str>,
    pub departure_port_country_code: String,
    pub departure_port_country: String,
    pub departure_port_label: String,
    pub departure_port_atd: Option<Moment>,
    pub departure_port_time_zone: &'a str,
    pub arrival_port_id: Shown<ReferenceId>,
    pub arrival_port_name: &'a str,
    pub arrival_port_state_abbr: Option<&'a str>,
    pub arrival_port_state: Option<&'a str>,
    pub arrival_port_country_code: String,
    pub arrival_port_country: String,
    pub arrival_port_label: String,
    pub arrival_port_eta: Option<Moment>,
    pub arrival_port_time_zone: &'a str,
}

#[derive(Serialize)]
pub(super) struct Past {
    pub feature_type: &'static str,
    pub ports_sequence: usize,
    pub vessel_id: Shown<ReferenceId>,
    pub start_time: Option<Moment>,
    pub end_time: Option<Moment>,
    pub point_count: usize,
    pub outbound_atd_at: Option<Moment>,
    pub inbound_ata_at: Option<Moment>,
    pub inbound_eta_at: Option<Moment>,
}

#[derive(Serialize)]
pub(super) struct Full {
    pub feature_type: &'static str,
    pub ports_sequence: usize,
    pub previous_port_id: Shown<ReferenceId>,
    pub next_port_id: Shown<ReferenceId>,
    pub point_count: usize,
}

#[derive(Serialize)]
pub(super) struct Partial {
    pub feature_type: &'static str,
    pub ports_sequence: usize,
    pub current_port_id: Shown<ReferenceId>,
    pub next_port_id: Shown<ReferenceId>,
    pub point_count: usize,
}
