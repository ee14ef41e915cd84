//! Whether the box may be had: what the column of a yes or no says of it, and the status where that is its word.

use domain::report::{Classifier, Doubt, Value, Verb};

use super::cell::Cell;
use super::claims::Claims;
use super::dated::is_around;
use super::mapping::{Action, Field};
use super::undated::is_to_come;
use super::words;

impl Claims<'_, '_> {
    pub(super) fn availability(&mut self) {
        if let Some(cell) = self.cell(Field::Available) {
            let text = cell.text().unwrap_or_default();
            match self.is_yes(&cell).or_else(|| words::pickup(&text)) {
                Some(free) => self.available(free),
                None => self.unclear("available", &cell),
            }
        }
        let Some(cell) = self.cell(Field::Status) else {
            return;
        };
        let text = cell.text().unwrap_or_default();
        // `Delivered 11/25/2026 18:02`: the status, and since when.
        let (told, since) = match self.status(&text) {
            Some(action) => (Some((action, text.clone())), None),
            None => match self.status_and_time(&text) {
                Some((action, word, since)) => (Some((action, word)), Some(since)),
                None => (None, None),
            },
        };
        // `AVAILABLE 12/01` may be when it will be: no word that it is.
        let is_dated_yes = since.is_some() && matches!(told, Some((Action::Available(true), _)));
        match told.filter(|_| !is_dated_yes) {
            Some((Action::Available(free), _)) => self.available(free),
            Some((Action::Nothing, _)) => {}
            Some((action, word)) => self.moved_by_status(action, &word, since),
            None if self.status_says_yes() => self.unclear("status", &cell),
            None => self.unmapped("status", &cell),
        }
    }

    /// A move that a status tells, at the time of its column, else at the one behind its words. Without a time of its own it had
    /// happened when the source looked; not where its own column says that it is still to come.
    fn moved_by_status(&mut self, action: Action, word: &str, since: Option<Cell>) {
        let fields = &self.reading.profile.fields;
        let is_apart = fields.get(&Field::StatusAt) != fields.get(&Field::Status);
        let beside = self.cell(Field::StatusAt).filter(|_| is_apart);
        if let Some(word_of_time) = beside.filter(is_to_come) {
            let said = word_of_time.text().unwrap_or_default();
            let column = self.column(Field::StatusAt);
            let reason = format!("{said} beside {word}: it may not have happened");
            return self.fault(&column, &reason);
        }
        let own = self.date_cell(Field::StatusAt).filter(|_| is_apart);
        let (at, said_in, looked) = match own.or(since) {
            Some(at) => (Some(at), Field::StatusAt, None),
            None => (self.cell(Field::AsOf), Field::AsOf, Some(Doubt::AsOf)),
        };
        if let Some(at) = at {
            let (told, column) = ((action, word, Classifier::Actual), self.column(said_in));
            self.moved(told, looked, &at, &column);
        }
    }

    /// A status of the source at the beginning of a text, with its words and the time behind them, which is all that stands there.
    fn status_and_time(&self, text: &str) -> Option<(Action, String, Cell)> {
        let known = self.reading.profile.words.status.iter();
        let starting = known.filter_map(|(word, action)| {
            let (start, behind) = text.split_at_checked(word.len())?;
            let is_word = start.to_uppercase() == *word;
            let time = behind.trim_matches(is_around);
            let since = Cell::of_text(time);
            // `(~11/25/2026)` is when it is expected.
            let is_time = time.starts_with(|c: char| c.is_ascii_alphanumeric())
                && matches!(self.time(&since, self.found), Ok(Some(_)));
            (is_word && behind.starts_with(is_around) && is_time)
                .then(|| (*action, word.clone(), since))
        });
        starting.max_by_key(|(_, word, _)| word.len())
    }

    /// Whether it is the status that tells whether the box may be had, and no column or happening of its own beside it. What is in
    /// no table then is no yes any more.
    fn status_says_yes(&self) -> bool {
        let profile = self.reading.profile;
        let words = &profile.words.status;
        let yes = Action::Available(true);
        let told = words.is_empty() || words.values().any(|action| *action == yes);
        told && profile.events.is_none() && !profile.fields.contains_key(&Field::Available)
    }

    /// Words of a column that says whether the box may be had, which mean nothing known: kept and counted, and what the source
    /// said before is no word of now.
    fn unclear(&mut self, field: &str, cell: &Cell) {
        let mut report = self.unknown(field, cell);
        report.source_event_id = Some(format!("{}/available", self.number));
        report.value = Some(Value::AvailabilityUnclear);
        self.push(report);
    }

    fn available(&mut self, free: bool) {
        let verb = if free {
            Verb::Available
        } else {
            Verb::NotAvailable
        };
        self.snapshot("available", verb, None);
    }
}
