//! One question to all numbers and references.

use serde_json::Value;

use crate::house::House;
use crate::planted::{BILL, BOXES, plant};

async fn kinds(house: &House, query: &str) -> Vec<String> {
    let answer = house.get(&format!("/v2/search?query={query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let rows = answer.json()["data"].as_array().cloned().unwrap();
    rows.iter()
        .map(|row| {
            assert_eq!(row["type"], "search_result");
            row["attributes"]["entity_type"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

#[tokio::test]
async fn any_part_of_a_number_is_found_and_repetitions_are_left_out() {
    let house = House::open().await;
    let planted = plant(&house).await;
    // The request has the number of its shipment: it says nothing new.
    assert_eq!(kinds(&house, BILL).await, ["shipment"]);
    assert_eq!(kinds(&house, "uay-0000").await, ["shipment"]);
    for part in ["csqu%20305438-3", "3054383", "0543"] {
        assert_eq!(kinds(&house, part).await, ["cargo"], "{part}");
    }
    assert_eq!(kinds(&house, "u").await, ["shipment", "cargo", "cargo"]);
    assert!(kinds(&house, "nowhere").await.is_empty());
    assert!(kinds(&house, "-").await.is_empty());
    let body = serde_json::json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": "QUAY00003", "scac": "MSCU",
        "ref_numbers": ["Order 66"],
    }}});
    let client = house.client();
    let made = client
        .send("POST", "/v2/tracking_requests", Some(&body))
        .await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(
        kinds(&house, "quay").await,
        ["shipment", "tracking_request"]
    );
    assert_eq!(kinds(&house, "order66").await, ["tracking_request"]);

    // A reference that only the request has is not told by its shipment.
    let body = serde_json::json!({"data": {"type": "tracking_request",
        "attributes": {"ref_numbers": ["Claim 99"]}}});
    let path = format!("/v2/tracking_requests/{}", planted.request);
    let told = client.send("PATCH", &path, Some(&body)).await;
    assert_eq!(told.status, 200, "{}", told.body);
    assert_eq!(kinds(&house, "claim-99").await, ["tracking_request"]);
    assert_eq!(kinds(&house, BILL).await, ["shipment"]);

    let row = house.get(&format!("/v2/search?query={}", BOXES[0])).await;
    let told = &row.json()["data"][0];
    assert_eq!(told["id"], planted.containers[0].to_string());
    assert_eq!(
        told["attributes"]["shipment_id"],
        planted.shipment.to_string()
    );
    assert_eq!(told["attributes"]["scac"], "MSCU");
    let row = house.get(&format!("/v2/search?query={BILL}")).await.json();
    let told = &row["data"][0]["attributes"];
    assert_eq!(told["containers_count"], 2);
    assert_eq!(told["tracking_stopped"], false);
    assert_eq!(told["status"], Value::Null);
    let own = format!("https://quay.example/v2/search?query={BILL}");
    assert_eq!(row["links"]["self"], own);
    assert_eq!(row["links"]["current"], own);
}

#[tokio::test]
async fn a_search_needs_a_question() {
    let house = House::open().await;
    let answer = house.get("/v2/search").await;
    assert_eq!(answer.faults(400), ["query: Query parameter is required"]);
    let fault = &answer.json()["errors"][0];
    assert_eq!(fault["title"], "Bad Request");
    assert_eq!(fault["source"]["parameter"], "query");
    for blank in ["", "%20", "+"] {
        let blank = house.get(&format!("/v2/search?query={blank}")).await;
        assert_eq!(blank.faults(400), answer.faults(400));
    }
    house
        .get("/v2/search?query=a&page[size]=5")
        .await
        .faults(400);
}

#[tokio::test]
async fn a_request_is_found_by_its_number_whatever_sets_its_groups_apart() {
    let house = House::open().await;
    let client = house.client();
    let submit = async |number: &str, kind: &str, scac: &str| {
        let body = serde_json::json!({"data": {"type": "tracking_request", "attributes": {
            "request_type": kind, "request_number": number, "scac": scac,
        }}});
        let made = client
            .send("POST", "/v2/tracking_requests", Some(&body))
            .await;
        assert_eq!(made.status, 201, "{}", made.body);
    };
    submit("medu 777-888", "bill_of_lading", "MSCU").await;
    submit("Medu777888", "booking_number", "MSCU").await;
    // The same number without the code of its line, of another line.
    submit("777888", "bill_of_lading", "MAEU").await;
    for (written, expected) in [
        ("MEDU777888", vec!["Medu777888", "medu 777-888"]),
        ("medu%20777-888", vec!["Medu777888", "medu 777-888"]),
        ("medu-777888", vec!["Medu777888", "medu 777-888"]),
        ("777-888", vec!["777888"]),
        ("MEDU77788", vec![]),
        ("%C3%A9", vec![]),
    ] {
        let path = format!("/v2/tracking_requests?filter[request_number]={written}");
        let told = house.get(&path).await.json();
        let rows = told["data"].as_array().unwrap();
        let mut numbers: Vec<&str> = rows
            .iter()
            .map(|row| row["attributes"]["request_number"].as_str().unwrap())
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, expected, "{written}");
        assert_eq!(told["meta"]["total"], expected.len(), "{written}");
    }
}
