use super::*;
use crate::error::Source;

fn statuses(bytes: &[u8]) -> Vec<u16> {
    match resource(bytes, "webhook").and_then(Form::finish) {
        Ok(()) => Vec::new(),
        Err(faults) => faults.iter().map(|fault| fault.status).collect(),
    }
}

fn body(attributes: &str) -> Vec<u8> {
    format!(r#"{{"data":{{"type":"webhook","attributes":{attributes}}}}}"#).into_bytes()
}

#[test]
fn what_is_no_envelope_is_refused_whole() {
    let deep = |levels: usize| {
        let open = "[".repeat(levels);
        let close = "]".repeat(levels);
        body(&format!(r#"{{"x":{open}{close}}}"#))
    };
    let wide = format!(r#"{{"x":{}}}"#, "9".repeat(40));
    let tables: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", b"".to_vec()),
        ("white space", b"  \n".to_vec()),
        ("no JSON", b"data: yes".to_vec()),
        ("cut short", br#"{"data":{"type":"webhook""#.to_vec()),
        (
            "more behind it",
            br#"{"data":{"type":"webhook"}} {}"#.to_vec(),
        ),
        ("not UTF-8", b"{\"data\":\"\xff\"}".to_vec()),
        ("a list", b"[]".to_vec()),
        ("no data", b"{}".to_vec()),
        ("data is a list", br#"{"data":[]}"#.to_vec()),
        ("data is null", br#"{"data":null}"#.to_vec()),
        ("type is a number", br#"{"data":{"type":1}}"#.to_vec()),
        (
            "id is a number",
            br#"{"data":{"type":"webhook","id":1}}"#.to_vec(),
        ),
        (
            "attributes is a list",
            br#"{"data":{"type":"webhook","attributes":[]}}"#.to_vec(),
        ),
        (
            "attributes is null",
            br#"{"data":{"type":"webhook","attributes":null}}"#.to_vec(),
        ),
        ("a name twice", body(r#"{"url":"a","url":"b"}"#)),
        (
            "a name twice, spelled apart",
            body(r#"{"url":"a","\u0075rl":"b"}"#),
        ),
        ("lone surrogate", body(r#"{"url":"\ud800"}"#)),
        ("not finite", body(r#"{"x":1e999}"#)),
        ("past 64 bits", body(&wide)),
        ("past 64 bits below", body(r#"{"x":-9223372036854775809}"#)),
        ("too deep", deep(30)),
        ("far too deep", deep(100_000)),
    ];
    for (name, bytes) in tables {
        assert_eq!(statuses(&bytes), [400], "{name}");
    }
    assert!(statuses(&deep(29)).is_empty(), "thirty-two levels are fine");
    let whole =
        body(r#"{"x":18446744073709551615,"y":-9223372036854775808,"z":"99999999999999999999"}"#);
    assert!(statuses(&whole).is_empty(), "64 bits are fine");
}

#[test]
fn every_failing_member_is_named_at_once() {
    let bytes = br#"{"data":{"type":"hook","id":"2","attributes":{
        "url":" ","active":"yes","events":["a",5,""],"name":"a\u0007b","note":"x\u0000y",
        "long":"aaaaaa","headers":[{"name":"X"},7]}}}"#;
    let mut form = resource(bytes, "webhook").unwrap();
    form.must_be("1");
    form.required_text("url", Text::NAME);
    form.boolean("active");
    form.texts("events", Text::NAME);
    form.text("name", Text::NAME);
    form.text("long", Text { chars_max: 5 });
    form.pairs("headers");
    form.required("kind", "must be a kind", |_| Some(()));
    let faults = form.finish().unwrap_err();
    let told: Vec<String> = faults
        .iter()
        .map(|fault| match &fault.source {
            Some(Source::Pointer(pointer)) => format!("{pointer}: {}", fault.detail),
            other => panic!("{other:?}"),
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    assert!(faults.iter().all(|fault| fault.status == 422));
}

#[test]
fn texts_are_trimmed_and_blank_is_nothing() {
    let bytes = body(r#"{"a":"  x ","b":"\u200b\u00a0","c":null,"tags":null,"on":false}"#);
    let mut form = resource(&bytes, "webhook").unwrap();
    assert_eq!(form.text("a", Text::NAME).as_deref(), Some("x"));
    assert_eq!(form.text("b", Text::NAME), None);
    assert_eq!(form.text("c", Text::NAME), None);
    assert_eq!(form.texts("tags", Text::NAME), Some(vec![]));
    assert_eq!(form.boolean("on"), Some(false));
    assert_eq!(form.boolean("off"), None);
    form.finish().unwrap();
}

#[test]
fn where_nothing_is_wanted_no_more_is_sent_than_what_it_is_about() {
    let statuses = |text: &str| -> Vec<u16> {
        let faults = nothing(text.as_bytes()).err().unwrap_or_default();
        faults.iter().map(|fault| fault.status).collect()
    };
    for good in [
        "",
        "{}",
        r#"{"data":{}}"#,
        r#"{"data":{"type":"a","id":"1"}}"#,
        r#"{"data":{"type":"a","attributes":{},"relationships":null}}"#,
    ] {
        assert!(statuses(good).is_empty(), "{good}");
    }
    for bad in [
        "garbage",
        "7",
        "[]",
        r#"{"data":null}"#,
        r#"{"data":[]}"#,
        r#"{"data":{"id":1}}"#,
        r#"{"data":{"id":null}}"#,
        r#"{"a":1,"a":1}"#,
    ] {
        assert_eq!(statuses(bad), [400], "{bad}");
    }
    let more = r#"{"why":1,"data":{"type":"a","attributes":{"b":1},"reason":"b"}}"#;
    let faults = nothing(more.as_bytes()).unwrap_err();
    let mut told: Vec<_> = faults
        .iter()
        .map(|fault| match &fault.source {
            Some(Source::Pointer(pointer)) => (fault.status, pointer.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            (422, "/data/attributes"),
            (422, "/data/reason"),
            (422, "/why")
        ]
    );
}

#[test]
fn a_refusal_stays_small_however_much_is_wrong() {
    let name = "a".repeat(100_000);
    let nul = |count: usize| vec![r#""\u0000""#; count].join(",");
    let faults_of = |bytes: Vec<u8>| resource(&bytes, "webhook").and_then(Form::finish);
    for (count, told) in [(19, 19), (20, 20), (21, 20), (8_000, 20)] {
        let faults = faults_of(body(&format!(r#"{{"{name}":[{}]}}"#, nul(count)))).unwrap_err();
        assert_eq!(faults.len(), told);
        let text = crate::error::document(&faults);
        assert!(text.len() < 10_000, "{} bytes", text.len());
    }
    let within = "/".repeat(64) + "\\u0000";
    let faults = faults_of(body(&format!(r#"{{"{within}":1}}"#))).unwrap_err();
    let Some(Source::Pointer(pointer)) = &faults[0].source else {
        panic!("{faults:?}");
    };
    let told = format!("/data/attributes/{}", "~1".repeat(64));
    assert_eq!(*pointer, told, "names are cut before they are escaped");
}

#[test]
fn an_answer_names_a_hundred_faults() {
    for (count, told) in [(99, 99), (100, 100), (101, 100), (30_000, 100)] {
        let members: Vec<String> = (0..count).map(|n| format!(r#""{n:x}":1"#)).collect();
        let body = format!("{{{}}}", members.join(","));
        let mut form = plain(body.as_bytes()).unwrap();
        form.nothing_else();
        form.blank("last");
        let faults = form.finish().unwrap_err();
        assert_eq!(faults.len(), told + usize::from(told < 100));
        assert!(faults.iter().take(told).all(|fault| fault.code.is_none()));
    }
    let many = vec![ErrorItem::new(422, "wrong"); 101];
    let text = crate::error::document(&many);
    assert_eq!(text.matches("wrong").count(), 100);
}
