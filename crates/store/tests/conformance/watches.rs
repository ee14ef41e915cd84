//! What watches promise.

use domain::ids::{AccountId, WatchId};
use domain::tracking_request::{Progress, RequestStatus};
use jiff::Timestamp;
use store::report;
use store::shipment::{self, Shipment};
use store::tracking_request::{self, TrackingRequest};
use store::watch::{self, Settled, Turn, Watch};
use uuid::Uuid;

use crate::bench::{Bench, at, id, leasing, request_row, shipment_row, watch_row};
use crate::generated::any_report;
use crate::messages::source_of_reports;

on_both_engines!(
    a_number_at_a_source_is_watched_once,
    due_watches_are_leased_longest_overdue_first,
    an_expired_lease_is_claimed_again_and_the_late_result_dropped,
    busy_sources_are_left_out,
    a_poll_can_be_pulled_forward_but_not_put_off,
    a_number_that_rested_is_new_again_unless_something_was_told_of_it,
    the_next_due_time_respects_leases,
    a_lease_at_a_closed_source_is_nothing_to_wait_for,
    settling_keeps_what_it_does_not_tell,
    a_watch_rests_when_nobody_follows_it,
    known_and_new_numbers_are_claimed_in_turn,
    new_numbers_of_each_account_are_claimed_in_turn,
    of_many_lines_the_one_with_something_due_is_found,
    a_number_for_which_several_asked_stands_in_the_shorter_line,
    a_trial_is_about_a_number_that_was_answered,
    those_that_failed_as_often_are_claimed_together,
);

async fn store(bench: &Bench, row: Watch) -> Watch {
    bench.write(move |tx| watch::find_or_insert(tx, &row)).await
}

async fn claim(bench: &Bench, now: i64, until: i64, busy: &[&str]) -> Vec<Watch> {
    let owner = id();
    let busy: Vec<String> = busy.iter().map(|source| (*source).into()).collect();
    bench
        .write(move |tx| watch::claim_due(tx, at(now), at(until), owner, 2, &busy))
        .await
}

fn ids(watches: &[Watch]) -> Vec<WatchId> {
    watches.iter().map(|watch| watch.id).collect()
}

fn settled(next: Option<Timestamp>) -> Settled {
    Settled {
        next_poll_at: next,
        failures: 0,
        attempted_at: at(10),
        succeeded_at: Some(at(11)),
        changed_at: None,
    }
}

async fn settle(bench: &Bench, watch: &Watch, settled: Settled) -> bool {
    let (id, token) = (watch.id, watch.claim_token);
    bench
        .write(move |tx| watch::settle(tx, id, token, &settled))
        .await
}

/// A watch of a number of its own.
pub async fn due_at(bench: &Bench, seconds: i64) -> Watch {
    let row = Watch {
        next_poll_at: Some(at(seconds)),
        ..watch_row()
    };
    store(bench, row).await
}

async fn a_number_at_a_source_is_watched_once(bench: &Bench) {
    let first = store(bench, watch_row()).await;
    let same = Watch {
        id: id(),
        next_poll_at: None,
        ..first.clone()
    };
    assert_eq!(store(bench, same).await, first);
    let elsewhere = Watch {
        id: id(),
        source: "OTHER".into(),
        ..first.clone()
    };
    assert_eq!(store(bench, elsewhere.clone()).await, elsewhere);
    let found = bench.read(move |tx| watch::find(tx, first.id)).await;
    assert_eq!(found.map(|watch| watch.id), Some(first.id));
}

async fn due_watches_are_leased_longest_overdue_first(bench: &Bench) {
    let mut stored = Vec::new();
    for seconds in [30, 10, 20, 999] {
        stored.push(due_at(bench, seconds).await.id);
    }
    let first = claim(bench, 30, 60, &[]).await;
    assert_eq!(ids(&first), [stored[1], stored[2]]);
    assert_eq!(first[0].claim_token, 1);
    assert_eq!(ids(&claim(bench, 30, 60, &[]).await), [stored[0]]);
    assert_eq!(claim(bench, 30, 60, &[]).await, []);
}

async fn an_expired_lease_is_claimed_again_and_the_late_result_dropped(bench: &Bench) {
    due_at(bench, 0).await;
    let late = claim(bench, 0, 30, &[]).await.remove(0);
    assert_eq!(claim(bench, 29, 60, &[]).await, []);
    let current = claim(bench, 30, 60, &[]).await.remove(0);
    assert!(!settle(bench, &late, settled(None)).await);
    assert!(settle(bench, &current, settled(Some(at(100)))).await);
    assert!(!settle(bench, &current, settled(None)).await, "told twice");
    assert_eq!(claim(bench, 99, 130, &[]).await, []);
    assert_eq!(claim(bench, 100, 130, &[]).await.len(), 1);
}

async fn busy_sources_are_left_out(bench: &Bench) {
    let free = due_at(bench, 5).await;
    for source in ["SLOW", "FULL", "DOWN"] {
        let row = Watch {
            source: source.into(),
            ..watch_row()
        };
        store(bench, row).await;
    }
    assert_eq!(
        ids(&claim(bench, 9, 60, &["SLOW", "FULL", "DOWN"]).await),
        [free.id]
    );
    assert_eq!(claim(bench, 9, 60, &["SLOW"]).await.len(), 2);
}

async fn a_poll_can_be_pulled_forward_but_not_put_off(bench: &Bench) {
    let watch = due_at(bench, 100).await.id;
    for (pulled, expected) in [(200, 100), (50, 50)] {
        bench
            .write(move |tx| watch::pull_forward(tx, watch, account(1), at(pulled)))
            .await;
        let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
        assert_eq!(found.next_poll_at, Some(at(expected)));
    }
    bench
        .write(move |tx| watch::wake(tx, watch, account(1), at(10)))
        .await;
    let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
    assert_eq!(found.next_poll_at, Some(at(50)), "it does not rest");
    let claimed = claim(bench, 50, 80, &[]).await.remove(0);
    settle(bench, &claimed, settled(None)).await;
    bench
        .write(move |tx| watch::wake(tx, watch, account(1), at(250)))
        .await;
    let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
    assert_eq!(found.next_poll_at, Some(at(250)), "woken");
    let claimed = claim(bench, 250, 280, &[]).await.remove(0);
    settle(bench, &claimed, settled(None)).await;
    bench
        .write(move |tx| watch::pull_forward(tx, watch, account(1), at(300)))
        .await;
    let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
    assert_eq!(
        found.next_poll_at,
        Some(at(300)),
        "asked again though it had ended"
    );
}

/// What a terminal or railroad says is filed elsewhere: that it named the box is noted.
async fn a_number_that_rested_is_new_again_unless_something_was_told_of_it(bench: &Bench) {
    let mut watches = Vec::new();
    let cases = [
        (false, false, true),
        (true, false, true),
        (false, true, true),
        (false, false, false),
    ];
    for (filed, named, rests) in cases {
        let told = filed || named;
        let (watch, raw) = source_of_reports(bench).await;
        let reports: Vec<_> = filed.then(|| (id(), any_report())).into_iter().collect();
        bench
            .write(move |tx| report::insert(tx, watch, raw, &reports, at(7)))
            .await;
        let claimed = claim(bench, 50, 60, &[]).await.remove(0);
        assert_eq!(claimed.id, watch);
        let how = Settled {
            changed_at: named.then(|| at(11)),
            ..settled((!rests).then(|| at(9_000)))
        };
        settle(bench, &claimed, how).await;
        bench
            .write(move |tx| watch::pull_forward(tx, watch, account(1), at(100)))
            .await;
        watches.push(watch);
        let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
        let is_new = found.last_succeeded_at.is_none();
        assert_eq!(
            (found.next_poll_at, is_new),
            (Some(at(100)), rests && !told)
        );
    }
}

async fn the_next_due_time_respects_leases(bench: &Bench) {
    assert_eq!(bench.read(|tx| watch::next_due(tx, &[])).await, None);
    due_at(bench, 50).await;
    due_at(bench, 0).await;
    assert_eq!(bench.read(|tx| watch::next_due(tx, &[])).await, Some(at(0)));
    let first = claim(bench, 0, 30, &[]).await.remove(0);
    assert_eq!(
        bench.read(|tx| watch::next_due(tx, &[])).await,
        Some(at(30)),
        "the end of the lease"
    );
    settle(bench, &first, settled(None)).await;
    assert_eq!(
        bench.read(|tx| watch::next_due(tx, &[])).await,
        Some(at(50))
    );
}

async fn a_lease_at_a_closed_source_is_nothing_to_wait_for(bench: &Bench) {
    let row = due_at(bench, 0).await;
    let elsewhere = Watch {
        source: "OTHER".into(),
        next_poll_at: Some(at(0)),
        ..watch_row()
    };
    store(bench, elsewhere).await;
    claim(bench, 0, 30, &["OTHER"]).await;
    claim(bench, 0, 60, &[]).await;
    let next_due = |closed: &[&str]| {
        let closed: Vec<String> = closed.iter().map(|source| (*source).into()).collect();
        bench.read(move |tx| watch::next_due(tx, &closed))
    };
    assert_eq!(next_due(&[]).await, Some(at(30)));
    let source = row.source.as_str();
    assert_eq!(next_due(&[source]).await, Some(at(60)), "of the other one");
    assert_eq!(next_due(&[source, "OTHER"]).await, None);
}

async fn settling_keeps_what_it_does_not_tell(bench: &Bench) {
    due_at(bench, 0).await;
    let claimed = claim(bench, 0, 30, &[]).await.remove(0);
    let changed = Settled {
        changed_at: Some(at(12)),
        ..settled(Some(at(20)))
    };
    settle(bench, &claimed, changed).await;
    let claimed = claim(bench, 20, 50, &[]).await.remove(0);
    let failed = Settled {
        failures: 3,
        succeeded_at: None,
        attempted_at: at(20),
        ..settled(Some(at(90)))
    };
    settle(bench, &claimed, failed).await;
    let found = bench
        .read(move |tx| watch::find(tx, claimed.id))
        .await
        .unwrap();
    assert_eq!(found.failures, 3);
    assert_eq!(found.last_attempted_at, Some(at(20)));
    assert_eq!(found.last_succeeded_at, Some(at(11)));
    assert_eq!(found.last_changed_at, Some(at(12)));
}

async fn a_watch_rests_when_nobody_follows_it(bench: &Bench) {
    let accounts = [bench.account().await, bench.account().await];
    let watched = store(bench, watch_row()).await.id;
    let request = TrackingRequest {
        watch: Some(watched),
        ..request_row()
    };
    let ended = TrackingRequest {
        progress: Progress {
            status: RequestStatus::TrackingStopped,
            ..request.progress
        },
        ..request.clone()
    };
    let tracked = shipment_row();
    let stopped = Shipment {
        stopped: Some((at(3), "cancelled_by_user".into())),
        ..tracked.clone()
    };
    let rested = bench
        .write(move |tx| {
            tracking_request::insert(&mut tx.account(accounts[0]), &request)?;
            let mut a = tx.account(accounts[1]);
            shipment::insert(&mut a, &tracked)?;
            shipment::link_watch(&mut a, tracked.id, watched)?;
            let mut rested = vec![watch::rest_unless_followed(tx, watched)?];
            tracking_request::update(&mut tx.account(accounts[0]), &ended)?;
            rested.push(watch::rest_unless_followed(tx, watched)?);
            shipment::update(&mut tx.account(accounts[1]), &stopped)?;
            rested.push(watch::rest_unless_followed(tx, watched)?);
            Ok((rested, watch::find(tx, watched)?))
        })
        .await;
    assert_eq!(rested.0, [false, false, true]);
    assert_eq!(rested.1.unwrap().next_poll_at, None);
}

async fn known_and_new_numbers_are_claimed_in_turn(bench: &Bench) {
    let rows = (1..=5).map(|due| (due, None));
    let rows = rows.chain([6, 7, 8].map(|due| (due, Some(at(0)))));
    for (seconds, last_succeeded_at) in rows {
        let row = Watch {
            next_poll_at: Some(at(seconds)),
            last_succeeded_at,
            ..watch_row()
        };
        store(bench, row).await;
    }
    let owner = id();
    let claim = async |limit: u32, new_first: bool| {
        let turn = Turn {
            new_first,
            passed: None,
        };
        let (claimed, _) = claim_in_turn(bench, owner, limit, turn).await;
        claimed
    };
    assert_eq!(claim(1, true).await, [at(1)]);
    assert_eq!(claim(1, false).await, [at(6)]);
    assert_eq!(claim(3, false).await, [at(7), at(8), at(2)]);
    // What one does not need is the other's.
    assert_eq!(claim(1, false).await, [at(3)]);
    assert_eq!(claim(4, true).await, [at(4), at(5)]);
    assert_eq!(claim(4, true).await, []);
}

fn account(number: u128) -> AccountId {
    AccountId(Uuid::from_u128(number))
}

/// When what is claimed was due, and whose turn it was.
async fn claim_in_turn(
    bench: &Bench,
    owner: Uuid,
    limit: u32,
    turn: Turn,
) -> (Vec<Timestamp>, Turn) {
    let claiming = bench
        .write(move |tx| watch::claim_in_turn(tx, &leasing("MSCU", (10, 40), owner), limit, turn));
    let (claimed, mut turn) = (claiming.await, turn);
    for one in &claimed {
        turn.pass(one);
    }
    let due = claimed.into_iter().map(|one| one.next_poll_at.unwrap());
    (due.collect(), turn)
}

async fn new_numbers_of_each_account_are_claimed_in_turn(bench: &Bench) {
    // An import, what somebody else wants after it, what nobody in particular does, and what is not due.
    let of = |asked_by: Option<AccountId>, due: i64| Watch {
        next_poll_at: Some(at(due)),
        asked_by,
        ..watch_row()
    };
    for due in -20..0 {
        store(bench, of(Some(account(2)), due)).await;
    }
    store(bench, of(Some(account(3)), 5)).await;
    store(bench, of(Some(account(1)), 6)).await;
    store(bench, of(None, 7)).await;
    store(bench, of(Some(account(4)), 500)).await;
    let (owner, mut turn) = (id(), Turn::default());
    turn.new_first = true;
    let mut claimed = Vec::new();
    for _ in 0..6 {
        let (due, next) = claim_in_turn(bench, owner, 1, turn).await;
        claimed.extend(due);
        turn = next;
    }
    assert_eq!(claimed, [7, 6, -20, 5, -19, -18].map(at));
    assert_eq!(turn.passed, Some(account(2)));
    // What known numbers leave to new ones goes on where the half of these ended.
    for line in [11, 12, 13] {
        for due in [1, 2] {
            let row = Watch {
                source: "OTHER".into(),
                ..of(Some(account(line)), due)
            };
            store(bench, row).await;
        }
    }
    let halves = bench.write(move |tx| {
        let turn = Turn {
            new_first: true,
            passed: None,
        };
        watch::claim_in_turn(tx, &leasing("OTHER", (10, 40), owner), 4, turn)
    });
    let lines: Vec<_> = halves.await.iter().map(|one| one.asked_by).collect();
    assert_eq!(lines, [11, 12, 13, 11].map(|line| Some(account(line))));
    // Of many at once each line has as many, and what one does not need is the others'.
    for due in [8, 9] {
        store(bench, of(Some(account(3)), due)).await;
    }
    let (due, turn) = claim_in_turn(bench, owner, 8, turn).await;
    let mut sorted = due;
    sorted.sort();
    assert_eq!(sorted, [-17, -16, -15, -14, -13, -12, 8, 9].map(at));
    assert_eq!(turn.passed, Some(account(2)));
}

async fn of_many_lines_the_one_with_something_due_is_found(bench: &Bench) {
    for number in 1..=200 {
        let row = Watch {
            next_poll_at: Some(at(if number == 100 { 5 } else { 500 })),
            asked_by: Some(account(number)),
            ..watch_row()
        };
        store(bench, row).await;
    }
    for passed in [None, Some(account(30)), Some(account(170))] {
        let turn = Turn {
            new_first: true,
            passed,
        };
        let (due, turn) = claim_in_turn(bench, id(), 1, turn).await;
        assert_eq!((due, turn.passed), (vec![at(5)], Some(account(100))));
        bench.write(watch::release_all).await;
    }
}

async fn a_number_for_which_several_asked_stands_in_the_shorter_line(bench: &Bench) {
    let of = |asked_by: u128, due: i64| Watch {
        next_poll_at: Some(at(due)),
        asked_by: Some(account(asked_by)),
        ..watch_row()
    };
    let watch = store(bench, of(1, 9)).await.id;
    store(bench, of(1, 5)).await;
    // An import, and somebody who has other numbers behind it.
    for due in [1, 2, 3] {
        store(bench, of(2, due)).await;
    }
    store(bench, of(3, 5)).await;
    store(bench, of(3, 20)).await;
    for (asks, stands) in [(2, 1), (3, 3), (2, 3), (4, 4)] {
        bench
            .write(move |tx| watch::pull_forward(tx, watch, account(asks), at(50)))
            .await;
        let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
        assert_eq!(found.asked_by, Some(account(stands)), "{asks} asks");
        assert_eq!(found.next_poll_at, Some(at(9)), "it keeps its time");
    }
    // Earlier than it was due it would stand behind two in the one line and before all in the other.
    let soon = store(bench, of(5, 90)).await.id;
    for due in [40, 41] {
        store(bench, of(6, due)).await;
    }
    for due in 60..70 {
        store(bench, of(5, due)).await;
    }
    bench
        .write(move |tx| watch::pull_forward(tx, soon, account(6), at(50)))
        .await;
    let found = bench.read(move |tx| watch::find(tx, soon)).await.unwrap();
    assert_eq!(
        (found.asked_by, found.next_poll_at),
        (Some(account(5)), Some(at(50)))
    );
    // Those of one moment stand by their numbers; who wakes what waits keeps its time.
    let mut alike = Vec::new();
    for _ in 0..3 {
        alike.push(store(bench, of(7, 80)).await);
    }
    alike.sort_by(|a, b| a.number.cmp(&b.number));
    for (place, stands) in [(0, 7), (2, 8)] {
        let one = alike[place].id;
        store(bench, of(8, 70)).await;
        bench
            .write(move |tx| watch::wake(tx, one, account(8), at(50)))
            .await;
        let found = bench.read(move |tx| watch::find(tx, one)).await.unwrap();
        assert_eq!(
            (found.asked_by, found.next_poll_at),
            (Some(account(stands)), Some(at(80)))
        );
    }
    let mut rests = settled(None);
    rests.changed_at = Some(at(11));
    let mut claimed = Vec::new();
    for _ in 0..4 {
        claimed.extend(claim(bench, 30, 60, &[]).await);
    }
    let claimed = claimed.iter().find(|one| one.id == watch).unwrap();
    settle(bench, claimed, rests).await;
    bench
        .write(move |tx| watch::wake(tx, watch, account(2), at(9)))
        .await;
    let found = bench.read(move |tx| watch::find(tx, watch)).await.unwrap();
    assert_eq!(found.asked_by, Some(account(2)));
}

async fn a_trial_is_about_a_number_that_was_answered(bench: &Bench) {
    for (seconds, failures, last_succeeded_at) in [(1, 0, None), (2, 3, Some(0)), (5, 0, Some(0))] {
        let row = Watch {
            next_poll_at: Some(at(seconds)),
            failures,
            last_succeeded_at: last_succeeded_at.map(at),
            ..watch_row()
        };
        store(bench, row).await;
    }
    let owner = id();
    let trial = async || {
        let claiming =
            bench.write(move |tx| watch::claim_for_trial(tx, &leasing("MSCU", (10, 40), owner)));
        let claimed = claiming.await.into_iter().map(|one| one.next_poll_at);
        claimed.map(Option::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(trial().await, [at(5)]);
    assert_eq!(trial().await, [at(1)], "else what is due the longest");
}

async fn those_that_failed_as_often_are_claimed_together(bench: &Bench) {
    let rows = [(1, 2), (3, 0), (5, 2), (50, 2), (500, 2)];
    for (seconds, failures) in rows {
        let row = Watch {
            next_poll_at: Some(at(seconds)),
            failures,
            ..watch_row()
        };
        store(bench, row).await;
    }
    let elsewhere = Watch {
        source: "OTHER".into(),
        next_poll_at: Some(at(1)),
        failures: 2,
        ..watch_row()
    };
    store(bench, elsewhere).await;
    let owner = id();
    let due = |watches: &[Watch]| -> Vec<Option<Timestamp>> {
        watches.iter().map(|watch| watch.next_poll_at).collect()
    };
    let first = bench
        .write(move |tx| watch::claim_of_source(tx, &leasing("MSCU", (10, 40), owner), at(10), 1))
        .await;
    assert_eq!(due(&first), [Some(at(1))]);
    let alike = |most: u32| {
        let first = first[0].clone();
        bench.write(move |tx| {
            watch::claim_alike(tx, &leasing("MSCU", (10, 40), owner), &first, at(60), most)
        })
    };
    assert_eq!(due(&alike(1).await), [Some(at(5))]);
    assert_eq!(due(&alike(9).await), [Some(at(50))]);
    assert_eq!(alike(9).await, []);
    let next = bench.read(|tx| watch::next_due(tx, &[])).await;
    assert_eq!(next, Some(at(1)), "of the other source");
}
