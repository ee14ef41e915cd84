//! Reports in one line each, so that a test shows what was read and not how it is stored.

use std::path::{Path, PathBuf};

use domain::place::Gazetteer;
use domain::report::{Report, Value};
use jiff::Timestamp;
use sources::Parsed;
use sources::ocean::dcsa::Profile;
use sources::ocean::parse;
use sources::registry::Registry;

pub const PROFILE: &str = r#"
id = "qsd"
protocol = "dcsa-2"
scac = "QSDU"
[endpoint]
base = "https://api.carrier.example/tnt"
"#;

pub fn profile(more: &str) -> Profile {
    Profile::parse(&format!("{PROFILE}{more}")).unwrap()
}

pub fn received_at() -> Timestamp {
    "2026-03-15T12:00:00Z".parse().unwrap()
}

pub fn gazetteer() -> Gazetteer {
    Registry::load(&[]).unwrap().gazetteer().clone()
}

/// Folder, name and bytes of every message in a folder of folders, without their profiles.
pub fn messages_in(folder: &str) -> Vec<(String, String, Vec<u8>)> {
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut all = Vec::new();
    for kind in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
        for path in files(&kind) {
            if path.extension().is_none_or(|ending| ending != "toml") {
                all.push((name(&kind), name(&path), std::fs::read(&path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

pub fn read(message: &str) -> Parsed {
    read_as(&profile(""), message)
}

pub fn read_as(profile: &Profile, message: &str) -> Parsed {
    parse(profile, message.as_bytes(), received_at(), &gazetteer())
}

/// The one report of one event.
pub fn only(event: &serde_json::Value) -> Report {
    only_as(&profile(""), event)
}

pub fn only_as(profile: &Profile, event: &serde_json::Value) -> Report {
    let parsed = read_as(profile, &format!("[{event}]"));
    assert_eq!(parsed.reports.len(), 1, "{event}: {:?}", parsed.defects);
    parsed.reports[0].report.clone()
}

/// Why the one event was refused.
pub fn refused(event: &serde_json::Value) -> (String, String) {
    let parsed = read(&format!("[{event}]"));
    assert_eq!(
        (parsed.reports.len(), parsed.defects.len()),
        (0, 1),
        "{event}: {parsed:?}"
    );
    let defect = parsed.defects[0].clone();
    (defect.place, defect.reason)
}

/// An event that nothing is wrong with, to be changed by a test.
pub fn sound_event() -> serde_json::Value {
    serde_json::json!({
        "eventID": "sound-1",
        "eventCreatedDateTime": "2026-03-08T02:00:00Z",
        "eventType": "EQUIPMENT",
        "eventClassifierCode": "ACT",
        "eventDateTime": "2026-03-08T02:40:00+01:00",
        "equipmentEventTypeCode": "LOAD",
        "equipmentReference": "QSDU1000014",
        "emptyIndicatorCode": "LADEN",
        "transportCall": {
            "transportCallID": "tc-1",
            "modeOfTransport": "VESSEL",
            "UNLocationCode": "DEHAM",
            "vessel": { "vesselIMONumber": "9401001", "vesselName": "Quiet Harbour" }
        }
    })
}

/// Sets members of an event; `null` takes one away.
#[expect(
    clippy::needless_pass_by_value,
    reason = "so that tests can write the changes in place"
)]
pub fn with(mut event: serde_json::Value, changes: serde_json::Value) -> serde_json::Value {
    let target = event.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap().clone() {
        if value.is_null() {
            target.remove(&name);
        } else {
            target.insert(name, value);
        }
    }
    event
}

/// Everything a journey depends on, in one line.
pub fn line(report: &Report) -> String {
    let equipment = report.equipment.as_ref();
    let number = equipment.map_or("all".into(), |e| e.number.to_string());
    let laden = match equipment.and_then(|e| e.laden) {
        Some(true) => " laden",
        Some(false) => " empty",
        None => "",
    };
    let at = report.occurred.as_ref().map_or("never".into(), |o| {
        format!(
            "{} ({} {:?} {:?})",
            o.at, o.local, o.zone_source, o.precision
        )
    });
    let place = report
        .place
        .locode
        .map_or("nowhere".into(), |l| l.to_string());
    let mode = report
        .leg
        .mode
        .map_or(String::new(), |mode| format!(" by {mode:?}"));
    let hint = report
        .move_hint
        .map_or(String::new(), |hint| format!(" for {hint:?}"));
    let value = match &report.value {
        Some(Value::Hold(hold)) => format!(" hold {:?} {:?}", hold.name, hold.status),
        Some(other) => format!(" {other:?}"),
        None => String::new(),
    };
    let doubts = if report.doubts.is_empty() {
        String::new()
    } else {
        format!(" doubts {:?}", report.doubts)
    };
    format!(
        "{:?} {:?}{mode} {number}{laden} {at} {place}{hint}{value} [{}]{doubts}",
        report.classifier, report.verb, report.original
    )
}

pub fn lines(parsed: &Parsed) -> Vec<String> {
    let each = parsed.reports.iter();
    each.map(|located| format!("{} {}", located.position, line(&located.report)))
        .collect()
}
