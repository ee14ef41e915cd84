//! The numbers that a message names: bills, bookings, seals, boxes.

use domain::codes::{ContainerNumber, Scac};
use domain::report::References;
use edi::Segment;

use super::edifact_group::is_seal;

/// How many numbers of one kind are kept.
const NUMBERS_OF_A_KIND_MAX: usize = 50;

/// Everything that stands in N9, L11 or RFF.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    pub(super) references: References,
    /// The box, where only a reference names it.
    pub(super) box_number: Option<String>,
    pub(super) seals: Vec<String>,
    pub(super) vessel_name: Option<String>,
    /// Everything that may say what kind of hold is meant.
    pub(super) words: String,
    /// Free text alone, for the one hold that it names: the number of a reference, or a railroad's name, is no word about it.
    pub(super) text: String,
}

impl Numbers {
    /// A reference of X12: what kind it is, the number, free text.
    pub(super) fn note(&mut self, kind: &str, number: &str, text: &str) {
        // Beside a number stands whose it is: a forwarder's name is no word about a hold.
        if !NUMBERED.contains(&kind) {
            say(&mut self.words, text);
        }
        if !NUMBERED.contains(&kind) && !CARRIERS.contains(&kind) {
            say(&mut self.text, text);
        }
        if number.is_empty() {
            return;
        }
        let others = &mut self.references.others;
        match kind {
            "BM" | "MB" => keep(&mut self.references.bills, number),
            "BN" => keep(&mut self.references.bookings, number),
            "EQ" | "2I" if is_box(number) => {
                self.box_number.get_or_insert_with(|| number.to_owned());
            }
            "SCA" => self.references.scac = Scac::parse(number).ok().or(self.references.scac),
            // Some senders write the box where others write the seal.
            "SE" | "SN" if is_box(number) => {
                self.box_number.get_or_insert_with(|| number.to_owned());
            }
            "SE" | "SN" if is_seal(number) => keep(&mut self.seals, number),
            "WU" => {
                self.vessel_name.get_or_insert_with(|| number.to_owned());
            }
            "HB" | "IB" | "4F" | "CO" | "CR" | "PO" | "SI" | "FN" | "CT" | "WY" | "ON" | "AAU" => {
                keep(others, number);
            }
            "ZZ" | "RR" | "MCI" => say(&mut self.words, number),
            _ => {}
        }
    }

    /// All of a record.
    pub(super) fn of<'s>(segments: impl IntoIterator<Item = &'s Segment<'s>>) -> Self {
        let mut numbers = Self::default();
        for segment in segments {
            numbers.segment(segment);
        }
        numbers
    }

    /// An N9 or L11 (which has the number first).
    pub(super) fn segment(&mut self, segment: &Segment<'_>) {
        match segment.tag() {
            "N9" => self.note(&segment.text(1), &segment.text(2), &segment.text(3)),
            "L11" => self.note(&segment.text(2), &segment.text(1), &segment.text(3)),
            "K1" => [1, 2].into_iter().for_each(|element| {
                say(&mut self.words, &segment.text(element));
                say(&mut self.text, &segment.text(element));
            }),
            _ => {}
        }
    }

    /// An RFF.
    pub(super) fn edifact(&mut self, segment: &Segment<'_>) {
        let (kind, number) = (segment.component(1, 1), segment.component(1, 2));
        match kind.as_ref() {
            "AAQ" => self.note("EQ", &number, ""),
            "BM" | "MB" => self.note("BM", &number, ""),
            "BN" | "BKG" => self.note("BN", &number, ""),
            "EQ" | "SN" => self.note(&kind, &number, ""),
            "CR" | "ON" | "AAU" | "FF" | "SI" => self.note("CR", &number, ""),
            _ => {}
        }
    }
}

/// Kinds of reference whose text is a name.
const NUMBERED: &[&str] = &[
    "BM", "MB", "BN", "EQ", "2I", "SCA", "SE", "SN", "WU", "HB", "IB", "4F", "CO", "CR", "PO",
    "SI", "FN", "CT", "WY", "ON", "AAU",
];
/// Kinds of reference that name a railroad or a trucker.
const CARRIERS: &[&str] = &["RR", "MCI"];
/// Bytes of free text that are kept.
const TEXT_BYTES_MAX: usize = 500;

fn say(words: &mut String, text: &str) {
    if !text.is_empty() && words.len() < TEXT_BYTES_MAX {
        words.push_str(text);
        words.push(' ');
    }
}

fn keep(list: &mut Vec<String>, number: &str) {
    if list.len() < NUMBERS_OF_A_KIND_MAX && !list.iter().any(|known| known == number) {
        list.push(number.to_owned());
    }
}

pub(super) fn is_box(number: &str) -> bool {
    ContainerNumber::from_feed(number).is_ok() && !is_gear(number) && !is_nobodys(number)
}

/// Digits before the check digit.
const SERIAL_DIGITS: usize = 6;
/// Owners that X12 names where nobody knows one: of a container, of a trailer, and of either.
const NO_OWNERS: &[&str] = &["NONE", "NONU", "NONZ"];

/// Whether the owner is told to be unknown.
pub(super) fn has_no_owner(number: &str) -> bool {
    owner(number).is_some_and(|owner| NO_OWNERS.iter().any(|no| no.eq_ignore_ascii_case(owner)))
}

/// Whether it only fills the place of a number that nobody knew, as it is written: an owner that says so, or nothing but zeros. With
/// the check digit of that it is some owner's first box.
pub(super) fn is_nobodys(number: &str) -> bool {
    let digits = number.trim_start().get(4..).unwrap_or_default().bytes();
    let digits: Vec<u8> = digits.filter(u8::is_ascii_digit).collect();
    let (serial, check) = digits.split_at(digits.len().min(SERIAL_DIGITS));
    let is_zero =
        owner(number).is_some() && !serial.is_empty() && serial.iter().all(|b| *b == b'0');
    let is_checked = || {
        let read = ContainerNumber::from_feed(number);
        !check.is_empty() && read.is_ok_and(|(_, fits)| fits)
    };
    has_no_owner(number) || (is_zero && !is_checked())
}

/// A box by its number, however that is written.
pub(super) fn key(number: &str) -> String {
    let read = ContainerNumber::from_feed(number);
    read.map_or_else(|_| number.to_owned(), |(number, _)| number.to_string())
}

/// A box by its number without the check digit, which not everybody writes and some write wrong.
pub(super) fn serial_of(number: &str) -> String {
    let mut serial = key(number);
    if is_box(number) {
        serial.truncate(10);
    }
    serial
}

/// Whether the fourth letter of the owner says that it is no box but what goes with one: a chassis or trailer (Z), a set that cools
/// (J).
pub(super) fn is_gear(number: &str) -> bool {
    owner(number).is_some_and(|owner| owner.ends_with(['J', 'j', 'Z', 'z']))
}

/// Whether the fourth letter of the owner says that it is a container.
pub(super) fn is_of_containers(number: &str) -> bool {
    owner(number).is_some_and(|owner| owner.ends_with(['U', 'u']))
}

/// The four letters at its beginning.
fn owner(number: &str) -> Option<&str> {
    let owner = number.trim_start().get(..4)?;
    let is_owner = owner.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_owner.then_some(owner)
}

/// Whether a number means a box, be it one that can be read or not: the owner of a container has three letters and a U. What is
/// said of one that cannot be read is said of no other.
pub(super) fn means_box(number: &str) -> bool {
    is_box(number) || is_of_containers(number)
}
