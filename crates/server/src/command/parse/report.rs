//! A report as one line of JSON.

use domain::report::{Classifier, Report};
use serde_json::{Value, json};

use super::value;

/// What one source claims, with the place it was read from.
pub fn line(position: &str, report: &Report) -> Value {
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
        "gross_kg": equipment.and_then(|e| e.gross_kg).map(|mass| mass.to_string()),
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
        "value": report.value.as_ref().map(value::json),
        "doubts": report.doubts.iter().map(lower).collect::<Vec<_>>(),
    })
}

/// `GateOut` as `gate_out`.
pub(super) fn lower(word: &impl std::fmt::Debug) -> String {
    let mut text = String::new();
    for letter in format!("{word:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
