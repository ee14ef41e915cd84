//! One account's rows are not there for another one, whatever is asked.

use domain::account::Permissions;
use domain::audit::{Action, Actor, Entry};
use domain::event::EventName;
use domain::ids::{AccountId, ShipmentId};
use store::api_key::{self, ApiKey};
use store::container::{self, ContainerFilter};
use store::event::{self, Event};
use store::notification::{self, NotificationFilter};
use store::party;
use store::shipment::{self, ShipmentFilter};
use store::tracking_request::{self, RequestFilter};
use store::{AccountTx, Error, Order, Slice, Tx, audit, delivery, webhook};
use uuid::Uuid;

use crate::bench::{
    Bench, at, container_row, id, notification_row, party_row, request_row, shipment_row,
    webhook_row,
};

on_both_engines!(no_door_opens_to_another_account);

const ALL: Slice = Slice {
    offset: 0,
    limit: 100,
};

/// Asks everything of one account's rows, in the name of an account. The name of each question, and whether it
/// found or changed something.
fn questions(a: &mut AccountTx, rows: &Rows) -> Result<Vec<(&'static str, bool)>, Error> {
    let Rows {
        party,
        key,
        shipment,
        container,
        request,
        event,
        hook,
        notification,
    } = rows;
    Ok(vec![
        ("party::find", party::find(a, party.id)?.is_some()),
        ("party::lock", party::lock(a, party.id)?.is_some()),
        (
            "party::find_by_customer",
            party::find_by_customer(a, party.customer.as_deref().unwrap())?.is_some(),
        ),
        ("party::page", party::page(a, ALL)?.total > 0),
        (
            "party::documents",
            !party::documents(a, &[party.id])?.is_empty(),
        ),
        ("party::update", party::update(a, party)?),
        (
            "party::shipments_after",
            !party::shipments_after(a, party.id, ShipmentId(Uuid::nil()), 9)?.is_empty(),
        ),
        ("api_key::list", !api_key::list(a)?.is_empty()),
        ("shipment::find", shipment::find(a, shipment.id)?.is_some()),
        ("shipment::lock", shipment::lock(a, shipment.id)?.is_some()),
        (
            "shipment::page",
            shipment::page(a, &ShipmentFilter::default(), ALL)?.total > 0,
        ),
        (
            "shipment::documents",
            !shipment::documents(a, &[shipment.id])?.is_empty(),
        ),
        ("shipment::update", shipment::update(a, shipment)?),
        (
            "container::find",
            container::find(a, container.id)?.is_some(),
        ),
        (
            "container::of_shipment",
            !container::of_shipment(a, shipment.id)?.is_empty(),
        ),
        (
            "container::page",
            container::page(a, &ContainerFilter::default(), ALL)?.total > 0,
        ),
        (
            "container::documents",
            !container::documents(a, &[container.id])?.is_empty(),
        ),
        ("container::update", container::update(a, container)?),
        (
            "request::find",
            tracking_request::find(a, request.id)?.is_some(),
        ),
        (
            "request::find_open",
            tracking_request::find_open(a, &request.number, request.docket, request.scac)?
                .is_some(),
        ),
        (
            "request::of_shipment",
            !tracking_request::of_shipment(a, shipment.id)?.is_empty(),
        ),
        (
            "request::page",
            tracking_request::page(a, &RequestFilter::default(), ALL)?.total > 0,
        ),
        (
            "request::documents",
            !tracking_request::documents(a, &[request.id])?.is_empty(),
        ),
        ("request::update", tracking_request::update(a, request)?),
        ("event::find", event::find(a, event.id)?.is_some()),
        (
            "event::standing",
            !event::standing(a, container.id)?.is_empty(),
        ),
        (
            "event::ids",
            !event::ids_of_container(a, container.id)?.is_empty(),
        ),
        (
            "event::page",
            event::page_of_container(a, container.id, Order::default(), ALL)?.total > 0,
        ),
        (
            "event::documents",
            !event::documents(a, &[event.id])?.is_empty(),
        ),
        ("event::update", event::update(a, event)?),
        ("webhook::find", webhook::find(a, hook.id)?.is_some()),
        ("webhook::page", webhook::page(a, ALL)?.total > 0),
        ("webhook::active", !webhook::active(a)?.is_empty()),
        (
            "webhook::subscribed",
            !webhook::subscribed(a, EventName::VesselArrived)?.is_empty(),
        ),
        ("webhook::update", webhook::update(a, hook)?),
        (
            "notification::find",
            notification::find(a, notification.0.id)?.is_some(),
        ),
        (
            "notification::page",
            notification::page(a, &NotificationFilter::default(), ALL)?.total > 0,
        ),
        (
            "delivery::attempts",
            delivery::attempts(a, notification.0.id, ALL)?.total > 0,
        ),
        ("audit::head", audit::head(a)?.is_some()),
        ("audit::last", audit::last(a)?.is_some()),
        ("audit::links", !audit::links(a, None, 9)?.is_empty()),
        ("audit::newest_of", !audit::newest_of(a, 9)?.is_empty()),
        ("webhook::delete", webhook::delete(a, hook.id, at(0))?),
        ("api_key::delete", api_key::delete(a, key.id)?),
    ])
}

#[derive(Clone)]
struct Rows {
    party: party::Party,
    key: ApiKey,
    shipment: shipment::Shipment,
    container: container::Container,
    request: tracking_request::TrackingRequest,
    event: Event,
    hook: webhook::Webhook,
    notification: (notification::Notification, notification::OrderKey),
}

fn rows_of(account: AccountId) -> Rows {
    let party = party::Party {
        customer: Some("H-1".into()),
        ..party_row()
    };
    let shipment = shipment::Shipment {
        customer: Some(party.id),
        ..shipment_row()
    };
    let container = container_row(shipment.id);
    let hook = webhook_row();
    Rows {
        key: ApiKey {
            id: id(),
            account,
            name: "key".into(),
            digest: [9; 32],
            last_four: "abcd".into(),
            permissions: Permissions::ALL,
            created_at: at(0),
            last_used_at: None,
        },
        request: tracking_request::TrackingRequest {
            shipment: Some(shipment.id),
            ..request_row()
        },
        event: Event {
            id: id(),
            resource: "transport_event".into(),
            name: EventName::VesselArrived,
            container: Some(container.id),
            shipment: Some(shipment.id),
            tracking_request: None,
            version: 1,
            slot: Some("slot".into()),
            created_at: at(0),
            invalidated_at: None,
            document: "{}".into(),
        },
        notification: notification_row(hook.id, container.id.0, 1),
        party,
        shipment,
        container,
        hook,
    }
}

fn store(tx: &mut Tx, account: AccountId, rows: &Rows) -> Result<(), Error> {
    let mut a = tx.account(account);
    api_key::insert(&mut a, &rows.key)?;
    let noted = Entry {
        at: at(0),
        actor: Actor::Operator,
        action: Action::ApiKeyCreated,
        subject: rows.key.id.to_string(),
        detail: "{}".into(),
    };
    audit::note(&mut a, noted);
    party::insert(&mut a, &rows.party)?;
    shipment::insert(&mut a, &rows.shipment)?;
    container::insert(&mut a, &rows.container)?;
    tracking_request::insert(&mut a, &rows.request)?;
    event::insert(&mut a, std::slice::from_ref(&rows.event))?;
    webhook::insert(&mut a, &rows.hook)?;
    notification::insert(&mut a, std::slice::from_ref(&rows.notification))?;
    let claimed =
        crate::deliveries::claim_due(tx, at(1), at(9), id(), delivery::Room::anywhere(10))?;
    let outcome = crate::deliveries::outcome(&claimed[0], domain::webhook::Verdict::Succeeded);
    delivery::settle(tx, &[outcome]).map(|_| ())
}

async fn no_door_opens_to_another_account(bench: &Bench) {
    let (owner, other) = (bench.account().await, bench.account().await);
    let rows = rows_of(owner);
    let stored = rows.clone();
    bench.write(move |tx| store(tx, owner, &stored)).await;
    for (account, expected) in [(other, false), (owner, true)] {
        let asked = rows.clone();
        let answers = bench
            .write(move |tx| questions(&mut tx.account(account), &asked))
            .await;
        for (question, found) in answers {
            assert_eq!(found, expected, "{question}");
        }
    }
    // A row cannot hang on another account's row either.
    let rows = rows_of(owner);
    let foreign = rows.clone();
    bench
        .write(move |tx| shipment::insert(&mut tx.account(owner), &foreign.shipment))
        .await;
    let refused = bench
        .store
        .write(crate::bench::any_key(), move |tx| {
            container::insert(&mut tx.account(other), &rows.container)
        })
        .await;
    assert!(
        matches!(refused, Err(Error::Conflict { .. })),
        "{refused:?}"
    );
}
