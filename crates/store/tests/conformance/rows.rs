//! What the rows of each table promise.

use std::collections::HashMap;

use domain::account::{Permissions, Plan};
use domain::codes::{Scac, UnLocode};
use domain::container::ContainerState;
use domain::event::EventName;
use domain::geography::Point;
use domain::ids::{AccountId, ContainerId, RawMessageId, ReferenceId, ShipmentId};
use domain::tracking_request::{FailedReason, NumberKind, Progress, RequestStatus};
use domain::vessel::{Position, Seen};
use store::account::{self, Account};
use store::api_key::{self, ApiKey};
use store::container::{self, Container, Projected, finds_alike};
use store::event::{self, Event};
use store::shipment::{self, Shipment};
use store::tracking_request::{self, TrackingRequest};
use store::vessel::{self, Carried, Vessel, position, stop};
use store::webhook::{self, Webhook};
use store::{Error, watch};

use crate::bench::{
    Bench, account_row, any_key, at, container_row, id, number, request_row, shipment_row,
    watch_row, webhook_row,
};
use crate::generated::{container_state, shipment_state, some};

on_both_engines!(
    an_account_changes,
    a_key_is_found_by_its_digest_until_it_is_deleted,
    every_state_of_a_request_comes_back,
    an_open_request_keeps_others_out_until_it_ends,
    requests_of_a_watch_come_from_every_account,
    overdue_requests_are_the_open_ones_without_a_shipment,
    a_shipment_changes,
    a_watch_feeds_shipments_of_every_account,
    a_container_changes_and_comes_due,
    a_projection_writes_many_rows_as_one_by_one,
    a_shipment_has_a_number_once,
    events_stand_until_they_are_invalidated,
    webhooks_hear_what_they_asked_for,
    a_vessel_is_remembered_once,
    sightings_are_kept_of_known_vessels_and_for_a_while,
    stops_are_kept_of_known_vessels_some_for_a_while_each_for_whose_they_are,
    a_stay_that_is_moved_is_kept_where_it_was_moved_to,
    a_vessel_knows_the_boxes_of_each_account,
    a_radio_speaks_for_the_vessel_that_it_named_last,
);

async fn an_account_changes(bench: &Bench) {
    let row = account_row();
    let changed = Account {
        name: format!("renamed {}", number()),
        plan: Plan::Trial,
        plan_since: at(7),
        features: Vec::new(),
        ..row.clone()
    };
    let (after, by_name) = (changed.clone(), changed.name.clone());
    bench.write(move |tx| account::insert(tx, &row)).await;
    assert!(bench.write(move |tx| account::update(tx, &changed)).await);
    let found = bench
        .read(move |tx| account::find_by_name(tx, &by_name))
        .await;
    assert_eq!(found, Some(after.clone()));
    assert!(bench.read(account::list).await.contains(&after));
    assert!(
        !bench.write(|tx| account::update(tx, &account_row())).await,
        "an unknown one"
    );
}

async fn a_key_is_found_by_its_digest_until_it_is_deleted(bench: &Bench) {
    let account = bench.account().await;
    let key = ApiKey {
        id: id(),
        account,
        name: "ci".into(),
        digest: [7; 32],
        last_four: "9xYz".into(),
        permissions: Permissions {
            show: true,
            update: false,
        },
        created_at: at(0),
        last_used_at: None,
    };
    let (stored, key_id) = (key.clone(), key.id);
    bench
        .write(move |tx| api_key::insert(&mut tx.account(account), &stored))
        .await;
    bench
        .write(move |tx| api_key::touch(tx, &[(key_id, at(9)), (id(), at(9))]))
        .await;
    let used = ApiKey {
        last_used_at: Some(at(9)),
        ..key
    };
    let found = bench.read(|tx| api_key::find_by_digest(tx, &[7; 32])).await;
    assert_eq!(found.as_ref(), Some(&used));
    let listed = bench
        .read(move |tx| api_key::list(&mut tx.account(account)))
        .await;
    assert_eq!(listed, [used]);
    for expected in [true, false] {
        let gone = bench
            .write(move |tx| api_key::delete(&mut tx.account(account), key_id))
            .await;
        assert_eq!(gone, expected);
    }
    assert_eq!(
        bench.read(|tx| api_key::find_by_digest(tx, &[7; 32])).await,
        None
    );
}

async fn every_state_of_a_request_comes_back(bench: &Bench) {
    let account = bench.account().await;
    let reasons = FailedReason::ALL.into_iter().map(Some).chain([None]);
    let kinds = [
        NumberKind::BillOfLading,
        NumberKind::Booking,
        NumberKind::Container,
    ];
    for (place, reason) in reasons.enumerate() {
        let row = TrackingRequest {
            scac: (place % 2 == 0).then(|| Scac::parse("FEC").unwrap()),
            auto_detect: place % 2 == 1,
            progress: Progress {
                kind: kinds[place % 3],
                status: RequestStatus::ALL[place % 5],
                failed_reason: reason,
                is_retrying: place % 2 == 0,
                retry_count: u32::try_from(place).unwrap(),
                created_at: at(5),
            },
            ref_numbers: vec!["a".into(), "b \" c".into()],
            tags: vec!["t".into()],
            ..request_row()
        };
        let (written, request) = (row.clone(), row.id);
        bench
            .write(move |tx| {
                let mut a = tx.account(account);
                // Written whole by an update too.
                let id = written.id;
                tracking_request::insert(
                    &mut a,
                    &TrackingRequest {
                        id,
                        ..request_row()
                    },
                )?;
                let created_at = at(0);
                let mut again = written.clone();
                again.progress.created_at = created_at;
                assert!(tracking_request::update(&mut a, &again)?);
                Ok(())
            })
            .await;
        let found = bench
            .read(move |tx| tracking_request::find(&mut tx.account(account), request))
            .await;
        let mut expected = row.clone();
        expected.progress.created_at = at(0);
        assert_eq!(found, Some(expected));
    }
}

async fn an_open_request_keeps_others_out_until_it_ends(bench: &Bench) {
    let account = bench.account().await;
    for scac in [Some(Scac::parse("MSCU").unwrap()), None] {
        let row = TrackingRequest {
            scac,
            ..request_row()
        };
        for status in RequestStatus::ALL {
            let mut first = row.clone();
            first.id = id();
            first.progress.status = status;
            let mut second = row.clone();
            second.id = id();
            let (open, sought) = (first.clone(), row.number.clone());
            bench
                .write(move |tx| tracking_request::insert(&mut tx.account(account), &open))
                .await;
            let found = bench
                .read(move |tx| {
                    tracking_request::find_open(&mut tx.account(account), &sought, None, scac)
                })
                .await;
            assert_eq!(
                found.map(|found| found.id),
                status.is_open().then_some(first.id)
            );
            let duplicate = bench
                .store
                .write(any_key(), move |tx| {
                    tracking_request::insert(&mut tx.account(account), &second)?;
                    Err::<(), _>(Error::Refused("only tried".into()))
                })
                .await;
            let refused = matches!(duplicate, Err(Error::Conflict { .. }));
            assert_eq!(refused, status.is_open(), "{status:?} {scac:?}");
            first.progress.status = RequestStatus::Failed;
            bench
                .write(move |tx| tracking_request::update(&mut tx.account(account), &first))
                .await;
        }
    }
}

async fn requests_of_a_watch_come_from_every_account(bench: &Bench) {
    let watch = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let mut expected = Vec::new();
    for _ in 0..3 {
        let account = bench.account().await;
        let shipment = bench.shipment(account).await;
        let row = TrackingRequest {
            watch: Some(watch),
            shipment: Some(shipment),
            ..request_row()
        };
        expected.push((account, row.clone()));
        bench
            .write(move |tx| tracking_request::insert(&mut tx.account(account), &row))
            .await;
    }
    let found = bench
        .write(move |tx| tracking_request::of_watch(tx, watch))
        .await;
    assert_eq!(found, expected);
    let (account, row) = expected.remove(1);
    let shipment = row.shipment.unwrap();
    let of_shipment = bench
        .write(move |tx| tracking_request::of_shipment(&mut tx.account(account), shipment))
        .await;
    assert_eq!(of_shipment, [row]);
}

async fn overdue_requests_are_the_open_ones_without_a_shipment(bench: &Bench) {
    let account = bench.account().await;
    let mut waiting = Vec::new();
    for (seconds, status) in [(30, 0), (10, 1), (20, 2), (5, 3), (6, 4), (99, 0)] {
        let mut row = request_row();
        row.progress.status = RequestStatus::ALL[status];
        row.progress.created_at = at(seconds);
        waiting.push(row.id);
        bench
            .write(move |tx| tracking_request::insert(&mut tx.account(account), &row))
            .await;
    }
    let found = bench
        .read(|tx| tracking_request::overdue(tx, at(99), 10))
        .await;
    let found: Vec<_> = found
        .into_iter()
        .map(|(account, row)| (account, row.id))
        .collect();
    assert_eq!(found, [(account, waiting[1]), (account, waiting[0])]);
    assert_eq!(
        bench
            .read(|tx| tracking_request::overdue(tx, at(99), 1))
            .await
            .len(),
        1
    );
}

async fn a_shipment_changes(bench: &Bench) {
    let account = bench.account().await;
    let row = shipment_row();
    let stored = row.clone();
    bench
        .write(move |tx| shipment::insert(&mut tx.account(account), &stored))
        .await;
    let changed = Shipment {
        number: "CHANGED".into(),
        scac: Scac::parse("ONEY").unwrap(),
        tags: vec!["x".into()],
        version: 9,
        line_attempted_at: Some(at(3)),
        stopped: Some((at(8), "account_request".into())),
        resumed_at: Some(at(6)),
        customer: Some(id()),
        custom_fields: vec![id(), id()],
        document: "{}".into(),
        ..row.clone()
    };
    let expected = changed.clone();
    assert!(
        bench
            .write(move |tx| shipment::update(&mut tx.account(account), &changed))
            .await
    );
    let locked = bench
        .write(move |tx| shipment::lock(&mut tx.account(account), row.id))
        .await;
    assert_eq!(locked, Some(expected));
}

async fn a_watch_feeds_shipments_of_every_account(bench: &Bench) {
    let watch = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let mut expected = Vec::new();
    for _ in 0..3 {
        let account = bench.account().await;
        let shipment = bench.shipment(account).await;
        expected.push((account, shipment));
        for _ in 0..2 {
            bench
                .write(move |tx| shipment::link_watch(&mut tx.account(account), shipment, watch))
                .await;
        }
    }
    assert_eq!(
        bench.read(move |tx| shipment::of_watch(tx, watch)).await,
        expected
    );
    let (account, shipment) = expected[0];
    let watches = bench
        .read(move |tx| shipment::watches_of(&mut tx.account(account), shipment))
        .await;
    assert_eq!(watches, [watch]);
}

async fn a_container_changes_and_comes_due(bench: &Bench) {
    let account = bench.account().await;
    let shipment = bench.shipment(account).await;
    let rows = [container_row(shipment), container_row(shipment)];
    let stored = rows.clone();
    bench
        .write(move |tx| {
            stored
                .iter()
                .try_for_each(|row| container::insert(&mut tx.account(account), row))
        })
        .await;
    assert_eq!(bench.read(|tx| container::due(tx, at(100), 10)).await, []);
    let changed = rows.clone().map(|row| Container {
        next_due_at: Some(at(50)),
        version: 2,
        ref_numbers: vec!["r".into()],
        document: "{}".into(),
        ..row
    });
    let mut expected = changed.to_vec();
    expected.sort_by_key(|row| row.number);
    bench
        .write(move |tx| {
            for row in &changed {
                assert!(container::update(&mut tx.account(account), row)?);
            }
            Ok(())
        })
        .await;
    let found = bench
        .read(move |tx| container::of_shipment(&mut tx.account(account), shipment))
        .await;
    assert_eq!(found, expected);
    assert_eq!(bench.read(|tx| container::due(tx, at(49), 10)).await, []);
    assert_eq!(
        bench.read(|tx| container::due(tx, at(50), 10)).await,
        [(account, shipment)]
    );
}

/// One row and several take statements of their own, and so do the engines.
async fn a_projection_writes_many_rows_as_one_by_one(bench: &Bench) {
    let account = bench.account().await;
    let shipments: Vec<Shipment> = (0..5).map(|_| shipment_row()).collect();
    let containers = shipments.iter().map(|shipment| container_row(shipment.id));
    let containers: Vec<Container> = containers.collect();
    let (born, boxes) = (shipments.clone(), containers.clone());
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            for (shipment, container) in born.iter().zip(&boxes) {
                shipment::insert(&mut a, shipment)?;
                container::insert(&mut a, container)?;
            }
            Ok::<_, Error>(())
        })
        .await;
    let told = some(5, &(shipment_state(), container_state()));
    let changed: Vec<(Shipment, Container)> = shipments
        .into_iter()
        .zip(containers)
        .zip(told)
        .enumerate()
        .map(
            |(place, ((shipment, container), (of_shipment, of_container)))| {
                let time = at(10 + i64::try_from(place).unwrap());
                let shipment = Shipment {
                    state: of_shipment,
                    updated_at: time,
                    version: 2,
                    line_attempted_at: Some(time),
                    line_succeeded_at: Some(at(9)),
                    stopped: Some((time, "all_done".into())),
                    document: format!(r#"{{"told":{place}}}"#),
                    ..shipment
                };
                let state = ContainerState {
                    number: container.number,
                    ..of_container
                };
                let container = Container {
                    state,
                    updated_at: time,
                    version: 2,
                    next_due_at: Some(time),
                    document: format!(r#"{{"told":{place}}}"#),
                    ..container
                };
                (shipment, container)
            },
        )
        .collect();
    write_projected(bench, account, &changed[..1], false).await;
    write_projected(bench, account, &changed[1..], false).await;
    assert_found(bench, account, &changed).await;
    // Some that lists find as before, beside some that they do not.
    let again = changed.iter().map(|(shipment, container)| {
        let container = Container {
            version: 3,
            updated_at: at(40),
            document: r#"{"told":"again"}"#.into(),
            ..container.clone()
        };
        (shipment.clone(), container)
    });
    let again: Vec<(Shipment, Container)> = again.collect();
    for ((_, before), (_, after)) in changed.iter().zip(&again) {
        assert!(finds_alike(before, after));
        let later = Some(at(50));
        let next_due_at = later;
        assert!(!finds_alike(
            before,
            &Container {
                next_due_at,
                ..after.clone()
            }
        ));
    }
    write_projected(bench, account, &again, true).await;
    assert_found(bench, account, &again).await;
}

async fn write_projected(
    bench: &Bench,
    account: AccountId,
    told: &[(Shipment, Container)],
    found_as_before: bool,
) {
    let told = told.to_vec();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            let shipments: Vec<&Shipment> = told.iter().map(|(shipment, _)| shipment).collect();
            let containers = told.iter().map(|(_, container)| Projected {
                container,
                found_as_before,
            });
            let containers: Vec<Projected<'_>> = containers.collect();
            shipment::write_projected(&mut a, &shipments)?;
            container::write_projected(&mut a, &containers)
        })
        .await;
}

async fn assert_found(bench: &Bench, account: AccountId, expected: &[(Shipment, Container)]) {
    for (shipment, container) in expected.iter().cloned() {
        let ids = (shipment.id, container.id);
        let found = bench
            .read(move |tx| {
                let mut a = tx.account(account);
                let shipment = shipment::find(&mut a, ids.0)?;
                Ok::<_, Error>((shipment, container::find(&mut a, ids.1)?))
            })
            .await;
        assert_eq!(found, (Some(shipment), Some(container)));
    }
}

async fn a_shipment_has_a_number_once(bench: &Bench) {
    let account = bench.account().await;
    let shipment = bench.shipment(account).await;
    let row = container_row(shipment);
    let again = Container {
        id: id(),
        ..row.clone()
    };
    let twice = bench
        .store
        .write(any_key(), move |tx| {
            let mut a = tx.account(account);
            container::insert(&mut a, &row)?;
            container::insert(&mut a, &again)
        })
        .await;
    assert!(matches!(twice, Err(Error::Conflict { .. })), "{twice:?}");
}

fn event_row(container: ContainerId, shipment: ShipmentId, slot: Option<&str>) -> Event {
    let is_transport = slot.is_some();
    Event {
        id: id(),
        resource: if is_transport {
            "transport_event"
        } else {
            "container_updated_event"
        }
        .into(),
        name: if is_transport {
            EventName::VesselArrived
        } else {
            EventName::ContainerUpdated
        },
        container: Some(container),
        shipment: Some(shipment),
        tracking_request: None,
        version: 1,
        slot: slot.map(Into::into),
        created_at: at(i64::try_from(number()).unwrap()),
        invalidated_at: None,
        document: format!("{{\"n\":{}}}", number()),
    }
}

async fn events_stand_until_they_are_invalidated(bench: &Bench) {
    let account = bench.account().await;
    let (container, shipment): (ContainerId, ShipmentId) = (id(), id());
    let mut rows = vec![
        event_row(container, shipment, Some("arrived|USLAX||0")),
        event_row(container, shipment, None),
        event_row(container, shipment, Some("discharged|USLAX||0")),
        event_row(id(), shipment, Some("arrived|USLAX||0")),
    ];
    rows.extend((0..200).map(|_| event_row(id(), shipment, None)));
    let stored = rows.clone();
    bench
        .write(move |tx| event::insert(&mut tx.account(account), &stored))
        .await;
    let standing = bench
        .read(move |tx| event::standing(&mut tx.account(account), container))
        .await;
    assert_eq!(standing, [rows[0].clone(), rows[2].clone()]);
    let gone = Event {
        invalidated_at: Some(at(500)),
        document: "{}".into(),
        ..rows[0].clone()
    };
    let expected = gone.clone();
    assert!(
        bench
            .write(move |tx| event::update(&mut tx.account(account), &gone))
            .await
    );
    let standing = bench
        .read(move |tx| event::standing(&mut tx.account(account), container))
        .await;
    assert_eq!(standing, [rows[2].clone()]);
    let found = bench
        .read(move |tx| event::find(&mut tx.account(account), expected.id))
        .await;
    assert_eq!(found, Some(expected.clone()));
    let ids = bench
        .read(move |tx| event::ids_of_container(&mut tx.account(account), container))
        .await;
    assert_eq!(ids, [rows[0].id, rows[2].id]);
    let records = bench
        .read(move |tx| event::records(&mut tx.account(account), container))
        .await;
    let record = event::Record {
        id: rows[2].id,
        name: rows[2].name,
        slot: rows[2].slot.clone(),
    };
    assert_eq!(records, [record], "transport events that stand");
    let slice = store::Slice {
        offset: 0,
        limit: 10,
    };
    let page = bench
        .read(move |tx| {
            event::page_of_container(
                &mut tx.account(account),
                container,
                store::Order::default(),
                slice,
            )
        })
        .await;
    let found: Vec<_> = page.rows.iter().map(|row| row.document.clone()).collect();
    assert_eq!(
        (page.total, found),
        (2, vec![rows[2].document.clone(), "{}".into()])
    );
}

async fn webhooks_hear_what_they_asked_for(bench: &Bench) {
    let account = bench.account().await;
    let mut rows = [webhook_row(), webhook_row(), webhook_row()];
    rows[0].events = vec![EventName::VesselArrived, EventName::EmptyIn];
    rows[1].active = false;
    rows[2].events = Vec::new();
    let stored = rows.clone();
    bench
        .write(move |tx| {
            stored
                .iter()
                .try_for_each(|row| webhook::insert(&mut tx.account(account), row))
        })
        .await;
    let hears =
        |event| move |tx: &mut store::Tx| webhook::subscribed(&mut tx.account(account), event);
    assert_eq!(bench.read(hears(EventName::EmptyIn)).await, [rows[0].id]);
    assert_eq!(bench.read(hears(EventName::EmptyOut)).await, []);
    let changed = Webhook {
        url: "https://example.com/other".into(),
        active: true,
        headers: vec![1, 2, 3],
        retired: Some(webhook::Retired {
            sealed: vec![3, 2, 1],
            until: at(9),
        }),
        disabled_reason: Some("gone".into()),
        updated_at: at(5),
        ..rows[1].clone()
    };
    let expected = changed.clone();
    assert!(
        bench
            .write(move |tx| webhook::update(&mut tx.account(account), &changed))
            .await
    );
    let id = expected.id;
    let found = bench
        .read(move |tx| webhook::find(&mut tx.account(account), id))
        .await;
    assert_eq!(found, Some(expected.clone()));
    let active = bench
        .read(move |tx| webhook::active(&mut tx.account(account)))
        .await;
    assert_eq!(active, [rows[0].clone(), expected, rows[2].clone()]);
}

async fn a_vessel_is_remembered_once(bench: &Bench) {
    let row = Vessel {
        id: ReferenceId::named("vessel", "9321483"),
        imo: Some("9321483".into()),
        name: None,
        document: "{}".into(),
    };
    let renamed = Vessel {
        name: Some("EVER GIVEN".into()),
        document: "{\"name\":1}".into(),
        ..row.clone()
    };
    let ids = [row.id, ReferenceId::named("vessel", "unknown")];
    bench
        .write(move |tx| vessel::remember(tx, &[row.clone(), renamed.clone()]))
        .await;
    let found = bench.read(move |tx| vessel::known(tx, &ids)).await;
    let told = vessel::Known {
        imo: Some("9321483".into()),
        name: Some("EVER GIVEN".into()),
        mmsi: None,
    };
    assert_eq!(found, [(ids[0], told)].into());
}

/// A vessel that is known, and a message that tells of it.
async fn sighted(bench: &Bench, vessel: ReferenceId, imo: &str) -> RawMessageId {
    let row = Vessel {
        id: vessel,
        imo: Some(imo.into()),
        name: None,
        document: "{}".into(),
    };
    let message = crate::messages::message("", imo.as_bytes());
    let raw = message.id;
    bench
        .write(move |tx| {
            vessel::remember(tx, std::slice::from_ref(&row))?;
            store::raw_message::receive(tx, &message)
        })
        .await;
    raw
}

async fn stops_are_kept_of_known_vessels_some_for_a_while_each_for_whose_they_are(bench: &Bench) {
    let known = ReferenceId::named("vessel", "9703318");
    let unknown = ReferenceId::named("vessel", "9074729");
    let (account, other) = (bench.account().await, bench.account().await);
    let raw = sighted(bench, known, "9703318").await;
    let report = crate::generated::any_report();
    let stop = |vessel, owner, minute: i64| stop::Stop {
        vessel,
        owner,
        at: at(minute * 60),
        raw,
        report: domain::report::Report {
            source_event_id: Some(format!("stop {minute}")),
            ..report.clone()
        },
    };
    let keep = |stops: Vec<stop::Stop>, before: i64| {
        bench.write(move |tx| {
            stop::keep(tx, known, &stops, at(before * 60), |_, _| false)?;
            stop::keep(tx, unknown, &stops, at(before * 60), |_, _| false)
        })
    };
    let kept = |account, since: i64| async move {
        let read = bench.write(move |tx| stop::of_vessel(tx, known, account, at(since * 60)));
        let read = read.await.into_iter();
        let read = read.map(|stop| {
            (
                stop.owner,
                stop.at.duration_since(at(0)).as_secs() / 60,
                stop.raw,
            )
        });
        read.map(|(owner, minute, of)| (owner, minute, of == raw))
            .collect::<Vec<_>>()
    };
    let told = vec![
        stop(known, None, 3),
        stop(known, Some(account), 2),
        stop(known, None, 1),
        stop(known, None, 3),
        stop(unknown, None, 4),
    ];
    let again = told.clone();
    keep(told, 0).await;
    let new = bench.read(move |tx| stop::unknown(tx, &again)).await;
    let new: Vec<_> = new.iter().map(|stop| stop.vessel).collect();
    assert_eq!(new, [unknown], "nobody named it, so nothing of it is kept");
    let all = [(None, 3, true), (Some(account), 2, true), (None, 1, true)];
    assert_eq!(kept(account, 0).await, all);
    assert_eq!(kept(account, 2).await, all[..2]);
    assert_eq!(kept(other, 0).await, [(None, 3, true), (None, 1, true)]);
    // What is old goes with the next one, and so does what is more than is kept.
    keep(vec![stop(known, None, 5)], 2).await;
    assert_eq!(
        kept(other, 0).await,
        [(None, 5, true), (None, 3, true)],
        "one was old"
    );
    let many = i64::from(stop::STOPS_MAX) + 5;
    keep((6..many).map(|n| stop(known, None, n)).collect(), 0).await;
    let left = kept(other, 0).await;
    assert_eq!(left.len(), stop::STOPS_MAX as usize);
    assert_eq!(left.first(), Some(&(None, many - 1, true)));
    assert_eq!(
        bench.rows_of("vessel_stops"),
        i64::from(stop::STOPS_MAX) + 1,
        "those of the account are counted apart"
    );
}

async fn a_stay_that_is_moved_is_kept_where_it_was_moved_to(bench: &Bench) {
    let known = ReferenceId::named("vessel", "9703319");
    let account = bench.account().await;
    let raw = sighted(bench, known, "9703319").await;
    let report = crate::generated::any_report();
    let stop = |owner, quay: &str| stop::Stop {
        vessel: known,
        owner,
        at: at(60),
        raw,
        report: domain::report::Report {
            source_event_id: Some(quay.into()),
            ..report.clone()
        },
    };
    let of = |report: &domain::report::Report| report.source_event_id.clone().unwrap_or_default();
    let keep = |stops: Vec<stop::Stop>| {
        bench.write(move |tx| {
            stop::keep(tx, known, &stops, at(0), |one, other| {
                one.source_event_id != other.source_event_id
            })
        })
    };
    let kept = || async move {
        let read = bench.write(move |tx| stop::kept(tx, known, account, at(0)));
        let mut read: Vec<_> = (read.await.iter())
            .map(|stop| (stop.owner.is_some(), of(&stop.report)))
            .collect();
        read.sort();
        read
    };
    keep(vec![stop(None, "A"), stop(Some(account), "A")]).await;
    keep(vec![stop(None, "B")]).await;
    let told = |owned: bool, quay: &str| (owned, quay.to_owned());
    assert_eq!(kept().await, [told(false, "B"), told(true, "A")]);
    keep(vec![stop(None, "B"), stop(None, "A")]).await;
    assert_eq!(
        kept().await,
        [told(false, "A"), told(true, "A")],
        "and back"
    );
}

async fn sightings_are_kept_of_known_vessels_and_for_a_while(bench: &Bench) {
    let known = ReferenceId::named("vessel", "9703318");
    let unknown = ReferenceId::named("vessel", "9074729");
    let row = Vessel {
        id: known,
        imo: Some("9703318".into()),
        name: Some("QUAY STAR".into()),
        document: "{}".into(),
    };
    bench
        .write(move |tx| vessel::remember(tx, std::slice::from_ref(&row)))
        .await;
    let seen = |minute: i64, longitude: f64| Position {
        at: at(minute * 60),
        point: Point {
            latitude: -33.123_456,
            longitude,
        },
        heading: Some(271.5),
        speed_knots: None,
    };
    let said = |minute, longitude, moored| Seen {
        position: seen(minute, longitude),
        moored,
    };
    let told = vec![
        (known, said(3, 179.999_999, Some(true))),
        (known, said(1, 10.0, None)),
        (known, said(2, 20.0, Some(false))),
        (known, said(1, 99.0, Some(true))),
        (unknown, said(1, 10.0, None)),
    ];
    let written = bench.write(move |tx| position::record(tx, &told)).await;
    assert_eq!(written, 3, "the first word of a minute stands");
    let read = move |from: i64, to: i64| {
        bench.read(move |tx| position::between(tx, known, at(from * 60), at(to * 60)))
    };
    assert_eq!(
        read(1, 3).await,
        [seen(1, 10.0), seen(2, 20.0), seen(3, 179.999_999)]
    );
    assert_eq!(read(2, 2).await, [seen(2, 20.0)]);
    let track = bench
        .read(move |tx| position::track(tx, known, at(60), at(3 * 60)))
        .await;
    let states: Vec<Option<bool>> = track.iter().map(|seen| seen.moored).collect();
    assert_eq!(states, [None, Some(false), Some(true)]);
    let last = bench
        .read(move |tx| position::last(tx, &[known, unknown]))
        .await;
    assert_eq!(last.len(), 1);
    assert_eq!(last[&known], seen(1, 10.0), "half the world in two minutes");
    let gone = bench
        .write(move |tx| position::forget(tx, &[known], at(3 * 60)))
        .await;
    assert_eq!(gone, 2);
    bench
        .write(move |tx| vessel::identify(tx, &[word("636019825", known, 1)]))
        .await;
    let found = bench.read(move |tx| vessel::find(tx, known)).await.unwrap();
    assert_eq!(found.mmsi.as_deref(), Some("636019825"));
    assert_eq!(bench.read(move |tx| vessel::find(tx, unknown)).await, None);
}

async fn a_vessel_knows_the_boxes_of_each_account(bench: &Bench) {
    let (ours, theirs) = (bench.account().await, bench.account().await);
    let ship = ReferenceId::named("vessel", "9703318");
    let bill = bench.shipment(ours).await;
    let mut boxes = [container_row(bill), container_row(bill)];
    let lading = UnLocode::parse("CNSHA").unwrap();
    boxes[0].state.journey.port_of_lading = Some(lading);
    let rows = boxes.clone();
    bench
        .write(move |tx| {
            rows.iter()
                .try_for_each(|row| container::insert(&mut tx.account(ours), row))
        })
        .await;
    for container in boxes.clone().map(|row| row.id) {
        let carries = move |tx: &mut store::Tx| {
            vessel::carries(
                &mut tx.account(ours),
                &[(container, ship), (container, ship)],
            )
        };
        bench.write(carries).await;
        bench.write(carries).await;
    }
    let carried = move |account, limit| {
        bench.read(move |tx| vessel::carried(&mut tx.account(account), ship, limit))
    };
    boxes.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
    let newest_first = boxes.map(|row| Carried {
        container: row.id,
        shipment: bill,
        pol: row.state.journey.port_of_lading,
        pod: None,
    });
    assert_eq!(carried(ours, 9).await, newest_first);
    assert_eq!(carried(ours, 1).await, newest_first[..1]);
    assert!(carried(theirs, 9).await.is_empty());
    let aboard = bench.read(move |tx| vessel::aboard(tx, ship, 1)).await;
    assert_eq!(aboard, [(ours, newest_first[0].container)]);
}

fn word(mmsi: &str, vessel: ReferenceId, day: i64) -> vessel::RadioWord {
    vessel::RadioWord {
        mmsi: mmsi.into(),
        vessel,
        at: at(day * 86_400),
    }
}

async fn a_radio_speaks_for_the_vessel_that_it_named_last(bench: &Bench) {
    let ship = ReferenceId::named("vessel", "9703319");
    let other = ReferenceId::named("vessel", "nobody follows this one");
    let row = Vessel {
        id: ship,
        imo: Some("9703319".into()),
        name: None,
        document: "{}".into(),
    };
    bench
        .write(move |tx| vessel::remember(tx, std::slice::from_ref(&row)))
        .await;
    let heard = |words: Vec<vessel::RadioWord>| {
        bench.write(move |tx| {
            vessel::identify(tx, &words)?;
            let asked = ["211000001", "211000002", "211000003"].map(str::to_owned);
            let radios = vessel::of_radios(tx, &asked)?.into_iter();
            let radios: HashMap<_, _> = radios.map(|(mmsi, word)| (mmsi, word.vessel)).collect();
            Ok::<_, store::Error>((radios, vessel::find(tx, ship)?.and_then(|it| it.mmsi)))
        })
    };
    let (first, second) = ("211000002".to_owned(), "211000003".to_owned());
    let (radios, shown) = heard(vec![word(&first, ship, 10)]).await;
    assert_eq!(radios, [(first.clone(), ship)].into());
    assert_eq!(shown, Some(first.clone()));
    let (radios, shown) = heard(vec![word(&first, other, 20)]).await;
    assert_eq!(radios, [].into(), "it passed on to one that nobody follows");
    assert_eq!(shown, None);
    let (radios, _) = heard(vec![word(&first, ship, 15)]).await;
    assert_eq!(radios, [].into(), "an older word");
    let both = vec![word(&first, ship, 30), word(&second, ship, 25)];
    let (radios, shown) = heard(both).await;
    assert_eq!(radios, [(first.clone(), ship), (second, ship)].into());
    assert_eq!(shown, Some(first.clone()), "the one that named it last");
    let again = vec![word(&first, ship, 30), word("211000004", other, 30)];
    let news = bench.read(move |tx| vessel::news(tx, &again)).await;
    assert_eq!(news, [word("211000004", other, 30)]);
    heard(news).await;
    let forgotten = |day: i64| {
        bench.write(move |tx| {
            let before = at(day * 86_400);
            let ours = ["211000002", "211000003", "211000004"].map(str::to_owned);
            let mut silent = vessel::silent_radios(tx, before, 1_000)?;
            silent.retain(|radio| ours.contains(radio));
            Ok::<_, store::Error>((
                vessel::forget_radios(tx, &silent, before)?,
                vessel::forget_radios(tx, &ours, at(0))?,
            ))
        })
    };
    assert_eq!(forgotten(30).await, (0, 0), "it said something then");
    assert_eq!(
        forgotten(31).await,
        (1, 0),
        "of the one that nobody follows"
    );
    assert_eq!(forgotten(31).await, (0, 0));
}
