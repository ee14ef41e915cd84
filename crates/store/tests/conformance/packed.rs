//! Packed texts: what is stored is a fraction of them, and what was stored before is read.

use domain::event::EventName;
use store::container;
use store::delivery;
use store::event::{self, Event};
use store::notification;
use store::report;
use store::shipment;

use crate::bench::{Bench, at, container_row, id, notification_row, shipment_row};
use crate::generated::any_report;
use crate::messages::{administer, refute, source_of_reports};

on_both_engines!(
    documents_and_bodies_take_a_fraction_of_their_length,
    what_was_written_before_texts_were_packed_is_read,
);

/// Texts of the sample world, the last of each dictionary, with all digits changed: other ids, times and numbers.
fn another(dictionary: &str) -> String {
    let last = dictionary.lines().last().unwrap();
    let digit = |letter: char| {
        letter
            .to_digit(10)
            .and_then(|d| char::from_digit(9 - d, 10))
    };
    last.chars()
        .map(|letter| digit(letter).unwrap_or(letter))
        .collect()
}

async fn documents_and_bodies_take_a_fraction_of_their_length(bench: &Bench) {
    let account = bench.account().await;
    let webhook = bench.webhook(account).await;
    let shipment = shipment_row();
    let mut container = container_row(shipment.id);
    container.document = another(include_str!(
        "../../src/packed/dictionaries/1_container.txt"
    ));
    let body = another(include_str!("../../src/packed/dictionaries/6_body.txt"));
    let (written, box_id) = (container.clone(), container.id);
    let (notification, key) = notification_row(webhook, id(), 1);
    let (told, sent) = (notification.id, body.clone());
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            shipment::insert(&mut a, &shipment)?;
            container::insert(&mut a, &written)?;
            notification::insert(&mut a, &[(notification.clone(), key)])?;
            delivery::store_bodies(tx, &[(told, sent.clone())])
        })
        .await;
    let found = bench
        .read(move |tx| {
            let mut a = tx.account(account);
            let body = notification::find(&mut a, told)?.and_then(|(_, body)| body);
            Ok((container::find(&mut a, box_id)?, body))
        })
        .await;
    let lengths = [
        ("containers", "document", container.document.len()),
        ("bodies", "body", body.len()),
    ];
    assert_eq!(found, (Some(container), Some(body)));
    for (table, column, length) in lengths {
        let third = length / 3;
        refute(
            bench,
            &format!("select 1 from {table} where length({column}) > {third}"),
        );
    }
}

/// Turns a packed column into what it was: a text, the same in each row.
fn as_it_was(bench: &Bench, table: &str, column: &str, text: &str) {
    administer(
        bench,
        &format!(
            "alter table {table} add column before text not null default '';
             update {table} set before = '{text}';
             alter table {table} drop column {column};
             alter table {table} rename column before to {column};"
        ),
        &format!("alter table {table} alter column {column} type text using '{text}'"),
    );
}

async fn what_was_written_before_texts_were_packed_is_read(bench: &Bench) {
    let account = bench.account().await;
    let webhook = bench.webhook(account).await;
    let shipment = shipment_row();
    let container = container_row(shipment.id);
    let event = Event {
        id: id(),
        resource: "transport_event".into(),
        name: EventName::VesselLoaded,
        container: Some(container.id),
        shipment: Some(shipment.id),
        tracking_request: None,
        version: 1,
        slot: None,
        created_at: at(1),
        invalidated_at: None,
        document: "{}".into(),
    };
    let (notification, key) = notification_row(webhook, id(), 1);
    let told = notification.id;
    let (watch, raw) = source_of_reports(bench).await;
    let said = any_report();
    let rows = (shipment.clone(), container.clone(), event.clone(), said);
    bench
        .write(move |tx| {
            let (shipment, container, event, said) = &rows;
            let mut a = tx.account(account);
            shipment::insert(&mut a, shipment)?;
            container::insert(&mut a, container)?;
            event::insert(&mut a, std::slice::from_ref(event))?;
            notification::insert(&mut a, &[(notification.clone(), key)])?;
            delivery::store_bodies(tx, &[(told, "told".to_owned())])?;
            report::insert(tx, watch, raw, &[(id(), said.clone())], at(2))
        })
        .await;
    let state = format!(
        "{{\"number\":\"{}\",\"journey\":{{}},\"status\":\"new\",\"size_type\":{{}},\"pickup\":{{}}}}",
        container.number
    );
    let reading = "{\"source\":\"line\",\"source_kind\":\"manual\",\"received_at\":\"2026-03-03T10:00:00Z\",\
        \"verb\":\"load\",\"classifier\":\"actual\",\"place\":{},\"leg\":{},\"references\":{},\"original\":\"as it was\"}";
    let old = "{\"of\":\"before — ü\"}";
    as_it_was(bench, "containers", "state", &state);
    for table in ["containers", "shipments", "events"] {
        as_it_was(bench, table, "document", old);
    }
    as_it_was(bench, "reports", "body", reading);
    as_it_was(bench, "bodies", "body", old);
    administer(
        bench,
        include_str!("../../migrations/sqlite/V23__packed.sql"),
        include_str!("../../migrations/postgres/V23__packed.sql"),
    );
    let ids = (shipment.id, container.id, event.id);
    let found = bench
        .read(move |tx| {
            let reports = report::of_watches(tx, &[watch])?;
            let mut a = tx.account(account);
            let body = notification::find(&mut a, told)?.and_then(|(_, body)| body);
            let container = container::find(&mut a, ids.1)?.map(|row| (row.state, row.document));
            let shipment = shipment::find(&mut a, ids.0)?.map(|row| row.document);
            let event = event::find(&mut a, ids.2)?.map(|row| row.document);
            Ok((container, shipment, event, body, reports))
        })
        .await;
    let old = || Some(old.to_owned());
    assert_eq!(
        found.0,
        Some((container.state.clone(), old().unwrap_or_default()))
    );
    assert_eq!((found.1, found.2, found.3), (old(), old(), old()));
    let originals: Vec<&str> = found
        .4
        .iter()
        .map(|row| row.report.original.as_str())
        .collect();
    assert_eq!(originals, ["as it was"]);
    // What is written from now on is packed, beside it.
    let written = container.clone();
    assert!(
        bench
            .write(move |tx| container::update(&mut tx.account(account), &written))
            .await
    );
    let found = bench
        .read(move |tx| container::find(&mut tx.account(account), ids.1))
        .await;
    assert_eq!(found, Some(container));
}
