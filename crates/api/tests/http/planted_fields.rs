//! Custom fields on what is planted: one definition for each kind of record, and a value on each.

use domain::custom_field::{DataType, Definition, EntityKind, Rules, Value};
use domain::ids::{CustomFieldDefinitionId, CustomFieldId, CustomFieldOptionId};
use tracking::custom_fields::{Defined, Entity, NewOption, add_option, define, set};

use crate::house::House;
use crate::planted::Planted;

/// What was planted.
#[derive(Clone, Debug)]
pub struct Fields {
    /// An enum for shipments, with one option: `low`.
    pub definition: CustomFieldDefinitionId,
    pub option: CustomFieldOptionId,
    /// A definition that nobody needs.
    pub spare: CustomFieldDefinitionId,
    /// A value on the second container.
    pub field: CustomFieldId,
}

impl Default for Fields {
    fn default() -> Self {
        let nothing = uuid::Uuid::nil();
        Self {
            definition: nothing.into(),
            option: nothing.into(),
            spare: nothing.into(),
            field: nothing.into(),
        }
    }
}

/// The slug for the records of this operation.
pub fn slug_of(operation: &str) -> &'static str {
    if operation.contains("tracking_request") {
        "of_request"
    } else if operation.contains("container") {
        "of_container"
    } else {
        "of_shipment"
    }
}

/// Plants it on the records of the first account.
pub async fn plant_fields(house: &House, planted: &Planted) -> Fields {
    use EntityKind as E;
    let shipment = defined(house, "of_shipment", E::Shipment, DataType::Enum).await;
    defined(house, "of_container", E::Container, DataType::ShortText).await;
    defined(house, "of_request", E::TrackingRequest, DataType::ShortText).await;
    let spare = defined(house, "spare", E::Shipment, DataType::Boolean).await;
    let option = NewOption {
        label: "Low".into(),
        value: "low".into(),
        position: None,
    };
    let option = add_option(&house.tracking, house.account, shipment.id, option).await;
    let [first, second] = planted.containers;
    valued(house, "of_shipment", E::Shipment, planted.shipment.0).await;
    valued(house, "of_request", E::TrackingRequest, planted.request.0).await;
    valued(house, "of_container", E::Container, first.0).await;
    let field = valued(house, "of_container", E::Container, second.0).await;
    Fields {
        definition: shipment.id,
        option: option.unwrap().unwrap().id,
        spare: spare.id,
        field,
    }
}

async fn defined(house: &House, slug: &str, entity: EntityKind, data_type: DataType) -> Defined {
    let definition = Definition {
        entity,
        api_slug: slug.into(),
        display_name: slug.into(),
        description: None,
        data_type,
        reference_type: None,
        rules: Rules::default(),
        default_format: None,
        default_value: Value::Null,
    };
    define(&house.tracking, house.account, definition)
        .await
        .unwrap()
}

async fn valued(house: &House, slug: &str, kind: EntityKind, id: uuid::Uuid) -> CustomFieldId {
    let (entity, value) = (Entity { kind, id }, Value::Text("low".into()));
    let set = set(&house.tracking, house.account, entity, slug.into(), value).await;
    set.unwrap().unwrap().id
}
