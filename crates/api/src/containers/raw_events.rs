//! `GET /v2/containers/{id}/raw_events`

use std::collections::{HashMap, HashSet};

use domain::ids::{ContainerId, ReportId, ShipmentId};
use domain::report::Report;
use domain::timeline;
use jsonapi::linkage;
use jsonapi::query::Rules;
use jsonapi::resource::raw_event::{TYPE, View, render};
use store::report::StoredReport;

use crate::answer::Answer;
use crate::call::{Call, Reading};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_container_raw_events",
    summary: "What sources claimed about a container, in the order in which it came to us",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let rows = call
        .read_much(move |reading| {
            let found = store::container::documents(&mut reading.account(), &[id])?;
            let Some(container) = found.into_iter().next() else {
                return Ok(None);
            };
            let told = of_container(reading, &container.document)?;
            reading.with_included(told).map(Some)
        })
        .await?;
    Ok(call.whole(rows.ok_or_else(|| call.not_found())?))
}

/// The claims that a container's own text names.
fn of_container(reading: &mut Reading<'_>, container: &str) -> Result<Vec<String>, Failure> {
    let Some(shipment) = linkage::targets(container, "shipment").into_iter().next() else {
        return Ok(Vec::new());
    };
    let named = linkage::targets(container, "raw_events");
    let wanted = named.iter().map(|claim| ReportId(claim.id)).collect();
    let mut told = HashMap::new();
    of_shipment(reading, ShipmentId(shipment.id), &wanted, |id, text| {
        told.insert(id, text);
        Ok(())
    })?;
    Ok(named
        .iter()
        .filter_map(|identity| told.remove(&ReportId(identity.id)))
        .collect())
}

/// These claims, rendered one after the other, as far as they came by a watch that feeds the shipment; who `takes` them may
/// end it. What was heard after it stopped takes none of them back.
pub(crate) fn of_shipment(
    reading: &mut Reading<'_>,
    shipment: ShipmentId,
    wanted: &HashSet<ReportId>,
    mut takes: impl FnMut(ReportId, String) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut a = reading.account();
    let boxes: HashMap<_, ContainerId> = store::container::of_shipment(&mut a, shipment)?
        .into_iter()
        .map(|container| (container.number, container.id))
        .collect();
    let feeds = store::shipment::feeds(&mut a, shipment)?;
    let watches: Vec<_> = feeds.iter().map(|feed| feed.watch).collect();
    let found = store::shipment::find(&mut a, shipment)?;
    let stopped_at = found.and_then(|found| found.stopped.map(|(at, _)| at));
    let gazetteer = reading.app.tracking.gazetteer();
    let reports = store::report::of_watches(reading.tx, &watches)?;
    // Numbered before any are left out, or a claim would have another number each time that others are asked for.
    let mut numbered: Vec<(i64, StoredReport)> = (0..).zip(reports).collect();
    numbered.retain(|(_, row)| {
        wanted.contains(&row.id) || stopped_at.is_none_or(|stopped| row.created_at <= stopped)
    });
    let all: Vec<&Report> = numbered.iter().map(|(_, row)| &row.report).collect();
    let withdrawn = timeline::withdrawn(&all);
    let claims = numbered.iter().zip(withdrawn);
    for ((index, stored), invalidated_at) in claims.filter(|((_, row), _)| wanted.contains(&row.id))
    {
        let number = stored.report.equipment.as_ref().map(|e| e.number);
        let text = render(&View {
            id: stored.id,
            index: *index,
            report: &stored.report,
            created_at: stored.created_at,
            invalidated_at,
            container: number.and_then(|number| boxes.get(&number).copied()),
            gazetteer,
        });
        takes(stored.id, text)?;
    }
    Ok(())
}
