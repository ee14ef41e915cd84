//! Codes to verbs. A code that is in no table is kept as a document and flagged, never guessed.

use domain::container::{Hold, HoldName, HoldStatus};
use domain::report::{Classifier, FacilityType, Mode, MoveHint, Verb};

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Shipment,
    Transport,
    Equipment,
    /// Sensor readings of version 3: kept, nothing follows from them.
    Reading,
}

impl Kind {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match upper(word).as_str() {
            "SHIPMENT" => Self::Shipment,
            "TRANSPORT" => Self::Transport,
            "EQUIPMENT" => Self::Equipment,
            "IOT" | "REEFER" => Self::Reading,
            _ => return None,
        })
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Shipment => "SHIPMENT",
            Self::Transport => "TRANSPORT",
            Self::Equipment => "EQUIPMENT",
            Self::Reading => "READING",
        }
    }
}

/// Codes of equipment events, with the whole words of version 3.
pub(super) fn equipment(code: &str) -> Option<Verb> {
    Some(match upper(code).as_str() {
        "LOAD" | "LOADED" => Verb::Load,
        "DISC" | "DISCHARGED" => Verb::Discharge,
        "GTIN" | "GATED_IN" => Verb::GateIn,
        "GTOT" | "GATED_OUT" => Verb::GateOut,
        "STUF" | "STUFFED" => Verb::Stuff,
        "STRP" | "STRIPPED" => Verb::Strip,
        "PICK" | "PICKED_UP" | "PICKUP" | "PICK_UP" => Verb::Pickup,
        "DROP" | "DROPPED_OFF" | "DROPOFF" | "DROP_OFF" => Verb::Dropoff,
        "INSP" | "INSPECTED" => Verb::Inspect,
        "RSEA" | "RESEALED" | "RMVD" | "REMOVED" | "SEAL_REMOVED" => Verb::SealChange,
        "AVPU" | "AVAILABLE_FOR_PICKUP" | "AVAILABLE_FOR_PICK_UP" => Verb::Available,
        "CUSS"
        | "CUSTOMS_SELECTED"
        | "CUSTOMS_SELECTED_FOR_SCAN"
        | "CUSI"
        | "CUSTOMS_INSPECTED"
        | "CUSTOMS_SELECTED_FOR_INSPECTION" => Verb::HoldSet,
        "CUSR" | "CUSTOMS_RELEASED" => Verb::HoldClear,
        // Free to be dropped off says nothing about collecting it; a border crossed is no milestone.
        "AVDO"
        | "AVAILABLE_FOR_DROP_OFF"
        | "AVAILABLE_FOR_DROPOFF"
        | "CROS"
        | "CROSSED"
        | "BORDER_CROSSED" => Verb::Document,
        _ => return None,
    })
}

/// Codes of transport events.
pub(super) fn transport(code: &str, classifier: Classifier) -> Option<Verb> {
    Some(match upper(code).as_str() {
        "ARRI" | "ARRIVED" => Verb::Arrive,
        "DEPA" | "DEPARTED" => Verb::Depart,
        // That a vessel has been on its way in is no news; when it will be there is.
        "APPR" | "APPROACHING" if classifier != Classifier::Actual => Verb::Eta,
        "APPR" | "APPROACHING" => Verb::Document,
        _ => return None,
    })
}

/// What a document is, whole words of version 3 as their codes. Other codes are kept as they are, without what CMA CGM explains
/// behind them (`BKG (Booking)`).
pub(super) fn document<'w>(word: &'w Capitals<'_>) -> &'w str {
    let word = word.as_str();
    let (code, _) = word.split_once('(').unwrap_or((word, ""));
    match code.trim_end_matches('_') {
        "BOOKING" | "CARRIER_BOOKING" => "BKG",
        "TRANSPORT_DOCUMENT" | "BILL_OF_LADING" | "BL" | "MBL" => "TRD",
        "ARRIVAL_NOTICE" => "ARN",
        "CUC" | "CUSTOMS" | "CUSTOMS_CLEARANCE" | "CUSTOMS_DECLARATION" => "CUS",
        "EQUIPMENT" | "EQUIPMENT_REFERENCE" | "CONTAINER" => "EQ",
        code => code,
    }
}

/// Codes of shipment events, and what they do to holds.
pub(super) fn shipment(code: &str, document: &str) -> Option<(Verb, Option<HoldName>)> {
    let hold = match upper(document).as_str() {
        "CUS" => Some(HoldName::Customs),
        "TRD" | "ARN" => Some(HoldName::Freight),
        _ => None,
    };
    Some(match (upper(code).as_str(), hold) {
        ("HOLD" | "ON_HOLD", Some(name)) => (Verb::HoldSet, Some(name)),
        ("RELS" | "RELEASED", Some(name)) => (Verb::HoldClear, Some(name)),
        (
            "RECE"
            | "SUBM"
            | "DRFT"
            | "PENA"
            | "PENU"
            | "PENC"
            | "REQS"
            | "APPR"
            | "REJE"
            | "SURR"
            | "CMPL"
            | "VOID"
            | "CANC"
            | "CONF"
            | "ISSU"
            | "HOLD"
            | "RELS"
            | "UPDT"
            | "RECEIVED"
            | "SUBMITTED"
            | "DRAFTED"
            | "PENDING_APPROVAL"
            | "PENDING_UPDATE"
            | "PENDING_CONFIRMATION"
            | "REQUESTED"
            | "APPROVED"
            | "REJECTED"
            | "SURRENDERED"
            | "COMPLETED"
            | "VOIDED"
            | "CANCELLED"
            | "CONFIRMED"
            | "ISSUED"
            | "ON_HOLD"
            | "RELEASED"
            | "DECLINED",
            _,
        ) => (Verb::Document, None),
        (word, _) if is_step(word) => (Verb::Document, None),
        _ => return None,
    })
}

/// Whether the word tells a step of a paper's change: version 3.0.0 has a family of words for each.
fn is_step(word: &str) -> bool {
    let word = word.strip_prefix("PENDING_").unwrap_or(word);
    let families = ["AMENDMENT", "CANCELLATION", "SURRENDER", "UPDATE"];
    families.iter().any(|family| word.starts_with(family))
}

/// The customs hold that an equipment event sets or clears.
pub(super) fn customs_hold(code: &str, words: Option<String>) -> Hold {
    let announced = matches!(
        upper(code).as_str(),
        "CUSI" | "CUSTOMS_INSPECTED" | "CUSTOMS_SELECTED_FOR_INSPECTION"
    );
    Hold {
        name: HoldName::Customs,
        status: if announced {
            HoldStatus::Pending
        } else {
            HoldStatus::Hold
        },
        description: words,
    }
}

pub(super) fn classifier(word: &str) -> Option<Classifier> {
    Some(match upper(word).as_str() {
        "ACT" | "ACTUAL" => Classifier::Actual,
        "EST" | "ESTIMATED" => Classifier::Estimated,
        "PLN" | "PLAN" | "PLANNED" => Classifier::Planned,
        _ => return None,
    })
}

/// Whether the box is laden.
pub(super) fn laden(word: &str) -> Option<bool> {
    match upper(word).as_str() {
        "LADEN" | "L" | "FULL" => Some(true),
        "EMPTY" | "E" | "MT" => Some(false),
        _ => None,
    }
}

pub(super) fn mode(word: &str) -> Option<Mode> {
    Some(match upper(word).as_str() {
        "VESSEL" | "MARITIME_TRANSPORT" | "MARITIME" | "OCEAN" | "SEA" | "1" => Mode::Vessel,
        "BARGE" | "FEEDER" | "INLAND_WATER_TRANSPORT" | "INLAND_WATER" | "8" => Mode::Barge,
        "RAIL" | "RAIL_TRANSPORT" | "TRAIN" | "2" => Mode::Rail,
        "TRUCK" | "ROAD" | "ROAD_TRANSPORT" | "3" => Mode::Truck,
        _ => return None,
    })
}

pub(super) fn facility_type(word: &str) -> Option<FacilityType> {
    Some(match upper(word).as_str() {
        "BOCR" | "BORD" | "BORDER" | "BORDER_CROSSING" => FacilityType::Border,
        "CLOC" | "CUSTOMER_LOCATION" => FacilityType::CustomerLocation,
        "COFS" | "CONTAINER_FREIGHT_STATION" => FacilityType::FreightStation,
        "OFFD" | "COYA" | "OFF_DOCK_STORAGE" | "CONTAINER_YARD" => FacilityType::OffDock,
        "DEPO" | "DEPOT" => FacilityType::Depot,
        "INTE" | "INLAND_TERMINAL" => FacilityType::InlandTerminal,
        "POTE" | "PORT_TERMINAL" => FacilityType::PortTerminal,
        "RAMP" | "RAIL_RAMP" => FacilityType::Ramp,
        "WAYP" | "WAYPOINT" => FacilityType::Waypoint,
        _ => return None,
    })
}

/// What a word or sentence says about the purpose of the move. Sentences of one big line are the only place
/// where it marks transshipments.
pub(super) fn move_hint(words: &str) -> Option<MoveHint> {
    let words = words.to_ascii_uppercase().replace('_', "-");
    let says = |part: &str| words.contains(part);
    if says("POSITIONED") && says("TRANS") || says("SHIFT") {
        return Some(MoveHint::Shifting);
    }
    if says("TRANSSHIP") || says("TRANSHIP") || words == "PTS" {
        return Some(MoveHint::Transshipment);
    }
    if words.starts_with("EXPORT") || words.starts_with("PRE-CARRIAGE") {
        return Some(MoveHint::Export);
    }
    let onward = words.starts_with("IMPORT") || words.starts_with("ON-CARRIAGE");
    onward.then_some(MoveHint::Import)
}

/// What happened according to a carrier's sentence; asked only when the code is missing or unknown.
pub(super) fn verb_in_words(words: &str) -> Option<(Verb, Option<bool>)> {
    let words = words.to_ascii_uppercase();
    let says = |part: &str| words.contains(part);
    Some(match () {
        () if says("EMPTY TO SHIPPER") => (Verb::GateOut, Some(false)),
        () if says("EMPTY RECEIVED") => (Verb::GateIn, Some(false)),
        () if says("POSITIONED IN") => (Verb::GateIn, Some(true)),
        () if says("POSITIONED OUT") => (Verb::GateOut, Some(true)),
        () if says("RECEIVED AT CY") => (Verb::GateIn, Some(true)),
        () if says("TO CONSIGNEE") => (Verb::GateOut, Some(true)),
        () if says("DISCHARGED") => (Verb::Discharge, Some(true)),
        () if says("LOADED") => (Verb::Load, Some(true)),
        () if says("VESSEL DEPARTURE") => (Verb::Depart, None),
        () if says("VESSEL ARRIVAL") || says("TIME OF ARRIVAL") => (Verb::Arrive, None),
        () => return None,
    })
}

/// The mode that a carrier's sentence names; asked only when the call has none.
pub(super) fn mode_in_words(words: &str) -> Option<Mode> {
    let words = words.to_ascii_uppercase();
    let says = |word: &str| {
        words
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(|part| part == word)
    };
    match () {
        () if says("BARGE") => Some(Mode::Barge),
        () if says("RAIL") => Some(Mode::Rail),
        () if says("VESSEL") => Some(Mode::Vessel),
        () => None,
    }
}

/// A code in capitals, without the space around it: as it came when it came so, else written anew, on the stack.
/// Every event compares a dozen of them.
pub(super) enum Capitals<'t> {
    AsCame(&'t str),
    Anew {
        bytes: [u8; CODE_BYTES_MAX],
        length: usize,
    },
}

/// No code is longer; a longer text is as good as none.
const CODE_BYTES_MAX: usize = 40;

impl Capitals<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::AsCame(text) => text,
            Self::Anew { bytes, length } => {
                let written = bytes.get(..*length).unwrap_or_default();
                std::str::from_utf8(written).unwrap_or_default()
            }
        }
    }
}

/// The capitals of a code, with one sign between its words: `Gated in`, `gated-in` and `GATED_IN` are one.
pub(super) fn upper(text: &str) -> Capitals<'_> {
    let text = text.trim();
    if text.len() > CODE_BYTES_MAX {
        return Capitals::AsCame("");
    }
    let is_odd = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'-');
    if !text.bytes().any(is_odd) {
        return Capitals::AsCame(text);
    }
    let mut bytes = [0; CODE_BYTES_MAX];
    if let Some(place) = bytes.get_mut(..text.len()) {
        place.copy_from_slice(text.as_bytes());
        place.make_ascii_uppercase();
        for sign in place.iter_mut().filter(|sign| matches!(sign, b' ' | b'-')) {
            *sign = b'_';
        }
    }
    Capitals::Anew {
        bytes,
        length: text.len(),
    }
}
