//! The numbers that an event names.

use domain::report::References;

use super::code;
use super::profile::Profile;
use super::text::{clean, trimmed};
use super::wire::{Event, Reference, Text};

/// How many numbers of one kind are kept.
pub(super) const REFERENCES_PER_EVENT_MAX: usize = 50;

pub(super) fn references(event: &Event<'_>, profile: &Profile) -> References {
    let mut references = References {
        scac: profile.scac(),
        ..References::default()
    };
    let mut note = |kind: &str, value: &Text<'_>| {
        let kind = code::upper(kind);
        let list = match code::document(&kind) {
            "EQ" => return,
            // What is hashed tells that there is a paper, not which.
            "TRD" | "BKG" if profile.quirks.references_hashed => &mut references.others,
            "TRD" => &mut references.bills,
            "BKG" => &mut references.bookings,
            _ => &mut references.others,
        };
        let Some(number) = clean(value) else { return };
        if list.len() < REFERENCES_PER_EVENT_MAX && !list.contains(&number) {
            list.push(number);
        }
    };
    let mut each = |reference: &Reference<'_>| {
        note(
            trimmed(&reference.kind).unwrap_or_default(),
            &reference.value,
        );
    };
    event.documents.iter().for_each(&mut each);
    event.references.iter().for_each(&mut each);
    let about = trimmed(&event.document_kind);
    for document in &event.document {
        // A bare number is of the kind that stands beside it.
        let kind = trimmed(&document.kind).or(about);
        note(kind.unwrap_or_default(), &document.value);
    }
    note("TRD", &event.bill);
    note("BKG", &event.booking);
    note(
        trimmed(&event.document_kind).unwrap_or_default(),
        &event.document_id,
    );
    references
}

pub(super) fn is_bare(references: &References) -> bool {
    references.bills.is_empty() && references.bookings.is_empty() && references.others.is_empty()
}
