//! Messages of terminals, railroads and vessels, with what is read from each and the public events that would
//! follow were it all there is. All are of our own making.
//!
//! A folder of `tests/inland` is read with its `profile.toml`, or with the template it is named after. The
//! snapshots are to be read: `INSTA_UPDATE=always cargo test -p sources inland`, then `git diff`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use domain::codes::ContainerNumber;
use domain::event::{Change, difference};
use domain::place::Gazetteer;
use domain::report::{MoveHint, Report};
use domain::timeline::container_state;
use domain::trust::Trust;
use sources::{Parsed, ais, rail, table, terminal};

use crate::told::{gazetteer, line, messages_in, received_at};

/// The least number of messages the folder holds.
const MESSAGES_MIN: usize = 45;

/// A profile of any of these protocols.
pub enum Profile {
    Table(Box<table::Profile>),
    Clm(rail::clm::Profile),
    Ais(ais::Profile),
}

impl Profile {
    pub fn parse(text: &str) -> Self {
        let says = |protocol: &str| text.contains(&format!("protocol = \"{protocol}\""));
        match () {
            () if says("clm") => Self::Clm(rail::clm::Profile::parse(text).unwrap()),
            () if says("ais") => Self::Ais(ais::Profile::parse(text).unwrap()),
            () => Self::Table(Box::new(table::Profile::parse(text).unwrap())),
        }
    }

    pub fn read(&self, bytes: &[u8], gazetteer: &Gazetteer) -> Parsed {
        match self {
            Self::Table(profile) => table::parse(profile, bytes, received_at(), gazetteer),
            Self::Clm(profile) => rail::clm::parse(profile, bytes, received_at(), gazetteer),
            Self::Ais(profile) => ais::parse(profile, bytes, received_at(), gazetteer),
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inland")
}

/// Folder, name and bytes of every message.
pub fn messages() -> Vec<(String, String, Vec<u8>)> {
    messages_in("tests/inland")
}

/// The profile that messages of a folder are read with.
pub fn profile_of(kind: &str) -> Profile {
    let own = std::fs::read_to_string(folder().join(kind).join("profile.toml"));
    let text = own.unwrap_or_else(|_| template(kind).to_owned());
    Profile::parse(&text)
}

fn template(name: &str) -> &'static str {
    let mut known = terminal::templates().iter().chain(rail::templates());
    known.find(|template| template.name == name).unwrap().text
}

#[test]
fn every_message_is_read_as_it_stands_in_its_snapshot() {
    let gazetteer = gazetteer();
    let messages = messages();
    assert!(messages.len() >= MESSAGES_MIN, "{}", messages.len());
    for (kind, name, bytes) in messages {
        let parsed = profile_of(&kind).read(&bytes, &gazetteer);
        let told = told(&parsed, &gazetteer);
        insta::with_settings!({ snapshot_path => "../snapshots/inland", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("{kind}__{name}"), told);
        });
    }
}

#[test]
fn every_template_is_a_profile_of_its_name_and_has_a_message() {
    let kinds: BTreeSet<String> = messages().into_iter().map(|(kind, ..)| kind).collect();
    for template in terminal::templates().iter().chain(rail::templates()) {
        let id = match Profile::parse(template.text) {
            Profile::Table(profile) => profile.id,
            Profile::Clm(profile) => profile.id,
            Profile::Ais(profile) => profile.id,
        };
        assert_eq!(id, template.name);
        assert!(kinds.contains(template.name), "{}", template.name);
    }
}

/// Damage inside one row leaves all others as they were.
#[test]
fn a_damaged_row_costs_itself_only() {
    let gazetteer = gazetteer();
    for (kind, name) in [
        ("availability-sheet", "plain.csv"),
        ("two-states", "yard.csv"),
        ("clm", "two-railroads.txt"),
        ("ais", "receiver.nmea"),
    ] {
        let profile = profile_of(kind);
        let whole = std::fs::read(folder().join(kind).join(name)).unwrap();
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let before = profile.read(&whole, &gazetteer);
        for (sick, line) in lines.iter().enumerate().skip(1) {
            for (at, with) in [(line.len() / 2, b'"'), (line.len() / 3, b'\xff'), (0, b'?')] {
                let mut damaged: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
                damaged[sick][at] = with;
                let after = profile.read(&damaged.concat(), &gazetteer);
                let place = format!("line {}", sick + 1);
                let of_others = |parsed: &Parsed| -> Vec<_> {
                    let located = parsed.reports.iter();
                    located.filter(|l| l.position != place).cloned().collect()
                };
                // Of sightings one tells another: a departure that was not seen, a part that never came.
                if kind == "clm" || kind == "ais" {
                    assert!(
                        after.reports.len() + 3 >= before.reports.len(),
                        "{kind} {place}"
                    );
                } else {
                    assert_eq!(of_others(&after), of_others(&before), "{kind} {place}");
                }
            }
        }
    }
}

/// Reports, sightings, defects and events, a line each.
fn told(parsed: &Parsed, gazetteer: &Gazetteer) -> String {
    let mut text = String::new();
    for located in &parsed.reports {
        writeln!(text, "{} {}", located.position, line(&located.report)).unwrap();
        let more = more(&located.report);
        if !more.is_empty() {
            writeln!(text, "    {more}").unwrap();
        }
    }
    for seen in &parsed.sightings {
        let Some(at) = seen.position else {
            let imo = seen.imo.map_or("no number".into(), |imo| imo.to_string());
            writeln!(text, "radio {} is aboard {imo} at {}", seen.mmsi, seen.at).unwrap();
            continue;
        };
        writeln!(
            text,
            "vessel {} {} {} at {} ({:.4} {:.4}) course {:?} knots {:?} moored {:?}, {} s old",
            seen.mmsi,
            seen.imo.map_or("no number".into(), |imo| imo.to_string()),
            seen.name.as_deref().unwrap_or("no name"),
            at.at,
            at.point.latitude,
            at.point.longitude,
            at.heading,
            at.speed_knots,
            seen.moored,
            at.age(received_at()).as_secs(),
        )
        .unwrap();
    }
    for defect in &parsed.defects {
        writeln!(text, "defect {}: {}", defect.place, defect.reason).unwrap();
    }
    if parsed.envelope_broken {
        writeln!(text, "the whole is damaged").unwrap();
    }
    for event in events(parsed, gazetteer) {
        writeln!(text, "event {event}").unwrap();
    }
    text
}

/// What the one line of a report leaves out.
fn more(report: &Report) -> String {
    let mut parts = Vec::new();
    let mut part = |name: &str, value: Option<String>| {
        parts.extend(value.map(|value| format!("{name} {value}")));
    };
    part("id", report.source_event_id.clone());
    part("as of", report.reported_at.map(|at| at.to_string()));
    part("by", report.references.scac.map(|scac| scac.to_string()));
    let vessel = [
        report.leg.vessel_name.clone(),
        report.leg.vessel_imo.map(|imo| imo.to_string()),
        report.leg.voyage_in.clone(),
    ];
    let vessel: Vec<String> = vessel.into_iter().flatten().collect();
    part("on", (!vessel.is_empty()).then(|| vessel.join("/")));
    part("at", report.place.facility_code.clone());
    let list = |list: &[String]| (!list.is_empty()).then(|| list.join(","));
    part("bills", list(&report.references.bills));
    let gear = report.equipment.as_ref();
    part("type", gear.and_then(|gear| gear.iso_type.clone()));
    part(
        "mass",
        gear.and_then(|gear| gear.gross_kg).map(|kg| kg.to_string()),
    );
    part("seals", gear.and_then(|gear| list(&gear.seals)));
    parts.join("; ")
}

fn events(parsed: &Parsed, gazetteer: &Gazetteer) -> Vec<String> {
    let reports = || parsed.reports.iter().map(|located| &located.report);
    let numbers: BTreeSet<ContainerNumber> = reports()
        .filter_map(|report| report.equipment.as_ref().map(|e| e.number))
        .collect();
    let mut all = Vec::new();
    for number in numbers {
        let about: Vec<Report> = reports()
            .filter(|report| report.equipment.as_ref().is_none_or(|e| e.number == number))
            .cloned()
            .collect();
        let state = container_state(number, &about, gazetteer, Trust::USUAL, received_at());
        let changes = difference(None, &state);
        all.extend(
            changes
                .iter()
                .map(|change| format!("{number} {}", changed(change))),
        );
    }
    all
}

fn changed(change: &Change) -> String {
    let place = |locode: Option<domain::codes::UnLocode>| {
        locode.map_or("nowhere".into(), |locode| locode.to_string())
    };
    match change {
        Change::Stands(milestone) => format!(
            "{} {} {}",
            milestone.slot.event.as_str(),
            milestone.at,
            place(milestone.locode)
        ),
        Change::Estimated(estimate) => format!(
            "{} {} {}",
            estimate.event.as_str(),
            estimate.at,
            place(estimate.locode)
        ),
        Change::Updated(changeset) => {
            let each = changeset.iter().map(|attribute| format!("{attribute:?}"));
            let mut each: Vec<String> = each.collect();
            each.sort();
            format!("updated {}", each.join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn files_tell_what_they_are_where_their_first_bytes_do() {
    use sources::{Kind, detect};
    for (kind, name, bytes) in messages() {
        let expected = match (kind.as_str(), name.as_str()) {
            ("clm", _) => Some(Kind::Clm),
            ("ais", "receiver" | "stream" | "plain") => Some(Kind::Ais),
            _ => continue,
        };
        assert_eq!(detect(&bytes), expected, "{kind}/{name}");
    }
    assert_eq!(detect(&crate::sheets::sound()), Some(Kind::Table));
    for kind in Kind::ALL {
        assert!(!kind.as_str().is_empty());
    }
}

/// Ready and out of the gate where one road hands the box to the next, or where the waybill ends.
#[test]
fn a_sighting_short_of_the_waybills_destination_says_that_the_way_goes_on() {
    let profile = profile_of("clm");
    let hint = |sight: &str, destination: &str, laden: &str| {
        let head = format!("1QSDU100001202603121000{sight}");
        let head = format!("{head:<46}{laden}      2026031211QSD UP");
        let line = format!("{head:<131}USCHI {destination}\n");
        let parsed = profile.read(line.as_bytes(), &gazetteer());
        parsed.reports[0].report.move_hint
    };
    for sight in ["A", "V", "Y", "E"] {
        assert_eq!(hint(sight, "CATOR", "L"), Some(MoveHint::Onward), "{sight}");
        assert_eq!(hint(sight, "CATOR", "E"), None, "{sight}");
        assert_ne!(hint(sight, "USCHI", "L"), Some(MoveHint::Onward), "{sight}");
    }
    assert_eq!(hint("D", "CATOR", "L"), None);
}
