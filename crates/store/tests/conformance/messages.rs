//! What raw messages and their reports promise.

use domain::ids::{RawMessageId, WatchId};
use domain::report::Report;
use std::fmt::Write as _;
use store::raw_message::{self, Compared, Defect, Fate, RawMessage, Receipt, Sent};
use store::{Database, report, watch};

use crate::bench::{Bench, at, id, watch_row};
use crate::generated::any_report;

on_both_engines!(
    the_same_answer_again_is_no_news_but_after_another_one_it_is,
    a_pushed_message_is_news_once,
    how_things_stand_is_news_after_something_else_was_said,
    what_one_account_uploads_is_its_own,
    bytes_come_back_as_they_came,
    long_bodies_stand_beside_their_rows,
    bodies_that_stood_in_their_rows_are_cut_once,
    messages_wait_until_they_are_parsed_or_put_aside,
    a_message_that_was_put_aside_and_can_be_read_now_is_taken_back,
    what_an_older_release_left_unread_waits_still,
    a_reading_is_stored_once,
    a_reading_given_twice_at_once_is_stored_once,
    reports_come_in_the_order_of_their_filing,
    many_reports_at_once,
    reports_need_their_watch,
);

pub(crate) fn message(question: &str, body: &[u8]) -> RawMessage {
    let mut digest = [0; 32];
    digest
        .iter_mut()
        .zip(body)
        .for_each(|(to, from)| *to = *from);
    RawMessage {
        id: id(),
        source: "MSCU".into(),
        watch: None,
        account: None,
        question: question.into(),
        content_type: "application/json".into(),
        received_at: at(i64::try_from(crate::bench::number()).unwrap()),
        body: body.into(),
        digest,
    }
}

async fn receive(bench: &Bench, message: RawMessage) -> Receipt {
    bench
        .write(move |tx| raw_message::receive(tx, &message))
        .await
}

async fn the_same_answer_again_is_no_news_but_after_another_one_it_is(bench: &Bench) {
    let first = message("q", b"held");
    let first_id = first.id;
    assert_eq!(receive(bench, first).await, Receipt::Fresh);
    assert_eq!(
        receive(bench, message("q", b"held")).await,
        Receipt::Seen(first_id)
    );
    assert_eq!(
        receive(bench, message("other q", b"held")).await,
        Receipt::Fresh
    );
    assert_eq!(
        receive(bench, message("q", b"cleared")).await,
        Receipt::Fresh
    );
    let again = message("q", b"held");
    let again_id = again.id;
    assert_eq!(receive(bench, again).await, Receipt::Fresh);
    assert_eq!(
        receive(bench, message("q", b"held")).await,
        Receipt::Seen(again_id)
    );
}

async fn a_pushed_message_is_news_once(bench: &Bench) {
    let first = message("", b"held");
    let first_id = first.id;
    assert_eq!(receive(bench, first).await, Receipt::Fresh);
    assert_eq!(
        receive(bench, message("", b"cleared")).await,
        Receipt::Fresh
    );
    assert_eq!(
        receive(bench, message("", b"held")).await,
        Receipt::Seen(first_id)
    );
    let mut elsewhere = message("", b"held");
    elsewhere.source = "OTHER".into();
    assert_eq!(receive(bench, elsewhere).await, Receipt::Fresh);
    assert_eq!(
        receive(bench, message("q", b"held")).await,
        Receipt::Fresh,
        "not pushed"
    );
}

async fn how_things_stand_is_news_after_something_else_was_said(bench: &Bench) {
    let account = bench.account().await;
    let sheet = |body: &[u8], account, written_at| Sent {
        message: RawMessage {
            account,
            ..message("", body)
        },
        compared: Compared::WithLast { written_at },
    };
    let receive = async |sent: Vec<Sent>| {
        bench
            .write(move |tx| raw_message::receive_all(tx, &sent, None))
            .await
    };
    let (first, second) = (sheet(b"held", None, None), sheet(b"cleared", None, None));
    let again = sheet(b"held", None, None);
    let ids = [&first, &second, &again].map(|sent| sent.message.id);
    assert_eq!(receive(vec![first]).await, [Receipt::Fresh]);
    let repeated = receive(vec![sheet(b"held", None, None)]).await;
    assert_eq!(repeated, [Receipt::Seen(ids[0])]);
    let together = vec![second, sheet(b"cleared", None, None), again.clone()];
    let expected = [Receipt::Fresh, Receipt::Seen(ids[1]), Receipt::Fresh];
    assert_eq!(receive(together).await, expected);
    let repeated = receive(vec![sheet(b"held", None, None)]).await;
    assert_eq!(repeated, [Receipt::Seen(ids[2])]);
    // What an account brings is compared with its own.
    let own = vec![sheet(b"cleared", Some(account), None)];
    assert_eq!(receive(own).await, [Receipt::Fresh]);
    let repeated = receive(vec![sheet(b"held", None, None)]).await;
    assert_eq!(repeated, [Receipt::Seen(ids[2])]);
    // A file that was there when the same bytes came is that file: who kept it died before he moved it.
    assert_eq!(
        receive(vec![sheet(b"cleared", None, None)]).await,
        [Receipt::Fresh]
    );
    let received_at = again.message.received_at;
    let there = vec![sheet(b"held", None, Some(received_at))];
    assert_eq!(receive(there).await, [Receipt::Seen(ids[2])]);
    let later = received_at + jiff::SignedDuration::from_secs(1);
    let written_since = vec![sheet(b"held", None, Some(later))];
    assert_eq!(receive(written_since).await, [Receipt::Fresh]);
    // Three files waited while nobody read: the third has the bytes of the first, and is another file.
    let earlier = |hours| Some(received_at - jiff::SignedDuration::from_hours(hours));
    let expected = [Receipt::Fresh];
    for (body, written_at) in [
        ("one", earlier(3)),
        ("two", earlier(2)),
        ("one", earlier(1)),
    ] {
        let file = sheet(body.as_bytes(), None, written_at);
        assert_eq!(receive(vec![file]).await, expected, "{body}");
    }
    let put_back = receive(vec![sheet(b"two", None, earlier(2))]).await;
    assert!(
        matches!(put_back.as_slice(), [Receipt::Seen(_)]),
        "{put_back:?}"
    );
}

async fn what_one_account_uploads_is_its_own(bench: &Bench) {
    let (one, other) = (bench.account().await, bench.account().await);
    for account in [None, Some(one), Some(other)] {
        let mut upload = message("", b"file");
        upload.account = account;
        assert_eq!(receive(bench, upload).await, Receipt::Fresh, "{account:?}");
    }
}

async fn bytes_come_back_as_they_came(bench: &Bench) {
    let every: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let sent = message("q", &every);
    let (stored, id) = (sent.clone(), sent.id);
    receive(bench, stored).await;
    let found = bench.read(move |tx| raw_message::find(tx, id)).await;
    assert_eq!(found, Some(sent));
}

/// Bytes of which no two stretches are alike.
fn long(bytes: usize) -> Vec<u8> {
    let words = (0_u64..).flat_map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    words.take(bytes).collect()
}

async fn long_bodies_stand_beside_their_rows(bench: &Bench) {
    let lengths = [16_384, 16_385, 262_144, 262_145, 3_000_001];
    let mut sent: Vec<RawMessage> = Vec::new();
    for (number, bytes) in (0_u8..).zip(lengths) {
        let mut rows = [message("", &[1, 2, 3]), message("", &long(bytes))];
        for row in &mut rows {
            row.digest = [number; 32];
        }
        rows[0].source = "short".into();
        sent.extend(rows.clone());
        let rows = rows.map(Sent::from);
        bench
            .write(move |tx| raw_message::receive_all(tx, &rows, None))
            .await;
    }
    for one in &sent {
        let id = one.id;
        let found = bench.read(move |tx| raw_message::find(tx, id)).await;
        assert!(
            found.as_ref() == Some(one),
            "{} bytes have changed",
            one.body.len()
        );
    }
    let listed = bench.read(|tx| store::replay::messages(tx, None, 100));
    let listed: Vec<u64> = listed.await.into_iter().map(|(_, bytes)| bytes).collect();
    let expected = lengths.iter().flat_map(|bytes| [3, *bytes as u64]);
    assert_eq!(listed, expected.collect::<Vec<_>>());
    // What was claimed is whole, and comes alone however much waits.
    let mut claimed = Vec::new();
    for _ in 0..=lengths.len() {
        let others = raw_message::Others {
            answered_before: at(0),
            busy_sources: &[],
            known_sources: None,
            turns: None,
            before: None,
        };
        let taken = bench.write(move |tx| raw_message::claim(tx, at(0), at(1), others));
        let taken = taken.await.into_iter().map(|claimed| claimed.message.body);
        claimed.push(taken.collect::<Vec<_>>());
    }
    let mut expected = vec![vec![vec![1, 2, 3]; lengths.len()]];
    expected.extend(lengths.map(|bytes| vec![long(bytes)]));
    assert!(claimed == expected, "what was claimed is not what was sent");
    refute(bench, LONG_ROWS);
}

/// Rows that hold more of a body than they should.
const LONG_ROWS: &str = "select id from raw_messages where length(body) > 16384";

async fn bodies_that_stood_in_their_rows_are_cut_once(bench: &Bench) {
    let bodies = [1, 16_384, 16_385, 524_288, 600_000].map(long);
    administer(bench, "drop table long_bodies", "drop table long_bodies");
    let back = "alter table raw_messages drop column body_bytes";
    administer(bench, back, back);
    let ids: Vec<RawMessageId> = bodies.iter().map(|_| id()).collect();
    for (id, body) in ids.iter().zip(&bodies) {
        let (id, body, digest) = (hex(id.0.as_bytes()), hex(body), hex(id.0.as_bytes()));
        let insert = |bytes: &dyn Fn(&str) -> String, id: &str| {
            let at = "2026-03-01T00:00:00.000000Z";
            let (digest, body) = (bytes(&digest.repeat(2)), bytes(&body));
            format!(
                "insert into raw_messages (id, source, question, content_type, received_at, last_seen_at, digest, body)
                 values ({id}, 'old', '', 'text/csv', '{at}', '{at}', {digest}, {body})"
            )
        };
        let sqlite = |text: &str| format!("x'{text}'");
        let postgres = |text: &str| format!("'\\x{text}'::bytea");
        administer(
            bench,
            &insert(&sqlite, &sqlite(&id)),
            &insert(&postgres, &format!("'{id}'")),
        );
    }
    administer(
        bench,
        include_str!("../../migrations/sqlite/V16__long_bodies.sql"),
        include_str!("../../migrations/postgres/V16__long_bodies.sql"),
    );
    refute(bench, LONG_ROWS);
    for (id, body) in ids.into_iter().zip(bodies) {
        let found = bench.read(move |tx| raw_message::find(tx, id)).await;
        assert!(found.unwrap().body == body, "{} bytes", body.len());
    }
    let short =
        "select raw_message_id from long_bodies where length(bytes) not in (16385, 262144, 75712)";
    refute(bench, short);
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// Runs statements beside the store.
pub fn administer(bench: &Bench, sqlite: &str, postgres: &str) {
    match (&bench.settings.database, &bench.server) {
        (_, Some(server)) => server.administer(&[postgres]).unwrap(),
        (Database::Sqlite { path }, None) => {
            let side_door = rusqlite::Connection::open(path).unwrap();
            side_door.execute_batch(sqlite).unwrap();
        }
        (Database::Postgres { .. }, None) => unreachable!("it is a server of ours"),
    }
}

/// Fails where this question finds a row.
pub fn refute(bench: &Bench, question: &str) {
    let wrong = "create temporary table wrong (never integer check (never = 0))";
    let sqlite = format!("{wrong}; insert into wrong select 1 from ({question})");
    let postgres = format!("{wrong}; insert into wrong select 1 from ({question}) as found");
    administer(bench, &sqlite, &postgres);
}

async fn unread(bench: &Bench) -> Vec<RawMessageId> {
    bench.read(|tx| raw_message::unread_ids(tx, 10)).await
}

async fn messages_wait_until_they_are_parsed_or_put_aside(bench: &Bench) {
    let sent = [message("a", b"1"), message("b", b"2"), message("c", b"3")];
    let [a, b, c] = [sent[0].id, sent[1].id, sent[2].id];
    for message in sent {
        receive(bench, message).await;
    }
    assert_eq!(unread(bench).await, [a, b, c]);
    assert_eq!(bench.read(raw_message::unread_count).await, 3);
    let found: Vec<Defect> = (0..300)
        .map(|place| Defect {
            place: format!("/events/{place}"),
            reason: "no code".into(),
        })
        .collect();
    let expected = found.clone();
    let first = bench
        .write(move |tx| {
            let read = raw_message::mark_parsed(tx, a, &found)?;
            let aside = raw_message::quarantine(tx, c, at(5), "it breaks the parser", &found[..1])?;
            Ok((read, aside))
        })
        .await;
    assert_eq!(first, (true, true), "they were unread");
    assert_eq!(unread(bench).await, [b]);
    assert_eq!(
        bench.read(move |tx| raw_message::defects(tx, a)).await,
        expected
    );
    // Parsed again by a better parser.
    let again = bench.write(move |tx| raw_message::mark_parsed(tx, a, &[]));
    assert!(!again.await, "it was read before");
    assert_eq!(bench.read(move |tx| raw_message::defects(tx, a)).await, []);
    assert_eq!(
        bench
            .read(move |tx| raw_message::defects(tx, c))
            .await
            .len(),
        1
    );
    let again = bench.write(move |tx| raw_message::quarantine(tx, c, at(6), "still", &[]));
    assert!(!again.await, "it was aside before");
}

async fn a_message_that_was_put_aside_and_can_be_read_now_is_taken_back(bench: &Bench) {
    let sent = [message("a", b"1"), message("b", b"2"), message("c", b"3")];
    let ids = sent.clone().map(|message| message.id);
    let defect = Defect {
        place: "/".into(),
        reason: "no code".into(),
    };
    bench
        .write(move |tx| {
            for message in &sent {
                raw_message::receive(tx, message)?;
            }
            for id in [ids[0], ids[2]] {
                let found = std::slice::from_ref(&defect);
                raw_message::quarantine(tx, id, at(5), "it breaks the parser", found)?;
            }
            raw_message::mark_sound(tx, &ids[..2])?;
            raw_message::mark_parsed(tx, ids[2], &[])
        })
        .await;
    for id in ids {
        let read =
            bench.read(move |tx| Ok((raw_message::fate(tx, id)?, raw_message::defects(tx, id)?)));
        assert_eq!(read.await, (Some(Fate::Read), vec![]));
    }
    assert_eq!(unread(bench).await, []);
}

async fn what_an_older_release_left_unread_waits_still(bench: &Bench) {
    let back = "drop table unread_messages;
        alter table raw_messages add column parsed_at {};
        alter table raw_messages add column tries bigint not null default 0;
        alter table raw_messages add column lease_until {};
        create index raw_messages_unparsed on raw_messages (id)
            where parsed_at is null and quarantined_at is null;";
    let (text, moment) = (
        back.replace("{}", "text"),
        back.replace("{}", "timestamptz"),
    );
    let mut sent = [
        message("", b"1"),
        message("", b"2"),
        message("q", b"3"),
        message("", b"4"),
        message("", &long(20_000)),
        message("", b"6"),
    ];
    sent[5].account = Some(bench.account().await);
    let [waits, failed, read, aside, long, own] = sent.clone().map(|message| message.id);
    for message in sent {
        receive(bench, message).await;
    }
    administer(bench, &text.replace("bigint", "integer"), &moment);
    let set = |id: RawMessageId, what: &str| {
        let of = |id: String| format!("update raw_messages set {what} where id = {id}");
        administer(
            bench,
            &of(format!("x'{}'", hex(id.0.as_bytes()))),
            &of(format!("'{}'", id.0)),
        );
    };
    set(
        failed,
        "tries = 3, lease_until = '2026-03-01T00:00:00.000000Z'",
    );
    set(read, "parsed_at = '2026-03-01T00:00:00.000000Z'");
    set(aside, "quarantined_at = '2026-03-01T00:00:00.000000Z'");
    administer(
        bench,
        include_str!("../../migrations/sqlite/V21__unread_messages.sql"),
        include_str!("../../migrations/postgres/V21__unread_messages.sql"),
    );
    let overruns = "alter table unread_messages add column overruns bigint not null default 0";
    administer(bench, &overruns.replace("bigint", "integer"), overruns);
    assert_eq!(unread(bench).await, [waits, failed, long, own]);
    let fate =
        bench.read(move |tx| Ok([raw_message::fate(tx, read)?, raw_message::fate(tx, waits)?]));
    assert_eq!(fate.await, [Some(Fate::Read), None]);
    let late = "2026-03-01T00:00:01Z".parse().unwrap();
    let mut claimed = Vec::new();
    for _ in 0..5 {
        let others = raw_message::Others {
            answered_before: late,
            busy_sources: &[],
            known_sources: None,
            turns: None,
            before: None,
        };
        let until = "2026-03-01T00:01:00Z".parse().unwrap();
        let taken = bench.write(move |tx| raw_message::claim(tx, late, until, others));
        let taken = taken.await.into_iter();
        claimed.push(
            taken
                .map(|one| (one.message.id, one.tries))
                .collect::<Vec<_>>(),
        );
    }
    let each_alone = [(waits, 1), (failed, 4), (long, 1), (own, 1)].map(|one| vec![one]);
    assert_eq!(claimed[..4], each_alone);
    assert_eq!(claimed[4], []);
}

/// A stored watch and a stored message of it.
pub async fn source_of_reports(bench: &Bench) -> (WatchId, RawMessageId) {
    let watch = bench
        .write(|tx| watch::find_or_insert(tx, &watch_row()))
        .await
        .id;
    let mut raw = message(&format!("question {}", crate::bench::number()), b"reports");
    raw.watch = Some(watch);
    let id = raw.id;
    receive(bench, raw).await;
    (watch, id)
}

async fn insert(bench: &Bench, (watch, raw): (WatchId, RawMessageId), said: Vec<Report>) -> usize {
    let reports: Vec<_> = said.into_iter().map(|report| (id(), report)).collect();
    bench
        .write(move |tx| report::insert(tx, watch, raw, &reports, at(7)))
        .await
}

fn said(what: &str) -> Report {
    Report {
        original: what.into(),
        ..any_report()
    }
}

async fn a_reading_is_stored_once(bench: &Bench) {
    let source = source_of_reports(bench).await;
    let (load, discharge) = (said("LOAD"), said("DISC"));
    assert_eq!(insert(bench, source, vec![load.clone()]).await, 1);
    assert_eq!(
        insert(bench, source, vec![load.clone(), discharge.clone()]).await,
        1
    );
    assert_eq!(
        insert(bench, source, vec![discharge.clone(), load.clone()]).await,
        0
    );
    let mut corrected = load.clone();
    corrected.reported_at = Some(at(99));
    assert_eq!(insert(bench, source, vec![corrected.clone()]).await, 1);
    let stored = bench
        .read(move |tx| report::of_watches(tx, &[source.0]))
        .await;
    let stored: Vec<Report> = stored.into_iter().map(|stored| stored.report).collect();
    assert_eq!(stored, [load, discharge, corrected]);
}

async fn a_reading_given_twice_at_once_is_stored_once(bench: &Bench) {
    let source = source_of_reports(bench).await;
    assert_eq!(
        insert(bench, source, vec![said("LOAD"), said("LOAD")]).await,
        1
    );
}

async fn reports_come_in_the_order_of_their_filing(bench: &Bench) {
    let (one, other) = (
        source_of_reports(bench).await,
        source_of_reports(bench).await,
    );
    for (source, what) in [(one, "a"), (other, "b"), (one, "c"), (one, "a"), (one, "d")] {
        insert(bench, source, vec![said(what)]).await;
    }
    let stored = bench
        .read(move |tx| report::of_watches(tx, &[other.0, one.0]))
        .await;
    let found: Vec<_> = stored
        .iter()
        .map(|s| (s.report.original.as_str(), s.watch))
        .collect();
    assert_eq!(
        found,
        [("a", one.0), ("b", other.0), ("c", one.0), ("d", one.0)]
    );
    assert_eq!(stored[0].created_at, at(7));
    let messages = bench
        .read(move |tx| report::messages_of(tx, &[other.0, one.0]))
        .await;
    assert_eq!(messages.len(), stored.len());
    for row in &stored {
        let source = if row.watch == one.0 { one } else { other };
        assert_eq!(messages[&row.id], source.1, "the message it stands in");
    }
}

async fn many_reports_at_once(bench: &Bench) {
    let source = source_of_reports(bench).await;
    let reports: Vec<Report> = (0..1_000).map(|n| said(&format!("code {n}"))).collect();
    assert_eq!(insert(bench, source, reports.clone()).await, 1_000);
    assert_eq!(insert(bench, source, reports.clone()).await, 0);
    let stored = bench
        .read(move |tx| report::of_watches(tx, &[source.0]))
        .await;
    assert_eq!(
        stored.into_iter().map(|s| s.report).collect::<Vec<_>>(),
        reports
    );
}

async fn reports_need_their_watch(bench: &Bench) {
    let (_, raw) = source_of_reports(bench).await;
    let nowhere: WatchId = id();
    let reports = [(id(), said("LOAD"))];
    let refused = bench
        .store
        .write(crate::bench::any_key(), move |tx| {
            report::insert(tx, nowhere, raw, &reports, at(0))
        })
        .await;
    assert!(
        matches!(refused, Err(store::Error::Conflict { .. })),
        "{refused:?}"
    );
}
