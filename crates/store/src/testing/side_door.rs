//! The side door: changing an embedded store as somebody would who has its file and not the program.

use std::path::Path;

/// What the engine refused.
#[derive(Debug, thiserror::Error)]
#[error("the store was not changed: {0}")]
pub struct Unchanged(String);

/// Runs one statement on the file of an embedded store; how many rows it changed. Blocks.
pub fn tamper(file: &Path, statement: &str) -> Result<usize, Unchanged> {
    let changed = rusqlite::Connection::open(file).and_then(|door| door.execute(statement, []));
    changed.map_err(|error| Unchanged(error.to_string()))
}
