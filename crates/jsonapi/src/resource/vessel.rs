//! A vessel.

use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::ReferenceId;
use domain::vessel::Position;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource, Shown, moment};

const POSITION: &[Attribute] = &[
    Attribute::new("latitude", Shape::Number),
    Attribute::new("longitude", Shape::Number),
    Attribute::or_null("heading", Shape::Number),
    Attribute::new("timestamp", Shape::Moment),
    Attribute::new("estimated", Shape::Boolean).about("Drawn between reported facts, not seen."),
];

/// What a vessel consists of.
pub const TYPE: Type = Type {
    name: "vessel",
    about: "A vessel, as named by carriers' messages.",
    attributes: &[
        Attribute::or_null("name", Shape::Text),
        Attribute::or_null("imo", Shape::Text).about("IMO number, seven digits."),
        Attribute::or_null("mmsi", Shape::Text),
        Attribute::or_null("latitude", Shape::Number),
        Attribute::or_null("longitude", Shape::Number),
        Attribute::or_null("nautical_speed_knots", Shape::Number),
        Attribute::or_null("navigational_heading_degrees", Shape::Number),
        Attribute::or_null("position_timestamp", Shape::Moment),
        Attribute::or_null("positions", Shape::Objects(POSITION))
            .about("Only when they are asked for."),
    ],
    relationships: &[],
    collection: Some("vessels"),
    versioned: false,
};

/// The id of a vessel: of its IMO number or, without one, of its name; `None` when it has neither.
pub fn id(vessel: &Vessel) -> Option<ReferenceId> {
    let code = match (vessel.imo, vessel.name.as_deref()) {
        (Some(imo), _) => imo.to_string(),
        (None, Some(name)) => name.trim().to_uppercase(),
        (None, None) => return None,
    };
    Some(ReferenceId::named("vessel", &code))
}

/// A vessel with what is known of its whereabouts.
pub struct View<'a> {
    /// Number and name.
    pub vessel: &'a Vessel,
    /// The number its radio sends.
    pub mmsi: Option<&'a str>,
    /// The last sighting.
    pub last: Option<&'a Position>,
    /// A list of positions, when it was asked for, and whether they are estimated.
    pub positions: Option<(&'a [Position], bool)>,
}

/// The resource object as JSON text, nothing told of its whereabouts; empty text for a vessel without number
/// and name.
pub fn render(vessel: &Vessel) -> String {
    render_at(&View {
        vessel,
        mmsi: None,
        last: None,
        positions: None,
    })
}

/// The resource object as JSON text; empty text for a vessel without number and name.
pub fn render_at(view: &View<'_>) -> String {
    let vessel = view.vessel;
    let attributes = Attributes {
        name: vessel.name.as_deref(),
        imo: vessel.imo.map(Shown),
        mmsi: view.mmsi,
        latitude: view.last.map(|seen| seen.point.latitude),
        longitude: view.last.map(|seen| on_the_map(seen.point.longitude)),
        nautical_speed_knots: view.last.and_then(|seen| seen.speed_knots),
        navigational_heading_degrees: view.last.and_then(|seen| seen.heading),
        position_timestamp: moment(view.last.map(|seen| seen.at)),
        positions: view
            .positions
            .map(|(list, estimated)| list.iter().map(|p| Listed::of(p, estimated)).collect()),
    };
    id(vessel).map_or_else(String::new, |id| {
        Resource::new(TYPE.name, id, attributes, Relationships {})
            .linked("vessels")
            .text()
    })
}

/// Between -180 and 180, to a millionth of a degree.
fn on_the_map(longitude: f64) -> f64 {
    rounded((longitude + 180.0).rem_euclid(360.0) - 180.0)
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 1e6).round() / 1e6
}

#[derive(Serialize)]
struct Listed {
    latitude: f64,
    longitude: f64,
    heading: Option<f64>,
    timestamp: Moment,
    estimated: bool,
}

impl Listed {
    fn of(position: &Position, estimated: bool) -> Self {
        Self {
            latitude: rounded(position.point.latitude),
            longitude: on_the_map(position.point.longitude),
            heading: position.heading,
            timestamp: Moment(position.at),
            estimated,
        }
    }
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    name: Option<&'a str>,
    imo: Option<Shown<ImoNumber>>,
    mmsi: Option<&'a str>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    nautical_speed_knots: Option<f64>,
    navigational_heading_degrees: Option<f64>,
    position_timestamp: Option<Moment>,
    positions: Option<Vec<Listed>>,
}
