//! `GET /v2/search`

use jsonapi::error::ErrorItem;
use jsonapi::query::{Holds, Parameter, Rules, Value};
use jsonapi::resource::search_result::{Found, TYPE, View, render};
use store::search;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "search",
    summary: "Shipments, containers and tracking requests by any part of a number or reference",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[Parameter::new(
            "query",
            Holds::TextOrBlank,
            "Part of a bill of lading, booking, container or reference number, whatever its letter case, spaces \
             and dashes; must be given. At most 25 rows come back: shipments, then cargo, then tracking requests, \
             each from the newest.",
        )],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "record",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let query = call.query.value("query").and_then(Value::text);
    let Some(query) = query.filter(|text| !text.is_empty()).map(str::to_owned) else {
        return Err(ErrorItem::parameter("query", "Query parameter is required").into());
    };
    let rows = call
        .read(move |reading| {
            let found = search::search(&mut reading.account(), &query)?;
            let gazetteer = reading.app.tracking.gazetteer();
            let primary = found.iter().map(|one| render(&view(one), gazetteer));
            reading.with_included(primary.collect())
        })
        .await?;
    Ok(call.short(rows))
}

fn view(found: &search::Found) -> View<'_> {
    match found {
        search::Found::Shipment(shipment, containers) => View {
            found: Found::Shipment {
                id: shipment.id,
                number: &shipment.number,
                scac: shipment.scac,
                ports: [
                    shipment.state.port_of_lading,
                    shipment.state.port_of_discharge,
                ],
                containers: *containers,
                stopped: shipment.stopped.as_ref().map(|(_, reason)| reason.as_str()),
            },
            ref_numbers: &shipment.ref_numbers,
            created_at: shipment.created_at,
            updated_at: shipment.updated_at,
        },
        search::Found::Container(container, scac) => View {
            found: Found::Container {
                id: container.id,
                number: container.number,
                shipment: container.shipment,
                scac,
            },
            ref_numbers: &container.ref_numbers,
            created_at: container.created_at,
            updated_at: container.updated_at,
        },
        search::Found::TrackingRequest(request) => View {
            found: Found::TrackingRequest {
                id: request.id,
                number: &request.number,
                shipment: request.shipment,
                scac: request.scac,
                status: request.progress.status,
                failed_reason: request.progress.told_reason(),
            },
            ref_numbers: &request.ref_numbers,
            created_at: request.progress.created_at,
            updated_at: request.updated_at,
        },
    }
}
