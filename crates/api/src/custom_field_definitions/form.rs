//! The attributes of a definition, read from a body.

use domain::custom_field::{FORMAT_CHARS_MAX, REFERENCE_TYPES, Rules, TEXT_CHARS_MAX, Value};
use jsonapi::read::{Form, Node, Text, is_blank};
use jsonapi::resource::custom_field_definition::{VALIDATION, data_types, entity_types};
use jsonapi::schema::Shape;

use crate::call::Call;
use crate::custom_fields::sent;
use crate::operation::Member;

/// A format.
const FORMAT: Text = Text {
    chars_max: FORMAT_CHARS_MAX,
};

pub(super) const ENTITY_TYPE: (&str, Shape, &str) = (
    "entity_type",
    Shape::OneOf(entity_types),
    "On which kind of record it can be set.",
);
pub(super) const API_SLUG: (&str, Shape, &str) = (
    "api_slug",
    Shape::Text,
    "Its name for programs: up to 64 letters, digits, _, - and ., unique in the account.",
);
pub(super) const DISPLAY_NAME: (&str, Shape, &str) =
    ("display_name", Shape::Text, "Its name for people.");
pub(super) const DATA_TYPE: (&str, Shape, &str) =
    ("data_type", Shape::OneOf(data_types), "What it holds.");
pub(super) const REFERENCE_TYPE: Member = Member::optional(
    "reference_type",
    Shape::OneOf(|| REFERENCE_TYPES.to_vec()),
    "To which type of record a reference refers; needed for that data type, and only for it.",
);
pub(super) const DESCRIPTION: Member =
    Member::optional("description", Shape::Text, "What it is for.");
pub(super) const VALIDATION_MEMBER: Member = Member::optional(
    "validation",
    Shape::Object(VALIDATION),
    "What is demanded of values beyond their type.",
);
pub(super) const DEFAULT_FORMAT: Member = Member::optional(
    "default_format",
    Shape::Text,
    "How values are shown: #,##0.00 or %.2f for numbers, DD/MM/YYYY or %d/%m/%Y for dates and times.",
);
pub(super) const DEFAULT_VALUE: Member =
    Member::optional("default_value", Shape::Any, "What a form offers at first.");

/// As a member that must be there.
pub(super) const fn needed((name, shape, about): (&'static str, Shape, &'static str)) -> Member {
    Member::required(name, shape, about)
}

/// As a member that may be sent again, as it is.
pub(super) const fn fixed((name, shape, _): (&'static str, Shape, &'static str)) -> Member {
    Member::optional(name, shape, "Cannot be changed; may be sent as it is.")
}

/// Text of more than one line; missing, null and blank are `None`.
pub(super) fn description(form: &mut Form) -> Option<String> {
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    match form.value("description")? {
        Node::Null => None,
        Node::Text(text) if is_blank(&text) => None,
        Node::Text(text) if text.chars().any(odd) => {
            form.fault("description", "holds control characters");
            None
        }
        Node::Text(text) if text.chars().count() > TEXT_CHARS_MAX => {
            let why = format!("is longer than {TEXT_CHARS_MAX} characters");
            form.fault("description", &why);
            None
        }
        Node::Text(text) => Some(text.trim().to_owned()),
        _ => {
            form.fault("description", "must be a string");
            None
        }
    }
}

pub(super) fn default_format(form: &mut Form) -> Option<String> {
    form.text("default_format", FORMAT)
}

/// Missing is null.
pub(super) fn default_value(form: &mut Form, call: &Call) -> Value {
    let node = form.value("default_value").unwrap_or(Node::Null);
    sent::attribute(form, call, "default_value", node).unwrap_or(Value::Null)
}

/// Missing and null demand nothing.
pub(super) fn rules(form: &mut Form) -> Rules {
    let mut rules = Rules::default();
    for (name, node) in form.object("validation").unwrap_or_default() {
        if let Err(why) = rule(&mut rules, &name, node) {
            form.fault("validation", &why);
        }
    }
    rules
}

fn rule(rules: &mut Rules, name: &str, node: Node) -> Result<(), String> {
    let wrong = |wish: &str| Err(format!("has a {name} that is not {wish}"));
    match (name, node) {
        (known, Node::Null) if VALIDATION.iter().any(|member| member.name == known) => {}
        ("required", Node::Boolean(required)) => rules.required = Some(required),
        ("required", _) => return wrong("true or false"),
        ("pattern", Node::Text(pattern)) => {
            rules.pattern = Some(pattern).filter(|pattern| !pattern.is_empty());
        }
        ("pattern", _) => return wrong("a string"),
        ("min", Node::Number(number)) => rules.min = number_of(&number.to_string())?.decimal(),
        ("max", Node::Number(number)) => rules.max = number_of(&number.to_string())?.decimal(),
        ("min" | "max", _) => return wrong("a number"),
        ("min_length", node) => match length(&node) {
            Some(length) => rules.min_length = Some(length),
            None => return wrong("a whole number from 0"),
        },
        ("max_length", node) => match length(&node) {
            Some(length) => rules.max_length = Some(length),
            None => return wrong("a whole number from 0"),
        },
        _ => {
            let known: Vec<&str> = VALIDATION.iter().map(|member| member.name).collect();
            let known = known.join(", ");
            return Err(format!("holds something else than: {known}"));
        }
    }
    Ok(())
}

fn number_of(digits: &str) -> Result<Value, String> {
    Value::number(digits).map_err(|why| why.to_string())
}

fn length(node: &Node) -> Option<u32> {
    match node {
        Node::Number(number) => number.as_u64()?.try_into().ok(),
        _ => None,
    }
}
