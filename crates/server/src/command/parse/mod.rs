//! `quayside parse`: what we make of a carrier's message, without a server and without a store.
//!
//! `--reports` (the default) prints every report and every defect; `--events` prints the public events that
//! would follow were the files all there is. One JSON object a line.

mod event;
mod report;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use domain::codes::ContainerNumber;
use domain::event::difference;
use domain::place::Gazetteer;
use domain::report::Report;
use domain::timeline;
use jiff::Timestamp;
use serde_json::json;
use sources::ocean::dcsa::{self, Profile};
use sources::registry::Registry;

/// Flags of `parse`.
#[derive(Debug, Args)]
pub struct Parse {
    /// Files to read; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the files are.
    #[arg(long = "as", value_name = "KIND", default_value = "dcsa-2")]
    kind: Kind,
    /// The time at which rules that wait are judged (default: now).
    #[arg(long, value_name = "TIME")]
    now: Option<Timestamp>,
    /// Print reports and defects (the default).
    #[arg(long, conflicts_with = "events")]
    reports: bool,
    /// Print the public events that would follow.
    #[arg(long)]
    events: bool,
}

/// Kinds of message.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// DCSA Track & Trace 2.x; version 3 as far as it is understood.
    #[value(name = "dcsa-2", alias = "dcsa")]
    Dcsa2,
}

/// A carrier without habits of its own.
const NEUTRAL_PROFILE: &str = r#"
id = "file"
protocol = "dcsa-2"
scac = ["XXXX"]
[endpoint]
base = "https://carrier.invalid"
"#;

/// Runs it. A reader that has seen enough (`| head`) ends it without a word.
pub fn run(parse: &Parse) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let done = print(parse, &mut out).and_then(|()| Ok(out.flush()?));
    match done {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        done => done,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn print(parse: &Parse, out: &mut impl Write) -> Result<()> {
    let registry = Registry::load(&[])?;
    let now = parse.now.unwrap_or_else(Timestamp::now);
    let profile = match parse.kind {
        Kind::Dcsa2 => Profile::parse(NEUTRAL_PROFILE).map_err(|error| anyhow!("{error}"))?,
    };
    let mut reports = Vec::new();
    for file in &parse.files {
        let bytes = read(file)?;
        let parsed = dcsa::parse(&profile, &bytes, now, registry.gazetteer());
        for defect in &parsed.defects {
            let line = json!({ "defect": defect.reason, "place": defect.place });
            if parse.events {
                // Beside the events, so that these are all that stands on standard output.
                eprintln!("{line}");
            } else {
                writeln!(out, "{line}")?;
            }
        }
        for located in parsed.reports {
            if !parse.events {
                writeln!(out, "{}", report::line(&located.position, &located.report))?;
            }
            reports.push(located.report);
        }
    }
    if parse.events {
        print_events(reports, registry.gazetteer(), now, out)?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn print_events(
    reports: Vec<Report>,
    gazetteer: &Gazetteer,
    now: Timestamp,
    out: &mut impl Write,
) -> io::Result<()> {
    for (number, about) in by_container(reports) {
        let state = timeline::container_state(number, &about, gazetteer, now);
        for change in difference(None, &state) {
            if let Some(line) = event::line(number, &change, now) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// The reports about each container; one that names none is about all of them.
fn by_container(reports: Vec<Report>) -> BTreeMap<ContainerNumber, Vec<Report>> {
    let (mut named, mut shared) = (BTreeMap::<_, Vec<Report>>::new(), Vec::new());
    for report in reports {
        match report.equipment.as_ref().map(|equipment| equipment.number) {
            Some(number) => named.entry(number).or_default().push(report),
            None => shared.push(report),
        }
    }
    for about in named.values_mut() {
        about.extend(shared.iter().cloned());
    }
    named
}
