//! Values as they were sent.

use domain::custom_field::{REFERENCE_TYPES, Refused, SLUG_CHARS_MAX, Value};
use jsonapi::error::ErrorItem;
use jsonapi::read::{Form, Node, Text};
use uuid::Uuid;

use crate::call::Call;
use crate::failure::Failure;
use crate::include;

/// A slug.
pub(crate) const SLUG: Text = Text {
    chars_max: SLUG_CHARS_MAX,
};

/// The slug of a definition; must be there.
pub(crate) fn slug(form: &mut Form) -> Option<String> {
    form.required_text("api_slug", SLUG)
}

/// `value`, null too; must be there.
pub(crate) fn value(form: &mut Form, call: &Call) -> Option<Value> {
    let Some(node) = form.value("value") else {
        form.blank("value");
        return None;
    };
    attribute(form, call, "value", node)
}

/// An attribute that holds a value.
pub(crate) fn attribute(form: &mut Form, call: &Call, name: &str, node: Node) -> Option<Value> {
    let digits = || call.digits(&["data", "attributes", name]);
    match of_node(node, &digits) {
        Ok(value) => Some(value),
        Err(why) => {
            form.fault(name, &why.to_string());
            None
        }
    }
}

/// Refuses references to records that the account does not have; each value with where it stands among the attributes.
/// Whatever else may be wrong with one its definition judges.
pub(crate) async fn refuse_nobody(
    call: &Call,
    values: impl IntoIterator<Item = (String, &Value)>,
) -> Result<(), Failure> {
    let named = values.into_iter().filter_map(|(place, value)| {
        let (kind, id) = reference(value)?;
        Some((place, kind, id.parse::<Uuid>().ok()))
    });
    let named: Vec<(String, &'static str, Option<Uuid>)> = named.collect();
    if named.is_empty() {
        return Ok(());
    }
    let faults = call
        .read(move |reading| {
            let mut faults = Vec::new();
            for (place, kind, id) in &named {
                let is_there = match id {
                    Some(id) => include::exists(reading, kind, *id)?,
                    None => false,
                };
                if !is_there {
                    let pointer = format!("/data/attributes/{place}");
                    faults.push(ErrorItem::pointer(
                        pointer,
                        format!("Value names no {kind}"),
                    ));
                }
            }
            Ok(faults)
        })
        .await?;
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.into())
    }
}

/// The type and id of a reference.
fn reference(value: &Value) -> Option<(&'static str, &str)> {
    let Value::Object(members) = value else {
        return None;
    };
    let part = |name: &str| {
        let found = members.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.text()).map(str::trim)
    };
    let (kind, id) = (part("type")?, part("id")?);
    let kind = REFERENCE_TYPES.into_iter().find(|known| *known == kind)?;
    Some((kind, id))
}

/// The value of a node; `digits` are those of the whole, when it is a number.
pub(crate) fn of_node(node: Node, digits: &dyn Fn() -> Option<String>) -> Result<Value, Refused> {
    let plain = |node| of_node(node, &|| None);
    Ok(match node {
        Node::Null => Value::Null,
        Node::Boolean(yes) => Value::Boolean(yes),
        Node::Number(number) => {
            let text = digits().unwrap_or_else(|| number.to_string());
            Value::number(&text)?
        }
        Node::Text(text) => Value::Text(text),
        Node::List(items) => {
            let items = items.into_iter().map(plain);
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Node::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, node)| Ok((name, plain(node)?)));
            Value::Object(members.collect::<Result<_, Refused>>()?)
        }
    })
}
