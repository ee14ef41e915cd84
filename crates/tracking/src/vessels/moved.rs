//! Stops that stand at another quay than they were told of boxes, since the quays of their source were set right.
//!
//! What was told of a stop is taken back by nobody: a replay may not find it again ([stops](super::stops)). So what is kept
//! of the stops decides. Whoever brings a box up to date looks whether the stays that were put to it are kept elsewhere.
//!
//! In the same port the box is told first where the stop is kept now, and lets go of the earlier word then: between the
//! two, which for a replay may be hours, it would be alongside nowhere. What is kept at another port is none of its stops at
//! all.

use std::collections::BTreeSet;

use domain::ids::{AccountId, ReferenceId};
use domain::report::{Report, SourceKind};
use domain::vessel::is_moved;
use jiff::Timestamp;
use store::Tx;

use super::id_of;

/// Those of a box's claims that tell of a stop which is kept at another place.
pub(crate) fn moved_of<'r>(
    tx: &mut Tx,
    account: AccountId,
    claims: impl Iterator<Item = &'r Report>,
) -> Result<Vec<Report>, store::Error> {
    let told: Vec<(ReferenceId, &Report)> = claims
        .filter(|claim| claim.source_kind == SourceKind::Ais)
        .filter_map(|claim| Some((id_of(claim.leg.vessel_imo?)?, claim)))
        .collect();
    let vessels: BTreeSet<ReferenceId> = told.iter().map(|(vessel, _)| *vessel).collect();
    let mut moved = Vec::new();
    for vessel in vessels {
        let kept = store::vessel::stop::kept(tx, vessel, account, Timestamp::UNIX_EPOCH)?;
        let is_kept = |claim: &Report| kept.iter().any(|stop| is_there(claim, &stop.report));
        let of_vessel = told.iter().filter(|(of, _)| *of == vessel);
        for (_, claim) in of_vessel.filter(|(_, claim)| !is_kept(claim)) {
            let is_elsewhere = kept.iter().any(|stop| {
                let is_told = || told.iter().any(|(_, claim)| is_there(claim, &stop.report));
                is_moved(claim, &stop.report)
                    && (is_at_another_port(claim, &stop.report) || is_told())
            });
            moved.extend(is_elsewhere.then(|| (*claim).clone()));
        }
    }
    Ok(moved)
}

fn is_at_another_port(claim: &Report, stop: &Report) -> bool {
    claim.place.locode != stop.place.locode
}

/// Whether the claim tells of this stop where it is kept.
fn is_there(claim: &Report, stop: &Report) -> bool {
    claim.source == stop.source && claim.place == stop.place && claim.occurred == stop.occurred
}
