//! Requests that name no line.

use std::time::Duration;

use domain::codes::ContainerNumber;
use domain::ids::{AccountId, TrackingRequestId};
use domain::tracking_request::{FailedReason, NumberKind, Progress, RequestStatus};
use jiff::SignedDuration;
use sources::ocean::dcsa::{Profile, Puller, Secrets};
use sources::outbound::Outbound;
use store::Key;
use tokio_util::sync::CancellationToken;
use tracking::{Source, source_state, work};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::BOX;
use crate::ground::{Ground, LADEN, this_machine};
use crate::standing::prompt;

const BILL: NumberKind = NumberKind::BillOfLading;
const BOXED: NumberKind = NumberKind::Container;

/// Line, status and reason of a request after all that is due is done.
async fn found(
    ground: &Ground,
    account: AccountId,
    number: &str,
    kind: NumberKind,
) -> (Option<String>, RequestStatus, Option<FailedReason>) {
    let id = ground.ask_for(account, number, kind, None).await;
    let row = ground.request(account, id).await;
    assert_eq!(
        (row.scac, row.progress.status),
        (None, RequestStatus::Pending)
    );
    ground.drain().await;
    let row = ground.request(account, id).await;
    let scac = row.scac.map(|scac| scac.to_string());
    (scac, row.progress.status, row.progress.failed_reason)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sure_number_gets_its_line_without_a_question() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let told = found(&ground, account, "MEDUAB123456", BILL).await;
    assert_eq!(told, (Some("MSCU".into()), RequestStatus::Pending, None));
    assert_eq!(ground.asked().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_line_that_knows_a_box_is_its_line() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let told = found(&ground, account, BOX, BOXED).await;
    assert_eq!(told, (Some("NWLX".into()), RequestStatus::Succeeded, None));
    assert_eq!(ground.containers(account).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_nobody_knows_fails_and_a_guess_that_nobody_confirms_too() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let failed = |scac| {
        (
            scac,
            RequestStatus::Failed,
            Some(FailedReason::ScacAutoDetectFailed),
        )
    };
    for (number, kind) in [
        (BOX, BOXED),
        ("TCLU4255604", BOXED),
        ("123456789", BILL),
        ("QUAY00001", BILL),
        ("NWLX00042", BILL),
        ("EGLV123456789012", BILL), // sure, but the line does not answer to bills
    ] {
        let told = found(&ground, account, number, kind).await;
        assert_eq!(told, failed(None), "{number}");
    }
    assert_eq!(
        ground.asked().await,
        3,
        "both boxes, and the bill that begins with the line's code"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_is_tried_again() {
    let ground = Ground::new("[]").await;
    ground.break_down().await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    ground.drain().await;
    ground.drain().await;
    let progress = ground.request(account, id).await.progress;
    assert_eq!(progress.status, RequestStatus::Pending);
    assert_eq!((progress.is_retrying, progress.retry_count), (true, 1));
    ground.answer(LADEN).await;
    ground.pass(SignedDuration::from_mins(2));
    ground.drain().await;
    let row = ground.request(account, id).await;
    assert_eq!(row.progress.status, RequestStatus::Succeeded);
    assert_eq!(
        (row.progress.is_retrying, row.progress.retry_count),
        (false, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_never_answers_ends_the_search_after_about_a_day() {
    let ground = Ground::new("[]").await;
    ground.break_down().await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    let mut hours = 0;
    while ground.request(account, id).await.progress.status == RequestStatus::Pending {
        ground.drain().await;
        ground.pass(SignedDuration::from_hours(1));
        hours += 1;
        assert!(hours < 48, "never ended");
    }
    assert!((12..=36).contains(&hours), "{hours}");
    let reason = ground.request(account, id).await.progress.failed_reason;
    assert_eq!(reason, Some(FailedReason::RetriesExhausted));
}

/// Two days and a half, looked at again and again.
async fn days_pass(ground: &Ground) {
    for _ in 0..30 {
        ground.drain().await;
        ground.pass(SignedDuration::from_hours(2));
    }
    ground.drain().await;
}

async fn progress(ground: &Ground, account: AccountId, id: TrackingRequestId) -> Progress {
    ground.request(account, id).await.progress
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_may_not_be_asked_is_waited_for_and_no_try_is_counted() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let pausing = source_state::pause(ground.tracking(), "nowhere", "new contract");
    assert!(pausing.await.unwrap());
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    days_pass(&ground).await;
    let waits = progress(&ground, account, id).await;
    assert_eq!(waits.status, RequestStatus::Pending);
    assert_eq!((waits.is_retrying, waits.retry_count), (false, 0));
    assert_eq!(ground.asked().await, 0);
    source_state::resume(ground.tracking(), "nowhere")
        .await
        .unwrap();
    ground.drain().await;
    let found = progress(&ground, account, id).await;
    assert_eq!(found.status, RequestStatus::Succeeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_sources_may_not_be_asked_expires_as_others_do() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let pausing = source_state::pause(ground.tracking(), "nowhere", "new contract");
    assert!(pausing.await.unwrap());
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    for _ in 0..2 {
        days_pass(&ground).await;
        let waits = progress(&ground, account, id).await;
        assert_eq!(waits.status, RequestStatus::Pending);
    }
    days_pass(&ground).await;
    let over = progress(&ground, account, id).await;
    assert_eq!(over.failed_reason, Some(FailedReason::Expired));
}

#[tokio::test(flavor = "multi_thread")]
async fn more_numbers_than_a_day_may_ask_for_are_asked_about_day_after_day() {
    let ground = Ground::with("[]", "[polling]\nrequests_per_day = 10\n").await;
    let (account, ids) = searched(&ground, 40).await;
    let statuses = async |status: RequestStatus| {
        let mut count = 0;
        for id in &ids {
            let progress = progress(&ground, account, *id).await;
            assert_eq!(progress.retry_count, 0);
            count += usize::from(progress.status == status);
        }
        count
    };
    ground.drain().await;
    assert_eq!(statuses(RequestStatus::Failed).await, 10, "the first day");
    days_pass(&ground).await;
    assert_eq!(statuses(RequestStatus::Failed).await, 30, "two days later");
    days_pass(&ground).await;
    assert_eq!(statuses(RequestStatus::Failed).await, 40);
    for id in &ids {
        let reason = progress(&ground, account, *id).await.failed_reason;
        assert_eq!(reason, Some(FailedReason::ScacAutoDetectFailed));
    }
    assert_eq!(ground.asked().await, 40, "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_source_is_closed_others_that_know_nothing_are_not_asked_again() {
    let (ground, _closed) = beside_one_closed("[]").await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "the open one is asked", async |ground| {
        ground.asked().await >= 1
    })
    .await;
    // It is looked into some times more meanwhile.
    for round in 0..5 {
        ground.pass(SignedDuration::from_mins(11));
        // It comes behind it.
        let number = format!("MEDUAB{round:06}");
        let behind = ground.ask_for(account, &number, BILL, None).await;
        let has_line = async |ground: &Ground| ground.request(account, behind).await.scac.is_some();
        soon(&ground, "another one gets its line", has_line).await;
    }
    source_state::resume(ground.tracking(), "prompt")
        .await
        .unwrap();
    ground.pass(SignedDuration::from_mins(11));
    let found = async |ground: &Ground| ground.request(account, id).await.scac.is_some();
    soon(&ground, "the one that was closed knows it", found).await;
    assert_eq!(ground.asked().await, 1);
    assert_eq!(ground.request(account, id).await.progress.retry_count, 0);
    working.abort();
}

/// The open line answers so; the closed one would know the box.
async fn beside_one_closed(answer: &str) -> (Ground, MockServer) {
    let mut ground = Ground::new(answer).await;
    let closed = MockServer::start().await;
    let source = prompt(&closed, "").await;
    ground.start_again_with(vec![source]);
    let pausing = source_state::pause(ground.tracking(), "prompt", "new contract");
    assert!(pausing.await.unwrap());
    (ground, closed)
}

/// It would be asked as long as the other one is closed.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_is_waited_for_no_longer_while_another_is_closed() {
    let (ground, _closed) = beside_one_closed(r#"{"message": "service busy"}"#).await;
    let account = ground.account("A").await;
    ground.ask_for(account, BOX, BOXED, None).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    let (mut round, mut rounds) = (0, 60);
    while round < rounds {
        ground.pass(SignedDuration::from_mins(9));
        // The look that finds it a line comes by the one that waits, too. Whose answer is of this moment is asked in the next round.
        let number = format!("MEDUAB{round:06}");
        let behind = ground.ask_for(account, &number, BILL, None).await;
        let has_line = async |ground: &Ground| ground.request(account, behind).await.scac.is_some();
        soon(&ground, "another one gets its line", has_line).await;
        round += 1;
        if ground.asked().await >= 4 {
            // Some more, in which it is left alone.
            rounds = rounds.min(round + 15);
        }
    }
    assert_eq!(ground.asked().await, 4);
    working.abort();
}

/// It is tried again though another one is closed: what was no answer once may be one by then.
#[tokio::test(flavor = "multi_thread")]
async fn a_source_in_trouble_is_asked_again_while_another_is_closed() {
    let (ground, _closed) = beside_one_closed("[]").await;
    ground.break_down().await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "the open one is asked", async |ground| {
        ground.asked().await >= 1
    })
    .await;
    ground.answer(LADEN).await;
    let found = async |ground: &Ground| {
        ground.pass(SignedDuration::from_mins(11));
        ground.request(account, id).await.scac.is_some()
    };
    soon(&ground, "it is asked again", found).await;
    assert_eq!(ground.request(account, id).await.progress.retry_count, 0);
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_source_is_asked_no_more_often_because_another_is_closed() {
    let (ground, _closed) = beside_one_closed("[]").await;
    ground.break_down().await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "the open one is asked", async |ground| {
        ground.asked().await >= 1
    })
    .await;
    // Five hours: the first four tries soon, then one every 130 minutes.
    for round in 0..30 {
        ground.pass(SignedDuration::from_mins(10));
        let number = format!("MEDUAB{round:06}");
        let behind = ground.ask_for(account, &number, BILL, None).await;
        let has_line = async |ground: &Ground| ground.request(account, behind).await.scac.is_some();
        soon(&ground, "another one gets its line", has_line).await;
    }
    let asked = ground.asked().await;
    assert!((5..=6).contains(&asked), "{asked}");
    // That the closed one is open is noticed at the next look.
    source_state::resume(ground.tracking(), "prompt")
        .await
        .unwrap();
    ground.pass(SignedDuration::from_mins(10));
    let found = async |ground: &Ground| ground.request(account, id).await.scac.is_some();
    soon(&ground, "the one that was closed knows it", found).await;
    assert!(ground.asked().await <= asked + 1);
    assert_eq!(ground.request(account, id).await.progress.retry_count, 0);
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_followed_already_fails_as_duplicate() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, BOXED).await;
    ground.drain().await;
    let told = found(&ground, account, BOX, BOXED).await;
    let duplicate = Some(FailedReason::Duplicate);
    assert_eq!(told, (None, RequestStatus::Failed, duplicate));
    let other = ground.account("B").await;
    let told = found(&ground, other, BOX, BOXED).await;
    assert_eq!(
        told.1,
        RequestStatus::Succeeded,
        "another account's request is its own"
    );
}

/// The background work goes on, and this comes true.
async fn soon(ground: &Ground, what: &str, comes_true: impl AsyncFn(&Ground) -> bool) {
    let waiting = async {
        while !comes_true(ground).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(15), waiting).await;
    assert!(waited.is_ok(), "{what}");
}

/// So many requests that need the line that is asked.
async fn searched(ground: &Ground, count: usize) -> (AccountId, Vec<TrackingRequestId>) {
    let account = ground.account("A").await;
    let mut ids = Vec::new();
    for number in 0..count {
        let number = format!("NWLX{number:05}");
        ids.push(ground.ask_for(account, &number, BILL, None).await);
    }
    (account, ids)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_hangs_delays_no_search_that_does_not_need_it() {
    let ground = Ground::new(LADEN).await;
    ground.hang(Duration::from_secs(25)).await;
    // More than are looked into at once.
    searched(&ground, 100).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "it is asked", async |ground| {
        ground.asked().await >= 4
    })
    .await;
    let other = ground.account("B").await;
    let id = ground.ask_for(other, "MEDUAB123456", BILL, None).await;
    let has_line = async |ground: &Ground| ground.request(other, id).await.scac.is_some();
    soon(&ground, "it waits for the one that hangs", has_line).await;
    assert_eq!(ground.asked().await, 4, "places of one source");
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_stop_no_search_begins_another_question() {
    let ground = Ground::new("[]").await;
    ground.hang(Duration::from_secs(3)).await;
    let (account, ids) = searched(&ground, 20).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "it is asked", async |ground| {
        ground.asked().await >= 4
    })
    .await;
    stop.cancel();
    let stopped = tokio::time::timeout(Duration::from_secs(15), working).await;
    assert!(stopped.is_ok(), "what has begun ends, and nothing else");
    assert_eq!(ground.asked().await, 4);
    let mut untouched = 0;
    for id in ids {
        untouched += usize::from(ground.request(account, id).await.version == 1);
    }
    assert!(untouched >= 16, "no try of the others is counted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_written_keeps_no_other_from_its_line() {
    let ground = Ground::new("[]").await;
    let (account, _) = searched(&ground, 16).await;
    ground.tamper(
        "create trigger poison before update on tracking_requests
         when new.number like 'NWLX000%' begin select raise(abort, 'poison'); end",
    );
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "each is asked about", async |ground| {
        ground.asked().await >= 16
    })
    .await;
    let id = ground.ask_for(account, "MEDUAB123456", BILL, None).await;
    let has_line = async |ground: &Ground| ground.request(account, id).await.scac.is_some();
    soon(&ground, "it waits for those", has_line).await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    let asked = ground.asked().await;
    assert_eq!(asked, 16, "they are left alone for some time");
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_waits_for_one_source_asks_no_other_again() {
    let mut ground = Ground::with("[]", "[polling]\nrequests_per_minute = 10000\n").await;
    let slow = MockServer::start().await;
    let source = prompt(&slow, "").await;
    slow.reset().await;
    let answer = ResponseTemplate::new(200).set_delay(Duration::from_secs(25));
    Mock::given(any()).respond_with(answer).mount(&slow).await;
    ground.start_again_with(vec![source]);
    let account = ground.account("A").await;
    for number in 0..100 {
        let number = ContainerNumber::parse(&format!("TCLU{number:06}")).unwrap();
        ground.ask_for(account, number.as_str(), BOXED, None).await;
    }
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    let (mut round, mut rounds) = (0, 100);
    while round < rounds {
        ground.pass(SignedDuration::from_secs(6));
        // It comes behind those that wait, which are looked into once more.
        let id = ground
            .ask_for(account, &format!("MEDUAB{round:06}"), BILL, None)
            .await;
        let has_line = async |ground: &Ground| ground.request(account, id).await.scac.is_some();
        soon(&ground, "it waits for the one that hangs", has_line).await;
        round += 1;
        if ground.asked().await >= 100 {
            // Some more, when all were asked about.
            rounds = rounds.min(round + 5);
        }
    }
    assert_eq!(ground.asked().await, 100, "each once");
    let asked = slow.received_requests().await.unwrap_or_default();
    assert_eq!(asked.len(), 4, "places of one source");
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_behind_very_many_that_wait_for_one_source_gets_its_line() {
    let ground = Ground::new(LADEN).await;
    ground.hang(Duration::from_secs(25)).await;
    let (account, ids) = searched(&ground, 1).await;
    let first = ground.request(account, ids[0]).await;
    let inserting = ground
        .tracking()
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            (1..1_200_u128).try_for_each(|number| {
                let mut row = first.clone();
                row.id = TrackingRequestId(uuid::Uuid::from_u128(number));
                row.number = format!("NWLX{number:05}");
                row.docket = None;
                store::tracking_request::insert(&mut a, &row)
            })
        });
    let inserted: Result<(), store::Error> = inserting.await;
    inserted.unwrap();
    ground.pass(SignedDuration::from_secs(1));
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    let id = ground.ask_for(account, "MEDUAB123456", BILL, None).await;
    let has_line = async |ground: &Ground| ground.request(account, id).await.scac.is_some();
    soon(&ground, "nobody comes to it", has_line).await;
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_of_one_account_does_not_stand_before_another_ones_search() {
    let keys = "[polling]\nrequests_per_minute = 5\n";
    let ground = Ground::with("[]", keys).await;
    let (importer, ids) = searched(&ground, 200).await;
    ground.pass(SignedDuration::from_secs(1));
    let other = ground.account("B").await;
    let id = ground.ask_for(other, "NWLX99999", BILL, None).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    let mut minutes = 0;
    while ground.request(other, id).await.progress.status == RequestStatus::Pending {
        minutes += 1;
        assert!(minutes <= 12, "it waits for another one's import");
        soon(&ground, "nobody is asked about", async |ground| {
            ground.asked().await >= 5 * minutes
        })
        .await;
        // What came of the last question is noted.
        tokio::time::sleep(Duration::from_millis(300)).await;
        ground.pass(SignedDuration::from_secs(61));
        // A number that needs no question: now is looked for more.
        let sure = format!("MEDUAB{minutes:06}");
        ground.ask_for(importer, &sure, BILL, None).await;
    }
    let mut waiting = 0;
    for id in ids {
        let status = ground.request(importer, id).await.progress.status;
        waiting += usize::from(status == RequestStatus::Pending);
    }
    assert!(waiting > 100, "{waiting} of the import");
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_slow_source_there_is_a_place_for_another_account() {
    let ground = Ground::with("[]", "[polling]\nrequests_per_minute = 10000\n").await;
    ground.answer_after(Duration::from_secs(1), "[]").await;
    searched(&ground, 200).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    soon(&ground, "it is asked", async |ground| {
        ground.asked().await >= 4
    })
    .await;
    let other = ground.account("B").await;
    let id = ground.ask_for(other, "NWLX99999", BILL, None).await;
    // No time passes: who finds no place now is not looked into again.
    soon(&ground, "there is no place for it", async |ground| {
        ground.request(other, id).await.progress.status == RequestStatus::Failed
    })
    .await;
    working.abort();
}

/// It says so with a status of success.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_does_not_say_at_first_that_there_is_none() {
    let busy = r#"{"message": "service busy"}"#;
    for (then, status) in [
        (LADEN, RequestStatus::Succeeded),
        // One that goes on like this has no other words.
        (busy, RequestStatus::Failed),
    ] {
        let ground = Ground::new(busy).await;
        let account = ground.account("A").await;
        let id = ground.ask_for(account, BOX, BOXED, None).await;
        for _ in 0..3 {
            ground.drain().await;
            let progress = ground.request(account, id).await.progress;
            assert_eq!(progress.status, RequestStatus::Pending);
            ground.pass(SignedDuration::from_mins(2));
        }
        ground.answer(then).await;
        ground.drain().await;
        let row = ground.request(account, id).await;
        assert_eq!(row.progress.status, status);
        // Nor is the line broken for those that it knows.
        let standings = ground.tracking().store().read(store::source::all).await;
        let line = standings.unwrap().remove("nowhere").unwrap();
        assert_eq!(line.breaker.failures, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_asked_for_a_number_as_they_write_it() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    found(&ground, account, "nwlx 00-042", BILL).await;
    let asked = ground.carrier().received_requests().await.unwrap();
    let url = asked[0].url.to_string();
    assert!(url.contains("NWLX00042"), "{url}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_carrier_is_asked_about_a_box_that_points_to_none() {
    let mut ground = Ground::new("[]").await;
    let codes = [
        "HLCU", "ONEY", "CMDU", "COSU", "EGLV", "HDMU", "YMLU", "ZIMU", "WHLC",
    ];
    let mut carriers = Vec::new();
    let mut sources = Vec::new();
    for code in codes {
        let carrier = MockServer::start().await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(200).set_body_raw("[]", "application/json"))
            .mount(&carrier)
            .await;
        sources.push(line(code, code, &carrier));
        carriers.push(carrier);
    }
    // Of two that ask about one line the first is asked.
    let twin = MockServer::start().await;
    sources.push(line("twin", "HLCU", &twin));
    ground.start_again_with(sources);
    let account = ground.account("A").await;
    found(&ground, account, "TCLU4255604", BOXED).await;
    for (code, carrier) in codes.iter().zip(&carriers) {
        let asked = carrier.received_requests().await.unwrap().len();
        assert_eq!(asked, 1, "{code}");
    }
    assert!(twin.received_requests().await.unwrap().is_empty());
}

/// A line's carrier.
fn line(id: &str, code: &str, carrier: &MockServer) -> Source {
    let profile = format!(
        "id = \"{id}\"\nprotocol = \"dcsa-2\"\nscac = [\"{code}\"]\n[endpoint]\nbase = \"{}\"\n",
        carrier.uri()
    );
    Source::new(Puller::new(
        Outbound::new(this_machine()).unwrap(),
        Profile::parse(&profile).unwrap(),
        Secrets::default(),
    ))
}
