//! Companies of an account.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;

pub async fn add(house: &House, attributes: Value) -> Answer {
    let body = json!({"data": {"attributes": attributes}});
    house
        .client()
        .send("POST", "/v2/parties", Some(&body))
        .await
}

async fn change(house: &House, id: &str, attributes: Value) -> Answer {
    let body = json!({"data": {"type": "party", "id": id, "attributes": attributes}});
    let path = format!("/v2/parties/{id}");
    house.client().send("PATCH", &path, Some(&body)).await
}

fn id_of(answer: &Answer) -> String {
    answer.json()["data"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_party_is_added_without_saying_that_it_is_one() {
    let house = House::open().await;
    let wanted = json!({"company_name": " Harbour Ltd ", "customer": "H-1", "id": "x"});
    let answer = add(&house, wanted).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let id = id_of(&answer);
    let told = answer.json();
    assert_eq!(told["data"]["type"], "party");
    assert_eq!(
        told["data"]["attributes"],
        json!({
            "company_name": "Harbour Ltd", "customer": "H-1",
            "created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:00:00Z",
        })
    );
    let path = format!("/v2/parties/{id}");
    assert_eq!(told["links"]["self"], path);
    assert_eq!(told["data"]["links"]["self"], path);
    let own = format!("https://quay.example{path}");
    assert_eq!(answer.header("location"), Some(own.as_str()));
    let read = house.get(&path).await.json();
    assert_eq!(read["data"], told["data"]);
    for (kind, status) in [(json!("parcel"), 422), (Value::Null, 400), (json!(1), 400)] {
        let body = json!({"data": {"type": kind, "attributes": {"company_name": "B"}}});
        let answer = house
            .client()
            .send("POST", "/v2/parties", Some(&body))
            .await;
        answer.faults(status);
    }
}

#[tokio::test]
async fn a_party_has_a_name() {
    let house = House::open().await;
    let blank = "/data/attributes/company_name: Company name can't be blank";
    for name in [Value::Null, json!(""), json!(" \u{200b}")] {
        let told = add(&house, json!({"company_name": name})).await;
        assert_eq!(told.faults(422), [blank]);
        assert_eq!(told.json()["errors"][0]["code"], "blank");
    }
    assert_eq!(add(&house, json!({})).await.faults(422), [blank]);
    let id = id_of(&add(&house, json!({"company_name": "A"})).await);
    let told = change(&house, &id, json!({"company_name": null})).await;
    assert_eq!(told.faults(422), [blank]);
    for odd in [json!("x".repeat(256)), json!("a\nb"), json!(1)] {
        let told = add(&house, json!({"company_name": odd})).await.faults(422);
        assert!(
            told[0].starts_with("/data/attributes/company_name: "),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn a_customer_is_called_so_once_in_an_account() {
    let house = House::open().await;
    let named = |name: &str, customer: &str| json!({"company_name": name, "customer": customer});
    let taken = "/data/attributes/customer: 'H-1' already exists in Account";
    let first = id_of(&add(&house, named("A", "H-1")).await);
    assert_eq!(add(&house, named("B", "H-1")).await.faults(422), [taken]);
    let second = id_of(&add(&house, named("B", "H-2")).await);
    let told = change(&house, &second, json!({"customer": "H-1"})).await;
    assert_eq!(told.faults(422), [taken]);
    assert_eq!(
        change(&house, &first, json!({"customer": "H-1"}))
            .await
            .status,
        200,
        "its own"
    );
    let freed = change(&house, &first, json!({"customer": null})).await;
    assert_eq!(freed.json()["data"]["attributes"]["customer"], Value::Null);
    let told = change(&house, &second, json!({"customer": "H-1"})).await;
    assert_eq!(told.json()["data"]["attributes"]["customer"], "H-1");
    assert_eq!(told.json()["data"]["attributes"]["company_name"], "B");
    let many = [1, 2].map(|_| json!({"company_name": "C"}));
    for one in many {
        assert_eq!(add(&house, one).await.status, 201, "none is not taken");
    }
    let body = json!({"data": {"attributes": named("theirs", "H-1")}});
    let neighbour = house.neighbour().await;
    let theirs = neighbour.send("POST", "/v2/parties", Some(&body)).await;
    assert_eq!(theirs.status, 201, "{}", theirs.body);
}

#[tokio::test]
async fn parties_come_25_to_a_page() {
    let house = House::open().await;
    for number in 0..26 {
        add(&house, json!({"company_name": format!("Company {number}")})).await;
    }
    let page = house.get("/v2/parties").await;
    assert_eq!(page.ids().len(), 25);
    assert_eq!(page.json()["meta"]["total"], 26);
    assert_eq!(house.get("/v2/parties?page[number]=2").await.ids().len(), 1);
    assert_eq!(house.get("/v2/parties?page[size]=26").await.ids().len(), 26);
}

#[tokio::test]
async fn parties_by_a_part_of_their_name() {
    let house = House::open().await;
    for name in ["Acme Imports", "Österreich Acme AG", "Harbour Ltd"] {
        add(&house, json!({"company_name": name})).await;
    }
    for (asked, rows) in [
        ("q=ACME", 2),
        ("query=acme", 2),
        ("query=%C3%B6sterreich", 1),
        ("q=harbour", 1),
        ("q=nobody", 0),
        ("q=", 3),
        ("query=+", 3),
        ("query=acme&page[size]=1", 1),
    ] {
        let answer = house.get(&format!("/v2/parties?{asked}")).await;
        assert_eq!(answer.ids().len(), rows, "{asked}");
    }
    let page = house
        .get("/v2/parties?query=acme&page[size]=1")
        .await
        .json();
    assert_eq!(page["meta"]["total"], 2);
    let twice = house.get("/v2/parties?q=a&query=b").await.faults(400);
    assert!(twice[0].starts_with("query: "), "{twice:?}");
}
