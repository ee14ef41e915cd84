//! What a number tells, over HTTP.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;
use crate::planted::{BILL, plant};

async fn infer(house: &House, body: Value) -> Answer {
    let path = "/v2/tracking_requests/infer_number";
    house.client().send("POST", path, Some(&body)).await
}

async fn told(house: &House, number: &str) -> Value {
    let answer = infer(house, json!({ "number": number })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["data"].clone()
}

#[tokio::test]
async fn the_answer_has_the_shape_that_clients_read() {
    let house = House::open().await;
    let data = told(&house, "medu ab123456").await;
    let id = data["id"].as_str().unwrap().strip_prefix("req_").unwrap();
    assert!(id.parse::<uuid::Uuid>().is_ok(), "{id}");
    assert_eq!(data["type"], "infer_number_results");
    let msc = json!({"scac": "MSCU", "name": "Mediterranean Shipping Company", "confidence": 0.99});
    assert_eq!(
        data["attributes"],
        json!({
            "number_type": "bill_of_lading",
            "validation": {
                "is_valid": true, "type": "shipment", "check_digit_passed": null,
                "parsed_number": "MEDUAB123456", "reason": null,
            },
            "shipping_line": {"decision": "auto_select", "selected": msc, "candidates": [msc]},
        })
    );
    let other = told(&house, "medu ab123456").await;
    assert_ne!(other["id"], data["id"]);
}

#[tokio::test]
async fn a_wrong_check_digit_is_told_beside_the_guess() {
    let house = House::open().await;
    let attributes = told(&house, "MSCU6639871").await["attributes"].clone();
    assert_eq!(attributes["number_type"], "container");
    let validation = &attributes["validation"];
    assert_eq!(validation["is_valid"], false);
    assert_eq!(validation["type"], "container");
    assert_eq!(validation["check_digit_passed"], false);
    assert!(validation["reason"].is_string());
    let line = &attributes["shipping_line"];
    assert_eq!(line["decision"], "needs_confirmation");
    assert_eq!(line["selected"], Value::Null);
    assert_eq!(line["candidates"][0]["scac"], "MSCU");
}

#[tokio::test]
async fn a_line_that_create_refuses_for_the_kind_is_not_chosen() {
    let house = House::open().await;
    let attributes = told(&house, "EGLV123456789012").await["attributes"].clone();
    assert_eq!(attributes["number_type"], "bill_of_lading");
    assert_eq!(
        attributes["shipping_line"],
        json!({"decision": "no_prediction", "selected": null, "candidates": []})
    );
    let reason = attributes["validation"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("EGLV "), "{reason}");
}

#[tokio::test]
async fn bookings_and_numbers_that_say_nothing_are_answered_too() {
    let house = House::open().await;
    let booking = told(&house, "EBKG12345678").await["attributes"].clone();
    assert_eq!(booking["number_type"], "booking");
    let line = told(&house, "TCLU4255604").await["attributes"]["shipping_line"].clone();
    assert_eq!(
        line,
        json!({"decision": "no_prediction", "selected": null, "candidates": []})
    );
}

#[tokio::test]
async fn what_the_account_tracked_counts_for_itself_and_for_nobody_else() {
    let house = House::open().await;
    plant(&house).await;
    let line = told(&house, BILL).await["attributes"]["shipping_line"].clone();
    assert_eq!(line["decision"], "auto_select");
    assert_eq!(line["selected"]["scac"], "MSCU");
    let neighbour = house.neighbour().await;
    let path = "/v2/tracking_requests/infer_number";
    let body = json!({ "number": BILL });
    let theirs = neighbour.send("POST", path, Some(&body)).await.json();
    let decision = &theirs["data"]["attributes"]["shipping_line"]["decision"];
    assert_eq!(decision, "no_prediction");
}

#[tokio::test]
async fn what_is_no_number_is_refused_in_known_words() {
    let house = House::open().await;
    for body in [
        json!({}),
        json!({"number": null}),
        json!({"number": ""}),
        json!({"number": "  - "}),
        json!({"number": "A1"}),
        json!({"number": "HELLO WORLD"}),
        json!({"number": "MSCU 66;39870"}),
        json!({"number": "1".repeat(60)}),
    ] {
        let told = infer(&house, body.clone()).await.faults(422);
        assert_eq!(
            told,
            ["/number: This reference number is not valid."],
            "{body}"
        );
    }
    let told = infer(&house, json!({"number": 7})).await.faults(422);
    assert_eq!(told, ["/number: Number must be a string"]);
}
