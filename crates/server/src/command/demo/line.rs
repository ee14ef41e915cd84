//! One event as one line.

use serde_json::json;
use simulator::Delivery;

use crate::command::columns::{WIDE_FROM, cut};
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

    /// For people. In fewer than a hundred columns the shipment is told of what has no box, and long names are cut.
    pub fn pretty(&self, color: bool, columns: Option<usize>) -> String {
        let (dim, bold, off) = if color {
            ("\x1b[2m", "\x1b[1m", "\x1b[0m")
        } else {
            ("", "", "")
        };
        let told = &self.told;
        let hue = if color { told.hue() } else { "" };
        let mark = if self.verified { "✓" } else { "✗" };
        let time = told.timestamp.as_deref().map(minutes).unwrap_or_default();
        let place = told.location.as_deref().unwrap_or("");
        let container = told.container.as_deref();
        let shipment = told.shipment.as_deref().unwrap_or("");
        let name = told.short_event();
        if columns.is_some_and(|columns| columns < WIDE_FROM) {
            let (about, name) = (container.unwrap_or(shipment), cut(name, 34));
            return format!(
                "{dim}{time:<16}{off}  {bold}{about:<16}{off}  {hue}{name:<34}{off} {place:<5} {dim}{mark}{off}"
            );
        }
        let container = container.unwrap_or("");
        format!(
            "{dim}{time:<16}{off}  {bold}{container:<11}{off}  {hue}{name:<38}{off} {place:<5}  {dim}{shipment} {mark}{off}"
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(container: Option<&str>) -> Line {
        let told = Told {
            event: "container.transport.estimated.arrived_at_inland_destination".into(),
            container: container.map(Into::into),
            shipment: Some("HERN123456789012".into()),
            timestamp: Some("2026-01-05T10:20:30Z".into()),
            timezone: None,
            location: Some("USCHI".into()),
            value: serde_json::Value::Null,
        };
        Line {
            told,
            verified: true,
        }
    }

    #[test]
    fn a_line_fits_a_terminal_of_eighty_columns_and_names_what_it_is_about() {
        for container in [None, Some("CSQU3054383")] {
            let narrow = line(container).pretty(false, Some(80));
            assert!(narrow.chars().count() <= 80, "{narrow}");
            let about = container.unwrap_or("HERN123456789012");
            assert!(narrow.contains(about), "{narrow}");
            assert!(narrow.contains(" estimated.arrived_at_inland"), "{narrow}");
        }
        for columns in [None, Some(100)] {
            let wide = line(Some("CSQU3054383")).pretty(false, columns);
            assert!(wide.contains("inland_destination"), "{wide}");
            assert!(wide.ends_with("HERN123456789012 ✓"), "{wide}");
            assert!(wide.chars().count() <= 100, "{wide}");
        }
    }
}
