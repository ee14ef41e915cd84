//! One event as one line.

use serde_json::{Value, json};
use simulator::Delivery;

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
        let reference = &document["data"]["relationships"]["reference_object"]["data"];
        let told = included(document, &reference["type"], Some(&reference["id"]));
        let attributes = told.map_or(&Value::Null, |told| &told["attributes"]);
        let named = |kind: &str, name: &str| {
            included(document, &json!(kind), None)
                .and_then(|found| found["attributes"][name].as_str())
                .map(ToOwned::to_owned)
        };
        let text = |name: &str| attributes[name].as_str().map(ToOwned::to_owned);
        Self {
            event: delivery.event.clone(),
            container: named("container", "number"),
            shipment: named("shipment", "bill_of_lading_number").or_else(|| text("request_number")),
            timestamp: text("timestamp").or_else(|| text("estimated_timestamp")),
            timezone: text("timezone"),
            location: text("location_locode"),
            value: value(attributes),
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
    let resources = document["included"].as_array()?;
    resources
        .iter()
        .find(|one| one["type"] == *kind && id.is_none_or(|id| one["id"] == *id))
}

/// The new value of a change; ids of terminals stay out of it.
fn value(attributes: &Value) -> Value {
    match &attributes["changeset"] {
        Value::Object(changes) => {
            let kept = changes.iter().filter(|(name, _)| *name != "pod_terminal");
            Value::Object(
                kept.map(|(name, change)| (name.clone(), change.clone()))
                    .collect(),
            )
        }
        _ => attributes
            .get("value")
            .or_else(|| attributes.get("failed_reason"))
            .cloned()
            .unwrap_or(Value::Null),
    }
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
