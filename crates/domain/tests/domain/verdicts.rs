//! What follows from each end of a delivery attempt.

use domain::webhook::{
    AttemptEnd, REFUSALS_MAX, RETRY_DELAYS, Verdict, is_refusal, tells_of_receiver, verdict,
};
use jiff::SignedDuration;

use crate::telling::day;

fn answered(status: u16) -> AttemptEnd {
    AttemptEnd::Answered {
        status,
        retry_after: None,
    }
}

fn waits(attempt: u32, end: &AttemptEnd, jitter: f64) -> Option<i64> {
    match verdict(attempt, 0, end, jitter, day(0)) {
        Verdict::RetryAt(at) => Some(at.duration_since(day(0)).as_secs()),
        _ => None,
    }
}

#[test]
fn four_statuses_succeed_and_one_closes_the_endpoint() {
    for status in 100..=599 {
        let expected = match status {
            200 | 201 | 202 | 204 => Verdict::Succeeded,
            410 => Verdict::Gone,
            429 | 502 | 503 | 504 => Verdict::RetryAt(day(0) + SignedDuration::from_secs(60)),
            _ => Verdict::RetryAt(day(0) + SignedDuration::from_secs(5)),
        };
        assert_eq!(
            verdict(1, 1, &answered(status), 1.0, day(0)),
            expected,
            "{status}"
        );
    }
}

#[test]
fn twelve_retries_on_the_published_schedule() {
    let published = [
        5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 57_600, 86_400,
    ];
    assert_eq!(RETRY_DELAYS.map(|delay| delay.as_secs()), published);
    for (attempt, seconds) in (1..).zip(published) {
        for jitter in [0.8, 1.0, 1.2] {
            let wait = waits(attempt, &AttemptEnd::Unreachable, jitter).unwrap();
            let expected = f64::from(i32::try_from(seconds).unwrap()) * jitter;
            #[expect(clippy::cast_possible_truncation, reason = "whole seconds")]
            let expected = expected.floor() as i64;
            assert!((wait - expected).abs() <= 1, "{attempt} × {jitter}: {wait}");
        }
    }
    for end in [answered(500), AttemptEnd::TimedOut, AttemptEnd::Blocked] {
        assert_eq!(verdict(13, 0, &end, 1.0, day(0)), Verdict::Failed);
        assert_eq!(verdict(u32::MAX, 0, &end, 1.0, day(0)), Verdict::Failed);
    }
    assert_eq!(
        verdict(13, 0, &answered(204), 1.0, day(0)),
        Verdict::Succeeded
    );
    assert_eq!(
        waits(1, &AttemptEnd::Unreachable, 40.0),
        Some(6),
        "jitter is held within its bounds"
    );
}

#[test]
fn who_asks_for_patience_gets_a_minute() {
    for end in [
        answered(429),
        answered(502),
        answered(503),
        answered(504),
        AttemptEnd::TimedOut,
        AttemptEnd::Withheld,
    ] {
        assert_eq!(waits(1, &end, 0.8), Some(60), "{end:?}");
        assert_eq!(waits(3, &end, 1.0), Some(120), "{end:?}");
    }
    for end in [
        answered(500),
        answered(404),
        AttemptEnd::Unreachable,
        AttemptEnd::Blocked,
    ] {
        assert_eq!(waits(1, &end, 1.0), Some(5), "{end:?}");
    }
}

#[test]
fn what_our_own_proxy_withholds_tells_nothing_of_the_receiver() {
    assert!(!tells_of_receiver(&AttemptEnd::Withheld));
    for end in [
        answered(200),
        answered(410),
        AttemptEnd::TimedOut,
        AttemptEnd::Unreachable,
        AttemptEnd::TooLong,
        AttemptEnd::Blocked,
    ] {
        assert!(tells_of_receiver(&end), "{end:?}");
    }
}

#[test]
fn what_we_withhold_ourselves_is_never_given_up_and_tried_every_hour_at_last() {
    for (attempt, seconds) in [(1, 60), (5, 1_800), (6, 3_600), (7, 3_600), (13, 3_600)] {
        let wait = waits(attempt, &AttemptEnd::Withheld, 1.0);
        assert_eq!(wait, Some(seconds), "{attempt}");
    }
    let wait = waits(u32::MAX, &AttemptEnd::Withheld, 1.0);
    assert_eq!(wait, Some(3_600));
}

#[test]
fn retry_after_is_heard_within_reason() {
    let asks = |seconds: i64| AttemptEnd::Answered {
        status: 503,
        retry_after: Some(SignedDuration::from_secs(seconds)),
    };
    let table = [
        (1, 0, 60),
        (1, 600, 600),
        (1, 3_600, 3_600),
        (1, 90_000, 3_600),
        (3, 10, 120),
        (7, 90_000, 14_400),
        (12, 1_000_000, 172_800),
        (12, 60, 86_400),
    ];
    for (attempt, asked, expected) in table {
        assert_eq!(
            waits(attempt, &asks(asked), 1.0),
            Some(expected),
            "{attempt} {asked}"
        );
    }
    assert_eq!(waits(1, &asks(-5), 1.0), Some(60));
}

#[test]
fn eight_refusals_in_a_row_end_a_delivery() {
    for status in 400..=499 {
        let verdict = verdict(8, REFUSALS_MAX, &answered(status), 1.0, day(0));
        let patient = matches!(status, 408 | 409 | 425 | 429);
        let refused = is_refusal(&answered(status));
        assert_eq!(refused, !patient && status != 410, "{status}");
        match verdict {
            Verdict::RetryAt(_) => assert!(patient, "{status}"),
            Verdict::Failed => assert!(!patient, "{status}"),
            Verdict::Gone => assert_eq!(status, 410),
            Verdict::Succeeded => panic!("{status}"),
        }
    }
    let seventh = verdict(8, REFUSALS_MAX - 1, &answered(404), 1.0, day(0));
    assert!(matches!(seventh, Verdict::RetryAt(_)));
    let server = verdict(8, REFUSALS_MAX, &answered(500), 1.0, day(0));
    assert!(matches!(server, Verdict::RetryAt(_)));
}
