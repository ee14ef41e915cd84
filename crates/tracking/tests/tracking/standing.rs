//! When a source is left alone, and that every node and the next start know it.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::codes::Scac;
use domain::ids::AccountId;
use domain::source::{Condition, Standing, Trouble};
use domain::tracking_request::{FailedReason, NumberKind, RequestStatus};
use jiff::SignedDuration;
use sources::ocean::dcsa::{Profile, Puller, Secrets};
use sources::outbound::{Outbound, Resolve, Resolving};
use store::Key;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracking::{LEASE_DEFAULT, Source, source_state, work};
use uuid::Uuid;
use wiremock::matchers::{any, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::BOX;
use crate::ground::{Ground, LADEN, this_machine};

async fn condition(ground: &Ground) -> Condition {
    condition_of(ground, "nowhere").await
}

async fn condition_of(ground: &Ground, source: &'static str) -> Condition {
    let (shared, now) = (ground.tracking().clone(), ground.tracking().now());
    let reading = ground.tracking().store().read(move |tx| {
        let state = source_state::find(tx, &shared, source, now)?;
        Ok::<_, store::Error>(state.map(|state| state.condition(now)))
    });
    reading.await.unwrap().unwrap()
}

async fn standing(ground: &Ground) -> Standing {
    let mut all = ground
        .tracking()
        .store()
        .read(store::source::all)
        .await
        .unwrap();
    all.remove("nowhere").unwrap_or_default()
}

async fn tracked(ground: &Ground) -> AccountId {
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    account
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_credentials_stop_the_asking_at_once_and_say_what_to_do() {
    let ground = Ground::new(LADEN).await;
    ground.refuse(401, None).await;
    let account = tracked(&ground).await;
    assert_eq!(ground.asked().await, 1);
    assert_eq!(condition(&ground).await, Condition::Broken);
    let known = standing(&ground).await;
    let tally = &known.troubles[&Trouble::Unauthorized];
    assert_eq!(tally.count, 1);
    assert!(tally.why.contains("credentials"), "{}", tally.why);
    // Others are not asked about either: it is the same key.
    ground
        .track(account, "NWLU0000446", NumberKind::Container)
        .await;
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
    // One question tries it; the answer closes the breaker.
    ground.answer(LADEN).await;
    ground.pass(seconds(61));
    ground.drain().await;
    assert!(ground.asked().await >= 1);
    assert_eq!(condition(&ground).await, Condition::Working);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_asks_us_to_wait_is_left_alone_that_long() {
    let ground = Ground::new(LADEN).await;
    ground.refuse(429, Some("600")).await;
    tracked(&ground).await;
    assert_eq!(
        (ground.asked().await, condition(&ground).await),
        (1, Condition::Waiting)
    );
    ground.pass(seconds(599));
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
    ground.answer(LADEN).await;
    ground.pass(seconds(2));
    ground.drain().await;
    assert_eq!(
        (ground.asked().await, condition(&ground).await),
        (1, Condition::Working)
    );
    assert_eq!(
        standing(&ground).await.troubles[&Trouble::RateLimited].count,
        1
    );
}

/// Nobody can read what the line answers about one number, and the others are asked about every few hours.
#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_never_answered_readably_does_not_close_its_line_for_the_others() {
    let ground = Ground::new(LADEN).await;
    let account = tracked(&ground).await;
    Mock::given(query_param("equipmentReference", "NWLU0000446"))
        .respond_with(ResponseTemplate::new(200).set_body_string("<html>"))
        .with_priority(1)
        .mount(ground.carrier())
        .await;
    ground
        .track(account, "NWLU0000446", NumberKind::Container)
        .await;
    for _ in 0..20 {
        ground.drain().await;
        ground.pass(seconds(10));
    }
    // For all that is known it is the line. The trial is about a number that it answered, though the other is due for longer.
    assert_eq!(condition(&ground).await, Condition::Broken);
    ground.pass(SignedDuration::from_hours(6));
    let before = ground.asked().await;
    work::drain(ground.tracking()).await.unwrap();
    let asked = ground.carrier().received_requests().await.unwrap();
    let trial = asked.get(before).unwrap().url.to_string();
    assert!(trial.contains(BOX), "{trial}");
    // From then on it is the number.
    for minute in 0..240 {
        ground.drain().await;
        let closed = condition(&ground).await == Condition::Broken;
        assert!(!closed, "{minute}");
        ground.pass(seconds(60));
    }
    let known = standing(&ground).await;
    let asked = ground.asked().await;
    assert!(
        known.troubles[&Trouble::Unreadable].count > 7,
        "{known:?} {asked}"
    );
}

/// A wrong parameter in a profile has every question refused. That is not the fault of a number whose check digit we know.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_number_that_we_know_to_be_sound_ends_no_request_of_a_line_that_tells_of_no_box()
{
    let ground = Ground::new(LADEN).await;
    ground.refuse(400, None).await;
    let account = ground.account("A").await;
    let box_asked = async |number: &str| {
        let id = ground.track(account, number, NumberKind::Container).await;
        ground.drain().await;
        ground.request(account, id).await
    };
    let sound = box_asked(BOX).await;
    let waiting = sound.progress;
    assert_eq!(waiting.status, RequestStatus::Pending);
    assert_eq!(
        waiting.failed_reason,
        Some(FailedReason::UnrecognizedResponse)
    );
    assert!(waiting.is_retrying);
    let told = standing(&ground).await;
    let why = &told.troubles[&Trouble::Unreadable].why;
    assert!(why.contains("check digit") && why.contains("400"), "{why}");
    assert_eq!(told.breaker.failures, 0, "others are asked about");
    ground.answer(LADEN).await;
    ground.pass(SignedDuration::from_mins(30));
    ground.drain().await;
    let found = ground.request(account, sound.id).await.progress;
    assert_eq!(found.status, RequestStatus::Succeeded);
    // A line that tells of boxes is asked as it wants to be: then it is the number.
    ground.refuse(400, None).await;
    let refused = box_asked("NWLU0000446").await.progress;
    assert_eq!(refused.failed_reason, Some(FailedReason::InvalidNumber));
    let count = |known: &Standing| known.troubles[&Trouble::Unreadable].count;
    assert_eq!(count(&standing(&ground).await), count(&told));
    // It has not told of another since: it may have changed how it wants to be asked.
    let waiting = box_asked("NWLU0000467").await.progress;
    assert_eq!(waiting.status, RequestStatus::Pending);
    assert_eq!(count(&standing(&ground).await), count(&told) + 1);
    // Of a bill's number only its line can say that.
    let bill = ground
        .track(account, "QSLV0000001", NumberKind::BillOfLading)
        .await;
    ground.drain().await;
    let refused = ground.request(account, bill).await.progress;
    assert_eq!(refused.status, RequestStatus::Failed);
    assert_eq!(refused.failed_reason, Some(FailedReason::InvalidNumber));
}

/// Of an answer in pages the first says what it said before, and the last, which is new, says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_says_again_what_it_said_of_a_box_tells_of_one() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let pages = async |last: &str| {
        ground.carrier().reset().await;
        let of_box = || query_param("equipmentReference", BOX);
        let page = |body: &str| ResponseTemplate::new(200).set_body_raw(body, "application/json");
        Mock::given(query_param("cursor", "second"))
            .respond_with(page(last))
            .with_priority(1)
            .mount(ground.carrier())
            .await;
        Mock::given(of_box())
            .respond_with(page(LADEN).insert_header("Next-Page-Cursor", "second"))
            .with_priority(2)
            .mount(ground.carrier())
            .await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(400))
            .mount(ground.carrier())
            .await;
    };
    let asked = async |number: &str| {
        let id = ground.track(account, number, NumberKind::Container).await;
        ground.drain().await;
        ground.request(account, id).await.progress.status
    };
    pages("[]").await;
    assert_eq!(asked(BOX).await, RequestStatus::Succeeded);
    assert_eq!(asked("NWLU0000446").await, RequestStatus::Failed);
    pages("[ ]").await;
    ground.pass(SignedDuration::from_hours(24));
    ground.drain().await;
    assert_eq!(asked("NWLU0000467").await, RequestStatus::Failed);
}

/// Whoever imports thousands is in the way of nobody who registers one number after that.
#[tokio::test(flavor = "multi_thread")]
async fn an_import_of_one_account_does_not_stand_before_another_ones_number() {
    let ground = Ground::with(LADEN, "[polling]\nrequests_per_minute = 1\n").await;
    let mut accounts = [ground.account("A").await, ground.account("B").await];
    // Whoever is first in the ring would have every turn, were turns not remembered.
    accounts.sort_unstable();
    let [importer, other] = accounts;
    let bill = NumberKind::BillOfLading;
    for number in 0..20 {
        let number = format!("NWLX{number:05}");
        ground.track(importer, &number, bill).await;
    }
    ground.pass(seconds(1));
    ground.track(other, "NWLX99999", bill).await;
    for _ in 0..2 {
        ground.drain().await;
        ground.pass(seconds(60));
    }
    let asked = ground.carrier().received_requests().await.unwrap();
    let asked: Vec<&str> = asked.iter().map(|one| one.url.as_str()).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(
        asked.iter().any(|url| url.contains("NWLX99999")),
        "{asked:?}"
    );
}

/// A source may have enough of one number.
#[tokio::test(flavor = "multi_thread")]
async fn each_trial_of_a_source_that_asks_us_to_wait_is_about_another_number() {
    let ground = Ground::new(LADEN).await;
    ground.refuse(429, Some("60")).await;
    let account = ground.account("A").await;
    let numbers = ["NWLX00001", "NWLX00002", "NWLX00003"];
    for number in numbers {
        let bill = NumberKind::BillOfLading;
        ground.track(account, number, bill).await;
        ground.pass(seconds(1));
    }
    for _ in 0..3 * numbers.len() {
        ground.drain().await;
        ground.pass(seconds(7_200));
    }
    let asked = ground.carrier().received_requests().await.unwrap();
    let asked = asked.iter().map(|one| one.url.to_string());
    let trials: Vec<String> = asked.skip(numbers.len()).collect();
    for number in numbers {
        let is_asked = trials.iter().any(|url| url.contains(number));
        assert!(is_asked, "{number}: {trials:?}");
    }
}

/// A number that was answered before is tried first, and may be the one of which the source has enough.
#[tokio::test(flavor = "multi_thread")]
async fn a_known_number_of_which_a_source_has_enough_is_not_every_trial() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let bill = NumberKind::BillOfLading;
    ground.track(account, "NWLX00001", bill).await;
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
    ground.carrier().reset().await;
    let enough = ResponseTemplate::new(429).insert_header("Retry-After", "60");
    Mock::given(query_param("transportDocumentReference", "NWLX00001"))
        .respond_with(enough)
        .with_priority(1)
        .mount(ground.carrier())
        .await;
    let knows = ResponseTemplate::new(200).set_body_raw("[]", "application/json");
    Mock::given(any())
        .respond_with(knows)
        .mount(ground.carrier())
        .await;
    ground.pass(SignedDuration::from_hours(24));
    ground.drain().await;
    assert_eq!(standing(&ground).await.waits, 1);
    ground.track(account, "NWLX00002", bill).await;
    for _ in 0..3 {
        ground.pass(seconds(7_200));
        ground.drain().await;
    }
    let asked = ground.carrier().received_requests().await.unwrap();
    let of_new = |url: &str| url.contains("NWLX00002");
    assert!(asked.iter().any(|one| of_new(one.url.as_str())));
}

/// An operator takes a kind of number out of a profile: nothing is said of numbers of that kind, and nothing spent on them.
#[tokio::test(flavor = "multi_thread")]
async fn a_number_about_which_its_profile_asks_no_longer_waits_for_one_that_does() {
    let mut ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.start_again_asking_by("[numbers]\nbill_of_lading = \"transportDocumentReference\"\n");
    for _ in 0..3 {
        ground.drain().await;
        ground.pass(seconds(600));
    }
    let waits = ground.request(account, request).await;
    assert_eq!(waits.progress.status, RequestStatus::Pending, "{waits:?}");
    let standing = standing(&ground).await;
    assert_eq!((ground.asked().await, standing.spent.in_day), (0, 0));
    ground.start_again_asking_by("container = \"equipmentReference\"\n");
    ground.pass(SignedDuration::from_hours(1));
    ground.drain().await;
    let found = ground.request(account, request).await;
    assert_eq!(found.progress.status, RequestStatus::Succeeded, "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_in_trouble_that_names_short_waits_is_asked_less_and_less_often() {
    let ground = Ground::new(LADEN).await;
    ground.refuse(503, Some("1")).await;
    let account = ground.account("A").await;
    for number in 0..30 {
        let bill = NumberKind::BillOfLading;
        ground
            .track(account, &format!("NWLX{number:05}"), bill)
            .await;
    }
    for _ in 0..60 {
        ground.drain().await;
        ground.pass(seconds(1));
    }
    let asked = ground.asked().await;
    assert!(
        (10..=13).contains(&asked),
        "eight at first, then one: {asked}"
    );
    ground.answer("[]").await;
    ground.pass(seconds(64));
    ground.drain().await;
    assert_eq!(standing(&ground).await.waits, 0);
    assert!(ground.asked().await >= 30, "{}", ground.asked().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_days_budget_is_kept_over_a_restart_and_ends_at_midnight() {
    let mut ground = Ground::with(LADEN, "[polling]\nrequests_per_day = 2\n").await;
    let account = ground.account("A").await;
    for number in ["NWLU0000425", "NWLU0000446", "NWLU0000467"] {
        ground.track(account, number, NumberKind::Container).await;
    }
    ground.drain().await;
    assert_eq!(
        (ground.asked().await, condition(&ground).await),
        (2, Condition::Spent)
    );
    ground.start_again();
    ground.drain().await;
    assert_eq!(
        ground.asked().await,
        2,
        "the new process knows what was used"
    );
    ground.pass(SignedDuration::from_hours(24));
    ground.drain().await;
    assert_eq!(ground.asked().await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_count_in_the_budget_also_when_the_next_one_fails() {
    let ground = Ground::new(LADEN).await;
    let second = ResponseTemplate::new(200)
        .set_body_raw(LADEN, "application/json")
        .insert_header("Next-Page-Cursor", "third");
    ground.carrier().reset().await;
    Mock::given(query_param("cursor", "third"))
        .respond_with(ResponseTemplate::new(500))
        .with_priority(1)
        .mount(ground.carrier())
        .await;
    Mock::given(query_param("cursor", "second"))
        .respond_with(second.clone())
        .with_priority(2)
        .mount(ground.carrier())
        .await;
    let first = second.insert_header("Next-Page-Cursor", "second");
    Mock::given(any())
        .respond_with(first)
        .mount(ground.carrier())
        .await;
    tracked(&ground).await;
    let spent = standing(&ground).await.spent;
    assert_eq!((ground.asked().await, spent.in_day), (3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_source_is_not_asked_before_a_person_says_so() {
    let mut ground = Ground::new(LADEN).await;
    let paused = source_state::pause(ground.tracking(), "nowhere", "new contract").await;
    assert!(paused.unwrap());
    tracked(&ground).await;
    ground.start_again();
    ground.pass(SignedDuration::from_hours(48));
    ground.drain().await;
    assert_eq!(
        (ground.asked().await, condition(&ground).await),
        (0, Condition::Paused)
    );
    assert!(
        source_state::resume(ground.tracking(), "nowhere")
            .await
            .unwrap()
    );
    ground.drain().await;
    assert_eq!(
        (ground.asked().await, condition(&ground).await),
        (1, Condition::Working)
    );
    assert!(
        !source_state::pause(ground.tracking(), "nobody", "")
            .await
            .unwrap()
    );
}

/// A node was killed while it asked, and nobody asks again before the source is opened.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_a_killed_node_at_a_paused_source_is_nothing_to_wait_for() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    let (now, owner) = (ground.tracking().now(), Uuid::from_u128(1));
    let until = now + LEASE_DEFAULT;
    let claiming = ground
        .tracking()
        .store()
        .write(Key::sightings(), move |tx| {
            store::watch::claim_due(tx, now, until, owner, 1, &[])
        });
    let claimed: Result<_, store::Error> = claiming.await;
    assert_eq!(claimed.unwrap().len(), 1);
    let paused = source_state::pause(ground.tracking(), "nowhere", "").await;
    assert!(paused.unwrap());
    ground.pass(LEASE_DEFAULT * 2);
    let next = work::drain(ground.tracking()).await.unwrap();
    assert!(
        next.is_none_or(|next| next > ground.tracking().now()),
        "{next:?}"
    );
    assert_eq!(ground.asked().await, 0);
    let resumed = source_state::resume(ground.tracking(), "nowhere").await;
    assert!(resumed.unwrap());
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_is_heard_and_a_bad_one_counted() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.push_for(Some(account), LADEN).await;
    ground.drain().await;
    let all = ground.tracking().store().read(store::source::all).await;
    let heard = all.unwrap().remove("hub").and_then(|hub| hub.heard_at);
    assert_eq!(heard, None, "one account brings what it has");
    ground.push(LADEN).await;
    ground.push("<html>").await;
    let now = ground.tracking().now();
    let all = ground.tracking().store().read(move |tx| {
        let heard = store::source::all(tx)?.remove("hub");
        let backlog = store::source::backlogs(tx, now)?.remove("hub");
        Ok::<_, store::Error>((heard, backlog))
    });
    let (heard, backlog) = all.await.unwrap();
    assert_eq!(heard.unwrap().heard_at, Some(now));
    assert_eq!(backlog.unwrap().quarantined, 1);
}

/// Another line, whose carrier answers at once; with these keys at the end of its profile.
pub(crate) async fn prompt(carrier: &MockServer, keys: &str) -> Source {
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_raw(LADEN, "application/json"))
        .mount(carrier)
        .await;
    let profile = format!(
        "id = \"prompt\"\nprotocol = \"dcsa-2\"\nscac = [\"MAEU\"]\n[endpoint]\nbase = \"{}\"\n{keys}",
        carrier.uri()
    );
    let profile = Profile::parse(&profile).unwrap();
    Source::new(Puller::new(
        Outbound::new(this_machine()).unwrap(),
        profile,
        Secrets::default(),
    ))
}

/// Who looks a name up panics, and finds it here later.
#[derive(Default)]
struct Breaking {
    panicked: AtomicUsize,
    is_mended: AtomicBool,
}

impl Resolve for Breaking {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async {
            if !self.is_mended.load(Ordering::SeqCst) {
                self.panicked.fetch_add(1, Ordering::SeqCst);
                panic!("planted");
            }
            Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])
        })
    }
}

/// Another line, under a name.
fn breaking(names: &Arc<Breaking>, port: u16) -> Source {
    let profile = format!(
        "id = \"broken\"\nprotocol = \"dcsa-2\"\nscac = [\"MAEU\"]\n[endpoint]\nbase = \"http://line.test:{port}\""
    );
    let resolver = Arc::clone(names) as Arc<dyn Resolve>;
    Source::new(Puller::new(
        Outbound::with_resolver(this_machine(), resolver).unwrap(),
        Profile::parse(&profile).unwrap(),
        Secrets::default(),
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_that_panic_keep_no_source_from_being_asked() {
    let mut ground = Ground::new(LADEN).await;
    let (other, names) = (MockServer::start().await, Arc::new(Breaking::default()));
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_raw(LADEN, "application/json"))
        .mount(&other)
        .await;
    ground.start_again_with(vec![breaking(&names, other.address().port())]);
    let account = ground.account("A").await;
    let scac = Scac::parse("MAEU").ok();
    // As many as may be asked about at once.
    for number in 1..=8 {
        let number = format!("MAEU{number:05}");
        ground
            .ask_for(account, &number, NumberKind::BillOfLading, scac)
            .await;
    }
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    while names.panicked.load(Ordering::SeqCst) < 8 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    names.is_mended.store(true, Ordering::SeqCst);
    ground
        .ask_for(account, "MAEU00009", NumberKind::BillOfLading, scac)
        .await;
    let answered = async {
        while other.received_requests().await.unwrap().len() < 9 {
            // Breaker and claims of what panicked come to their end.
            ground.pass(SignedDuration::from_mins(10));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let answered = tokio::time::timeout(Duration::from_secs(20), answered).await;
    stop.cancel();
    working.await.unwrap();
    assert!(answered.is_ok(), "nobody is asked any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_whose_question_panics_is_asked_about_later_and_its_source_is_in_trouble() {
    let mut ground = Ground::new(LADEN).await;
    let names = Arc::new(Breaking::default());
    ground.start_again_with(vec![breaking(&names, 80)]);
    let account = ground.account("A").await;
    let (bill, scac) = (NumberKind::BillOfLading, Scac::parse("MAEU").ok());
    ground.ask_for(account, "MAEU00001", bill, scac).await;
    ground.drain().await;
    let found = ground.tracking().store().read(move |tx| {
        let watch = store::watch::of_number(tx, "broken", bill, "MAEU00001")?;
        let standing = store::source::all(tx)?.remove("broken");
        Ok::<_, store::Error>((watch, standing))
    });
    let (watch, standing) = found.await.unwrap();
    let (watch, standing) = (watch.unwrap(), standing.unwrap());
    assert_eq!(watch.failures, 1);
    assert!(watch.next_poll_at > Some(ground.tracking().now()));
    let trouble = &standing.troubles[&Trouble::Unreadable];
    assert!(trouble.why.contains("planted"), "{}", trouble.why);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_hangs_delays_no_other() {
    let mut ground = Ground::new(LADEN).await;
    let other = MockServer::start().await;
    let source = prompt(&other, "").await;
    ground.start_again_with(vec![source]);
    ground.hang(Duration::from_secs(25)).await;
    let account = ground.account("A").await;
    for number in 0..100 {
        ground
            .track(
                account,
                &format!("NWLX{number:05}"),
                NumberKind::BillOfLading,
            )
            .await;
    }
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    while ground.asked().await < 8 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let scac = Scac::parse("MAEU").ok();
    ground
        .ask_for(account, "MAEU00001", NumberKind::BillOfLading, scac)
        .await;
    let answered = async {
        while other
            .received_requests()
            .await
            .unwrap_or_default()
            .is_empty()
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let answered = tokio::time::timeout(Duration::from_secs(15), answered).await;
    assert!(answered.is_ok(), "it waits for the one that hangs");
    assert_eq!(ground.asked().await, 8, "places of one source");
    working.abort();
}

/// A question about the box, of which the carrier was asked the first page and has said nothing yet.
async fn under_way(ground: &Ground) -> JoinHandle<()> {
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    let tracking = ground.tracking().clone();
    let asking = tokio::spawn(async move {
        work::drain(&tracking).await.unwrap();
    });
    while ground.asked().await == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    asking
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_is_not_asked_about_again_while_a_slow_answer_comes() {
    let mut ground = Ground::new(LADEN).await;
    ground.start_again_leasing(seconds(1));
    ground.hang(Duration::from_secs(6)).await;
    let asking = under_way(&ground).await;
    // The lease of a watch is six times as long, and renewed at a third of that.
    for _ in 0..2 {
        ground.pass(seconds(5));
        tokio::time::sleep(Duration::from_millis(2_200)).await;
        ground.drain().await;
        assert_eq!(ground.asked().await, 1);
    }
    asking.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_question_took_is_counted_though_its_claim_was_lost() {
    let ground = Ground::new(LADEN).await;
    let page = ResponseTemplate::new(200).set_body_raw(LADEN, "application/json");
    let slow = page.clone().set_delay(Duration::from_secs(1));
    ground.carrier().reset().await;
    Mock::given(query_param("cursor", "second"))
        .respond_with(page)
        .with_priority(1)
        .mount(ground.carrier())
        .await;
    Mock::given(any())
        .respond_with(slow.insert_header("Next-Page-Cursor", "second"))
        .mount(ground.carrier())
        .await;
    let asking = under_way(&ground).await;
    ground.pass(LEASE_DEFAULT * 6);
    let (now, until) = (
        ground.tracking().now(),
        ground.tracking().now() + seconds(9),
    );
    let stealing = ground
        .tracking()
        .store()
        .write(Key::sightings(), move |tx| {
            store::watch::claim_due(tx, now, until, Uuid::nil(), 1, &[])
        });
    let stolen: Result<Vec<_>, store::Error> = stealing.await;
    assert_eq!(stolen.unwrap().len(), 1);
    asking.await.unwrap();
    assert_eq!(standing(&ground).await.spent.in_day, 2);
}

async fn asked(carrier: &MockServer) -> usize {
    carrier.received_requests().await.unwrap_or_default().len()
}

/// Beside the carrier another one, which is asked with the same login.
async fn twins(keys: &str) -> (Ground, MockServer, AccountId) {
    let mut ground = Ground::with(LADEN, keys).await;
    let other = MockServer::start().await;
    let shared = format!("[auth]\nlogin = \"nowhere\"\n{keys}");
    let source = prompt(&other, &shared).await;
    ground.start_again_with(vec![source]);
    let account = ground.account("A").await;
    (ground, other, account)
}

async fn track_twin(ground: &Ground, account: AccountId, number: &str) {
    let scac = Scac::parse("MAEU").ok();
    let kind = NumberKind::BillOfLading;
    ground.ask_for(account, number, kind, scac).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_with_one_login_share_its_budget() {
    let (ground, other, account) = twins("[polling]\nrequests_per_day = 4\n").await;
    for number in 0..4 {
        let bill = NumberKind::BillOfLading;
        ground
            .track(account, &format!("NWLX{number:05}"), bill)
            .await;
        track_twin(&ground, account, &format!("MAEU{number:05}")).await;
    }
    ground.drain().await;
    assert_eq!(
        (ground.asked().await, asked(&other).await),
        (2, 2),
        "a fair part each"
    );
    for source in ["nowhere", "prompt"] {
        assert_eq!(
            condition_of(&ground, source).await,
            Condition::Spent,
            "{source}"
        );
    }
    ground.pass(SignedDuration::from_hours(24));
    ground.drain().await;
    assert_eq!(ground.asked().await + asked(&other).await, 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_with_one_login_share_its_breaker_and_its_pause() {
    let (ground, other, account) = twins("").await;
    ground.refuse(401, None).await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    track_twin(&ground, account, "MAEU00001").await;
    ground.drain().await;
    assert_eq!(asked(&other).await, 0, "it is the same key");
    assert_eq!(condition_of(&ground, "prompt").await, Condition::Broken);
    let known = source_state::pause(ground.tracking(), "prompt", "new contract").await;
    assert!(known.unwrap());
    assert_eq!(condition(&ground).await, Condition::Paused);
    assert!(
        source_state::resume(ground.tracking(), "nowhere")
            .await
            .unwrap()
    );
    ground.answer(LADEN).await;
    ground.drain().await;
    assert_eq!(asked(&other).await, 1);
    assert_eq!(condition_of(&ground, "prompt").await, Condition::Working);
}
