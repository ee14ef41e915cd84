//! What is told of a refused field, definition or option, and at which place of the body.

use domain::custom_field::Refused;
use jsonapi::error::ErrorItem;
use tracking::custom_fields::FieldRefused;

use crate::failure::Failure;

/// The failure of a call whose body is one field, definition or option.
pub(crate) fn failure(why: FieldRefused) -> Failure {
    match why {
        FieldRefused::Store(error) => Failure::Store(error),
        why => item("", &why).into(),
    }
}

/// The fault, where `place` is what stands before the attribute's name (`initial_custom_fields/shipment/0/`).
pub(crate) fn item(place: &str, why: &FieldRefused) -> ErrorItem {
    use FieldRefused as F;
    let at = |name: &str, shown: &str| {
        let pointer = format!("/data/attributes/{place}{name}");
        ErrorItem::pointer(pointer, format!("{shown} {why}"))
    };
    match why {
        F::SlugUnknown(_) | F::OtherEntity { .. } => at("api_slug", "Api slug"),
        F::SlugTaken(_) => at("api_slug", "Api slug").code("duplicate"),
        F::Immutable(name) => at(name, shown(name)),
        F::Rules(_) => at("validation", "Validation"),
        F::Format(_) => at("default_format", "Default format"),
        F::Default(_) => at("default_value", "Default value"),
        F::Value(Refused::Blank) => at("value", "Value").code("blank"),
        F::Value(_) | F::NoOptions(_) => at("value", "Value"),
        F::OptionTaken(_) => at("value", "Value").code("duplicate"),
        F::EntityUnknown(_) => {
            ErrorItem::pointer("/data/relationships/entity", format!("Entity {why}"))
        }
        F::TooManyDefinitions => ErrorItem::pointer("/data", format!("The definition {why}")),
        F::TooManyOptions => ErrorItem::pointer("/data", format!("The option {why}")),
        F::TooManyFields => ErrorItem::pointer("/data", format!("The custom field {why}")),
        F::Store(_) => ErrorItem::new(500, "the service failed to answer this request"),
    }
}

fn shown(name: &str) -> &'static str {
    match name {
        "api_slug" => "Api slug",
        "entity_type" => "Entity type",
        "data_type" => "Data type",
        "reference_type" => "Reference type",
        _ => "Value",
    }
}
