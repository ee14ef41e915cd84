//! Asking the sources of a container now.

use domain::codes::Scac;
use domain::ids::{AccountId, ContainerId};
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use tracking::refresh::{Asked, Refreshed, refresh};
use uuid::Uuid;
use wiremock::matchers::{any, query_param_contains};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::BOX;
use crate::ground::{Ground, LADEN};
use crate::standing::prompt;

const LINE_ASKED: Refreshed = Refreshed::Started(Asked {
    line: true,
    terminal: false,
    rail: false,
});

async fn container(ground: &Ground, account: AccountId) -> ContainerId {
    let document = ground.container_document(account).await;
    let id: Uuid = document
        .get("id")
        .unwrap()
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    ContainerId(id)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_known_is_asked_about_beside_an_import_of_many() {
    let ground = Ground::with(LADEN, "[polling]\nrequests_per_minute = 2\n").await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let id = container(&ground, account).await;
    for number in 0..30 {
        let bill = NumberKind::BillOfLading;
        ground
            .track(account, &format!("NWLX{number:05}"), bill)
            .await;
    }
    for minute in 1..=3 {
        ground.pass(SignedDuration::from_secs(61));
        let refreshed = refresh(ground.tracking(), account, id).await;
        assert_eq!(refreshed.unwrap(), LINE_ASKED);
        ground.drain().await;
        let asked = ground.carrier().received_requests().await.unwrap();
        let about_it = |url: &str| url.contains(BOX);
        let asked = asked.iter().filter(|one| about_it(one.url.as_str()));
        assert_eq!(asked.count(), 1 + minute);
        assert_eq!(ground.asked().await, 1 + 2 * minute, "of {minute}");
    }
    // Nobody needs the other half.
    ground.pass(SignedDuration::from_secs(61));
    ground.drain().await;
    assert_eq!(ground.asked().await, 9);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_line_is_asked_at_once_and_not_when_it_is_to_be_left_alone() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let id = container(&ground, account).await;
    assert_eq!(ground.asked().await, 1);
    let now = || refresh(ground.tracking(), account, id);
    assert_eq!(now().await.unwrap(), LINE_ASKED);
    ground.drain().await;
    assert_eq!(ground.asked().await, 2);
    let stranger = ground.account("B").await;
    let theirs = refresh(ground.tracking(), stranger, id).await.unwrap();
    assert_eq!(theirs, Refreshed::Unknown);
    // The fifth failure in a row opens the breaker for a minute.
    ground.break_down().await;
    for tried in 1..=5 {
        assert_eq!(now().await.unwrap(), LINE_ASKED, "{tried}");
        ground.drain().await;
    }
    let Refreshed::Paused { until } = now().await.unwrap() else {
        panic!("the breaker is not open");
    };
    assert_eq!(until.duration_since(ground.tracking().now()).as_secs(), 60);
    assert_eq!(ground.asked().await, 5);
    ground.pass(SignedDuration::from_secs(61));
    ground.answer(LADEN).await;
    assert_eq!(now().await.unwrap(), LINE_ASKED);
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_asked_for_what_is_new_is_asked_so_once_it_told_something() {
    let mut ground = Ground::new("[]").await;
    let carrier = MockServer::start().await;
    let source = prompt(&carrier, "incremental = true").await;
    ground.start_again_with(vec![source]);
    let account = ground.account("A").await;
    ask_the_line(&ground, account).await;
    let first = ground.tracking().now();
    let known = ground.container_document(account).await;
    // Nothing is new: the box is what it was.
    carrier.reset().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(404))
        .mount(&carrier)
        .await;
    ground.pass(SignedDuration::from_hours(6));
    ground.drain().await;
    let asked = carrier.received_requests().await.unwrap();
    let url = asked[0].url.to_string();
    let since = first - SignedDuration::from_hours(24);
    let since = format!("eventCreatedDateTime%3Agte={since:.0}").replace(':', "%3A");
    assert!(url.contains(&since), "{url} {since}");
    let now = ground.container_document(account).await;
    assert_eq!(now["attributes"], known["attributes"]);
    // The time is not understood: everything is asked for instead.
    carrier.reset().await;
    let refused = ResponseTemplate::new(400).set_body_raw("{}", "application/json");
    Mock::given(query_param_contains("eventCreatedDateTime:gte", "T"))
        .respond_with(refused)
        .with_priority(1)
        .mount(&carrier)
        .await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_raw(LADEN, "application/json"))
        .with_priority(2)
        .mount(&carrier)
        .await;
    ground.pass(SignedDuration::from_hours(6));
    ground.drain().await;
    let asked = carrier.received_requests().await.unwrap();
    let with_time: Vec<bool> = asked
        .iter()
        .map(|one| one.url.as_str().contains("eventCreatedDateTime"))
        .collect();
    assert_eq!(with_time, [true, false]);
}

/// What could not be read then may be mended under the time that it had.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_not_asked_for_what_is_new_while_something_of_it_could_not_be_read() {
    let mut ground = Ground::new("[]").await;
    let carrier = MockServer::start().await;
    let source = prompt(&carrier, "incremental = true").await;
    carrier.reset().await;
    let broken = LADEN
        .replace("e-1", "e-2")
        .replace("2026-04-05T03:20:00+08:00", "soon");
    let both = format!(
        "{},{}",
        LADEN.trim_end_matches(']'),
        broken.trim_start_matches('[')
    );
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_raw(both, "application/json"))
        .mount(&carrier)
        .await;
    ground.start_again_with(vec![source]);
    let account = ground.account("A").await;
    ask_the_line(&ground, account).await;
    ground.container_document(account).await;
    ground.pass(SignedDuration::from_hours(6));
    ground.drain().await;
    let asked = carrier.received_requests().await.unwrap();
    assert!(asked.len() >= 2, "{}", asked.len());
    for one in asked {
        assert!(
            !one.url.as_str().contains("eventCreatedDateTime"),
            "{}",
            one.url
        );
    }
}

/// Has the box followed at the line of [`prompt`], and the question asked.
async fn ask_the_line(ground: &Ground, account: AccountId) {
    let scac = Scac::parse("MAEU").ok();
    ground
        .ask_for(account, BOX, NumberKind::Container, scac)
        .await;
    ground.drain().await;
}
