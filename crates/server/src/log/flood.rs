//! What warns of one thing over and over.
//!
//! A store that is away makes each request and each delivery warn, thousands of times a second: the same line for ever, a disk
//! that fills, and the one line that says why drowned in it. So of each warning and error the first of every ten seconds are
//! written, and then how many were not. Of those that say that the store is away the first of every half minute is enough: whoever
//! tries again says nothing new. Other levels are asked for by whoever wants all of them, and are written.

use std::collections::HashMap;
use std::fmt::{Debug, Write as _};
use std::hash::Hash;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_appender::non_blocking::NonBlocking;
use tracing_subscriber::layer::{Context, Filter};

/// With these words begins the error of who needs the store while it is away (`store::Error::Unavailable`).
const AWAY: &str = "the database is unavailable";

/// How many lines of one kind are written, and for how long they are counted together.
#[derive(Clone, Copy)]
struct Bound {
    lines: u64,
    span: Duration,
}

/// Of any kind.
const USUAL: Bound = Bound {
    lines: 50,
    span: Duration::from_secs(10),
};
/// Of a kind that says that the store is away.
const WHILE_AWAY: Bound = Bound {
    lines: 1,
    span: Duration::from_secs(30),
};

/// Lets lines pass until there are too many of a kind.
pub struct Flood {
    /// A kind is a place in the program that logs, and whether it says that the store is away.
    counts: Mutex<Counts<(Identifier, bool)>>,
    lines: NonBlocking,
}

/// How many lines of each kind there were of late.
struct Counts<K>(HashMap<K, Count>);

struct Count {
    since: Instant,
    lines: u64,
    bound: Bound,
    said: Said,
}

/// Lines of a kind that were not written.
#[derive(Debug, PartialEq, Eq)]
struct LeftOut {
    said: Said,
    count: u64,
}

/// Who says what: of the first line of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    target: &'static str,
    message: String,
}

/// What one line says.
#[derive(Default)]
struct Words {
    message: String,
    away: bool,
}

impl Visit for Words {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Without the quotes.
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = String::new();
        // A value that cannot be shown says nothing.
        let _ = write!(text, "{value:?}");
        match field.name() {
            "error" => self.away = text.starts_with(AWAY),
            "message" => self.message = text,
            // Words of others: a carrier may say of its own database what the store says of ours.
            _ => {}
        }
    }
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
        let LeftOut { said, count } = left_out;
        let Said {
            target,
            message: line,
        } = said;
        let message = "more lines of one kind than are written";
        let line = if std::io::stderr().is_terminal() {
            format!("WARN {target}: {message} left_out={count} line={line:?}")
        } else {
            let at = jiff::Timestamp::now().to_string();
            let fields = json!({"message": message, "left_out": count, "line": line});
            json!({"timestamp": at, "level": "WARN", "fields": fields, "target": target})
                .to_string()
        };
        // The log is no reason to fail.
        let _ = writeln!(self.lines.clone(), "{line}");
    }
}

impl<K: Eq + Hash> Counts<K> {
    /// Whether this line is written; and what is to be said of lines before it.
    fn passes(
        &mut self,
        kind: K,
        (bound, said): (Bound, Said),
        now: Instant,
    ) -> (bool, Vec<LeftOut>) {
        let mut left_out = Vec::new();
        self.0.retain(|_, count| {
            let is_over = now.saturating_duration_since(count.since) >= count.bound.span;
            left_out.extend(count.left_out().filter(|_| is_over));
            !is_over
        });
        let count = self.0.entry(kind).or_insert(Count {
            since: now,
            lines: 0,
            bound,
            said,
        });
        count.lines = count.lines.saturating_add(1);
        (count.lines <= count.bound.lines, left_out)
    }
}

impl Count {
    fn left_out(&self) -> Option<LeftOut> {
        let count = self.lines.saturating_sub(self.bound.lines);
        (count > 0).then(|| LeftOut {
            said: self.said.clone(),
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
        let mut words = Words::default();
        event.record(&mut words);
        let bound = if words.away { WHILE_AWAY } else { USUAL };
        let said = Said {
            target: of.target(),
            message: words.message,
        };
        let (passes, left_out) = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.passes((of.callsite(), words.away), (bound, said), Instant::now())
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

    fn said(message: &str) -> Said {
        Said {
            target: "api",
            message: message.into(),
        }
    }

    #[test]
    fn what_was_left_out_is_told_when_the_span_is_over() {
        let begun = Instant::now();
        let mut counts = Counts(HashMap::new());
        for _ in 0..USUAL.lines {
            let passed = counts.passes("store", (USUAL, said("it fails")), begun);
            assert_eq!(passed, (true, vec![]));
        }
        for _ in 0..7 {
            let passed = counts.passes("store", (USUAL, said("it fails")), begun);
            assert_eq!(passed, (false, vec![]));
        }
        let mut other = |now| counts.passes("other", (USUAL, said("so does this")), now);
        assert_eq!(other(begun), (true, vec![]));
        // Whoever logs next hears of it, and is counted anew.
        let later = begun + USUAL.span;
        let told = LeftOut {
            said: said("it fails"),
            count: 7,
        };
        assert_eq!(other(later), (true, vec![told]));
        let passed = counts.passes("store", (USUAL, said("it fails")), later);
        assert_eq!(passed, (true, vec![]));
    }

    #[test]
    fn a_store_that_is_away_is_told_once_in_half_a_minute_with_the_count() {
        let begun = Instant::now();
        let mut counts = Counts(HashMap::new());
        let mut written = Vec::new();
        // Five times a second for a minute and a bit.
        for tenth in (0..620).step_by(2) {
            let now = begun + Duration::from_millis(100) * tenth;
            let (passes, left_out) = counts.passes("claims", (WHILE_AWAY, said("no claim")), now);
            if passes {
                let counts: Vec<u64> = left_out.iter().map(|lines| lines.count).collect();
                written.push((tenth / 10, counts));
            }
        }
        assert_eq!(
            written,
            [(0, vec![]), (30, vec![149]), (60, vec![149])],
            "seconds, and how many were left out before"
        );
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
            let away = store::Error::Unavailable("the disk is full".into());
            for _ in 0..200 {
                tracing::error!("something fails");
                tracing::warn!(reason = %away, "a message is put aside");
                tracing::warn!(error = format!("it says: {away}"), "a file cannot be read");
                tracing::warn!(error = %away, "deliveries cannot be claimed");
                tracing::warn!(error = away.to_string(), "a file cannot be kept");
                tracing::info!("a line that was asked for");
            }
        });
        drop(guard);
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let of = |words: &str| text.lines().filter(|line| line.contains(words)).count();
        assert_eq!(of("something fails"), 50);
        assert_eq!(of("a message is put aside"), 50, "in the words of others");
        assert_eq!(of("a file cannot be read"), 50, "in the words of others");
        assert_eq!(of("deliveries cannot be claimed"), 1);
        assert_eq!(of("a file cannot be kept"), 1);
        assert_eq!(of("a line that was asked for"), 200);
    }
}
