//! Starting the shared server, and the watchdog that stops it.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Error as IoError, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use postgres::NoTls;
use rustix::fs::{FlockOperation, flock};

use super::NoPostgres;

/// The oldest PostgreSQL that the store opens.
const MAJOR_MIN: u32 = 15;
/// Time to get ready.
const START_MAX: Duration = Duration::from_mins(1);

/// Durable, as the store demands; sized for many small databases.
const SETTINGS: &str = "listen_addresses = ''
max_connections = 400
shared_buffers = 64MB
fsync = on
synchronous_commit = on
max_wal_size = 1GB
log_min_messages = warning
";

/// Stops the server when nobody has used it for two looks in a row. Nobody can begin to use it meanwhile: that
/// takes the start lock too, which is held no longer than a stop may take: a server that was killed leaves its file of
/// the process behind, and whoever starts the next one waits for this lock.
const WATCHDOG: &str = r#"
cd "$1" || exit 1
idle=0
while :; do
    sleep 3
    if flock -n -x in_use.lock true; then idle=$((idle + 1)); else idle=0; fi
    [ "$idle" -ge 2 ] || continue
    exec 9>start.lock
    if flock -n 9 && flock -n -x in_use.lock true; then
        server=$(head -n 1 data/postmaster.pid)
        kill -INT "$server"
        looks=0
        while [ -e data/postmaster.pid ] && kill -0 "$server" && [ "$looks" -lt 300 ]; do
            looks=$((looks + 1))
            sleep 0.1
        done
        kill -KILL "$server"
        rm -rf data
        exit 0
    fi
    exec 9>&-
    idle=0
done
"#;

/// Where the server listens.
#[derive(Clone, Debug)]
pub(super) struct Address {
    base: PathBuf,
}

impl Address {
    pub(super) fn url(&self, database: &str) -> String {
        let host = self.base.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{host}/{database}")
    }
}

/// The running server, and the lock that keeps it running.
pub(super) fn running() -> Result<(Address, File), NoPostgres> {
    let bin = newest_bin()?;
    let root = rustix::process::geteuid().is_root();
    let uid = rustix::process::geteuid().as_raw();
    let base = std::env::temp_dir().join(format!("quayside-postgres-{uid}"));
    if !base.is_dir() {
        std::fs::create_dir_all(&base).map_err(failed("making a directory"))?;
    }
    let starting = lock(&base.join("start.lock"), FlockOperation::LockExclusive)?;
    let in_use = lock(&base.join("in_use.lock"), FlockOperation::LockShared)?;
    let address = Address { base };
    if administer(&address, &[]).is_err() {
        start(&address.base, &bin, root)?;
        wait_until_ready(&address)?;
    }
    drop(starting);
    Ok((address, in_use))
}

fn lock(path: &Path, how: FlockOperation) -> Result<File, NoPostgres> {
    let opened = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    let file = opened.map_err(failed("opening a lock file"))?;
    flock(&file, how).map_err(|error| NoPostgres(format!("locking a file: {error}")))?;
    Ok(file)
}

fn failed(doing: &'static str) -> impl Fn(IoError) -> NoPostgres {
    move |error| NoPostgres(format!("{doing}: {error}"))
}

fn start(base: &Path, bin: &Path, root: bool) -> Result<(), NoPostgres> {
    let data = base.join("data");
    if data.exists() {
        std::fs::remove_dir_all(&data).map_err(failed("removing an old cluster"))?;
    }
    if root {
        // initdb and postgres refuse to be root.
        run(Command::new("chown").arg("postgres").arg(base))?;
    }
    let mut initdb = ordinary(root, &bin.join("initdb"));
    initdb.args([
        "--no-sync",
        "--auth=trust",
        "--username=postgres",
        "--encoding=UTF8",
    ]);
    run(initdb.args(["--locale=C", "-D"]).arg(&data))?;
    let settings = data.join("postgresql.conf");
    let written = std::fs::read_to_string(&settings).map_err(failed("reading settings"))?;
    std::fs::write(&settings, written + SETTINGS).map_err(failed("writing settings"))?;
    let log = File::create(base.join("log")).map_err(failed("making a log"))?;
    let mut server = ordinary(root, &bin.join("postgres"));
    detached(server.arg("-D").arg(&data).arg("-k").arg(base).stderr(log))?;
    let mut watchdog = Command::new("setsid");
    detached(
        watchdog
            .args(["sh", "-c", WATCHDOG, "watchdog"])
            .arg(base)
            .stderr(Stdio::null()),
    )
}

/// The program as an ordinary user.
fn ordinary(root: bool, program: &Path) -> Command {
    if !root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

fn run(command: &mut Command) -> Result<(), NoPostgres> {
    let done = command.current_dir("/").stdin(Stdio::null()).output();
    let done = done.map_err(|error| NoPostgres(format!("{command:?}: {error}")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(NoPostgres(format!("{command:?}: {said}")))
}

/// Lets it run on after this process: in a process group of its own, holding none of its streams.
fn detached(command: &mut Command) -> Result<(), NoPostgres> {
    use std::os::unix::process::CommandExt;
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0);
    let started = command.spawn();
    started
        .map(|_| ())
        .map_err(|error| NoPostgres(format!("{command:?}: {error}")))
}

fn wait_until_ready(address: &Address) -> Result<(), NoPostgres> {
    let began = Instant::now();
    loop {
        match administer(address, &[]) {
            Ok(()) => return Ok(()),
            Err(error) if began.elapsed() > START_MAX => {
                let mut log = String::new();
                let opened = File::open(address.base.join("log"));
                let _ = opened.and_then(|mut file| file.read_to_string(&mut log));
                return Err(NoPostgres(format!("{error}\n{log}")));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Statements in the administrative database.
pub(super) fn administer(address: &Address, statements: &[&str]) -> Result<(), NoPostgres> {
    administer_in(address, "postgres", statements)
}

/// Statements in a database, each by itself.
pub(super) fn administer_in(
    address: &Address,
    database: &str,
    statements: &[&str],
) -> Result<(), NoPostgres> {
    let url = address.url(database);
    // On a thread of its own: the driver may not be used where async code runs.
    std::thread::scope(|scope| {
        let worked = scope.spawn(|| {
            let mut client = postgres::Client::connect(&url, NoTls)?;
            statements
                .iter()
                .try_for_each(|statement| client.batch_execute(statement))
        });
        match worked.join() {
            Ok(done) => done.map_err(|error: postgres::Error| {
                let said = error.as_db_error().map(|said| said.message().to_owned());
                NoPostgres(said.unwrap_or_else(|| error.to_string()))
            }),
            Err(_) => Err(NoPostgres("the driver panicked".into())),
        }
    })
}

/// Where the newest PostgreSQL keeps its programs.
fn newest_bin() -> Result<PathBuf, NoPostgres> {
    let installed = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<(u32, PathBuf)> = installed
        .filter_map(|entry| {
            let major = entry.file_name().to_str()?.parse().ok()?;
            Some((major, entry.path().join("bin")))
        })
        .filter(|(major, bin)| *major >= MAJOR_MIN && bin.join("initdb").is_file())
        .collect();
    found.sort();
    let newest = found.pop().map(|(_, bin)| bin).or_else(on_path);
    newest.ok_or_else(|| NoPostgres("none was found".into()))
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let bin = std::env::split_paths(&path).find(|bin| bin.join("initdb").is_file())?;
    let version = Command::new(bin.join("postgres"))
        .arg(OsStr::new("--version"))
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&version.stdout).into_owned();
    let number = said
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let major: u32 = number?.split(['.', 'b', 'r', 'd']).next()?.parse().ok()?;
    (major >= MAJOR_MIN).then_some(bin)
}
