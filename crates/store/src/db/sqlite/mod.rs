//! SQLite: one connection.

mod deadline;
mod failure;

pub(super) use failure::{end_process, was_full};

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::types::ToSqlOutput;
use rusqlite::{CachedStatement, OpenFlags, Statement, ToSql};

use deadline::Deadline;
use domain::moment::Spelled;

use super::checkpoint::Log;
use super::row::{Columns, Row};
use super::text::parameter_number;
use super::value::Value;
use crate::Error;

/// Time for one use case; SQLite has no limit of its own.
const USE_CASE_MAX: Duration = Duration::from_secs(10);
/// Steps of SQLite's machine between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 100_000;
/// Prepared statements kept.
const STATEMENTS_MAX: usize = 512;
/// Page cache of the writer. It is the largest part of what the process holds under load: 64 MiB left no room for the
/// rest in 128 MB. A page and its head take ten kibibytes of the allocator, so that 25 MiB are held for these 20. What is
/// missed here is still in the kernel's.
const WRITER_CACHE_KIB: i64 = 20_480;
/// Page cache of each reader.
const READER_CACHE_KIB: i64 = 4_096;

/// What a checkpoint has come to, in pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checkpointed {
    /// Length of the log when it began.
    pub(super) log: usize,
    /// How much of it is in the file.
    pub(super) moved: usize,
}

/// A connection to the file.
pub(crate) struct Connection {
    raw: rusqlite::Connection,
    deadline: Deadline,
    shapes: Shapes,
}

/// What is asked of the engine once for each statement.
struct Shape {
    /// The written numbers of its parameters, in the engine's order.
    numbers: Box<[usize]>,
    /// The names of its columns.
    columns: Box<[Box<str>]>,
}

/// Shapes by the length of their texts: a text of some kilobytes is sooner compared with the few of its length than
/// taken a digest of.
#[derive(Default)]
struct Shapes {
    by_length: HashMap<usize, Vec<Known>>,
    count: usize,
}

/// A statement's text, and its shape.
type Known = (Box<str>, Arc<Shape>);

impl Shapes {
    fn find(&self, sql: &str) -> Option<Arc<Shape>> {
        let of_length = self.by_length.get(&sql.len())?;
        let found = of_length.iter().find(|(text, _)| **text == *sql);
        found.map(|(_, shape)| Arc::clone(shape))
    }

    fn keep(&mut self, sql: &str, shape: &Arc<Shape>) {
        if self.count >= STATEMENTS_MAX {
            *self = Self::default();
        }
        let of_length = self.by_length.entry(sql.len()).or_default();
        of_length.push((sql.into(), Arc::clone(shape)));
        self.count += 1;
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sqlite::Connection")
    }
}

impl Connection {
    /// A connection that may write. With a log it is the one that does; the log is told of each commit.
    pub(super) fn writer(path: &Path, log: Option<Log>) -> Result<Self, Error> {
        let mut raw = rusqlite::Connection::open(path)?;
        // The page size of an existing file stays what it is; a new file gets eight kibibytes.
        raw.execute_batch(&format!(
            "pragma page_size = 8192;
             pragma journal_mode = wal;
             pragma synchronous = full;
             pragma wal_autocheckpoint = 0;
             pragma journal_size_limit = 134217728;
             pragma cache_size = -{WRITER_CACHE_KIB};"
        ))?;
        if let Some(mut log) = log {
            raw.wal_hook(Some(move |wal: &mut Wal, pages| {
                log.committed(wal, usize::try_from(pages).unwrap_or_default());
                Ok(())
            }))?;
        }
        Self::set_up(raw)
    }

    /// A connection that only reads.
    pub(super) fn reader(path: &Path) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let raw = rusqlite::Connection::open_with_flags(path, flags)?;
        raw.execute_batch(&format!(
            "pragma query_only = on;
             pragma wal_autocheckpoint = 0;
             pragma cache_size = -{READER_CACHE_KIB};"
        ))?;
        Self::set_up(raw)
    }

    /// From now on a commit does not wait for the disk; whoever writes with it [syncs the log](super::sync).
    pub(super) fn sync_elsewhere(&self) -> Result<(), Error> {
        self.raw.execute_batch("pragma synchronous = normal")?;
        Ok(())
    }

    /// Leaves the log as it is when it goes as the last one.
    pub(super) fn leave_log(&self) -> Result<(), Error> {
        let stays = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        self.raw.set_db_config(stays, true)?;
        Ok(())
    }

    fn set_up(mut raw: rusqlite::Connection) -> Result<Self, Error> {
        raw.busy_timeout(Duration::from_secs(5))?;
        // A plan depends on the statement alone. Otherwise every new value of a parameter that might decide about a
        // partial index has the statement compiled again.
        raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        raw.execute_batch(
            "pragma foreign_keys = on; pragma trusted_schema = off; pragma temp_store = memory;",
        )?;
        raw.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        let deadline = Deadline::new();
        let watched = deadline.clone();
        raw.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || watched.passed()))?;
        Ok(Self {
            raw,
            deadline,
            shapes: Shapes::default(),
        })
    }

    pub(super) fn raw(&mut self) -> &mut rusqlite::Connection {
        &mut self.raw
    }

    /// One of the words that begin, divide and end transactions.
    pub(super) fn word(&mut self, word: &str) -> Result<(), Error> {
        self.raw.prepare_cached(word)?.raw_execute()?;
        Ok(())
    }

    /// Moves what is in the log into the file, waiting for nobody.
    pub(super) fn checkpoint(&mut self) -> Result<Checkpointed, Error> {
        let pages = |row: &rusqlite::Row<'_>, column| {
            // Below zero: somebody else is at it.
            let pages: i64 = row.get(column)?;
            Ok::<_, rusqlite::Error>(usize::try_from(pages).unwrap_or_default())
        };
        let done = self
            .raw
            .query_row("pragma wal_checkpoint(passive)", [], |row| {
                let (log, moved) = (pages(row, "log")?, pages(row, "checkpointed")?);
                Ok(Checkpointed { log, moved })
            })?;
        Ok(done)
    }

    /// Moves the log as far as nobody reads in it; an error where there is no room for that, or somebody else is at it.
    pub(super) fn move_log(&mut self) -> Result<(), Error> {
        let pragma = "pragma wal_checkpoint(passive)";
        let is_busy: bool = self.raw.query_row(pragma, [], |row| row.get("busy"))?;
        if is_busy {
            return Err(Error::Unavailable("the log is being moved".into()));
        }
        Ok(())
    }

    /// Gives the use case that runs next its whole time.
    pub(super) fn start_clock(&self) {
        self.deadline.set(USE_CASE_MAX);
    }

    /// Lets a transaction's own words (COMMIT, ROLLBACK) take as long as they take.
    pub(super) fn stop_clock(&self) {
        self.deadline.clear();
    }

    /// Whether the engine ended the transaction itself (disk full).
    pub(super) fn lost_transaction(&self) -> bool {
        self.raw.is_autocommit()
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, Error> {
        let (mut statement, _) = self.prepare(sql, values)?;
        Ok(statement.raw_execute()? as u64)
    }

    pub(super) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let (mut statement, shape) = self.prepare(sql, values)?;
        let columns = Columns {
            names: &shape.columns,
            next: Cell::new(0),
        };
        let mut rows = statement.raw_query();
        let mut taken = Vec::new();
        while let Some(row) = rows.next()? {
            taken.push(read(&Row::Sqlite(row, &columns))?);
        }
        Ok(taken)
    }

    /// SQLite numbers `$2` before `$1` when it stands first; here the written number counts, as on PostgreSQL.
    /// It finds the name of a parameter by going through all of them, so they are asked for once.
    fn prepare(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
    ) -> Result<(CachedStatement<'_>, Arc<Shape>), Error> {
        let mut statement = self.raw.prepare_cached(sql)?;
        let shape = if let Some(known) = self.shapes.find(sql) {
            known
        } else {
            let shape = Arc::new(Shape::of(&statement)?);
            self.shapes.keep(sql, &shape);
            shape
        };
        if shape.numbers.len() != values.len() {
            let (count, given) = (shape.numbers.len(), values.len());
            return Err(Error::Refused(format!(
                "{count} parameters, {given} values: {sql}"
            )));
        }
        for (index, number) in shape.numbers.iter().enumerate() {
            let value = values.get(*number - 1);
            let value = value.ok_or_else(|| Error::Refused(format!("parameters of {sql}")))?;
            value.check()?;
            statement.raw_bind_parameter(index + 1, value)?;
        }
        Ok((statement, shape))
    }
}

impl Shape {
    fn of(statement: &Statement<'_>) -> Result<Self, Error> {
        let columns = statement.column_names();
        let columns: Box<[Box<str>]> = columns.into_iter().map(Into::into).collect();
        debug_assert!(
            columns.iter().collect::<BTreeSet<_>>().len() == columns.len(),
            "of two columns of one name either may be read: {columns:?}"
        );
        Ok(Self {
            numbers: numbers(statement)?,
            columns,
        })
    }
}

/// The written numbers, from 1, of the parameters in the engine's order.
fn numbers(statement: &Statement<'_>) -> Result<Box<[usize]>, Error> {
    (1..=statement.parameter_count())
        .map(|index| {
            let name = statement.parameter_name(index);
            let number = name.and_then(parameter_number).filter(|number| *number > 0);
            number.ok_or_else(|| Error::Refused("a parameter without a number".into()))
        })
        .collect()
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        use rusqlite::types::{Value as Owned, ValueRef};
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Owned::Null),
            Self::Bool(value) => ToSqlOutput::Owned(Owned::Integer(i64::from(*value))),
            Self::Int(value) => ToSqlOutput::Owned(Owned::Integer(*value)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Self::Id(id) => ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes())),
            Self::Time(at) => ToSqlOutput::Owned(Owned::Text(
                Spelled::to_microseconds(*at).as_str().to_owned(),
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> (tempfile::TempDir, Connection) {
        let directory = tempfile::tempdir().unwrap();
        let connection = Connection::writer(&directory.path().join("test.db"), None).unwrap();
        (directory, connection)
    }

    fn texts(sql: &str, values: &[Value<'_>]) -> Result<Vec<String>, Error> {
        connection().1.query(sql, values, |row| row.get("found"))
    }

    #[test]
    fn the_written_number_of_a_parameter_counts() {
        let values = [Value::Text("first"), Value::Text("second")];
        let found = texts("select $2 || ' ' || $1 || ' ' || $2 as found", &values);
        assert_eq!(found, Ok(vec!["second first second".into()]));
    }

    #[test]
    fn missing_and_superfluous_values_are_refused() {
        let value = Value::Text("a");
        for (sql, values) in [
            ("select $1 || $2 as found", vec![value]),
            ("select $1 as found", vec![value, value]),
            ("select $1 || $3 as found", vec![value, value]),
        ] {
            assert!(
                matches!(texts(sql, &values), Err(Error::Refused(_))),
                "{sql}"
            );
        }
    }

    #[test]
    fn a_statement_without_end_is_ended() {
        let (_directory, mut connection) = connection();
        connection.deadline.set(Duration::from_millis(50));
        let endless = "with recursive n (i) as (select 1 union all select i + 1 from n)
            select count(*) as found from n";
        let ended = connection.query(endless, &[], |row| row.get::<i64>("found"));
        assert_eq!(ended, Err(Error::TimedOut));
        connection.stop_clock();
        assert!(
            connection
                .execute("create table things (body blob) strict", &[])
                .is_ok()
        );
    }

    #[test]
    fn what_is_promised_about_durability_is_set() {
        let (_directory, mut connection) = connection();
        let mut pragma = |name: &str| -> String {
            let read = |row: &rusqlite::Row<'_>| row.get_ref(0).map(|value| format!("{value:?}"));
            connection
                .raw()
                .query_row(&format!("pragma {name}"), [], read)
                .unwrap()
        };
        assert_eq!(pragma("journal_mode"), "Text([119, 97, 108])", "wal");
        assert_eq!(pragma("synchronous"), "Integer(2)", "full");
        assert_eq!(pragma("page_size"), "Integer(8192)");
        assert_eq!(pragma("foreign_keys"), "Integer(1)");
        assert_eq!(pragma("trusted_schema"), "Integer(0)");
    }

    #[test]
    fn times_are_of_one_width_so_that_text_order_is_time_order() {
        for (given, expected) in [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"),
            (
                "2026-01-02T03:04:05.1234567Z",
                "2026-01-02T03:04:05.123456Z",
            ),
            ("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900000Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"),
            ("9999-12-30T22:00:00.999999Z", "9999-12-30T22:00:00.999999Z"),
        ] {
            let at = given.parse().unwrap();
            assert_eq!(Spelled::to_microseconds(at).as_str(), expected);
            assert!(Value::Time(at).check().is_ok(), "{given}");
        }
        let before = "-000001-12-31T23:59:59Z".parse().unwrap();
        assert!(Value::Time(before).check().is_err(), "it has no such text");
    }
}
