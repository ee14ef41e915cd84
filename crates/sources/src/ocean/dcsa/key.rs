//! The vocabulary: which member names we know, in every spelling.
//!
//! Carriers write `eventID`, `eventId` and `EventID`; names are compared in lower case, once, here.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

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
    Document,
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
    Name,
    Number,
    OriginatingParty,
    OtherCode,
    PartyCode,
    Phase,
    Reason,
    References,
    ReferenceKind,
    ReferenceValue,
    RetractedId,
    Routing,
    SealNumber,
    SealSource,
    Seals,
    Sequence,
    SequenceTotal,
    Service,
    ServiceGroup,
    Source,
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
        let same_length = BY_LENGTH
            .get(name.len())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let known = same_length
            .iter()
            .find(|(known, _)| known.as_bytes() == name);
        known.map_or(Self::Unknown, |(_, key)| *key)
    }
}

/// [`NAMES`] by their length. An event has fifty members, and comparing each with every name would take longer
/// than reading it.
static BY_LENGTH: LazyLock<Vec<Vec<(&str, Key)>>> = LazyLock::new(|| {
    let mut by_length = vec![Vec::new(); NAME_BYTES_MAX + 1];
    for (name, key) in NAMES {
        if let Some(same_length) = by_length.get_mut(name.len()) {
            same_length.push((*name, *key));
        }
    }
    by_length
});

/// Every name we know, in lower case.
const NAMES: &[(&str, Key)] = &[
    ("eventid", Key::Id),
    ("eventcreateddatetime", Key::Created),
    ("eventcreated", Key::Created),
    ("eventupdateddatetime", Key::Updated),
    ("eventdatetime", Key::DateTime),
    ("eventtype", Key::Kind),
    ("eventclassifiercode", Key::Classifier),
    ("eventclassifier", Key::Classifier),
    ("eventtypecode", Key::Code),
    ("transporteventtypecode", Key::TransportCode),
    ("transporteventtype", Key::TransportCode),
    ("equipmenteventtypecode", Key::EquipmentCode),
    ("equipmenteventtype", Key::EquipmentCode),
    ("shipmenteventtypecode", Key::ShipmentCode),
    ("shipmenteventtype", Key::ShipmentCode),
    ("ioteventtypecode", Key::OtherCode),
    ("reefereventtypecode", Key::OtherCode),
    ("equipmentreference", Key::EquipmentNumber),
    ("equipmentnumber", Key::EquipmentNumber),
    ("containernumber", Key::EquipmentNumber),
    ("isoequipmentcode", Key::IsoType),
    ("emptyindicatorcode", Key::EmptyFlag),
    ("emptyindicator", Key::EmptyFlag),
    ("eventlocation", Key::Location),
    ("location", Key::Location),
    ("transportcall", Key::TransportCall),
    ("transportcallid", Key::TransportCallId),
    ("transportcallreference", Key::TransportCallId),
    ("transportcallsequencenumber", Key::Sequence),
    ("transportcallsequencetotal", Key::SequenceTotal),
    ("transportcallsequencenumbermax", Key::SequenceTotal),
    ("modeoftransport", Key::Mode),
    ("modeoftransportcode", Key::Mode),
    ("carrierservicecode", Key::Service),
    ("servicecodeorreference", Key::ServiceGroup),
    ("exportvoyagenumber", Key::VoyageOut),
    ("carrierexportvoyagenumber", Key::VoyageOut),
    ("importvoyagenumber", Key::VoyageIn),
    ("carrierimportvoyagenumber", Key::VoyageIn),
    ("exportvoyagenumberorreference", Key::VoyageOutGroup),
    ("importvoyagenumberorreference", Key::VoyageInGroup),
    ("carriervoyagenumber", Key::Voyage),
    ("unlocationcode", Key::UnLocode),
    ("unlocode", Key::UnLocode),
    ("facilitycode", Key::FacilityCode),
    ("facilitycodelistprovider", Key::FacilityList),
    ("facilitytypecode", Key::FacilityType),
    ("facilitytype", Key::FacilityType),
    ("locationname", Key::LocationName),
    ("vessel", Key::Vessel),
    ("vesseltransport", Key::Vessel),
    ("vesselimonumber", Key::VesselImo),
    ("vesselname", Key::VesselName),
    ("documentreferences", Key::Documents),
    ("relateddocumentreferences", Key::Documents),
    ("documentreference", Key::Document),
    ("additionaldocumentreferences", Key::Documents),
    ("references", Key::References),
    ("shipmentreferences", Key::References),
    ("documentreferencetype", Key::ReferenceKind),
    ("referencetype", Key::ReferenceKind),
    ("type", Key::ReferenceKind),
    ("typecode", Key::ReferenceKind),
    ("documentreferencevalue", Key::ReferenceValue),
    ("referencevalue", Key::ReferenceValue),
    ("value", Key::ReferenceValue),
    ("reference", Key::ReferenceValue),
    ("documentid", Key::DocumentId),
    ("documenttypecode", Key::DocumentKind),
    ("documenttype", Key::DocumentKind),
    ("carrierbookingreference", Key::Booking),
    ("bookingreference", Key::BookingWord),
    ("bookingnumber", Key::BookingWord),
    ("transportdocumentreference", Key::Bill),
    ("transportdocumentid", Key::Bill),
    ("name", Key::Name),
    ("number", Key::Number),
    ("source", Key::Source),
    ("eventrouting", Key::Routing),
    ("originatingparty", Key::OriginatingParty),
    ("partycode", Key::PartyCode),
    ("seals", Key::Seals),
    ("sealnumber", Key::SealNumber),
    ("sealsource", Key::SealSource),
    ("istransshipmentmove", Key::TransshipmentFlag),
    ("movementtype", Key::Movement),
    ("transportphase", Key::Phase),
    ("transportationphase", Key::Phase),
    ("shipmentlocationtype", Key::LocationKind),
    ("description", Key::Description),
    ("eventdescription", Key::Description),
    ("internaleventlabel", Key::Description),
    ("reason", Key::Reason),
    ("retractedeventid", Key::RetractedId),
    ("isretracted", Key::IsRetracted),
    ("carrierspecificdata", Key::CarrierSpecific),
    ("eventclassification", Key::Frame),
    ("metadata", Key::Frame),
    ("payload", Key::Frame),
    ("shipmentdetails", Key::ShipmentGroup),
    ("transportdetails", Key::TransportGroup),
    ("equipmentdetails", Key::EquipmentGroup),
    ("events", Key::Events),
    ("shipmentevent", Key::Events),
    ("shipmentevents", Key::Events),
    ("transportevent", Key::Events),
    ("transportevents", Key::Events),
    ("equipmentevent", Key::Events),
    ("equipmentevents", Key::Events),
];

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
