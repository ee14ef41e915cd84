//! Holds that stand, of each source and of the right one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::scribe::{Scribe, backing, statement};
use super::ashore::Stand;
use super::series::{Said, is_left_by_list, is_of_one_record};
use super::{Ashore, rules_the_yard};
use crate::container::{Hold, HoldName};
use crate::provenance::{Statement, Subject, Verdict};
use crate::report::{Classifier, Report, SourceKind, Value, Verb};
use crate::trust::{Group, Trust};

/// What the yard that the box has left knew of holds: by its last word it settled all that others had said until then.
pub(super) struct Settled {
    until: Timestamp,
    /// What still held the box.
    held: Vec<HoldName>,
}

/// The holds in force or announced, sorted. What others than the yards said before the port's yard `settled` it is
/// outranked, but for holds that the yard still knew of: it took none of them away.
pub(super) fn holds<'a>(
    readings: &[&'a Report],
    settled: Option<&Settled>,
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
    let open = |report: &Report, name: Option<HoldName>| {
        let still_held = |s: &Settled| name.is_none_or(|name| s.held.contains(&name));
        settled.is_none_or(|s| said.known_at(report) > s.until || still_held(s))
    };
    let counts = |report: &Report| {
        let mut named = names(report).peekable();
        let is_open = match named.peek() {
            Some(_) => named.any(|name| open(report, Some(name))),
            None => open(report, None),
        };
        rules(report) || (!ruled && is_open)
    };
    let mut standing = Standing::default();
    for report in told.iter().copied().filter(|report| counts(report)) {
        standing.hear(report);
    }
    standing.keep(|by, hold| rules(by) || open(by, Some(hold.name)));
    if ruled {
        standing.release_freight(&told, &said, rules);
    }
    let stands = |report: &Report| standing.rests_on(report);
    decided(subject, &told, stands, counts, trust, scribe);
    standing.holds()
}

/// What the port's yard said of holds before the box left it; `None` while it stands there, or where it said nothing.
pub(super) fn settled_at_the_port(
    readings: &[&Report],
    ashore: &Ashore<'_>,
    trust: &Trust,
) -> Option<Settled> {
    if ashore.stand() == Stand::Port {
        return None;
    }
    let before = |at: Timestamp| ashore.left_port_at.is_none_or(|left| at <= left);
    let of_the_port = readings.iter().copied().filter(|report| {
        is_about_holds(report)
            && rules_the_yard(report, trust)
            && ashore.stand_of(report) == Some(Stand::Port)
            && before(report.issued_at())
    });
    let mut standing = Standing::default();
    let mut until = None;
    for report in of_the_port {
        standing.hear(report);
        until = until.max(Some(report.issued_at()));
    }
    until.map(|until| Settled {
        until,
        held: standing.holds().iter().map(|hold| hold.name).collect(),
    })
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
/// said before, but for what the same record says of another place. A hold that has a column or member of its own beside the list
/// is that one's: a blank in it clears nothing, and the list beside it clears only what it set itself.
///
/// Messages tell one hold each, and several have one public name: an agency's hold and the terminal's charges are
/// both `other`. So a code of theirs replaces what was said with the same code, and a release whose text names one of
/// them takes only that one away. A release with a code of its own takes the whole name, unless the code is that of one hold
/// (charges are paid); one that is all text is looked for among all holds of its source before what it was taken for counts.
#[derive(Default)]
pub(super) struct Standing<'a> {
    holds: Vec<(&'a Report, &'a Hold)>,
}

impl<'a> Standing<'a> {
    pub(super) fn hear(&mut self, report: &'a Report) {
        if let Some(Value::Holds(all)) = &report.value {
            self.holds
                .retain(|(by, _)| is_left_by_list(by, report) || is_of_its_own(by));
            self.holds.extend(all.iter().map(|hold| (report, hold)));
            return;
        }
        let (name, text) = match &report.value {
            Some(Value::Hold(hold) | Value::HoldOfItsOwn(hold)) => {
                (Some(hold.name), hold.description.as_deref())
            }
            Some(Value::Release(name, text)) => (*name, Some(text.as_str())),
            Some(Value::Lifted(name, text)) => (Some(*name), Some(text.as_str())),
            _ => (None, None),
        };
        let meant = |by: &Report, hold: &Hold| {
            by.source == report.source && name.is_none_or(|name| name == hold.name)
        };
        let text = text.filter(|_| report.verb == Verb::HoldClear && tells_one_each(report));
        // What its text was taken for is a guess: a hold that it names may be called otherwise.
        let only_text = matches!(report.value, Some(Value::Release(..)));
        let picks = |by: &Report, hold: &Hold| {
            let of_it = by.source == report.source && (only_text || meant(by, hold));
            of_it && text.is_some_and(|text| is_named_by(hold, text))
        };
        let picks_one = self.holds.iter().any(|(by, hold)| picks(by, hold));
        // What nobody held the box for takes nothing away.
        if !picks_one && matches!(report.value, Some(Value::Lifted(..))) {
            return;
        }
        self.holds.retain(|(by, hold)| {
            let other_code = report.verb == Verb::HoldSet
                && tells_one_each(report)
                && by.original != report.original;
            let others_own =
                report.verb == Verb::HoldSet && is_of_its_own(by) && !is_of_its_own(report);
            let same = if picks_one {
                picks(by, hold)
            } else {
                meant(by, hold) && !other_code && !others_own
            };
            let one_record = is_of_one_record(by, report);
            let one_reading = report.verb == Verb::HoldSet && one_record;
            let cleared_at_once =
                report.verb == Verb::HoldClear && one_record && by.position == report.position;
            !same || one_reading || cleared_at_once
        });
        if let (Verb::HoldSet, Some(Value::Hold(hold) | Value::HoldOfItsOwn(hold))) =
            (report.verb, &report.value)
        {
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

    pub(super) fn keep(&mut self, stands: impl Fn(&Report, &Hold) -> bool) {
        self.holds.retain(|(by, hold)| stands(by, hold));
    }

    /// Whether one of them keeps the box, and is not only announced.
    pub(super) fn is_in_force(&self) -> bool {
        self.holds.iter().any(|(_, hold)| hold.is_in_force())
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

/// Whether a column or member of its own says this of a hold.
pub(super) fn is_of_its_own(report: &Report) -> bool {
    matches!(report.value, Some(Value::HoldOfItsOwn(_)))
}

/// Whether the text of a release names this hold: all words of its description, or of a part of that, are in it. The kind
/// alone names none: there are several of it.
fn is_named_by(hold: &Hold, text: &str) -> bool {
    let text = text.to_uppercase();
    let released: Vec<&str> = words(&text).collect();
    let own = hold.description.as_deref().unwrap_or_default();
    own.to_uppercase().split(':').any(|part| {
        let tells = words(part).any(|word| !KINDS.contains(&word));
        tells && words(part).all(|word| released.contains(&word))
    })
}

/// Words that say what kind of hold it is.
const KINDS: &[&str] = &["CUSTOMS", "CBP", "USCS", "CBSA", "USDA", "FREIGHT"];

fn is_about_freight(report: &Report) -> bool {
    names(report).any(|name| name == HoldName::Freight)
}

/// The public names of the holds that a word is about.
fn names(report: &Report) -> impl Iterator<Item = HoldName> {
    let (held, released) = match &report.value {
        Some(Value::Hold(hold) | Value::HoldOfItsOwn(hold)) => (std::slice::from_ref(hold), None),
        Some(Value::Holds(all)) => (all.as_slice(), None),
        Some(Value::Release(name, _)) => ([].as_slice(), *name),
        Some(Value::Lifted(name, _)) => ([].as_slice(), Some(*name)),
        _ => ([].as_slice(), None),
    };
    held.iter().map(|hold| hold.name).chain(released)
}

/// The words of a hold's description but those that every hold or release has.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !matches!(*word, "" | "HOLD" | "HELD" | "FOR" | "RELEASE" | "RELEASED"))
}

/// What is planned with a hold changes nothing about it.
pub(super) fn is_about_holds(report: &Report) -> bool {
    let verb = matches!(report.verb, Verb::HoldSet | Verb::HoldClear);
    verb && report.classifier == Classifier::Actual
}
