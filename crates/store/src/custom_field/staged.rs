//! Values that wait for the records they are for.
//!
//! Those for the shipment are taken when it opens. Those for containers stay as long as their request does: a
//! box may join a shipment late, and is to have them too.

use domain::codes::ContainerNumber;
use domain::custom_field::{EntityKind, Value as Kept};
use domain::ids::{CustomFieldDefinitionId, ShipmentId, TrackingRequestId};

use crate::db::Row;
use crate::{AccountTx, Error, mirror};

/// A value that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// What it is a value of.
    pub definition: CustomFieldDefinitionId,
    /// The kind of record it is for.
    pub entity: EntityKind,
    /// The one container it is for; `None`: every one.
    pub number: Option<ContainerNumber>,
    /// The value.
    pub value: Kept,
}

/// Lets these values wait with a request.
pub fn insert(
    a: &mut AccountTx,
    request: TrackingRequestId,
    staged: &[Staged],
) -> Result<(), Error> {
    for (position, row) in (0_i64..).zip(staged) {
        let value = mirror::text(&row.value)?;
        a.execute(
            "insert into staged_custom_fields (account_id, tracking_request_id, position,
                 definition_id, entity_type, container_number, value)
             values ($1, $2, $3, $4, $5, $6, $7)",
            &[
                request.into(),
                position.into(),
                row.definition.into(),
                row.entity.as_str().into(),
                row.number.as_ref().map(ContainerNumber::as_str).into(),
                (&value).into(),
            ],
        )?;
    }
    Ok(())
}

/// What waits with a request for this kind of record, in the order in which it was sent.
pub fn of_request(
    a: &mut AccountTx,
    request: TrackingRequestId,
    entity: EntityKind,
) -> Result<Vec<Staged>, Error> {
    a.query(
        "select definition_id, entity_type, container_number, value from staged_custom_fields
         where account_id = $1 and tracking_request_id = $2 and entity_type = $3
         order by position",
        &[request.into(), entity.as_str().into()],
        read,
    )
}

/// What waits for containers with the requests of a shipment, in the order in which it was sent. The requests come first, and are sorted
/// by no column that has an index: SQLite would go through all that waits in the account, or all its requests, for each box that joins.
pub fn of_shipment(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<Staged>, Error> {
    a.query(
        "select definition_id, entity_type, container_number, value
         from tracking_requests r cross join staged_custom_fields s
         where r.account_id = $1 and r.shipment_id = $2
             and s.account_id = $1 and s.tracking_request_id = r.id and entity_type = $3
         order by coalesce(r.created_at, r.created_at), r.id, position",
        &[shipment.into(), EntityKind::Container.as_str().into()],
        read,
    )
}

/// Removes what waited with a request for this kind of record.
pub fn forget(
    a: &mut AccountTx,
    request: TrackingRequestId,
    entity: EntityKind,
) -> Result<(), Error> {
    a.execute(
        "delete from staged_custom_fields
         where account_id = $1 and tracking_request_id = $2 and entity_type = $3",
        &[request.into(), entity.as_str().into()],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> Result<Staged, Error> {
    let number = |text: &str| {
        ContainerNumber::from_feed(text)
            .ok()
            .map(|(number, _)| number)
    };
    Ok(Staged {
        definition: row.id("definition_id")?,
        entity: row.parsed("entity_type", EntityKind::parse)?,
        number: row.optional_parsed("container_number", number)?,
        value: row.mirrored("value")?,
    })
}
