//! Boxes that are asked about together, of which a terminal or railroad will not have one.

use std::collections::BTreeSet;

use domain::codes::ContainerNumber;
use domain::source::{Condition, Trouble};
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use serde_json::{Value, json};
use store::watch::Watch;
use tracking::source_state;
use wiremock::matchers::any;
use wiremock::{Mock, Request, ResponseTemplate};

use crate::ground::Ground;
use crate::railroads::{Railroad, told_of};

/// Half of it after each failure: five times until each is asked about alone.
const IN_ONE_QUESTION: u32 = 20;

/// Numbers of boxes, in the order in which they are asked about.
fn boxes(count: u32) -> Vec<String> {
    let number = |serial| ContainerNumber::parse(&format!("NWLU{serial:06}")).unwrap();
    (1..=count)
        .map(|serial| number(serial).to_string())
        .collect()
}

/// A service that follows so many boxes, all of which go on by this railroad: they fall due together in a day.
async fn following(road: &Railroad, count: u32) -> Ground {
    let mut ground = Ground::new(&told_of(&boxes(count))).await;
    ground.start_again_with(vec![road.source()]);
    let account = ground.account("A").await;
    for number in boxes(count) {
        ground.track(account, &number, NumberKind::Container).await;
    }
    ground.drain().await;
    ground.pass(SignedDuration::from_hours(24));
    ground
}

/// The boxes that this question names, as railroads write them.
fn named(request: &Request) -> BTreeSet<String> {
    let mut query = request.url.query_pairs();
    let (_, numbers) = query.find(|(name, _)| name == "equipment_id").unwrap();
    numbers.split(',').map(str::to_owned).collect()
}

impl Railroad {
    /// From now on it refuses each question that names this box, and has nothing to say to the others.
    async fn refuses(&self, guilty: &str, status: u16) {
        self.answers(ResponseTemplate::new(200).set_body_json(json!([])))
            .await;
        let guilty = guilty[..10].to_owned();
        Mock::given(any())
            .and(move |request: &Request| {
                let path = request.url.path();
                !path.contains("oauth") && named(request).contains(&guilty)
            })
            .respond_with(ResponseTemplate::new(status))
            .with_priority(2)
            .mount(&self.server)
            .await;
    }

    /// The boxes that each question until now has named.
    async fn questions_named(&self) -> Vec<BTreeSet<String>> {
        self.asked().await.0.iter().map(named).collect()
    }
}

async fn watch(ground: &Ground, number: &str) -> Watch {
    let number = number.to_owned();
    let reading = ground.tracking().store().read(move |tx| {
        let found = store::watch::of_number(tx, "up", NumberKind::Container, &number)?;
        Ok::<_, store::Error>(found.unwrap())
    });
    reading.await.unwrap()
}

/// Time passes, and what falls due meanwhile is done.
async fn minutes_pass(ground: &Ground, minutes: i64) {
    for _ in 0..minutes * 6 {
        ground.drain().await;
        ground.pass(SignedDuration::from_secs(10));
    }
    ground.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_refused_keeps_no_other_from_being_asked_about() {
    for status in [400, 422, 403] {
        let road = Railroad::open("up", &Value::Array(Vec::new())).await;
        let ground = following(&road, IN_ONE_QUESTION).await;
        let all = boxes(IN_ONE_QUESTION);
        let guilty = &all[12];
        road.refuses(guilty, status).await;
        let from = ground.tracking().now();
        minutes_pass(&ground, 10).await;
        for number in &all {
            let watch = watch(&ground, number).await;
            let is_answered = watch.last_succeeded_at >= Some(from);
            assert_eq!(is_answered, number != guilty, "{status} {number}");
            assert_eq!(watch.failures == 0, is_answered, "{status} {number}");
        }
        let asked = road.questions_named().await;
        assert_eq!(asked[0].len(), all.len(), "{status}: many in one question");
        assert!(asked.len() <= 12, "{status}: {asked:?}");
        // From then on it is asked about by itself, however many fall due with it.
        let before = asked.len();
        for _ in 0..48 {
            ground.pass(SignedDuration::from_hours(1));
            ground.drain().await;
        }
        let later = road.questions_named().await.split_off(before);
        let (with, without): (Vec<_>, Vec<_>) = later
            .iter()
            .partition(|names| names.contains(&guilty[..10]));
        assert!(!with.is_empty(), "{status}: it is tried again");
        assert!(
            with.iter().all(|names| names.len() == 1),
            "{status}: {with:?}"
        );
        assert!(
            without.iter().all(|names| names.len() > 1),
            "{status}: {without:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_railroad_that_refuses_every_box_is_asked_less_and_less_often_and_is_told_of() {
    for (status, trouble) in [
        (400, Trouble::Unreadable),
        (401, Trouble::Unauthorized),
        (403, Trouble::Refused),
        (422, Trouble::Unreadable),
    ] {
        let road = Railroad::open("up", &Value::Array(Vec::new())).await;
        let ground = following(&road, 3 * IN_ONE_QUESTION).await;
        road.answers(ResponseTemplate::new(status)).await;
        minutes_pass(&ground, 60).await;
        let asked = road.questions().await;
        assert!((2..=18).contains(&asked), "{status}: {asked}");
        let (shared, now) = (ground.tracking().clone(), ground.tracking().now());
        let reading = ground.tracking().store().read(move |tx| {
            let standing = store::source::all(tx)?.remove("up").unwrap();
            let state = source_state::find(tx, &shared, "up", now)?.unwrap();
            Ok::<_, store::Error>((standing, state.condition(now)))
        });
        let (standing, condition) = reading.await.unwrap();
        assert!(standing.troubles.contains_key(&trouble), "{standing:?}");
        assert!(
            matches!(condition, Condition::Broken | Condition::Trying),
            "{status}: {condition:?}"
        );
        // Once it answers, it is soon asked about all.
        road.says(&Value::Array(Vec::new())).await;
        minutes_pass(&ground, 60).await;
        for number in boxes(3 * IN_ONE_QUESTION) {
            let failures = watch(&ground, &number).await.failures;
            assert_eq!(failures, 0, "{status} {number}");
        }
    }
}
