//! One journey, held against its truth.

use std::collections::BTreeSet;

use domain::container::{ContainerState, LfdOwner, Milestone};
use domain::event::{Change, EventName, difference};
use domain::place::Gazetteer;
use domain::report::Report;
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use simulator::feeds::{Case, Condition, Fact, Message};

use super::read::Readers;

/// What came of one journey.
#[derive(Default)]
pub struct Verdict {
    pub messages: u64,
    pub told: u64,
    pub right: u64,
    pub untrue: u64,
    pub false_arrivals: u64,
    pub false_returns: u64,
    pub free_days: u64,
    pub wrong_days: u64,
    pub cells: u64,
    pub wrong_cells: u64,
    pub events: BTreeSet<EventName>,
    pub mistakes: Vec<String>,
}

/// Whatever waits has long waited enough.
const AFTER_ALL: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Reads the messages one by one, then looks at what stands.
pub fn judge(case: &Case, index: u64, readers: &Readers, gazetteer: &Gazetteer) -> Verdict {
    let mut bench = Bench {
        case,
        index,
        gazetteer,
        verdict: Verdict::default(),
    };
    let mut reports: Vec<Report> = Vec::new();
    let mut state = ContainerState::unknown(case.number);
    let mut messages = case.messages.iter().peekable();
    while let Some(message) = messages.next() {
        let (read, defects) = readers.read(message, gazetteer);
        let as_expected = match message.condition {
            Condition::Sound => !read.is_empty() && defects == 0,
            Condition::Damaged => !read.is_empty() && defects > 0,
            Condition::Useless => read.is_empty(),
        };
        if !as_expected {
            let text = String::from_utf8_lossy(&message.bytes).into_owned();
            bench.mistake(&format!(
                "{defects} defects, {} reports in {text}",
                read.len()
            ));
        }
        reports.extend(read);
        let after = container_state(
            case.number,
            &reports,
            gazetteer,
            Trust::USUAL,
            message.received_at,
        );
        // Nobody tracks the steel before the papers are known.
        let known = (reports.iter()).any(|r| !r.references.bookings.is_empty());
        for change in difference(Some(&state), &after).iter().filter(|_| known) {
            bench.hear(change, message.received_at);
        }
        // Of several that arrive in one moment some are read first; what is told last is known behind all of them.
        let is_last = |next: &&Message| next.received_at > message.received_at;
        if known && messages.peek().is_none_or(is_last) {
            bench.free_days(&after, message.received_at);
            bench.yard(&after, message.received_at);
        }
        state = after;
        bench.verdict.messages += 1;
    }
    let last = case
        .messages
        .last()
        .map_or(Timestamp::UNIX_EPOCH, |m| m.received_at);
    let state = container_state(
        case.number,
        &reports,
        gazetteer,
        Trust::USUAL,
        last + AFTER_ALL,
    );
    bench.compare(&state);
    bench.last_availability(&state);
    bench.verdict
}

pub(super) struct Bench<'a> {
    pub case: &'a Case,
    index: u64,
    gazetteer: &'a Gazetteer,
    pub verdict: Verdict,
}

impl Bench<'_> {
    /// What is told after one message.
    fn hear(&mut self, change: &Change, now: Timestamp) {
        self.verdict.events.extend(name(change));
        let (Change::Stands(milestone)
        | Change::Replaced {
            after: milestone, ..
        }) = change
        else {
            return;
        };
        let event = milestone.slot.event;
        let known = self.case.facts.iter().any(|fact| {
            self.is_about(milestone, fact) && fact.told_from.is_some_and(|from| from <= now)
        });
        if known {
            return;
        }
        match event {
            EventName::VesselArrived => self.verdict.false_arrivals += 1,
            EventName::EmptyIn => self.verdict.false_returns += 1,
            _ => return,
        }
        self.mistake(&format!("false at {now}: {}", shown(milestone)));
    }

    fn compare(&mut self, state: &ContainerState) {
        for fact in self
            .case
            .facts
            .iter()
            .filter(|fact| fact.told_from.is_some())
        {
            self.verdict.told += 1;
            let about = || state.milestones.iter().filter(|m| self.is_about(m, fact));
            if about().any(|milestone| is_on_time(milestone, fact)) {
                self.verdict.right += 1;
                continue;
            }
            let found = about().next().map_or("nothing".into(), shown);
            self.mistake(&format!(
                "{} {} {}: {found}",
                fact.event.as_str(),
                fact.place,
                fact.at
            ));
        }
        for milestone in &state.milestones {
            if !self
                .case
                .facts
                .iter()
                .any(|fact| self.is_about(milestone, fact))
            {
                self.verdict.untrue += 1;
                self.mistake(&format!("never happened: {}", shown(milestone)));
            }
        }
    }

    fn is_about(&self, milestone: &Milestone, fact: &Fact) -> bool {
        milestone.slot.event == fact.event
            && milestone.slot.place == Some(self.gazetteer.canonical(fact.place))
    }

    pub fn mistake(&mut self, what: &str) {
        let Case {
            scenario, number, ..
        } = self.case;
        self.verdict.mistakes.push(format!(
            "journey {} ({scenario}, {number}): {what}",
            self.index
        ));
    }
}

fn is_on_time(milestone: &Milestone, fact: &Fact) -> bool {
    if fact.to_the_minute {
        return milestone.at == fact.at;
    }
    let clock = TimeZone::get(fact.zone).unwrap_or(TimeZone::UTC);
    clock.to_datetime(milestone.at).date() == clock.to_datetime(fact.at).date()
}

fn shown(milestone: &Milestone) -> String {
    let place = milestone.slot.place.map(|place| place.to_string());
    format!(
        "{} {} {} by {:?}",
        milestone.slot.event.as_str(),
        place.unwrap_or_default(),
        milestone.at,
        milestone.source
    )
}

/// The public event of a change.
fn name(change: &Change) -> Option<EventName> {
    use EventName as E;
    Some(match change {
        Change::Stands(milestone)
        | Change::Replaced {
            after: milestone, ..
        } => milestone.slot.event,
        Change::Estimated(estimate) => estimate.event,
        Change::LastFreeDay(LfdOwner::Line, _) => E::PickupLfdLineChanged,
        Change::LastFreeDay(LfdOwner::Terminal, _) => E::PickupLfdTerminalChanged,
        Change::LastFreeDay(LfdOwner::Rail, _) => E::PickupLfdRailChanged,
        Change::CoalescedLastFreeDay(_) => E::PickupLfdChanged,
        Change::Appointment(_) => E::PickupAppointmentChanged,
        Change::PodTerminal { .. } => E::PodTerminalChanged,
        Change::Updated(_) => E::ContainerUpdated,
        Change::Corrected { .. } | Change::Withdrawn(_) => return None,
    })
}
