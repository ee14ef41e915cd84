//! The life of a webhook.

use domain::account::Permissions;
use domain::event::EventName;
use domain::webhook::WEBHOOKS_MAX;
use serde_json::{Value, json};
use sources::outbound::{BLOCKED_PORTS, EgressSettings};
use store::Key;
use store::webhook::{self, Webhook};
use tracking::id_source;

use crate::house::House;

#[tokio::test]
async fn from_creation_to_deletion() {
    let house = House::open().await;
    let client = house.client();
    let body = json!({"data": {"type": "webhook", "attributes": {
        "url": "https://hooks.example/in",
        "events": ["container.updated", "tracking_request.failed"],
        "headers": [{"name": "x-TEAM", "value": "quay"}],
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
        json!({"active": null}),
        json!({"headers": [{"name": "Host", "value": "x"}]}),
        json!({"headers": [{"name": "User-Agent", "value": "x"}]}),
        json!({"headers": [{"name": "X-Team", "value": "x"}, {"name": "x-team", "value": "y"}]}),
    ] {
        let told = patch(bad.clone()).await.faults(422);
        assert_eq!(told.len(), 1, "{bad}: {told:?}");
    }

    let deleted = client.send("DELETE", &path, None).await;
    assert_eq!((deleted.status, deleted.body.as_str()), (200, ""));
    client.send("DELETE", &path, None).await.faults(404);
    house.get(&path).await.faults(404);
}

#[tokio::test]
async fn an_account_has_so_many_webhooks_and_no_more() {
    let house = House::open().await;
    let client = house.client();
    let body = json!({"data": {"type": "webhook", "attributes": {
        "url": "https://hooks.example/in", "events": ["container.updated"],
    }}});
    let create = async || client.send("POST", "/v2/webhooks", Some(&body)).await;
    let made = create().await;
    assert_eq!(made.status, 201, "{}", made.body);
    let path = format!(
        "/v2/webhooks/{}",
        made.json()["data"]["id"].as_str().unwrap()
    );
    let listener = json!({"name": "laptop"});
    let opened = client.send("POST", "/v2/listeners", Some(&listener)).await;
    assert_eq!(opened.status, 200, "{}", opened.body);

    let account = house.account;
    let filled = house
        .tracking
        .store()
        .write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            let one = webhook::active(a)?.swap_remove(0);
            let mut ids = id_source(one.created_at);
            for _ in 2..WEBHOOKS_MAX {
                let (id, one) = (ids.draw(), one.clone());
                webhook::insert(a, &Webhook { id, ..one })?;
            }
            Ok(())
        });
    let filled: Result<(), store::Error> = filled.await;
    filled.unwrap();
    assert_eq!(create().await.status, 201, "listeners do not count");
    let refused = create().await;
    let told = refused.faults(422);
    assert!(
        told[0].contains("500") && told[0].contains("delete one"),
        "{told:?}"
    );
    assert_eq!(refused.json()["errors"][0]["source"]["pointer"], "/data");
    let off = json!({"data": {"type": "webhook", "attributes": {"active": false}}});
    assert_eq!(client.send("PATCH", &path, Some(&off)).await.status, 200);
    assert_eq!(client.send("DELETE", &path, None).await.status, 200);
    assert_eq!(create().await.status, 201, "there is room again");
    let theirs = house.neighbour().await;
    assert_eq!(
        theirs
            .send("POST", "/v2/webhooks", Some(&body))
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn a_window_is_asked_for_once_under_one_name() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhooks/{}/redeliver", planted.webhook);
    let shown = format!("/v2/webhooks/{}/redeliveries", planted.webhook);
    let window = json!({"from": "2026-02-01T00:00:00Z", "to": "2026-04-01T00:00:00+01:00",
        "events": ["container.transport.vessel_arrived"], "status": ["failed", "missed"]});
    let named = house.client().header("Idempotency-Key", "once");
    let first = named.send("POST", &path, Some(&window)).await;
    assert_eq!(first.status, 202, "{}", first.body);
    let again = named.send("POST", &path, Some(&window)).await;
    assert_eq!((again.status, &again.body), (202, &first.body));
    let told = house.get(&shown).await.json()["redeliveries"].clone();
    assert_eq!(told, json!([first.json()]), "asked for twice, done once");
    assert_eq!(told[0]["from"], "2026-02-01T00:00:00Z");
    assert_eq!(
        told[0]["to"],
        crate::house::NOW,
        "what is to come is no part of it"
    );
    assert_eq!(
        (&told[0]["redelivered_count"], &told[0]["finished_at"]),
        (&json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn a_window_that_ends_at_a_time_that_was_shown_holds_all_of_that_second() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhooks/{}/redeliver", planted.webhook);
    let shown = format!("/v2/webhooks/{}/redeliveries", planted.webhook);
    for (to, behind, shown_as) in [
        (
            "2026-02-02T00:00:00Z",
            "2026-02-02T00:00:01Z",
            "2026-02-02T00:00:00Z",
        ),
        (
            "2026-02-02T00:00:00.000Z",
            "2026-02-02T00:00:00.000001Z",
            "2026-02-02T00:00:00Z",
        ),
        (
            "2026-02-02T00:00:00.25Z",
            "2026-02-02T00:00:00.250001Z",
            "2026-02-02T00:00:00.25Z",
        ),
        (
            "2026-02-02T00:00:00.9999999Z",
            "2026-02-02T00:00:01Z",
            "2026-02-02T00:00:00Z",
        ),
        ("2126-01-01T00:00:00Z", crate::house::NOW, crate::house::NOW),
    ] {
        let window = json!({"from": "2026-02-01T00:00:00Z", "to": to});
        let told = house.client().send("POST", &path, Some(&window)).await;
        assert_eq!(told.status, 202, "{}", told.body);
        assert_eq!(told.json()["to"], shown_as, "{to}");
        let listed = house.get(&shown).await.json();
        let listed = listed["redeliveries"].as_array().unwrap();
        assert!(listed.contains(&told.json()), "{listed:?}");
        let (account, webhook) = (house.account, planted.webhook);
        let kept = house
            .tracking
            .store()
            .read(move |tx| store::redelivery::of_webhook(&mut tx.account(account), webhook, 9));
        let kept = kept.await.unwrap();
        let row = kept
            .iter()
            .find(|row| told.json()["id"] == row.id.to_string());
        assert_eq!(row.unwrap().until.to_string(), behind, "{to}");
    }
}

/// Found by a reviewer: the patterns that a webhook takes, and that the API's description names here, were refused.
#[tokio::test]
async fn a_window_is_asked_for_by_patterns_as_a_webhook_is() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhooks/{}/redeliver", planted.webhook);
    let beginning = |events: Value| json!({"from": "2026-02-01T00:00:00Z", "to": "2026-02-02T00:00:00Z", "events": events});
    let whole = EventName::ALL.len();
    let transport = EventName::matching("container.transport.*").unwrap().len();
    for (events, count) in [
        (json!(["*"]), whole),
        (json!(["container.transport.*"]), transport),
        (
            json!(["container.created", "container.transport.*"]),
            transport + 1,
        ),
        (
            json!([
                "container.transport.vessel_arrived",
                "container.transport.*"
            ]),
            transport,
        ),
    ] {
        let told = house
            .client()
            .send("POST", &path, Some(&beginning(events.clone())))
            .await;
        assert_eq!(told.status, 202, "{events}: {}", told.body);
        let (account, webhook) = (house.account, planted.webhook);
        let kept = house
            .tracking
            .store()
            .read(move |tx| store::redelivery::of_webhook(&mut tx.account(account), webhook, 9));
        let kept = kept.await.unwrap();
        let row = kept
            .iter()
            .find(|row| told.json()["id"] == row.id.to_string());
        assert_eq!(row.unwrap().events.len(), count, "{events}");
    }
    for none in ["container*", "container.sunk.*", "**"] {
        let refused = house
            .client()
            .send("POST", &path, Some(&beginning(json!([none]))))
            .await;
        assert_eq!(refused.status, 422, "{none}");
        assert_eq!(
            refused.json()["errors"][0]["source"]["pointer"],
            "/events/0"
        );
    }
}

#[tokio::test]
async fn what_is_no_window_is_refused_member_by_member() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhooks/{}/redeliver", planted.webhook);
    let (from, to) = ("2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z");
    for (body, pointers) in [
        (json!({}), vec!["/from", "/to"]),
        (json!({"from": "yesterday", "to": 7}), vec!["/from", "/to"]),
        (json!({"from": "2026-02-01", "to": to}), vec!["/from"]),
        (
            json!({"from": "-000001-12-31T23:59:59Z", "to": to}),
            vec!["/from"],
        ),
        (
            json!({"from": from, "to": "-000001-12-31T23:59:59.5Z"}),
            vec!["/to"],
        ),
        (json!({"from": to, "to": from}), vec!["/to"]),
        (json!({"from": from, "to": from}), vec!["/to"]),
        (
            json!({"from": "2126-01-01T00:00:00Z", "to": "2127-01-01T00:00:00Z"}),
            vec!["/from"],
        ),
        (
            json!({"from": from, "to": to, "events": ["container.sunk"]}),
            vec!["/events/0"],
        ),
        (
            json!({"from": from, "to": to, "status": ["failed", "lost"]}),
            vec!["/status/1"],
        ),
        (
            json!({"from": from, "to": to, "status": [1, "lost"], "events": ["", "container.sunk"]}),
            vec!["/events/0", "/events/1", "/status/0", "/status/1"],
        ),
        (
            json!({"from": from, "to": to, "status": "failed", "events": 1}),
            vec!["/events", "/status"],
        ),
        (
            json!({"from": from, "to": to, "status": [], "events": []}),
            vec!["/events", "/status"],
        ),
        (
            json!({"from": from, "to": to, "staus": ["failed"], "a/b~": 1}),
            vec!["/a~1b~0", "/staus"],
        ),
    ] {
        let answer = house.client().send("POST", &path, Some(&body)).await;
        answer.faults(422);
        let told = answer.json();
        let mut found: Vec<&str> = told["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["source"]["pointer"].as_str().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, pointers, "{body}");
    }
    for (from, to) in [("0000-01-01T00:00:00Z", to), (from, "9999-12-31T00:00:00Z")] {
        let widest = json!({"from": from, "to": to});
        let good = house.client().send("POST", &path, Some(&widest)).await;
        assert_eq!(good.status, 202, "{}", good.body);
    }
    let window = json!({"from": from, "to": to});
    for _ in 0..3 {
        let good = house.client().send("POST", &path, Some(&window)).await;
        assert_eq!(good.status, 202);
    }
    let sixth = house.client().send("POST", &path, Some(&window)).await;
    assert!(sixth.faults(422)[0].contains("under way"));
}

/// Headers carry passwords of receivers: who may not set them sees that they are there, wherever a webhook is shown.
#[tokio::test]
async fn values_of_headers_are_for_keys_that_may_set_them() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhooks/{}", planted.webhook);
    let (name, value) = ("Authorization", "Bearer 90a1b2");
    let headers = json!({"headers": [{"name": name, "value": value}]});
    let body = json!({"data": {"type": "webhook", "attributes": headers}});
    let changed = house.client().send("PATCH", &path, Some(&body)).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let reader = house
        .limited(Permissions {
            show: true,
            update: false,
        })
        .await;
    let beside = format!(
        "/v2/webhook_notifications/{}?include=webhook",
        planted.notification
    );
    let id = planted.webhook.to_string();
    for path in [path.as_str(), "/v2/webhooks", beside.as_str()] {
        // Alone, or wherever it stands among others.
        let shown = |told: &Value| {
            let lists = [&told["data"], &told["included"]];
            let rows = lists.into_iter().filter_map(Value::as_array).flatten();
            let mut all = rows.chain(std::iter::once(&told["data"]));
            let webhook = all.find(|row| row["type"] == "webhook" && row["id"] == id);
            webhook.map(|webhook| webhook["attributes"]["headers"].clone())
        };
        let masked = reader.get(path).await;
        assert!(!masked.body.contains("90a1b2"), "{}", masked.body);
        let expected = json!([{"name": name, "value": "…"}]);
        assert_eq!(shown(&masked.json()), Some(expected), "{path}");
        let expected = json!([{"name": name, "value": value}]);
        assert_eq!(
            shown(&house.get(path).await.json()),
            Some(expected),
            "{path}"
        );
    }
    // What was read masked is not written back over what it stands for.
    let masked = json!({"headers": [{"name": name, "value": "…"}]});
    refused(
        &house,
        ("PATCH", &path),
        &masked,
        "/data/attributes/headers/0",
    )
    .await;
}

/// People who run their own service may open what is refused, and are told how; no address is shown.
#[tokio::test]
async fn a_refused_address_names_the_setting_that_opens_it() {
    let house = House::reaching(EgressSettings {
        blocked_ports: [&BLOCKED_PORTS[..], &[8_443]].concat(),
        ..EgressSettings::default()
    })
    .await;
    let client = house.client();
    for (url, expected) in [
        (
            "http://hooks.example/",
            "http is not allowed here; the operator can allow it with egress.allow_http",
        ),
        (
            "https://10.0.0.1/",
            "the address is not allowed: it is not public, or closed; the operator opens networks with \
             egress.allow_networks and closes them with egress.deny_networks",
        ),
        (
            "https://hooks.example:8443/",
            "port 8443 is not allowed: the operator has closed it with egress.blocked_ports",
        ),
        (
            "https://hooks.example:22/",
            "port 22 is not allowed, whatever the settings say",
        ),
        ("ftp://hooks.example/", "the scheme \"ftp\" is not allowed"),
    ] {
        let attributes = json!({"url": url, "events": ["container.updated"]});
        let body = json!({"data": {"type": "webhook", "attributes": attributes}});
        let told = client.send("POST", "/v2/webhooks", Some(&body)).await;
        let expected = format!("/data/attributes/url: Url is refused: {expected}");
        assert_eq!(told.faults(422), [expected], "{url}");
    }
}

/// Spellings that read as one host and mean another, and headers that are ours: refused when they are typed in.
#[tokio::test]
async fn tricks_are_refused_with_their_place() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let patched = format!("/v2/webhooks/{}", planted.webhook);
    let known = house.get("/v2/webhooks").await.ids();
    let good = "https://hooks.example/in";
    let long = format!("https://hooks.example/{}", "x".repeat(2_048));
    let urls = [
        "http://hooks.example/",
        "ftp://hooks.example/",
        "https:///in",
        "https://",
        "hooks.example",
        "https:hooks.example",
        "https://user@hooks.example/",
        "https://user:word@hooks.example/",
        "https://@hooks.example/",
        "https://hooks.example/#part",
        " https://hooks.example/",
        "https://hooks.example/ ",
        "https://hooks.example/\n",
        "https://hooks\t.example/",
        "https:\\\\hooks.example\\in",
        "https://hooks.example\\@10.0.0.1/",
        "https://hooks.example:0/",
        "https://hooks.example:65536/",
        "https://hooks.example:22/",
        "https://hooks.example:5432/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://①②⑦.⓪.⓪.①/",
        "https://127。0。0。1/",
        "https://ｈooks.example/",
        "https://%68ooks.example/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://[fe80::1]/",
        "https://169.254.169.254/latest/",
        "https://168.63.129.16/",
        &long,
    ];
    for url in urls {
        let create = json!({"url": url, "events": ["container.updated"]});
        refused(
            &house,
            ("POST", "/v2/webhooks"),
            &create,
            "/data/attributes/url",
        )
        .await;
        refused(
            &house,
            ("PATCH", &patched),
            &json!({"url": url}),
            "/data/attributes/url",
        )
        .await;
    }
    let long = "x".repeat(1_025);
    for (name, value) in [
        ("Host", "x"),
        ("content-TYPE", "x"),
        ("Content-Length", "1"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "close"),
        ("Keep-Alive", "1"),
        ("TE", "trailers"),
        ("Trailer", "x"),
        ("Upgrade", "h2c"),
        ("Proxy-Authorization", "x"),
        ("Webhook-Id", "x"),
        ("webhook-signature", "x"),
        ("X-T49-Webhook-Signature", "x"),
        ("X-T49-Webhook-Signature-Previous", "x"),
        ("two words", "x"),
        ("", "x"),
        ("X-Ü", "x"),
        ("X-A:", "x"),
        ("X-A", "line\r\nX-B: y"),
        ("X-A", "ümlaut"),
        ("X-A", &long),
    ] {
        let fine = json!({"name": "X-Team", "value": "quay"});
        let headers = json!([fine, {"name": name, "value": value}]);
        let place = "/data/attributes/headers/1";
        let create = json!({"url": good, "events": ["container.updated"], "headers": headers});
        refused(&house, ("POST", "/v2/webhooks"), &create, place).await;
        let patch = json!({"headers": headers});
        refused(&house, ("PATCH", &patched), &patch, place).await;
    }
    let many: Vec<Value> = (0..21)
        .map(|n| json!({"name": format!("X-{n}"), "value": "x"}))
        .collect();
    let patch = json!({"headers": many});
    refused(
        &house,
        ("PATCH", &patched),
        &patch,
        "/data/attributes/headers",
    )
    .await;
    let named = |name| json!({"name": name, "value": "x"});
    let headers = ["Host", "X-Team", "x-team"].map(named);
    let patch = json!({"data": {"type": "webhook", "attributes": {"headers": headers}}});
    let client = house.client();
    let told = client.send("PATCH", &patched, Some(&patch)).await.json();
    let items = told["errors"].as_array().unwrap().iter();
    let pointers: Vec<_> = items.map(|item| &item["source"]["pointer"]).collect();
    let of = |index| format!("/data/attributes/headers/{index}");
    assert_eq!(pointers, [&of(0), &of(2)], "all at once");
    assert_eq!(
        house.get("/v2/webhooks").await.ids(),
        known,
        "none was made"
    );
}

async fn refused(house: &House, (method, path): (&str, &str), attributes: &Value, place: &str) {
    let body = json!({"data": {"type": "webhook", "attributes": attributes}});
    let answer = house.client().send(method, path, Some(&body)).await;
    answer.faults(422);
    let told = answer.json();
    let items = told["errors"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{method} {attributes}: {told}");
    let pointer = items[0]["source"]["pointer"].as_str().unwrap();
    let there = pointer == place || pointer.starts_with(&format!("{place}/"));
    assert!(there, "{method} {attributes}: {told}");
}

#[tokio::test]
async fn a_deleted_webhook_is_there_for_nobody_from_the_answer_on() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let client = house.client();
    let hook = format!("/v2/webhooks/{}", planted.webhook);
    let told = format!("/v2/webhook_notifications/{}", planted.notification);
    let log = format!("{told}/webhook_notification_logs");
    let off = json!({"data": {"type": "webhook", "attributes": {"active": false}}});
    let window = json!({"from": "2026-02-01T00:00:00Z", "to": "2026-03-01T12:00:00Z"});
    let calls = [
        ("GET", hook.clone(), None),
        ("PATCH", hook.clone(), Some(&off)),
        ("POST", format!("{hook}/rotate_secret"), None),
        ("POST", format!("{hook}/redeliver"), Some(&window)),
        ("GET", format!("{hook}/redeliveries"), None),
        ("GET", told.clone(), None),
        ("GET", format!("{told}/body"), None),
        ("GET", log, None),
        ("POST", format!("{told}/redeliver"), None),
        ("DELETE", hook.clone(), None),
    ];
    for (method, path, body) in &calls {
        let answer = client.send(method, path, *body).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.body);
    }
    for (method, path, body) in &calls {
        client.send(method, path, *body).await.faults(404);
    }
    for list in ["/v2/webhooks", "/v2/webhook_notifications"] {
        let listed = house.get(list).await.json()["data"].clone();
        let listed: Vec<&str> = listed.as_array().unwrap().iter().map(id).collect();
        let of_listener = planted.listener.to_string();
        assert!(
            listed.iter().all(|id| *id == of_listener),
            "{list}: {listed:?}"
        );
    }
    let same = json!({"data": {"type": "webhook", "attributes": {
        "url": "https://hooks.example/in", "events": ["container.transport.vessel_arrived"],
    }}});
    let again = client.send("POST", "/v2/webhooks", Some(&same)).await;
    assert_eq!(again.status, 201, "{}", again.body);
}

#[tokio::test]
async fn the_name_of_a_deleted_listener_is_free_from_the_answer_on() {
    let house = House::open().await;
    let client = house.client();
    let wanted = json!({"name": "laptop"});
    let open = async || {
        client
            .send("POST", "/v2/listeners", Some(&wanted))
            .await
            .json()["data"]
            .clone()
    };
    let first = open().await;
    let hook = format!("/v2/webhooks/{}", id(&first));
    let take = format!("/v2/listeners/{}/take", id(&first));
    let deleted = client.send("DELETE", &hook, None).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let nothing = json!({});
    client.send("POST", &take, Some(&nothing)).await.faults(404);
    let second = open().await;
    assert_ne!(id(&first), id(&second), "{second}");
}

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}
