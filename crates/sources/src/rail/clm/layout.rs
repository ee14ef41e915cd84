//! Which columns of a line hold what.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Longer lines are no sightings.
pub(super) const LINE_COLUMNS_MAX: usize = 400;

/// Columns of one layout, from 1, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout(BTreeMap<&'static str, RangeInclusive<usize>>);

/// What a line can hold, by its key in a profile, with the usual columns.
pub(super) const USUAL: [(&str, RangeInclusive<usize>); 25] = [
    ("initial", 2..=5),
    ("number", 6..=11),
    ("sighted_at", 12..=23),
    ("sight", 24..=24),
    ("city", 27..=35),
    ("state", 36..=37),
    ("splc", 38..=46),
    ("laden", 47..=47),
    ("train", 48..=53),
    ("reported_at", 54..=63),
    ("road", 68..=71),
    ("destination_city", 74..=82),
    ("destination_state", 83..=84),
    ("destination_splc", 85..=93),
    ("estimate_city", 94..=102),
    ("estimate_state", 103..=104),
    ("estimate_splc", 105..=113),
    ("estimate_sight", 114..=114),
    ("estimate_at", 117..=126),
    ("event_type", 127..=130),
    ("locode", 132..=136),
    ("destination_locode", 138..=142),
    ("check_digit", 144..=144),
    ("bill", 146..=165),
    ("carrier", 167..=170),
];

impl Default for Layout {
    fn default() -> Self {
        Self(USUAL.into_iter().collect())
    }
}

impl Layout {
    /// Moves what a profile says to other columns; `None` takes it out.
    pub(super) fn put(&mut self, key: &'static str, columns: Option<RangeInclusive<usize>>) {
        match columns {
            Some(columns) => self.0.insert(key, columns),
            None => self.0.remove(key),
        };
    }

    /// The text in these columns of a line; none when it is blank or the line ends before.
    pub(super) fn text<'l>(&self, line: &'l [u8], key: &str) -> Option<&'l str> {
        let columns = self.0.get(key)?;
        let from = columns.start().checked_sub(1)?;
        let to = (*columns.end()).min(line.len());
        let text = std::str::from_utf8(line.get(from..to)?).ok()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// The column by which a line must not have ended.
    pub(super) fn least(&self) -> usize {
        let needed = ["initial", "number", "sighted_at", "sight", "road"];
        let ends = needed.iter().filter_map(|key| self.0.get(key));
        ends.map(|columns| *columns.end()).max().unwrap_or_default()
    }
}
