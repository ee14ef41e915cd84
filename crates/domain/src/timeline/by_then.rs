//! Lifts that had happened by then ([`Doubt::AsOf`](crate::report::Doubt::AsOf)): a terminal's list, or its sheet, tells when it was
//! written, and not when each box was lifted.
//!
//! That is often a day later. Meanwhile there was told, with its time, what no box does before it is lifted: the goods were driven
//! away, the next ship took them, the ship sailed. Then the lift had happened by that time as well, and no nearer one is known. At
//! the time of the list it would stand behind what it must come before, or push that away: goods that are still aboard leave
//! through no gate.

use jiff::{SignedDuration, Timestamp};

use super::claims::Claim;
use crate::journey::legs::is_of_the_ship;
use crate::report::{Mode, MoveHint, Precision, Report, Verb};

/// Lists are written by less after the lift. What lies further back is of another visit.
const WRITTEN_LATE_MAX: SignedDuration = SignedDuration::from_hours(24 * 5);

/// Moves each such lift before what must come after it. Loads first: a box is put ashore before the next ship takes it.
pub(super) fn settle(moves: &mut [Claim<'_>]) {
    for verb in [Verb::Load, Verb::Discharge] {
        let lifts = moves.iter().enumerate();
        let lifts = lifts.filter(|(_, lift)| lift.verb == verb && is_lift_by_then(lift));
        let known: Vec<(usize, Timestamp, Precision)> = lifts
            .filter(|(_, lift)| !is_told_with_its_time(lift, moves))
            .filter_map(|(index, lift)| {
                let next = first_after(lift, moves)?;
                Some((index, next.at, next.precision))
            })
            .collect();
        for (index, at, precision) in known {
            if let Some(lift) = moves.get_mut(index) {
                lift.at = at;
                lift.precision = precision;
            }
        }
    }
}

/// When a lift happened, as far as anybody says; where that is only by then, the earliest that it can have.
pub(super) fn earliest(lift: &Report) -> Option<Timestamp> {
    let at = lift.occurred.as_ref()?.at;
    let late = at.checked_sub(WRITTEN_LATE_MAX).unwrap_or(at);
    Some(if lift.is_as_of() { late } else { at })
}

fn is_lift_by_then(claim: &Claim<'_>) -> bool {
    claim.is_actual()
        && claim.report.is_as_of()
        && claim.is_by(Mode::Vessel)
        && claim.place.is_some()
        && claim.laden != Some(false)
        && claim.hint != Some(MoveHint::Shifting)
}

/// Then the list only bears out who knows the time.
fn is_told_with_its_time(lift: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|other| {
        other.verb == lift.verb
            && other.is_actual()
            && !other.report.is_as_of()
            && other.is_by(Mode::Vessel)
            && other.place == lift.place
            && !is_by_another(other, lift)
            && other.at.duration_since(lift.at).abs() <= WRITTEN_LATE_MAX
    })
}

/// The first that must come after it, and was told to have happened before the list was written.
fn first_after<'c, 'a>(lift: &Claim<'a>, moves: &'c [Claim<'a>]) -> Option<&'c Claim<'a>> {
    let began = Began::of(lift, moves);
    let next = moves.iter().filter(|next| {
        next.is_actual()
            && next.at < lift.at
            && lift.at.duration_since(next.at) <= WRITTEN_LATE_MAX
            && began.at.is_none_or(|began| began <= next.latest())
            && (must_follow(next, lift) || (began.with_its_ship && is_ashore(next)))
    });
    next.min_by_key(|next| (next.at, next.latest()))
}

/// What must have happened before the lift, the last of it: what lies before that is of another visit.
#[derive(Clone, Copy, Debug, Default)]
struct Began {
    at: Option<Timestamp>,
    /// Whether it is that the ship came from which the box is put ashore.
    with_its_ship: bool,
}

impl Began {
    fn of(lift: &Claim<'_>, moves: &[Claim<'_>]) -> Self {
        let told = moves
            .iter()
            .filter(|other| other.is_actual() && !other.report.is_as_of() && other.at <= lift.at);
        let before: Vec<&Claim<'_>> = told.filter(|other| must_precede(other, lift)).collect();
        let last = |counts: fn(Verb) -> bool| {
            let counted = before.iter().filter(|other| counts(other.verb));
            counted.map(|other| (other.at, other.verb)).max()
        };
        let at_sea = last(|verb| verb != Verb::GateIn);
        match at_sea {
            // Whichever gate it came in through since: it was put ashore before that.
            Some((at, Verb::Arrive | Verb::Berth)) if lift.verb == Verb::Discharge => Self {
                at: Some(at),
                with_its_ship: true,
            },
            _ => Self {
                at: last(|_| true).map(|(at, _)| at),
                with_its_ship: false,
            },
        }
    }
}

/// Its ship came; for a load the box came as well, and to be put ashore it had sailed.
fn must_precede(other: &Claim<'_>, lift: &Claim<'_>) -> bool {
    let here = other.place == lift.place;
    let is_import = other.hint.is_some_and(MoveHint::is_import);
    match other.verb {
        Verb::Arrive | Verb::Berth => here && is_by_same(other, lift),
        Verb::GateIn => here && other.laden == Some(true) && !is_import,
        Verb::Discharge => lift.verb == Verb::Load && here && other.is_by(Mode::Vessel),
        Verb::Load | Verb::Depart => {
            let sails = other.is_by(Mode::Vessel) && other.laden != Some(false);
            lift.verb == Verb::Discharge && sails && (!here || is_by_same(other, lift))
        }
        _ => false,
    }
}

fn must_follow(next: &Claim<'_>, lift: &Claim<'_>) -> bool {
    let here = next.place == lift.place;
    let by_ship = next.is_by(Mode::Vessel);
    if next.laden == Some(false) {
        return false;
    }
    match (lift.verb, next.verb) {
        (Verb::Load, Verb::Depart) => here && by_ship && !is_by_another(next, lift),
        (Verb::Load, Verb::Discharge) => {
            next.place.is_some() && !here && by_ship && is_by_same(next, lift)
        }
        (Verb::Discharge, Verb::GateOut) => {
            // Of a gate elsewhere, or nobody knows where, it must be said that it is an import's.
            let is_import = next.hint.is_some_and(MoveHint::is_import);
            let near = next.place.is_none() || next.area == lift.area;
            next.hint != Some(MoveHint::Export) && (here || (near && is_import))
        }
        // By land it leaves the port; onto the ship that brought it, it was only put back.
        (Verb::Discharge, Verb::Load) => here && (!by_ship || is_by_another(next, lift)),
        (Verb::Discharge, Verb::Depart) => {
            here && (!by_ship || (is_by_another(next, lift) && !is_of_the_ship(next)))
        }
        _ => false,
    }
}

/// What a box does on land, wherever it is: where it came with its ship before, it was put ashore.
fn is_ashore(next: &Claim<'_>) -> bool {
    let by_land = !matches!(next.mode, Some(Mode::Vessel | Mode::Barge));
    let moves = matches!(
        next.verb,
        Verb::GateIn
            | Verb::GateOut
            | Verb::Load
            | Verb::Discharge
            | Verb::Arrive
            | Verb::Depart
            | Verb::Strip
            | Verb::Dropoff
    );
    by_land && moves && next.report.equipment.is_some()
}

fn is_by_same(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    let ships = a.ship.zip(b.ship);
    ships.is_some_and(|(a, b)| a.is(b))
}

/// Not where one of the ships is unknown.
fn is_by_another(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    let ships = a.ship.zip(b.ship);
    ships.is_some_and(|(a, b)| a.differs(b))
}
