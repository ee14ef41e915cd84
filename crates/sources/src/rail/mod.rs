//! Railroads: sightings of boxes and cars along the line, and what a railroad's own interface says of them.
//!
//! * [`clm`] reads car location messages, lines of fixed columns that every road can send.
//! * Interfaces of single roads are mappings for the reader of [tables](crate::table), with
//!   `protocol = "rail-rest"`; those we know of are [templates].
//!
//! Both know a place by its SPLC first, then by its UN/LOCODE, by its name last. Two roads may carry one box:
//! each names itself in what it says, and which of them took it and which brings it is for
//! `domain::timeline` to tell.

pub mod clm;

use crate::ocean::Template;

pub use crate::table::{Profile, parse};

/// Mappings of railroads we know of, to be copied into `sources.d/` and checked.
pub fn templates() -> &'static [Template] {
    &TEMPLATES
}

static TEMPLATES: [Template; 4] = [
    Template {
        name: "bnsf",
        text: include_str!("templates/bnsf.toml"),
    },
    Template {
        name: "clm",
        text: include_str!("templates/clm.toml"),
    },
    Template {
        name: "cn",
        text: include_str!("templates/cn.toml"),
    },
    Template {
        name: "up",
        text: include_str!("templates/up.toml"),
    },
];
