//! `GET /v2/containers`

use domain::codes::{ContainerNumber, EquipmentHeight};
use domain::container::{CurrentStatus, HoldName};
use domain::custom_field::EntityKind;
use jiff::Timestamp;
use jsonapi::query::{Holds, Parameter, Query, Rules, plain};
use jsonapi::resource::container::TYPE;
use sources::registry::Registry;
use store::container::ContainerFilter;

use crate::answer::Answer;
use crate::call::{Call, Reading, documents};
use crate::failure::Failure;
use crate::filters::{
    CREATED_BETWEEN, CUSTOM_FIELD, UPDATED_BETWEEN, always, boolean, codes, custom_fields,
    customers, customers_named, dates, order, ports_or_presence, range, scacs, text, texts,
    tracking_stopped, words,
};
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_containers",
    summary: "Containers",
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
            "pickup_lfd",
            "-pickup_lfd",
            "number",
            "-number",
        ],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let tracking = &call.app.tracking;
    let filter = filter(&call.query, tracking.registry(), tracking.now())?;
    let (rows, total) = call
        .glance(move |reading| {
            let filter = narrowed(reading, &filter)?;
            let slice = reading.slice();
            let page = store::container::page(&mut reading.account(), &filter, slice)?;
            Ok((reading.with_included(documents(page.rows))?, page.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

#[rustfmt::skip]
const PARAMETERS: &[Parameter] = &[
    Parameter::new("filter[number]", Holds::Texts, "Exactly any of these container numbers, whatever their letter case, spaces and dashes; what is none matches nothing."),
    Parameter::new("filter[current_status]", Holds::Words(known_statuses), "Any of these."),
    Parameter::new("filter[scac]", Holds::Texts, "Of any of these shipping lines, by any of their codes.").or(&["filter[shipping_line_scac]"]),
    Parameter::new("filter[port_of_lading]", Holds::Texts, "From any of these ports of lading, UN/LOCODEs; @exists or @not_exists alone: whether one is known.").or(&["filter[pol_code]"]),
    Parameter::new("filter[port_of_discharge]", Holds::Texts, "To any of these ports of discharge, UN/LOCODEs; @exists or @not_exists alone: whether one is known.").or(&["filter[pod_code]"]),
    Parameter::new("filter[pickup_lfd][start]", Holds::Moment, "Last free day at or after."),
    Parameter::new("filter[pickup_lfd][end]", Holds::Until, "Last free day at or before; a date counts to its end."),
    Parameter::new("filter[pickup_lfd]", Holds::Dates, "Last free day on any of these dates, or within bounds that stand before each: >=2026-03-01,<2026-03-04; @exists or @not_exists alone: whether there is one. A date is ISO 8601, today, 3.days.ago or 3.days.from_now, in UTC. Given with [] behind the name, once for each, all must hold."),
    Parameter::new("filter[created_at]", Holds::Dates, "Created on any of these dates, or within bounds, as filter[pickup_lfd] is written."),
    Parameter::new("filter[created_at][start]", Holds::Moment, "Created at or after."),
    Parameter::new("filter[created_at][end]", Holds::Until, "Created at or before; a date counts to its end."),
    Parameter::new("filter[updated_at]", Holds::Dates, "Changed on any of these dates, or within bounds, as filter[pickup_lfd] is written."),
    Parameter::new("filter[updated_at][start]", Holds::Moment, "Changed at or after."),
    Parameter::new("filter[updated_at][end]", Holds::Until, "Changed at or before; a date counts to its end."),
    Parameter::new("filter[customer]", Holds::Id, "Of this party, by the container's own customer or else its shipment's."),
    Parameter::new("filter[customer_id]", Holds::Id, "The same as filter[customer]."),
    Parameter::new("filter[customer_name]", Holds::Text, "Of a party whose name contains this."),
    Parameter::new(CUSTOM_FIELD, Holds::Named, "With this value of a custom field, by its api_slug: filter[custom_field][po]=4711."),
    Parameter::new("filter[available_for_pickup]", Holds::Boolean, "Said to be free to collect, or said not to be."),
    Parameter::new("filter[has_holds]", Holds::Boolean, "With a hold in holds_at_pod_terminal, in force or pending; false: with none there, which is also so where nobody tells of holds."),
    Parameter::new("filter[hold_names]", Holds::Texts, "Held by any of these in holds_at_pod_terminal, where the hold is in force and not pending: freight, customs, USDA, VACIS, TMF, other, in any letter case."),
    Parameter::new("filter[has_fees]", Holds::Boolean, "With a fee that is owed in fees_at_pod_terminal, posted or not; false: with none there, which is also so where nobody tells of fees."),
    Parameter::new("filter[has_demurrage_fees]", Holds::Boolean, "With demurrage among these fees, or without."),
    Parameter::new("filter[has_fees_or_holds]", Holds::Boolean, "With a hold or a fee, as these filters count them; false: with neither."),
    Parameter::new("filter[equipment_height]", Holds::Words(known_heights), "Any of these."),
    Parameter::new("filter[tracking_stopped]", Holds::Boolean, "Of shipments whose tracking stopped, or of the others."),
    Parameter::new("filter[actively_tracked]", Holds::Boolean, "The other way round: of shipments that are tracked, or of those whose tracking stopped."),
];

fn filter(query: &Query, registry: &Registry, now: Timestamp) -> Result<ContainerFilter, Failure> {
    let lading = "filter[port_of_lading]";
    let (ports_of_lading, has_port_of_lading) = ports_or_presence(query, lading, registry)?;
    let discharge = "filter[port_of_discharge]";
    let (ports_of_discharge, has_port_of_discharge) =
        ports_or_presence(query, discharge, registry)?;
    let between = ["filter[pickup_lfd][start]", "filter[pickup_lfd][end]"];
    let pickup_lfd = dates(range(query, between), query, "filter[pickup_lfd]", now);
    Ok(ContainerFilter {
        numbers: numbers(query),
        statuses: words(query, "filter[current_status]")
            .into_iter()
            .map(str::to_owned)
            .collect(),
        shipment: None,
        scacs: scacs(query, "filter[scac]", registry)?,
        ports_of_lading,
        has_port_of_lading,
        ports_of_discharge,
        has_port_of_discharge,
        pickup_lfd: pickup_lfd.within,
        has_pickup_lfd: pickup_lfd.present,
        created: always(CREATED_BETWEEN, query, "filter[created_at]", now),
        updated: always(UPDATED_BETWEEN, query, "filter[updated_at]", now),
        customers: customers(query, &["filter[customer]", "filter[customer_id]"]),
        available: boolean(query, "filter[available_for_pickup]"),
        has_holds: boolean(query, "filter[has_holds]"),
        hold_names: codes(query, "filter[hold_names]", hold_name)?,
        has_fees: boolean(query, "filter[has_fees]"),
        has_demurrage: boolean(query, "filter[has_demurrage_fees]"),
        has_fees_or_holds: boolean(query, "filter[has_fees_or_holds]"),
        heights: words(query, "filter[equipment_height]")
            .into_iter()
            .filter_map(EquipmentHeight::parse)
            .collect(),
        tracking_stopped: tracking_stopped(query)?,
        custom_fields: Vec::new(),
        order: order(query),
    })
}

/// With what has to be looked up: parties by their names, custom fields by theirs.
fn narrowed(
    reading: &mut Reading<'_>,
    filter: &ContainerFilter,
) -> Result<ContainerFilter, Failure> {
    let name = text(reading.query, "filter[customer_name]");
    Ok(ContainerFilter {
        customers: customers_named(reading, name.as_deref(), filter.customers.clone())?,
        custom_fields: custom_fields(reading, EntityKind::Container)?,
        ..filter.clone()
    })
}

/// The numbers asked for; a text that is none is nobody's. Clients send what people type.
fn numbers(query: &Query) -> Option<Vec<ContainerNumber>> {
    let given = texts(query, "filter[number]");
    // Feeds may have given a box a wrong check digit; it can be looked up as it is shown.
    let read = |text: &String| ContainerNumber::from_feed(plain(text)).ok();
    let numbers = given
        .iter()
        .filter_map(|text| read(text).map(|(number, _)| number));
    (!given.is_empty()).then(|| numbers.collect())
}

fn hold_name(text: &str) -> Result<HoldName, String> {
    let known = || HoldName::ALL.map(HoldName::as_str).join(", ");
    HoldName::parse(text).ok_or_else(|| format!("must be any of: {}", known()))
}

fn known_heights() -> Vec<&'static str> {
    vec!["standard", "high cube", "high_cube"]
}

/// Two words of the reference are understood though no container ever has them.
fn known_statuses() -> Vec<&'static str> {
    let given = CurrentStatus::ALL.iter().map(|status| status.as_str());
    given.chain(["loaded", "dropped"]).collect()
}
