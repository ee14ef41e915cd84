//! Sentences as radios send them, made from what they say.

use super::FIVE;

/// Moored, in the words of AIS.
pub const MOORED: i64 = 5;
/// Under way.
pub const UNDER_WAY: i64 = 0;

/// A message of type 1.
#[derive(Clone, Copy)]
pub struct Position {
    pub mmsi: u32,
    pub place: (f64, f64),
    pub knots: f64,
    pub status: i64,
    pub course: i64,
    pub heading: i64,
}

impl Position {
    pub fn moored(mmsi: u32, place: (f64, f64)) -> Self {
        Self {
            mmsi,
            place,
            knots: 0.0,
            status: MOORED,
            course: 90,
            heading: 511,
        }
    }

    pub fn sails(mmsi: u32, place: (f64, f64), knots: f64) -> Self {
        Self {
            knots,
            status: UNDER_WAY,
            ..Self::moored(mmsi, place)
        }
    }

    pub fn line(self) -> String {
        let bits = [
            (1, 6),
            (0, 2),
            (self.mmsi.into(), 30),
            (self.status, 4),
            (-128, 8),
            (tenths(self.knots), 10),
            (0, 1),
            (scaled(self.place.1), 28),
            (scaled(self.place.0), 27),
            (self.course * 10, 12),
            (self.heading, 9),
            (60, 6),
            (0, 25),
        ];
        let (letters, fill) = armoured(&bits);
        sentence(&format!("AIVDM,1,1,,A,{letters},{fill}"))
    }

    /// Behind a tag block with its time.
    pub fn at(self, second: i64) -> String {
        format!("{}{}\n", tag(&format!("c:{}", FIVE + second)), self.line())
    }
}

/// The two sentences of a message of type 5, with this sequence.
pub fn told(mmsi: u32, imo: u32, sequence: &str) -> [String; 2] {
    let mut bits = vec![(5, 6), (0, 2), (mmsi.into(), 30), (0, 2), (imo.into(), 30)];
    bits.extend([(0, 32), (0, 10)]);
    bits.extend([(0, 6); 20]);
    bits.extend([
        (70, 8),
        (0, 32),
        (0, 30),
        (0, 32),
        (0, 32),
        (0, 32),
        (0, 26),
    ]);
    let (letters, fill) = armoured(&bits);
    let (first, second) = letters.split_at(59);
    [
        sentence(&format!("AIVDM,2,1,{sequence},A,{first},0")),
        sentence(&format!("AIVDM,2,2,{sequence},A,{second},{fill}")),
    ]
}

/// The same, each behind a tag block with its time.
pub fn told_at(mmsi: u32, imo: u32, second: i64) -> String {
    let each = told(mmsi, imo, "3");
    let tag = tag(&format!("c:{}", FIVE + second));
    each.map(|line| format!("{tag}{line}\n")).concat()
}

pub fn tag(fields: &str) -> String {
    format!("\\{fields}*{:02X}\\", sum(fields))
}

fn sentence(body: &str) -> String {
    format!("!{body}*{:02X}", sum(body))
}

fn sum(text: &str) -> u8 {
    text.bytes().fold(0, |sum, byte| sum ^ byte)
}

fn armoured(fields: &[(i64, u32)]) -> (String, usize) {
    let bits = fields
        .iter()
        .flat_map(|(value, length)| (0..*length).rev().map(move |bit| (value >> bit) & 1 == 1));
    let bits: Vec<bool> = bits.collect();
    let letters = bits.chunks(6).map(|six| {
        let value = (0..6).fold(0_u8, |sum, bit| {
            (sum << 1) | u8::from(six.get(bit).copied().unwrap_or(false))
        });
        char::from(if value < 40 { value + 48 } else { value + 56 })
    });
    (letters.collect(), (6 - bits.len() % 6) % 6)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "degrees in parts of a minute"
)]
fn scaled(degrees: f64) -> i64 {
    (degrees * 600_000.0).round() as i64
}

#[expect(clippy::cast_possible_truncation, reason = "knots in tenths")]
fn tenths(knots: f64) -> i64 {
    (knots * 10.0).round() as i64
}
