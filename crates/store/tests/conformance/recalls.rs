//! What takes an event back by its sender's id meets the event, whichever comes first.

use std::collections::BTreeSet;

use domain::ids::{AccountId, RawMessageId};
use domain::report::Report;
use jiff::SignedDuration;
use store::docket::Number;
use store::recall::{self, Recall, Told};

use crate::bench::{Bench, id, number};
use crate::dockets::numbers;
use crate::generated::any_report;

on_both_engines!(
    who_takes_back_is_told_the_numbers_of_the_event,
    what_takes_an_event_back_is_handed_to_all_who_tell_of_it,
    numbers_of_an_event_that_is_told_again_are_added,
    what_one_account_brings_is_its_own,
    who_tells_and_who_takes_back_do_not_miss_each_other,
);

const SOURCE: &str = "line";

fn an_id() -> String {
    format!("event-{}", number())
}

fn retraction(of: &str) -> Report {
    Report {
        source: SOURCE.into(),
        retracts: Some(of.into()),
        ..any_report()
    }
}

async fn tell(
    bench: &Bench,
    owner: Option<AccountId>,
    id: &str,
    numbers: &BTreeSet<Number>,
) -> Vec<Recall> {
    let told = Told::from([(id.to_owned(), numbers.clone())]);
    bench
        .write(move |tx| recall::tell(tx, owner, SOURCE, &told))
        .await
}

async fn take_back(
    bench: &Bench,
    owner: Option<AccountId>,
    raw: RawMessageId,
    report: &Report,
) -> BTreeSet<Number> {
    let report = report.clone();
    bench
        .write(move |tx| recall::take_back(tx, owner, raw, &report))
        .await
}

fn some_numbers() -> BTreeSet<Number> {
    numbers().into_iter().collect()
}

async fn who_takes_back_is_told_the_numbers_of_the_event(bench: &Bench) {
    let (event, numbers) = (an_id(), some_numbers());
    assert_eq!(tell(bench, None, &event, &numbers).await, []);
    let report = retraction(&event);
    assert_eq!(take_back(bench, None, id(), &report).await, numbers);
    let other_source = Report {
        source: "other".into(),
        ..report
    };
    assert_eq!(take_back(bench, None, id(), &other_source).await, [].into());
}

async fn what_takes_an_event_back_is_handed_to_all_who_tell_of_it(bench: &Bench) {
    let (event, numbers, raw) = (an_id(), some_numbers(), id());
    let report = retraction(&event);
    assert_eq!(take_back(bench, None, raw, &report).await, [].into());
    let waited = Recall {
        raw,
        report: report.clone(),
        numbers: numbers.clone(),
    };
    assert_eq!(tell(bench, None, &event, &numbers).await, [waited.clone()]);
    let others = some_numbers();
    let all: BTreeSet<Number> = numbers.union(&others).cloned().collect();
    let again = Recall {
        numbers: all.clone(),
        ..waited.clone()
    };
    assert_eq!(tell(bench, None, &event, &others).await, [again.clone()]);
    let older = Report {
        reported_at: Some(report.issued_at() - SignedDuration::from_hours(1)),
        ..report.clone()
    };
    assert_eq!(take_back(bench, None, id(), &older).await, all);
    assert_eq!(
        tell(bench, None, &event, &others).await,
        [again],
        "the newest"
    );
}

async fn numbers_of_an_event_that_is_told_again_are_added(bench: &Bench) {
    let (event, first, second) = (an_id(), some_numbers(), some_numbers());
    tell(bench, None, &event, &first).await;
    tell(bench, None, &event, &second).await;
    let all: BTreeSet<Number> = first.union(&second).cloned().collect();
    assert_eq!(take_back(bench, None, id(), &retraction(&event)).await, all);
}

async fn what_one_account_brings_is_its_own(bench: &Bench) {
    let (event, numbers) = (an_id(), some_numbers());
    let (one, other) = (bench.account().await, bench.account().await);
    tell(bench, Some(one), &event, &numbers).await;
    let report = retraction(&event);
    for stranger in [None, Some(other)] {
        assert_eq!(take_back(bench, stranger, id(), &report).await, [].into());
    }
    assert_eq!(take_back(bench, Some(one), id(), &report).await, numbers);
}

async fn who_tells_and_who_takes_back_do_not_miss_each_other(bench: &Bench) {
    for _ in 0..20 {
        let (event, numbers) = (an_id(), some_numbers());
        let report = retraction(&event);
        let (along, found) = tokio::join!(
            tell(bench, None, &event, &numbers),
            take_back(bench, None, id(), &report)
        );
        assert!(!along.is_empty() || !found.is_empty());
    }
}
