//! Options of definitions: the choices of an `enum` or `enum_multi` field.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;

use domain::ids::{CustomFieldDefinitionId, CustomFieldOptionId};
use store::custom_field::option;
use tracking::custom_fields::option_texts;

use crate::answer::Answer;
use crate::call::{Call, Reading, Rows};
use crate::failure::Failure;

/// The texts of these options; unknown ones are left out.
pub(crate) fn texts(
    reading: &mut Reading<'_>,
    ids: &[CustomFieldOptionId],
) -> Result<Vec<String>, Failure> {
    let rows = option::of_ids(&mut reading.account(), ids)?;
    Ok(option_texts(&rows))
}

/// The definition and the option in the path.
fn named(call: &Call) -> Result<(CustomFieldDefinitionId, CustomFieldOptionId), Failure> {
    Ok((call.id()?, call.id_in("option_id")?))
}

fn answer(call: &Call, row: &option::Stored) -> Answer {
    call.one(Rows {
        primary: option_texts(std::slice::from_ref(row)),
        included: Vec::new(),
    })
}
