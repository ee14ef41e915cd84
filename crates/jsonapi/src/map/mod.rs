//! The way of a container as GeoJSON: what a map draws.
//!
//! **Lines and what they claim.** Where a vessel was seen, its track is drawn (`past_vessel_locations`). Between
//! its last sighting and the next port, and on legs where nothing was seen, the great circle is drawn
//! (`estimated_partial_leg`, `estimated_full_legs`): it joins two ports and claims nothing of the way between. So it does
//! where the box changed ships between them at a port that no table has.
//!
//! **Longitudes go on** through the whole collection: each port lies within half a turn of the port before it,
//! and so does each point of a line. A way over the Pacific is then one unbroken picture on every web map; see
//! [`domain::geography`].

use domain::codes::UnLocode;
use domain::geography::{Point, drawn, great_circle};
use domain::ids::ReferenceId;
use domain::place::{Gazetteer, Port};
use domain::route::{Call, Leg, Part, Passage};
use domain::vessel::Position;
use jiff::Timestamp;

use crate::resource::{port, vessel};
use crate::wire::{Moment, Shown, moment, text};

/// Points of one drawn track at most.
const TRACK_POINTS_MAX: usize = 500;

/// What a map is rendered from.
pub struct View<'a> {
    /// The way.
    pub calls: &'a [Call],
    /// Where vessels were seen on the legs at sea.
    pub tracks: &'a [Track],
    /// When the container last changed.
    pub updated_at: Timestamp,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// Where a vessel was seen on one leg.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Where the leg begins.
    pub from: UnLocode,
    /// Oldest first.
    pub seen: Vec<Position>,
}

/// The feature collection as JSON text; empty while no port of the way is known.
pub fn render(view: &View<'_>) -> String {
    let stops = stops(view);
    let mut features: Vec<Feature<'_>> = Vec::new();
    let total = stops.len();
    for stop in &stops {
        features.push(Feature {
            kind: "Feature",
            geometry: Geometry::point(stop.point),
            properties: Properties::Port(port_of(view, stop, total)),
        });
    }
    for pair in stops.windows(2) {
        let [from, to] = pair else { continue };
        let mut tracks = view.tracks.iter();
        let track = tracks.find(|track| track.from == from.call.place);
        let seen = track.map_or(&[] as &[Position], |track| track.seen.as_slice());
        features.extend(leg(view, from, to, seen));
    }
    text(&Collection {
        kind: "FeatureCollection",
        features,
    })
}

/// A port of the way with its place on the map.
struct Stop<'a> {
    call: &'a Call,
    /// Which call of the way it is.
    place: usize,
    port: &'a Port,
    sequence: usize,
    label: String,
    point: Point,
}

/// The ports at sea, each within half a turn of the one before. A port without coordinates cannot be drawn.
fn stops<'a>(view: &View<'a>) -> Vec<Stop<'a>> {
    let all = view.calls.iter().enumerate();
    let at_sea = all.filter(|(_, call)| call.part != Part::Inland);
    let mut stops: Vec<Stop<'a>> = Vec::new();
    for (place, call) in at_sea {
        let Some((port, point)) = view.gazetteer.port(call.place).and_then(|port| {
            let point = Point::of(port.coordinates?);
            Some((port, point))
        }) else {
            continue;
        };
        let between = stops
            .iter()
            .filter(|stop| stop.call.part == Part::Transshipment);
        let label = match call.part {
            Part::Lading => "POL".to_owned(),
            Part::Transshipment => format!("TS{}", between.count() + 1),
            Part::Discharge | Part::Inland => "POD".to_owned(),
        };
        stops.push(Stop {
            call,
            place,
            port,
            sequence: stops.len() + 1,
            label,
            point: stops
                .last()
                .map_or(point, |before| point.near(before.point)),
        });
    }
    stops
}

/// What is drawn between two ports.
fn leg<'a>(
    view: &View<'a>,
    from: &Stop<'a>,
    to: &Stop<'a>,
    track: &'a [Position],
) -> Vec<Feature<'a>> {
    // Between them the box changed ships at a port that cannot be drawn: no ship goes from the one to the other.
    if to.place != from.place + 1 {
        return vec![full(from, to)];
    }
    let (Some(departure), Some(arrival)) = (&from.call.outbound, &to.call.inbound) else {
        return Vec::new();
    };
    let leg = Leg {
        from: from.call,
        to: to.call,
        departure,
        arrival,
    };
    let ship = leg.vessel().and_then(vessel::id);
    let mut features = Vec::new();
    if let Some(ship) = ship.filter(|_| track.len() > 1) {
        features.push(past(from, &leg, ship, track));
    }
    match (ship, track.last()) {
        (Some(ship), Some(last)) if leg.is_under_way() => {
            let here = track_points(from, track).pop().unwrap_or(last.point);
            features.push(current(view, (from, to), &leg, ship, (last, here)));
            features.push(partial(from, to, here));
        }
        _ if track.len() < 2 => features.push(full(from, to)),
        _ => {}
    }
    features
}

fn track_points(from: &Stop<'_>, track: &[Position]) -> Vec<Point> {
    let mut points: Vec<Point> = track.iter().map(|position| position.point).collect();
    if let Some(first) = points.first_mut() {
        *first = first.near(from.point);
    }
    drawn(&points, TRACK_POINTS_MAX)
}

fn past<'a>(from: &Stop<'a>, leg: &Leg<'a>, ship: ReferenceId, track: &[Position]) -> Feature<'a> {
    let line = track_points(from, track);
    let properties = Properties::Past(Past {
        feature_type: "past_vessel_locations",
        ports_sequence: from.sequence,
        vessel_id: Shown(ship),
        start_time: moment(track.first().map(|position| position.at)),
        end_time: moment(track.last().map(|position| position.at)),
        point_count: line.len(),
        outbound_atd_at: moment(leg.departure.actual_at),
        inbound_ata_at: moment(leg.arrival.actual_at),
        inbound_eta_at: moment(leg.arrival.estimated_at),
    });
    Feature::line(&line, properties)
}

fn full<'a>(from: &Stop<'a>, to: &Stop<'a>) -> Feature<'a> {
    let line = great_circle(from.point, to.point);
    let properties = Properties::Full(Full {
        feature_type: "estimated_full_legs",
        ports_sequence: from.sequence,
        previous_port_id: Shown(port::id(from.port.locode)),
        next_port_id: Shown(port::id(to.port.locode)),
        point_count: line.len(),
    });
    Feature::line(&line, properties)
}

fn partial<'a>(from: &Stop<'a>, to: &Stop<'a>, here: Point) -> Feature<'a> {
    let line = great_circle(here, to.point.near(here));
    let properties = Properties::Partial(Partial {
        feature_type: "estimated_partial_leg",
        ports_sequence: from.sequence,
        current_port_id: Shown(port::id(from.port.locode)),
        next_port_id: Shown(port::id(to.port.locode)),
        point_count: line.len(),
    });
    Feature::line(&line, properties)
}

fn current<'a>(
    view: &View<'a>,
    (from, to): (&Stop<'a>, &Stop<'a>),
    leg: &Leg<'a>,
    ship: ReferenceId,
    (last, here): (&Position, Point),
) -> Feature<'a> {
    let named = leg.vessel();
    let properties = Properties::Current(Box::new(Current {
        feature_type: "current_vessel",
        ports_sequence: from.sequence,
        vessel_id: Shown(ship),
        vessel_name: named.and_then(|vessel| vessel.name.as_deref()),
        vessel_imo: named.and_then(|vessel| vessel.imo).map(Shown),
        voyage_number: leg.voyage(),
        vessel_location_timestamp: Moment(last.at),
        vessel_location_heading: last.heading,
        vessel_location_speed: last.speed_knots,
        departure_port_id: Shown(port::id(from.port.locode)),
        departure_port_name: &from.port.name,
        departure_port_state_abbr: from.port.state.as_deref(),
        departure_port_state: None,
        departure_port_country_code: from.port.locode.country().to_owned(),
        departure_port_country: country(view, from.port),
        departure_port_label: from.label.clone(),
        departure_port_atd: moment(leg.departure.actual_at),
        departure_port_time_zone: &from.port.zone,
        arrival_port_id: Shown(port::id(to.port.locode)),
        arrival_port_name: &to.port.name,
        arrival_port_state_abbr: to.port.state.as_deref(),
        arrival_port_state: None,
        arrival_port_country_code: to.port.locode.country().to_owned(),
        arrival_port_country: country(view, to.port),
        arrival_port_label: to.label.clone(),
        arrival_port_eta: moment(leg.arrival.estimated_at),
        arrival_port_time_zone: &to.port.zone,
    }));
    Feature {
        kind: "Feature",
        geometry: Geometry::point(here),
        properties,
    }
}

fn port_of<'a>(view: &View<'a>, stop: &Stop<'a>, total: usize) -> PortProperties<'a> {
    let estimated = |passage: &Option<Passage>| {
        moment(passage.as_ref().and_then(|passage| passage.estimated_at))
    };
    let actual =
        |passage: &Option<Passage>| moment(passage.as_ref().and_then(|passage| passage.actual_at));
    let (inbound, outbound) = (&stop.call.inbound, &stop.call.outbound);
    PortProperties {
        feature_type: "port",
        ports_sequence: stop.sequence,
        ports_total: total,
        location_id: Shown(port::id(stop.port.locode)),
        location_type: "Port",
        name: &stop.port.name,
        state_abbr: stop.port.state.as_deref(),
        state: None,
        country_code: stop.port.locode.country().to_owned(),
        country: country(view, stop.port),
        time_zone: &stop.port.zone,
        label: stop.label.clone(),
        inbound_eta_at: estimated(inbound),
        inbound_ata_at: actual(inbound),
        outbound_etd_at: estimated(outbound).filter(|_| stop.call.part != Part::Discharge),
        outbound_atd_at: actual(outbound).filter(|_| stop.call.part != Part::Discharge),
        updated_at: Moment(view.updated_at),
    }
}

fn country(view: &View<'_>, port: &Port) -> String {
    view.gazetteer.country(port.locode.country()).to_owned()
}

mod shape;
use shape::{
    Collection, Current, Feature, Full, Geometry, Partial, Past, PortProperties, Properties,
};
