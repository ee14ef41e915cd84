//! Numbers of bills and bookings in a cell: none, one, or several.
//!
//! A report that names papers, and none of those that somebody follows, is not about what he follows. So a cell that is
//! taken for a number and is none hides its whole row: a list of two bills, the house bill behind the line's, or `TBN`.

/// Numbers of one cell that are read.
const NUMBERS_MAX: usize = 20;
/// Letters and digits of a number, at least and at most.
const NUMBER_LENGTH: std::ops::RangeInclusive<usize> = 4..=35;
/// What stands by itself and is as long is a number of its own; shorter ones may be groups of one.
const APART_LENGTH_MIN: usize = 8;

/// The papers of a cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Papers {
    pub(super) numbers: Vec<String>,
    /// What stands there and is no number.
    pub(super) odd: Vec<String>,
}

/// Reads a cell.
pub(super) fn papers(text: &str) -> Papers {
    let mut papers = Papers::default();
    let pieces = text.split([',', ';', '|', '&']).map(str::trim);
    for piece in pieces.filter(|piece| !piece.is_empty() && !is_none(piece)) {
        let piece = without_label(piece);
        let numbers = several(piece, '/', is_number)
            .or_else(|| several(piece, ' ', |part| is_number(part) && is_long(part)))
            .unwrap_or_else(|| vec![piece]);
        for number in numbers {
            let number = without_label(number);
            let bare = behind_joined_label(number);
            papers.take(number, bare);
        }
    }
    papers
}

impl Papers {
    /// Takes what may be a number, and what is left of it without the label it is joined to. Where that is long enough to be a number
    /// by itself, both are named, and whoever follows either sees the row. The rest of `BL-2026-001` is not: who names a number too
    /// many puts a box on another's bill, and all that is called so goes with it; who names one too few tells nothing.
    fn take(&mut self, number: &str, bare: Option<&str>) {
        let bare_number = bare.filter(|bare| is_number(bare) && is_long(bare));
        let is_one = is_number(number) && !is_dated(number) && !bare.is_some_and(is_dated);
        if is_one {
            put(&mut self.numbers, number);
            if let Some(bare) = bare_number {
                put(&mut self.numbers, bare);
            }
        } else {
            put(&mut self.odd, bare.unwrap_or(number));
        }
    }
}

fn put(told: &mut Vec<String>, one: &str) {
    let known = told.iter().any(|known| known == one);
    if !known && told.len() < NUMBERS_MAX {
        told.push(one.to_owned());
    }
}

/// The parts of a text, where there are several and each is a number by itself: a stroke and a blank stand in one, too. A word for
/// none beside a number is none.
fn several(text: &str, sign: char, is_one: impl Fn(&str) -> bool) -> Option<Vec<&str>> {
    let parts = text.split(sign).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let told = parts.iter().filter(|part| !is_none(part));
    let told: Vec<&str> = told.copied().collect();
    let is_list = parts.len() > 1 && !told.is_empty();
    (is_list && told.iter().all(|part| is_one(part))).then_some(told)
}

/// One number: letters and digits, set apart by dashes and dots, or in groups behind a code of letters. It has a digit.
fn is_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | '_');
    let has_digit = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    let mut groups = text.split_whitespace();
    let first = groups.next().unwrap_or_default();
    text.chars().all(|c| is_part(c) || c.is_whitespace())
        && NUMBER_LENGTH.contains(&length(text))
        && has_digit(text)
        && (has_digit(first) || length(first) <= CODE_LENGTH_MAX)
        && groups.all(has_digit)
}

/// What may stand before a number to say what it is. Joined to it by a dash or a stroke it may be the beginning of the number
/// instead (`BL-2026-001`), unless it has a stroke of its own.
const LABELS_OF_BILLS: [&str; 8] = ["MBL", "MB/L", "M/BL", "OBL", "OB/L", "BL", "B/L", "BOL"];
const LABELS: [&str; 5] = ["BKG", "BK", "BOOKING", "NO", ""];

/// A number without the words that say what it is: `MBL 204876543`, `B/L: 204876543`, `B/L NO.204876543`.
fn without_label(text: &str) -> &str {
    let mut rest = text;
    while let Some((word, behind)) = rest.split_once([' ', ':', '#', '.', '-']) {
        let upper = word.to_uppercase();
        let of_bill = LABELS_OF_BILLS.contains(&upper.as_str());
        let is_dashed = rest
            .get(word.len()..)
            .is_some_and(|end| end.starts_with('-'));
        let is_label = if is_dashed {
            of_bill && word.contains('/')
        } else {
            of_bill || LABELS.contains(&upper.as_str())
        };
        let behind = behind.trim_start_matches([' ', ':', '#', '.', '-']);
        if !is_label || behind.is_empty() {
            break;
        }
        rest = behind;
    }
    rest
}

/// What stands behind a label of bills that is joined to it: the number without it, where it is no part of the number.
fn behind_joined_label(text: &str) -> Option<&str> {
    let (word, behind) = text.split_once(['-', '/'])?;
    let is_label = LABELS_OF_BILLS.contains(&word.to_uppercase().as_str());
    (is_label && !behind.is_empty()).then_some(behind)
}

/// Whether it is a date, be it behind a word: `RCVD 11/20/2026`, `TLX 11/20`.
fn is_dated(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let parts = last.split(['/', '-', '.']);
    let parts: Option<Vec<u16>> = parts.map(|part| part.parse().ok()).collect();
    let is_year = |part: u16| part < 100 || (1900..2100).contains(&part);
    let is_day = |one: u16, other: u16| {
        let (month, day) = (one.min(other), one.max(other));
        (1..=12).contains(&month) && day <= 31
    };
    match parts.as_deref() {
        Some([one, other]) => last.len() <= DAY_LENGTH_MAX && is_day(*one, *other),
        Some([first, second, third]) => {
            last.len() <= DATE_LENGTH_MAX
                && ((is_day(*first, *second) && is_year(*third))
                    || (is_day(*second, *third) && is_year(*first)))
        }
        _ => false,
    }
}

/// `11/20`, `11/20/2026`.
const DAY_LENGTH_MAX: usize = 5;
const DATE_LENGTH_MAX: usize = 10;

/// A line's code before its number: `MAEU 204 876 543`.
const CODE_LENGTH_MAX: usize = 4;

fn is_long(text: &str) -> bool {
    length(text) >= APART_LENGTH_MIN
}

fn length(text: &str) -> usize {
    text.chars().filter(char::is_ascii_alphanumeric).count()
}

/// What people write where a number is still to come.
fn is_none(text: &str) -> bool {
    matches!(
        text.to_uppercase().as_str(),
        "TBN"
            | "TBA"
            | "TBD"
            | "TBC"
            | "NA"
            | "N/A"
            | "NONE"
            | "NIL"
            | "NO"
            | "NULL"
            | "PENDING"
            | "UNKNOWN"
            | "0"
            | "-"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_names_none_one_or_several() {
        for (text, numbers, odd) in [
            ("QSDU204876543", &["QSDU204876543"][..], &[][..]),
            (
                "QSDU204876543, QSDU204876544",
                &["QSDU204876543", "QSDU204876544"],
                &[],
            ),
            (
                "QSDU204876543; QSDU204876544",
                &["QSDU204876543", "QSDU204876544"],
                &[],
            ),
            (
                "QSDU204876543 QSDU204876544",
                &["QSDU204876543", "QSDU204876544"],
                &[],
            ),
            ("204876543/HBL1", &["204876543", "HBL1"], &[]),
            ("204876543 / TBA", &["204876543"], &[]),
            ("204876543 & 204876544", &["204876543", "204876544"], &[]),
            ("204876543, 204876543", &["204876543"], &[]),
            // One number all the same.
            ("QSDU 204 876 543", &["QSDU 204 876 543"], &[]),
            ("AB/12/2026", &["AB/12/2026"], &[]),
            ("HLCU-SHA-2604", &["HLCU-SHA-2604"], &[]),
            // None.
            ("TBN", &[], &[]),
            ("tba", &[], &[]),
            ("N/A", &[], &[]),
            ("N/A, TBD", &[], &[]),
            ("0", &[], &[]),
            // No number.
            ("see clerk", &[], &["see clerk"]),
            ("telex", &[], &["telex"]),
            ("204876543, telex", &["204876543"], &["telex"]),
            ("released on 3/14", &[], &["released on 3/14"]),
            ("RCVD 11/20/2026", &[], &["RCVD 11/20/2026"]),
            ("TLX 11/20", &[], &["TLX 11/20"]),
            ("2026-11-20", &[], &["2026-11-20"]),
            ("TBA 12/01", &[], &["TBA 12/01"]),
            // What says what it is.
            ("MBL 204876543", &["204876543"], &[]),
            ("B/L: 204876543", &["204876543"], &[]),
            ("Booking #QSD4711", &["QSD4711"], &[]),
            ("BL No. 204 876 543", &["204 876 543"], &[]),
            (
                "BL 204876543 / BL 204876544",
                &["204876543", "204876544"],
                &[],
            ),
            ("B/L NO.204876543", &["204876543"], &[]),
            ("B/L-204876543", &["204876543"], &[]),
            ("B/L 204876543/204876544", &["204876543", "204876544"], &[]),
            ("MBL 204876543 204876544", &["204876543", "204876544"], &[]),
            ("BK-4711", &["BK-4711"], &[]),
            // A label that is joined to its number may be the beginning of it.
            ("BL-2026-001", &["BL-2026-001"], &[]),
            ("MBL-204876543", &["MBL-204876543", "204876543"], &[]),
            ("BL/204876543", &["BL/204876543", "204876543"], &[]),
            ("OBL 1/2", &[], &["1/2"]),
            ("BL-001", &["BL-001"], &[]),
            (
                "BL-20260001 / BL-20260002",
                &["BL-20260001", "20260001", "BL-20260002", "20260002"],
                &[],
            ),
            (
                "BOL-204876543/204876544",
                &["BOL-204876543", "204876543", "204876544"],
                &[],
            ),
            ("MBL - 204876543", &["204876543"], &[]),
            ("MBL: BL-2026-001", &["BL-2026-001"], &[]),
            ("BL-2026-11-20", &[], &["2026-11-20"]),
            ("BL-TBN", &[], &["TBN"]),
            ("4711/26", &["4711/26"], &[]),
            ("204-876-543", &["204-876-543"], &[]),
        ] {
            let read = papers(text);
            assert_eq!(read.numbers, numbers, "{text}");
            assert_eq!(read.odd, odd, "{text}");
        }
    }
}
