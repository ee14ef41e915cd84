//! Reading members that may be anything.
//!
//! A derived reader would refuse the whole event for one number where a text should be. Here every member
//! takes any value: what has the wrong shape is as if it had not been sent, numbers become texts, one object
//! counts as a list of one. Only broken JSON is an error. No tree is built: members that we do not know are
//! skipped as they pass.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use serde_json::value::RawValue;

use super::key::{Key, Name};
use super::wire::Text;

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
pub(super) fn text<'de, A: MapAccess<'de>>(
    slot: &mut Text<'de>,
    map: &mut A,
) -> Result<(), A::Error> {
    if let Some(text) = map.next_value_seed(AnyText)? {
        *slot = Some(text);
    }
    Ok(())
}

pub(super) fn object<'de, A: MapAccess<'de>>(
    target: &mut impl Fill<'de>,
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value_seed(Object(target))
}

pub(super) fn list<'de, A: MapAccess<'de>, T: Fill<'de> + Default>(
    target: &mut Vec<T>,
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value_seed(List(target))
}

/// Reads a value that stands apart; one that is no object fills in nothing.
pub(super) fn apart<'de>(
    target: &mut impl Fill<'de>,
    value: &'de RawValue,
) -> Result<(), serde_json::Error> {
    Object(target).deserialize(&mut serde_json::Deserializer::from_str(value.get()))
}

pub(super) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// Any value as a text; objects, lists and null as none.
struct AnyText;

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
struct Object<'s, T>(&'s mut T);

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
