//! Files of ten megabytes into a running service: how much more memory it holds at its worst moment than at rest.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::ground::{Ground, Grounds};
use crate::machine::anonymous_megabytes;
use crate::parse::{edifact, json, x12};
use crate::start::{binary, start};

/// What a file may cost above rest.
const MEGABYTES_MAX: f64 = 64.0;
/// Between two looks at the memory.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// After its start a service comes to rest in this time.
const REST: Duration = Duration::from_secs(3);
/// Longest wait for a file to be worked off.
const PATIENCE: Duration = Duration::from_mins(10);

/// What is brought.
#[derive(Args)]
pub struct Options {
    /// The server; beside this program unless said otherwise.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Size of each file, in megabytes.
    #[arg(long, default_value_t = 10)]
    megabytes: usize,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let binary = binary(options.binary.as_ref())?;
    println!(
        "\nbulk: a file of {} MB in a watched folder (anonymous MB; bar {MEGABYTES_MAX} above rest)",
        options.megabytes
    );
    println!("| engine     | kind    |   rest |  worst | above | seconds |");
    println!("|------------|---------|--------|--------|-------|---------|");
    for engine in grounds.engines() {
        for kind in kinds(options.megabytes * 1_000_000)? {
            let ground = grounds.fresh(*engine)?;
            let taken = take_in(&binary, &ground, &kind)?;
            println!(
                "| {:<10} | {:<7} | {:>6.1} | {:>6.1} | {:>5.1} | {:>7.1} |",
                engine.name(),
                kind.name,
                taken.rest,
                taken.worst,
                taken.worst - taken.rest,
                taken.seconds
            );
        }
    }
    Ok(())
}

/// One kind of file, and the profile that reads it.
struct Kind {
    name: &'static str,
    profile: &'static str,
    file: Vec<u8>,
}

fn kinds(bytes: usize) -> Result<Vec<Kind>> {
    let edi = "protocol = \"edi\"";
    let dcsa = "protocol = \"dcsa-2\"\nscac = \"BNCH\"\n[line]\nname = \"Bench Line\"\n[endpoint]\nbase = \"https://bench.invalid\"";
    let table = "protocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[columns]\ncontainer = \"Box\"\nas_of = \"At\"\n\
        available = \"Free\"\nholds = \"Holds\"";
    Ok(vec![
        Kind {
            name: "DCSA",
            profile: dcsa,
            file: json(bytes)?,
        },
        Kind {
            name: "X12",
            profile: edi,
            file: x12(bytes),
        },
        Kind {
            name: "EDIFACT",
            profile: edi,
            file: edifact(bytes),
        },
        Kind {
            name: "CSV",
            profile: table,
            file: csv(bytes),
        },
        Kind {
            name: "CLM",
            profile: "protocol = \"clm\"",
            file: clm(bytes),
        },
    ])
}

/// A page of a terminal, with the columns that it has beside those that count.
fn csv(bytes: usize) -> Vec<u8> {
    let mut file = String::from("Box,At,Free,Holds,Remark\n");
    for number in 0_u32.. {
        if file.len() >= bytes {
            break;
        }
        let _ = writeln!(
            file,
            "BNCU{:06},2026-03-14T08:00,N,CUSTOMS,\"{:0<360}\"",
            number % 1_000_000,
            "as the gate has it"
        );
    }
    file.into_bytes()
}

/// Sightings of boxes on cars.
fn clm(bytes: usize) -> Vec<u8> {
    let mut file = String::new();
    for number in 0_u32.. {
        if file.len() >= bytes {
            break;
        }
        let _ = writeln!(
            file,
            "1BNCU{:06}202603140800A  CHICAGO  IL{:<200}",
            number % 1_000_000,
            ""
        );
    }
    file.into_bytes()
}

struct Taken {
    rest: f64,
    worst: f64,
    seconds: f64,
}

/// Drops the file and watches until it is put away.
fn take_in(binary: &Path, ground: &Ground, kind: &Kind) -> Result<Taken> {
    let (sources, spool) = (
        ground.folder().join("sources.d"),
        ground.folder().join("spool"),
    );
    std::fs::create_dir_all(&sources)?;
    std::fs::create_dir_all(&spool)?;
    let profile = format!(
        "id = \"bulk\"\n{}\n[drop]\nfolder = \"{}\"\n",
        kind.profile,
        spool.display()
    );
    std::fs::write(sources.join("bulk.toml"), profile)?;
    let started = start(binary, ground)?;
    let process = started.running.process();
    std::thread::sleep(REST);
    let rest = anonymous_megabytes(process)?;
    let part = spool.join("bulk.part");
    std::fs::write(&part, &kind.file)?;
    std::fs::rename(part, spool.join("bulk.txt"))?;
    let began = Instant::now();
    let mut worst = rest;
    let put = |folder: &str| spool.join(folder).join("bulk.txt").exists();
    while !put("done") && !put("quarantine") {
        ensure!(
            began.elapsed() < PATIENCE,
            "{} is not worked off",
            kind.name
        );
        worst = worst.max(anonymous_megabytes(process).context("the server ended")?);
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(Taken {
        rest,
        worst,
        seconds: began.elapsed().as_secs_f64(),
    })
}
