//! Every answer that the client of these tests gets, held against the description: its status, its media type, its
//! headers and its body.
//!
//! The description is read more strictly than a caller has to read it: a member that it does not name is a fault,
//! and so is a missing attribute, unless the query asked for some `fields` only.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::client::Answer;

/// Headers of HTTP itself, and those that protect browsers.
const NOT_DESCRIBED: [&str; 9] = [
    "allow",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
    "vary",
    "x-content-type-options",
];

static API: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&api::openapi()).unwrap());

/// The description's components, read strictly; complete or cut to some fields.
static STRICT: LazyLock<[Value; 2]> = LazyLock::new(|| {
    [false, true].map(|sparse| {
        let mut components = API["components"]["schemas"].clone();
        for (name, schema) in components.as_object_mut().unwrap() {
            close(schema);
            let resource = jsonapi::resource::named(name).is_some();
            for part in ["attributes", "relationships"] {
                if resource && !sparse {
                    demand_all(&mut schema["properties"][part]);
                }
            }
        }
        components
    })
});

type Compiled = HashMap<(String, bool), Arc<Validator>>;
static COMPILED: LazyLock<Mutex<Compiled>> = LazyLock::new(Mutex::default);

/// Panics when this answer is not one that the description promises.
pub fn check(method: &str, target: &str, answer: &Answer) {
    if let Err(why) = judge(method, target, answer) {
        panic!("{method} {target} answered otherwise than /openapi.json says: {why}\n{answer:?}");
    }
}

fn judge(method: &str, target: &str, answer: &Answer) -> Result<(), String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = tidied(path);
    let Some(path) = path.strip_prefix("/v2") else {
        return Ok(());
    };
    let asked = if method == "HEAD" { "GET" } else { method };
    let known = ["GET", "POST", "PATCH", "DELETE"].contains(&asked);
    let place = described(path).filter(|_| known);
    let place = place.map(|item| &item[asked.to_lowercase()]);
    let Some(operation) = place.filter(|operation| operation.is_object()) else {
        return refused(answer);
    };
    let status = answer.status.to_string();
    let response = followed(&operation["responses"][&status]);
    if response.is_null() {
        return Err(format!("the status {status} is not described"));
    }
    judge_headers(&response["headers"], answer)?;
    if method == "HEAD" {
        return Ok(());
    }
    let Some((media, content)) = content(response, answer) else {
        let empty = answer.body.is_empty();
        return empty.then_some(()).ok_or("there is a body".into());
    };
    if answer.header("content-type") != Some(media) {
        return Err(format!("the media type is not {media}"));
    }
    if !media.ends_with("json") {
        return Ok(());
    }
    let sparse = query.contains("fields");
    let name = format!("{} {status}", operation["operationId"]);
    judge_body(&name, &content["schema"], sparse, answer)
}

/// The path without slashes that say nothing, which are no other path.
fn tidied(path: &str) -> String {
    let steps = path.split('/').filter(|step| !step.is_empty());
    steps.flat_map(|step| ["/", step]).collect()
}

/// What no operation answered is refused, and says why.
fn refused(answer: &Answer) -> Result<(), String> {
    if answer.status < 400 {
        return Err("no such operation is described".into());
    }
    if answer.body.is_empty() {
        return Ok(());
    }
    let errors = json!({"$ref": "#/components/schemas/errors"});
    judge_body("errors", &errors, false, answer)
}

/// The path's item; a segment that stands as such goes before one that is named.
fn described(path: &str) -> Option<&'static Value> {
    let asked: Vec<&str> = path.split('/').collect();
    let fits = |known: &str| {
        let known: Vec<&str> = known.split('/').collect();
        let same = |(a, b): (&&str, &&str)| a == b || (a.starts_with('{') && !b.is_empty());
        known.len() == asked.len() && known.iter().zip(&asked).all(same)
    };
    let items = API["paths"].as_object().unwrap();
    let found = items.iter().filter(|(known, _)| fits(known));
    found
        .min_by_key(|(known, _)| known.matches('{').count())
        .map(|(_, item)| item)
}

fn followed(value: &'static Value) -> &'static Value {
    let Some(place) = value["$ref"].as_str() else {
        return value;
    };
    API.pointer(place.trim_start_matches('#')).unwrap()
}

/// What is described under the answer's media type, else under any.
fn content(response: &'static Value, answer: &Answer) -> Option<(&'static str, &'static Value)> {
    let described = response["content"].as_object()?;
    let told = answer.header("content-type");
    let same = described
        .iter()
        .find(|(media, _)| told == Some(media.as_str()));
    let (media, content) = same.or_else(|| described.iter().next())?;
    Some((media, content))
}

fn judge_headers(known: &'static Value, answer: &Answer) -> Result<(), String> {
    let known: HashMap<String, &Value> = known
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, header)| (name.to_lowercase(), followed(header)))
        .collect();
    for (name, value) in &answer.headers {
        let Some(header) = known.get(name) else {
            if NOT_DESCRIBED.contains(&name.as_str()) {
                continue;
            }
            return Err(format!("the header {name} is not described"));
        };
        if header["schema"]["type"] == "integer" && value.parse::<i64>().is_err() {
            return Err(format!("{name} is no whole number: {value}"));
        }
    }
    let replayed = answer.header("idempotency-replayed").is_some();
    for (name, header) in known {
        let due = header["required"] == true || (name == "location" && !replayed);
        if due && answer.header(&name).is_none() {
            return Err(format!("the header {name} is missing"));
        }
    }
    Ok(())
}

fn judge_body(name: &str, schema: &Value, sparse: bool, answer: &Answer) -> Result<(), String> {
    let body: Value = serde_json::from_str(&answer.body).map_err(|why| why.to_string())?;
    let faults: Vec<String> = validator(name, schema, sparse)
        .iter_errors(&body)
        .take(5)
        .map(|fault| {
            let text: String = fault.to_string().chars().take(400).collect();
            format!("{}: {text}", fault.instance_path())
        })
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(faults.join("\n"))
}

fn validator(name: &str, schema: &Value, sparse: bool) -> Arc<Validator> {
    let mut compiled = COMPILED.lock().unwrap();
    let entry = compiled.entry((name.to_owned(), sparse));
    let fresh = || {
        let mut schema = schema.clone();
        close(&mut schema);
        let whole = json!({
            "$ref": "#/answer",
            "answer": schema,
            "components": {"schemas": STRICT[usize::from(sparse)]},
        });
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        Arc::new(options.build(&whole).unwrap())
    };
    Arc::clone(entry.or_insert_with(fresh))
}

/// What an object's schema does not name is not allowed.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object) {
                members
                    .entry("additionalProperties")
                    .or_insert(json!(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn demand_all(object: &mut Value) {
    let Some(properties) = object["properties"].as_object() else {
        return;
    };
    let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    object["required"] = names.into();
}

fn answered(status: u16, body: &str) -> Answer {
    Answer::parse(&format!(
        "HTTP/1.1 {status} x\r\nX-Request-Id: r\r\nContent-Type: application/vnd.api+json\r\n\r\n{body}"
    ))
}

#[test]
fn answers_that_are_not_described_are_found() {
    let row = jsonapi::example::resource("shipping_line").unwrap();
    let list = format!(r#"{{"data":[{row}]}}"#);
    let wrong = |target: &str, answer: &Answer| judge("GET", target, answer).is_err();
    assert_eq!(
        judge("GET", "/v2/shipping_lines", &answered(200, &list)),
        Ok(())
    );
    for (status, body) in [
        (202, list.clone()),
        (200, list.replace("\"short_name\"", "\"shorter_name\"")),
        (
            200,
            list.replace("\"type\":\"shipping_line\"", "\"type\":\"port\""),
        ),
        (200, list.replace("\"data\"", "\"rows\"")),
        (200, String::new()),
        (404, "{}".into()),
    ] {
        assert!(
            wrong("/v2/shipping_lines", &answered(status, &body)),
            "{status} {body}"
        );
    }
    assert!(wrong("/v2/boats", &answered(200, &list)));
    let mut odd = answered(200, &list);
    odd.headers.push(("x-odd".into(), "1".into()));
    assert!(wrong("/v2/shipping_lines", &odd));
    odd.headers.clear();
    assert!(wrong("/v2/shipping_lines", &odd));
}
