//! What the search for a request's line reads.

use domain::codes::Scac;
use domain::ids::TrackingRequestId;
use domain::infer::Tracked;
use domain::tracking_request::RequestStatus;
use store::tracking_request;

use crate::bench::{Bench, at, request_row};

on_both_engines!(
    the_past_of_a_prefix_is_the_accounts_own,
    requests_without_a_line_come_up_until_they_have_one,
    accounts_whose_lines_are_sought_are_found_one_after_the_other,
);

async fn the_past_of_a_prefix_is_the_accounts_own(bench: &Bench) {
    use RequestStatus::{Failed, Pending, Succeeded, TrackingStopped};
    let (ours, theirs) = (bench.account().await, bench.account().await);
    for (account, number, status) in [
        (ours, "PAST0002", Succeeded),
        (ours, "PAST0001", TrackingStopped),
        (ours, "PAST0003", Failed),
        (ours, "PAST0004", Pending),
        (ours, "PASS0001", Succeeded),
        (ours, "PAST", Succeeded),
        (ours, "PASU0001", Succeeded),
        (theirs, "PAST0009", Succeeded),
    ] {
        let mut row = request_row();
        row.number = number.into();
        row.progress.status = status;
        bench
            .write(move |tx| tracking_request::insert(&mut tx.account(account), &row))
            .await;
    }
    let told = |limit| {
        bench.read(move |tx| tracking_request::history(&mut tx.account(ours), "PAST", limit))
    };
    let tracked = |number: &str| Tracked {
        number: number.into(),
        scac: Scac::parse("MSCU").unwrap(),
    };
    let all = ["PAST", "PAST0001", "PAST0002"].map(tracked);
    assert_eq!(told(10).await, all);
    assert_eq!(told(2).await, all[..2]);
}

async fn requests_without_a_line_come_up_until_they_have_one(bench: &Bench) {
    let account = bench.account().await;
    let mut rows: Vec<TrackingRequestId> = Vec::new();
    for (place, (auto_detect, tried, updated, status)) in [
        (true, 0, 90, 0),  // fresh
        (false, 0, 10, 0), // nobody asked for a search
        (true, 1, 40, 0),  // tried lately
        (true, 1, 30, 0),  // soon enough
        (true, 4, 30, 0),  // often tried, waits longer
        (true, 4, 20, 0),
        (true, 0, 10, 3), // failed
    ]
    .into_iter()
    .enumerate()
    {
        let mut row = request_row();
        row.scac = None;
        row.number = format!("UNDETECTED{place}");
        row.auto_detect = auto_detect;
        row.progress.status = RequestStatus::ALL[status];
        row.progress.retry_count = tried;
        row.updated_at = at(updated);
        rows.push(row.id);
        bench
            .write(move |tx| tracking_request::insert(&mut tx.account(account), &row))
            .await;
    }
    let due_after = |after, limit| {
        bench.read(move |tx| {
            let mut a = tx.account(account);
            tracking_request::undetected(&mut a, at(40), at(30), at(20), after, limit)
        })
    };
    let due = |limit| due_after(None, limit);
    let ids = |found: Vec<tracking_request::TrackingRequest>| {
        let ids = found.into_iter().map(|row| row.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(due(100).await), [rows[5], rows[3], rows[0]]);
    assert_eq!(ids(due(1).await), [rows[5]]);
    for (first, rest) in [(5, vec![3, 0]), (3, vec![0]), (0, vec![])] {
        let found = due(100).await;
        let mut found = found.into_iter();
        let first = found.find(|row| row.id == rows[first]).unwrap();
        let behind = due_after(Some((first.updated_at, first.id)), 100).await;
        let rest: Vec<_> = rest.into_iter().map(|place: usize| rows[place]).collect();
        assert_eq!(ids(behind), rest);
    }
    let (id, line) = (rows[0], Scac::parse("MSCU").ok());
    let mut filled = bench
        .read(move |tx| tracking_request::find(&mut tx.account(account), id))
        .await
        .unwrap();
    filled.scac = line;
    bench
        .write(move |tx| tracking_request::update(&mut tx.account(account), &filled).map(|_| ()))
        .await;
    assert_eq!(ids(due(100).await), [rows[5], rows[3]]);
}

async fn accounts_whose_lines_are_sought_are_found_one_after_the_other(bench: &Bench) {
    let mut accounts = Vec::new();
    for (status, line, rows) in [
        (RequestStatus::Pending, None, 3),
        (RequestStatus::Pending, Scac::parse("MSCU").ok(), 1),
        (RequestStatus::Failed, None, 1),
        (RequestStatus::Pending, None, 1),
        (RequestStatus::Pending, None, 2),
    ] {
        let account = bench.account().await;
        for number in 0..rows {
            let mut row = request_row();
            row.number = format!("SOUGHT{number}");
            (row.scac, row.progress.status, row.auto_detect) = (line, status, true);
            bench
                .write(move |tx| tracking_request::insert(&mut tx.account(account), &row))
                .await;
        }
        accounts.push(account);
    }
    let mut seekers = [accounts[0], accounts[3], accounts[4]];
    seekers.sort_unstable();
    let ours = |found: Vec<_>| -> Vec<_> {
        let ours = found.into_iter().filter(|one| accounts.contains(one));
        ours.collect()
    };
    let all = bench.read(|tx| tracking_request::seekers(tx, None, 1_000));
    assert_eq!(ours(all.await), seekers);
    for (place, after) in seekers.into_iter().enumerate() {
        let behind = bench.read(move |tx| tracking_request::seekers(tx, Some(after), 1_000));
        assert_eq!(ours(behind.await), seekers[place + 1..]);
    }
    let first = bench
        .read(|tx| tracking_request::seekers(tx, None, 1))
        .await;
    assert_eq!(first.len(), 1);
}
