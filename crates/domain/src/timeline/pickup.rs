//! What terminal, line and railroad say about collecting the box.
//!
//! These are series of readings, and the last word of the right speaker stands. Who the right speaker is
//! depends on where the box is: once it is ashore, the terminal or ramp under it is the only authority on
//! holds, fees and availability; before that, what carriers and customs announce may fill in. Each last free
//! day has one kind of owner and is never merged with another's, nor computed from anything.
//!
//! What is absent is not cleared: a hold goes when somebody clears it, never because a reading is silent.
//! Readings about the future of their own receipt come from a broken clock and are dropped.

use jiff::{SignedDuration, Timestamp};

use super::claims::is_facility;
use crate::codes::UnLocode;
use crate::container::{
    CurrentStatus, Fee, FeeKind, Hold, HoldName, LastFreeDay, LfdOwner, Milestone, Pickup, Slot,
};
use crate::event::EventName;
use crate::journey::Way;
use crate::journey::calls::Sight;
use crate::place::Gazetteer;
use crate::report::{Precision, Report, SourceKind, Value, Verb};

/// How long a forecast of another berth must stand before it moves the terminal of discharge.
pub(crate) const BERTH_FORECAST_WAIT: SignedDuration = SignedDuration::from_hours(12);
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
            collected_at: first(&[E::FullOut, E::Delivered, E::EmptyIn]),
        }
    }
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
        terminal_checked_at: readings
            .iter()
            .filter(|report| report.source_kind == SourceKind::TerminalApi)
            .map(|report| report.received_at)
            .max(),
    }
}

/// A box on a vessel or a train owes nothing here: such fees are left over from an earlier move.
pub(crate) fn without_leftovers(pickup: &mut Pickup, status: CurrentStatus) {
    if matches!(status, CurrentStatus::OnShip | CurrentStatus::OnRail) {
        pickup.fees.clear();
    }
}

/// `available` and `not_available`, each time the word changed.
pub(crate) fn availability_milestones(
    readings: &[&Report],
    ashore: &Ashore,
    gazetteer: &Gazetteer,
) -> Vec<Milestone> {
    let heard: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| !is_from_the_future(report))
        .collect();
    let mut milestones: Vec<Milestone> = Vec::new();
    for change in availability(&heard, ashore) {
        let event = if change.free {
            EventName::Available
        } else {
            EventName::NotAvailable
        };
        let place = change
            .report
            .place
            .locode
            .map(|code| gazetteer.canonical(code));
        let earlier = milestones
            .iter()
            .filter(|m| m.slot.event == event && m.slot.place == place);
        let occurrence = u32::try_from(earlier.count()).unwrap_or(u32::MAX);
        milestones.push(availability_milestone(
            Slot {
                event,
                place,
                leg: String::new(),
                occurrence,
            },
            &change,
            gazetteer,
        ));
    }
    milestones
}

fn availability_milestone(slot: Slot, change: &Change<'_>, gazetteer: &Gazetteer) -> Milestone {
    let place = &change.report.place;
    let terminal = place
        .locode
        .zip(place.facility_code.as_deref())
        .and_then(|(locode, code)| gazetteer.terminal_at(locode, code));
    Milestone {
        slot,
        at: change.at,
        precision: precision(change.report),
        zone: super::milestones::zone(place.locode, gazetteer),
        locode: place.locode,
        terminal: terminal.map(|terminal| terminal.code.clone()),
        vessel: None,
        voyage: None,
        source: change.report.source_kind,
        value: None,
    }
}

fn precision(report: &Report) -> Precision {
    let occurred = report.occurred.as_ref();
    occurred.map_or(Precision::Minute, |occurred| occurred.precision)
}

/// One change of the word on availability.
struct Change<'a> {
    free: bool,
    at: Timestamp,
    report: &'a Report,
}

/// The changes of availability in the order they were told. Terminals and railroads decide; others count only
/// where no terminal or railroad ever spoke. After collection nothing changes any more.
fn availability<'a>(readings: &[&'a Report], ashore: &Ashore) -> Vec<Change<'a>> {
    let words: Vec<(&'a Report, bool)> = readings
        .iter()
        .filter_map(|report| match report.verb {
            Verb::Available if is_actual(report) => Some((*report, true)),
            Verb::NotAvailable if is_actual(report) => Some((*report, false)),
            _ => None,
        })
        .collect();
    let facility = words
        .iter()
        .any(|(report, _)| is_facility(report.source_kind));
    let mut changes: Vec<Change<'a>> = Vec::new();
    for (report, free) in words {
        let at = report
            .occurred
            .as_ref()
            .map_or(report.issued_at(), |o| o.at);
        let speaks = is_facility(report.source_kind) || !facility;
        // What was true before it left is still told when the word comes late.
        let collected = ashore.collected_at.is_some_and(|out| at > out);
        if speaks && !collected && changes.last().is_none_or(|last| last.free != free) {
            changes.push(Change { free, at, report });
        }
    }
    changes
}

fn is_actual(report: &Report) -> bool {
    report.classifier == crate::report::Classifier::Actual
}

fn holds(readings: &[&Report], ashore: &Ashore) -> Vec<Hold> {
    let of_terminal: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| is_about_holds(report) && is_facility(report.source_kind))
        .collect();
    let terminal_rules = ashore.discharged && !of_terminal.is_empty();
    let mut standing = Standing::default();
    for report in readings
        .iter()
        .copied()
        .filter(|report| is_about_holds(report))
    {
        if !terminal_rules || is_facility(report.source_kind) {
            standing.hear(report);
        }
    }
    if terminal_rules {
        standing.release_freight(readings, &of_terminal);
    }
    standing.holds()
}

/// Holds of each source. Readings are heard oldest first: a newer hold of a name replaces the source's older
/// ones of that name, and those of one reading stand together.
#[derive(Default)]
struct Standing<'a> {
    holds: Vec<(&'a str, Timestamp, &'a Hold)>,
}

impl<'a> Standing<'a> {
    fn hear(&mut self, report: &'a Report) {
        let issued = report.issued_at();
        let named = match &report.value {
            Some(Value::Hold(hold)) => Some(hold),
            _ => None,
        };
        self.holds.retain(|(source, since, hold)| {
            let same =
                *source == report.source && named.is_none_or(|named| named.name == hold.name);
            let one_reading = report.verb == Verb::HoldSet && *since == issued;
            let cleared_at_once = report.verb == Verb::HoldClear && *since == issued;
            !same || one_reading || cleared_at_once
        });
        if let (Verb::HoldSet, Some(hold)) = (report.verb, named) {
            self.holds.push((&report.source, issued, hold));
        }
    }

    /// A line's release of freight counts until the terminal has spoken since.
    fn release_freight(&mut self, readings: &[&'a Report], of_terminal: &[&'a Report]) {
        let last_word = of_terminal.iter().map(|report| report.issued_at()).max();
        let released = readings.iter().any(|report| {
            report.verb == Verb::HoldClear
                && !is_facility(report.source_kind)
                && matches!(&report.value, Some(Value::Hold(h)) if h.name == HoldName::Freight)
                && Some(report.issued_at()) > last_word
        });
        if released {
            self.holds
                .retain(|(_, _, hold)| hold.name != HoldName::Freight);
        }
    }

    fn holds(self) -> Vec<Hold> {
        let mut holds: Vec<Hold> = self
            .holds
            .into_iter()
            .map(|(_, _, hold)| hold.clone())
            .collect();
        holds.sort();
        holds.dedup();
        holds
    }
}

fn is_about_holds(report: &Report) -> bool {
    matches!(report.verb, Verb::HoldSet | Verb::HoldClear)
}

/// The last amount of each kind; a fee of zero that is posted is a fee that is paid.
fn fees(readings: &[&Report], ashore: &Ashore) -> Vec<Fee> {
    let told: Vec<(&Report, &Fee)> = readings
        .iter()
        .filter_map(|report| match &report.value {
            Some(Value::Fee(fee)) if report.verb == Verb::Fee => Some((*report, fee)),
            _ => None,
        })
        .collect();
    let facility = told
        .iter()
        .any(|(report, _)| is_facility(report.source_kind));
    let mut fees: Vec<(FeeKind, &Fee)> = Vec::new();
    for (report, fee) in told {
        if ashore.discharged && facility && !is_facility(report.source_kind) {
            continue;
        }
        fees.retain(|(kind, _)| *kind != fee.kind);
        if fee.amount.is_none_or(|amount| !amount.is_zero()) {
            fees.push((fee.kind, fee));
        }
    }
    let mut fees: Vec<Fee> = fees.into_iter().map(|(_, fee)| fee.clone()).collect();
    fees.sort();
    fees
}

/// The last word of the owner. A terminal's counts once the box arrived, and only when it is not of a day
/// before: terminals carry dates of the box's previous visit.
fn last_free_day(readings: &[&Report], owner: LfdOwner, ashore: &Ashore) -> Option<LastFreeDay> {
    let told = readings
        .iter()
        .rev()
        .filter_map(|report| match &report.value {
            Some(Value::LastFreeDay(of, day)) if *of == owner => Some(day),
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

/// Our code of the terminal of discharge: where it was discharged, else where its ship arrived, else where it
/// is expected. Before the discharge a reading that moves it may be the forecast of a berth, so it waits.
fn pod_terminal(
    readings: &[&Report],
    way: &Way<'_>,
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> Option<String> {
    let stop = way.sea.discharge()?;
    let actual = [&stop.discharge, &stop.arrive]
        .into_iter()
        .flatten()
        .filter(|sight: &&Sight<'_>| sight.is_actual())
        .find_map(|sight| crate::journey::terminal(&sight.claim, gazetteer));
    actual.or_else(|| expected_terminal(readings, stop.place, gazetteer, now))
}

fn expected_terminal(
    readings: &[&Report],
    place: UnLocode,
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> Option<String> {
    let mut expected: Option<&str> = None;
    for report in readings.iter().filter(|report| is_berth_forecast(report)) {
        let Some((locode, code)) = report
            .place
            .locode
            .zip(report.place.facility_code.as_deref())
        else {
            continue;
        };
        if gazetteer.canonical(locode) != place {
            continue;
        }
        let Some(terminal) = gazetteer.terminal_at(locode, code) else {
            continue;
        };
        if expected.is_none() || has_stood(report, now) {
            expected = Some(&terminal.code);
        }
    }
    expected.map(str::to_owned)
}

fn has_stood(report: &Report, now: Timestamp) -> bool {
    now.duration_since(report.issued_at()) >= BERTH_FORECAST_WAIT
}

/// Whether a reading says at which terminal the ship is expected.
pub(crate) fn is_berth_forecast(report: &Report) -> bool {
    let empty = report.equipment.as_ref().and_then(|e| e.laden) == Some(false);
    let inland = matches!(
        report.leg.mode,
        Some(crate::report::Mode::Rail | crate::report::Mode::Truck | crate::report::Mode::Barge)
    );
    matches!(report.verb, Verb::Arrive | Verb::Discharge | Verb::Berth)
        && report.place.facility_code.is_some()
        && !empty
        && !inland
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
        || matches!(report.value, Some(Value::YardLocation(_)))
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
