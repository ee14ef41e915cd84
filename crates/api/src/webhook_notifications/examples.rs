//! `GET /v2/webhook_notifications/examples`

use std::future::ready;

use domain::event::EventName;
use jsonapi::error::ErrorItem;
use jsonapi::example;
use jsonapi::query::{Holds, Parameter, Rules, Value};
use jsonapi::resource::webhook::event_names;
use jsonapi::resource::webhook_notification::TYPE;

use crate::address::with_query;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_webhook_notification_example",
    summary: "What a delivery of an event looks like, from a sample world",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[Parameter::new(
            "event",
            Holds::Word(event_names),
            "Which event; must be given.",
        )],
        ..Rules::NONE
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "webhook notification",
    handle: |call| Box::pin(ready(handle(&call))),
};

fn handle(call: &Call) -> Result<Answer, Failure> {
    let named = call.query.value("event").and_then(Value::word);
    let event = named.and_then(EventName::parse);
    let event = event.ok_or_else(|| ErrorItem::parameter("event", "event names one event"))?;
    let own = with_query(&call.address, &call.query.raw);
    let told = example::document(event, &own, example::MOMENT);
    Ok(Answer::document(told).tagged())
}
