//! `GET /v2/shipments`

use domain::custom_field::EntityKind;
use domain::tracking_request::number::asked;
use jiff::Timestamp;
use jsonapi::query::{Holds, Parameter, Query, Rules};
use jsonapi::resource::shipment::TYPE;
use sources::registry::Registry;
use store::shipment::ShipmentFilter;
use store::{By, Order};

use crate::answer::Answer;
use crate::call::{Call, Reading, documents};
use crate::failure::Failure;
use crate::filters::{
    CREATED_BETWEEN, CUSTOM_FIELD, UPDATED_BETWEEN, always, custom_fields, customers,
    customers_named, dates, order, ports, range, refused, scacs, text, texts, tracking_stopped,
};
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_shipments",
    summary: "Shipments",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules {
        parameters: PARAMETERS,
        sorts: &[
            "-created_at",
            "created_at",
            "-updated_at",
            "updated_at",
            "number",
            "-number",
        ],
        sort_about: "The order. Both of created_at are from the newest, as in the reference interface.",
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "shipment",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let tracking = &call.app.tracking;
    let filter = filter(&call.query, tracking.registry(), tracking.now())?;
    let (rows, total) = call
        .glance(move |reading| {
            let filter = narrowed(reading, &filter)?;
            let slice = reading.slice();
            let page = store::shipment::page(&mut reading.account(), &filter, slice)?;
            Ok((reading.with_included(documents(page.rows))?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

#[rustfmt::skip]
const PARAMETERS: &[Parameter] = &[
    Parameter::new("q", Holds::TextOrBlank, "Part of the number, of a reference, or of the number of a container.").or(&["filter[q]"]),
    Parameter::new("number", Holds::TextOrBlank, "This number, as submitted or as its line is asked for it: capital letters, without spaces and dashes."),
    Parameter::new("filter[number]", Holds::Text, "The same as number."),
    Parameter::new("filter[tracking_stopped]", Holds::Boolean, "Only those whose tracking stopped, or only the others.").or(&["tracking_stopped"]),
    Parameter::new("filter[actively_tracked]", Holds::Boolean, "The other way round: those that are tracked, or those whose tracking stopped."),
    Parameter::new("filter[scac]", Holds::Texts, "Of any of these shipping lines, by any of their codes.").or(&["filter[shipping_line_scac]"]),
    Parameter::new("filter[port_of_lading]", Holds::Texts, "From any of these ports of lading, UN/LOCODEs.").or(&["filter[pol_code]"]),
    Parameter::new("filter[port_of_discharge]", Holds::Texts, "To any of these ports of discharge, UN/LOCODEs.").or(&["filter[pod_code]"]),
    Parameter::new("filter[pod_eta_at][start]", Holds::Moment, "Expected at the port of discharge at or after."),
    Parameter::new("filter[pod_eta_at][end]", Holds::Until, "Expected there at or before; a date counts to its end."),
    Parameter::new("filter[pod_ata_at]", Holds::Dates, "Arrived at the port of discharge on any of these dates, or within bounds, as filter[created_at] is written; @exists or @not_exists alone: whether it has arrived."),
    Parameter::new("filter[pod_ata_at][start]", Holds::Moment, "Arrived at the port of discharge at or after."),
    Parameter::new("filter[pod_ata_at][end]", Holds::Until, "Arrived there at or before; a date counts to its end."),
    Parameter::new("filter[arrival_date][start]", Holds::Moment, "Arrived at the port of discharge, or else expected, at or after."),
    Parameter::new("filter[arrival_date][end]", Holds::Until, "Arrived there, or else expected, at or before; a date counts to its end."),
    Parameter::new("filter[created_at]", Holds::Dates, "Created on any of these dates, or within bounds that stand before each: >=2026-03-01,<2026-03-04. A date is ISO 8601, today, 3.days.ago or 3.days.from_now, in UTC. Given with [] behind the name, once for each, all must hold."),
    Parameter::new("filter[created_at][start]", Holds::Moment, "Created at or after."),
    Parameter::new("filter[created_at][end]", Holds::Until, "Created at or before; a date counts to its end."),
    Parameter::new("filter[updated_at]", Holds::Dates, "Changed on any of these dates, or within bounds, as filter[created_at] is written."),
    Parameter::new("filter[updated_at][start]", Holds::Moment, "Changed at or after."),
    Parameter::new("filter[updated_at][end]", Holds::Until, "Changed at or before; a date counts to its end."),
    Parameter::new("filter[customer]", Holds::Id, "Of this party."),
    Parameter::new("filter[customer_id]", Holds::Id, "The same as filter[customer]."),
    Parameter::new("filter[customer_name]", Holds::Text, "Of a party whose name contains this."),
    Parameter::new(CUSTOM_FIELD, Holds::Named, "With this value of a custom field, by its api_slug: filter[custom_field][po]=4711."),
    Parameter::new("filter[tags]", Holds::Texts, "With any of these tags, whatever the letter case."),
    Parameter::new("filter[ref_number]", Holds::Text, "With this reference, whatever the letter case."),
];

fn filter(query: &Query, registry: &Registry, now: Timestamp) -> Result<ShipmentFilter, Failure> {
    let (number, filtered) = (text(query, "number"), text(query, "filter[number]"));
    if number.is_some() && filtered.is_some() && number != filtered {
        return Err(refused("filter[number]", "is another one than number"));
    }
    let between = ["filter[pod_ata_at][start]", "filter[pod_ata_at][end]"];
    let arrived = dates(range(query, between), query, "filter[pod_ata_at]", now);
    Ok(ShipmentFilter {
        q: text(query, "q"),
        number: number.or(filtered).map(|number| {
            let asked = asked(&number).unwrap_or_else(|_| number.clone());
            (number, asked)
        }),
        tracking_stopped: tracking_stopped(query)?,
        scacs: scacs(query, "filter[scac]", registry)?,
        ports_of_lading: ports(query, "filter[port_of_lading]", registry)?,
        ports_of_discharge: ports(query, "filter[port_of_discharge]", registry)?,
        pod_eta: range(
            query,
            ["filter[pod_eta_at][start]", "filter[pod_eta_at][end]"],
        ),
        pod_ata: arrived.within,
        has_pod_ata: arrived.present,
        arrival: range(
            query,
            ["filter[arrival_date][start]", "filter[arrival_date][end]"],
        ),
        created: always(CREATED_BETWEEN, query, "filter[created_at]", now),
        updated: always(UPDATED_BETWEEN, query, "filter[updated_at]", now),
        customers: customers(query, &["filter[customer]", "filter[customer_id]"]),
        tags: texts(query, "filter[tags]"),
        reference: text(query, "filter[ref_number]"),
        custom_fields: Vec::new(),
        order: from_the_newest(order(query)),
    })
}

/// `created_at` and `-created_at` are one order to clients of the reference interface.
fn from_the_newest(order: Order) -> Order {
    match order.by {
        By::CreatedAt => Order::default(),
        _ => order,
    }
}

/// With what has to be looked up: parties by their names, custom fields by theirs.
fn narrowed(reading: &mut Reading<'_>, filter: &ShipmentFilter) -> Result<ShipmentFilter, Failure> {
    let name = text(reading.query, "filter[customer_name]");
    Ok(ShipmentFilter {
        customers: customers_named(reading, name.as_deref(), filter.customers.clone())?,
        custom_fields: custom_fields(reading, EntityKind::Shipment)?,
        ..filter.clone()
    })
}
