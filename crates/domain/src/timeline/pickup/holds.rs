//! Holds that stand, of each source and of the right one.

use jiff::Timestamp;

use super::super::claims::is_facility;
use super::Ashore;
use crate::container::{Hold, HoldName};
use crate::report::{Report, Value, Verb};

/// The holds in force or announced, sorted.
pub(super) fn holds(readings: &[&Report], ashore: &Ashore) -> Vec<Hold> {
    let of_terminal: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| is_about_holds(report) && is_facility(report.source_kind))
        .collect();
    let terminal_rules = ashore.discharged && !of_terminal.is_empty();
    let mut standing = Standing::default();
    for report in readings
        .iter()
        .copied()
        .filter(|report| is_about_holds(report))
    {
        if !terminal_rules || is_facility(report.source_kind) {
            standing.hear(report);
        }
    }
    if terminal_rules {
        standing.release_freight(readings, &of_terminal);
    }
    standing.holds()
}

/// Holds of each source. Readings are heard oldest first: a newer hold of a name replaces the source's older
/// ones of that name, those of one reading stand together, and a complete list replaces all that its source
/// said before.
#[derive(Default)]
struct Standing<'a> {
    holds: Vec<(&'a str, Timestamp, &'a Hold)>,
}

impl<'a> Standing<'a> {
    fn hear(&mut self, report: &'a Report) {
        let issued = report.issued_at();
        if let Some(Value::Holds(all)) = &report.value {
            self.holds.retain(|(source, ..)| *source != report.source);
            let told = all.iter().map(|hold| (&*report.source, issued, hold));
            self.holds.extend(told);
            return;
        }
        let named = match &report.value {
            Some(Value::Hold(hold)) => Some(hold),
            _ => None,
        };
        self.holds.retain(|(source, since, hold)| {
            let same =
                *source == report.source && named.is_none_or(|named| named.name == hold.name);
            let one_reading = report.verb == Verb::HoldSet && *since == issued;
            let cleared_at_once = report.verb == Verb::HoldClear && *since == issued;
            !same || one_reading || cleared_at_once
        });
        if let (Verb::HoldSet, Some(hold)) = (report.verb, named) {
            self.holds.push((&report.source, issued, hold));
        }
    }

    /// A line's release of freight counts until the terminal has spoken since.
    fn release_freight(&mut self, readings: &[&'a Report], of_terminal: &[&'a Report]) {
        let last_word = of_terminal.iter().map(|report| report.issued_at()).max();
        let released = readings.iter().any(|report| {
            report.verb == Verb::HoldClear
                && !is_facility(report.source_kind)
                && matches!(&report.value, Some(Value::Hold(h)) if h.name == HoldName::Freight)
                && Some(report.issued_at()) > last_word
        });
        if released {
            self.holds
                .retain(|(_, _, hold)| hold.name != HoldName::Freight);
        }
    }

    fn holds(self) -> Vec<Hold> {
        let mut holds: Vec<Hold> = self
            .holds
            .into_iter()
            .map(|(_, _, hold)| hold.clone())
            .collect();
        holds.sort();
        holds.dedup();
        holds
    }
}

fn is_about_holds(report: &Report) -> bool {
    matches!(report.verb, Verb::HoldSet | Verb::HoldClear)
}
