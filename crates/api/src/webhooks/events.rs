//! `GET /v2/webhooks/events`

use std::future::ready;

use domain::account::{Feature, enabled};
use domain::event::{Category, EventName};
use jsonapi::query::Rules;
use jsonapi::resource::webhook_event_category::{TYPE, render};

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_webhook_events",
    summary: "Every event that this account can be told, in groups",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "event",
    handle: |call| Box::pin(ready(Ok(handle(&call)))),
};

fn handle(call: &Call) -> Answer {
    let rail = enabled(&call.caller.features, Feature::Rail);
    let offered = |event| rail || event != EventName::PickupLfdRailChanged;
    let groups = Category::ALL.into_iter();
    call.whole(Rows {
        primary: groups.map(|group| render(group, offered)).collect(),
        included: Vec::new(),
    })
}
