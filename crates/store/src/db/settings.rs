//! Which database, and how it is used.

use std::path::PathBuf;

/// Which database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// The embedded one: a file.
    Sqlite {
        /// The file; made when missing.
        path: PathBuf,
    },
    /// A PostgreSQL server.
    Postgres {
        /// `postgres://user:password@host/database`, or key-value text.
        url: String,
    },
}

/// A reading thread waits for the server most of its time: with two of them a page of a list is read at half the
/// rate of eight.
const READING_THREADS: usize = 8;

/// Writing threads: one for what comes in, one that files it, two for what follows.
const LANES: usize = 4;

/// How a store is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which database.
    pub database: Database,
    /// Writing threads (PostgreSQL only; SQLite has one writer).
    pub lanes: usize,
    /// Reading threads (PostgreSQL only; SQLite reads run where they are asked).
    pub reading_threads: usize,
    /// Whether missing migrations are run; otherwise they refuse the start.
    pub migrate: bool,
    /// Whether a file that is missing is begun; otherwise that refuses the start (SQLite only).
    pub begin: bool,
    /// Use cases waiting at most, of each kind.
    pub waiting_max: usize,
    /// How many times as long as usual a statement may take, and wait for what others hold (PostgreSQL only): for
    /// tests, on machines that stand still.
    pub patience: u32,
}

impl Settings {
    /// A database with everything else at its default.
    pub fn new(database: Database) -> Self {
        Self {
            database,
            lanes: LANES,
            reading_threads: READING_THREADS,
            migrate: true,
            begin: true,
            waiting_max: 1024,
            patience: 1,
        }
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process serves this file.
    #[error("{path} is already served by another process")]
    InUse {
        /// The database file.
        path: PathBuf,
    },
    /// There was a store here, and its file is gone.
    #[error(
        "{path} is gone, and what lay beside it is there still. Is the disk mounted, and was nothing moved? Restore a backup \
         (`quayside restore FILE`), or move {path}.lock and {path}-wal away, and an empty store is begun"
    )]
    Gone {
        /// The database file.
        path: PathBuf,
    },
    /// The file is there and holds nothing.
    #[error(
        "{path} is no store of Quayside: it has 0 bytes. Look at the disk and restore a backup (`quayside restore FILE`), or \
         move it away with {path}.lock, and an empty store is begun"
    )]
    Emptied {
        /// The database file.
        path: PathBuf,
    },
    /// This user may not write the file, or what lies beside it.
    #[error("{path} cannot be written: {reason}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file lies where locks and syncs cannot be trusted.
    #[error("{path} lies on a network file system ({kind}); use a local disk or PostgreSQL")]
    NetworkFileSystem {
        /// The database file.
        path: PathBuf,
        /// What it is.
        kind: String,
    },
    /// The engine is too old.
    #[error("{engine} {found} is too old, {needed} or newer is needed")]
    EngineTooOld {
        /// `SQLite` or `PostgreSQL`.
        engine: &'static str,
        /// What runs.
        found: String,
        /// What is needed.
        needed: &'static str,
    },
    /// The server is set up to lose acknowledged writes.
    #[error("PostgreSQL runs with {setting} = {found}; acknowledged writes could be lost")]
    NotDurable {
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: String,
    },
    /// Migrations are missing and were not allowed.
    #[error(
        "the database is not yet brought to this version's schema (it has {found}, this version {known}); run `quayside migrate`"
    )]
    NotMigrated {
        /// Its newest migration; 0 of an empty database. Ours where only work that follows a migration is left.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// A newer program has brought the database up to its own schema.
    #[error(
        "the database is of a newer version of Quayside (its schema is {found}, this version knows {known}): use that version"
    )]
    Newer {
        /// Its newest migration.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// The user that the database is opened as may not change its schema.
    #[error(
        "the database lacks migrations, and its user {user} may not bring it up to date: {lack}. Run `quayside migrate` with a \
         `database` whose user may, or grant it"
    )]
    MayNotMigrate {
        /// The user.
        user: String,
        /// What it may not do.
        lack: String,
    },
    /// A build that was never released has begun the database, with a migration that was changed before the release.
    #[error(
        "the database cannot be brought up to date: its migration {theirs} is not that of this version, for a build that was \
         never released has begun it. Use that build, or begin an empty database"
    )]
    NotOurMigration {
        /// The migration, as `V32__recalls`.
        theirs: String,
    },
    /// A migration failed; nothing of it was done.
    #[error("the database cannot be brought up to date: {0}")]
    Migration(String),
    /// The file cannot be made or opened, or the server cannot be reached.
    #[error("cannot open the database: {0}")]
    Unreachable(String),
}
