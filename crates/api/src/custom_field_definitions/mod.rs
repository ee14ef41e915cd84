//! Definitions: which custom fields there are, and what they hold.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod form;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;

use domain::custom_field::EntityKind;
use domain::ids::CustomFieldDefinitionId;
use jsonapi::query::{Query, Value};
use tracking::custom_fields::definition_texts;

use crate::call::Reading;
use crate::failure::Failure;

/// How existing data names containers.
const CARGO: &str = "Cargo";

/// Every word of `filter[entity_type]`.
pub(crate) fn entity_types() -> Vec<&'static str> {
    let kinds = EntityKind::ALL.map(EntityKind::as_str);
    kinds.into_iter().chain([CARGO]).collect()
}

/// The kinds of records that `filter[entity_type]` names.
pub(crate) fn entity_kinds(query: &Query) -> Vec<EntityKind> {
    let words = query.value("filter[entity_type]").and_then(Value::words);
    let kind = |word: &&'static str| match *word {
        CARGO => Some(EntityKind::Container),
        word => EntityKind::parse(word),
    };
    words.unwrap_or_default().iter().filter_map(kind).collect()
}

/// The texts of these definitions; unknown ones are left out.
pub(crate) fn texts(
    reading: &mut Reading<'_>,
    ids: &[CustomFieldDefinitionId],
) -> Result<Vec<String>, Failure> {
    let a = &mut reading.account();
    let rows = store::custom_field::definition::of_ids(a, ids)?;
    Ok(definition_texts(a, &rows)?)
}
