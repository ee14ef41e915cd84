//! An open database: its threads, its queues and its two doors, write and read.
//!
//! Connections are owned by threads and use cases travel to them, for both engines; so store code is plain
//! synchronous functions, and nothing can wait for the network inside a transaction. The exception is reading
//! SQLite: a hop to another thread costs more than the read, so reads run where they are asked, on a
//! `query_only` connection that is taken for the time of one snapshot.

use std::any::Any;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use domain::ids::AccountId;
use jiff::Timestamp;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::group::Writer;
use super::job::Job;
use super::lane::Lane;
use super::line::Line;
use super::postgres::Connector;
use super::queue::Queue;
use super::readers::Readers;
use super::reading_lane::ReadingLane;
use super::sqlite::Connection;
use super::start::{self, FileLock};
use super::sync::{self, Synced};
use super::tx::Engine;
use super::{Database, Key, OpenError, Settings, Tx, backup, checkpoint, statistics, walk};
use crate::Error;

/// The share of the queue that reads have.
pub(super) const READS: usize = 3;

/// An open database. Clones share it; the last one closes it, after what is queued is done.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
    around: Option<Arc<dyn Around>>,
}

/// What stands around each use case of a [`Store::around`], in the use case's own transaction. Like a use
/// case it may run twice.
pub trait Around: std::fmt::Debug + Send + Sync {
    /// Runs first; an error keeps the use case from running.
    fn before(&self, tx: &mut Tx) -> Result<(), Error>;

    /// Runs last, when the use case succeeded, with what it answered.
    fn after(&self, tx: &mut Tx, answered: &dyn Any) -> Result<(), Error>;
}

#[derive(Debug)]
struct Inner {
    engine: Running,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Given back last.
    _lock: Held,
}

/// What keeps others from the file.
#[derive(Debug)]
#[expect(dead_code, reason = "held, never read")]
enum Held {
    Nothing,
    /// The file is ours.
    Alone(FileLock),
    /// Somebody else may have it; it is not put aside under us.
    Shared(File),
}

enum Running {
    Sqlite {
        writer: Arc<Queue<Job>>,
        readers: Readers,
        /// `None`: another process writes.
        synced: Option<Synced>,
    },
    Postgres {
        lanes: Vec<Arc<Queue<Job>>>,
        reads: Arc<Queue<Job>>,
        /// Ends the thread of the statistics when it is dropped.
        statistics: Option<Sender<()>>,
    },
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite { .. } => "Sqlite",
            Self::Postgres { .. } => "Postgres",
        })
    }
}

impl Store {
    /// Opens, checks and migrates the database. Blocks.
    pub fn open(settings: &Settings) -> Result<Self, OpenError> {
        match &settings.database {
            Database::Sqlite { path } => open_sqlite(path.clone(), settings),
            Database::Postgres { url } => apart(|| open_postgres(url, settings)),
        }
    }

    /// A shared database as it is, whatever its schema, to read from. Nothing is brought up to date. Blocks.
    pub fn look_at(url: &str) -> Result<Self, OpenError> {
        let settings = Settings {
            lanes: 1,
            reading_threads: 1,
            ..Settings::new(Database::Postgres { url: url.into() })
        };
        apart(|| run_postgres(Connector::new(url, settings.patience)?, &settings))
    }

    /// Whether the user of this database may change its schema, as the next start would. Nothing is changed. Blocks.
    pub fn may_migrate(url: &str) -> Result<(), OpenError> {
        apart(|| {
            let connector = Connector::new(url, 1)?;
            let bare = connector.bare();
            let mut client = bare.map_err(|error| OpenError::Unreachable(error.to_string()))?;
            start::may_migrate(&mut client)
        })
    }

    /// An embedded store beside the service that may have it open, to read from. Nothing is made, locked or migrated;
    /// writes are refused.
    pub fn beside(path: &Path) -> Result<Self, backup::BackupError> {
        let shared = backup::share(path)?;
        let closed = Arc::new(Queue::new(0));
        closed.close();
        let engine = Running::Sqlite {
            writer: closed,
            readers: Readers::beside(path.to_owned()),
            synced: None,
        };
        Ok(Self::running(engine, Vec::new(), Held::Shared(shared)))
    }

    /// The same database, with this around every use case that is written through it.
    #[must_use]
    pub fn around(&self, around: Arc<dyn Around>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            around: Some(around),
        }
    }

    /// Whether other nodes may use the same database.
    pub fn is_shared(&self) -> bool {
        matches!(self.inner.engine, Running::Postgres { .. })
    }

    /// How much of its disk is free, in percent; `None` where the disk is the server's, or does not say.
    pub fn free_percent(&self) -> Option<u64> {
        match &self.inner.engine {
            Running::Sqlite { readers, .. } => crate::disk::free_percent(readers.folder()?).ok(),
            Running::Postgres { .. } => None,
        }
    }

    /// What the clock of a shared database shows, in whole microseconds; `None` where nobody else uses the database.
    /// It was so at some moment between the question and the answer, which may have waited behind other reads.
    pub async fn time(&self) -> Result<Option<Timestamp>, Error> {
        if !self.is_shared() {
            return Ok(None);
        }
        // Not `now()`, which stands still within a transaction.
        self.glance(|tx| {
            tx.query_one("select clock_timestamp() as shown", &[], |row| {
                row.get("shown")
            })
        })
        .await
    }

    /// Runs a use case in a transaction and answers after its commit is durable.
    ///
    /// The use case may run twice, and it is committed even when the caller has gone.
    pub async fn write<T, E, F>(&self, key: Key, mut use_case: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        let Some(around) = self.around.clone() else {
            return self.queue(key, use_case).await;
        };
        let surrounded = move |tx: &mut Tx| {
            around.before(tx)?;
            let answered = use_case(tx)?;
            around.after(tx, &answered)?;
            Ok(answered)
        };
        self.queue(key, surrounded).await
    }

    async fn queue<T, E, F>(&self, key: Key, use_case: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        let queue = match &self.inner.engine {
            Running::Sqlite { writer, .. } => writer,
            Running::Postgres { lanes, .. } => lanes
                .get(key.lane(lanes.len()))
                .ok_or_else(|| Error::Unavailable("no lane".into()))?,
        };
        let share = key.share();
        let (job, answer) = Job::new(key, use_case);
        queue.push(share, job)?;
        wait_for(answer).await
    }

    /// Runs a query on one snapshot; writes are refused. Answers when all that it may have seen is durable.
    pub async fn read<T, E, F>(&self, query: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        self.run_read(false, query).await
    }

    /// As [`read`](Self::read), for a query that is one statement most of the time: cheaper where a snapshot
    /// costs round trips. One that asks twice all the same is run again on a snapshot.
    pub async fn glance<T, E, F>(&self, query: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        self.run_read(true, query).await
    }

    async fn run_read<T, E, F>(&self, glance: bool, query: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        match &self.inner.engine {
            Running::Sqlite {
                readers, synced, ..
            } => {
                let answer = readers.read(query);
                if let Some(synced) = synced {
                    synced.wait().await;
                }
                answer
            }
            Running::Postgres { reads, .. } => {
                let (mut job, answer) = Job::new(Key::account(AccountId(Uuid::nil())), query);
                job.glance = glance;
                reads.push(READS, job)?;
                wait_for(answer).await
            }
        }
    }
}

async fn wait_for<T, E: From<Error>>(answer: oneshot::Receiver<Result<T, E>>) -> Result<T, E> {
    let gone = || Err(Error::Unavailable("the store's thread has ended".into()).into());
    answer.await.unwrap_or_else(|_| gone())
}

fn open_sqlite(path: PathBuf, settings: &Settings) -> Result<Store, OpenError> {
    let unreachable = |error: Error| OpenError::Unreachable(error.to_string());
    start::check_sqlite()?;
    let mut lock = start::lock_file(&path)?;
    match backup::finish(&path) {
        Ok(None) => {}
        Ok(Some(aside)) => {
            let aside = aside.display();
            tracing::warn!(%aside, "a restore that was interrupted is finished; the store from before was set aside");
        }
        Err(error) => return Err(OpenError::Unreachable(error.to_string())),
    }
    start::have_file(&path, settings.begin)?;
    lock.keep();
    let (log, calls) = checkpoint::ends(checkpoint::LENGTHS);
    let mut writer = Connection::writer(&path, Some(log)).map_err(unreachable)?;
    start::migrate_sqlite(writer.raw(), settings.migrate)?;
    let checkpointer = Connection::writer(&path, None).map_err(unreachable)?;
    let queue = Arc::new(Queue::new(settings.waiting_max));
    writer.sync_elsewhere().map_err(unreachable)?;
    let mut tx = Tx::over(Engine::Sqlite(Box::new(writer)), false);
    // What a cut of the power takes of it is walked again.
    walk::work_off(&mut tx, settings.migrate)?;
    let sync = sync::of_log(&path).map_err(|error| {
        OpenError::Unreachable(format!("the log of {}: {error}", path.display()))
    })?;
    let (committed, syncing, synced) = sync::ends(sync);
    let writer = Writer::new(tx, Arc::clone(&queue), committed);
    let threads = vec![
        spawn("store-writer", move || writer.serve())?,
        spawn("store-sync", move || syncing.serve())?,
        spawn("store-checkpoint", move || {
            checkpoint::serve(checkpointer, &calls);
        })?,
    ];
    let engine = Running::Sqlite {
        writer: queue,
        readers: Readers::new(path),
        synced: Some(synced),
    };
    Ok(Store::running(engine, threads, Held::Alone(lock)))
}

/// On a thread of its own: the driver must not be used where async code runs.
fn apart<T: Send>(open: impl FnOnce() -> Result<T, OpenError> + Send) -> Result<T, OpenError> {
    std::thread::scope(|scope| {
        let opened = scope.spawn(open).join();
        opened.unwrap_or_else(|_| Err(OpenError::Unreachable("opening panicked".into())))
    })
}

fn open_postgres(url: &str, settings: &Settings) -> Result<Store, OpenError> {
    let connector = Connector::new(url, settings.patience)?;
    start::migrate_postgres(&connector, settings.migrate)?;
    run_postgres(connector, settings)
}

fn run_postgres(connector: Connector, settings: &Settings) -> Result<Store, OpenError> {
    let mut threads = Vec::new();
    let mut lanes = Vec::new();
    for number in 0..settings.lanes.max(1) {
        let queue = Arc::new(Queue::new(settings.waiting_max));
        let lane = Lane {
            shard: i64::try_from(number).unwrap_or(0),
            line: Line::new(connector.clone(), false),
            queue: Arc::clone(&queue),
        };
        threads.push(spawn(&format!("store-lane-{number}"), move || {
            lane.serve();
        })?);
        lanes.push(queue);
    }
    let reads = Arc::new(Queue::new(settings.waiting_max));
    let connected = Arc::new(AtomicUsize::new(0));
    for number in 0..settings.reading_threads.max(1) {
        let line = Line::new(connector.clone(), true);
        let lane = ReadingLane::new(line, Arc::clone(&reads), Arc::clone(&connected));
        threads.push(spawn(&format!("store-read-{number}"), move || {
            lane.serve();
        })?);
    }
    let (statistics, closed) = mpsc::channel();
    threads.push(spawn("store-statistics", move || {
        statistics::serve(&connector, &closed);
    })?);
    let engine = Running::Postgres {
        lanes,
        reads,
        statistics: Some(statistics),
    };
    Ok(Store::running(engine, threads, Held::Nothing))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, OpenError> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(work)
        .map_err(|error| OpenError::Unreachable(format!("starting a thread: {error}")))
}

impl Store {
    fn running(engine: Running, threads: Vec<JoinHandle<()>>, lock: Held) -> Self {
        Self {
            inner: Arc::new(Inner {
                engine,
                threads: Mutex::new(threads),
                _lock: lock,
            }),
            around: None,
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        match &mut self.engine {
            Running::Sqlite { writer, .. } => writer.close(),
            Running::Postgres {
                lanes,
                reads,
                statistics,
            } => {
                for lane in lanes {
                    lane.close();
                }
                reads.close();
                *statistics = None;
            }
        }
        let threads = self
            .threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        // A use case may hold the last clone: its thread can wait neither for itself nor for those that end when it has ended.
        let here = std::thread::current().id();
        if threads.iter().any(|thread| thread.thread().id() == here) {
            return;
        }
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}
