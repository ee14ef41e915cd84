//! One event as sent: texts that borrow from the message, and nothing judged yet.
//!
//! A derived reader would refuse the whole event for one number where a text should be. Here every member
//! takes any value: what has the wrong shape is as if it had not been sent, numbers become texts, one object
//! counts as a list of one. Only broken JSON is an error. No tree is built: members that we do not know are
//! skipped as they pass.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::key::{Key, Name};

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

/// A seal.
#[derive(Clone, Debug, Default)]
pub(super) struct Seal<'de> {
    pub(super) number: Text<'de>,
    pub(super) source: Text<'de>,
}

impl Event<'_> {
    /// Whether anything in it says that it is an event and not something around events.
    pub(super) fn is_event(&self) -> bool {
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
        words.into_iter().any(Option::is_some)
    }
}

/// Something whose members are taken one by one.
pub(super) trait Fill<'de> {
    /// Takes the value of a member, or skips it.
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error>;

    /// Takes a plain text that stands where the object should be.
    fn plain(&mut self, text: Cow<'de, str>) {
        let _ = text;
    }
}

/// Puts a text into a slot; a later text replaces an earlier one, nothing replaces nothing.
fn text<'de, A: MapAccess<'de>>(slot: &mut Text<'de>, map: &mut A) -> Result<(), A::Error> {
    if let Some(text) = map.next_value_seed(AnyText)? {
        *slot = Some(text);
    }
    Ok(())
}

fn object<'de, A: MapAccess<'de>>(
    target: &mut impl Fill<'de>,
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value_seed(Object(target))
}

fn list<'de, A: MapAccess<'de>, T: Fill<'de> + Default>(
    target: &mut Vec<T>,
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value_seed(List(target))
}

fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
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
            Key::Frame | Key::ShipmentGroup | Key::TransportGroup | Key::EquipmentGroup => {
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
            Key::Vessel | Key::ServiceGroup => object(self, map),
            Key::VoyageOutGroup => object(&mut VoyageOf(&mut self.voyage_out), map),
            Key::VoyageInGroup => object(&mut VoyageOf(&mut self.voyage_in), map),
            other => self.spot.member(other, map),
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

impl<'de> Fill<'de> for Reference<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: Key, map: &mut A) -> Result<(), A::Error> {
        match key {
            Key::ReferenceKind | Key::DocumentKind => text(&mut self.kind, map),
            Key::ReferenceValue | Key::DocumentId => text(&mut self.value, map),
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
            Key::SealNumber => text(&mut self.number, map),
            Key::SealSource => text(&mut self.source, map),
            _ => skip(map),
        }
    }

    fn plain(&mut self, text: Cow<'de, str>) {
        self.number = Some(text);
    }
}

/// Any value as a text; objects, lists and null as none.
pub(super) struct AnyText;

impl<'de> DeserializeSeed<'de> for AnyText {
    type Value = Text<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyText {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Text<'de>, E> {
        Ok(Some(Cow::Borrowed(if flag { "true" } else { "false" })))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text<'de>, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Text<'de>, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Text<'de>, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Text<'de>, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Text<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// What every visitor of a place where an object should stand does with anything else.
macro_rules! plain_values {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }

        fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
            self.plain(Cow::Borrowed(text));
            Ok(())
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
            self.plain(Cow::Owned(text.to_owned()));
            Ok(())
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
            self.plain(Cow::Owned(number.to_string()));
            Ok(())
        }

        fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
            Ok(())
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
            Ok(())
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
            Ok(())
        }

        fn visit_unit<E: Error>(self) -> Result<(), E> {
            Ok(())
        }
    };
}

/// An object, or a list of objects of which each adds its members.
pub(super) struct Object<'s, T>(pub(super) &'s mut T);

impl<'de, T: Fill<'de>> Object<'_, T> {
    fn plain(self, text: Cow<'de, str>) {
        self.0.plain(text);
    }
}

impl<'de, T: Fill<'de>> DeserializeSeed<'de> for Object<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Fill<'de>> Visitor<'de> for Object<'_, T> {
    type Value = ();

    plain_values!();

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Name<'de>>()? {
            self.0.member(name.key, &mut map)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Object(&mut *self.0))?.is_some() {}
        Ok(())
    }
}

/// A list of objects; one object counts as a list of one.
struct List<'s, T>(&'s mut Vec<T>);

impl<'de, T: Fill<'de> + Default> List<'_, T> {
    fn plain(self, text: Cow<'de, str>) {
        let mut only = T::default();
        only.plain(text);
        self.0.push(only);
    }
}

impl<'de, T: Fill<'de> + Default> DeserializeSeed<'de> for List<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Fill<'de> + Default> Visitor<'de> for List<'_, T> {
    type Value = ();

    plain_values!();

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut only = T::default();
        Object(&mut only).visit_map(map)?;
        self.0.push(only);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        loop {
            let mut next = T::default();
            if seq.next_element_seed(Object(&mut next))?.is_none() {
                return Ok(());
            }
            self.0.push(next);
        }
    }
}
