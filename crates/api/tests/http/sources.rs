//! How the sources are doing, over HTTP.

use domain::account::Feature;
use domain::source::Trouble;
use serde_json::json;
use store::Key;

use crate::house::House;

const PROFILE: &str = r#"
id = "nowhere"
protocol = "dcsa-2"
scac = ["MSCU", "MEDU"]
[endpoint]
base = "https://nowhere.invalid"
[polling]
requests_per_minute = 30
requests_per_day = 1000
"#;

async fn refuse_us(house: &House) {
    let now = house.tracking.now();
    let writing = house.tracking.store().write(Key::sightings(), move |tx| {
        let mut standing = store::source::hold(tx, "nowhere")?;
        standing.failed(
            Trouble::Unauthorized,
            "the carrier does not accept our credentials",
            now,
        );
        store::source::save(tx, "nowhere", &standing)
    });
    writing.await.unwrap();
}

#[tokio::test]
async fn a_source_that_refuses_us_says_what_to_do_until_it_is_resumed() {
    let house = House::asking(PROFILE).await;
    let listed = house.get("/v2/sources").await;
    assert_eq!(listed.ids(), ["nowhere", "quayside-trials"]);
    let shown =
        || async { house.get("/v2/sources/nowhere").await.json()["data"]["attributes"].clone() };
    let new = shown().await;
    assert_eq!(new["state"], "silent");
    assert_eq!(new["shipping_lines"], json!(["MSCU", "MEDU"]));
    let budget = json!({"requests_per_minute": 30, "requests_per_day": 1000,
        "used_this_minute": 0, "used_today": 0});
    assert_eq!((&new["budget"], &new["lag_seconds"]), (&budget, &json!(0)));
    refuse_us(&house).await;
    let broken = shown().await;
    assert_eq!(
        (&broken["state"], &broken["broken_by"]),
        (&json!("broken"), &json!("unauthorized"))
    );
    assert_eq!(broken["asked_again_at"], "2026-03-01T12:01:00Z");
    let error = &broken["errors"][0];
    assert_eq!(
        (&error["class"], &error["count"]),
        (&json!("unauthorized"), &json!(1))
    );
    assert!(
        error["advice"].as_str().unwrap().contains("secrets"),
        "{error}"
    );
    let resumed = house
        .client()
        .send("PATCH", "/v2/sources/nowhere/resume", None)
        .await;
    assert_eq!(resumed.json()["data"]["attributes"]["state"], "silent");
    assert_eq!(
        shown().await["errors"][0]["count"],
        1,
        "what happened is not forgotten"
    );
}

#[tokio::test]
async fn pausing_stops_everybody_and_takes_who_was_told_to() {
    let house = House::asking(PROFILE).await;
    let pause = "/v2/sources/nowhere/pause";
    let usual = house.without(Feature::Sources).await;
    usual.send("PATCH", pause, None).await.faults(403);
    assert_eq!(
        usual.get("/v2/sources/nowhere").await.status,
        200,
        "every reader sees it"
    );
    let paused = house.client().send("PATCH", pause, None).await.json();
    assert_eq!(paused["data"]["attributes"]["state"], "paused");
    assert_eq!(
        paused["data"]["attributes"]["paused_at"],
        "2026-03-01T12:00:00Z"
    );
    let nobody = "/v2/sources/nobody/pause";
    house.client().send("PATCH", nobody, None).await.faults(404);
}
