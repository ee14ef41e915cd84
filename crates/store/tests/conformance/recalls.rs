//! What takes an event back by its sender's id meets the event, whichever comes first.

use std::collections::BTreeSet;

use domain::ids::{AccountId, RawMessageId, WatchId};
use domain::report::Report;
use jiff::{SignedDuration, Timestamp};
use store::Tx;
use store::recall::{self, Recall, RecallId, Told};
use store::replay::{self, Replay};

use crate::bench::{Bench, any_key, at, begin, id, number};
use crate::generated::any_report;

on_both_engines!(
    who_takes_back_is_told_where_the_event_was_filed,
    what_takes_an_event_back_is_handed_to_all_who_tell_of_it,
    an_event_may_be_told_under_any_number_of_watches,
    what_buries_the_most_is_kept,
    what_one_account_brings_is_its_own,
    who_tells_and_who_takes_back_do_not_miss_each_other,
    many_who_tell_of_the_same_events_do_not_wait_for_ever,
    a_replay_hands_along_what_it_has_read,
    what_no_replay_reads_again_is_let_go,
);

const SOURCE: &str = "line";

fn an_id() -> String {
    format!("event-{}", number())
}

fn retraction(of: &str) -> Report {
    Report {
        source: SOURCE.into(),
        retracts: Some(of.into()),
        reported_at: Some(at(1)),
        ..any_report()
    }
}

fn some_watches(count: usize) -> BTreeSet<WatchId> {
    (0..count).map(|_| id()).collect()
}

fn recall_of(raw: RawMessageId, report: &Report, watches: &BTreeSet<WatchId>) -> Recall {
    Recall {
        raw,
        report: report.clone(),
        watches: watches.clone(),
    }
}

async fn tell(
    bench: &Bench,
    owner: Option<AccountId>,
    id: &str,
    watches: &BTreeSet<WatchId>,
) -> Vec<Recall> {
    tell_in(bench, owner, id, watches, None).await
}

async fn tell_in(
    bench: &Bench,
    owner: Option<AccountId>,
    id: &str,
    watches: &BTreeSet<WatchId>,
    replay: Option<&Replay>,
) -> Vec<Recall> {
    let (told, replay) = (
        Told::from([(id.to_owned(), watches.clone())]),
        replay.cloned(),
    );
    bench
        .write(move |tx| recall::tell(tx, owner, SOURCE, &told, replay.as_ref()))
        .await
}

async fn take_back(
    bench: &Bench,
    owner: Option<AccountId>,
    raw: RawMessageId,
    report: &Report,
) -> BTreeSet<WatchId> {
    take_back_in(bench, owner, raw, report, None, at(2)).await
}

async fn take_back_in(
    bench: &Bench,
    owner: Option<AccountId>,
    raw: RawMessageId,
    report: &Report,
    replay: Option<&Replay>,
    now: Timestamp,
) -> BTreeSet<WatchId> {
    let (report, replay) = (report.clone(), replay.cloned());
    bench
        .write(move |tx| recall::take_back(tx, owner, raw, &report, replay.as_ref(), now))
        .await
}

async fn who_takes_back_is_told_where_the_event_was_filed(bench: &Bench) {
    let (event, watches) = (an_id(), some_watches(3));
    assert_eq!(tell(bench, None, &event, &watches).await, []);
    let report = retraction(&event);
    assert_eq!(take_back(bench, None, id(), &report).await, watches);
    let other_source = Report {
        source: "other".into(),
        ..report
    };
    assert_eq!(take_back(bench, None, id(), &other_source).await, [].into());
}

async fn what_takes_an_event_back_is_handed_to_all_who_tell_of_it(bench: &Bench) {
    let (event, watches, raw) = (an_id(), some_watches(2), id());
    let report = retraction(&event);
    assert_eq!(take_back(bench, None, raw, &report).await, [].into());
    // Those who tell get it where they tell; the others have it.
    let others = some_watches(2);
    for some in [&watches, &others, &watches] {
        let told = tell(bench, None, &event, some).await;
        assert_eq!(told, [recall_of(raw, &report, some)]);
    }
    let all = watches.union(&others).copied().collect();
    assert_eq!(take_back(bench, None, id(), &report).await, all);
}

/// An event of a ship may be told for each of a thousand bills, some at a time.
async fn an_event_may_be_told_under_any_number_of_watches(bench: &Bench) {
    let (event, watches) = (an_id(), some_watches(600));
    let each: Vec<WatchId> = watches.iter().copied().collect();
    for some in each.chunks(170) {
        let some = some.iter().copied().collect();
        assert_eq!(tell(bench, None, &event, &some).await, []);
    }
    assert_eq!(tell(bench, None, &event, &watches).await, []);
    let found = take_back(bench, None, id(), &retraction(&event)).await;
    assert_eq!(found, watches);
}

async fn what_buries_the_most_is_kept(bench: &Bench) {
    let (event, watches) = (an_id(), some_watches(1));
    let issued = |reported_at| Report {
        reported_at,
        ..retraction(&event)
    };
    let hour = SignedDuration::from_hours(1);
    let (first, later, without) = (id(), id(), id());
    // What says nothing of when it was issued buries whatever is told, however late.
    let told = [
        (first, issued(Some(at(1))), first),
        (id(), issued(Some(at(1) - hour)), first),
        (later, issued(Some(at(1) + hour)), later),
        (without, issued(None), without),
        (id(), issued(Some(at(1) + hour * 2)), without),
    ];
    for (raw, report, kept) in told {
        take_back(bench, None, raw, &report).await;
        let along = tell(bench, None, &event, &watches).await;
        let along: Vec<RawMessageId> = along.iter().map(|recall| recall.raw).collect();
        assert_eq!(along, [kept]);
    }
}

async fn what_one_account_brings_is_its_own(bench: &Bench) {
    let (event, watches) = (an_id(), some_watches(2));
    let (one, other) = (bench.account().await, bench.account().await);
    tell(bench, Some(one), &event, &watches).await;
    let report = retraction(&event);
    for stranger in [None, Some(other)] {
        assert_eq!(take_back(bench, stranger, id(), &report).await, [].into());
    }
    assert_eq!(take_back(bench, Some(one), id(), &report).await, watches);
}

async fn who_tells_and_who_takes_back_do_not_miss_each_other(bench: &Bench) {
    for is_known in [false, true].repeat(10) {
        let (event, watches) = (an_id(), some_watches(2));
        if is_known {
            tell(bench, None, &event, &some_watches(1)).await;
        }
        let report = retraction(&event);
        let (along, found) = tokio::join!(
            tell(bench, None, &event, &watches),
            take_back(bench, None, id(), &report)
        );
        assert!(!along.is_empty() || watches.is_subset(&found));
    }
}

async fn many_who_tell_of_the_same_events_do_not_wait_for_ever(bench: &Bench) {
    let events: Vec<String> = (0..40).map(|_| an_id()).collect();
    let mut waiting = Vec::new();
    for n in 0..40_usize {
        let told = events.iter().cycle().skip(n).take(20);
        let told: Told = told.map(|id| (id.clone(), some_watches(3))).collect();
        let report = retraction(&events[n]);
        let write = move |tx: &mut Tx| {
            if n % 8 == 7 {
                recall::take_back(tx, None, id(), &report, None, at(2))?;
            }
            recall::tell(tx, None, SOURCE, &told, None).map(drop)
        };
        let store = bench.store.clone();
        waiting.push(begin(async move { store.write(any_key(), write).await }));
    }
    for answer in waiting {
        assert_eq!(answer.await.unwrap(), Ok(()));
    }
}

async fn a_replay_hands_along_what_it_has_read(bench: &Bench) {
    let (event, watches, raw) = (an_id(), some_watches(2), id());
    let late = Report {
        reported_at: Some(at(1_000)),
        ..retraction(&event)
    };
    take_back(bench, None, raw, &late).await;
    let replay = bench.write(|tx| replay::begin(tx, at(10), 0)).await;
    let told = tell_in(bench, None, &event, &watches, Some(&replay)).await;
    assert_eq!(told, [], "it may never be read again");
    // It reads otherwise now: what was kept gives way, though it buried more.
    let better = retraction(&event);
    let found = take_back_in(bench, None, raw, &better, Some(&replay), at(11)).await;
    assert_eq!(found, watches);
    for reader in [Some(&replay), None] {
        let told = tell_in(bench, None, &event, &watches, reader).await;
        assert_eq!(told, [recall_of(raw, &better, &watches)]);
    }
    // What comes meanwhile is there for it as well, and does not give way to less.
    let (event, new) = (an_id(), id());
    let report = retraction(&event);
    take_back_in(bench, None, new, &report, None, at(12)).await;
    let less = Report {
        reported_at: Some(at(0)),
        ..report.clone()
    };
    take_back_in(bench, None, id(), &less, Some(&replay), at(13)).await;
    let told = tell_in(bench, None, &event, &watches, Some(&replay)).await;
    assert_eq!(told, [recall_of(new, &report, &watches)]);
}

/// All retractions are looked at, one at a time.
async fn let_go(bench: &Bench, replay: &Replay, readable: &[&str]) {
    let mut next = Some(RecallId::default());
    while let Some(after) = next {
        let (replay, readable) = (replay.clone(), readable.to_vec());
        let readable: Vec<String> = readable.into_iter().map(str::to_owned).collect();
        next = bench
            .write(move |tx| recall::let_go_unread(tx, &replay, &readable, &after, 1))
            .await;
    }
}

async fn what_no_replay_reads_again_is_let_go(bench: &Bench) {
    let read = async |event: &str, replay: Option<&Replay>, now| {
        let raw = id();
        take_back_in(bench, None, raw, &retraction(event), replay, now).await;
        raw
    };
    let [unread, passed, again, new] = [an_id(), an_id(), an_id(), an_id()];
    read(&unread, None, at(2)).await;
    let message = read(&passed, None, at(2)).await;
    read(&again, None, at(2)).await;
    let replay = bench.write(|tx| replay::begin(tx, at(10), 0)).await;
    let this = replay.clone();
    bench
        .write(move |tx| replay::pass_over(tx, &this, message, at(11), "it cannot be read"))
        .await;
    read(&again, Some(&replay), at(11)).await;
    read(&new, None, at(12)).await;
    let stand = async || {
        let mut stand = Vec::new();
        for event in [&unread, &passed, &again, &new] {
            let told = tell(bench, None, event, &some_watches(1)).await;
            stand.push(!told.is_empty());
        }
        stand
    };
    let_go(bench, &replay, &["another"]).await;
    assert_eq!(stand().await, [true; 4], "its source is not configured");
    let_go(bench, &replay, &["another", SOURCE]).await;
    assert_eq!(stand().await, [false, true, true, true]);
}
