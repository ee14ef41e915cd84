//! Windows of appointments: `12/01/2026 0700-0800`, `11-30-2026 07:00~08:00`, `11/30/2026 1:00 - 2:00 PM`.
//!
//! A driver has to be there when the window opens, so that is the appointment. Only what is surely a time of the day stands
//! behind the dash. `2026-12-01 09:00-10:00` may be a time with an offset, too. Nobody writes an appointment on the clock of
//! another place, so where the second time is the later one it is a window; with a `T` before the time, or seconds in it, it is
//! none, and with an earlier second time other readers are asked first.

/// The opening of a window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// The date with the first time.
    pub(super) text: String,
    /// It opens at midnight, which stands for no time elsewhere.
    pub(super) at_midnight: bool,
    /// Whether it is no time with an offset.
    pub(super) is_sure: bool,
}

/// Between the times of a window.
const DASHES: [&str; 5] = ["-", "~", "–", " to ", " TO "];

/// Where a window opens; `None` where the text is none.
pub(super) fn opening(text: &str) -> Option<Opening> {
    let places = DASHES
        .iter()
        .filter_map(|dash| Some((text.rfind(dash)?, dash.len())));
    let (at, length) = places.max()?;
    let (head, tail) = (text.get(..at)?.trim_end(), text.get(at + length..)?.trim());
    let closes = face(tail)?;
    let opens = face(time_in(head)?)?;
    let text = match (opens.half, closes.half) {
        // The half of the day stands behind both times once. `11:00 - 1:00 PM` is not surely one.
        (None, Some(half)) if (1..=12).contains(&opens.hour) => {
            let is_in_one = opens.of_half_day() < closes.of_half_day();
            is_in_one.then(|| format!("{head} {half}"))?
        }
        _ => head.to_owned(),
    };
    let is_first = matches!(opens.half.or(closes.half), None | Some("AM"));
    Some(Opening {
        text,
        at_midnight: opens.minute == 0
            && (opens.hour == 0 || (opens.hour == 12 && is_first && closes.half.is_some())),
        is_sure: closes.half.is_some() || opens.of_day() < closes.of_day(),
    })
}

/// The time behind a date: its last word, with the half of the day.
fn time_in(text: &str) -> Option<&str> {
    let is_half = |word: &str| matches!(word.to_uppercase().as_str(), "AM" | "PM");
    let at = match text.rsplit_once(char::is_whitespace)? {
        (before, half) if is_half(half) => before.trim_end().rfind(char::is_whitespace)?,
        (before, _) => before.len(),
    };
    Some(text.get(at..)?.trim_start())
}

/// A time of the day and nothing else.
struct Face {
    hour: u32,
    minute: u32,
    half: Option<&'static str>,
}

impl Face {
    /// Minutes since midnight.
    fn of_day(&self) -> u32 {
        self.hour * 60 + self.minute
    }

    /// Minutes since noon or midnight.
    fn of_half_day(&self) -> u32 {
        self.hour % 12 * 60 + self.minute
    }
}

/// `0700`, `7:00`, `7:00 PM`, `7PM`.
fn face(text: &str) -> Option<Face> {
    let upper = text.to_uppercase();
    let end = upper.find(|c: char| !c.is_ascii_digit() && c != ':');
    let (clock, half) = upper.split_at(end.unwrap_or(upper.len()));
    let half = match half.trim() {
        "" => None,
        "AM" | "A.M." => Some("AM"),
        "PM" | "P.M." => Some("PM"),
        _ => return None,
    };
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, minute)) if minute.len() == 2 => (hour, minute),
        None if matches!(clock.len(), 3 | 4) => clock.split_at(clock.len() - 2),
        None if half.is_some() => (clock, "0"),
        _ => return None,
    };
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour <= 24 && minute < 60).then_some(Face { hour, minute, half })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_opens_at_its_first_time() {
        for (text, opens) in [
            ("12/01/2026 0700-0800", Some("12/01/2026 0700")),
            ("12/01/2026 07:00 - 08:00", Some("12/01/2026 07:00")),
            ("08-31-2021 14:00~15:00", Some("08-31-2021 14:00")),
            ("12/01/2026 7:00AM-8:00AM", Some("12/01/2026 7:00AM")),
            ("12/01/2026 7:00 AM - 8:00 AM", Some("12/01/2026 7:00 AM")),
            (
                "12/01/2026 11:00 AM to 1:00 PM",
                Some("12/01/2026 11:00 AM"),
            ),
            ("12/01/2026 1:00 - 2:00 PM", Some("12/01/2026 1:00 PM")),
            ("12/01/2026 12:00-1:00 PM", Some("12/01/2026 12:00 PM")),
            ("12/01/2026 2300-0000", Some("12/01/2026 2300")),
            ("30-NOV-26 0700-0800", Some("30-NOV-26 0700")),
            // Nobody knows in which half of the day.
            ("12/01/2026 11:00-1:00 PM", None),
            ("12/01/2026 0700-", None),
            ("12/01/2026 - 0800", None),
            ("12/01/2026 - 12/02/2026", None),
            ("12/01/2026 0700-0800 #5", None),
            ("12/01/2026 1st-2nd shift", None),
            ("12/01/2026", None),
            ("0700-0800", None),
            ("", None),
        ] {
            let found = opening(text).map(|opening| opening.text);
            assert_eq!(found.as_deref(), opens, "{text}");
        }
        let at_midnight = |text: &str| opening(text).unwrap().at_midnight;
        assert!(at_midnight("12/01/2026 0000-0100"));
        assert!(at_midnight("12/01/2026 12:00 AM - 1:00 AM"));
        assert!(!at_midnight("12/01/2026 12:00 - 13:00"));
        assert!(!at_midnight("12/01/2026 12:00 PM - 1:00 PM"));
        let is_sure = |text: &str| opening(text).is_some_and(|opening| opening.is_sure);
        assert!(is_sure("2026-12-01 09:00-10:00") && is_sure("2026-12-01 1:00 PM - 2:00 PM"));
        for offset in [
            "2026-12-01 09:00-08:00",
            "2026-12-01 09:00 -0800",
            "2026-12-01T07:00-08:00",
            "2026-12-01 07:00:00-08:00",
            "2026-12-01 23:00-00:00",
        ] {
            assert!(!is_sure(offset), "{offset}");
        }
    }
}
