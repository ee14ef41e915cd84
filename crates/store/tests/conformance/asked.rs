//! What a look at everything that is tracked promises.

use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use store::asked::{self, Asked};
use store::docket::{self, Number};
use store::shipment::{self, Shipment};
use store::tracking_request::{self, TrackingRequest};
use store::watch::{self, Watch};

use crate::bench::{Bench, at, id, request_row, shipment_row, watch_row};

on_both_engines!(
    waiting_requests_are_told_with_the_source_that_is_asked,
    tracked_shipments_are_told_with_all_sources_that_are_asked,
);

async fn watch_of(bench: &Bench, source: &str) -> Watch {
    let row = Watch {
        source: source.into(),
        ..watch_row()
    };
    bench.write(move |tx| watch::find_or_insert(tx, &row)).await
}

async fn waiting_requests_are_told_with_the_source_that_is_asked(bench: &Bench) {
    let account = bench.account().await;
    let watch = watch_of(bench, "nowhere").await.id;
    let waits = |status, watch| {
        let row = request_row();
        TrackingRequest {
            progress: Progress {
                status,
                ..row.progress
            },
            watch,
            ..row
        }
    };
    let pending = waits(RequestStatus::Pending, None);
    let awaiting = waits(RequestStatus::AwaitingManifest, Some(watch));
    let over = waits(RequestStatus::Failed, None);
    let lineless = TrackingRequest {
        scac: None,
        auto_detect: true,
        ..request_row()
    };
    let rows = [pending.clone(), awaiting.clone(), over, lineless];
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            rows.iter()
                .try_for_each(|row| tracking_request::insert(&mut a, row))
        })
        .await;
    let told = |row: &TrackingRequest, sources: &[&str]| Asked {
        account,
        id: row.id,
        line: Some((row.scac.unwrap(), row.progress.kind)),
        sources: sources.iter().map(|source| (*source).into()).collect(),
    };
    let mut expected = vec![told(&pending, &[]), told(&awaiting, &["nowhere"])];
    expected.sort_by_key(|row| row.id);
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let step = bench.read(move |tx| asked::requests(tx, after, 1)).await;
        let Some(last) = step.last() else { break };
        after = Some((last.account, last.id));
        found.extend(step);
    }
    found.retain(|row| row.account == account);
    assert_eq!(found, expected);
}

async fn tracked_shipments_are_told_with_all_sources_that_are_asked(bench: &Bench) {
    let account = bench.account().await;
    let (one, other) = (watch_of(bench, "a").await, watch_of(bench, "b").await);
    let [both, heard, stopped] = [(); 3].map(|()| shipment_row());
    let stopped = Shipment {
        stopped: Some((at(1), "cancelled_by_user".into())),
        ..stopped
    };
    let (two, by_itself) = (both.clone(), heard.clone());
    bench
        .write(move |tx| {
            let number = Number {
                kind: NumberKind::BillOfLading,
                number: by_itself.number.clone(),
            };
            let mut ids = domain::ids::IdSource::new([7; 16], at(0));
            let dockets = docket::hold(tx, None, &[number], &mut ids, at(0))?;
            let mut a = tx.account(account);
            for row in [&two, &by_itself, &stopped] {
                shipment::insert(&mut a, row)?;
            }
            shipment::link_watches(&mut a, two.id, &[other.id, one.id])?;
            shipment::link_watches(&mut a, by_itself.id, &dockets)
        })
        .await;
    let told = |row: &Shipment, sources: &[&str]| Asked {
        account,
        id: row.id,
        line: Some((row.scac, row.kind)),
        sources: sources.iter().map(|source| (*source).into()).collect(),
    };
    let mut expected = vec![told(&both, &["a", "b"]), told(&heard, &[])];
    expected.sort_by_key(|row| row.id);
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let step = bench.read(move |tx| asked::shipments(tx, after, 1)).await;
        let Some(last) = step.last() else { break };
        after = Some((last.account, last.id));
        found.extend(step);
    }
    found.retain(|row| row.account == account);
    assert_eq!(found, expected);
    let gone = id();
    let none = bench.read(move |tx| asked::shipments(tx, Some((gone, id())), 5));
    assert!(none.await.iter().all(|row| row.account > gone));
}
