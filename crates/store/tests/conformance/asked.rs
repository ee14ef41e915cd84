//! What a look at everything that is tracked promises.

use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use store::asked::{self, Asked};
use store::container::{self, Container};
use store::docket::{self, Number};
use store::shipment::{self, Shipment};
use store::tracking_request::{self, TrackingRequest};
use store::watch::{self, Watch};

use crate::bench::{Bench, at, container_row, id, request_row, shipment_row, watch_row};

on_both_engines!(
    waiting_requests_are_told_with_the_source_that_is_asked,
    tracked_shipments_are_told_with_all_sources_that_are_asked,
    tracked_shipments_that_nothing_comes_back_to_are_told,
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

async fn tracked_shipments_that_nothing_comes_back_to_are_told(bench: &Bench) {
    let account = bench.account().await;
    let watch = watch_of(bench, "nowhere").await.id;
    let [asked, due, left, bare, stopped] = [(); 5].map(|()| shipment_row());
    let stopped = Shipment {
        stopped: Some((at(1), "cancelled_by_user".into())),
        ..stopped
    };
    let rows: Vec<Shipment> = [&asked, &due, &left, &bare, &stopped]
        .map(Clone::clone)
        .into();
    let boxes = [(&asked, None), (&due, Some(at(9))), (&left, None)];
    let boxes = boxes.map(|(row, next_due_at)| Container {
        next_due_at,
        ..container_row(row.id)
    });
    let boxes = Vec::from(boxes);
    let (is_asked, by_itself) = (asked.id, left.id);
    bench
        .write(move |tx| {
            let number = Number {
                kind: NumberKind::BillOfLading,
                number: "BILL".into(),
            };
            let mut ids = domain::ids::IdSource::new([8; 16], at(0));
            let dockets = docket::hold(tx, Some(account), &[number], &mut ids, at(0))?;
            let mut a = tx.account(account);
            for row in &rows {
                shipment::insert(&mut a, row)?;
            }
            for row in &boxes {
                container::insert(&mut a, row)?;
            }
            shipment::link_watches(&mut a, is_asked, &[watch])?;
            shipment::link_watches(&mut a, by_itself, &dockets)
        })
        .await;
    let mut expected = vec![
        (account, asked.id, false),
        (account, due.id, false),
        (account, left.id, true),
        (account, bare.id, true),
    ];
    expected.sort_by_key(|(_, id, _)| *id);
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let step = bench.read(move |tx| asked::without_due_time(tx, after, 2));
        let step = step.await;
        let Some((account, id, _)) = step.last() else {
            break;
        };
        after = Some((*account, *id));
        found.extend(step);
    }
    found.retain(|(whose, ..)| *whose == account);
    assert_eq!(found, expected);
}
