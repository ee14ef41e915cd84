//! Size and type in one code: ISO 6346 of 1995, the digits of 1984, and the words people write.

use super::{EquipmentHeight, EquipmentType};

/// What a size-type code tells. A part that the code does not tell is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SizeType {
    /// What it is built for.
    pub equipment_type: Option<EquipmentType>,
    /// Feet: 10, 20, 40 or 45. 48 and 53 are not in the public list and give `None`.
    pub length_ft: Option<u8>,
    /// Standard or high cube.
    pub height: Option<EquipmentHeight>,
}

/// Words of the trade after the length: what is built, and whether the word tells the height.
const WORDS: [(&str, EquipmentType, Option<EquipmentHeight>); 25] = {
    use EquipmentHeight::{HighCube, Standard};
    use EquipmentType::{Bulk, Dry, FlatRack, OpenTop, Reefer, Tank};
    [
        ("DC", Dry, Some(Standard)),
        ("DV", Dry, Some(Standard)),
        ("DRY", Dry, Some(Standard)),
        ("DR", Dry, None),
        ("GP", Dry, Some(Standard)),
        ("SD", Dry, Some(Standard)),
        ("ST", Dry, Some(Standard)),
        ("HC", Dry, Some(HighCube)),
        ("HQ", Dry, Some(HighCube)),
        ("HCDRY", Dry, Some(HighCube)),
        ("RF", Reefer, Some(Standard)),
        ("RE", Reefer, Some(Standard)),
        ("REEF", Reefer, Some(Standard)),
        ("RH", Reefer, Some(HighCube)),
        ("RQ", Reefer, Some(HighCube)),
        ("HR", Reefer, Some(HighCube)),
        ("HCRF", Reefer, Some(HighCube)),
        ("OT", OpenTop, Some(Standard)),
        ("OH", OpenTop, Some(HighCube)),
        ("FR", FlatRack, Some(Standard)),
        ("FH", FlatRack, Some(HighCube)),
        ("PL", FlatRack, Some(Standard)),
        ("TK", Tank, Some(Standard)),
        ("TANK", Tank, Some(Standard)),
        ("BK", Bulk, Some(Standard)),
    ]
};

/// Words of a phrase at most.
const PHRASE_WORDS_MAX: usize = 8;

impl SizeType {
    /// Reads a size-type as feeds send it: a code of 1995 (`45G1`, `L5R1`), four digits of 1984 (`4310`), a
    /// transposed code (`451G`), or words (`40HC`, `20' DC`, `40/SD/96`, `40' HIGH CUBE DRY CONTAINER`). What a text does not tell
    /// stays `None`.
    pub fn parse(text: &str) -> Self {
        let read = Self::from_short(text).or_else(|| Self::from_phrase(text));
        read.unwrap_or_default()
    }

    fn from_short(text: &str) -> Option<Self> {
        let mut compact = [0u8; 8];
        let mut length = 0;
        for byte in text.bytes().filter(u8::is_ascii_alphanumeric) {
            let slot = compact.get_mut(length)?;
            *slot = byte.to_ascii_uppercase();
            length += 1;
        }
        let code = compact.get(..length).unwrap_or_default();
        Self::from_words(code).or_else(|| Self::from_code(code))
    }

    /// A phrase, of which each word must be understood: one of them may change what the others say.
    fn from_phrase(text: &str) -> Option<Self> {
        let upper = text.to_ascii_uppercase();
        let words = upper.split(|c: char| !c.is_ascii_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<&str> = words.take(PHRASE_WORDS_MAX + 1).collect();
        let mut rest = words.as_slice();
        if rest.len() > PHRASE_WORDS_MAX {
            return None;
        }
        let (mut length, mut kind, mut measured, mut named) = (None, None, None, None);
        while let Some((word, behind)) = rest.split_first() {
            rest = behind;
            match (*word, behind) {
                ("20" | "20FT", _) if length.is_none() => length = Some(20),
                ("40" | "40FT", _) if length.is_none() => length = Some(40),
                ("45" | "45FT", _) if length.is_none() => length = Some(45),
                ("FT" | "FEET" | "FOOT" | "CONTAINER", _) => {}
                ("8", ["6", after @ ..]) => {
                    (measured, rest) = (Some(EquipmentHeight::Standard), after);
                }
                ("9", ["6", after @ ..]) => {
                    (measured, rest) = (Some(EquipmentHeight::HighCube), after);
                }
                ("HIGH", ["CUBE", after @ ..]) => {
                    (named, rest) = (Some(EquipmentHeight::HighCube), after);
                }
                ("STANDARD" | "STD", _) if named.is_none() => {
                    named = Some(EquipmentHeight::Standard);
                }
                ("DRY", _) if kind.is_none() => kind = Some(EquipmentType::Dry),
                ("REEFER", _) if kind.is_none() => kind = Some(EquipmentType::Reefer),
                ("TANK", _) if kind.is_none() => kind = Some(EquipmentType::Tank),
                ("OPEN", ["TOP", after @ ..]) if kind.is_none() => {
                    (kind, rest) = (Some(EquipmentType::OpenTop), after);
                }
                ("FLAT", ["RACK", after @ ..]) if kind.is_none() => {
                    (kind, rest) = (Some(EquipmentType::FlatRack), after);
                }
                _ => return None,
            }
        }
        // A standard or a high cube and nothing else is a dry one, as `40HC` is.
        let kind = kind.or(named.map(|_| EquipmentType::Dry));
        length?;
        Some(Self::settled(Some(kind?), length, measured.or(named)))
    }

    /// `40HC`: feet as a number and a word. Tried first, because a word with `20` or `40` before it is no
    /// code: the second character of a code of that length would mean 8′0″, which nobody builds any more.
    fn from_words(code: &[u8]) -> Option<Self> {
        let (feet, word) = code.split_at_checked(2)?;
        let length = match feet {
            b"10" => Some(10),
            b"20" => Some(20),
            b"40" => Some(40),
            b"45" => Some(45),
            b"48" | b"53" => None,
            _ => return None,
        };
        // The height in feet and inches may stand behind the word: `40SD96`.
        let (word, measured) = match word {
            [word @ .., b'8', b'6'] => (word, Some(EquipmentHeight::Standard)),
            [word @ .., b'9', b'6'] => (word, Some(EquipmentHeight::HighCube)),
            word => (word, None),
        };
        let (_, kind, height) = WORDS.iter().find(|(w, ..)| w.as_bytes() == word)?;
        Some(Self::settled(Some(*kind), length, measured.or(*height)))
    }

    /// Length, height and group. The group's letter and digit may have changed places on the way.
    fn from_code(code: &[u8]) -> Option<Self> {
        let (&length, &height, group) = match code {
            [length, height] => (length, height, [0, 0]),
            [length, height, letter] => (length, height, [*letter, b'0']),
            [length, height, digit, letter]
                if digit.is_ascii_digit() && letter.is_ascii_alphabetic() =>
            {
                (length, height, [*letter, *digit])
            }
            [length, height, first, second] => (length, height, [*first, *second]),
            _ => return None,
        };
        let old = group.iter().all(u8::is_ascii_digit);
        let kind = EquipmentType::of_group(group);
        let length = length_ft(length)?;
        let height = height_of(height, old)?;
        Some(Self::settled(kind, length, Some(height)))
    }

    /// Every box of 45 feet is built high, whatever its code says.
    fn settled(
        equipment_type: Option<EquipmentType>,
        length_ft: Option<u8>,
        height: Option<EquipmentHeight>,
    ) -> Self {
        let height = if length_ft == Some(45) {
            Some(EquipmentHeight::HighCube)
        } else {
            height
        };
        Self {
            equipment_type,
            length_ft,
            height,
        }
    }
}

/// Feet of the first character; `Some(None)` is a length outside the public list, `None` is no length.
#[expect(
    clippy::option_option,
    reason = "a length we do not publish differs from a text that has none"
)]
fn length_ft(code: u8) -> Option<Option<u8>> {
    match code {
        b'1' => Some(Some(10)),
        b'2' => Some(Some(20)),
        b'4' => Some(Some(40)),
        b'L' | b'9' => Some(Some(45)),
        b'3' | b'M' | b'N' | b'P' => Some(None),
        _ => None,
    }
}

/// Height of the second character, which the digits of 1984 use otherwise.
fn height_of(code: u8, old: bool) -> Option<EquipmentHeight> {
    match (code, old) {
        (b'4' | b'5', true) | (b'5' | b'6' | b'E' | b'F', false) => Some(EquipmentHeight::HighCube),
        (b'0'..=b'9' | b'C' | b'D', _) => Some(EquipmentHeight::Standard),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EquipmentHeight::{HighCube, Standard};
    use EquipmentType::{Bulk, Dry, FlatRack, OpenTop, Reefer, Tank};

    #[test]
    fn codes_words_and_digits_tell_the_same_boxes() {
        let told = [
            ("22G1", Dry, 20, Standard),
            ("22GP", Dry, 20, Standard),
            ("22V0", Dry, 20, Standard),
            ("22S1", Dry, 20, Standard),
            ("42G1", Dry, 40, Standard),
            ("45G1", Dry, 40, HighCube),
            ("46G0", Dry, 40, HighCube),
            ("4EG1", Dry, 40, HighCube),
            ("4CG1", Dry, 40, Standard),
            ("44G1", Dry, 40, Standard),
            ("L5G1", Dry, 45, HighCube),
            ("L2G1", Dry, 45, HighCube),
            ("45R1", Reefer, 40, HighCube),
            ("22H0", Reefer, 20, Standard),
            ("22U1", OpenTop, 20, Standard),
            ("45P3", FlatRack, 40, HighCube),
            ("22T6", Tank, 20, Standard),
            ("22K2", Tank, 20, Standard),
            ("22B0", Bulk, 20, Standard),
            ("12G0", Dry, 10, Standard),
            ("451G", Dry, 40, HighCube),
            ("2200", Dry, 20, Standard),
            ("2210", Dry, 20, Standard),
            ("4310", Dry, 40, Standard),
            ("4300", Dry, 40, Standard),
            ("4200", Dry, 40, Standard),
            ("4500", Dry, 40, HighCube),
            ("4510", Dry, 40, HighCube),
            ("4410", Dry, 40, HighCube),
            ("9500", Dry, 45, HighCube),
            ("2230", Reefer, 20, Standard),
            ("4532", Reefer, 40, HighCube),
            ("4340", Reefer, 40, Standard),
            ("2251", OpenTop, 20, Standard),
            ("4363", FlatRack, 40, Standard),
            ("2270", Tank, 20, Standard),
            ("2280", Bulk, 20, Standard),
            ("20DC", Dry, 20, Standard),
            ("20GP", Dry, 20, Standard),
            ("40HC", Dry, 40, HighCube),
            ("40hq", Dry, 40, HighCube),
            ("40' HC", Dry, 40, HighCube),
            ("40RF", Reefer, 40, Standard),
            ("40RH", Reefer, 40, HighCube),
            ("45HC", Dry, 45, HighCube),
            ("20TK", Tank, 20, Standard),
            ("40OT", OpenTop, 40, Standard),
            ("40FR", FlatRack, 40, Standard),
            ("40/GP/96", Dry, 40, HighCube),
            ("40/SD/86", Dry, 40, Standard),
            ("20DR86", Dry, 20, Standard),
            ("40DR96", Dry, 40, HighCube),
            ("40RF96", Reefer, 40, HighCube),
            ("40' HIGH CUBE DRY CONTAINER", Dry, 40, HighCube),
            ("40ft High Cube", Dry, 40, HighCube),
            ("20' STANDARD DRY", Dry, 20, Standard),
            ("Standard 40' 9'6\"", Dry, 40, HighCube),
            ("Standard 20' 8'6\"", Dry, 20, Standard),
            ("Reefer 40' 9'6\"", Reefer, 40, HighCube),
            ("40'/Standard/9'6\"", Dry, 40, HighCube),
            ("40' Open Top 8'6\"", OpenTop, 40, Standard),
        ];
        for (text, kind, length, height) in told {
            let expected = SizeType {
                equipment_type: Some(kind),
                length_ft: Some(length),
                height: Some(height),
            };
            assert_eq!(SizeType::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_told_is_not_known() {
        for text in [
            "",
            "?",
            "N/A",
            "string",
            "ZZZZ",
            "45G1 and more",
            "Standard",
            "40' HIGH CUBE SOMETHING",
            "40' and 20' dry container",
            "40' DRY REEFER 9'6",
            "HIGH 40 CUBE",
            "5",
            "Ü2G1",
        ] {
            assert_eq!(SizeType::parse(text), SizeType::default(), "{text}");
        }
        let american = SizeType::parse("P5G1");
        assert_eq!(
            american.length_ft, None,
            "53 feet is not in the public list"
        );
        assert_eq!(american.height, Some(HighCube));
        assert_eq!(SizeType::parse("45X9").equipment_type, None);
        assert_eq!(SizeType::parse("45X9").length_ft, Some(40));
        assert_eq!(SizeType::parse("45").length_ft, Some(40));
    }

    #[test]
    fn names_of_the_wire_read_back() {
        for kind in EquipmentType::ALL {
            assert_eq!(EquipmentType::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(OpenTop.as_str(), "open top");
        assert_eq!(HighCube.as_str(), "high cube");
        assert_eq!(EquipmentHeight::parse("high_cube"), Some(HighCube));
        assert_eq!(EquipmentHeight::parse("standard"), Some(Standard));
    }
}
