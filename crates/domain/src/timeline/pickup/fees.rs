//! Fees that stand, of each source and of the right one.

use super::super::scribe::Scribe;
use super::holds::decided;
use super::{Ashore, rules_the_yard};
use crate::container::Fee;
use crate::provenance::Subject;
use crate::report::{Report, Value, Verb};
use crate::trust::Trust;

/// The last amount of each kind, sorted. A fee of zero that is posted is a fee that is paid, and a complete list
/// takes away what its source said before.
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
                standing.retain(|(by, _)| by.source != report.source);
                all.as_slice()
            }
            _ => continue,
        };
        standing.retain(|(_, fee)| named.iter().all(|newer| newer.kind != fee.kind));
        let owed = named.iter().filter(|fee| !is_paid(fee));
        standing.extend(owed.map(|fee| (report, fee)));
    }
    let stands = |report: &Report| standing.iter().any(|(by, _)| std::ptr::eq(*by, report));
    decided(subject, &told, stands, counts, trust, scribe);
    let mut fees: Vec<Fee> = standing.into_iter().map(|(_, fee)| fee.clone()).collect();
    fees.sort();
    fees
}

pub(super) fn is_paid(fee: &Fee) -> bool {
    fee.amount.is_some_and(|amount| amount.is_zero())
}
