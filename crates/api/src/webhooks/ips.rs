//! `GET /v2/webhooks/ips`

use std::future::ready;

use jsonapi::query::Rules;
use jsonapi::schema::{Attribute, Shape};
use serde_json::json;

use crate::answer::Answer;
use crate::call::Call;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_webhook_ips",
    summary: "Addresses that deliveries come from, as far as the operator names them",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: None,
    answers: Answers::Plain(&[
        Attribute::new("webhook_notification_ips", Shape::Texts),
        Attribute::new("last_updated", Shape::Moment),
    ]),
    subject: "address",
    handle: |call| Box::pin(ready(Ok(handle(&call)))),
};

fn handle(call: &Call) -> Answer {
    let named = &call.app.settings.webhook_sources;
    let addresses = named.addresses.iter().map(ToString::to_string);
    let since = named.since.unwrap_or(call.app.started_at);
    let told = json!({
        "webhook_notification_ips": addresses.collect::<Vec<_>>(),
        "last_updated": format!("{since:.0}"),
    });
    Answer::plain(told.to_string())
}
