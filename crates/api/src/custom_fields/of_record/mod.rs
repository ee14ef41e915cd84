//! The custom fields of one shipment, container or tracking request: the same four operations for each.

pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod set;
pub(crate) mod update;

use domain::custom_field::EntityKind;
use domain::ids::{ContainerId, ShipmentId, TrackingRequestId};
use jsonapi::read::Form;
use tracking::custom_fields::{Entity, Which};
use uuid::Uuid;

use crate::call::{Call, Reading};
use crate::failure::Failure;
use crate::operation::Gate;

/// What hangs below a shipment or a container is tracking data, and so are its custom fields.
const fn gate(kind: EntityKind) -> Gate {
    match kind {
        EntityKind::Shipment | EntityKind::Container => Gate::TrackingData,
        EntityKind::TrackingRequest => Gate::Open,
    }
}

/// The record in the path.
fn entity(call: &Call, kind: EntityKind) -> Result<Entity, Failure> {
    let id: Uuid = call.id()?;
    Ok(Entity { kind, id })
}

/// The field in the path. Slugs are words; one that no definition has is as unknown as any other.
fn which(call: &Call, kind: EntityKind) -> Result<Which, Failure> {
    let entity = entity(call, kind)?;
    let slug = call.segment("api_slug").to_owned();
    if domain::custom_field::is_slug(&slug) {
        Ok(Which::On(entity, slug))
    } else {
        Err(call.not_found())
    }
}

/// The record is named by the path alone.
fn refuse_entity(form: &mut Form) {
    if form.has_link("entity") {
        form.fault_of_link("entity", "must not be sent: the path names the record");
    }
}

/// Whether the account has this record.
fn exists(reading: &mut Reading<'_>, entity: Entity) -> Result<bool, Failure> {
    let a = &mut reading.account();
    let found = match entity.kind {
        EntityKind::Shipment => store::shipment::documents(a, &[ShipmentId(entity.id)])?,
        EntityKind::Container => store::container::documents(a, &[ContainerId(entity.id)])?,
        EntityKind::TrackingRequest => {
            store::tracking_request::documents(a, &[TrackingRequestId(entity.id)])?
        }
    };
    Ok(!found.is_empty())
}
