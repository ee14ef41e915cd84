//! What only a server can do to us.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use domain::codes::Scac;
use domain::ids::AccountId;
use domain::webhook::Verdict;
use store::raw_message::{Compared, Receipt, Sent};
use store::shipment::{self, ShipmentFilter};
use store::{
    Database, Error, Key, OpenError, Scratch, Settings, Slice, Store, Tx, account, delivery,
    notification, raw_message, replay, report, tracking_request, watch, webhook,
};

use crate::bench::{Bench, account_row, at, begin, id, leasing, notification_row, prove};
use crate::deliveries::{LEASE, claim, claim_due, insert, outcome, settle};
use crate::dockets::{codes, reread, said};
use crate::messages::message;
use crate::watches::due_at;

/// Ends every session of the database but the administrator's own, and waits until they are gone.
const KILL: &str = "select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()";

/// Fails where one was met.
pub const NO_DEADLOCKS: &str = "do $$ begin
    perform pg_stat_clear_snapshot();
    if (select deadlocks from pg_stat_database where datname = current_database()) > 0
    then raise exception 'there were deadlocks'; end if; end $$";

fn kill(bench: &Bench) {
    bench.server.as_ref().unwrap().administer(&[KILL]).unwrap();
}

#[test]
fn a_killed_connection_is_made_again() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let first = bench.account().await;
        for _ in 0..3 {
            kill(bench);
            assert!(
                bench
                    .read(move |tx| account::find(tx, first))
                    .await
                    .is_some()
            );
            bench.account().await;
        }
    });
}

#[test]
fn who_is_refused_a_connection_leaves_reads_to_who_has_one() {
    let bench = Bench::postgres();
    let url = bench.server.as_ref().unwrap().url();
    let mut door = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    prove(&bench, async |bench: &Bench| {
        // One of the reading threads is connected; the others find no room any more.
        listed(bench).await.unwrap();
    });
    let closed = "update pg_database set datallowconn = false where datname = current_database()";
    door.batch_execute(closed).unwrap();
    prove(&bench, async |bench: &Bench| {
        for _ in 0..40 {
            assert_eq!(listed(bench).await, Ok(()));
        }
    });
    door.batch_execute(KILL).unwrap();
    prove(&bench, async |bench: &Bench| {
        for _ in 0..10 {
            let refused = listed(bench).await;
            assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
        }
    });
}

async fn listed(bench: &Bench) -> Result<(), Error> {
    bench.store.read(account::list).await.map(drop)
}

#[test]
fn a_connection_killed_before_commit_loses_nothing() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let row = account_row();
        let runs = Arc::new(AtomicU32::new(0));
        let (counted, id) = (Arc::clone(&runs), row.id);
        let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let store = bench.store.clone();
        let answer = begin(async move {
            store
                .write(Key::account(id), move |tx| {
                    account::insert(tx, &row)?;
                    if counted.fetch_add(1, Ordering::Relaxed) == 0 {
                        let _ = begun.send(());
                        // Until the other end is dropped.
                        let _ = may_go.recv();
                    }
                    account::find(tx, row.id).map(|found| found.is_some())
                })
                .await
        });
        has_begun.recv().unwrap();
        kill(bench);
        drop(let_go);
        assert_eq!(answer.await.unwrap(), Ok::<bool, Error>(true));
        assert_eq!(runs.load(Ordering::Relaxed), 2);
        assert!(bench.read(move |tx| account::find(tx, id)).await.is_some());
    });
}

/// A second attempt is answered 410, and that is settled while somebody writes the webhook anew. What came of it, and the
/// webhook. Neither is in the other's way.
async fn gone_while_it_is_written_anew(
    bench: &Bench,
    change: impl Fn(&mut webhook::Webhook) + Send + 'static,
) -> (delivery::Settled, webhook::Webhook) {
    let account = bench.account().await;
    let hook = bench.webhook(account).await;
    insert(bench, account, hook, id(), 1).await;
    let claimed = claim(bench, at(0), at(30), 10).await;
    settle(bench, vec![outcome(&claimed[0], Verdict::RetryAt(at(1)))]).await;
    let claimed = claim(bench, at(1), at(30), 10).await;
    let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
    let (store, claimed_url) = (bench.store.clone(), claimed[0].url.clone());
    let patching = begin(async move {
        store
            .write(Key::sightings(), move |tx| {
                let mut a = tx.account(account);
                let mut row = webhook::lock(&mut a, hook)?.unwrap();
                let _ = begun.send(());
                // Until the other end is dropped.
                let _ = may_go.recv();
                change(&mut row);
                if row.url != claimed_url {
                    delivery::lead_elsewhere(&mut a, hook, at(9), LEASE)?;
                }
                webhook::update(&mut a, &row)
            })
            .await
    });
    has_begun.recv().unwrap();
    let gone = [outcome(&claimed[0], Verdict::Gone)];
    let other = Store::open(&bench.settings).unwrap();
    let settling = begin(async move {
        let settle = move |tx: &mut Tx| delivery::settle(tx, &gone);
        other.write(Key::dockets(), settle).await
    });
    bench.server.as_ref().unwrap().until_waiting(1).unwrap();
    drop(let_go);
    assert_eq!(patching.await.unwrap(), Ok::<bool, Error>(true));
    let settled: Result<_, Error> = settling.await.unwrap();
    let server = bench.server.as_ref().unwrap();
    server.administer(&[NO_DEADLOCKS]).unwrap();
    let row = bench.read(move |tx| webhook::find(&mut tx.account(account), hook));
    (settled.unwrap(), row.await.unwrap())
}

#[test]
fn who_writes_a_webhook_anew_does_not_switch_on_what_is_switched_off_meanwhile() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let with_headers = |row: &mut webhook::Webhook| row.headers = vec![7];
        let (settled, row) = gone_while_it_is_written_anew(bench, with_headers).await;
        assert_eq!(settled.disabled.len(), 1);
        assert_eq!((row.headers, row.active), (vec![7], false));
    });
}

#[test]
fn who_leads_a_webhook_elsewhere_is_not_switched_off_for_what_the_old_address_answers_meanwhile() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let elsewhere = |row: &mut webhook::Webhook| row.url = "https://new.example/".into();
        let (settled, row) = gone_while_it_is_written_anew(bench, elsewhere).await;
        assert_eq!(settled.disabled, []);
        assert_eq!(
            (row.url.as_str(), row.active),
            ("https://new.example/", true)
        );
        let again = claim(bench, at(100), at(130), 10).await;
        let urls: Vec<&str> = again.iter().map(|one| one.url.as_str()).collect();
        assert_eq!(urls, ["https://new.example/"], "it goes there");
        let schedule = (again[0].attempt, again[0].attempts_before);
        assert_eq!(schedule, (1, 2), "anew");
        assert_eq!(bench.rows_of("webhook_health where failures > 0"), 0);
    });
}

/// Who claims does not see that somebody hurries, who in turn has not come to what is claimed.
#[test]
fn what_is_claimed_beside_a_hurry_is_tried_again_at_once_when_it_goes_wrong() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let account = bench.account().await;
        let count = delivery::RESTARTED_AT_ONCE_MAX + 20;
        let hook = bench.webhook(account).await;
        let rows: Vec<_> = (0..count)
            .map(|_| notification_row(hook, id(), 1))
            .collect();
        bench
            .write(move |tx| notification::insert(&mut tx.account(account), &rows))
            .await;
        let tried = claim(bench, at(1), at(31), 2_000).await;
        let waits = |one| outcome(one, Verdict::RetryAt(at(15)));
        settle(bench, tried.iter().map(waits).collect()).await;
        let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let store = bench.store.clone();
        let hurrying = begin(async move {
            store
                .write(Key::sightings(), move |tx| {
                    let mut a = tx.account(account);
                    webhook::lock(&mut a, hook)?;
                    let hurried = delivery::hurry(&mut a, hook, at(20), LEASE)?;
                    let _ = begun.send(());
                    // Until the other end is dropped.
                    let _ = may_go.recv();
                    Ok::<_, Error>(hurried)
                })
                .await
        });
        has_begun.recv().unwrap();
        let other = Store::open(&bench.settings).unwrap();
        let claiming = move |tx: &mut Tx| {
            let room = delivery::Room::anywhere(2_000);
            claim_due(tx, at(21), at(51), id(), room)
        };
        let claimed: Result<_, Error> = other.write(Key::dockets(), claiming).await;
        let claimed = claimed.unwrap();
        drop(let_go);
        let hurried: Result<_, Error> = hurrying.await.unwrap();
        assert!(hurried.unwrap().more);
        assert_eq!(claimed.len(), 20);
        assert!(claimed.iter().all(|one| one.attempt == 2));
        bench
            .write(move |tx| delivery::go_on(&mut tx.account(account), hook, at(22)))
            .await;
        let failed = claimed.iter().map(|one| {
            let mut outcome = outcome(one, Verdict::Failed);
            outcome.attempt.started_at = at(21);
            outcome
        });
        settle(bench, failed.collect()).await;
        let again = claim(bench, at(23), at(53), 2_000).await;
        assert_eq!(again.len(), count);
        assert!(again.iter().all(|one| one.attempt == 1));
    });
}

/// An old one was sent again, and stands behind a younger one in its line.
#[test]
fn who_sends_one_again_and_who_sends_its_line_again_do_not_wait_in_a_circle() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let account = bench.account().await;
        let (hook, line) = (bench.webhook(account).await, id());
        let mut rows = [1, 2].map(|sequence| notification_row(hook, line, sequence));
        rows.sort_unstable_by_key(|(row, _)| std::cmp::Reverse(row.id));
        let [(head, _), (old, _)] = rows.clone();
        for (place, (_, order)) in (1..).zip(&mut rows) {
            order.sequence = place;
        }
        let [of_head, of_old] = rows.clone().map(|(row, order)| (row.id, hook, order));
        bench
            .write(move |tx| notification::insert(&mut tx.account(account), &rows))
            .await;
        let claimed = claim(bench, at(1), at(31), 10).await;
        assert_eq!(claimed[0].notification.id, head.id);
        settle(bench, vec![outcome(&claimed[0], Verdict::RetryAt(at(90)))]).await;
        assert!(old.id < head.id);
        let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let store = bench.store.clone();
        let of_both = (of_old, of_head);
        let sending_both = begin(async move {
            store
                .write(Key::sightings(), move |tx| {
                    let (of_old, of_head) = &of_both;
                    let mut a = tx.account(account);
                    delivery::again(&mut a, std::slice::from_ref(of_old), at(10))?;
                    let _ = begun.send(());
                    // Until the other end is dropped.
                    let _ = may_go.recv();
                    delivery::again(&mut a, std::slice::from_ref(of_head), at(10))
                })
                .await
        });
        has_begun.recv().unwrap();
        let other = Store::open(&bench.settings).unwrap();
        let sending_one = begin(async move {
            let again =
                move |tx: &mut Tx| delivery::again_now(&mut tx.account(account), &of_old, at(10));
            other.write(Key::dockets(), again).await
        });
        let server = bench.server.as_ref().unwrap();
        server.until_waiting(1).unwrap();
        drop(let_go);
        assert_eq!(sending_both.await.unwrap(), Ok::<(), Error>(()));
        assert_eq!(sending_one.await.unwrap(), Ok::<(), Error>(()));
        server.administer(&[NO_DEADLOCKS]).unwrap();
    });
}

/// What was placed in a line just before what came beside it makes a line with two heads. Each is ended by somebody who still
/// sees the other one.
#[test]
fn what_waits_behind_two_heads_that_end_at_once_is_not_forgotten() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let account = bench.account().await;
        let (hook, line) = (bench.webhook(account).await, id());
        let mut heads = Vec::new();
        for sequences in [vec![2], vec![1, 3]] {
            let rows = sequences.iter();
            let rows: Vec<_> = rows.map(|n| notification_row(hook, line, *n)).collect();
            bench
                .write(move |tx| notification::insert(&mut tx.account(account), &rows))
                .await;
            heads.extend(claim(bench, at(1), at(1_000), 10).await);
        }
        let ended: Vec<_> = heads
            .iter()
            .map(|one| outcome(one, Verdict::Succeeded))
            .collect();
        assert_eq!(ended.len(), 2);
        let [one, other] = [0, 1].map(|n| [ended[n].clone()]);
        let ((begun, has_begun), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let store = bench.store.clone();
        let ending = begin(async move {
            let end = move |tx: &mut Tx| {
                let settled = delivery::settle(tx, &one)?;
                let _ = begun.send(());
                // Until the other one has ended, or long enough that it waits for this one.
                let _ = may_go.recv_timeout(Duration::from_millis(300));
                Ok(settled.counted)
            };
            store.write(Key::webhook(hook), end).await
        });
        has_begun.recv().unwrap();
        let store = Store::open(&bench.settings).unwrap();
        let end = move |tx: &mut Tx| Ok(delivery::settle(tx, &other)?.counted);
        let beside: Result<usize, Error> = store.write(Key::webhook(hook), end).await;
        drop(let_go);
        let ended: Result<usize, Error> = ending.await.unwrap();
        assert_eq!((ended, beside), (Ok(1), Ok(1)));
        assert_eq!(claim(bench, at(20), at(30), 10).await.len(), 1);
    });
}

#[test]
fn what_is_seen_again_while_a_replay_settles_its_watch_stays() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        // The replay, which began before, no longer finds LOAD.
        let (raw, docket, replay) = reread(bench).await;
        let other = Store::open(&bench.settings).unwrap();
        let ((filed, is_filed), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let (store, of) = (bench.store.clone(), raw.id);
        let filing = begin(async move {
            store
                .write(Key::dockets(), move |tx| {
                    report::insert(tx, docket, of, &[(id(), said("LOAD"))], at(20))?;
                    let _ = filed.send(());
                    // Until the other end is dropped.
                    let _ = may_go.recv();
                    Ok::<_, Error>(())
                })
                .await
        });
        is_filed.recv().unwrap();
        let settling = begin(async move {
            let settle = move |tx: &mut Tx| {
                replay::settle(tx, &replay, std::slice::from_ref(&raw.source), docket)
            };
            other.write(Key::dockets(), settle).await
        });
        // For the watch, before it looks at what was seen; else for the report that it is about to take out.
        bench.server.as_ref().unwrap().until_waiting(1).unwrap();
        drop(let_go);
        assert_eq!(filing.await.unwrap(), Ok(()));
        assert_eq!(settling.await.unwrap(), Ok::<_, Error>((0, 1)));
        assert_eq!(codes(bench, docket).await, ["LOAD", "DISC", "GTOT"]);
    });
}

#[test]
fn a_commit_without_answer_is_unknown_and_never_repeated() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        // The session dies while it commits.
        let trap = [
            "create function die() returns trigger language plpgsql as
             $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$",
            "create constraint trigger die after insert on accounts
             deferrable initially deferred for each row execute function die()",
        ];
        bench.server.as_ref().unwrap().administer(&trap).unwrap();
        let runs = Arc::new(AtomicU32::new(0));
        let (counted, row) = (Arc::clone(&runs), account_row());
        let answer = bench
            .store
            .write(Key::account(row.id), move |tx| {
                counted.fetch_add(1, Ordering::Relaxed);
                account::insert(tx, &row)
            })
            .await;
        assert_eq!(answer, Err(Error::UnknownOutcome));
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn two_nodes_on_few_rows_do_not_deadlock() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let mut accounts = Vec::new();
        for _ in 0..40 {
            accounts.push(bench.account().await);
        }
        let nodes = [bench.store.clone(), Store::open(&bench.settings).unwrap()];
        let mut waiting = Vec::new();
        for round in 0..3_000usize {
            // Both nodes want every row, each in another order.
            let account = accounts[(round / 2 * (7 + round % 2 * 4) + round % 2 * 3) % 40];
            let node = nodes[round % 2].clone();
            waiting.push(begin(touch(node, Key::account(account), vec![account])));
            if round % 50 == 0 {
                // Several keys: alone, rows in the order of the keys.
                let mut both = vec![accounts[round % 40], accounts[(round + 13) % 40]];
                both.sort_unstable();
                let key = Key::several(both.iter().map(|id| Key::account(*id)).collect());
                waiting.push(begin(touch(nodes[(round + 1) % 2].clone(), key, both)));
            }
            // Stay below the bound of the queue.
            if waiting.len() >= 400 {
                for answer in waiting.drain(..) {
                    assert_eq!(answer.await.unwrap(), Ok(()));
                }
            }
        }
        for answer in waiting {
            assert_eq!(answer.await.unwrap(), Ok(()));
        }
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        bench
            .server
            .as_ref()
            .unwrap()
            .administer(&[NO_DEADLOCKS])
            .unwrap();
    });
}

async fn touch(node: Store, key: Key, accounts: Vec<AccountId>) -> Result<(), Error> {
    node.write(key, move |tx| {
        for id in &accounts {
            let mut row = account::find(tx, *id)?.ok_or(Error::Refused("gone".into()))?;
            row.features = vec![("touched".into(), true)];
            account::update(tx, &row)?;
        }
        Ok(())
    })
    .await
}

#[test]
fn a_server_that_may_lose_commits_is_refused() {
    let bench = Bench::postgres();
    let server = bench.server.as_ref().unwrap();
    let loosen = format!(
        "alter database {} set synchronous_commit = off",
        server.name()
    );
    server.administer(&[&loosen]).unwrap();
    let refused = Store::open(&bench.settings).map(|_| ());
    let expected = matches!(
        refused,
        Err(OpenError::NotDurable {
            setting: "synchronous_commit",
            ..
        })
    );
    assert!(expected, "{refused:?}");
}

#[test]
fn nodes_that_start_together_migrate_once() {
    let server = store::testing::PgServer::start().unwrap();
    let settings = Settings::new(Database::Postgres { url: server.url() });
    std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| Store::open(&settings)))
            .collect();
        for start in starts {
            start.join().unwrap().unwrap();
        }
    });
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let url = "postgres://nobody@127.0.0.1:1/nothing".to_owned();
    let refused = Store::open(&Settings::new(Database::Postgres { url })).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::Unreachable(_))),
        "{refused:?}"
    );
}

/// Fails where more rows of a table were read than `most`. A session tells what it read when it ends.
fn prove_read_at_most(bench: &Bench, table: &str, most: u32) {
    kill(bench);
    let more = format!(
        "do $$ declare rows bigint; begin
             select seq_tup_read + idx_tup_fetch into rows from pg_stat_user_tables where relname = '{table}';
             if rows > {most} then raise exception '% rows of {table} were read', rows; end if; end $$"
    );
    bench.server.as_ref().unwrap().administer(&[&more]).unwrap();
}

#[test]
fn a_claim_reads_what_it_takes_and_not_all_that_is_watched() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        // Of a source that has no room, and with nothing known yet of the table's size.
        let many = "insert into watches (id, source, kind, number, created_at, next_poll_at, failures, claim_token)
            select gen_random_uuid(), source, 'container', n, now(), at, 0, 0
            from generate_series(1, 10000) n, (values ('FULL', timestamptz 'epoch'), ('MSCU', '2100-01-01')) as waits (source, at)";
        let server = bench.server.as_ref().unwrap();
        server.administer(&[many]).unwrap();
        let owner = id();
        let full = || vec!["FULL".to_owned()];
        for second in 1..=20 {
            due_at(bench, second).await;
            let next = bench.read(move |tx| watch::next_due(tx, &full())).await;
            assert_eq!(next, Some(at(second)));
            let claimed = if second % 2 == 0 {
                bench
                    .write(move |tx| watch::claim_due(tx, at(second), at(60), owner, 4, &full()))
                    .await
            } else {
                let claiming = bench.write(move |tx| {
                    let leasing = leasing("MSCU", (second, 60), owner);
                    watch::claim_of_source(tx, &leasing, at(second), 4)
                });
                claiming.await
            };
            assert_eq!(claimed.len(), 1);
        }
        prove_read_at_most(bench, "watches", 3_000);
    });
}

#[test]
fn a_table_that_grew_is_known_to_have_grown_without_waiting_for_autovacuum() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let server = bench.server.as_ref().unwrap();
        server.administer(&[BY_ITSELF, MANY_VESSELS]).unwrap();
        wait_until_known(bench, "vessels", 2_000);
    });
}

/// What is tried again every few seconds would keep autovacuum from it, and the disk busy.
#[test]
fn a_table_that_cannot_be_analyzed_is_left_to_autovacuum() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let server = bench.server.as_ref().unwrap();
        let refuses =
            "create function refuses(n text) returns text immutable language plpgsql as $$
            begin
                if current_query() ilike 'analyze%' then
                    perform nextval('tries');
                    raise 'not this one';
                end if;
                return n;
            end $$";
        let begin = [
            BY_ITSELF,
            "create sequence tries",
            refuses,
            "create index refused on vessels (refuses(name))",
            MANY_VESSELS,
        ];
        server.administer(&begin).unwrap();
        wait_until(bench, "(select is_called from tries)");
        // Two looks later it was left alone.
        for more in [2_000, 20_000] {
            let many = format!(
                "insert into watches (id, source, kind, number, created_at, failures, claim_token)
                 select gen_random_uuid(), 'MSCU', 'container', '{more}-' || n, now(), 0, 0
                 from generate_series(1, {more}) n"
            );
            server.administer(&[&many]).unwrap();
            wait_until_known(bench, "watches", more);
        }
        let once = "do $$ begin assert (select last_value = 1 from tries), 'tried again'; end $$";
        server.administer(&[once]).unwrap();
    });
}

const BY_ITSELF: &str = "alter table vessels set (autovacuum_enabled = off)";
const MANY_VESSELS: &str = "insert into vessels (id, name, document)
    select gen_random_uuid(), 'S' || n, '{}' from generate_series(1, 2000) n";

/// Waits until the planner knows that the table has so many rows.
fn wait_until_known(bench: &Bench, table: &str, rows: u32) {
    let known = format!("(select reltuples >= {rows} from pg_class where relname = '{table}')");
    wait_until(bench, &known);
}

fn wait_until(bench: &Bench, holds: &str) {
    let server = bench.server.as_ref().unwrap();
    let asked =
        format!("do $$ begin if not {holds} then raise exception 'not yet'; end if; end $$");
    let until = Instant::now() + Duration::from_mins(2);
    while let Err(not_yet) = server.administer(&[&asked]) {
        assert!(Instant::now() < until, "{holds}: {not_yet}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_shipment_is_found_by_its_number_and_not_along_all() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let account = bench.account().await;
        let many = format!(
            "insert into shipments (account_id, id, number, normalized_number, scac, kind, ref_numbers, tags, created_at,
                 updated_at, version, custom_field_ids, state, document)
             select '{}', gen_random_uuid(), 'B-' || n, 'B' || n, 'MSCU', 'bill_of_lading', '[]', '[]', now(),
                 now(), 1, '[]', '{{}}', ''
             from generate_series(1, 5000) n",
            account.0
        );
        let server = bench.server.as_ref().unwrap();
        server.administer(&[&many, "analyze shipments"]).unwrap();
        for _ in 0..10 {
            let total = bench.read(move |tx| {
                let filter = ShipmentFilter {
                    number: Some(("B-7".into(), "B7".into())),
                    ..ShipmentFilter::default()
                };
                let slice = Slice {
                    offset: 0,
                    limit: 1,
                };
                shipment::page(&mut tx.account(account), &filter, slice).map(|page| page.total)
            });
            assert_eq!(total.await, 1);
        }
        prove_read_at_most(bench, "shipments", 200);
    });
}

#[test]
fn a_sheet_that_says_the_same_again_is_not_compared_with_all_that_said_it() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        // By turns, so that each is news, and each in a file of its own.
        let files = |from: i64, count: i64| {
            let sheet = |n: i64| Sent {
                message: message("", if n % 2 == 0 { b"held" } else { b"gone" }),
                compared: Compared::WithLast {
                    written_at: Some(at(from + n)),
                },
            };
            (0..count).map(sheet).collect::<Vec<Sent>>()
        };
        let receive = async |sent: Vec<Sent>| {
            let receive = move |tx: &mut Tx| raw_message::receive_all(tx, &sent, None);
            bench.write(receive).await
        };
        let news = vec![Receipt::Fresh; 2_000];
        assert_eq!(receive(files(0, 2_000)).await, news);
        kill(bench);
        let server = bench.server.as_ref().unwrap();
        server.administer(&["select pg_stat_reset()"]).unwrap();
        for again in 0..20 {
            // What comes by itself without a file, a file that is new, and one that was put back.
            let mut sent = files(10_000 + again * 2, 2);
            let pushed = Compared::WithLast { written_at: None };
            sent.extend(files(0, 2).into_iter().map(|sheet| Sent {
                compared: pushed,
                ..sheet
            }));
            assert_eq!(receive(sent).await, news[..4]);
            let back = receive(files(1_000, 1)).await;
            assert!(matches!(back[..], [Receipt::Seen(_)]), "{back:?}");
        }
        prove_read_at_most(bench, "raw_messages", 1_000);
        prove_read_at_most(bench, "snapshot_files", 1_000);
    });
}

#[test]
fn a_request_is_compared_with_those_of_its_number_and_not_with_all_of_its_line() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let account = bench.account().await;
        let many = format!(
            "insert into tracking_requests (account_id, id, number, scac, auto_detect, kind, status, is_retrying,
                 retry_count, ref_numbers, tags, created_at, updated_at, version, custom_field_ids, document)
             select '{}', gen_random_uuid(), n, 'MSCU', false, 'container', 'pending', false,
                 0, '[]', '[]', now(), now(), 1, '[]', '{{}}'
             from generate_series(1, 5000) n",
            account.0
        );
        let server = bench.server.as_ref().unwrap();
        server.administer(&[&many]).unwrap();
        let line = Scac::parse("MSCU").ok();
        let open = async |number: &'static str| {
            let docket = Some(id());
            let found = bench
                .read(move |tx| {
                    tracking_request::find_open(&mut tx.account(account), number, docket, line)
                })
                .await;
            found.map(|request| request.number)
        };
        for _ in 0..10 {
            assert_eq!(open("nowhere").await, None);
            assert_eq!(open("7").await.as_deref(), Some("7"));
        }
        prove_read_at_most(bench, "tracking_requests", 100);
    });
}

#[test]
fn a_scratch_schema_sees_nothing_else_and_leaves_nothing_behind() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let server = bench.server.as_ref().unwrap();
        let outside = bench.account().await;
        let name = format!("scratch_{}", std::process::id());
        let scratch = Scratch::create(&server.url(), &name).unwrap();
        let url = scratch.url().to_owned();
        let inside = Store::open(&Settings::new(Database::Postgres { url })).unwrap();
        let row = account_row();
        let (key, added) = (Key::account(row.id), row.clone());
        let written: Result<(), Error> = inside
            .write(key, move |tx| account::insert(tx, &added))
            .await;
        written.unwrap();
        let listed: Result<Vec<_>, Error> = inside.read(account::list).await;
        assert_eq!(listed.unwrap(), [row]);
        let stood = bench.read(account::list).await;
        assert_eq!(
            stood.iter().map(|row| row.id).collect::<Vec<_>>(),
            [outside]
        );
        drop(inside);
        drop(scratch);
        let gone = format!(
            "do $$ begin if to_regnamespace('{name}') is not null
             then raise exception 'the schema is still there'; end if; end $$"
        );
        server.administer(&[&gone]).unwrap();
    });
}
