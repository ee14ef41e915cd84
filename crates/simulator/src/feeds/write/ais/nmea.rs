//! The lines of a receiver (NMEA 0183, `!AIVDM`): who the ship is, in two parts, then where it was.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::{Seen, mmsi};
use crate::world::fleet::Vessel;

/// Letters of six bits in one line, at the most.
const LETTERS_MAX: usize = 56;

/// All lines, each behind the time at which it was heard.
pub(super) fn lines(vessel: &Vessel, seen: &[Seen]) -> String {
    let mut text = String::new();
    if let Some(first) = seen.first() {
        write(&mut text, first.at, &named(vessel));
    }
    for seen in seen {
        write(&mut text, seen.at, &placed(vessel, seen));
    }
    text
}

/// Type 5: number, name and the rest of what a ship says of itself.
fn named(vessel: &Vessel) -> Bits {
    let mut bits = Bits::of(5, vessel);
    bits.put(0, 2);
    bits.put(number(&vessel.imo()), 30);
    bits.text("HRN1", 7);
    bits.text(vessel.name, 20);
    bits.put(70, 8);
    bits.put(0, 9 + 9 + 6 + 6 + 4 + 20 + 8);
    bits.text("", 20);
    bits.put(0, 2);
    bits
}

/// Type 1: a position.
fn placed(vessel: &Vessel, seen: &Seen) -> Bits {
    let mut bits = Bits::of(1, vessel);
    bits.put(i64::from(seen.status), 4);
    bits.put(-128, 8);
    bits.put(i64::from(seen.speed), 10);
    bits.put(0, 1);
    bits.put(i64::from(seen.longitude) * 600, 28);
    bits.put(i64::from(seen.latitude) * 600, 27);
    bits.put(3_600, 12);
    bits.put(511, 9);
    bits.put(60, 6);
    bits.put(0, 2 + 3 + 1 + 19);
    bits
}

fn write(text: &mut String, at: Timestamp, bits: &Bits) {
    let (letters, fill) = bits.armoured();
    let parts: Vec<&[u8]> = letters.chunks(LETTERS_MAX).collect();
    let count = parts.len();
    let sequence = if count > 1 { "4" } else { "" };
    for (index, part) in parts.iter().enumerate() {
        let fill = if index + 1 == count { fill } else { 0 };
        let letters = String::from_utf8_lossy(part);
        let body = format!("AIVDM,{count},{},{sequence},A,{letters},{fill}", index + 1);
        let tag = format!("c:{}", at.as_second());
        let _ = writeln!(
            text,
            "\\{tag}*{:02X}\\!{body}*{:02X}",
            sum(&tag),
            sum(&body)
        );
    }
}

fn sum(text: &str) -> u8 {
    text.bytes().fold(0, |sum, byte| sum ^ byte)
}

fn number(digits: &str) -> i64 {
    digits.parse().unwrap_or(0)
}

/// A message on its way into letters.
struct Bits(Vec<bool>);

impl Bits {
    fn of(kind: i64, vessel: &Vessel) -> Self {
        let mut bits = Self(Vec::new());
        bits.put(kind, 6);
        bits.put(0, 2);
        bits.put(number(&mmsi(vessel)), 30);
        bits
    }

    /// The lowest `width` bits of a number, the highest of them first.
    fn put(&mut self, value: i64, width: u32) {
        for bit in (0..width).rev() {
            self.0.push((value >> bit) & 1 == 1);
        }
    }

    /// Capitals, digits and spaces, filled up with `@`.
    fn text(&mut self, text: &str, letters: usize) {
        let padding = std::iter::repeat(b'@');
        for letter in text.bytes().chain(padding).take(letters) {
            self.put(i64::from(letter % 64), 6);
        }
    }

    /// In letters of six bits, and how many bits of the last are filling.
    fn armoured(&self) -> (Vec<u8>, usize) {
        let letters = self.0.chunks(6).map(|six| {
            let value = (0..6).fold(0_u8, |value, bit| {
                (value << 1) | u8::from(six.get(bit).copied().unwrap_or(false))
            });
            if value < 40 { value + 48 } else { value + 56 }
        });
        let fill = (6 - self.0.len() % 6) % 6;
        (letters.collect(), fill)
    }
}
