//! Values as they were sent.

use domain::custom_field::{Refused, SLUG_CHARS_MAX, Value};
use jsonapi::read::{Form, Node, Text};

use crate::call::Call;

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
