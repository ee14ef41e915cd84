//! A party's name on the shipments that are its own.

use domain::ids::{AccountId, PartyId, ShipmentId};
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use store::Key;
use store::shipment::Shipment;
use tracking::parties::{NewParty, PartyPatch, create, update};

use crate::BOX;
use crate::ground::{Ground, LADEN};

/// More than one step tells.
const SHIPMENTS: usize = 150;

async fn party(ground: &Ground, account: AccountId) -> PartyId {
    let wanted = NewParty {
        company_name: "Before".into(),
        customer: None,
    };
    create(ground.tracking(), account, wanted).await.unwrap().id
}

async fn rename(ground: &Ground, account: AccountId, id: PartyId, name: &str) {
    let patch = PartyPatch {
        company_name: Some(name.into()),
        customer: None,
    };
    update(ground.tracking(), account, id, patch).await.unwrap();
}

async fn names(ground: &Ground, account: AccountId, ids: &[ShipmentId]) -> Vec<String> {
    let ids = ids.to_vec();
    let read = ground
        .tracking()
        .store()
        .read(move |tx| store::shipment::documents(&mut tx.account(account), &ids));
    let rows = read.await.unwrap();
    let name = |document: &str| jsonapi::linkage::attribute(document, "customer_name").unwrap();
    rows.iter().map(|row| name(&row.document)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_reaches_every_shipment_also_when_it_changes_on_the_way() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let customer = party(&ground, account).await;
    let sample = ground.request(account, request).await.shipment.unwrap();
    let mut ids = tracking::id_source(ground.tracking().now());
    let copies: Vec<ShipmentId> = (0..SHIPMENTS).map(|_| ids.draw()).collect();
    let drawn = copies.clone();
    let planting = ground
        .tracking()
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            let sample = store::shipment::find(&mut a, sample)?;
            let sample = sample.ok_or(store::Error::Poisoned)?;
            drawn.iter().try_for_each(|id| {
                let row = Shipment {
                    id: *id,
                    customer: Some(customer),
                    ..sample.clone()
                };
                store::shipment::insert(&mut a, &row)
            })
        });
    planting.await.unwrap();
    rename(&ground, account, customer, "Between").await;
    let told = names(&ground, account, &copies).await;
    let reached = told.iter().filter(|name| *name == "\"Between\"").count();
    assert!(
        reached > 0 && reached < SHIPMENTS,
        "a bounded step: {reached}"
    );
    rename(&ground, account, customer, "After").await;
    ground.drain().await;
    let told = names(&ground, account, &copies).await;
    assert!(told.iter().all(|name| name == "\"After\""), "{told:?}");
    let left = ground
        .tracking()
        .store()
        .read(|tx| store::party::renamed(tx, 9));
    assert!(left.await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shipment_gets_the_customer_of_its_request() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let customer = party(&ground, account).await;
    let id = ground
        .track_for(account, BOX, NumberKind::Container, customer)
        .await;
    rename(&ground, account, customer, "After").await;
    ground.drain().await;
    let shipment = ground.request(account, id).await.shipment.unwrap();
    assert_eq!(names(&ground, account, &[shipment]).await, ["\"After\""]);
    rename(&ground, account, customer, "Later").await;
    ground.pass(SignedDuration::from_hours(6));
    ground.drain().await;
    assert_eq!(names(&ground, account, &[shipment]).await, ["\"Later\""]);
}
