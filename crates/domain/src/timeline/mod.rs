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
//! Nothing depends on the order of reports, on how often each came, or on a clock that was read. Where a rule
//! waits, `now` is an argument and [`due`] tells when it will matter. So a replay gives the same bytes, a
//! correction takes effect whenever it arrives, and a changed rule recomputes history.

pub(crate) mod claims;
mod estimates;
mod facts;
mod identity;
pub(crate) mod milestones;
mod patience;
mod pickup;
pub(crate) mod precedence;
mod rail;
pub(crate) mod readings;
mod route;
mod source;
mod status;
mod taken_back;
mod transfer;
mod trip;
mod withdrawn;

use jiff::Timestamp;

use crate::codes::ContainerNumber;
use crate::container::{ContainerState, QualityFlag};
use crate::journey::Way;
use crate::place::Gazetteer;
use crate::report::Report;
use readings::Heard;
pub use route::route;
pub use source::source_of;
pub use withdrawn::withdrawn;

/// The truth about `number`, computed from **all** `reports` about it (those of its bill included).
///
/// Pure: order and repetition of `reports` do not matter, and nothing is read but the arguments.
/// `now` decides only rules that wait (6 h, 12 h, 7 days); [`due`] tells when it matters next.
pub fn container_state(
    number: ContainerNumber,
    reports: &[Report],
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> ContainerState {
    let mut heard = readings::heard(number, reports, gazetteer);
    heard
        .moves
        .retain(|claim| !patience::is_too_early_for_ais(claim, now));
    let Heard { moves, readings } = trip::bind(heard);
    let moves = patience::without_waiting(moves, &readings, now);
    let way = Way::of(&moves);
    let (mut milestones, mut flags) = milestones::milestones(&moves, &way, gazetteer);
    let ashore = pickup::Ashore::of(&milestones);
    milestones.extend(pickup::availability_milestones(
        &readings, &ashore, gazetteer,
    ));
    milestones::in_order_of_life(&mut milestones);

    let journey = way.journey(&moves, gazetteer);
    let mut pickup = pickup::pickup(&readings, &way, &ashore, gazetteer, now);
    let status = status::status(&milestones, &journey, &pickup);
    pickup::without_leftovers(&mut pickup, status);
    flags.extend((!number.check_digit_fits()).then_some(QualityFlag::CheckDigit));
    let stale = pickup::is_stale(&pickup, &readings, &ashore, now);
    flags.extend(stale.then_some(QualityFlag::TerminalStale));
    flags.sort_unstable();
    flags.dedup();
    ContainerState {
        number,
        estimates: estimates::estimates(&moves, &way, &milestones, gazetteer),
        first_estimates: estimates::first_estimates(&readings, &way, gazetteer),
        rail: rail::rail(&moves, &readings, &way, &ashore),
        journey,
        milestones,
        status,
        size_type: facts::size_type(&readings),
        gross_kg: facts::gross_kg(&readings),
        seals: facts::seals(&readings),
        pickup,
        flags,
    }
}

/// The next moment after `now` at which [`container_state`] may change by the passing of time alone.
pub fn due(number: ContainerNumber, reports: &[Report], now: Timestamp) -> Option<Timestamp> {
    let own = |report: &&Report| report.equipment.as_ref().is_none_or(|e| e.number == number);
    let berths = berth_forecasts(reports.iter().filter(own));
    let waiting = reports.iter().filter(own).filter_map(patience::due);
    let silent = pickup::stale_at(reports.iter().filter(own));
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
