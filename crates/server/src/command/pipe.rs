//! Standard output, which its reader may close and a full disk may refuse, and standard error, which nobody has to read.

use std::fmt::Display;
use std::io::{self, Write as _};

use anyhow::{Context as _, Result};

/// Prints a line. That a reader has seen enough is no failure.
pub fn line(text: impl Display) -> Result<()> {
    unless_closed(shown(text))
}

/// Prints a line that has to be read.
pub fn shown(text: impl Display) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    written.context("standard output cannot be written")
}

/// Says something beside the output. That nobody hears it ends nothing.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// As it ended; that a reader has seen enough (`| head`) is no failure.
pub fn unless_closed(done: Result<()>) -> Result<()> {
    match done {
        Err(error) if is_closed(&error) => Ok(()),
        done => done,
    }
}

fn is_closed(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
