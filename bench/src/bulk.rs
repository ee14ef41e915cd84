//! Files of ten megabytes into a running service: how much more memory it holds at its worst moment than at rest.
//!
//! Each kind of file comes alone to a fresh service, through a watched folder or the door for pushes. Memory is the
//! anonymous memory of the process, looked at until the store says that the message has been read.

mod kinds;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use postgres::NoTls;
use store::Database;

use crate::carrier::PUSH_SECRET;
use crate::ceiling::on_a_thread;
use crate::ground::{Ground, Grounds};
use crate::machine::anonymous_megabytes;
use crate::start::{binary, start};
use kinds::{Kind, kinds};

/// What a file may cost above rest.
const MEGABYTES_MAX: f64 = 64.0;
/// Between two looks at the memory.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Looks at the memory between two at the store.
const LOOKS_PER_QUESTION: u32 = 50;
/// After its start a service comes to rest in this time.
const REST: Duration = Duration::from_secs(3);
/// Longest wait for a file to be worked off.
const PATIENCE: Duration = Duration::from_mins(10);

/// What is brought, and how.
#[derive(Args)]
pub struct Options {
    /// The server; beside this program unless said otherwise.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Size of each file, in megabytes.
    #[arg(long, default_value_t = 10)]
    megabytes: usize,
    /// How it comes.
    #[arg(long, value_enum, default_value_t = Door::Folder)]
    door: Door,
    /// Only kinds whose names begin so.
    #[arg(long, default_value = "")]
    kind: String,
}

/// How a file comes.
#[derive(Clone, Copy, ValueEnum)]
enum Door {
    /// Dropped into a watched folder.
    Folder,
    /// Sent to `/inbound`.
    Push,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let binary = binary(options.binary.as_ref())?;
    let how = match options.door {
        Door::Folder => "in a watched folder",
        Door::Push => "sent to /inbound",
    };
    println!(
        "\nbulk: a file of {} MB {how} (anonymous MB; bar {MEGABYTES_MAX} above rest)",
        options.megabytes
    );
    println!(
        "| engine     | kind         |   rest |  worst | above | seconds | reports | became     |"
    );
    println!(
        "|------------|--------------|--------|--------|-------|---------|---------|------------|"
    );
    for engine in grounds.engines() {
        for kind in kinds(options.megabytes * 1_000_000)? {
            if !kind.name.starts_with(&options.kind) {
                continue;
            }
            let ground = grounds.fresh(*engine)?;
            let taken = take_in(&binary, &ground, &kind, options.door)?;
            println!(
                "| {:<10} | {:<12} | {:>6.1} | {:>6.1} | {:>5.1} | {:>7.1} | {:>7} | {:<10} |",
                engine.name(),
                kind.name,
                taken.rest,
                taken.worst,
                taken.worst - taken.rest,
                taken.seconds,
                taken.became.reports,
                if taken.became.aside {
                    "quarantine"
                } else {
                    "read"
                },
            );
        }
    }
    Ok(())
}

struct Taken {
    rest: f64,
    worst: f64,
    seconds: f64,
    became: Became,
}

/// Brings the file and watches until it is worked off.
fn take_in(binary: &Path, ground: &Ground, kind: &Kind, door: Door) -> Result<Taken> {
    let (sources, spool) = (
        ground.folder().join("sources.d"),
        ground.folder().join("spool"),
    );
    std::fs::create_dir_all(&sources)?;
    std::fs::create_dir_all(&spool)?;
    let profile = format!(
        "id = \"bench\"\n{}\n[drop]\nfolder = \"{}\"\n[inbound]\nproof = \"field\"\nfield = \"X-Key\"\n",
        kind.profile,
        spool.display()
    );
    std::fs::write(sources.join("bench.toml"), profile)?;
    let started = start(binary, ground)?;
    let process = started.running.process();
    std::thread::sleep(REST);
    let rest = anonymous_megabytes(process)?;
    let began = Instant::now();
    let sending = send(door, &spool, started.address, kind.file.clone());
    let (mut worst, mut looks) = (rest, 0);
    let became = loop {
        ensure!(began.elapsed() < PATIENCE, "{} stays unread", kind.name);
        worst = worst.max(anonymous_megabytes(process).context("the server ended")?);
        looks += 1;
        if looks % LOOKS_PER_QUESTION == 0
            && let Some(became) = became(&ground.database)?
        {
            break became;
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let sent = sending.join();
    sent.map_err(|_| anyhow::anyhow!("the sender panicked"))??;
    Ok(Taken {
        rest,
        worst,
        seconds: began.elapsed().as_secs_f64(),
        became,
    })
}

/// Brings the file, on a thread of its own.
fn send(
    door: Door,
    spool: &Path,
    address: SocketAddr,
    file: Vec<u8>,
) -> std::thread::JoinHandle<Result<()>> {
    let spool = spool.to_owned();
    std::thread::spawn(move || match door {
        Door::Folder => {
            let part = spool.join("bulk.part");
            std::fs::write(&part, &file)?;
            Ok(std::fs::rename(part, spool.join("bulk.txt"))?)
        }
        Door::Push => push(address, &file),
    })
}

fn push(address: SocketAddr, file: &[u8]) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "POST /inbound/bench HTTP/1.1\r\nHost: {address}\r\nX-Key: {PUSH_SECRET}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        file.len()
    )?;
    stream.write_all(file)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let line = answer.lines().next().unwrap_or_default();
    ensure!(line.starts_with("HTTP/1.1 202"), "{line}");
    Ok(())
}

/// What became of the message.
struct Became {
    aside: bool,
    reports: i64,
}

/// What became of the only message of a store; none while it waits.
fn became(database: &Database) -> Result<Option<Became>> {
    let text = "select count(*) - (select count(*) from unread_messages), count(quarantined_at),
        (select count(*) from reports) from raw_messages";
    let (read, aside, reports): (i64, i64, i64) = match database {
        Database::Sqlite { path } => {
            rusqlite::Connection::open(path)?
                .query_row(text, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        }
        Database::Postgres { url } => on_a_thread(|| {
            let row = postgres::Client::connect(url, NoTls)?.query_one(text, &[])?;
            Ok((row.get(0), row.get(1), row.get(2)))
        })?,
    };
    let aside = aside > 0;
    Ok((read > 0 || aside).then_some(Became { aside, reports }))
}
