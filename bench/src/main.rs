//! Benchmarks: each figure of ours beside the most that this machine can do, measured in the same run.
//!
//! Absolute figures of a shared machine mean little: its disk alone differs by a factor of ten between two
//! minutes. So every command measures a *ceiling* (the least code that does the same durable work) and ours
//! in turn, round by round, and the median of the rounds' ratios is the result. `README.md` says how to read
//! the tables.

mod bulk;
mod carrier;
mod ceiling;
mod deliver;
mod dice;
mod driver;
mod ground;
mod intake;
mod isolation;
mod latency;
mod list;
mod machine;
mod overdue;
mod parse;
mod push;
mod receiver;
mod service;
mod start;
mod table;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use ground::Grounds;

// As the server does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Our figures beside the machine's ceilings, as ratios of one run.
#[derive(Parser)]
#[command(name = "bench")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

/// What every measurement shares.
#[derive(Args, Clone)]
struct Common {
    /// Measure PostgreSQL as well (a server of our own is started on a private socket).
    #[arg(long, global = true)]
    postgres: bool,
    /// Leave SQLite out.
    #[arg(long, global = true, requires = "postgres")]
    only_postgres: bool,
    /// Rounds; each measures the ceiling and ours once.
    #[arg(long, global = true, default_value_t = 3)]
    rounds: u32,
    /// Where databases are put: the disk that is measured.
    #[arg(long, global = true, default_value_os_t = std::env::temp_dir())]
    folder: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// A list of 25 containers, against a static body of the same bytes.
    List(list::Options),
    /// Carriers' answers until they are true and told, against a bare store.
    Intake(intake::Options),
    /// Webhook deliveries, against the smallest durable sender.
    Deliver(deliver::Options),
    /// X12, EDIFACT and DCSA read on one core, against the least code over the same bytes.
    Parse(parse::Options),
    /// Memory of a service that takes in large files.
    Bulk(bulk::Options),
    /// Pushes of one event each, all told, against the smallest durable sender.
    Push(push::Options),
    /// From a carrier's answer to the webhook, beside the disk's sync.
    Latency(latency::Options),
    /// Good endpoints among hostile ones.
    Isolation(isolation::Options),
    /// A start with deliveries that are long due.
    Overdue(overdue::Options),
    /// Start of the release binary, and its memory at rest.
    Start(start::Options),
}

fn main() -> Result<()> {
    let cli = Cli::parse();
    let grounds = Grounds::open(&cli.common)?;
    match cli.command {
        Command::List(options) => list::run(&grounds, &options),
        Command::Intake(options) => intake::run(&grounds, &options),
        Command::Deliver(options) => deliver::run(&grounds, &options),
        Command::Parse(options) => parse::run(&grounds, &options),
        Command::Bulk(options) => bulk::run(&grounds, &options),
        Command::Push(options) => push::run(&grounds, &options),
        Command::Latency(options) => latency::run(&grounds, &options),
        Command::Isolation(options) => isolation::run(&grounds, &options),
        Command::Overdue(options) => overdue::run(&grounds, &options),
        Command::Start(options) => start::run(&grounds, &options),
    }
}
