//! What clients of the reference interface write otherwise than we do, and means the same.

use domain::event::EventName;
use domain::ids::ShipmentId;
use serde_json::{Value, json};
use store::Key;
use store::shipment::Shipment;
use tracking::id_source;

use crate::house::{House, NOW};
use crate::planted::{BOXES, plant};

#[tokio::test]
async fn the_type_of_a_body_in_the_plural_or_not_at_all() {
    let house = House::open().await;
    let client = house.client();
    for (path, singular, plural, attributes) in [
        (
            "/v2/tracking_requests",
            "tracking_request",
            "tracking_requests",
            json!({"request_type": "bill_of_lading", "request_number": "QUAY4", "scac": "MSCU"}),
        ),
        (
            "/v2/webhooks",
            "webhook",
            "webhooks",
            json!({"url": "https://hooks.example.com/", "events": ["container.updated"]}),
        ),
        (
            "/v2/parties",
            "party",
            "parties",
            json!({"company_name": "Acme"}),
        ),
        ("/v2/api_keys", "api_key", "api_keys", json!({"name": "k"})),
        (
            "/v2/custom_field_definitions",
            "custom_field_definition",
            "custom_field_definitions",
            json!({"entity_type": "Shipment", "api_slug": "po", "display_name": "PO",
                "data_type": "short_text"}),
        ),
    ] {
        for (place, kind) in [Some(singular), Some(plural), None].into_iter().enumerate() {
            let mut body = apart(&json!({"data": {"attributes": attributes}}), place);
            if let Some(kind) = kind {
                body["data"]["type"] = json!(kind);
            }
            let sent = client.send("POST", path, Some(&body)).await;
            assert_eq!(sent.status, 201, "{body}: {}", sent.body);
            assert_eq!(sent.json()["data"]["type"], singular);
        }
        for other in ["shipments", "container", "tracking_requestses", "", "s"] {
            let body = json!({"data": {"type": other, "attributes": attributes}});
            let told = client.send("POST", path, Some(&body)).await.faults(422);
            assert_eq!(told[0], format!("/data/type: Type must be {singular}"));
        }
        for none in [json!(7), Value::Null] {
            let body = json!({"data": {"type": none, "attributes": attributes}});
            client.send("POST", path, Some(&body)).await.faults(400);
        }
    }
}

/// The same body with what must be unique made so.
fn apart(body: &Value, place: usize) -> Value {
    let mut body = body.clone();
    for name in ["request_number", "api_slug"] {
        let member = &mut body["data"]["attributes"];
        if let Some(text) = member[name].as_str() {
            member[name] = json!(format!("{text}{place}"));
        }
    }
    body
}

#[tokio::test]
async fn the_type_of_what_a_body_links_to_in_the_plural() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/shipments/{}", planted.shipment);
    for kind in ["party", "parties"] {
        let link = json!({"data": {"type": kind, "id": planted.party.to_string()}});
        let body = json!({"data": {"type": "shipments", "id": planted.shipment.to_string(),
            "relationships": {"customer": link}}});
        let sent = house.client().send("PATCH", &path, Some(&body)).await;
        assert_eq!(sent.status, 200, "{}", sent.body);
        let customer = &sent.json()["data"]["relationships"]["customer"]["data"]["id"];
        assert_eq!(*customer, planted.party.to_string());
    }
}

#[tokio::test]
async fn slashes_that_are_doubled_or_stand_at_the_end() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let id = planted.containers[0];
    let own = house.get(&format!("/v2/containers/{id}")).await;
    for path in [
        format!("/v2//containers/{id}"),
        format!("//v2/containers/{id}"),
        format!("/v2/containers/{id}/"),
        format!("///v2//containers///{id}//"),
    ] {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert_eq!(answer.json(), own.json(), "{path}");
        let head = client.send_head(&path).await;
        assert_eq!(head.status, 200, "{path}");
        assert_eq!(head.header("content-length"), own.header("content-length"));
    }
    let listed = client.get("/v2//containers/?page[size]=1").await;
    assert_eq!(listed.ids().len(), 1);
    let links = listed.json()["links"].clone();
    let base = "https://quay.example/v2/containers?";
    assert!(links["next"].as_str().unwrap().starts_with(base), "{links}");

    let body = json!({"data": {"type": "container", "attributes": {"ref_numbers": ["A"]}}});
    let path = format!("/v2//containers//{id}/");
    let changed = client.send("PATCH", &path, Some(&body)).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let body = json!({"data": {"type": "party", "attributes": {"company_name": "B"}}});
    let once = client.clone().header("Idempotency-Key", "one");
    let made = once.send("POST", "/v2/parties/", Some(&body)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let again = once.send("POST", "/v2//parties", Some(&body)).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let path = format!("/v2//webhooks/{}/", planted.webhook);
    assert_eq!(client.send("DELETE", &path, None).await.status, 200);
    client
        .send("DELETE", "/v2/webhooks/", None)
        .await
        .faults(405);
}

#[tokio::test]
async fn slashes_of_other_paths_stay_what_they_are() {
    let house = House::open().await;
    for path in [
        "//",
        "/docs/",
        "//docs",
        "/health//live",
        "/v3//containers",
        "/v2/",
        "//v2x",
    ] {
        house.get(path).await.faults(404);
    }
    for path in ["/inbound//nobody", "/inbound/nobody/"] {
        let sent = house.client().send_bytes("POST", path, None, b"x").await;
        sent.faults(404);
    }
    house.get("/v2/%2Fcontainers").await.faults(404);
    assert_eq!(house.get("/").await.status, 200);
}

#[tokio::test]
async fn a_star_stands_for_events() {
    let house = House::open().await;
    let client = house.client();
    let of = |prefix: &str| -> Vec<&str> {
        let all = EventName::ALL.map(EventName::as_str).into_iter();
        all.filter(|name| name.starts_with(prefix)).collect()
    };
    for (asked, told) in [
        (json!(["*"]), of("")),
        (json!(["tracking_request.*"]), of("tracking_request.")),
        (
            json!(["container.transport.estimated.*"]),
            of("container.transport.estimated."),
        ),
        (
            json!([
                "container.updated",
                "tracking_request.*",
                "container.updated.*"
            ]),
            vec![],
        ),
        (
            json!(["container.updated", "tracking_request.*"]),
            [vec!["container.updated"], of("tracking_request.")].concat(),
        ),
        (
            json!(["container.*", "container.created", "container.transport.*"]),
            of("container."),
        ),
    ] {
        let body = json!({"data": {"type": "webhook", "attributes": {
            "url": "https://hooks.example/in", "events": asked}}});
        let answer = client.send("POST", "/v2/webhooks", Some(&body)).await;
        if told.is_empty() {
            let faults = answer.faults(422);
            assert!(
                faults[0].starts_with("/data/attributes/events/2: "),
                "{faults:?}"
            );
            continue;
        }
        assert_eq!(answer.status, 201, "{}", answer.body);
        let sort = |names: &Value| -> Vec<String> {
            let mut names: Vec<String> = serde_json::from_value(names.clone()).unwrap();
            names.sort();
            names
        };
        let shown = sort(&answer.json()["data"]["attributes"]["events"]);
        assert_eq!(shown, sort(&json!(told)), "{body}");
    }
    for bad in ["document.*", "*.*", ".*", "container*", "vessel.*", "**"] {
        let body = json!({"data": {"type": "webhook", "attributes": {
            "url": "https://hooks.example/in", "events": [bad]}}});
        let answer = client.send("POST", "/v2/webhooks", Some(&body)).await;
        let faults = answer.faults(422);
        assert!(
            faults[0].starts_with("/data/attributes/events/0: "),
            "{faults:?}"
        );
    }
    let planted = plant(&house).await;
    let path = format!("/v2/webhooks/{}", planted.webhook);
    let body = json!({"data": {"type": "webhook", "attributes": {"events": ["*"]}}});
    let changed = client.send("PATCH", &path, Some(&body)).await;
    let shown = changed.json()["data"]["attributes"]["events"].clone();
    assert_eq!(shown, json!(of("")));
    let listener = json!({"name": "desk", "events": ["tracking_request.*"]});
    let opened = client.send("POST", "/v2/listeners", Some(&listener)).await;
    let shown = opened.json()["data"]["attributes"]["events"].clone();
    assert_eq!(shown, json!(of("tracking_request.")));
}

#[tokio::test]
async fn references_that_are_not_set() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    for (place, (sent, kept)) in [
        (json!([null]), json!([])),
        (json!(["PO 1", null, "PO 2"]), json!(["PO 1", "PO 2"])),
    ]
    .into_iter()
    .enumerate()
    {
        let create = json!({"request_type": "bill_of_lading", "scac": "MSCU",
            "request_number": format!("QUAY5{place}"), "ref_numbers": sent});
        let body = json!({"data": {"type": "tracking_request", "attributes": create}});
        let made = client
            .send("POST", "/v2/tracking_requests", Some(&body))
            .await;
        assert_eq!(made.status, 201, "{}", made.body);
        assert_eq!(made.json()["data"]["attributes"]["ref_numbers"], kept);
        for (kind, id) in [
            ("tracking_request", planted.request.to_string()),
            ("shipment", planted.shipment.to_string()),
            ("container", planted.containers[0].to_string()),
        ] {
            let body = json!({"data": {"type": kind, "attributes": {"ref_numbers": sent}}});
            let path = format!("/v2/{kind}s/{id}");
            let changed = client.send("PATCH", &path, Some(&body)).await;
            assert_eq!(changed.status, 200, "{}", changed.body);
            assert_eq!(changed.json()["data"]["attributes"]["ref_numbers"], kept);
        }
    }
    let bad = json!({"data": {"type": "shipment", "attributes": {
        "ref_numbers": [null, "", 7], "tags": [null]}}});
    let path = format!("/v2/shipments/{}", planted.shipment);
    let told = client.send("PATCH", &path, Some(&bad)).await.faults(422);
    let places: Vec<&str> = told
        .iter()
        .map(|one| one.split(": ").next().unwrap())
        .collect();
    let expected = ["ref_numbers/1", "ref_numbers/2", "tags/0"];
    assert_eq!(
        places,
        expected.map(|name| format!("/data/attributes/{name}"))
    );
}

#[tokio::test]
async fn what_is_included_by_other_names() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let request = format!("/v2/tracking_requests/{}", planted.request);
    let shipment = format!("/v2/shipments/{}", planted.shipment);
    for (path, asked, same) in [
        (&request, "shipment", "tracked_object"),
        (&request, "container", "tracked_object.containers"),
        (
            &request,
            "shipment,container",
            "tracked_object,tracked_object.containers",
        ),
        (
            &request,
            "shipment.pol_terminal",
            "tracked_object.port_of_lading_terminal",
        ),
        (
            &request,
            "container.shipment",
            "tracked_object.containers.shipment",
        ),
        (&shipment, "pol_terminal", "port_of_lading_terminal"),
    ] {
        let told = house.get(&format!("{path}?include={asked}")).await;
        assert_eq!(told.status, 200, "{asked}: {}", told.body);
        let expected = house.get(&format!("{path}?include={same}")).await;
        assert_eq!(told.included(), expected.included(), "{asked}");
    }
    let told = house
        .get("/v2/tracking_requests?include=shipment,container")
        .await;
    let kinds: Vec<String> = told.included().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["shipment", "container", "container"]);
    for (path, unknown) in [
        (&request, "containers"),
        (&request, "pol_terminal"),
        (&shipment, "container"),
        (&shipment, "shipment"),
    ] {
        house
            .get(&format!("{path}?include={unknown}"))
            .await
            .faults(400);
    }
}

#[tokio::test]
async fn filters_by_other_names() {
    let house = House::open().await;
    plant(&house).await;
    for (list, rows) in [
        ("containers?filter[pod_code]=USLAX", 2),
        ("containers?filter[pod_code]=USOAK", 0),
        ("containers?filter[pol_code]=CNSHA,CNNGB", 0),
        ("containers?filter[shipping_line_scac]=ONEY", 0),
        ("containers?filter[shipping_line_scac]=medu", 2),
        ("containers?filter[scac][]=ONEY&filter[scac][]=MSCU", 2),
        (
            "containers?filter%5Bpod_code%5D%5B%5D=USOAK&filter%5Bpod_code%5D%5B%5D=USLAX",
            2,
        ),
        ("containers?filter[current_status][]=loaded", 0),
        ("containers?filter[actively_tracked]=true", 2),
        ("containers?filter[actively_tracked]=false", 0),
        (
            "containers?filter[actively_tracked]=true&filter[tracking_stopped]=false",
            2,
        ),
        (
            "shipments?filter[pod_code]=USLAX&filter[pol_code][]=CNSHA",
            1,
        ),
        ("shipments?filter[pol_code]=USOAK", 0),
        ("shipments?filter[shipping_line_scac]=ONEY", 0),
        ("shipments?filter[q]=QUAY0", 1),
        ("shipments?filter[q]=nothing", 0),
        ("shipments?filter[q]=", 1),
        ("shipments?tracking_stopped=true", 0),
        ("shipments?tracking_stopped=false", 1),
        ("shipments?filter[actively_tracked]=true", 1),
        ("shipments?filter[actively_tracked]=false", 0),
        (
            "shipments?filter[actively_tracked]=true&tracking_stopped=false",
            1,
        ),
    ] {
        let answer = house.get(&format!("/v2/{list}")).await;
        assert_eq!(answer.ids().len(), rows, "{list}");
    }
    for (list, name) in [
        ("containers?filter[pod_code]=LAX", "filter[pod_code]"),
        (
            "containers?filter[pod_code][]=USLAX&filter[pod_code][]=LAX",
            "filter[pod_code][]",
        ),
        (
            "containers?filter[pod_code]=USLAX&filter[port_of_discharge]=USLAX",
            "filter[port_of_discharge]",
        ),
        (
            "containers?filter[scac]=MSCU&filter[scac][]=ONEY",
            "filter[scac][]",
        ),
        (
            "containers?filter[scac]=MSCU&filter[scac]=ONEY",
            "filter[scac]",
        ),
        (
            "containers?filter[actively_tracked]=true&filter[tracking_stopped]=true",
            "filter[actively_tracked]",
        ),
        ("containers?filter[vessel_name]=A", "filter[vessel_name]"),
        ("containers?sort=number,-created_at", "sort"),
        ("shipments?filter[q]=a&q=b", "q"),
        (
            "shipments?filter[actively_tracked]=false&filter[tracking_stopped]=false",
            "filter[actively_tracked]",
        ),
        (
            "shipments?tracking_stopped=true&filter[tracking_stopped]=true",
            "filter[tracking_stopped]",
        ),
        ("shipments?tracking_stopped=maybe", "tracking_stopped"),
    ] {
        let told = house.get(&format!("/v2/{list}")).await.faults(400);
        assert_eq!(told.len(), 1, "{list}: {told:?}");
        assert!(
            told[0].starts_with(&format!("{name}: ")),
            "{list}: {told:?}"
        );
    }
}

#[tokio::test]
async fn a_last_free_day_by_dates_bounds_and_presence() {
    let house = House::open().await;
    plant(&house).await;
    house.tamper("update containers set pickup_lfd = '2026-03-04T08:00:00.000000Z' where number = 'CSQU3054383'");
    for (query, rows) in [
        ("filter[pickup_lfd]=>=2026-03-04", 1),
        ("filter[pickup_lfd]=>=2026-03-05", 0),
        ("filter[pickup_lfd]=>2026-03-03", 1),
        ("filter[pickup_lfd]=>2026-03-04", 0),
        ("filter[pickup_lfd]=<=2026-03-04", 1),
        ("filter[pickup_lfd]=<2026-03-05", 1),
        ("filter[pickup_lfd]=<2026-03-04", 0),
        ("filter[pickup_lfd]==<=2026-03-03", 0),
        ("filter[pickup_lfd]=2026-03-04", 1),
        ("filter[pickup_lfd]==2026-03-04", 1),
        ("filter[pickup_lfd]=2026-03-03", 0),
        ("filter[pickup_lfd]=2026-03-04T08:00:00Z", 1),
        ("filter[pickup_lfd]=2026-03-04T08:00:01Z", 0),
        ("filter[pickup_lfd]=2026-03-01,2026-03-04,2026-03-09", 1),
        ("filter[pickup_lfd]=2026-03-01,2026-03-03,2026-03-05", 0),
        ("filter[pickup_lfd]=@exists", 1),
        ("filter[pickup_lfd]=@not_exists", 1),
        ("filter[pickup_lfd]=@exists&sort=pickup_lfd", 1),
        ("filter[pickup_lfd]=@not_exists&sort=-pickup_lfd", 1),
        ("filter[pickup_lfd]=", 2),
        ("filter[pickup_lfd][]=", 2),
        // It is the first of March.
        ("filter[pickup_lfd]=today", 0),
        ("filter[pickup_lfd]=>today", 1),
        ("filter[pickup_lfd]=3.days.from_now", 1),
        ("filter[pickup_lfd]=>=today,<=3.days.from_now", 1),
        ("filter[pickup_lfd]=<=2.days.from_now", 0),
        ("filter[pickup_lfd]=>=2.days.ago", 1),
        (
            "filter[pickup_lfd][]=>=2026-03-01&filter[pickup_lfd][]=<=2026-03-04",
            1,
        ),
        (
            "filter[pickup_lfd][]==>=2026-03-01&filter[pickup_lfd][]==<=2026-03-03",
            0,
        ),
        (
            "filter[pickup_lfd][]=2026-03-03,2026-03-04&filter[pickup_lfd][]=>2026-03-03",
            1,
        ),
        (
            "filter[pickup_lfd][]=2026-03-03&filter[pickup_lfd][]=2026-03-04",
            0,
        ),
        (
            "filter[pickup_lfd][]=@exists&filter[pickup_lfd][]=@not_exists",
            0,
        ),
        (
            "filter[pickup_lfd][]=@not_exists&filter[pickup_lfd][]=>=2026-03-04",
            0,
        ),
        ("filter[pickup_lfd]=>=2026-03-01,<=2026-03-04T09:00:00Z", 1),
        (
            "filter[pickup_lfd]=>=2026-03-01&filter[pickup_lfd][end]=2026-03-03",
            0,
        ),
        (
            "filter[pickup_lfd]=2026-03-04&filter[pickup_lfd][start]=2026-03-05",
            0,
        ),
        (
            "filter[pickup_lfd]=2026-03-04&filter[pickup_lfd][start]=2026-03-04",
            1,
        ),
        ("filter[pickup_lfd]=>=2026-03-05,>=2026-03-01", 0),
        ("filter[pickup_lfd]=>=2026-03-05,<=2026-03-01", 0),
    ] {
        let answer = house.get(&format!("/v2/containers?{}", sent(query))).await;
        assert_eq!(answer.ids().len(), rows, "{query}");
    }
    for bad in [
        "soon",
        "yesterday",
        "3.weeks.ago",
        "@something",
        ">=soon",
        ">=2026-03-01,2026-03-02",
        "@exists,2026-03-02",
        ",",
        "=",
    ] {
        for name in ["filter[pickup_lfd]", "filter[pickup_lfd][]"] {
            let told = house
                .get(&format!("/v2/containers?{name}={}", sent(bad)))
                .await
                .faults(400);
            assert!(told[0].starts_with(&format!("{name}: ")), "{bad}: {told:?}");
        }
    }
}

/// Both were made and changed at noon on the first of March, and the shipment arrived then.
#[tokio::test]
async fn when_records_were_made_changed_and_arrived_by_dates_and_bounds() {
    let house = House::open().await;
    plant(&house).await;
    let lists = [
        ("containers", 2, ["created_at", "updated_at"].as_slice()),
        ("shipments", 1, &["created_at", "updated_at", "pod_ata_at"]),
    ];
    for (list, all, names) in lists {
        for name in names {
            let name = format!("filter[{name}]");
            let rows = |asked: String| {
                let query = sent(&asked);
                let house = &house;
                async move {
                    let path = format!("/v2/{list}?{query}");
                    house.get(&path).await.ids().len()
                }
            };
            for within in [
                format!("{name}=2026-03-01"),
                format!("{name}=>=2026-03-01T12:00:00Z"),
                format!("{name}=>2026-02-28,<2026-03-02"),
                format!("{name}=2026-02-01,2026-03-01,2026-04-01"),
                format!("{name}[]=>=1.days.ago&{name}[]=<=today&sort=updated_at"),
                format!("{name}==>=today"),
                format!("{name}=@exists"),
                format!("{name}="),
                format!("{name}=today&{name}[start]=2026-03-01&{name}[end]=2026-03-01"),
                format!("{name}=today&filter[scac]=MSCU"),
            ] {
                assert_eq!(rows(within.clone()).await, all, "{list}: {within}");
            }
            for without in [
                format!("{name}=<2026-03-01"),
                format!("{name}=>2026-03-01T12:00:00Z"),
                format!("{name}=2026-02-28,2026-03-02"),
                format!("{name}=@not_exists"),
                format!("{name}=today&{name}[end]=2026-02-28"),
                format!("{name}[]=>=today&{name}[]=<today"),
            ] {
                assert_eq!(rows(without.clone()).await, 0, "{list}: {without}");
            }
            for bad in ["soon", "=>=", ">=today,today", "@exists,today"] {
                let path = format!("/v2/{list}?{name}={}", sent(bad));
                let told = house.get(&path).await.faults(400);
                assert!(told[0].starts_with(&format!("{name}: ")), "{bad}: {told:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_day_is_that_of_the_question() {
    let house = House::open().await;
    plant(&house).await;
    house.tamper("update containers set pickup_lfd = '2026-03-04T08:00:00.000000Z' where number = 'CSQU3054383'");
    let rows = |asked: &'static str| {
        let client = house.client();
        async move {
            let path = format!("/v2/containers?filter[pickup_lfd]={asked}");
            client.get(&path).await.ids().len()
        }
    };
    assert_eq!(rows("today").await, 0);
    house
        .clock
        .advance_to("2026-03-04T23:59:59Z".parse().unwrap());
    assert_eq!(rows("today").await, 1);
    house
        .clock
        .advance_to("2026-03-05T00:00:00Z".parse().unwrap());
    assert_eq!((rows("today").await, rows("1.days.ago").await), (0, 1));
}

#[tokio::test]
async fn several_numbers_of_containers() {
    let house = House::open().await;
    plant(&house).await;
    let [one, other] = BOXES;
    for (asked, rows) in [
        (format!("filter[number]={one},{other}"), 2),
        (format!("filter[number]={one},TCLU4255603"), 1),
        (
            format!("filter[number][]={one}&filter[number][]={other}"),
            2,
        ),
        (format!("filter%5Bnumber%5D%5B%5D={one}"), 1),
        (format!("filter[number]={one},{one},{one}"), 1),
        (format!("filter[number]==({one})"), 0),
        (format!("filter[number]=={one}"), 1),
        ("filter[number]=csqu-305%20438%203,nothing".into(), 1),
        ("filter[number]=MAEU123456789".into(), 0),
        ("filter[number]=no%20number,neither".into(), 0),
        (format!("filter[number]={}", "x".repeat(300)), 0),
        ("filter[number]=".into(), 2),
        ("filter[number][]=".into(), 2),
    ] {
        for sort in ["", "&sort=number", "&page[number]=1"] {
            let path = format!("/v2/containers?{asked}{sort}");
            assert_eq!(house.get(&path).await.ids().len(), rows, "{path}");
        }
    }
    let many = vec![one; 65].join(",");
    for bad in [
        format!("filter[number]={many}"),
        format!("filter[number]={one}&filter[number][]={other}"),
        "filter[number]=,".to_owned(),
    ] {
        let told = house
            .get(&format!("/v2/containers?{bad}"))
            .await
            .faults(400);
        assert!(told[0].starts_with("filter[number]"), "{told:?}");
    }
}

#[tokio::test]
async fn a_port_that_is_known_or_not() {
    let house = House::open().await;
    plant(&house).await;
    house.tamper("update containers set pod = null where number = 'CSQU3054383'");
    for (asked, rows) in [
        ("filter[pod_code]=@exists", 1),
        ("filter[pod_code]=@not_exists", 1),
        ("filter[port_of_discharge]=@not_exists&filter[scac]=ONEY", 0),
        ("filter[pod_code]==USLAX", 1),
        ("filter[pol_code]=@exists", 0),
        ("filter[pol_code]=@not_exists", 2),
        ("filter[current_status]==new", 2),
        ("filter[current_status]=%3Dloaded,=new", 2),
    ] {
        let answer = house.get(&format!("/v2/containers?{asked}")).await;
        assert_eq!(answer.ids().len(), rows, "{asked}");
    }
    for bad in ["@exists,USLAX", "@absent", "!USLAX"] {
        let told = house
            .get(&format!("/v2/containers?filter[pod_code]={bad}"))
            .await
            .faults(400);
        assert!(told[0].starts_with("filter[pod_code]: "), "{told:?}");
    }
}

#[tokio::test]
async fn filters_that_nobody_filled_in() {
    let house = House::open().await;
    plant(&house).await;
    for (list, rows) in [
        ("containers?filter[current_status]=&filter[scac]=", 2),
        (
            "containers?filter[customer_id]=&filter[tracking_stopped]=",
            2,
        ),
        (
            "containers?filter[created_at][start]=&filter[custom_field][po]=",
            2,
        ),
        (
            "containers?filter[equipment_height]&filter[customer_name]=+",
            2,
        ),
        ("shipments?filter[number]=&number=&tracking_stopped=", 1),
        ("shipments?filter[tags]=&filter[ref_number]=", 1),
        (
            "tracking_requests?filter[status]=&filter[request_number]=",
            1,
        ),
        ("tracking_requests?filter[request_type]=&filter[scac]=", 1),
        ("webhook_notifications?filter[event]=&filter[webhook]=", 1),
        ("shipments?_=1763912345678", 1),
        ("containers?_=1&filter[scac]=MSCU&_=2", 2),
    ] {
        let answer = house.get(&format!("/v2/{list}")).await;
        assert_eq!(answer.ids().len(), rows, "{list}");
    }
    let page = house.get("/v2/containers?page[size]=1&_=7").await.json();
    let next = "https://quay.example/v2/containers?page[number]=2&page[size]=1";
    assert_eq!(page["links"]["next"], next);
    for path in [
        "/v2/me?_=1",
        "/v2/webhooks/ips?_=1",
        "/v2/search?query=a&_=1",
    ] {
        assert_eq!(house.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn shipments_are_sorted_from_the_newest_by_either_word() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let (account, stands) = (house.account, planted.shipment);
    let older: ShipmentId = id_source(NOW.parse().unwrap()).draw();
    let writing = house
        .tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            let row = store::shipment::find(&mut a, stands)?.unwrap();
            let older = Shipment {
                id: older,
                number: "QUAY00000".into(),
                created_at: "2026-02-01T12:00:00Z".parse().unwrap(),
                document: row
                    .document
                    .replace(&stands.to_string(), &older.to_string()),
                ..row
            };
            store::shipment::insert(&mut a, &older)
        });
    writing.await.unwrap();
    let newest = [stands.to_string(), older.to_string()];
    for sort in ["created_at", "-created_at"] {
        for more in [
            "",
            "&page[number]=1&include=containers",
            "&filter[scac]=MSCU",
        ] {
            let path = format!("/v2/shipments?sort={sort}{more}");
            assert_eq!(house.get(&path).await.ids(), newest, "{path}");
        }
    }
    let by_number = house.get("/v2/shipments?sort=number").await.ids();
    assert_eq!(by_number, [older.to_string(), stands.to_string()]);
}

#[tokio::test]
async fn events_of_documents_among_those_of_a_webhook() {
    let house = House::open().await;
    let client = house.client();
    let all: Vec<&str> = EventName::ALL.map(EventName::as_str).into();
    let published = [all.clone(), EventName::OF_DOCUMENTS.to_vec()].concat();
    let body = |events: Value| {
        json!({"data": {"type": "webhook", "attributes": {
            "url": "https://hooks.example/in", "events": events}}})
    };
    let asked = body(json!(published));
    let made = client.send("POST", "/v2/webhooks", Some(&asked)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let data = made.json()["data"].clone();
    assert_eq!(
        data["attributes"]["events"].as_array().unwrap().len(),
        all.len()
    );
    let path = format!("/v2/webhooks/{}", data["id"].as_str().unwrap());
    let few = body(json!([
        "document_representation.failed",
        "container.created"
    ]));
    let changed = client.send("PATCH", &path, Some(&few)).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let shown = &changed.json()["data"]["attributes"]["events"];
    assert_eq!(*shown, json!(["container.created"]));

    for (bad, place) in [
        (json!(["document.extracted"]), "events"),
        (
            json!([
                "document_representation.created",
                "document.extraction_failed"
            ]),
            "events",
        ),
        (
            json!([
                "document.extracted",
                "container.created",
                "document.extracted"
            ]),
            "events/2",
        ),
        (json!(["container.created", "document.signed"]), "events/1"),
    ] {
        let asked = body(bad.clone());
        let told = client.send("POST", "/v2/webhooks", Some(&asked)).await;
        let told = told.faults(422);
        assert_eq!(told.len(), 1, "{bad}: {told:?}");
        let place = format!("/data/attributes/{place}: ");
        assert!(told[0].starts_with(&place), "{bad}: {told:?}");
    }
}

/// Angles as every client writes them: a head with bare ones is no head.
fn sent(query: &str) -> String {
    query.replace('<', "%3C").replace('>', "%3E")
}
