//! All claims about a container folded into one truth.
//!
//! Carriers correct, repeat, contradict and forget; feeds arrive late and in any order. The answer is not to
//! edit a state as messages come in but to compute it, each time, from the *set* of all reports:
//!
//! 1. `readings`: retractions silence, newer readings of a claim replace older ones;
//! 2. `trip`: what belongs to another journey of the same box is put aside;
//! 3. [`journey`](crate::journey): the way of the box is read from all that is left;
//! 4. `milestones`: actual moves get their public names and merge, `precedence` says whose time counts;
//! 5. `estimates`, `pickup`, `facts`, `status`: the rest follows.
//!
//! Each of these tells a [`scribe`] what it took and what it left, which is how [`provenance`] knows.
//!
//! Nothing depends on the order of reports, on how often each came, or on a clock that was read. Where a rule
//! waits, `now` is an argument and [`due`] tells when it will matter. So a replay gives the same bytes, a
//! correction takes effect whenever it arrives, and a changed rule recomputes history.

mod by_then;
mod cancelled;
pub(crate) mod claims;
mod estimates;
mod facts;
mod gates;
mod identity;
mod looked;
pub(crate) mod milestones;
pub(crate) mod next_trip;
mod patience;
mod pickup;
mod pre_carriage;
pub(crate) mod precedence;
mod rail;
pub(crate) mod readings;
mod renamed;
mod repeated;
mod route;
pub(crate) mod scribe;
mod source;
mod status;
mod taken_back;
mod towns;
mod transfer;
pub(crate) mod trip;
mod ways;
mod withdrawn;

use jiff::Timestamp;

use crate::codes::ContainerNumber;
use crate::container::{ContainerState, Estimate, InlandByLine, Milestone, QualityFlag};
use crate::event::EventName;
use crate::journey::Way;
use crate::place::Gazetteer;
use crate::provenance::{Provenance, Verdict};
use crate::report::{Report, SourceKind};
use crate::trust::Trust;
pub use cancelled::booking_cancelled;
use claims::Claim;
use readings::Heard;
pub use readings::retracted;
pub use renamed::renamed;
pub use repeated::repeated;
pub use route::route;
use scribe::Scribe;
pub use source::source_of;
pub use withdrawn::withdrawn;

/// The truth about `number`, computed from **all** `reports` about it (those of its bill included).
///
/// Pure: order and repetition of `reports` do not matter, and nothing is read but the arguments. `trust` says
/// who is ranked otherwise than by the kind of his feed. `now` decides only rules that wait (6 h, 12 h,
/// 7 days); [`due`] tells when it matters next.
pub fn container_state(
    number: ContainerNumber,
    reports: &[Report],
    gazetteer: &Gazetteer,
    trust: &Trust,
    now: Timestamp,
) -> ContainerState {
    let said = Said {
        number,
        reports,
        gazetteer,
        trust,
        now,
    };
    decide(&said, &mut Scribe::silent())
}

/// The same, with who said each value and what else was said.
pub fn provenance<'a>(
    number: ContainerNumber,
    reports: &'a [Report],
    gazetteer: &Gazetteer,
    trust: &'a Trust,
    now: Timestamp,
) -> (ContainerState, Provenance<'a>) {
    let said = Said {
        number,
        reports,
        gazetteer,
        trust,
        now,
    };
    let mut scribe = Scribe::writing();
    let state = decide(&said, &mut scribe);
    (state, scribe.provenance())
}

/// Everything that a decision rests on.
struct Said<'a, 'g> {
    number: ContainerNumber,
    reports: &'a [Report],
    gazetteer: &'g Gazetteer,
    trust: &'a Trust,
    now: Timestamp,
}

impl<'a> Said<'a, '_> {
    /// What counts, of the journey that is followed.
    fn heard(&self, scribe: &mut Scribe<'a>) -> Heard<'a> {
        let (now, gazetteer) = (self.now, self.gazetteer);
        let reports: Vec<&Report> = self.reports.iter().collect();
        let mut heard = readings::heard(self.number, &reports, gazetteer, self.trust, scribe);
        let too_early = |claim: &Claim<'a>| patience::is_too_early_for_ais(claim, now);
        scribe.put_aside(Verdict::Waits, || {
            let early: Vec<_> = heard.moves.iter().filter(|c| too_early(c)).collect();
            early.into_iter().map(|claim| (claim.report, None))
        });
        heard.moves.retain(|claim| !too_early(claim));
        let all = scribe.is_writing().then(|| heard.readings.clone());
        let Heard { moves, readings } = trip::bind(heard);
        scribe.put_aside(Verdict::AnotherJourney, || {
            missing(all.unwrap_or_default(), &readings)
        });
        let all = scribe.is_writing().then(|| reports_of(&moves));
        let moves = patience::without_waiting(moves, &readings, now);
        scribe.put_aside(Verdict::Waits, || {
            missing(all.unwrap_or_default(), &reports_of(&moves))
        });
        Heard { moves, readings }
    }
}

fn reports_of<'a>(moves: &[Claim<'a>]) -> Vec<&'a Report> {
    moves.iter().map(|claim| claim.report).collect()
}

/// Those of `all` that were not kept.
fn missing<'a>(all: Vec<&'a Report>, kept: &[&'a Report]) -> Vec<(&'a Report, Option<&'a Report>)> {
    let is_kept = |report: &&Report| kept.iter().any(|other| std::ptr::eq(*other, *report));
    let gone = all.into_iter().filter(|report| !is_kept(report));
    gone.map(|report| (report, None)).collect()
}

fn decide<'a>(said: &Said<'a, '_>, scribe: &mut Scribe<'a>) -> ContainerState {
    let Said {
        number,
        gazetteer,
        trust,
        now,
        ..
    } = *said;
    let Heard { moves, readings } = said.heard(scribe);
    let way = Way::of(&moves);
    let (mut milestones, mut flags) = milestones::milestones(&moves, &way, gazetteer, scribe);
    let ashore = pickup::Ashore::of(&milestones, &moves, &readings, &way, gazetteer);
    milestones.extend(pickup::availability_milestones(
        &readings, &ashore, gazetteer, trust, scribe,
    ));
    milestones::in_order_of_life(&mut milestones);

    let journey = way.journey(&moves, gazetteer);
    ways::told(&way, &moves, scribe);
    let yard = pickup::Yard {
        readings: &readings,
        way: &way,
        ashore: &ashore,
        gazetteer,
        trust,
        now,
    };
    let mut pickup = yard.pickup(scribe);
    let ready_at = || yard.ready_at_the_ramp();
    let status = status::status(&milestones, &journey, &ashore, &pickup, ready_at);
    status::told(status, &milestones, scribe);
    pickup.fees = yard.fees(status, scribe);
    flags.extend((!number.check_digit_fits()).then_some(QualityFlag::CheckDigit));
    if pickup::is_stale(&pickup, &readings, &ashore, now) {
        flags.push(QualityFlag::TerminalStale);
        scribe.terminal_is_silent();
    }
    flags.sort_unstable();
    flags.dedup();
    ContainerState {
        number,
        estimates: estimates::estimates(&moves, &way, &milestones, gazetteer, scribe),
        first_estimates: estimates::first_estimates(&readings, &way, gazetteer, trust),
        inland_by_line: match journey.destination {
            Some(_) => inland_by_line(&moves, &way, &milestones, gazetteer),
            None => InlandByLine::default(),
        },
        rail: rail::rail(&moves, &yard, scribe),
        journey,
        milestones,
        status,
        size_type: facts::size_type(&readings, trust, scribe),
        gross_kg: facts::gross_kg(&readings, trust, scribe),
        seals: facts::seals(&readings, scribe),
        pickup,
        flags,
    }
}

/// What the line alone says of the arrival inland: the same rules, over its words only.
fn inland_by_line(
    moves: &[Claim<'_>],
    way: &Way<'_>,
    milestones: &[Milestone],
    gazetteer: &Gazetteer,
) -> InlandByLine {
    let by_line = |claim: &&Claim<'_>| {
        let kind = claim.report.source_kind;
        !claims::is_facility(kind) && kind != SourceKind::Ais
    };
    let own: Vec<Claim<'_>> = moves.iter().filter(by_line).copied().collect();
    let mut silent = Scribe::silent();
    let told;
    let milestones = if own.len() == moves.len() {
        milestones
    } else {
        told = milestones::milestones(&own, way, gazetteer, &mut silent).0;
        &told
    };
    let expected = estimates::estimates(&own, way, milestones, gazetteer, &mut silent);
    let arrived = |m: &&Milestone| m.slot.event == EventName::ArrivedAtInlandDestination;
    let inland = |e: &&Estimate| e.event == EventName::EstimatedArrivedAtInlandDestination;
    InlandByLine {
        expected: expected.iter().find(inland).map(|estimate| estimate.at),
        arrived: milestones.iter().rev().find(arrived).map(|m| m.at),
    }
}

/// The next moment after `now` at which [`container_state`] may change by the passing of time alone.
pub fn due(number: ContainerNumber, reports: &[Report], now: Timestamp) -> Option<Timestamp> {
    let own = |report: &&Report| report.equipment.as_ref().is_none_or(|e| e.number == number);
    let berths = berth_forecasts(reports.iter().filter(own));
    let waiting = reports.iter().filter(own).filter_map(patience::due);
    let silent = pickup::each_stale_at(reports.iter().filter(own));
    let all = waiting.chain(berths).chain(silent);
    all.filter(|at| *at > now).min()
}

/// When forecasts of a berth come to count; none where all name one terminal.
fn berth_forecasts<'a>(reports: impl Iterator<Item = &'a Report>) -> Vec<Timestamp> {
    let forecasts: Vec<&Report> = reports
        .filter(|report| pickup::is_berth_forecast(report))
        .collect();
    let place = |report: &Report| (report.place.locode, report.place.facility_code.clone());
    let moved = |report: &&&Report| {
        forecasts
            .iter()
            .any(|other| other.place.locode == report.place.locode && place(other) != place(report))
    };
    let times = forecasts.iter().filter(moved);
    times
        .filter_map(|report| {
            report
                .issued_at()
                .checked_add(pickup::BERTH_FORECAST_WAIT)
                .ok()
        })
        .collect()
}
