//! `quayside parse`: what we make of a carrier's message, without a server and without a store.
//!
//! `--reports` (the default) prints every report and every defect; `--events` prints the public events that
//! would follow were the files all there is. One JSON object a line.

pub(super) mod event;
mod report;
mod sighting;
mod value;

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
use domain::trust::Trust;
use jiff::Timestamp;
use serde_json::json;
use sources::registry::Registry;
use sources::{Located, Parsed, Profile, Told};
use sources::{ocean, rail, terminal};

use crate::command::pipe::{self, unless_closed};

/// Flags of `parse`.
#[derive(Debug, Args)]
pub struct Parse {
    /// Files to read; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the files are (default: what each looks like).
    #[arg(long = "as", value_name = "KIND")]
    kind: Option<Kind>,
    /// Read them by this profile, with its quirks: a file, or the name of a template that Quayside brings.
    #[arg(long, value_name = "PROFILE", conflicts_with = "kind")]
    profile: Option<String>,
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
    /// DCSA Track & Trace 2.x.
    #[value(name = "dcsa-2", alias = "dcsa")]
    Dcsa2,
    /// DCSA Track & Trace 3, in any of its dialects.
    #[value(name = "dcsa-3")]
    Dcsa3,
    /// COSCO's own.
    #[value(name = "cosco")]
    Cosco,
    /// X12: 315, 322, 214, 404, 417 or 418.
    #[value(name = "x12")]
    X12,
    /// EDIFACT: IFTSTA, CODECO or COARRI.
    #[value(name = "edifact")]
    Edifact,
    /// A table of boxes with the usual headings; for others, give their mapping as `--profile`.
    #[value(name = "terminal-table")]
    Table,
    /// Car location messages of railroads.
    #[value(name = "clm")]
    Clm,
    /// Positions of vessels.
    #[value(name = "ais")]
    Ais,
}

impl From<Kind> for sources::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Dcsa2 => Self::Dcsa2,
            Kind::Dcsa3 => Self::Dcsa3,
            Kind::Cosco => Self::Cosco,
            Kind::X12 => Self::X12,
            Kind::Edifact => Self::Edifact,
            Kind::Table => Self::Table,
            Kind::Clm => Self::Clm,
            Kind::Ais => Self::Ais,
        }
    }
}

/// Runs it. A reader that has seen enough (`| head`) ends it without a word.
pub fn run(parse: &Parse) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    unless_closed(print(parse, &mut out).and_then(|()| Ok(out.flush()?)))
}

fn print(parse: &Parse, out: &mut impl Write) -> Result<()> {
    let registry = Registry::load(&[])?;
    let now = parse.now.unwrap_or_else(Timestamp::now);
    let given = parse.profile.as_deref().map(profile).transpose()?;
    let mut reports = Vec::new();
    for file in &parse.files {
        let bytes = read(file)?;
        let profile = match (&given, kind_of(parse, &bytes)) {
            (Some(profile), _) => profile.clone(),
            (None, Some(kind)) => neutral(kind)?,
            (None, None) => {
                print_part(unlike_any(file), parse.events, now, &mut reports, out)?;
                continue;
            }
        };
        let mut told = Ok(());
        // A person who looks at a file has asked for it, as a rule: what it names nothing of is shown.
        profile.read_in_parts(
            Told::InAnswer,
            &bytes,
            now,
            registry.gazetteer(),
            &mut |part| {
                if told.is_ok() {
                    told = print_part(part, parse.events, now, &mut reports, out);
                }
            },
        );
        told?;
    }
    if parse.events {
        print_events(reports, registry.gazetteer(), now, out)?;
    }
    Ok(())
}

/// Prints a part of a file as it is read. Only for events its reports are kept: they need all of them.
fn print_part(
    part: Parsed,
    events: bool,
    now: Timestamp,
    reports: &mut Vec<Report>,
    out: &mut impl Write,
) -> io::Result<()> {
    for defect in &part.defects {
        let line = json!({ "defect": defect.reason, "place": defect.place });
        if events {
            // Beside the events, so that these are all that stands on standard output.
            pipe::note(line);
        } else {
            writeln!(out, "{line}")?;
        }
    }
    if events {
        reports.extend(part.reports.into_iter().map(|located| located.report));
        return Ok(());
    }
    for seen in &part.sightings {
        writeln!(out, "{}", sighting::line(seen, now))?;
    }
    for Located { position, report } in &part.reports {
        writeln!(out, "{}", report::line(position, report))?;
    }
    Ok(())
}

/// What a file is: as was said, else as it looks.
fn kind_of(parse: &Parse, bytes: &[u8]) -> Option<sources::Kind> {
    let said = parse.kind.map(sources::Kind::from);
    said.or_else(|| sources::detect(bytes))
}

/// The one defect of a file that looks like nothing that is read.
fn unlike_any(file: &Path) -> Parsed {
    let reason = "this looks like no message that is known by its first bytes: say with --as what it is, or with --profile what its \
                  columns mean";
    Parsed {
        defects: vec![sources::Defect {
            place: file.display().to_string(),
            reason: reason.into(),
        }],
        ..Parsed::default()
    }
}

/// The profile of a carrier without habits of its own.
fn neutral(kind: sources::Kind) -> Result<Profile> {
    match kind {
        sources::Kind::X12 | sources::Kind::Edifact => {
            let text = "id = \"file\"\nprotocol = \"edi\"";
            return Profile::parse(text).map_err(|error| anyhow!("{error}"));
        }
        sources::Kind::Clm | sources::Kind::Ais => {
            let text = format!("id = \"file\"\nprotocol = {:?}", kind.as_str());
            return Profile::parse(&text).map_err(|error| anyhow!("{error}"));
        }
        sources::Kind::Table => return profile("availability-sheet"),
        sources::Kind::Dcsa2 | sources::Kind::Dcsa3 | sources::Kind::Cosco => {}
    }
    let text = format!(
        "id = \"file\"\nprotocol = {:?}\nscac = \"XXXX\"\n[endpoint]\nbase = \"https://carrier.invalid\"",
        kind.as_str()
    );
    Profile::parse(&text).map_err(|error| anyhow!("{error}"))
}

/// A template of this name, else a file.
fn profile(name: &str) -> Result<Profile> {
    let template = templates().find(|t| t.name == name);
    let text = match template {
        Some(template) => template.text.to_owned(),
        None => std::fs::read_to_string(name).with_context(|| {
            let known: Vec<&str> = templates().map(|t| t.name).collect();
            format!(
                "{name} is no file that can be read, and no template ({})",
                known.join(", ")
            )
        })?,
    };
    Profile::parse(&text).map_err(|error| anyhow!("{name}: {error}"))
}

fn templates() -> impl Iterator<Item = &'static ocean::Template> {
    let inland = terminal::templates().iter().chain(rail::templates());
    ocean::templates().iter().chain(inland)
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
        let state = timeline::container_state(number, &about, gazetteer, Trust::USUAL, now);
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
