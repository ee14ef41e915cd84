//! What is delivered again, and what its window promises.

use domain::event::EventName;
use domain::ids::{AccountId, EventId, NotificationId, RedeliveryId, WebhookId};
use domain::webhook::{DeliveryStatus, Verdict};
use jiff::SignedDuration;
use store::delivery::{self, Claimed};
use store::event::{self, Event};
use store::notification::{self, Notification, OrderKey};
use store::redelivery::{self, Hearing, Looked, Missed, Redelivery, WalksTo};
use store::{Error, Slice, webhook};
use uuid::Uuid;

use crate::bench::{Bench, at, id, notification_row, number};
use crate::deliveries::{claim, end, outcome, settle};

on_both_engines!(
    what_ended_is_claimed_again_and_its_record_goes_on,
    a_notification_is_pending_while_its_delivery_is_open_and_ends_as_it_ended,
    an_outcome_of_an_earlier_delivery_is_dropped,
    what_is_made_again_goes_behind_its_line,
    what_is_open_is_due_at_once_unless_it_is_claimed,
    what_is_asked_for_at_its_last_try_is_not_given_up_by_that,
    a_window_comes_back_as_it_was_written,
    a_window_is_walked_in_steps,
    what_is_missed_is_what_nobody_told,
    nothing_is_passed_that_begins_where_the_window_ends,
    what_bears_an_id_of_after_the_window_is_of_it_by_its_time,
    windows_are_found_page_by_page,
);

const ALL: Slice = Slice {
    offset: 0,
    limit: 100,
};

/// Events that a webhook wants which is there since the beginning, where nothing is forgotten.
fn hearing(events: &[EventName]) -> Hearing<'_> {
    Hearing {
        events,
        since: at(-1_000),
        remembered_since: at(-1_000),
    }
}

fn wanted<T>(looked: Vec<Looked<T>>) -> Vec<T> {
    let wanted = looked.into_iter().filter(|looked| looked.wanted);
    wanted.map(|looked| looked.row).collect()
}

async fn insert(bench: &Bench, account: AccountId, row: (Notification, OrderKey)) {
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), std::slice::from_ref(&row)))
        .await;
}

async fn again(bench: &Bench, account: AccountId, about: &Notification, key: Uuid, second: i64) {
    let (id, webhook) = (about.id, about.webhook);
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            let tails = delivery::tails(a, webhook, &[key])?;
            let sequence = tails.get(&key).map_or(0, |tail| tail + 1);
            let order = OrderKey { key, sequence };
            delivery::again(a, &[(id, webhook, order)], at(second))
        })
        .await;
}

/// Claims the only one that is due and ends it.
async fn delivered(bench: &Bench, second: i64) -> Claimed {
    let mut claimed = claim(bench, at(second), at(second + 30), 10).await;
    assert_eq!(claimed.len(), 1);
    let one = claimed.remove(0);
    assert_eq!(
        settle(bench, vec![outcome(&one, Verdict::Succeeded)]).await,
        1
    );
    one
}

async fn what_ended_is_claimed_again_and_its_record_goes_on(bench: &Bench) {
    let account = bench.account().await;
    let key = id();
    let row = notification_row(bench.webhook(account).await, key, 1);
    let about = row.0.clone();
    insert(bench, account, row).await;
    let first = delivered(bench, 0).await;
    let kept = vec![(about.id, "the body".to_owned())];
    bench
        .write(move |tx| delivery::store_bodies(tx, &kept))
        .await;
    let stranger = bench.account().await;
    again(bench, stranger, &about, key, 5).await;
    assert_eq!(
        claim(bench, at(5), at(9), 10).await,
        Vec::new(),
        "not theirs"
    );

    again(bench, account, &about, key, 50).await;
    again(bench, account, &about, key, 50).await;
    assert_eq!(claim(bench, at(49), at(60), 10).await, Vec::new());
    let second = delivered(bench, 50).await;
    assert_eq!(second.notification, about);
    assert_eq!((second.attempt, second.attempts_before), (1, 1));
    assert_eq!(second.body.text(), Some("the body"));
    assert!(second.claim_token > first.claim_token + 1_000_000);
    let of = about.id;
    let record = bench
        .read(move |tx| delivery::attempts(&mut tx.account(account), of, ALL))
        .await;
    let numbers: Vec<u32> = record.rows.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2]);
}

async fn a_notification_is_pending_while_its_delivery_is_open_and_ends_as_it_ended(bench: &Bench) {
    let account = bench.account().await;
    let key = id();
    let row = notification_row(bench.webhook(account).await, key, 1);
    let about = row.0.clone();
    insert(bench, account, row).await;
    for (verdict, ended) in [
        (Verdict::Failed, DeliveryStatus::Failed),
        (Verdict::Succeeded, DeliveryStatus::Succeeded),
        (Verdict::Succeeded, DeliveryStatus::Succeeded),
        (Verdict::Failed, DeliveryStatus::Failed),
    ] {
        assert_eq!(
            status(bench, account, about.id).await,
            DeliveryStatus::Pending
        );
        end(bench, about.id, verdict).await;
        assert_eq!(status(bench, account, about.id).await, ended);
        again(bench, account, &about, key, 50).await;
    }
}

async fn status(bench: &Bench, account: AccountId, id: NotificationId) -> DeliveryStatus {
    let found = bench
        .read(move |tx| notification::find(&mut tx.account(account), id))
        .await;
    found.unwrap().0.status
}

async fn an_outcome_of_an_earlier_delivery_is_dropped(bench: &Bench) {
    let account = bench.account().await;
    let key = id();
    let row = notification_row(bench.webhook(account).await, key, 1);
    let about = row.0.clone();
    insert(bench, account, row).await;
    // The first claim's node falls asleep; another one delivers.
    let asleep = claim(bench, at(0), at(5), 10).await.remove(0);
    delivered(bench, 5).await;
    again(bench, account, &about, key, 9).await;
    let now = claim(bench, at(9), at(20), 10).await.remove(0);
    assert_eq!(
        settle(bench, vec![outcome(&asleep, Verdict::Failed)]).await,
        0
    );
    assert_eq!(
        settle(bench, vec![outcome(&now, Verdict::Succeeded)]).await,
        1
    );
}

async fn what_is_made_again_goes_behind_its_line(bench: &Bench) {
    let account = bench.account().await;
    let (hook, key) = (bench.webhook(account).await, id());
    let rows = [1_000, 2_000, 3_000].map(|sequence| notification_row(hook, key, sequence));
    let [first, second, later] = rows;
    let (one, two, three) = (first.0.clone(), second.0.id, later.0.id);
    insert(bench, account, first).await;
    delivered(bench, 0).await;
    insert(bench, account, second).await;
    let head = claim(bench, at(1), at(30), 10).await.remove(0);
    again(bench, account, &one, key, 2).await;
    insert(bench, account, later).await;
    assert_eq!(
        claim(bench, at(3), at(30), 10).await,
        Vec::new(),
        "one of a line"
    );
    assert_eq!(head.notification.id, two);
    settle(bench, vec![outcome(&head, Verdict::Succeeded)]).await;
    let order = [delivered(bench, 10).await, delivered(bench, 10).await];
    let order = order.map(|claimed| claimed.notification.id);
    assert_eq!(
        order,
        [one.id, three],
        "before what came after it was asked for"
    );
}

async fn what_is_open_is_due_at_once_unless_it_is_claimed(bench: &Bench) {
    let account = bench.account().await;
    let key = id();
    let row = notification_row(bench.webhook(account).await, key, 1);
    let about = row.0.clone();
    insert(bench, account, row).await;
    let claimed = claim(bench, at(0), at(30), 10).await.remove(0);
    again(bench, account, &about, key, 1).await;
    assert_eq!(
        claim(bench, at(2), at(30), 10).await,
        Vec::new(),
        "it is being tried"
    );
    let retry = outcome(&claimed, Verdict::RetryAt(at(900)));
    assert_eq!(settle(bench, vec![retry]).await, 1, "under its own claim");
    let asked = claim(bench, at(20), at(30), 10).await.remove(0);
    assert_eq!((asked.attempt, asked.attempts_before), (1, 1));
    let retry = outcome(&asked, Verdict::RetryAt(at(900)));
    assert_eq!(settle(bench, vec![retry]).await, 1);
    assert_eq!(claim(bench, at(20), at(30), 10).await, Vec::new());
    again(bench, account, &about, key, 20).await;
    let anew = claim(bench, at(20), at(30), 10).await.remove(0);
    assert_eq!((anew.attempt, anew.attempts_before), (1, 2));
    assert_eq!(anew.refusals_in_a_row, 0);
}

async fn what_is_asked_for_at_its_last_try_is_not_given_up_by_that(bench: &Bench) {
    let account = bench.account().await;
    let key = id();
    let row = notification_row(bench.webhook(account).await, key, 1);
    let about = row.0.clone();
    insert(bench, account, row).await;
    let ask = |second| {
        let (one, order) = (about.clone(), OrderKey { key, sequence: 2 });
        bench.write(move |tx| {
            let a = &mut tx.account(account);
            delivery::again_now(a, &(one.id, one.webhook, order), at(second))
        })
    };
    let first = claim(bench, at(0), at(30), 10).await.remove(0);
    settle(bench, vec![outcome(&first, Verdict::RetryAt(at(2)))]).await;
    let of_killed = claim(bench, at(2), at(5), 10).await;
    assert_eq!(of_killed.len(), 1);
    ask(3).await;
    let second = claim(bench, at(5), at(35), 10).await.remove(0);
    assert_eq!((second.attempt, second.attempts_before), (1, 1));
    // It begins after somebody asked, so it has its own schedule.
    settle(bench, vec![outcome(&second, Verdict::RetryAt(at(40)))]).await;
    assert_eq!(claim(bench, at(39), at(69), 10).await, []);
    let last = claim(bench, at(40), at(70), 10).await.remove(0);
    assert_eq!((last.attempt, last.attempts_before), (2, 1));
    // As a window does.
    again(bench, account, &about, key, 41).await;
    let given_up = outcome(&last, Verdict::Failed);
    assert_eq!(settle(bench, vec![given_up]).await, 1);
    let anew = claim(bench, at(41), at(71), 10).await.remove(0);
    assert_eq!((anew.attempt, anew.attempts_before), (1, 3));
}

fn window(hook: WebhookId) -> Redelivery {
    Redelivery {
        until: at(100),
        statuses: vec![DeliveryStatus::Succeeded, DeliveryStatus::Failed],
        missed: true,
        ..Redelivery::begin(id(), hook, at(0), at(200))
    }
}

async fn a_window_comes_back_as_it_was_written(bench: &Bench) {
    let account = bench.account().await;
    let (hook, stranger) = (bench.webhook(account).await, bench.account().await);
    let row = Redelivery {
        events: vec![EventName::VesselArrived, EventName::FullOut],
        counted: 7,
        ..window(hook)
    };
    let written = row.clone();
    bench
        .write(move |tx| redelivery::insert(&mut tx.account(account), &written))
        .await;
    let under_way =
        |account| bench.read(move |tx| redelivery::under_way(&mut tx.account(account), hook));
    assert_eq!(
        (under_way(account).await, under_way(stranger).await),
        (1, 0)
    );
    let next = || bench.read(|tx| redelivery::next(tx, Uuid::nil().into(), 10));
    assert_eq!(next().await, [(account, hook, row.id)]);
    assert_eq!(held(bench, stranger, row.id).await, None);
    assert_eq!(held(bench, account, row.id).await, Some(row.clone()));

    let off = bench
        .read(move |tx| webhook::find(&mut tx.account(account), hook))
        .await;
    let off = webhook::Webhook {
        active: false,
        ..off.unwrap()
    };
    let switched = off.clone();
    bench
        .write(move |tx| webhook::update(&mut tx.account(account), &switched))
        .await;
    assert_eq!(next().await, []);

    let done = Redelivery {
        redelivered: 7,
        kept: (at(9), id()),
        missed_until: id(),
        finished_at: Some(at(300)),
        ..row
    };
    let written = done.clone();
    bench
        .write(move |tx| redelivery::advance(&mut tx.account(account), &written))
        .await;
    assert_eq!(
        held(bench, account, done.id).await,
        None,
        "nothing is left to do"
    );
    let listed = bench
        .read(move |tx| redelivery::of_webhook(&mut tx.account(account), hook, 9))
        .await;
    assert_eq!(listed, [done]);
    for (before, gone) in [(at(300), 0), (at(301), 1)] {
        let forgotten = bench
            .write(move |tx| redelivery::forget(&mut tx.account(account), hook, before))
            .await;
        assert_eq!(forgotten, gone);
    }
}

async fn held(bench: &Bench, account: AccountId, id: RedeliveryId) -> Option<Redelivery> {
    bench
        .write(move |tx| redelivery::lock(&mut tx.account(account), id))
        .await
}

async fn a_window_is_walked_in_steps(bench: &Bench) {
    let account = bench.account().await;
    let (hook, other) = (bench.webhook(account).await, bench.webhook(account).await);
    let mut inside = Vec::new();
    for (second, of, status) in [
        (-1, hook, DeliveryStatus::Succeeded),
        (0, hook, DeliveryStatus::Succeeded),
        (5, other, DeliveryStatus::Succeeded),
        (5, hook, DeliveryStatus::Pending),
        (7, hook, DeliveryStatus::Failed),
        (7, hook, DeliveryStatus::Failed),
        (99, hook, DeliveryStatus::Succeeded),
        (100, hook, DeliveryStatus::Succeeded),
    ] {
        let mut row = notification_row(of, id(), 1);
        row.0.created_at = at(second);
        if of == hook && (0..100).contains(&second) && status != DeliveryStatus::Pending {
            inside.push(row.0.id);
        }
        let (id, verdict) = (row.0.id, verdict_of(status));
        insert(bench, account, row).await;
        if let Some(verdict) = verdict {
            end(bench, id, verdict).await;
        }
    }
    let mut row = window(hook);
    let counted = row.clone();
    let count = bench
        .read(move |tx| redelivery::count(&mut tx.account(account), &counted, hearing(&[]), 4))
        .await;
    assert_eq!(count, 2, "two of the first four");
    let mut walked: Vec<NotificationId> = Vec::new();
    loop {
        let from = row.clone();
        let step = bench
            .read(move |tx| redelivery::kept_after(&mut tx.account(account), &from, 2))
            .await;
        let Some(last) = step.last() else { break };
        row.kept = (last.row.created_at, last.row.id);
        walked.extend(wanted(step).iter().map(|about| about.id));
    }
    assert_eq!(walked, inside);
    let narrow = Redelivery {
        events: vec![EventName::FullOut],
        ..window(hook)
    };
    let found = bench
        .read(move |tx| redelivery::kept_after(&mut tx.account(account), &narrow, 9))
        .await;
    assert_eq!(found.len(), 6, "all of the window were looked at");
    assert_eq!(wanted(found), [], "of that event there is none");
}

/// What brings it about; nothing is open from the beginning.
fn verdict_of(status: DeliveryStatus) -> Option<Verdict> {
    match status {
        DeliveryStatus::Pending => None,
        DeliveryStatus::Succeeded => Some(Verdict::Succeeded),
        DeliveryStatus::Failed => Some(Verdict::Failed),
    }
}

/// An id of version 7 that is drawn at this second.
fn drawn_at(second: i64) -> EventId {
    let milliseconds = u128::try_from(at(second).as_millisecond()).unwrap();
    let rest = 0x7000_8000_0000_0000_0000 | u128::from(number());
    EventId(Uuid::from_u128(milliseconds << 80 | rest))
}

fn event_at(second: i64, name: EventName) -> Event {
    Event {
        id: drawn_at(second),
        resource: "transport_event".into(),
        name,
        container: Some(id()),
        shipment: Some(id()),
        tracking_request: None,
        version: 4,
        slot: None,
        created_at: at(second),
        invalidated_at: None,
        document: "{}".into(),
    }
}

async fn what_is_missed_is_what_nobody_told(bench: &Bench) {
    let (account, stranger) = (bench.account().await, bench.account().await);
    let (hook, other) = (bench.webhook(account).await, bench.webhook(account).await);
    let arrived = EventName::VesselArrived;
    let rows = [
        event_at(-1, arrived),
        event_at(0, arrived),
        event_at(1, EventName::FullOut),
        Event {
            invalidated_at: Some(at(50)),
            ..event_at(2, arrived)
        },
        event_at(3, arrived),
        event_at(4, arrived),
        Event {
            resource: "tracking_request".into(),
            tracking_request: Some(id()),
            ..event_at(5, arrived)
        },
        Event {
            resource: "tracking_request".into(),
            tracking_request: Some(id()),
            ..event_at(6, arrived)
        },
        event_at(100, arrived),
    ];
    let told = |row: &Event, hook, version| {
        let mut about = notification_row(hook, id(), version);
        about.0.reference = row.tracking_request.map_or(row.id.0, |request| request.0);
        about
    };
    // Told to this webhook, with whatever version; told to another one; news of a request of another version.
    let notifications = [
        told(&rows[4], hook, 9),
        told(&rows[5], other, 4),
        told(&rows[6], hook, 4),
        told(&rows[7], hook, 3),
    ];
    let stored = rows.clone();
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            event::insert(a, &stored)?;
            notification::insert(a, &notifications)
        })
        .await;
    let missed = |account, limit| {
        let row = window(hook);
        bench.read(move |tx| {
            let hearing = hearing(std::slice::from_ref(&arrived));
            redelivery::missed_after(
                &mut tx.account(account),
                &row,
                hearing,
                WalksTo::ItsEnd,
                limit,
            )
        })
    };
    let found = wanted(missed(account, 9).await);
    let found: Vec<EventId> = found.iter().map(|one| one.id).collect();
    assert_eq!(found, [rows[1].id, rows[5].id, rows[7].id]);
    assert_eq!(missed(stranger, 9).await, Vec::new());
    let looked = missed(account, 2).await;
    assert_eq!(looked.len(), 2, "no further than asked");
    let first = wanted(looked).remove(0);
    let expected = Missed {
        id: rows[1].id,
        name: arrived,
        reference_type: "transport_event".into(),
        container: rows[1].container,
        shipment: rows[1].shipment,
        tracking_request: None,
        version: 4,
        created_at: at(0),
    };
    assert_eq!(first, expected);
    let row = Redelivery {
        missed_until: first.id,
        statuses: Vec::new(),
        ..window(hook)
    };
    let left = bench
        .read(move |tx| {
            redelivery::count(
                &mut tx.account(account),
                &row,
                hearing(std::slice::from_ref(&arrived)),
                9,
            )
        })
        .await;
    assert_eq!(left, 2);

    // Subscribed after the fourth second; what was told before the sixth is not remembered any more.
    let row = Redelivery {
        statuses: Vec::new(),
        ..window(hook)
    };
    let looked = bench
        .read(move |tx| {
            let late = Hearing {
                since: at(4),
                remembered_since: at(6),
                ..hearing(std::slice::from_ref(&arrived))
            };
            redelivery::missed_after(&mut tx.account(account), &row, late, WalksTo::ItsEnd, 9)
        })
        .await;
    let found: Vec<EventId> = wanted(looked).iter().map(|one| one.id).collect();
    assert_eq!(found, [rows[1].id, rows[7].id]);
}

/// A walk that ends at a whole millisecond can be taken up there later.
async fn nothing_is_passed_that_begins_where_the_window_ends(bench: &Bench) {
    let account = bench.account().await;
    let arrived = EventName::VesselArrived;
    let row = window(bench.webhook(account).await);
    let rows = [99, 100].map(|second| event_at(second, arrived));
    let stored = rows.clone();
    bench
        .write(move |tx| event::insert(&mut tx.account(account), &stored))
        .await;
    let looked = |until| {
        let row = Redelivery {
            until,
            ..row.clone()
        };
        bench.read(move |tx| {
            let hearing = hearing(std::slice::from_ref(&arrived));
            let a = &mut tx.account(account);
            let looked = redelivery::missed_after(a, &row, hearing, WalksTo::Meanwhile, 9)?;
            Ok(looked.into_iter().map(|one| one.row.id).collect())
        })
    };
    let found: Vec<EventId> = looked(at(100)).await;
    assert_eq!(found, [rows[0].id]);
    let found: Vec<EventId> = looked(at(100) + SignedDuration::from_micros(1)).await;
    assert_eq!(found, [rows[0].id, rows[1].id]);
}

/// One transaction drew more ids than a millisecond has.
async fn what_bears_an_id_of_after_the_window_is_of_it_by_its_time(bench: &Bench) {
    let account = bench.account().await;
    let arrived = EventName::VesselArrived;
    let row = Redelivery {
        until: at(100),
        ..window(bench.webhook(account).await)
    };
    let of_the_window = Event {
        created_at: at(100) - SignedDuration::from_millis(1),
        ..event_at(100, arrived)
    };
    let behind = event_at(100, arrived);
    let stored = [of_the_window.clone(), behind.clone()];
    bench
        .write(move |tx| event::insert(&mut tx.account(account), &stored))
        .await;
    let looked = |walks_to| {
        let row = row.clone();
        bench.read(move |tx| {
            let a = &mut tx.account(account);
            let hearing = hearing(std::slice::from_ref(&arrived));
            let looked = redelivery::missed_after(a, &row, hearing, walks_to, 9)?;
            let counted = redelivery::count(a, &row, hearing, 9)?;
            let all: Vec<EventId> = looked.iter().map(|one| one.row.id).collect();
            let wanted = wanted(looked).into_iter().map(|one| one.id).collect();
            Ok::<(Vec<EventId>, Vec<EventId>, u32), Error>((all, wanted, counted))
        })
    };
    let (_, wanted, counted) = looked(WalksTo::ItsEnd).await;
    assert_eq!((wanted, counted), (vec![of_the_window.id], 1));
    // The next walk begins where this one ended, and is to find it.
    let (all, _, _) = looked(WalksTo::Meanwhile).await;
    assert_eq!(all, []);
}

async fn windows_are_found_page_by_page(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    let mut rows = [(); 3].map(|()| window(hook));
    rows.sort_by_key(|row| row.id);
    let stored = rows.clone();
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            stored.iter().try_for_each(|row| redelivery::insert(a, row))
        })
        .await;
    let page = |after: RedeliveryId| bench.read(move |tx| redelivery::next(tx, after, 2));
    let named = |rows: &[Redelivery]| -> Vec<_> {
        let rows = rows.iter();
        rows.map(|row| (account, hook, row.id)).collect()
    };
    assert_eq!(page(Uuid::nil().into()).await, named(&rows[..2]));
    assert_eq!(page(rows[1].id).await, named(&rows[2..]));
    assert_eq!(page(rows[2].id).await, []);
}
