//! What the check value of the main key promises.

use store::main_key::{self, Sealed};

use crate::bench::{Bench, webhook_row};

on_both_engines!(a_check_value_is_noted_once, what_lies_sealed_is_found,);

async fn note(bench: &Bench, value: &'static [u8]) -> bool {
    bench
        .write(move |tx| main_key::note_check_value(tx, 1, value))
        .await
}

async fn a_check_value_is_noted_once(bench: &Bench) {
    let noted = || bench.read(|tx| main_key::check_value(tx, 1));
    assert_eq!(noted().await, None);
    assert!(note(bench, &[0, 1, 255]).await);
    assert!(!note(bench, &[7]).await, "it stays as it is");
    assert_eq!(noted().await, Some(vec![0, 1, 255]));
    assert_eq!(bench.read(|tx| main_key::check_value(tx, 2)).await, None);
}

async fn what_lies_sealed_is_found(bench: &Bench) {
    let sealed = |limit| bench.read(move |tx| main_key::sealed(tx, limit));
    assert!(!bench.read(main_key::has_accounts).await);
    assert_eq!(sealed(9).await, []);
    let account = bench.account().await;
    assert!(bench.read(main_key::has_accounts).await);
    let (first, second) = (bench.webhook(account).await, bench.webhook(account).await);
    let found = sealed(9).await;
    for webhook in [first, second] {
        let expected = Sealed::Webhook(account, webhook, webhook_row().secret);
        assert!(found.contains(&expected), "{found:?}");
    }
    assert_eq!(sealed(1).await.len(), 1);
}
