//! `PATCH /v2/containers/{id}/refresh`

use std::time::Duration;

use domain::account::Feature;
use domain::ids::ContainerId;
use jsonapi::query::Rules;
use jsonapi::schema::{Attribute, Shape};
use serde_json::json;
use tracking::refresh::{Asked, Refreshed, refresh};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "refresh_container",
    summary: "Ask the sources of a container now",
    needs: Needs::Update,
    gate: Gate::Feature(Feature::Refresh),
    bucket: Bucket::Refresh,
    query: Rules::NONE,
    body: Some(Body::Nothing),
    answers: Answers::Plain(&[Attribute::new("message", Shape::Text)
        .about("Names the kinds of source that are asked, or says why nobody is.")]),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let refreshing = refresh(&call.app.tracking, call.caller.account, id);
    call.done(refreshing, |call, came| told(call, *came))
        .await?
}

fn told(call: &Call, refreshed: Refreshed) -> Result<Answer, Failure> {
    let message = match refreshed {
        Refreshed::Unknown => return Err(call.not_found()),
        Refreshed::Started(asked) => format!("Started refresh for {}", names(asked)),
        Refreshed::NoSource => {
            "Nothing was refreshed: no source is configured that could be asked about this container"
                .into()
        }
        Refreshed::Stopped => {
            "Nothing was refreshed: tracking of this shipment has stopped".into()
        }
        Refreshed::Paused { until } => {
            let wait = until.duration_since(call.app.tracking.now());
            let retry_after = Duration::try_from(wait).unwrap_or_default();
            return Err(Failure::SourcesPaused { retry_after });
        }
    };
    Ok(Answer::plain(json!({ "message": message }).to_string()))
}

fn names(asked: Asked) -> String {
    let kinds = [
        (asked.line, "Shipping line"),
        (asked.terminal, "Terminal"),
        (asked.rail, "Rail"),
    ];
    let named = kinds.into_iter().filter(|(is_asked, _)| *is_asked);
    let named: Vec<&str> = named.map(|(_, name)| name).collect();
    named.join(", ")
}
