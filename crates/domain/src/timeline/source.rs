//! Which report a public event goes back to.
//!
//! A milestone keeps what it took from its best claim, not which claim that was: the claim may be read again
//! under another id, and then nothing has changed. Who wants to see the claim looks it up by what it said.

use super::readings::by_issue;
use crate::codes::UnLocode;
use crate::event::EventName;
use crate::report::{Classifier, Report, SourceKind, Verb};
use jiff::Timestamp;

/// The place in `reports` of the newest one that says this: the event's act, at this time and place, from
/// this kind of feed. `None` when none does, and for events that no single report stands behind.
pub fn source_of(
    event: EventName,
    at: Timestamp,
    locode: Option<UnLocode>,
    source: SourceKind,
    reports: &[&Report],
) -> Option<usize> {
    let verbs = verbs(event);
    let estimate = is_estimate(event);
    reports
        .iter()
        .enumerate()
        .filter(|(_, report)| {
            verbs.contains(&report.verb)
                && report.source_kind == source
                && report.retracts.is_none()
                && (estimate || report.classifier == Classifier::Actual)
                && report.place.locode == locode
                && report.occurred.as_ref().is_some_and(|when| when.at == at)
        })
        .max_by(|(_, a), (_, b)| by_issue(a, b))
        .map(|(index, _)| index)
}

fn is_estimate(event: EventName) -> bool {
    matches!(
        event,
        EventName::EstimatedVesselDeparted
            | EventName::EstimatedVesselArrived
            | EventName::EstimatedArrivedAtInlandDestination
    )
}

pub(super) fn verbs(event: EventName) -> &'static [Verb] {
    use EventName as E;
    match event {
        E::EmptyOut => &[Verb::GateOut, Verb::Pickup],
        E::FullOut => &[Verb::GateOut],
        E::FullIn => &[Verb::GateIn],
        E::EmptyIn => &[Verb::GateIn, Verb::Dropoff],
        E::VesselLoaded | E::TransshipmentLoaded | E::FeederLoaded | E::RailLoaded => &[Verb::Load],
        E::VesselDeparted | E::TransshipmentDeparted | E::EstimatedVesselDeparted => {
            &[Verb::Depart]
        }
        E::FeederDeparted | E::RailDeparted => &[Verb::Depart, Verb::GateOut],
        E::VesselArrived | E::TransshipmentArrived | E::FeederArrived => &[Verb::Arrive],
        E::VesselBerthed => &[Verb::Berth],
        E::VesselDischarged
        | E::TransshipmentDischarged
        | E::FeederDischarged
        | E::RailUnloaded => &[Verb::Discharge],
        E::RailArrived | E::ArrivedAtInlandDestination => &[Verb::Arrive, Verb::GateIn],
        E::Delivered => &[Verb::Dropoff, Verb::Arrive, Verb::Strip],
        E::Available => &[Verb::Available],
        E::NotAvailable => &[Verb::NotAvailable],
        E::EstimatedVesselArrived | E::EstimatedArrivedAtInlandDestination => {
            &[Verb::Arrive, Verb::Eta]
        }
        _ => &[],
    }
}
