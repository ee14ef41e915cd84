//! Requests to track a number.

pub(crate) mod create;
pub(crate) mod get;
pub(crate) mod infer_number;
mod initial_custom_fields;
pub(crate) mod list;
pub(crate) mod update;

use jsonapi::read::{Form, Text};

/// Tags under either of their names, each once.
fn tags(form: &mut Form) -> Option<Vec<String>> {
    let sent = form.texts("shipment_tags", Text::NAME);
    let also = form.texts("tags", Text::NAME);
    let mut tags: Vec<String> = Vec::new();
    for tag in sent.or(also)? {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Some(tags)
}
