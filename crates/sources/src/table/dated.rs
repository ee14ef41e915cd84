//! A date where a yes is asked for: `Customs Released: 11/25/2026`, `fee_paid_dttm`.
//!
//! It says that the thing was done, and when. Whoever is told so sends a truck, so it counts only where it is read whole and is
//! over: a day that is still to come is when the release is expected.

use domain::report::ZoneSource;
use jiff::SignedDuration;

use super::cell::Cell;
use super::claims::Claims;
use super::clock::Written;
use super::words;

/// What a date in such a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dated {
    /// None: the cell is empty, or holds what programs write that have no date (`0001-01-01`, `1900-01-01`).
    Never,
    /// It is over.
    Past,
    /// It is still to come.
    Ahead,
    /// It is over or still to come: nobody knows the zone.
    Unsure,
    /// It is no date, none of these years, or there is more beside it.
    Unread,
}

/// Before it stand only dates that programs write where there is none.
const FIRST_YEAR: i16 = 2000;
/// No box that is followed was released or paid longer ago: `01-JAN-01` is a null with two digits of its year, and a count of seconds may
/// be the number of a release.
const OLDEST: SignedDuration = SignedDuration::from_hours(3 * 366 * 24);
/// How far behind UTC, and ahead of it, a clock may be of which nobody knows the zone.
const BEHIND_MAX: SignedDuration = SignedDuration::from_hours(12);
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(14);

impl Claims<'_, '_> {
    pub(super) fn dated(&self, cell: &Cell) -> Dated {
        if *cell == Cell::Unknown {
            return Dated::Never;
        }
        let received_at = self.reading.received_at;
        let clocks = &self.reading.profile.clocks;
        let written = Written::at(self.found, received_at);
        let Some(clock) = clocks.read(cell, written) else {
            return Dated::Unread;
        };
        if clock.local.year() < FIRST_YEAR {
            return Dated::Never;
        }
        let Some(occurred) = clocks.resolve(clock, written) else {
            return Dated::Unread;
        };
        let since = received_at.duration_since(occurred.at);
        let (behind, ahead) = match occurred.zone_source {
            ZoneSource::Unknown => (BEHIND_MAX, AHEAD_MAX),
            _ => (SignedDuration::ZERO, SignedDuration::ZERO),
        };
        match () {
            () if since > OLDEST => Dated::Unread,
            () if since >= behind => Dated::Past,
            () if since < -ahead => Dated::Ahead,
            () => Dated::Unsure,
        }
    }

    /// The same of a date behind a yes, with nothing but signs between them: `Yes 11/25/2026`, `Y - 11/25/2026`.
    pub(super) fn dated_yes(&self, cell: &Cell) -> Dated {
        let whole = self.dated(cell);
        let text = cell.text().unwrap_or_default();
        let is_letter = |c: char| c.is_alphabetic();
        let end = text.find(|c| !is_letter(c)).unwrap_or(text.len());
        let (yes, behind) = text.split_at(end);
        // `Available 12/01/2026` is a word on the box.
        let is_yes =
            self.is_yes(&Cell::of_text(yes)) == Some(true) && !words::is_of_availability(yes);
        if whole != Dated::Unread || !is_yes {
            return whole;
        }
        self.dated(&Cell::of_text(behind.trim_matches(is_around)))
    }

    /// Whether the day that stands behind the words of a text is still to come: `Released 12/24/2026`, `$450.00 PAID 12/24/2026`.
    pub(super) fn is_of_a_day_ahead(&self, cell: &Cell) -> bool {
        let text = cell.text().unwrap_or_default();
        let mut was_around = true;
        let begins = text.char_indices().filter(|(_, c)| {
            let begins = was_around && c.is_ascii_digit();
            was_around = is_around(*c);
            begins
        });
        let behind = begins.filter_map(|(at, _)| text.get(at..));
        let mut days = behind.map(|day| self.dated(&Cell::of_text(day.trim_matches(is_around))));
        days.find(|day| *day != Dated::Unread) == Some(Dated::Ahead)
    }
}

/// What sets a date apart from the words before it.
pub(super) fn is_around(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ':' | '-' | '@')
}
