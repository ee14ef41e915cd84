//! For how long an answer asks us to wait.
//!
//! RFC 9110 has `Retry-After` in seconds or as a date, and of dates the form that is written now and two that are not
//! written any more and have to be read by everybody (5.6.7). The library of moments that is here already reads all
//! three, so a crate for it would bring nothing.

use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// What is not written any more: RFC 850's form, and that of C's `asctime`, which is in UTC without a word of it.
const OBSOLETE: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// What `Retry-After` says, in seconds or as a date; nothing is left to wait for when the date is past.
pub fn retry_after(text: &str, now: Timestamp) -> Option<SignedDuration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // More than fits is as long as can be; whoever asks has a bound of its own.
        let seconds = text.parse::<u32>().unwrap_or(u32::MAX);
        return Some(SignedDuration::from_secs(i64::from(seconds)));
    }
    let wait = date(text)?.duration_since(now);
    Some(wait.max(SignedDuration::ZERO))
}

fn date(text: &str) -> Option<Timestamp> {
    // The form of today is the one of mail, which is kinder: it takes dates without a day of the week, and any zone.
    let written = jiff::fmt::rfc2822::parse(text).ok();
    written
        .map(|at| at.timestamp())
        .or_else(|| OBSOLETE.iter().find_map(|form| obsolete(form, text)))
}

fn obsolete(form: &str, text: &str) -> Option<Timestamp> {
    let read = BrokenDownTime::parse(form, text).ok()?;
    let at: DateTime = read.to_datetime().ok()?;
    Some(at.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_all_three_forms_of_a_date() {
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        let rows = [
            ("120", Some(120)),
            (" 120 ", Some(120)),
            ("0", Some(0)),
            ("Sat, 21 Nov 2026 10:05:00 GMT", Some(300)),
            ("Saturday, 21-Nov-26 10:05:00 GMT", Some(300)),
            ("Sat Nov 21 10:05:00 2026", Some(300)),
            ("Tue Dec  1 10:00:00 2026", Some(864_000)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(0)),
            ("Sun Nov  6 08:49:37 1994", Some(0)),
            ("", None),
            ("soon", None),
            ("-5", None),
            ("1.5", None),
            ("+5", None),
            ("99999999999999999999", Some(i64::from(u32::MAX))),
            ("Sunday, 21-Nov-26 10:05:00 GMT", None),
            ("Saturday, 21-Nov-26 10:05:00", None),
            ("Saturday, 21-Nov-26 10:05:00 CET", None),
            ("Saturday, 31-Nov-26 10:05:00 GMT", None),
            ("Sat Nov 21 10:05:00 2026 GMT", None),
            ("Sat Nov 21 25:05:00 2026", None),
        ];
        for (text, seconds) in rows {
            let wanted = seconds.map(SignedDuration::from_secs);
            assert_eq!(retry_after(text, now), wanted, "{text:?}");
        }
    }
}
