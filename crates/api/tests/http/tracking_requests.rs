//! Creating and changing tracking requests.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;

async fn create(house: &House, attributes: Value) -> Answer {
    let body = json!({"data": {"type": "tracking_request", "attributes": attributes}});
    house
        .client()
        .send("POST", "/v2/tracking_requests", Some(&body))
        .await
}

fn bill(number: &str) -> Value {
    json!({"request_type": "bill_of_lading", "request_number": number, "scac": "MSCU"})
}

#[tokio::test]
async fn a_request_is_pending_at_once() {
    let house = House::open().await;
    let answer = create(
        &house,
        json!({
            "request_type": "bill_of_lading", "request_number": " QUAY77 ", "scac": "mscu",
            "ref_numbers": ["PO 7"], "shipment_tags": ["spring"],
            "id": "x", "status": "succeeded", "created_at": "2001-01-01T00:00:00Z",
        }),
    )
    .await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let told = answer.json();
    let id = told["data"]["id"].as_str().unwrap().to_owned();
    let own = format!("https://quay.example/v2/tracking_requests/{id}");
    assert_eq!(answer.header("location"), Some(own.as_str()));
    assert_eq!(
        told["data"]["links"]["self"],
        format!("/v2/tracking_requests/{id}")
    );
    let attributes = &told["data"]["attributes"];
    for (name, value) in [
        ("request_number", json!("QUAY77")),
        ("scac", json!("MSCU")),
        ("status", json!("pending")),
        ("failed_reason", Value::Null),
        ("retry_count", Value::Null),
        ("is_retrying", json!(false)),
        ("ref_numbers", json!(["PO 7"])),
        ("tags", json!(["spring"])),
        ("shipment_tags", json!(["spring"])),
        ("created_at", json!("2026-03-01T12:00:00Z")),
    ] {
        assert_eq!(attributes[name], value, "{name}");
    }
    assert_eq!(
        told["data"]["relationships"]["tracked_object"]["data"],
        Value::Null
    );
    let read = house
        .get(&format!("/v2/tracking_requests/{id}"))
        .await
        .json();
    assert_eq!(read["data"], told["data"]);
}

#[tokio::test]
async fn the_same_again_is_refused_and_names_the_first() {
    let house = House::open().await;
    let first = create(&house, bill("QUAY78")).await.json();
    let again = create(&house, bill("QUAY78")).await;
    let told = again.faults(422);
    assert!(
        told[0].starts_with("/data/attributes/request_number: "),
        "{told:?}"
    );
    assert!(told[0].ends_with("already exists in a tracking_request with a pending status"));
    let item = again.json()["errors"][0].clone();
    assert_eq!(item["code"], "duplicate");
    assert_eq!(item["meta"]["tracking_request_id"], first["data"]["id"]);
    assert_eq!(create(&house, bill("QUAY79")).await.status, 201);
}

#[tokio::test]
async fn what_cannot_be_tracked() {
    let house = House::open().await;
    for (attributes, pointer, code) in [
        (
            json!({"request_number": "1", "request_type": "bill_of_lading"}),
            "scac",
            Some("blank"),
        ),
        (
            json!({"request_number": "1", "request_type": "bill_of_lading", "scac": ""}),
            "scac",
            Some("blank"),
        ),
        (
            json!({"request_number": "1", "request_type": "bill_of_lading", "scac": "ZZZZ"}),
            "scac",
            None,
        ),
        (
            json!({"request_type": "bill_of_lading", "scac": "MSCU"}),
            "request_number",
            Some("blank"),
        ),
        (
            json!({"request_number": "\u{200b} ", "request_type": "booking_number", "scac": "MSCU"}),
            "request_number",
            Some("blank"),
        ),
        (
            json!({"request_number": "CSQU3054384", "request_type": "container", "scac": "MSCU"}),
            "request_number",
            None,
        ),
        (
            json!({"request_number": "CSQU3054383", "request_type": "container", "scac": "TEST"}),
            "request_type",
            None,
        ),
        (
            json!({"request_number": "1", "request_type": "booking", "scac": "MSCU"}),
            "request_type",
            None,
        ),
        (
            json!({"request_number": "a\nb", "request_type": "booking_number", "scac": "MSCU"}),
            "request_number",
            None,
        ),
        (
            json!({"request_number": "x".repeat(256), "request_type": "booking_number", "scac": "MSCU"}),
            "request_number",
            None,
        ),
    ] {
        let answer = create(&house, attributes.clone()).await;
        let told = answer.faults(422);
        let expected = format!("/data/attributes/{pointer}: ");
        assert!(
            told.len() == 1 && told[0].starts_with(&expected),
            "{attributes}: {told:?}"
        );
        assert_eq!(
            answer.json()["errors"][0]["code"].as_str(),
            code,
            "{attributes}"
        );
    }
}

#[tokio::test]
async fn a_kind_that_the_line_does_not_answer_to() {
    let house = House::open().await;
    let lines = house.tracking.registry().shipping_lines();
    let lame = lines.into_iter().find(|line| !line.container_support);
    let scac = lame.expect("some line does not answer to containers").scac;
    let answer = create(
        &house,
        json!({
            "request_type": "container", "request_number": "CSQU3054383", "scac": scac.as_str(),
        }),
    )
    .await;
    let told = answer.faults(422);
    assert!(
        told[0].starts_with("/data/attributes/request_type: "),
        "{told:?}"
    );
}

#[tokio::test]
async fn the_line_may_be_left_to_us() {
    let house = House::open().await;
    let answer = create(
        &house,
        json!({
            "request_type": "container", "request_number": "csqu 305438-3",
            "auto_detect_vocc_scac": true, "scac": null,
        }),
    )
    .await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let attributes = answer.json()["data"]["attributes"].clone();
    assert_eq!(attributes["scac"], Value::Null);
    assert_eq!(attributes["auto_detect_vocc_scac"], true);
}

#[tokio::test]
async fn a_check_digit_that_is_left_out_is_computed() {
    let house = House::open().await;
    let boxed = |number: &str| json!({"request_type": "container", "request_number": number, "scac": "MSCU"});
    let made = create(&house, boxed("csqu 305438")).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let number = made.json()["data"]["attributes"]["request_number"].clone();
    assert_eq!(number, "CSQU3054383");
    let again = create(&house, boxed("CSQU3054383")).await;
    assert_eq!(again.json()["errors"][0]["code"], "duplicate");
}

#[tokio::test]
async fn references_and_tags_can_change() {
    let house = House::open().await;
    let created = create(&house, bill("QUAY80")).await.json();
    let id = created["data"]["id"].as_str().unwrap();
    let path = format!("/v2/tracking_requests/{id}");
    let patch = |attributes: Value| {
        let body =
            json!({"data": {"type": "tracking_request", "id": id, "attributes": attributes}});
        let (client, path) = (house.client(), path.clone());
        async move { client.send("PATCH", &path, Some(&body)).await }
    };
    let refs = |answer: &Answer| answer.json()["data"]["attributes"]["ref_numbers"].clone();
    assert_eq!(
        refs(&patch(json!({"ref_numbers": ["A", "B"]})).await),
        json!(["A", "B"])
    );
    assert_eq!(refs(&patch(json!({"ref_number": "C"})).await), json!(["C"]));
    let tagged = patch(json!({"shipment_tags": ["x"], "status": "failed"})).await;
    assert_eq!(refs(&tagged), json!(["C"]));
    assert_eq!(tagged.json()["data"]["attributes"]["tags"], json!(["x"]));
    assert_eq!(tagged.json()["data"]["attributes"]["status"], "pending");
    assert_eq!(refs(&patch(json!({"ref_numbers": null})).await), json!([]));
    for (sent, expected) in [
        (
            json!({"ref_number": "D", "ref_numbers": null}),
            json!(["D"]),
        ),
        (
            json!({"ref_number": "E", "ref_numbers": ["D"]}),
            json!(["E"]),
        ),
        (
            json!({"ref_number": "E", "ref_numbers": ["E", "F"]}),
            json!(["E", "F"]),
        ),
        (
            json!({"ref_number": "E", "ref_numbers": ["E", "F"]}),
            json!(["E", "F"]),
        ),
        (
            json!({"ref_number": null, "ref_numbers": ["G"]}),
            json!(["G"]),
        ),
        (
            json!({"ref_number": " ", "ref_numbers": ["G"]}),
            json!(["G"]),
        ),
        (json!({"ref_number": "H", "ref_numbers": []}), json!(["H"])),
        (json!({"ref_number": null, "ref_numbers": null}), json!([])),
    ] {
        assert_eq!(refs(&patch(sent.clone()).await), expected, "{sent}");
    }
    let tags = |answer: &Answer| answer.json()["data"]["attributes"]["tags"].clone();
    for (sent, expected) in [
        (json!({"tags": ["y"], "shipment_tags": ["x"]}), json!(["y"])),
        (json!({"tags": ["y"], "shipment_tags": ["z"]}), json!(["z"])),
        (json!({"tags": ["a"], "shipment_tags": null}), json!(["a"])),
        (json!({"tags": null, "shipment_tags": ["a"]}), json!(["a"])),
        (json!({"tags": ["b"], "shipment_tags": []}), json!(["b"])),
        (json!({"tags": [], "shipment_tags": ["b"]}), json!([])),
        (json!({"tags": ["a"]}), json!(["a"])),
        (json!({"tags": null}), json!([])),
    ] {
        assert_eq!(tags(&patch(sent.clone()).await), expected, "{sent}");
    }
    let body = json!({"data": {"type": "tracking_request", "id": "other", "attributes": {}}});
    let told = house
        .client()
        .send("PATCH", &path, Some(&body))
        .await
        .faults(422);
    assert!(told[0].starts_with("/data/id: "), "{told:?}");
}

#[tokio::test]
async fn another_code_of_a_line_means_the_line() {
    let house = House::open().await;
    let lines: Vec<_> = house.tracking.registry().shipping_lines().collect();
    let many = lines.iter().find(|line| {
        let other = line.alternative_scacs.first();
        line.bill_of_lading_support && other.is_some_and(|other| other.as_str().len() == 4)
    });
    let line = many.expect("some line has another code");
    let other = line.alternative_scacs[0].to_string().to_lowercase();
    let by = |scac: &str| json!({"request_type": "bill_of_lading", "request_number": "QUAY81", "scac": scac});
    let made = create(&house, by(&other)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(
        made.json()["data"]["attributes"]["scac"],
        line.scac.as_str()
    );
    let told = create(&house, by(line.scac.as_str())).await.faults(422);
    let expected = format!(
        "/data/attributes/request_number: Request number 'QUAY81' with scac '{}' already exists in a \
         tracking_request with a pending status",
        line.scac
    );
    assert_eq!(told, [expected]);
}

#[tokio::test]
async fn the_words_of_a_line_that_is_refused() {
    let house = House::open().await;
    for (scac, expected) in [
        (json!(""), "Scac can't be blank"),
        (Value::Null, "Scac can't be blank"),
        (json!("ZZZZ"), "Scac 'ZZZZ' is not recognized"),
        (json!("MSC"), "Scac 'MSC' is not recognized"),
    ] {
        let told = create(
            &house,
            json!({"request_type": "bill_of_lading", "request_number": "1", "scac": scac}),
        )
        .await
        .faults(422);
        assert_eq!(told, [format!("/data/attributes/scac: {expected}")]);
    }
}

#[tokio::test]
async fn a_tag_is_kept_once() {
    let house = House::open().await;
    let mut wanted = bill("QUAY82");
    wanted["shipment_tags"] = json!(["a", "b", "a"]);
    let made = create(&house, wanted).await.json();
    assert_eq!(made["data"]["attributes"]["tags"], json!(["a", "b"]));
}

#[tokio::test]
async fn tags_are_kept_under_either_name_whatever_stands_empty_under_the_other() {
    let house = House::open().await;
    for (place, (tags, shipment_tags)) in [
        (json!(["a"]), Value::Null),
        (Value::Null, json!(["a"])),
        (json!(["a"]), json!([])),
        (json!([]), json!(["a"])),
    ]
    .into_iter()
    .enumerate()
    {
        let mut wanted = bill(&format!("QUAY9{place}"));
        wanted["tags"] = tags;
        wanted["shipment_tags"] = shipment_tags;
        let made = create(&house, wanted).await.json();
        assert_eq!(made["data"]["attributes"]["tags"], json!(["a"]), "{made}");
    }
}
