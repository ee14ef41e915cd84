//! PostgreSQL: one connection.
//!
//! The driver runs a runtime of its own and panics when it is connected, used or dropped on a thread of ours
//! that runs async code. So a connection never leaves the thread that made it; what is handed to the thread
//! is a [`Connector`].

use std::cell::Cell;
use std::collections::HashMap;
use std::error::Error as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use super::row::Row;
use super::text::for_postgres;
use super::told::Told;
use super::tx::Engine;
use super::value::Value;
use super::{OpenError, Tx};
use crate::Error;

/// Prepared statements kept.
const STATEMENTS_MAX: usize = 1_024;
/// Time to connect.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// A server whose machine has gone without a word is given up after this: what was sent to it is not confirmed, or what asks
/// whether it is there is not answered. One that stands still is seen by those who wait for it only.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// A connection on which nothing was said for so long is asked, and so often asked again.
const ASKED_EVERY: Duration = Duration::from_secs(10);
/// Questions without an answer until it is given up.
const ASKED_MAX: u32 = 3;
/// How long a statement may take, may wait for what others hold, and a transaction may stand idle: one slow statement
/// holds up its whole group.
const LIMITS: [(&str, Duration); 3] = [
    ("statement_timeout", Duration::from_secs(5)),
    ("lock_timeout", Duration::from_secs(2)),
    (
        "idle_in_transaction_session_timeout",
        Duration::from_secs(15),
    ),
];
/// Every session. Plans: a statement prepared while a table was nearly empty would read the whole table for ever after; every
/// question here has its index. (Without `jit` because the planner makes such plans look dear enough to be compiled.) A plan
/// depends on the statement alone, as on SQLite: to make it anew for the values of a thousand parameters is work for nothing.
/// Rows are looked up one by one, along indexes that have the order that is asked for: with a tenth of a table taken for
/// `limit $1`, all of it would be sorted, merged or hashed for a few rows. Commits that wait for no disk are refused at the
/// start; a role or a database that asks for them later does not get them.
const SESSION: &str = "set time zone 'UTC'; \
    set default_transaction_isolation = 'read committed'; set enable_seqscan = off; set jit = off; \
    set plan_cache_mode = force_generic_plan; \
    set enable_mergejoin = off; set enable_hashjoin = off; set enable_bitmapscan = off; \
    set enable_incremental_sort = off; \
    select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

/// How to connect.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    config: Config,
    /// How many times as long as usual everything may take.
    patience: u32,
    /// Of all who connect by this: they lead to one server.
    pub(super) told: Arc<Mutex<Told>>,
}

impl Connector {
    pub(super) fn new(url: &str, patience: u32) -> Result<Self, OpenError> {
        let mut config: Config = url.parse().map_err(|error: postgres::Error| {
            OpenError::Unreachable(format!("the database's address: {}", told(&error)))
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_MAX);
        }
        // What the address says of these itself counts.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE_MAX);
        }
        if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
            config.keepalives_idle(ASKED_EVERY);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(ASKED_EVERY);
        }
        if config.get_keepalives_retries().is_none() {
            config.keepalives_retries(ASKED_MAX);
        }
        if config.get_application_name().is_none() {
            config.application_name("quayside");
        }
        // "skipping", "truncated": for whoever looks for a reason, not for every start.
        config.notice_callback(|notice| tracing::debug!(%notice, "PostgreSQL"));
        Ok(Self {
            config,
            patience,
            told: Arc::default(),
        })
    }

    /// A connection without our session settings: for checks and migrations.
    pub(super) fn bare(&self) -> Result<Client, Error> {
        // Whatever keeps us out may be mended there, also a password that is asked for all of a sudden.
        let connected = self.config.connect(NoTls);
        connected.map_err(|error| Error::Unavailable(told(&error)))
    }

    pub(super) fn connect(&self, read_only: bool) -> Result<Tx, Error> {
        let mut client = self.bare()?;
        let limits = LIMITS
            .map(|(name, span)| format!("set {name} = {};", (span * self.patience).as_millis()));
        client.batch_execute(&(limits.concat() + SESSION))?;
        let connection = Connection {
            client,
            statements: HashMap::new(),
        };
        Ok(Tx::over(Engine::Postgres(Box::new(connection)), read_only))
    }
}

/// How a COMMIT ended.
pub(super) enum Commit {
    /// It stands.
    Done,
    /// The server says that it does not stand.
    Failed(Error),
    /// No answer.
    Unknown,
}

/// A session.
pub(crate) struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("postgres::Connection")
    }
}

impl Connection {
    pub(super) fn words(&mut self, words: &str) -> Result<(), Error> {
        Ok(self.client.batch_execute(words)?)
    }

    pub(super) fn commit(&mut self) -> Commit {
        let Err(error) = self.client.batch_execute("commit") else {
            return Commit::Done;
        };
        match Error::from(error) {
            Error::Unavailable(_) => Commit::Unknown,
            failed => Commit::Failed(failed),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, Error> {
        let statement = self.prepared(sql, values)?;
        Ok(self.client.execute(&statement, &borrowed(values))?)
    }

    pub(super) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let statement = self.prepared(sql, values)?;
        let rows = self.client.query(&statement, &borrowed(values))?;
        let next = Cell::new(0);
        rows.iter()
            .map(|row| read(&Row::Postgres(row, &next)))
            .collect()
    }

    fn prepared(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Statement, Error> {
        values.iter().try_for_each(Value::check)?;
        let known = self.statements.get(sql).cloned();
        let statement = match known {
            Some(statement) => statement,
            None => self.prepare(sql)?,
        };
        let (count, given) = (statement.params().len(), values.len());
        if count != given {
            return Err(Error::Refused(format!(
                "{count} parameters, {given} values: {sql}"
            )));
        }
        Ok(statement)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        if self.statements.len() >= STATEMENTS_MAX {
            self.statements.clear();
        }
        let statement = self.client.prepare(&for_postgres(sql))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn borrowed<'v>(values: &'v [Value<'v>]) -> Vec<&'v (dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql_checked(ty, out),
            Self::Int(value) => value.to_sql_checked(ty, out),
            Self::Text(text) => text.to_sql_checked(ty, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(ty, out),
            Self::Id(id) => id.to_sql_checked(ty, out),
            Self::Time(at) => at.to_sql_checked(ty, out),
        }
    }

    /// Each value checks its own type above.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl From<postgres::Error> for Error {
    fn from(error: postgres::Error) -> Self {
        let Some(told_by_server) = error.as_db_error() else {
            let broken = error
                .source()
                .is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
            return if error.is_closed() || broken || error.to_string().contains("connect") {
                Self::Unavailable(told(&error))
            } else {
                Self::Refused(told(&error))
            };
        };
        let message = told_by_server.message().to_owned();
        match *told_by_server.code() {
            SqlState::UNIQUE_VIOLATION | SqlState::FOREIGN_KEY_VIOLATION => Self::Conflict {
                constraint: told_by_server.constraint().unwrap_or(&message).to_owned(),
            },
            SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => Self::TimedOut,
            SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE => {
                Self::Contended { tries: 1 }
            }
            // Of the session, which was set so by the server: a new one may write again.
            SqlState::READ_ONLY_SQL_TRANSACTION => Self::Unavailable(message),
            ref code => match code.code().get(..2) {
                // Connection trouble, no resources, operator intervention, system error.
                Some("08" | "53" | "57" | "58" | "28") => Self::Unavailable(message),
                _ => Self::Refused(message),
            },
        }
    }
}

/// The driver's sentence with its cause.
fn told(error: &postgres::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
