//! `GET /v2/containers/{id}/map_geojson`

use domain::account::Feature;
use domain::ids::ContainerId;
use domain::route::{Leg, sea_legs};
use domain::vessel::Position;
use jiff::Timestamp;
use jsonapi::map::{self, Track, View};
use jsonapi::query::Rules;
use jsonapi::resource::vessel;
use jsonapi::schema::{Attribute, Shape};

use super::way::{self, Way};
use crate::answer::Answer;
use crate::call::{Call, Reading};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

const FEATURE: &[Attribute] = &[
    Attribute::new("type", Shape::OneOf(|| vec!["Feature"])),
    Attribute::new("geometry", Shape::Any).about("A point or a line, longitude first."),
    Attribute::new("properties", Shape::Any)
        .about("What it is: feature_type, and what belongs to it."),
];

pub(crate) const OPERATION: Operation = Operation {
    name: "get_container_map",
    summary: "The way of a container as GeoJSON",
    needs: Needs::Show,
    gate: Gate::Feature(Feature::Routing),
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Plain(&[
        Attribute::new("type", Shape::OneOf(|| vec!["FeatureCollection"])),
        Attribute::new("features", Shape::Objects(FEATURE)),
    ]),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let found = call
        .read_much(move |reading| {
            let Some(way) = way::of(reading, id)? else {
                return Ok(None);
            };
            let tracks = tracks(reading, &way)?;
            Ok(Some(map::render(&View {
                calls: &way.calls,
                tracks: &tracks,
                updated_at: way.container.updated_at,
                gazetteer: reading.app.tracking.gazetteer(),
            })))
        })
        .await?;
    let text = found.ok_or_else(|| call.not_found())?;
    Ok(Answer::plain(text))
}

/// Where the vessels of the way were seen while the container was aboard.
fn tracks(reading: &mut Reading<'_>, way: &Way) -> Result<Vec<Track>, Failure> {
    let mut tracks = Vec::new();
    for leg in sea_legs(&way.calls) {
        let seen = seen(reading, &leg, way.as_of)?;
        tracks.push(Track {
            from: leg.from.place,
            seen,
        });
    }
    Ok(tracks)
}

fn seen(
    reading: &mut Reading<'_>,
    leg: &Leg<'_>,
    as_of: Timestamp,
) -> Result<Vec<Position>, Failure> {
    let ship = leg.vessel().and_then(vessel::id);
    let (Some(ship), Some(left)) = (ship, leg.departure.actual_at) else {
        return Ok(Vec::new());
    };
    let until = match leg.arrival.actual_at {
        Some(arrived) => arrived,
        None if leg.arrival.done => return Ok(Vec::new()),
        None => as_of,
    };
    Ok(store::vessel::position::between(
        reading.tx, ship, left, until,
    )?)
}
