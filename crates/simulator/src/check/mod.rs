//! Compares what was delivered with what is true.
//!
//! Being late is no fault, repeating what the carrier said is none either, even if the carrier corrects it
//! later. Wrong is: an event that never happened to the box there, a time the carrier never gave or had
//! already taken back, the same event twice, an estimate after the actual, a milestone that is missing,
//! and a first time that was corrected without a word. An arrival or an empty return that never happened
//! is wrong at any moment, so nothing here forgives because it was repaired later.

mod books;
mod told;
mod whole;

use std::fmt;

use domain::event::EventName;
use jiff::Timestamp;

use crate::receiver::Delivery;
use crate::truth::Truth;
use crate::world::places;
use books::Books;
pub use whole::gaps;

/// Everything in `deliveries` that does not fit `truth`, and everything true that is missing, as sentences.
/// All numbers of the truth must have been tracked; see [`Truth::only`].
pub fn contradictions(truth: &Truth, deliveries: &[Delivery]) -> Vec<String> {
    let numbers = told::numbers(deliveries);
    let mut books = Books::new(truth);
    for delivery in deliveries {
        books.faults(delivery);
        if delivery.repeat {
            continue;
        }
        match told::read(delivery, &numbers) {
            Some(told) => books.enter(&told),
            None => books.object(format!("{:?} is no event", delivery.event)),
        }
    }
    books.close()
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Boxes of the world.
    pub containers: usize,
    /// Different notifications.
    pub events: usize,
    /// Arrivals, repeats included.
    pub deliveries: usize,
    /// Arrivals of which both signatures fit.
    pub verified: usize,
    /// Contradictions.
    pub wrong: usize,
}

/// Counts a run.
pub fn summary(truth: &Truth, deliveries: &[Delivery]) -> Summary {
    Summary {
        containers: truth.boxes.len(),
        events: deliveries
            .iter()
            .filter(|delivery| !delivery.repeat)
            .count(),
        deliveries: deliveries.len(),
        verified: deliveries
            .iter()
            .filter(|delivery| delivery.verified)
            .count(),
        wrong: contradictions(truth, deliveries).len(),
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            containers,
            events,
            deliveries,
            verified,
            wrong,
        } = self;
        write!(
            f,
            "{containers} containers, {events} events, {deliveries} deliveries, \
             {verified} signatures verified, {wrong} wrong"
        )
    }
}

/// A transport event that the service holds true at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Number of the box.
    pub container: String,
    /// Its public name.
    pub event: String,
    /// When.
    pub at: Option<Timestamp>,
    /// UN/LOCODE.
    pub place: Option<String>,
}

/// Compares what stands at the end with the last word about everything. Estimates are not compared: those
/// are history by then.
pub fn standing(truth: &Truth, stands: &[Standing]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut left: Vec<&Standing> = stands.iter().filter(|one| is_actual(&one.event)).collect();
    for (number, told) in &truth.boxes {
        for milestone in &told.milestones {
            let place = milestone.place.as_str();
            let found = left.iter().position(|one| {
                let name = EventName::parse(&one.event);
                one.container == number.as_str()
                    && (name == Some(milestone.event) || (name.is_some() && name == milestone.or))
                    && one.place.as_deref().map(places::main_code) == Some(place)
                    && one.at == milestone.words.last().map(|word| word.at)
            });
            match found {
                Some(position) => drop(left.swap_remove(position)),
                None => wrong.push(format!(
                    "{number}: {} at {place} does not stand as {:?}",
                    milestone.event.as_str(),
                    milestone.words.last().map(|word| word.at.to_string()),
                )),
            }
        }
    }
    wrong.extend(left.iter().map(|one| {
        format!(
            "{}: {} at {:?} stands and is false",
            one.container, one.event, one.place
        )
    }));
    wrong
}

fn is_actual(event: &str) -> bool {
    event.starts_with("container.transport.")
        && !event.starts_with("container.transport.estimated.")
}
