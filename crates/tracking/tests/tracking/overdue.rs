//! Rules that wait, and come due.

use domain::ids::{AccountId, ContainerId};
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use store::Key;
use uuid::Uuid;

use crate::BOX;
use crate::ground::{Ground, LADEN};

/// Whose containers are due after this span.
async fn due(ground: &Ground, span: SignedDuration) -> Vec<AccountId> {
    let by = ground.tracking().now() + span;
    let reading = ground
        .tracking()
        .store()
        .read(move |tx| store::container::due(tx, by, 64));
    let due: Result<Vec<_>, store::Error> = reading.await;
    due.unwrap()
        .into_iter()
        .map(|(account, _)| account)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_cannot_be_brought_up_to_date_holds_up_no_other() {
    let ground = Ground::new(LADEN).await;
    let (broken, good) = (ground.account("A").await, ground.account("B").await);
    for account in [broken, good] {
        ground.track(account, BOX, NumberKind::Container).await;
    }
    ground.drain().await;
    ground.tamper(&format!(
        "update containers set state = x'00' where hex(account_id) = '{}'
             or account_id = '{broken}'",
        broken.0.simple().to_string().to_uppercase()
    ));
    let now = ground.tracking().now();
    for account in [broken, good] {
        let pulling = ground
            .tracking()
            .store()
            .write(Key::account(account), move |tx| {
                store::container::pull_due(
                    &mut tx.account(account),
                    now,
                    ContainerId(Uuid::nil()),
                    1,
                )
            });
        let pulled: Result<Option<ContainerId>, store::Error> = pulling.await;
        assert!(pulled.unwrap().is_some());
    }
    ground.drain().await;
    assert_eq!(due(&ground, SignedDuration::ZERO).await, []);
    let later = SignedDuration::from_mins(10);
    assert_eq!(due(&ground, later).await, [broken], "it is tried again");
}
