//! Which reports no longer count as they came: for people who look at the claims themselves.
//!
//! The state is computed from what stands. Whoever lists all claims wants to see why one of them moves nothing:
//! its source took it back, or said it again otherwise.

use std::collections::HashMap;

use jiff::Timestamp;

use super::readings::by_issue;
use super::taken_back::{by_whom, taken_back};
use crate::place::Gazetteer;
use crate::report::{Report, ReportKey, Verb};

/// For each report the time at which we heard that it no longer counts; `None` for those that stand.
pub fn withdrawn(reports: &[&Report]) -> Vec<Option<Timestamp>> {
    let mut newest: HashMap<(&str, ReportKey), &Report> = HashMap::new();
    for report in reports {
        newest
            .entry((&report.source, report.key()))
            .and_modify(|known| {
                if by_issue(known, report).is_lt() {
                    *known = report;
                }
            })
            .or_insert(report);
    }
    // Twins of a port do not matter here: a source names one port by one code.
    let silenced = taken_back(reports, &Gazetteer::default());
    reports
        .iter()
        .map(|report| {
            let stands = newest.get(&(report.source.as_str(), report.key())).copied();
            let said_again = stands.filter(|stands| by_issue(report, stands).is_lt());
            said_again
                .or_else(|| tombstone(report, reports))
                .or_else(|| by_whom(report, &silenced))
                .or_else(|| only_takes_back(report).then_some(*report))
                .map(|later| later.received_at)
        })
        .collect()
}

/// Some sources take an event back by sending it again with a mark. Nothing happened by that, as little as by what it
/// takes back.
fn only_takes_back(report: &Report) -> bool {
    report.retracts.is_some() && report.verb != Verb::Document
}

/// The word by which its source took it back, unless the source said it again since.
fn tombstone<'a>(report: &Report, reports: &[&'a Report]) -> Option<&'a Report> {
    let named: Vec<&str> = report.withdrawable_as().collect();
    let mut buried = reports.iter().copied().filter(|other| {
        other.source == report.source
            && other
                .retracts
                .as_deref()
                .is_some_and(|id| named.contains(&id))
            && report.retracts.is_none()
    });
    buried.find(|other| match (report.reported_at, other.reported_at) {
        (Some(spoken), Some(buried)) => spoken <= buried,
        _ => true,
    })
}
