//! What version 3 wants for an answer to a push.

use serde_json::{Value, json};

use crate::Parsed;

/// A list with an element for each part that cannot be used, with its place. None means that all was taken.
/// Version 3 wants it with status 200, also when it is empty.
pub fn feedback(parsed: &Parsed) -> Value {
    // What was refused is an error only where it costs the whole message.
    let severity = if parsed.envelope_broken && parsed.reports.is_empty() {
        "ERROR"
    } else {
        "WARN"
    };
    let elements: Vec<Value> = parsed
        .defects
        .iter()
        .map(|defect| {
            json!({
                "severity": severity,
                "message": defect.reason,
                "propertyPath": path(&defect.place),
            })
        })
        .collect();
    json!({ "feedbackElements": elements })
}

/// A place in the message as a JSON path; what is none (line and column of damage) stays as it is.
fn path(place: &str) -> String {
    if place.starts_with('[') {
        return format!("${place}");
    }
    let is_path = !place.is_empty() && !place.contains(' ');
    if is_path {
        format!("$.{place}")
    } else {
        place.to_owned()
    }
}
