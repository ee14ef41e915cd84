//! The ceiling of intake: one writer over bare tables.
//!
//! For each event: parse its text, drop it when its key was seen, load the state of its container, merge it,
//! write the state back (status and time are indexed), and write one slim outbox row. Five hundred events are
//! one durable commit. One event in five is a repetition. Every state has its 2.5 KB before the clock starts.

mod postgres;
mod sqlite;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use store::Database;

use crate::carrier::{VOYAGE, event};
use crate::dice::Dice;
use crate::ground::Ground;
use crate::machine::Meter;
use crate::table::Rate;

/// Events of one commit.
const COMMIT_EVENTS: usize = 500;
/// Containers with a state.
const STATES: u32 = 20_000;
/// One event in so many is a repetition of an earlier one.
const REPEATS_ONE_IN: u32 = 5;
/// Milestones of a state.
const MILESTONES: u32 = 12;

/// Events made before the clock starts.
pub struct Material {
    events: Vec<Received>,
}

/// One event as it comes in.
struct Received {
    key: [u8; 16],
    state: u32,
    text: String,
}

impl Material {
    /// `count` events, the same each time.
    pub fn make(count: u32) -> Self {
        let mut dice = Dice(8_049);
        let mut events: Vec<Received> = Vec::new();
        for _ in 0..count {
            let earlier = dice.below(u32::try_from(events.len()).unwrap_or(u32::MAX));
            let repeated = dice.below(REPEATS_ONE_IN) == 0;
            let earlier = usize::try_from(earlier)
                .ok()
                .and_then(|place| events.get(place));
            let fresh = || Received::fresh(&mut dice);
            let next = earlier
                .filter(|_| repeated)
                .map_or_else(fresh, Received::again);
            events.push(next);
        }
        Self { events }
    }
}

impl Received {
    fn fresh(dice: &mut Dice) -> Self {
        let state = dice.below(STATES);
        let steps = u32::try_from(VOYAGE.len()).unwrap_or(1);
        let step = usize::try_from(dice.below(steps))
            .ok()
            .and_then(|place| VOYAGE.get(place));
        let number = format!("BNCU{state:07}");
        let text = step
            .map(|step| event(state, &number, step))
            .unwrap_or_default();
        Self {
            key: dice.key(),
            state,
            text,
        }
    }

    fn again(&self) -> Self {
        Self {
            key: self.key,
            state: self.state,
            text: self.text.clone(),
        }
    }
}

/// What is read of an event: the members that decide something.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "eventClassifierCode")]
    classifier: &'a str,
    #[serde(rename = "eventDateTime")]
    at: &'a str,
    #[serde(rename = "equipmentEventTypeCode")]
    equipment_code: Option<&'a str>,
    #[serde(rename = "transportEventTypeCode")]
    transport_code: Option<&'a str>,
    #[serde(rename = "transportCall", borrow)]
    call: Call<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(rename = "UNLocationCode")]
    place: &'a str,
    #[serde(rename = "exportVoyageNumber")]
    voyage: Option<&'a str>,
}

impl Event<'_> {
    fn code(&self) -> &str {
        self.equipment_code
            .or(self.transport_code)
            .unwrap_or_default()
    }
}

/// A container's state, 2.5 KB as text.
#[derive(Serialize, Deserialize)]
struct State {
    number: String,
    status: String,
    version: i64,
    milestones: Vec<Milestone>,
}

#[derive(Serialize, Deserialize)]
struct Milestone {
    event: String,
    place: String,
    at: String,
    classifier: String,
    voyage: Option<String>,
    note: String,
}

impl State {
    fn first(number: u32) -> Self {
        let milestone = |place: u32| Milestone {
            event: format!("event {place}"),
            place: "CNNGB".into(),
            at: "2026-09-01T09:10:00+08:00".into(),
            classifier: "ACT".into(),
            voyage: Some("021W".into()),
            note: "n".repeat(90),
        };
        Self {
            number: format!("BNCU{number:07}"),
            status: "new".into(),
            version: 1,
            milestones: (0..MILESTONES).map(milestone).collect(),
        }
    }

    /// The newest takes the place of the one with its code, else of the oldest.
    fn merge(&mut self, event: &Event<'_>) {
        let code = event.code();
        let same =
            |milestone: &Milestone| milestone.event == code && milestone.place == event.call.place;
        let place = self.milestones.iter().position(same).unwrap_or(0);
        let milestone = Milestone {
            event: code.into(),
            place: event.call.place.into(),
            at: event.at.into(),
            classifier: event.classifier.into(),
            voyage: event.call.voyage.map(Into::into),
            note: "n".repeat(90),
        };
        if place < self.milestones.len() {
            self.milestones.remove(place);
        }
        self.milestones.push(milestone);
        self.status = code.into();
        self.version += 1;
    }
}

/// A slim row of an event or of the outbox: what is left of 1.15 KB.
fn slim(event: &Event<'_>) -> String {
    let (code, place) = (event.code(), event.call.place);
    let (at, classifier) = (event.at, event.classifier);
    format!("{code} {classifier} {place} {at} {:120}", "-")
}

/// Takes all in, commit by commit.
pub fn run(ground: &Ground, material: &Material) -> Result<Rate> {
    let count = u32::try_from(material.events.len())?;
    match &ground.database {
        Database::Sqlite { path } => {
            let mut bare = sqlite::Bare::open(path)?;
            let meter = Meter::start(None);
            for group in material.events.chunks(COMMIT_EVENTS) {
                bare.take_in(group)?;
            }
            Ok(Rate::of(count, meter.spent()))
        }
        Database::Postgres { url } => {
            let mut bare = postgres::Bare::open(url)?;
            let meter = Meter::start(ground.server);
            for group in material.events.chunks(COMMIT_EVENTS) {
                bare.take_in(group)?;
            }
            Ok(Rate::of(count, meter.spent()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_as_long_as_a_container_and_stays_so() {
        let material = Material::make(50);
        let mut state = State::first(1);
        for received in &material.events {
            state.merge(&serde_json::from_str(&received.text).unwrap());
        }
        let length = serde_json::to_string(&state).unwrap().len();
        assert!((2_300..2_900).contains(&length), "{length}");
    }
}
