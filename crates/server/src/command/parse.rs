//! `quayside parse`: what we make of a carrier's message, without a server and without a store.
//!
//! `--reports` (the default) prints every report and every defect; `--events` prints the public events that
//! would follow were the files all there is. One JSON object a line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use domain::codes::ContainerNumber;
use domain::container::{Estimate, Milestone};
use domain::event::{Change, difference};
use domain::place::Gazetteer;
use domain::report::{Classifier, Report};
use domain::timeline;
use jiff::Timestamp;
use serde_json::{Value, json};
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

/// Runs it.
pub fn run(parse: &Parse) -> Result<()> {
    let registry = Registry::load(&[])?;
    let now = parse.now.unwrap_or_else(Timestamp::now);
    let profile = match parse.kind {
        Kind::Dcsa2 => Profile::parse(NEUTRAL_PROFILE).map_err(|error| anyhow!("{error}"))?,
    };
    let mut reports = Vec::new();
    for file in &parse.files {
        let bytes = read(file)?;
        let parsed = dcsa::parse(&profile, &bytes, now, registry.gazetteer());
        if !parse.events {
            parsed.reports.iter().for_each(|located| {
                println!("{}", shown(&located.position, &located.report));
            });
        }
        for defect in &parsed.defects {
            let line = json!({ "defect": defect.reason, "place": defect.place });
            if parse.events {
                eprintln!("{line}")
            } else {
                println!("{line}")
            }
        }
        reports.extend(parsed.reports.into_iter().map(|located| located.report));
    }
    if parse.events {
        print_events(&reports, registry.gazetteer(), now);
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

fn print_events(reports: &[Report], gazetteer: &Gazetteer, now: Timestamp) {
    let numbers: BTreeSet<ContainerNumber> = reports
        .iter()
        .filter_map(|report| report.equipment.as_ref())
        .map(|e| e.number)
        .collect();
    for number in numbers {
        let about: Vec<Report> = reports
            .iter()
            .filter(|report| report.equipment.as_ref().is_none_or(|e| e.number == number))
            .cloned()
            .collect();
        let state = timeline::container_state(number, &about, gazetteer, now);
        for change in difference(None, &state) {
            if let Some(line) = event_line(number, &change) {
                println!("{line}");
            }
        }
    }
}

fn event_line(number: ContainerNumber, change: &Change) -> Option<Value> {
    match change {
        Change::Stands(milestone) => Some(milestone_line(number, milestone)),
        Change::Estimated(estimate) => Some(estimate_line(number, estimate)),
        Change::LastFreeDay(_, Some(day)) => Some(json!({
            "event": "container.pickup_lfd.changed", "container": number.as_str(),
            "timestamp": day.instant().to_string(), "timezone": day.zone,
            "location": null, "value": day.date.to_string(),
        })),
        _ => None,
    }
}

fn milestone_line(number: ContainerNumber, milestone: &Milestone) -> Value {
    json!({
        "event": milestone.slot.event.as_str(),
        "container": number.as_str(),
        "timestamp": milestone.at.to_string(),
        "timezone": milestone.zone,
        "location": milestone.locode.map(|locode| locode.to_string()),
        "value": milestone.value,
    })
}

fn estimate_line(number: ContainerNumber, estimate: &Estimate) -> Value {
    json!({
        "event": estimate.event.as_str(),
        "container": number.as_str(),
        "timestamp": estimate.at.to_string(),
        "timezone": estimate.zone,
        "location": estimate.locode.map(|locode| locode.to_string()),
        "value": null,
    })
}

fn shown(position: &str, report: &Report) -> Value {
    let occurred = report.occurred.as_ref();
    let equipment = report.equipment.as_ref();
    json!({
        "position": position,
        "verb": lower(&report.verb),
        "classifier": match report.classifier {
            Classifier::Planned => "planned",
            Classifier::Estimated => "estimated",
            Classifier::Actual => "actual",
        },
        "original": report.original,
        "occurred_at": occurred.map(|o| o.at.to_string()),
        "local_time": occurred.map(|o| o.local.to_string()),
        "zone_source": occurred.map(|o| lower(&o.zone_source)),
        "precision": occurred.map(|o| lower(&o.precision)),
        "reported_at": report.reported_at.map(|at| at.to_string()),
        "source_event_id": report.source_event_id,
        "retracts": report.retracts,
        "container": equipment.map(|e| e.number.to_string()),
        "iso_type": equipment.and_then(|e| e.iso_type.clone()),
        "laden": equipment.and_then(|e| e.laden),
        "seals": equipment.map(|e| e.seals.clone()).unwrap_or_default(),
        "location": report.place.locode.map(|locode| locode.to_string()),
        "facility_code": report.place.facility_code,
        "facility_type": report.place.facility_type.map(|kind| lower(&kind)),
        "place_name": report.place.name,
        "mode": report.leg.mode.map(|mode| lower(&mode)),
        "vessel_name": report.leg.vessel_name,
        "vessel_imo": report.leg.vessel_imo.map(|imo| imo.to_string()),
        "voyage_out": report.leg.voyage_out,
        "voyage_in": report.leg.voyage_in,
        "sequence": report.leg.sequence,
        "move_hint": report.move_hint.map(|hint| lower(&hint)),
        "bills": report.references.bills,
        "bookings": report.references.bookings,
        "doubts": report.doubts.iter().map(lower).collect::<Vec<_>>(),
    })
}

/// `GateOut` as `gate_out`.
fn lower(word: &impl std::fmt::Debug) -> String {
    let mut text = String::new();
    for letter in format!("{word:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
