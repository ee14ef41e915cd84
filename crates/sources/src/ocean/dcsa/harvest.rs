//! Finding the events in a message, whatever stands around them.
//!
//! The standard sends a bare array. Seen besides: an object with a list in it (`events`), the lists of the
//! three kinds side by side in one object, lists in lists, one event alone, events under a name nobody
//! expected. So an object that is no event is taken for something around events, and its members are looked
//! into. What the outer object says about all of them (booking, bill, the calls by their ids) is given to the
//! events inside.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::key::{Key, Name};
use super::lenient::Fill;
use super::wire::{Call, Event};

/// How many unknown objects are looked into, one inside the other.
const WRAPPERS_MAX: u32 = 8;

/// What was found.
#[derive(Default)]
pub(super) struct Harvest<'de> {
    pub(super) events: Vec<Found<'de>>,
    /// Calls that stand beside the events and are named by them.
    pub(super) calls: Vec<Call<'de>>,
    /// Elements of lists of events that are none.
    pub(super) strangers: Vec<String>,
    /// Whether there was a list that could have held events.
    pub(super) saw_list: bool,
    path: String,
}

/// An event and where it stands.
pub(super) struct Found<'de> {
    pub(super) position: String,
    pub(super) event: Event<'de>,
}

impl<'de> Harvest<'de> {
    /// Reads a whole message.
    pub(super) fn of(message: &'de str) -> (Self, Result<(), serde_json::Error>) {
        let mut harvest = Self::default();
        let mut deserializer = serde_json::Deserializer::from_str(message);
        let read = harvest
            .root()
            .deserialize(&mut deserializer)
            .and_then(|()| deserializer.end());
        (harvest, read)
    }

    /// Reads one value of a damaged message, and says where it ended. Its path is given by the caller.
    pub(super) fn of_fragment(
        fragment: &'de str,
        path: String,
    ) -> Result<(Self, usize), serde_json::Error> {
        let mut harvest = Self {
            path,
            ..Self::default()
        };
        let mut deserializer = serde_json::Deserializer::from_str(fragment);
        harvest.node(0, false).deserialize(&mut deserializer)?;
        // The stream knows how far it read; a deserializer alone does not tell.
        let end = deserializer.into_iter::<IgnoredAny>().byte_offset();
        Ok((harvest, end))
    }

    fn root(&mut self) -> Node<'_, 'de> {
        self.node(0, true)
    }

    fn node(&mut self, wrappers: u32, expected: bool) -> Node<'_, 'de> {
        Node {
            harvest: self,
            wrappers,
            expected,
        }
    }

    /// Does something with a longer path.
    fn below<T>(&mut self, member: fmt::Arguments<'_>, act: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        // Writing to a string cannot fail.
        let _ = self.path.write_fmt(member);
        let done = act(self);
        self.path.truncate(length);
        done
    }

    fn below_name<T>(&mut self, name: &str, act: impl FnOnce(&mut Self) -> T) -> T {
        let dot = if self.path.is_empty() { "" } else { "." };
        let name: String = name.chars().take(64).collect();
        self.below(format_args!("{dot}{name}"), act)
    }

    /// What an object around events says about all of them.
    fn hand_down(&mut self, first: usize, around: Event<'de>) {
        for found in self.events.iter_mut().skip(first) {
            let event = &mut found.event;
            event.booking = event.booking.take().or_else(|| around.booking.clone());
            event.bill = event.bill.take().or_else(|| around.bill.clone());
        }
        self.calls.extend(around.calls);
    }
}

/// Any value in which events may be.
struct Node<'s, 'de> {
    harvest: &'s mut Harvest<'de>,
    wrappers: u32,
    /// Whether this value should be an event or hold some; if it does not, that is worth a word.
    expected: bool,
}

impl Node<'_, '_> {
    fn stranger(self) {
        if self.expected {
            self.harvest.strangers.push(self.harvest.path.clone());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self {
            harvest,
            wrappers,
            expected,
        } = self;
        harvest.saw_list |= expected;
        for index in 0u32.. {
            let next = harvest.below(format_args!("[{index}]"), |harvest| {
                seq.next_element_seed(harvest.node(wrappers, expected))
            })?;
            if next.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            harvest,
            wrappers,
            expected,
        } = self;
        let first = harvest.events.len();
        let mut event = Event::default();
        let mut unknown: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
        let mut lists = false;
        while let Some(name) = map.next_key::<Name<'de>>()? {
            match name.key {
                Key::Events => {
                    lists = true;
                    let before = harvest.events.len();
                    harvest.below_name(&name.text, |harvest| {
                        map.next_value_seed(harvest.node(wrappers, true))
                    })?;
                    kinds_by_list(harvest, before, &name.text);
                }
                Key::Unknown if event.is_event() || wrappers >= WRAPPERS_MAX => {
                    map.next_value::<IgnoredAny>()?;
                }
                Key::Unknown => {
                    let raw = map.next_value::<&'de RawValue>()?;
                    if raw.get().starts_with(['{', '[']) {
                        unknown.push((name.text, raw));
                    }
                }
                key => event.member(key, &mut map)?,
            }
        }
        if event.is_event() && !lists {
            let position = harvest.path.clone();
            harvest.events.push(Found { position, event });
            return Ok(());
        }
        for (name, raw) in unknown {
            look_into(harvest, &name, raw, wrappers + 1);
        }
        harvest.hand_down(first, event);
        if harvest.events.len() == first && !lists {
            harvest.node(wrappers, expected).stranger();
        }
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.stranger();
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.stranger();
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.stranger();
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.stranger();
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.stranger();
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.stranger();
        Ok(())
    }
}

/// A value under a name we do not know. It was read once already, so it cannot fail as JSON.
fn look_into<'de>(harvest: &mut Harvest<'de>, name: &str, raw: &'de RawValue, wrappers: u32) {
    harvest.below_name(name, |harvest| {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        let read = harvest.node(wrappers, false).deserialize(&mut deserializer);
        if read.is_err() {
            harvest.strangers.push(harvest.path.clone());
        }
    });
}

/// Events in a list named after a kind (`transportEvent`) need not say their kind.
fn kinds_by_list(harvest: &mut Harvest<'_>, first: usize, list: &str) {
    let kinds = ["shipment", "transport", "equipment"];
    let starts = |kind: &&str| {
        list.get(..kind.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(kind))
    };
    let Some(kind) = kinds.into_iter().find(starts) else {
        return;
    };
    for found in harvest.events.iter_mut().skip(first) {
        found.event.kind.get_or_insert(Cow::Borrowed(kind));
    }
}
