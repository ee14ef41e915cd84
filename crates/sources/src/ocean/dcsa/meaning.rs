//! What an event says, apart from when, where and about which box.

use domain::container::{Hold, HoldStatus};
use domain::report::{Classifier, MoveHint, Value, Verb};

use super::code::{self, Kind};
use super::reading::Fault;
use super::text::{clean, trimmed};
use super::whereabouts::move_hint;
use super::wire::Event;
use super::words::Words;

/// What an event says, apart from when, where and about which box.
pub(super) struct Meaning {
    pub(super) kind: Option<Kind>,
    pub(super) verb: Verb,
    pub(super) classifier: Classifier,
    pub(super) laden: Option<bool>,
    pub(super) value: Option<Value>,
    pub(super) original: String,
    pub(super) unmapped: bool,
}

impl Meaning {
    pub(super) fn of(event: &Event<'_>) -> Result<Self, Fault> {
        let words = Words::of(event);
        let classifier = words.classifier(event)?;
        let laden = trimmed(&words.empty).and_then(code::laden);
        let mut meaning = Self {
            kind: words.kind,
            verb: Verb::Document,
            classifier,
            laden,
            value: None,
            original: words.original(),
            unmapped: false,
        };
        if event.withdraws() && words.code.is_empty() {
            meaning.original = "RETRACTION".into();
            return Ok(meaning);
        }
        match words.kind {
            Some(Kind::Equipment) => meaning.equipment(words.code, event),
            Some(Kind::Transport) => {
                let verb = code::transport(words.code, classifier);
                meaning.or_words(verb, event);
            }
            Some(Kind::Shipment) => meaning.shipment(words.code, event),
            Some(Kind::Reading) => {}
            None => meaning.unmapped = true,
        }
        Ok(meaning)
    }

    fn equipment(&mut self, code: &str, event: &Event<'_>) {
        self.or_words(code::equipment(code), event);
        if self.verb == Verb::Available && self.is_of_an_empty(event) {
            // A shipper may fetch it; nobody's goods are free to be collected.
            self.verb = Verb::Document;
        }
        if matches!(self.verb, Verb::HoldSet | Verb::HoldClear) {
            let words = clean(&event.reason).or_else(|| clean(&event.description));
            self.value = Some(Value::Hold(code::customs_hold(code, words)));
        }
    }

    /// Where nothing is said of it, what an exporter may fetch is an empty.
    fn is_of_an_empty(&self, event: &Event<'_>) -> bool {
        let for_export = || move_hint(event) == Some(MoveHint::Export);
        self.laden.map_or_else(for_export, |laden| !laden)
    }

    fn shipment(&mut self, code: &str, event: &Event<'_>) {
        let document = trimmed(&event.document_kind).or_else(|| {
            let mut all = event.document.iter().chain(&event.documents);
            all.next().and_then(|reference| trimmed(&reference.kind))
        });
        let document = code::upper(document.unwrap_or_default());
        let document = code::document(&document);
        self.original = format!("{}/{document}", self.original);
        let Some((verb, hold)) = code::shipment(code, document) else {
            self.unmapped = true;
            return;
        };
        self.verb = verb;
        self.value = match hold {
            Some(name) => Some(Value::Hold(Hold {
                name,
                status: HoldStatus::Hold,
                description: clean(&event.reason),
            })),
            None if document == "BKG" => match code::upper(code).as_str() {
                "CANC" | "CANCELLED" | "CANCELLATION_CONFIRMED" | "VOID" | "VOIDED" => {
                    Some(Value::BookingCancelled)
                }
                "CONF" | "CONFIRMED" => Some(Value::BookingConfirmed),
                _ => None,
            },
            None => None,
        };
    }

    /// The verb of the code, else of the carrier's own sentence, else a document with a doubt.
    fn or_words(&mut self, verb: Option<Verb>, event: &Event<'_>) {
        if let Some(verb) = verb {
            self.verb = verb;
            return;
        }
        match trimmed(&event.description).and_then(code::verb_in_words) {
            Some((verb, laden)) => {
                self.verb = verb;
                self.laden = self.laden.or(laden);
            }
            None => self.unmapped = true,
        }
    }
}
