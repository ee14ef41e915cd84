//! What the check values of main keys promise, and what is sealed with another key.

use domain::ids::{AccountId, WebhookId};
use domain::source::Subscribed;
use store::kept_answer::{self, Answer, Asked, Reserved};
use store::main_key::{self, Cursor, Place, Sealed};
use store::push_subscription::{self, PushSubscription};
use store::webhook::{self, Retired, Webhook};

use crate::bench::{Bench, at, id, webhook_row};

on_both_engines!(
    a_check_value_is_noted_once,
    a_key_seals_until_the_last_moment_that_was_said,
    a_key_that_is_forgotten_is_known_by_its_digest_only,
    what_lies_sealed_is_found,
    what_another_key_sealed_is_found_row_by_row_and_of_every_kind,
    a_value_that_was_changed_meanwhile_is_not_overwritten,
);

async fn note(bench: &Bench, value: &'static [u8]) -> bool {
    bench
        .write(move |tx| main_key::note_check_value(tx, 1, value))
        .await
}

async fn a_check_value_is_noted_once(bench: &Bench) {
    assert_eq!(bench.read(main_key::known).await, []);
    assert!(note(bench, &[0, 1, 255]).await);
    assert!(!note(bench, &[7]).await, "it stays as it is");
    let known = bench.read(main_key::known).await;
    let one: Vec<_> = known
        .iter()
        .map(|key| (key.number, key.check_value.clone(), key.seals_until))
        .collect();
    assert_eq!(one, [(1, vec![0, 1, 255], None)]);
}

async fn a_key_seals_until_the_last_moment_that_was_said(bench: &Bench) {
    let seals = |number, second| bench.write(move |tx| main_key::seals(tx, number, at(second)));
    assert!(!seals(1, 5).await, "nobody knows it");
    note(bench, &[1]).await;
    for (said, holds) in [(5, 5), (3, 5), (7, 7)] {
        assert!(seals(1, said).await);
        let known = bench.read(main_key::known).await;
        assert_eq!(known[0].seals_until, Some(at(holds)), "{said}");
    }
}

async fn a_key_that_is_forgotten_is_known_by_its_digest_only(bench: &Bench) {
    note(bench, &[1]).await;
    let given_up = bench.write(|tx| {
        main_key::lock(tx)?;
        main_key::forget(tx, 1)?;
        for _ in 0..2 {
            main_key::give_up(tx, &[4; 32])?;
        }
        let known = main_key::known(tx)?;
        let digests = [[4; 32], [5; 32]].map(|digest| main_key::is_given_up(tx, &digest));
        Ok((known, digests))
    });
    let (known, [it, another]) = given_up.await;
    assert_eq!(known, []);
    assert!(it.unwrap() && !another.unwrap());
    let noted = bench.write(|tx| {
        main_key::note_server_key(tx, &[1, 1])?;
        main_key::note_server_key(tx, &[1, 2])?;
        main_key::server_key(tx)
    });
    assert_eq!(noted.await, Some(vec![1, 1]), "the first one stays");
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

/// The bytes of a sealed value: the number of its key, and something.
fn sealed(number: u8) -> Vec<u8> {
    vec![number, 0, 255]
}

fn asked(key: &str) -> Asked {
    Asked {
        method: "POST".into(),
        path: "/v2/things".into(),
        key: key.into(),
    }
}

async fn sealed_webhook(bench: &Bench, account: AccountId, number: u8) -> WebhookId {
    let row = Webhook {
        secret: sealed(number),
        headers: sealed(number),
        retired: Some(Retired {
            sealed: sealed(number),
            until: at(9),
        }),
        ..webhook_row()
    };
    let id = row.id;
    let inserting = bench.write(move |tx| webhook::insert(&mut tx.account(account), &row));
    inserting.await;
    id
}

async fn sealed_answer(bench: &Bench, account: AccountId, key: &'static str, number: u8) {
    let row = Reserved {
        fingerprint: [3; 32],
        sending: id(),
        created_at: at(0),
        answer: None,
    };
    let answer = Answer {
        status: 201,
        media: String::new(),
        location: None,
        body: sealed(number),
    };
    let keeping = bench.write(move |tx| {
        let mut a = tx.account(account);
        kept_answer::reserve(&mut a, &asked(key), &row, at(0))?;
        kept_answer::finish(&mut a, &asked(key), row.sending, &answer)
    });
    keeping.await;
}

async fn sealed_subscription(bench: &Bench, source: &str, secret: u8, before: Option<u8>) {
    let row = PushSubscription {
        source: source.into(),
        standing: Subscribed {
            id: None,
            callback: String::new(),
            told: false,
            secret_at: at(1),
            renewed_at: None,
            failures: 0,
        },
        secret: sealed(secret),
        secret_before: before.map(sealed),
        trouble: None,
        due_at: at(10),
    };
    let beginning = bench.write(move |tx| push_subscription::begin(tx, &row));
    beginning.await;
}

/// Walks through everything in steps of one row.
async fn walked(bench: &Bench, key_id: u8) -> Vec<(Place, Vec<u8>)> {
    let (mut found, mut after) = (Vec::new(), Some(Cursor::default()));
    while let Some(from) = after {
        let step = bench.read(move |tx| main_key::sealed_otherwise(tx, key_id, &from, 1));
        let piece = step.await;
        found.extend(piece.found);
        after = piece.next;
    }
    found
}

async fn what_another_key_sealed_is_found_row_by_row_and_of_every_kind(bench: &Bench) {
    let (first, second) = (bench.account().await, bench.account().await);
    let old = sealed_webhook(bench, first, 1).await;
    sealed_webhook(bench, second, 2).await;
    sealed_subscription(bench, "LINE", 2, Some(1)).await;
    sealed_subscription(bench, "OTHER", 1, None).await;
    for (account, key, number) in [(first, "a", 1), (first, "b", 2), (second, "a", 1)] {
        sealed_answer(bench, account, key, number).await;
    }
    let noting = bench.write(|tx| main_key::note_server_key(tx, &sealed(1)));
    noting.await;
    let expected = [
        Place::ServerKey,
        Place::WebhookSecret(first, old),
        Place::RetiredSecrets(first, old),
        Place::WebhookHeaders(first, old),
        Place::PushSecretBefore("LINE".into()),
        Place::PushSecret("OTHER".into()),
        Place::Answer(first, asked("a")),
        Place::Answer(second, asked("a")),
    ];
    assert_eq!(
        walked(bench, 2).await,
        expected.clone().map(|place| (place, sealed(1)))
    );
    assert_eq!(
        bench.read(|tx| main_key::count_sealed_with(tx, 1)).await,
        expected.len() as u64
    );
    for place in expected {
        let replacing =
            bench.write(move |tx| main_key::replace(tx, &place, &sealed(1), &sealed(2)));
        assert!(replacing.await);
    }
    assert_eq!(walked(bench, 2).await, []);
    assert_eq!(bench.read(|tx| main_key::count_sealed_with(tx, 1)).await, 0);
}

async fn a_value_that_was_changed_meanwhile_is_not_overwritten(bench: &Bench) {
    let account = bench.account().await;
    let webhook = sealed_webhook(bench, account, 1).await;
    sealed_subscription(bench, "LINE", 1, Some(1)).await;
    sealed_answer(bench, account, "a", 1).await;
    bench
        .write(|tx| main_key::note_server_key(tx, &sealed(1)))
        .await;
    let places = walked(bench, 2).await;
    assert_eq!(places.len(), 7);
    for (place, _) in &places {
        let (late, place) = ([1, 7], place.clone());
        let replacing = bench.write(move |tx| main_key::replace(tx, &place, &late, &sealed(2)));
        assert!(!replacing.await);
    }
    assert_eq!(walked(bench, 2).await, places);
    let stays = bench.read(move |tx| webhook::find(&mut tx.account(account), webhook));
    assert_eq!(stays.await.unwrap().secret, sealed(1));
}
