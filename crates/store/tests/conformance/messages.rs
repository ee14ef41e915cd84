//! What raw messages and their reports promise.

use domain::ids::{RawMessageId, WatchId};
use domain::report::Report;
use store::raw_message::{self, Defect, RawMessage, Receipt};
use store::{report, watch};

use crate::bench::{Bench, at, id, watch_row};
use crate::generated::any_report;

on_both_engines!(
    the_same_answer_again_is_no_news_but_after_another_one_it_is,
    a_pushed_message_is_news_once,
    what_one_account_uploads_is_its_own,
    bytes_come_back_as_they_came,
    messages_wait_until_they_are_parsed_or_put_aside,
    a_reading_is_stored_once,
    a_reading_given_twice_at_once_is_stored_once,
    reports_are_numbered_inside_their_watch,
    many_reports_at_once,
    reports_need_their_watch,
);

fn message(question: &str, body: &[u8]) -> RawMessage {
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

async fn unparsed(bench: &Bench) -> Vec<RawMessageId> {
    bench.read(|tx| raw_message::unparsed(tx, 10)).await
}

async fn messages_wait_until_they_are_parsed_or_put_aside(bench: &Bench) {
    let sent = [message("a", b"1"), message("b", b"2"), message("c", b"3")];
    let [a, b, c] = [sent[0].id, sent[1].id, sent[2].id];
    for message in sent {
        receive(bench, message).await;
    }
    assert_eq!(unparsed(bench).await, [a, b, c]);
    assert_eq!(bench.read(raw_message::unparsed_count).await, 3);
    let found: Vec<Defect> = (0..300)
        .map(|place| Defect {
            place: format!("/events/{place}"),
            reason: "no code".into(),
        })
        .collect();
    let expected = found.clone();
    bench
        .write(move |tx| {
            raw_message::mark_parsed(tx, a, at(5), &found)?;
            raw_message::quarantine(tx, c, at(5), "it breaks the parser", &found[..1])
        })
        .await;
    assert_eq!(unparsed(bench).await, [b]);
    assert_eq!(
        bench.read(move |tx| raw_message::defects(tx, a)).await,
        expected
    );
    // Parsed again by a better parser.
    bench
        .write(move |tx| raw_message::mark_parsed(tx, a, at(6), &[]))
        .await;
    assert_eq!(bench.read(move |tx| raw_message::defects(tx, a)).await, []);
    assert_eq!(
        bench
            .read(move |tx| raw_message::defects(tx, c))
            .await
            .len(),
        1
    );
}

/// A stored watch and a stored message of it.
async fn source_of_reports(bench: &Bench) -> (WatchId, RawMessageId) {
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

async fn reports_are_numbered_inside_their_watch(bench: &Bench) {
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
        .map(|s| (s.report.original.as_str(), s.watch, s.index))
        .collect();
    assert_eq!(
        found,
        [
            ("a", one.0, 0),
            ("b", other.0, 0),
            ("c", one.0, 1),
            ("d", one.0, 2)
        ]
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
        stored.iter().map(|s| s.index).collect::<Vec<_>>(),
        (0..1_000).collect::<Vec<_>>()
    );
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
