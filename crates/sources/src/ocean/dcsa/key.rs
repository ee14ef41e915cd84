//! The vocabulary: which member names we know, in every spelling.
//!
//! Carriers write `eventID`, `eventId` and `EventID`; names are compared in lower case, once, here.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The longest member name that can be one of ours.
const NAME_BYTES_MAX: usize = 40;

/// A member name that means something to us. One name can mean different things in different objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Booking,
    BookingWord,
    Bill,
    CarrierSpecific,
    Classifier,
    Code,
    Created,
    DateTime,
    Description,
    DocumentId,
    Documents,
    DocumentKind,
    EmptyFlag,
    EquipmentCode,
    EquipmentGroup,
    EquipmentNumber,
    Events,
    FacilityCode,
    FacilityList,
    FacilityType,
    Frame,
    Id,
    IsRetracted,
    IsoType,
    Kind,
    Location,
    LocationKind,
    LocationName,
    Mode,
    Movement,
    OtherCode,
    Phase,
    Reason,
    References,
    ReferenceKind,
    ReferenceValue,
    RetractedId,
    SealNumber,
    SealSource,
    Seals,
    Sequence,
    SequenceTotal,
    Service,
    ServiceGroup,
    ShipmentCode,
    ShipmentGroup,
    TransportCall,
    TransportCallId,
    TransportCode,
    TransportGroup,
    TransshipmentFlag,
    UnLocode,
    Updated,
    Vessel,
    VesselImo,
    VesselName,
    Voyage,
    VoyageIn,
    VoyageInGroup,
    VoyageOut,
    VoyageOutGroup,
    Unknown,
}

impl Key {
    /// The meaning of a name.
    pub(super) fn of(name: &str) -> Self {
        let mut buffer = [0u8; NAME_BYTES_MAX];
        let Some(lower) = buffer.get_mut(..name.len()) else {
            return Self::Unknown;
        };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        Self::of_lower_case(lower)
    }

    fn of_lower_case(name: &[u8]) -> Self {
        match name {
            b"eventid" => Self::Id,
            b"eventcreateddatetime" | b"eventcreated" => Self::Created,
            b"eventupdateddatetime" => Self::Updated,
            b"eventdatetime" => Self::DateTime,
            b"eventtype" => Self::Kind,
            b"eventclassifiercode" | b"eventclassifier" => Self::Classifier,
            b"eventtypecode" => Self::Code,
            b"transporteventtypecode" | b"transporteventtype" => Self::TransportCode,
            b"equipmenteventtypecode" | b"equipmenteventtype" => Self::EquipmentCode,
            b"shipmenteventtypecode" | b"shipmenteventtype" => Self::ShipmentCode,
            b"ioteventtypecode" | b"reefereventtypecode" => Self::OtherCode,
            b"equipmentreference" | b"equipmentnumber" | b"containernumber" => {
                Self::EquipmentNumber
            }
            b"isoequipmentcode" => Self::IsoType,
            b"emptyindicatorcode" | b"emptyindicator" => Self::EmptyFlag,
            b"eventlocation" | b"location" => Self::Location,
            b"transportcall" => Self::TransportCall,
            b"transportcallid" | b"transportcallreference" => Self::TransportCallId,
            b"transportcallsequencenumber" => Self::Sequence,
            b"transportcallsequencetotal" | b"transportcallsequencenumbermax" => {
                Self::SequenceTotal
            }
            b"modeoftransport" | b"modeoftransportcode" => Self::Mode,
            b"carrierservicecode" => Self::Service,
            b"servicecodeorreference" => Self::ServiceGroup,
            b"exportvoyagenumber" | b"carrierexportvoyagenumber" => Self::VoyageOut,
            b"importvoyagenumber" | b"carrierimportvoyagenumber" => Self::VoyageIn,
            b"exportvoyagenumberorreference" => Self::VoyageOutGroup,
            b"importvoyagenumberorreference" => Self::VoyageInGroup,
            b"carriervoyagenumber" => Self::Voyage,
            b"unlocationcode" | b"unlocode" => Self::UnLocode,
            b"facilitycode" => Self::FacilityCode,
            b"facilitycodelistprovider" => Self::FacilityList,
            b"facilitytypecode" | b"facilitytype" => Self::FacilityType,
            b"locationname" => Self::LocationName,
            b"vessel" | b"vesseltransport" => Self::Vessel,
            b"vesselimonumber" => Self::VesselImo,
            b"vesselname" => Self::VesselName,
            b"documentreferences"
            | b"relateddocumentreferences"
            | b"documentreference"
            | b"additionaldocumentreferences" => Self::Documents,
            b"references" | b"shipmentreferences" => Self::References,
            b"documentreferencetype" | b"referencetype" | b"type" | b"typecode" => {
                Self::ReferenceKind
            }
            b"documentreferencevalue" | b"referencevalue" | b"value" | b"reference" => {
                Self::ReferenceValue
            }
            b"documentid" => Self::DocumentId,
            b"documenttypecode" | b"documenttype" => Self::DocumentKind,
            b"carrierbookingreference" => Self::Booking,
            b"bookingreference" | b"bookingnumber" => Self::BookingWord,
            b"transportdocumentreference" | b"transportdocumentid" => Self::Bill,
            b"seals" => Self::Seals,
            b"sealnumber" => Self::SealNumber,
            b"sealsource" => Self::SealSource,
            b"istransshipmentmove" => Self::TransshipmentFlag,
            b"movementtype" => Self::Movement,
            b"transportphase" | b"transportationphase" => Self::Phase,
            b"shipmentlocationtype" => Self::LocationKind,
            b"description" | b"eventdescription" | b"internaleventlabel" => Self::Description,
            b"reason" => Self::Reason,
            b"retractedeventid" => Self::RetractedId,
            b"isretracted" => Self::IsRetracted,
            b"carrierspecificdata" => Self::CarrierSpecific,
            b"eventclassification" | b"metadata" | b"payload" => Self::Frame,
            b"shipmentdetails" => Self::ShipmentGroup,
            b"transportdetails" => Self::TransportGroup,
            b"equipmentdetails" => Self::EquipmentGroup,
            b"events" | b"shipmentevent" | b"shipmentevents" | b"transportevent"
            | b"transportevents" | b"equipmentevent" | b"equipmentevents" => Self::Events,
            _ => Self::Unknown,
        }
    }
}

/// A member name with its meaning.
pub(super) struct Name<'de> {
    pub(super) key: Key,
    pub(super) text: Cow<'de, str>,
}

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Name<'de>, E> {
        Ok(Name {
            key: Key::of(text),
            text: Cow::Borrowed(text),
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Name<'de>, E> {
        Ok(Name {
            key: Key::of(text),
            text: Cow::Owned(text.to_owned()),
        })
    }
}
