//! Messages of every kind and carrier, with what is read from each and the public events that would follow were
//! it all there is. All are of our own making, from the published structure of each message.
//!
//! A folder of `tests/messages` is named after the profile its messages are read with: `dcsa-2`, `dcsa-3`,
//! `known-wrong` (what carriers have been seen to get wrong), or one of the templates. The snapshots are to be
//! read: `INSTA_UPDATE=always cargo test -p sources messages`, then `git diff`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use domain::codes::ContainerNumber;
use domain::event::{Change, difference};
use domain::place::Gazetteer;
use domain::report::{Report, SourceKind};
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::Timestamp;
use sources::ocean::dcsa::Profile;
use sources::{Kind, Parsed, detect, ocean};

use crate::told::{gazetteer, line, messages_in, received_at};

/// The least number of messages the folder holds.
const MESSAGES_MIN: usize = 60;

/// Folder, name and bytes of every message.
pub fn messages() -> Vec<(String, String, Vec<u8>)> {
    messages_in("tests/messages")
}

/// The profile that messages of a folder are read with.
pub fn profile_of(kind: &str) -> Profile {
    let template = ocean::templates().iter().find(|t| t.name == kind);
    let protocol = if kind == "dcsa-3" { "dcsa-3" } else { "dcsa-2" };
    let plain = format!(
        "id = \"qsd\"\nprotocol = \"{protocol}\"\nscac = \"QSDU\"\n[endpoint]\nbase = \"https://line.example\""
    );
    Profile::parse(template.map_or(&plain, |template| template.text)).unwrap()
}

#[test]
fn every_message_is_read_as_it_stands_in_its_snapshot() {
    let gazetteer = gazetteer();
    let messages = messages();
    assert!(messages.len() >= MESSAGES_MIN, "{}", messages.len());
    for (kind, name, bytes) in messages {
        let parsed = ocean::parse(&profile_of(&kind), &bytes, received_at(), &gazetteer);
        let told = told(&parsed, &gazetteer, received_at());
        insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("{kind}__{name}"), told);
        });
    }
}

/// Whose retractions may name an id alone is told by the frame; version 2 has a member of that name without an event in it.
#[test]
fn an_event_in_a_frame_is_of_version_3_and_one_beside_it_is_not() {
    let gazetteer = gazetteer();
    let at = "\"eventID\": \"E1\", \"eventType\": \"EQUIPMENT\"";
    let what = "\"equipmentEventTypeCode\": \"LOAD\", \"eventClassifierCode\": \"ACT\",
        \"eventDateTime\": \"2026-01-05T05:00:00Z\", \"equipmentReference\": \"NWLU0000425\"";
    for (text, kind) in [
        (
            format!("[{{{at}, {what}, \"metadata\": {{\"schemaVersion\": \"2.2.0\"}}}}]"),
            SourceKind::Dcsa2,
        ),
        (
            format!("[{{\"metadata\": {{{at}}}, \"payload\": {{{what}}}}}]"),
            SourceKind::Dcsa3,
        ),
        (
            format!("[{{\"payload\": {{{what}}}, \"metadata\": {{{at}}}}}]"),
            SourceKind::Dcsa3,
        ),
    ] {
        let parsed = ocean::parse(
            &profile_of("dcsa-3"),
            text.as_bytes(),
            received_at(),
            &gazetteer,
        );
        let kinds = parsed.reports.iter().map(|one| one.report.source_kind);
        assert_eq!(kinds.collect::<Vec<_>>(), [kind], "{text}");
    }
}

#[test]
fn every_template_is_a_profile_and_has_a_message() {
    let kinds: BTreeSet<String> = messages().into_iter().map(|(kind, ..)| kind).collect();
    let names: Vec<&str> = ocean::templates().iter().map(|t| t.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    for template in ocean::templates() {
        let profile = Profile::parse(template.text)
            .unwrap_or_else(|error| panic!("{}: {error}", template.name));
        assert_eq!(profile.id, template.name);
        assert!(kinds.contains(template.name), "{}", template.name);
    }
    let shipped = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles"));
    assert_eq!(
        shipped.unwrap().count(),
        names.len(),
        "a file that is in no list"
    );
}

/// A file tells what it is, but for those that hold nothing.
#[test]
fn messages_tell_what_they_are() {
    let holds_nothing = ["nothing", "sandbox-last-page", "no-data"];
    for (kind, name, bytes) in messages() {
        let expected = match kind.as_str() {
            "cosco" => Kind::Cosco,
            "dcsa-3" | "maersk-3" => Kind::Dcsa3,
            _ => Kind::Dcsa2,
        };
        if !holds_nothing.contains(&name.as_str()) {
            assert_eq!(detect(&bytes), Some(expected), "{kind}/{name}");
        }
    }
    for other in ["", " ", "<html>", "container,status"] {
        assert_eq!(detect(other.as_bytes()), None, "{other}");
    }
    assert_eq!(detect(b"\xef\xbb\xbf \r\n[]"), Some(Kind::Dcsa2));
    for x12 in ["ISA*00*", "\u{feff}ISA|00|", "\r\n GS*QO*", "ST*315*0001~"] {
        assert_eq!(detect(x12.as_bytes()), Some(Kind::X12), "{x12}");
    }
    for edifact in ["UNA:+.? '", "UNB+UNOA:2+", "UNH+1+IFTSTA"] {
        assert_eq!(detect(edifact.as_bytes()), Some(Kind::Edifact), "{edifact}");
    }
    for word in ["ISAAC", "STATION,CAR", "GS M", "UNBOUND"] {
        assert_eq!(detect(word.as_bytes()), None, "{word}");
    }
}

/// Reports, defects and events, a line each.
pub fn told(parsed: &Parsed, gazetteer: &Gazetteer, now: Timestamp) -> String {
    let mut text = String::new();
    for located in &parsed.reports {
        writeln!(text, "{} {}", located.position, line(&located.report)).unwrap();
        let more = more(&located.report);
        if !more.is_empty() {
            writeln!(text, "    {more}").unwrap();
        }
    }
    for defect in &parsed.defects {
        writeln!(text, "defect {}: {}", defect.place, defect.reason).unwrap();
    }
    for event in events(parsed, gazetteer, now) {
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
    part("retracts", report.retracts.clone());
    let vessel = [
        report.leg.vessel_name.clone(),
        report.leg.vessel_imo.map(|imo| imo.to_string()),
        report.leg.voyage_out.clone(),
    ];
    let vessel: Vec<String> = vessel.into_iter().flatten().collect();
    part("on", (!vessel.is_empty()).then(|| vessel.join("/")));
    let place = &report.place;
    part("at", place.facility_code.clone());
    part("kind", place.facility_type.map(|kind| format!("{kind:?}")));
    part("named", place.name.clone());
    let list = |list: &[String]| (!list.is_empty()).then(|| list.join(","));
    part("bills", list(&report.references.bills));
    part("bookings", list(&report.references.bookings));
    part("others", list(&report.references.others));
    let seals = report.equipment.as_ref().and_then(|e| list(&e.seals));
    part("seals", seals);
    parts.join("; ")
}

fn events(parsed: &Parsed, gazetteer: &Gazetteer, now: Timestamp) -> Vec<String> {
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
        let state = container_state(number, &about, gazetteer, Trust::USUAL, now);
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
    match change {
        Change::Stands(milestone) => format!(
            "{} {} {}",
            milestone.slot.event.as_str(),
            milestone.at,
            milestone.locode.map_or("nowhere".into(), |l| l.to_string())
        ),
        Change::Estimated(estimate) => format!(
            "{} {} {}",
            estimate.event.as_str(),
            estimate.at,
            estimate.locode.map_or("nowhere".into(), |l| l.to_string())
        ),
        Change::Updated(changeset) => {
            let mut each: Vec<String> = changeset
                .iter()
                .map(|attribute| format!("{attribute:?}"))
                .collect();
            each.sort();
            format!("updated {}", each.join(", "))
        }
        other => format!("{other:?}"),
    }
}
