//! Finding the events in a message, whatever stands around them.
//!
//! The standard sends a bare array. Seen besides: an object with a list in it (`events`), the lists of the
//! three kinds side by side in one object, lists in lists, one event alone, events under a name nobody
//! expected. So an object that is no event is taken for something around events, and its members are looked
//! into. What the outer object says about all of them (booking, bill, the calls by their ids) is given to the
//! events inside.
//!
//! **No event waits for the end.** Each is handed over as soon as it is read and then forgotten, so that a message
//! costs what it says and not what it could. But what is said about all events may stand behind them. So the walk
//! notes what it learned on the way ([`Surroundings`]), and who finds that it learned something walks again, knowing
//! it from the start. Hardly any message is walked twice.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::key::{Key, Name};
use super::lenient::{self, Fill, skip, text};
use super::wire::{Call, Event, Text};

/// How many unknown objects are looked into, one inside the other.
const WRAPPERS_MAX: u32 = 8;
/// How many elements that are no events are named; the rest are counted.
const STRANGERS_MAX: usize = 1_000;

/// What a message says about many of its events at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings<'de> {
    /// What an object around events says about all of them; objects are numbered as they begin.
    objects: BTreeMap<u32, Papers<'de>>,
    /// Calls that stand beside the events and are named by them.
    calls: HashMap<Cow<'de, str>, Call<'de>>,
}

/// The papers that an object around events names.
#[derive(Clone, Debug)]
struct Papers<'de> {
    booking: Text<'de>,
    bill: Text<'de>,
}

impl Surroundings<'_> {
    /// Whether nothing is said about many events at once.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.calls.is_empty()
    }
}

/// Who takes the events of a walk.
pub(super) trait Taker {
    /// Takes an event and where it stands.
    fn take(&mut self, event: &Event<'_>, position: &str);

    /// Says whether what was taken since the last time counts. Else it stands in a part of the message that turned
    /// out to be damaged, and is read again in smaller parts.
    fn settle(&mut self, counts: bool);
}

/// A walk over a message.
pub(super) struct Harvest<'t, 'de> {
    known: &'t Surroundings<'de>,
    taker: &'t mut dyn Taker,
    /// What was found out on the way.
    pub(super) learned: Surroundings<'de>,
    /// Elements of lists of events that are none.
    pub(super) strangers: Vec<String>,
    /// How many more there are.
    pub(super) strangers_left_out: usize,
    /// Events that were handed over.
    pub(super) events: usize,
    path: String,
    objects_begun: u32,
    around: Vec<u32>,
    kind: Option<&'static str>,
}

impl<'t, 'de> Harvest<'t, 'de> {
    /// A walk that begins, and what is known from an earlier one over the same message.
    pub(super) fn begin(known: &'t Surroundings<'de>, taker: &'t mut dyn Taker) -> Self {
        Self {
            known,
            taker,
            learned: Surroundings::default(),
            strangers: Vec::new(),
            strangers_left_out: 0,
            events: 0,
            path: String::new(),
            objects_begun: 0,
            around: Vec::new(),
            kind: None,
        }
    }

    /// Notes that what stands here is no event.
    fn stranger(&mut self) {
        if self.strangers.len() < STRANGERS_MAX {
            self.strangers.push(self.path.clone());
        } else {
            self.strangers_left_out += 1;
        }
    }

    /// Reads a whole message.
    pub(super) fn whole(&mut self, message: &'de str) -> Result<(), serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(message);
        let read = self
            .node(0, true)
            .deserialize(&mut deserializer)
            .and_then(|()| deserializer.end());
        self.taker.settle(read.is_ok());
        read
    }

    /// Reads one value of a damaged message, the one with this number, and says where it ended.
    pub(super) fn fragment(
        &mut self,
        fragment: &'de str,
        index: u32,
    ) -> Result<usize, serde_json::Error> {
        self.path.clear();
        self.around.clear();
        self.kind = None;
        let read = self.below_index(index, |harvest| {
            let mut deserializer = serde_json::Deserializer::from_str(fragment);
            harvest.node(0, false).deserialize(&mut deserializer)?;
            // The stream knows how far it read; a deserializer alone does not tell.
            Ok(deserializer.into_iter::<IgnoredAny>().byte_offset())
        });
        self.taker.settle(read.is_ok());
        read
    }

    fn node(&mut self, wrappers: u32, expected: bool) -> Node<'_, 't, 'de> {
        Node {
            harvest: self,
            wrappers,
            expected,
        }
    }

    /// Does something inside an element of a list.
    fn below_index<T>(&mut self, index: u32, act: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push('[');
        push_number(&mut self.path, index);
        self.path.push(']');
        let done = act(self);
        self.path.truncate(length);
        done
    }

    /// Does something inside a member.
    fn below_name<T>(&mut self, name: &str, act: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.extend(name.chars().take(64));
        let done = act(self);
        self.path.truncate(length);
        done
    }

    /// Hands over an event, with what is said around it; the innermost object counts first.
    fn hand_over(&mut self, event: &mut Event<'de>) {
        self.events += 1;
        if let (None, Some(kind)) = (&event.kind, self.kind) {
            event.kind = Some(Cow::Borrowed(kind));
        }
        if !self.known.is_empty() {
            let around = self.around.iter().rev();
            for papers in around.filter_map(|object| self.known.objects.get(object)) {
                event.booking = event.booking.take().or_else(|| papers.booking.clone());
                event.bill = event.bill.take().or_else(|| papers.bill.clone());
            }
            join_call(event, &self.known.calls);
        }
        self.taker.take(event, &self.path);
    }

    /// Keeps what an object around events says about all of them.
    fn learn(&mut self, object: u32, holds_events: bool, around: Event<'de>) {
        for call in around.calls {
            if let Some(id) = call.id.clone() {
                self.learned.calls.insert(id, call);
            }
        }
        if holds_events && (around.booking.is_some() || around.bill.is_some()) {
            let papers = Papers {
                booking: around.booking,
                bill: around.bill,
            };
            self.learned.objects.insert(object, papers);
        }
    }
}

/// An event that only names its call gets it from the list beside it; one that tells of it gets what it leaves out: HMM writes ship
/// and voyage in the list alone.
fn join_call<'de>(event: &mut Event<'de>, calls: &HashMap<Cow<'de, str>, Call<'de>>) {
    let own = event.calls.first().unwrap_or(&event.flat_call);
    let is_bare = |call: &Call<'_>| call.mode.is_none() && call.spot.locode.is_none();
    let told = own.id.as_ref().and_then(|id| calls.get(id));
    if let Some(call) = told.filter(|_| event.calls.iter().all(is_bare)) {
        event.calls = vec![call.clone()];
        return;
    }
    // What stands in the event itself is told, too.
    let flat = event.flat_call.clone();
    for own in &mut event.calls {
        if let Some(call) = own.id.as_ref().and_then(|id| calls.get(id)) {
            own.be_told(call, &flat);
        }
    }
}

fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.extend(char::from_digit(number % 10, 10));
}

/// Any value in which events may be.
struct Node<'s, 't, 'de> {
    harvest: &'s mut Harvest<'t, 'de>,
    wrappers: u32,
    /// Whether this value should be an event or hold some; if it does not, that is worth a word.
    expected: bool,
}

impl Node<'_, '_, '_> {
    fn stranger(self) {
        if self.expected {
            self.harvest.stranger();
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_, '_, 'de> {
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
        for index in 0u32.. {
            let next = harvest.below_index(index, |harvest| {
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
        let (object, before) = (harvest.objects_begun, harvest.events);
        harvest.objects_begun += 1;
        harvest.around.push(object);
        let mut event = Event::default();
        let mut unknown: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
        let mut lists = false;
        while let Some(name) = map.next_key::<Name<'de>>()? {
            match name.key {
                Key::Events => {
                    lists = true;
                    let outer = harvest.kind;
                    harvest.kind = kind_by_list(&name.text).or(outer);
                    harvest.below_name(&name.text, |harvest| {
                        map.next_value_seed(harvest.node(wrappers, true))
                    })?;
                    harvest.kind = outer;
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
            harvest.around.pop();
            harvest.hand_over(&mut event);
            return Ok(());
        }
        for (name, raw) in unknown {
            match group_beside(&name, raw).filter(|_| lists) {
                Some(group) => {
                    event.booking = event.booking.or(group.booking);
                    event.bill = event.bill.or(group.bill);
                    look_into_group(harvest, &name, raw, wrappers + 1);
                }
                None => look_into(harvest, &name, raw, wrappers + 1),
            }
        }
        harvest.around.pop();
        let holds_events = harvest.events > before;
        harvest.learn(object, holds_events, event);
        if !holds_events && !lists {
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

/// The groups of the first model stand beside the lists of events, each with an id: they are no events that say too
/// little, and the papers of the shipment are those of all events beside it.
fn group_beside<'de>(name: &str, raw: &'de RawValue) -> Option<Group<'de>> {
    let groups = ["shipment", "transport", "equipment"];
    if !raw.get().starts_with('{') || !groups.iter().any(|group| name.eq_ignore_ascii_case(group)) {
        return None;
    }
    let mut group = Group::default();
    lenient::apart(&mut group, raw).ok()?;
    Some(group).filter(|group| !group.is_event)
}

#[derive(Default)]
struct Group<'de> {
    booking: Text<'de>,
    bill: Text<'de>,
    /// Whether it says more than its id, or holds events itself.
    is_event: bool,
}

impl<'de> Fill<'de> for Group<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::Booking => text(&mut self.booking, map),
            Key::Bill => text(&mut self.bill, map),
            Key::Events
            | Key::Kind
            | Key::DateTime
            | Key::Classifier
            | Key::Code
            | Key::TransportCode
            | Key::EquipmentCode
            | Key::ShipmentCode
            | Key::RetractedId => {
                self.is_event = true;
                skip(map)
            }
            _ => skip(map),
        }
    }
}

/// What stands in such a group under names we do not know may be events as well.
fn look_into_group<'de>(
    harvest: &mut Harvest<'_, 'de>,
    name: &str,
    raw: &'de RawValue,
    wrappers: u32,
) {
    let members = serde_json::from_str::<BTreeMap<String, &'de RawValue>>(raw.get());
    harvest.below_name(name, |harvest| {
        for (member, raw) in members.into_iter().flatten() {
            let may_hold = raw.get().starts_with(['{', '[']) && Key::of(&member) == Key::Unknown;
            if may_hold && wrappers < WRAPPERS_MAX {
                look_into(harvest, &member, raw, wrappers + 1);
            }
        }
    });
}

/// A value under a name we do not know. It was read once already, so it cannot fail as JSON.
fn look_into<'de>(harvest: &mut Harvest<'_, 'de>, name: &str, raw: &'de RawValue, wrappers: u32) {
    let (around, kind) = (harvest.around.len(), harvest.kind);
    harvest.below_name(name, |harvest| {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        let read = harvest.node(wrappers, false).deserialize(&mut deserializer);
        // Only what is nested too deeply fails here, in the middle of things.
        if read.is_err() {
            harvest.stranger();
            harvest.around.truncate(around);
            harvest.kind = kind;
        }
    });
}

/// Events in a list named after a kind (`transportEvent`) need not say their kind.
fn kind_by_list(list: &str) -> Option<&'static str> {
    let kinds = ["shipment", "transport", "equipment"];
    kinds.into_iter().find(|kind| {
        list.get(..kind.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(kind))
    })
}
