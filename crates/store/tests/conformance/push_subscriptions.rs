//! What our subscriptions at carriers promise.

use domain::source::Subscribed;
use store::push_subscription::{self, PushSubscription};
use store::watch::{self, Watch};

use crate::bench::{Bench, at, watch_row};

on_both_engines!(
    a_subscription_comes_back_and_is_begun_once,
    one_worker_takes_up_a_subscription_that_is_due,
    a_source_is_wanted_while_one_of_its_numbers_is_asked,
);

fn row() -> PushSubscription {
    PushSubscription {
        source: "LINE".into(),
        standing: Subscribed {
            id: None,
            callback: "https://quay.example/inbound/LINE".into(),
            told: false,
            secret_at: at(1),
            renewed_at: None,
            failures: 0,
        },
        secret: vec![1, 2, 3],
        secret_before: None,
        trouble: None,
        due_at: at(10),
    }
}

async fn a_subscription_comes_back_and_is_begun_once(bench: &Bench) {
    let first = row();
    let kept = first.clone();
    let again = PushSubscription {
        secret: vec![9],
        ..row()
    };
    let changed = PushSubscription {
        standing: Subscribed {
            id: Some("s-1".into()),
            told: true,
            renewed_at: Some(at(5)),
            failures: 2,
            ..row().standing
        },
        secret_before: Some(vec![0]),
        trouble: Some("it said no".into()),
        ..row()
    };
    let after = changed.clone();
    let found = bench
        .write(move |tx| {
            push_subscription::begin(tx, &first)?;
            push_subscription::begin(tx, &again)?;
            let begun = push_subscription::find(tx, "LINE")?;
            push_subscription::update(tx, &changed)?;
            Ok((
                begun,
                push_subscription::find(tx, "LINE")?,
                push_subscription::find(tx, "OTHER")?,
            ))
        })
        .await;
    assert_eq!(found, (Some(kept), Some(after), None));
}

async fn one_worker_takes_up_a_subscription_that_is_due(bench: &Bench) {
    bench.write(|tx| push_subscription::begin(tx, &row())).await;
    let claim = |now: i64, until: i64| {
        bench.write(move |tx| push_subscription::claim(tx, "LINE", at(now), at(until)))
    };
    assert_eq!(claim(9, 20).await, None, "not due");
    assert_eq!(claim(10, 20).await.map(|row| row.due_at), Some(at(20)));
    assert_eq!(claim(19, 30).await, None, "in another's hands");
    assert!(claim(20, 30).await.is_some(), "who had it is gone");
}

async fn a_source_is_wanted_while_one_of_its_numbers_is_asked(bench: &Bench) {
    let source = watch_row().source;
    let resting = Watch {
        next_poll_at: None,
        ..watch_row()
    };
    let asked = Watch {
        next_poll_at: Some(at(9)),
        ..watch_row()
    };
    let wanted = bench
        .write(move |tx| {
            watch::find_or_insert(tx, &resting)?;
            let before = push_subscription::is_wanted(tx, &source)?;
            watch::find_or_insert(tx, &asked)?;
            Ok((before, push_subscription::is_wanted(tx, &source)?))
        })
        .await;
    assert_eq!(wanted, (false, true));
}
