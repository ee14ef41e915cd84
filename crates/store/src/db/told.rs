//! What the log is told of a store that takes no writes: once that it does not, and once that it does again.
//!
//! Where a disk is full, what little comes free lets a write through now and then, and the next one is refused. Told at each
//! turn, both lines would come again and again. So it takes writes again when they have held for a while.

use std::time::{Duration, Instant};

/// For so long none was refused when it is said that writes are taken again.
const SURE_AFTER: Duration = Duration::from_secs(30);

/// What the log was told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// When a write was last refused, until it is told that they are taken.
    refused_at: Option<Instant>,
}

/// What is to be told now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    Refused,
    Taken,
}

impl Told {
    /// A write was refused, by an engine that takes none.
    pub(super) fn refused(&mut self, now: Instant) -> Option<News> {
        let is_known = self.refused_at.replace(now).is_some();
        (!is_known).then_some(News::Refused)
    }

    /// One was taken.
    pub(super) fn taken(&mut self, now: Instant) -> Option<News> {
        let at = self.refused_at?;
        let is_sure = now.saturating_duration_since(at) >= SURE_AFTER;
        is_sure.then(|| {
            self.refused_at = None;
            News::Taken
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_are_refused_are_told_once_though_one_gets_through_now_and_then() {
        let begun = Instant::now();
        let at = |second| begun + Duration::from_secs(second);
        let mut told = Told::default();
        assert_eq!(told.taken(at(0)), None);
        assert_eq!(told.refused(at(1)), Some(News::Refused));
        for second in (2..60).step_by(2) {
            assert_eq!(told.taken(at(second)), None);
            assert_eq!(told.refused(at(second + 1)), None);
        }
        assert_eq!(told.taken(at(88)), None);
        assert_eq!(told.taken(at(89)), Some(News::Taken));
        assert_eq!(told.taken(at(200)), None);
        assert_eq!(told.refused(at(201)), Some(News::Refused));
    }
}
