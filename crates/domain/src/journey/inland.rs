//! Where the way goes after the port of discharge.
//!
//! Rail and truck moves before the port of lading bring a box to the sea; those after the port of discharge
//! take it away. The last place that a train, or a truck with laden goods, is said to reach is the inland
//! destination; a train's word beats a truck's, because what a truck does after the ramp is delivery. When that
//! place is the port of discharge itself there is no inland leg.

use jiff::{SignedDuration, Timestamp};

use super::Way;
use super::stop::Stop;
use crate::report::{Mode, MoveHint, Verb};
use crate::timeline::claims::Claim;

/// How much earlier than the expected arrival at sea an inland move may be planned, where nothing is known of
/// the beginning of the voyage (estimates drift).
pub(crate) const ARRIVAL_DRIFT_MAX: SignedDuration = SignedDuration::from_hours(24 * 3);

/// The claim that names the inland destination.
pub(crate) fn last_call<'c, 'a>(way: &Way<'a>, moves: &'c [Claim<'a>]) -> Option<&'c Claim<'a>> {
    let discharge = way.sea.discharge().map(|stop| stop.place);
    let last = |mode: Mode| {
        moves
            .iter()
            .rev()
            .filter(|claim| reaches(claim, mode) && is_on_carriage(way, claim))
            .find(|claim| claim.place.is_some())
    };
    last(Mode::Rail)
        .or_else(|| last(Mode::Truck))
        .filter(|claim| claim.place != discharge)
}

fn reaches(claim: &Claim<'_>, mode: Mode) -> bool {
    let arrives = match claim.verb {
        Verb::Arrive | Verb::Eta => true,
        Verb::Discharge | Verb::GateIn => mode == Mode::Rail,
        _ => false,
    };
    arrives && claim.is_by(mode) && claim.laden != Some(false)
}

/// Whether an inland move lies after the sea, by what the source says and by time.
pub(crate) fn is_on_carriage(way: &Way<'_>, claim: &Claim<'_>) -> bool {
    match claim.hint {
        Some(MoveHint::Export) => false,
        Some(MoveHint::Import) => true,
        _ => is_behind_the_sea(way, claim.latest(), claim.is_actual()),
    }
}

/// Whether a moment lies after the sea. What happened after the landing does; what is only expected is judged by the
/// side of the voyage it lies on, because plans made before a delay still say where the box goes.
pub(crate) fn is_behind_the_sea(way: &Way<'_>, latest: Timestamp, is_actual: bool) -> bool {
    if let Some(landed) = way.landed_since.filter(|_| is_actual) {
        return latest >= landed;
    }
    let left = way.sea.lading().and_then(left);
    let reached = way.expected_ashore();
    match (left, reached) {
        (Some(left), Some(reached)) => {
            let half = reached.duration_since(left) / 2;
            left.checked_add(half).is_ok_and(|middle| latest > middle)
        }
        (Some(left), None) => latest > left,
        (None, Some(reached)) => {
            let early = reached.checked_sub(ARRIVAL_DRIFT_MAX).unwrap_or(reached);
            latest >= early
        }
        (None, None) => true,
    }
}

fn left(stop: &Stop<'_>) -> Option<Timestamp> {
    let sights = [&stop.load, &stop.depart].into_iter().flatten();
    sights.map(|sight| sight.claim.at).min()
}
