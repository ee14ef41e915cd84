//! Terminals: where a box stands, whether it may leave, and what that costs.
//!
//! Every terminal is a mapping for the reader of [tables](crate::table), whether it is asked (`[endpoint]`), drops
//! files into a folder, or is a page that somebody exports. Of those that have an interface, APM Terminals comes
//! with Quayside as a [template](templates); the others are a file like it.
//!
//! What the terminal says is only said here. That it is the one authority once the box is ashore, that its free
//! day waits for the arrival, and that its silence is marked after a day are rules of `domain::timeline`.

use crate::ocean::Template;

pub use crate::table::{Profile, parse};

/// Mappings of terminals we know of, to be copied into `sources.d/` and checked.
pub fn templates() -> &'static [Template] {
    &TEMPLATES
}

static TEMPLATES: [Template; 2] = [
    Template {
        name: "apm-terminals",
        text: include_str!("templates/apm-terminals.toml"),
    },
    Template {
        name: "availability-sheet",
        text: include_str!("templates/availability-sheet.toml"),
    },
];
