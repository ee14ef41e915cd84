//! What is said about collecting the box, held against what was told last.
//!
//! Tables and notices arrive late and behind newer ones, so "last" is by when they were said.

use std::fmt::Debug;

use domain::container::{
    ContainerState, CurrentStatus, FeeKind, HoldName, HoldStatus, LastFreeDay, LfdOwner,
};
use domain::event::EventName;
use jiff::Timestamp;
use jiff::civil::Date;
use simulator::feeds::Look;

use super::judge::Bench;

impl Bench<'_> {
    /// The days of line, terminal and railroad.
    pub fn free_days(&mut self, state: &ContainerState, now: Timestamp) {
        let landed = is_any(
            state,
            &[
                EventName::VesselArrived,
                EventName::VesselBerthed,
                EventName::VesselDischarged,
            ],
        );
        let pickup = &state.pickup;
        for (owner, shown) in [
            (LfdOwner::Line, &pickup.lfd_line),
            (LfdOwner::Terminal, &pickup.lfd_terminal),
            (LfdOwner::Rail, &pickup.lfd_rail),
        ] {
            let days = self.case.free_days.iter();
            let told = days.filter(|day| day.owner == owner && day.told_from <= now);
            let last: Option<Date> = told.max_by_key(|day| day.said_at).map(|day| day.day);
            let shown: Option<Date> = shown.as_ref().map(|day: &LastFreeDay| day.date);
            // A terminal's day waits for the arrival.
            let waits = owner == LfdOwner::Terminal && shown.is_none() && !landed;
            self.verdict.free_days += u64::from(last.is_some() || shown.is_some());
            let gone = owner == LfdOwner::Terminal && self.may_have_left(now);
            let stands = gone && self.stood(owner, shown, now);
            if shown != last && !waits && !stands {
                self.verdict.wrong_days += 1;
                let what = format!("free day of the {owner:?} at {now}: {shown:?}, told {last:?}");
                self.mistake(&what);
            }
        }
    }

    /// What a terminal says of a box that is gone is of its next visit: then a day stands that was told before, and none
    /// only where none was. When it left is clear in the end only.
    fn stood(&self, owner: LfdOwner, shown: Option<Date>, now: Timestamp) -> bool {
        let days = self.case.free_days.iter();
        let mut told = days.filter(|day| day.owner == owner && day.told_from <= now);
        match shown {
            Some(shown) => told.any(|day| day.day == shown),
            None => !told.any(|day| Some(day.said_at) <= self.case.said_gone_at),
        }
    }

    /// Holds, fees, availability, appointment and place, as the terminal told them last.
    pub fn yard(&mut self, state: &ContainerState, now: Timestamp) {
        let case = self.case;
        let told = case.booked.iter().filter(|told| told.told_from <= now);
        let booked = told.max_by_key(|told| told.said_at).map(|told| told.at);
        let pickup = &state.pickup;
        self.cell("appointment", &pickup.appointment, &booked, now);
        if !case.looks.iter().any(|look| look.received_at <= now) {
            return;
        }
        let spot = last(&case.looks, now, |look| look.spot.clone());
        self.cell("place in the yard", &pickup.yard_location, &spot, now);
        let holds = last(&case.looks, now, |look| look.holds.clone());
        self.cell(
            "holds",
            &shown_holds(state),
            &holds.unwrap_or_default(),
            now,
        );
        let fees = last(&case.looks, now, |look| look.fees.clone());
        let fees = fees.unwrap_or_default().into_iter().map(written).collect();
        let shown = shown_fees(state);
        // A box at sea or on a train owes nothing, whatever is left over from its last visit.
        if !shown.is_empty() || !is_under_way(state) {
            self.cell("fees", &shown, &fees, now);
        }
        // One that is gone is not to be had, as long as nobody tells that it is gone.
        let free = last(&case.looks, now, |look| look.available);
        if !self.may_have_left(now) {
            self.cell("availability", &pickup.available, &free, now);
        }
    }

    /// Availability, when all is said.
    pub fn last_availability(&mut self, state: &ContainerState) {
        let left = self.case.left_at.unwrap_or(Timestamp::MAX);
        let stands = |look: &Look| look.available.filter(|_| look.as_of <= left);
        let told = last(&self.case.looks, Timestamp::MAX, stands);
        if told.is_some() {
            let shown = &state.pickup.available;
            self.cell("availability", shown, &told, Timestamp::MAX);
        }
    }

    /// Once anybody said that the box is gone, perhaps by mistake, words on availability stop to count at a time
    /// that only the end settles.
    fn may_have_left(&self, now: Timestamp) -> bool {
        self.case.said_gone_from.is_some_and(|from| from <= now)
    }

    fn cell<T: PartialEq + Debug>(&mut self, what: &str, shown: &T, told: &T, now: Timestamp) {
        self.verdict.cells += 1;
        if told != shown {
            self.verdict.wrong_cells += 1;
            self.mistake(&format!("{what} at {now}: {shown:?}, told {told:?}"));
        }
    }
}

/// What was told last of those that told anything.
fn last<T>(looks: &[Look], now: Timestamp, told: impl Fn(&Look) -> Option<T>) -> Option<T> {
    let heard = looks.iter().filter(|look| look.received_at <= now);
    let all = heard.filter_map(|look| Some((look.as_of, told(look)?)));
    all.max_by_key(|(as_of, _)| *as_of).map(|(_, value)| value)
}

fn is_any(state: &ContainerState, events: &[EventName]) -> bool {
    let mut of = state.milestones.iter();
    of.any(|milestone| events.contains(&milestone.slot.event))
}

fn is_under_way(state: &ContainerState) -> bool {
    matches!(state.status, CurrentStatus::OnShip | CurrentStatus::OnRail)
}

fn shown_holds(state: &ContainerState) -> Vec<(HoldName, HoldStatus)> {
    let holds = state.pickup.holds.iter();
    let mut holds: Vec<_> = holds.map(|hold| (hold.name, hold.status)).collect();
    holds.sort_unstable();
    holds
}

fn shown_fees(state: &ContainerState) -> Vec<(FeeKind, Option<String>)> {
    let fees = state.pickup.fees.iter();
    let mut fees: Vec<_> = fees
        .map(|fee| (fee.kind, fee.amount.map(|amount| format!("{amount:.2}"))))
        .collect();
    fees.sort_unstable();
    fees
}

fn written((kind, cents): (FeeKind, Option<u32>)) -> (FeeKind, Option<String>) {
    let amount = cents.map(|cents| format!("{}.{:02}", cents / 100, cents % 100));
    (kind, amount)
}
