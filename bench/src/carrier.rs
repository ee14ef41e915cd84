//! A carrier of our own making: bills of lading with their DCSA answers, rendered before the clock starts,
//! served over HTTP on the machine itself.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use bytes::Bytes;
use domain::codes::ContainerNumber;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;

use crate::receiver::serve;

/// Code of the line that the carrier answers for.
pub const LINE: &str = "BNCH";
/// What a bill's number begins with; eight digits follow.
pub const BILL_PREFIX: &str = "BNCHB";
/// Boxes on a bill.
pub const BOXES_PER_BILL: u32 = 3;
/// Events of a box.
pub const EVENTS_PER_BOX: u32 = 10;

/// What the carrier shows when it pushes.
pub const PUSH_SECRET: &str = "the secret of the bench line's pushes";

/// How much a bill holds.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// Three boxes half way through a journey with a transshipment: thirty events.
    Voyage,
    /// One box that was loaded: one event.
    Loading,
}

/// A running carrier.
pub struct Carrier {
    /// `http://127.0.0.1:port`
    pub base: String,
    /// Mean length of an event.
    pub event_bytes: usize,
    answered: Arc<Mutex<HashMap<u32, Instant>>>,
}

impl Carrier {
    /// Serves the bills `0..bills` until the process ends.
    pub fn open(bills: u32, load: Load) -> Result<Self> {
        let answers: HashMap<u32, Bytes> = (0..bills)
            .map(|bill| (bill, Bytes::from(answer(bill, load))))
            .collect();
        let bytes: usize = answers.values().map(Bytes::len).sum();
        let events = match load {
            Load::Voyage => BOXES_PER_BILL * EVENTS_PER_BOX,
            Load::Loading => 1,
        };
        let answers = Arc::new(answers);
        let answered = Arc::new(Mutex::new(HashMap::new()));
        let log = Arc::clone(&answered);
        let address = serve(move |request| {
            let response = respond(&request, &answers, &log);
            async move { response }
        })?;
        Ok(Self {
            base: format!("http://{address}"),
            event_bytes: bytes / usize::try_from((bills * events).max(1))?,
            answered,
        })
    }

    /// When each bill was first answered.
    pub fn answered(&self) -> HashMap<u32, Instant> {
        self.answered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The source profile with which Quayside asks this carrier.
    pub fn profile(&self) -> String {
        format!(
            "id = \"bench\"\nprotocol = \"dcsa-2\"\nscac = [\"{LINE}\"]\n\
             [line]\nname = \"Bench Line\"\n[endpoint]\nbase = \"{}\"\n\
             [polling]\nrequests_per_minute = 100000\n[inbound]\nproof = \"bearer\"\n",
            self.base
        )
    }
}

/// The number of a bill.
pub fn bill_number(bill: u32) -> String {
    format!("{BILL_PREFIX}{bill:08}")
}

/// The bill whose number stands first in `text`.
pub fn bill_in(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once(BILL_PREFIX)?;
    rest.get(..8)?.parse().ok()
}

fn respond(
    request: &Request<Incoming>,
    answers: &HashMap<u32, Bytes>,
    log: &Mutex<HashMap<u32, Instant>>,
) -> Response<Full<Bytes>> {
    let bill = request.uri().query().and_then(bill_in);
    let answer = bill.and_then(|bill| answers.get(&bill));
    let (status, body) = match answer {
        Some(answer) => (StatusCode::OK, answer.clone()),
        None => (StatusCode::NOT_FOUND, Bytes::from_static(b"{}")),
    };
    if let (Some(bill), StatusCode::OK) = (bill, status) {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.entry(bill).or_insert_with(Instant::now);
    }
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let json = http::HeaderValue::from_static("application/json");
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, json);
    response
}

fn answer(bill: u32, load: Load) -> String {
    let mut events = Vec::new();
    match load {
        Load::Voyage => {
            for place in 0..BOXES_PER_BILL {
                let number = box_number(bill * BOXES_PER_BILL + place);
                events.extend(VOYAGE.iter().map(|step| event(bill, &number, step)));
            }
        }
        Load::Loading => {
            let number = box_number(bill);
            events.extend(VOYAGE.get(2).map(|step| event(bill, &number, step)));
        }
    }
    format!("[{}]", events.join(","))
}

/// A push: the vessel of a bill of [`Load::Loading`] has departed with its box.
pub fn departure(bill: u32) -> String {
    let told = VOYAGE
        .get(3)
        .map(|step| event(bill, &box_number(bill), step));
    format!("[{}]", told.unwrap_or_default())
}

fn box_number(index: u32) -> String {
    let text = format!("BNCU{index:06}");
    ContainerNumber::parse(&text).map_or(text, |number| number.to_string())
}

/// One step of a journey from Ningbo by Singapore to Rotterdam.
pub struct Step {
    /// `EQUIPMENT` or `TRANSPORT`.
    kind: &'static str,
    code: &'static str,
    classifier: &'static str,
    empty: bool,
    at: &'static str,
    place: &'static str,
    vessel: Option<(&'static str, &'static str, &'static str)>,
}

const FIRST: Option<(&str, &str, &str)> = Some(("9321483", "BENCH MERIDIAN", "021W"));
const SECOND: Option<(&str, &str, &str)> = Some(("9461867", "BENCH PARALLEL", "114W"));

const fn step(
    kind: &'static str,
    code: &'static str,
    at: &'static str,
    place: &'static str,
    vessel: Option<(&'static str, &'static str, &'static str)>,
) -> Step {
    Step {
        kind,
        code,
        classifier: "ACT",
        empty: false,
        at,
        place,
        vessel,
    }
}

/// The journey: what has happened and what is expected.
pub const VOYAGE: [Step; EVENTS_PER_BOX as usize] = [
    Step {
        empty: true,
        ..step(
            "EQUIPMENT",
            "GTOT",
            "2026-09-01T09:10:00+08:00",
            "CNNGB",
            None,
        )
    },
    step(
        "EQUIPMENT",
        "GTIN",
        "2026-09-03T17:45:00+08:00",
        "CNNGB",
        None,
    ),
    step(
        "EQUIPMENT",
        "LOAD",
        "2026-09-05T03:20:00+08:00",
        "CNNGB",
        FIRST,
    ),
    step(
        "TRANSPORT",
        "DEPA",
        "2026-09-05T12:00:00+08:00",
        "CNNGB",
        FIRST,
    ),
    step(
        "TRANSPORT",
        "ARRI",
        "2026-09-12T06:00:00+08:00",
        "SGSIN",
        FIRST,
    ),
    step(
        "EQUIPMENT",
        "DISC",
        "2026-09-12T15:30:00+08:00",
        "SGSIN",
        FIRST,
    ),
    step(
        "EQUIPMENT",
        "LOAD",
        "2026-09-15T04:40:00+08:00",
        "SGSIN",
        SECOND,
    ),
    step(
        "TRANSPORT",
        "DEPA",
        "2026-09-15T13:05:00+08:00",
        "SGSIN",
        SECOND,
    ),
    Step {
        classifier: "EST",
        ..step(
            "TRANSPORT",
            "ARRI",
            "2026-12-08T05:00:00+01:00",
            "NLRTM",
            SECOND,
        )
    },
    Step {
        classifier: "EST",
        ..step(
            "EQUIPMENT",
            "DISC",
            "2026-12-09T10:00:00+01:00",
            "NLRTM",
            SECOND,
        )
    },
];

/// One event of a box as DCSA Track & Trace 2.2 has it.
pub fn event(bill: u32, number: &str, step: &Step) -> String {
    let Step {
        kind,
        code,
        classifier,
        at,
        place,
        ..
    } = step;
    let mut text = format!(
        "{{\"eventID\":\"{number}-{code}-{place}-{classifier}\",\
         \"eventType\":\"{kind}\",\"eventCreatedDateTime\":\"2026-09-20T08:00:00Z\",\
         \"eventClassifierCode\":\"{classifier}\",\"eventDateTime\":\"{at}\","
    );
    let _ = if *kind == "EQUIPMENT" {
        let empty = if step.empty { "EMPTY" } else { "LADEN" };
        write!(
            text,
            "\"equipmentEventTypeCode\":\"{code}\",\"equipmentReference\":\"{number}\",\
             \"ISOEquipmentCode\":\"45G1\",\"emptyIndicatorCode\":\"{empty}\",\
             \"seals\":[{{\"sealNumber\":\"BN{bill:06}\",\"sealSource\":\"CAR\"}}],"
        )
    } else {
        write!(
            text,
            "\"transportEventTypeCode\":\"{code}\",\"delayReasonCode\":\"\",\"changeRemark\":\"\","
        )
    };
    let _ = write!(
        text,
        "\"documentReferences\":[{{\"documentReferenceType\":\"TRD\",\"documentReferenceValue\":\"{}\"}},\
         {{\"documentReferenceType\":\"BKG\",\"documentReferenceValue\":\"BK{bill:08}\"}}],\
         \"references\":[{{\"referenceType\":\"EQ\",\"referenceValue\":\"{number}\"}},\
         {{\"referenceType\":\"FF\",\"referenceValue\":\"forwarder reference {bill}\"}}],\
         \"transportCall\":{},\"metadata\":{{\"schemaVersion\":\"2.2.0\",\"note\":\"{}\"}}}}",
        bill_number(bill),
        call(step),
        "x".repeat(8),
    );
    text
}

fn call(step: &Step) -> String {
    let place = step.place;
    let mode = if step.vessel.is_some() {
        "VESSEL"
    } else {
        "TRUCK"
    };
    let mut text = format!(
        "{{\"transportCallID\":\"call-{place}\",\"transportCallSequenceNumber\":1,\
         \"UNLocationCode\":\"{place}\",\"facilityTypeCode\":\"POTE\",\"modeOfTransport\":\"{mode}\",\
         \"location\":{{\"locationName\":\"Terminal of {place}\",\"UNLocationCode\":\"{place}\",\
         \"address\":{{\"street\":\"Quay Road\",\"streetNumber\":\"1\",\"city\":\"{place}\"}}}}"
    );
    if let Some((imo, name, voyage)) = step.vessel {
        let _ = write!(
            text,
            ",\"carrierServiceCode\":\"BN1\",\"exportVoyageNumber\":\"{voyage}\",\
             \"importVoyageNumber\":\"{voyage}\",\"vessel\":{{\"vesselIMONumber\":\"{imo}\",\
             \"vesselName\":\"{name}\",\"vesselFlag\":\"NL\",\"vesselOperatorCarrierCode\":\"{LINE}\",\
             \"vesselOperatorCarrierCodeListProvider\":\"SMDG\"}}"
        );
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_json_and_its_events_are_as_long_as_real_ones() {
        let text = answer(7, Load::Voyage);
        let events: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(events.len(), 30);
        let mean = text.len() / events.len();
        assert!((1_000..1_300).contains(&mean), "{mean} bytes");
    }

    #[test]
    fn a_bill_is_found_in_a_text() {
        assert_eq!(
            bill_in("a=b&transportDocumentReference=BNCHB00000042&limit=100"),
            Some(42)
        );
        assert_eq!(bill_in("nothing"), None);
    }
}
