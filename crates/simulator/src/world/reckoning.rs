//! Turns happenings and published words into the truth that a run is checked against.

use domain::container::CurrentStatus;
use domain::event::EventName;
use jiff::Timestamp;

use super::Shipment;
use super::voyage::{Happening, Sure};
use crate::truth::{BoxTruth, Estimate, Milestone, Truth, Words};

/// The truth about all boxes.
pub(super) fn truth(shipments: &[Shipment]) -> Truth {
    let boxes = shipments
        .iter()
        .flat_map(|shipment| (0..shipment.cargo.len()).filter_map(|of| box_truth(shipment, of)));
    Truth {
        boxes: boxes.map(|truth| (truth.number, truth)).collect(),
    }
}

fn box_truth(shipment: &Shipment, of: usize) -> Option<BoxTruth> {
    let number = shipment.cargo.get(of)?.number;
    let mine = |happening: &Happening| happening.of.is_none_or(|other| other == of);
    let mut happened: Vec<(usize, &Happening)> = shipment
        .voyage
        .happenings
        .iter()
        .enumerate()
        .filter(|(_, happening)| happening.sure == Sure::Actual && mine(happening))
        .collect();
    happened.sort_by_key(|(_, happening)| happening.at);
    let milestones = happened.iter().flat_map(|(about, happening)| {
        let words = words(shipment, |index| index == *about);
        happening
            .means
            .iter()
            .filter_map(move |event| milestone(shipment, happening, *event, words.clone()))
    });
    Some(BoxTruth {
        number,
        tracked_as: shipment.bill.number.clone(),
        milestones: milestones.collect(),
        estimates: estimates(shipment, &happened),
        status: CurrentStatus::EmptyReturned,
    })
}

fn milestone(
    shipment: &Shipment,
    happening: &Happening,
    event: EventName,
    words: Words,
) -> Option<Milestone> {
    Some(Milestone {
        event,
        or: happening.or,
        place: shipment.voyage.stops.get(happening.stop)?.place.locode()?,
        words,
    })
}

fn estimates(shipment: &Shipment, happened: &[(usize, &Happening)]) -> Vec<Estimate> {
    let planned = shipment.voyage.happenings.iter();
    planned
        .filter(|happening| happening.sure == Sure::Planned)
        .flat_map(|plan| {
            plan.means
                .iter()
                .filter_map(|event| estimate(shipment, happened, plan, *event))
        })
        .collect()
}

fn estimate(
    shipment: &Shipment,
    happened: &[(usize, &Happening)],
    plan: &Happening,
    event: EventName,
) -> Option<Estimate> {
    let same_call = |other: &Happening| (other.code, other.stop) == (plan.code, plan.stop);
    let (about, actual) = happened
        .iter()
        .find(|(_, happening)| same_call(happening))?;
    let later = happened
        .iter()
        .filter(|(_, happening)| happening.at >= actual.at);
    let closes_from = later
        .filter_map(|(about, _)| first_published(shipment, *about))
        .min()?;
    Some(Estimate {
        event,
        place: shipment.voyage.stops.get(plan.stop)?.place.locode()?,
        words: words(shipment, |index| {
            let happening = shipment.voyage.happenings.get(index);
            happening
                .is_some_and(|happening| happening.sure != Sure::Actual && same_call(happening))
        }),
        closes_from,
        closes_by: first_published(shipment, *about)?,
        required: actual.or.is_none(),
    })
}

fn words(shipment: &Shipment, about: impl Fn(usize) -> bool) -> Words {
    let said = shipment
        .said
        .iter()
        .filter(|said| said.counts && about(said.about));
    Words(said.map(|said| said.word).collect())
}

fn first_published(shipment: &Shipment, about: usize) -> Option<Timestamp> {
    words(shipment, |index| index == about).first_published()
}
