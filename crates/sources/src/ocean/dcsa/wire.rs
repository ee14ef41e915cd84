//! One event as sent: texts that borrow from the message, and nothing judged yet.

use std::borrow::Cow;

use serde::de::MapAccess;

use super::key::Key;
use super::lenient::{Fill, list, object, skip, text};
use super::text::trimmed;

/// A text that may be missing.
pub(super) type Text<'de> = Option<Cow<'de, str>>;

/// An event of any dialect. The members of nested groups (`eventClassification`, `equipmentDetails`) are
/// flattened into it: their names are unique.
#[derive(Clone, Debug, Default)]
pub(super) struct Event<'de> {
    pub(super) id: Text<'de>,
    pub(super) created: Text<'de>,
    pub(super) updated: Text<'de>,
    pub(super) date_time: Text<'de>,
    pub(super) kind: Text<'de>,
    pub(super) classifier: Text<'de>,
    pub(super) code: Text<'de>,
    pub(super) transport_code: Text<'de>,
    pub(super) equipment_code: Text<'de>,
    pub(super) shipment_code: Text<'de>,
    pub(super) other_code: Text<'de>,
    pub(super) box_number: Text<'de>,
    pub(super) iso_type: Text<'de>,
    pub(super) empty: Text<'de>,
    pub(super) seals: Vec<Seal<'de>>,
    pub(super) location: Spot<'de>,
    pub(super) calls: Vec<Call<'de>>,
    /// Members of a call that stand in the event itself (older, flat shapes).
    pub(super) flat_call: Call<'de>,
    /// The document that the event is about, where one stands apart from the others.
    pub(super) document: Vec<Reference<'de>>,
    pub(super) documents: Vec<Reference<'de>>,
    pub(super) references: Vec<Reference<'de>>,
    pub(super) document_id: Text<'de>,
    pub(super) document_kind: Text<'de>,
    pub(super) booking: Text<'de>,
    pub(super) bill: Text<'de>,
    pub(super) transshipment: Text<'de>,
    pub(super) movement: Text<'de>,
    pub(super) phase: Text<'de>,
    pub(super) location_kind: Text<'de>,
    pub(super) description: Text<'de>,
    pub(super) reason: Text<'de>,
    pub(super) retracted_id: Text<'de>,
    pub(super) is_retracted: Text<'de>,
    /// Who wrote it (version 3): its ids are theirs.
    pub(super) producers: Vec<Party<'de>>,
    /// Whether it has the frame of version 3.
    pub(super) version_3: bool,
}

/// A place.
#[derive(Clone, Debug, Default)]
pub(super) struct Spot<'de> {
    pub(super) locode: Text<'de>,
    pub(super) facility_code: Text<'de>,
    pub(super) facility_list: Text<'de>,
    pub(super) facility_type: Text<'de>,
    pub(super) name: Text<'de>,
}

/// A call of a means of transport.
#[derive(Clone, Debug, Default)]
pub(super) struct Call<'de> {
    pub(super) id: Text<'de>,
    pub(super) sequence: Text<'de>,
    pub(super) sequence_total: Text<'de>,
    pub(super) mode: Text<'de>,
    pub(super) service: Text<'de>,
    pub(super) voyage_out: Text<'de>,
    pub(super) voyage_in: Text<'de>,
    pub(super) voyage: Text<'de>,
    pub(super) vessel_imo: Text<'de>,
    pub(super) vessel_name: Text<'de>,
    pub(super) spot: Spot<'de>,
    pub(super) location: Spot<'de>,
}

/// A reference to a document, a box or anything else.
#[derive(Clone, Debug, Default)]
pub(super) struct Reference<'de> {
    pub(super) kind: Text<'de>,
    pub(super) value: Text<'de>,
}

/// Who wrote an event: a code, and the list that it is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Party<'de> {
    pub(super) code: Text<'de>,
    pub(super) list_provider: Text<'de>,
    pub(super) list: Text<'de>,
}

/// A seal.
#[derive(Clone, Debug, Default)]
pub(super) struct Seal<'de> {
    pub(super) number: Text<'de>,
    pub(super) source: Text<'de>,
}

impl Call<'_> {
    /// Takes ship and voyage from another word of the same call, where neither this one nor what stands `beside` it has any: what is
    /// told of them stands together.
    pub(super) fn be_told(&mut self, other: &Self, beside: &Self) {
        let ship = [
            &self.vessel_imo,
            &self.vessel_name,
            &beside.vessel_imo,
            &beside.vessel_name,
        ];
        if ship.iter().all(|told| told.is_none()) {
            self.vessel_imo.clone_from(&other.vessel_imo);
            self.vessel_name.clone_from(&other.vessel_name);
        }
        let voyage = [
            &self.voyage,
            &self.voyage_in,
            &self.voyage_out,
            &beside.voyage,
            &beside.voyage_in,
            &beside.voyage_out,
        ];
        if voyage.iter().all(|told| told.is_none()) {
            self.voyage.clone_from(&other.voyage);
            self.voyage_in.clone_from(&other.voyage_in);
            self.voyage_out.clone_from(&other.voyage_out);
        }
    }
}

impl Event<'_> {
    /// Whether it takes something back. Then it need not say more than what.
    pub(super) fn withdraws(&self) -> bool {
        self.retracted_id.is_some() || self.is_withdrawn()
    }

    /// Whether it is itself taken back.
    pub(super) fn is_withdrawn(&self) -> bool {
        let word = trimmed(&self.is_retracted);
        word.is_some_and(|word| word.eq_ignore_ascii_case("true"))
    }

    /// Whether anything in it says that it is an event and not something around events.
    pub(super) fn is_event(&self) -> bool {
        self.words() > 0
    }

    fn words(&self) -> usize {
        let words = [
            &self.id,
            &self.kind,
            &self.date_time,
            &self.classifier,
            &self.code,
            &self.transport_code,
            &self.equipment_code,
            &self.shipment_code,
            &self.retracted_id,
        ];
        words.into_iter().filter(|word| word.is_some()).count()
    }
}

impl<'de> Fill<'de> for Event<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::Id => text(&mut self.id, map),
            Key::Created => text(&mut self.created, map),
            Key::Updated => {
                self.version_3 = true;
                text(&mut self.updated, map)
            }
            Key::DateTime => text(&mut self.date_time, map),
            Key::Kind => text(&mut self.kind, map),
            Key::Classifier => text(&mut self.classifier, map),
            Key::Code => text(&mut self.code, map),
            Key::TransportCode => text(&mut self.transport_code, map),
            Key::EquipmentCode => text(&mut self.equipment_code, map),
            Key::ShipmentCode => text(&mut self.shipment_code, map),
            Key::OtherCode => text(&mut self.other_code, map),
            Key::EquipmentNumber => text(&mut self.box_number, map),
            Key::IsoType => text(&mut self.iso_type, map),
            Key::EmptyFlag => text(&mut self.empty, map),
            Key::Seals => list(&mut self.seals, map),
            Key::Location => object(&mut self.location, map),
            Key::TransportCall => list(&mut self.calls, map),
            Key::Document => list(&mut self.document, map),
            Key::Documents => list(&mut self.documents, map),
            Key::References => list(&mut self.references, map),
            Key::DocumentId => text(&mut self.document_id, map),
            Key::DocumentKind => text(&mut self.document_kind, map),
            Key::Booking | Key::BookingWord => text(&mut self.booking, map),
            Key::Bill => text(&mut self.bill, map),
            Key::TransshipmentFlag => text(&mut self.transshipment, map),
            Key::Movement => text(&mut self.movement, map),
            Key::Phase => text(&mut self.phase, map),
            Key::LocationKind => text(&mut self.location_kind, map),
            Key::Description => text(&mut self.description, map),
            Key::Reason => text(&mut self.reason, map),
            Key::RetractedId => text(&mut self.retracted_id, map),
            Key::IsRetracted => text(&mut self.is_retracted, map),
            Key::CarrierSpecific => object(self, map),
            Key::Routing => {
                self.version_3 = true;
                object(&mut Routing(&mut self.producers), map)
            }
            Key::Frame => {
                // Version 2 has such a member too, with nothing of the event in it.
                let before = self.words();
                object(self, map)?;
                self.version_3 |= self.words() > before;
                Ok(())
            }
            Key::ShipmentGroup | Key::TransportGroup | Key::EquipmentGroup => {
                self.version_3 = true;
                object(self, map)
            }
            other => self.flat_call.member(other, map),
        }
    }
}

impl<'de> Fill<'de> for Call<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::TransportCallId => text(&mut self.id, map),
            Key::Sequence => text(&mut self.sequence, map),
            Key::SequenceTotal => text(&mut self.sequence_total, map),
            Key::Mode => text(&mut self.mode, map),
            Key::Service => text(&mut self.service, map),
            Key::VoyageOut => text(&mut self.voyage_out, map),
            Key::VoyageIn => text(&mut self.voyage_in, map),
            Key::Voyage => text(&mut self.voyage, map),
            Key::VesselImo => text(&mut self.vessel_imo, map),
            Key::VesselName => text(&mut self.vessel_name, map),
            Key::Location => object(&mut self.location, map),
            Key::Vessel => object(&mut VesselOf(self), map),
            Key::ServiceGroup => object(self, map),
            Key::VoyageOutGroup => object(&mut VoyageOf(&mut self.voyage_out), map),
            Key::VoyageInGroup => object(&mut VoyageOf(&mut self.voyage_in), map),
            other => self.spot.member(other, map),
        }
    }
}

/// The vessel of a call; some dialects say `name` for `vesselName`.
struct VesselOf<'s, 'de>(&'s mut Call<'de>);

impl<'de> Fill<'de> for VesselOf<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::Name => text(&mut self.0.vessel_name, map),
            other => self.0.member(other, map),
        }
    }
}

/// The producers inside `eventRouting`.
struct Routing<'s, 'de>(&'s mut Vec<Party<'de>>);

impl<'de> Fill<'de> for Routing<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::OriginatingParties => list(self.0, map),
            Key::OriginatingParty => {
                let mut only = OnlyParty::default();
                object(&mut only, map)?;
                self.0.push(only.0);
                Ok(())
            }
            _ => skip(map),
        }
    }
}

impl<'de> Fill<'de> for Party<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::PartyCode => text(&mut self.code, map),
            Key::PartyListProvider => text(&mut self.list_provider, map),
            Key::PartyList => text(&mut self.list, map),
            _ => skip(map),
        }
    }
}

/// The producer of the dialects that know one only. Its code alone is its name, as it was when its events were stored.
#[derive(Default)]
struct OnlyParty<'de>(Party<'de>);

impl<'de> Fill<'de> for OnlyParty<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::PartyCode => text(&mut self.0.code, map),
            _ => skip(map),
        }
    }
}

/// The voyage inside `exportVoyageNumberOrReference`.
struct VoyageOf<'s, 'de>(&'s mut Text<'de>);

impl<'de> Fill<'de> for VoyageOf<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::Voyage | Key::VoyageOut | Key::VoyageIn => text(self.0, map),
            _ => skip(map),
        }
    }

    fn plain(&mut self, text: Cow<'de, str>) {
        *self.0 = Some(text);
    }
}

impl<'de> Fill<'de> for Spot<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::UnLocode => text(&mut self.locode, map),
            Key::Facility => object(&mut FacilityOf(self), map),
            Key::FacilityCode => text(&mut self.facility_code, map),
            Key::FacilityList => text(&mut self.facility_list, map),
            Key::FacilityType => text(&mut self.facility_type, map),
            Key::LocationName => text(&mut self.name, map),
            _ => skip(map),
        }
    }

    fn plain(&mut self, text: Cow<'de, str>) {
        self.name = Some(text);
    }
}

/// The facility of a place, where it has a group of its own.
struct FacilityOf<'s, 'de>(&'s mut Spot<'de>);

impl<'de> Fill<'de> for FacilityOf<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::FacilityCode => text(&mut self.0.facility_code, map),
            Key::FacilityList => text(&mut self.0.facility_list, map),
            _ => skip(map),
        }
    }
}

impl<'de> Fill<'de> for Reference<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::ReferenceKind | Key::DocumentKind => text(&mut self.kind, map),
            Key::ReferenceValue | Key::DocumentId | Key::Document => text(&mut self.value, map),
            _ => skip(map),
        }
    }

    fn plain(&mut self, text: Cow<'de, str>) {
        self.value = Some(text);
    }
}

impl<'de> Fill<'de> for Seal<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::SealNumber | Key::Number => text(&mut self.number, map),
            Key::SealSource | Key::Source => text(&mut self.source, map),
            _ => skip(map),
        }
    }

    fn plain(&mut self, text: Cow<'de, str>) {
        self.number = Some(text);
    }
}
