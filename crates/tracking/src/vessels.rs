//! Where vessels were seen.
//!
//! **Who sees which vessel.** A vessel is reference data, like a port: name, number and sightings are public
//! facts, the same for every account, and say nothing about anybody's cargo. Any key that may read finds a
//! vessel by id or IMO number. What *is* an account's own is which of its boxes a vessel carries, and the
//! voyage it is on with them: that stands in the account's rows and is never read for another.
//!
//! Only vessels that some report named are followed. Sightings are kept for [`KEPT`] and then dropped, so that
//! the table is as large as the fleet and not as the years.

use std::collections::BTreeMap;

use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::ReferenceId;
use domain::vessel::Position;
use jiff::SignedDuration;
use jsonapi::resource::vessel;
use store::Key;

use crate::Tracking;

/// How long sightings are kept.
pub const KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Sightings of one call at most; the caller sends what is left in the next.
pub const SIGHTINGS_MAX: usize = 1_000;

/// One sighting by a receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The vessel's IMO number.
    pub imo: ImoNumber,
    /// The number its radio sends.
    pub mmsi: Option<String>,
    /// Where and when.
    pub position: Position,
}

/// Keeps sightings of vessels that are followed; those of others, those that are too old to keep, and all beyond
/// [`SIGHTINGS_MAX`] are passed over. May be repeated: a vessel is in one place at a time. Returns how many
/// were new.
pub async fn record_positions(
    tracking: &Tracking,
    sightings: &[Sighting],
) -> Result<u64, store::Error> {
    let oldest = tracking.now().checked_sub(KEPT).unwrap_or(tracking.now());
    let mut seen: Vec<(ReferenceId, Position)> = Vec::new();
    let mut radios: BTreeMap<ReferenceId, String> = BTreeMap::new();
    for sighting in sightings.iter().take(SIGHTINGS_MAX) {
        let numbered = Vessel {
            imo: Some(sighting.imo),
            name: None,
        };
        let Some(id) = vessel::id(&numbered).filter(|_| is_plausible(&sighting.position)) else {
            continue;
        };
        if let Some(mmsi) = &sighting.mmsi {
            radios.insert(id, mmsi.clone());
        }
        if sighting.position.at >= oldest {
            seen.push((id, sighting.position));
        }
    }
    let mut vessels: Vec<ReferenceId> = seen.iter().map(|(id, _)| *id).collect();
    vessels.sort_unstable();
    vessels.dedup();
    if vessels.is_empty() {
        return Ok(0);
    }
    let writing = tracking.store().write(Key::sightings(), move |tx| {
        for (id, mmsi) in &radios {
            store::vessel::identify(tx, *id, mmsi)?;
        }
        let new = store::vessel::position::record(tx, &seen)?;
        store::vessel::position::forget(tx, &vessels, oldest)?;
        Ok(new)
    });
    writing.await
}

/// Receivers send 91 and 181 for "not known".
fn is_plausible(position: &Position) -> bool {
    position.point.latitude.abs() <= 90.0 && position.point.longitude.abs() <= 180.0
}
