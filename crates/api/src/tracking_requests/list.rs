//! `GET /v2/tracking_requests`

use domain::codes::Scac;
use domain::tracking_request::{NumberKind, RequestStatus};
use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::tracking_request::{TYPE, request_types, statuses};
use sources::registry::Registry;
use store::tracking_request::RequestFilter;
use tracking::request::writings;

use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::filters;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_tracking_requests",
    summary: "Tracking requests",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        include_by_default: &["tracked_object"],
        parameters: &[
            Parameter::new(
                "q",
                Holds::TextOrBlank,
                "Part of the number or of a reference.",
            ),
            Parameter::new(
                "filter[request_number]",
                Holds::Text,
                "This number, whatever sets its groups apart, in capital or small letters.",
            ),
            Parameter::new(
                "filter[status]",
                Holds::Words(known_statuses),
                "Any of these.",
            ),
            Parameter::new(
                "filter[scac]",
                Holds::Text,
                "This shipping line, by any of its codes.",
            ),
            Parameter::new(
                "filter[request_type]",
                Holds::Words(request_types),
                "This kind.",
            ),
            Parameter::new("filter[created_at][start]", Holds::Moment, "At or after."),
            Parameter::new(
                "filter[created_at][end]",
                Holds::Until,
                "At or before; a date counts to its end.",
            ),
            Parameter::new("filter[updated_at][start]", Holds::Moment, "At or after."),
            Parameter::new(
                "filter[updated_at][end]",
                Holds::Until,
                "At or before; a date counts to its end.",
            ),
            Parameter::new("filter[customer]", Holds::Id, "Of this party."),
            Parameter::new(
                "filter[customer_id]",
                Holds::Id,
                "The same as filter[customer].",
            ),
        ],
        sorts: &[
            "-created_at",
            "created_at",
            "-updated_at",
            "updated_at",
            "request_number",
            "-request_number",
        ],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "tracking request",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let filter = filter(&call.query, call.app.tracking.registry())?;
    let number = filters::text(&call.query, "filter[request_number]");
    let (rows, total) = call
        .glance(move |reading| {
            let mut filter = filter.clone();
            if let Some(number) = &number {
                let registry = reading.app.tracking.registry();
                filter.numbers = writings(&mut reading.account(), registry, number)?;
            }
            let slice = reading.slice();
            let page = store::tracking_request::page(&mut reading.account(), &filter, slice)?;
            Ok((reading.with_included(documents(page.rows))?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

fn filter(query: &Query, registry: &Registry) -> Result<RequestFilter, Failure> {
    let text = |name| filters::text(query, name);
    let moment = |name| query.value(name).and_then(Value::moment);
    let words = |name| query.value(name).and_then(Value::words).unwrap_or_default();
    let scac = query
        .value("filter[scac]")
        .and_then(Value::text)
        .map(|text| Scac::parse(text).map_err(|_| refused("filter[scac]")))
        .transpose()?
        .map(|scac| filters::main_code(scac, registry));
    let kinds = words("filter[request_type]");
    if kinds.len() > 1 {
        return Err(refused("filter[request_type]"));
    }
    Ok(RequestFilter {
        statuses: words("filter[status]")
            .iter()
            .filter_map(|word| RequestStatus::parse(word))
            .collect(),
        numbers: Vec::new(),
        scac,
        kind: kinds.first().and_then(|word| NumberKind::parse(word)),
        created: (
            moment("filter[created_at][start]"),
            moment("filter[created_at][end]"),
        ),
        updated: (
            moment("filter[updated_at][start]"),
            moment("filter[updated_at][end]"),
        ),
        q: text("q"),
        customers: filters::customers(query, &["filter[customer]", "filter[customer_id]"]),
        order: filters::order(query),
    })
}

fn refused(name: &'static str) -> Failure {
    let detail = format!("{name} holds a value that cannot be filtered by");
    jsonapi::error::ErrorItem::parameter(name, detail).into()
}

/// The reference's word for `succeeded` is understood too.
fn known_statuses() -> Vec<&'static str> {
    statuses().into_iter().chain(["created"]).collect()
}
