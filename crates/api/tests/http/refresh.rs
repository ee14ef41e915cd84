//! Asking the sources of a container now, over HTTP.

use domain::account::Feature;
use domain::tracking_request::NumberKind;
use serde_json::json;
use sources::ocean::Template;
use sources::ocean::dcsa::{Profile, Puller, Secrets};
use sources::outbound::{EgressSettings, Outbound};
use sources::{Asker, Speaks};
use store::Key;
use store::watch::Watch;
use tracking::{Source, id_source, work};

use crate::house::{House, settings};
use crate::planted::{BOXES, plant};

/// A carrier that cannot be reached: the guard refuses its address. Its id is that of the planted watch.
const SILENT: &str = r#"
id = "MSCU"
protocol = "dcsa-2"
scac = "MSCU"
[endpoint]
base = "https://127.0.0.1:4433"
"#;

#[tokio::test]
async fn only_sources_that_are_asked_are_named() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}/refresh", planted.containers[0]);
    let answer = house.client().send("PATCH", &path, None).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let told = answer.json()["message"].as_str().unwrap().to_owned();
    assert!(
        told.starts_with("Nothing was refreshed: no source"),
        "{told}"
    );

    let house = House::asking(SILENT).await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}/refresh", planted.containers[0]);
    let answer = house.client().send("PATCH", &path, None).await;
    let expected = json!({"message": "Started refresh for Shipping line"});
    assert_eq!(answer.json(), expected);
}

/// The line, which nobody reaches.
fn line() -> Source {
    let profile = Profile::parse(SILENT).unwrap();
    let outbound = Outbound::new(EgressSettings::default()).unwrap();
    Source::new(Puller::new(outbound, profile, Secrets::default()))
}

/// A source that is asked about boxes, as it is shipped.
fn of_boxes(templates: &[Template], name: &str) -> Source {
    let template = templates.iter().find(|template| template.name == name);
    let profile = sources::Profile::parse(template.unwrap().text).unwrap();
    let Speaks::Table(table) = &profile.speaks else {
        panic!("it is asked with a mapping");
    };
    let asking = table.asking.clone().unwrap();
    let outbound = Outbound::new(EgressSettings::default()).unwrap();
    Source::of_boxes(profile, Asker::new(outbound, asking, Secrets::default()))
}

fn terminal() -> Source {
    of_boxes(sources::terminal::templates(), "apm-terminals")
}

fn railroad() -> Source {
    of_boxes(sources::rail::templates(), "up")
}

/// What a refresh says where these are configured, and those of them that are asked about boxes are asked about this one.
async fn told_with(sources: Vec<Source>) -> String {
    let asked = sources.iter().filter(|source| source.id() != "MSCU");
    let asked: Vec<String> = asked.map(|source| source.id().to_owned()).collect();
    let house = House::taking(settings(), sources).await;
    let planted = plant(&house).await;
    let now = house.tracking.now();
    let key = Key::account(house.account);
    let writing = house.tracking.store().write(key, move |tx| {
        let mut ids = id_source(now);
        for source in &asked {
            let watch = Watch {
                id: ids.draw(),
                source: source.clone(),
                kind: NumberKind::Container,
                number: BOXES[0].into(),
                created_at: now,
                next_poll_at: Some(now),
                failures: 0,
                last_attempted_at: None,
                last_succeeded_at: None,
                last_changed_at: None,
                claim_token: 0,
                asked_by: None,
            };
            store::watch::find_or_insert(tx, &watch)?;
        }
        Ok::<_, store::Error>(())
    });
    writing.await.unwrap();
    let path = format!("/v2/containers/{}/refresh", planted.containers[0]);
    let answer = house.client().send("PATCH", &path, None).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_kind_of_source_that_is_asked_is_named_once() {
    for (sources, expected) in [
        (vec![railroad()], "Rail"),
        (vec![railroad(), terminal()], "Terminal, Rail"),
        (
            vec![railroad(), line(), terminal()],
            "Shipping line, Terminal, Rail",
        ),
        (vec![line()], "Shipping line"),
    ] {
        let expected = format!("Started refresh for {expected}");
        assert_eq!(told_with(sources).await, expected);
    }
}

#[tokio::test]
async fn while_every_source_is_left_alone_it_is_503_with_the_time_to_wait() {
    let house = House::asking(SILENT).await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}/refresh", planted.containers[0]);
    for _ in 0..5 {
        let answer = house.client().send("PATCH", &path, None).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        work::drain(&house.tracking).await.unwrap();
    }
    let answer = house.client().send("PATCH", &path, None).await;
    answer.faults(503);
    assert_eq!(answer.header("retry-after"), Some("60"));
}

#[tokio::test]
async fn an_account_that_has_it_off_is_told_so() {
    let house = House::open().await;
    let planted = plant(&house).await;
    house.switch(&[(Feature::Refresh, false)]).await;
    let path = format!("/v2/containers/{}/refresh", planted.containers[0]);
    let told = house.client().send("PATCH", &path, None).await.faults(403);
    assert_eq!(told, ["This API endpoint is not enabled for your account."]);
}
