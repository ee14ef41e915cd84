//! The life of a webhook.

use serde_json::{Value, json};

use crate::house::House;

#[tokio::test]
async fn from_creation_to_deletion() {
    let house = House::open().await;
    let client = house.client();
    let body = json!({"data": {"type": "webhook", "attributes": {
        "url": "https://hooks.example/in",
        "events": ["container.updated", "tracking_request.failed"],
        "headers": [{"name": "X-Team", "value": "quay"}],
        "secret": "mine", "created_at": "2001-01-01T00:00:00Z",
    }}});
    let created = client.send("POST", "/v2/webhooks", Some(&body)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let told = created.json()["data"].clone();
    let secret = told["attributes"]["secret"].as_str().unwrap().to_owned();
    assert!(
        secret.starts_with("whsec_") && secret.len() > 40,
        "made by us, in full: {secret}"
    );
    assert_eq!(told["attributes"]["active"], true);
    assert_eq!(told["attributes"]["created_at"], "2026-03-01T12:00:00Z");
    let path = format!("/v2/webhooks/{}", told["id"].as_str().unwrap());

    let read = house.get(&path).await.json()["data"].clone();
    let shown = read["attributes"]["secret"].as_str().unwrap().to_owned();
    assert!(
        shown.starts_with("whsec_…") && !secret.contains(&shown),
        "{shown}"
    );
    assert_eq!(
        read["attributes"]["headers"],
        json!([{"name": "X-Team", "value": "quay"}])
    );
    let listed = house.get("/v2/webhooks").await.json();
    assert_eq!(listed["data"][0], read);

    let patch = |attributes: Value| {
        let body = json!({"data": {"type": "webhook", "attributes": attributes}});
        let (client, path) = (client.clone(), path.clone());
        async move { client.send("PATCH", &path, Some(&body)).await }
    };
    let changed = patch(json!({"active": false, "events": ["container.created"]})).await;
    let attributes = changed.json()["data"]["attributes"].clone();
    assert_eq!(attributes["active"], false);
    assert_eq!(attributes["events"], json!(["container.created"]));
    assert_eq!(attributes["url"], "https://hooks.example/in");
    assert_eq!(attributes["secret"], shown);
    for bad in [
        json!({"url": ""}),
        json!({"url": null}),
        json!({"url": "https://10.0.0.1/"}),
        json!({"events": []}),
        json!({"events": null}),
        json!({"headers": [{"name": "Host", "value": "x"}]}),
    ] {
        let told = patch(bad.clone()).await.faults(422);
        assert_eq!(told.len(), 1, "{bad}: {told:?}");
    }

    let deleted = client.send("DELETE", &path, None).await;
    assert_eq!((deleted.status, deleted.body.as_str()), (200, ""));
    client.send("DELETE", &path, None).await.faults(404);
    house.get(&path).await.faults(404);
}
