//! What lists promise: order, filters, pages and totals.

use domain::codes::{ContainerNumber, EquipmentHeight, Scac, UnLocode};
use domain::container::{ContainerState, CurrentStatus, LastFreeDay};
use domain::event::EventName;
use domain::ids::{AccountId, ContainerId, PartyId};
use domain::tracking_request::{NumberKind, RequestStatus};
use domain::webhook::{DeliveryStatus, Verdict};
use store::container::{self, Container, ContainerFilter};
use store::notification::{self, NotificationFilter};
use store::search::Found;
use store::shipment::{self, Shipment, ShipmentFilter};
use store::tracking_request::{self, RequestFilter, TrackingRequest};
use store::{By, Error, Order, Page, Slice, webhook};
use uuid::Uuid;

use crate::bench::{
    Bench, at, begin, container_row, id, notification_row, request_row, shipment_row, webhook_row,
};
use crate::deliveries::end;

on_both_engines!(
    lists_run_from_the_newest_and_pages_fit_together,
    requests_are_filtered,
    a_search_takes_wildcards_and_quotes_as_they_are,
    containers_are_filtered,
    shipments_are_filtered,
    notifications_are_filtered,
    webhooks_are_listed,
    documents_come_in_the_order_of_the_ids,
    every_order_has_pages_that_fit_together_from_both_ends,
    lengths_are_kept_whatever_becomes_of_the_use_case,
    boxes_are_found_by_what_is_known_of_them,
    shipments_are_found_by_what_is_known_of_them,
    one_statement_or_several_see_one_truth,
    what_is_searched_comes_in_one_order_and_follows_its_changes,
    every_reference_and_tag_is_found_by_the_whole_of_it,
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
                numbers: vec![number.clone(), "NOBODYS".into()],
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
    let [other_number, _, number] = rows.clone().map(|row| row.number);
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
                numbers: Some(vec![number]),
                ..all.clone()
            },
            &[2],
        ),
        (
            ContainerFilter {
                numbers: Some(vec![number, other_number, number]),
                ..all.clone()
            },
            &[0, 2],
        ),
        (
            ContainerFilter {
                numbers: Some(vec![]),
                ..all.clone()
            },
            &[],
        ),
        (
            ContainerFilter {
                numbers: Some(vec![number]),
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
    let normalized = rows[1].normalized_number.clone();
    let nobodys = || "NOBODYS".to_owned();
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
                number: Some((number, nobodys())),
                ..all.clone()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                number: Some((nobodys(), normalized)),
                ..all.clone()
            },
            &[1],
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
    let ids = rows.clone().map(|row| row.0.id);
    let stored = rows.clone();
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &stored))
        .await;
    end(bench, ids[1], Verdict::Succeeded).await;
    end(bench, ids[2], Verdict::Failed).await;
    let of_status = |status| NotificationFilter {
        status: Some(status),
        ..NotificationFilter::default()
    };
    let all = NotificationFilter::default();
    let cases: Vec<(NotificationFilter, &[usize])> = vec![
        (all.clone(), &[1, 2, 0]),
        (of_status(DeliveryStatus::Pending), &[0]),
        (of_status(DeliveryStatus::Succeeded), &[1]),
        (of_status(DeliveryStatus::Failed), &[2]),
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

/// Lists of 60 containers with equal times, days and numbers among them, read by pages of several sizes.
async fn every_order_has_pages_that_fit_together_from_both_ends(bench: &Bench) {
    let account = bench.account().await;
    let mut rows: Vec<Container> = Vec::new();
    for n in 0..60 {
        let mut row = container_row(bench.shipment(account).await);
        row.created_at = at(n % 7);
        row.updated_at = at(n % 5);
        row.number = ContainerNumber::parse(&format!("MSCU00000{}", n % 10)).unwrap();
        let day = |n| LastFreeDay {
            date: jiff::civil::date(2026, 3, n),
            zone: Some("America/Los_Angeles".into()),
        };
        row.state.pickup.lfd_line = i8::try_from(n % 4).ok().filter(|n| *n > 0).map(day);
        rows.push(row);
    }
    let stored = rows.clone();
    bench
        .write(move |tx| {
            stored
                .iter()
                .try_for_each(|row| container::insert(&mut tx.account(account), row))
        })
        .await;
    let last_free_day = |row: &Container| {
        let day = row.state.pickup.last_free_day().map(LastFreeDay::instant);
        (day.is_none(), day)
    };
    for by in [By::CreatedAt, By::UpdatedAt, By::PickupLfd, By::Number] {
        for ascending in [false, true] {
            rows.sort_by(|a, b| match by {
                By::CreatedAt => (a.created_at, a.id).cmp(&(b.created_at, b.id)),
                By::UpdatedAt => (a.updated_at, a.id).cmp(&(b.updated_at, b.id)),
                By::PickupLfd => (last_free_day(a), a.id).cmp(&(last_free_day(b), b.id)),
                By::Number => {
                    let newest = (b.created_at, b.id).cmp(&(a.created_at, a.id));
                    a.number.cmp(&b.number).then(newest)
                }
            });
            if !ascending {
                rows.reverse();
            }
            let order = Order { by, ascending };
            let whole: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
            let all = ContainerFilter {
                order,
                ..ContainerFilter::default()
            };
            // A condition that leaves everything takes another way to the same rows.
            let filtered = ContainerFilter {
                statuses: vec!["new".into(), "on_ship".into()],
                updated: Some(vec![(Some(at(0)), None)]),
                ..all.clone()
            };
            for filter in [all, filtered] {
                assert_eq!(walk(bench, account, &filter, 7).await, whole, "{filter:?}");
                assert_eq!(walk(bench, account, &filter, 25).await, whole, "{filter:?}");
            }
        }
    }
}

/// The ids of all pages, one after the other, and one page beyond the end.
async fn walk(
    bench: &Bench,
    account: AccountId,
    filter: &ContainerFilter,
    limit: u32,
) -> Vec<Uuid> {
    let mut walked = Vec::new();
    for page in 0..=60 / limit + 1 {
        let offset = u64::from(page * limit);
        let (asked, slice) = (filter.clone(), Slice { offset, limit });
        let page = bench
            .read(move |tx| container::page(&mut tx.account(account), &asked, slice))
            .await;
        assert_eq!(page.total, 60);
        walked.extend(page.rows.into_iter().map(|row| row.id));
    }
    walked
}

async fn length(bench: &Bench, account: AccountId) -> u64 {
    let all = RequestFilter::default();
    requests(bench, account, all).await.total
}

/// A use case that fails, one that runs beside it and one that is refused by the engine: only what stands counts.
async fn lengths_are_kept_whatever_becomes_of_the_use_case(bench: &Bench) {
    let account = bench.account().await;
    let other = bench.account().await;
    let row = request_row();
    let twice = row.clone();
    bench
        .write(move |tx| tracking_request::insert(&mut tx.account(account), &twice))
        .await;
    let mut waiting = Vec::new();
    for n in 0..40 {
        let (again, fresh, foreign) = (row.clone(), request_row(), request_row());
        let key = store::Key::account(if n % 3 == 0 { other } else { account });
        let store = bench.store.clone();
        waiting.push(begin(async move {
            store
                .write(key, move |tx| {
                    tracking_request::insert(&mut tx.account(other), &foreign)?;
                    tracking_request::insert(&mut tx.account(account), &fresh)?;
                    let seen = tracking_request::page(
                        &mut tx.account(account),
                        &RequestFilter::default(),
                        ALL,
                    )?;
                    assert_eq!(seen.total, seen.rows.len() as u64, "one's own rows count");
                    match n % 4 {
                        0 => Err(Error::Refused("by the use case".into())),
                        1 => tracking_request::insert(&mut tx.account(account), &again),
                        _ => Ok(()),
                    }
                })
                .await
        }));
    }
    let mut stand = 0;
    for waiting in waiting {
        stand += u64::from(waiting.await.unwrap().is_ok());
    }
    assert_eq!(stand, 20);
    assert_eq!(length(bench, account).await, stand + 1);
    assert_eq!(length(bench, other).await, stand);
}

async fn boxes_are_found_by_what_is_known_of_them(bench: &Bench) {
    let account = bench.account().await;
    let party: PartyId = id();
    let mut of_customer = shipment_row();
    of_customer.customer = Some(party);
    let mut stopped = shipment_row();
    stopped.stopped = Some((at(5), "cancelled_by_user".into()));
    stopped.scac = Scac::parse("ONEY").unwrap();
    let plain = bench.shipment(account).await;
    let mut rows = [
        container_row(plain),
        container_row(of_customer.id),
        container_row(of_customer.id),
        container_row(stopped.id),
    ];
    rows[0].customer = Some(party);
    rows[0].state.journey.port_of_lading = UnLocode::parse("CNSHA").ok();
    rows[0].state.pickup.available = Some(true);
    rows[1].customer = Some(id());
    rows[1].state.journey.port_of_discharge = UnLocode::parse("USLAX").ok();
    rows[1].state.pickup.available = Some(false);
    rows[1].state.size_type.height = Some(EquipmentHeight::HighCube);
    rows[2].state.journey.port_of_discharge = UnLocode::parse("USOAK").ok();
    rows[2].state.pickup.lfd_terminal = Some(LastFreeDay {
        date: jiff::civil::date(2026, 3, 5),
        zone: None,
    });
    rows[2].state.status = CurrentStatus::OnShip;
    rows[3].updated_at = at(70);
    rows[3].created_at = at(60);
    let ids = rows.clone().map(|row| row.id.0);
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            shipment::insert(&mut a, &of_customer)?;
            shipment::insert(&mut a, &stopped)?;
            // What is known comes with a later change as well as at the beginning.
            for (place, row) in rows.iter().enumerate() {
                let first = Container {
                    state: if place % 2 == 0 {
                        ContainerState::unknown(row.number)
                    } else {
                        row.state.clone()
                    },
                    ..row.clone()
                };
                container::insert(&mut a, &first)?;
                container::update(&mut a, row)?;
            }
            Ok(())
        })
        .await;
    let all = ContainerFilter::default;
    let ports = |codes: &[&str]| {
        codes
            .iter()
            .map(|code| UnLocode::parse(code).unwrap())
            .collect::<Vec<_>>()
    };
    let lfd = |text: &str| Some(text.parse().unwrap());
    let cases: Vec<(ContainerFilter, &[usize])> = vec![
        (
            ContainerFilter {
                scacs: vec![Scac::parse("ONEY").unwrap()],
                ..all()
            },
            &[3],
        ),
        (
            ContainerFilter {
                scacs: vec![Scac::parse("MSCU").unwrap()],
                ..all()
            },
            &[0, 1, 2],
        ),
        (
            ContainerFilter {
                ports_of_lading: ports(&["CNSHA", "CNNGB"]),
                ..all()
            },
            &[0],
        ),
        (
            ContainerFilter {
                ports_of_discharge: ports(&["USLAX", "USOAK"]),
                ..all()
            },
            &[1, 2],
        ),
        (
            ContainerFilter {
                ports_of_discharge: ports(&["USLAX", "USOAK"]),
                statuses: vec!["on_ship".into()],
                ..all()
            },
            &[2],
        ),
        (
            ContainerFilter {
                available: Some(true),
                ..all()
            },
            &[0],
        ),
        (
            ContainerFilter {
                available: Some(false),
                ..all()
            },
            &[1],
        ),
        (
            ContainerFilter {
                heights: vec![EquipmentHeight::HighCube],
                ..all()
            },
            &[1],
        ),
        (
            ContainerFilter {
                pickup_lfd: Some(vec![(lfd("2026-03-05T00:00:00Z"), None)]),
                ..all()
            },
            &[2],
        ),
        (
            ContainerFilter {
                pickup_lfd: Some(vec![(lfd("2026-03-05T00:00:01Z"), None)]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                pickup_lfd: Some(vec![(None, lfd("2026-03-05T00:00:00Z"))]),
                ..all()
            },
            &[2],
        ),
        (
            ContainerFilter {
                pickup_lfd: Some(vec![
                    (None, lfd("2026-03-01T00:00:00Z")),
                    (lfd("2026-03-04T00:00:00Z"), lfd("2026-03-04T23:59:59Z")),
                    (lfd("2026-03-05T00:00:00Z"), lfd("2026-03-05T23:59:59Z")),
                ]),
                ..all()
            },
            &[2],
        ),
        (
            ContainerFilter {
                pickup_lfd: Some(vec![
                    (None, lfd("2026-03-01T00:00:00Z")),
                    (lfd("2026-03-06T00:00:00Z"), None),
                ]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                pickup_lfd: Some(vec![]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                has_pickup_lfd: Some(true),
                ..all()
            },
            &[2],
        ),
        (
            ContainerFilter {
                has_pickup_lfd: Some(false),
                ..all()
            },
            &[0, 1, 3],
        ),
        (
            ContainerFilter {
                has_pickup_lfd: Some(false),
                pickup_lfd: Some(vec![(None, lfd("2026-03-05T00:00:00Z"))]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                has_pickup_lfd: Some(false),
                pickup_lfd: Some(vec![(lfd("2026-03-05T00:00:00Z"), None)]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                has_port_of_discharge: Some(true),
                ..all()
            },
            &[1, 2],
        ),
        (
            ContainerFilter {
                has_port_of_discharge: Some(false),
                has_port_of_lading: Some(true),
                ..all()
            },
            &[0],
        ),
        (
            ContainerFilter {
                has_port_of_lading: Some(false),
                ..all()
            },
            &[1, 2, 3],
        ),
        (
            ContainerFilter {
                created: Some(vec![(Some(at(1)), None)]),
                ..all()
            },
            &[3],
        ),
        (
            ContainerFilter {
                updated: Some(vec![(Some(at(70)), Some(at(70)))]),
                ..all()
            },
            &[3],
        ),
        (
            ContainerFilter {
                updated: Some(vec![(None, Some(at(69)))]),
                ..all()
            },
            &[0, 1, 2],
        ),
        (
            ContainerFilter {
                created: Some(vec![
                    (Some(at(1)), Some(at(2))),
                    (Some(at(60)), Some(at(61))),
                ]),
                updated: Some(vec![(None, Some(at(1))), (Some(at(70)), None)]),
                ..all()
            },
            &[3],
        ),
        (
            ContainerFilter {
                created: Some(vec![]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                customers: Some(vec![party]),
                ..all()
            },
            &[0, 2],
        ),
        (
            ContainerFilter {
                customers: Some(vec![]),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                tracking_stopped: Some(true),
                ..all()
            },
            &[3],
        ),
        (
            ContainerFilter {
                tracking_stopped: Some(false),
                ..all()
            },
            &[0, 1, 2],
        ),
    ];
    for (filter, expected) in cases {
        for by in [By::CreatedAt, By::UpdatedAt, By::PickupLfd] {
            let order = Order {
                by,
                ascending: true,
            };
            let asked = ContainerFilter {
                order,
                ..filter.clone()
            };
            let page = bench
                .read(move |tx| container::page(&mut tx.account(account), &asked, ALL))
                .await;
            assert_eq!(found(&page, &ids), expected, "{filter:?}");
        }
    }
}

async fn shipments_are_found_by_what_is_known_of_them(bench: &Bench) {
    let account = bench.account().await;
    let party: PartyId = id();
    let mut rows = [shipment_row(), shipment_row(), shipment_row()];
    rows[0].state.port_of_lading = UnLocode::parse("CNSHA").ok();
    rows[0].state.pod_eta = Some(at(100));
    rows[0].tags = vec!["Rush".into(), "50% off".into()];
    rows[1].state.port_of_discharge = UnLocode::parse("USLAX").ok();
    rows[1].state.pod_ata = Some(at(200));
    rows[1].state.pod_eta = Some(at(10));
    rows[1].customer = Some(party);
    rows[2].scac = Scac::parse("ONEY").unwrap();
    rows[2].ref_numbers = vec!["PO 77".into()];
    rows[2].updated_at = at(300);
    let ids = rows.clone().map(|row| row.id.0);
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            for row in &rows {
                let first = Shipment {
                    state: domain::shipment::ShipmentState::default(),
                    ..row.clone()
                };
                shipment::insert(&mut a, &first)?;
                shipment::update(&mut a, row)?;
            }
            Ok(())
        })
        .await;
    let all = ShipmentFilter::default;
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    let cases: Vec<(ShipmentFilter, &[usize])> = vec![
        (
            ShipmentFilter {
                ports_of_lading: vec![UnLocode::parse("CNSHA").unwrap()],
                ..all()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                ports_of_discharge: vec![UnLocode::parse("USLAX").unwrap()],
                ..all()
            },
            &[1],
        ),
        (
            ShipmentFilter {
                scacs: vec![Scac::parse("ONEY").unwrap()],
                ..all()
            },
            &[2],
        ),
        (
            ShipmentFilter {
                pod_eta: (Some(at(50)), None),
                ..all()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                pod_ata: Some(vec![(Some(at(200)), Some(at(200)))]),
                ..all()
            },
            &[1],
        ),
        (
            ShipmentFilter {
                pod_ata: Some(vec![(None, Some(at(100))), (Some(at(201)), None)]),
                ..all()
            },
            &[],
        ),
        (
            ShipmentFilter {
                has_pod_ata: Some(true),
                ..all()
            },
            &[1],
        ),
        (
            ShipmentFilter {
                has_pod_ata: Some(false),
                ..all()
            },
            &[0, 2],
        ),
        (
            ShipmentFilter {
                created: Some(vec![]),
                ..all()
            },
            &[],
        ),
        (
            ShipmentFilter {
                arrival: (Some(at(50)), Some(at(150))),
                ..all()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                arrival: (None, Some(at(50))),
                ..all()
            },
            &[],
        ),
        (
            ShipmentFilter {
                updated: Some(vec![(Some(at(300)), None)]),
                ..all()
            },
            &[2],
        ),
        (
            ShipmentFilter {
                customers: Some(vec![party]),
                ..all()
            },
            &[1],
        ),
        (
            ShipmentFilter {
                tags: tags(&["rush"]),
                ..all()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                tags: tags(&["rus", "50% OFF"]),
                ..all()
            },
            &[0],
        ),
        (
            ShipmentFilter {
                tags: tags(&["rus", "0% off"]),
                ..all()
            },
            &[],
        ),
        (
            ShipmentFilter {
                reference: Some("po 77".into()),
                ..all()
            },
            &[2],
        ),
        (
            ShipmentFilter {
                reference: Some("po 7".into()),
                ..all()
            },
            &[0, 1],
        ),
    ];
    for (filter, expected) in cases {
        for by in [By::CreatedAt, By::UpdatedAt, By::Number] {
            let order = Order {
                by,
                ascending: false,
            };
            let asked = ShipmentFilter {
                order,
                ..filter.clone()
            };
            let page = bench
                .read(move |tx| shipment::page(&mut tx.account(account), &asked, ALL))
                .await;
            assert_eq!(found(&page, &ids), expected, "{filter:?}");
        }
    }
}

/// A read that was expected to ask once and asks twice is run again; it sees one snapshot and may not write.
async fn one_statement_or_several_see_one_truth(bench: &Bench) {
    let account = bench.account().await;
    let row = request_row();
    let request = row.id;
    bench
        .write(move |tx| tracking_request::insert(&mut tx.account(account), &row))
        .await;
    for questions in [0, 1, 2, 5] {
        let looked = bench.store.glance(move |tx| {
            let mut a = tx.account(account);
            (0..questions)
                .map(|_| Ok(tracking_request::find(&mut a, request)?.is_some()))
                .collect::<Result<Vec<bool>, Error>>()
        });
        assert_eq!(looked.await, Ok(vec![true; questions]));
        let refused = bench.store.glance(move |tx| {
            let mut a = tx.account(account);
            for _ in 0..questions {
                tracking_request::find(&mut a, request)?;
            }
            tracking_request::insert(&mut a, &request_row())
        });
        assert_eq!(refused.await, Err(Error::ReadOnly));
    }
}

async fn search(bench: &Bench, account: AccountId, text: &str) -> Vec<Uuid> {
    let text = text.to_owned();
    let found = bench
        .read(move |tx| store::search::search(&mut tx.account(account), &text))
        .await;
    let ids = found.into_iter().map(|found| match found {
        Found::Shipment(shipment, _) => shipment.id.0,
        Found::Container(container, _) => container.id.0,
        Found::TrackingRequest(request) => request.id.0,
    });
    ids.collect()
}

async fn what_is_searched_comes_in_one_order_and_follows_its_changes(bench: &Bench) {
    let (account, other) = (bench.account().await, bench.account().await);
    let mut shipment = shipment_row();
    shipment.number = "QUAYBILL1".into();
    let mut repeated = request_row();
    repeated.number = "QUAYBILL1".into();
    repeated.shipment = Some(shipment.id);
    repeated.ref_numbers = vec!["Only on the request".into()];
    let only_here = repeated.id.0;
    let mut request = request_row();
    request.number = "QUAYBILL2".into();
    let mut boxes: Vec<Container> = (0..30).map(|_| container_row(shipment.id)).collect();
    for (place, row) in boxes.iter_mut().enumerate() {
        row.ref_numbers = vec![format!("quay box {place}")];
    }
    let ids: Vec<Uuid> = boxes.iter().rev().map(|row| row.id.0).collect();
    let (bill, asked) = (shipment.id.0, request.id.0);
    let first = boxes[0].clone();
    let mut foreign = shipment_row();
    foreign.number = "QUAYBILL9".into();
    bench
        .write(move |tx| {
            shipment::insert(&mut tx.account(other), &foreign)?;
            let mut a = tx.account(account);
            shipment::insert(&mut a, &shipment)?;
            tracking_request::insert(&mut a, &repeated)?;
            tracking_request::insert(&mut a, &request)?;
            boxes
                .iter()
                .try_for_each(|row| container::insert(&mut a, row))
        })
        .await;
    assert_eq!(search(bench, account, "quaybill").await, [bill, asked]);
    assert_eq!(search(bench, account, "onlyonthe").await, [only_here]);
    let many = search(bench, account, "quay").await;
    assert_eq!(many.len(), 25, "shipments, then boxes from the newest");
    assert_eq!((many[0], &many[1..]), (bill, &ids[..24]));
    assert_eq!(search(bench, account, "BOX-29").await, [ids[0]]);
    assert_eq!(search(bench, other, "quay").await.len(), 1);

    let referred = |text: &str| Container {
        ref_numbers: vec![text.into()],
        ..first.clone()
    };
    let (passing, changed, undone) = (referred("crate"), referred("pallet 5"), referred("undone"));
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            container::update(&mut a, &passing)?;
            container::update(&mut a, &changed)
        })
        .await;
    assert_eq!(search(bench, account, "pallet5").await, [first.id.0]);
    for gone in ["quaybox0", "crate"] {
        assert!(search(bench, account, gone).await.is_empty(), "{gone}");
    }
    let number = first.number.to_string();
    assert_eq!(search(bench, account, &number).await, [first.id.0]);
    let failed = bench.store.write(store::Key::account(account), move |tx| {
        container::update(&mut tx.account(account), &undone)?;
        Err::<(), _>(Error::Refused("by the use case".into()))
    });
    assert!(failed.await.is_err());
    assert!(search(bench, account, "undone").await.is_empty());
    assert_eq!(search(bench, account, "pallet").await.len(), 1);
}

/// As long as one may be.
fn long(end: &str) -> String {
    format!("{}{end}", "LONG REFERENCE ".repeat(15))
}

async fn listed(bench: &Bench, account: AccountId, filter: ShipmentFilter) -> Vec<Uuid> {
    let listing = bench.read(move |tx| shipment::page(&mut tx.account(account), &filter, ALL));
    listing.await.rows.iter().map(|row| row.id).collect()
}

async fn referred(bench: &Bench, account: AccountId, reference: &str) -> Vec<Uuid> {
    let filter = ShipmentFilter {
        reference: Some(reference.into()),
        ..ShipmentFilter::default()
    };
    listed(bench, account, filter).await
}

async fn every_reference_and_tag_is_found_by_the_whole_of_it(bench: &Bench) {
    let account = bench.account().await;
    let numbered = |word: &str| (0..100).map(|n| format!("{word} {n}")).collect::<Vec<_>>();
    let [mut one, mut other, mut many] = [(); 3].map(|()| shipment_row());
    (one.ref_numbers, one.tags) = (vec![long("one")], vec![long("one")]);
    (other.ref_numbers, other.tags) = (vec![long("other")], vec![long("other")]);
    (many.ref_numbers, many.tags) = (numbered("order"), numbered("tag"));
    many.ref_numbers[99] = long("ΐ".repeat(25).as_str());
    let mut container = container_row(many.id);
    container.ref_numbers = numbered("crate");
    let mut request = request_row();
    request.ref_numbers = vec![long("asked")];
    let rows = [one.clone(), other.clone(), many.clone()];
    let (boxed, asked) = (container.id.0, request.id.0);
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            rows.iter()
                .try_for_each(|row| shipment::insert(&mut a, row))?;
            container::insert(&mut a, &container)?;
            tracking_request::insert(&mut a, &request)
        })
        .await;
    for row in [&one, &other, &many] {
        for text in &row.ref_numbers {
            assert_eq!(referred(bench, account, text).await, [row.id.0], "{text}");
            let searched = search(bench, account, text).await;
            assert!(searched.contains(&row.id.0), "{text}");
        }
        for text in &row.tags {
            let filter = ShipmentFilter {
                tags: vec![text.clone()],
                ..ShipmentFilter::default()
            };
            assert_eq!(listed(bench, account, filter).await, [row.id.0], "{text}");
        }
    }
    assert_eq!(search(bench, account, "crate 99").await, [boxed]);
    assert!(
        search(bench, account, &long("asked"))
            .await
            .contains(&asked)
    );
    for nobodys in [long(""), long("on"), long("asked"), "order 100".into()] {
        assert!(
            referred(bench, account, &nobodys).await.is_empty(),
            "{nobodys}"
        );
    }
}
