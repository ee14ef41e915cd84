//! `GET /v2/webhook_notifications`

use domain::event::EventName;
use domain::webhook::DeliveryStatus;
use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::webhook::event_names;
use jsonapi::resource::webhook_notification::TYPE;
use store::notification::NotificationFilter;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::filters;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_webhook_notifications",
    summary: "Notifications, newest first",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            Parameter::new("filter[status]", Holds::Word(statuses), "This status."),
            Parameter::new("filter[event]", Holds::Word(event_names), "This event."),
            Parameter::new("filter[webhook]", Holds::Id, "For this webhook."),
            Parameter::new("filter[container]", Holds::Id, "About this container."),
            Parameter::new("filter[created_at][start]", Holds::Moment, "At or after."),
            Parameter::new(
                "filter[created_at][end]",
                Holds::Until,
                "At or before; a date counts to its end.",
            ),
        ],
        sorts: &["-created_at", "created_at"],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "webhook notification",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let filter = filter(&call.query);
    let (rows, total) = call
        .read_much(move |reading| {
            let slice = reading.slice();
            let page = store::notification::page(&mut reading.account(), &filter, slice)?;
            let texts = super::texts(reading, &page.rows)?;
            Ok((reading.with_included(texts)?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

fn filter(query: &Query) -> NotificationFilter {
    let word = |name| query.value(name).and_then(Value::word);
    let moment = |name| query.value(name).and_then(Value::moment);
    let id = |name| query.value(name).and_then(Value::id);
    NotificationFilter {
        status: word("filter[status]").and_then(DeliveryStatus::parse),
        event: word("filter[event]").and_then(EventName::parse),
        webhook: id("filter[webhook]").map(Into::into),
        container: id("filter[container]").map(Into::into),
        created: (
            moment("filter[created_at][start]"),
            moment("filter[created_at][end]"),
        ),
        order: filters::order(query),
    }
}

fn statuses() -> Vec<&'static str> {
    vec!["pending", "succeeded", "failed"]
}
