//! The story of one request, as lines that are printed once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use serde_json::Value;

use super::words::{self, minutes};
use crate::command::document::{at, list, text};

const ESTIMATE_PREFIX: &str = "container.transport.estimated.";

/// What was printed so far.
pub struct Timeline {
    color: bool,
    request: String,
    way: String,
    boxes: BTreeMap<String, String>,
    events: BTreeSet<String>,
}

impl Timeline {
    /// Nothing printed yet.
    pub fn new(color: bool) -> Self {
        Self {
            color,
            request: String::new(),
            way: String::new(),
            boxes: BTreeMap::new(),
            events: BTreeSet::new(),
        }
    }

    /// Prints what is new in this answer: the request, its way, each box, each event by time.
    pub fn show(&mut self, seen: &Value) {
        let request = self.request_line(seen);
        if request != self.request {
            say(&request);
            self.request = request;
        }
        let included = list(seen, "/included");
        let of = |kind: &'static str| included.iter().filter(move |one| at(one, "/type") == kind);
        let way = of("shipment").next().map(|one| self.way_line(one));
        if let Some(way) = way.filter(|way| !way.is_empty() && *way != self.way) {
            say(&way);
            self.way = way;
        }
        let mut numbers = BTreeMap::new();
        for container in of("container") {
            let number = text(container, "/attributes/number").unwrap_or_default();
            let line = self.box_line(&number, container);
            if self.boxes.get(&number) != Some(&line) {
                say(&line);
                self.boxes.insert(number.clone(), line);
            }
            numbers.insert(text(container, "/id").unwrap_or_default(), number);
        }
        let mut events: Vec<&Value> = of("transport_event").collect();
        events.sort_by_key(|event| text(event, "/attributes/timestamp"));
        for event in events {
            let name = text(event, "/attributes/event").unwrap_or_default();
            // Estimates move with every message; the line of the way has the one that holds.
            let left_out = !at(event, "/attributes/invalidated_at").is_null()
                || name.starts_with(ESTIMATE_PREFIX);
            let id = text(event, "/id").unwrap_or_default();
            if !left_out && self.events.insert(id) {
                let owner = text(event, "/relationships/container/data/id").unwrap_or_default();
                let number = numbers.get(&owner).map_or("", String::as_str);
                say(&self.event_line(number, event));
            }
        }
    }

    /// Says why nothing happens.
    pub fn explain_wait(&self, status: &str) {
        if status == "pending" {
            let (dim, off) = self.dim();
            say(&format!(
                "{dim}still pending: the line has not answered, or no source is configured for it \
                 (sources.d){off}"
            ));
        }
    }

    fn request_line(&self, seen: &Value) -> String {
        let of = |name: &str| text(seen, &format!("/data/attributes/{name}")).unwrap_or_default();
        let (dim, off) = self.dim();
        let status = of("status");
        let hue = match status.as_str() {
            "succeeded" => "\x1b[32m",
            "failed" => "\x1b[31m",
            _ => "\x1b[33m",
        };
        let hue = if self.color { hue } else { "" };
        let kind = of("request_type").replace('_', " ");
        let line = of("scac");
        let line = if line.is_empty() {
            "any line".into()
        } else {
            line
        };
        let reason = of("failed_reason").replace('_', " ");
        let gap = if reason.is_empty() { "" } else { ": " };
        let number = of("request_number");
        format!("{number}  {hue}{status}{gap}{reason}{off}  {dim}{kind}, {line}{off}")
    }

    /// Where the freight goes, and when it is due.
    fn way_line(&self, shipment: &Value) -> String {
        let (dim, off) = self.dim();
        let of = |name: &str| text(shipment, &format!("/attributes/{name}"));
        let way = match (of("port_of_lading_name"), of("port_of_discharge_name")) {
            (Some(from), Some(to)) => format!("{from} → {to}"),
            (from, to) => from.or(to).unwrap_or_default(),
        };
        let due = of("pod_eta_at").filter(|_| of("pod_ata_at").is_none());
        let due = due.map(|due| format!("  {dim}due {} UTC{off}", minutes(&due)));
        format!("{way}{}", due.unwrap_or_default())
    }

    fn box_line(&self, number: &str, container: &Value) -> String {
        let (bold, off) = if self.color {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        let status = text(container, "/attributes/current_status").unwrap_or_default();
        format!("{bold}{number}{off}  {}", status.replace('_', " "))
    }

    fn event_line(&self, number: &str, event: &Value) -> String {
        let (dim, off) = self.dim();
        let of = |name: &str| text(event, &format!("/attributes/{name}")).unwrap_or_default();
        let told = words::of(&of("event"), text(event, "/attributes/value").as_deref());
        let (time, place) = (minutes(&of("timestamp")), of("location_locode"));
        let width = words::WIDTH;
        let line = format!("{number:<11}  {dim}{time:<16}{off}  {told:<width$}  {place}");
        line.trim_end().to_owned()
    }

    fn dim(&self) -> (&'static str, &'static str) {
        if self.color {
            ("\x1b[2m", "\x1b[0m")
        } else {
            ("", "")
        }
    }
}

/// A reader that went away ends our words, not our work.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_event_is_a_line_of_even_columns_that_fits_a_terminal() {
        let line = |event: &str, value: Option<&str>| {
            let attributes = json!({"event": event, "value": value,
                "timestamp": "2026-11-20T08:30:00Z", "location_locode": "USOAK"});
            let event = json!({ "attributes": attributes });
            Timeline::new(false).event_line("CSQU3054383", &event)
        };
        let day = Some("2026-11-27");
        let lines = [
            line("container.transport.vessel_arrived", None),
            line("container.pickup_lfd_terminal.changed", day),
        ];
        assert_eq!(
            lines,
            [
                "CSQU3054383  2026-11-20 08:30  vessel arrived                           USOAK",
                "CSQU3054383  2026-11-20 08:30  last free day 2026-11-27 (terminal)      USOAK",
            ]
        );
    }
}
