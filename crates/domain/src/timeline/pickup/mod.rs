//! What terminal, line and railroad say about collecting the box.
//!
//! These are series of readings, and the last word of the right speaker stands. Who the right speaker is
//! depends on where the box is: once it is ashore, the terminal or ramp under it is the only authority on
//! holds, fees and availability; before that, what carriers and customs announce may fill in. Each last free
//! day has one kind of owner and is never merged with another's, nor computed from anything.
//!
//! What is absent is not cleared: a hold or a fee goes when somebody clears it, or when its source gives a list
//! that it calls complete and does not name it any more; never because a reading is silent. A terminal that has
//! been silent for a day is marked, and what it said stands.
//! Readings about the future of their own receipt come from a broken clock and are dropped.

mod availability;
mod berth;
mod fees;
mod holds;
mod staleness;

use jiff::{SignedDuration, Timestamp};

use super::claims::{is_facility, is_railroad};
use crate::container::{CurrentStatus, Fee, Hold, LastFreeDay, LfdOwner, Milestone, Pickup};
use crate::event::EventName;
use crate::journey::Way;
use crate::place::Gazetteer;
use crate::report::{Doubt, Precision, Report, SourceKind, Value, Verb};
use availability::availability;
pub(crate) use availability::availability_milestones;
use berth::pod_terminal;
pub(crate) use berth::{BERTH_FORECAST_WAIT, is_berth_forecast};
use fees::fees;
use holds::holds;
pub(crate) use staleness::{is_stale, stale_at};

/// Clocks of terminals may be this much ahead of ours.
const CLOCK_AHEAD_MAX: SignedDuration = SignedDuration::from_mins(15);

/// What is known of the box's progress ashore when pick-up readings are weighed.
pub(crate) struct Ashore {
    /// It arrived at, or was discharged in, the port of discharge.
    landed_at: Option<Timestamp>,
    /// It was discharged or is further.
    discharged: bool,
    /// It left through the gate laden.
    collected_at: Option<Timestamp>,
}

impl Ashore {
    pub fn of(milestones: &[Milestone]) -> Self {
        use EventName as E;
        let first = |events: &[EventName]| {
            let of = milestones.iter().filter(|m| events.contains(&m.slot.event));
            of.map(|milestone| milestone.at).min()
        };
        Self {
            landed_at: first(&[E::VesselArrived, E::VesselBerthed, E::VesselDischarged]),
            discharged: first(&[E::VesselDischarged, E::RailLoaded, E::FullOut]).is_some()
                && first(&[E::VesselArrived, E::VesselDischarged]).is_some(),
            collected_at: collected_at(milestones),
        }
    }
}

/// When it was collected at the latest: a bare date means any minute of its day.
fn collected_at(milestones: &[Milestone]) -> Option<Timestamp> {
    use EventName as E;
    let out = [E::FullOut, E::Delivered, E::EmptyIn];
    let of = milestones.iter().filter(|m| out.contains(&m.slot.event));
    of.filter_map(|m| match m.precision {
        Precision::Day => {
            m.at.checked_add(SignedDuration::from_mins(24 * 60 - 1))
                .ok()
        }
        Precision::Hour | Precision::Minute => Some(m.at),
    })
    .min()
}

/// Everything about collecting the box but fees of a box that is on its way, which [`without_leftovers`] drops.
pub(crate) fn pickup(
    readings: &[&Report],
    way: &Way<'_>,
    ashore: &Ashore,
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> Pickup {
    let pod_terminal = pod_terminal(readings, way, gazetteer, now);
    if !readings.iter().any(|report| is_about_pickup(report)) {
        return Pickup {
            pod_terminal,
            ..Pickup::default()
        };
    }
    let readings: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| is_about_pickup(report) && !is_from_the_future(report))
        .collect();
    let lfd = |owner| last_free_day(&readings, owner, ashore);
    Pickup {
        pod_terminal,
        available: availability(&readings, ashore)
            .last()
            .map(|change| change.free),
        holds: holds(&readings, ashore),
        fees: fees(&readings, ashore),
        lfd_line: lfd(LfdOwner::Line),
        lfd_terminal: lfd(LfdOwner::Terminal),
        lfd_rail: lfd(LfdOwner::Rail),
        appointment: last_value(&readings, |value| match value {
            Value::Appointment(at) => Some(*at),
            _ => None,
        }),
        yard_location: last_value(&readings, |value| match value {
            Value::YardLocation(text) => Some(text.clone()),
            _ => None,
        }),
        chassis: last_value(&readings, |value| match value {
            Value::Chassis(number) => Some(number.clone()),
            _ => None,
        }),
        terminal_checked_at: readings
            .iter()
            .filter(|report| report.source_kind == SourceKind::TerminalApi)
            .map(|report| report.received_at)
            .max(),
    }
}

/// Holds and fees at the ramp: what railroads say, read by the same rules.
pub(crate) fn at_the_ramp(readings: &[&Report], ashore: &Ashore) -> (Vec<Hold>, Vec<Fee>) {
    let told: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| is_railroad(report.source_kind))
        .filter(|report| is_about_pickup(report) && !is_from_the_future(report))
        .collect();
    (holds(&told, ashore), fees(&told, ashore))
}

/// A box on a vessel or a train owes nothing here: such fees are left over from an earlier move.
pub(crate) fn without_leftovers(pickup: &mut Pickup, status: CurrentStatus) {
    if matches!(status, CurrentStatus::OnShip | CurrentStatus::OnRail) {
        pickup.fees.clear();
    }
}

/// The last word of the owner. A terminal's counts once the box arrived, and only when it is not of a day
/// before: terminals carry dates of the box's previous visit.
fn last_free_day(readings: &[&Report], owner: LfdOwner, ashore: &Ashore) -> Option<LastFreeDay> {
    let own = |report: &&&Report| matches!(&report.value, Some(Value::LastFreeDay(of, _)) if *of == owner);
    // "Free time is over" tells the day only where nobody told it in time.
    let announced = |report: &&&Report| !report.doubts.contains(&Doubt::Derived);
    let in_time = readings.iter().filter(own).any(|report| announced(&report));
    let told = readings
        .iter()
        .rev()
        .filter(own)
        .filter(|report| !in_time || announced(report))
        .filter_map(|report| match &report.value {
            Some(Value::LastFreeDay(_, day)) => Some(day),
            _ => None,
        });
    if owner != LfdOwner::Terminal {
        return told.into_iter().next().cloned();
    }
    let arrived = ashore.landed_at?;
    let mut told = told.filter(|day| {
        let ends = day.instant().checked_add(SignedDuration::from_hours(24));
        ends.is_ok_and(|ends| ends > arrived)
    });
    told.next().cloned()
}

fn last_value<T>(readings: &[&Report], wanted: impl Fn(&Value) -> Option<T>) -> Option<T> {
    readings
        .iter()
        .rev()
        .find_map(|report| wanted(report.value.as_ref()?))
}

fn is_about_pickup(report: &Report) -> bool {
    report.source_kind == SourceKind::TerminalApi
        || matches!(
            report.verb,
            Verb::Available
                | Verb::NotAvailable
                | Verb::HoldSet
                | Verb::HoldClear
                | Verb::Fee
                | Verb::LastFreeDay
                | Verb::Appointment
        )
        || matches!(
            report.value,
            Some(Value::YardLocation(_) | Value::Chassis(_))
        )
}

fn is_from_the_future(report: &Report) -> bool {
    let limit = report.received_at.checked_add(CLOCK_AHEAD_MAX);
    let told = matches!(
        report.verb,
        Verb::Available | Verb::NotAvailable | Verb::HoldSet | Verb::HoldClear | Verb::Fee
    );
    let at = report.occurred.as_ref().map(|occurred| occurred.at);
    told && is_facility(report.source_kind)
        && at.is_some_and(|at| limit.is_ok_and(|limit| at > limit))
}
