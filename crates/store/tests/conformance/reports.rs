//! What is promised of a reading that several watches hold.

use std::time::Duration;

use domain::ids::{IdSource, RawMessageId, ReportId, WatchId};
use store::docket::{self, Number};
use store::replay::{self, Replay};
use store::report::{self, Filing, StoredReport, Written};
use store::{Database, Store, Tx};

use crate::bench::{Bench, any_key, at, begin, id, prove};
use crate::dockets::{hold, numbers, pushed, said};
use crate::messages::{administer, refute};

on_both_engines!(
    what_some_watches_hold_the_others_refer_to,
    a_report_named_twice_in_a_filing_is_stored_once,
    a_batch_of_sets_is_read_together,
    others_are_seen_to_have_filed,
    a_report_goes_with_the_last_watch_that_holds_it,
    what_is_taken_out_of_one_watch_stays_in_the_others,
    what_a_replay_finds_under_two_watches_is_one_report,
    what_a_replay_found_is_told_when_somebody_says_it,
    copies_for_each_watch_become_one_report,
);

/// Links and reports that do not belong together.
const STRAY: &str = "
    select report_id from filed_reports where report_id not in (select id from reports)
    union all
    select id from reports
    where filed <> (select count(*) from filed_reports where report_id = id) or filed = 0";

async fn file(bench: &Bench, filings: &[(ReportId, &str, &[WatchId])]) -> Vec<ReportId> {
    let raw = pushed(bench).await.id;
    let filings: Vec<(ReportId, Written, Vec<WatchId>)> = filings
        .iter()
        .map(|(id, what, watches)| (*id, Written::of(&said(what)), watches.to_vec()))
        .collect();
    let write = move |tx: &mut Tx| {
        let filings = filings.iter().map(|(id, written, watches)| Filing {
            id: *id,
            raw,
            written,
            watches,
        });
        report::file(tx, &filings.collect::<Vec<_>>(), at(2))
    };
    bench.write(write).await
}

async fn told(bench: &Bench, watches: &[WatchId]) -> Vec<(ReportId, WatchId)> {
    let watches = watches.to_vec();
    let told = bench.read(move |tx| report::of_watches(tx, &watches)).await;
    let brief = |row: &StoredReport| (row.id, row.watch);
    told.iter().map(brief).collect()
}

async fn what_some_watches_hold_the_others_refer_to(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let (bill, booking) = (dockets[0], dockets[1]);
    let (first, other, later, last) = (id(), id(), id(), id());
    assert_eq!(file(bench, &[(first, "LOAD", &[bill])]).await, [first]);
    assert_eq!(file(bench, &[(other, "DISC", &[booking])]).await, [other]);
    // New to one of the two, so it is told as new, by the id that was drawn for it; what is stored is the earlier one.
    assert_eq!(
        file(bench, &[(later, "LOAD", &[bill, booking])]).await,
        [later]
    );
    assert_eq!(file(bench, &[(last, "LOAD", &[booking, bill])]).await, []);
    assert_eq!(bench.rows_of("reports"), 2);
    assert_eq!(bench.rows_of("filed_reports"), 3);
    refute(bench, STRAY);
    assert_eq!(told(bench, &[bill]).await, [(first, bill)]);
    let of_booking = [(first, booking), (other, booking)];
    assert_eq!(told(bench, &[booking]).await, of_booking);
    let of_both = [(first, bill), (other, booking)];
    assert_eq!(told(bench, &[bill, booking]).await, of_both);
    // Under two watches that knew nothing of each other it is two reports; a third watch refers to the first.
    let third = hold(bench, None, &numbers()).await[0];
    let (one, two, three) = (id(), id(), id());
    file(bench, &[(one, "GTOT", &[booking])]).await;
    file(bench, &[(two, "GTOT", &[bill])]).await;
    file(bench, &[(three, "GTOT", &[third, bill, booking])]).await;
    refute(bench, STRAY);
    assert_eq!(told(bench, &[third]).await, [(one, third)]);
    let of_bill = [(first, bill), (two, bill)];
    assert_eq!(told(bench, &[bill]).await, of_bill);
    let of_both = [(first, bill), (other, booking), (one, bill)];
    assert_eq!(told(bench, &[bill, booking]).await, of_both);
}

async fn what_is_taken_out_of_one_watch_stays_in_the_others(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let (bill, booking) = (dockets[0], dockets[1]);
    let (first, other) = (id(), id());
    file(bench, &[(first, "LOAD", &[bill, booking])]).await;
    file(bench, &[(other, "DISC", &[bill])]).await;
    let take_out = |watch| {
        let reports = [said("LOAD"), said("GTOT")];
        bench.write(move |tx| {
            store::watch::lock(tx, watch)?;
            report::take_out(tx, watch, &reports)
        })
    };
    assert_eq!(take_out(bill).await, 1);
    assert_eq!(take_out(bill).await, 0, "it is out");
    assert_eq!(told(bench, &[bill]).await, [(other, bill)]);
    assert_eq!(told(bench, &[booking]).await, [(first, booking)]);
    refute(bench, STRAY);
    assert_eq!(take_out(booking).await, 1);
    assert_eq!(bench.rows_of("reports"), 1, "nobody holds it any more");
    refute(bench, STRAY);
}

async fn a_report_named_twice_in_a_filing_is_stored_once(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let (bill, booking) = (dockets[0], dockets[1]);
    let (first, second) = (id(), id());
    let filings: [(ReportId, &str, &[WatchId]); 2] = [
        (first, "LOAD", &[bill, bill]),
        (second, "LOAD", &[bill, booking, bill, booking]),
    ];
    assert_eq!(file(bench, &filings).await, [first, second]);
    assert_eq!(bench.rows_of("reports"), 1);
    assert_eq!(told(bench, &[booking, bill]).await, [(first, booking)]);
    refute(bench, STRAY);
}

/// More watches than one statement takes, and sets that share some of them.
async fn a_batch_of_sets_is_read_together(bench: &Bench) {
    let mut watches = Vec::new();
    for _ in 0..150 {
        watches.extend(hold(bench, None, &numbers()).await);
    }
    let own: Vec<ReportId> = watches.iter().map(|_| id()).collect();
    let shared: ReportId = id();
    let each: Vec<[WatchId; 1]> = watches.iter().map(|watch| [*watch]).collect();
    let mut filings: Vec<(ReportId, &str, &[WatchId])> = Vec::new();
    filings.extend(
        own.iter()
            .zip(&each)
            .map(|(id, watch)| (*id, "LOAD", &watch[..])),
    );
    filings.push((shared, "DISC", &watches));
    assert_eq!(file(bench, &filings).await.len(), 301);
    assert_eq!(bench.rows_of("reports"), 301);
    refute(bench, STRAY);
    let sets: Vec<Vec<WatchId>> = (0..300).map(|n| vec![watches[n], watches[299]]).collect();
    let read = bench
        .read(move |tx| {
            let sets: Vec<&[WatchId]> = sets.iter().map(Vec::as_slice).collect();
            let read = report::of_each(tx, &sets)?;
            for (set, (_, standing)) in sets.iter().zip(&read) {
                assert_eq!(&report::standing(tx, set)?, standing);
            }
            Ok(read)
        })
        .await;
    for (n, (reports, _)) in read.into_iter().enumerate() {
        let found: Vec<_> = reports.iter().map(|row| (row.id, row.watch)).collect();
        // One content: the reading of the last watch is that of this one.
        let expected = [(own[n], watches[n]), (shared, watches[n])];
        assert_eq!(found, expected);
    }
}

async fn others_are_seen_to_have_filed(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let standing = || {
        let dockets = dockets.clone();
        bench.read(move |tx| Ok((report::standing(tx, &dockets)?, report::any(tx, &dockets)?)))
    };
    let (empty, any) = standing().await;
    assert!(!any);
    file(bench, &[(id(), "LOAD", &dockets[..1])]).await;
    let (one, any) = standing().await;
    assert!(any && one != empty);
    file(bench, &[(id(), "LOAD", &dockets[..1])]).await;
    assert_eq!(standing().await.0, one, "it was only seen again");
    file(bench, &[(id(), "LOAD", &dockets)]).await;
    assert_ne!(standing().await.0, one, "another watch holds it too");
    // What a replay found is not there until its watch is settled.
    let other = hold(bench, None, &numbers()).await;
    mark(bench, "DISC", &other).await;
    let found = other.clone();
    assert!(!bench.read(move |tx| report::any(tx, &found)).await);
    assert_eq!(told(bench, &other).await, []);
}

/// A replay that reads this and nothing else under these watches.
async fn mark(bench: &Bench, what: &str, watches: &[WatchId]) -> (Replay, Vec<String>) {
    let message = pushed(bench).await;
    let (raw, report, watches) = (message.id, said(what), watches.to_vec());
    let replay = bench
        .write(move |tx| {
            let replay = replay::begin(tx, at(10), 0)?;
            let filing = Filing {
                id: id(),
                raw,
                written: &Written::of(&report),
                watches: &watches,
            };
            report::mark(tx, &[filing], replay.number, at(10))?;
            Ok(replay)
        })
        .await;
    (replay, vec![message.source])
}

async fn settle(bench: &Bench, replay: &Replay, readable: &[String], watch: WatchId) -> (u64, u64) {
    let (replay, readable) = (replay.clone(), readable.to_vec());
    bench
        .write(move |tx| replay::settle(tx, &replay, &readable, watch))
        .await
}

async fn a_report_goes_with_the_last_watch_that_holds_it(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let message = pushed(bench).await;
    let (raw, watches) = (message.id, dockets.clone());
    bench
        .write(move |tx| {
            let report = said("LOAD");
            let filing = Filing {
                id: id(),
                raw,
                written: &Written::of(&report),
                watches: &watches,
            };
            report::file(tx, &[filing], at(2))
        })
        .await;
    let (replay, _) = mark(bench, "DISC", &dockets).await;
    assert_eq!(bench.rows_of("reports"), 2);
    let readable = [message.source];
    assert_eq!(settle(bench, &replay, &readable, dockets[0]).await, (1, 1));
    assert_eq!(bench.rows_of("reports"), 2, "another watch holds it");
    refute(bench, STRAY);
    assert_eq!(settle(bench, &replay, &readable, dockets[1]).await, (1, 1));
    assert_eq!(bench.rows_of("reports"), 1);
    assert_eq!(bench.rows_of("filed_reports"), 2);
    refute(bench, STRAY);
}

async fn what_a_replay_finds_under_two_watches_is_one_report(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let (bill, booking) = (dockets[0], dockets[1]);
    let first = id();
    file(bench, &[(first, "LOAD", &[bill])]).await;
    let (replay, readable) = mark(bench, "LOAD", &dockets).await;
    assert_eq!(bench.rows_of("reports"), 1);
    assert_eq!(told(bench, &[booking, bill]).await, [(first, bill)]);
    assert_eq!(settle(bench, &replay, &readable, bill).await, (0, 0));
    assert_eq!(settle(bench, &replay, &readable, booking).await, (0, 1));
    assert_eq!(told(bench, &[booking, bill]).await, [(first, booking)]);
    // One that is given up leaves nothing of itself behind.
    let (_, _) = mark(bench, "DISC", &dockets).await;
    assert_eq!(bench.rows_of("reports"), 2);
    let (replay, readable) = mark(bench, "LOAD", &dockets).await;
    assert_eq!(settle(bench, &replay, &readable, bill).await, (1, 0));
    assert_eq!(settle(bench, &replay, &readable, booking).await, (1, 0));
    assert_eq!(bench.rows_of("reports"), 1);
    refute(bench, STRAY);
}

/// The replay may end without having settled the watch.
async fn what_a_replay_found_is_told_when_somebody_says_it(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    mark(bench, "DISC", &dockets).await;
    assert_eq!(told(bench, &dockets).await, []);
    let again = id();
    let filings = [(id(), "LOAD", &dockets[..]), (again, "DISC", &dockets[..1])];
    assert_eq!(file(bench, &filings).await, [filings[0].0, again]);
    assert_eq!(told(bench, &dockets[..1]).await.len(), 2);
    assert_eq!(
        told(bench, &dockets[1..]).await.len(),
        1,
        "said of the other"
    );
    assert_eq!(file(bench, &filings).await, [], "once");
    refute(bench, STRAY);
}

/// The tables as they were: a row with all that is said for each watch, counted in the row of the watch.
const COPIES: [&str; 2] = [
    "alter table reports rename to once;
     create table reports (watch_id blob not null references watches (id), position integer not null, id blob not null,
         raw_message_id blob not null references raw_messages (id), key blob not null, content blob not null,
         created_at text not null, last_seen_at text not null, body blob not null,
         read_by integer not null default 0, primary key (watch_id, position)) strict;
     alter table watches add column report_count integer not null default 0;",
    "alter table reports rename to once;
     alter table once rename constraint reports_pkey to once_pkey;
     create table reports (watch_id uuid not null, position bigint not null, id uuid not null,
         raw_message_id uuid not null, key bytea not null, content bytea not null,
         created_at timestamptz not null, last_seen_at timestamptz not null, body bytea not null,
         read_by bigint not null default 0, primary key (watch_id, position));
     alter table watches add column report_count bigint not null default 0;",
];

/// When a reading was last seen, as it is written down; later than anything else here.
const LATE: &str = "2027-02-01T00:00:00.000000Z";

/// Writes down what is there as it was, with what one watch holds seen again late.
fn as_it_was(bench: &Bench, late: WatchId) {
    let rows = format!(
        "create unique index reports_readings on reports (watch_id, key, content);
         insert into reports (watch_id, position, id, raw_message_id, key, content, created_at, last_seen_at, body, read_by)
         select f.watch_id, row_number() over (partition by f.watch_id order by f.report_id), f.report_id,
             r.raw_message_id, f.content, f.content, r.created_at,
             case when f.watch_id = {} then '{LATE}' else r.last_seen_at end, r.body, f.read_by
         from filed_reports f join once r on r.id = f.report_id;
         update watches set report_count = (select count(*) from reports where watch_id = watches.id);
         drop table filed_reports;
         drop table once;",
        bench.literal(late.0)
    );
    let [sqlite, postgres] = COPIES.map(|tables| format!("{tables} {rows}"));
    administer(bench, &sqlite, &postgres);
}

async fn copies_for_each_watch_become_one_report(bench: &Bench) {
    let dockets = hold(bench, None, &numbers()).await;
    let (bill, booking) = (dockets[0], dockets[1]);
    let (both, one, other, apart) = (id(), id(), id(), id());
    file(bench, &[(both, "LOAD", &[bill, booking])]).await;
    file(bench, &[(one, "DISC", &[booking])]).await;
    file(bench, &[(other, "DISC", &[bill])]).await;
    file(bench, &[(apart, "GTOT", &[bill])]).await;
    let (_, readable) = mark(bench, "GTIN", &dockets).await;
    let sets = [vec![bill], vec![booking], vec![booking, bill]];
    let read = || {
        let sets = sets.clone();
        bench.read(move |tx| {
            let sets: Vec<&[WatchId]> = sets.iter().map(Vec::as_slice).collect();
            let messages = report::messages_of(tx, sets[2])?;
            Ok((report::of_each(tx, &sets)?, messages))
        })
    };
    let before = read().await;
    assert_eq!(
        (bench.rows_of("reports"), bench.rows_of("filed_reports")),
        (5, 7)
    );
    as_it_was(bench, booking);
    assert_eq!(bench.rows_of("reports"), 7);
    // A second row of one content, which an earlier way to tell claims apart may have left: the first is told.
    let key = match bench.server {
        Some(_) => "'other'::bytea",
        None => "x'00'",
    };
    let (later, apart): (ReportId, _) = (id(), bench.literal(apart.0));
    bench.tamper(&format!(
        "insert into reports (watch_id, position, id, raw_message_id, key, content, created_at, last_seen_at, body, read_by)
         select watch_id, position + 100, {}, raw_message_id, {key}, content, created_at, last_seen_at, body, read_by
         from reports where id = {apart}",
        bench.literal(later.0),
    ));
    // What they say is packed since (V23); then it was a text.
    let [sqlite, postgres] = [
        include_str!("../../migrations/sqlite/V22__reports_once.sql")
            .replace("body text", "body blob"),
        include_str!("../../migrations/postgres/V22__reports_once.sql")
            .replace("body text", "body bytea"),
    ];
    administer(bench, &sqlite, &postgres);
    assert_eq!(
        (bench.rows_of("reports"), bench.rows_of("filed_reports")),
        (5, 7)
    );
    refute(bench, STRAY);
    let both = bench.literal(both.0);
    let earlier = format!("select id from reports where id = {both} and last_seen_at <> '{LATE}'");
    refute(bench, &earlier);
    assert_eq!(read().await, before);
    assert_eq!(
        file(bench, &[(id(), "LOAD", &dockets), (id(), "GTOT", &[bill])]).await,
        []
    );
    // What a replay found and did not settle is taken out by the next one.
    let replay = bench.write(|tx| replay::begin(tx, at(20), 0)).await;
    assert_eq!(settle(bench, &replay, &readable, bill).await, (1, 0));
    assert_eq!(settle(bench, &replay, &readable, booking).await, (1, 0));
    assert_eq!(
        (bench.rows_of("reports"), bench.rows_of("filed_reports")),
        (4, 5)
    );
    assert_eq!(read().await, before);
    refute(bench, STRAY);
}

/// Links are read, then a replay settles their watch, then their reports are to be read.
#[test]
fn what_is_settled_while_it_is_read_is_seen_as_it_is_afterwards() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let docket = hold(bench, None, &numbers()).await[0];
        file(bench, &[(id(), "LOAD", &[docket])]).await;
        mark(bench, "DISC", &[docket]).await;
        let Database::Postgres { url } = bench.settings.database.clone() else {
            unreachable!("it is a server")
        };
        let (locked, is_locked) = std::sync::mpsc::channel();
        let settling = std::thread::spawn(move || {
            let mut door = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
            door.batch_execute("begin; lock table reports in access exclusive mode")
                .unwrap();
            locked.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(400));
            door.batch_execute(
                "delete from reports where id in (select report_id from filed_reports where read_by = 0);
                 delete from filed_reports where read_by = 0;
                 update filed_reports set read_by = -read_by; commit",
            )
            .unwrap();
        });
        is_locked.recv().unwrap();
        let told = bench
            .write(move |tx| report::of_watches(tx, &[docket]))
            .await;
        settling.join().unwrap();
        let told: Vec<_> = told.into_iter().map(|row| row.report.original).collect();
        assert_eq!(told, ["DISC"]);
    });
}

/// Two nodes file the same readings, some under both numbers and some under one of them, while the numbers are settled
/// and read.
#[test]
fn two_nodes_that_file_and_settle_at_once_leave_nothing_astray() {
    prove(&Bench::postgres(), async |bench: &Bench| {
        let message = pushed(bench).await;
        let (raw, readable) = (message.id, vec![message.source]);
        let nodes = [bench.store.clone(), Store::open(&bench.settings).unwrap()];
        let replay = bench.write(|tx| replay::begin(tx, at(10), 0)).await;
        for _ in 0..20 {
            let numbers = numbers();
            let dockets = hold(bench, None, &numbers).await;
            let mut waiting = Vec::new();
            for n in 0..32_usize {
                let (node, docket) = (nodes[n / 8 % 2].clone(), dockets[n / 4 % 2]);
                if n % 4 == 1 {
                    // In a transaction that writes, where each statement sees what was committed before it.
                    let dockets = dockets.clone();
                    let write = move |tx: &mut Tx| {
                        (0..5).try_for_each(|_| report::of_watches(tx, &dockets).map(|_| ()))
                    };
                    waiting.push(begin(async move { node.write(any_key(), write).await }));
                } else if n % 4 == 3 {
                    let (replay, readable) = (replay.clone(), readable.clone());
                    let write = move |tx: &mut Tx| {
                        replay::settle(tx, &replay, &readable, docket).map(|_| ())
                    };
                    waiting.push(begin(async move { node.write(any_key(), write).await }));
                } else {
                    let numbers = numbers.clone();
                    let write = move |tx: &mut Tx| file_six(tx, &numbers, raw, n);
                    waiting.push(begin(async move { node.write(any_key(), write).await }));
                }
            }
            for answer in waiting {
                assert_eq!(answer.await.unwrap(), Ok(()));
            }
            refute(bench, STRAY);
            bench.write(move |tx| file_six(tx, &numbers, raw, 0)).await;
            let found = bench.read(move |tx| report::of_watches(tx, &dockets)).await;
            assert_eq!(found.len(), 6);
        }
    });
}

fn file_six(
    tx: &mut Tx,
    numbers: &[Number],
    raw: RawMessageId,
    turn: usize,
) -> Result<(), store::Error> {
    let dockets = docket::hold(tx, None, numbers, &mut IdSource::new([0; 16], at(0)), at(0))?;
    let told = (0..6).map(|n| Written::of(&said(&format!("code {n}"))));
    let told: Vec<Written> = told.collect();
    let filings = told.iter().zip(turn..).map(|(written, place)| Filing {
        id: id(),
        raw,
        written,
        watches: match place % 3 {
            0 => &dockets,
            1 => &dockets[..1],
            _ => &dockets[1..],
        },
    });
    let filings: Vec<_> = filings.collect();
    report::file(tx, &filings, at(2)).map(|_| ())
}
