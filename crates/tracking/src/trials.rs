//! The line `TEST`: a carrier inside the service that knows one number and refuses another, so that a client can
//! try both ends of a tracking request without a carrier's contract.
//!
//! It is a source like any other: asked in the background by the poller, its answer kept, read and projected.
//! What it tells is a plan, a box with its ports, and never changes: it simulates no voyage (the demo does).

use domain::tracking_request::number;
use sources::ocean::dcsa::{Payload, Profile, PullFailure, Question};

/// The id of the source, which no other can have.
pub const ID: &str = "quayside-trials";
/// Ends with a shipment of one box.
pub const SUCCEEDS: &str = "TEST-TR-SUCCEEDED";
/// Ends as `failed`, `invalid_number`: the end that comes at once for bills too.
pub const FAILS: &str = "TEST-TR-FAILED";

const PROFILE: &str = r#"
id = "quayside-trials"
protocol = "dcsa-2"
scac = "TEST"
[endpoint]
base = "https://trials.invalid"
[numbers]
bill_of_lading = "transportDocumentReference"
booking = "carrierBookingReference"
[polling]
requests_per_minute = 100000
in_transit_minutes = 10080
near_arrival_minutes = 10080
"#;

const ANSWER: &str = r#"[
  {"eventID": "test-1", "eventCreatedDateTime": "2025-01-06T02:00:00Z", "eventType": "EQUIPMENT",
   "eventClassifierCode": "PLN", "eventDateTime": "2025-01-20T08:00:00+08:00", "equipmentEventTypeCode": "LOAD",
   "equipmentReference": "CSQU3054383", "ISOEquipmentCode": "45G1", "emptyIndicatorCode": "LADEN",
   "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "CNSHA"}},
  {"eventID": "test-2", "eventCreatedDateTime": "2025-01-06T02:00:00Z", "eventType": "EQUIPMENT",
   "eventClassifierCode": "PLN", "eventDateTime": "2025-02-10T08:00:00-08:00", "equipmentEventTypeCode": "DISC",
   "equipmentReference": "CSQU3054383", "ISOEquipmentCode": "45G1", "emptyIndicatorCode": "LADEN",
   "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "USLAX"}}
]"#;

/// Its profile; `None` cannot be, as a test shows.
pub(crate) fn profile() -> Option<Profile> {
    Profile::parse(PROFILE).ok()
}

/// What it says.
pub(crate) fn answer(question: &Question) -> Result<Vec<Payload>, PullFailure> {
    let is = |known: &str| number::asked(known).as_ref() == Ok(&question.number);
    if is(SUCCEEDS) {
        Ok(vec![Payload {
            question: format!("{} {}", question.kind.as_str(), question.number),
            content_type: "application/json".into(),
            fresh_for: None,
            bytes: ANSWER.as_bytes().to_vec(),
        }])
    } else if is(FAILS) {
        Err(PullFailure::InvalidNumber(422))
    } else {
        Err(PullFailure::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_is_one() {
        let profile = profile().unwrap();
        assert_eq!(profile.id, ID);
        assert_eq!(profile.scac().unwrap().as_str(), "TEST");
    }
}
