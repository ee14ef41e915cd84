//! What a delivery tells, picked out of its document: for people who read along.

use serde_json::{Value, json};

use super::document::{at, list, text};

/// The event and what it is about, without ids.
#[derive(Debug)]
pub struct Told {
    pub event: String,
    /// Number of the box.
    pub container: Option<String>,
    /// Bill of lading or booking, else the number of the request.
    pub shipment: Option<String>,
    /// When it happened, or is expected to.
    pub timestamp: Option<String>,
    pub timezone: Option<String>,
    /// UN/LOCODE.
    pub location: Option<String>,
    /// The new value of a change.
    pub value: Value,
}

impl Told {
    /// Reads it from the delivered document.
    pub fn of(document: &Value) -> Self {
        let reference = at(document, "/data/relationships/reference_object/data");
        let told = included(document, at(reference, "/type"), Some(at(reference, "/id")));
        let told = told.unwrap_or(&Value::Null);
        let named = |kind: &str, pointer: &str| {
            included(document, &json!(kind), None).and_then(|found| text(found, pointer))
        };
        let number = named("shipment", "/attributes/bill_of_lading_number");
        let timestamp = text(told, "/attributes/timestamp");
        Self {
            event: text(document, "/data/attributes/event").unwrap_or_default(),
            container: named("container", "/attributes/number"),
            shipment: number.or_else(|| text(told, "/attributes/request_number")),
            timestamp: timestamp.or_else(|| text(told, "/attributes/estimated_timestamp")),
            timezone: text(told, "/attributes/timezone"),
            location: text(told, "/attributes/location_locode"),
            value: value(at(told, "/attributes")),
        }
    }

    /// The event's name without what nearly all of them begin with.
    pub fn short_event(&self) -> &str {
        let name = self.event.trim_start_matches("container.transport.");
        name.trim_start_matches("container.")
    }

    /// The color of the event on a terminal.
    pub fn hue(&self) -> &'static str {
        match self.event.as_str() {
            e if e.contains("estimated") => "\x1b[33m",
            e if e.contains("arrived") || e.contains("discharged") => "\x1b[36m",
            e if e.contains("available") || e.contains("full_out") => "\x1b[32m",
            e if e.starts_with("tracking_request") => "\x1b[35m",
            e if e.contains("rail") => "\x1b[34m",
            _ => "",
        }
    }
}

fn included<'d>(document: &'d Value, kind: &Value, id: Option<&Value>) -> Option<&'d Value> {
    list(document, "/included").iter().find(|resource| {
        at(resource, "/type") == kind && id.is_none_or(|id| at(resource, "/id") == id)
    })
}

/// The new value of a change; ids of terminals stay out of it.
fn value(attributes: &Value) -> Value {
    if let Value::Object(changes) = at(attributes, "/changeset") {
        let kept = changes.iter().filter(|(name, _)| *name != "pod_terminal");
        return Value::Object(
            kept.map(|(name, change)| (name.clone(), change.clone()))
                .collect(),
        );
    }
    let said = attributes
        .get("value")
        .or_else(|| attributes.get("failed_reason"));
    said.cloned().unwrap_or(Value::Null)
}
