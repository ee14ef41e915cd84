//! A rehearsal says what would come of a message, and leaves nothing behind.

use domain::event::Change;
use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use tracking::intake::{Foreseen, Message, foresee};

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;

const AT: &str = "2026-04-05T05:00:00Z";

async fn rehearsed(ground: &Ground, body: &str) -> Foreseen {
    let message = Message {
        source: "hub".into(),
        account: None,
        content_type: String::new(),
        bytes: body.as_bytes().to_vec(),
    };
    foresee(ground.tracking(), message, None).await.unwrap()
}

/// Everything of the account and of the messages that could be written.
async fn standing(ground: &Ground, account: AccountId) -> (Vec<(String, Vec<String>)>, u64) {
    let unread = ground.tracking().store();
    let unread = unread.read(store::raw_message::unread_count).await;
    (ground.told(account).await, unread.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_tells_what_the_message_then_does_and_writes_nothing() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let nothing = standing(&ground, account).await;
    let body = message(&[
        loaded(BOX, AT, &[("TRD", BILL)]),
        loaded("no box", AT, &[("TRD", BILL)]),
    ]);
    for _ in 0..2 {
        let foreseen = rehearsed(&ground, &body).await;
        assert_eq!(
            (foreseen.reports, foreseen.known, foreseen.aside),
            (1, false, false)
        );
        assert_eq!(foreseen.defects.len(), 1);
        assert_eq!(foreseen.defects[0].place, "[1].equipmentReference");
        let [new] = &foreseen.boxes[..] else {
            panic!("{foreseen:?}");
        };
        assert_eq!((new.account, new.number.as_str()), (account, BOX));
        assert!(new.before.is_none() && new.after.contains(BOX));
        let stands = |change: &Change| matches!(change, Change::Stands(_));
        assert!(new.changes.iter().any(stands), "{:?}", new.changes);
        assert_eq!(
            standing(&ground, account).await,
            nothing,
            "nothing was written"
        );
    }

    ground.push(&body).await;
    let first = standing(&ground, account).await;
    assert_ne!(first, nothing);
    assert!(
        rehearsed(&ground, &body).await.known,
        "the same bytes change nothing"
    );

    let later = message(&[loaded(BOX, "2026-04-05T09:00:00Z", &[("TRD", BILL)])]);
    let foreseen = rehearsed(&ground, &later).await;
    let [moved] = &foreseen.boxes[..] else {
        panic!("{foreseen:?}");
    };
    let before = moved.before.as_ref().unwrap();
    assert!(*before != moved.after && !moved.changes.is_empty());
    assert_eq!(standing(&ground, account).await, first);
    assert_eq!(
        &ground.container_document(account).await["attributes"]["number"],
        BOX
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_told_with_its_place() {
    let ground = Ground::new("[]").await;
    let foreseen = rehearsed(&ground, "<html>busy</html>").await;
    assert!(foreseen.aside && foreseen.boxes.is_empty());
    assert_eq!(foreseen.defects[0].place, "line 1 column 1");
}
