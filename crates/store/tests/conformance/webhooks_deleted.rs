//! What a deleted webhook is: nothing to anybody, while its history goes piece by piece.

use std::sync::mpsc;

use domain::event::EventName;
use domain::ids::{AccountId, NotificationId, RedeliveryId, WebhookId};
use domain::listener::ListenerName;
use domain::webhook::{DeliveryStatus, Verdict};
use store::delivery;
use store::listener::{self, Listener};
use store::notification::{self, NotificationFilter};
use store::redelivery::{self, Redelivery};
use store::webhook::{self, Webhook};
use store::{Key, Slice, Store, main_key};
use uuid::Uuid;

use crate::bench::{Bench, at, begin, id, notification_row, number, prove, webhook_row};
use crate::deliveries::{claim, insert, outcome, overlooked, settle};

on_both_engines!(
    a_deleted_webhook_is_there_for_nobody,
    what_it_was_told_is_told_to_nobody,
    its_listener_s_name_is_free_at_once,
    its_history_goes_in_pieces_and_its_row_last,
    what_was_being_written_goes_too,
);

const ALL: Slice = Slice {
    offset: 0,
    limit: 100,
};
/// What hangs on a webhook.
const HISTORY: [&str; 4] = ["notifications", "deliveries", "bodies", "attempts"];

async fn delete(bench: &Bench, account: AccountId, hook: WebhookId) -> bool {
    bench
        .write(move |tx| webhook::delete(&mut tx.account(account), hook, at(100)))
        .await
}

async fn left(bench: &Bench) -> Vec<WebhookId> {
    let nil = WebhookId(Uuid::nil());
    bench.read(move |tx| webhook::deleted(tx, nil, 9)).await
}

async fn forget_history(bench: &Bench, hook: WebhookId, from: Uuid, most: u32) -> Option<Uuid> {
    bench
        .write(move |tx| webhook::forget_history(tx, hook, from, most))
        .await
}

async fn forget(bench: &Bench, hook: WebhookId, second: i64) -> bool {
    bench
        .write(move |tx| webhook::forget(tx, hook, at(second)))
        .await
}

async fn a_deleted_webhook_is_there_for_nobody(bench: &Bench) {
    let account = bench.account().await;
    let stays = bench.webhook(account).await;
    let off = Webhook {
        active: false,
        disabled_reason: Some("it was gone".into()),
        ..webhook_row()
    };
    let (hook, stored) = (off.id, off.clone());
    bench
        .write(move |tx| webhook::insert(&mut tx.account(account), &stored))
        .await;
    let disabled = || bench.read(webhook::disabled_count);
    assert_eq!(disabled().await, 1);
    let stranger = bench.account().await;
    assert!(!delete(bench, stranger, hook).await, "not theirs");
    assert!(delete(bench, account, hook).await);
    assert!(!delete(bench, account, hook).await, "once");

    assert_eq!(disabled().await, 0);
    bench
        .read(move |tx| {
            let sealed = main_key::sealed(tx, 9)?;
            assert_eq!(sealed.len(), 1, "its secret is gone: {sealed:?}");
            let a = &mut tx.account(account);
            assert_eq!(webhook::find(a, hook)?, None);
            let page = webhook::page(a, ALL)?;
            let listed: Vec<WebhookId> = page.rows.iter().map(|row| row.id).collect();
            assert_eq!((listed, page.total), (vec![stays], 1));
            assert_eq!(webhook::count(a)?, 1);
            assert_eq!(
                webhook::subscribed(a, EventName::VesselArrived)?,
                vec![stays]
            );
            assert_eq!(webhook::active_among(tx, &[hook])?, vec![]);
            Ok(())
        })
        .await;
    let on = Webhook {
        active: true,
        ..off.clone()
    };
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            assert_eq!(webhook::lock(a, hook)?, None);
            assert!(!webhook::update(a, &on)?, "nobody switches it on again");
            Ok(())
        })
        .await;
    assert_eq!(left(bench).await, vec![hook]);
    let again = Webhook { id: id(), ..off };
    bench
        .write(move |tx| webhook::insert(&mut tx.account(account), &again))
        .await;
}

async fn what_it_was_told_is_told_to_nobody(bench: &Bench) {
    let account = bench.account().await;
    let stays = bench.webhook(account).await;
    let hook = bench.webhook(account).await;
    insert(bench, account, stays, id(), 1).await;
    // One that failed and waits, two that are being sent, and one behind one of them.
    for lines in [1, 1, 2] {
        insert(bench, account, hook, id(), lines).await;
    }
    let claimed = claim(bench, at(0), at(30), 9).await;
    let (its, other): (Vec<_>, Vec<_>) = claimed
        .iter()
        .partition(|one| one.notification.webhook == hook);
    assert_eq!((its.len(), other.len()), (3, 1));
    let failed = outcome(its[0], Verdict::RetryAt(at(20)));
    assert_eq!(settle(bench, vec![failed]).await, 1);
    assert_eq!(bench.rows_of("webhook_health where failures > 0"), 1);
    let window = Redelivery::begin(RedeliveryId(id()), hook, at(0), at(5));
    bench
        .write(move |tx| redelivery::insert(&mut tx.account(account), &window))
        .await;
    assert!(delete(bench, account, hook).await);

    let told: Vec<NotificationId> = its.iter().map(|one| one.notification.id).collect();
    let stands = other[0].notification.id;
    let in_hand = (its[1].notification.id, its[1].claim_token);
    bench
        .read(move |tx| {
            assert_eq!(delivery::open_count(tx)?, 1, "of the other one");
            let none = RedeliveryId(Uuid::nil());
            assert_eq!(redelivery::next(tx, none, 9)?, vec![]);
            let a = &mut tx.account(account);
            for id in &told {
                assert_eq!(notification::find(a, *id)?, None);
            }
            for filter in [
                NotificationFilter::default(),
                NotificationFilter {
                    status: Some(DeliveryStatus::Pending),
                    ..NotificationFilter::default()
                },
            ] {
                let page = notification::page(a, &filter, ALL)?;
                let listed: Vec<NotificationId> = page.rows.iter().map(|row| row.id).collect();
                assert_eq!((listed, page.total), (vec![stands], 1), "{filter:?}");
            }
            let its = NotificationFilter {
                webhook: Some(hook),
                ..NotificationFilter::default()
            };
            assert_eq!(notification::page(a, &its, ALL)?.total, 0);
            assert_eq!(delivery::attempt_in_hand(a, hook, in_hand)?, None);
            Ok(())
        })
        .await;
    let late = [
        outcome(its[1], Verdict::Succeeded),
        outcome(its[2], Verdict::RetryAt(at(40))),
        outcome(other[0], Verdict::Succeeded),
    ];
    assert_eq!(settle(bench, late.to_vec()).await, 1, "of the other one");
    assert_eq!(bench.rows_of("attempts"), 2);
    assert_eq!(bench.rows_of("webhook_health where failures > 0"), 0);
    let due = claim(bench, at(1_000), at(2_000), 9).await;
    assert_eq!(due, vec![], "nothing is sent any more");
    let (whose, lease) = ((account, hook), (at(1_000), at(2_000)));
    let fetched = bench
        .write(move |tx| {
            let ids = delivery::claim_of(tx, whose, lease, id(), 9)?;
            delivery::claimed(tx, &ids)
        })
        .await;
    assert_eq!(fetched, vec![], "nor fetched");
    assert_eq!(bench.read(delivery::next_due).await, None);
    // The head of the line goes with the history: nobody is to wake the one behind it.
    let mut from = Uuid::nil();
    while bench.rows_of("notifications") > 2 {
        from = forget_history(bench, hook, from, 1).await.unwrap();
    }
    assert_eq!(overlooked(bench, 500).await, []);
}

async fn its_listener_s_name_is_free_at_once(bench: &Bench) {
    let account = bench.account().await;
    let name = ListenerName::parse(&format!("n{}", number())).unwrap();
    for _ in 0..2 {
        let row = Listener {
            name: name.clone(),
            webhook: bench.webhook(account).await,
            asked_at: at(0),
            turn: 1,
        };
        let hook = row.webhook;
        let added = bench
            .write(move |tx| listener::insert(&mut tx.account(account), &row))
            .await;
        assert!(added);
        assert!(delete(bench, account, hook).await);
        let (listener, all) = bench
            .read(move |tx| {
                let a = &mut tx.account(account);
                Ok((listener::find(a, hook)?, webhook::count(a)?))
            })
            .await;
        assert_eq!((listener, all), (None, 0), "nor is it one that is sent to");
    }
}

async fn its_history_goes_in_pieces_and_its_row_last(bench: &Bench) {
    let account = bench.account().await;
    let (stays, hook) = (bench.webhook(account).await, bench.webhook(account).await);
    for one in [stays, hook, hook, hook, hook, hook] {
        insert(bench, account, one, id(), 1).await;
    }
    let claimed = claim(bench, at(0), at(30), 9).await;
    let bodies: Vec<_> = claimed
        .iter()
        .map(|one| (one.notification.id, "the body".to_owned()))
        .collect();
    bench
        .write(move |tx| delivery::store_bodies(tx, &bodies))
        .await;
    let failed = claimed
        .iter()
        .map(|one| outcome(one, Verdict::RetryAt(at(20))));
    settle(bench, failed.collect()).await;
    let rows = || HISTORY.map(|table| bench.rows_of(table));
    assert_eq!(rows(), [6; 4]);
    // What is not deleted keeps what it has, whoever asks.
    assert_eq!(forget_history(bench, hook, Uuid::nil(), 9).await, None);
    assert!(!forget(bench, hook, 1_000).await);
    assert_eq!(rows(), [6; 4]);

    assert!(delete(bench, account, hook).await);
    assert_eq!(rows(), [6; 4], "however much there is");
    assert_eq!(forget_history(bench, hook, Uuid::max(), 9).await, None);
    assert_eq!(rows(), [6; 4], "none is from there on");
    let mut from = Uuid::nil();
    for expected in [4, 2] {
        assert!(!forget(bench, hook, 1_000).await, "before its history");
        from = forget_history(bench, hook, from, 2).await.unwrap();
        assert_eq!(rows(), [expected; 4]);
        assert_eq!(left(bench).await, vec![hook]);
    }
    assert_eq!(forget_history(bench, hook, from, 2).await, None);
    assert_eq!(rows(), [1; 4], "of the other one");
    assert!(
        !forget(bench, hook, 100).await,
        "somebody may still write for it"
    );
    assert!(forget(bench, hook, 101).await);
    assert_eq!((left(bench).await, bench.rows_of("webhooks")), (vec![], 1));
    assert!(!forget(bench, stays, 1_000).await);
}

async fn what_was_being_written_goes_too(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    assert!(delete(bench, account, hook).await);
    assert_eq!(forget_history(bench, hook, Uuid::nil(), 9).await, None);
    // By one who had seen it before.
    insert(bench, account, hook, id(), 1).await;
    assert!(!forget(bench, hook, 1_000).await);
    assert_eq!(forget_history(bench, hook, Uuid::nil(), 9).await, None);
    assert!(forget(bench, hook, 1_000).await);
    assert_eq!(HISTORY.map(|table| bench.rows_of(table)), [0; 4]);
}

/// A node that stands in the middle of a piece holds up nobody.
#[test]
fn two_nodes_forget_one_history() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let account = bench.account().await;
        let hook = bench.webhook(account).await;
        let rows: Vec<_> = (0..5).map(|n| notification_row(hook, id(), n)).collect();
        bench
            .write(move |tx| notification::insert(&mut tx.account(account), &rows))
            .await;
        assert!(delete(bench, account, hook).await);
        let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let store = bench.store.clone();
        let slow = begin(async move {
            store
                .write(Key::sightings(), move |tx| {
                    let next = webhook::forget_history(tx, hook, Uuid::nil(), 2)?;
                    let _ = begun.send(());
                    // Until the other end is dropped.
                    let _ = may_go.recv();
                    Ok::<_, store::Error>(next)
                })
                .await
        });
        has_begun.recv().unwrap();
        let other = Store::open(&bench.settings).unwrap();
        let quick = move |tx: &mut store::Tx| webhook::forget_history(tx, hook, Uuid::nil(), 9);
        assert_eq!(other.write(Key::dockets(), quick).await.unwrap(), None);
        assert_eq!(bench.rows_of("notifications"), 2, "those of the slow one");
        drop(let_go);
        assert!(slow.await.unwrap().unwrap().is_some());
        assert!(forget(bench, hook, 1_000).await);
        assert_eq!(bench.rows_of("deliveries"), 0);
    });
}
