//! Every domain value comes back from the database as it went in.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use store::{container, raw_message, report, shipment, watch};

use crate::bench::{Bench, at, container_row, id, seed, shipment_row, watch_row};
use crate::generated;

on_both_engines!(
    reports_come_back,
    states_of_containers_come_back,
    states_of_shipments_come_back
);

/// Some hundred values in few transactions. A failure prints the seed that repeats it.
fn samples<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> Vec<T> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_be_bytes());
    let dice = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), dice);
    vec(strategy, 300).new_tree(&mut runner).unwrap().current()
}

async fn reports_come_back(bench: &Bench) {
    let watch = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let raw = raw_message::RawMessage {
        id: id(),
        source: "MSCU".into(),
        watch: Some(watch),
        account: None,
        question: "q".into(),
        content_type: "application/json".into(),
        received_at: at(0),
        body: Vec::new(),
        digest: [0; 32],
    };
    let raw_id = raw.id;
    bench.write(move |tx| raw_message::receive(tx, &raw)).await;
    let mut reports: Vec<_> = samples(generated::report())
        .into_iter()
        .map(|report| (id(), report))
        .collect();
    reports.dedup_by_key(|(_, report)| (report.key(), report.content()));
    let given = reports.clone();
    bench
        .write(move |tx| report::insert(tx, watch, raw_id, &given, at(0)))
        .await;
    let stored = bench.read(move |tx| report::of_watches(tx, &[watch])).await;
    assert_eq!(stored.len(), reports.len());
    for (stored, (id, report)) in stored.into_iter().zip(reports) {
        assert_eq!((stored.id, &stored.report), (id, &report));
        assert_eq!(stored.report.content(), report.content());
    }
}

async fn states_of_containers_come_back(bench: &Bench) {
    let account = bench.account().await;
    let values = (
        generated::container_state(),
        generated::container_number(),
        generated::microsecond(),
        proptest::option::of(generated::microsecond()),
    );
    for (state, number, at, due) in samples(values).into_iter().take(120) {
        let shipment = bench.shipment(account).await;
        let row = container::Container {
            state,
            number,
            created_at: at,
            next_due_at: due,
            ref_numbers: vec!["\"quoted\", \\ and ü".into()],
            ..container_row(shipment)
        };
        let (written, id) = (row.clone(), row.id);
        bench
            .write(move |tx| container::insert(&mut tx.account(account), &written))
            .await;
        let found = bench
            .read(move |tx| container::find(&mut tx.account(account), id))
            .await;
        assert_eq!(found, Some(row));
    }
}

async fn states_of_shipments_come_back(bench: &Bench) {
    let account = bench.account().await;
    for (state, at) in samples((generated::shipment_state(), generated::microsecond())) {
        let row = shipment::Shipment {
            state,
            line_succeeded_at: Some(at),
            stopped: Some((at, "all_containers_terminated".into())),
            ..shipment_row()
        };
        let (written, id) = (row.clone(), row.id);
        bench
            .write(move |tx| shipment::insert(&mut tx.account(account), &written))
            .await;
        let found = bench
            .read(move |tx| shipment::find(&mut tx.account(account), id))
            .await;
        assert_eq!(found, Some(row));
    }
}
