//! Where a measurement runs: a fresh database of either engine for each round.
//!
//! PostgreSQL is a real server with its own defaults (15 or later, fsync on), made by `initdb` in a folder of
//! its own and reached over a private socket. It refuses to run as root, so root runs it as `postgres`.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use postgres::{Client, NoTls};
use store::Database;
use tempfile::TempDir;

use crate::Common;
use crate::ceiling::on_a_thread;

/// Pause before each measurement, so that one does not pay for the write-back of another.
const SETTLE: Duration = Duration::from_millis(1_500);

/// The folder of this run, and its PostgreSQL server when one is asked for.
pub struct Grounds {
    /// How often each measurement is repeated.
    pub rounds: u32,
    engines: Vec<Engine>,
    server: Option<Server>,
    made: Cell<u32>,
    folder: TempDir,
}

/// Which database engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// As shown in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// An empty database.
pub struct Ground {
    /// How our store is told of it.
    pub database: Database,
    /// The process of the database server.
    pub server: Option<u32>,
    folder: PathBuf,
}

impl Drop for Ground {
    fn drop(&mut self) {
        // What stays behind goes with the folder of the run.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Ground {
    /// A folder of its own.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Does now what PostgreSQL would do by itself within a minute: without statistics it plans for empty
    /// tables. SQLite needs nothing.
    pub fn analyze(&self) -> Result<()> {
        let Database::Postgres { url } = &self.database else {
            return Ok(());
        };
        // The driver must not be used where async code runs.
        on_a_thread(|| Ok(Client::connect(url, NoTls)?.batch_execute("vacuum analyze")?))
    }
}

impl Grounds {
    /// Makes the folder and starts PostgreSQL when it is asked for.
    pub fn open(common: &Common) -> Result<Self> {
        let folder = TempDir::with_prefix_in("quayside-bench-", &common.folder)?;
        let server = common
            .postgres
            .then(|| Server::start(&common.folder))
            .transpose()?;
        let mut engines = vec![Engine::Sqlite, Engine::Postgres];
        engines.retain(|engine| match engine {
            Engine::Sqlite => !common.only_postgres,
            Engine::Postgres => common.postgres,
        });
        Ok(Self {
            rounds: common.rounds.max(1),
            engines,
            server,
            made: Cell::new(0),
            folder,
        })
    }

    /// The engines to be measured.
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }

    /// A fresh database, once the disk has come to rest.
    pub fn fresh(&self, engine: Engine) -> Result<Ground> {
        let number = self.made.get() + 1;
        self.made.set(number);
        let folder = self.folder.path().join(number.to_string());
        std::fs::create_dir(&folder)?;
        let database = match (engine, &self.server) {
            (Engine::Sqlite, _) => Database::Sqlite {
                path: folder.join("quayside.db"),
            },
            (Engine::Postgres, Some(server)) => Database::Postgres {
                url: server.create(&format!("bench_{number}"))?,
            },
            (Engine::Postgres, None) => anyhow::bail!("PostgreSQL was not asked for"),
        };
        std::thread::sleep(SETTLE);
        let server = self.server.as_ref().filter(|_| engine == Engine::Postgres);
        Ok(Ground {
            database,
            server: server.map(|server| server.process),
            folder,
        })
    }
}

/// A PostgreSQL server of our own.
struct Server {
    process: u32,
    folder: TempDir,
}

impl Server {
    fn start(parent: &Path) -> Result<Self> {
        let folder = TempDir::with_prefix_in("quayside-bench-pg-", parent)?;
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(folder.path()))?;
        }
        let mut server = Self { process: 0, folder };
        let data = server.data();
        run(server
            .tool("initdb")?
            .args([
                "--auth=trust",
                "--username=bench",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ])
            .arg("--pgdata")
            .arg(&data))?;
        let socket = server.folder.path().display().to_string();
        run(server
            .tool("pg_ctl")?
            .args(["start", "--wait", "--silent", "--log"])
            .arg(server.folder.path().join("log"))
            .args(["--options", &format!("-k {socket} -c listen_addresses=''")])
            .arg("--pgdata")
            .arg(&data))?;
        let pid = std::fs::read_to_string(data.join("postmaster.pid"))?;
        server.process = pid.lines().next().unwrap_or_default().trim().parse()?;
        Ok(server)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A program of PostgreSQL, run by a user it accepts.
    fn tool(&self, name: &str) -> Result<Command> {
        let path = find(name)?;
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir(self.folder.path());
        Ok(command)
    }

    /// The folder of the socket stands where a host would, with its slashes escaped.
    fn url(&self, database: &str) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://bench@{socket}/{database}")
    }

    fn create(&self, database: &str) -> Result<String> {
        let mut client = Client::connect(&self.url("postgres"), NoTls)?;
        client.batch_execute(&format!("create database {database}"))?;
        client.batch_execute("checkpoint")?;
        Ok(self.url(database))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.data();
        let stopped = self.tool("pg_ctl").and_then(|mut tool| {
            run(tool
                .args(["stop", "--mode=immediate", "--silent", "--pgdata"])
                .arg(data))
        });
        if let Err(error) = stopped {
            eprintln!("PostgreSQL was not stopped: {error:#}");
        }
    }
}

/// On the path, else where Debian puts each version.
fn find(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut places: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    places.sort();
    places.reverse();
    std::env::split_paths(&path)
        .chain(places)
        .map(|place| place.join(name))
        .find(|program| program.exists())
        .with_context(|| format!("{name} is not installed; install PostgreSQL 15 or later"))
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("running {}", command.get_program().display()))?;
    ensure!(
        status.success(),
        "{} failed: {status}",
        command.get_program().display()
    );
    Ok(())
}
