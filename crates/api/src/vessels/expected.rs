//! Where a vessel may be drawn between now and its reported arrival.
//!
//! Everything comes from what was reported about boxes of the asking account: that this vessel carries one of
//! them, from which port it left or is to leave, and when the line expects it at the next. Where one of these is
//! missing the list is empty. The points lie on the great circle; see [`domain::vessel::expected`].

use std::collections::HashMap;

use domain::codes::UnLocode;
use domain::geography::Point;
use domain::ids::{ContainerId, ReferenceId, ShipmentId};
use domain::place::Gazetteer;
use domain::route::{Leg, sea_legs};
use domain::vessel::{Position, Voyage, expected};
use jiff::Timestamp;
use jsonapi::error::ErrorItem;
use jsonapi::query::{Holds, Parameter, Query, Value};
use jsonapi::resource::vessel;
use store::vessel::Carried;
use tracking::vessels;

use super::id_of;
use crate::answer::Answer;
use crate::call::{Call, Reading, Rows};
use crate::containers::way;
use crate::failure::Failure;

/// Boxes of an account that are thought of about one vessel's voyage at most, the newest.
const BOXES_MAX: u32 = 1_000;
/// Boxes of them that are asked at most: all claims about a box's bill are read for its way.
const BOXES_ASKED_MAX: usize = 16;

/// The port it goes to.
pub(super) const PORT: Parameter = Parameter::new(
    "port_id",
    Holds::Id,
    "The port it goes to (location_id on the map); must be given.",
);
/// The port it comes from.
pub(super) const PREVIOUS_PORT: Parameter = Parameter::new(
    "previous_port_id",
    Holds::Id,
    "The port it comes from (location_id on the map); must be given.",
);

/// Answers with the vessel and its expected positions, from `here` when the caller says where it is now.
pub(super) async fn answer(call: Call, here: Option<Point>) -> Result<Answer, Failure> {
    let vessel = id_of(&call)?;
    let to = port(&call, PORT.name)?;
    let from = port(&call, PREVIOUS_PORT.name)?;
    let now = call.app.tracking.now();
    let found = call
        .read(move |reading| {
            let Some(known) = store::vessel::find(reading.tx, vessel)? else {
                return Ok(None);
            };
            let last = store::vessel::position::last(reading.tx, &[vessel])?.remove(&vessel);
            let voyage = match (from, to) {
                (Some(from), Some(to)) => {
                    voyage(reading, vessel, (from, to), (here, last.as_ref()), now)?
                }
                _ => None,
            };
            let positions = voyage.map_or_else(Vec::new, |voyage| expected(&voyage, now));
            Ok(Some(vessels::render(
                &known,
                last.as_ref(),
                Some((&positions, true)),
            )))
        })
        .await?;
    call.found(Rows {
        primary: found.into_iter().collect(),
        included: Vec::new(),
    })
}

/// The number of this parameter, which must be given and lie within `most` of zero.
pub(super) fn degrees(query: &Query, name: &str, most: f64) -> Result<f64, Failure> {
    let given = query.value(name).and_then(Value::number);
    given
        .filter(|degrees| degrees.abs() <= most)
        .ok_or_else(|| {
            let why = format!("{name} must be a number of degrees from -{most} to {most}");
            ErrorItem::parameter(name, why).into()
        })
}

/// The port with the id in this parameter; `None` when there is no such port.
fn port(call: &Call, name: &str) -> Result<Option<UnLocode>, Failure> {
    let id = call.query.value(name).and_then(Value::id);
    let id = id.ok_or_else(|| ErrorItem::parameter(name, format!("{name} must be given")))?;
    Ok(call.app.references.port(id))
}

/// The voyage of this vessel between these ports, as told of a box of the account.
fn voyage(
    reading: &mut Reading<'_>,
    ship: ReferenceId,
    (from, to): (UnLocode, UnLocode),
    (here, last): (Option<Point>, Option<&Position>),
    now: Timestamp,
) -> Result<Option<Voyage>, Failure> {
    let carried = store::vessel::carried(&mut reading.account(), ship, BOXES_MAX)?;
    let gazetteer = reading.app.tracking.registry().gazetteer();
    let ends = gazetteer
        .port(from)
        .and_then(|port| port.coordinates)
        .zip(gazetteer.port(to).and_then(|port| port.coordinates));
    let Some((start, end)) = ends else {
        return Ok(None);
    };
    let canonical = (gazetteer.canonical(from), gazetteer.canonical(to));
    let (mut asked, mut ended) = (0, None);
    for container in in_order(carried, canonical, gazetteer) {
        // The newest box that goes there tells how the voyage stands: an older one may not have heard of the arrival.
        if ended.is_some_and(|ended| container < ended) {
            continue;
        }
        asked += 1;
        if asked > BOXES_ASKED_MAX {
            break;
        }
        let Some(way) = way::of(reading, container)? else {
            continue;
        };
        let of_ship = |leg: &Leg<'_>| leg.vessel().and_then(vessel::id) == Some(ship);
        let leg = sea_legs(&way.calls)
            .filter(of_ship)
            .find(|leg| (leg.from.place, leg.to.place) == canonical);
        let Some((leg, arrives_at)) = leg.and_then(|leg| Some((leg, leg.arrival.estimated_at?)))
        else {
            continue;
        };
        if leg.arrival.done {
            ended = Some(container);
            continue;
        }
        let left = leg.departure.actual_at.or(leg.departure.estimated_at);
        let seen = last.filter(|seen| left.is_some_and(|left| seen.at >= left && left <= now));
        let begins = match (here, seen) {
            (Some(here), _) => Some((here, now)),
            (None, Some(seen)) => Some((seen.point, seen.at)),
            (None, None) => left.map(|left| (Point::of(start), left)),
        };
        return Ok(begins.map(|(from, departed_at)| Voyage {
            from,
            departed_at,
            to: Point::of(end),
            arrives_at,
        }));
    }
    Ok(None)
}

/// Who is asked first: boxes that begin or end their way at one of these ports; of those one of each bill, for the others
/// of it mostly go the same way; and of those the newest.
fn in_order(
    carried: Vec<Carried>,
    (from, to): (UnLocode, UnLocode),
    gazetteer: &Gazetteer,
) -> Vec<ContainerId> {
    let is =
        |port: Option<UnLocode>, end| port.is_some_and(|port| gazetteer.canonical(port) == end);
    let mut before: HashMap<(ShipmentId, bool), usize> = HashMap::new();
    let mut ordered = Vec::with_capacity(carried.len());
    for one in carried {
        let elsewhere = !is(one.pol, from) && !is(one.pod, to);
        let of_bill = before.entry((one.shipment, elsewhere)).or_default();
        ordered.push(((elsewhere, *of_bill), one.container));
        *of_bill += 1;
    }
    ordered.sort_by_key(|(rank, _)| *rank);
    ordered
        .into_iter()
        .map(|(_, container)| container)
        .collect()
}
