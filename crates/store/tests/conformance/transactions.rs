//! What a transaction is.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use domain::ids::AccountId;
use store::account::{self, Account};
use store::{Database, Error, Key, Settings, Store, webhook};
use tokio::task::JoinHandle;

use crate::bench::{Bench, account_row, begin, id, number, webhook_row};

on_both_engines!(
    what_is_written_is_read,
    a_touch_is_written_each_time,
    a_refused_use_case_leaves_nothing,
    a_failed_statement_poisons_the_transaction,
    a_read_cannot_write,
    a_read_cannot_lock,
    failures_and_panics_do_not_harm_their_neighbours,
    equal_keys_keep_their_order,
    several_keys_keep_their_order_too,
    a_read_sees_one_snapshot,
    a_full_queue_refuses_and_nothing_is_done,
    who_comes_first_of_many_slow_ones_hears_before_the_last_has_begun,
    what_has_begun_is_done_though_the_caller_has_gone,
    conflicts_are_told_apart,
    a_text_with_nul_is_refused,
    a_time_out_of_range_is_refused,
    a_store_can_be_dropped_by_its_own_use_case,
    reading_in_many_tasks_at_once,
);

/// Holds up the lane of `key` until the sender is dropped, so that what is queued next makes one group.
fn hold_up(store: &Store, key: Key) -> (mpsc::Sender<()>, JoinHandle<Result<(), Error>>) {
    let ((held, is_held), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
    let store = store.clone();
    let holding = begin(async move {
        store
            .write(key, move |_| {
                let _ = held.send(());
                // Until the other end is dropped.
                let _ = may_go.recv();
                Ok(())
            })
            .await
    });
    is_held.recv().unwrap();
    (let_go, holding)
}

async fn exists(bench: &Bench, id: AccountId) -> bool {
    bench.read(move |tx| account::find(tx, id)).await.is_some()
}

async fn a_touch_is_written_each_time(bench: &Bench) {
    for second in 0..2 {
        bench
            .write(move |tx| store::readiness::touch(tx, crate::bench::at(second)))
            .await;
    }
}

async fn what_is_written_is_read(bench: &Bench) {
    let row = account_row();
    let written = row.clone();
    bench.write(move |tx| account::insert(tx, &written)).await;
    let id = row.id;
    assert_eq!(bench.read(move |tx| account::find(tx, id)).await, Some(row));
}

async fn a_refused_use_case_leaves_nothing(bench: &Bench) {
    let row = account_row();
    let id = row.id;
    let refused: Result<(), Error> = bench
        .store
        .write(Key::account(id), move |tx| {
            account::insert(tx, &row)?;
            Err(Error::Refused("no".into()))
        })
        .await;
    assert_eq!(refused, Err(Error::Refused("no".into())));
    assert!(!exists(bench, id).await);
}

async fn a_failed_statement_poisons_the_transaction(bench: &Bench) {
    let row = account_row();
    let id = row.id;
    let swallowed: Result<(), Error> = bench
        .store
        .write(Key::account(id), move |tx| {
            account::insert(tx, &row)?;
            let again = account::insert(tx, &row);
            assert!(matches!(again, Err(Error::Conflict { .. })), "{again:?}");
            assert_eq!(account::find(tx, id), Err(Error::Poisoned));
            Ok(())
        })
        .await;
    assert_eq!(swallowed, Err(Error::Poisoned));
    assert!(!exists(bench, id).await);
}

async fn a_read_cannot_write(bench: &Bench) {
    let row = account_row();
    let refused = bench.store.read(move |tx| account::insert(tx, &row)).await;
    assert_eq!(refused, Err(Error::ReadOnly));
}

async fn a_read_cannot_lock(bench: &Bench) {
    let account = bench.account().await;
    let shipment = bench.shipment(account).await;
    let refused = bench
        .store
        .read(move |tx| store::shipment::lock(&mut tx.account(account), shipment))
        .await;
    assert_eq!(refused, Err(Error::ReadOnly));
}

async fn failures_and_panics_do_not_harm_their_neighbours(bench: &Bench) {
    let key = Key::account(id());
    let (let_go, held) = hold_up(&bench.store, key.clone());
    let mut waiting = Vec::new();
    for place in 0..60 {
        let row = account_row();
        let (store, key, id) = (bench.store.clone(), key.clone(), row.id);
        let work = async move {
            store
                .write(key, move |tx| {
                    account::insert(tx, &row)?;
                    match place % 4 {
                        0 => Err(Error::Refused("no".into())),
                        1 => panic!("a use case that panics"),
                        2 => account::insert(tx, &row),
                        _ => Ok(()),
                    }
                })
                .await
        };
        waiting.push((place, id, begin(work)));
    }
    drop(let_go);
    held.await.unwrap().unwrap();
    for (place, id, answer) in waiting {
        let answer = answer.await.unwrap();
        match place % 4 {
            0 => assert_eq!(answer, Err(Error::Refused("no".into()))),
            1 => assert_eq!(
                answer,
                Err(Error::Panicked("a use case that panics".into()))
            ),
            2 => assert!(matches!(answer, Err(Error::Conflict { .. })), "{answer:?}"),
            _ => assert_eq!(answer, Ok(())),
        }
        assert_eq!(exists(bench, id).await, place % 4 == 3, "{place}");
    }
}

/// Appends its place to the account's features and answers what stood before.
fn append(place: usize, account: AccountId) -> impl FnMut(&mut store::Tx) -> Result<usize, Error> {
    move |tx| {
        let mut row = account::find(tx, account)?.ok_or(Error::Refused("gone".into()))?;
        let before = row.features.len();
        row.features.push((place.to_string(), true));
        account::update(tx, &row)?;
        Ok(before)
    }
}

async fn equal_keys_keep_their_order(bench: &Bench) {
    let row = Account {
        features: Vec::new(),
        ..account_row()
    };
    let account = row.id;
    bench.write(move |tx| account::insert(tx, &row)).await;
    let mut waiting = Vec::new();
    for place in 0..400 {
        let store = bench.store.clone();
        let work = async move {
            store
                .write(Key::account(account), append(place, account))
                .await
        };
        waiting.push((place, begin(work)));
    }
    for (place, answer) in waiting {
        assert_eq!(answer.await.unwrap(), Ok(place));
    }
}

async fn several_keys_keep_their_order_too(bench: &Bench) {
    let row = Account {
        features: Vec::new(),
        ..account_row()
    };
    let account = row.id;
    bench.write(move |tx| account::insert(tx, &row)).await;
    let mut waiting = Vec::new();
    for place in 0..60 {
        let store = bench.store.clone();
        let mut key = Key::account(account);
        if place % 5 == 0 {
            key = Key::several(vec![Key::watch(id()), key]);
        }
        waiting.push((
            place,
            begin(async move { store.write(key, append(place, account)).await }),
        ));
    }
    for (place, answer) in waiting {
        assert_eq!(answer.await.unwrap(), Ok(place));
    }
}

async fn a_read_sees_one_snapshot(bench: &Bench) {
    let row = account_row();
    let writer = bench.store.clone();
    let runtime = tokio::runtime::Handle::current();
    let seen = bench
        .read(move |tx| {
            let before = account::find(tx, row.id)?;
            let (writer, runtime, written) = (writer.clone(), runtime.clone(), row.clone());
            let beside = std::thread::spawn(move || {
                let key = Key::account(written.id);
                runtime.block_on(writer.write(key, move |tx| account::insert(tx, &written)))
            });
            beside.join().unwrap()?;
            let after = account::find(tx, row.id)?;
            Ok((before, after, row.id))
        })
        .await;
    assert_eq!((seen.0, seen.1), (None, None));
    assert!(exists(bench, seen.2).await);
}

async fn who_comes_first_of_many_slow_ones_hears_before_the_last_has_begun(bench: &Bench) {
    let key = Key::account(id());
    let (let_go, holding) = hold_up(&bench.store, key.clone());
    let begun = Arc::new(AtomicU32::new(0));
    let many = 30;
    let slow: Vec<_> = (0..many)
        .map(|_| {
            let (begun, store, key) = (Arc::clone(&begun), bench.store.clone(), key.clone());
            begin(async move {
                let begins = Arc::clone(&begun);
                let row = account_row();
                let write = store.write(key, move |tx| {
                    begins.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(100));
                    account::insert(tx, &row)
                });
                write.await.unwrap();
                begun.load(Ordering::SeqCst)
            })
        })
        .collect();
    drop(let_go);
    holding.await.unwrap().unwrap();
    let mut heard = Vec::new();
    for one in slow {
        heard.push(one.await.unwrap());
    }
    assert_eq!(begun.load(Ordering::SeqCst), many, "each ran once");
    let first = heard.iter().min().unwrap();
    assert!(*first < many, "{heard:?}");
}

async fn a_full_queue_refuses_and_nothing_is_done(bench: &Bench) {
    let settings = Settings {
        waiting_max: 3,
        ..match &bench.settings.database {
            Database::Sqlite { path } => Settings::new(Database::Sqlite {
                path: path.with_extension("other"),
            }),
            Database::Postgres { .. } => bench.settings.clone(),
        }
    };
    let small = Store::open(&settings).unwrap();
    let key = Key::account(id());
    let (let_go, held) = hold_up(&small, key.clone());
    let mut waiting = Vec::new();
    for _ in 0..5 {
        let row = account_row();
        let (store, key, id) = (small.clone(), key.clone(), row.id);
        let work = async move { store.write(key, move |tx| account::insert(tx, &row)).await };
        waiting.push((id, begin(work)));
    }
    drop(let_go);
    held.await.unwrap().unwrap();
    let mut refused = 0;
    for (id, answer) in waiting {
        let answer: Result<(), Error> = answer.await.unwrap();
        let stored = small
            .read(move |tx| account::find(tx, id))
            .await
            .unwrap()
            .is_some();
        assert_eq!(answer.is_ok(), stored);
        refused += u32::from(answer == Err(Error::Busy { waiting: 3 }));
    }
    assert_eq!(refused, 2);
}

async fn what_has_begun_is_done_though_the_caller_has_gone(bench: &Bench) {
    let row = account_row();
    let (id, store) = (row.id, bench.store.clone());
    let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
    let caller = begin(async move {
        store
            .write(Key::account(id), move |tx| {
                account::insert(tx, &row)?;
                let _ = begun.send(());
                // Until the other end is dropped.
                let _ = may_go.recv();
                Ok::<_, Error>(())
            })
            .await
    });
    has_begun.recv().unwrap();
    caller.abort();
    assert!(caller.await.is_err());
    drop(let_go);
    // Whatever is queued after it finds it done.
    bench
        .store
        .write(Key::account(id), |_| Ok::<_, Error>(()))
        .await
        .unwrap();
    assert!(exists(bench, id).await);
}

async fn conflicts_are_told_apart(bench: &Bench) {
    let row = account_row();
    let taken = Account {
        id: id(),
        ..row.clone()
    };
    bench.write(move |tx| account::insert(tx, &row)).await;
    let same_name = bench
        .store
        .write(Key::account(taken.id), move |tx| {
            account::insert(tx, &taken)
        })
        .await;
    assert!(
        matches!(same_name, Err(Error::Conflict { .. })),
        "{same_name:?}"
    );
    let nobody: AccountId = id();
    let no_account = bench
        .store
        .write(Key::account(nobody), move |tx| {
            webhook::insert(&mut tx.account(nobody), &webhook_row())
        })
        .await;
    assert!(
        matches!(no_account, Err(Error::Conflict { .. })),
        "{no_account:?}"
    );
}

async fn a_text_with_nul_is_refused(bench: &Bench) {
    let row = Account {
        name: format!("nul \0 {}", number()),
        ..account_row()
    };
    let refused = bench
        .store
        .write(Key::account(row.id), move |tx| account::insert(tx, &row))
        .await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
}

async fn a_time_out_of_range_is_refused(bench: &Bench) {
    let row = Account {
        created_at: jiff::Timestamp::MIN,
        ..account_row()
    };
    let refused = bench
        .store
        .write(Key::account(row.id), move |tx| account::insert(tx, &row))
        .await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
}

async fn a_store_can_be_dropped_by_its_own_use_case(bench: &Bench) {
    let settings = match &bench.settings.database {
        Database::Sqlite { path } => Settings::new(Database::Sqlite {
            path: path.with_extension("other"),
        }),
        Database::Postgres { .. } => bench.settings.clone(),
    };
    let other = Store::open(&settings).unwrap();
    let kept = other.clone();
    let work = begin(async move {
        other
            .write(Key::account(id()), move |_| {
                let _ = &kept;
                std::thread::sleep(Duration::from_millis(50));
                Ok::<_, Error>(())
            })
            .await
    });
    assert_eq!(work.await.unwrap(), Ok(()));
}

async fn reading_in_many_tasks_at_once(bench: &Bench) {
    let account = bench.account().await;
    let found = Arc::new(AtomicU32::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let (store, found) = (bench.store.clone(), Arc::clone(&found));
        tasks.spawn(async move {
            let row = store
                .read(move |tx| account::find(tx, account))
                .await
                .unwrap();
            found.fetch_add(u32::from(row.is_some()), Ordering::Relaxed);
        });
    }
    tasks.join_all().await;
    assert_eq!(found.load(Ordering::Relaxed), 200);
}
