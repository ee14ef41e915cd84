//! Readings that only repeat: for people, who look at what was said and not at how often.
//!
//! A terminal that is asked each hour says the same each hour, and a table that comes each day the same each day. The state
//! is computed from every reading, because when each was said may count. Whoever lists them wants to see when a word was
//! said first and when last; what lies between is only more of it.

use std::collections::BTreeMap;

use super::identity::Identity;
use super::readings::by_issue;
use crate::codes::UnLocode;
use crate::report::{Precision, Report, SourceKind, Value, Verb};

/// What is said in turn of one thing; a portal tells of several terminals under one name.
type Series<'a> = (Identity<'a>, (Option<UnLocode>, Option<&'a str>));

/// For each report whether it says what the same terminal or railroad said of the same place right before it, and says again
/// right after it.
pub fn repeated(reports: &[Report]) -> Vec<bool> {
    let mut repeated = vec![false; reports.len()];
    let mut series: BTreeMap<Series<'_>, Vec<(usize, &Report)>> = BTreeMap::new();
    for (place, report) in reports.iter().enumerate() {
        if is_asked_again(report.source_kind) && report.retracts.is_none() {
            let at = &report.place;
            let yard = (at.locode, at.facility_code.as_deref());
            let series = series.entry((Identity::of(report), yard)).or_default();
            series.push((place, report));
        }
    }
    for mut readings in series.into_values().filter(|readings| readings.len() > 2) {
        readings.sort_by(|(_, a), (_, b)| by_issue(a, b));
        for three in readings.windows(3) {
            if let [(_, before), (place, it), (_, after)] = three
                && said(before) == said(it)
                && said(it) == said(after)
                && let Some(is_repeated) = repeated.get_mut(*place)
            {
                *is_repeated = true;
            }
        }
    }
    repeated
}

/// Whether such a source tells how things stand, each time that it is asked.
fn is_asked_again(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::TerminalApi | SourceKind::RailApi)
}

/// What a reading says: yes and no, a hold and its release differ by the verb alone. The time of a word that has a value, is about holds and the like, or was seen at a look, is that of the saying.
fn said(report: &Report) -> (Verb, Option<&Value>, Option<(jiff::Timestamp, Precision)>) {
    let at = report.occurred.as_ref();
    let is_of_saying = report.verb.is_about_pickup() || report.value.is_some() || report.is_as_of();
    let at = at.filter(|_| !is_of_saying);
    (
        report.verb,
        report.value.as_ref(),
        at.map(|occurred| (occurred.at, occurred.precision)),
    )
}
