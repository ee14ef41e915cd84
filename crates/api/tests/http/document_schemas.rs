//! Schemas of documents, loaded by the operator and read by everybody.

use jiff::civil::date;
use serde_json::json;
use tracking::document_schemas::{NewSchema, SchemaRefused, Standing, add};

use crate::house::House;

fn schema(day: i8, standing: Standing, content: &str) -> NewSchema {
    NewSchema {
        document_type: "arrival_notice".into(),
        version: date(2026, 1, day),
        label: None,
        standing,
        bytes: content.into(),
    }
}

const CONTENT: &str = r#"{"title":"Notice","description":"Told\nearly.","type":"object","properties":{"b":{},"a":{"type":"string"}}}"#;

#[tokio::test]
async fn a_version_is_read_by_its_full_name() {
    let house = House::open().await;
    let id = add(&house.tracking, schema(5, Standing::Current, CONTENT))
        .await
        .unwrap();
    assert_eq!(id, "arrival_notice@2026-01-05");
    let path = format!("/v2/document_schemas/{id}");
    let answer = house.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let told = answer.json();
    assert_eq!(told["data"]["id"], id);
    assert_eq!(told["data"]["links"]["self"], path);
    assert_eq!(
        told["links"]["self"],
        format!("{}/document_schemas/{id}", crate::house::BASE)
    );
    assert_eq!(
        told["data"]["attributes"],
        json!({
            "document_type": "arrival_notice", "label": "Notice", "schema_version": "2026-01-05",
            "full_version": id, "current": true, "draft": false,
            "active_at": "2026-03-01T12:00:00Z", "schema_format": "json_schema",
            "description": "Told early.", "schema_payload": serde_json::from_str::<serde_json::Value>(CONTENT).unwrap(),
            "created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:00:00Z",
        })
    );
    assert!(
        answer.body.contains(r#""properties":{"b":{},"a""#),
        "in the order of the file"
    );
    for other in [
        "arrival_notice@2026-01-06",
        "arrival_notice",
        "arrival_notice@current",
        "x@2026-01-05",
    ] {
        let told = house
            .get(&format!("/v2/document_schemas/{other}"))
            .await
            .faults(404);
        assert_eq!(
            told,
            [format!("Couldn't find DocumentSchema with 'id'={other}")]
        );
    }
}

#[tokio::test]
async fn one_version_is_in_force_and_content_stays() {
    let house = House::open().await;
    let standing = async |day: i8| {
        let path = format!("/v2/document_schemas/arrival_notice@2026-01-{day:02}");
        let told = house.get(&path).await.json()["data"]["attributes"].clone();
        (told["current"] == true, told["draft"] == true)
    };
    for (day, wanted) in [
        (5, Standing::Current),
        (6, Standing::Draft),
        (7, Standing::Kept),
    ] {
        add(&house.tracking, schema(day, wanted, CONTENT))
            .await
            .unwrap();
    }
    assert_eq!(
        (standing(5).await, standing(6).await, standing(7).await),
        ((true, false), (false, true), (false, false))
    );
    add(&house.tracking, schema(6, Standing::Current, CONTENT))
        .await
        .unwrap();
    assert_eq!(
        (standing(5).await, standing(6).await),
        ((false, false), (true, false))
    );

    let other = schema(6, Standing::Current, r#"{"type":"array"}"#);
    let refused = add(&house.tracking, other).await.unwrap_err();
    assert!(
        matches!(refused, SchemaRefused::OtherContent(_)),
        "{refused}"
    );
    assert_eq!(standing(6).await, (true, false));
}

#[tokio::test]
async fn what_is_no_schema_is_not_loaded() {
    let house = House::open().await;
    let plain = || schema(5, Standing::Kept, CONTENT);
    for (new, expected) in [
        (schema(5, Standing::Kept, "{"), "not valid JSON"),
        (schema(5, Standing::Kept, r#"{"type":"text"}"#), "/type"),
        (
            NewSchema {
                document_type: "Arrival@Notice".into(),
                ..plain()
            },
            "no type",
        ),
        (
            NewSchema {
                document_type: String::new(),
                ..plain()
            },
            "no type",
        ),
        (
            NewSchema {
                label: Some(" ".into()),
                ..plain()
            },
            "the label",
        ),
        (
            NewSchema {
                bytes: vec![b' '; 256 * 1024 + 1],
                ..plain()
            },
            "262145 bytes",
        ),
    ] {
        let refused = add(&house.tracking, new).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    house
        .get("/v2/document_schemas/arrival_notice@2026-01-05")
        .await
        .faults(404);
}
