//! `GET /v2/vessels/{id}`

use domain::account::Feature;
use domain::moment;
use jiff::{SignedDuration, Timestamp};
use jsonapi::error::ErrorItem;
use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::vessel::TYPE;
use tracking::vessels;

use super::{id_of, may_see_positions};
use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};
use crate::plan;

const FROM: &str = "show_positions[from_timestamp]";
const TO: &str = "show_positions[to_timestamp]";
/// How far back positions are shown when only the end is given.
const SHOWN_BY_DEFAULT: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(crate) const OPERATION: Operation = Operation {
    name: "get_vessel",
    summary: "One vessel, by id or IMO number",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            Parameter::new(
                FROM,
                Holds::Moment,
                "Shows where the vessel was seen since then (default: 7 days before the end). Needs the routing \
                 feature.",
            ),
            Parameter::new(
                TO,
                Holds::Until,
                "Shows where the vessel was seen until then (default: now). Needs the routing feature.",
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
    let now = call.app.tracking.now();
    let shown = shown(&call.query, now)?;
    if shown.is_some() {
        let gate = Gate::Feature(Feature::Routing);
        plan::admit(&call.caller, Needs::Show, gate, now)?;
    }
    let id = id_of(&call)?;
    let found = call
        .read(move |reading| {
            let Some(known) = store::vessel::find(reading.tx, id)? else {
                return Ok(None);
            };
            let mut last = None;
            if may_see_positions(reading) {
                last = store::vessel::position::last(reading.tx, &[id])?.remove(&id);
            }
            let positions = match shown {
                Some((from, to)) => {
                    Some(store::vessel::position::between(reading.tx, id, from, to)?)
                }
                None => None,
            };
            let listed = positions.as_deref().map(|positions| (positions, false));
            Ok(Some(vessels::render(&known, last.as_ref(), listed)))
        })
        .await?;
    call.found(Rows {
        primary: found.into_iter().collect(),
        included: Vec::new(),
    })
}

/// The time that was asked for, when positions were.
fn shown(query: &Query, now: Timestamp) -> Result<Option<(Timestamp, Timestamp)>, Failure> {
    let given = |name| query.value(name).and_then(Value::moment);
    let (from, to) = (given(FROM), given(TO));
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    let to = to.unwrap_or(now);
    let week_before = to.checked_sub(SHOWN_BY_DEFAULT).unwrap_or(to);
    let from = from.unwrap_or(week_before.max(moment::FIRST));
    if from > to {
        let why = format!("{FROM} lies after the end");
        return Err(ErrorItem::parameter(FROM, why).into());
    }
    Ok(Some((from, to)))
}
