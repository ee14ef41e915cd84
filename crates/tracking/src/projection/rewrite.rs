//! A row that its account changed, written again.
//!
//! The projection writes what sources say; this writes what the account says of its own shipments and containers:
//! references, tags, the customer, custom fields. The document is rendered from the row by the same functions.
//! What only a projection learns (which boxes, events and claims are linked, when the line was asked) is taken
//! from the document that stands, so that no report has to be read for a changed reference.
//!
//! Whoever calls holds the shipment's lock ([`store::shipment::lock`]), for a container too: a projection that
//! ends at the same time then comes before or after.

use domain::ids::{ContainerId, EventId, ReportId};
use jiff::Timestamp;
use jsonapi::linkage;
use store::AccountTx;
use store::container::Container;
use store::shipment::Shipment;
use uuid::Uuid;

use super::container::{self, Told};
use super::shipment as projected;
use crate::{Tracking, parties};

/// Writes a changed shipment with its next version and its document.
pub(crate) fn shipment(
    a: &mut AccountTx<'_>,
    tracking: &Tracking,
    row: &mut Shipment,
    now: Timestamp,
) -> Result<(), store::Error> {
    let containers: Vec<ContainerId> = linked(&row.document, "containers");
    row.version += 1;
    row.updated_at = now;
    let customer = parties::name(a, row.customer)?;
    row.document = projected::render(tracking, row, &containers, customer.as_deref());
    store::shipment::update(a, row).map(|_| ())
}

/// Writes a changed container of `of` with its next version and its document.
pub(crate) fn container(
    a: &mut AccountTx<'_>,
    tracking: &Tracking,
    of: &Shipment,
    row: &mut Container,
    now: Timestamp,
) -> Result<(), store::Error> {
    let transport_events: Vec<EventId> = linked(&row.document, "transport_events");
    let raw_events: Vec<ReportId> = linked(&row.document, "raw_events");
    let told = Told {
        line_checked_at: line_checked_at(&row.document),
        transport_events: &transport_events,
        raw_events: &raw_events,
    };
    row.version += 1;
    row.updated_at = now;
    row.document = container::render(tracking, of, row, &told);
    store::container::update(a, row).map(|_| ())
}

fn linked<I: From<Uuid>>(document: &str, relationship: &str) -> Vec<I> {
    let targets = linkage::targets(document, relationship);
    targets
        .into_iter()
        .map(|target| I::from(target.id))
        .collect()
}

fn line_checked_at(document: &str) -> Option<Timestamp> {
    let text = linkage::attribute(document, "shipment_last_tracking_request_at")?;
    text.trim_matches('"').parse().ok()
}
