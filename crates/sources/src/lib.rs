//! Sources: everything that turns the outside world into reports, and the one door to it.
//!
//! * [`registry`] is what we know without asking anybody: shipping lines, ports, terminals and ramps.
//! * [`outbound`] is the only place in the program that opens a connection to a stranger.
//! * [`edi_drop`] reads X12 and EDIFACT files, wherever they came from.
//! * [`ocean`] speaks to ocean carriers: it asks, and it reads the answer into reports and defects.
//! * [`terminal`] and [`rail`] read what terminals and railroads say, most of it as [`table`]s that a mapping
//!   explains; [`ais`] reads where vessels are.
//!
//! A connector decides nothing. It is a function from bytes (and the settings of its feed) to what the feed
//! claims and to what in it could not be used; whether a claim is believed is the business of `domain`.

pub mod ais;
mod asker;
pub mod asking;
mod country_codes;
mod doors;
pub mod edi_drop;
mod free_day;
mod general_place;
mod hold_words;
mod kind;
pub mod ocean;
pub mod outbound;
mod parsed;
mod plain;
mod profile;
pub mod rail;
pub mod registry;
mod section;
pub mod table;
pub mod terminal;
mod towns;

pub use asker::Asker;
pub use doors::{Doors, Inbound, Proof};
pub use general_place::{general_place, reason_for_all};
pub use kind::{Kind, detect};
pub use parsed::{Defect, Located, Parsed, Told};
pub use profile::{Profile, Speaks};
pub use section::ProfileError;
