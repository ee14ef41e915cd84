//! A record that has custom fields, held while they change.

use domain::custom_field::EntityKind;
use domain::ids::{AccountId, ContainerId, CustomFieldId, ShipmentId, TrackingRequestId};
use jiff::Timestamp;
use store::container::Container;
use store::shipment::Shipment;
use store::tracking_request::TrackingRequest;
use store::{AccountTx, Tx};
use uuid::Uuid;

use crate::Tracking;
use crate::projection::rewrite;
use crate::request;

/// Names a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entity {
    /// Its kind.
    pub kind: EntityKind,
    /// Its id.
    pub id: Uuid,
}

/// A record and its row.
pub(super) enum Record {
    Request(Box<TrackingRequest>),
    Shipment(Box<Shipment>),
    Container(Box<Shipment>, Box<Container>),
}

impl Record {
    /// The record, so that a projection that ends at the same time comes before or after. `None`: this account
    /// has no such record.
    pub(super) fn hold(
        tx: &mut Tx,
        account: AccountId,
        entity: Entity,
    ) -> Result<Option<Self>, store::Error> {
        match entity.kind {
            EntityKind::TrackingRequest => {
                let held = request::find_held(tx, account, TrackingRequestId(entity.id))?;
                Ok(held.map(|row| Self::Request(Box::new(row))))
            }
            EntityKind::Shipment => {
                let mut a = tx.account(account);
                let held = store::shipment::lock(&mut a, ShipmentId(entity.id))?;
                Ok(held.map(|row| Self::Shipment(Box::new(row))))
            }
            EntityKind::Container => container(&mut tx.account(account), ContainerId(entity.id)),
        }
    }

    /// The ids of its fields.
    pub(super) fn fields(&mut self) -> &mut Vec<CustomFieldId> {
        match self {
            Self::Request(row) => &mut row.custom_fields,
            Self::Shipment(row) => &mut row.custom_fields,
            Self::Container(_, row) => &mut row.custom_fields,
        }
    }

    /// Writes it with its next version and its document.
    pub(super) fn write(
        self,
        a: &mut AccountTx<'_>,
        tracking: &Tracking,
        now: Timestamp,
    ) -> Result<(), store::Error> {
        match self {
            Self::Request(mut row) => request::store_change(a, &mut row, now),
            Self::Shipment(mut row) => rewrite::shipment(a, tracking, &mut row, now),
            Self::Container(of, mut row) => rewrite::container(a, tracking, &of, &mut row, now),
        }
    }
}

/// A container is held by its shipment.
fn container(a: &mut AccountTx<'_>, id: ContainerId) -> Result<Option<Record>, store::Error> {
    let Some(found) = store::container::find(a, id)? else {
        return Ok(None);
    };
    let Some(shipment) = store::shipment::lock(a, found.shipment)? else {
        return Ok(None);
    };
    let held = store::container::find(a, id)?;
    Ok(held.map(|row| Record::Container(Box::new(shipment), Box::new(row))))
}
