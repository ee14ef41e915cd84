//! What kept answers and shared rate windows promise.

use domain::rate::Taken;
use store::kept_answer::{self, Answer, Asked, Reserved};
use store::rate_window;
use uuid::Uuid;

use crate::bench::{Bench, at, id};

on_both_engines!(
    a_key_is_taken_once_until_it_is_old,
    an_answer_is_kept_by_the_sending_that_took_the_key,
    old_answers_are_swept_in_steps,
    nodes_share_the_room_of_a_minute,
);

fn asked(key: &str) -> Asked {
    Asked {
        method: "POST".into(),
        path: "/v2/things".into(),
        key: key.into(),
    }
}

fn reserved(seconds: i64) -> Reserved {
    Reserved {
        fingerprint: [3; 32],
        sending: id(),
        created_at: at(seconds),
        answer: None,
    }
}

async fn reserve(bench: &Bench, a: domain::ids::AccountId, row: &Reserved, since: i64) -> bool {
    let row = row.clone();
    bench
        .write(move |tx| kept_answer::reserve(&mut tx.account(a), &asked("k"), &row, at(since)))
        .await
}

async fn find(bench: &Bench, a: domain::ids::AccountId, since: i64) -> Option<Reserved> {
    bench
        .read(move |tx| kept_answer::find(&mut tx.account(a), &asked("k"), at(since)))
        .await
}

async fn a_key_is_taken_once_until_it_is_old(bench: &Bench) {
    let (account, other) = (bench.account().await, bench.account().await);
    let (first, second) = (reserved(0), reserved(50));
    assert!(reserve(bench, account, &first, -50).await);
    assert!(!reserve(bench, account, &second, 0).await);
    assert_eq!(find(bench, account, 0).await.as_ref(), Some(&first));
    assert_eq!(find(bench, account, 1).await, None, "too old to count");
    assert!(reserve(bench, other, &second, 0).await, "another account");
    assert!(
        reserve(bench, account, &second, 1).await,
        "the first is old"
    );
    assert_eq!(find(bench, account, 1).await, Some(second));
}

async fn an_answer_is_kept_by_the_sending_that_took_the_key(bench: &Bench) {
    let account = bench.account().await;
    let first = reserved(0);
    assert!(reserve(bench, account, &first, 0).await);
    let answer = Answer {
        status: 201,
        media: "application/vnd.api+json".into(),
        location: Some("https://quay.example/v2/things/1".into()),
        body: vec![0, 1, 255],
    };
    for (sending, keeps) in [(id::<Uuid>(), false), (first.sending, true)] {
        let answer = answer.clone();
        let kept = bench
            .write(move |tx| {
                kept_answer::finish(&mut tx.account(account), &asked("k"), sending, &answer)
            })
            .await;
        assert_eq!(kept, keeps);
    }
    let kept = find(bench, account, 0).await.unwrap();
    assert_eq!(kept.answer, Some(answer));
    for (sending, stays) in [(id::<Uuid>(), true), (first.sending, false)] {
        bench
            .write(move |tx| kept_answer::release(&mut tx.account(account), &asked("k"), sending))
            .await;
        assert_eq!(find(bench, account, 0).await.is_some(), stays);
    }
}

async fn old_answers_are_swept_in_steps(bench: &Bench) {
    let account = bench.account().await;
    // Older than what the other tests leave on this database.
    for (place, age) in [(0, -900), (1, -800), (2, -700), (3, 900)] {
        let row = reserved(age);
        bench
            .write(move |tx| {
                let key = asked(&format!("old {place}"));
                kept_answer::reserve(&mut tx.account(account), &key, &row, at(-1_000))
            })
            .await;
    }
    for swept in [2, 1, 0] {
        let gone = bench.write(|tx| kept_answer::sweep(tx, at(-600), 2)).await;
        assert_eq!(gone, swept);
    }
}

async fn nodes_share_the_room_of_a_minute(bench: &Bench) {
    let (account, other) = (bench.account().await, bench.account().await);
    let told = |granted, left, frees_in| Taken {
        granted,
        left,
        frees_in,
    };
    for (whose, bucket, now, wanted, expected) in [
        (account, "default", 100, 3, told(3, 2, 60)),
        (account, "default", 130, 3, told(2, 0, 30)),
        (account, "create", 130, 1, told(1, 4, 60)),
        (other, "default", 130, 1, told(1, 4, 60)),
        (account, "default", 160, 9, told(3, 0, 30)),
    ] {
        let taken = bench
            .write(move |tx| rate_window::take(tx, whose, bucket, now, wanted, 5))
            .await;
        assert_eq!(taken, expected, "{bucket} at {now}");
    }
}
