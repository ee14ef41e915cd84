//! `GET /v2/containers/{id}/route`
//!
//! What is included is fixed: the locations, their ports and metropolitan areas, and the vessels. Clients name
//! some of these in `include`; the names are understood and change nothing.

use domain::account::Feature;
use domain::codes::Scac;
use domain::ids::{ContainerId, ReferenceId};
use jsonapi::linkage;
use jsonapi::query::{Holds, Parameter, Rules};
use jsonapi::resource::route::{LOCATION_TYPE, TYPE, View, render, render_location};
use uuid::Uuid;

use super::way::{self, Way};
use crate::answer::Answer;
use crate::call::{Call, Reading, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};
use crate::vessels;

pub(crate) const OPERATION: Operation = Operation {
    name: "get_container_route",
    summary: "The way of a container, call by call",
    needs: Needs::Show,
    gate: Gate::Feature(Feature::Routing),
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[Parameter::new(
            "include",
            Holds::WordsOrNone(included_always),
            "Understood and without effect: all of these are always included.",
        )],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

fn included_always() -> Vec<&'static str> {
    vec![
        "port",
        "vessel",
        "route_location",
        "route_locations",
        "metro_area",
        "terminal",
    ]
}

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let rows = call
        .read_much(move |reading| match way::of(reading, id)? {
            Some(way) => rows(reading, &way).map(Some),
            None => Ok(None),
        })
        .await?;
    Ok(call.one(rows.ok_or_else(|| call.not_found())?))
}

fn rows(reading: &mut Reading<'_>, way: &Way) -> Result<Rows, Failure> {
    let shipment = way.container.shipment;
    let shipped = store::shipment::find(&mut reading.account(), shipment)?;
    let scac = shipped.as_ref().map(|shipment| shipment.scac.as_str());
    let rail = &way.container.state.rail;
    let (away, inward) = (rail.pod_carrier, rail.inland_carrier);
    let view = View {
        container: way.container.id,
        shipment,
        scac,
        railroads: (
            away.as_ref().map(Scac::as_str),
            inward.as_ref().map(Scac::as_str),
        ),
        calls: &way.calls,
        created_at: way.container.created_at,
        updated_at: way.container.updated_at,
        gazetteer: reading.app.tracking.gazetteer(),
    };
    let locations: Vec<String> = way
        .calls
        .iter()
        .map(|c| render_location(&view, c))
        .collect();
    let primary = vec![render(&view)];
    let mut included = named(reading, &locations)?;
    included.splice(0..0, locations);
    Ok(Rows { primary, included })
}

/// What the locations link to, each once.
fn named(reading: &mut Reading<'_>, locations: &[String]) -> Result<Vec<String>, Failure> {
    let mut places: Vec<(String, Uuid)> = Vec::new();
    let mut ships: Vec<ReferenceId> = Vec::new();
    let links = LOCATION_TYPE.relationships.iter().map(|link| link.name);
    for link in links.filter(|name| *name != TYPE.name) {
        for target in locations
            .iter()
            .flat_map(|text| linkage::targets(text, link))
        {
            if target.kind == "vessel" && !ships.contains(&ReferenceId(target.id)) {
                ships.push(ReferenceId(target.id));
            } else if target.kind != "vessel" && !places.iter().any(|(_, id)| *id == target.id) {
                places.push((target.kind, target.id));
            }
        }
    }
    let app = reading.app;
    let document = |(kind, id): &(String, Uuid)| app.references.document(&app.tracking, kind, *id);
    let mut texts: Vec<String> = places.iter().filter_map(document).collect();
    texts.extend(vessels::texts(reading, &ships)?);
    Ok(texts)
}
