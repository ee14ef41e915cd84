//! At which terminal of the port of discharge the box is, or will be, put ashore.

use jiff::{SignedDuration, Timestamp};

use crate::codes::UnLocode;
use crate::journey::stop::Sight;
use crate::journey::{Way, terminal};
use crate::place::Gazetteer;
use crate::report::{Mode, Report, Verb};

/// How long a forecast of another berth must stand before it moves the terminal of discharge.
pub(crate) const BERTH_FORECAST_WAIT: SignedDuration = SignedDuration::from_hours(12);

/// Our code of the terminal of discharge: where it was discharged, else where its ship arrived, else where it
/// is expected. Before the discharge a reading that moves it may be the forecast of a berth, so it waits.
pub(super) fn pod_terminal(
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
        .find_map(|sight| terminal(&sight.claim, gazetteer));
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
        let Some(found) = gazetteer.terminal_at(locode, code) else {
            continue;
        };
        if expected.is_none() || has_stood(report, now) {
            expected = Some(&found.code);
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
        Some(Mode::Rail | Mode::Truck | Mode::Barge)
    );
    matches!(report.verb, Verb::Arrive | Verb::Discharge | Verb::Berth)
        && report.place.facility_code.is_some()
        && !empty
        && !inland
}
