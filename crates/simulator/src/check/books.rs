//! The books of a check: what was told about each box so far.

use std::collections::BTreeMap;

use domain::codes::ContainerNumber;
use domain::event::EventName as Name;
use jiff::{SignedDuration, Timestamp};

use super::told::Told;
use crate::receiver::Delivery;
use crate::truth::{BoxTruth, Estimate, Milestone, Truth};

/// An estimate that stood longer than this before the actual must have been told. Longer than any pause
/// between two questions.
const NOTICED_WITHIN_HOURS: i64 = 24;

/// Attributes that a changeset may correct, and the milestone that fills them.
const FILLED_BY: [(&str, Name); 16] = [
    ("empty_out_at", Name::EmptyOut),
    ("pol_full_in_at", Name::FullIn),
    ("pol_vessel_loaded_at", Name::VesselLoaded),
    ("pol_vessel_departed_at", Name::VesselDeparted),
    ("pol_atd_at", Name::VesselDeparted),
    ("pod_arrived_at", Name::VesselArrived),
    ("pod_ata_at", Name::VesselArrived),
    ("pod_discharged_at", Name::VesselDischarged),
    ("pod_rail_loaded_at", Name::RailLoaded),
    ("pod_rail_departed_at", Name::RailDeparted),
    ("ind_ata_at", Name::ArrivedAtInlandDestination),
    ("ind_rail_unloaded_at", Name::RailUnloaded),
    ("pod_full_out_at", Name::FullOut),
    ("final_destination_full_out_at", Name::FullOut),
    ("empty_terminated_at", Name::EmptyIn),
    ("delivered_at", Name::Delivered),
];

/// The page of one box.
#[derive(Default)]
struct Page {
    /// When the box was first spoken of.
    since: Option<Timestamp>,
    /// Time last told, by position of the milestone; the name it was told under.
    milestones: BTreeMap<usize, (Name, Timestamp)>,
    /// Estimate last told, by position.
    estimates: BTreeMap<usize, Timestamp>,
}

/// All pages, and what is wrong so far.
pub(super) struct Books<'t> {
    truth: &'t Truth,
    pages: BTreeMap<ContainerNumber, Page>,
    wrong: Vec<String>,
}

impl<'t> Books<'t> {
    pub(super) fn new(truth: &'t Truth) -> Self {
        Self {
            truth,
            pages: BTreeMap::new(),
            wrong: Vec::new(),
        }
    }

    pub(super) fn object(&mut self, sentence: String) {
        self.wrong.push(sentence);
    }

    pub(super) fn faults(&mut self, delivery: &Delivery) {
        for fault in &delivery.faults {
            let sentence = format!("{} {}: {fault}", delivery.event, delivery.notification_id);
            self.wrong.push(sentence);
        }
    }

    /// Takes one notification in.
    pub(super) fn enter(&mut self, told: &Told<'_>) {
        match told.event {
            Name::TrackingRequestFailed => {
                self.object("a tracking request failed, but the carrier knows every number".into());
            }
            Name::TrackingRequestSucceeded
            | Name::TrackingRequestAwaitingManifest
            | Name::TrackingRequestTrackingStopped => {}
            Name::ShipmentEstimatedArrival => self.shipment_estimate(told),
            _ => self.about_box(told),
        }
    }

    fn about_box(&mut self, told: &Told<'_>) {
        let name = told.event.as_str();
        let Some(number) = told.number else {
            return self.object(format!(
                "{name} {} names no box",
                told.delivery.notification_id
            ));
        };
        let Some(truth) = self.truth.boxes.get(&number) else {
            return self.object(format!("{number}: {name}, but no such box exists"));
        };
        let page = self.pages.entry(number).or_default();
        page.since = page.since.or(Some(told.delivery.received_at));
        let entered = match told.event {
            Name::EstimatedVesselArrived
            | Name::EstimatedVesselDeparted
            | Name::EstimatedArrivedAtInlandDestination => page.estimate(truth, told),
            Name::ContainerUpdated => page.update(truth, told),
            event if event.is_transport() => page.milestone(truth, told),
            _ => Ok(()),
        };
        if let Err(reason) = entered {
            self.object(format!("{number}: {name} {reason}"));
        }
    }

    fn shipment_estimate(&mut self, told: &Told<'_>) {
        let said = |estimate: &Estimate| {
            estimate.event == Name::EstimatedVesselArrived && is_sayable(estimate, told)
        };
        let known = self
            .truth
            .boxes
            .values()
            .any(|truth| truth.estimates.iter().any(said));
        if !known {
            let sentence = format!("shipment.estimated.arrival {} was never said", shown(told));
            self.object(sentence);
        }
    }

    /// Everything wrong, what is missing included.
    pub(super) fn close(mut self) -> Vec<String> {
        for (number, truth) in &self.truth.boxes {
            let page = self.pages.remove(number).unwrap_or_default();
            let missing = page.missing(truth);
            self.wrong.extend(
                missing
                    .into_iter()
                    .map(|reason| format!("{number}: {reason}")),
            );
        }
        self.wrong
    }
}

impl Page {
    fn milestone(&mut self, truth: &BoxTruth, told: &Told<'_>) -> Result<(), String> {
        let fits = |milestone: &Milestone| {
            let named = milestone.event == told.event || milestone.or == Some(told.event);
            named && told.place.as_deref() == Some(milestone.place.as_str())
        };
        let position = truth.milestones.iter().position(fits);
        let Some((position, milestone)) =
            position.and_then(|at| Some((at, truth.milestones.get(at)?)))
        else {
            return Err(format!("{} never happened", shown(told)));
        };
        let at = told.at.ok_or("has no time")?;
        let now = told.delivery.received_at;
        if !milestone
            .words
            .believed_until(now)
            .any(|(_, word)| word.at == at)
        {
            return Err(format!(
                "{} is a time that nobody gave or that was taken back",
                shown(told)
            ));
        }
        match self.milestones.insert(position, (told.event, at)) {
            None => Ok(()),
            // Where the rules leave the name open, it may be told under the other name once more is known.
            Some((before, _)) if before != told.event => Ok(()),
            Some(_) => Err(format!("{} was told twice", shown(told))),
        }
    }

    fn estimate(&mut self, truth: &BoxTruth, told: &Told<'_>) -> Result<(), String> {
        let fits = |estimate: &Estimate| {
            estimate.event == told.event && told.place.as_deref() == Some(estimate.place.as_str())
        };
        let position = truth.estimates.iter().position(fits);
        let Some((position, estimate)) =
            position.and_then(|at| Some((at, truth.estimates.get(at)?)))
        else {
            return Err(format!("{} is about no call of this kind", shown(told)));
        };
        if !is_sayable(estimate, told) {
            return Err(format!(
                "{} is an estimate that nobody gave or that was overtaken",
                shown(told)
            ));
        }
        self.estimates.extend(told.at.map(|at| (position, at)));
        Ok(())
    }

    /// A changeset corrects times: each new one must be what the carrier said by then.
    fn update(&mut self, truth: &BoxTruth, told: &Told<'_>) -> Result<(), String> {
        for (attribute, new) in &told.changes {
            let Some((_, event)) = FILLED_BY.iter().find(|(name, _)| name == attribute) else {
                continue;
            };
            let found = truth
                .milestones
                .iter()
                .enumerate()
                .find(|(position, milestone)| {
                    let told_as = self.milestones.get(position).map(|(name, _)| *name);
                    told_as.unwrap_or(milestone.event) == *event
                });
            let Some((position, milestone)) = found else {
                return Err(format!("of {attribute}, which this box has not"));
            };
            let now = told.delivery.received_at;
            let said = |at: Timestamp| {
                milestone
                    .words
                    .believed_until(now)
                    .any(|(_, word)| word.at == at)
            };
            let at = new
                .filter(|at| said(*at))
                .ok_or_else(|| format!("of {attribute} to {new:?}, which nobody said"))?;
            self.milestones.insert(position, (*event, at));
        }
        Ok(())
    }

    fn missing(&self, truth: &BoxTruth) -> Vec<String> {
        let milestones = truth.milestones.iter().enumerate();
        let milestones = milestones
            .filter_map(|(position, milestone)| self.missing_milestone(position, milestone));
        let estimates = truth.estimates.iter().enumerate();
        let estimates =
            estimates.filter_map(|(position, estimate)| self.missing_estimate(position, estimate));
        milestones.chain(estimates).collect()
    }

    fn missing_milestone(&self, position: usize, milestone: &Milestone) -> Option<String> {
        let name = milestone.event.as_str();
        let last = milestone.words.last()?.at;
        match self.milestones.get(&position) {
            None => Some(format!("{name} at {} was never told", milestone.place)),
            // Other milestones fill no attribute, so no changeset can tell their correction.
            Some((told_as, at))
                if *at != last && FILLED_BY.iter().any(|(_, event)| event == told_as) =>
            {
                Some(format!(
                    "{name} at {} was left at {at}, the last word is {last}",
                    milestone.place
                ))
            }
            Some(_) => None,
        }
    }

    fn missing_estimate(&self, position: usize, estimate: &Estimate) -> Option<String> {
        let settled = estimate.closes_from - SignedDuration::from_hours(NOTICED_WITHIN_HOURS);
        let followed = self.since.is_some_and(|since| since <= settled);
        let due = estimate
            .words
            .believed(settled)
            .filter(|_| followed && estimate.required)?;
        let mut allowed = estimate.words.believed_until(estimate.closes_by);
        let told = self.estimates.get(&position);
        let fits = told.is_some_and(|told| {
            *told == due.at || allowed.any(|(moment, word)| moment > settled && word.at == *told)
        });
        (!fits).then(|| {
            let name = estimate.event.as_str();
            format!(
                "{name} at {} ends with {told:?}, the last word in time is {}",
                estimate.place, due.at
            )
        })
    }
}

/// Whether the estimate was one to believe at some moment before the notification and before the actual.
fn is_sayable(estimate: &Estimate, told: &Told<'_>) -> bool {
    let until = told.delivery.received_at.min(estimate.closes_by);
    told.place
        .as_deref()
        .is_none_or(|place| place == estimate.place.as_str())
        && told.at.is_some_and(|at| {
            estimate
                .words
                .believed_until(until)
                .any(|(_, word)| word.at == at)
        })
}

fn shown(told: &Told<'_>) -> String {
    let at = told
        .at
        .map_or_else(|| "no time".to_owned(), |at| at.to_string());
    format!("({} {at})", told.place.as_deref().unwrap_or("no place"))
}
