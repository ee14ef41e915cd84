//! Packed texts: what is written for every change, in a fraction of its length.
//!
//! A container's document has two kilobytes, and nearly all of it stands in every other one too: the names of its
//! members, and null behind most of them. A notification's body has six, made of such documents. Written as they are,
//! they are most of what a change costs the disk, and most of what a database grows by.
//!
//! So they are packed beside a *dictionary*: a text of their kind that both sides know, and to which LZ4 refers where it
//! would write the same again. A body takes a quarter of its length so, a document a fifth; to pack one [costs](block) one to
//! seven microseconds, to unpack it one to three. Without a dictionary a body would take nearly half.
//!
//! The first byte says how the rest is written:
//!
//! | first byte | what follows |
//! |---|---|
//! | from 16 | the text itself, this byte included: one that packing would not have made shorter, and what was written before there were dictionaries |
//! | 0 | the text itself, which packing would not have made shorter either, and which begins with a byte below 16 |
//! | 1 to 15 | the length of the text, four bytes, the lowest first; then an LZ4 block beside the dictionary of this number |
//!
//! **A dictionary is never changed**: what was packed beside it could not be read any more. When documents have changed so
//! much that their dictionary has become a bad one, a new one gets the next number, and is packed with from then on; the old
//! ones stay to read with.

mod block;

use std::sync::LazyLock;

use lz4_flex::block::{compress_with_dict, decompress_size_prepended_with_dict, uncompressed_size};

use self::block::Dictionary;
use crate::db::Value;

/// The first byte from which on a text begins as it is.
const PLAIN_FROM: u8 = 16;
/// The first byte before a text that is not packed.
const UNPACKED: u8 = 0;
/// An LZ4 block is unpacked to at most so many times its length (a byte of a match's length stands for 255 more).
const GROWTH_MAX: usize = 256;

/// What a text is, which decides its dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A container's document.
    Container,
    /// A shipment's document.
    Shipment,
    /// An event's document.
    Event,
    /// A container's state.
    State,
    /// What a report says.
    Report,
    /// The body of a notification.
    Body,
}

impl Kind {
    /// The dictionary that texts of this kind are packed with.
    fn dictionary(self) -> u8 {
        match self {
            Self::Container => 1,
            Self::Shipment => 2,
            Self::Event => 3,
            Self::State => 4,
            Self::Report => 5,
            Self::Body => 6,
        }
    }
}

/// The texts of the dictionaries by their numbers, from 1.
const TEXTS: [&str; 6] = [
    include_str!("dictionaries/1_container.txt"),
    include_str!("dictionaries/2_shipment.txt"),
    include_str!("dictionaries/3_event.txt"),
    include_str!("dictionaries/4_state.txt"),
    include_str!("dictionaries/5_report.txt"),
    include_str!("dictionaries/6_body.txt"),
];

/// The same, prepared.
static DICTIONARIES: LazyLock<[Dictionary; 6]> =
    LazyLock::new(|| TEXTS.map(|text| Dictionary::of(text.as_bytes())));

fn dictionary(number: u8) -> Option<&'static Dictionary> {
    DICTIONARIES.get(usize::from(number).checked_sub(1)?)
}

/// A text as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    /// Packs a text.
    pub(crate) fn of(kind: Kind, text: &str) -> Self {
        match beside(kind.dictionary(), text.as_bytes()) {
            Some(packed) if packed.len() <= text.len() => Self(packed),
            _ if text.bytes().next().is_none_or(|first| first >= PLAIN_FROM) => Self(text.into()),
            _ => Self([&[UNPACKED], text.as_bytes()].concat()),
        }
    }
}

/// A text packed beside the dictionary of this number, behind the number and its length. None where it is too long for that.
fn beside(number: u8, text: &[u8]) -> Option<Vec<u8>> {
    let dictionary = dictionary(number)?;
    let length = u32::try_from(text.len()).ok()?;
    let mut packed = Vec::with_capacity(text.len() / 2);
    packed.push(number);
    packed.extend_from_slice(&length.to_le_bytes());
    if dictionary.takes(text) {
        dictionary.pack(text, &mut packed);
    } else {
        packed.extend(compress_with_dict(text, dictionary.text()));
    }
    Some(packed)
}

impl<'a> From<&'a Packed> for Value<'a> {
    fn from(packed: &'a Packed) -> Self {
        Value::Bytes(&packed.0)
    }
}

/// The text that was [packed](Packed::of). The error says what was found instead.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<String, String> {
    let text = match bytes.split_first() {
        None => Vec::new(),
        Some((PLAIN_FROM.., _)) => bytes.to_vec(),
        Some((&UNPACKED, text)) => text.to_vec(),
        Some((number, block)) => {
            let dictionary = dictionary(*number)
                .ok_or_else(|| format!("packed with dictionary {number}, of a later version"))?;
            let damaged = |error: &dyn std::fmt::Display| format!("damaged: {error}");
            let (length, _) = uncompressed_size(block).map_err(|error| damaged(&error))?;
            if length > block.len().saturating_mul(GROWTH_MAX) {
                return Err(damaged(&format!("{} bytes are no {length}", block.len())));
            }
            let text = decompress_size_prepended_with_dict(block, dictionary.text())
                .map_err(|error| damaged(&error))?;
            // A block that was cut off between two of its parts is read to its end all the same.
            if text.len() != length {
                return Err(damaged(&format!("{} bytes, and not {length}", text.len())));
            }
            text
        }
    };
    String::from_utf8(text).map_err(|error| format!("no text: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [Kind; 6] = [
        Kind::Container,
        Kind::Shipment,
        Kind::Event,
        Kind::State,
        Kind::Report,
        Kind::Body,
    ];

    /// A changed dictionary would leave what is stored unreadable: give a new one the next number instead.
    #[test]
    fn no_dictionary_was_changed() {
        let sums: Vec<(usize, u64)> = TEXTS
            .iter()
            .map(|text| {
                let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| {
                    (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                (text.len(), sum)
            })
            .collect();
        assert_eq!(sums, DICTIONARY_SUMS);
    }

    /// Length and FNV-1a of each.
    const DICTIONARY_SUMS: [(usize, u64); 6] = [
        (4_689, 0x13f0_cd3c_78f7_b9d8),
        (3_629, 0x7437_8426_f593_1bad),
        (4_109, 0x91e6_6967_1a64_10f0),
        (2_808, 0xfc6d_71da_649e_94a6),
        (2_028, 0x7432_63b4_5701_3bbb),
        (12_123, 0xa1ab_b5bb_760c_7a6d),
    ];

    #[test]
    fn every_dictionary_is_of_a_kind_and_packs_its_own_text_to_next_to_nothing() {
        for (place, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(usize::from(kind.dictionary()), place + 1, "{kind:?}");
            let text = TEXTS[place];
            let packed = Packed::of(kind, text);
            assert!(
                packed.0.len() * 20 < text.len(),
                "{kind:?}: {}",
                packed.0.len()
            );
            assert_eq!(unpacked(&packed.0).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_too_long_for_a_prepared_dictionary_is_packed_all_the_same() {
        for length in [50_000, 53_412, 53_413, 70_000, 200_000] {
            let text: String = TEXTS[5].chars().cycle().take(length).collect();
            let packed = Packed::of(Kind::Body, &text);
            assert!(packed.0.len() * 50 < length, "{length}: {}", packed.0.len());
            assert_eq!(unpacked(&packed.0), Ok(text));
            // What is too far from the dictionary to refer to it.
            let numbers = (0..length / 6).map(|number| format!("{number:06}"));
            let far: String = numbers.chain([TEXTS[5][..2_000].to_owned()]).collect();
            let packed = Packed::of(Kind::Body, &far);
            assert_eq!(unpacked(&packed.0), Ok(far), "{length}");
        }
    }

    #[test]
    fn what_was_stored_as_it_is_is_read_as_it_is() {
        for text in ["", "{}", "{\"a\":null}", "ü"] {
            assert_eq!(unpacked(text.as_bytes()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_nobody_has_packed_is_refused_with_the_reason() {
        let whole = Packed::of(Kind::Container, TEXTS[0]).0;
        let mut longer = whole.clone();
        longer[1] += 1;
        let cases: [(&[u8], &str); 7] = [
            (&[15, 1, 0, 0, 0, 0], "dictionary 15, of a later version"),
            (&[1, 1, 0], "damaged"),
            (&[1, 255, 255, 255, 255, 0], "are no"),
            (&longer, "bytes, and not"),
            (&whole[..whole.len() - 3], "damaged"),
            (&[0, 0xff], "no text"),
            (b"\x7b\xff", "no text"),
        ];
        for (bytes, reason) in cases {
            let refused = unpacked(bytes).expect_err(reason);
            assert!(refused.contains(reason), "{refused}");
        }
    }

    /// Texts that refer to much of a dictionary, also to its ends.
    fn pieces_of_dictionaries() -> impl Strategy<Value = String> {
        let piece = (0_usize..6, 0.0_f64..1.1, 0_usize..900).prop_map(|(place, from, length)| {
            let text = TEXTS[place].as_bytes();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss
            )]
            let from = ((from * text.len() as f64) as usize).min(text.len().saturating_sub(5));
            let to = (from + length).min(text.len());
            String::from_utf8_lossy(&text[from..to]).into_owned()
        });
        prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            text in prop_oneof![
                ".{0,200}",
                "[\\x00-\\x1f]{0,3}.{0,9}",
                "(\"[a-z_]{1,9}\":null,){0,99}",
                "(a{0,40}b{0,300}c){0,30}",
                pieces_of_dictionaries(),
            ],
            place in 0_usize..6,
        ) {
            let packed = Packed::of(KINDS[place], &text);
            prop_assert!(packed.0.len() <= text.len() + 1);
            prop_assert_eq!(unpacked(&packed.0), Ok(text));
        }

        #[test]
        fn whatever_is_stored_unpacking_it_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = unpacked(&bytes);
        }

        #[test]
        fn a_damaged_packing_never_panics(place in 0_usize..6, at in 0.0_f64..1.0, byte in any::<u8>()) {
            let mut bytes = Packed::of(KINDS[place], TEXTS[(place + 1) % 6]).0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let at = (at * bytes.len() as f64) as usize;
            bytes[at] = byte;
            let _ = unpacked(&bytes);
        }
    }
}
