//! Where a defect stands in every message of its kind: the column, member or segment without the number of its row.
//!
//! A terminal that writes its dates otherwise from today on makes a defect of each row, at a place of its own
//! (`line 17.Last Free Day`). To whoever looks after the source they are one: the column. So what is counted of a source is
//! counted by this place, in the words of the sender, who is asked about it.
//!
//! Much of what is read by lines has no names, and a damaged file has none either. What is wrong is said instead there, without
//! its numbers: of one cause, one.

use crate::table::is_month;

/// The longest general place in letters; what is longer is cut.
const GENERAL_PLACE_CHARS_MAX: usize = 80;
/// The longest reason in letters.
const REASON_CHARS_MAX: usize = 200;

/// A number this long may be that of a box or a paper. Dates and times have signs between theirs.
const HIDDEN_DIGITS_MIN: usize = 5;

/// The general form of a defect's place: `Last Free Day` of `line 17.Last Free Day`, `events[].at` of `[3].events[0].at`,
/// `DTM` of `segment 14 DTM (line 1 column 305)`. Where the place has no name it is made of the reason.
pub fn general_place(place: &str, reason: &str) -> String {
    let name = name_in(place);
    let general = if name.trim().is_empty() {
        with_numbers(reason, |_| "#".to_owned())
    } else {
        // Members may be called after boxes.
        with_numbers(name.trim(), hidden)
    };
    plain(&general, GENERAL_PLACE_CHARS_MAX)
}

/// A reason that all accounts may read. What stood in a cell is in it, for its form: numbers that may be those of boxes and
/// papers are hidden, also where signs set their groups apart. Only what has the form of a date or a time is shown then.
pub fn reason_for_all(reason: &str) -> String {
    let mut digits_before = 0;
    let words = reason.split(' ').map(|word| {
        let letters = word.chars().filter(char::is_ascii_alphabetic).count();
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let is_time = is_date_or_time(word);
        // `204 876 543` is one number.
        let is_group = digits > 0 && letters == 0 && !is_time && !is_decimal(word);
        digits_before = if is_group { digits_before + digits } else { 0 };
        let mixed = letters > 0 && digits > 1 && letters + digits >= MIXED_MIN;
        if mixed && !is_time || digits_before >= HIDDEN_DIGITS_MIN {
            let is_shown = |letter: char| !letter.is_alphanumeric();
            let hidden = word.chars().map(|c| if is_shown(c) { c } else { '#' });
            hidden.collect()
        } else {
            with_numbers(word, hidden)
        }
    });
    plain(&words.collect::<Vec<String>>().join(" "), REASON_CHARS_MAX)
}

/// Whether a word has the form of a date, a time of the day, or both: numbers of two digits and at most one year, set apart
/// by signs, and no letters but those of months and clocks. `204-876-543` has not.
fn is_date_or_time(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_sign = |c: char| matches!(c, '-' | '/' | ':' | '.' | '+' | '~');
    let is_clock = word.contains(':');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let mut letters = word.split(|c: char| !c.is_ascii_alphabetic());
    let are_letters_fine = letters.all(|one| {
        let upper = one.to_uppercase();
        upper.is_empty() || matches!(upper.as_str(), "T" | "Z" | "AM" | "PM") || is_month(&upper)
    });
    let is_timed = is_clock || word.contains(['T', 't']);
    let mut numbers = word.split(|c: char| !c.is_ascii_digit());
    let are_numbers_fine = numbers.all(|number| match number.len() {
        0..=2 => true,
        // The thousandths of a second.
        3 => is_clock && word.contains(&format!(".{number}")),
        4 => is_year(number) || is_hour_and_minute(number),
        _ => false,
    });
    let is_apart = word.contains(['-', '/', ':', '.']);
    let digits_max = if is_timed {
        CLOCK_DIGITS_MAX
    } else {
        DAY_DIGITS_MAX
    };
    is_apart
        && digits <= digits_max
        && are_letters_fine
        && are_numbers_fine
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || is_sign(c))
}

/// The digits of `2026-11-28`.
const DAY_DIGITS_MAX: usize = 8;
/// Those of `2026-11-28T07:00:00.000-08:00`.
const CLOCK_DIGITS_MAX: usize = 21;

fn is_year(number: &str) -> bool {
    matches!(number.parse(), Ok(1900..=2099_u16))
}

fn is_hour_and_minute(number: &str) -> bool {
    matches!(number.parse::<u16>(), Ok(clock) if clock <= 2400 && clock % 100 < 60)
}

/// Whether a word is a number with a point, such as a sum or a mass.
fn is_decimal(word: &str) -> bool {
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).count();
    word.split_once('.').is_some_and(|(whole, behind)| {
        digits(whole) < HIDDEN_DIGITS_MIN
            && (1..=3).contains(&digits(behind))
            && !word.contains(['-', '/', ':'])
            && !behind.contains('.')
    })
}

/// Letters and digits together as long as this may be the number of a paper.
const MIXED_MIN: usize = 7;

fn hidden(number: &str) -> String {
    match number.len() {
        HIDDEN_DIGITS_MIN.. => "#".repeat(number.len()),
        _ => number.to_owned(),
    }
}

/// What can be stored of a text, up to so many letters.
fn plain(text: &str, chars_max: usize) -> String {
    let plain = text.chars().filter(|letter| !letter.is_control());
    plain.take(chars_max).collect()
}

/// What of a place the sender calls so; empty where it is a number.
fn name_in(place: &str) -> String {
    if let Some(behind) = place.strip_prefix("segment ") {
        let behind = behind_number(behind).unwrap_or(behind);
        let tag = behind.split(" (line ").next();
        return tag.unwrap_or_default().to_owned();
    }
    if let Some(behind) = place.strip_prefix("byte ").and_then(behind_number) {
        return behind.to_owned();
    }
    let line = place.strip_prefix("line ").and_then(behind_number);
    match line.or_else(|| behind_row(place)) {
        // What is called `column` stands behind a point.
        Some(behind) if behind.starts_with(" column ") => String::new(),
        Some(behind) => behind.strip_prefix('.').unwrap_or(behind).to_owned(),
        None => without_indices(place),
    }
}

fn behind_number(text: &str) -> Option<&str> {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (behind.len() < text.len()).then_some(behind)
}

/// What stands behind the row of a sheet: `April row 12.Ready`. A sheet may be called anything, also by the day.
fn behind_row(place: &str) -> Option<&str> {
    let mut rows = place.match_indices(" row ");
    rows.find_map(|(at, found)| {
        let behind = behind_number(place.get(at + found.len()..)?)?;
        (behind.is_empty() || behind.starts_with('.')).then_some(behind)
    })
}

/// A path without the numbers of its elements. The list that a message is has no name: `[3].code` is `code`.
fn without_indices(path: &str) -> String {
    let mut general = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('[') {
        general.push_str(before);
        match behind_number(behind).and_then(|behind| behind.strip_prefix(']')) {
            Some(behind) if general.is_empty() => {
                rest = behind.strip_prefix('.').unwrap_or(behind);
            }
            Some(behind) => {
                general.push_str("[]");
                rest = behind;
            }
            None => {
                general.push('[');
                rest = behind;
            }
        }
    }
    general.push_str(rest);
    general
}

/// A text with something in place of each number.
fn with_numbers(text: &str, instead: impl Fn(&str) -> String) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let behind = behind_number(number).unwrap_or_default();
        said.push_str(before);
        said.push_str(&instead(number.strip_suffix(behind).unwrap_or(number)));
        rest = behind;
    }
    said.push_str(rest);
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_of_a_column_are_one_place() {
        for (place, general) in [
            ("line 17.Last Free Day", "Last Free Day"),
            ("line 1204.#3", "#3"),
            ("line 2.Row [2] no. 4", "Row [2] no. 4"),
            ("line 2.Line 2", "Line 2"),
            ("Yard row 17.Last Free Day", "Last Free Day"),
            ("2026-11-28.v2 row 3 row 17.Ready", "Ready"),
            ("[3].eventDateTime", "eventDateTime"),
            ("[3].pickup.ready", "pickup.ready"),
            ("[0][12].eventID", "eventID"),
            ("events[3].eventDateTime", "events[].eventDateTime"),
            ("data.units[7].moves[0].at", "data.units[].moves[].at"),
            ("[3].events[2].at", "events[].at"),
            ("data.units[]", "data.units[]"),
            ("units.QSDU1000014.ready", "units.QSDU#######.ready"),
            ("segment 14 DTM (line 1 column 305)", "DTM"),
            ("line 4.check_digit", "check_digit"),
            ("April", "April"),
            ("the end", "the end"),
            ("line 9.Free\0 until\u{1b}", "Free until"),
        ] {
            assert_eq!(general_place(place, "it is broken"), general, "{place}");
        }
    }

    #[test]
    fn what_has_no_name_is_called_by_what_is_wrong() {
        let columns = "a sighting has 20 to 120 columns, this has 12";
        let general = "a sighting has # to # columns, this has #";
        for place in [
            "line 4",
            "line 4 column 17",
            "Yard row 4",
            "[3]",
            "[3][0]",
            "byte 117",
            "segment 3 (line 1 column 8)",
            "segment 3  (line 1 column 8)",
            "",
        ] {
            assert_eq!(general_place(place, columns), general, "{place}");
        }
    }

    #[test]
    fn a_general_place_is_as_long_as_one_can_be_whatever_is_sent() {
        let long = "é".repeat(3 * GENERAL_PLACE_CHARS_MAX);
        for place in [format!("line 3.{long}"), String::new()] {
            let general = general_place(&place, &long);
            assert_eq!(general.chars().count(), GENERAL_PLACE_CHARS_MAX);
        }
        let reason = reason_for_all(&"é".repeat(3 * REASON_CHARS_MAX));
        assert_eq!(reason.chars().count(), REASON_CHARS_MAX);
    }

    #[test]
    fn the_form_of_a_cell_is_told_to_all_and_no_number_of_a_box() {
        for (reason, told) in [
            ("\"13.12.2026\" is no date", "\"13.12.2026\" is no date"),
            (
                "\"28-NOV-26 0700\" is no time",
                "\"28-NOV-26 0700\" is no time",
            ),
            ("\"20261213\" is no date", "\"########\" is no date"),
            ("not \"TCLU12345\"", "not \"#########\""),
            ("\"HLCUSHA2604ABCD1 telex\"", "\"################ telex\""),
            ("\"204 876 543 telex\"", "\"204 ### ### telex\""),
            ("\"7:00AM 3/14\" is none", "\"7:00AM 3/14\" is none"),
            // Signs make no paper's number a date.
            ("\"204-876-543 telex\"", "\"###-###-### telex\""),
            ("\"204-876 543 telex\"", "\"###-### ### telex\""),
            ("\"HLCU-SHA-2604\"", "\"####-###-####\""),
            ("\"QSD/20/4711:1\"", "\"###/##/####:#\""),
            ("\"4711/26/99\" is none", "\"####/##/##\" is none"),
            (
                "\"2026-11-28T07:00:00.000-08:00\"",
                "\"2026-11-28T07:00:00.000-08:00\"",
            ),
            ("\"28-Nov-2026\", 2026/11/28", "\"28-Nov-2026\", 2026/11/28"),
            ("\"2026-11-28T0700Z\"", "\"2026-11-28T0700Z\""),
            ("\"0700-0800\" 10:30:00PM", "\"0700-0800\" 10:30:00PM"),
            ("month-first, yes/no: UTF-8", "month-first, yes/no: UTF-8"),
        ] {
            assert_eq!(reason_for_all(reason), told);
        }
    }
}
