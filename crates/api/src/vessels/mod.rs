//! Vessels: shared by all accounts, found by id or IMO number.
//!
//! Who sees which vessel is told in `tracking::vessels`. Where a vessel is takes the routing feature and a plan
//! that reads; without them the same vessel is served with those attributes null.

pub(crate) mod expected;
pub(crate) mod future_positions;
pub(crate) mod future_positions_with_coordinates;
pub(crate) mod get;

use domain::account::Feature;
use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::ReferenceId;
use domain::vessel::Position;
use jsonapi::resource::vessel::{self, View};
use store::vessel::Known;
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
    let mut found = crate::call::documents(store::vessel::documents(reading.tx, ids)?);
    if !may_see_positions(reading) {
        return Ok(found);
    }
    let seen = store::vessel::position::last(reading.tx, ids)?;
    for text in &mut found {
        let Some(identity) = jsonapi::linkage::identity(text) else {
            continue;
        };
        let id = ReferenceId(identity.id);
        if let (Some(last), Some(known)) = (seen.get(&id), store::vessel::find(reading.tx, id)?) {
            *text = render(&known, Some(last), None);
        }
    }
    Ok(found)
}

/// The resource text of a vessel.
fn render(
    known: &Known,
    last: Option<&Position>,
    positions: Option<(&[Position], bool)>,
) -> String {
    let vessel = Vessel {
        imo: known.imo.as_deref().and_then(ImoNumber::parse),
        name: known.name.clone(),
    };
    vessel::render_at(&View {
        vessel: &vessel,
        mmsi: known.mmsi.as_deref(),
        last,
        positions,
    })
}
