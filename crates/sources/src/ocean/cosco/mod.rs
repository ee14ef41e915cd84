//! COSCO's own interface, which is no DCSA.
//!
//! A profile with `protocol = "cosco"` asks `/service/info/tracking/{number}` and signs each request. What comes
//! back is an envelope (`code`, `message`, `data.content`) around one of two shapes: for a container its moves
//! one by one (`containers[].containerCircleStatus[]`), for a bill or booking the voyages
//! (`actualShipment[]`), the papers (`trackingPath`) and the last move of each box (`containerStatus[]`).
//!
//! Three things make it different from everything else:
//!
//! * **Moves are sentences** (`Loaded at T/S POL`), which say transshipment by themselves ([`words`]).
//! * **Places are names.** A move ends with `terminal,city,state,country`, a voyage only with a city; city and
//!   country are looked up together, and a city without a country gets the one that the same message gives it
//!   elsewhere, or none ([`places`]).
//! * **Times have no offset.** They are local at the place; where it is not known, they are marked so.
//!
//! Its `uuid`s are numbered anew with every answer, so claims are recognised by what they say.
//! `containerHistorys` is about earlier journeys of the same steel and is left alone.

mod message;
mod places;
mod words;

use domain::place::Gazetteer;
use domain::report::{Report, SourceKind};
use jiff::Timestamp;
use serde_json::Value;

use crate::ocean::dcsa::Profile;
use crate::ocean::dcsa::recovery::reason_of;
use crate::{Defect, Parsed};
use message::Message;

/// Longer messages are refused: they are read as a tree, of ten times their size. A bill of a hundred boxes with all
/// their moves has less than half of it.
const MESSAGE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Reads one message. Equal arguments give equal results; nothing is asked of the outside.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    let mut parsed = Parsed::default();
    if bytes.len() > MESSAGE_BYTES_MAX {
        let length = bytes.len();
        parsed.envelope_broken = true;
        parsed.defects.push(Defect {
            place: String::new(),
            reason: format!(
                "the message has {length} bytes; more than {MESSAGE_BYTES_MAX} are not read, so ask about fewer boxes"
            ),
        });
        return parsed;
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    match serde_json::from_str::<Value>(&text) {
        Ok(told) => Message::new(profile, &told, received_at, gazetteer).read(&told, &mut parsed),
        Err(error) => {
            parsed.envelope_broken = true;
            parsed.defects.push(Defect {
                place: format!("line {} column {}", error.line(), error.column()),
                reason: reason_of(&error),
            });
        }
    }
    parsed
}

/// A claim of this carrier that says nothing yet.
fn blank(profile: &Profile, received_at: Timestamp) -> Report {
    Report {
        source: profile.id.clone(),
        source_kind: SourceKind::CarrierApi,
        source_event_id: None,
        retracts: None,
        reported_at: None,
        received_at,
        verb: domain::report::Verb::Document,
        classifier: domain::report::Classifier::Actual,
        occurred: None,
        equipment: None,
        place: domain::report::Place::default(),
        leg: domain::report::Leg::default(),
        move_hint: None,
        references: domain::report::References {
            scac: profile.scac(),
            ..domain::report::References::default()
        },
        original: String::new(),
        value: None,
        doubts: Vec::new(),
        position: None,
    }
}
