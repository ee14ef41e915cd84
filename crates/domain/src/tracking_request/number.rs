//! Numbers of bills and bookings, as people write them and as their lines are asked for them.
//!
//! People type a number as it stands in a mail: in groups, with dashes, in small letters, with what a browser put beside it.
//! The lines know it in capital letters and digits and find nothing else. So what only sets groups apart is left out, and
//! what stands in no such number is refused while somebody is there to mend it.

use super::NumberKind;
use crate::codes::ContainerNumber;

/// Why a text is no number of a bill or a booking.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPaperNumber {
    /// It has neither letters nor digits.
    #[error("holds neither letters nor digits")]
    Empty,
    /// It holds a character that no line writes.
    #[error("holds {0:?}; numbers of bills and bookings are letters A to Z and digits")]
    Foreign(char),
}

/// The number as its line is asked for it.
///
/// Of a bill or a booking: capital letters, without spaces, dashes and what cannot be seen. Other signs of ASCII stand, a line
/// may write them.
pub fn asked(text: &str) -> Result<String, InvalidPaperNumber> {
    let seen = text.chars().filter(|c| !sets_apart(*c));
    let number: String = seen.map(|c| c.to_ascii_uppercase()).collect();
    if let Some(foreign) = number.chars().find(|c| !c.is_ascii_graphic()) {
        return Err(InvalidPaperNumber::Foreign(foreign));
    }
    if !number.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Err(InvalidPaperNumber::Empty);
    }
    Ok(number)
}

/// The same of a number that was taken in before: what cannot be asked in this form is asked as it was written.
pub fn asked_of(kind: NumberKind, number: &str) -> String {
    let asked = match kind {
        NumberKind::Container => ContainerNumber::parse(number).ok().map(|n| n.to_string()),
        NumberKind::BillOfLading | NumberKind::Booking => asked(number).ok(),
    };
    asked.unwrap_or_else(|| number.to_owned())
}

/// Spaces, dashes, and characters without a form of their own (Unicode's general category Cf, as far as keyboards, browsers
/// and word processors put them into texts).
fn sets_apart(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '-' | '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2010}'..='\u{2015}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{2069}'
                | '\u{2212}'
                | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_asked_for_as_lines_write_it() {
        for (written, number) in [
            ("HLCU0500", "HLCU0500"),
            ("hlcu 0500", "HLCU0500"),
            (" HLCU-05\u{2013}00 ", "HLCU0500"),
            ("abc\u{200b}778\u{feff}", "ABC778"),
            ("a/b.1", "A/B.1"),
        ] {
            assert_eq!(asked(written).unwrap(), number, "{written:?}");
        }
    }

    #[test]
    fn what_no_line_writes_is_refused() {
        for (written, why) in [
            ("\u{2116}55501", InvalidPaperNumber::Foreign('\u{2116}')),
            ("５５０", InvalidPaperNumber::Foreign('５')),
            ("a\u{7}b", InvalidPaperNumber::Foreign('\u{7}')),
            ("---", InvalidPaperNumber::Empty),
            (" / ", InvalidPaperNumber::Empty),
        ] {
            assert_eq!(asked(written), Err(why), "{written:?}");
        }
    }
}
