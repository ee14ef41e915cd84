//! What a clock that was ahead has left waiting is brought back by as much as it was ahead.

use domain::ids::{NotificationId, WatchId};
use domain::source::{Budget, Standing};
use domain::webhook::Verdict;
use jiff::SignedDuration;
use store::{delivery, raw_message, set_back, source, watch};
use uuid::Uuid;

use crate::bench::{Bench, at, id, watch_row};
use crate::deliveries::{claim, insert, outcome, settle};
use crate::dockets::{self, pushed};

on_both_engines!(
    what_waits_by_a_clock_that_was_ahead_waits_as_long_as_was_meant,
    what_waits_by_a_right_clock_is_left_alone,
    what_could_not_be_read_is_left_alone,
    what_is_hurried_by_a_clock_that_was_ahead_is_due,
    messages_that_are_nobodys_by_a_clock_that_was_ahead_are_found,
);

const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// By so many seconds the clock was ahead.
const AHEAD: i64 = 8 * 3600;

/// All that is ahead of a clock that shows this second, brought back. Whether there was anything, and how much was brought back.
async fn bring_back(bench: &Bench, now: i64) -> (bool, u64) {
    let (now, whole) = (at(now), (at(now), LEASE));
    let is_any = bench
        .read(move |tx| set_back::is_any_ahead(tx, now, LEASE))
        .await;
    let brought = bench.write(move |tx| {
        let mut count = set_back::bring_sources_back(tx, now)?;
        let mut after = WatchId::from(Uuid::nil());
        loop {
            // One by one: nothing is passed over, and it comes to an end.
            let ahead = set_back::watches(tx, whole, after, 1)?;
            let Some(last) = ahead.last() else { break };
            after = last.id;
            count += set_back::bring_watches_back(tx, whole, &ahead)?;
        }
        let mut after = NotificationId::from(Uuid::nil());
        loop {
            let set_back::Stretch { ahead, last } = set_back::deliveries(tx, whole, after, 1)?;
            let Some(last) = last else { break };
            after = last;
            count += set_back::bring_deliveries_back(tx, whole, &ahead)?;
        }
        Ok(count)
    });
    let brought = brought.await;
    let is_left = bench
        .read(move |tx| set_back::is_any_ahead(tx, now, LEASE))
        .await;
    assert!(!is_left);
    (is_any, brought)
}

/// One watch to be asked in two hours, one that is asked, a delivery to be tried in five minutes, one in hand, and a source that is
/// closed for ten.
async fn things(bench: &Bench, now: i64) -> [watch::Watch; 2] {
    let [mut later, mut asked] = [watch_row(), watch_row()];
    later.created_at = at(0);
    later.last_attempted_at = Some(at(now));
    later.next_poll_at = Some(at(now + 7200));
    (asked.created_at, asked.next_poll_at) = (at(now), Some(at(now)));
    let kept = [later.clone(), asked.clone()];
    bench
        .write(move |tx| {
            watch::find_or_insert(tx, &later)?;
            watch::find_or_insert(tx, &asked)?;
            watch::claim_due(tx, at(now), at(now) + LEASE, id(), 9, &[])?;
            let mut standing = Standing::default();
            standing.ask(Budget::default(), at(now)).unwrap();
            standing.throttled(Some(SignedDuration::from_mins(10)), "", at(now));
            source::hold(tx, "slow")?;
            source::save(tx, "slow", &standing)
        })
        .await;
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let tried = claim(bench, at(now), at(now) + LEASE, 1).await;
    let mut failed = outcome(&tried[0], Verdict::RetryAt(at(now + 300)));
    failed.attempt.started_at = at(now);
    settle(bench, vec![failed]).await;
    insert(bench, account, hook, id(), 1).await;
    assert_eq!(claim(bench, at(now), at(now) + LEASE, 1).await.len(), 1);
    kept
}

/// When each is due: deliveries, watches, and the source.
async fn waits(bench: &Bench, watches: &[watch::Watch; 2], now: i64) -> Vec<i64> {
    let ids = [watches[0].id, watches[1].id];
    let due = bench.read(move |tx| {
        let delivery = delivery::next_due(tx)?;
        let watch = watch::find(tx, ids[0])?.and_then(|watch| watch.next_poll_at);
        let leased = watch::next_due(tx, &[])?;
        let source = source::all(tx)?
            .remove("slow")
            .and_then(|slow| slow.wait_until);
        Ok([delivery, watch, leased, source])
    });
    let due = due.await.into_iter().map(Option::unwrap);
    due.map(|due| due.duration_since(at(now)).as_secs())
        .collect()
}

async fn what_waits_by_a_clock_that_was_ahead_waits_as_long_as_was_meant(bench: &Bench) {
    let watches = things(bench, AHEAD).await;
    assert_eq!(waits(bench, &watches, AHEAD).await, [30, 7200, 30, 600]);
    let (is_any, brought) = bring_back(bench, 0).await;
    assert_eq!((is_any, brought), (true, 5));
    assert_eq!(waits(bench, &watches, 0).await, [30, 7200, 30, 600]);
    // Once: who does it again, and by a clock that was ahead by less, moves nothing.
    assert_eq!(bring_back(bench, 0).await, (false, 0));
    assert_eq!(waits(bench, &watches, 0).await, [30, 7200, 30, 600]);
    // What was in hand is free after its lease, and the other is due in five minutes.
    assert_eq!(claim(bench, at(30), at(60), 9).await.len(), 1);
    assert_eq!(claim(bench, at(299), at(329), 9).await.len(), 1);
    assert_eq!(claim(bench, at(329), at(359), 9).await.len(), 2);
    assert_eq!(bring_back(bench, 329).await, (false, 0));
}

async fn what_waits_by_a_right_clock_is_left_alone(bench: &Bench) {
    let watches = things(bench, 0).await;
    // Nor what another thread or node writes a moment later.
    for now in [0, -50, 20] {
        assert_eq!(bring_back(bench, now).await, (false, 0), "{now}");
    }
    assert_eq!(waits(bench, &watches, 0).await, [30, 7200, 30, 600]);
}

async fn what_could_not_be_read_is_left_alone(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let first = claim(bench, at(0), at(0) + LEASE, 1).await;
    let (one, claimed) = (
        first[0].notification.id,
        (first[0].notification.id, first[0].claim_token),
    );
    let released = bench.write(move |tx| delivery::release(tx, &[claimed], at(0)));
    assert_eq!(released.await, 1);
    assert!(
        bench
            .write(move |tx| delivery::put_off(tx, one, at(0)))
            .await
    );
    assert_eq!(bring_back(bench, 0).await, (false, 0));
    let again = at(0) + delivery::PUT_OFF_FOR;
    assert_eq!(bench.read(delivery::next_due).await, Some(again));
    // By a clock that was ahead.
    assert!(
        bench
            .write(move |tx| delivery::put_off(tx, one, at(AHEAD)))
            .await
    );
    assert_eq!(bring_back(bench, 0).await, (false, 1));
    assert_eq!(claim(bench, at(0), at(30), 9).await.len(), 1);
}

async fn messages_that_are_nobodys_by_a_clock_that_was_ahead_are_found(bench: &Bench) {
    let mut taken = Vec::new();
    for now in [AHEAD, AHEAD, 0] {
        let message = pushed(bench).await.id;
        let claimed = dockets::claim(bench, now, 0, &[]).await.unwrap();
        assert_eq!(claimed.message.id, message);
        taken.push(message);
    }
    let [gone, renewed] = [taken[0], taken[1]];
    let found = bench.read(|tx| set_back::messages(tx, (at(0), LEASE), 9));
    let found = found.await;
    assert_eq!(found, [gone, renewed].map(|id| (id, at(AHEAD + 30))));
    // Who is still there goes by the clock that was set right.
    let held = vec![(renewed, at(AHEAD + 30))];
    let kept = bench.write(move |tx| raw_message::renew(tx, &held, at(40)));
    assert_eq!(kept.await, [renewed]);
    let freed = bench.write(move |tx| raw_message::renew(tx, &found, at(30)));
    assert_eq!(freed.await, [gone]);
    let again = dockets::claim(bench, 30, 0, &[]).await.unwrap();
    assert_eq!((again.message.id, again.tries), (gone, 2));
    let nobodys = bench.read(|tx| set_back::messages(tx, (at(0), LEASE), 9));
    assert_eq!(nobodys.await, []);
}

async fn what_is_hurried_by_a_clock_that_was_ahead_is_due(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let tried = claim(bench, at(0), at(0) + LEASE, 1).await;
    let mut failed = outcome(&tried[0], Verdict::RetryAt(at(300)));
    failed.attempt.started_at = at(0);
    settle(bench, vec![failed]).await;
    let hurry =
        move |tx: &mut store::Tx| delivery::hurry(&mut tx.account(account), hook, at(AHEAD), LEASE);
    // It would have been due by now.
    assert_eq!(bench.write(hurry).await.changed, 1);
    assert_eq!(bench.read(delivery::next_due).await, Some(at(AHEAD)));
    assert_eq!(bring_back(bench, 1).await, (false, 1));
    assert_eq!(claim(bench, at(1), at(31), 9).await.len(), 1);
}
