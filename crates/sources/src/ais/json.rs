//! Positions as JSON: messages of a stream (`{"MessageType": …, "MetaData": …, "Message": …}`), one a line or in a
//! list, plain objects with `mmsi`, `lat`, `lon` and a time, and answers that put lists into lists or envelopes.
//!
//! A line or an element that is no JSON costs itself only: behind it every `{` is tried that begins a line or an element, as in
//! the [messages of carriers](crate::ocean::dcsa::recovery). How much is read again is bounded by the size of the message.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Value};

use super::Heard;
use super::object::{self, Units};
use crate::ocean::dcsa::recovery::{next_element, offset_of, reason_of};

/// So deep lists are put into lists.
const DEPTH_MAX: usize = 4;
/// All attempts behind a damage read at most this many times the message.
const READ_TIMES_MAX: usize = 16;
/// A message damaged in more places is given up.
const DAMAGES_MAX: usize = 100;

/// Reads a list, one object, or one object on each line. A list is pointed into and read object by object: as a tree it
/// would be ten times as large.
pub(super) fn read(bytes: &[u8], heard: &mut Heard<'_>) {
    let text = String::from_utf8_lossy(bytes);
    let mut walk = Walk {
        heard,
        count: 0,
        units: Units::Degrees,
    };
    let mut values = Deserializer::from_str(&text).into_iter::<&RawValue>();
    while let Some(value) = values.next() {
        match value {
            Ok(value) => walk.value(value, 0),
            Err(error) => {
                let place = format!("line {} column {}", error.line(), error.column());
                walk.heard.broken(&place, &reason_of(&error));
                let at = offset_of(&text, error.line(), error.column());
                return walk.recover(&text, values.byte_offset(), at);
            }
        }
    }
}

/// A message on its way to its objects.
struct Walk<'w, 'h> {
    heard: &'w mut Heard<'h>,
    /// Objects so far.
    count: usize,
    /// What the numbers of a place are, as the head of an answer says.
    units: Units,
}

/// What an envelope has around its messages.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    msgs: Vec<&'a RawValue>,
}

impl Walk<'_, '_> {
    fn value(&mut self, value: &RawValue, depth: usize) {
        let text = value.get();
        let is_envelope = text.starts_with('{') && text.contains("\"msgs\"");
        let listed = if is_envelope {
            serde_json::from_str(text).map(|Envelope { msgs }| msgs)
        } else {
            serde_json::from_str::<Vec<&RawValue>>(text)
        };
        match listed {
            Ok(list) if depth < DEPTH_MAX => {
                for value in list {
                    self.value(value, depth + 1);
                }
            }
            Ok(_) => {
                let place = self.place();
                self.heard.defect(&place, "lists stand in lists too deep");
            }
            Err(_) => self.object(text),
        }
    }

    fn object(&mut self, text: &str) {
        let place = self.place();
        self.count += 1;
        match serde_json::from_str::<Value>(text) {
            Ok(told) => object::read(&told, &place, &mut self.units, self.heard),
            Err(error) => self.heard.defect(&place, &reason_of(&error)),
        }
    }

    fn place(&self) -> String {
        format!("[{}]", self.count)
    }

    /// Reads what is whole from there on. `told_at`: where the damage is that was told already.
    fn recover(&mut self, text: &str, mut from: usize, told_at: usize) {
        let mut told = BTreeSet::from([told_at]);
        let mut budget = text.len().saturating_mul(READ_TIMES_MAX);
        let mut starts = Starts::default();
        while let Some(start) = starts.next(text, from) {
            if budget == 0 || told.len() > DAMAGES_MAX {
                let place = self.place();
                return self
                    .heard
                    .defect(&place, "it is too damaged to be searched further");
            }
            let fragment = text.get(start..).unwrap_or_default();
            let mut values = Deserializer::from_str(fragment).into_iter::<&RawValue>();
            let read = match values.next() {
                Some(Ok(value)) => {
                    self.value(value, 0);
                    from = start + values.byte_offset().max(1);
                    values.byte_offset()
                }
                Some(Err(error)) => {
                    let read = offset_of(fragment, error.line(), error.column());
                    if told.insert(start + read) {
                        let place = self.place();
                        self.heard.broken(&place, &reason_of(&error));
                    }
                    from = start + 1;
                    read
                }
                None => return,
            };
            budget = budget.saturating_sub(read.max(1));
        }
    }
}

/// Where things may begin: at a `{` that begins a line, or an element of a list. Each is looked for again only when it is passed, so
/// that a long message of one kind is not searched to its end for the other one each time.
#[derive(Default)]
struct Starts {
    line: Next,
    element: Next,
}

#[derive(Clone, Copy, Default)]
enum Next {
    #[default]
    Unknown,
    At(usize),
    Nowhere,
}

impl Next {
    fn from(self, from: usize, find: impl Fn() -> Option<usize>) -> Self {
        match self {
            Self::At(at) if at >= from => self,
            Self::Nowhere => self,
            Self::At(_) | Self::Unknown => find().map_or(Self::Nowhere, Self::At),
        }
    }

    fn place(self) -> Option<usize> {
        match self {
            Self::At(at) => Some(at),
            Self::Unknown | Self::Nowhere => None,
        }
    }
}

impl Starts {
    fn next(&mut self, text: &str, from: usize) -> Option<usize> {
        self.line = self.line.from(from, || {
            let line = text.get(from..)?.find("\n{")?;
            Some(from + line + 1)
        });
        self.element = self.element.from(from, || next_element(text, from));
        let places = [self.line, self.element].into_iter();
        places.filter_map(Next::place).min()
    }
}
