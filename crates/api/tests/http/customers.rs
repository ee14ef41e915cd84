//! Whose shipments these are, and what an account writes on its own records.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;
use crate::parties::add;
use crate::planted::{Planted, plant};

async fn party(house: &House, name: &str) -> String {
    let answer = add(house, json!({"company_name": name})).await;
    answer.json()["data"]["id"].as_str().unwrap().to_owned()
}

fn to(party: Option<&str>) -> Value {
    let data = party.map(|id| json!({"type": "party", "id": id}));
    json!({"customer": {"data": data}})
}

async fn patch(house: &House, path: &str, attributes: Value, links: Value) -> Answer {
    let kind = path.split('/').nth(2).unwrap().trim_end_matches('s');
    let body = json!({"data": {
        "type": kind, "attributes": attributes, "relationships": links,
    }});
    house.client().send("PATCH", path, Some(&body)).await
}

async fn give(house: &House, path: &str, party: Option<&str>) -> Answer {
    let answer = patch(house, path, json!({}), to(party)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer
}

fn customer(answer: &Answer) -> Value {
    answer.json()["data"]["relationships"]["customer"]["data"]["id"].clone()
}

fn paths(planted: &Planted) -> [String; 4] {
    let [first, second] = planted.containers;
    [
        format!("/v2/tracking_requests/{}", planted.request),
        format!("/v2/shipments/{}", planted.shipment),
        format!("/v2/containers/{first}"),
        format!("/v2/containers/{second}"),
    ]
}

#[tokio::test]
async fn a_container_has_its_own_customer_or_the_shipments() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [request, shipment, first, second] = paths(&planted);
    let (ours, theirs) = (party(&house, "Ours").await, party(&house, "Theirs").await);
    give(&house, &first, Some(&theirs)).await;
    let told = give(&house, &shipment, Some(&ours)).await;
    assert_eq!(customer(&told), ours);
    assert_eq!(told.json()["data"]["attributes"]["customer_name"], "Ours");
    assert_eq!(customer(&house.get(&first).await), theirs);
    assert_eq!(customer(&house.get(&second).await), ours);
    assert_eq!(customer(&give(&house, &first, None).await), ours);
    let told = give(&house, &shipment, None).await;
    assert_eq!(customer(&told), Value::Null);
    assert_eq!(
        told.json()["data"]["attributes"]["customer_name"],
        Value::Null
    );
    assert_eq!(customer(&house.get(&first).await), Value::Null);
    // The request's customer is its shipment's, and so its containers'.
    assert_eq!(customer(&give(&house, &request, Some(&ours)).await), ours);
    for path in [&shipment, &first, &second] {
        assert_eq!(customer(&house.get(path).await), ours, "{path}");
    }
    give(&house, &request, None).await;
    assert_eq!(customer(&house.get(&shipment).await), Value::Null);
    patch(&house, &request, json!({"tags": ["spring"]}), json!({})).await;
    give(&house, &shipment, Some(&theirs)).await;
    patch(&house, &request, json!({"tags": ["summer"]}), json!({})).await;
    assert_eq!(
        customer(&house.get(&shipment).await),
        theirs,
        "it was not spoken of"
    );
}

/// A client changes a reference and sends the whole record back.
#[tokio::test]
async fn a_customer_sent_back_as_it_was_read_changes_nobodys() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [request, shipment, first, _] = paths(&planted);
    let (ours, theirs) = (party(&house, "Ours").await, party(&house, "Theirs").await);
    give(&house, &request, Some(&ours)).await;
    assert_eq!(customer(&house.get(&shipment).await), ours);
    give(&house, &first, Some(&ours)).await;
    give(&house, &shipment, Some(&theirs)).await;
    let own = customer(&house.get(&first).await);
    assert_eq!(own, theirs, "what is the shipment's is not its own");
    give(&house, &request, Some(&ours)).await;
    assert_eq!(customer(&house.get(&shipment).await), theirs);
}

#[tokio::test]
async fn a_customer_is_one_of_the_accounts_parties() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let neighbour = house.neighbour().await;
    let body = json!({"data": {"attributes": {"company_name": "Theirs"}}});
    let foreign = neighbour.send("POST", "/v2/parties", Some(&body)).await;
    let foreign = foreign.json()["data"]["id"].as_str().unwrap().to_owned();
    let odd = json!({"customer": {"data": {"type": "shipment", "id": foreign}}});
    let none = json!({"customer": {"data": {"type": "party", "id": "nobody"}}});
    let bare = json!({"customer": "x"});
    for links in [to(Some(&foreign)), odd, none, bare] {
        for path in paths(&planted) {
            let told = patch(&house, &path, json!({}), links.clone()).await;
            let told = told.faults(422);
            assert!(
                told.len() == 1 && told[0].starts_with("/data/relationships/customer: "),
                "{told:?}"
            );
        }
        let body = json!({"data": {"type": "tracking_request", "relationships": links,
            "attributes": {"request_type": "bill_of_lading", "request_number": "Q9", "scac": "MSCU"}}});
        let told = house
            .client()
            .send("POST", "/v2/tracking_requests", Some(&body))
            .await
            .faults(422);
        assert!(
            told[0].starts_with("/data/relationships/customer: "),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn a_customer_comes_along_when_it_is_asked_for() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let ours = party(&house, "Ours").await;
    for path in paths(&planted) {
        give(&house, &path, Some(&ours)).await;
        let told = house.get(&format!("{path}?include=customer")).await;
        assert_eq!(told.included(), [("party".to_owned(), ours.clone())]);
    }
    let body = json!({"data": {"type": "tracking_request", "relationships": to(Some(&ours)),
        "attributes": {"request_type": "bill_of_lading", "request_number": "Q9", "scac": "MSCU"}}});
    let made = house
        .client()
        .send("POST", "/v2/tracking_requests", Some(&body))
        .await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(customer(&made), ours);
    let own = made.json()["data"]["links"]["self"]
        .as_str()
        .unwrap()
        .to_owned();
    let told = house
        .get(&format!("{own}?include=account,shipping_line,customer"))
        .await;
    let kinds: Vec<String> = told.included().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["account", "shipping_line", "party"]);
    let name = told.json()["included"][0]["attributes"]["company_name"].clone();
    assert_eq!(name, "first");
}

#[tokio::test]
async fn a_renamed_customer_is_called_so_everywhere() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [_, shipment, ..] = paths(&planted);
    let ours = party(&house, "Ours").await;
    give(&house, &shipment, Some(&ours)).await;
    let body = json!({"data": {"type": "party", "attributes": {"company_name": "Renamed"}}});
    let path = format!("/v2/parties/{ours}");
    let renamed = house.client().send("PATCH", &path, Some(&body)).await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);
    let told = house.get(&shipment).await.json();
    assert_eq!(told["data"]["attributes"]["customer_name"], "Renamed");
}

#[tokio::test]
async fn a_customer_is_found_by_part_of_the_name_in_any_letter_case() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [_, shipment, ..] = paths(&planted);
    let ours = party(&house, "Österreich 100% AG").await;
    give(&house, &shipment, Some(&ours)).await;
    for (name, found) in [
        ("%C3%96sterreich", true),
        ("%C3%B6STER", true),
        ("REICH%20100%25%20ag", true),
        ("Oster", false),
        ("reich%25ag", false),
    ] {
        for (list, rows) in [("shipments", 1), ("containers", 2)] {
            let path = format!("/v2/{list}?filter[customer_name]={name}");
            let told = house.get(&path).await.ids().len();
            assert_eq!(told, if found { rows } else { 0 }, "{path}");
        }
    }
}

#[tokio::test]
async fn none_of_many_customers_is_left_out_without_a_word() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [_, shipment, ..] = paths(&planted);
    for number in 0..1_000 {
        party(&house, &format!("{number} Trading Inc")).await;
    }
    let last = party(&house, "Last of many Inc").await;
    give(&house, &shipment, Some(&last)).await;
    let of = |name: &str| format!("/v2/shipments?filter[customer_name]={name}");
    assert_eq!(house.get(&of("many%20inc")).await.ids().len(), 1);
    assert_eq!(house.get(&of("0%20trading")).await.ids().len(), 0);
    let path = format!("{}&filter[customer]={last}", of("inc"));
    assert_eq!(house.get(&path).await.ids().len(), 1, "{path}");
    let refused = house.get(&of("inc")).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    let fault = &refused.json()["errors"][0];
    assert_eq!(fault["source"]["parameter"], "filter[customer_name]");
}

#[tokio::test]
async fn references_and_tags_are_replaced() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [_, shipment, container, _] = paths(&planted);
    let sent = json!({"ref_numbers": ["PO 1", "PO 2"], "tags": ["spring"], "tracked": false});
    let told = patch(&house, &shipment, sent, json!({})).await.json();
    let told = &told["data"]["attributes"];
    assert_eq!(told["ref_numbers"], json!(["PO 1", "PO 2"]));
    assert_eq!(told["tags"], json!(["spring"]));
    assert_eq!(told["tracked"], true);
    let twice = json!({"tags": ["a", "b", "a"]});
    let told = patch(&house, &shipment, twice, json!({})).await.faults(422);
    assert_eq!(
        told,
        ["/data/attributes/tags/2: Tags are given more than once"]
    );
    let cleared = patch(&house, &shipment, json!({"tags": null}), json!({})).await;
    assert_eq!(cleared.json()["data"]["attributes"]["tags"], json!([]));

    let before = house.get(&container).await.json();
    let sent = json!({"ref_numbers": ["C 1"]});
    let told = patch(&house, &container, sent.clone(), json!({})).await;
    let version = |told: &Value| told["data"]["meta"]["version"].as_i64().unwrap();
    let after = told.json();
    assert_eq!(after["data"]["attributes"]["ref_numbers"], json!(["C 1"]));
    assert_eq!(version(&after), version(&before) + 1);
    for kept in ["transport_events", "raw_events", "shipment"] {
        let of = |told: &Value| told["data"]["relationships"][kept].clone();
        assert_eq!(of(&after), of(&before), "{kept}");
    }
    let again = patch(&house, &container, sent, json!({})).await;
    assert_eq!(version(&again.json()), version(&after), "nothing changed");

    // What sources tell is not ours to change; a record sent back as it stands is no such wish.
    let stands = &after["data"]["attributes"];
    let whole = json!({"ref_numbers": ["C 1"], "weight_in_lbs": stands["weight_in_lbs"],
        "seal_number": stands["seal_number"]});
    let told = patch(&house, &container, whole, json!({})).await;
    assert_eq!(told.status, 200, "{}", told.body);
    for (name, value) in [
        ("weight_in_lbs", json!(12_345)),
        ("weight_in_lbs", json!("heavy")),
        ("seal_number", json!("S-77")),
    ] {
        let told = patch(&house, &container, json!({name: value}), json!({})).await;
        let at = format!("/data/attributes/{name}: ");
        let faults = told.faults(422);
        assert!(
            faults.len() == 1 && faults[0].starts_with(&at),
            "{faults:?}"
        );
    }
}

#[tokio::test]
async fn a_container_can_be_named_by_the_body_alone() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let send = |id: Value| {
        let body = json!({"data": {"type": "container", "id": id,
            "attributes": {"ref_numbers": ["B"]}}});
        let client = house.client();
        async move { client.send("PATCH", "/v2/containers", Some(&body)).await }
    };
    let told = send(json!(planted.containers[1].to_string())).await;
    assert_eq!(
        told.json()["data"]["attributes"]["ref_numbers"],
        json!(["B"])
    );
    assert_eq!(
        send(Value::Null).await.faults(422),
        ["/data/id: Id can't be blank"]
    );
    send(json!("nonsense")).await.faults(404);
    send(json!(planted.shipment.to_string())).await.faults(404);
    let neighbour = house.neighbour().await;
    let body = json!({"data": {"type": "container", "id": planted.containers[1].to_string()}});
    let foreign = neighbour.send("PATCH", "/v2/containers", Some(&body)).await;
    foreign.faults(404);
}

#[tokio::test]
async fn stopped_and_resumed_as_often_as_one_likes() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let [request, shipment, ..] = paths(&planted);
    let client = house.client();
    let ask = async |what: &str, body: Option<Value>| {
        let path = format!("{shipment}/{what}");
        let told = client.send("PATCH", &path, body.as_ref()).await;
        assert_eq!(told.status, 200, "{}", told.body);
        let status = house.get(&request).await.json()["data"]["attributes"]["status"].clone();
        (told.json()["data"].clone(), status)
    };
    let habit = json!({"data": {"type": "shipment", "id": "anything"}});
    let (stopped, status) = ask("stop_tracking", None).await;
    let attributes = &stopped["attributes"];
    assert_eq!(attributes["tracked"], false);
    assert_eq!(
        attributes["line_tracking_stopped_reason"],
        "cancelled_by_user"
    );
    assert_eq!(
        attributes["line_tracking_stopped_at"],
        "2026-03-01T12:00:00Z"
    );
    let by = &stopped["relationships"]["line_tracking_stopped_by_user"]["data"];
    assert_eq!(*by, Value::Null, "a key is nobody");
    assert_eq!(status, "tracking_stopped");
    let (again, _) = ask("stop_tracking", Some(habit.clone())).await;
    assert_eq!(again, stopped);
    let (resumed, status) = ask("resume_tracking", Some(habit)).await;
    assert_eq!(resumed["attributes"]["tracked"], true);
    for none in ["line_tracking_stopped_at", "line_tracking_stopped_reason"] {
        assert_eq!(resumed["attributes"][none], Value::Null);
    }
    assert_eq!(status, "succeeded");
    assert_eq!(ask("resume_tracking", None).await.0, resumed);
    // As serialisers write who has nothing to say.
    let bare = json!({"data": {"type": "shipment", "id": "anything", "attributes": {}, "relationships": null}});
    let (stopped, _) = ask("stop_tracking", Some(bare)).await;
    assert_eq!(stopped["attributes"]["tracked"], false);
    let more =
        json!({"data": {"type": "shipment", "id": "anything", "attributes": {"tracked": true}}});
    let path = format!("{shipment}/stop_tracking");
    let told = client.send("PATCH", &path, Some(&more)).await;
    assert_eq!(
        told.faults(422),
        ["/data/attributes: Attributes is not wanted here"]
    );
}
