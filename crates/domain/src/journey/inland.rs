//! Where the way goes after the port of discharge.
//!
//! Rail and truck moves before the port of lading bring a box to the sea; those after the port of discharge
//! take it away. The last place that a train, or a truck with laden goods, is said to reach is the inland
//! destination; a train's word beats a truck's, because what a truck does after the ramp is delivery. When that
//! place is the port of discharge itself there is no inland leg.
//!
//! A plan that names another ramp stands though the box was taken off its train: what is told of a stay there (ready, free
//! days, storage, a truck out of the gate) is told of an interchange as well, where the way of one railroad ends. Only the
//! line's own message of that move tells them apart: it names the place of delivery. It stands also when its time is over,
//! because trains are late and lines seldom renew such a plan: until the box is seen there, or for a week.

use jiff::{SignedDuration, Timestamp};

use super::Way;
use super::legs::Part;
use super::stop::Stop;
use crate::codes::UnLocode;
use crate::report::{Mode, MoveHint, Verb};
use crate::timeline::claims::Claim;

/// How much earlier than the expected arrival at sea an inland move may be planned, where nothing is known of
/// the beginning of the voyage (estimates drift).
pub(crate) const ARRIVAL_DRIFT_MAX: SignedDuration = SignedDuration::from_hours(24 * 3);

/// How long a plan stands behind its own time, where nobody renews it.
const OVERDUE_MAX: SignedDuration = SignedDuration::from_hours(24 * 7);

/// The claim that names the inland destination.
pub(crate) fn last_call<'c, 'a>(way: &Way<'a>, moves: &'c [Claim<'a>]) -> Option<&'c Claim<'a>> {
    let discharge = way.sea.discharge().map(|stop| stop.place);
    let last = |mode: Mode| {
        let told = || {
            moves
                .iter()
                .rev()
                .filter(move |claim| reaches(claim, mode) && is_on_carriage(way, claim))
                .filter(|claim| claim.place.is_some() && claim.hint != Some(MoveHint::Onward))
                .filter(|claim| !is_taken_on_from(claim.place, way))
                .filter(|claim| !is_old_plan(claim, way, moves))
        };
        // A train that is late goes where it was to go.
        told()
            .find(|claim| !claim.is_actual() && mode == Mode::Rail && claim.place != discharge)
            .filter(|plan| is_still_to_come(plan, way, moves))
            .or_else(|| told().next())
    };
    last(Mode::Rail)
        .or_else(|| last(Mode::Truck))
        .filter(|claim| claim.place != discharge)
}

/// Whether a ship takes the box on from this port: then it is no end inland.
fn is_taken_on_from(place: Option<UnLocode>, way: &Way<'_>) -> bool {
    let stop = place.and_then(|place| way.sea.at(place));
    stop.is_some_and(|(stop, part)| stop.load.is_some() && *part != Part::Discharge)
}

/// Whether the box has not been seen where a train is to take it, and nothing is told of it so long after that the plan was
/// forgotten.
fn is_still_to_come(plan: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let ashore = moves.iter().filter(|claim| {
        let by_land = !matches!(claim.mode, Some(Mode::Vessel | Mode::Barge));
        claim.is_actual() && by_land && is_on_carriage(way, claim)
    });
    let mut ends = ashore.filter(|claim| {
        let is_there =
            claim.laden != Some(false) && claim.area.is_some() && claim.area == plan.area;
        is_there || is_emptied(claim, way) || is_forgotten(plan, claim.at)
    });
    ends.next().is_none()
}

/// Whether the box was unpacked or came back empty after it was put ashore: it goes nowhere any more.
fn is_emptied(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    let emptied = match claim.verb {
        Verb::Strip => true,
        Verb::GateIn => claim.laden == Some(false),
        _ => false,
    };
    emptied && way.landed_since.is_some_and(|landed| claim.at > landed)
}

/// Whether a plan is of so long before this that it was forgotten.
pub(crate) fn is_forgotten(plan: &Claim<'_>, at: Timestamp) -> bool {
    at.duration_since(plan.latest()) > OVERDUE_MAX
}

/// Whether a train was planned to another ramp than the one that the line since called the place of delivery, when it told
/// that the box came there or left by the gate. What anybody plans after that counts again.
fn is_old_plan(plan: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    if plan.is_actual() || !plan.is_by(Mode::Rail) {
        return false;
    }
    let delivered = moves.iter().filter(|claim| {
        claim.hint == Some(MoveHint::Delivery)
            && is_of_goods(claim)
            && (reaches(claim, Mode::Rail) || claim.verb == Verb::GateOut)
    });
    let mut since = delivered.filter(|claim| claim.said_last > plan.said_last);
    since.any(|word| word.area != plan.area && has_ended_at(word.area, way, moves))
}

/// Whether a train brought the box to this area, and none takes it on.
fn has_ended_at(area: Option<UnLocode>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let came = moves.iter().rfind(|claim| {
        let here = claim.area.is_some() && claim.area == area;
        here && claim.is_actual() && reaches(claim, Mode::Rail) && is_on_carriage(way, claim)
    });
    let Some(came) = came else { return false };
    let emptied = moves.iter().filter(|claim| {
        let unpacks = claim.verb == Verb::Strip;
        let returns = claim.verb == Verb::GateIn && claim.laden == Some(false);
        claim.is_actual() && (unpacks || returns) && claim.at > came.at
    });
    let emptied = emptied.map(|claim| claim.at).min();
    let goes_on = |claim: &Claim<'_>| {
        let later = match claim.verb {
            Verb::Load | Verb::Depart | Verb::GateOut if claim.area == area => {
                claim.latest() > came.at
            }
            Verb::Load | Verb::Depart | Verb::GateOut => claim.at > came.latest(),
            _ => reaches(claim, Mode::Rail) && claim.area != area && claim.at > came.latest(),
        };
        later && emptied.is_none_or(|emptied| claim.at < emptied)
    };
    let mut trains = moves
        .iter()
        .filter(|c| is_of_goods(c) && c.is_by(Mode::Rail));
    !trains.any(goes_on)
}

/// Whether it happened to the box itself, with goods in it as far as anybody says.
fn is_of_goods(claim: &Claim<'_>) -> bool {
    claim.is_actual() && claim.report.equipment.is_some() && claim.laden != Some(false)
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
        Some(MoveHint::Import | MoveHint::Delivery) => true,
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
