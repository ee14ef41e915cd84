//! What terminal, line and railroad say about collecting the box.
//!
//! These are [`series`] of readings, and the last word of the right speaker stands. Who the right speaker is
//! depends on where the box is ([`ashore`]): once it is ashore, the terminal or ramp under it is the only authority
//! on holds, fees and availability; before that, what carriers and customs announce may fill in. Each last free
//! day has one kind of owner and is never merged with another's, nor computed from anything.
//!
//! What is absent is not cleared: a hold or a fee goes when somebody clears it, or when its source gives a list
//! that it calls complete and does not name it any more; never because a reading is silent. A terminal that has
//! been silent for a day is marked, and what it said stands.
//! Readings about the future of their own receipt come from a broken clock and are dropped.

mod ashore;
mod availability;
mod berth;
mod fees;
mod holds;
mod series;
mod staleness;
mod yards;

use std::collections::BTreeSet;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::claims::{clock_there, is_facility, is_railroad};
use super::readings::by_issue;
use super::scribe::{Scribe, backing, statement};
use crate::codes::UnLocode;
use crate::container::{CurrentStatus, Fee, Hold, LastFreeDay, LfdOwner, Pickup};
use crate::journey::Way;
use crate::place::Gazetteer;
use crate::provenance::{Subject, Verdict};
use crate::report::{Doubt, Report, SourceKind, Value, Verb};
use crate::trust::{Group, Trust};
pub(crate) use ashore::Ashore;
use ashore::Stand;
pub(crate) use availability::availability_milestones;
use availability::{available, is_unclear};
use berth::pod_terminal;
pub(crate) use berth::{BERTH_FORECAST_WAIT, is_berth_forecast};
use fees::fees;
use holds::{holds, settled_at_the_port};
pub(crate) use staleness::{each_stale_at, is_stale};

/// Clocks of terminals may be this much ahead of ours.
const CLOCK_AHEAD_MAX: SignedDuration = SignedDuration::from_mins(15);

/// All that bears on the collection of one box.
pub(crate) struct Yard<'y, 'a> {
    pub readings: &'y [&'a Report],
    pub way: &'y Way<'a>,
    pub ashore: &'y Ashore<'y>,
    pub gazetteer: &'y Gazetteer,
    pub trust: &'a Trust,
    pub now: Timestamp,
}

impl<'a> Yard<'_, 'a> {
    /// Everything about collecting the box but its [fees](Self::fees).
    pub fn pickup(&self, scribe: &mut Scribe<'a>) -> Pickup {
        let pod_terminal = pod_terminal(self, scribe);
        if !self.readings.iter().any(|report| is_about_pickup(report)) {
            return Pickup {
                pod_terminal,
                ..Pickup::default()
            };
        }
        self.put_aside(scribe);
        let told: Vec<&'a Report> = self.told(|_| true);
        let here: Vec<&'a Report> = self.told(|report| !self.is_elsewhere(report));
        let (ashore, trust) = (self.ashore, self.trust);
        let settled = settled_at_the_port(&told, ashore, trust);
        let lfd_rail = last_free_day(&here, LfdOwner::Rail, ashore, scribe);
        let ramp_has_named_its_day = ashore.stand() == Stand::Ramp
            && lfd_rail
                .as_ref()
                .is_some_and(|day| is_of_this_visit(day, ashore));
        let mut lfd = |owner| last_free_day(&here, owner, ashore, scribe);
        let (lfd_line, lfd_terminal) = (lfd(LfdOwner::Line), lfd(LfdOwner::Terminal));
        if ramp_has_named_its_day {
            scribe.gives_way(LfdOwner::Terminal);
        }
        Pickup {
            pod_terminal,
            available: available(&told, ashore, trust, scribe),
            holds: holds(
                &here,
                settled.as_ref(),
                ashore,
                trust,
                Subject::Holds,
                scribe,
            ),
            fees: Vec::new(),
            lfd_line,
            lfd_terminal: lfd_terminal.filter(|_| !ramp_has_named_its_day),
            lfd_rail,
            appointment: appointment(&here, self.gazetteer, scribe),
            yard_location: last_value(&here, Subject::YardLocation, scribe, |value| match value {
                Value::YardLocation(text) => Some(text.clone()),
                _ => None,
            }),
            chassis: last_value(&told, Subject::Chassis, scribe, |value| match value {
                Value::Chassis(number) => Some(number.clone()),
                _ => None,
            }),
            terminal_checked_at: last_heard(
                self.readings,
                |report| {
                    report.source_kind == SourceKind::TerminalApi && !is_from_the_future(report)
                },
                Subject::TerminalChecked,
                scribe,
            ),
        }
    }

    /// What is owed for the box. On a vessel or a train it owes nothing here: such fees are left over from an earlier move. A
    /// ship that has arrived may have landed it, though, and not every line tells so, and a train that it was loaded on may
    /// stand in the port yet: what a facility charges since the landing stands.
    pub fn fees(&self, status: CurrentStatus, scribe: &mut Scribe<'a>) -> Vec<Fee> {
        let is_told = |report: &Report| report.verb == Verb::Fee && !self.is_elsewhere(report);
        let is_since_landing = |report: &Report| {
            let since = |landed| ashore::said_at(report) >= landed;
            is_facility(report.source_kind) && self.ashore.landed_at.is_some_and(since)
        };
        let is_charged = |report: &&Report| match status {
            CurrentStatus::OnRail => self.ashore.stand() == Stand::Port && is_since_landing(report),
            CurrentStatus::OnShip => is_since_landing(report),
            _ => true,
        };
        let (charged, left): (Vec<&'a Report>, Vec<&'a Report>) =
            self.told(is_told).into_iter().partition(is_charged);
        if charged.is_empty() && !left.is_empty() {
            scribe.decided(|| backing(Subject::Fees, Vec::new(), Vec::new()));
        }
        scribe.put_aside(Verdict::Leftover, || {
            left.into_iter().map(|report| (report, None))
        });
        fees(&charged, self.ashore, self.trust, Subject::Fees, scribe)
    }

    /// Whether this is of the yard where the box does not stand. Words on availability are judged in [`availability`],
    /// each at its time, because they are told as they came.
    fn is_elsewhere(&self, report: &Report) -> bool {
        let judged = match (report.verb, &report.value) {
            (_, Some(Value::LastFreeDay(..) | Value::YardLocation(_))) => {
                return self.ashore.is_of_a_strange_yard(report);
            }
            (Verb::Fee, _) => true,
            (Verb::HoldSet | Verb::HoldClear, _)
            | (_, Some(Value::Appointment(_) | Value::NoAppointment)) => {
                is_facility(report.source_kind)
            }
            _ => false,
        };
        judged && !self.ashore.is_said_here(report)
    }

    /// Tells what is of the future, of another visit, or of another yard.
    fn put_aside(&self, scribe: &mut Scribe<'a>) {
        scribe.put_aside(Verdict::AheadOfClock, || {
            let dropped = self.readings.iter().filter(|r| is_from_the_future(r));
            dropped.map(|report| (*report, None))
        });
        for verdict in [Verdict::EarlierVisit, Verdict::Waits] {
            scribe.put_aside(verdict, || {
                let told = self.readings.iter().filter(|r| is_about_pickup(r));
                let aside = told.filter(|r| self.ashore.not_of_this_visit(r) == Some(verdict));
                aside.map(|report| (*report, None))
            });
        }
        scribe.put_aside(Verdict::Elsewhere, || {
            let elsewhere = self.told(|report| self.is_elsewhere(report));
            elsewhere.into_iter().map(|report| (report, None))
        });
    }

    /// Holds and fees at the ramp: what railroads say, read by the same rules.
    pub fn at_the_ramp(&self, scribe: &mut Scribe<'a>) -> (Vec<Hold>, Vec<Fee>) {
        let told: Vec<&'a Report> = self.told(|report| is_railroad(report.source_kind));
        let (ashore, trust) = (self.ashore, self.trust);
        (
            holds(&told, None, ashore, trust, Subject::RampHolds, scribe),
            fees(&told, ashore, trust, Subject::RampFees, scribe),
        )
    }

    /// When the ramp said last that the box can be collected, where the way ends there.
    pub fn ready_at_the_ramp(&self) -> Option<Timestamp> {
        availability::ramps_last_yes(&self.told(|_| true), self.ashore, self.trust)
    }

    fn told(&self, by: impl Fn(&Report) -> bool) -> Vec<&'a Report> {
        let all = self.readings.iter().copied();
        series::in_order(all.filter(|report| {
            is_about_pickup(report)
                && !is_from_the_future(report)
                && self.ashore.not_of_this_visit(report).is_none()
                && by(report)
        }))
    }
}

/// Whether who says this has the word on holds, fees and availability of a box that is ashore.
fn rules_the_yard(report: &Report, trust: &Trust) -> bool {
    trust.rank(Group::Pickup, report) <= 1
}

/// When any of these last told us anything.
pub(crate) fn last_heard<'a>(
    readings: &[&'a Report],
    by: impl Fn(&Report) -> bool,
    subject: Subject,
    scribe: &mut Scribe<'a>,
) -> Option<Timestamp> {
    let told = readings.iter().copied().filter(|report| by(report));
    let last = told.max_by(|a, b| {
        let received = a.received_at.cmp(&b.received_at);
        received.then_with(|| by_issue(a, b))
    })?;
    scribe.decided(|| backing(subject, vec![statement(last, Verdict::Stands)], Vec::new()));
    Some(last.received_at)
}

/// The last word of the owner. A terminal's counts once the box arrived, and only when it is not of a day
/// before: terminals carry dates of the box's previous visit, the line's among them. What a terminal says once the
/// box left is of its next visit; a line charges for its box outside the gate, too, and a railroad tells the whole stay once more
/// when it is over, or speaks of its ramp after the box has left the port's gate. A railroad counts free days where it hands
/// the box on to another, too, and goes on telling its last trip while the box is at sea.
fn last_free_day<'a>(
    readings: &[&'a Report],
    owner: LfdOwner,
    ashore: &Ashore<'_>,
    scribe: &mut Scribe<'a>,
) -> Option<LastFreeDay> {
    let mut told: Vec<(&'a Report, &'a LastFreeDay)> = readings
        .iter()
        .rev()
        .filter_map(|report| match &report.value {
            Some(Value::LastFreeDay(of, day)) if owner_of(report, *of, ashore) == owner => {
                Some((*report, day))
            }
            _ => None,
        })
        .collect();
    let mut left = Vec::new();
    if owner == LfdOwner::Terminal {
        let later = told.extract_if(.., |(report, _)| is_after_collection(report, ashore));
        left.extend(later.map(|(report, _)| statement(report, Verdict::AfterCollection)));
    }
    if owner == LfdOwner::Terminal {
        let earlier = told.extract_if(.., |(_, day)| !is_of_this_visit(day, ashore));
        left.extend(earlier.map(|(report, _)| statement(report, Verdict::EarlierVisit)));
    }
    if matches!(owner, LfdOwner::Line | LfdOwner::Rail) {
        let earlier = told.extract_if(.., |(_, day)| is_before_this_visit(day, ashore));
        left.extend(earlier.map(|(report, _)| statement(report, Verdict::EarlierVisit)));
    }
    if owner == LfdOwner::Rail {
        // While nobody told that of the end, the box may yet be collected on the way.
        if told.iter().any(|(report, _)| ashore.is_of_the_ramp(report)) {
            let on_the_way = told.extract_if(.., |(report, _)| !ashore.is_of_the_end(report));
            left.extend(on_the_way.map(|(report, _)| statement(report, Verdict::Elsewhere)));
        }
    }
    // "Free time is over" tells the day only where nobody told that of this visit in time.
    let announced = |report: &Report| !report.doubts.contains(&Doubt::Derived);
    if told.iter().any(|(report, _)| announced(report)) {
        let on_the_side = told.extract_if(.., |(report, _)| !announced(report));
        left.extend(on_the_side.map(|(report, _)| statement(report, Verdict::Waits)));
    }
    let (last, day) = told.first().copied()?;
    scribe.decided(|| {
        let older = told.iter().skip(1);
        left.extend(older.map(|(report, _)| statement(report, Verdict::Older)));
        let standing = vec![statement(last, Verdict::Stands)];
        backing(Subject::LastFreeDay(owner), standing, left)
    });
    Some(day.clone())
}

/// Whose day it is: a notice about the ramp names the railroad's, also where it came by a message that elsewhere speaks of
/// the terminal's.
fn owner_of(report: &Report, said: LfdOwner, ashore: &Ashore<'_>) -> LfdOwner {
    match said {
        LfdOwner::Terminal if ashore.is_of_the_ramp(report) => LfdOwner::Rail,
        LfdOwner::Terminal | LfdOwner::Line | LfdOwner::Rail => said,
    }
}

/// When it was said counts: the time of a notice is the free day itself, often one behind the collection. The terminal where
/// a barge brought the box has it until then.
fn is_after_collection(report: &Report, ashore: &Ashore<'_>) -> bool {
    let left = if ashore.is_at_the_barges_end(report) {
        ashore.collected_at
    } else {
        ashore.left_port_at
    };
    left.is_some_and(|out| report.issued_at() > out)
}

fn is_of_this_visit(day: &LastFreeDay, ashore: &Ashore<'_>) -> bool {
    ashore
        .landed_at
        .is_some_and(|arrived| ends_after(day, arrived))
}

/// Whether it is over before the box can be ashore.
fn is_before_this_visit(day: &LastFreeDay, ashore: &Ashore<'_>) -> bool {
    let from = ashore.ashore_from();
    from.is_some_and(|from| !ends_after(day, from))
}

fn ends_after(day: &LastFreeDay, at: Timestamp) -> bool {
    let ends = day.instant().checked_add(SignedDuration::from_hours(24));
    ends.is_ok_and(|ends| ends > at)
}

fn last_value<'a, T>(
    readings: &[&'a Report],
    subject: Subject,
    scribe: &mut Scribe<'a>,
    wanted: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let mut told = readings
        .iter()
        .rev()
        .filter_map(|report| Some((*report, wanted(report.value.as_ref()?)?)));
    let (last, value) = told.next()?;
    scribe.decided(|| {
        let older = told.map(|(report, _)| statement(report, Verdict::Older));
        let standing = vec![statement(last, Verdict::Stands)];
        backing(subject, standing, older.collect())
    });
    Some(value)
}

/// The appointment that was told last. Who says that there is none takes back what it said itself of that place: a line's list in
/// which the column is always empty knows nothing of what the terminal has booked, nor one terminal of the next. A bare date does
/// not take back the hour that another source knows of that day.
fn appointment<'a>(
    readings: &[&'a Report],
    gazetteer: &Gazetteer,
    scribe: &mut Scribe<'a>,
) -> Option<Timestamp> {
    let told: Vec<(&'a Report, Option<Timestamp>)> = readings
        .iter()
        .rev()
        .filter_map(|report| match report.value {
            Some(Value::Appointment(at)) => Some((*report, Some(at))),
            Some(Value::NoAppointment) => Some((*report, None)),
            _ => None,
        })
        .collect();
    let hours = hours_of_days(&told, gazetteer);
    let told = told
        .into_iter()
        .zip(hours)
        .map(|((report, at), hour)| (report, hour.or(at)));
    let mut heard = BTreeSet::new();
    let (last, older): (Vec<_>, Vec<_>) = told.partition(|(report, _)| heard.insert(desk(report)));
    let booked = last.iter().find(|(_, at)| at.is_some());
    let (stands, at) = *booked.or(last.first())?;
    scribe.decided(|| {
        let others = last.iter().chain(&older).map(|(report, _)| *report);
        let others = others.filter(|report| !std::ptr::eq(*report, stands));
        let standing = vec![statement(stands, Verdict::Stands)];
        let others = others.map(|report| statement(report, Verdict::Older));
        backing(Subject::Appointment, standing, others.collect())
    });
    at
}

/// For each appointment that is told as a bare date, newest first: the hour that another source told of that day before. Of one
/// source nobody knows whether it has a slot at midnight.
fn hours_of_days(
    told: &[(&Report, Option<Timestamp>)],
    gazetteer: &Gazetteer,
) -> Vec<Option<Timestamp>> {
    let local = |report: &Report, at: Timestamp| {
        let clock = clock_there(report, gazetteer).unwrap_or(TimeZone::UTC);
        clock.to_datetime(at)
    };
    let mut hours = vec![None; told.len()];
    let mut known: Option<(&Report, Date, Timestamp)> = None;
    for ((report, at), hour) in told.iter().zip(&mut hours).rev() {
        let Some(at) = at else {
            known = known.filter(|(by, ..)| desk(by) != desk(report));
            continue;
        };
        let when = local(report, *at);
        if when.time() == Time::midnight() {
            // Its own source has booked midnight, or knows no better.
            known = known.filter(|(by, ..)| by.source != report.source);
            let of_day = known.filter(|(_, day, _)| *day == when.date());
            *hour = of_day.map(|(.., at)| at);
        } else {
            known = Some((report, when.date(), *at));
        }
    }
    hours
}

/// Who says something, and of which place.
fn desk(report: &Report) -> (&str, Option<UnLocode>, Option<&str>) {
    let facility = report.place.facility_code.as_deref();
    (&report.source, report.place.locode, facility)
}

fn is_about_pickup(report: &Report) -> bool {
    report.source_kind == SourceKind::TerminalApi
        || report.verb.is_about_pickup()
        || matches!(
            report.value,
            Some(Value::YardLocation(_) | Value::Chassis(_) | Value::AvailabilityUnclear)
        )
}

fn is_from_the_future(report: &Report) -> bool {
    let limit = report.received_at.checked_add(CLOCK_AHEAD_MAX);
    let told = matches!(
        report.verb,
        Verb::Available | Verb::NotAvailable | Verb::HoldSet | Verb::HoldClear | Verb::Fee
    ) || is_unclear(report);
    let at = report.occurred.as_ref().map(|occurred| occurred.at);
    told && is_facility(report.source_kind)
        && at.is_some_and(|at| limit.is_ok_and(|limit| at > limit))
}
