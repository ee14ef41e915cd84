//! Asking the sources of a container now, over HTTP.

use domain::account::Feature;
use serde_json::json;
use tracking::work;

use crate::house::House;
use crate::planted::plant;

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
