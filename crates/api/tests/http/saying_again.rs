//! A terminal that says the same again and again.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tracking::clock::Clock as _;

use crate::house::House;
use crate::rail_data::{BOX, LINE, follow, hear};
use crate::webhook_trials::opened;

const TERMINAL: &str = r#"
id = "quay"
protocol = "terminal-table"
terminal = "USLAX-Y258"
[format]
kind = "json"
[columns]
container = "unit"
as_of = "as_of"
available = "available"
holds = "holds"
yard_location = "row"
[holds]
complete = true
"#;

fn landed() -> Value {
    let lift = |id: &str, code: &str, at: &str, place: &str| {
        json!({"eventID": id, "eventCreatedDateTime": "2026-02-25T00:00:00Z", "eventType": "EQUIPMENT",
            "eventClassifierCode": "ACT", "eventDateTime": at, "equipmentEventTypeCode": code,
            "equipmentReference": BOX, "emptyIndicatorCode": "LADEN",
            "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place,
                "vessel": {"vesselIMONumber": "9321483"}}})
    };
    json!([
        lift("r-1", "LOAD", "2026-02-03T03:20:00+08:00", "CNNGB"),
        lift("r-2", "DISC", "2026-02-22T09:30:00-08:00", "USLAX"),
    ])
}

/// Of two sources, each of which has numbers of its own for what it says.
#[tokio::test]
async fn claims_of_a_box_are_numbered_upward_and_none_twice() {
    let house = House::hearing(&[LINE, TERMINAL], opened()).await;
    let client = house.client();
    follow(&client).await;
    let row = |hour: u32, holds: &str| {
        json!([{"unit": BOX, "as_of": format!("2026-02-23T{hour:02}:00:00Z"), "available": "N",
            "holds": holds, "row": "B1"}])
    };
    hear(&house, "quay", row(8, "CUSTOMS")).await;
    hear(&house, "hub", landed()).await;
    hear(&house, "quay", row(9, "NONE")).await;
    let shown = client.get("/v2/containers").await.json()["data"][0].clone();
    let path = format!("/v2/containers/{}", shown["id"].as_str().unwrap());
    let claims = client.get(&format!("{path}/raw_events")).await;
    let indices = |of: &Value| -> Vec<(String, i64)> {
        let claims = of.as_array().unwrap().iter();
        let claims = claims.filter(|one| one["type"] == "raw_event");
        claims
            .map(|one| {
                (
                    one["id"].as_str().unwrap().to_owned(),
                    one["attributes"]["index"].as_i64().unwrap(),
                )
            })
            .collect()
    };
    let claims = claims.json();
    let told = claims["data"].as_array().unwrap();
    for source in ["hub", "quay"] {
        let of_source = |one: &&Value| one["attributes"]["data_provider_name"] == source;
        assert!(
            told.iter().filter(of_source).count() > 1,
            "{source}: {claims}"
        );
    }
    let listed = indices(&claims["data"]);
    assert!(
        listed.is_sorted_by(|(_, one), (_, next)| one < next),
        "{listed:?}"
    );
    let mut included = indices(
        &client
            .get(&format!("{path}?include=raw_events"))
            .await
            .json()["included"],
    );
    included.sort_by_key(|(_, index)| *index);
    assert_eq!(included, listed);
}

/// An hour makes no version, and only the first and the last of what was said alike is listed.
#[tokio::test]
async fn what_a_terminal_only_repeats_is_no_version_and_is_not_listed() {
    let house = House::hearing(&[LINE, TERMINAL], opened()).await;
    let client = house.client();
    follow(&client).await;
    hear(&house, "hub", landed()).await;
    let first: Timestamp = "2026-02-23T08:00:00Z".parse().unwrap();
    let said = async |hour: i64, holds: &str| {
        let at = first + SignedDuration::from_hours(hour);
        let row = json!([{"unit": BOX, "as_of": at.to_string(), "available": "N", "holds": holds, "row": "B1"}]);
        house
            .clock
            .advance_to(house.clock.now() + SignedDuration::from_hours(1));
        hear(&house, "quay", row).await;
        let shown = client.get("/v2/containers").await.json()["data"][0].clone();
        let id = shown["id"].as_str().unwrap().to_owned();
        let claims = client.get(&format!("/v2/containers/{id}/raw_events")).await;
        (shown, claims.ids().len())
    };
    let (_, once) = said(0, "CUSTOMS").await;
    let (shown, twice) = said(1, "CUSTOMS").await;
    assert_eq!(
        shown["attributes"]["holds_at_pod_terminal"][0]["name"], "customs",
        "{shown}"
    );
    let mut last = (shown, twice);
    for hour in 2..8 {
        let again = said(hour, "CUSTOMS").await;
        assert_eq!(again.1, twice, "{once} were listed after the first");
        for what in ["/meta/version", "/attributes/updated_at"] {
            assert_eq!(again.0.pointer(what), last.0.pointer(what), "{what}");
        }
        let checked = "/attributes/terminal_checked_at";
        assert_ne!(again.0.pointer(checked), last.0.pointer(checked));
        last = again;
    }
    let (shown, _) = said(8, "NONE").await;
    assert_ne!(shown["meta"]["version"], last.0["meta"]["version"]);
    assert_eq!(shown["attributes"]["holds_at_pod_terminal"], json!([]));
}
