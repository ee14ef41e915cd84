//! Values that come with a tracking request, before there is anything to set them on.
//!
//! They are judged when they are sent, against the definitions of that moment, so that whoever sends them learns
//! what is wrong with them; what was accepted is set as it is when the record appears. A value for one container
//! counts more than one for every container.

use std::collections::BTreeMap;

use domain::codes::ContainerNumber;
use domain::custom_field::{EntityKind, FIELDS_MAX, Value};
use domain::ids::{
    CustomFieldDefinitionId, CustomFieldId, IdSource, ShipmentId, TrackingRequestId,
};
use jiff::Timestamp;
use store::AccountTx;
use store::custom_field::field;
use store::custom_field::staged::{self, Staged};
use uuid::Uuid;

use super::refused::FieldRefused;
use super::values::choices;
use crate::custom_fields::Entity;

/// A value as it was sent.
#[derive(Clone, Debug)]
pub struct Staging {
    /// Where it stands in what was sent: `initial_custom_fields/shipment/0`.
    pub place: String,
    /// The definition.
    pub slug: String,
    /// The kind of record it is for.
    pub entity: EntityKind,
    /// The one container it is for; `None`: every one.
    pub number: Option<ContainerNumber>,
    /// The value.
    pub value: Value,
}

/// One value that is refused.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {why}")]
pub struct StagedRefused {
    /// Where it stands in what was sent: `initial_custom_fields/shipment/0`.
    pub place: String,
    /// Why.
    pub why: FieldRefused,
}

/// Judges what was sent; every fault of it, or what is to wait.
pub(crate) fn judge(
    a: &mut AccountTx<'_>,
    sent: &[Staging],
) -> Result<Result<Vec<Staged>, Vec<StagedRefused>>, store::Error> {
    let (mut accepted, mut refused) = (Vec::with_capacity(sent.len()), Vec::new());
    for one in sent {
        match judge_one(a, one) {
            Ok(staged) => accepted.push(staged),
            Err(FieldRefused::Store(error)) => return Err(error),
            Err(why) => refused.push(StagedRefused {
                place: one.place.clone(),
                why,
            }),
        }
    }
    Ok(if refused.is_empty() {
        Ok(accepted)
    } else {
        Err(refused)
    })
}

fn judge_one(a: &mut AccountTx<'_>, sent: &Staging) -> Result<Staged, FieldRefused> {
    let entity = Entity {
        kind: sent.entity,
        id: Uuid::nil(),
    };
    let definition = super::values::definition_of(a, &sent.slug, entity)?;
    let choices = choices(a, &definition)?;
    let judged = definition.definition.accept(sent.value.clone(), &choices);
    let value = judged.map_err(FieldRefused::Value)?;
    if field::count(a)? >= FIELDS_MAX {
        return Err(FieldRefused::TooManyFields);
    }
    Ok(Staged {
        definition: definition.id,
        entity: sent.entity,
        number: sent.number,
        value,
    })
}

/// Sets what waited for the shipment of a request, which is being opened; the ids of its fields.
pub(crate) fn shipment_opens(
    a: &mut AccountTx<'_>,
    request: TrackingRequestId,
    shipment: ShipmentId,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Vec<CustomFieldId>, store::Error> {
    let waiting = staged::of_request(a, request, EntityKind::Shipment)?;
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    staged::forget(a, request, EntityKind::Shipment)?;
    let entity = Entity {
        kind: EntityKind::Shipment,
        id: shipment.0,
    };
    settle(a, entity, waiting, ids, now)
}

/// Sets what waited for a container that joins a shipment; the ids of its fields.
pub(crate) fn container_joins(
    a: &mut AccountTx<'_>,
    shipment: ShipmentId,
    (id, number): (Uuid, ContainerNumber),
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Vec<CustomFieldId>, store::Error> {
    let mut waiting = staged::of_shipment(a, shipment)?;
    waiting.retain(|one| one.number.is_none_or(|only| only == number));
    // Behind those for every container, so that they win.
    waiting.sort_by_key(|one| one.number.is_some());
    let entity = Entity {
        kind: EntityKind::Container,
        id,
    };
    settle(a, entity, waiting, ids, now)
}

/// Of two values of one definition the later counts.
fn settle(
    a: &mut AccountTx<'_>,
    entity: Entity,
    waiting: Vec<Staged>,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Vec<CustomFieldId>, store::Error> {
    let mut values: BTreeMap<CustomFieldDefinitionId, Value> = BTreeMap::new();
    let mut order = Vec::with_capacity(waiting.len());
    for one in waiting {
        if values.insert(one.definition, one.value).is_none() {
            order.push(one.definition);
        }
    }
    let mut room = FIELDS_MAX.saturating_sub(if order.is_empty() {
        0
    } else {
        field::count(a)?
    });
    let mut set = Vec::with_capacity(order.len());
    for definition in order {
        let Some(value) = values.remove(&definition).filter(|_| room > 0) else {
            tracing::warn!(account = %a.account(), "an account has as many custom fields as it can");
            break;
        };
        room -= 1;
        let row = field::Stored {
            id: ids.draw(),
            entity: entity.kind,
            entity_id: entity.id,
            definition,
            value,
            created_at: now,
            updated_at: now,
        };
        field::insert(a, &row)?;
        set.push(row.id);
    }
    Ok(set)
}
