//! What schemas of documents promise.

use jiff::civil::{Date, date};
use store::document_schema::{self, DocumentSchema, Loaded};

use crate::bench::{Bench, at};

on_both_engines!(
    a_schema_is_found_as_it_was_loaded,
    one_of_a_type_is_current,
    content_never_changes,
);

fn schema(document_type: &str, version: Date) -> DocumentSchema {
    DocumentSchema {
        document_type: document_type.into(),
        version,
        label: "Arrival notice".into(),
        description: None,
        payload: r#"{"type":"object","properties":{"b":{},"a":{}}}"#.into(),
        current: false,
        draft: true,
        active_at: None,
        created_at: at(1),
        updated_at: at(1),
    }
}

async fn put(bench: &Bench, schema: DocumentSchema) -> Loaded {
    bench
        .write(move |tx| document_schema::put(tx, &schema))
        .await
}

async fn find(bench: &Bench, kind: &'static str, version: Date) -> Option<DocumentSchema> {
    bench
        .read(move |tx| document_schema::find(tx, kind, version))
        .await
}

async fn a_schema_is_found_as_it_was_loaded(bench: &Bench) {
    let loaded = schema("arrival_notice", date(2026, 1, 5));
    put(bench, loaded.clone()).await;
    assert_eq!(
        find(bench, "arrival_notice", date(2026, 1, 5)).await,
        Some(loaded)
    );
    assert_eq!(find(bench, "arrival_notice", date(2026, 1, 6)).await, None);
    assert_eq!(find(bench, "invoice", date(2026, 1, 5)).await, None);
}

async fn one_of_a_type_is_current(bench: &Bench) {
    for (kind, version, second) in [
        ("arrival_notice", date(2026, 1, 5), 1),
        ("invoice", date(2026, 1, 5), 2),
        ("arrival_notice", date(2026, 2, 5), 3),
    ] {
        let current = DocumentSchema {
            current: true,
            draft: false,
            active_at: Some(at(second)),
            updated_at: at(second),
            ..schema(kind, version)
        };
        put(bench, current).await;
    }
    let before = find(bench, "arrival_notice", date(2026, 1, 5))
        .await
        .unwrap();
    assert!(!before.current);
    assert_eq!((before.active_at, before.updated_at), (Some(at(1)), at(3)));
    for (kind, version) in [
        ("arrival_notice", date(2026, 2, 5)),
        ("invoice", date(2026, 1, 5)),
    ] {
        assert!(find(bench, kind, version).await.unwrap().current, "{kind}");
    }
}

async fn content_never_changes(bench: &Bench) {
    let mut loaded = schema("arrival_notice", date(2026, 1, 5));
    (loaded.current, loaded.active_at) = (true, Some(at(1)));
    assert_eq!(put(bench, loaded.clone()).await, Loaded::First);
    let again = DocumentSchema {
        label: "Notice".into(),
        current: false,
        active_at: None,
        created_at: at(9),
        updated_at: at(9),
        ..loaded.clone()
    };
    let other = DocumentSchema {
        payload: "{}".into(),
        label: "Invoice".into(),
        ..again.clone()
    };
    assert_eq!(put(bench, again.clone()).await, Loaded::Again);
    assert_eq!(put(bench, other).await, Loaded::OtherContent);
    let found = find(bench, "arrival_notice", date(2026, 1, 5)).await;
    let expected = DocumentSchema {
        created_at: loaded.created_at,
        active_at: loaded.active_at,
        ..again
    };
    assert_eq!(found, Some(expected));
}
