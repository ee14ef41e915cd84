//! Dockets: what is said about a number by whoever was not asked, and the messages that bring it.

use domain::ids::{AccountId, IdSource, RawMessageId, WatchId};
use domain::report::Report;
use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use jiff::{SignedDuration, Timestamp};
use store::docket::{self, Followers, Number};
use store::raw_message::{self, Claimed, Others, RawMessage, Receipt, Sent, Turns};
use store::replay::{self, Replay, Stage};
use store::report::{self, Filing, Written};
use store::shipment::{self, Feed, Shipment};
use store::tracking_request::{self, TrackingRequest};
use store::{unmapped_code, watch};

use crate::bench::{Bench, any_key, at, id, number, request_row, shipment_row, watch_row};
use crate::generated::any_report;

on_both_engines!(
    a_number_has_one_shared_docket_and_one_for_each_account_that_brings_its_own,
    a_docket_is_never_due,
    followers_are_shipments_that_are_tracked_and_requests_that_wait,
    a_report_is_filed_under_every_number_it_names,
    a_reading_under_two_watches_is_told_once_as_of_the_first,
    who_files_and_who_begins_to_follow_do_not_miss_each_other,
    a_message_is_taken_up_by_one_at_a_time,
    a_try_that_the_store_ended_is_counted_once_and_as_such,
    of_each_source_the_oldest_is_found,
    messages_of_a_source_that_is_not_known_wait_for_who_knows_it,
    a_try_that_is_excused_does_not_count,
    a_try_without_a_claim_counts_like_one_with_it,
    short_messages_of_one_source_are_taken_up_together,
    an_answer_that_is_left_to_who_asked_is_in_the_way_of_no_push,
    the_files_of_one_account_stand_in_nobodys_way,
    what_is_in_hand_comes_before_what_is_behind_it,
    messages_kept_together_are_news_once_and_stay_in_hand,
    an_answer_is_left_to_who_asked,
    codes_are_counted_by_source,
    what_a_replay_finds_is_told_when_its_watch_is_settled,
    what_a_replay_could_not_read_stays,
    half_a_message_that_a_replay_passes_over_is_taken_out,
    a_replay_is_gone_on_with_until_it_has_ended,
);

pub fn numbers() -> Vec<Number> {
    let bill = Number {
        kind: NumberKind::BillOfLading,
        number: format!("B{}", number()),
    };
    let booking = Number {
        kind: NumberKind::Booking,
        ..bill.clone()
    };
    vec![bill, booking]
}

pub async fn hold(bench: &Bench, owner: Option<AccountId>, numbers: &[Number]) -> Vec<WatchId> {
    let (numbers, ids) = (numbers.to_vec(), IdSource::new(id_seed(), at(0)));
    bench
        .write(move |tx| docket::hold(tx, owner, &numbers, &mut ids.clone(), at(0)))
        .await
}

fn id_seed() -> [u8; 16] {
    let id: WatchId = id();
    *id.0.as_bytes()
}

async fn a_number_has_one_shared_docket_and_one_for_each_account_that_brings_its_own(
    bench: &Bench,
) {
    let (one, other) = (bench.account().await, bench.account().await);
    let numbers = numbers();
    let shared = hold(bench, None, &numbers).await;
    assert_eq!(shared.len(), 2);
    assert_ne!(shared[0], shared[1], "a bill and a booking of one text");
    assert_eq!(hold(bench, None, &numbers).await, shared);
    let reversed: Vec<Number> = numbers.iter().rev().cloned().collect();
    assert_eq!(hold(bench, None, &reversed).await, [shared[1], shared[0]]);
    let asked = numbers.clone();
    let none = bench
        .read(move |tx| docket::existing(tx, Some(one), &asked))
        .await;
    assert_eq!(none, []);
    let own = hold(bench, Some(one), &numbers[..1]).await;
    assert!(!shared.contains(&own[0]));
    assert_ne!(hold(bench, Some(other), &numbers[..1]).await, own);
    let found = bench
        .read(move |tx| docket::existing(tx, Some(one), &numbers))
        .await;
    assert_eq!(found, own);
}

async fn a_docket_is_never_due(bench: &Bench) {
    let docket = hold(bench, None, &numbers()).await[0];
    let account = bench.account().await;
    let tracked = shipment_row();
    let asked = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let (of, feeds) = bench
        .write(move |tx| {
            let mut a = tx.account(account);
            shipment::insert(&mut a, &tracked)?;
            shipment::link_watch(&mut a, tracked.id, docket)?;
            shipment::link_watch(&mut a, tracked.id, asked)?;
            let of = shipment::watches_of(&mut a, tracked.id)?;
            Ok((of, shipment::feeds(&mut a, tracked.id)?))
        })
        .await;
    assert_eq!(of, [asked], "what is pulled forward when tracking resumes");
    let feed = |watch, asked| Feed {
        asked,
        own: false,
        watch,
    };
    assert_eq!(feeds, [feed(asked, true), feed(docket, false)]);
    let found = bench.read(move |tx| watch::find(tx, docket)).await.unwrap();
    assert_eq!(found.next_poll_at, None);
}

async fn followers_are_shipments_that_are_tracked_and_requests_that_wait(bench: &Bench) {
    let (one, other) = (bench.account().await, bench.account().await);
    let dockets = hold(bench, None, &numbers()).await;
    let (bill, booking) = (dockets[0], dockets[1]);
    let (tracked, stopped) = (shipment_row(), shipment_row());
    let stopped = Shipment {
        stopped: Some((at(3), "cancelled_by_user".into())),
        ..stopped
    };
    let waiting = TrackingRequest {
        docket: Some(booking),
        ..request_row()
    };
    let found = TrackingRequest {
        progress: Progress {
            status: RequestStatus::Succeeded,
            ..waiting.progress
        },
        docket: Some(booking),
        ..request_row()
    };
    let expected = Followers {
        shipments: vec![(bill, one, tracked.id)],
        requests: vec![(booking, other, waiting.id)],
    };
    let followers = bench
        .write(move |tx| {
            for row in [&tracked, &stopped] {
                let mut a = tx.account(one);
                shipment::insert(&mut a, row)?;
                shipment::link_watch(&mut a, row.id, bill)?;
            }
            for row in [&waiting, &found] {
                tracking_request::insert(&mut tx.account(other), row)?;
            }
            let kept = tracking_request::find(&mut tx.account(other), waiting.id)?;
            assert_eq!(kept.as_ref(), Some(&waiting));
            docket::followers(tx, &dockets)
        })
        .await;
    assert_eq!(followers, expected);
}

pub fn said(what: &str) -> Report {
    Report {
        original: what.into(),
        ..any_report()
    }
}

pub async fn pushed(bench: &Bench) -> RawMessage {
    let message = pushed_row();
    let row = message.clone();
    bench.write(move |tx| raw_message::receive(tx, &row)).await;
    message
}

fn pushed_row() -> RawMessage {
    RawMessage {
        id: id(),
        source: format!("feed-{}", number()),
        watch: None,
        account: None,
        question: String::new(),
        content_type: "application/edifact".into(),
        received_at: at(1),
        body: b"UNA".to_vec(),
        digest: digest(),
    }
}

/// A digest that no other row has, nor any that is one byte over and over.
fn digest() -> [u8; 32] {
    let mut digest = [0xd1; 32];
    digest[..8].copy_from_slice(&number().to_be_bytes());
    digest
}

async fn a_report_is_filed_under_every_number_it_names(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let raw = pushed(bench).await.id;
    let (first, second) = (id(), id());
    let both = dockets.clone();
    let fresh = bench
        .write(move |tx| {
            let [load, discharge] = ["LOAD", "DISC"].map(|what| Written::of(&said(what)));
            let filings = [
                Filing {
                    id: first,
                    raw,
                    written: &load,
                    watches: &both,
                },
                Filing {
                    id: second,
                    raw,
                    written: &discharge,
                    watches: &both[1..],
                },
            ];
            let fresh = report::file(tx, &filings, at(2))?;
            let again = report::file(tx, &filings, at(3))?;
            assert_eq!(again, []);
            Ok(fresh)
        })
        .await;
    assert_eq!(fresh, [first, second]);
    for (watch, expected) in [(dockets[0], vec![first]), (dockets[1], vec![first, second])] {
        let stored = bench.read(move |tx| report::of_watches(tx, &[watch])).await;
        let found: Vec<_> = stored.iter().map(|row| row.id).collect();
        assert_eq!(found, expected);
    }
    assert_eq!(bench.rows_of("reports"), 2, "each reading once");
    assert_eq!(bench.rows_of("filed_reports"), 3);
}

async fn a_reading_under_two_watches_is_told_once_as_of_the_first(bench: &Bench) {
    let docket = hold(bench, None, &numbers()).await[0];
    let asked = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let raw = pushed(bench).await.id;
    let (early, late) = (id(), id());
    bench
        .write(move |tx| {
            report::insert(tx, docket, raw, &[(early, said("LOAD"))], at(2))?;
            report::insert(tx, asked, raw, &[(late, said("LOAD"))], at(3))
        })
        .await;
    for (watches, expected) in [([asked, docket], asked), ([docket, asked], docket)] {
        let told = bench.read(move |tx| report::of_watches(tx, &watches)).await;
        let told: Vec<_> = told.iter().map(|row| (row.id, row.watch)).collect();
        assert_eq!(told, [(early, expected)]);
    }
}

/// Sixteen file under a number while sixteen begin to follow it: each shipment is either told by who filed, or
/// finds the report when it looks.
async fn who_files_and_who_begins_to_follow_do_not_miss_each_other(bench: &Bench) {
    for _ in 0..16 {
        let account = bench.account().await;
        let numbers = numbers();
        let raw = pushed(bench).await.id;
        let row = shipment_row();
        let shipment = row.id;
        let (ids, others) = (
            IdSource::new(id_seed(), at(0)),
            IdSource::new(id_seed(), at(0)),
        );
        let wanted = numbers.clone();
        let filing = bench.store.write(any_key(), move |tx| {
            let dockets = docket::hold(tx, None, &numbers, &mut ids.clone(), at(0))?;
            report::insert(tx, dockets[0], raw, &[(id(), said("LOAD"))], at(2))?;
            docket::followers(tx, &dockets)
        });
        let following = bench.store.write(any_key(), move |tx| {
            shipment::insert(&mut tx.account(account), &row)?;
            let dockets = docket::hold(tx, None, &wanted, &mut others.clone(), at(0))?;
            for docket in &dockets {
                shipment::link_watch(&mut tx.account(account), row.id, *docket)?;
            }
            report::of_watches(tx, &dockets)
        });
        let (told, found) = tokio::join!(filing, following);
        let (told, found) = (told.unwrap(), found.unwrap());
        let told = told.shipments.iter().any(|(_, _, id)| *id == shipment);
        assert!(told || !found.is_empty(), "both looked too early");
    }
}

async fn claim_all(bench: &Bench, now: i64, answered_before: i64, busy: &[&str]) -> Vec<Claimed> {
    let busy: Vec<String> = busy.iter().map(|source| (*source).to_owned()).collect();
    let (now, until): (Timestamp, Timestamp) = (at(now), at(now + 30));
    bench
        .write(move |tx| {
            let others = Others {
                answered_before: at(answered_before),
                busy_sources: &busy,
                known_sources: None,
                turns: None,
                before: None,
            };
            raw_message::claim(tx, now, until, others)
        })
        .await
}

async fn any_waits(bench: &Bench, now: i64, busy: &[&str]) -> bool {
    let busy: Vec<String> = busy.iter().map(|source| (*source).to_owned()).collect();
    bench
        .read(move |tx| {
            let others = Others {
                answered_before: at(0),
                busy_sources: &busy,
                known_sources: None,
                turns: None,
                before: None,
            };
            raw_message::any_waits(tx, at(now), others)
        })
        .await
}

/// One message, where no two are of one source.
pub async fn claim(
    bench: &Bench,
    now: i64,
    answered_before: i64,
    busy: &[&str],
) -> Option<Claimed> {
    let claimed = claim_all(bench, now, answered_before, busy).await;
    assert!(claimed.len() < 2, "{claimed:?}");
    claimed.into_iter().next()
}

async fn short_messages_of_one_source_are_taken_up_together(bench: &Bench) {
    let first = pushed(bench).await;
    let mut digit = 0;
    let mut like = |change: &dyn Fn(&mut RawMessage)| {
        digit += 1;
        // Of two bytes, as no message has that is just [pushed].
        let mut digest = [digit; 32];
        digest[0] = !digit;
        let mut row = RawMessage {
            id: id(),
            digest,
            ..first.clone()
        };
        change(&mut row);
        row
    };
    let second = like(&|_| {});
    let long = like(&|row| row.body = vec![b'x'; 20_000]);
    let third = like(&|_| {});
    let other = pushed(bench).await;
    for row in [&second, &long, &third] {
        let row = row.clone();
        bench.write(move |tx| raw_message::receive(tx, &row)).await;
    }
    let taken = claim_all(bench, 100, 0, &[]).await;
    let taken: Vec<_> = taken.into_iter().map(|claimed| claimed.message).collect();
    assert_eq!(taken, [first.clone(), second.clone()]);
    let busy = first.source.as_str();
    assert_eq!(claim(bench, 100, 0, &[busy]).await.unwrap().message, other);
    // The long one is passed by none that came after it.
    assert_eq!(claim(bench, 100, 0, &[]).await.unwrap().message, long);
    assert_eq!(claim(bench, 100, 0, &[]).await.unwrap().message, third);
    assert_eq!(claim_all(bench, 100, 0, &[]).await, []);
    // Those that were in somebody's hands come one by one: one of them may be what failed.
    for row in [&first, &second] {
        let again = claim(bench, 140, 0, &[&other.source]).await.unwrap();
        assert_eq!((&again.message.id, again.tries), (&row.id, 2));
    }
    let sound = vec![first.id, second.id, third.id];
    let left = bench
        .write(move |tx| {
            raw_message::mark_sound(tx, &sound)?;
            raw_message::unread_ids(tx, 10)
        })
        .await;
    assert!(!left.contains(&third.id) && left.contains(&long.id));
}

/// Whoever asked takes it, for as long as that may still come.
async fn an_answer_that_is_left_to_who_asked_is_in_the_way_of_no_push(bench: &Bench) {
    let asked = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await;
    let mut answer = pushed_row();
    answer.watch = Some(asked.id);
    answer.received_at = at(50);
    let source = answer.source.clone();
    let mut pushes = Vec::new();
    for digit in [1, 2] {
        let mut push = pushed_row();
        push.source.clone_from(&source);
        push.digest = [digit; 32];
        pushes.push(push);
    }
    for row in std::iter::once(&answer).chain(&pushes) {
        let row = row.clone();
        bench.write(move |tx| raw_message::receive(tx, &row)).await;
    }
    let taken = claim_all(bench, 60, 20, &[]).await;
    let taken: Vec<_> = taken.into_iter().map(|one| one.message).collect();
    assert_eq!(taken, pushes);
    assert_eq!(claim_all(bench, 60, 20, &[]).await, []);
    assert_eq!(claim(bench, 60, 50, &[]).await.unwrap().message, answer);
}

async fn the_files_of_one_account_stand_in_nobodys_way(bench: &Bench) {
    let (busy, quiet) = (bench.account().await, bench.account().await);
    let first = pushed(bench).await;
    let owners = [busy, busy, busy, busy, quiet, quiet].map(Some);
    for (digit, owner) in (1..).zip(owners.into_iter().chain([None, None])) {
        let mut digest = [digit; 32];
        digest[0] = !digit;
        let row = RawMessage {
            id: id(),
            digest,
            account: owner,
            // Long ones come alone.
            body: vec![b'x'; 20_000],
            ..first.clone()
        };
        bench.write(move |tx| raw_message::receive(tx, &row)).await;
    }
    let mut turns = Turns::default();
    let mut read = Vec::new();
    loop {
        let so_far = turns.clone();
        let claiming = bench.write(move |tx| {
            let others = Others {
                answered_before: at(0),
                busy_sources: &[],
                known_sources: None,
                turns: Some(&so_far),
                before: None,
            };
            raw_message::claim(tx, at(100), at(130), others)
        });
        let taken = claiming.await;
        let Some(one) = taken.first() else { break };
        turns.take(&one.message.source, one.message.account);
        read.push(one.message.account);
    }
    let mut ring = [busy, quiet].map(Some);
    ring.sort_unstable();
    let [a, b] = ring;
    assert_eq!(read[..6], [None, a, None, b, None, a], "{read:?}");
    assert_eq!(read[6], b);
    assert_eq!(read[7..], [Some(busy), Some(busy)]);
}

async fn what_is_in_hand_comes_before_what_is_behind_it(bench: &Bench) {
    let before = pushed(bench).await;
    let hand: RawMessageId = id();
    let behind = pushed(bench).await;
    let mut turns = Turns::default();
    turns.take("elsewhere", None);
    let claim = async |hand: RawMessageId| {
        let turns = turns.clone();
        let claiming = bench.write(move |tx| {
            let others = Others {
                answered_before: at(0),
                busy_sources: &[],
                known_sources: None,
                turns: Some(&turns),
                before: Some((turns.place("new", None), hand)),
            };
            raw_message::claim(tx, at(100), at(130), others)
        });
        let claimed = claiming.await.into_iter().map(|one| one.message.id);
        claimed.collect::<Vec<_>>()
    };
    assert_eq!(claim(hand).await, [before.id]);
    assert_eq!(claim(hand).await, []);
    assert_eq!(claim(id()).await, [behind.id]);
}

async fn messages_kept_together_are_news_once_and_stay_in_hand(bench: &Bench) {
    let before = pushed(bench).await;
    let account = bench.account().await;
    let like = |first: u8, account: Option<AccountId>| {
        let mut digest = before.digest;
        digest[0] = digest[0].wrapping_add(first);
        RawMessage {
            id: id(),
            account,
            digest,
            ..before.clone()
        }
    };
    let known = like(0, None);
    let (fresh, repeated) = (like(1, None), like(1, None));
    let (own, other) = (like(1, Some(account)), like(2, None));
    let all = vec![known, fresh.clone(), repeated, own.clone(), other.clone()];
    let all: Vec<Sent> = all.into_iter().map(Sent::from).collect();
    // Finer than either engine keeps it.
    let until = at(30) + SignedDuration::from_nanos(1_999);
    let receipts = bench
        .write(move |tx| raw_message::receive_all(tx, &all, Some(until)))
        .await;
    let expected = [
        Receipt::Seen(before.id),
        Receipt::Fresh,
        Receipt::Seen(fresh.id),
        Receipt::Fresh,
        Receipt::Fresh,
    ];
    assert_eq!(receipts, expected);
    for row in [&before, &fresh, &own, &other] {
        let id = row.id;
        let found = bench.read(move |tx| raw_message::find(tx, id)).await;
        assert_eq!(found.as_ref(), Some(row));
    }
    assert_eq!(claim(bench, 20, 0, &[]).await.unwrap().message, before);
    assert!(!any_waits(bench, 20, &[]).await);
    assert_eq!(claim(bench, 20, 0, &[]).await, None, "they are in hand");
    let back = [(other.id, until)];
    bench.write(move |tx| raw_message::release(tx, &back)).await;
    assert!(any_waits(bench, 20, &[]).await);
    assert_eq!(claim(bench, 20, 0, &[]).await.unwrap().message, other);
    let taken = claim(bench, 40, 0, &[]).await.unwrap();
    assert_eq!(
        (taken.message, taken.tries),
        (fresh.clone(), 1),
        "the lease has ended"
    );
    let late = [own.id, fresh.id].map(|id| (id, until));
    bench.write(move |tx| raw_message::release(tx, &late)).await;
    let taken = claim(bench, 40, 0, &[]).await.unwrap();
    assert_eq!(taken.message, own, "in nobody's hands");
    assert_eq!(claim(bench, 40, 0, &[]).await, None, "in other hands");
}

async fn messages_of_a_source_that_is_not_known_wait_for_who_knows_it(bench: &Bench) {
    let (strange, known) = (pushed(bench).await, pushed(bench).await);
    let of = |row: &RawMessage| [row.source.clone()];
    let claimed_by = async |sources: [String; 1]| {
        let claiming = bench.write(move |tx| {
            let others = Others {
                answered_before: at(0),
                busy_sources: &[],
                known_sources: Some(&sources),
                turns: None,
                before: None,
            };
            let waits = raw_message::any_waits(tx, at(100), others)?;
            let claimed = raw_message::claim(tx, at(100), at(130), others)?;
            assert_eq!(waits, !claimed.is_empty());
            Ok(claimed)
        });
        claiming.await
    };
    let unread = bench.read(raw_message::unread_by_source).await;
    assert_eq!(unread.get(&strange.source), Some(&1));
    let taken = claimed_by(of(&known)).await;
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].message, known);
    assert_eq!(
        claimed_by(of(&known)).await,
        [],
        "the other one is not theirs"
    );
    let taken = claimed_by(of(&strange)).await;
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].message, strange);
    assert_eq!(taken[0].tries, 1, "nobody has tried it before");
}

async fn a_try_that_is_excused_does_not_count(bench: &Bench) {
    let message = pushed(bench).await;
    for began in [100, 200, 300] {
        let taken = claim(bench, began, 0, &[]).await.unwrap();
        assert_eq!((taken.message.id, taken.tries), (message.id, 1));
        let held: Vec<(_, Timestamp)> = vec![(message.id, at(began + 30))];
        bench
            .write(move |tx| raw_message::excuse(tx, &held, at(began + 50)))
            .await;
        assert_eq!(claim(bench, began + 49, 0, &[]).await, None, "not at once");
    }
    let taken = claim(bench, 400, 0, &[]).await.unwrap();
    let other: Vec<(_, Timestamp)> = vec![(taken.message.id, at(350))];
    bench
        .write(move |tx| raw_message::excuse(tx, &other, at(401)))
        .await;
    assert_eq!(
        claim(bench, 410, 0, &[]).await,
        None,
        "it is in other hands"
    );
}

async fn a_try_without_a_claim_counts_like_one_with_it(bench: &Bench) {
    let message = pushed(bench).await;
    let taken = claim(bench, 100, 0, &[]).await.unwrap();
    let held: Vec<(_, Timestamp)> = vec![(taken.message.id, at(130))];
    bench
        .write(move |tx| raw_message::count_try(tx, &held, at(150)))
        .await;
    assert_eq!(claim(bench, 149, 0, &[]).await, None, "not at once");
    let again = claim(bench, 150, 0, &[]).await.unwrap();
    assert_eq!((again.message.id, again.tries), (message.id, 3));
}

/// Whoever reads one source is not kept from the next by all that waits of the first, nor by its other accounts.
async fn of_each_source_the_oldest_is_found(bench: &Bench) {
    let mut sent = vec![
        pushed(bench).await,
        pushed(bench).await,
        pushed(bench).await,
    ];
    let account = bench.account().await;
    for number in 0..20_u8 {
        let mut row = RawMessage {
            id: id(),
            account: (number % 2 == 0).then_some(account),
            digest: [number ^ 0x55; 32],
            ..sent[0].clone()
        };
        row.digest[1] = number;
        let kept = row.clone();
        bench.write(move |tx| raw_message::receive(tx, &kept)).await;
        sent.push(row);
    }
    let [first, second, third] = [0, 1, 2].map(|place| sent[place].source.clone());
    assert!(any_waits(bench, 100, &[&first, &second]).await);
    assert!(!any_waits(bench, 100, &[&first, &second, &third]).await);
    assert_eq!(
        claim_all(bench, 100, 0, &[&first, &second, &third]).await,
        []
    );
    let taken = claim(bench, 100, 0, &[&first]).await.unwrap();
    assert_eq!(taken.message, sent[1]);
    let of = |account: Option<AccountId>| {
        let of_first = sent.iter().filter(|row| row.source == first);
        let own = of_first.filter(|row| row.account == account);
        own.map(|row| row.id).collect::<Vec<_>>()
    };
    for expected in [of(None), vec![sent[2].id], of(Some(account)), vec![]] {
        let taken = claim_all(bench, 100, 0, &[]).await;
        let taken: Vec<_> = taken.iter().map(|one| one.message.id).collect();
        assert_eq!(taken, expected);
    }
    assert!(!any_waits(bench, 129, &[]).await, "all is in hand");
    assert!(any_waits(bench, 130, &[]).await, "the leases have ended");
}

async fn a_message_is_taken_up_by_one_at_a_time(bench: &Bench) {
    let (first, second) = (pushed(bench).await, pushed(bench).await);
    let taken = claim(bench, 100, 0, &[]).await.unwrap();
    assert_eq!((taken.message, taken.tries), (first.clone(), 1));
    assert_eq!(claim(bench, 100, 0, &[&second.source]).await, None);
    let other = claim(bench, 100, 0, &[]).await.unwrap();
    assert_eq!(other.message.id, second.id);
    assert_eq!(claim(bench, 129, 0, &[]).await, None);
    // Each claim is a lease of thirty seconds; the first is not known by its end.
    let held = [(first.id, at(131)), (second.id, at(130))];
    let kept = bench
        .write(move |tx| raw_message::renew(tx, &held, at(200)))
        .await;
    assert_eq!(kept, [second.id]);
    let again = claim(bench, 131, 0, &[]).await.unwrap();
    assert_eq!((again.message.id, again.tries), (first.id, 2));
    assert_eq!(claim(bench, 131, 0, &[]).await, None, "it was held longer");
    let done = first.id;
    let released = bench
        .write(move |tx| {
            raw_message::mark_parsed(tx, done, &[])?;
            raw_message::release_all(tx)
        })
        .await;
    assert_eq!(released, 1);
    let last = claim(bench, 133, 0, &[]).await.unwrap();
    assert_eq!((last.message.id, last.tries), (second.id, 2));
}

async fn a_try_that_the_store_ended_is_counted_once_and_as_such(bench: &Bench) {
    let mut row = pushed(bench).await;
    let sources: Vec<String> = vec![row.source.clone()];
    let taken = async |second: i64| {
        let known = sources.clone();
        let taking = bench.write(move |tx| {
            let others = Others {
                answered_before: at(0),
                busy_sources: &[],
                known_sources: Some(&known),
                turns: None,
                before: None,
            };
            raw_message::claim(tx, at(second), at(second + 30), others)
        });
        let taken = taking.await.remove(0);
        (taken.message.id, taken.tries, taken.overruns)
    };
    for (second, tries, overruns) in [(100, 1, 0), (140, 2, 1), (180, 3, 2)] {
        assert_eq!(taken(second).await, (row.id, tries, overruns));
        let held = [(row.id, at(second + 30))];
        bench
            .write(move |tx| raw_message::count_overrun(tx, &held, at(second + 35)))
            .await;
    }
    let first = row.id;
    bench
        .write(move |tx| raw_message::mark_parsed(tx, first, &[]))
        .await;
    // One that is read as it comes was never taken up.
    (row.id, row.digest) = (id(), [0x77; 32]);
    let (second, held) = (row.id, [(row.id, at(300))]);
    let row = Sent::from(row);
    bench
        .write(move |tx| {
            raw_message::receive_all(tx, std::slice::from_ref(&row), Some(at(300)))?;
            raw_message::count_overrun(tx, &held, at(310))
        })
        .await;
    assert_eq!(taken(311).await, (second, 2, 1));
    bench
        .write(move |tx| raw_message::mark_parsed(tx, second, &[]))
        .await;
}

async fn an_answer_is_left_to_who_asked(bench: &Bench) {
    let asked = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let answer = RawMessage {
        id: id(),
        source: "MSCU".into(),
        watch: Some(asked),
        account: None,
        question: format!("q {}", number()),
        content_type: "application/json".into(),
        received_at: at(50),
        body: b"[]".to_vec(),
        digest: [1; 32],
    };
    let row = answer.clone();
    bench.write(move |tx| raw_message::receive(tx, &row)).await;
    assert_eq!(claim(bench, 60, 40, &[]).await, None);
    assert_eq!(
        claim(bench, 100, 70, &[]).await.unwrap().message.id,
        answer.id
    );
}

async fn codes_are_counted_by_source(bench: &Bench) {
    let (one, other) = (pushed(bench).await, pushed(bench).await);
    let (first, second) = (one.id, other.id);
    let source = one.source.clone();
    bench
        .write(move |tx| {
            let code = |text: &str, reports, raw| vec![(text.to_owned(), reports, raw)];
            unmapped_code::count(tx, &source, &code("B4/ZZ", 2, first), at(1))?;
            unmapped_code::count(tx, &source, &code("B4/ZZ", 1, second), at(5))?;
            unmapped_code::count(tx, &other.source, &code("B4/ZZ", 9, second), at(5))
        })
        .await;
    let source = one.source.clone();
    let listed = bench.read(move |tx| unmapped_code::of_source(tx, &source, 9));
    let of_one = listed.await;
    let [code] = of_one.as_slice() else {
        panic!("one code of this source: {of_one:?}")
    };
    assert_eq!((code.code.as_str(), code.reports), ("B4/ZZ", 3));
    assert_eq!(
        (code.first_at, code.last_at, code.example),
        (at(1), at(5), second)
    );
}

/// A watch with LOAD and DISC, of which a replay finds DISC and GTOT.
pub async fn reread(bench: &Bench) -> (RawMessage, WatchId, Replay) {
    let raw = pushed(bench).await;
    let docket = hold(bench, None, &numbers()).await[0];
    let of = raw.id;
    let replay = bench
        .write(move |tx| {
            let said = [(id(), said("LOAD")), (id(), said("DISC"))];
            report::insert(tx, docket, of, &said, at(2))?;
            replay::begin(tx, at(10), 0)
        })
        .await;
    let number = replay.number;
    bench
        .write(move |tx| {
            let told = ["DISC", "GTOT"].map(|what| Written::of(&said(what)));
            let watches = [docket];
            let filings = told.each_ref().map(|written| Filing {
                id: id(),
                raw: of,
                written,
                watches: &watches,
            });
            report::mark(tx, &filings, number, at(10))?;
            // A step that is done twice.
            report::mark(tx, &filings, number, at(11))
        })
        .await;
    (raw, docket, replay)
}

pub async fn codes(bench: &Bench, docket: WatchId) -> Vec<String> {
    let told = bench
        .read(move |tx| report::of_watches(tx, &[docket]))
        .await;
    told.into_iter().map(|row| row.report.original).collect()
}

async fn what_a_replay_finds_is_told_when_its_watch_is_settled(bench: &Bench) {
    let (raw, docket, replay) = reread(bench).await;
    assert_eq!(codes(bench, docket).await, ["LOAD", "DISC"]);
    let readable = vec![raw.source.clone()];
    let (this, named) = (replay.clone(), readable.clone());
    let unsettled = bench
        .read(move |tx| replay::unsettled(tx, &this, &named, &[docket]))
        .await;
    assert_eq!(unsettled, [docket]);
    for expected in [(1, 1), (0, 0)] {
        let (this, named) = (replay.clone(), readable.clone());
        let settled = bench
            .write(move |tx| {
                let before = report::standing(tx, &[docket])?;
                let settled = replay::settle(tx, &this, &named, docket)?;
                let others = report::standing(tx, &[docket])? != before;
                assert_eq!(others, settled != (0, 0), "others see it");
                Ok(settled)
            })
            .await;
        assert_eq!(settled, expected);
        assert_eq!(codes(bench, docket).await, ["DISC", "GTOT"]);
    }
    let unsettled = bench
        .read(move |tx| replay::unsettled(tx, &replay, &readable, &[docket]))
        .await;
    assert_eq!(unsettled, []);
}

async fn what_a_replay_could_not_read_stays(bench: &Bench) {
    let (raw, docket, replay) = reread(bench).await;
    // Of a source that is not configured; and one that was seen again meanwhile.
    let (of, nobody) = (raw.id, vec!["somebody else".to_owned()]);
    let settled = bench
        .write(move |tx| replay::settle(tx, &replay, &nobody, docket))
        .await;
    assert_eq!(settled, (0, 1));
    assert_eq!(codes(bench, docket).await, ["LOAD", "DISC", "GTOT"]);
    let readable = vec![raw.source];
    let settled = bench
        .write(move |tx| {
            let next = replay::begin(tx, at(20), 0)?;
            report::insert(tx, docket, of, &[(id(), said("LOAD"))], at(21))?;
            replay::settle(tx, &next, &readable, docket)
        })
        .await;
    assert_eq!(settled, (2, 0));
    assert_eq!(codes(bench, docket).await, ["LOAD"]);
}

async fn half_a_message_that_a_replay_passes_over_is_taken_out(bench: &Bench) {
    let (raw, docket, replay) = reread(bench).await;
    let (this, of) = (replay.clone(), raw.id);
    bench
        .write(move |tx| {
            replay::pass_over(tx, &this, of, at(12), "it cannot be read")?;
            replay::take_out(tx, &this, of, &[docket])
        })
        .await;
    let left = bench.rows_of("reports");
    // Another message says some of the same, and is read.
    let (other, number) = (pushed(bench).await.id, replay.number);
    bench
        .write(move |tx| {
            let filing = Filing {
                id: id(),
                raw: other,
                written: &Written::of(&said("GTOT")),
                watches: &[docket],
            };
            report::mark(tx, &[filing], number, at(13))
        })
        .await;
    let readable = vec![raw.source];
    let (this, named) = (replay.clone(), readable.clone());
    let settled = bench
        .write(move |tx| replay::settle(tx, &this, &named, docket))
        .await;
    assert_eq!(settled, (0, 1));
    assert_eq!(codes(bench, docket).await, ["LOAD", "DISC", "GTOT"]);
    assert_eq!(bench.rows_of("reports"), left + 1, "it was gone before");
    // The next replay knows nothing of what this one passed over.
    let settled = bench
        .write(move |tx| {
            let next = replay::begin(tx, at(20), 0)?;
            replay::settle(tx, &next, &readable, docket)
        })
        .await;
    assert_eq!(settled, (2, 0));
    assert_eq!(
        codes(bench, docket).await,
        ["GTOT"],
        "nobody can read that one"
    );
}

async fn a_replay_is_gone_on_with_until_it_has_ended(bench: &Bench) {
    let first = bench.write(|tx| replay::begin(tx, at(1), 0)).await;
    let (account, message) = (bench.account().await, pushed(bench).await);
    let mut kept = first.clone();
    kept.stage = Stage::Showing;
    kept.cursor = Some((account.0, message.id.0));
    (kept.done, kept.total, kept.gone, kept.found) = (3, 4, 5, 6);
    let row = kept.clone();
    bench.write(move |tx| replay::keep(tx, &row)).await;
    assert_eq!(bench.read(replay::open).await, Some(kept));
    let second = bench.write(|tx| replay::begin(tx, at(2), 0)).await;
    assert_eq!(second.number, first.number + 1);
    assert_eq!(bench.read(replay::open).await.as_ref(), Some(&second));
    let mut ended = second;
    ended.ended_at = Some(at(3));
    bench.write(move |tx| replay::keep(tx, &ended)).await;
    assert_eq!(bench.read(replay::open).await, None);
    let after = message.id;
    let behind = bench
        .read(move |tx| {
            let all = replay::messages(tx, None, 1_000)?;
            assert!(all.contains(&(after, 3)), "its length is told");
            replay::messages(tx, Some(after), 1_000)
        })
        .await;
    assert!(behind.iter().all(|(id, _)| *id > after));
}
