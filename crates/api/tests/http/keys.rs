//! Keys over HTTP.

use domain::account::Permissions;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::house::House;

async fn add(client: &Client, attributes: Value) -> Answer {
    let body = json!({"data": {"type": "api_key", "attributes": attributes}});
    client.send("POST", "/v2/api_keys", Some(&body)).await
}

fn key_of(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, 201, "{}", answer.body);
    let data = answer.json()["data"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&data["id"]), text(&data["attributes"]["key"]))
}

#[tokio::test]
async fn a_key_is_shown_once_and_opens_until_it_is_deleted() {
    let house = House::open().await;
    let client = house.client();
    let created = add(
        &client,
        json!({"name": " ci ", "permissions": ["show"], "key": "ct_live_mine", "id": "x"}),
    )
    .await;
    let (id, key) = key_of(&created);
    assert!(key.starts_with("ct_live_") && key.len() == 44, "{key}");
    let attributes = created.json()["data"]["attributes"].clone();
    assert_eq!(attributes["name"], "ci");
    assert_eq!(attributes["permissions"], json!(["show"]));
    assert_eq!(attributes["last_used_at"], Value::Null);
    let holder = Client::new(house.address).key(&key);
    assert_eq!(holder.get("/v2/shipments").await.status, 200);
    holder.get("/v2/api_keys").await.faults(403);

    let listed = client.get("/v2/api_keys").await;
    let both = listed.ids();
    assert_eq!(both.len(), 2);
    assert_eq!(listed.json()["meta"]["total"], 2);
    for (number, expected) in [(1, &both[..1]), (2, &both[1..]), (3, &[])] {
        let page = format!("/v2/api_keys?page[size]=1&page[number]={number}");
        assert_eq!(client.get(&page).await.ids(), expected);
    }
    assert!(!listed.body.contains(&key));
    let masked = format!("ct_live_…{}", &key[40..]);
    let rows = listed.json()["data"].as_array().cloned().unwrap();
    let row = rows.iter().find(|row| row["id"] == id.as_str()).unwrap();
    assert_eq!(row["attributes"]["key"], masked);

    let path = format!("/v2/api_keys/{id}");
    assert_eq!(client.send("DELETE", &path, None).await.status, 204);
    holder.get("/v2/shipments").await.faults(401);
    client.send("DELETE", &path, None).await.faults(404);
}

#[tokio::test]
async fn no_key_hands_out_what_it_lacks() {
    let house = House::open().await;
    let writer = house
        .limited(Permissions {
            show: false,
            update: true,
        })
        .await;
    let refused = add(
        &writer,
        json!({"name": "a", "permissions": ["update", "show"]}),
    )
    .await;
    assert_eq!(
        refused.faults(422),
        ["/data/attributes/permissions/1: Permissions is a permission that the calling key lacks"]
    );
    let (id, key) = key_of(&add(&writer, json!({"name": "a"})).await);
    let made = Client::new(house.address).key(&key);
    made.get("/v2/shipments").await.faults(403);
    let own = made.get("/v2/api_keys").await;
    let rows = own.json()["data"].as_array().cloned().unwrap();
    let row = rows.iter().find(|row| row["id"] == id.as_str()).unwrap();
    assert_eq!(row["attributes"]["permissions"], json!(["update"]));
    let itself = format!("/v2/api_keys/{id}");
    assert_eq!(made.send("DELETE", &itself, None).await.status, 204);
    made.get("/v2/api_keys").await.faults(401);
}

#[tokio::test]
async fn what_is_no_key_is_refused() {
    let house = House::open().await;
    let client = house.client();
    for (attributes, pointer) in [
        (json!({}), "/data/attributes/name"),
        (json!({"name": " "}), "/data/attributes/name"),
        (json!({"name": "n".repeat(256)}), "/data/attributes/name"),
        (
            json!({"name": "a", "permissions": []}),
            "/data/attributes/permissions",
        ),
        (
            json!({"name": "a", "permissions": ["admin"]}),
            "/data/attributes/permissions/0",
        ),
        (
            json!({"name": "a", "permissions": "show"}),
            "/data/attributes/permissions",
        ),
    ] {
        let told = add(&client, attributes.clone()).await.faults(422);
        assert!(told[0].starts_with(pointer), "{attributes}: {told:?}");
    }
    for place in 0..99 {
        key_of(&add(&client, json!({"name": format!("key {place}")})).await);
    }
    add(&client, json!({"name": "one more"})).await.faults(422);
}

#[tokio::test]
async fn a_key_as_clients_in_ruby_write_it() {
    let house = House::open().await;
    let key = &house.key;
    let of = |value: String| {
        let client = Client::new(house.address).header("Authorization", &value);
        async move { client.get("/v2/me").await }
    };
    for good in [
        format!("Token token=\"{key}\""),
        format!("Token token={key}"),
        format!("Token token=\"{key}\", nonce=\"a\""),
    ] {
        let answer = of(good.clone()).await;
        assert_eq!(answer.status, 200, "{good}: {}", answer.body);
    }
    for bad in [
        format!("Bearer token=\"{key}\""),
        format!("Basic token={key}"),
        format!("Token key={key}"),
        format!("Token \"{key}\""),
        format!("Token token=\"{key}"),
        format!("token=\"{key}\""),
        "Token token=".to_owned(),
        "Token token=\"\"".to_owned(),
    ] {
        let told = of(bad.clone()).await.faults(401);
        assert_eq!(told, ["Invalid or missing API token."], "{bad}");
    }
}

#[tokio::test]
async fn a_key_asks_whose_it_is() {
    let house = House::open().await;
    let client = house.client();
    let made = add(
        &client,
        json!({"name": "warehouse", "permissions": ["show"]}),
    )
    .await;
    let made = made.json()["data"].clone();
    let holder = Client::new(house.address).key(made["attributes"]["key"].as_str().unwrap());
    let told = holder.get("/v2/me").await;
    assert_eq!(told.status, 200, "{}", told.body);
    let account = json!({"type": "account", "id": house.account.to_string()});
    let told = told.json();
    assert_eq!(
        told["data"],
        json!({
            "id": made["id"],
            "type": "credential",
            "attributes": {
                "kind": "api_key", "name": "warehouse", "created_at": "2026-03-01T12:00:00Z",
                "channel": "api", "features": {},
            },
            "relationships": {"account": {"data": account}, "user": {"data": null}},
        })
    );
    assert_eq!(told["links"]["self"], "https://quay.example/v2/me");
    assert_eq!(told["included"].as_array().unwrap().len(), 1);
    assert_eq!(told["included"][0]["id"], account["id"]);
    assert_eq!(
        told["included"][0]["attributes"],
        json!({"company_name": "first"})
    );
    for none in ["", "user"] {
        let bare = holder.get(&format!("/v2/me?include={none}")).await.json();
        assert_eq!(bare["included"], json!([]));
    }
    let neighbour = house.neighbour().await.get("/v2/me").await.json();
    assert_ne!(neighbour["included"][0]["id"], account["id"]);
    Client::new(house.address).get("/v2/me").await.faults(401);
}
