//! What fails again and again fails alone: it delays nothing that came with it, and nobody else.

use domain::ids::AccountId;
use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use store::source::Backlog;
use store::testing::PgServer;
use tokio_util::sync::CancellationToken;
use tracking::{LEASE_DEFAULT, replay, work};

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::{Ground, LADEN, ended_by_store, on_postgres};

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

/// What keeps the answer about a number from being taken in: its request cannot be written, nothing of it can be filed, or
/// its watch cannot be settled as one that was answered.
const UNSETTLED: [&str; 3] = [
    "create trigger poison before update on tracking_requests
     when new.number = 'NWLU0000425' begin select raise(abort, 'poison'); end",
    "create trigger poison before insert on filed_reports
     when new.watch_id = (select id from watches where number = 'NWLU0000425')
     begin select raise(abort, 'poison'); end",
    "create trigger poison before update on watches
     when new.number = 'NWLU0000425' and new.failures = 0 and new.lease_until is null
     begin select raise(abort, 'poison'); end",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_number_whose_answer_cannot_be_taken_in_takes_no_trial_of_its_source_from_the_others() {
    for poison in UNSETTLED {
        let ground = Ground::new(LADEN).await;
        ground.refuse(429, Some("60")).await;
        let account = ground.account("A").await;
        ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        ground.tamper(poison);
        let other = ground.account("B").await;
        let id = ground.track(other, BILL, NumberKind::BillOfLading).await;
        ground.answer(LADEN).await;
        for _ in 0..3 {
            ground.pass(SignedDuration::from_mins(7));
            work_off(&ground).await;
        }
        let told = ground.request(other, id).await.progress.status;
        assert_eq!(told, RequestStatus::Succeeded, "{poison}");
        let asked = ground.asked().await;
        for _ in 0..60 {
            ground.pass(SignedDuration::from_mins(1));
            work_off(&ground).await;
        }
        let asked = ground.asked().await - asked;
        assert!(asked <= 9, "asked less and less often: {asked} in an hour");
        ground.tamper("drop trigger poison");
        ground.pass(SignedDuration::from_hours(12));
        ground.drain().await;
        assert_eq!(ground.told(account).await.len(), 1, "{poison}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_cannot_be_told_keeps_no_other_from_hearing_what_its_line_answers() {
    let ground = Ground::new("[]").await;
    let mut accounts = Vec::new();
    for name in ["A", "B", "C"] {
        let account = ground.account(name).await;
        let id = ground.track(account, BILL, NumberKind::BillOfLading).await;
        accounts.push((account, id));
    }
    ground.drain().await;
    for name in ["A", "B"] {
        ground.tamper(&format!(
            "create trigger poison_{name} before insert on containers
             when new.account_id = (select id from accounts where name = '{name}')
             begin select raise(abort, 'poison'); end"
        ));
    }
    ground.answer(LADEN).await;
    ground.pass(SignedDuration::from_hours(30));
    work_off(&ground).await;
    let told = async |account: usize| ground.told(accounts[account].0).await.len();
    assert_eq!([told(0).await, told(1).await, told(2).await], [0, 0, 1]);
    let (first, id) = accounts[0];
    assert!(ground.request(first, id).await.progress.status.waits());
    let asked = ground.asked().await;
    assert_eq!(asked, 1);
    ground.tamper("drop trigger poison_A");
    ground.pass(SignedDuration::from_mins(10));
    work_off(&ground).await;
    assert_eq!(
        [told(0).await, told(1).await, told(2).await],
        [1, 0, 1],
        "what was answered is read again"
    );
    ground.tamper("drop trigger poison_B");
    ground.pass(SignedDuration::from_hours(30));
    ground.drain().await;
    assert_eq!([told(0).await, told(1).await, told(2).await], [1, 1, 1]);
    assert_eq!(ground.asked().await, asked + 1, "as often as ever");
}

/// Two accounts, each with a bill of its own.
async fn two_accounts(ground: &Ground) -> (AccountId, AccountId) {
    let (first, last) = (ground.account("A").await, ground.account("B").await);
    ground
        .track(first, "NWLX1000", NumberKind::BillOfLading)
        .await;
    ground.track(last, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    (first, last)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_piece_of_a_message_that_cannot_be_told_keeps_none_behind_it() {
    // A part that names the bills of two pieces, and a message of several parts.
    for (moves, bills) in [(140, 140), (600, 1)] {
        let ground = Ground::new("[]").await;
        let (first, last) = two_accounts(&ground).await;
        ground.tamper(
            "create trigger poison before insert on containers
             when new.account_id = (select id from accounts where name = 'A')
             begin select raise(abort, 'poison'); end",
        );
        let begun: Timestamp = AT.parse().unwrap();
        let mut told: Vec<Value> = (0..moves)
            .map(|number| {
                let at = begun + SignedDuration::from_secs(number);
                let bill = format!("NWLX{:04}", 1_000 + number % bills);
                loaded(OTHER_BOX, &at.to_string(), &[("TRD", &bill)])
            })
            .collect();
        told.push(loaded(BOX, AT, &[("TRD", BILL)]));
        ground.push_for(None, &message(&told)).await;
        work_off(&ground).await;
        assert_eq!(ground.told(first).await.len(), 0);
        assert_eq!(ground.told(last).await.len(), 1, "{moves} moves");
        assert_eq!(backlog(&ground).await.unread, 1, "it is tried again");
        ground.tamper("drop trigger poison");
        ground.pass(SignedDuration::from_hours(1));
        ground.drain().await;
        assert_eq!(ground.told(first).await.len(), 1);
        assert_eq!(backlog(&ground).await.unread, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_passes_over_what_it_cannot_settle_or_show_and_goes_to_its_end() {
    let of_account = "create trigger poison before update on containers
        when new.account_id = (select id from accounts where name = 'A')
        begin select raise(abort, 'poison'); end";
    let of_bill = "create trigger poison before update on filed_reports
        when old.read_by < 0 and new.watch_id = (select id from watches where number = '0042' and source = '/')
        begin select raise(abort, 'poison'); end";
    for poison in [of_account, of_bill] {
        let ground = Ground::new("[]").await;
        let (first, other) = (ground.account("A").await, ground.account("B").await);
        for account in [first, other] {
            ground.track(account, BILL, NumberKind::BillOfLading).await;
        }
        let good = loaded(BOX, AT, &[("TRD", BILL)]);
        ground.push(&message(&[good])).await;
        let better = ground.read_by("[quirks]\nz_is_local = true\n");
        ground.tamper(poison);
        let before = ground.container_document(other).await;
        ground.pass(SignedDuration::from_mins(1));
        let stop = CancellationToken::new();
        let ended = replay::replay(&better, false, &stop, |_| {}).await.unwrap();
        assert!(ended.ended_at.is_some());
        assert_eq!((ended.passed, ended.unshown), (0, 1), "{poison}");
        let after = ground.container_document(other).await;
        assert_ne!(after, before, "the others are shown: {poison}");
    }
}

/// On PostgreSQL a statement is ended that takes too long, and one that others are in the way of.
#[test]
fn an_account_for_which_the_store_takes_too_long_keeps_no_other_from_being_told() {
    for code in ["57014", "40001"] {
        on_postgres(async |ground, server| taken_in_without(ground, server, code).await);
    }
}

async fn taken_in_without(ground: &Ground, server: &PgServer, code: &str) {
    let (first, last) = two_accounts(ground).await;
    let of_first = format!("new.account_id = '{}'", first.0);
    let let_go = || server.administer(&["drop trigger ended on containers"]);
    // Two that are claimed together.
    ended_by_store(server, code, "containers", &of_first);
    for (number, bill) in [("TCLU4255604", "NWLX1000"), (BOX, BILL)] {
        let one = message(&[loaded(number, AT, &[("TRD", bill)])]);
        ground.push_for(None, &one).await;
    }
    work_off(ground).await;
    assert_eq!(backlog(ground).await.unread, 1, "{code}: only the first");
    let told = async |account| ground.told(account).await.len();
    assert_eq!((told(first).await, told(last).await), (0, 1), "{code}");
    tokio::task::block_in_place(let_go).unwrap();
    ground.pass(SignedDuration::from_hours(1));
    ground.drain().await;
    assert_eq!(told(first).await, 1);
    // One that names the bills of two pieces.
    ended_by_store(server, code, "containers", &of_first);
    let begun: Timestamp = AT.parse().unwrap();
    let mut moves: Vec<Value> = (0..140)
        .map(|number| {
            let at = begun + SignedDuration::from_secs(number);
            let bill = format!("NWLX{:04}", 1_000 + number);
            loaded(OTHER_BOX, &at.to_string(), &[("TRD", &bill)])
        })
        .collect();
    moves.push(loaded("NWLU0000446", AT, &[("TRD", BILL)]));
    ground.push_for(None, &message(&moves)).await;
    work_off(ground).await;
    assert_eq!(told(last).await, 2, "{code}: at once");
    let mut tried = 1;
    while backlog(ground).await.unread > 0 {
        assert!(tried <= 20, "{code}: it stays for ever");
        ground.pass(SignedDuration::from_hours(1));
        work_off(ground).await;
        tried += 1;
    }
    assert_eq!(tried, 21, "{code}: the store may have time again");
    assert_eq!(backlog(ground).await.quarantined, 1);
}
