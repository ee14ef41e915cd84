//! Standard output that its reader closes.

use std::io;

use anyhow::Result;

/// As it ended; that a reader has seen enough (`| head`) is no failure.
pub fn unless_closed(done: Result<()>) -> Result<()> {
    match done {
        Err(error) if is_closed(&error) => Ok(()),
        done => done,
    }
}

fn is_closed(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
