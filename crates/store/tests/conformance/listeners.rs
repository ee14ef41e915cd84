//! What listeners are promised: their deliveries are theirs to claim, one of a line at a time.

use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::listener::ListenerName;
use domain::webhook::Verdict;
use jiff::{SignedDuration, Timestamp};
use store::delivery::{self, Claimed};
use store::listener::{self, Listener};
use store::{notification, webhook};
use uuid::Uuid;

use crate::bench::{Bench, at, id, notification_row, number};
use crate::deliveries::{claim, outcome, settle};

on_both_engines!(
    a_name_is_taken_once_in_an_account,
    only_the_listener_claims_its_deliveries,
    a_listener_gets_heads_of_lines_and_no_more_than_it_asks_for,
    a_claim_is_known_by_its_listener_and_its_token_only,
    a_listener_that_nobody_asks_is_switched_off,
    no_answer_switches_a_listener_off,
    who_asks_hears_whether_another_one_did_since,
    who_opens_a_listener_has_a_turn_of_its_own,
    what_a_listener_has_in_hand_can_be_taken_back,
);

async fn listening(bench: &Bench) -> (AccountId, WebhookId) {
    let account = bench.account().await;
    let webhook = bench.webhook(account).await;
    let name = ListenerName::parse(&format!("n{}", number())).unwrap();
    let row = Listener {
        name,
        webhook,
        asked_at: at(0),
        turn: 1,
    };
    let added = bench
        .write(move |tx| listener::insert(&mut tx.account(account), &row))
        .await;
    assert!(added);
    (account, webhook)
}

async fn tell(bench: &Bench, account: AccountId, webhook: WebhookId, key: Uuid, count: i64) {
    let rows: Vec<_> = (1..=count)
        .map(|n| notification_row(webhook, key, n))
        .collect();
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &rows))
        .await;
}

async fn fetch(
    bench: &Bench,
    whose: (AccountId, WebhookId),
    now: Timestamp,
    until: Timestamp,
    most: usize,
) -> Vec<Claimed> {
    let owner = id();
    bench
        .write(move |tx| {
            let ids = delivery::claim_of(tx, whose, (now, until), owner, most)?;
            delivery::claimed(tx, &ids)
        })
        .await
}

async fn in_hand(
    bench: &Bench,
    account: AccountId,
    webhook: WebhookId,
    claim: (NotificationId, i64),
) -> Option<(u32, u32)> {
    bench
        .read(move |tx| delivery::attempt_in_hand(&mut tx.account(account), webhook, claim))
        .await
}

async fn a_name_is_taken_once_in_an_account(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let found = bench
        .read(move |tx| listener::find(&mut tx.account(account), webhook))
        .await
        .unwrap();
    let named = found.name.clone();
    let by_name = bench
        .read(move |tx| listener::named(&mut tx.account(account), &named))
        .await;
    assert_eq!(by_name, Some(found.clone()));
    let other = bench.webhook(account).await;
    let twice = Listener {
        webhook: other,
        ..found.clone()
    };
    let (again, stranger) = (twice.clone(), bench.account().await);
    let added = bench
        .write(move |tx| listener::insert(&mut tx.account(account), &again))
        .await;
    assert!(!added, "the name is taken");
    let theirs = bench.webhook(stranger).await;
    let same_name = Listener {
        webhook: theirs,
        ..found
    };
    let added = bench
        .write(move |tx| listener::insert(&mut tx.account(stranger), &same_name))
        .await;
    assert!(added, "not in another account");
    let (ours, not_theirs) = bench
        .read(move |tx| {
            let ours = listener::count(&mut tx.account(account))?;
            Ok((ours, listener::find(&mut tx.account(stranger), webhook)?))
        })
        .await;
    assert_eq!((ours, not_theirs), (1, None));
    bench
        .write(move |tx| webhook::delete(&mut tx.account(account), webhook, at(0)))
        .await;
    let left = bench
        .read(move |tx| listener::count(&mut tx.account(account)))
        .await;
    assert_eq!(left, 0, "gone with its webhook");
}

async fn only_the_listener_claims_its_deliveries(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    tell(bench, account, webhook, id(), 1).await;
    assert_eq!(claim(bench, at(5), at(30), 10).await, Vec::new());
    assert_eq!(bench.read(delivery::next_due).await, None);
    let due = |now| bench.read(move |tx| delivery::has_due(&mut tx.account(account), webhook, now));
    assert!(!due(at(-1)).await);
    assert!(due(at(0)).await);
    let fetched = fetch(bench, (account, webhook), at(5), at(30), 10).await;
    assert_eq!(fetched.len(), 1);
    assert!(!due(at(29)).await, "leased");
    assert_eq!(
        fetch(bench, (account, webhook), at(29), at(60), 10).await,
        Vec::new()
    );
    let again = fetch(bench, (account, webhook), at(30), at(60), 10).await;
    assert_eq!(again[0].notification, fetched[0].notification);
    assert!(again[0].claim_token > fetched[0].claim_token);
}

async fn who_asks_hears_whether_another_one_did_since(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let ask = |before, now| {
        bench.write(move |tx| listener::ask(&mut tx.account(account), webhook, (before, 1), now))
    };
    assert!(ask(at(0), at(1)).await);
    assert!(!ask(at(0), at(2)).await);
    assert!(ask(at(1), at(2)).await);
}

async fn who_opens_a_listener_has_a_turn_of_its_own(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let take_over = |whose, now| {
        bench.write(move |tx| listener::take_over(&mut tx.account(whose), webhook, now))
    };
    let ask = |turn, now| {
        let found = (at(1), turn);
        bench.write(move |tx| listener::ask(&mut tx.account(account), webhook, found, now))
    };
    assert_eq!(take_over(account, at(1)).await, Some(2));
    assert_eq!(
        take_over(account, at(1)).await,
        Some(3),
        "at the same moment"
    );
    assert!(!ask(2, at(2)).await, "another one has opened it");
    assert!(ask(3, at(2)).await);
    let found = bench
        .read(move |tx| listener::find(&mut tx.account(account), webhook))
        .await;
    let found = found.unwrap();
    assert_eq!((found.turn, found.asked_at), (3, at(2)));
    let stranger = bench.account().await;
    assert_eq!(
        take_over(stranger, at(3)).await,
        None,
        "not in another account"
    );
}

async fn what_a_listener_has_in_hand_can_be_taken_back(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let (_, other) = listening(bench).await;
    let key = id();
    tell(bench, account, webhook, key, 2).await;
    let first = fetch(bench, (account, webhook), at(0), at(30), 10).await;
    assert_eq!(first.len(), 1, "the second waits in line");
    let take_back =
        |whose| bench.write(move |tx| delivery::take_back(&mut tx.account(account), whose, at(3)));
    assert_eq!(take_back(other).await, 0);
    assert_eq!(take_back(webhook).await, 1);
    let claim = (first[0].notification.id, first[0].claim_token);
    assert_eq!(in_hand(bench, account, webhook, claim).await, None);
    let again = fetch(bench, (account, webhook), at(3), at(33), 10).await;
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].notification, first[0].notification);
    assert_eq!(take_back(webhook).await, 1, "that waits in line as before");
}

async fn a_listener_gets_heads_of_lines_and_no_more_than_it_asks_for(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let whose = (account, webhook);
    let other = bench.webhook(account).await;
    tell(bench, account, other, id(), 1).await;
    let long: Uuid = id();
    tell(bench, account, webhook, long, 60).await;
    for _ in 0..5 {
        tell(bench, account, webhook, id(), 1).await;
    }
    let first = fetch(bench, whose, at(5), at(30), 4).await;
    assert_eq!(first.len(), 4);
    let rest = fetch(bench, whose, at(5), at(30), 10).await;
    assert_eq!(rest.len(), 2, "one of each line");
    let all = first.iter().chain(&rest);
    assert!(all.clone().all(|c| c.notification.webhook == webhook));
    let head = all
        .clone()
        .find(|c| c.notification.container.map(|c| c.0) == Some(long))
        .unwrap();
    assert_eq!(head.notification.version, 1);
    settle(bench, vec![outcome(head, Verdict::Succeeded)]).await;
    let next = fetch(bench, whose, at(11), at(40), 10).await;
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].notification.version, 2, "the next of its line");
}

async fn a_claim_is_known_by_its_listener_and_its_token_only(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    tell(bench, account, webhook, id(), 1).await;
    let fetched = fetch(bench, (account, webhook), at(0), at(30), 10).await;
    let claim = (fetched[0].notification.id, fetched[0].claim_token);
    assert_eq!(in_hand(bench, account, webhook, claim).await, Some((1, 1)));
    let stranger = bench.account().await;
    assert_eq!(in_hand(bench, stranger, webhook, claim).await, None);
    let other = bench.webhook(account).await;
    assert_eq!(in_hand(bench, account, other, claim).await, None);
    assert_eq!(
        in_hand(bench, account, webhook, (claim.0, claim.1 - 1)).await,
        None
    );
    bench
        .write(move |tx| delivery::release(tx, &[claim], at(1)))
        .await;
    assert_eq!(
        in_hand(bench, account, webhook, claim).await,
        None,
        "given back"
    );
    let again = fetch(bench, (account, webhook), at(1), at(30), 10).await;
    settle(bench, vec![outcome(&again[0], Verdict::RetryAt(at(40)))]).await;
    let third = fetch(bench, (account, webhook), at(40), at(70), 10).await;
    let claim = (third[0].notification.id, third[0].claim_token);
    assert_eq!(in_hand(bench, account, webhook, claim).await, Some((2, 2)));
}

async fn a_listener_that_nobody_asks_is_switched_off(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let sent_to = bench.webhook(account).await;
    let retire = |before| bench.write(move |tx| listener::retire_idle(tx, before, "idle", at(9)));
    assert_eq!(retire(at(0)).await, 0, "asked at that moment");
    bench
        .write(move |tx| listener::take_over(&mut tx.account(account), webhook, at(5)))
        .await;
    assert_eq!(retire(at(5)).await, 0, "asked again");
    assert_eq!(retire(at(6)).await, 1);
    assert_eq!(retire(at(6)).await, 0, "once");
    let (off, on) = bench
        .read(move |tx| {
            let a = &mut tx.account(account);
            Ok((webhook::find(a, webhook)?, webhook::find(a, sent_to)?))
        })
        .await;
    let off = off.unwrap();
    assert!(!off.active);
    assert_eq!(off.disabled_reason.as_deref(), Some("idle"));
    assert!(on.unwrap().active);
}

async fn no_answer_switches_a_listener_off(bench: &Bench) {
    let (account, webhook) = listening(bench).await;
    let whose = (account, webhook);
    tell(bench, account, webhook, id(), 1).await;
    for n in 0..=30 {
        let now = at(1) + SignedDuration::from_hours(4 * n);
        let soon = now + SignedDuration::from_secs(1);
        let fetched = fetch(bench, whose, now, soon, 1).await;
        let mut failed = outcome(&fetched[0], Verdict::RetryAt(soon));
        failed.attempt.started_at = now;
        assert_eq!(settle(bench, vec![failed]).await, 1);
    }
    let found = bench
        .read(move |tx| webhook::find(&mut tx.account(account), webhook))
        .await;
    assert!(found.unwrap().active, "five days of failures");
}
