//! A transaction as use cases see it.
//!
//! `Tx` is one type for both engines, without lifetime or type parameter: it owns its connection, so that
//! use cases and everything below them have plain signatures. Where a transaction begins and ends is private
//! to this module's siblings.
//!
//! After a failed statement PostgreSQL refuses everything until the rollback, while SQLite would go on and
//! commit the rest. Both behave like PostgreSQL here: a failed statement poisons the transaction, the next
//! ones answer [`Error::Poisoned`], and the use case fails even if it swallowed the error.

use domain::ids::AccountId;

use super::postgres::Connection as Postgres;
use super::row::Row;
use super::sqlite::Connection as Sqlite;
use super::text::{SET_ROWS_MAX, pieces_up_to, update_of_rows};
use super::value::Value;
use crate::Error;
use crate::afterwards::Afterwards;
use crate::tally::List;

/// A running transaction on either engine.
#[derive(Debug)]
pub struct Tx {
    engine: Engine,
    failure: Option<Error>,
    wrote: bool,
    read_only: bool,
    glance: Glance,
    afterwards: Afterwards,
}

/// Whether a read is one statement, which needs no snapshot begun for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Glance {
    /// There is a snapshot; any number of statements see it.
    Snapshot,
    /// Without one; nothing was asked yet.
    Open,
    /// The one statement was asked.
    Asked,
    /// A second statement was wanted: the read must be run again on a snapshot.
    TooShort,
}

#[derive(Debug)]
pub(super) enum Engine {
    Sqlite(Box<Sqlite>),
    Postgres(Box<Postgres>),
}

impl Tx {
    /// The same transaction, for the rows of one account only.
    pub fn account(&mut self, account: AccountId) -> AccountTx<'_> {
        AccountTx { tx: self, account }
    }

    /// Changes rows; how many.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, Error> {
        self.writing()?;
        let done = match &mut self.engine {
            Engine::Sqlite(connection) => connection.execute(sql, values),
            Engine::Postgres(connection) => connection.execute(sql, values),
        };
        self.remember(done)
    }

    /// Changes rows and reads what they became.
    pub(crate) fn returning<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.writing()?;
        self.run(sql, values, read)
    }

    /// Reads rows and locks them (on PostgreSQL, by a fragment of the text) until the transaction ends.
    pub(crate) fn locking<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let wrote = self.wrote;
        self.writing()?;
        self.wrote = wrote;
        self.run(sql, values, read)
    }

    /// Reads rows.
    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.sound()?;
        self.glanced()?;
        self.run(sql, values, read)
    }

    /// Reads the first row.
    pub(crate) fn query_one<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        Ok(self.query(sql, values, read)?.into_iter().next())
    }

    fn run<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let rows = match &mut self.engine {
            Engine::Sqlite(connection) => connection.query(sql, values, read),
            Engine::Postgres(connection) => connection.query(sql, values, read),
        };
        self.remember(rows)
    }

    fn writing(&mut self) -> Result<(), Error> {
        self.sound()?;
        if self.read_only {
            return self.remember(Err(Error::ReadOnly));
        }
        self.wrote = true;
        Ok(())
    }

    /// Two statements without a snapshot could see two truths.
    fn glanced(&mut self) -> Result<(), Error> {
        match self.glance {
            Glance::Snapshot => Ok(()),
            Glance::Open => {
                self.glance = Glance::Asked;
                Ok(())
            }
            Glance::Asked | Glance::TooShort => {
                self.glance = Glance::TooShort;
                self.remember(Err(Error::Poisoned))
            }
        }
    }

    fn sound(&self) -> Result<(), Error> {
        self.failure
            .as_ref()
            .map_or(Ok(()), |_| Err(Error::Poisoned))
    }

    fn remember<T>(&mut self, done: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &done {
            self.failure = Some(error.clone());
        }
        done
    }
}

/// For the engines, which own where a transaction begins and ends.
impl Tx {
    pub(super) fn over(engine: Engine, read_only: bool) -> Self {
        Self {
            engine,
            failure: None,
            wrote: false,
            read_only,
            glance: Glance::Snapshot,
            afterwards: Afterwards::default(),
        }
    }

    /// Forgets what the last use case did.
    pub(super) fn fresh(&mut self) {
        self.failure = None;
        self.wrote = false;
        self.afterwards.forget();
    }

    /// The next read has no snapshot: it is to be one statement.
    pub(super) fn glance(&mut self) {
        self.glance = Glance::Open;
    }

    /// The next read has a snapshot.
    pub(super) fn snapshot(&mut self) {
        self.glance = Glance::Snapshot;
    }

    /// Whether the last read wanted more than one statement and had no snapshot.
    pub(super) fn too_short(&self) -> bool {
        self.glance == Glance::TooShort
    }

    /// A transaction begins: what an earlier one had yet to write is committed or gone.
    pub(super) fn begin_afterwards(&mut self) {
        self.afterwards = Afterwards::default();
    }

    /// The last use case is to be committed, and what follows from it too.
    pub(super) fn keep_afterwards(&mut self) {
        self.afterwards.keep();
    }

    /// Writes what follows from its use cases, as the last statements of the transaction. `shard` is of this thread alone.
    pub(super) fn write_afterwards(&mut self, shard: i64) -> Result<(), Error> {
        self.fresh();
        let afterwards = std::mem::take(&mut self.afterwards);
        afterwards.write(self, shard)
    }

    /// The failed statement of the last use case.
    pub(super) fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Whether the last use case left something to roll back.
    pub(super) fn stained(&self) -> bool {
        self.wrote || self.failure.is_some()
    }

    pub(super) fn sqlite(&mut self) -> Option<&mut Sqlite> {
        match &mut self.engine {
            Engine::Sqlite(connection) => Some(connection),
            Engine::Postgres(_) => None,
        }
    }

    pub(super) fn postgres(&mut self) -> Option<&mut Postgres> {
        match &mut self.engine {
            Engine::Postgres(connection) => Some(connection),
            Engine::Sqlite(_) => None,
        }
    }
}

/// A transaction on the rows of one account: what takes it cannot forget the tenant.
#[derive(Debug)]
pub struct AccountTx<'a> {
    tx: &'a mut Tx,
    account: AccountId,
}

impl AccountTx<'_> {
    /// The transaction, for shared tables.
    pub fn tx(&mut self) -> &mut Tx {
        self.tx
    }

    /// Whose rows these are.
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// A list of the account has become longer, or shorter.
    pub(crate) fn count(&mut self, list: List, rows: i64) {
        self.tx.afterwards.tally.add(self.account, list, rows);
    }

    /// What the transaction writes at its end.
    pub(crate) fn afterwards(&mut self) -> &mut Afterwards {
        &mut self.tx.afterwards
    }

    /// Writes these columns of rows of the account. The first column is the `id` by which a row is found. Names of
    /// columns come with their types, for PostgreSQL.
    ///
    /// SQLite would copy the values of all rows aside before it writes the first one, and has no round trip to save:
    /// there each row is a statement.
    pub(crate) fn update_rows<const COLUMNS: usize>(
        &mut self,
        table: &str,
        columns: &[(&'static str, &'static str); COLUMNS],
        rows: &[[Value<'_>; COLUMNS]],
    ) -> Result<(), Error> {
        let together = match self.tx.engine {
            Engine::Sqlite(_) => 1,
            Engine::Postgres(_) => SET_ROWS_MAX,
        };
        let mut text = String::new();
        let mut written_for = 0;
        for piece in pieces_up_to(together, rows) {
            if written_for != piece.len() {
                text = update_of_rows(table, columns, piece.len());
                written_for = piece.len();
            }
            self.execute(&text, piece.as_flattened())?;
        }
        Ok(())
    }

    /// Rows that this transaction has added to a list and not yet written down.
    pub(crate) fn uncounted(&self, list: List) -> i64 {
        self.tx.afterwards.tally.pending(self.account, list)
    }

    /// Changes rows of the account, which is `$1`; `values` follow from `$2`.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, Error> {
        let values = self.scoped(values);
        self.tx.execute(sql, &values)
    }

    /// Reads rows of the account, which is `$1`; `values` follow from `$2`.
    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let values = self.scoped(values);
        self.tx.query(sql, &values, read)
    }

    /// Changes rows of the account and reads what they became.
    pub(crate) fn returning<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let values = self.scoped(values);
        self.tx.returning(sql, &values, read)
    }

    /// Reads and locks rows of the account.
    pub(crate) fn locking<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let values = self.scoped(values);
        self.tx.locking(sql, &values, read)
    }

    /// Reads the first row of the account.
    pub(crate) fn query_one<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        Ok(self.query(sql, values, read)?.into_iter().next())
    }

    fn scoped<'v>(&self, values: &[Value<'v>]) -> Vec<Value<'v>> {
        let mut all = Vec::with_capacity(values.len() + 1);
        all.push(Value::from(self.account));
        all.extend_from_slice(values);
        all
    }
}
