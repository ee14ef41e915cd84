//! Whether a file is a JSON Schema (draft 2020-12 or 7).
//!
//! What a keyword must look like is checked, for every keyword that means something, at any depth. Keywords that
//! nobody knows are let through, as JSON Schema says.

use jsonapi::read::{self, Node};

/// Why a file is no JSON Schema.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotASchema {
    /// It is no JSON that is taken.
    #[error("{0}")]
    Json(String),
    /// A part of it is not what it must be.
    #[error("{} {wish}", if .place.is_empty() { "the schema" } else { .place })]
    Part {
        /// JSON pointer.
        place: String,
        /// What it must be.
        wish: &'static str,
    },
}

/// What a keyword holds.
#[derive(Clone, Copy)]
enum Holds {
    Schema,
    SchemaOrList,
    Schemas,
    NamedSchemas,
    NamedSchemasOrNames,
    Names,
    NamedNames,
    Text,
    Number,
    Positive,
    Count,
    Flag,
    List,
    Types,
}

const KEYWORDS: &[(&str, Holds)] = &[
    ("$id", Holds::Text),
    ("$schema", Holds::Text),
    ("$ref", Holds::Text),
    ("$dynamicRef", Holds::Text),
    ("$anchor", Holds::Text),
    ("$dynamicAnchor", Holds::Text),
    ("$comment", Holds::Text),
    ("$defs", Holds::NamedSchemas),
    ("definitions", Holds::NamedSchemas),
    ("title", Holds::Text),
    ("description", Holds::Text),
    ("deprecated", Holds::Flag),
    ("readOnly", Holds::Flag),
    ("writeOnly", Holds::Flag),
    ("examples", Holds::List),
    ("type", Holds::Types),
    ("enum", Holds::List),
    ("format", Holds::Text),
    ("pattern", Holds::Text),
    ("contentEncoding", Holds::Text),
    ("contentMediaType", Holds::Text),
    ("contentSchema", Holds::Schema),
    ("minLength", Holds::Count),
    ("maxLength", Holds::Count),
    ("minimum", Holds::Number),
    ("maximum", Holds::Number),
    ("exclusiveMinimum", Holds::Number),
    ("exclusiveMaximum", Holds::Number),
    ("multipleOf", Holds::Positive),
    ("properties", Holds::NamedSchemas),
    ("patternProperties", Holds::NamedSchemas),
    ("additionalProperties", Holds::Schema),
    ("unevaluatedProperties", Holds::Schema),
    ("propertyNames", Holds::Schema),
    ("required", Holds::Names),
    ("minProperties", Holds::Count),
    ("maxProperties", Holds::Count),
    ("dependentRequired", Holds::NamedNames),
    ("dependentSchemas", Holds::NamedSchemas),
    ("dependencies", Holds::NamedSchemasOrNames),
    ("items", Holds::SchemaOrList),
    ("prefixItems", Holds::Schemas),
    ("additionalItems", Holds::Schema),
    ("unevaluatedItems", Holds::Schema),
    ("contains", Holds::Schema),
    ("minContains", Holds::Count),
    ("maxContains", Holds::Count),
    ("minItems", Holds::Count),
    ("maxItems", Holds::Count),
    ("uniqueItems", Holds::Flag),
    ("allOf", Holds::Schemas),
    ("anyOf", Holds::Schemas),
    ("oneOf", Holds::Schemas),
    ("not", Holds::Schema),
    ("if", Holds::Schema),
    ("then", Holds::Schema),
    ("else", Holds::Schema),
];

const TYPES: [&str; 7] = [
    "null", "boolean", "object", "array", "number", "string", "integer",
];

/// The schema that these bytes hold. Its outermost part is an object: one that lets everything through, or
/// nothing, describes no document.
pub(super) fn schema(bytes: &[u8]) -> Result<Node, NotASchema> {
    let faulty = |faults: Vec<jsonapi::error::ErrorItem>| {
        let first = faults.into_iter().next();
        NotASchema::Json(first.map_or_else(String::new, |fault| fault.detail))
    };
    let node = read::object(bytes).map_err(faulty)?;
    part(&node, "")?;
    Ok(node)
}

fn part(node: &Node, place: &str) -> Result<(), NotASchema> {
    match node {
        Node::Boolean(_) if !place.is_empty() => Ok(()),
        Node::Object(members) => members.iter().try_for_each(|(name, value)| {
            let known = KEYWORDS.iter().find(|(keyword, _)| keyword == name);
            known.map_or(Ok(()), |(_, holds)| {
                keyword(*holds, value, &below(place, name))
            })
        }),
        _ => wrong(place, "must be a schema: an object, true or false"),
    }
}

fn keyword(holds: Holds, value: &Node, place: &str) -> Result<(), NotASchema> {
    match (holds, value) {
        (Holds::Schema | Holds::SchemaOrList, Node::Object(_) | Node::Boolean(_)) => {
            part(value, place)
        }
        (Holds::Schemas | Holds::SchemaOrList, Node::List(parts)) if !parts.is_empty() => {
            each(parts, place)
        }
        (Holds::NamedSchemas, Node::Object(members)) => members
            .iter()
            .try_for_each(|(name, member)| part(member, &below(place, name))),
        (Holds::NamedSchemasOrNames, Node::Object(members)) => {
            members.iter().try_for_each(|(name, member)| match member {
                Node::List(names) => distinct_texts(names, &below(place, name)),
                other => part(other, &below(place, name)),
            })
        }
        (Holds::Names, Node::List(names)) => distinct_texts(names, place),
        (Holds::NamedNames, Node::Object(members)) => {
            members.iter().try_for_each(|(name, member)| match member {
                Node::List(names) => distinct_texts(names, &below(place, name)),
                _ => wrong(&below(place, name), "must be a list of names"),
            })
        }
        (Holds::Types, Node::Text(word)) if TYPES.contains(&word.as_str()) => Ok(()),
        (Holds::Types, Node::List(words)) if !words.is_empty() => {
            distinct_texts(words, place)?;
            let known = |word: &Node| matches!(word, Node::Text(w) if TYPES.contains(&w.as_str()));
            if words.iter().all(known) {
                Ok(())
            } else {
                wrong(place, "must be a type, or a list of types")
            }
        }
        (Holds::Text, Node::Text(_))
        | (Holds::Number, Node::Number(_))
        | (Holds::Flag, Node::Boolean(_))
        | (Holds::List, Node::List(_)) => Ok(()),
        (Holds::Positive, Node::Number(number)) if number.as_f64().is_some_and(|n| n > 0.0) => {
            Ok(())
        }
        (Holds::Count, Node::Number(number)) if number.as_u64().is_some() => Ok(()),
        (holds, _) => wrong(place, wish(holds)),
    }
}

fn each(parts: &[Node], place: &str) -> Result<(), NotASchema> {
    let mut numbered = parts.iter().enumerate();
    numbered.try_for_each(|(number, member)| part(member, &below(place, &number.to_string())))
}

fn distinct_texts(names: &[Node], place: &str) -> Result<(), NotASchema> {
    for (number, name) in names.iter().enumerate() {
        let earlier = names.iter().take(number);
        if !matches!(name, Node::Text(_)) || earlier.clone().any(|other| other == name) {
            return wrong(place, "must be a list of texts, each once");
        }
    }
    Ok(())
}

fn wish(holds: Holds) -> &'static str {
    match holds {
        Holds::Schema => "must be a schema: an object, true or false",
        Holds::SchemaOrList => "must be a schema, or a list of schemas",
        Holds::Schemas => "must be a list of schemas, at least one",
        Holds::NamedSchemas | Holds::NamedSchemasOrNames => "must be an object of schemas",
        Holds::Names => "must be a list of texts, each once",
        Holds::NamedNames => "must be an object of lists of names",
        Holds::Text => "must be a text",
        Holds::Number => "must be a number",
        Holds::Positive => "must be a number above 0",
        Holds::Count => "must be a whole number, 0 or more",
        Holds::Flag => "must be true or false",
        Holds::List => "must be a list",
        Holds::Types => "must be a type, or a list of types",
    }
}

fn wrong(place: &str, wish: &'static str) -> Result<(), NotASchema> {
    Err(NotASchema::Part {
        place: place.to_owned(),
        wish,
    })
}

fn below(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_schema_is_taken_as_it_stands() {
        for text in [
            r#"{"type":"object","properties":{"zeta":{"type":["string","null"],"maxLength":20},"alpha":true},"required":["zeta"],"additionalProperties":false}"#,
            r##"{"$defs":{"box":{"type":"string","pattern":"^[A-Z]{4}"}},"type":"array","items":{"$ref":"#/$defs/box"}}"##,
            r#"{"items":[{"type":"string"}],"x-of-ours":{"type":7},"multipleOf":0.5,"enum":[1,null]}"#,
            r#"{"dependencies":{"a":["b"],"c":{"minItems":0}},"dependentRequired":{"a":["b"]}}"#,
            "{}",
        ] {
            assert_eq!(schema(text.as_bytes()).unwrap().to_json_text(), text);
        }
    }

    #[test]
    fn what_is_none_is_refused_with_its_place() {
        for (text, expected) in [
            ("", "the body is not valid JSON: it is empty"),
            ("true", "the body is not a JSON object"),
            ("[]", "the body is not a JSON object"),
            (
                r#"{"type":"text"}"#,
                "/type must be a type, or a list of types",
            ),
            (
                r#"{"type":["string","string"]}"#,
                "/type must be a list of texts, each once",
            ),
            (
                r#"{"properties":{"a/b":{"type":1}}}"#,
                "/properties/a~1b/type must be a type, or a list of types",
            ),
            (
                r#"{"properties":{"a":"string"}}"#,
                "/properties/a must be a schema: an object, true or false",
            ),
            (
                r#"{"required":"a"}"#,
                "/required must be a list of texts, each once",
            ),
            (
                r#"{"allOf":[]}"#,
                "/allOf must be a list of schemas, at least one",
            ),
            (
                r#"{"anyOf":[{},{"minLength":-1}]}"#,
                "/anyOf/1/minLength must be a whole number, 0 or more",
            ),
            (
                r#"{"multipleOf":0}"#,
                "/multipleOf must be a number above 0",
            ),
            (
                r#"{"uniqueItems":"yes"}"#,
                "/uniqueItems must be true or false",
            ),
        ] {
            assert_eq!(
                schema(text.as_bytes()).unwrap_err().to_string(),
                expected,
                "{text}"
            );
        }
        let deep = format!("{}{}", r#"{"not":"#.repeat(40), "}".repeat(40));
        assert!(schema(deep.as_bytes()).is_err(), "bounded in depth");
        let twice = r#"{"type":"object","type":"array"}"#;
        assert!(schema(twice.as_bytes()).is_err(), "a name stands once");
    }
}
