//! What deliveries promise.

use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::webhook::{DeliveryStatus, Verdict};
use jiff::{SignedDuration, Timestamp};
use store::delivery::{self, Attempt, Body, Claimed, Disabled, Outcome, Record, Settled};
use store::notification::{self, NotificationFilter};
use store::{Error, Slice, webhook};
use uuid::Uuid;

use crate::bench::{Bench, at, id, notification_row, webhook_row};

on_both_engines!(
    what_is_inserted_is_claimed_whole,
    a_claim_is_a_lease,
    an_outcome_of_an_earlier_claim_is_dropped,
    an_outcome_told_twice_counts_once,
    a_retry_waits_and_holds_up_its_line_only,
    what_waits_for_another_try_can_be_hurried,
    whoever_settles_hears_whether_there_is_more,
    the_end_of_one_makes_the_next_one_due,
    webhooks_share_a_claim,
    more_webhooks_than_a_claim_takes_all_get_their_turn,
    an_inactive_webhook_gets_nothing_until_it_is_active,
    gone_disables_the_webhook,
    of_several_that_hear_gone_one_ends_and_the_rest_is_held,
    gone_from_where_a_webhook_led_before_means_nothing,
    a_body_is_kept_as_it_was_rendered_first,
    a_long_body_is_read_by_itself,
    attempts_and_status_are_recorded,
    one_change_is_told_once,
    deleting_a_webhook_takes_its_deliveries_away,
    many_at_once,
);

/// Stores notifications of one line.
pub async fn insert(bench: &Bench, account: AccountId, webhook: WebhookId, key: Uuid, count: i64) {
    let rows: Vec<_> = (1..=count)
        .map(|n| notification_row(webhook, key, n))
        .collect();
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &rows))
        .await;
}

pub async fn claim(bench: &Bench, now: Timestamp, until: Timestamp, limit: u32) -> Vec<Claimed> {
    let owner = id();
    bench
        .write(move |tx| {
            claim_due(
                tx,
                now,
                until,
                owner,
                delivery::Room::anywhere(limit as usize),
            )
        })
        .await
}

/// A claim, read.
pub fn claim_due(
    tx: &mut store::Tx,
    now: Timestamp,
    until: Timestamp,
    owner: Uuid,
    room: delivery::Room,
) -> Result<Vec<Claimed>, Error> {
    let ids = delivery::claim_due(tx, now, until, owner, room)?;
    delivery::claimed(tx, &ids)
}

/// Heads of lines that nobody would look at, found in stretches of `count`.
pub async fn overlooked(bench: &Bench, count: u32) -> Vec<NotificationId> {
    let mut heads = Vec::new();
    let mut after = Some(Uuid::nil());
    while let Some(from) = after {
        let found = bench
            .read(move |tx| delivery::overlooked(tx, from, count))
            .await;
        assert!(found.until > Some(from) || found.until.is_none());
        heads.extend(found.heads);
        after = found.until;
    }
    heads
}

pub fn outcome(claimed: &Claimed, verdict: Verdict) -> Outcome {
    let succeeded = verdict == Verdict::Succeeded;
    Outcome {
        notification: claimed.notification.id,
        claim_token: claimed.claim_token,
        webhook: claimed.notification.webhook,
        url: claimed.url.clone(),
        attempt: Attempt {
            number: claimed.attempts_before + claimed.attempt,
            started_at: at(10),
            duration_ms: 1_500,
            status: succeeded.then_some(200),
            reason: (!succeeded).then(|| "the connection was refused".into()),
            response_headers: "content-type: text/plain".into(),
            response_body: "ok".into(),
        },
        verdict,
        refusals_in_a_row: u32::from(!succeeded),
        tells_of_receiver: true,
    }
}

/// Claims of the tests last no longer.
pub const LEASE: SignedDuration = SignedDuration::from_secs(60);

/// Ends the delivery of this notification.
pub async fn end(bench: &Bench, id: NotificationId, verdict: Verdict) {
    let now = at(1_000);
    let claimed = claim(bench, now, now, 100).await;
    let its = claimed.iter().find(|one| one.notification.id == id);
    assert_eq!(settle(bench, vec![outcome(its.unwrap(), verdict)]).await, 1);
}

pub async fn settle(bench: &Bench, outcomes: Vec<Outcome>) -> usize {
    told(bench, outcomes).await.counted
}

/// What came of settling.
async fn told(bench: &Bench, outcomes: Vec<Outcome>) -> Settled {
    bench.write(move |tx| delivery::settle(tx, &outcomes)).await
}

async fn open(bench: &Bench) -> u64 {
    bench.read(delivery::open_count).await
}

async fn next_due(bench: &Bench) -> Option<Timestamp> {
    bench.read(delivery::next_due).await
}

fn ids(claimed: &[Claimed]) -> Vec<NotificationId> {
    claimed
        .iter()
        .map(|claimed| claimed.notification.id)
        .collect()
}

async fn what_is_inserted_is_claimed_whole(bench: &Bench) {
    let account = bench.account().await;
    let hook = webhook::Webhook {
        retired: Some(webhook::Retired {
            sealed: vec![9, 0, 9],
            until: at(86_400),
        }),
        ..webhook_row()
    };
    let row = notification_row(hook.id, id(), 1);
    let (written, stored) = (hook.clone(), row.clone());
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            webhook::insert(&mut a, &written)?;
            notification::insert(&mut a, std::slice::from_ref(&stored))
        })
        .await;
    assert_eq!(next_due(bench).await, Some(at(0)));
    assert_eq!(
        claim(bench, at(-1), at(30), 10).await,
        Vec::new(),
        "not yet due"
    );
    let claimed = claim(bench, at(0), at(30), 10).await;
    let expected = Claimed {
        account,
        notification: row.0,
        url: hook.url,
        secret: hook.secret,
        retired: hook.retired,
        headers: hook.headers,
        attempt: 1,
        attempts_before: 0,
        refusals_in_a_row: 0,
        record: Record::New,
        claim_token: 1,
        leased_until: at(30),
        body: Body::Unmade,
    };
    assert_eq!(claimed, [expected]);
}

async fn a_claim_is_a_lease(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let first = claim(bench, at(0), at(30), 10).await;
    assert_eq!(first.len(), 1);
    assert_eq!(next_due(bench).await, Some(at(30)));
    assert_eq!(claim(bench, at(29), at(60), 10).await, Vec::new(), "leased");
    let second = claim(bench, at(30), at(60), 10).await;
    assert_eq!(ids(&second), ids(&first));
    assert_eq!(
        second[0].attempt, 1,
        "an attempt that nobody reported is made again"
    );
    assert!(second[0].claim_token > first[0].claim_token);
}

async fn an_outcome_of_an_earlier_claim_is_dropped(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let late = claim(bench, at(0), at(30), 10).await;
    let current = claim(bench, at(31), at(60), 10).await;
    assert_eq!(
        settle(bench, vec![outcome(&late[0], Verdict::Failed)]).await,
        0
    );
    assert_eq!(open(bench).await, 1);
    assert_eq!(
        settle(bench, vec![outcome(&current[0], Verdict::Succeeded)]).await,
        1
    );
    assert_eq!(open(bench).await, 0);
}

async fn an_outcome_told_twice_counts_once(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let claimed = claim(bench, at(0), at(30), 10).await;
    let again = outcome(&claimed[0], Verdict::RetryAt(at(40)));
    assert_eq!(settle(bench, vec![again.clone(), again.clone()]).await, 1);
    assert_eq!(settle(bench, vec![again]).await, 0);
    let claimed = claim(bench, at(40), at(70), 10).await;
    assert_eq!((claimed[0].attempt, claimed[0].refusals_in_a_row), (2, 1));
}

async fn a_retry_waits_and_holds_up_its_line_only(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    let (slow, quick) = (id(), id());
    insert(bench, account, hook, slow, 3).await;
    let head = claim(bench, at(0), at(30), 10).await;
    assert_eq!(head.len(), 1, "one of a line at a time");
    settle(bench, vec![outcome(&head[0], Verdict::RetryAt(at(500)))]).await;
    insert(bench, account, hook, quick, 1).await;
    let other = claim(bench, at(100), at(130), 10).await;
    assert_eq!(other.len(), 1);
    assert_eq!(other[0].notification.container.map(|c| c.0), Some(quick));
    settle(bench, vec![outcome(&other[0], Verdict::Succeeded)]).await;
    assert_eq!(next_due(bench).await, Some(at(500)));
    assert_eq!(ids(&claim(bench, at(500), at(530), 10).await), ids(&head));
}

async fn what_waits_for_another_try_can_be_hurried(bench: &Bench) {
    let account = bench.account().await;
    let (hook, other) = (bench.webhook(account).await, bench.webhook(account).await);
    for webhook in [hook, hook, other] {
        insert(bench, account, webhook, id(), 1).await;
    }
    let claimed = claim(bench, at(0), at(30), 10).await;
    let of_hook = |one: &&Claimed| one.notification.webhook == hook;
    let first = claimed.iter().find(of_hook).unwrap();
    let of_other = claimed.iter().find(|one| !of_hook(one)).unwrap();
    let later = Verdict::RetryAt(at(900));
    settle(bench, vec![outcome(first, later), outcome(of_other, later)]).await;
    let hurried =
        bench.write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(11), LEASE));
    let hurried = hurried.await;
    // One waits, and one is in hand.
    assert_eq!((hurried.changed, hurried.more), (2, false));
    let again = claim(bench, at(11), at(41), 10).await;
    let again: Vec<_> = again.iter().map(|one| one.notification.id).collect();
    assert_eq!(again, [first.notification.id]);
}

async fn whoever_settles_hears_whether_there_is_more(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let lone = claim(bench, at(0), at(30), 10).await;
    let (counted, succeeded) = (1, Verdict::Succeeded);
    let nothing = Settled {
        counted,
        ..Settled::default()
    };
    let something = Settled {
        more: true,
        ..nothing.clone()
    };
    assert_eq!(
        told(bench, vec![outcome(&lone[0], succeeded)]).await,
        nothing
    );
    insert(bench, account, hook, id(), 2).await;
    let head = claim(bench, at(0), at(30), 10).await;
    let again = Verdict::RetryAt(at(40));
    assert_eq!(told(bench, vec![outcome(&head[0], again)]).await, something);
    let head = claim(bench, at(40), at(90), 10).await;
    assert_eq!(
        told(bench, vec![outcome(&head[0], succeeded)]).await,
        something
    );
    let last = claim(bench, at(41), at(90), 10).await;
    assert_eq!(
        told(bench, vec![outcome(&last[0], succeeded)]).await,
        nothing
    );
    let line = id();
    insert(bench, account, hook, line, 1).await;
    let head = claim(bench, at(42), at(90), 10).await;
    // It comes behind the head, and is parked by no claim.
    insert(bench, account, hook, line, 2).await;
    assert_eq!(
        told(bench, vec![outcome(&head[0], succeeded)]).await,
        something
    );
}

async fn the_end_of_one_makes_the_next_one_due(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    let key = id();
    insert(bench, account, hook, key, 1).await;
    let first = claim(bench, at(0), at(30), 10).await;
    // These come while the head is under way, and are met by a claim.
    insert(bench, account, hook, key, 3).await;
    assert_eq!(claim(bench, at(1), at(30), 10).await, Vec::new());
    let mut sequences = Vec::new();
    let mut head = first;
    for verdict in [Verdict::Succeeded, Verdict::Failed, Verdict::Succeeded] {
        settle(bench, vec![outcome(&head[0], verdict)]).await;
        head = claim(bench, at(12), at(40), 10).await;
        sequences.push(head[0].notification.version);
    }
    assert_eq!(sequences, [1, 2, 3]);
}

async fn webhooks_share_a_claim(bench: &Bench) {
    let account = bench.account().await;
    let (loud, quiet) = (bench.webhook(account).await, bench.webhook(account).await);
    let rows: Vec<_> = (0..500).map(|_| notification_row(loud, id(), 1)).collect();
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &rows))
        .await;
    let mut late = notification_row(quiet, id(), 1);
    late.0.created_at = at(5);
    bench
        .write(move |tx| {
            notification::insert(&mut tx.account(account), std::slice::from_ref(&late))
        })
        .await;
    let claimed = claim(bench, at(5), at(30), 10).await;
    assert_eq!(claimed.len(), 10, "what one does not need the other gets");
    let of_quiet = claimed
        .iter()
        .filter(|claimed| claimed.notification.webhook == quiet);
    assert_eq!(of_quiet.count(), 1);
}

async fn more_webhooks_than_a_claim_takes_all_get_their_turn(bench: &Bench) {
    let account = bench.account().await;
    let mut left = std::collections::HashSet::new();
    for _ in 0..70 {
        let hook = bench.webhook(account).await;
        left.insert(hook);
        let rows: Vec<_> = (0..5).map(|_| notification_row(hook, id(), 1)).collect();
        bench
            .write(move |tx| notification::insert(&mut tx.account(account), &rows))
            .await;
    }
    let mut claims = 0;
    while !left.is_empty() {
        claims += 1;
        let claimed = claim(bench, at(claims), at(10_000), 10).await;
        assert_eq!(claimed.len(), 10);
        for claimed in claimed {
            left.remove(&claimed.notification.webhook);
        }
    }
    assert!(claims <= 35, "{claims} claims; 35 take everything");
}

async fn an_inactive_webhook_gets_nothing_until_it_is_active(bench: &Bench) {
    let account = bench.account().await;
    let mut hook = webhook_row();
    hook.active = false;
    let (written, webhook) = (hook.clone(), hook.id);
    bench
        .write(move |tx| webhook::insert(&mut tx.account(account), &written))
        .await;
    insert(bench, account, webhook, id(), 1).await;
    assert_eq!(claim(bench, at(5), at(30), 10).await, Vec::new());
    assert_eq!(next_due(bench).await, None);
    hook.active = true;
    bench
        .write(move |tx| webhook::update(&mut tx.account(account), &hook))
        .await;
    assert_eq!(claim(bench, at(5), at(30), 10).await.len(), 1);
}

async fn gone_disables_the_webhook(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 2).await;
    let claimed = claim(bench, at(0), at(30), 10).await;
    assert_eq!(bench.read(webhook::disabled_count).await, 0);
    let settled = told(bench, vec![outcome(&claimed[0], Verdict::Gone)]).await;
    let row = bench
        .read(move |tx| webhook::find(&mut tx.account(account), hook))
        .await
        .unwrap();
    assert!(!row.active, "{row:?}");
    let disabled = Disabled {
        account,
        webhook: hook,
        reason: row.disabled_reason.unwrap(),
    };
    assert_eq!(settled.disabled, [disabled], "whoever settles hears of it");
    assert_eq!(bench.read(webhook::disabled_count).await, 1);
    assert_eq!(claim(bench, at(100), at(130), 10).await, Vec::new());
    assert_eq!(open(bench).await, 1, "what was not tried stays open");
}

async fn of_several_that_hear_gone_one_ends_and_the_rest_is_held(bench: &Bench) {
    let account = bench.account().await;
    let (hook, other) = (bench.webhook(account).await, bench.webhook(account).await);
    for _ in 0..3 {
        insert(bench, account, hook, id(), 1).await;
    }
    insert(bench, account, other, id(), 1).await;
    let claimed = claim(bench, at(0), at(30), 10).await;
    let gone: Vec<Outcome> = claimed
        .iter()
        .map(|one| outcome(one, Verdict::Gone))
        .collect();
    let of_hook = |one: &&Claimed| one.notification.webhook == hook;
    let last = claimed.iter().rev().find(of_hook).unwrap();
    let (together, late): (Vec<_>, Vec<_>) = gone
        .into_iter()
        .partition(|outcome| outcome.notification != last.notification.id);
    assert_eq!(told(bench, together).await.disabled.len(), 2);
    assert_eq!(open(bench).await, 2, "one of each has ended");
    let late = told(bench, late).await;
    assert_eq!((late.counted, late.disabled), (1, Vec::new()));
    assert_eq!(open(bench).await, 2, "it was off already");
    assert_eq!(claim(bench, at(100), at(130), 10).await, Vec::new());
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            let mut row = webhook::lock(a, hook)?.unwrap();
            row.active = true;
            webhook::update(a, &row)
        })
        .await;
    let held = claim(bench, at(100), at(130), 10).await;
    let attempts: Vec<u32> = held.iter().map(|one| one.attempt).collect();
    assert_eq!(
        attempts,
        [2, 2],
        "what was answered so counts as an attempt"
    );
}

async fn gone_from_where_a_webhook_led_before_means_nothing(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let claimed = claim(bench, at(0), at(30), 10).await;
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            let mut row = webhook::lock(a, hook)?.unwrap();
            row.url = "https://elsewhere.example/".into();
            webhook::update(a, &row)
        })
        .await;
    let settled = told(bench, vec![outcome(&claimed[0], Verdict::Gone)]).await;
    assert_eq!((settled.counted, settled.disabled), (1, Vec::new()));
    let again = claim(bench, at(100), at(130), 10).await;
    assert_eq!(again.len(), 1, "it goes there");
    assert_eq!(again[0].url, "https://elsewhere.example/");
}

async fn a_body_is_kept_as_it_was_rendered_first(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let notification = claim(bench, at(0), at(30), 10).await[0].notification.id;
    // Bytes that a JSON column would not give back.
    let first = "{\"b\":1,  \"a\":1.50,\"a\":\"\u{1F6A2}\"}\n".to_owned();
    for body in [first.clone(), "{}".into()] {
        bench
            .write(move |tx| delivery::store_bodies(tx, &[(notification, body.clone())]))
            .await;
    }
    let claimed = claim(bench, at(30), at(60), 10).await;
    assert_eq!(claimed[0].body, Body::InHand(first.clone()));
    let found = bench
        .read(move |tx| notification::find(&mut tx.account(account), notification))
        .await
        .unwrap();
    assert_eq!(found.1.as_deref(), Some(first.as_str()));
}

async fn a_long_body_is_read_by_itself(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let of = claim(bench, at(0), at(30), 10).await[0].notification.id;
    let read = async || bench.read(move |tx| delivery::body(tx, of)).await;
    assert_eq!(read().await, None, "nothing is kept yet");
    // Ids have little in common.
    let ids: Vec<String> = (0..4_000)
        .map(|_| id::<NotificationId>().to_string())
        .collect();
    let long = ids.join(" ");
    let kept = long.clone();
    bench
        .write(move |tx| delivery::store_bodies(tx, &[(of, kept.clone())]))
        .await;
    assert_eq!(claim(bench, at(30), at(60), 10).await[0].body, Body::Kept);
    assert_eq!(read().await, Some(long));
}

async fn attempts_and_status_are_recorded(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let first = claim(bench, at(0), at(30), 10).await;
    let failed = outcome(&first[0], Verdict::RetryAt(at(20)));
    settle(bench, vec![failed.clone()]).await;
    let second = claim(bench, at(20), at(50), 10).await;
    let succeeded = outcome(&second[0], Verdict::Succeeded);
    settle(bench, vec![succeeded.clone()]).await;
    let notification = first[0].notification.id;
    let (attempts, found) = bench
        .read(move |tx| {
            let mut a = tx.account(account);
            let slice = |offset, limit| Slice { offset, limit };
            let all = delivery::attempts(&mut a, notification, slice(0, 9))?;
            let pages = [(0, 1), (1, 1), (1, 9), (2, 9)].map(|(offset, limit)| {
                delivery::attempts(&mut a, notification, slice(offset, limit))
            });
            for (page, expected) in
                pages
                    .into_iter()
                    .zip([&all.rows[..1], &all.rows[1..], &all.rows[1..], &[]])
            {
                let page = page?;
                assert_eq!((&page.rows[..], page.total), (expected, 2));
            }
            Ok((all.rows, notification::find(&mut a, notification)?))
        })
        .await;
    assert_eq!(attempts, [failed.attempt, succeeded.attempt]);
    assert_eq!(found.unwrap().0.status, DeliveryStatus::Succeeded);
}

async fn one_change_is_told_once(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    let key = id();
    let first = notification_row(hook, key, 1);
    let mut repeated = first.clone();
    repeated.0.id = id();
    let next = notification_row(hook, key, 2);
    let rows = [first, repeated.clone(), next];
    let added = bench
        .write(move |tx| {
            let mut a = tx.account(account);
            let added = notification::insert(&mut a, &rows)?;
            Ok(added + notification::insert(&mut a, std::slice::from_ref(&repeated))?)
        })
        .await;
    assert_eq!(added, 2);
    let filter = NotificationFilter::default();
    let slice = Slice {
        offset: 0,
        limit: 10,
    };
    let page = bench
        .read(move |tx| notification::page(&mut tx.account(account), &filter, slice))
        .await;
    assert_eq!(page.total, 2);
    assert_eq!(open(bench).await, 2);
}

async fn deleting_a_webhook_takes_its_deliveries_away(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 3).await;
    let claimed = claim(bench, at(0), at(30), 10).await;
    let deleted = bench
        .write(move |tx| webhook::delete(&mut tx.account(account), hook, at(0)))
        .await;
    assert!(deleted);
    assert_eq!(open(bench).await, 0);
    assert_eq!(
        settle(bench, vec![outcome(&claimed[0], Verdict::Succeeded)]).await,
        0
    );
}

async fn many_at_once(bench: &Bench) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    let key = id();
    let mut rows: Vec<_> = (0..1_500)
        .map(|_| notification_row(hook, id(), 1))
        .collect();
    rows.extend((0..300).map(|n| notification_row(hook, key, n)));
    // Sequences decide, not the order of insertion.
    rows.reverse();
    let added = bench
        .write(move |tx| notification::insert(&mut tx.account(account), &rows))
        .await;
    assert_eq!(added, 1_800);
    let claimed = claim(bench, at(0), at(30), 5_000).await;
    assert_eq!(claimed.len(), 1_501);
    let in_line = claimed
        .iter()
        .find(|claimed| claimed.notification.container == Some(key.into()));
    assert_eq!(in_line.unwrap().notification.version, 0);
    let outcomes = claimed
        .iter()
        .map(|claimed| outcome(claimed, Verdict::Succeeded))
        .collect();
    assert_eq!(settle(bench, outcomes).await, 1_501);
    assert_eq!(open(bench).await, 299);
    assert_eq!(claim(bench, at(20), at(30), 5_000).await.len(), 1);
}
