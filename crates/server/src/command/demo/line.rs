//! One event as one line.

use serde_json::json;
use simulator::Delivery;

use crate::command::told::Told;

/// What a delivery tells, without ids: the same on every engine and in every run.
#[derive(Debug)]
pub struct Line {
    told: Told,
    verified: bool,
}

impl Line {
    /// Reads it from the delivered document.
    pub fn of(delivery: &Delivery) -> Self {
        Self {
            told: Told::of(&delivery.body),
            verified: delivery.verified,
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        let told = &self.told;
        json!({
            "event": told.event,
            "container": told.container,
            "shipment": told.shipment,
            "timestamp": told.timestamp,
            "timezone": told.timezone,
            "location": told.location,
            "value": told.value,
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
        let told = &self.told;
        let hue = if color { told.hue() } else { "" };
        let mark = if self.verified { "✓" } else { "✗" };
        format!(
            "{dim}{time:<16}{off}  {bold}{container:<11}{off}  {hue}{name:<38}{off} {place:<5}  {dim}{shipment} {mark}{off}",
            name = told.short_event(),
            time = told.timestamp.as_deref().map(minutes).unwrap_or_default(),
            container = told.container.as_deref().unwrap_or(""),
            place = told.location.as_deref().unwrap_or(""),
            shipment = told.shipment.as_deref().unwrap_or(""),
        )
        .trim_end()
        .to_owned()
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
