//! What whoever delivers may have in hand, and what becomes of it.

use std::collections::{HashMap, HashSet};

use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::webhook::Verdict;
use jiff::{SignedDuration, Timestamp};
use store::delivery::{self, Claimed, Part, RESTARTED_AT_ONCE_MAX, Record, Restarted, Room};
use store::notification::Express;
use store::{Error, notification, webhook};

use crate::bench::{Bench, at, id, notification_row, webhook_row};
use crate::deliveries::{LEASE, claim, claim_due, outcome, settle};

on_both_engines!(
    a_claim_takes_no_more_than_there_is_room_for,
    unknown_receivers_share_a_room,
    those_that_failed_last_come_last_where_room_is_short_and_are_not_left_out,
    those_that_failed_last_take_no_more_than_their_part,
    what_an_account_has_room_for_is_of_all_its_webhooks,
    a_long_line_does_not_hide_the_head_behind_it,
    a_claim_is_prolonged_by_its_holder_only,
    what_is_given_back_is_due_at_once,
    claims_of_another_life_do_not_count,
    five_days_of_failures_disable_a_webhook,
    what_failed_before_an_endpoint_was_mended_is_forgotten,
    what_was_withheld_leaves_the_receiver_its_share_of_the_schedule,
    one_success_clears_the_record,
    a_webhook_is_new_until_it_accepts_and_where_it_leads_next,
    time_in_which_its_owner_had_paused_it_does_not_count_against_a_webhook,
    what_an_address_did_does_not_count_against_the_next,
    an_attempt_at_an_earlier_address_counts_neither_for_nor_against_the_present_one,
    what_went_wrong_at_an_earlier_address_begins_anew_at_the_present_one,
    what_is_open_begins_anew_when_its_webhook_leads_elsewhere,
    what_waits_for_a_webhook_that_leads_elsewhere_begins_anew_in_steps,
    what_waits_for_a_webhook_is_hurried_in_steps,
    what_fails_while_a_webhook_is_hurried_is_not_hurried_again,
    what_comes_to_its_time_before_its_step_begins_anew_all_the_same,
    what_fails_in_the_moment_of_its_hurry_is_not_hurried_again,
    what_was_in_hand_while_its_webhook_led_elsewhere_and_back_begins_anew,
    what_was_in_hand_when_its_webhook_was_hurried_is_tried_again_at_once,
    what_nobody_holds_any_more_begins_anew_when_its_webhook_is_hurried,
    a_step_that_is_taken_earlier_than_the_first_leaves_nothing_out,
    what_became_due_while_its_webhook_was_off_begins_anew_when_it_is_hurried,
    a_deleted_webhook_is_not_gone_through_for_what_waits,
    no_next_attempt_is_named_while_the_webhook_is_off,
    express_takes_free_heads_that_are_wanted,
);

/// A webhook with this many deliveries, each in a line of its own.
async fn hook(bench: &Bench, account: AccountId, count: usize) -> WebhookId {
    let hook = webhook_row();
    let webhook_id = hook.id;
    let rows: Vec<_> = (0..count)
        .map(|_| notification_row(webhook_id, id(), 1))
        .collect();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            webhook::insert(&mut a, &hook)?;
            notification::insert(&mut a, &rows)
        })
        .await;
    webhook_id
}

async fn claim_in(bench: &Bench, room: Room) -> Vec<Claimed> {
    let owner = id();
    bench
        .write(move |tx| claim_due(tx, at(1), at(30), owner, room.clone()))
        .await
}

fn count_of(claimed: &[Claimed], webhook: WebhookId) -> usize {
    claimed
        .iter()
        .filter(|claimed| claimed.notification.webhook == webhook)
        .count()
}

async fn a_claim_takes_no_more_than_there_is_room_for(bench: &Bench) {
    let (one, other) = (bench.account().await, bench.account().await);
    let wide = hook(bench, one, 40).await;
    let narrow = hook(bench, one, 40).await;
    let full = hook(bench, one, 40).await;
    let held_back = hook(bench, other, 40).await;
    let room = Room {
        webhooks: HashMap::from([(wide, 25), (narrow, 3), (full, 0), (held_back, 20)]),
        accounts: HashMap::from([(other, 5)]),
        ..Room::anywhere(100)
    };
    let claimed = claim_in(bench, room).await;
    let counts = [wide, narrow, full, held_back].map(|hook| count_of(&claimed, hook));
    assert_eq!(counts, [25, 3, 0, 5]);
}

async fn unknown_receivers_share_a_room(bench: &Bench) {
    let account = bench.account().await;
    let mut hooks = Vec::new();
    for _ in 0..6 {
        hooks.push(hook(bench, account, 10).await);
    }
    let room = Room {
        webhooks: HashMap::from([(hooks[0], 10)]),
        unknown: 1,
        unknown_together: 3,
        ..Room::anywhere(100)
    };
    let claimed = claim_in(bench, room).await;
    assert_eq!(
        count_of(&claimed, hooks[0]),
        10,
        "the known one is not held up"
    );
    let unknown: Vec<usize> = hooks[1..]
        .iter()
        .map(|hook| count_of(&claimed, *hook))
        .collect();
    assert!(unknown.iter().all(|count| *count <= 1), "{unknown:?}");
    assert_eq!(unknown.iter().sum::<usize>(), 3, "{unknown:?}");
}

/// Has failed once, and has this many due, each in a line of its own.
async fn failing(bench: &Bench, account: AccountId, count: usize) -> WebhookId {
    let hook = hook(bench, account, count).await;
    let room = Room {
        webhooks: HashMap::from([(hook, 1)]),
        unknown: 0,
        ..Room::anywhere(1)
    };
    let claimed = claim_in(bench, room).await;
    let again = outcome(&claimed[0], Verdict::RetryAt(at(1)));
    assert_eq!(settle(bench, vec![again]).await, 1);
    hook
}

async fn those_that_failed_last_come_last_where_room_is_short_and_are_not_left_out(bench: &Bench) {
    let account = bench.account().await;
    let mut hooks = Vec::new();
    for _ in 0..3 {
        hooks.push(failing(bench, account, 1).await);
    }
    hooks.push(hook(bench, account, 1).await);
    for _ in 0..3 {
        hooks.push(failing(bench, account, 1).await);
    }
    let claimed = async |micros: i64, places: usize| {
        let now = at(1) + SignedDuration::from_micros(micros);
        let owner = id();
        let room = Room {
            unknown: 1,
            unknown_together: places,
            ..Room::anywhere(100)
        };
        let claimed = bench
            .write(move |tx| claim_due(tx, now, now, owner, room.clone()))
            .await;
        assert_eq!(claimed.len(), places);
        count_of(&claimed, hooks[3])
    };
    let mut of_good = 0;
    for micros in 0..14 {
        of_good += claimed(micros, 1).await;
    }
    assert_eq!(of_good, 10, "of fourteen");
    let mut of_good = 0;
    for seconds in 1..15 {
        of_good += claimed(seconds * 1_000_000, 1).await;
    }
    assert_eq!(of_good, 10, "of fourteen, at whole seconds");
    assert_eq!(claimed(20_000_000, 7).await, 1, "there is room for all");
}

async fn those_that_failed_last_take_no_more_than_their_part(bench: &Bench) {
    let account = bench.account().await;
    let mut hooks = Vec::new();
    for _ in 0..6 {
        hooks.push(failing(bench, account, 1).await);
    }
    let good = hook(bench, account, 1).await;
    // Two of seven claims begin with them.
    for micros in 0..7 {
        let now = at(1) + SignedDuration::from_micros(micros);
        let owner = id();
        let room = Room {
            unknown: 1,
            unknown_together: 4,
            failing: Part {
                together: 2,
                accounts: HashMap::new(),
                account: 3,
            },
            ..Room::anywhere(100)
        };
        let claimed = bench
            .write(move |tx| claim_due(tx, now, now, owner, room.clone()))
            .await;
        let failed = claimed
            .iter()
            .filter(|one| one.record == Record::Failed)
            .count();
        let to_good = claimed
            .iter()
            .filter(|one| one.notification.webhook == good);
        assert_eq!((claimed.len(), failed, to_good.count()), (3, 2, 1));
    }
}

async fn what_an_account_has_room_for_is_of_all_its_webhooks(bench: &Bench) {
    let account = bench.account().await;
    let mut hooks = Vec::new();
    for _ in 0..3 {
        hooks.push(hook(bench, account, 40).await);
    }
    let claimed = async |count: usize, micros: i64| {
        let (now, owner) = (at(1) + SignedDuration::from_micros(micros), id());
        let room = Room {
            accounts: HashMap::from([(account, count)]),
            ..Room::anywhere(100)
        };
        let claimed = bench
            .write(move |tx| claim_due(tx, now, at(30), owner, room.clone()))
            .await;
        hooks
            .iter()
            .map(|hook| count_of(&claimed, *hook))
            .collect::<Vec<_>>()
    };
    assert_eq!(claimed(6, 0).await, [2, 2, 2]);
    let mut one_by_one = [0; 3];
    for micros in 0..9 {
        let one = claimed(1, micros).await;
        assert_eq!(one.iter().sum::<usize>(), 1);
        for (count, more) in one_by_one.iter_mut().zip(one) {
            *count += more;
        }
    }
    assert_eq!(one_by_one, [3; 3], "none is always the last");
}

async fn a_long_line_does_not_hide_the_head_behind_it(bench: &Bench) {
    let account = bench.account().await;
    let hook = webhook_row();
    let webhook_id = hook.id;
    let (line, free) = (id(), id());
    let mut rows: Vec<_> = (1..=100)
        .map(|n| notification_row(webhook_id, line, n))
        .collect();
    rows.push(notification_row(webhook_id, free, 1));
    let last = rows[100].0.id;
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            webhook::insert(&mut a, &hook)?;
            notification::insert(&mut a, &rows)
        })
        .await;
    let narrow = Room {
        unknown: 1,
        ..Room::anywhere(100)
    };
    let head = claim_in(bench, narrow.clone()).await;
    assert_eq!(head.len(), 1);
    let next = claim_in(bench, narrow).await;
    assert_eq!(next.len(), 1);
    assert_eq!(
        next[0].notification.id, last,
        "not the second of the same line"
    );
}

async fn a_claim_is_prolonged_by_its_holder_only(bench: &Bench) {
    let account = bench.account().await;
    hook(bench, account, 2).await;
    let first = claim(bench, at(1), at(10), 2).await;
    let claims: Vec<_> = first
        .iter()
        .map(|claimed| (claimed.notification.id, claimed.claim_token))
        .collect();
    let (held, lost) = (claims[0], claims[1]);
    let prolong = vec![held];
    let renewed = bench
        .write(move |tx| delivery::renew(tx, &prolong, at(60)))
        .await;
    assert_eq!(renewed, [held.0]);
    let again = claim(bench, at(20), at(30), 2).await;
    assert_eq!(again.len(), 1, "the other lease had run out");
    assert_eq!(again[0].notification.id, lost.0);
    let renewed = bench
        .write(move |tx| delivery::renew(tx, &claims, at(90)))
        .await;
    assert_eq!(renewed, [held.0], "what was taken over is not prolonged");
}

async fn what_is_given_back_is_due_at_once(bench: &Bench) {
    let account = bench.account().await;
    hook(bench, account, 1).await;
    let first = claim(bench, at(1), at(30), 1).await;
    let claims = vec![(first[0].notification.id, first[0].claim_token)];
    let released = bench
        .write(move |tx| delivery::release(tx, &claims, at(2)))
        .await;
    assert_eq!(released, 1);
    assert_eq!(
        settle(bench, vec![outcome(&first[0], Verdict::Succeeded)]).await,
        0,
        "its claim has ended"
    );
    let second = claim(bench, at(2), at(30), 1).await;
    assert_eq!(second[0].attempt, 1, "no attempt was made");
}

async fn claims_of_another_life_do_not_count(bench: &Bench) {
    let account = bench.account().await;
    hook(bench, account, 3).await;
    let first = claim(bench, at(1), at(3_000), 1).await;
    // As a restore of a copy does it, a few at a time.
    let mut after = NotificationId(uuid::Uuid::nil());
    let mut raised = 0;
    loop {
        let outdated = bench.write(move |tx| delivery::outdate(tx, after, 1_000, 2));
        let Some(last) = outdated.await else { break };
        (after, raised) = (last, raised + 1);
    }
    assert_eq!(raised, 2, "two steps for three deliveries");
    assert_eq!(bench.write(|tx| delivery::release_all(tx, at(2))).await, 1);
    let again = claim(bench, at(2), at(30), 3).await;
    assert_eq!(again.len(), 3, "what was in hand is due at once");
    assert!(again.iter().all(|one| one.claim_token > 1_000));
    let late = vec![outcome(&first[0], Verdict::Succeeded)];
    assert_eq!(
        settle(bench, late).await,
        0,
        "its claim is of a life that ended"
    );
}

/// Fails (or, for `None`, accepts) this webhook's next delivery.
async fn attempt(bench: &Bench, now: Timestamp, again: Option<Timestamp>) {
    let claimed = claim(bench, now, now + SignedDuration::from_secs(30), 1).await;
    let verdict = again.map_or(Verdict::Succeeded, Verdict::RetryAt);
    let mut outcome = outcome(&claimed[0], verdict);
    outcome.attempt.started_at = now;
    assert_eq!(settle(bench, vec![outcome]).await, 1);
}

async fn webhook_of(bench: &Bench, account: AccountId, hook: WebhookId) -> webhook::Webhook {
    let found = bench
        .read(move |tx| webhook::find(&mut tx.account(account), hook))
        .await;
    found.unwrap()
}

async fn five_days_of_failures_disable_a_webhook(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 1).await;
    let start = at(1);
    // Every six hours: the twenty-first comes when five days have passed.
    let times: Vec<Timestamp> = (0..=20)
        .map(|n| start + SignedDuration::from_hours(6 * n))
        .collect();
    for now in &times {
        assert!(webhook_of(bench, account, hook).await.active, "{now}");
        attempt(bench, *now, Some(*now + SignedDuration::from_secs(1))).await;
    }
    let mut row = webhook_of(bench, account, hook).await;
    assert!(!row.active);
    let reason = row.disabled_reason.clone().unwrap();
    assert!(reason.contains(&format!("{start:.0}")), "{reason}");
    let later = times[20] + SignedDuration::from_hours(1);
    let until = later + SignedDuration::from_secs(30);
    assert_eq!(claim(bench, later, until, 1).await, [], "held");
    assert_eq!(bench.read(delivery::open_count).await, 1, "not dropped");
    row.active = true;
    row.disabled_reason = None;
    bench
        .write(move |tx| webhook::update(&mut tx.account(account), &row))
        .await;
    attempt(bench, later, Some(later)).await;
    assert!(
        webhook_of(bench, account, hook).await.active,
        "the record began anew"
    );
}

async fn what_failed_before_an_endpoint_was_mended_is_forgotten(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 1).await;
    let day = |n: i64| at(1) + SignedDuration::from_hours(24 * n);
    for now in std::iter::once(day(0)).chain([day(6); 30]) {
        attempt(bench, now, Some(now)).await;
    }
    assert!(
        webhook_of(bench, account, hook).await.active,
        "it failed for a moment after six quiet days"
    );
}

async fn what_was_withheld_leaves_the_receiver_its_share_of_the_schedule(bench: &Bench) {
    let account = bench.account().await;
    hook(bench, account, 1).await;
    let withheld = async |times: u32, first: i64| {
        for n in 0..times {
            let now = at(first + i64::from(n));
            let claimed = claim(bench, now, now + SignedDuration::from_secs(30), 1).await;
            let mut outcome = outcome(&claimed[0], Verdict::RetryAt(now));
            outcome.tells_of_receiver = false;
            assert_eq!(settle(bench, vec![outcome]).await, 1);
        }
    };
    let stands = async |second: i64, expected: (u32, u32, u32)| {
        let claimed = claim(bench, at(second), at(second), 1).await;
        assert_eq!(schedules(&claimed), [expected], "{second}");
    };
    withheld(3, 0).await;
    stands(10, (4, 0, 1)).await;
    withheld(20, 20).await;
    stands(50, (6, 0, 1)).await;
    for second in 60..63 {
        attempt(bench, at(second), Some(at(second))).await;
    }
    withheld(5, 70).await;
    // The last that was withheld before the receiver was reached keeps its place on record.
    stands(80, (9, 1, 1)).await;
    let only = bench.rows_of("attempts");
    assert_eq!(only, 10, "5 and 1 withheld, 3 refused, 1 withheld again");
}

async fn one_success_clears_the_record(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 2).await;
    for n in 0..30 {
        let now = at(1) + SignedDuration::from_hours(6 * n);
        let again = (n != 10).then_some(now + SignedDuration::from_secs(1));
        attempt(bench, now, again).await;
    }
    assert!(
        webhook_of(bench, account, hook).await.active,
        "a success came on the third day"
    );
}

async fn a_webhook_is_new_until_it_accepts_and_where_it_leads_next(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 4).await;
    let next = async |now: i64| {
        let claimed = claim(bench, at(now), at(now + 30), 1).await;
        claimed.into_iter().next().unwrap()
    };
    let first = next(0).await;
    assert_eq!(first.record, Record::New);
    settle(bench, vec![outcome(&first, Verdict::RetryAt(at(900)))]).await;
    let second = next(1).await;
    assert_eq!(second.record, Record::Failed);
    settle(bench, vec![outcome(&second, Verdict::Succeeded)]).await;
    let third = next(2).await;
    assert_eq!(third.record, Record::Answered);
    settle(bench, vec![outcome(&third, Verdict::Succeeded)]).await;
    lead(bench, account, hook, "https://example.com/next").await;
    assert_eq!(next(3).await.record, Record::New);
}

async fn time_in_which_its_owner_had_paused_it_does_not_count_against_a_webhook(bench: &Bench) {
    let account = bench.account().await;
    let start = at(1);
    let resumed = start + SignedDuration::from_hours(6 * 24);
    let failing = hook(bench, account, 1).await;
    let mut row = webhook_of(bench, account, failing).await;
    for n in 0..20 {
        let now = start + SignedDuration::from_hours(3 * n);
        attempt(bench, now, Some(now + SignedDuration::from_secs(1))).await;
    }
    for active in [false, true] {
        row.active = active;
        let written = row.clone();
        bench
            .write(move |tx| webhook::update(&mut tx.account(account), &written))
            .await;
    }
    attempt(bench, resumed, Some(resumed)).await;
    row = webhook_of(bench, account, failing).await;
    assert!(row.active, "switched off at the first failure");

    // What else is changed about one that is active does not whiten it.
    for n in 1..20 {
        let now = resumed + SignedDuration::from_hours(3 * n);
        attempt(bench, now, Some(now + SignedDuration::from_secs(1))).await;
    }
    row.headers = vec![7];
    bench
        .write(move |tx| webhook::update(&mut tx.account(account), &row))
        .await;
    let now = resumed + SignedDuration::from_hours(5 * 24);
    attempt(bench, now, Some(now)).await;
    assert!(!webhook_of(bench, account, failing).await.active);
}

/// Six failures a day for a little less than the five days after which a webhook is switched off.
async fn almost_hopeless(bench: &Bench, start: Timestamp) -> Timestamp {
    for n in 0..30 {
        let now = start + SignedDuration::from_hours(4 * n);
        attempt(bench, now, Some(now + SignedDuration::from_secs(1))).await;
    }
    start + SignedDuration::from_hours(5 * 24)
}

async fn lead(bench: &Bench, account: AccountId, hook: WebhookId, url: &'static str) {
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            let mut row = webhook::lock(a, hook)?.unwrap();
            row.url = url.into();
            webhook::update(a, &row)
        })
        .await;
}

async fn what_an_address_did_does_not_count_against_the_next(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 1).await;
    let now = almost_hopeless(bench, at(1)).await;
    lead(bench, account, hook, "https://example.com/moved").await;
    attempt(bench, now, Some(now + SignedDuration::from_secs(1))).await;
    let row = webhook_of(bench, account, hook).await;
    assert!(row.active, "its first failure there: {row:?}");
    let now = almost_hopeless(bench, now + SignedDuration::from_hours(1)).await;
    attempt(bench, now, Some(now)).await;
    assert!(
        !webhook_of(bench, account, hook).await.active,
        "what it does there counts"
    );
}

async fn an_attempt_at_an_earlier_address_counts_neither_for_nor_against_the_present_one(
    bench: &Bench,
) {
    let account = bench.account().await;
    let hook = hook(bench, account, 3).await;
    let now = at(1);
    let until = now + SignedDuration::from_hours(24 * 30);
    let claimed = claim(bench, now, until, 2).await;
    let [fails, succeeds] = claimed.try_into().unwrap();
    lead(bench, account, hook, "https://example.com/moved").await;
    let late = outcome(&fails, Verdict::RetryAt(until));
    assert_eq!(settle(bench, vec![late]).await, 1);
    assert_eq!(
        bench.rows_of("webhook_health where failures > 0"),
        0,
        "it failed elsewhere"
    );

    let now = almost_hopeless(bench, now).await;
    let late = outcome(&succeeds, Verdict::Succeeded);
    assert_eq!(settle(bench, vec![late]).await, 1);
    attempt(bench, now, Some(now)).await;
    assert!(
        !webhook_of(bench, account, hook).await.active,
        "somebody else answered well"
    );
}

/// Attempts that each of these is given now: of its schedule, and before it.
fn schedules(claimed: &[Claimed]) -> Vec<(u32, u32, u32)> {
    let of_each = claimed.iter();
    of_each
        .map(|one| (one.attempt, one.attempts_before, one.refusals_in_a_row))
        .collect()
}

async fn what_went_wrong_at_an_earlier_address_begins_anew_at_the_present_one(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 3).await;
    let claimed = claim(bench, at(1), at(31), 3).await;
    lead(bench, account, hook, "https://example.com/moved").await;
    let verdicts = [Verdict::RetryAt(at(90_000)), Verdict::Failed, Verdict::Gone];
    let outcomes = claimed.iter().zip(verdicts).map(|(one, verdict)| {
        let mut outcome = outcome(one, verdict);
        outcome.refusals_in_a_row = 8;
        outcome
    });
    assert_eq!(settle(bench, outcomes.collect()).await, 3);
    let again = claim(bench, at(60), at(90), 3).await;
    assert_eq!(schedules(&again), [(1, 1, 0); 3]);
    let led = again
        .iter()
        .all(|one| one.url == "https://example.com/moved");
    assert!(led, "{again:?}");
    assert!(webhook_of(bench, account, hook).await.active);
}

/// One waits for its next try, one is in hand and given back, one in hand fails at the old address, and the lease of one runs
/// out. Another one was never tried.
async fn what_is_open_begins_anew_when_its_webhook_leads_elsewhere(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 5).await;
    let tried = claim(bench, at(1), at(31), 4).await;
    let refused = |one: &Claimed, at| {
        let mut outcome = outcome(one, Verdict::RetryAt(at));
        outcome.attempt.started_at = self::at(2);
        outcome.refusals_in_a_row = 7;
        outcome
    };
    let (waits, others) = tried.split_first().unwrap();
    let mut outcomes = vec![refused(waits, at(90_000))];
    outcomes.extend(others.iter().map(|one| refused(one, at(2))));
    settle(bench, outcomes).await;
    let mut in_hand = claim(bench, at(2), at(32), 5).await;
    in_hand.retain(|one| one.attempt == 2);
    assert_eq!(in_hand.len(), 3);
    let led = bench.write(move |tx| {
        let a = &mut tx.account(account);
        let mut row = webhook::lock(a, hook)?.unwrap();
        row.url = "https://example.com/moved".into();
        webhook::update(a, &row)?;
        delivery::lead_elsewhere(a, hook, at(9), LEASE)
    });
    assert_eq!(led.await.changed, 4, "one was never tried");
    assert_eq!(claim(bench, at(9), at(9), 5).await.len(), 1, "what waited");
    let back = [(in_hand[0].notification.id, in_hand[0].claim_token)];
    bench
        .write(move |tx| delivery::release(tx, &back, at(10)))
        .await;
    assert_eq!(
        settle(bench, vec![refused(&in_hand[1], at(90_000))]).await,
        1
    );
    let again = claim(bench, at(100), at(130), 5).await;
    let mut schedules = schedules(&again);
    schedules.sort_unstable();
    let anew = (1, 1, 0);
    assert_eq!(schedules, [(1, 0, 0), anew, anew, anew, (1, 2, 0)]);
}

/// More than there are.
const ALL: u32 = 5_000;

/// More than one step goes through, each tried once and waiting for long.
async fn waiting(bench: &Bench, account: AccountId) -> WebhookId {
    waiting_until(bench, account, 90_000).await
}

/// As many, waiting until this second.
async fn waiting_until(bench: &Bench, account: AccountId, second: i64) -> WebhookId {
    let count = RESTARTED_AT_ONCE_MAX + 20;
    let hook = hook(bench, account, count).await;
    let tried = claim(bench, at(1), at(31), ALL).await;
    assert_eq!(tried.len(), count);
    let outcomes = tried.iter().map(|one| {
        let mut outcome = outcome(one, Verdict::RetryAt(at(second)));
        outcome.attempt.started_at = at(1);
        outcome.refusals_in_a_row = 7;
        outcome
    });
    assert_eq!(settle(bench, outcomes.collect()).await, count);
    hook
}

async fn steps_left(bench: &Bench) -> Vec<(AccountId, WebhookId)> {
    let first = WebhookId(uuid::Uuid::nil());
    bench
        .read(move |tx| delivery::under_way(tx, first, 10))
        .await
}

async fn go_on(bench: &Bench, account: AccountId, hook: WebhookId, now: Timestamp) -> Restarted {
    bench
        .write(move |tx| delivery::go_on(&mut tx.account(account), hook, now))
        .await
}

async fn what_waits_for_a_webhook_that_leads_elsewhere_begins_anew_in_steps(bench: &Bench) {
    let account = bench.account().await;
    let hook = waiting(bench, account).await;
    let led = bench
        .write(move |tx| delivery::lead_elsewhere(&mut tx.account(account), hook, at(9), LEASE));
    let (changed, more) = (RESTARTED_AT_ONCE_MAX as u64, true);
    assert_eq!(led.await, Restarted { changed, more });
    assert_eq!(steps_left(bench).await, [(account, hook)]);
    let all = RESTARTED_AT_ONCE_MAX + 20;
    let due = claim(bench, at(9), at(9), ALL).await;
    assert_eq!(due.len(), RESTARTED_AT_ONCE_MAX);
    // One that no step has come to fails at the new address: that is its first time.
    let claimed = claim(bench, at(90_000), at(90_000), ALL).await;
    assert_eq!(schedules(&claimed), vec![(1, 1, 0); all]);
    let due: HashSet<NotificationId> = due.iter().map(|one| one.notification.id).collect();
    let ahead = claimed
        .iter()
        .find(|one| !due.contains(&one.notification.id));
    let again = outcome(ahead.unwrap(), Verdict::RetryAt(at(90_005)));
    assert_eq!(settle(bench, vec![again]).await, 1);
    let (changed, more) = (20, false);
    assert_eq!(
        go_on(bench, account, hook, at(90_001)).await,
        Restarted { changed, more }
    );
    assert_eq!(steps_left(bench).await, []);
    let claimed = claim(bench, at(90_001), at(90_001), ALL).await;
    assert_eq!(schedules(&claimed), vec![(1, 1, 0); all - 1]);
    let ahead = claim(bench, at(90_005), at(90_005), ALL).await;
    let mut stands = schedules(&ahead);
    stands.sort_unstable();
    assert_eq!(
        stands.last(),
        Some(&(1, 2, 0)),
        "it waits for what the new address said"
    );
}

async fn what_waits_for_a_webhook_is_hurried_in_steps(bench: &Bench) {
    let account = bench.account().await;
    let hook = waiting(bench, account).await;
    let hurried =
        bench.write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(9), LEASE));
    let (changed, more) = (RESTARTED_AT_ONCE_MAX as u64, true);
    assert_eq!(hurried.await, Restarted { changed, more });
    let (changed, more) = (20, false);
    assert_eq!(
        go_on(bench, account, hook, at(9)).await,
        Restarted { changed, more }
    );
    assert_eq!(steps_left(bench).await, []);
    let all = RESTARTED_AT_ONCE_MAX + 20;
    let claimed = claim(bench, at(9), at(9), ALL).await;
    assert_eq!(schedules(&claimed), vec![(1, 1, 0); all]);
}

async fn what_fails_while_a_webhook_is_hurried_is_not_hurried_again(bench: &Bench) {
    let account = bench.account().await;
    let hook = waiting(bench, account).await;
    bench
        .write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(9), LEASE))
        .await;
    let tried = claim(bench, at(9), at(39), 5).await;
    let outcomes = tried
        .iter()
        .map(|one| outcome(one, Verdict::RetryAt(at(70))));
    assert_eq!(settle(bench, outcomes.collect()).await, 5);
    let (changed, more) = (20, false);
    assert_eq!(
        go_on(bench, account, hook, at(11)).await,
        Restarted { changed, more }
    );
    let all = RESTARTED_AT_ONCE_MAX + 20;
    let due = claim(bench, at(69), at(69), ALL).await;
    assert_eq!(due.len(), all - 5);
}

/// Of those that no step has come to yet.
async fn what_comes_to_its_time_before_its_step_begins_anew_all_the_same(bench: &Bench) {
    let account = bench.account().await;
    let count = RESTARTED_AT_ONCE_MAX + 20;
    let hook = waiting_until(bench, account, 20).await;
    let (changed, more) = (RESTARTED_AT_ONCE_MAX as u64, true);
    let hurried =
        bench.write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(11), LEASE));
    assert_eq!(hurried.await, Restarted { changed, more });
    let stepped = claim(bench, at(12), at(13), ALL).await;
    let stepped: HashSet<_> = stepped.iter().map(|one| one.notification.id).collect();
    let claimed = claim(bench, at(21), at(51), ALL).await;
    assert_eq!(schedules(&claimed), vec![(1, 1, 0); count]);
    // One that is claimed at its time fails: that was said after the beginning, and counts.
    let mut ahead = claimed;
    ahead.retain(|one| !stepped.contains(&one.notification.id));
    assert_eq!(ahead.len(), 20);
    let mut failed = outcome(&ahead[0], Verdict::RetryAt(at(90)));
    failed.attempt.started_at = at(21);
    assert_eq!(settle(bench, vec![failed]).await, 1);
    // The others have begun anew already when their step is taken, and are given back untried after that.
    let (changed, more) = (0, false);
    assert_eq!(
        go_on(bench, account, hook, at(25)).await,
        Restarted { changed, more }
    );
    let back: Vec<_> = ahead[1..]
        .iter()
        .map(|one| (one.notification.id, one.claim_token))
        .collect();
    bench
        .write(move |tx| delivery::release(tx, &back, at(26)))
        .await;
    let anew = claim(bench, at(26), at(45), ALL).await;
    assert_eq!(schedules(&anew), vec![(1, 1, 0); 19]);
    let waited = claim(bench, at(90), at(91), ALL).await;
    let stands = schedules(&waited);
    assert_eq!(stands.iter().filter(|one| **one == (2, 1, 1)).count(), 1);
}

/// Where a clock stands all of it is of one moment.
async fn what_fails_in_the_moment_of_its_hurry_is_not_hurried_again(bench: &Bench) {
    let account = bench.account().await;
    let hook = waiting(bench, account).await;
    bench
        .write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(9), LEASE))
        .await;
    let tried = claim(bench, at(9), at(39), ALL).await;
    assert_eq!(tried.len(), RESTARTED_AT_ONCE_MAX);
    let outcomes = tried.iter().map(|one| {
        let mut outcome = outcome(one, Verdict::RetryAt(at(70)));
        outcome.attempt.started_at = at(9);
        outcome
    });
    assert_eq!(settle(bench, outcomes.collect()).await, tried.len());
    let (changed, more) = (20, false);
    assert_eq!(
        go_on(bench, account, hook, at(9)).await,
        Restarted { changed, more }
    );
}

async fn what_was_in_hand_while_its_webhook_led_elsewhere_and_back_begins_anew(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 1).await;
    let claimed = claim(bench, at(1), at(31), 1).await;
    for url in ["https://example.com/mistyped", claimed[0].url.as_str()] {
        let url = url.to_owned();
        bench
            .write(move |tx| {
                let a = &mut tx.account(account);
                let mut row = webhook::lock(a, hook)?.unwrap();
                row.url.clone_from(&url);
                webhook::update(a, &row)?;
                delivery::lead_elsewhere(a, hook, at(9), LEASE)
            })
            .await;
    }
    let last = outcome(&claimed[0], Verdict::Failed);
    assert_eq!(settle(bench, vec![last]).await, 1);
    let again = claim(bench, at(60), at(90), 4).await;
    assert_eq!(schedules(&again), [(1, 1, 0)]);
}

async fn what_was_in_hand_when_its_webhook_was_hurried_is_tried_again_at_once(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 3).await;
    let claimed = claim(bench, at(1), at(31), 3).await;
    bench
        .write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(11), LEASE))
        .await;
    let later = Verdict::RetryAt(at(90_000));
    let verdicts = [later, Verdict::Failed, Verdict::Gone];
    let outcomes = claimed.iter().zip(verdicts).map(|(one, verdict)| {
        let mut outcome = outcome(one, verdict);
        outcome.refusals_in_a_row = 8;
        outcome
    });
    assert_eq!(settle(bench, outcomes.collect()).await, 3);
    let again = claim(bench, at(60), at(90), 4).await;
    assert_eq!(schedules(&again), [(1, 1, 0); 3]);
    assert!(webhook_of(bench, account, hook).await.active);
    // Once: what begins later has its own schedule.
    let outcomes = again.iter().map(|one| outcome(one, later));
    assert_eq!(settle(bench, outcomes.collect()).await, 3);
    assert_eq!(claim(bench, at(89_999), at(89_999), 4).await, []);
}

/// Whoever held it is gone, and nobody has claimed it since.
async fn what_nobody_holds_any_more_begins_anew_when_its_webhook_is_hurried(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 1).await;
    let claimed = claim(bench, at(1), at(31), 1).await;
    let waits = outcome(&claimed[0], Verdict::RetryAt(at(15)));
    assert_eq!(settle(bench, vec![waits]).await, 1);
    assert_eq!(claim(bench, at(15), at(18), 1).await.len(), 1);
    let hurried =
        bench.write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(20), LEASE));
    let (changed, more) = (1, false);
    assert_eq!(hurried.await, Restarted { changed, more });
    let again = claim(bench, at(20), at(50), 1).await;
    assert_eq!(schedules(&again), [(1, 1, 0)]);
}

/// By somebody whose clock is behind.
async fn a_step_that_is_taken_earlier_than_the_first_leaves_nothing_out(bench: &Bench) {
    let account = bench.account().await;
    let hook = waiting_until(bench, account, 15).await;
    bench
        .write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(20), LEASE))
        .await;
    let (changed, more) = (20, false);
    assert_eq!(
        go_on(bench, account, hook, at(12)).await,
        Restarted { changed, more }
    );
}

async fn what_became_due_while_its_webhook_was_off_begins_anew_when_it_is_hurried(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 3).await;
    let claimed = claim(bench, at(1), at(31), 2).await;
    let outcomes = claimed.iter().map(|one| {
        let mut outcome = outcome(one, Verdict::RetryAt(at(15)));
        outcome.refusals_in_a_row = 7;
        outcome
    });
    assert_eq!(settle(bench, outcomes.collect()).await, 2);
    let hurried =
        bench.write(move |tx| delivery::hurry(&mut tx.account(account), hook, at(20), LEASE));
    let (changed, more) = (2, false);
    assert_eq!(hurried.await, Restarted { changed, more });
    let mut stand = schedules(&claim(bench, at(20), at(50), 4).await);
    stand.sort_unstable();
    assert_eq!(stand, [(1, 0, 0), (1, 1, 0), (1, 1, 0)]);
}

async fn a_deleted_webhook_is_not_gone_through_for_what_waits(bench: &Bench) {
    let account = bench.account().await;
    let hook = waiting(bench, account).await;
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            delivery::hurry(a, hook, at(9), LEASE)?;
            webhook::delete(a, hook, at(9))
        })
        .await;
    let (changed, more) = (0, false);
    assert_eq!(
        go_on(bench, account, hook, at(9)).await,
        Restarted { changed, more }
    );
    assert_eq!(steps_left(bench).await, []);
}

async fn no_next_attempt_is_named_while_the_webhook_is_off(bench: &Bench) {
    let account = bench.account().await;
    let hook = hook(bench, account, 1).await;
    let claimed = claim(bench, at(1), at(31), 1).await;
    let id = claimed[0].notification.id;
    settle(bench, vec![outcome(&claimed[0], Verdict::RetryAt(at(90)))]).await;
    let mut named = Vec::new();
    for active in [true, false] {
        let next = bench.write(move |tx| {
            let a = &mut tx.account(account);
            let mut row = webhook::lock(a, hook)?.unwrap();
            row.active = active;
            webhook::update(a, &row)?;
            delivery::next_attempt(a, id)
        });
        named.push(next.await);
    }
    assert_eq!(named, [Some(at(90)), None]);
}

async fn express_takes_free_heads_that_are_wanted(bench: &Bench) {
    let account = bench.account().await;
    let hook = webhook_row();
    let webhook_id = hook.id;
    let (busy, line, unwanted) = (id(), id(), id());
    let earlier = notification_row(webhook_id, busy, 1);
    let rows = vec![
        notification_row(webhook_id, busy, 2),
        notification_row(webhook_id, line, 1),
        notification_row(webhook_id, line, 2),
        notification_row(webhook_id, unwanted, 1),
    ];
    let ids: Vec<NotificationId> = rows.iter().map(|(row, _)| row.id).collect();
    let express = Express {
        wanted: ids.iter().copied().take(3).collect(),
        owner: id(),
        until: at(30),
    };
    let mut repeated = rows.clone();
    for (row, _) in &mut repeated {
        row.id = id();
    }
    let wanted = repeated.iter().map(|(row, _)| row.id).collect();
    let once_more = Express {
        wanted,
        ..express.clone()
    };
    let (leased, again) = bench
        .write(move |tx| {
            let mut a = tx.account(account);
            webhook::insert(&mut a, &hook)?;
            notification::insert(&mut a, std::slice::from_ref(&earlier))?;
            let leased = notification::insert_express(&mut a, &rows, &express)?;
            let again = notification::insert_express(&mut a, &repeated, &once_more)?;
            Ok::<_, Error>((leased, again))
        })
        .await;
    assert_eq!(
        leased,
        HashSet::from([ids[1]]),
        "one waits behind an open one, one behind its neighbour, one has no place"
    );
    assert_eq!(
        again,
        HashSet::new(),
        "what is there is leased to nobody else"
    );
    let claimed = claim_in(bench, Room::anywhere(100)).await;
    let claimed: Vec<NotificationId> = claimed.iter().map(|one| one.notification.id).collect();
    assert_eq!(
        claimed.len(),
        2,
        "the head of the busy line and the unwanted one"
    );
    assert!(claimed.contains(&ids[3]) && !claimed.contains(&ids[1]));
    let owner = id();
    let later = bench
        .write(move |tx| claim_due(tx, at(31), at(60), owner, Room::anywhere(100)))
        .await;
    let expired = later.iter().find(|one| one.notification.id == ids[1]);
    let expired = expired.expect("a lease that has run out is due again");
    assert_eq!(
        expired.claim_token, 2,
        "the first hands held it under token 1"
    );
}
