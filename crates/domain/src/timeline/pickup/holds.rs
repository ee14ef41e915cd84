//! Holds that stand, of each source and of the right one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::scribe::{Scribe, backing, statement};
use super::ashore::Stand;
use super::series::{Said, is_of_one_record};
use super::{Ashore, rules_the_yard};
use crate::container::{Hold, HoldName};
use crate::provenance::{Statement, Subject, Verdict};
use crate::report::{Classifier, Report, SourceKind, Value, Verb};
use crate::trust::{Group, Trust};

/// The holds in force or announced, sorted. What others than the yards said up to `settled` is outranked by the yard that
/// the box has left.
pub(super) fn holds<'a>(
    readings: &[&'a Report],
    settled: Option<Timestamp>,
    ashore: &Ashore<'_>,
    trust: &Trust,
    subject: Subject,
    scribe: &mut Scribe<'a>,
) -> Vec<Hold> {
    let told: Vec<&'a Report> = readings
        .iter()
        .copied()
        .filter(|report| is_about_holds(report))
        .collect();
    let rules = |report: &Report| rules_the_yard(report, trust);
    let ruled = ashore.discharged && told.iter().any(|report| rules(report));
    let said = Said::of(&told);
    let counts = |report: &Report| {
        rules(report) || (!ruled && settled.is_none_or(|until| said.known_at(report) > until))
    };
    let mut standing = Standing::default();
    for report in told.iter().copied().filter(|report| counts(report)) {
        standing.hear(report);
    }
    if ruled {
        standing.release_freight(&told, &said, rules);
    }
    let stands = |report: &Report| standing.rests_on(report);
    decided(subject, &told, stands, counts, trust, scribe);
    standing.holds()
}

/// When the port's yard last spoke of holds before the box left it; `None` while it stands there.
pub(super) fn settled_at_the_port(
    readings: &[&Report],
    ashore: &Ashore<'_>,
    trust: &Trust,
) -> Option<Timestamp> {
    if ashore.stand() == Stand::Port {
        return None;
    }
    let of_the_port = readings.iter().filter(|report| {
        is_about_holds(report)
            && rules_the_yard(report, trust)
            && ashore.stand_of(report) == Some(Stand::Port)
    });
    let words = of_the_port.map(|report| report.issued_at());
    let before = |at: &Timestamp| ashore.left_port_at.is_none_or(|left| *at <= left);
    words.filter(before).max()
}

/// Tells the scribe what became of each word in a series whose items stand until they are cleared.
pub(super) fn decided<'a>(
    subject: Subject,
    told: &[&'a Report],
    stands: impl Fn(&Report) -> bool,
    counts: impl Fn(&Report) -> bool,
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) {
    let Some(last) = told.iter().rposition(|report| counts(report)) else {
        return;
    };
    scribe.decided(|| {
        let none = !told.iter().any(|report| stands(report));
        let judged = told.iter().enumerate().map(|(place, report)| {
            let verdict = match () {
                () if !counts(report) => Verdict::Outranked,
                // Where nothing stands, it stands by the last word.
                () if stands(report) || (none && place == last) => Verdict::Stands,
                () => Verdict::Older,
            };
            Statement {
                rank: Some(trust.rank(Group::Pickup, report)),
                ..statement(report, verdict)
            }
        });
        let (standing, others) = judged.partition(|s| s.verdict == Verdict::Stands);
        backing(subject, standing, others)
    });
}

/// Holds of each source. Readings are heard oldest first: a newer hold of a name replaces the source's older
/// ones of that name, those of one row or record stand together, and a complete list replaces all that its source
/// said before.
///
/// Messages tell one hold each, and several have one public name: an agency's hold and the terminal's charges are
/// both `other`. So a code of theirs replaces what was said with the same code, and a release whose text names one of
/// them takes only that one away. A release with a code of its own takes the whole name.
#[derive(Default)]
struct Standing<'a> {
    holds: Vec<(&'a Report, &'a Hold)>,
}

impl<'a> Standing<'a> {
    fn hear(&mut self, report: &'a Report) {
        if let Some(Value::Holds(all)) = &report.value {
            self.holds.retain(|(by, _)| by.source != report.source);
            self.holds.extend(all.iter().map(|hold| (report, hold)));
            return;
        }
        let named = match &report.value {
            Some(Value::Hold(hold)) => Some(hold),
            _ => None,
        };
        let meant = |by: &Report, hold: &Hold| {
            let named = named.is_none_or(|named| named.name == hold.name);
            by.source == report.source && named
        };
        let text = named.and_then(|named| named.description.as_deref());
        let text = text.filter(|_| report.verb == Verb::HoldClear && tells_one_each(report));
        let names = |hold: &Hold| text.is_some_and(|text| is_named_by(hold, text));
        let picks_one = self
            .holds
            .iter()
            .any(|(by, hold)| meant(by, hold) && names(hold));
        self.holds.retain(|(by, hold)| {
            let other_code = report.verb == Verb::HoldSet
                && tells_one_each(report)
                && by.original != report.original;
            let same = meant(by, hold) && !other_code && (!picks_one || names(hold));
            let one_record = is_of_one_record(by, report);
            let one_reading = report.verb == Verb::HoldSet && one_record;
            let cleared_at_once =
                report.verb == Verb::HoldClear && one_record && by.position == report.position;
            !same || one_reading || cleared_at_once
        });
        if let (Verb::HoldSet, Some(hold)) = (report.verb, named) {
            self.holds.push((report, hold));
        }
    }

    /// A line's release of freight counts until the terminal has spoken since. It counts from when it happened: one that
    /// is sent late or once more is no newer for that. Who held it again has taken the release back.
    fn release_freight(
        &mut self,
        told: &[&'a Report],
        said: &Said<'a>,
        rules: impl Fn(&Report) -> bool,
    ) {
        let by_terminal = told.iter().filter(|report| rules(report));
        let last_word = by_terminal.map(|report| report.issued_at()).max();
        let since = told
            .iter()
            .filter(|report| !rules(report) && is_about_freight(report))
            .filter(|report| Some(said.known_at(report)) > last_word);
        let last_words: BTreeMap<&str, Verb> = since
            .map(|report| (report.source.as_str(), report.verb))
            .collect();
        let released = last_words.values().any(|verb| *verb == Verb::HoldClear);
        if released {
            self.holds
                .retain(|(_, hold)| hold.name != HoldName::Freight);
        }
    }

    fn rests_on(&self, report: &Report) -> bool {
        self.holds.iter().any(|(by, _)| std::ptr::eq(*by, report))
    }

    fn holds(self) -> Vec<Hold> {
        let mut holds: Vec<Hold> = self
            .holds
            .into_iter()
            .map(|(_, hold)| hold.clone())
            .collect();
        holds.sort();
        holds.dedup();
        holds
    }
}

/// Whether a source tells of holds one by one, in codes. A table speaks of a name as a whole, whatever the number of its
/// column or item.
fn tells_one_each(report: &Report) -> bool {
    !matches!(
        report.source_kind,
        SourceKind::TerminalApi | SourceKind::RailApi | SourceKind::CarrierApi
    )
}

/// Whether the text of a release names this hold: all words of its description, or of a part of that, are in it.
fn is_named_by(hold: &Hold, text: &str) -> bool {
    let text = text.to_uppercase();
    let released: Vec<&str> = words(&text).collect();
    let own = hold.description.as_deref().unwrap_or_default();
    own.to_uppercase().split(':').any(|part| {
        let mut own = words(part).peekable();
        own.peek().is_some() && own.all(|word| released.contains(&word))
    })
}

fn is_about_freight(report: &Report) -> bool {
    let named = match &report.value {
        Some(Value::Hold(hold)) => std::slice::from_ref(hold),
        Some(Value::Holds(all)) => all.as_slice(),
        _ => &[],
    };
    named.iter().any(|hold| hold.name == HoldName::Freight)
}

/// The words of a hold's description but those that every hold or release has.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !matches!(*word, "" | "HOLD" | "HELD" | "FOR" | "RELEASE" | "RELEASED"))
}

/// What is planned with a hold changes nothing about it.
fn is_about_holds(report: &Report) -> bool {
    let verb = matches!(report.verb, Verb::HoldSet | Verb::HoldClear);
    verb && report.classifier == Classifier::Actual
}
