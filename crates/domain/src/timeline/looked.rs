//! Moves that a source saw done when it looked, and does not say since when ([`Doubt::AsOf`](crate::report::Doubt::AsOf)).
//!
//! A terminal's sheet says `OUT`, each day the same for as long as the box is gone. What it says had happened by the
//! first of these looks: the newest one is no correction, as it is where a source tells times. So of the looks of one
//! visit the first stands, behind each reading that has a time of its own. Another visit has begun where the source
//! itself said otherwise in between, or where the box came on another voyage.

use jiff::Timestamp;

use super::readings::by_issue;
use crate::place::Gazetteer;
use crate::report::{Classifier, Mode, Report, Value, Verb};

/// How many of the readings of one claim, newest first, are of the visit of the first; `said` is everything that
/// counts of the box.
pub(super) fn of_one_visit<'a, 'r>(
    readings: impl Iterator<Item = &'r Report> + Clone,
    said: &[&'a Report],
    gazetteer: &Gazetteer,
) -> usize {
    let Some(newest) = readings.clone().next() else {
        return 0;
    };
    let others = said
        .iter()
        .filter(|other| is_between_visits(other, newest, gazetteer));
    let turns: Vec<Timestamp> = others.filter_map(|other| time(other)).collect();
    let each = readings.clone().zip(readings.skip(1));
    let same = each.take_while(|(newer, older)| {
        let (from, until) = (time(older), time(newer));
        !turns.iter().any(|at| from < Some(*at) && Some(*at) < until)
    });
    same.count() + 1
}

/// The first of looks.
pub(super) fn first<'a>(looks: impl Iterator<Item = &'a Report>) -> Option<&'a Report> {
    looks.min_by(|a, b| time(a).cmp(&time(b)).then_with(|| by_issue(a, b)))
}

fn time(report: &Report) -> Option<Timestamp> {
    report.occurred.as_ref().map(|occurred| occurred.at)
}

/// Whether this tells one visit from the next, where the box had been seen to do `seen` before and was again after.
fn is_between_visits(other: &Report, seen: &Report, gazetteer: &Gazetteer) -> bool {
    let canonical = |report: &Report| report.place.locode.map(|code| gazetteer.canonical(code));
    let is_here = canonical(other) == canonical(seen);
    let leaves = matches!(
        seen.verb,
        Verb::GateOut | Verb::Load | Verb::Depart | Verb::Pickup
    );
    if other.classifier != Classifier::Actual {
        return false;
    }
    if other.source == seen.source && is_here {
        let is_in_one_yard = other.place.facility_code == seen.place.facility_code;
        let is_in_yard = other.verb == Verb::Available && leaves;
        // A word that only takes another one back says nothing of where the box is.
        let takes_back = matches!(other.value, Some(Value::Withdraws(_)));
        let is_elsewise = other.is_as_of() && other.verb != seen.verb && !takes_back;
        if is_in_one_yard && (is_in_yard || is_elsewise) {
            return true;
        }
    }
    let is_empty = other
        .equipment
        .as_ref()
        .is_some_and(|gear| gear.laden == Some(false));
    let by_ship = other.leg.mode == Some(Mode::Vessel) && !is_empty;
    match other.verb {
        Verb::Load => by_ship && !is_here,
        Verb::Discharge => by_ship && is_here && leaves,
        _ => false,
    }
}
