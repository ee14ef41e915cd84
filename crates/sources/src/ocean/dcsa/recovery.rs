//! Getting the rest out of a message that is no longer JSON.
//!
//! A transfer that broke off, one lost quote, a proxy's note in the middle: the records before and after are
//! still what the carrier said. After damage nothing in the text says any more at which depth we are, so
//! every `{` that begins an element of a list is tried. One that reads as an event is taken; the inner
//! objects of a damaged record are not mistaken for events, as they have no event's members. How much is read
//! again is bounded by the size of the message.

use std::collections::BTreeMap;

use super::harvest::{Harvest, Surroundings, Taker};

/// All attempts together read at most this many times the message.
const READ_TIMES_MAX: usize = 16;
/// A message damaged in more places is given up.
const DAMAGES_MAX: usize = 100;

/// One damage.
#[derive(Clone)]
pub(super) struct Damage {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) reason: String,
}

/// Saves what is whole: what was learned of it, how many events it has, and where the damages are.
pub(super) fn recover<'m>(
    message: &'m str,
    known: &Surroundings<'m>,
    taker: &mut dyn Taker,
) -> (Surroundings<'m>, usize, Vec<Damage>) {
    let mut harvest = Harvest::begin(known, taker);
    let mut saved = 0;
    let mut damages: BTreeMap<usize, String> = BTreeMap::new();
    let mut budget = message.len().saturating_mul(READ_TIMES_MAX);
    let mut from = 0;
    let mut index = 0u32;
    while let Some(start) = next_element(message, from) {
        if budget == 0 || damages.len() == DAMAGES_MAX {
            damages.insert(start, "too damaged to be searched further".into());
            break;
        }
        let fragment = message.get(start..).unwrap_or_default();
        let before = harvest.events;
        let read = match harvest.fragment(fragment, index) {
            Ok(read) => {
                let events = harvest.events - before;
                index += u32::from(events > 0);
                saved += events;
                from = start + read.max(1);
                read
            }
            Err(error) => {
                let read = offset_of(fragment, error.line(), error.column());
                if damages.insert(start + read, reason_of(&error)).is_none() {
                    // A damaged record counts, so that the ones behind it keep their numbers. The object
                    // around all records, which always fails, does not.
                    index += u32::from(start != 0 || !message.trim_start().starts_with('{'));
                }
                from = start + 1;
                read
            }
        };
        budget = budget.saturating_sub(read.max(1));
    }
    let damages = damages
        .into_iter()
        .map(|(at, reason)| damage(message, at, reason));
    (harvest.learned, saved, damages.collect())
}

/// The next `{` that stands where an element of a list can: at the start, or after `[`, `,` or `}`.
pub(crate) fn next_element(message: &str, from: usize) -> Option<usize> {
    let bytes = message.as_bytes();
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'{')?;
        let before = bytes
            .get(..at)?
            .iter()
            .rev()
            .find(|byte| !byte.is_ascii_whitespace());
        if matches!(before, None | Some(b'[' | b',' | b'}')) {
            return Some(at);
        }
        at += 1;
    }
}

/// The words of the JSON reader without its own idea of the place.
pub(crate) fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

/// Byte offset of a line and column as the JSON reader counts them (both from 1, in bytes).
pub(crate) fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column).min(text.len())
}

fn damage(message: &str, at: usize, reason: String) -> Damage {
    let before = message.as_bytes().get(..at).unwrap_or_default();
    let mut lines = before.split(|byte| *byte == b'\n');
    let column = lines.next_back().map_or(0, <[u8]>::len);
    Damage {
        line: lines.count() + 1,
        column,
        reason,
    }
}
