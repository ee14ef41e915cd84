//! Listeners: webhooks whose deliveries are fetched instead of sent.
//!
//! Somebody who writes a receiver on a laptop has no address that we could call. A listener turns the direction
//! round: it asks for what is due, hands it to the program beside it, and tells how that went. What is told, in
//! which order and how often it is tried is the same as for any webhook; only the waits are shorter, since
//! somebody sits in front of it and has just mended what was wrong.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::webhook::{AttemptEnd, Verdict, asked, is_success};

/// Delays after the first try: 12 retries within seven minutes.
pub const RETRY_DELAYS: [SignedDuration; 12] = [
    SignedDuration::from_secs(1),
    SignedDuration::from_secs(2),
    SignedDuration::from_secs(4),
    SignedDuration::from_secs(8),
    SignedDuration::from_secs(15),
    SignedDuration::from_secs(30),
    SignedDuration::from_secs(60),
    SignedDuration::from_secs(60),
    SignedDuration::from_secs(60),
    SignedDuration::from_secs(60),
    SignedDuration::from_secs(60),
    SignedDuration::from_secs(60),
];

/// Listeners of one account at most.
pub const LISTENERS_MAX: u32 = 20;
/// A listener that nobody asked for this long is switched off, so that what nobody fetches does not pile up.
pub const IDLE_MAX: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Length of a name.
pub const NAME_CHARS_MAX: usize = 64;
/// Scheme of the address that stands for a listener; nothing is ever sent to it.
const SCHEME: &str = "listen:";

/// What a listener is called: the same name is the same listener, wherever it is said.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerName(String);

impl ListenerName {
    /// Reads a name: 1 to 64 of the letters `a-z`, `A-Z`, digits, `.`, `_` and `-`.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let good = (1..=NAME_CHARS_MAX).contains(&text.len()) && text.chars().all(fits);
        good.then(|| Self(text.to_owned()))
    }

    /// Makes a name of whatever a machine or a person is called.
    pub fn of(text: &str) -> Option<Self> {
        let plain = text.chars().map(|c| match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') => c,
            _ => '-',
        });
        Self::parse(&plain.take(NAME_CHARS_MAX).collect::<String>())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands where other webhooks have their address.
    pub fn address(&self) -> String {
        format!("{SCHEME}{}", self.0)
    }
}

impl fmt::Display for ListenerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether an address stands for a listener. No webhook can have such an address: it is neither http nor https.
pub fn is_address(url: &str) -> bool {
    url.starts_with(SCHEME)
}

/// What follows from attempt number `attempt` (from 1) that ended as `end` at `now`. `Retry-After` asks for as much
/// as that of any webhook. No answer switches a
/// listener off: 410 ends the delivery, not the listening.
pub fn verdict(attempt: u32, end: &AttemptEnd, now: Timestamp) -> Verdict {
    match end {
        AttemptEnd::Answered { status, .. } if is_success(*status) => return Verdict::Succeeded,
        AttemptEnd::Answered { status: 410, .. } => return Verdict::Failed,
        _ => {}
    }
    let step = usize::try_from(attempt.saturating_sub(1))
        .ok()
        .and_then(|failed| RETRY_DELAYS.get(failed));
    step.and_then(|step| now.checked_add((*step).max(asked(*step, end))).ok())
        .map_or(Verdict::Failed, Verdict::RetryAt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for good in ["a", "laptop", "ada.example-2_x", &"x".repeat(64)] {
            assert_eq!(
                ListenerName::parse(good).map(|n| n.to_string()).as_deref(),
                Some(good)
            );
        }
        for bad in ["", "a b", "a/b", "ümlaut", "a:b", &"x".repeat(65)] {
            assert_eq!(ListenerName::parse(bad), None, "{bad}");
        }
        let made = ListenerName::of("Ada's laptop").unwrap();
        assert_eq!(made.as_str(), "Ada-s-laptop");
        assert!(is_address(&made.address()));
        assert!(!is_address("https://listen.example/"));
    }

    #[test]
    fn a_listener_is_tried_thirteen_times_within_minutes() {
        let now: Timestamp = "2026-03-04T05:06:07Z".parse().unwrap();
        let answered = |status| AttemptEnd::Answered {
            status,
            retry_after: None,
        };
        let waits: Vec<i64> = (1..)
            .map_while(|attempt| match verdict(attempt, &answered(500), now) {
                Verdict::RetryAt(at) => Some(at.duration_since(now).as_secs()),
                _ => None,
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 15, 30, 60, 60, 60, 60, 60, 60]);
        let patient = |seconds| {
            let end = AttemptEnd::Answered {
                status: 503,
                retry_after: Some(SignedDuration::from_secs(seconds)),
            };
            verdict(4, &end, now)
        };
        let after = |seconds| Verdict::RetryAt(now + SignedDuration::from_secs(seconds));
        assert_eq!(patient(3), after(8), "never sooner than the step");
        assert_eq!(patient(90), after(90));
        assert_eq!(patient(99_999), after(3_600), "an hour at most");
        assert_eq!(
            verdict(1, &AttemptEnd::TimedOut, now),
            verdict(1, &answered(404), now)
        );
        assert_eq!(verdict(1, &answered(202), now), Verdict::Succeeded);
        assert_eq!(verdict(1, &answered(410), now), Verdict::Failed);
    }
}
