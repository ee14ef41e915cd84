//! Numbers of boxes as terminals and railroads write them.

use domain::codes::ContainerNumber;

/// Digits of a serial number without its check digit.
const SERIAL_DIGITS: usize = 6;

/// The box that a text means, and whether its check digit fits. Railroads leave the check digit out, and either
/// fill the number with zeros or take them away; `Err` says what is wrong with it.
pub(crate) fn equipment(text: &str) -> Result<(ContainerNumber, bool), String> {
    if let Ok(found) = ContainerNumber::from_feed(text) {
        return Ok(found);
    }
    let is_gap = |c: char| c.is_whitespace() || c == '-';
    let compact = text.trim_matches(is_gap);
    // A check digit that stands apart completes what is whole without it.
    let apart = compact
        .rsplit_once(is_gap)
        .map(|(rest, check)| (rest.trim_end_matches(is_gap), check));
    let is_whole =
        |rest: &str| rest.bytes().rev().take_while(u8::is_ascii_digit).count() >= SERIAL_DIGITS;
    let joined = apart.filter(|(rest, check)| check.len() == 1 && is_whole(rest));
    let joined = joined.map(|(rest, check)| format!("{rest}{check}"));
    let compact = joined.as_deref().unwrap_or(compact);
    let letters = compact.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (initial, number) = compact.split_at(letters);
    // Between the digits a gap may stand for one that is lost.
    let number = number.trim_start_matches(is_gap);
    let serial = number.trim_start_matches('0');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let padded = if serial.len() <= SERIAL_DIGITS {
        format!("{initial}{serial:0>SERIAL_DIGITS$}")
    } else {
        format!("{initial}{serial}")
    };
    let told = if is_number { padded.as_str() } else { text };
    ContainerNumber::from_feed(told).map_err(|error| error.to_string())
}

/// The box that a terminal means. It writes numbers whole, so one that is too short was cut or mistyped, and filled with zeros
/// it would be another box.
pub(super) fn written_whole(text: &str) -> Result<(ContainerNumber, bool), String> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if (1..SERIAL_DIGITS).contains(&digits) {
        return Err(format!(
            "{text:?} has {digits} digits; a number has {SERIAL_DIGITS}, and one that tells whether they are right"
        ));
    }
    equipment(text)
}

/// A number whose parts stand in columns of their own. A serial that lost its zeros to a spreadsheet has them again before a check
/// digit in the last column: joined as they are, the check digit would be the serial's last digit, and another one be computed.
pub(crate) fn joined(parts: &[String]) -> String {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let [before @ .., check] = parts {
        let (before, check) = (before.concat(), check.trim());
        let letters = before.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (initial, serial) = before.split_at(letters);
        let serial = serial.trim_matches(|c: char| c.is_whitespace() || c == '-');
        let is_serial = (1..=SERIAL_DIGITS).contains(&serial.len()) && is_digits(serial);
        if is_serial && check.len() == 1 && is_digits(check) {
            return format!("{initial}{serial:0>SERIAL_DIGITS$}{check}");
        }
    }
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_has_its_zeros_before_a_check_digit_of_its_own_column() {
        let read = |parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            equipment(&joined(&parts)).map(|(number, fits)| (number.to_string(), fits))
        };
        let (number, computed) = ContainerNumber::from_feed("QSDU020001").unwrap();
        assert!(computed);
        let check = number.to_string().pop().unwrap().to_string();
        let whole = Ok((number.to_string(), true));
        for parts in [
            &["QSDU", "020001", &check][..],
            &["QSDU", "20001", &check],
            &["QSDU", " 20001 ", &check],
            &["QSDU", "20001"],
            &["QSDU020001", &check],
            &["QSDU20001", &check],
            &["QSDU 20001", &check],
        ] {
            assert_eq!(read(parts), whole, "{parts:?}");
        }
        let mistyped = if check == "7" { "8" } else { "7" };
        assert!(!read(&["QSDU", "20001", mistyped]).unwrap().1);
    }

    #[test]
    fn a_terminals_number_is_not_filled_with_zeros() {
        for text in ["QSDU1000014", "QSDU 100001", "QSDU0000100001"] {
            let (number, _) = written_whole(text).unwrap();
            assert_eq!(number.to_string(), "QSDU1000014", "{text}");
        }
        assert_eq!(
            written_whole("QSDU10000").unwrap_err(),
            "\"QSDU10000\" has 5 digits; a number has 6, and one that tells whether they are right"
        );
        for text in ["QSDU42", "QSDU", "QSDU 1 00 00"] {
            written_whole(text).unwrap_err();
        }
    }

    #[test]
    fn zeros_and_check_digits_come_and_go() {
        let read = |text: &str| equipment(text).map(|(number, fits)| (number.to_string(), fits));
        let whole = ("QSDU1000014".to_owned(), true);
        for text in [
            "QSDU1000014",
            "QSDU100001",
            "qsdu 100001",
            "QSDU0000100001",
            "QSDU-1000014",
            " QSDU - 100001 ",
            "QSDU 100001 4",
            "QSDU 100001\u{a0}4",
            "QSDU0000100001-4",
        ] {
            assert_eq!(read(text).unwrap(), whole, "{text}");
        }
        let small = read("QSDU42").unwrap().0;
        assert!(small.starts_with("QSDU000042"), "{small}");
        assert!(!read("QSDU1000015").unwrap().1);
        for text in [
            "",
            "TTX 12",
            "12345678901",
            "QSDU",
            "QSDU12345678",
            "DTTX654321",
            "ééé1",
            "QSDU 10000 4",
            "QSDU10000-4",
            "QSDU1 42",
        ] {
            read(text).unwrap_err();
        }
    }
}
