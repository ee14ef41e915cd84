//! The release binary: time from its start to its first healthy answer, and its memory at rest.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use store::Database;

use crate::carrier::PUSH_SECRET;
use crate::ground::{Ground, Grounds};
use crate::machine::anonymous_megabytes;
use crate::table::median;

/// Longest wait for the first answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The key under which this program's own stores keep theirs ([`crate::service`]): 32 bytes of seven.
const MAIN_KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Which binary.
#[derive(Args)]
pub struct Options {
    /// The server; beside this program unless said otherwise.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Starts of each kind.
    #[arg(long, default_value_t = 5)]
    starts: u32,
    /// Seconds at rest before the memory is read.
    #[arg(long, default_value_t = 60)]
    rest: u64,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let binary = binary(options.binary.as_ref())?;
    println!(
        "\nstart to first healthy answer (ms), anonymous memory after {} s (MB)",
        options.rest
    );
    println!(
        "| {:<10} | empty database | again (median, worst) | memory |",
        ""
    );
    println!("|------------|----------------|-----------------------|--------|");
    for engine in grounds.engines() {
        let ground = grounds.fresh(*engine)?;
        let first = start(&binary, &ground)?.milliseconds;
        let mut again = Vec::new();
        for _ in 0..options.starts {
            again.push(start(&binary, &ground)?.milliseconds);
        }
        let resting = start(&binary, &ground)?.running;
        std::thread::sleep(Duration::from_secs(options.rest));
        println!(
            "| {:<10} | {first:>14.0} | {:>10.0} {:>10.0} | {:>6.1} |",
            engine.name(),
            median(again.iter().copied()),
            again.iter().copied().fold(0.0, f64::max),
            anonymous_megabytes(resting.process())?,
        );
    }
    Ok(())
}

/// A running server; ended when dropped.
pub struct Running(Child);

impl Running {
    /// Its process.
    pub fn process(&self) -> u32 {
        self.0.id()
    }
}

/// The server beside this program, unless another one is named.
pub fn binary(named: Option<&PathBuf>) -> Result<PathBuf> {
    let beside = || Ok::<_, anyhow::Error>(std::env::current_exe()?.with_file_name("quayside"));
    named.cloned().map_or_else(beside, Ok)
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that has answered.
pub struct Started {
    /// The server.
    pub running: Running,
    /// Where it listens.
    pub address: SocketAddr,
    /// From its start to its first healthy answer.
    pub milliseconds: f64,
}

/// Starts it, without limits of rate.
pub fn start(binary: &Path, ground: &Ground) -> Result<Started> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let mut command = Command::new(binary);
    command
        .args(["serve", "--listen", &address, "--data-dir"])
        .arg(ground.folder());
    if let Database::Postgres { url } = &ground.database {
        command.args(["--database", url]);
    }
    command
        .current_dir(ground.folder())
        .env("QUAYSIDE_RATE_LIMITS__DEFAULT", "0")
        .env("QUAYSIDE_RATE_LIMITS__CREATE_TRACKING_REQUEST", "0")
        .env("QUAYSIDE_SOURCES__SECRETS__BENCH__INBOUND", PUSH_SECRET)
        .env("QUAYSIDE_MAIN_KEY", MAIN_KEY)
        .env("QUAYSIDE_EGRESS__ALLOW_HTTP", "true")
        .env("QUAYSIDE_EGRESS__ALLOW_NETWORKS", "127.0.0.0/8")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let began = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("starting {}", binary.display()))?;
    let mut running = Running(child);
    while !is_ready(&address) {
        ensure!(began.elapsed() < PATIENCE, "the server does not answer");
        let ended = running.0.try_wait()?;
        ensure!(ended.is_none(), "the server ended at its start: {ended:?}");
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(Started {
        running,
        address: address.parse()?,
        milliseconds: began.elapsed().as_secs_f64() * 1_000.0,
    })
}

fn is_ready(address: &str) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(
            stream,
            "GET /health/ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok::<_, std::io::Error>(answer)
    };
    ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
}
