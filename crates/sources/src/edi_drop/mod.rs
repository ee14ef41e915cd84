//! EDI files: what X12 and EDIFACT messages of the trade say about boxes.
//!
//! The segments are read by the crate `edi`; here they get their meaning. Read are X12 315, 322 and 214, with
//! 404, 417 and 418 for what they say of the way inland, and EDIFACT IFTSTA, CODECO and COARRI. A file may hold
//! any number of them, of any kind.
//!
//! **A sender is a file too.** What is particular to one stands in its [`Profile`]:
//!
//! | key | meaning |
//! |---|---|
//! | `id` | name of the feed; stands in every report |
//! | `protocol` | `"edi"` |
//! | `scac` | code of the line, where the messages do not name it; none |
//! | `sender` | `"line"`, `"terminal"` or `"railroad"`: whose last free day it tells; from the kind of message |
//! | `acknowledge` | `"asked"`, `"always"` or `"never"`; `"asked"` (a 997 always, a CONTRL when it is asked for) |
//! | `quirks.zone` | IANA zone of times at places we do not know, and of the envelope; UTC |
//! | `quirks.date_only` | times of day mean nothing; false |
//! | `quirks.tags_are_wrong` | zone tags of times are not to be believed; false |
//! | `quirks.ignored_codes` | status codes that are not read at all; none |
//!
//! **Reading never fails.** A record that cannot be used (no box, no time, no status) is a defect with the
//! segment it stands in; every other record is read as if it were alone. What is odd about the envelope is a
//! defect too, and costs nothing.
//!
//! **One status is one report.** Besides, a 315 tells its plan: the dates at the ports and places of its way.
//! What these say happened is only derived ([`Doubt::Derived`](domain::report::Doubt::Derived)): it counts
//! where nobody tells it directly.

mod acknowledge;
mod boxes_322;
mod code;
mod codes_of_places;
mod desk;
mod edifact_group;
mod iftsta;
mod numbers;
mod ocean_315;
mod parse;
mod pre_carriage;
mod profile;
mod rail_plans;
mod ramp_322;
mod rec24;
mod route;
mod said_before;
mod stages;
mod status;
mod terminal_moves;
mod time;
mod truck_214;
mod whereabouts;
mod words_of_moves;
mod zone_names;

pub use acknowledge::acknowledge;
pub use parse::{in_parts, parse, records};
pub use profile::{Acknowledge, Profile, Quirks, Sender};
