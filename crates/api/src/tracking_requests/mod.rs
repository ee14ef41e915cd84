//! Requests to track a number.

pub(crate) mod create;
pub(crate) mod get;
pub(crate) mod infer_number;
mod initial_custom_fields;
pub(crate) mod list;
pub(crate) mod update;

use jsonapi::read::{Form, Text};

/// The tags that were sent, under each of their names, each once. Null is an empty list, but no word beside the other name:
/// some clients write everything that they do not set as null.
fn tags(form: &mut Form) -> Vec<Vec<String>> {
    let names = ["shipment_tags", "tags"];
    let is_word = names.map(|name| form.holds(name));
    let any = is_word.contains(&true);
    let mut lists = Vec::new();
    for (name, is_word) in names.into_iter().zip(is_word) {
        let sent = form.texts(name, Text::NAME);
        lists.extend(sent.filter(|_| is_word || !any).map(once));
    }
    lists
}

fn once(sent: Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in sent {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}
