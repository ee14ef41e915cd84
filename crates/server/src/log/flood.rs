//! What warns of one thing over and over.
//!
//! A store that is away makes each request and each delivery warn, thousands of times a second: the same line for ever, a disk
//! that fills, and the one line that says why drowned in it. So of each warning and error the first of every ten seconds are
//! written, and then how many were not. Other levels are asked for by whoever wants all of them, and are written.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tracing::callsite::Identifier;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_appender::non_blocking::NonBlocking;
use tracing_subscriber::layer::{Context, Filter};

/// For how long lines of one kind are counted together.
const SPAN: Duration = Duration::from_secs(10);
/// Lines of one kind that are written in that time.
const WRITTEN_MAX: u64 = 50;

/// Lets lines pass until there are too many of a kind.
pub struct Flood {
    /// A kind is a place in the program that logs.
    counts: Mutex<Counts<Identifier>>,
    lines: NonBlocking,
}

/// How many lines of each kind there were of late.
struct Counts<K>(HashMap<K, Count>);

struct Count {
    since: Instant,
    lines: u64,
    target: &'static str,
}

/// Lines of a kind that were not written.
#[derive(Debug, PartialEq, Eq)]
struct LeftOut {
    target: &'static str,
    count: u64,
}

impl Flood {
    /// Says by these lines what was left out.
    pub fn new(lines: NonBlocking) -> Self {
        Self {
            counts: Mutex::new(Counts(HashMap::new())),
            lines,
        }
    }

    fn say(&self, left_out: &LeftOut) {
        let LeftOut { target, count } = left_out;
        let message = "more lines of one kind than are written";
        let line = if std::io::stderr().is_terminal() {
            format!("WARN {target}: {message} left_out={count}")
        } else {
            let at = jiff::Timestamp::now().to_string();
            let fields = json!({"message": message, "left_out": count});
            json!({"timestamp": at, "level": "WARN", "fields": fields, "target": target})
                .to_string()
        };
        // The log is no reason to fail.
        let _ = writeln!(self.lines.clone(), "{line}");
    }
}

impl<K: Eq + Hash> Counts<K> {
    /// Whether this line is written; and what is to be said of lines before it.
    fn passes(&mut self, kind: K, target: &'static str, now: Instant) -> (bool, Vec<LeftOut>) {
        let mut left_out = Vec::new();
        self.0.retain(|_, count| {
            let is_over = now.saturating_duration_since(count.since) >= SPAN;
            left_out.extend(count.left_out().filter(|_| is_over));
            !is_over
        });
        let count = self.0.entry(kind).or_insert(Count {
            since: now,
            lines: 0,
            target,
        });
        count.lines = count.lines.saturating_add(1);
        (count.lines <= WRITTEN_MAX, left_out)
    }
}

impl Count {
    fn left_out(&self) -> Option<LeftOut> {
        let count = self.lines.saturating_sub(WRITTEN_MAX);
        (count > 0).then_some(LeftOut {
            target: self.target,
            count,
        })
    }
}

impl<S: Subscriber> Filter<S> for Flood {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let of = event.metadata();
        if *of.level() > Level::WARN {
            return true;
        }
        let (passes, left_out) = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.passes(of.callsite(), of.target(), Instant::now())
        };
        for lines in &left_out {
            self.say(lines);
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use tracing_appender::non_blocking::NonBlockingBuilder;
    use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

    use super::*;

    #[test]
    fn what_was_left_out_is_told_when_the_span_is_over() {
        let begun = Instant::now();
        let mut counts = Counts(HashMap::new());
        for _ in 0..WRITTEN_MAX {
            assert_eq!(counts.passes("store", "api", begun), (true, vec![]));
        }
        for _ in 0..7 {
            assert_eq!(counts.passes("store", "api", begun), (false, vec![]));
        }
        assert_eq!(counts.passes("other", "api", begun), (true, vec![]));
        // Whoever logs next hears of it, and is counted anew.
        let later = begun + SPAN;
        let told = LeftOut {
            target: "api",
            count: 7,
        };
        assert_eq!(counts.passes("other", "api", later), (true, vec![told]));
        assert_eq!(counts.passes("store", "api", later), (true, vec![]));
    }

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn warnings_are_bounded_and_what_was_asked_for_is_not() {
        let written = Written::default();
        let (lines, guard) = NonBlockingBuilder::default().finish(written.clone());
        let layer = tracing_subscriber::fmt::layer()
            .with_writer(lines.clone())
            .with_filter(Flood::new(lines));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            for _ in 0..200 {
                tracing::error!("the store is away");
                tracing::info!("a line that was asked for");
            }
        });
        drop(guard);
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let of = |words: &str| text.lines().filter(|line| line.contains(words)).count();
        assert_eq!(of("the store is away"), 50);
        assert_eq!(of("a line that was asked for"), 200);
    }
}
