//! Rows that were stored while only a part of their references counted.

use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use store::shipment::ShipmentFilter;
use store::{Slice, cut_terms, search};
use tokio_util::sync::CancellationToken;
use tracking::work;

use crate::BOX;
use crate::ground::{Ground, LADEN};
use crate::recalled::eventually;

/// How many shipments the filter finds by this reference, and how many records the search.
async fn found(ground: &Ground, account: AccountId, reference: &str) -> (usize, usize) {
    let (text, filter) = (
        reference.to_owned(),
        ShipmentFilter {
            reference: Some(reference.to_owned()),
            ..ShipmentFilter::default()
        },
    );
    let slice = Slice {
        offset: 0,
        limit: 10,
    };
    let reading = ground.tracking().store().read(move |tx| {
        let a = &mut tx.account(account);
        let shipments = store::shipment::page(a, &filter, slice)?.rows.len();
        Ok::<_, store::Error>((shipments, search::search(a, &text)?.len()))
    });
    reading.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_works_lets_them_be_found_by_the_whole_and_looks_no_more() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let long = "REFERENCE".repeat(20);
    for table in ["shipments", "containers", "tracking_requests"] {
        ground.tamper(&format!("update {table} set ref_numbers = '[\"{long}\"]'"));
    }
    ground.tamper("drop table cut_terms");
    let migration = include_str!("../../../store/migrations/sqlite/V36__cut_terms.sql");
    for statement in migration.split(';').filter(|part| !part.trim().is_empty()) {
        ground.tamper(statement);
    }
    assert_eq!(found(&ground, account, &long).await, (0, 0));
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    eventually("shipment and box are found", async || {
        found(&ground, account, &long).await.1 == 2
    })
    .await;
    assert_eq!(found(&ground, account, &long).await.0, 1);
    let store = ground.tracking().store();
    eventually("nothing is left to be looked at", async || {
        let left = store.read(|tx| cut_terms::step(tx, None, 1)).await.unwrap();
        left.last.is_none()
    })
    .await;
    stop.cancel();
    working.await.unwrap();
}
