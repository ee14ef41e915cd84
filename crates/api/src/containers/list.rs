//! `GET /v2/containers`

use domain::codes::ContainerNumber;
use domain::container::CurrentStatus;
use jsonapi::error::ErrorItem;
use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::container::TYPE;
use store::container::ContainerFilter;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_containers",
    summary: "Containers, newest first",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            Parameter::new(
                "filter[number]",
                Holds::Text,
                "Exactly this container number.",
            ),
            Parameter::new(
                "filter[current_status]",
                Holds::Words(known_statuses),
                "Any of these.",
            ),
        ],
        sorts: &["-created_at"],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let filter = filter(&call.query)?;
    let (rows, total) = call
        .read(move |reading| {
            let slice = reading.slice();
            let page = store::container::page(&mut reading.account(), &filter, slice)?;
            Ok((reading.with_included(documents(page.rows))?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

fn filter(query: &Query) -> Result<ContainerFilter, Failure> {
    let name = "filter[number]";
    let number = query
        .value(name)
        .and_then(Value::text)
        .map(|text| {
            // Feeds may have given a box a wrong check digit; it can be looked up as it is shown.
            let read = ContainerNumber::from_feed(text).map(|(number, _)| number);
            read.map_err(|why| ErrorItem::parameter(name, format!("{name}: {why}")))
        })
        .transpose()?;
    let words = query.value("filter[current_status]").and_then(Value::words);
    Ok(ContainerFilter {
        number,
        statuses: words
            .unwrap_or_default()
            .iter()
            .map(|word| (*word).to_owned())
            .collect(),
        shipment: None,
    })
}

/// Two words of the reference are understood though no container ever has them.
fn known_statuses() -> Vec<&'static str> {
    let given = CurrentStatus::ALL.iter().map(|status| status.as_str());
    given.chain(["loaded", "dropped"]).collect()
}
