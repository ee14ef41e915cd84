//! Custom fields of the sample world: the priority that an account gives its shipments.

use domain::custom_field::{Choice, DataType, Definition, EntityKind, Rules, Value};
use domain::ids::{CustomFieldDefinitionId, CustomFieldId, CustomFieldOptionId};

use super::{MOMENT, id};
use crate::resource::{custom_field, custom_field_definition, custom_field_option};

/// The sample of this type.
pub(super) fn of(kind: &str) -> Option<String> {
    Some(match kind {
        "custom_field_definition" => definition(),
        "custom_field_option" => option(),
        "custom_field" => field(),
        _ => return None,
    })
}

fn definition_id() -> CustomFieldDefinitionId {
    id(0x500)
}

fn option_id() -> CustomFieldOptionId {
    id(0x501)
}

fn field_id() -> CustomFieldId {
    id(0x502)
}

fn priority() -> Definition {
    Definition {
        entity: EntityKind::Shipment,
        api_slug: "priority".to_owned(),
        display_name: "Priority".to_owned(),
        description: Some("How soon the goods are needed.".to_owned()),
        data_type: DataType::Enum,
        reference_type: None,
        rules: Rules {
            required: Some(true),
            ..Rules::default()
        },
        default_format: None,
        default_value: Value::Null,
    }
}

fn high() -> Choice {
    Choice {
        value: "high".to_owned(),
        label: "High".to_owned(),
    }
}

fn definition() -> String {
    custom_field_definition::render(&custom_field_definition::View {
        id: definition_id(),
        account: id(0x5ff),
        definition: &priority(),
        fields: &[field_id()],
        options: &[option_id()],
        created_at: MOMENT,
        updated_at: MOMENT,
    })
}

fn option() -> String {
    let high = high();
    custom_field_option::render(&custom_field_option::View {
        id: option_id(),
        label: &high.label,
        value: &high.value,
        position: Some(1),
        created_at: MOMENT,
        updated_at: MOMENT,
    })
}

fn field() -> String {
    let value = Value::Text(high().value);
    let shown = priority().display(&value, &[high()]);
    custom_field::render(&custom_field::View {
        id: field_id(),
        api_slug: "priority",
        value: &value,
        display_value: shown.as_deref(),
        entity: EntityKind::Shipment,
        entity_id: super::told::shipment().0,
        definition: definition_id(),
        created_at: MOMENT,
        updated_at: MOMENT,
    })
}
