//! Custom fields: by their own ids here, on their records in [`of_record`].

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod of_record;
pub(crate) mod refused;
pub(crate) mod sent;
pub(crate) mod update;

use domain::ids::CustomFieldId;
use jsonapi::resource::custom_field::TYPE;
use tracking::custom_fields::{Set, field_texts};

use crate::address::absolute;
use crate::answer::Answer;
use crate::call::{Call, Reading};
use crate::failure::Failure;

/// Rows on a page when nothing is asked.
pub(crate) const PAGE_SIZE: u64 = 25;

/// The texts of these fields; unknown ones are left out.
pub(crate) fn texts(
    reading: &mut Reading<'_>,
    ids: &[CustomFieldId],
) -> Result<Vec<String>, Failure> {
    let a = &mut reading.account();
    let rows = store::custom_field::field::of_ids(a, ids)?;
    Ok(field_texts(a, &rows)?)
}

/// The answer to a call that set a value.
fn answer(call: &Call, set: &Set) -> Answer {
    call.resource(&set.text)
}

/// The same where it counts as created.
fn created(call: &Call, set: &Set) -> Answer {
    let path = format!("/v2/{}s/{}", TYPE.name, set.id);
    let own = absolute(call.app.tracking.base_url(), &path);
    answer(call, set).created(&own)
}
