//! What is forgotten of deliveries, and what never is.

use domain::ids::NotificationId;
use domain::webhook::Verdict;
use jiff::Timestamp;
use store::delivery::{self, Outcome};
use store::{Slice, notification, webhook};
use uuid::Uuid;

use crate::bench::{Bench, at, id};
use crate::deliveries::{claim, insert, outcome, settle};

on_both_engines!(what_ended_long_ago_is_forgotten_and_nothing_else);

async fn what_ended_long_ago_is_forgotten_and_nothing_else(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    for _ in 0..5 {
        insert(bench, account, hook, id(), 1).await;
    }
    // Two succeed at once, one of them again later; one fails; one waits for its next try; one was never tried.
    let claimed = claim(bench, at(0), at(30), 4).await;
    let verdicts = [
        Verdict::Succeeded,
        Verdict::Succeeded,
        Verdict::Failed,
        Verdict::RetryAt(at(20)),
    ];
    let outcomes: Vec<Outcome> = claimed
        .iter()
        .zip(verdicts)
        .map(|(one, verdict)| outcome(one, verdict))
        .collect();
    let all: Vec<NotificationId> = outcomes
        .iter()
        .map(|outcome| outcome.notification)
        .collect();
    let bodies: Vec<_> = all.iter().map(|id| (*id, "the body".to_owned())).collect();
    bench
        .write(move |tx| delivery::store_bodies(tx, &bodies))
        .await;
    settle(bench, outcomes.clone()).await;
    let again = claimed[1].notification.clone();
    bench
        .write(move |tx| {
            let order = notification::OrderKey {
                key: id(),
                sequence: 9,
            };
            delivery::again(
                &mut tx.account(account),
                &[(again.id, again.webhook, order)],
                at(50),
            )
        })
        .await;
    let look = |before, looked_at| {
        let nil = NotificationId(Uuid::nil());
        bench.read(move |tx| delivery::ended_before(tx, nil, before, looked_at))
    };
    let ended = async |before| -> Vec<NotificationId> {
        let looked = look(before, 9).await.into_iter();
        looked
            .filter(|(_, ended)| *ended)
            .map(|(id, _)| id)
            .collect()
    };
    assert_eq!(look(at(1_000), 2).await.len(), 2, "no further than asked");
    assert_eq!(look(at(1_000), 9).await.len(), 5);
    assert_eq!(ended(at(0)).await, [], "not yet");
    let mut expected = vec![all[0], all[2]];
    expected.sort_unstable();
    assert_eq!(ended(at(40)).await, expected, "open ones stay");
    // The one that was sent again ends at second 60.
    let second = claim(bench, at(60), at(90), 9).await;
    let second = second
        .iter()
        .find(|one| one.notification.id == all[1])
        .unwrap();
    let mut late = outcome(second, Verdict::Succeeded);
    late.attempt.started_at = at(60);
    settle(bench, vec![late]).await;
    assert_eq!(ended(at(60)).await, expected);
    assert_eq!(ended(at(61)).await.len(), 3);

    let until = || bench.read(delivery::forgotten_until);
    assert_eq!(until().await, Timestamp::UNIX_EPOCH, "nothing yet");

    // Whatever is named, only what ended is forgotten.
    let named = all.clone();
    let forgotten = bench
        .write(move |tx| delivery::forget(tx, &named, at(60)))
        .await;
    assert_eq!(forgotten, 2);
    assert_eq!(until().await, at(60));
    for (before, expected) in [(at(50), at(60)), (at(70), at(70))] {
        bench
            .write(move |tx| delivery::forget(tx, &[], before))
            .await;
        assert_eq!(until().await, expected, "the latest moment stays");
    }
    let held = bench.write(delivery::hold_forgotten_until).await;
    assert_eq!(held, at(70));
    for (id, kept) in all.into_iter().zip([false, true, false, true]) {
        let (found, tried) = bench
            .read(move |tx| {
                let mut a = tx.account(account);
                let all = Slice {
                    offset: 0,
                    limit: 9,
                };
                let tried = delivery::attempts(&mut a, id, all)?.total;
                Ok((notification::find(&mut a, id)?, tried))
            })
            .await;
        assert_eq!((found.is_some(), tried > 0), (kept, kept));
    }
    // The side door counts what no use case asks for.
    let left = |table: &str| bench.rows_of(table);
    let tables = ["notifications", "bodies", "attempts", "deliveries"];
    assert_eq!(tables.map(left), [3, 2, 3, 2]);
    let hook = claimed[0].notification.webhook;
    bench
        .write(move |tx| {
            webhook::delete(&mut tx.account(account), hook, at(0))?;
            webhook::forget_history(tx, hook, Uuid::nil(), 9)
        })
        .await;
    assert_eq!(
        tables.map(left),
        [0, 0, 0, 0],
        "nothing outlives its webhook"
    );
}
