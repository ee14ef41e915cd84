//! Which words of an event decide what it means.

use std::borrow::Cow;

use domain::report::Classifier;

use super::code::{self, Kind};
use super::reading::Fault;
use super::text::trimmed;
use super::wire::{Event, Text};

/// The words that decide the meaning, after slips between the members have been undone: a code in the place
/// of the kind, a kind in the place of the code, the empty flag in the place of the code.
pub(super) struct Words<'e> {
    pub(super) kind: Option<Kind>,
    pub(super) said_kind: &'e str,
    pub(super) code: &'e str,
    pub(super) empty: Text<'e>,
}

impl<'e> Words<'e> {
    pub(super) fn of(event: &'e Event<'_>) -> Self {
        let said_kind = trimmed(&event.kind).unwrap_or_default();
        let generic = trimmed(&event.code);
        let mut equipment = trimmed(&event.equipment_code);
        let transport = trimmed(&event.transport_code);
        let shipment = trimmed(&event.shipment_code);
        let mut empty = trimmed(&event.empty);
        if let Some(flag) = equipment.filter(|word| code::laden(word).is_some()) {
            empty = empty.or(Some(flag));
            equipment = None;
        }
        let (of_kind, stray) = match Kind::of(said_kind) {
            Some(kind) => (Some(kind), None),
            None => (None, Some(said_kind).filter(|word| !word.is_empty())),
        };
        let kind = of_kind
            .or_else(|| generic.and_then(Kind::of))
            .or(equipment.map(|_| Kind::Equipment))
            .or(transport.map(|_| Kind::Transport))
            .or(shipment.map(|_| Kind::Shipment))
            .or_else(|| {
                [stray, generic]
                    .into_iter()
                    .flatten()
                    .find_map(kind_of_code)
            });
        let generic = generic.filter(|word| Kind::of(word).is_none());
        let own = match kind {
            Some(Kind::Equipment) => equipment,
            Some(Kind::Transport) => transport,
            Some(Kind::Shipment) => shipment,
            Some(Kind::Reading) => trimmed(&event.other_code),
            None => None,
        };
        let code = own.or(generic).or(stray).unwrap_or_default();
        Self {
            kind,
            said_kind,
            code,
            empty: empty.map(Cow::Borrowed),
        }
    }

    /// Papers have happened when they are told of; a move that is neither planned nor done is not guessed.
    pub(super) fn classifier(&self, event: &Event<'_>) -> Result<Classifier, Fault> {
        let word = trimmed(&event.classifier);
        if let Some(classifier) = word.and_then(code::classifier) {
            return Ok(classifier);
        }
        let is_move = matches!(self.kind, Some(Kind::Equipment | Kind::Transport));
        if is_move && !event.withdraws() {
            let shown: String = word.unwrap_or_default().chars().take(40).collect();
            return Err((
                ".eventClassifierCode",
                format!("{shown:?} says neither planned, estimated nor actual"),
            ));
        }
        Ok(Classifier::Actual)
    }

    pub(super) fn original(&self) -> String {
        let kind = match self.kind {
            Some(kind) => Cow::Borrowed(kind.word()),
            None => said(self.said_kind),
        };
        let code = said(self.code);
        if kind == code {
            return kind.into_owned();
        }
        let mut original = String::with_capacity(kind.len() + 1 + code.len());
        original.extend([&*kind, "/", &*code]);
        original
    }
}

/// Longest kind or code that is kept whole.
const SAID_CHARS_MAX: usize = 64;

/// A kind or code as it was said, in capitals.
fn said(text: &str) -> Cow<'_, str> {
    let is_kept = text.len() <= SAID_CHARS_MAX && !text.bytes().any(|b| b.is_ascii_lowercase());
    if is_kept {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(SAID_CHARS_MAX).collect();
    Cow::Owned(kept.to_ascii_uppercase())
}

fn kind_of_code(word: &str) -> Option<Kind> {
    if code::equipment(word).is_some() {
        return Some(Kind::Equipment);
    }
    code::transport(word, Classifier::Actual).map(|_| Kind::Transport)
}
