//! `GET /v2/containers/{id}/transport_events`

use domain::ids::ContainerId;
use jsonapi::query::{PAGE_SIZE_MAX, Rules};
use jsonapi::resource::transport_event::TYPE;

use super::provenance;
use crate::answer::Answer;
use crate::call::{Call, documents};
use crate::failure::Failure;
use crate::filters;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_container_transport_events",
    summary: "Transport events of a container, newest first",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules {
        sorts: &["-created_at", "created_at"],
        parameters: &[provenance::PARAMETER],
        paged: true,
        // Clients of the reference interface know no pages here, and read the first: as much of a box's way as fits.
        page_size: PAGE_SIZE_MAX,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let order = filters::order(&call.query);
    let read = call
        .read(move |reading| {
            if store::container::documents(&mut reading.account(), &[id])?.is_empty() {
                return Ok(None);
            }
            let slice = reading.slice();
            let page = store::event::page_of_container(&mut reading.account(), id, order, slice)?;
            let shown = documents(page.rows);
            let told = provenance::of_events(reading, id, &shown)?;
            Ok(Some((reading.with_included(shown)?, page.total, told)))
        })
        .await?;
    let (rows, total, told) = read.ok_or_else(|| call.not_found())?;
    Ok(Call::explained(call.many(rows, total), told.as_deref()))
}
