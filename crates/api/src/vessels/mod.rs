//! Vessels: shared by all accounts, found by id or IMO number.
//!
//! Who sees which vessel is told in `tracking::vessels`. Where a vessel is takes the routing feature and a plan
//! that reads; without them the same vessel is served with those attributes null.

pub(crate) mod expected;
pub(crate) mod future_positions;
pub(crate) mod future_positions_with_coordinates;
pub(crate) mod get;

use std::collections::HashMap;

use domain::account::Feature;
use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::ReferenceId;
use jsonapi::resource::vessel;
use tracking::vessels;
use uuid::Uuid;

use crate::call::{Call, Reading};
use crate::failure::Failure;
use crate::operation::{Gate, Needs};
use crate::plan;

/// The vessel that the path names, by id or IMO number.
pub(crate) fn id_of(call: &Call) -> Result<ReferenceId, Failure> {
    let text = call.segment("id");
    if let Ok(id) = text.parse::<Uuid>() {
        return Ok(ReferenceId(id));
    }
    let imo = ImoNumber::parse(text).ok_or_else(|| call.not_found())?;
    let numbered = Vessel {
        imo: Some(imo),
        name: None,
    };
    vessel::id(&numbered).ok_or_else(|| call.not_found())
}

/// Whether this caller is told where vessels are.
fn may_see_positions(reading: &Reading<'_>) -> bool {
    let gate = Gate::Feature(Feature::Routing);
    plan::admit(
        reading.caller,
        Needs::Show,
        gate,
        reading.app.tracking.now(),
    )
    .is_ok()
}

/// The vessels with these ids, with their last positions where the caller may see them.
pub(crate) fn texts(
    reading: &mut Reading<'_>,
    ids: &[ReferenceId],
) -> Result<Vec<String>, Failure> {
    let known = store::vessel::known(reading.tx, ids)?;
    let mut seen = HashMap::new();
    if may_see_positions(reading) {
        seen = store::vessel::position::last(reading.tx, ids)?;
    }
    let found = ids.iter().filter_map(|id| Some((id, known.get(id)?)));
    Ok(found
        .map(|(id, known)| vessels::render(known, seen.get(id), None))
        .collect())
}
