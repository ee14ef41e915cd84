//! The log: lines on standard error that hold up nobody.
//!
//! Standard error may be a file on a full disk, or a pipe whose reader has gone or reads no more. Whoever has something to log
//! must neither wait for that nor fail by it: lines go to a thread of their own, over a bounded line, and are dropped when
//! they cannot be written in time. What a service does is worth more than what it says about it.

mod cut;
mod flood;

use std::fmt::Arguments;
use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc;
use std::time::Duration;

use cut::Cut;
use flood::Flood;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::FilterExt as _;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

/// Lines that wait to be written; what comes beyond them is dropped.
const WAITING_MAX: usize = 4_096;
/// How long a line that is no part of the log may take.
const SAID_WITHIN: Duration = Duration::from_secs(1);

/// Readable lines on a terminal, one JSON object a line elsewhere; always on standard error. What waits is written, for a
/// moment at most, when the guard is dropped.
pub fn begin(filter: &str) -> WorkerGuard {
    let (lines, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING_MAX)
        .thread_name("log")
        .finish(std::io::stderr());
    // The settings were judged, so this filter is a good one.
    let wanted = EnvFilter::new(filter).and(Flood::new(lines.clone()));
    let on_terminal = std::io::stderr().is_terminal();
    let written = fmt::layer()
        .with_ansi(on_terminal)
        .with_writer(Cut::new(lines, !on_terminal));
    let written = if on_terminal {
        written.with_filter(wanted).boxed()
    } else {
        written.json().with_filter(wanted).boxed()
    };
    tracing_subscriber::registry().with(written).init();
    guard
}

/// A line for the operator that is no part of the log. Nobody fails, or waits for long, because it cannot be written.
pub fn say(line: Arguments<'_>) {
    let line = line.to_string();
    let (told, hear) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let _ = writeln!(std::io::stderr(), "{line}");
        let _ = told.send(());
    });
    let _ = hear.recv_timeout(SAID_WITHIN);
}
