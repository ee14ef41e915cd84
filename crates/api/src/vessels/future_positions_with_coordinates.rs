//! `GET /v2/vessels/{id}/future_positions_with_coordinates`

use domain::account::Feature;
use domain::geography::Point;
use jsonapi::query::{Holds, Parameter, Rules};
use jsonapi::resource::vessel::TYPE;

use super::expected::{PORT, PREVIOUS_PORT, answer, degrees};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_future_positions_with_coordinates",
    summary: "The same, from where the caller says the vessel is",
    needs: Needs::Show,
    gate: Gate::Feature(Feature::Routing),
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            PORT,
            PREVIOUS_PORT,
            Parameter::new("latitude", Holds::Number, "Degrees north; must be given."),
            Parameter::new(
                "longitude",
                Holds::Number,
                "Degrees east, from -360 to 360, as the map has them; must be given.",
            ),
        ],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "vessel",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let here = Point {
        latitude: degrees(&call.query, "latitude", 90.0)?,
        longitude: within_half_a_turn(degrees(&call.query, "longitude", 360.0)?),
    };
    answer(call, Some(here)).await
}

/// The same meridian from -180 to 180: on a map, ways over the Pacific go on beyond.
fn within_half_a_turn(longitude: f64) -> f64 {
    if longitude.abs() <= 180.0 {
        longitude
    } else {
        longitude - 360.0_f64.copysign(longitude)
    }
}
