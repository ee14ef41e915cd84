//! Custom fields, from their definition to what is read back.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;
use crate::planted::plant;

const DEFINITIONS: &str = "/v2/custom_field_definitions";

async fn send(house: &House, method: &str, path: &str, kind: &str, attributes: Value) -> Answer {
    let body = json!({"data": {"type": kind, "attributes": attributes}});
    house.client().send(method, path, Some(&body)).await
}

/// Takes a value away.
async fn clear(house: &House, path: &str) -> Answer {
    let none = json!({"value": null});
    let cleared = send(house, "PATCH", path, "custom_field", none).await;
    assert_eq!(cleared.status, 200, "{}", cleared.body);
    cleared
}

/// Defines a custom field; its path.
async fn define(house: &House, entity: &str, slug: &str, kind: &str, more: Value) -> String {
    let mut attributes = json!({
        "entity_type": entity, "api_slug": slug, "display_name": slug, "data_type": kind,
    });
    let members = attributes.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    let made = send(
        house,
        "POST",
        DEFINITIONS,
        "custom_field_definition",
        attributes,
    )
    .await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert!(made.json()["links"]["self"].is_string());
    let id = made.json()["data"]["id"].as_str().unwrap().to_owned();
    format!("{DEFINITIONS}/{id}")
}

async fn option(house: &House, definition: &str, value: &str, label: &str) -> String {
    let path = format!("{definition}/options");
    let attributes = json!({"value": value, "label": label});
    let made = send(house, "POST", &path, "custom_field_option", attributes).await;
    assert_eq!(made.status, 201, "{}", made.body);
    format!("{path}/{}", made.json()["data"]["id"].as_str().unwrap())
}

async fn set(house: &House, record: &str, slug: &str, value: Value) -> Answer {
    let path = format!("{record}/custom_fields");
    let attributes = json!({"api_slug": slug, "value": value});
    send(house, "POST", &path, "custom_field", attributes).await
}

/// The value in words of each field of a record, by slug.
async fn shown(house: &House, record: &str, slug: &str) -> (Value, Value) {
    let told = house.get(&format!("{record}?include=custom_fields")).await;
    assert_eq!(told.status, 200, "{}", told.body);
    let included = told.json()["included"].as_array().cloned().unwrap();
    let fields: Vec<&Value> = included
        .iter()
        .filter(|one| one["attributes"]["api_slug"] == slug)
        .collect();
    assert_eq!(fields.len(), 1, "{}", told.body);
    let attributes = &fields[0]["attributes"];
    (
        attributes["value"].clone(),
        attributes["display_value"].clone(),
    )
}

#[tokio::test]
async fn a_reference_names_a_record_that_the_account_has() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let record = format!("/v2/shipments/{}", planted.shipment);
    for (slug, of) in [("box", "container"), ("line", "shipping_line")] {
        let more = json!({"reference_type": of});
        define(&house, "Shipment", slug, "reference", more).await;
    }
    let attributes = json!({"entity_type": "Shipment", "api_slug": "odd", "display_name": "Odd",
        "data_type": "reference", "reference_type": "zzz"});
    let odd = send(
        &house,
        "POST",
        DEFINITIONS,
        "custom_field_definition",
        attributes,
    )
    .await;
    let faults = odd.faults(422);
    assert!(
        faults[0].starts_with("/data/attributes/reference_type: "),
        "{faults:?}"
    );
    let lines = house.get("/v2/shipping_lines?search=MSCU").await.ids();
    let own = planted.containers[0].to_string();
    for (slug, kind, id, status) in [
        ("box", "container", own.as_str(), 201),
        ("line", "shipping_line", lines[0].as_str(), 201),
        ("box", "container", lines[0].as_str(), 422),
        ("box", "container", "p-1", 422),
        ("box", "zzz", own.as_str(), 422),
        ("box", "shipment", own.as_str(), 422),
    ] {
        let told = set(&house, &record, slug, json!({"type": kind, "id": id})).await;
        assert_eq!(told.status, status, "{kind} {id}: {}", told.body);
        if status == 422 {
            let faults = told.faults(422);
            assert!(
                faults[0].starts_with("/data/attributes/value: "),
                "{faults:?}"
            );
        }
    }
    let stranger = json!({"type": "container", "id": planted.shipment.to_string()});
    let path = format!("{record}/custom_fields/box");
    let told = send(
        &house,
        "PATCH",
        &path,
        "custom_field",
        json!({"value": stranger}),
    )
    .await;
    assert_eq!(
        told.faults(422),
        ["/data/attributes/value: Value names no container"]
    );
    clear(&house, &path).await;
    let body = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": "QUAY7788", "scac": "MSCU",
        "initial_custom_fields": {"shipment": [{"api_slug": "box", "value": stranger}]},
    }}});
    let client = house.client();
    let told = client
        .send("POST", "/v2/tracking_requests", Some(&body))
        .await;
    assert_eq!(
        told.faults(422),
        ["/data/attributes/initial_custom_fields/shipment/0/value: Value names no container"]
    );
}

#[tokio::test]
async fn a_value_of_every_type_is_set_and_read_back_with_its_record() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let record = format!("/v2/shipments/{}", planted.shipment);
    let colours = define(&house, "Shipment", "colours", "enum_multi", json!({})).await;
    option(&house, &colours, "r", "Red").await;
    option(&house, &colours, "b", "Blue").await;
    let party = json!({"reference_type": "party"});
    for (slug, kind, more) in [
        ("text", "short_text", json!({})),
        ("number", "number", json!({"default_format": "#,##0.00"})),
        ("day", "date", json!({"default_format": "DD/MM/YYYY"})),
        ("instant", "datetime", json!({})),
        ("yes", "boolean", json!({})),
        ("buyer", "reference", party),
    ] {
        define(&house, "Shipment", slug, kind, more).await;
    }
    let made = send(
        &house,
        "POST",
        "/v2/parties",
        "party",
        json!({"company_name": "B"}),
    )
    .await;
    let buyer = json!({"type": "party", "id": made.json()["data"]["id"]});
    for (slug, sent, value, words) in [
        ("text", json!(" PO 7 "), json!("PO 7"), json!("PO 7")),
        ("number", json!(1234.5), json!(1234.5), json!("1,234.50")),
        (
            "day",
            json!("02/03/2026"),
            json!("2026-03-02"),
            json!("02/03/2026"),
        ),
        (
            "instant",
            json!("2026-03-02T05:00:00-08:00"),
            json!("2026-03-02T13:00:00Z"),
            json!("2026-03-02 13:00:00"),
        ),
        ("yes", json!(false), json!(false), json!("No")),
        (
            "colours",
            json!(["b", "r"]),
            json!(["b", "r"]),
            json!("Blue, Red"),
        ),
        ("buyer", buyer.clone(), buyer, Value::Null),
    ] {
        let answer = set(&house, &record, slug, sent).await;
        assert_eq!(answer.status, 201, "{slug}: {}", answer.body);
        assert_eq!(shown(&house, &record, slug).await, (value, words), "{slug}");
    }
    // Eighteen digits are more than a binary fraction can tell apart.
    let body = format!(
        r#"{{"data":{{"type":"custom_field","attributes":{{"api_slug":"number","value":{}}}}}}}"#,
        "123456789012.123456"
    );
    let (path, media) = (format!("{record}/custom_fields"), Some("application/json"));
    let client = house.client();
    let exact = client
        .send_bytes("POST", &path, media, body.as_bytes())
        .await;
    assert_eq!(exact.status, 201, "{}", exact.body);
    assert!(
        exact.body.contains(r#""value":123456789012.123456,"#),
        "{}",
        exact.body
    );
}

#[tokio::test]
async fn a_new_label_leaves_every_stored_value_valid() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let record = format!("/v2/shipments/{}", planted.shipment);
    let definition = define(&house, "Shipment", "priority", "enum", json!({})).await;
    let high = option(&house, &definition, "high", "High").await;
    let set_first = set(&house, &record, "priority", json!("high")).await;
    assert_eq!(
        set_first.json()["data"]["attributes"]["display_value"],
        "High"
    );

    let label = json!({"label": "Urgent", "value": "high"});
    let relabelled = send(&house, "PATCH", &high, "custom_field_option", label).await;
    assert_eq!(relabelled.status, 200, "{}", relabelled.body);
    assert!(relabelled.json()["links"]["self"].is_string());
    let urgent = (json!("high"), json!("Urgent"));
    assert_eq!(shown(&house, &record, "priority").await, urgent);
    let again = set(&house, &record, "priority", json!("high")).await;
    assert_eq!(again.status, 201, "{}", again.body);
    let by_label = set(&house, &record, "priority", json!("Urgent")).await;
    assert!(by_label.faults(422)[0].starts_with("/data/attributes/value: "));

    let fixed = json!({"value": "highest"});
    let told = send(&house, "PATCH", &high, "custom_field_option", fixed).await;
    assert_eq!(
        told.faults(422),
        ["/data/attributes/value: Value cannot be changed"]
    );
    let gone = house.client().send("DELETE", &high, None).await;
    assert_eq!((gone.status, gone.body.as_str()), (200, ""));
    let kept = (json!("high"), json!("high"));
    assert_eq!(shown(&house, &record, "priority").await, kept);
}

#[tokio::test]
async fn setting_twice_changes_one_value_and_its_record_with_it() {
    let house = House::open().await;
    let planted = plant(&house).await;
    for (entity, record) in [
        ("Shipment", format!("/v2/shipments/{}", planted.shipment)),
        (
            "Container",
            format!("/v2/containers/{}", planted.containers[0]),
        ),
        (
            "TrackingRequest",
            format!("/v2/tracking_requests/{}", planted.request),
        ),
    ] {
        let slug = format!("note_{entity}");
        let definition = define(&house, entity, &slug, "short_text", json!({})).await;
        let linked = async || {
            let told = house.get(&record).await.json()["data"].clone();
            let links = told["relationships"]["custom_fields"]["data"]
                .as_array()
                .cloned();
            (links.unwrap().len(), told["meta"]["version"].as_i64())
        };
        let before = linked().await;
        let first = set(&house, &record, &slug, json!("a")).await.json()["data"].clone();
        let second = set(&house, &record, &slug, json!("b")).await.json()["data"].clone();
        assert_eq!(first["id"], second["id"]);
        assert_eq!(second["attributes"]["value"], "b");
        let after = linked().await;
        assert_eq!(after.0, before.0 + 1);
        assert_eq!(after.1, before.1.map(|version| version + 2), "{entity}");
        set(&house, &record, &slug, json!("b")).await;
        assert_eq!(linked().await, after, "nothing changed");

        let path = format!("{record}/custom_fields/{slug}");
        let cleared = clear(&house, &path).await;
        assert_eq!(cleared.json()["data"]["attributes"]["value"], Value::Null);
        let deleted = house.client().send("DELETE", &path, None).await;
        assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
        house.client().send("DELETE", &path, None).await.faults(404);
        assert_eq!(linked().await.0, before.0);
        assert_eq!(
            house.get(&definition).await.status,
            200,
            "the definition stays"
        );
    }
    let path = format!(
        "/v2/shipments/{}?include=custom_fields.definition",
        planted.shipment
    );
    let kinds: Vec<String> = house
        .get(&path)
        .await
        .included()
        .into_iter()
        .map(|(kind, _)| kind)
        .collect();
    assert!(
        kinds.contains(&"custom_field_definition".to_owned()),
        "{kinds:?}"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_value_is_said_at_its_place() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let record = format!("/v2/shipments/{}", planted.shipment);
    let path = format!("{record}/custom_fields");
    let rules = json!({"validation": {"required": true, "pattern": "^PO", "max_length": 5}});
    define(&house, "Shipment", "po", "short_text", rules).await;
    define(&house, "Container", "seal", "short_text", json!({})).await;
    for value in [
        json!("PO-1234"),
        json!("X"),
        json!(5),
        Value::Null,
        json!(""),
        json!({}),
        json!([]),
    ] {
        let told = set(&house, &record, "po", value.clone()).await.faults(422);
        assert_eq!(told.len(), 1, "{value}: {told:?}");
        assert!(
            told[0].starts_with("/data/attributes/value: Value "),
            "{value}: {told:?}"
        );
    }
    for slug in ["nothing", "seal"] {
        let told = set(&house, &record, slug, json!("PO")).await.faults(422);
        assert!(
            told[0].starts_with("/data/attributes/api_slug: Api slug "),
            "{told:?}"
        );
    }
    let told = send(&house, "POST", &path, "custom_field", json!({}))
        .await
        .faults(422);
    assert_eq!(
        told,
        [
            "/data/attributes/api_slug: Api slug can't be blank",
            "/data/attributes/value: Value can't be blank"
        ]
    );
    let with_entity = |id: &str| {
        json!({"data": {
            "type": "custom_field", "attributes": {"api_slug": "po", "value": "PO 1"},
            "relationships": {"entity": {"data": {"type": "shipment", "id": id}}},
        }})
    };
    let body = with_entity(&planted.shipment.to_string());
    let told = house
        .client()
        .send("POST", &path, Some(&body))
        .await
        .faults(422);
    assert!(
        told[0].starts_with("/data/relationships/entity: "),
        "{told:?}"
    );
    let flat = house
        .client()
        .send("POST", "/v2/custom_fields", Some(&body))
        .await;
    assert_eq!(flat.status, 201, "{}", flat.body);
    let unknown = with_entity("01900000-0000-7000-8000-000000000001");
    let told = house
        .client()
        .send("POST", "/v2/custom_fields", Some(&unknown))
        .await
        .faults(422);
    assert_eq!(
        told,
        ["/data/relationships/entity: Entity names no shipment"]
    );
    let attributes = json!({"api_slug": "po", "value": "PO 1"});
    let told = send(
        &house,
        "POST",
        "/v2/custom_fields",
        "custom_field",
        attributes,
    )
    .await;
    assert_eq!(
        told.faults(422),
        ["/data/relationships/entity: Entity can't be blank"]
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_definition_is_said_at_its_place() {
    let house = House::open().await;
    let path = define(&house, "Shipment", "po", "short_text", json!({})).await;
    let good = json!({
        "entity_type": "Container", "api_slug": "weight", "display_name": "Weight", "data_type": "number",
    });
    for (name, bad) in [
        ("entity_type", json!("Cargo")),
        ("api_slug", json!("po")),
        ("api_slug", json!("a b")),
        ("display_name", json!(" ")),
        ("data_type", json!("money")),
        ("reference_type", json!("party")),
        ("reference_type", json!("zzz")),
        ("validation", json!({"pattern": "x"})),
        ("validation", json!({"min": 2, "max": 1})),
        ("validation", json!({"colour": "red"})),
        ("default_format", json!("kg")),
        ("default_value", json!("heavy")),
        ("description", json!(5)),
    ] {
        let mut attributes = good.clone();
        attributes[name] = bad.clone();
        let told = send(
            &house,
            "POST",
            DEFINITIONS,
            "custom_field_definition",
            attributes,
        )
        .await;
        let told = told.faults(422);
        assert_eq!(told.len(), 1, "{name} {bad}: {told:?}");
        assert!(
            told[0].starts_with(&format!("/data/attributes/{name}: ")),
            "{bad}: {told:?}"
        );
    }
    let patch = async |attributes: Value| {
        send(
            &house,
            "PATCH",
            &path,
            "custom_field_definition",
            attributes,
        )
        .await
    };
    for (name, other) in [
        ("api_slug", json!("other")),
        ("entity_type", json!("Container")),
        ("data_type", json!("number")),
        ("validation", json!({"pattern": "("})),
    ] {
        let told = patch(json!({name: other})).await.faults(422);
        assert!(
            told[0].starts_with(&format!("/data/attributes/{name}: ")),
            "{told:?}"
        );
    }
    let same = json!({
        "api_slug": "po", "entity_type": "Shipment", "data_type": "short_text",
        "display_name": "Order", "description": "Two\nlines", "validation": {"max_length": 3},
    });
    let changed = patch(same).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let attributes = changed.json()["data"]["attributes"].clone();
    assert_eq!(attributes["display_name"], "Order");
    assert_eq!(attributes["validation"], json!({"max_length": 3}));
    let option = json!({"label": "A", "value": "a"});
    let told = send(
        &house,
        "POST",
        &format!("{path}/options"),
        "custom_field_option",
        option,
    )
    .await;
    assert!(told.faults(422)[0].starts_with("/data/attributes/value: "));
}

#[tokio::test]
async fn a_definition_goes_with_its_values_and_its_records_no_longer_link_to_them() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let record = format!("/v2/containers/{}", planted.containers[0]);
    let definition = define(&house, "Container", "seal", "short_text", json!({})).await;
    let field = set(&house, &record, "seal", json!("S1")).await.json()["data"].clone();
    let gone = house.client().send("DELETE", &definition, None).await;
    assert_eq!((gone.status, gone.body.as_str()), (200, ""));
    let id = field["id"].as_str().unwrap();
    house
        .get(&format!("/v2/custom_fields/{id}"))
        .await
        .faults(404);
    house.get(&definition).await.faults(404);
    let told = house.get(&format!("{record}?include=custom_fields")).await;
    assert!(!told.body.contains(id), "{}", told.body);
    let again = set(&house, &record, "seal", json!("S1")).await.faults(422);
    assert!(
        again[0].starts_with("/data/attributes/api_slug: "),
        "{again:?}"
    );
}

#[tokio::test]
async fn lists_are_filtered() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let ids = async |query: String| house.get(&format!("/v2/custom_fields{query}")).await.ids();
    let all = ids(String::new()).await.len();
    let containers = ids("?filter[entity_type]=Cargo".into()).await;
    assert_eq!(
        containers,
        ids("?filter[entity_type]=Container".into()).await
    );
    assert_eq!((all, containers.len()), (4, 2));
    let on = format!("?filter[entity_id]={}", planted.containers[1]);
    assert_eq!(ids(on).await, [planted.fields.field.to_string()]);
    let of = format!("?filter[definition_id]={}", planted.fields.definition);
    assert_eq!(ids(of).await.len(), 1);
    let definitions = async |query: &str| {
        house
            .get(&format!("{DEFINITIONS}{query}"))
            .await
            .ids()
            .len()
    };
    assert_eq!(definitions("?filter[data_type]=enum").await, 1);
    assert_eq!(
        definitions("?filter[entity_type]=Shipment,TrackingRequest").await,
        3
    );
    assert_eq!(definitions("?filter[display_name]=OF_").await, 3);
    assert_eq!(definitions("?filter[display_name]=f_").await, 0);
    define(
        &house,
        "Shipment",
        "umlaut",
        "short_text",
        json!({"display_name": "Übergabe"}),
    )
    .await;
    assert_eq!(definitions("?filter[display_name]=%C3%BCBER").await, 1);
    house
        .get(&format!("{DEFINITIONS}?filter[data_type]=money"))
        .await
        .faults(400);
}

#[tokio::test]
async fn values_for_what_does_not_exist_yet_are_judged_at_once() {
    let house = House::open().await;
    define(&house, "Shipment", "po", "short_text", json!({})).await;
    define(&house, "Container", "weight", "number", json!({})).await;
    let create = async |number: &str, fields: Value| {
        let attributes = json!({
            "request_type": "bill_of_lading", "request_number": number, "scac": "MSCU",
            "initial_custom_fields": fields,
        });
        send(
            &house,
            "POST",
            "/v2/tracking_requests",
            "tracking_request",
            attributes,
        )
        .await
    };
    let bad = json!({
        "shipment": [{"api_slug": "po", "value": 5}, {"api_slug": "nothing", "value": "x"}],
        "containers": [{"api_slug": "weight", "value": 1.5, "number": ""}, {"api_slug": "po", "value": "x"}],
    });
    let told = create("QUAY90", bad).await.faults(422);
    let mut places: Vec<&str> = told
        .iter()
        .map(|one| one.split(": ").next().unwrap())
        .collect();
    places.sort_unstable();
    let at = "/data/attributes/initial_custom_fields";
    assert_eq!(
        places,
        [
            format!("{at}/containers/1/api_slug"),
            format!("{at}/shipment/0/value"),
            format!("{at}/shipment/1/api_slug"),
        ]
    );
    for (shape, place) in [
        (json!([]), String::new()),
        (json!({"shipment": {}}), "/shipment".into()),
        (json!({"shipment": [5]}), "/shipment/0".into()),
        (
            json!({"shipment": [{"value": 1}]}),
            "/shipment/0/api_slug".into(),
        ),
        (
            json!({"shipment": [{"api_slug": "po"}]}),
            "/shipment/0/value".into(),
        ),
        (
            json!({"containers": [{"api_slug": "weight", "value": 1, "number": "CSQU3054384"}]}),
            "/containers/0/number".into(),
        ),
    ] {
        let told = create("QUAY90", shape.clone()).await.faults(422);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with(&format!("{at}{place}: ")),
            "{shape}: {told:?}"
        );
    }
    let many = vec![json!({"api_slug": "po", "value": "x"}); 101];
    create("QUAY90", json!({"shipment": many}))
        .await
        .faults(422);
    let fine = json!({"shipment": [{"api_slug": "po", "value": "PO 1"}], "containers": null});
    let answer = create("QUAY90", fine).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

#[tokio::test]
async fn a_default_that_stands_is_not_read_again_by_its_format() {
    let house = House::open().await;
    let more = json!({"default_format": "YYYY-DD-MM", "default_value": "2026-03-02"});
    let path = define(&house, "Shipment", "eta", "date", more).await;
    let shown = house.get(&path).await.json()["data"]["attributes"]["default_value"].clone();
    assert_eq!(shown, "2026-02-03");
    for change in [
        json!({"display_name": "ETA"}),
        json!({"default_format": "DD/MM/YYYY"}),
        json!({"default_format": "YYYY-DD-MM"}),
    ] {
        let told = send(&house, "PATCH", &path, "custom_field_definition", change).await;
        assert_eq!(told.status, 200, "{}", told.body);
        assert_eq!(told.json()["data"]["attributes"]["default_value"], shown);
    }
}
