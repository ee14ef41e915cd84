//! Whatever is asked for of a long list of notifications, and by whichever way it is found: it is what looking at all of them finds.

use std::collections::BTreeMap;

use domain::event::EventName;
use domain::ids::{AccountId, ContainerId, EventId, NotificationId, WebhookId};
use domain::webhook::{DeliveryStatus, Verdict};
use store::event::{self, Event};
use store::notification::{self, Notification, NotificationFilter};
use store::{Order, Slice, delivery, webhook};
use uuid::Uuid;

use crate::bench::{Bench, at, id, notification_row};
use crate::deliveries::{claim, outcome, settle};

on_both_engines!(
    every_filter_finds_what_a_look_at_all_finds,
    what_is_forgotten_is_not_counted,
);

const EVENTS: [EventName; 2] = [EventName::VesselArrived, EventName::EmptyIn];

/// A few hundred of one account, half of them ended, and some of another one beside them.
struct Told {
    account: AccountId,
    /// One with nearly all, one with few, and one with none.
    webhooks: [WebhookId; 3],
    containers: Vec<ContainerId>,
    all: Vec<Notification>,
}

async fn told(bench: &Bench) -> Told {
    let account = bench.account().await;
    let mut webhooks = Vec::new();
    for _ in 0..3 {
        webhooks.push(bench.webhook(account).await);
    }
    let webhooks: [WebhookId; 3] = webhooks.try_into().unwrap();
    let other = bench.account().await;
    let others = bench.webhook(other).await;
    let containers: Vec<ContainerId> = (0..40).map(|_| ContainerId(id())).collect();
    let mut all = Vec::new();
    for n in 0..400_i64 {
        let container = containers[usize::try_from(n * 7 % 40).unwrap()];
        let of = webhooks[usize::from(n % 50 == 0)];
        let (mut told, order) = notification_row(of, container.0, n);
        told.created_at = at(n / 3);
        told.event = EVENTS[usize::from(n % 5 == 0)];
        all.push((told, order));
    }
    for (of, rows) in [
        (account, all.clone()),
        (
            other,
            (0..30).map(|n| notification_row(others, id(), n)).collect(),
        ),
    ] {
        let events: Vec<Event> = rows.iter().map(|(told, _)| event_of(told)).collect();
        bench
            .write(move |tx| {
                let mut a = tx.account(of);
                event::insert(&mut a, &events)?;
                notification::insert(&mut a, &rows)
            })
            .await;
    }
    // In lines of a box: what is behind the first waits.
    let mut ended = BTreeMap::new();
    for round in 0..6 {
        let claimed = claim(bench, at(10_000 + round), at(10_030), 500).await;
        let mut outcomes = Vec::new();
        for (place, one) in claimed.iter().enumerate() {
            let (verdict, status) = match place % 7 {
                0 => (Verdict::Failed, DeliveryStatus::Failed),
                _ => (Verdict::Succeeded, DeliveryStatus::Succeeded),
            };
            outcomes.push(outcome(one, verdict));
            ended.insert(one.notification.id, status);
        }
        settle(bench, outcomes).await;
    }
    let all = all.into_iter().map(|(told, _)| Notification {
        status: *ended.get(&told.id).unwrap_or(&DeliveryStatus::Pending),
        ..told
    });
    Told {
        account,
        webhooks,
        containers,
        all: all.collect(),
    }
}

fn event_of(told: &Notification) -> Event {
    Event {
        id: EventId(told.reference),
        resource: told.reference_type.clone(),
        name: told.event,
        container: told.container,
        shipment: None,
        tracking_request: None,
        version: told.version,
        slot: None,
        created_at: told.created_at,
        invalidated_at: None,
        document: "{}".into(),
    }
}

/// Every filter with each other one, in both orders.
fn filters(told: &Told) -> Vec<NotificationFilter> {
    let mut filters = vec![NotificationFilter::default()];
    let mut each = |change: &dyn Fn(&mut NotificationFilter)| {
        let with = filters.clone().into_iter().map(|mut filter| {
            change(&mut filter);
            filter
        });
        let with: Vec<_> = with.collect();
        filters.extend(with);
    };
    each(&|filter| filter.event = Some(EVENTS[1]));
    each(&|filter| filter.container = Some(told.containers[14]));
    each(&|filter| filter.created = (Some(at(20)), Some(at(90))));
    let mut all = Vec::new();
    let statuses = [
        None,
        Some(DeliveryStatus::Pending),
        Some(DeliveryStatus::Succeeded),
        Some(DeliveryStatus::Failed),
    ];
    let nobody = WebhookId(id());
    let webhooks = told.webhooks.into_iter().chain([nobody]).map(Some);
    for webhook in webhooks.chain([None]) {
        for status in statuses {
            for ascending in [false, true] {
                all.extend(filters.iter().map(|filter| {
                    let by = store::By::CreatedAt;
                    NotificationFilter {
                        status,
                        webhook,
                        order: Order { by, ascending },
                        ..filter.clone()
                    }
                }));
            }
        }
    }
    all
}

fn lets_through(filter: &NotificationFilter, told: &Notification) -> bool {
    filter.status.is_none_or(|status| told.status == status)
        && filter.event.is_none_or(|event| told.event == event)
        && filter.webhook.is_none_or(|webhook| told.webhook == webhook)
        && filter
            .container
            .is_none_or(|one| told.container == Some(one))
        && filter.created.0.is_none_or(|from| told.created_at >= from)
        && filter
            .created
            .1
            .is_none_or(|until| told.created_at <= until)
}

async fn look(bench: &Bench, told: &Told, expected: &[Notification]) {
    for filter in filters(told) {
        let mut found: Vec<&Notification> = expected.iter().collect();
        found.retain(|one| lets_through(&filter, one));
        found.sort_by_key(|one| (one.created_at, one.id));
        if !filter.order.ascending {
            found.reverse();
        }
        let found: Vec<NotificationId> = found.iter().map(|one| one.id).collect();
        let middle = u64::try_from(found.len() / 2).unwrap();
        for offset in [0, middle, middle + middle / 2, 1_000] {
            let (asked, account) = (filter.clone(), told.account);
            let slice = Slice { offset, limit: 11 };
            let page = bench
                .read(move |tx| notification::page(&mut tx.account(account), &asked, slice))
                .await;
            assert_eq!(page.total, found.len() as u64, "{filter:?}");
            let shown: Vec<NotificationId> = page.rows.iter().map(|row| row.id).collect();
            let offset = usize::try_from(offset).unwrap().min(found.len());
            let until = (offset + 11).min(found.len());
            assert_eq!(shown, found[offset..until], "{offset} {filter:?}");
        }
    }
}

async fn every_filter_finds_what_a_look_at_all_finds(bench: &Bench) {
    let told = told(bench).await;
    for status in [
        DeliveryStatus::Pending,
        DeliveryStatus::Succeeded,
        DeliveryStatus::Failed,
    ] {
        let of_it = told.all.iter().filter(|one| one.status == status);
        assert!(of_it.count() > 20, "{status:?}");
    }
    look(bench, &told, &told.all).await;
}

async fn what_is_forgotten_is_not_counted(bench: &Bench) {
    let told = told(bench).await;
    let before = at(20_000);
    let (some, kept): (Vec<_>, Vec<_>) = told
        .all
        .iter()
        .cloned()
        .partition(|one| one.created_at < at(60) && one.status != DeliveryStatus::Pending);
    let ids: Vec<NotificationId> = some.iter().map(|one| one.id).collect();
    let count = ids.len() as u64;
    let forgotten = bench.write(move |tx| delivery::forget(tx, &ids, before));
    assert_eq!(forgotten.await, count);
    look(bench, &told, &kept).await;
    // Those of a webhook that is deleted are gone at once, whatever is still to be removed, and to the end.
    let (account, hook) = (told.account, told.webhooks[1]);
    let left: Vec<Notification> = kept.into_iter().filter(|one| one.webhook != hook).collect();
    let deleting = bench.write(move |tx| webhook::delete(&mut tx.account(account), hook, at(0)));
    assert!(deleting.await);
    look(bench, &told, &left).await;
    let history = bench.write(move |tx| webhook::forget_history(tx, hook, Uuid::nil(), 1_000));
    assert_eq!(history.await, None);
    assert!(
        bench
            .write(move |tx| webhook::forget(tx, hook, at(1)))
            .await
    );
    look(bench, &told, &left).await;
}
