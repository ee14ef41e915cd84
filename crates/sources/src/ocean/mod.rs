//! Ocean carriers: one module per protocol they speak, and a profile for each carrier we know of.

pub mod cosco;
pub mod dcsa;
mod templates;

use domain::place::Gazetteer;
use jiff::Timestamp;

use crate::{Parsed, Told};
use dcsa::{Profile, Protocol};

pub use templates::{Template, templates};

/// Reads one message that came by itself, in whatever its carrier speaks. Equal arguments give equal results; nothing is
/// asked of the outside, and nothing in the message makes it fail.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    parse_as(Told::Unasked, profile, bytes, received_at, gazetteer)
}

/// The same for one of which it is known how it came.
pub fn parse_as(
    told: Told,
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    match profile.protocol {
        Protocol::Dcsa2 | Protocol::Dcsa3(_) => {
            dcsa::parse(told, profile, bytes, received_at, gazetteer)
        }
        Protocol::Cosco => cosco::parse(profile, bytes, received_at, gazetteer),
    }
}

/// The same, some reports at a time where the message is a long one.
pub fn in_parts(
    told: Told,
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
    give: &mut dyn FnMut(Parsed),
) {
    match profile.protocol {
        Protocol::Dcsa2 | Protocol::Dcsa3(_) => {
            dcsa::in_parts(told, profile, bytes, received_at, gazetteer, give);
        }
        Protocol::Cosco => give(cosco::parse(profile, bytes, received_at, gazetteer)),
    }
}
