//! The day that somebody means who writes a last free day with a time.
//!
//! A last free day is a day at the place where the box stands. Sources that have only a time for it write the end of
//! that day, or its beginning, and do so on any clock: the place's, UTC (`Z` and `+00:00` are the same clock), that
//! of their head office. So the moment is looked up on the clock of the place, or the day would be one too late in
//! Los Angeles and one too early in Rotterdam.
//!
//! Two times of day are no moments but what stands behind a date that has no time: midnight and the last minute before
//! it. Nobody's free day ends at sixteen hours or at one in the morning, and a clock with the winter's offset all year
//! round would make it so. Such a day is taken as it is written. So is every day at a place whose clock nobody knows:
//! the sender's is then the best there is.
//!
//! The third is 24:00, and its day is the date with which it is written. Whoever reads a time has to keep that date beside
//! it: the midnight that it means is the beginning of the next one.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The day that the moment `at`, written as `local`, means where the clock is that of `place`.
pub(crate) fn free_day(local: DateTime, at: Timestamp, place: Option<&TimeZone>) -> Date {
    match place {
        Some(zone) if !is_edge_of_day(local) => zone.to_datetime(at).date(),
        _ => local.date(),
    }
}

fn is_edge_of_day(local: DateTime) -> bool {
    let time = local.time();
    let begins = (time.hour(), time.minute(), time.second()) == (0, 0, 0);
    begins || (time.hour(), time.minute()) == (23, 59)
}
