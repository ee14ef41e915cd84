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
    Facility,
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
    OriginatingParties,
    OriginatingParty,
    OtherCode,
    PartyCode,
    PartyList,
    PartyListProvider,
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
        let Some(folded) = Folded::of(name) else {
            return Self::Unknown;
        };
        VOCABULARY.meaning(&folded)
    }
}

/// A name without regard to case, in words that are compared at once: an event has fifty members, and comparing
/// each letter by letter would take longer than reading it. A byte becomes a small letter by the bit that is set
/// here only if it is a letter, so nothing but the case is lost.
#[derive(Clone, Copy)]
struct Folded {
    words: [u64; NAME_BYTES_MAX / 8],
    length: usize,
}

impl Folded {
    /// None for a name that is too long to be one of ours. The end of a name that fills no word overlaps the
    /// word before.
    fn of(name: &str) -> Option<Self> {
        const SMALL: u64 = u64::from_ne_bytes([0x20; 8]);
        let length = name.len();
        if length > NAME_BYTES_MAX {
            return None;
        }
        let name = name.as_bytes();
        let (eights, rest) = name.as_chunks::<8>();
        let end = match name.last_chunk::<8>() {
            _ if rest.is_empty() => None,
            Some(eight) => Some(u64::from_le_bytes(*eight)),
            None => Some(
                rest.iter()
                    .fold(0, |word, byte| word << 8 | u64::from(*byte)),
            ),
        };
        let whole = eights.iter().map(|eight| u64::from_le_bytes(*eight));
        let mut words = [0; NAME_BYTES_MAX / 8];
        for (word, letters) in words.iter_mut().zip(whole.chain(end)) {
            *word = letters | SMALL;
        }
        Some(Self { words, length })
    }

    fn slot(&self) -> usize {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let length = self.length as u64;
        let words = self.words.iter();
        let mixed = words.fold(length, |mixed, word| mixed.rotate_left(13) ^ word);
        let spread = mixed.wrapping_mul(SPREAD);
        // The upper bits depend on all the others.
        usize::try_from(spread >> (u64::BITS - SLOTS.ilog2())).unwrap_or_default()
    }
}

impl PartialEq for Folded {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.words.iter().zip(&other.words);
        let differs = pairs.fold(0, |differs, (a, b)| differs | (a ^ b));
        differs == 0 && self.length == other.length
    }
}

/// Places in the vocabulary; most stay empty, so that a name is found at the first look.
const SLOTS: usize = 512;

/// [`NAMES`], each found by the first place that is its own or not another's. The places are kept apart from the
/// names to be few bytes.
struct Vocabulary {
    /// Number of the name that stands here, from 1; 0 where none does.
    places: [u8; SLOTS],
    names: Vec<(Folded, Key)>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let folded = |(name, key): &(&str, Key)| Some((Folded::of(name)?, *key));
    let names: Vec<(Folded, Key)> = NAMES.iter().filter_map(folded).collect();
    let mut places = [0; SLOTS];
    for (number, (name, _)) in (1u8..).zip(&names) {
        let mut slot = name.slot();
        while places.get(slot).is_some_and(|taken| *taken != 0) {
            slot = (slot + 1) % SLOTS;
        }
        if let Some(place) = places.get_mut(slot) {
            *place = number;
        }
    }
    Vocabulary { places, names }
});

impl Vocabulary {
    fn meaning(&self, name: &Folded) -> Key {
        let mut slot = name.slot();
        while let Some(number @ 1..) = self.places.get(slot).copied() {
            match self.names.get(usize::from(number) - 1) {
                Some((known, key)) if known == name => return *key,
                _ => slot = (slot + 1) % SLOTS,
            }
        }
        Key::Unknown
    }
}

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
    ("facility", Key::Facility),
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
    ("originatingparties", Key::OriginatingParties),
    ("partycode", Key::PartyCode),
    ("codelistprovider", Key::PartyListProvider),
    ("codelistname", Key::PartyList),
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
