//! Boxes that are driven from one terminal of a port to another: the second terminal tells of a discharge too.
//!
//! One journey has one discharge at one port. When a source tells of two, at two terminals and too far apart to
//! be one happening, the box was moved between them ashore; the first is the discharge, whoever tells of it, and
//! the second is no event. Two sources that name two terminals contradict each other, which is another matter.

use super::claims::Claim;
use super::milestones::{Named, is_one_happening};
use crate::event::EventName;

/// Takes out what tells of the second terminal, and gives it back.
pub(super) fn drop_second_lifts<'c, 'a>(named: &mut Vec<Named<'c, 'a>>) -> Vec<Named<'c, 'a>> {
    let lifts: Vec<Named<'c, 'a>> = named.iter().filter(|n| is_discharge(n)).copied().collect();
    let second: Vec<Named<'c, 'a>> = lifts
        .iter()
        .filter(|later| lifts.iter().any(|first| is_second(first, later)))
        .copied()
        .collect();
    if second.is_empty() {
        return second;
    }
    let of_second = |lift: &mut Named<'c, 'a>| {
        second.iter().any(|other| {
            is_one_move(lift, other)
                && terminal(lift.claim) == terminal(other.claim)
                && is_one_happening(lift.claim, other.claim)
        })
    };
    named.extract_if(.., of_second).collect()
}

fn is_second(first: &Named<'_, '_>, later: &Named<'_, '_>) -> bool {
    let two = terminal(first.claim).zip(terminal(later.claim));
    is_one_move(first, later)
        && first.claim.report.source == later.claim.report.source
        && two.is_some_and(|(a, b)| !a.eq_ignore_ascii_case(b))
        && later.claim.at > first.claim.at
        && !is_one_happening(first.claim, later.claim)
}

fn is_one_move(a: &Named<'_, '_>, b: &Named<'_, '_>) -> bool {
    (a.event, a.place) == (b.event, b.place)
}

fn is_discharge(named: &Named<'_, '_>) -> bool {
    matches!(
        named.event,
        EventName::VesselDischarged
            | EventName::TransshipmentDischarged
            | EventName::FeederDischarged
    )
}

fn terminal<'a>(claim: &Claim<'a>) -> Option<&'a str> {
    claim.report.place.facility_code.as_deref()
}
