//! What fails again and again fails alone: it delays nothing that came with it, and nobody else.

use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use store::source::Backlog;
use tokio_util::sync::CancellationToken;
use tracking::{LEASE_DEFAULT, replay, work};

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;

const OTHER_BOX: &str = "CSQU3054383";
const AT: &str = "2026-04-05T05:00:00Z";
/// No store can count this code.
const POISON: &str = "create trigger poison before insert on unmapped_codes
    when new.code like '%POISON%' begin select raise(abort, 'poison'); end";

/// A push of one code that is in no table.
fn poisoned() -> String {
    let mut event = loaded(OTHER_BOX, AT, &[("TRD", "NWLX6666")]);
    event["equipmentEventTypeCode"] = "POISON".into();
    message(&[event])
}

async fn backlog(ground: &Ground) -> Backlog {
    let (store, now) = (ground.tracking().store(), ground.tracking().now());
    let all = store.read(move |tx| store::source::backlogs(tx, now));
    let all: Result<_, store::Error> = all.await;
    all.unwrap().remove("hub").unwrap_or_default()
}

/// Does what is due, of which something may fail.
async fn work_off(ground: &Ground) {
    let _ = work::drain(ground.tracking()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_push_that_cannot_be_read_delays_none_that_came_with_it() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    ground.tamper(POISON);
    ground.push_for(None, &poisoned()).await;
    let good = loaded(BOX, AT, &[("TRD", BILL)]);
    ground.push_for(None, &message(&[good])).await;
    work_off(&ground).await;
    assert_eq!(ground.told(account).await.len(), 1, "at once");
    let left = backlog(&ground).await;
    assert_eq!((left.unread, left.quarantined), (1, 0));
    for tried in 2..=5 {
        ground.pass(LEASE_DEFAULT * 2 + SignedDuration::from_hours(1));
        work_off(&ground).await;
        let left = backlog(&ground).await;
        assert_eq!(
            (left.unread, left.quarantined),
            (1, 0),
            "tried {tried} times"
        );
    }
    ground.pass(SignedDuration::from_hours(1));
    work_off(&ground).await;
    let left = backlog(&ground).await;
    assert_eq!((left.unread, left.quarantined), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_cannot_be_told_keeps_no_other_from_being_told() {
    let ground = Ground::new("[]").await;
    let mut accounts = Vec::new();
    for name in ["A", "B", "C"] {
        let account = ground.account(name).await;
        ground.track(account, BILL, NumberKind::BillOfLading).await;
        accounts.push(account);
    }
    ground.drain().await;
    for name in ["A", "B"] {
        ground.tamper(&format!(
            "create trigger poison_{name} before insert on containers
             when new.account_id = (select id from accounts where name = '{name}')
             begin select raise(abort, 'poison'); end"
        ));
    }
    let good = loaded(BOX, AT, &[("TRD", BILL)]);
    ground.push_for(None, &message(&[good])).await;
    work_off(&ground).await;
    let told = async |account: usize| ground.told(accounts[account]).await.len();
    assert_eq!([told(0).await, told(1).await, told(2).await], [0, 0, 1]);
    ground.tamper("drop trigger poison_A");
    ground.pass(SignedDuration::from_hours(1));
    work_off(&ground).await;
    assert_eq!(
        [told(0).await, told(1).await, told(2).await],
        [1, 0, 1],
        "it is tried again"
    );
    ground.tamper("drop trigger poison_B");
    ground.pass(SignedDuration::from_hours(1));
    ground.drain().await;
    assert_eq!([told(0).await, told(1).await, told(2).await], [1, 1, 1]);
    assert_eq!(backlog(&ground).await.unread, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_passes_over_what_it_cannot_read_and_goes_to_its_end() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    for number in [BOX, OTHER_BOX] {
        ground
            .push(&message(&[loaded(number, AT, &[("TRD", BILL)])]))
            .await;
    }
    let before = ground.told(account).await;
    assert_eq!(before.len(), 2);
    ground.tamper(
        "create trigger poison before update on filed_reports
         when exists (select 1 from reports r join raw_messages m on m.id = r.raw_message_id
                      where r.id = new.report_id and m.quarantined_at is null
                      and m.id = (select min(id) from raw_messages where source = 'hub'))
         begin select raise(abort, 'poison'); end",
    );
    let run = async || {
        ground.pass(SignedDuration::from_mins(1));
        let stop = CancellationToken::new();
        let ended = replay::replay(ground.tracking(), false, &stop, |_| {})
            .await
            .unwrap();
        assert!(ended.ended_at.is_some());
        (ended.passed, ended.gone, ended.found)
    };
    assert_eq!(run().await, (1, 0, 0));
    assert_eq!(backlog(&ground).await.quarantined, 1);
    assert_eq!(
        ground.told(account).await,
        before,
        "what was read of it stays"
    );
    ground.tamper("drop trigger poison");
    assert_eq!(run().await, (0, 0, 0));
    assert_eq!(backlog(&ground).await.quarantined, 0, "it is read again");
}
