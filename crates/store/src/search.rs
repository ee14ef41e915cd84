//! One question to all numbers and references of an account.
//!
//! The answer is short and in a fixed order: shipments, then containers, then requests, the most recently created
//! first. A request that became a shipment of the same number says nothing new beside it and is left out.
//!
//! What is read is bounded: of the [`ENTRIES_MAX`] terms that begin with the question, in their order. Only a
//! question of a few characters to a very large account has more, and then rows may be missing at its end.

use std::collections::HashMap;

use domain::ids::{ContainerId, ShipmentId, TrackingRequestId};
use uuid::Uuid;

use crate::container::{self, Container};
use crate::db::{Value, padded, placeholders};
use crate::shipment::{self, Shipment};
use crate::terms::{Kind, Stretch};
use crate::tracking_request::{self, TrackingRequest};
use crate::{AccountTx, Error};

/// Rows of an answer at most.
pub const FOUND_MAX: usize = 25;
/// Terms looked at for one question at most.
const ENTRIES_MAX: usize = 50_000;
/// Requests looked at, with those that say nothing new.
const REQUESTS_MAX: usize = 200;

/// Something that was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A shipment, and how many containers it has.
    Shipment(Box<Shipment>, u64),
    /// A container, and its shipment's line.
    Container(Box<Container>, String),
    /// A request.
    TrackingRequest(Box<TrackingRequest>),
}

/// What contains `text` in a number or a reference, [`FOUND_MAX`] rows at most.
pub fn search(a: &mut AccountTx, text: &str) -> Result<Vec<Found>, Error> {
    let Some(stretch) = Stretch::containing(text) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let shipments = candidates(a, &stretch, Kind::Shipment, FOUND_MAX)?;
    let boxes_of = containers_of(a, &shipments)?;
    for &id in &shipments {
        if let Some(shipment) = shipment::find(a, ShipmentId(id))? {
            let boxes = boxes_of.get(&id).copied().unwrap_or(0);
            found.push(Found::Shipment(Box::new(shipment), boxes));
        }
    }
    for id in candidates(a, &stretch, Kind::Container, FOUND_MAX - found.len())? {
        if let Some(container) = container::find(a, ContainerId(id))? {
            let scac = line_of(a, id)?;
            found.push(Found::Container(Box::new(container), scac));
        }
    }
    requests(a, &stretch, &shipments, &mut found)?;
    Ok(found)
}

fn requests(
    a: &mut AccountTx,
    stretch: &Stretch,
    shown: &[Uuid],
    found: &mut Vec<Found>,
) -> Result<(), Error> {
    if found.len() >= FOUND_MAX {
        return Ok(());
    }
    let ids = candidates(a, stretch, Kind::TrackingRequest, REQUESTS_MAX)?;
    for id in saying_something_new(a, &ids, shown)? {
        if found.len() >= FOUND_MAX {
            break;
        }
        if let Some(request) = tracking_request::find(a, TrackingRequestId(id))? {
            found.push(Found::TrackingRequest(Box::new(request)));
        }
    }
    Ok(())
}

/// Rows of one kind, from the newest: ids carry the time at which they were drawn.
fn candidates(
    a: &mut AccountTx,
    stretch: &Stretch,
    kind: Kind,
    limit: usize,
) -> Result<Vec<Uuid>, Error> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    a.query(
        &format!(
            "select distinct row_id from (
                 select row_id, kind from terms
                 where account_id = $1 and term >= $2 and term < $3 limit {ENTRIES_MAX}
             ) as near
             where kind = $4 order by row_id desc limit {limit}"
        ),
        &[
            (&stretch.from).into(),
            (&stretch.before).into(),
            kind.into(),
        ],
        |row| row.get("row_id"),
    )
}

fn containers_of(a: &mut AccountTx, shipments: &[Uuid]) -> Result<HashMap<Uuid, u64>, Error> {
    if shipments.is_empty() {
        return Ok(HashMap::new());
    }
    let ids = padded(shipments.iter().map(|id| Value::Id(*id)).collect());
    let places = placeholders(2, ids.len());
    let counted = a.query(
        &format!(
            "select shipment_id, count(*) as boxes from containers
             where account_id = $1 and shipment_id in ({places}) group by shipment_id"
        ),
        &ids,
        |row| Ok((row.get::<Uuid>("shipment_id")?, row.get::<i64>("boxes")?)),
    )?;
    let counted = counted.into_iter();
    Ok(counted
        .map(|(id, boxes)| (id, u64::try_from(boxes).unwrap_or(0)))
        .collect())
}

fn line_of(a: &mut AccountTx, container: Uuid) -> Result<String, Error> {
    let scac = a.query_one(
        "select scac from containers where account_id = $1 and id = $2",
        &[Value::Id(container)],
        |row| row.get("scac"),
    )?;
    Ok(scac.unwrap_or_default())
}

/// Those that the shipments shown do not say: a reference may be the request's alone.
fn saying_something_new(
    a: &mut AccountTx,
    requests: &[Uuid],
    shown: &[Uuid],
) -> Result<Vec<Uuid>, Error> {
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let ids = padded(requests.iter().map(|id| Value::Id(*id)).collect());
    let places = placeholders(2, ids.len());
    let found = a.query(
        &format!(
            "select r.id, s.id as repeated from tracking_requests r
             left join shipments s on s.account_id = r.account_id and s.id = r.shipment_id
                 and s.number = r.number
             where r.account_id = $1 and r.id in ({places})
             order by r.id desc"
        ),
        &ids,
        |row| Ok((row.get("id")?, row.get::<Option<Uuid>>("repeated")?)),
    )?;
    let new = found
        .into_iter()
        .filter(|(_, repeated)| repeated.is_none_or(|shipment| !shown.contains(&shipment)));
    Ok(new.map(|(id, _)| id).collect())
}
