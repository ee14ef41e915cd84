//! Fees that stand, of each source and of the right one.

use super::super::scribe::Scribe;
use super::holds::decided;
use super::series::{is_left_by_list, is_of_one_record, stand_beside};
use super::{Ashore, rules_the_yard};
use crate::container::Fee;
use crate::provenance::Subject;
use crate::report::{Report, Value, Verb};
use crate::trust::Trust;

/// The last amounts of each kind, sorted. Fees of one row stand together, also those of one kind: a terminal has several for
/// which there is no public name, one exam may be paid when another is not, and two may cost the same. A fee of zero that is
/// posted is a fee that is paid, and a complete list takes away what its source said before, but for what the same record says
/// of another place.
pub(super) fn fees<'a>(
    readings: &[&'a Report],
    ashore: &Ashore<'_>,
    trust: &Trust,
    subject: Subject,
    scribe: &mut Scribe<'a>,
) -> Vec<Fee> {
    let told: Vec<&'a Report> = readings
        .iter()
        .copied()
        .filter(|report| report.verb == Verb::Fee)
        .collect();
    let ruled = ashore.discharged && told.iter().any(|report| rules_the_yard(report, trust));
    let counts = |report: &Report| !ruled || rules_the_yard(report, trust);
    let mut standing: Vec<(&'a Report, &'a Fee)> = Vec::new();
    for report in told.iter().copied().filter(|report| counts(report)) {
        let named = match &report.value {
            Some(Value::Fee(fee)) => std::slice::from_ref(fee),
            Some(Value::Fees(all)) => {
                standing.retain(|(by, _)| is_left_by_list(by, report));
                all.as_slice()
            }
            _ => continue,
        };
        standing.retain(|(by, fee)| {
            let is_of_a_kind = named.iter().any(|newer| newer.kind == fee.kind);
            !is_of_a_kind || is_another_of_its_row(by, report) || stand_beside(by, report)
        });
        // The same amount under two names is a fee of the list that has a column of its own as well, or a row read once
        // more: what was filed before each fee of a list had a number is still there. Two of the list are two; their numbers
        // come before every name.
        let is_told = |fee: &Fee| {
            let mut others = standing.iter().filter(|(_, told)| *told == fee);
            others.any(|(by, _)| !(is_numbered(by) && is_numbered(report)))
        };
        let owed = named.iter().filter(|fee| !fee.is_paid() && !is_told(fee));
        let owed: Vec<_> = owed.map(|fee| (report, fee)).collect();
        standing.extend(owed);
    }
    let stands = |report: &Report| standing.iter().any(|(by, _)| std::ptr::eq(*by, report));
    decided(subject, &told, stands, counts, trust, scribe);
    let mut fees: Vec<Fee> = standing.into_iter().map(|(_, fee)| fee.clone()).collect();
    fees.sort();
    fees
}

/// Whether a fee is told beside another in one row.
fn is_another_of_its_row(by: &Report, report: &Report) -> bool {
    by.source == report.source
        && by.source_event_id != report.source_event_id
        && is_of_one_record(by, report)
}

/// Whether it is known by its place in a list.
fn is_numbered(report: &Report) -> bool {
    let id = report.source_event_id.as_deref();
    let place = id.and_then(|id| id.rsplit_once('/'));
    place.is_some_and(|(_, place)| place.parse::<u32>().is_ok())
}
