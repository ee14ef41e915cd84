//! The armour around a message: six bits in each printable character.

/// How many characters a message of all its parts may have; the standard's longest is 1,008 bits.
pub(super) const ARMOUR_CHARS_MAX: usize = 400;

/// The bits of a message.
pub(super) struct Bits(Vec<u8>);

impl Bits {
    /// Takes the armour off; `None` when a character is none of it. `fill` bits at the end mean nothing.
    pub(super) fn of_armour(text: &[u8], fill: usize) -> Option<Self> {
        if text.len() > ARMOUR_CHARS_MAX || fill > 5 {
            return None;
        }
        let mut bits = Vec::with_capacity(text.len() * 6);
        for character in text {
            let six = match character {
                b'0'..=b'W' => character - 48,
                b'`'..=b'w' => character - 56,
                _ => return None,
            };
            bits.extend((0..6).rev().map(|bit| (six >> bit) & 1));
        }
        bits.truncate(bits.len().saturating_sub(fill));
        Some(Self(bits))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A number of at most 32 bits; `None` when the message ends before.
    pub(super) fn number(&self, from: usize, length: usize) -> Option<u32> {
        let bits = self.0.get(from..from.checked_add(length)?)?;
        (length <= 32).then(|| {
            bits.iter()
                .fold(0, |number, bit| (number << 1) | u32::from(*bit))
        })
    }

    /// A number with a sign.
    pub(super) fn signed(&self, from: usize, length: usize) -> Option<i32> {
        let number = self.number(from, length)?;
        let unused = 32u32.checked_sub(u32::try_from(length).ok()?)?;
        let shifted = number.checked_shl(unused)?.cast_signed();
        shifted.checked_shr(unused)
    }

    /// A text of six-bit characters; padding (`@`) ends it.
    pub(super) fn text(&self, from: usize, length: usize) -> Option<String> {
        let mut text = String::new();
        for at in (from..from.checked_add(length)?).step_by(6) {
            let Some(six) = self.number(at, 6) else { break };
            let character = match u8::try_from(six).ok()? {
                0 => break,
                letter @ 1..=31 => letter + 64,
                other => other,
            };
            text.push(char::from(character));
        }
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}
