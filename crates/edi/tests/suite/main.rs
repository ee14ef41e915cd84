//! What this crate promises, in one binary.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, which is what it is for"
)]

mod answers;
mod damage;
mod round_trip;
mod tolerance;

use edi::{Message, Note, Reader};

/// Messages of a file as tags and elements, and everything that is odd about it.
fn all(mut reader: Reader<'_>) -> (Vec<Message<'_>>, Vec<Note>) {
    let messages: Vec<Message<'_>> = reader.by_ref().collect();
    let notes = reader.notes().to_vec();
    (messages, notes)
}

fn bodies(messages: &[Message<'_>]) -> Vec<Vec<String>> {
    let line = |segment: &edi::Segment<'_>| {
        let elements = segment.elements().map(|element| {
            let components: Vec<_> = element.components().collect();
            components.join(":").trim_end_matches(':').to_owned()
        });
        let mut line = vec![segment.tag().to_owned()];
        line.extend(elements);
        line.join("|").trim_end_matches('|').to_owned()
    };
    messages
        .iter()
        .map(|message| message.body.iter().map(line).collect())
        .collect()
}
