//! Filters and pages: which events a question means, and which of them go on this page.

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;

use super::error::Refusal;
use super::event;
use crate::dice::Dice;
use crate::mischief::Said;
use crate::world::{Shipment, World};

/// Events on a page unless asked otherwise.
const PAGE_EVENTS_USUAL: usize = 100;
/// Most events on a page.
const PAGE_EVENTS_MAX: usize = 1000;

/// A question as read from the query.
pub(super) struct Question {
    parameters: Vec<(String, String)>,
    limit: usize,
    offset: usize,
}

/// One page of the answer.
pub(super) struct Page {
    pub(super) events: Value,
    /// Header name and query of the page it links to.
    pub(super) links: Vec<(&'static str, String)>,
}

const REFERENCES: [&str; 3] = [
    "carrierBookingReference",
    "transportDocumentReference",
    "equipmentReference",
];

/// Filters on a member of the event: parameter and the paths where the member may stand.
const MEMBERS: [(&str, &[&str]); 8] = [
    ("eventType", &["/eventType"]),
    ("shipmentEventTypeCode", &["/shipmentEventTypeCode"]),
    ("transportEventTypeCode", &["/transportEventTypeCode"]),
    ("equipmentEventTypeCode", &["/equipmentEventTypeCode"]),
    (
        "vesselIMONumber",
        &["/transportCall/vessel/vesselIMONumber"],
    ),
    ("exportVoyageNumber", &["/transportCall/exportVoyageNumber"]),
    ("carrierServiceCode", &["/transportCall/carrierServiceCode"]),
    (
        "UNLocationCode",
        &[
            "/transportCall/UNLocationCode",
            "/transportCall/unLocationCode",
        ],
    ),
];

impl Question {
    /// Reads the query; a name that means nothing or a bad number is refused.
    pub(super) fn read(query: &str) -> Result<Self, Refusal> {
        let bad = |reason: String| Refusal::new(StatusCode::BAD_REQUEST, reason);
        let mut question = Self {
            parameters: Vec::new(),
            limit: PAGE_EVENTS_USUAL,
            offset: 0,
        };
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let number = || {
                value
                    .parse::<usize>()
                    .map_err(|_| bad(format!("{name} is no number")))
            };
            match name.as_ref() {
                "limit" => question.limit = number()?.clamp(1, PAGE_EVENTS_MAX),
                "cursor" => {
                    let offset = value
                        .strip_prefix("from-")
                        .and_then(|text| text.parse().ok());
                    question.offset = offset.ok_or_else(|| bad("the cursor is not ours".into()))?;
                }
                known if is_known(known) => {
                    question
                        .parameters
                        .push((name.into_owned(), value.into_owned()));
                }
                unknown => return Err(bad(format!("{unknown} is not a filter"))),
            }
        }
        Ok(question)
    }

    /// The page of all that is published by `now`.
    pub(super) fn answer(&self, world: &World, now: Timestamp) -> Result<Page, Refusal> {
        let shipment = self.shipment(world, now)?;
        let events: Vec<Value> = visible(world, shipment, now)
            .into_iter()
            .filter(|(event, said)| self.wants(event, *said, shipment))
            .map(|(event, _)| event)
            .collect();
        let total = events.len();
        let page: Vec<Value> = events
            .into_iter()
            .skip(self.offset)
            .take(self.limit)
            .collect();
        Ok(Page {
            events: Value::Array(page),
            links: self.links(total),
        })
    }

    fn shipment<'w>(&self, world: &'w World, now: Timestamp) -> Result<&'w Shipment, Refusal> {
        let references: Vec<(&str, &str)> = self
            .parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| REFERENCES.contains(name))
            .collect();
        if references.is_empty() {
            let reason = "one of the reference filters is needed";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, reason));
        }
        let known = |shipment: &&Shipment| {
            shipment.bill.known_from <= now
                && references
                    .iter()
                    .all(|(name, value)| value.split(',').any(|one| is_about(shipment, name, one)))
        };
        let found = world.shipments().iter().find(known);
        found.ok_or_else(|| {
            Refusal::new(StatusCode::NOT_FOUND, "nothing is known by this reference")
        })
    }

    fn wants(&self, event: &Value, said: Option<&Said>, shipment: &Shipment) -> bool {
        self.parameters.iter().all(|(name, value)| {
            if let Some(bound) = name.strip_prefix("eventCreatedDateTime") {
                return said.is_none_or(|said| within(said.word.published_at, bound, value));
            }
            if name == "equipmentReference" {
                return is_about_box(event, said, shipment, value);
            }
            let paths = MEMBERS.iter().find(|(parameter, _)| parameter == name);
            paths.is_none_or(|(_, paths)| {
                let member = paths
                    .iter()
                    .find_map(|path| event.pointer(path))
                    .and_then(Value::as_str);
                member.is_some_and(|member| {
                    value.split(',').any(|one| one.eq_ignore_ascii_case(member))
                })
            })
        })
    }

    fn links(&self, total: usize) -> Vec<(&'static str, String)> {
        let last = total.saturating_sub(1) / self.limit * self.limit;
        let mut links = vec![
            ("Current-Page", self.page_at(self.offset)),
            ("First-Page", self.page_at(0)),
            ("Last-Page", self.page_at(last)),
        ];
        if self.offset + self.limit < total {
            links.push(("Next-Page", self.page_at(self.offset + self.limit)));
        }
        if self.offset > 0 {
            links.push((
                "Prev-Page",
                self.page_at(self.offset.saturating_sub(self.limit)),
            ));
        }
        links
    }

    fn page_at(&self, offset: usize) -> String {
        url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&self.parameters)
            .append_pair("limit", &self.limit.to_string())
            .append_pair("cursor", &format!("from-{offset}"))
            .finish()
    }
}

fn is_known(name: &str) -> bool {
    REFERENCES.contains(&name)
        || MEMBERS.iter().any(|(parameter, _)| *parameter == name)
        || name
            .strip_prefix("eventCreatedDateTime")
            .is_some_and(|bound| matches!(bound, "" | ":gte" | ":gt" | ":lte" | ":lt" | ":eq"))
}

fn is_about(shipment: &Shipment, name: &str, number: &str) -> bool {
    match name {
        "carrierBookingReference" => shipment.booking == number,
        "transportDocumentReference" => shipment.document.as_deref() == Some(number),
        _ => shipment
            .cargo
            .iter()
            .any(|cargo| cargo.number.as_str() == number),
    }
}

/// Events of the box itself, and of the ship and the papers of its bill.
fn is_about_box(event: &Value, said: Option<&Said>, shipment: &Shipment, numbers: &str) -> bool {
    let of = said
        .and_then(|said| shipment.voyage.happenings.get(said.about))
        .and_then(|happening| happening.of);
    let Some(own) = of.and_then(|of| shipment.cargo.get(of)) else {
        return !event.is_null();
    };
    numbers
        .split(',')
        .any(|number| number == own.number.as_str())
}

/// By when a record was written counts when it became visible: so no late record hides behind a filter.
fn within(published: Timestamp, bound: &str, value: &str) -> bool {
    let Ok(than) = value.parse::<Timestamp>() else {
        return true;
    };
    match bound {
        ":gt" => published > than,
        ":lte" => published <= than,
        ":lt" => published < than,
        ":eq" => published == than,
        _ => published >= than,
    }
}

/// Everything published by now, in the order of this bill.
fn visible<'s>(
    world: &World,
    shipment: &'s Shipment,
    now: Timestamp,
) -> Vec<(Value, Option<&'s Said>)> {
    let said = shipment
        .said
        .iter()
        .filter(|said| said.word.published_at <= now);
    let mut records: Vec<((u64, usize), Value, Option<&Said>)> = said
        .enumerate()
        .map(|(index, said)| {
            let place = if shipment.shuffled {
                Dice::about(world.seed(), &format!("place {} {index}", said.event_id)).any()
            } else {
                u64::try_from(said.word.published_at.as_second()).unwrap_or(0)
            };
            ((place, index), event::of_said(shipment, said), Some(said))
        })
        .collect();
    for (index, paper) in event::papers(world, shipment, now).into_iter().enumerate() {
        records.push(((0, index), paper, None));
    }
    records.sort_by_key(|(place, _, _)| *place);
    records
        .into_iter()
        .map(|(_, event, said)| (event, said))
        .collect()
}
