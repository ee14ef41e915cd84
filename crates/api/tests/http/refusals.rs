//! What is refused, and in which words: bodies and queries.

use api::{Body, Method, ROUTES, Route};
use serde_json::json;

use crate::house::House;
use crate::planted::plant;
use crate::rows::{nowhere, row};

#[tokio::test]
async fn bodies_where_none_is_wanted() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let hook = format!("/v2/webhooks/{}", planted.webhook);
    let before = house.get(&hook).await.body;
    let routes = ROUTES.iter();
    let wanting_none = |route: &&Route| matches!(route.operation.body, Some(Body::Nothing));
    let mut names = Vec::new();
    for route in routes.filter(wanting_none) {
        names.push(route.operation.name);
        let path = row(route, &planted).path(route);
        for (media, body, status) in [
            (Some("application/json"), "garbage", 400),
            (None, "garbage", 400),
            (Some("application/json"), "7", 400),
            (Some("application/vnd.api+json"), r#"{"data":7}"#, 400),
            (Some("application/json"), r#"{"why":"x"}"#, 422),
            (
                Some("application/json"),
                r#"{"data":{"type":"a","attributes":{"b":1}}}"#,
                422,
            ),
        ] {
            let method = route.method.as_str();
            let sent = client.send_bytes(method, &path, media, body.as_bytes());
            sent.await.faults(status);
        }
    }
    assert!(names.contains(&"rotate_webhook_secret"), "{names:?}");
    assert_eq!(house.get(&hook).await.body, before, "nothing was done");
}

#[tokio::test]
async fn bodies_that_are_no_envelope() {
    let house = House::open().await;
    let client = house.client();
    for route in ROUTES {
        let Some(Body::Resource { kind, .. }) = route.operation.body else {
            continue;
        };
        let path = nowhere(route);
        let send = |media: &'static str, body: Vec<u8>| {
            let (client, path) = (client.clone(), path.clone());
            async move {
                client
                    .send_bytes(route.method.as_str(), &path, Some(media), &body)
                    .await
            }
        };
        let typed = |attributes: &str| {
            format!(r#"{{"data":{{"type":"{kind}","attributes":{attributes}}}}}"#).into_bytes()
        };
        for bad in [
            b"{".to_vec(),
            b"[]".to_vec(),
            b"{\"data\":\"\xff\"}".to_vec(),
            br#"{"data":[]}"#.to_vec(),
            typed("[]"),
            typed(r#"{"url":"a","url":"b"}"#),
            typed(r#"{"x":"\ud800"}"#),
            typed(r#"{"x":123456789012345678901234567890}"#),
            typed(&format!("{{\"x\":{}1{}}}", "[".repeat(40), "]".repeat(40))),
            typed(&format!(
                "{{\"x\":{}1{}}}",
                "[".repeat(90_000),
                "]".repeat(90_000)
            )),
        ] {
            send("application/json", bad).await.faults(400);
        }
        for media in [
            "text/plain",
            "application/xml",
            "application/json; charset=latin1",
        ] {
            send(media, typed("{}")).await.faults(415);
        }
        let huge = typed(&format!("{{\"x\":\"{}\"}}", "a".repeat(300 * 1024)));
        send("application/json", huge).await.faults(413);
        let bare = client
            .send_bytes(route.method.as_str(), &path, None, b"{}")
            .await;
        bare.faults(415);
        let squeezed = client.clone().header("Content-Encoding", "gzip");
        let squeezed = squeezed
            .send_bytes(
                route.method.as_str(),
                &path,
                Some("application/json"),
                b"{}",
            )
            .await;
        squeezed.faults(415);
        let nul = send("application/vnd.api+json", typed(r#"{"x":"a\u0000b"}"#)).await;
        let told = nul.faults(422);
        assert!(told[0].starts_with("/data/attributes/x: "), "{told:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_nothing_but_faults_costs_no_more_than_others() {
    let house = House::open().await;
    let name = "a".repeat(100_000);
    let texts = vec![r#""\u0000""#; 8_000].join(",");
    let body = format!(r#"{{"data":{{"type":"party","attributes":{{"{name}":[{texts}]}}}}}}"#);
    let (client, media) = (house.client(), Some("application/json"));
    let begun = std::time::Instant::now();
    let sent = client.send_bytes("POST", "/v2/parties", media, body.as_bytes());
    let answer = sent.await;
    assert!(answer.body.len() < 10_000, "{} bytes", answer.body.len());
    assert!(begun.elapsed() < std::time::Duration::from_secs(5));
    answer.faults(422);
}

#[tokio::test]
async fn operations_without_a_body_take_none() {
    let house = House::open().await;
    for route in ROUTES.iter().filter(|route| route.operation.body.is_none()) {
        let path = nowhere(route);
        let method = route.method.as_str();
        let media = Some("application/json");
        let answer = house.client().send_bytes(method, &path, media, b"{}").await;
        answer.faults(413);
    }
}

#[tokio::test]
async fn queries_are_closed_lists() {
    let house = House::open().await;
    for route in ROUTES.iter().filter(|route| route.operation.body.is_none()) {
        let path = nowhere(route);
        for (query, name) in [
            ("nonsense=1", "nonsense"),
            ("filter[nonsense]=1", "filter[nonsense]"),
            ("filter%5Bnonsense%5D=1", "filter[nonsense]"),
            ("page[nonsense]=1", "page[nonsense]"),
            ("page[number]=0", "page[number]"),
            ("page[size]=-1", "page[size]"),
            ("page[size]=ten", "page[size]"),
            ("include=nonsense", "include"),
            ("fields[nonsense]=id", "fields[nonsense]"),
            ("sort=nonsense", "sort"),
            ("a=%zz", "a"),
            ("a=%ff", "a"),
        ] {
            let method = route.method.as_str();
            let answer = house
                .client()
                .send(method, &format!("{path}?{query}"), None)
                .await;
            let told = answer.faults(400);
            assert!(
                told[0].starts_with(&format!("{name}: ")),
                "{path} {query}: {told:?}"
            );
        }
        if route.method == Method::Get {
            let many = vec!["a=1"; 100].join("&");
            house.get(&format!("{path}?{many}")).await.faults(400);
        }
    }
}

#[tokio::test]
async fn every_fault_of_a_tracking_request_at_once() {
    let house = House::open().await;
    let body = json!({"data": {"type": "parcel", "attributes": {
        "request_type": "booking", "scac": "XXXX", "auto_detect_vocc_scac": "yes",
        "ref_numbers": ["a", 7], "shipment_tags": "red",
    }}});
    let answer = house
        .client()
        .send("POST", "/v2/tracking_requests", Some(&body))
        .await;
    insta::assert_snapshot!(answer.faults(422).join("\n"));
}

#[tokio::test]
async fn every_fault_of_a_webhook_at_once() {
    let house = House::open().await;
    let body = json!({"data": {"attributes": {
        "url": "http://127.0.0.1/", "active": 1, "headers": [{"name": "X"}, 5],
        "events": ["container.updated", "container.exploded", "container.updated"],
    }}});
    let answer = house
        .client()
        .send("POST", "/v2/webhooks", Some(&body))
        .await;
    insta::assert_snapshot!(answer.faults(422).join("\n"));
    let empty = json!({"data": {"type": "webhook"}});
    let answer = house
        .client()
        .send("POST", "/v2/webhooks", Some(&empty))
        .await;
    insta::assert_snapshot!(answer.faults(422).join("\n"));
}
