//! Calls within the last minute.
//!
//! The minute rolls: what counts is what was let through in the last 60 seconds, so no minute, wherever it is
//! cut, holds more calls than the limit. Calls are remembered by the second; a limit of thousands costs no
//! more memory than one of ten.

/// Seconds for which a call counts.
pub const WINDOW_SECONDS: u64 = 60;

/// The calls of one account and kind, by the second in which they were let through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Second and calls, oldest first.
    seconds: Vec<(u64, u32)>,
}

/// What came of asking for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// How many calls are let through.
    pub granted: u32,
    /// How many more could be now.
    pub left: u32,
    /// Seconds until the oldest counted call counts no more: 1 to 60, or 0 when none counts.
    pub frees_in: u64,
}

impl Window {
    /// What was remembered, for those who keep it elsewhere between calls.
    pub fn of(mut seconds: Vec<(u64, u32)>) -> Self {
        seconds.sort_unstable();
        Self { seconds }
    }

    /// Second and calls, oldest first.
    pub fn seconds(&self) -> &[(u64, u32)] {
        &self.seconds
    }

    /// Asks for `wanted` calls at the second `now`, of which a minute has room for `limit`. A clock that
    /// jumped back finds the calls of its future counted until it has come past them.
    pub fn take(&mut self, now: u64, wanted: u32, limit: u32) -> Taken {
        self.seconds
            .retain(|(second, _)| second.saturating_add(WINDOW_SECONDS) > now);
        let used = self.seconds.iter().map(|(_, calls)| calls);
        let used = used.fold(0u32, |sum, calls| sum.saturating_add(*calls));
        let room = limit.saturating_sub(used);
        let granted = wanted.min(room);
        if granted > 0 {
            self.count(now, granted);
        }
        Taken {
            granted,
            left: room - granted,
            frees_in: self.frees_in(now),
        }
    }

    /// Whether nothing counts any more at `now`.
    pub fn is_over(&self, now: u64) -> bool {
        let newest = self.seconds.last();
        newest.is_none_or(|(second, _)| second.saturating_add(WINDOW_SECONDS) <= now)
    }

    fn count(&mut self, now: u64, calls: u32) {
        let mut known = self.seconds.iter_mut();
        if let Some((_, counted)) = known.find(|(second, _)| *second == now) {
            *counted = counted.saturating_add(calls);
        } else {
            self.seconds.push((now, calls));
            self.seconds.sort_unstable();
        }
    }

    fn frees_in(&self, now: u64) -> u64 {
        let oldest = self.seconds.first();
        oldest.map_or(0, |(second, _)| {
            let frees_at = second.saturating_add(WINDOW_SECONDS);
            frees_at.saturating_sub(now).clamp(1, WINDOW_SECONDS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_holds_more_than_the_limit() {
        let mut window = Window::default();
        let mut let_through = Vec::new();
        for tenth in 0..3_000u64 {
            let now = tenth / 10;
            if window.take(now, 1, 20).granted == 1 {
                let_through.push(now);
            }
        }
        for from in 0..300u64 {
            let within = |second: &&u64| (from..from + WINDOW_SECONDS).contains(*second);
            assert!(let_through.iter().filter(within).count() <= 20, "{from}");
        }
        assert_eq!(let_through.len(), 5 * 20);
    }

    #[test]
    fn what_is_told_of_the_room() {
        let mut window = Window::default();
        let told = |granted, left, frees_in| Taken {
            granted,
            left,
            frees_in,
        };
        assert_eq!(window.take(100, 0, 3), told(0, 3, 0));
        assert_eq!(window.take(100, 1, 3), told(1, 2, 60));
        assert_eq!(window.take(130, 5, 3), told(2, 0, 30));
        assert_eq!(window.take(159, 1, 3), told(0, 0, 1));
        assert_eq!(window.take(160, 1, 3), told(1, 0, 30));
        assert!(!window.is_over(219) && window.is_over(220));
        let kept = Window::of(window.seconds().to_vec());
        assert_eq!(kept, window);
    }

    #[test]
    fn a_clock_that_jumps_back_opens_no_door() {
        let mut window = Window::default();
        window.take(1_000, 3, 3);
        assert_eq!(window.take(500, 1, 3).granted, 0);
        assert_eq!(window.take(500, 1, 3).frees_in, 60);
    }
}
