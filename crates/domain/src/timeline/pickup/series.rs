//! In which order words about collecting the box count: the last one stands.
//!
//! A status is true from when it happened, not from when it was sent. An EDI hub writes one stamp over a whole group,
//! sends what it forgot a day later, and sends what it sent before once more; the hold of nine o'clock is still the one
//! that was released at three. So holds, releases, fees and availability are ordered
//!
//! 1. by their own time. One that lies behind its own receipt is none: a clock or a zone is wrong, and it would outlast
//!    all that is said until then;
//! 2. then by issue, and of what was issued at one time by receipt. The same words about the same moment were said when they
//!    were said first, whatever envelope brings them again;
//! 3. then by their place in the message, where its order means something;
//! 4. then by the safer one, where nobody can tell: a hold that stands, a box that is not free.
//!
//! A bare date orders nothing inside its day. What its source says about that day is then ordered by issue, all of it,
//! so that the order stays one.
//!
//! A last free day and an appointment carry the moment they foretell, not the one at which they were said: for them
//! issue, receipt and place count alone. When nobody can tell which of two free days was said last, the earlier one stands:
//! who collects too early loses nothing. A day that goes back to what it was has changed, and counts as said again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::super::readings::by_content;
use super::availability::is_unclear;
use crate::codes::UnLocode;
use crate::report::{Precision, Report, Value, Verb};

/// The readings in the order in which they count, oldest first.
pub(super) fn in_order<'a>(readings: impl Iterator<Item = &'a Report>) -> Vec<&'a Report> {
    let readings: Vec<&Report> = readings.collect();
    let said = Said::of(&readings);
    let mut placed: Vec<(Turn, &Report)> = readings
        .into_iter()
        .map(|report| (said.turn(report), report))
        .collect();
    placed.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| by_content(x, y)));
    placed.into_iter().map(|(_, report)| report).collect()
}

/// Whether two words are of one row or record, as far as times tell: what is received later is of another.
pub(super) fn is_of_one_record(a: &Report, b: &Report) -> bool {
    issue(a) == issue(b) && own_time(a) == own_time(b)
}

/// Whether a complete list leaves alone what was said before it: what another source says, what the same record says of another
/// place, and what a row of the same record tells one by one where another of its rows tells a list.
pub(super) fn is_left_by_list(by: &Report, list: &Report) -> bool {
    let is_list = matches!(by.value, Some(Value::Holds(_) | Value::Fees(_)));
    by.source != list.source || stand_beside(by, list) || (!is_list && is_of_one_record(by, list))
}

/// Whether two words are of one record and of two places: a portal tells of several terminals at once, and what it says of
/// one is no later word on the other. A word that names neither port nor terminal, or a port where the other names none, is no
/// second terminal's: the record may have been read again by who knows it.
pub(super) fn stand_beside(a: &Report, b: &Report) -> bool {
    let are_two = matches!(
        (yard(a), yard(b)),
        ((Some(_), _), (Some(_), _)) | ((None, Some(_)), (None, Some(_)))
    );
    a.source == b.source && is_of_one_record(a, b) && are_two && yard(a) != yard(b)
}

/// When the turn of a reading comes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    moment: Timestamp,
    said: Issue,
    position: Option<u32>,
    /// Of free days the earlier one comes last.
    day: Reverse<Option<Date>>,
}

/// Source, verb, own time, place and the source's code of a word: all but its value.
type Words<'a> = (&'a str, Verb, Timestamp, Yard<'a>, &'a str);

/// When something was said: [`Report::issue`], and when that was received.
type Issue = (Timestamp, Timestamp, Timestamp);

fn issue(report: &Report) -> Issue {
    let (issued, written) = report.issue();
    (issued, written, report.received_at)
}

/// A place and its facility, as the source names them.
type Yard<'a> = (Option<UnLocode>, Option<&'a str>);

/// What must be known of all readings to place one.
#[derive(Default)]
pub(super) struct Said<'a> {
    /// By source, the beginnings of days of which it gave only the date.
    days: BTreeMap<&'a str, BTreeSet<Timestamp>>,
    /// When which value was said first.
    first: BTreeMap<Words<'a>, Vec<(Option<&'a Value>, Issue)>>,
}

impl<'a> Said<'a> {
    pub(super) fn of(readings: &[&'a Report]) -> Self {
        let mut all = Self::default();
        for report in readings {
            let Some(words) = words(report) else { continue };
            if is_dated(report) {
                all.days.entry(words.0).or_default().insert(words.2);
            }
            let values = all.first.entry(words).or_default();
            let (value, issued) = (report.value.as_ref(), issue(report));
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, first)) => *first = issued.min(*first),
                None => values.push((value, issued)),
            }
        }
        all
    }

    /// The last moment at which it can have become true: its own time, of a bare date the evening, and never after it
    /// was said first.
    pub(super) fn known_at(&self, report: &Report) -> Timestamp {
        let (said, ..) = self.first_issue(report);
        let precision = report.occurred.as_ref().map(|occurred| occurred.precision);
        let own = own_time(report).zip(precision);
        own.map_or(said, |(at, precision)| precision.latest(at).min(said))
    }

    /// When these words about this moment were said first.
    fn first_issue(&self, report: &Report) -> Issue {
        let values = words(report).and_then(|words| self.first.get(&words));
        let mut values = values.into_iter().flatten();
        let first = values.find(|(value, _)| *value == report.value.as_ref());
        first.map_or_else(|| issue(report), |(_, first)| *first)
    }

    fn turn(&self, report: &Report) -> Turn {
        let said = self.first_issue(report);
        let own = own_time(report).map(|at| self.moment(&report.source, at));
        Turn {
            moment: own.unwrap_or(said.0),
            said,
            position: report.position,
            day: Reverse(free_day(report)),
        }
    }

    /// The moment itself, or the beginning of its day where the source gave only the date of something in it.
    fn moment(&self, source: &str, at: Timestamp) -> Timestamp {
        let day_before = at.checked_sub(SignedDuration::from_hours(24));
        let from = day_before.unwrap_or(Timestamp::MIN);
        let days = self.days.get(source);
        let begun = days.and_then(|days| days.range(..=at).rfind(|begins| **begins > from));
        begun.copied().unwrap_or(at)
    }
}

fn words(report: &Report) -> Option<Words<'_>> {
    Some((
        report.source.as_str(),
        report.verb,
        own_time(report)?,
        yard(report),
        report.original.as_str(),
    ))
}

fn yard(report: &Report) -> Yard<'_> {
    let place = &report.place;
    (place.locode, place.facility_code.as_deref())
}

/// When it became true, where the word says so.
fn own_time(report: &Report) -> Option<Timestamp> {
    let is_state = matches!(
        report.verb,
        Verb::Available | Verb::NotAvailable | Verb::HoldSet | Verb::HoldClear | Verb::Fee
    ) || is_unclear(report);
    let at = report.occurred.as_ref()?.at;
    (is_state && at <= report.received_at).then_some(at)
}

fn is_dated(report: &Report) -> bool {
    let occurred = report.occurred.as_ref();
    occurred.is_some_and(|occurred| occurred.precision == Precision::Day)
}

fn free_day(report: &Report) -> Option<Date> {
    match &report.value {
        Some(Value::LastFreeDay(_, day)) => Some(day.date),
        _ => None,
    }
}
