//! What the measure of a plan promises.

use domain::account::Plan;
use domain::container::CurrentStatus;
use domain::ids::ContainerId;
use domain::tracking_request::RequestStatus;
use store::account::{self, Account};
use store::container::Container;
use store::shipment::Shipment;
use store::tracking_request::TrackingRequest;
use store::{container, plan, shipment, tracking_request};
use uuid::Uuid;

use crate::bench::{Bench, account_row, at, container_row, id, request_row, shipment_row};

on_both_engines!(
    only_a_plan_with_a_cap_is_held,
    places_are_taken_by_what_moves_and_by_what_waits,
    tracked_containers_are_pulled_forward_in_steps,
);

async fn only_a_plan_with_a_cap_is_held(bench: &Bench) {
    for (set, held) in [
        (Plan::SelfHosted, None),
        (Plan::Free, Some(Plan::Free)),
        (Plan::Trial, Some(Plan::Trial)),
    ] {
        let row = Account {
            plan: set,
            ..account_row()
        };
        let account = row.id;
        bench.write(move |tx| account::insert(tx, &row)).await;
        let found = bench.write(move |tx| plan::held(tx, account)).await;
        assert_eq!(found, held, "{set:?}");
    }
}

async fn places_are_taken_by_what_moves_and_by_what_waits(bench: &Bench) {
    let account = bench.account().await;
    let mut stopped = shipment_row();
    stopped.stopped = Some((at(1), "by hand".into()));
    let followed = shipment_row();
    let (stopped, followed): (Shipment, Shipment) = (stopped, followed);
    let mut boxes: Vec<Container> = Vec::new();
    for status in CurrentStatus::ALL {
        let mut row = container_row(followed.id);
        row.state.status = status;
        boxes.push(row);
    }
    boxes.push(container_row(stopped.id));
    let requests: Vec<TrackingRequest> = RequestStatus::ALL
        .into_iter()
        .map(|status| {
            let mut row = request_row();
            row.id = id();
            row.progress.status = status;
            row
        })
        .collect();
    let taken = bench
        .write(move |tx| {
            let mut a = tx.account(account);
            shipment::insert(&mut a, &stopped)?;
            shipment::insert(&mut a, &followed)?;
            for row in &boxes {
                container::insert(&mut a, row)?;
            }
            for row in &requests {
                tracking_request::insert(&mut a, row)?;
            }
            plan::places_taken(&mut a)
        })
        .await;
    // All but picked up, delivered and empty returned; pending and awaiting manifest.
    assert_eq!(taken, 8 + 2);
    let neighbour = bench.account().await;
    let taken = bench
        .read(move |tx| plan::places_taken(&mut tx.account(neighbour)))
        .await;
    assert_eq!(taken, 0);
}

async fn tracked_containers_are_pulled_forward_in_steps(bench: &Bench) {
    let account = bench.account().await;
    let followed = shipment_row();
    let mut stopped = shipment_row();
    stopped.stopped = Some((at(1), "by hand".into()));
    let due = [None, Some(at(100)), Some(at(5)), None];
    let mut boxes: Vec<Container> = (0..3)
        .map(|_| container_row(followed.id))
        .chain([container_row(stopped.id)])
        .collect();
    boxes
        .iter_mut()
        .zip(due)
        .for_each(|(row, due)| row.next_due_at = due);
    let ids: Vec<ContainerId> = boxes.iter().map(|row| row.id).collect();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            shipment::insert(&mut a, &followed)?;
            shipment::insert(&mut a, &stopped)?;
            boxes
                .iter()
                .try_for_each(|row| container::insert(&mut a, row))
        })
        .await;
    let (mut after, mut steps) = (Some(ContainerId(Uuid::nil())), 0);
    while let Some(from) = after {
        let pulling = move |tx: &mut store::Tx| {
            container::pull_due(&mut tx.account(account), at(10), from, 3)
        };
        after = bench.write(pulling).await;
        steps += 1;
    }
    assert_eq!(steps, 2);
    let mut due = Vec::new();
    for id in ids {
        let row = bench
            .read(move |tx| container::find(&mut tx.account(account), id))
            .await;
        due.push(row.unwrap().next_due_at);
    }
    assert_eq!(due, [Some(at(10)), Some(at(10)), Some(at(5)), None]);
}
