//! Everything that was kept, read again on a store that takes too long for some of it, or lets others go first.
//!
//! On PostgreSQL, which ends a statement that takes too long (57014) and one that others are in the way of (40001).

use domain::ids::AccountId;
use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::SignedDuration;
use serde_json::Value;
use store::replay::Replay;
use store::source::Backlog;
use store::testing::PgServer;
use tokio_util::sync::CancellationToken;
use tracking::{replay, work};

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::{Ground, on_postgres};

const AT: &str = "2026-04-05T05:00:00Z";
/// How often the store itself tries what others are in the way of.
const TRIES_OF_STORE: u32 = 5;

/// An account with a bill of which one message told.
async fn tracked(ground: &Ground) -> AccountId {
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground
        .push(&message(&[loaded(BOX, AT, &[("TRD", BILL)])]))
        .await;
    account
}

fn administer(server: &PgServer, statements: &[&str]) {
    tokio::task::block_in_place(|| server.administer(statements)).unwrap();
}

/// From now on the store ends so many statements, with this code, that write such a row.
fn ends(server: &PgServer, code: &str, times: u32, what: &str, table: &str, row: &str) {
    administer(
        server,
        &[
            &format!("create sequence {what}"),
            // A sequence counts also what is rolled back.
            &format!(
                "create function {what}() returns trigger language plpgsql as $$ begin
                     if {row} and nextval('{what}') <= {times} then
                         raise exception 'ended' using errcode = '{code}';
                     end if;
                     return new;
                 end $$"
            ),
            &format!(
                "create trigger {what} before insert or update on {table}
                 for each row execute function {what}()"
            ),
        ],
    );
}

async fn replayed(tracking: &tracking::Tracking, totals: &mut Vec<u64>) -> Replay {
    let stop = CancellationToken::new();
    let told = |step: &Replay| totals.push(step.total);
    let ended = replay::replay(tracking, false, &stop, told).await.unwrap();
    assert!(ended.ended_at.is_some());
    ended
}

async fn quarantined(ground: &Ground) -> u64 {
    let (store, now) = (ground.tracking().store(), ground.tracking().now());
    let all = store.read(move |tx| store::source::backlogs(tx, now));
    let all: Result<_, store::Error> = all.await;
    let hub: Backlog = all.unwrap().remove("hub").unwrap_or_default();
    hub.quarantined
}

/// What two accounts hear of a bill, and another one waits for; then each part of a replay is ended so many times: reading a
/// message, settling the bill, showing it to one account, and answering the request of the one that waits.
struct World {
    told: AccountId,
    waits: (AccountId, domain::ids::TrackingRequestId),
    before: Value,
}

async fn world(ground: &Ground, server: &PgServer, code: &str, times: u32) -> World {
    let (first, told) = (ground.account("A").await, ground.account("B").await);
    for account in [first, told] {
        ground.track(account, BILL, NumberKind::BillOfLading).await;
    }
    let third = ground.account("C").await;
    let kind = NumberKind::BillOfLading;
    let request = ground.track(third, "NWLX1000", kind).await;
    for (number, bill) in [("TCLU4255604", "NWLX7777"), (BOX, BILL)] {
        ground
            .push(&message(&[loaded(number, AT, &[("TRD", bill)])]))
            .await;
    }
    administer(
        server,
        &[
            "create function unheard() returns trigger language plpgsql as
               $$ begin raise exception 'unheard'; end $$",
            "create trigger unheard before update on tracking_requests for each row
               when (new.number = 'NWLX1000') execute function unheard()",
        ],
    );
    let unheard = loaded("CSQU3054383", AT, &[("TRD", "NWLX1000")]);
    ground.push_for(None, &message(&[unheard])).await;
    let _ = work::drain(ground.tracking()).await;
    administer(server, &["drop trigger unheard on tracking_requests"]);
    let watch = |number| {
        format!(
            "new.watch_id = (select id from watches where number = '{number}' and source = '/')"
        )
    };
    // Under this bill nothing but the first message is filed.
    let (message, bill) = (watch("7777"), watch("0042"));
    let bill = format!("tg_op = 'UPDATE' and old.read_by < 0 and {bill}");
    let account = format!("new.account_id = '{}'", first.0);
    let waiting = format!("new.account_id = '{}'", third.0);
    ends(server, code, times, "message", "filed_reports", &message);
    ends(server, code, times, "bill", "filed_reports", &bill);
    ends(server, code, times, "account", "containers", &account);
    ends(
        server,
        code,
        times,
        "request",
        "tracking_requests",
        &waiting,
    );
    ground.pass(SignedDuration::from_mins(1));
    World {
        told,
        waits: (third, request),
        before: ground.container_document(told).await,
    }
}

#[test]
fn a_replay_passes_over_what_the_store_always_takes_too_long_for() {
    for code in ["57014", "40001"] {
        on_postgres(async |ground, server| {
            let world = world(ground, server, code, 1_000_000).await;
            let better = ground.read_by("[quirks]\nz_is_local = true\n");
            let ended = replayed(&better, &mut Vec::new()).await;
            assert_eq!((ended.passed, ended.unshown), (1, 3), "{code}");
            assert_eq!(quarantined(ground).await, 1, "{code}");
            let after = ground.container_document(world.told).await;
            assert_ne!(after, world.before, "{code}: the others are shown");
        });
    }
}

#[test]
fn a_replay_tries_again_what_others_were_in_the_way_of() {
    for (code, times) in [("57014", 3), ("40001", 2 * TRIES_OF_STORE)] {
        on_postgres(async |ground, server| {
            let world = world(ground, server, code, times).await;
            let better = ground.read_by("[quirks]\nz_is_local = true\n");
            let ended = replayed(&better, &mut Vec::new()).await;
            assert_eq!((ended.passed, ended.unshown), (0, 0), "{code}");
            assert_eq!(quarantined(ground).await, 0, "{code}");
            let (account, request) = world.waits;
            let told = ground.request(account, request).await.progress.status;
            assert_eq!(told, RequestStatus::Succeeded, "{code}");
        });
    }
}

#[test]
fn a_replay_of_more_than_the_store_can_count_has_no_length() {
    on_postgres(async |ground, server| {
        let account = tracked(ground).await;
        administer(
            server,
            &[
                "create function counted() returns boolean language plpgsql as $$ begin
                   if current_query() like 'select count(*) as records%' then
                       raise exception 'ended' using errcode = '57014';
                   end if;
                   return true;
               end $$",
            ],
        );
        for table in ["raw_messages", "watches", "shipments"] {
            administer(
                server,
                &[
                    &format!("alter table {table} rename to all_{table}"),
                    &format!("create view {table} as select * from all_{table} where counted()"),
                ],
            );
        }
        ground.pass(SignedDuration::from_mins(1));
        let before = ground.container_document(account).await;
        let better = ground.read_by("[quirks]\nz_is_local = true\n");
        let mut totals = Vec::new();
        let ended = replayed(&better, &mut totals).await;
        assert_eq!((ended.passed, ended.unshown), (0, 0));
        assert!(totals.iter().all(|total| *total == 0), "{totals:?}");
        assert_ne!(ground.container_document(account).await, before);
    });
}

#[test]
fn a_replay_that_is_stopped_passes_over_nothing_that_it_would_have_tried_again() {
    on_postgres(async |ground, server| {
        tracked(ground).await;
        administer(
            server,
            &[
                "create sequence begun",
                "create sequence stopped",
                "create function ended() returns trigger language plpgsql as $$ begin
                     perform nextval('begun');
                     while not (select is_called from stopped) loop perform pg_sleep(0.005); end loop;
                     raise exception 'ended' using errcode = '57014';
                 end $$",
                "create trigger ended before insert or update on filed_reports
                 for each row execute function ended()",
            ],
        );
        ground.pass(SignedDuration::from_mins(1));
        let stop = CancellationToken::new();
        let until_begun = "do $$ begin
            while not (select is_called from begun) loop perform pg_sleep(0.005); end loop; end $$";
        let runtime = tokio::runtime::Handle::current();
        let told = tokio::task::block_in_place(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    server.administer(&[until_begun]).unwrap();
                    stop.cancel();
                    server.administer(&["select nextval('stopped')"]).unwrap();
                });
                runtime.block_on(replay::replay(ground.tracking(), false, &stop, |_| {}))
            })
        });
        let told = told.unwrap();
        assert_eq!((told.ended_at, told.cursor, told.passed), (None, None, 0));
        assert_eq!(quarantined(ground).await, 0);
        administer(server, &["drop trigger ended on filed_reports"]);
        let ended = replayed(ground.tracking(), &mut Vec::new()).await;
        assert_eq!((ended.passed, ended.gone, ended.found), (0, 0, 0));
    });
}
