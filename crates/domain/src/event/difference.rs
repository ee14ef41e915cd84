//! The difference of two states, in the order in which it is told.
//!
//! Milestones are matched by slot. A slot that is new fires its event; a slot that stands with another time or
//! another source only changes its record. What is gone is either replaced or withdrawn: a port that turns out
//! to be a transshipment takes `vessel_arrived` away and puts `transshipment_arrived` in its place, and the
//! same lift at another port is the same lift. Whoever replays all changes onto the milestones that stood ends
//! with those that stand; the property tests hold this to every pair of states they make.
//!
//! Milestones come first and in the order they happened, then estimates, then what concerns collection. The
//! changeset comes last: one for everything that one reading changed.

use jiff::{SignedDuration, Timestamp};

use super::{Attribute, Change, EventName};
use crate::container::{ContainerState, Estimate, LfdOwner, Milestone};

/// Smaller moves of an estimate are noise.
const ESTIMATE_CHANGE_MIN: SignedDuration = SignedDuration::from_mins(1);
/// The same move at another port is at most this far away in time.
const SAME_MOVE_MAX: SignedDuration = SignedDuration::from_hours(36);

/// What changed from `before` (`None`: the container is new) to `after`, in the order in which it is told.
pub fn difference(before: Option<&ContainerState>, after: &ContainerState) -> Vec<Change> {
    let nothing;
    let before = if let Some(before) = before {
        before
    } else {
        nothing = ContainerState::unknown(after.number);
        &nothing
    };
    if before == after {
        return Vec::new();
    }
    let mut changes = milestones(&before.milestones, &after.milestones);
    changes.extend(estimates(before, after));
    changes.extend(collection(before, after));
    let changeset = changeset(before, after, &changes);
    if !changeset.is_empty() {
        changes.push(Change::Updated(changeset));
    }
    changes
}

fn milestones(before: &[Milestone], after: &[Milestone]) -> Vec<Change> {
    let find = |among: &[Milestone], wanted: &Milestone| -> Option<Milestone> {
        among.iter().find(|m| m.slot == wanted.slot).cloned()
    };
    let mut gone: Vec<&Milestone> = before.iter().filter(|m| find(after, m).is_none()).collect();
    let mut told: Vec<(Timestamp, Change)> = Vec::new();
    for milestone in after {
        let change = match find(before, milestone) {
            Some(stood) if stood == *milestone => continue,
            Some(stood) => Change::Corrected {
                before: stood,
                after: milestone.clone(),
            },
            None => match take_predecessor(&mut gone, milestone) {
                Some(stood) if is_same_told_better(stood, milestone) => Change::Corrected {
                    before: stood.clone(),
                    after: milestone.clone(),
                },
                Some(stood) => Change::Replaced {
                    before: stood.clone(),
                    after: milestone.clone(),
                },
                None => Change::Stands(milestone.clone()),
            },
        };
        told.push((milestone.at, change));
    }
    let withdrawn = gone.into_iter().cloned();
    told.extend(withdrawn.map(|m| (m.at, Change::Withdrawn(m))));
    told.sort_by_key(|(at, _)| *at);
    told.into_iter().map(|(_, change)| change).collect()
}

/// Takes out of `gone` the milestone that `new` stands in for: the same move of which only the leg is known otherwise, else
/// under another name at the same place, else under the same name at another place and about the same time.
fn take_predecessor<'m>(gone: &mut Vec<&'m Milestone>, new: &Milestone) -> Option<&'m Milestone> {
    let renamed = |old: &&Milestone| {
        is_one_move(old.slot.event, new.slot.event)
            && old.slot.event != new.slot.event
            && old.slot.place == new.slot.place
    };
    let moved = |old: &&Milestone| {
        old.slot.event == new.slot.event
            && old.slot.place != new.slot.place
            && old.at.duration_since(new.at).abs() <= SAME_MOVE_MAX
    };
    let index = gone
        .iter()
        .position(|old| is_of_another_leg(old, new))
        .or_else(|| gone.iter().position(renamed))
        .or_else(|| gone.iter().position(moved))?;
    Some(gone.remove(index))
}

fn is_same_told_better(stood: &Milestone, stands: &Milestone) -> bool {
    is_enriched(stood, stands) || is_of_another_leg(stood, stands)
}

/// Whether two milestones are one, of which only is known otherwise on which leg it was: through the gate of the terminal, or
/// of a yard behind it.
fn is_of_another_leg(stood: &Milestone, stands: &Milestone) -> bool {
    let (a, b) = (&stood.slot, &stands.slot);
    (a.event, a.place, stood.at) == (b.event, b.place, stands.at) && a.leg != b.leg
}

/// Whether one of two milestones of a name only lacks the place that the other has.
fn is_enriched(stood: &Milestone, stands: &Milestone) -> bool {
    stood.slot.event == stands.slot.event
        && stood.slot.place.is_none() != stands.slot.place.is_none()
}

/// Whether two names are names of one physical move.
fn is_one_move(a: EventName, b: EventName) -> bool {
    use EventName as E;
    let families: [&[EventName]; 4] = [
        &[E::VesselLoaded, E::TransshipmentLoaded, E::FeederLoaded],
        &[
            E::VesselDeparted,
            E::TransshipmentDeparted,
            E::FeederDeparted,
        ],
        &[E::VesselArrived, E::TransshipmentArrived, E::FeederArrived],
        &[
            E::VesselDischarged,
            E::TransshipmentDischarged,
            E::FeederDischarged,
        ],
    ];
    families
        .iter()
        .any(|family| family.contains(&a) && family.contains(&b))
}

fn estimates(before: &ContainerState, after: &ContainerState) -> Vec<Change> {
    after
        .estimates
        .iter()
        .filter(|shown| {
            let stood = before.estimate(shown.event);
            stood.is_none_or(|stood| is_news(stood, shown))
        })
        .cloned()
        .map(Change::Estimated)
        .collect()
}

/// A box that was rolled is news though its new ship is expected at the same minute.
fn is_news(before: &Estimate, after: &Estimate) -> bool {
    let vessels = before.vessel.as_ref().zip(after.vessel.as_ref());
    before.locode != after.locode
        || vessels.is_some_and(|(before, after)| before.differs(after))
        || after.at.duration_since(before.at).abs() >= ESTIMATE_CHANGE_MIN
}

fn collection(before: &ContainerState, after: &ContainerState) -> Vec<Change> {
    let mut changes = Vec::new();
    let (old, new) = (&before.pickup, &after.pickup);
    for (owner, stood, stands) in last_free_days(before, after) {
        if stood != stands {
            changes.push(Change::LastFreeDay(owner, stands.cloned()));
        }
    }
    if old.last_free_day() != new.last_free_day() {
        changes.push(Change::CoalescedLastFreeDay(new.last_free_day().cloned()));
    }
    if old.appointment != new.appointment {
        changes.push(Change::Appointment(new.appointment));
    }
    // The first terminal is knowledge, not a change of plan.
    if old.pod_terminal.is_some() && old.pod_terminal != new.pod_terminal {
        changes.push(Change::PodTerminal {
            before: old.pod_terminal.clone(),
            after: new.pod_terminal.clone(),
        });
    }
    changes
}

type DayOf<'s> = (
    LfdOwner,
    Option<&'s crate::container::LastFreeDay>,
    Option<&'s crate::container::LastFreeDay>,
);

fn last_free_days<'s>(before: &'s ContainerState, after: &'s ContainerState) -> [DayOf<'s>; 3] {
    let (old, new) = (&before.pickup, &after.pickup);
    [
        (LfdOwner::Line, old.lfd_line.as_ref(), new.lfd_line.as_ref()),
        (
            LfdOwner::Terminal,
            old.lfd_terminal.as_ref(),
            new.lfd_terminal.as_ref(),
        ),
        (LfdOwner::Rail, old.lfd_rail.as_ref(), new.lfd_rail.as_ref()),
    ]
}

fn changeset(before: &ContainerState, after: &ContainerState, told: &[Change]) -> Vec<Attribute> {
    let (old, new) = (&before.pickup, &after.pickup);
    let mut changed = Vec::new();
    if old.available != new.available {
        changed.push(Attribute::AvailableForPickup(old.available, new.available));
    }
    if old.last_free_day() != new.last_free_day() {
        changed.push(Attribute::PickupLfd(
            old.last_free_day().cloned(),
            new.last_free_day().cloned(),
        ));
    }
    for (owner, stood, stands) in last_free_days(before, after) {
        if stood != stands {
            changed.push(Attribute::PickupLfdOf(
                owner,
                stood.cloned(),
                stands.cloned(),
            ));
        }
    }
    if old.holds != new.holds {
        changed.push(Attribute::Holds(old.holds.clone(), new.holds.clone()));
    }
    if old.fees != new.fees {
        changed.push(Attribute::Fees(old.fees.clone(), new.fees.clone()));
    }
    if old.appointment != new.appointment {
        changed.push(Attribute::PickupAppointment(
            old.appointment,
            new.appointment,
        ));
    }
    if old.pod_terminal.is_some() && old.pod_terminal != new.pod_terminal {
        changed.push(Attribute::PodTerminal(
            old.pod_terminal.clone(),
            new.pod_terminal.clone(),
        ));
    }
    changed.extend(corrected_times(before, after, told));
    changed
}

/// Times that stood and stand otherwise, or no more. A time that is new is told by its event, unless that was told
/// before, when nobody knew the place.
fn corrected_times<'s>(
    before: &'s ContainerState,
    after: &'s ContainerState,
    told: &'s [Change],
) -> impl Iterator<Item = Attribute> + 's {
    let is_corrected = |milestone: &Milestone| {
        told.iter().any(
            |change| matches!(change, Change::Corrected { after, .. } if after.slot == milestone.slot),
        )
    };
    let shown = before.shown_milestones().into_iter();
    let times = shown.zip(after.shown_milestones());
    times.filter_map(move |((name, stood), (_, stands))| {
        let was_told = stood.is_some() || stands.is_some_and(is_corrected);
        let (stood, stands) = (stood.map(|m| m.at), stands.map(|m| m.at));
        (was_told && stood != stands).then_some(Attribute::MilestoneTime(name, stood, stands))
    })
}
