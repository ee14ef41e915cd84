//! What the machine itself says: processor time, memory, and how long the disk takes to sync.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// Ticks in a second of `/proc/PID/stat`: fixed by Linux for what user space sees.
const TICKS_PER_SECOND: f64 = 100.0;
/// What is written before each sync.
const SYNCED_BYTES: usize = 4_096;

/// Time and processor time of a stretch of work, the database server's included.
pub struct Meter {
    began: Instant,
    cpu: f64,
    database: Option<u32>,
}

/// What a [`Meter`] saw.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// Seconds on the clock.
    pub seconds: f64,
    /// Seconds of processor.
    pub cpu: f64,
}

impl Meter {
    /// Starts now; `database` is the process of the database server, when there is one.
    pub fn start(database: Option<u32>) -> Self {
        let cpu = cpu_seconds(database);
        Self {
            began: Instant::now(),
            cpu,
            database,
        }
    }

    /// What was spent since.
    pub fn spent(&self) -> Spent {
        Spent {
            seconds: self.began.elapsed().as_secs_f64(),
            cpu: cpu_seconds(self.database) - self.cpu,
        }
    }
}

/// Processor time of this process and of the database server with its children.
fn cpu_seconds(database: Option<u32>) -> f64 {
    let own = stat(std::process::id()).map_or(0.0, |stat| stat.ticks);
    let server = database.map_or(0.0, |parent| {
        let root = stat(parent).map_or(0.0, |stat| stat.ticks + stat.ended_children);
        root + children(parent).map(|stat| stat.ticks).sum::<f64>()
    });
    (own + server) / TICKS_PER_SECOND
}

struct Stat {
    parent: u32,
    ticks: f64,
    ended_children: f64,
}

fn stat(process: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; what follows is numbers.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let number = |place: usize| fields.get(place)?.parse::<f64>().ok();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        ticks: number(11)? + number(12)?,
        ended_children: number(13)? + number(14)?,
    })
}

fn children(parent: u32) -> impl Iterator<Item = Stat> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(stat)
        .filter(move |stat| stat.parent == parent)
}

/// Anonymous memory of a process in megabytes (millions of bytes).
pub fn anonymous_megabytes(process: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: f64 = kilobytes
        .context("no RssAnon in the process status")?
        .trim()
        .parse()?;
    Ok(kilobytes * 1_024.0 / 1_000_000.0)
}

/// Writes and syncs a small file again and again, beside whatever else is measured.
pub struct SyncProbe {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Vec<f64>>>,
}

impl SyncProbe {
    /// Starts in `folder`, with a pause between two syncs.
    pub fn start(folder: &Path, pause: Duration) -> Result<Self> {
        let path = folder.join("sync-probe");
        let mut file = File::create(path).context("creating the file of the sync probe")?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut times = Vec::new();
            while !told.load(Ordering::Relaxed) {
                times.push(sync_once(&mut file)?.as_secs_f64() * 1_000.0);
                std::thread::sleep(pause);
            }
            Ok(times)
        });
        Ok(Self { stop, thread })
    }

    /// Stops; the milliseconds of each sync.
    pub fn finish(self) -> Result<Vec<f64>> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread
            .join()
            .map_err(|_| anyhow::anyhow!("the sync probe panicked"))?
    }
}

fn sync_once(file: &mut File) -> Result<Duration> {
    file.seek(SeekFrom::Start(0))?;
    let began = Instant::now();
    file.write_all(&[7; SYNCED_BYTES])?;
    file.sync_data()?;
    Ok(began.elapsed())
}
