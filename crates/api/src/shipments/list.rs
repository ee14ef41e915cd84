//! `GET /v2/shipments`

use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::shipment::TYPE;
use store::shipment::ShipmentFilter;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_shipments",
    summary: "Shipments, newest first",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            Parameter::new(
                "q",
                Holds::Text,
                "Part of the number, a reference, or the number of a container.",
            ),
            Parameter::new("number", Holds::Text, "Exactly this number, as submitted."),
            Parameter::new(
                "filter[tracking_stopped]",
                Holds::Boolean,
                "Only those whose tracking stopped, or only the others.",
            ),
        ],
        sorts: &["-created_at"],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "shipment",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let filter = filter(&call.query);
    let (rows, total) = call
        .read(move |reading| {
            let slice = reading.slice();
            let page = store::shipment::page(&mut reading.account(), &filter, slice)?;
            Ok((reading.with_included(documents(page.rows))?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

fn filter(query: &Query) -> ShipmentFilter {
    let text = |name| query.value(name).and_then(Value::text).map(str::to_owned);
    ShipmentFilter {
        q: text("q"),
        number: text("number"),
        tracking_stopped: query
            .value("filter[tracking_stopped]")
            .and_then(Value::boolean),
    }
}
