//! One event as one line.

use serde_json::{Value, json};
use simulator::Delivery;

use crate::command::document::{at, list, text};

/// What a delivery tells, without ids: the same on every engine and in every run.
#[derive(Debug)]
pub struct Line {
    event: String,
    container: Option<String>,
    shipment: Option<String>,
    timestamp: Option<String>,
    timezone: Option<String>,
    location: Option<String>,
    value: Value,
    verified: bool,
}

impl Line {
    /// Reads it from the delivered document.
    pub fn of(delivery: &Delivery) -> Self {
        let document = &delivery.body;
        let reference = at(document, "/data/relationships/reference_object/data");
        let told = included(document, at(reference, "/type"), Some(at(reference, "/id")));
        let told = told.unwrap_or(&Value::Null);
        let named = |kind: &str, pointer: &str| {
            included(document, &json!(kind), None).and_then(|found| text(found, pointer))
        };
        let number = named("shipment", "/attributes/bill_of_lading_number");
        let timestamp = text(told, "/attributes/timestamp");
        Self {
            event: delivery.event.clone(),
            container: named("container", "/attributes/number"),
            shipment: number.or_else(|| text(told, "/attributes/request_number")),
            timestamp: timestamp.or_else(|| text(told, "/attributes/estimated_timestamp")),
            timezone: text(told, "/attributes/timezone"),
            location: text(told, "/attributes/location_locode"),
            value: value(at(told, "/attributes")),
            verified: delivery.verified,
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        json!({
            "event": self.event,
            "container": self.container,
            "shipment": self.shipment,
            "timestamp": self.timestamp,
            "timezone": self.timezone,
            "location": self.location,
            "value": self.value,
        })
        .to_string()
    }

    /// For people.
    pub fn pretty(&self, color: bool) -> String {
        let (dim, bold, off) = if color {
            ("\x1b[2m", "\x1b[1m", "\x1b[0m")
        } else {
            ("", "", "")
        };
        let hue = if color { hue(&self.event) } else { "" };
        let mark = if self.verified { "✓" } else { "✗" };
        let name = self.event.trim_start_matches("container.transport.");
        let name = name.trim_start_matches("container.");
        format!(
            "{dim}{time:<16}{off}  {bold}{container:<11}{off}  {hue}{name:<38}{off} {place:<5}  {dim}{shipment} {mark}{off}",
            time = self.timestamp.as_deref().map(minutes).unwrap_or_default(),
            container = self.container.as_deref().unwrap_or(""),
            place = self.location.as_deref().unwrap_or(""),
            shipment = self.shipment.as_deref().unwrap_or(""),
        )
        .trim_end()
        .to_owned()
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

/// `2026-03-04T05:06:07Z` as `2026-03-04 05:06`.
fn minutes(timestamp: &str) -> String {
    timestamp
        .chars()
        .take(16)
        .map(|c| if c == 'T' { ' ' } else { c })
        .collect()
}

fn hue(event: &str) -> &'static str {
    match event {
        e if e.contains("estimated") => "\x1b[33m",
        e if e.contains("arrived") || e.contains("discharged") => "\x1b[36m",
        e if e.contains("available") || e.contains("full_out") => "\x1b[32m",
        e if e.starts_with("tracking_request") => "\x1b[35m",
        e if e.contains("rail") => "\x1b[34m",
        _ => "",
    }
}
