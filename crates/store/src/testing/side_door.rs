//! The side door: changing an embedded store as somebody would who has its file and not the program.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
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

/// Overwrites the first page of a table in the file of an embedded store that nobody has open: what says which tables there
/// are stays whole, so that only who looks at every page, or into this table, finds it. Blocks.
pub fn scratch_table(file: &Path, table: &str) -> Result<(), Unchanged> {
    let refused = |error: &dyn std::fmt::Display| Unchanged(error.to_string());
    let (page, bytes) = rusqlite::Connection::open(file)
        .and_then(|door| {
            door.query_row(
                "select rootpage - 1, page_size from sqlite_master, pragma_page_size where name = ?1",
                [table],
                |row| Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?)),
            )
        })
        .map_err(|error| refused(&error))?;
    let written = OpenOptions::new()
        .write(true)
        .open(file)
        .and_then(|file| file.write_all_at(&[0xff; 64], u64::from(page) * u64::from(bytes)));
    written.map_err(|error| refused(&error))
}
