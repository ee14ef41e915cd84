//! What lists promise: order, filters, pages and totals.

use domain::codes::Scac;
use domain::container::CurrentStatus;
use domain::event::EventName;
use domain::ids::{AccountId, ContainerId};
use domain::tracking_request::{NumberKind, RequestStatus};
use domain::webhook::DeliveryStatus;
use store::container::{self, Container, ContainerFilter};
use store::notification::{self, NotificationFilter};
use store::shipment::{self, Shipment, ShipmentFilter};
use store::tracking_request::{self, RequestFilter, TrackingRequest};
use store::{Page, Slice, webhook};
use uuid::Uuid;

use crate::bench::{
    Bench, at, container_row, id, notification_row, request_row, shipment_row, webhook_row,
};

on_both_engines!(
    lists_run_from_the_newest_and_pages_fit_together,
    requests_are_filtered,
    a_search_takes_wildcards_and_quotes_as_they_are,
    containers_are_filtered,
    shipments_are_filtered,
    notifications_are_filtered,
    webhooks_are_listed,
    documents_come_in_the_order_of_the_ids,
);

const ALL: Slice = Slice {
    offset: 0,
    limit: 100,
};

fn found<T>(page: &Page<store::Listed>, ids: &[T]) -> Vec<usize>
where
    T: Copy + Into<Uuid>,
{
    assert_eq!(page.total, page.rows.len() as u64);
    let place = |row: &store::Listed| ids.iter().position(|id| (*id).into() == row.id).unwrap();
    let mut found: Vec<usize> = page.rows.iter().map(place).collect();
    found.sort_unstable();
    found
}

async fn lists_run_from_the_newest_and_pages_fit_together(bench: &Bench) {
    let account = bench.account().await;
    let shipment = bench.shipment(account).await;
    let mut rows: Vec<Container> = (0..25)
        .map(|n| Container {
            // Some are created at the same time: the id decides.
            created_at: at(n % 7),
            document: format!("{{\"n\":{n}}}"),
            ..container_row(shipment)
        })
        .collect();
    let stored = rows.clone();
    bench
        .write(move |tx| {
            stored
                .iter()
                .try_for_each(|row| container::insert(&mut tx.account(account), row))
        })
        .await;
    rows.sort_by_key(|row| std::cmp::Reverse((row.created_at, row.id)));
    let expected: Vec<String> = rows.into_iter().map(|row| row.document).collect();
    let mut listed = Vec::new();
    for offset in [0, 10, 20, 30] {
        let slice = Slice { offset, limit: 10 };
        let page = bench
            .read(move |tx| {
                container::page(&mut tx.account(account), &ContainerFilter::default(), slice)
            })
            .await;
        assert_eq!(page.total, 25);
        listed.extend(page.rows.into_iter().map(|row| row.document));
    }
    assert_eq!(listed, expected);
}

async fn requests(bench: &Bench, account: AccountId, filter: RequestFilter) -> Page<store::Listed> {
    bench
        .read(move |tx| tracking_request::page(&mut tx.account(account), &filter, ALL))
        .await
}

async fn requests_are_filtered(bench: &Bench) {
    let account = bench.account().await;
    let mut rows: Vec<TrackingRequest> = (0..4).map(|_| request_row()).collect();
    rows[0].progress.status = RequestStatus::Failed;
    rows[1].progress.kind = NumberKind::Booking;
    rows[1].progress.created_at = at(100);
    rows[2].scac = Some(Scac::parse("ONEY").unwrap());
    rows[2].updated_at = at(200);
    rows[3].progress.status = RequestStatus::TrackingStopped;
    rows[3].ref_numbers = vec!["PO-4711".into()];
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
    let number = rows[2].number.clone();
    bench
        .write(move |tx| {
            rows.iter()
                .try_for_each(|row| tracking_request::insert(&mut tx.account(account), row))
        })
        .await;
    let all = RequestFilter::default();
    let statuses = |statuses: &[RequestStatus]| RequestFilter {
        statuses: statuses.to_vec(),
        ..RequestFilter::default()
    };
    let cases: Vec<(RequestFilter, &[usize])> = vec![
        (all.clone(), &[0, 1, 2, 3]),
        (statuses(&[RequestStatus::Failed]), &[0]),
        (
            statuses(&[
                RequestStatus::Failed,
                RequestStatus::TrackingStopped,
                RequestStatus::Succeeded,
            ]),
            &[0, 3],
        ),
        (
            RequestFilter {
                kind: Some(NumberKind::Booking),
                ..all.clone()
            },
            &[1],
        ),
        (
            RequestFilter {
                scac: Scac::parse("ONEY").ok(),
                ..all.clone()
            },
            &[2],
        ),
        (
            RequestFilter {
                number: Some(number.clone()),
                ..all.clone()
            },
            &[2],
        ),
        (
            RequestFilter {
                created: (Some(at(100)), None),
                ..all.clone()
            },
            &[1],
        ),
        (
            RequestFilter {
                created: (None, Some(at(99))),
                ..all.clone()
            },
            &[0, 2, 3],
        ),
        (
            RequestFilter {
                updated: (Some(at(150)), Some(at(200))),
                ..all.clone()
            },
            &[2],
        ),
        (
            RequestFilter {
                q: Some("po-47".into()),
                ..all.clone()
            },
            &[3],
        ),
        (
            RequestFilter {
                q: Some(number.to_lowercase()),
                ..all.clone()
            },
            &[2],
        ),
        (
            RequestFilter {
                q: Some("nothing".into()),
                ..all.clone()
            },
            &[],
        ),
    ];
    for (filter, expected) in cases {
        let page = requests(bench, account, filter.clone()).await;
        assert_eq!(found(&page, &ids), expected, "{filter:?}");
    }
}

async fn a_search_takes_wildcards_and_quotes_as_they_are(bench: &Bench) {
    let account = bench.account().await;
    let texts = [
        "100%",
        "1000",
        "a_b",
        "a!b",
        "axb",
        "say \"hi\"",
        "back\\slash",
        "Ünïcode",
    ];
    let rows: Vec<TrackingRequest> = texts
        .iter()
        .map(|text| TrackingRequest {
            ref_numbers: vec![(*text).into()],
            ..request_row()
        })
        .collect();
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
    bench
        .write(move |tx| {
            rows.iter()
                .try_for_each(|row| tracking_request::insert(&mut tx.account(account), row))
        })
        .await;
    let sought = [
        ("0%", 0),
        ("a_b", 2),
        ("a!b", 3),
        ("y \"H", 5),
        ("k\\s", 6),
        ("nïcod", 7),
    ];
    for (text, expected) in sought {
        let filter = RequestFilter {
            q: Some(text.into()),
            ..RequestFilter::default()
        };
        let page = requests(bench, account, filter).await;
        assert_eq!(found(&page, &ids), [expected], "{text}");
    }
}

async fn containers_are_filtered(bench: &Bench) {
    let account = bench.account().await;
    let (one, other) = (bench.shipment(account).await, bench.shipment(account).await);
    let mut rows = [container_row(one), container_row(one), container_row(other)];
    rows[0].state.status = CurrentStatus::OnShip;
    rows[1].state.status = CurrentStatus::PickedUp;
    let ids = rows.clone().map(|row| row.id.0);
    let number = rows[2].number;
    bench
        .write(move |tx| {
            rows.iter()
                .try_for_each(|row| container::insert(&mut tx.account(account), row))
        })
        .await;
    let all = ContainerFilter::default();
    let statuses = |statuses: &[&str]| ContainerFilter {
        statuses: statuses.iter().map(|status| (*status).into()).collect(),
        ..ContainerFilter::default()
    };
    let cases: Vec<(ContainerFilter, &[usize])> = vec![
        (all.clone(), &[0, 1, 2]),
        (statuses(&["on_ship"]), &[0]),
        (statuses(&["on_ship", "new", "dropped"]), &[0, 2]),
        (
            ContainerFilter {
                shipment: Some(one),
                ..all.clone()
            },
            &[0, 1],
        ),
        (
            ContainerFilter {
                number: Some(number),
                ..all.clone()
            },
            &[2],
        ),
        (
            ContainerFilter {
                number: Some(number),
                shipment: Some(one),
                ..all
            },
            &[],
        ),
    ];
    for (filter, expected) in cases {
        let asked = filter.clone();
        let page = bench
            .read(move |tx| container::page(&mut tx.account(account), &asked, ALL))
            .await;
        assert_eq!(found(&page, &ids), expected, "{filter:?}");
    }
}

async fn shipments_are_filtered(bench: &Bench) {
    let account = bench.account().await;
    let mut rows = [shipment_row(), shipment_row(), shipment_row()];
    rows[0].stopped = Some((at(5), "account_request".into()));
    rows[1].ref_numbers = vec!["Blue".into()];
    let ids = rows.clone().map(|row| row.id.0);
    let number = rows[0].number.clone();
    let container = container_row(rows[2].id);
    let of_container = container.number.as_str().to_lowercase();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            rows.iter()
                .try_for_each(|row: &Shipment| shipment::insert(&mut a, row))?;
            container::insert(&mut a, &container)
        })
        .await;
    let all = ShipmentFilter::default();
    let cases: Vec<(ShipmentFilter, &[usize])> = vec![
        (all.clone(), &[0, 1, 2]),
        (
            ShipmentFilter {
                tracking_stopped: Some(true),
                ..all.clone()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                tracking_stopped: Some(false),
                ..all.clone()
            },
            &[1, 2],
        ),
        (
            ShipmentFilter {
                number: Some(number),
                ..all.clone()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                q: Some("bLUE".into()),
                ..all.clone()
            },
            &[1],
        ),
        (
            ShipmentFilter {
                q: Some(of_container),
                ..all.clone()
            },
            &[2],
        ),
    ];
    for (filter, expected) in cases {
        let asked = filter.clone();
        let page = bench
            .read(move |tx| shipment::page(&mut tx.account(account), &asked, ALL))
            .await;
        assert_eq!(found(&page, &ids), expected, "{filter:?}");
    }
}

async fn notifications_are_filtered(bench: &Bench) {
    let account = bench.account().await;
    let (one, other) = (bench.webhook(account).await, bench.webhook(account).await);
    let key: Uuid = id();
    let mut rows = [
        notification_row(one, key, 1),
        notification_row(one, id(), 2),
        notification_row(other, id(), 3),
    ];
    rows[1].0.event = EventName::EmptyIn;
    rows[1].0.created_at = at(50);
    rows[2].0.status = DeliveryStatus::Failed;
    let ids = rows.clone().map(|row| row.0.id);
    let stored = rows.clone();
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &stored))
        .await;
    let all = NotificationFilter::default();
    let cases: Vec<(NotificationFilter, &[usize])> = vec![
        (all.clone(), &[1, 2, 0]),
        (
            NotificationFilter {
                status: Some(DeliveryStatus::Failed),
                ..all.clone()
            },
            &[2],
        ),
        (
            NotificationFilter {
                event: Some(EventName::EmptyIn),
                ..all.clone()
            },
            &[1],
        ),
        (
            NotificationFilter {
                webhook: Some(one),
                ..all.clone()
            },
            &[1, 0],
        ),
        (
            NotificationFilter {
                container: Some(ContainerId(key)),
                ..all.clone()
            },
            &[0],
        ),
        (
            NotificationFilter {
                created: (Some(at(1)), None),
                ..all.clone()
            },
            &[1],
        ),
    ];
    for (filter, expected) in cases {
        let asked = filter.clone();
        let page = bench
            .read(move |tx| notification::page(&mut tx.account(account), &asked, ALL))
            .await;
        let found: Vec<_> = page.rows.iter().map(|row| row.id).collect();
        let expected: Vec<_> = expected.iter().map(|place| ids[*place]).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

async fn webhooks_are_listed(bench: &Bench) {
    let account = bench.account().await;
    let mut rows = [webhook_row(), webhook_row(), webhook_row()];
    rows[1].created_at = at(9);
    let stored = rows.clone();
    bench
        .write(move |tx| {
            stored
                .iter()
                .try_for_each(|row| webhook::insert(&mut tx.account(account), row))
        })
        .await;
    let slice = Slice {
        offset: 1,
        limit: 5,
    };
    let page = bench
        .read(move |tx| webhook::page(&mut tx.account(account), slice))
        .await;
    assert_eq!(page.total, 3);
    assert_eq!(page.rows, [rows[2].clone(), rows[0].clone()]);
}

async fn documents_come_in_the_order_of_the_ids(bench: &Bench) {
    let account = bench.account().await;
    let shipment = bench.shipment(account).await;
    let rows: Vec<Container> = (0..300)
        .map(|n| Container {
            document: n.to_string(),
            ..container_row(shipment)
        })
        .collect();
    let mut ids: Vec<ContainerId> = rows.iter().rev().map(|row| row.id).collect();
    bench
        .write(move |tx| {
            rows.iter()
                .try_for_each(|row| container::insert(&mut tx.account(account), row))
        })
        .await;
    ids.insert(7, id());
    let found = bench
        .read(move |tx| container::documents(&mut tx.account(account), &ids))
        .await;
    let found: Vec<String> = found.into_iter().map(|row| row.document).collect();
    let expected: Vec<String> = (0..300).rev().map(|n| n.to_string()).collect();
    assert_eq!(found, expected);
}
