//! What a delivery tells, read out of its document as a customer's program would.

use std::collections::HashMap;

use domain::codes::ContainerNumber;
use domain::event::EventName;
use jiff::Timestamp;
use serde_json::Value;

use crate::receiver::Delivery;
use crate::world::places;

/// One notification, read.
#[derive(Clone, Debug)]
pub(super) struct Told<'d> {
    pub(super) delivery: &'d Delivery,
    pub(super) event: EventName,
    /// The box, when the document or an earlier one says which.
    pub(super) number: Option<ContainerNumber>,
    /// The time of the transport event, or the estimate.
    pub(super) at: Option<Timestamp>,
    /// Main code of the place.
    pub(super) place: Option<String>,
    /// The changeset of `container.updated`.
    pub(super) changes: Vec<(String, Option<Timestamp>)>,
}

/// Numbers of containers by their ids, from all documents: some notifications carry only the id.
pub(super) fn numbers(deliveries: &[Delivery]) -> HashMap<String, ContainerNumber> {
    let resources = deliveries
        .iter()
        .flat_map(|delivery| included(&delivery.body));
    resources
        .filter(|resource| text(resource, "/type") == Some("container"))
        .filter_map(|container| {
            let id = text(container, "/id")?.to_owned();
            let number = ContainerNumber::parse(text(container, "/attributes/number")?).ok()?;
            Some((id, number))
        })
        .collect()
}

/// Reads a delivery; `None` when its event has no public name.
pub(super) fn read<'d>(
    delivery: &'d Delivery,
    numbers: &HashMap<String, ContainerNumber>,
) -> Option<Told<'d>> {
    let event = EventName::parse(&delivery.event)?;
    let object = referenced(&delivery.body);
    let at = object.and_then(|object| {
        let time = text(object, "/attributes/timestamp");
        let time = text(object, "/attributes/estimated_timestamp").or(time);
        time?.parse().ok()
    });
    let place = object.and_then(|object| text(object, "/attributes/location_locode"));
    Some(Told {
        delivery,
        event,
        number: number(&delivery.body, object, numbers),
        at,
        place: place.map(|code| places::main_code(code).to_owned()),
        changes: object.map(changes).unwrap_or_default(),
    })
}

pub(super) fn included(body: &Value) -> impl Iterator<Item = &Value> {
    body.get("included")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The resource that the notification is about.
pub(super) fn referenced(body: &Value) -> Option<&Value> {
    let link = body.pointer("/data/relationships/reference_object/data")?;
    included(body).find(|resource| {
        resource.get("id") == link.get("id") && resource.get("type") == link.get("type")
    })
}

fn number(
    body: &Value,
    object: Option<&Value>,
    numbers: &HashMap<String, ContainerNumber>,
) -> Option<ContainerNumber> {
    let linked = object.and_then(|object| text(object, "/relationships/container/data/id"));
    if let Some(id) = linked {
        return numbers.get(id).copied();
    }
    let mut containers =
        included(body).filter(|resource| text(resource, "/type") == Some("container"));
    let only = containers.next().filter(|_| containers.next().is_none())?;
    numbers.get(text(only, "/id")?).copied()
}

/// New values of the changed times; anything that is no time is left out.
fn changes(object: &Value) -> Vec<(String, Option<Timestamp>)> {
    let changeset = object
        .pointer("/attributes/changeset")
        .and_then(Value::as_object);
    changeset
        .into_iter()
        .flatten()
        .filter(|(attribute, _)| attribute.ends_with("_at"))
        .map(|(attribute, values)| {
            let new = values.get(1).and_then(Value::as_str);
            (attribute.clone(), new.and_then(|time| time.parse().ok()))
        })
        .collect()
}

pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}
