//! Fees that stand, of each source and of the right one.

use super::super::claims::is_facility;
use super::Ashore;
use crate::container::Fee;
use crate::report::{Report, Value, Verb};

/// The last amount of each kind, sorted. A fee of zero that is posted is a fee that is paid, and a complete list
/// takes away what its source said before.
pub(super) fn fees(readings: &[&Report], ashore: &Ashore) -> Vec<Fee> {
    let told: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| report.verb == Verb::Fee)
        .collect();
    let terminal_rules =
        ashore.discharged && told.iter().any(|report| is_facility(report.source_kind));
    let mut standing: Vec<(&str, &Fee)> = Vec::new();
    for report in told {
        if terminal_rules && !is_facility(report.source_kind) {
            continue;
        }
        let named = match &report.value {
            Some(Value::Fee(fee)) => std::slice::from_ref(fee),
            Some(Value::Fees(all)) => {
                standing.retain(|(source, _)| *source != report.source);
                all.as_slice()
            }
            _ => continue,
        };
        standing.retain(|(_, fee)| named.iter().all(|newer| newer.kind != fee.kind));
        let owed = named.iter().filter(|fee| !is_paid(fee));
        standing.extend(owed.map(|fee| (report.source.as_str(), fee)));
    }
    let mut fees: Vec<Fee> = standing.into_iter().map(|(_, fee)| fee.clone()).collect();
    fees.sort();
    fees
}

fn is_paid(fee: &Fee) -> bool {
    fee.amount.is_some_and(|amount| amount.is_zero())
}
