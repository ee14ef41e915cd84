//! A sample world, and what is told about it.
//!
//! A receiver is built before the first real event comes, so every event can be looked at beforehand: in the
//! examples, in a test delivery, in the description of the API. All three show the same world: one box from
//! Nanjing to Los Angeles, and on its other way to Chicago ([`voyage`]), in the places of the tables
//! ([`places`]). It is made of domain values and goes through the same renderers as the truth does; a sample
//! cannot know an attribute that the real thing lacks.
//!
//! Ids are the same on every installation, and times are counted back from the moment of telling, so the same
//! question at the same moment has the same answer, byte for byte.

mod custom_fields;
mod places;
mod record;
mod told;
mod voyage;

use domain::event::EventName;
use domain::ids::NotificationId;
use jiff::Timestamp;
use uuid::Uuid;

use crate::resource::webhook_notification;
use told::World;

/// The moment that documents show, which should be the same today and tomorrow.
pub const MOMENT: Timestamp = Timestamp::constant(1_772_532_000, 0);

/// A delivery of this event as it would go out at `at`: notification and everything it includes.
/// `base_url` ends in the version (`https://host/v2`).
pub fn delivery(event: EventName, base_url: &str, at: Timestamp) -> String {
    let id = notification_id(event, at);
    let own = format!("{base_url}/webhook_notifications/{id}");
    document(event, &own, at)
}

/// The same with another `links.self`: the address that was asked.
pub fn document(event: EventName, address: &str, at: Timestamp) -> String {
    let world = World::at_news_of(event, at);
    let (included, view) = world.news(event);
    let included: Vec<&str> = included.iter().map(String::as_str).collect();
    webhook_notification::document(&view, address, &included)
}

/// A resource of this type as text; `None` for a type that is not served.
pub fn resource(kind: &str) -> Option<String> {
    record::of(kind)
}

/// The id of the sample notification of this event, told at `at`: another one each time, since receivers drop
/// what they have seen.
pub fn notification_id(event: EventName, at: Timestamp) -> NotificationId {
    let place = EventName::ALL.iter().position(|name| *name == event);
    numbered(at, 0x100 + place.unwrap_or_default() as u128)
}

/// The id of a record of the sample world, which is always the same.
fn id<I: From<Uuid>>(number: u128) -> I {
    numbered(MOMENT, number)
}

/// A version 7 id that says nothing but its time and its number.
fn numbered<I: From<Uuid>>(at: Timestamp, number: u128) -> I {
    let millisecond = u128::try_from(at.as_millisecond()).unwrap_or_default();
    I::from(Uuid::from_u128(
        millisecond << 80 | 0x7000_8000_0000_0000_0000 | number,
    ))
}

#[cfg(test)]
mod tests;
