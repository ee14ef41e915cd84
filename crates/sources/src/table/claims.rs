//! What one row claims about its box.

use domain::codes::ContainerNumber;
use domain::container::{Fee, FeeKind, Hold, HoldName, HoldStatus, LfdOwner};
use domain::report::{
    Classifier, Doubt, Leg, Occurred, Precision, References, Report, Value, Verb, ZoneSource,
};
use jiff::{SignedDuration, ToSpan};

use super::beside_sum;
use super::cell::Cell;
use super::clock::{self, Clocks, Written};
use super::dated::Dated;
use super::fee_status::{self, Standing};
use super::hold_status::{self, About, Asks, Word};
use super::mapping::{Action, Field, Flag, ListRule, Profile, Slot};
use super::money::{self, Amount};
use super::nameless;
use super::paid::{self, Of};
use super::papers::papers;
use super::pieces::{self, has_letter};
use super::place::Found;
use super::row::{Reading, Row};
use super::undated::is_undated;
use super::window;
use super::words::{self, Said};
use crate::Located;
use crate::hold_words;
use crate::ocean::dcsa::text::TEXT_CHARS_MAX;
use crate::ocean::dcsa::time::{self, WallClock};

/// How far ahead of its receipt an actual is still believed.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// More holds or fees has no box: what tells of more is no list of its own.
const RECORD_MAX: usize = 256;

/// The claims of one row.
pub(super) struct Claims<'r, 'a> {
    pub(super) reading: &'r mut Reading<'a>,
    pub(super) row: &'r Row,
    pub(super) found: &'r Found,
    /// What all claims of the row have in common.
    pub(super) base: Report,
    /// Where what is expected will happen: as the row says, else where the source is, and never where the box was last.
    pub(super) ahead: Found,
    pub(super) number: ContainerNumber,
    as_of: Option<Occurred>,
}

impl<'r, 'a> Claims<'r, 'a> {
    pub(super) fn new(
        reading: &'r mut Reading<'a>,
        row: &'r Row,
        number: ContainerNumber,
        found: &'r Found,
    ) -> Self {
        let known = reading.knows(found);
        let base = Report {
            source: reading.profile.id.clone(),
            source_kind: reading.profile.kind,
            source_event_id: None,
            retracts: None,
            reported_at: None,
            received_at: reading.received_at,
            verb: Verb::Document,
            classifier: Classifier::Actual,
            occurred: None,
            equipment: None,
            place: found.place.clone(),
            leg: Leg::default(),
            move_hint: None,
            references: References::default(),
            original: String::new(),
            value: None,
            doubts: (!known)
                .then_some(Doubt::PlaceUnknown)
                .into_iter()
                .collect(),
            position: None,
        };
        Self {
            reading,
            row,
            found,
            base,
            ahead: found.clone(),
            number,
            as_of: None,
        }
    }

    /// When the source says that the row was so. A bare date orders no two readings of one day, so the time of
    /// receipt does then. Midnight is taken as it stands here, unless the mapping says that it is a day too.
    pub(super) fn as_of(&mut self, slot: Slot, ahead_max: SignedDuration) -> Result<(), String> {
        let cell = self.row.cell(slot);
        let Some(occurred) = self.moment(cell, self.found, Clocks::as_of)? else {
            return Ok(());
        };
        if occurred.precision != Precision::Minute {
            return Ok(());
        }
        let received_at = self.reading.received_at;
        let ahead = occurred.at.duration_since(received_at);
        if ahead > ahead_max {
            return Err(format!(
                "{} lies after the file came; its clock or its zone is wrong",
                occurred.local
            ));
        }
        self.base.reported_at = Some(occurred.at);
        self.as_of = Some(occurred);
        Ok(())
    }

    /// The numbers in a cell for bills or bookings. What is none is told, and names no paper.
    pub(super) fn papers(&mut self, field: Field) -> Vec<String> {
        let text = self.row.field(self.reading.profile, field);
        let found = papers(&text.unwrap_or_default());
        for odd in found.odd {
            let cell = Cell::of_text(&odd);
            let column = self.column(field);
            self.fault(&column, &format!("{:?} is no number", shown(&cell)));
        }
        found.numbers
    }

    /// Makes all claims of the row.
    pub(super) fn all(&mut self) {
        let before = self.reading.count();
        self.availability();
        self.holds();
        self.fees();
        self.last_free_days();
        self.appointment();
        self.texts();
        self.moves();
        super::events::events(self);
        let has_facts = self.base.equipment.as_ref().is_some_and(|gear| {
            gear.gross_kg.is_some() || gear.iso_type.is_some() || !gear.seals.is_empty()
        });
        if self.reading.count() == before && has_facts {
            self.snapshot("facts", Verb::Document, None);
        }
    }

    fn holds(&mut self) {
        let cell = self.cell(Field::Holds);
        let listed = cell.as_ref().map(|cell| self.listed_holds(cell));
        if let (Some(cell), Some(None)) = (&cell, &listed) {
            self.unmapped("holds", cell);
        }
        let mut is_whole = cell.as_ref().is_none_or(|cell| self.tell_odd_holds(cell));
        if let (Some(cell), Some(Some(mut list))) = (cell, listed) {
            if self.is_left_over(Field::Holds, &cell, list.len()) {
                list.truncate(RECORD_MAX);
                // Under the same name another one may be in force among those that are left out.
                list.retain(|(said, _)| *said != Said::Released);
                is_whole = false;
            }
            self.list_of_holds(list, is_whole);
        }
        for flag in &self.reading.profile.flags {
            self.flag(flag);
        }
    }

    /// Tells of what nobody knows in a list: what a status says of its hold, and what an entry is called. Whether it is understood
    /// whole, which one without a name is not.
    fn tell_odd_holds(&mut self, cell: &Cell) -> bool {
        let Cell::Nested(entries) = cell else {
            return true;
        };
        let list = format!("{}.{}", self.row.place, self.column(Field::Holds));
        let mut is_whole = true;
        for entry in entries.iter().take(RECORD_MAX) {
            let name = self.name_of_hold(entry);
            if name.is_none() {
                let path = &self.reading.profile.holds.name;
                let is_told = self.says_of_a_hold(entry);
                let reason = nameless::reason(nameless::Of::Holds, path, entry, is_told);
                self.reading.once(&list, reason);
                is_whole = false;
            }
            let Some((path, status)) = self.status_of(entry) else {
                continue;
            };
            if self
                .status_says(&name.unwrap_or_default(), path, &status)
                .is_none()
            {
                let reason = self.why_unsaid(path, &status);
                self.reading.once(&format!("{list}.{path}"), reason);
            }
        }
        is_whole
    }

    /// Whether a list of so many parts is longer than it is read to, which is told: what is left out may be anything.
    fn is_left_over(&mut self, field: Field, cell: &Cell, parts: usize) -> bool {
        let of = field.key();
        let entries = match cell {
            Cell::Nested(entries) => entries.iter().len(),
            _ => 0,
        };
        let reason = match () {
            () if parts.max(entries) > RECORD_MAX => format!(
                "more than {RECORD_MAX} {of} of one box: the first {RECORD_MAX} are read, and the list clears none"
            ),
            () if cell.may_be_cut() => format!(
                "a text of {of} is read to its {TEXT_CHARS_MAX}th character, and the list clears none"
            ),
            () => return false,
        };
        let place = format!("{}.{}", self.row.place, self.column(field));
        self.reading.once(&place, reason);
        true
    }

    fn why_unsaid(&self, path: &str, status: &str) -> String {
        if self.is_unsaid(path, status) {
            return format!(
                "nobody knows what a yes or no in {path:?} says of a hold, so it is told as one in force: say in [words] what is held and \
                 what is released, or what is yes and no where yes is a hold"
            );
        }
        let word = shown(&Cell::of_text(status));
        format!(
            "nobody knows what {word:?} in {path:?} says of a hold, so it is told as one in force: say in [words] whether it is held, \
             pending or released"
        )
    }

    fn list_of_holds(&mut self, list: Vec<(Said, Hold)>, is_whole: bool) {
        let profile = self.reading.profile;
        // An empty list is complete; one of which nothing is left is not empty, nor is one that is not understood whole.
        if !is_whole || (!profile.holds.complete && !list.is_empty()) {
            for (index, (said, hold)) in list.into_iter().enumerate() {
                let verb = match said {
                    Said::Released => Verb::HoldClear,
                    Said::Hold | Said::Pending => Verb::HoldSet,
                };
                self.snapshot(&format!("hold/{index}"), verb, Some(Value::Hold(hold)));
            }
            return;
        }
        let (gone, stands): (Vec<_>, Vec<_>) = list
            .into_iter()
            .partition(|(said, _)| *said == Said::Released);
        let holds = |told: Vec<(Said, Hold)>| -> Vec<Hold> {
            let mut holds: Vec<Hold> = told.into_iter().map(|(_, hold)| hold).collect();
            holds.sort();
            holds.dedup();
            holds
        };
        self.snapshot("holds", Verb::HoldSet, Some(Value::Holds(holds(stands))));
        // What has a column of its own is not gone with the list, but where the list says so.
        let has_column = |hold: &Hold| profile.flags.iter().any(|flag| flag.name == hold.name);
        for (index, hold) in holds(gone).into_iter().filter(has_column).enumerate() {
            let field = format!("hold/{index}");
            self.snapshot(&field, Verb::HoldClear, Some(Value::Hold(hold)));
        }
    }

    /// What a column or member of its own says of a hold. Beside a list it is the only one that takes away what it set.
    fn flag(&mut self, flag: &Flag) {
        let field = format!("hold/{}", flag.word);
        let (mut told, mut is_read) = (None::<(Said, Slot, Cell)>, true);
        for slot in flag.slots.iter().copied() {
            let cell = self.row.cell(slot).clone();
            let said = match self.flag_says(flag, &cell) {
                Flagged::Nothing => continue,
                Flagged::Unread => {
                    self.unmapped(&field, &cell);
                    is_read = false;
                    continue;
                }
                Flagged::Said(said) => said,
            };
            // The first counts, but one in force before what is announced, and that before any that is gone.
            let weight = |said: Said| match said {
                Said::Hold => 2,
                Said::Pending => 1,
                Said::Released => 0,
            };
            let outweighs = |before: &(Said, Slot, Cell)| weight(said) > weight(before.0);
            if told.as_ref().is_none_or(outweighs) {
                told = Some((said, slot, cell));
            }
        }
        // What nobody could read may be a hold.
        let told = told.filter(|(said, ..)| is_read || *said != Said::Released);
        let Some((said, slot, cell)) = told else {
            return;
        };
        let (verb, status) = match said {
            Said::Released => (Verb::HoldClear, HoldStatus::Hold),
            Said::Hold => (Verb::HoldSet, HoldStatus::Hold),
            Said::Pending => (Verb::HoldSet, HoldStatus::Pending),
        };
        let hold = Hold {
            name: flag.name,
            status,
            description: Some(format!("{}: {}", self.address(slot), shown(&cell))),
        };
        let has_list = self.reading.profile.fields.contains_key(&Field::Holds);
        let value = if has_list {
            Value::HoldOfItsOwn(hold)
        } else {
            Value::Hold(hold)
        };
        self.snapshot(&field, verb, Some(value));
    }

    fn flag_says(&self, flag: &Flag, cell: &Cell) -> Flagged {
        if *cell == Cell::Unknown || (flag.yes_releases && self.names_no_release(cell)) {
            return Flagged::Nothing;
        }
        let said = match self.said(cell, flag.yes_releases) {
            Some(Said::Released) if self.is_of_a_day_ahead(cell) => None,
            None if flag.yes_releases => match self.dated_yes(cell) {
                Dated::Never => return Flagged::Nothing,
                Dated::Past => Some(Said::Released),
                Dated::Ahead | Dated::Unsure => None,
                Dated::Unread => {
                    let text = cell.text();
                    let is_granted = text.is_some_and(|text| hold_status::is_granted(&text));
                    is_granted.then_some(Said::Released)
                }
            },
            said => said,
        };
        said.map_or(Flagged::Unread, Flagged::Said)
    }

    /// Whether a cell in place of a release has none: `None` is what some programs write where there is nothing.
    fn names_no_release(&self, cell: &Cell) -> bool {
        let text = cell.text().unwrap_or_default();
        hold_status::is_none(&text) && !self.has_a_meaning(&text.trim().to_uppercase())
    }

    /// The holds of a list, and what it says of each; `None` when the cell says nothing about them.
    fn listed_holds(&self, cell: &Cell) -> Option<Vec<(Said, Hold)>> {
        match cell {
            Cell::Text(text) | Cell::Number(text)
                if self.is_none(text) || self.has_no_holds(text) =>
            {
                Some(Vec::new())
            }
            Cell::Text(text) | Cell::Number(text) => self.holds_in(text),
            Cell::Nested(entries) => Some(
                entries
                    .iter()
                    .take(RECORD_MAX)
                    .filter_map(|entry| self.listed_hold(entry))
                    .collect(),
            ),
            Cell::Flag(false) => Some(Vec::new()),
            _ => None,
        }
    }

    /// The hold of an entry, and what is said of it. One that has no name is still a hold where something is said of it: a list
    /// must not look emptier than it is. Nobody knows whose end that of a nameless one is.
    fn listed_hold(&self, entry: &serde_json::Value) -> Option<(Said, Hold)> {
        let name = self.name_of_hold(entry);
        if !entry.is_object() || (name.is_none() && !self.says_of_a_hold(entry)) {
            return self.hold(&name?, None, None);
        }
        let named = name.as_deref().unwrap_or_default();
        let status = self.status_of(entry);
        let said = status.map(|(path, status)| {
            let said = self.status_says(named, path, &status);
            // What nobody knows leaves it in force, and so does a day that is still to come.
            let said = said.filter(|said| !self.is_announced(*said, &status));
            said.unwrap_or(Said::Hold)
        });
        let description = member(entry, &self.reading.profile.holds.description);
        let told = name.as_deref().unwrap_or(nameless::UNNAMED);
        let hold = self.hold(told, said, description);
        hold.filter(|(said, _)| name.is_some() || *said != Said::Released)
    }

    /// What an entry of a list calls its hold: a text or a number is its name.
    fn name_of_hold(&self, entry: &serde_json::Value) -> Option<String> {
        match entry {
            serde_json::Value::String(name) => Cell::of_text(name).text(),
            serde_json::Value::Number(code) => Some(code.to_string()),
            entry => member(entry, &self.reading.profile.holds.name),
        }
    }

    /// Whether an entry says anything of a hold besides its name.
    fn says_of_a_hold(&self, entry: &serde_json::Value) -> bool {
        let description = &self.reading.profile.holds.description;
        self.status_of(entry).is_some() || member(entry, description).is_some()
    }

    /// The status of a listed hold, and the path of those of the mapping at which it stands.
    fn status_of(&self, entry: &serde_json::Value) -> Option<(&'a str, String)> {
        let profile: &'a Profile = self.reading.profile;
        said_at(&profile.holds.status, entry)
    }

    /// What a status says of the hold with this name; none where nobody knows.
    fn status_says(&self, name: &str, path: &str, status: &str) -> Option<Said> {
        if self.is_unsaid(path, status) {
            return None;
        }
        let upper = status.trim().to_uppercase();
        let own_answer = self.is_own_answer(status);
        let is_own = own_answer || self.has_a_meaning(&upper);
        // `"lifted": "None"`.
        let of_release = hold_status::names_a_release(name)
            || hold_status::names_a_release(path)
            || (hold_status::is_none(status) && hold_status::asks(path) == Asks::Gone);
        let of_exam = [name, path].into_iter().any(hold_status::names_an_exam);
        let about = match (of_release, of_exam) {
            (true, _) => About::Release,
            (false, true) => About::Exam,
            (false, false) => About::Hold,
        };
        match hold_status::word(status, about) {
            Word::Says(said) if !is_own => Some(said),
            Word::Unclear if !is_own => None,
            _ => {
                let yes_releases = !own_answer && hold_status::asks(path) == Asks::Gone;
                self.said(&Cell::of_text(status), yes_releases)
            }
        }
    }

    /// Whether it is a bare yes or no in a member whose name does not say what is asked, and no word of the mapping.
    fn is_unsaid(&self, path: &str, status: &str) -> bool {
        let upper = status.trim().to_uppercase();
        let is_bare = words::yes_no(&upper).is_some() && !words::is_of_availability(&upper);
        let is_word = self.word_says(&upper).is_some() || self.is_none(&upper);
        let is_answer = is_bare && !is_word && !self.is_own_answer(status);
        is_answer && hold_status::asks(path) == Asks::Unsaid
    }

    /// Whether the mapping says that this is its yes or its no.
    fn is_own_answer(&self, text: &str) -> bool {
        let upper = text.trim().to_uppercase();
        let words = &self.reading.profile.words;
        words.yes.contains(&upper) || words.no.contains(&upper)
    }

    /// The holds of a text; `None` when it names none and does not say that there is none.
    fn holds_in(&self, text: &str) -> Option<Vec<(Said, Hold)>> {
        let is_code = |name: &str| self.known_hold(name).is_some();
        let speaks = |more: &str| {
            self.names_a_hold(more) || self.word_says(&more.trim().to_uppercase()).is_some()
        };
        let separators = &self.reading.profile.holds.separators;
        let names = pieces::of_holds(text, separators, is_code, speaks);
        let has_words = names.iter().any(|name| has_letter(name));
        // Beside words a number is part of a date, a time or an amount. Alone it counts holds or is the code of one.
        let is_number = |name: &str| !has_words && name.bytes().all(|byte| byte.is_ascii_digit());
        let says = |name: &&str| {
            is_code(name) || is_number(name) || (has_letter(name) && !words::is_no_hold(name))
        };
        let holds: Vec<_> = (names.iter().copied().filter(says))
            .filter_map(|name| self.hold(name, None, None))
            .collect();
        (!holds.is_empty() || names.iter().any(|name| self.is_none(name))).then_some(holds)
    }

    /// The hold that the mapping knows by this name.
    fn known_hold(&self, name: &str) -> Option<HoldName> {
        let known = &self.reading.profile.words.holds;
        known.get(&name.trim().to_uppercase()).copied()
    }

    fn names_a_hold(&self, text: &str) -> bool {
        self.known_hold(text).is_some() || hold_words::named_in(text).is_some()
    }

    /// A bare no in place of a list, unless it is a word of the source for something else.
    fn has_no_holds(&self, text: &str) -> bool {
        let own = self.known_hold(text).is_some();
        words::is_bare_no(text) && !own && self.word_says(&text.trim().to_uppercase()).is_none()
    }

    /// Whether a text says of a release when it is expected.
    fn is_announced(&self, said: Said, text: &str) -> bool {
        said == Said::Released && self.is_of_a_day_ahead(&Cell::of_text(text))
    }

    /// One hold in the source's words, and what they say of it.
    fn hold(
        &self,
        name: &str,
        status: Option<Said>,
        description: Option<String>,
    ) -> Option<(Said, Hold)> {
        let name = name.trim();
        if name.is_empty() || self.is_none(name) {
            return None;
        }
        let upper = name.to_uppercase();
        let known = self.known_hold(name);
        let said = match status {
            Some(said) => Some(said),
            None if known.is_none() && words::has_none(name, |word| self.names_a_hold(word)) => {
                Some(Said::Released)
            }
            // Words such as CARRIER HOLD say so of themselves; a name alone is a hold in force.
            None => self
                .word_says(&upper)
                .filter(|said| !self.is_announced(*said, name)),
        };
        let said = said.unwrap_or(Said::Hold);
        let status = match said {
            Said::Pending => HoldStatus::Pending,
            Said::Hold | Said::Released => HoldStatus::Hold,
        };
        let description = description.map(|more| format!("{name}: {more}"));
        let hold = Hold {
            name: known
                .or_else(|| hold_words::named_in(name))
                .unwrap_or(HoldName::Other),
            status,
            description: Some(description.unwrap_or_else(|| name.to_owned())),
        };
        Some((said, hold))
    }

    fn fees(&mut self) {
        let profile = self.reading.profile;
        let sent = self.cell(Field::Currency).and_then(|cell| cell.text());
        let usual = self.currency();
        let currency = match sent {
            Some(text) => self.sent(&text, usual.as_deref()),
            None => usual,
        };
        let listed = self
            .cell(Field::Fees)
            .and_then(|cell| self.listed_fees(&cell, currency.as_deref()));
        let (mut is_whole, mut untold) = (true, Vec::new());
        let mut all = None;
        if let Some(listed) = listed {
            (is_whole, untold) = (listed.is_whole, listed.untold);
            if profile.fees.complete || listed.fees.is_empty() {
                all = Some(listed.fees);
            } else {
                self.fees_one_by_one(listed.fees, &untold);
            }
        }
        for (kind, word, slot) in profile.amounts.clone() {
            let cell = self.row.cell(slot).clone();
            if cell == Cell::Unknown {
                continue;
            }
            if matches!(cell, Cell::Nested(_)) {
                // A fee may stand within: it is told, and the list is not all there is.
                self.unmapped(&format!("fee/{word}"), &cell);
                is_whole = false;
                untold.push(kind);
                continue;
            }
            let says = |is: fn(&str) -> bool| cell.text().is_some_and(|text| is(&text));
            let is_none = says(words::says_no_fee);
            let is_none = is_none || cell.text().is_some_and(|text| self.is_none(&text));
            let told = if is_none { nothing() } else { cell.clone() };
            let amount = self.amount(&told, kind);
            if amount.is_none() {
                self.unmapped(&format!("fee/{word}"), &cell);
            }
            // A fee of which no sum can be read is one all the same, as in a list; other words say nothing of one.
            let speaks = says(words::speaks_of_a_fee) || money::has_a_sum(&cell, profile);
            let unread = speaks.then_some(Amount::NotPosted);
            let Some(amount) = amount.or(unread) else {
                continue;
            };
            match fee(kind, amount, currency.as_deref()) {
                None => {
                    self.without_currency();
                    is_whole = false;
                    untold.push(kind);
                }
                Some(fee) => match &mut all {
                    // A column of its own for what the list has, too.
                    Some(all) if all.contains(&fee) => {}
                    Some(all) => all.push(fee),
                    None => self.snapshot(&format!("fee/{word}"), Verb::Fee, Some(Value::Fee(fee))),
                },
            }
        }
        let Some(mut all) = all else {
            return;
        };
        if is_whole {
            all.sort();
            self.snapshot("fees", Verb::Fee, Some(Value::Fees(all)));
        } else {
            // A fee that could not be told is posted all the same: the others clear nothing.
            self.fees_one_by_one(all, &untold);
        }
    }

    /// Each by itself. It takes the place of what stands of its kind, so that nothing is told of a kind of which one is untold.
    fn fees_one_by_one(&mut self, mut fees: Vec<Fee>, untold: &[FeeKind]) {
        fees.retain(|fee| !untold.contains(&fee.kind));
        for (index, fee) in fees.into_iter().enumerate() {
            self.snapshot(&format!("fee/{index}"), Verb::Fee, Some(Value::Fee(fee)));
        }
    }

    /// The fees of a list; `None` when the cell says nothing about them. Two exams may cost the same; what has the same name and
    /// amount is said twice.
    fn listed_fees(&mut self, cell: &Cell, currency: Option<&str>) -> Option<ListedFees> {
        let (mut is_whole, mut untold) = (true, Vec::new());
        let mut told: Vec<Charge> = match cell {
            Cell::Flag(false) => return Some(ListedFees::none()),
            Cell::Text(text) | Cell::Number(text)
                if self.is_none(text) || self.has_no_fees(text) =>
            {
                return Some(ListedFees::none());
            }
            Cell::Number(_) => vec![Charge {
                name: String::new(),
                amount: cell.clone(),
                currency: None,
            }],
            Cell::Text(text) => self.charges_of(text),
            Cell::Nested(entries) => {
                let mut told = Vec::new();
                for entry in entries.iter().take(RECORD_MAX) {
                    is_whole &= self.tell_nameless_fee(entry);
                    told.extend(self.listed_charges(entry));
                }
                told
            }
            Cell::Flag(true) => {
                self.unmapped("fees", cell);
                is_whole = false;
                vec![Charge::unposted(nameless::UNNAMED)]
            }
            Cell::Clock(..) => {
                self.unmapped("fees", cell);
                return None;
            }
            Cell::Unknown => return None,
        };
        let is_left_over = self.is_left_over(Field::Fees, cell, told.len());
        if is_left_over {
            told.truncate(RECORD_MAX);
            is_whole = false;
        }
        // Its sum may go on behind.
        let cut = told.last_mut().filter(|_| cell.may_be_cut());
        if let Some(cut) = cut {
            *cut = Charge::unposted(&cut.name);
        }
        let mut fees: Vec<(String, Fee)> = Vec::new();
        for told in told {
            let kind = self.fee_kind(&told.name);
            let amount = match &told.amount {
                Cell::Unknown => Some(Amount::NotPosted),
                amount => self.amount(amount, kind),
            };
            let amount = amount.unwrap_or_else(|| {
                self.unmapped(&format!("fee/{}", told.name), &Cell::of_text(&told.name));
                Amount::NotPosted
            });
            let usual = match &told.currency {
                Some(text) => self.sent(text, currency),
                None => currency.map(str::to_owned),
            };
            let Some(fee) = fee(kind, amount, usual.as_deref()) else {
                // A list that is not understood whole clears nothing.
                self.without_currency();
                is_whole = false;
                untold.push(kind);
                continue;
            };
            // Among those that are left out one of its kind may be owed.
            if is_left_over && fee.is_paid() {
                continue;
            }
            let told = (told.name.to_uppercase(), fee);
            if !fees.contains(&told) {
                fees.push(told);
            }
        }
        Some(ListedFees {
            fees: fees.into_iter().map(|(_, fee)| fee).collect(),
            is_whole,
            untold,
        })
    }

    /// The charges of a text. What is paid on a day that is still to come is owed till then.
    fn charges_of(&self, text: &str) -> Vec<Charge> {
        let profile = self.reading.profile;
        let parts = pieces::split(text, &profile.fees.separators);
        let charges = parts.flat_map(|part| {
            let several = money::charges_in(part, profile);
            several.unwrap_or_else(|| vec![part])
        });
        let read = |part: &str| {
            let charge = charge_in(part, profile)?;
            let is_paid = charge.amount == nothing() && paid::is_of_payment(part);
            let is_ahead = is_paid && self.is_of_a_day_ahead(&Cell::of_text(part));
            Some(if is_ahead {
                Charge::unposted(&charge.name)
            } else {
                charge
            })
        };
        charges.filter_map(read).collect()
    }

    /// The sum in a cell. What is paid on a day that is still to come is owed till then.
    fn amount(&self, cell: &Cell, kind: FeeKind) -> Option<Amount> {
        let amount = money::amount(cell, kind, self.reading.profile);
        match amount {
            Some(Amount::Posted(sum, _))
                if sum.is_zero()
                    && cell.text().is_some_and(|text| paid::is_of_payment(&text))
                    && self.is_of_a_day_ahead(cell) =>
            {
                Some(Amount::NotPosted)
            }
            amount => amount,
        }
    }

    /// The charges of an entry of a list; none where it says nothing of one, and where nobody knows whose payment it tells.
    fn listed_charges(&mut self, entry: &serde_json::Value) -> Vec<Charge> {
        let profile = self.reading.profile;
        let rule: &ListRule = &profile.fees;
        match entry {
            serde_json::Value::String(text) => return self.charges_of(text),
            entry if !says_of_a_fee(entry, rule) => return Vec::new(),
            _ => {}
        }
        let named = member(entry, &rule.name);
        let is_named = named.is_some();
        let name = named.unwrap_or_else(|| nameless::UNNAMED.into());
        let kind = self.fee_kind(&name);
        let standing = self.stands(entry, Of::Column(kind));
        let is_settled = standing == Some(Standing::Settled);
        if is_settled && !is_named {
            return Vec::new();
        }
        let named_paid =
            paid::is_settled(&name, Of::List) && !self.is_of_a_day_ahead(&Cell::of_text(&name));
        let is_unread = matches!(member_cell(entry, &rule.status), Cell::Nested(_));
        let may_be_unposted = standing.is_some() || is_unread || words::is_not_posted(&name);
        let amount = match member_cell(entry, &rule.amount) {
            _ if is_settled || (named_paid && standing.is_none()) => nothing(),
            // What was paid of it, or is given back.
            _ if paid::is_paid(&name) || money::is_no_sum(&name) => Cell::Unknown,
            // Nothing is what was paid: of what is open the sum is still to come.
            amount if may_be_unposted && self.is_of_nothing(&amount, kind) => Cell::Unknown,
            amount => amount,
        };
        vec![Charge {
            name,
            amount,
            currency: member(entry, &rule.currency),
        }]
    }

    fn is_of_nothing(&self, amount: &Cell, kind: FeeKind) -> bool {
        matches!(self.amount(amount, kind), Some(Amount::Posted(sum, _)) if sum.is_zero())
    }

    /// Tells of an entry that names no fee. Whether it names one.
    fn tell_nameless_fee(&mut self, entry: &serde_json::Value) -> bool {
        let rule: &ListRule = &self.reading.profile.fees;
        let is_text = entry
            .as_str()
            .is_some_and(|text| Cell::of_text(text) != Cell::Unknown);
        if is_text || member(entry, &rule.name).is_some() {
            return true;
        }
        let is_told = says_of_a_fee(entry, rule);
        let reason = nameless::reason(nameless::Of::Fees, &rule.name, entry, is_told);
        let list = format!("{}.{}", self.row.place, self.column(Field::Fees));
        self.reading.once(&list, reason);
        false
    }

    /// How a listed fee stands; none where nothing is said of it. Where nobody can be sure it is owed, and that is told.
    fn stands(&mut self, entry: &serde_json::Value, of: Of) -> Option<Standing> {
        let profile = self.reading.profile;
        let rule: &ListRule = &profile.fees;
        let status = said_at(&rule.status, entry);
        let (path, status) = status.unwrap_or_default();
        let said = (!path.is_empty()).then(|| self.fee_stands(path, &status, of));
        let day = member_cell(entry, &rule.paid_at);
        let shown_day = shown(&day);
        let word = shown(&Cell::of_text(&status));
        let paid_at = first_path(&rule.paid_at);
        let (at, odd) = match (said, self.dated(&day)) {
            (
                Some(Standing::Settled),
                Dated::Never | Dated::Past | Dated::Unsure | Dated::Unread,
            )
            | (None, Dated::Past) => return Some(Standing::Settled),
            (None | Some(Standing::Open), Dated::Never) => return said,
            (Some(Standing::Unclear), _) => (
                path,
                format!(
                    "nobody knows what {word:?} in {path:?} says of a fee, so it is told as owed: say in [words] whether it is paid or owed"
                ),
            ),
            (Some(Standing::Open), Dated::Past) => (
                path,
                format!(
                    "{word:?} in {path:?} stands beside a day of payment, so the fee is told as owed"
                ),
            ),
            (_, Dated::Ahead | Dated::Unsure | Dated::Unread) => (
                paid_at,
                format!(
                    "{shown_day:?} in {paid_at:?} is no day of before the file came, so the fee is told as owed"
                ),
            ),
        };
        let place = format!("{}.{}.{at}", self.row.place, self.column(Field::Fees));
        self.reading.once(&place, odd);
        Some(Standing::Unclear)
    }

    /// What a status says of its fee: the words of the mapping first.
    fn fee_stands(&self, path: &str, status: &str, of: Of) -> Standing {
        let upper = status.trim().to_uppercase();
        let words = &self.reading.profile.words;
        match () {
            () if words.owed.contains(&upper) => return Standing::Open,
            () if words.paid.contains(&upper) => return Standing::Settled,
            () => {}
        }
        let standing = fee_status::standing(path, status, of);
        if standing == Standing::Settled && self.is_of_a_day_ahead(&Cell::of_text(status)) {
            return Standing::Unclear;
        }
        if standing != Standing::Unclear || !fee_status::tells_when_paid(path) {
            return standing;
        }
        match self.dated(&Cell::of_text(status)) {
            Dated::Past => Standing::Settled,
            Dated::Never => Standing::Open,
            Dated::Ahead | Dated::Unsure | Dated::Unread => Standing::Unclear,
        }
    }

    /// What the source means by the name of a fee.
    fn fee_kind(&self, name: &str) -> FeeKind {
        let own = &self.reading.profile.words.fees;
        let own = own.get(&name.to_uppercase()).copied();
        own.unwrap_or_else(|| words::fee_kind(name))
    }

    /// A bare no in place of a list, unless it is a word of the source for something else.
    fn has_no_fees(&self, text: &str) -> bool {
        let profile = self.reading.profile;
        let own = profile.words.fees.contains_key(&text.trim().to_uppercase());
        let is_no = words::is_bare_no(text) && (has_letter(text) || !profile.zero_is_unposted);
        is_no && !own
    }

    /// The code of the money that a column or member for it names. What is none is kept and counted, and is not that of the
    /// source: whoever names another one means another one.
    fn sent(&mut self, text: &str, usual: Option<&str>) -> Option<String> {
        let money = money::named(text);
        if money.is_none() {
            self.unmapped(Field::Currency.key(), &Cell::of_text(text));
        }
        money.and_then(|money| money::settled(Some(money), usual))
    }

    /// The money of the source: as the mapping says, else by the country of the place.
    fn currency(&self) -> Option<String> {
        let said = self.reading.profile.currency.clone();
        said.or_else(|| {
            let usual = match self.found.place.locode?.country() {
                "US" => "USD",
                "CA" => "CAD",
                _ => return None,
            };
            Some(usual.to_owned())
        })
    }

    fn without_currency(&mut self) {
        let reason = "fees are left out: nobody says in which currency (fees.currency)";
        self.reading.once("fees", reason.to_owned());
    }

    fn last_free_days(&mut self) {
        let own = self.reading.profile.owner;
        for (field, owner, before) in [
            (Field::LastFreeDay, own, false),
            (Field::StorageBegins, own, true),
            (Field::LfdLine, LfdOwner::Line, false),
            (Field::LfdTerminal, LfdOwner::Terminal, false),
            (Field::LfdRail, LfdOwner::Rail, false),
        ] {
            let Some(cell) = self.date_cell(field) else {
                continue;
            };
            let profile = self.reading.profile;
            // Storage that begins at 24:00 begins with the next day.
            let zone = self.found.zone.as_ref();
            let at = Written::at(self.found, self.reading.received_at);
            let clock = profile.clocks.read(&cell, at).map(|clock| WallClock {
                ends: clock.ends.filter(|_| !before),
                ..clock
            });
            let day = clock.and_then(|clock| profile.clocks.day(clock, zone));
            let Some(mut day) = day else {
                let column = self.column(field);
                let reason = clock::refusal(&cell, "date", self.reading.received_at);
                self.fault(&column, &reason);
                continue;
            };
            if before {
                // Storage begins when the last free day is over.
                let Ok(last) = day.date.checked_sub(1.day()) else {
                    continue;
                };
                day.date = last;
            }
            let at = day.instant();
            if !time::is_plausible(at, self.reading.received_at) {
                let column = self.column(field);
                self.fault(&column, &format!("{} cannot be true", day.date));
                continue;
            }
            let name = format!("lfd/{owner:?}").to_lowercase();
            self.snapshot(
                &name,
                Verb::LastFreeDay,
                Some(Value::LastFreeDay(owner, day)),
            );
        }
    }

    fn appointment(&mut self) {
        let Some(cell) = self.cell(Field::Appointment) else {
            return;
        };
        let says_none = |text: &str| self.is_none(text) || words::is_no_appointment(text);
        let booked = if cell.text().is_some_and(|text| says_none(&text)) {
            Ok(Some(Value::NoAppointment))
        } else {
            let at = match self.opening(&cell) {
                Some((opens, true)) => Ok(Some(opens)),
                opening => {
                    let opens = opening.map(|(opens, _)| opens);
                    self.time(&cell, self.found)
                        .or_else(|reason| opens.map(Some).ok_or(reason))
                }
            };
            at.map(|at| at.map(|at| Value::Appointment(at.at)))
        };
        match booked {
            Ok(None) => {}
            Ok(booked) => self.snapshot("appointment", Verb::Appointment, booked),
            Err(reason) => self.fault(&self.column(Field::Appointment), &reason),
        }
    }

    /// When the window in a cell opens, and whether it surely is one.
    fn opening(&self, cell: &Cell) -> Option<(Occurred, bool)> {
        let opening = window::opening(&cell.text()?)?;
        let at = self.time(&Cell::Text(opening.text), self.found).ok()??;
        // A year may look like a time.
        let is_told = at.precision == Precision::Minute || opening.at_midnight;
        is_told.then_some((at, opening.is_sure))
    }

    fn texts(&mut self) {
        let yard = self.row.field(self.reading.profile, Field::YardLocation);
        if let Some(text) = yard {
            self.snapshot("yard", Verb::Document, Some(Value::YardLocation(text)));
        }
        let chassis = self.row.field(self.reading.profile, Field::Chassis);
        if let Some(text) = chassis {
            self.snapshot("chassis", Verb::Document, Some(Value::Chassis(text)));
        }
    }

    fn moves(&mut self) {
        let profile = self.reading.profile;
        let actual = profile.moves.iter().map(|told| (told, Classifier::Actual));
        let expected = profile
            .estimates
            .iter()
            .map(|told| (told, Classifier::Estimated));
        for ((action, name, slot), classifier) in actual.chain(expected) {
            let cell = self.row.cell(*slot).clone();
            if cell != Cell::Unknown {
                let (original, column) = (name.to_uppercase(), self.address(*slot));
                self.moved((*action, &original, classifier), None, &cell, &column);
            }
        }
    }

    /// A move at the place of the row, or where it is expected; `looked` where its time is that of the look.
    pub(super) fn moved(
        &mut self,
        (action, original, classifier): (Action, &str, Classifier),
        looked: Option<Doubt>,
        at: &Cell,
        column: &str,
    ) {
        let found = match classifier {
            Classifier::Estimated => self.ahead.clone(),
            _ => self.found.clone(),
        };
        match self.time(at, &found) {
            Ok(Some(occurred)) => {
                let mut report = self.base_at(&found);
                report.doubts.extend(looked);
                self.tell(report, action, original, occurred, classifier);
            }
            Ok(None) => {}
            Err(reason) => self.fault(column, &reason),
        }
    }

    /// What all claims of the row have in common, at this place.
    pub(super) fn base_at(&self, found: &Found) -> Report {
        let mut report = self.base.clone();
        report.place = found.place.clone();
        report.doubts.retain(|doubt| *doubt != Doubt::PlaceUnknown);
        if !self.reading.knows(found) {
            report.doubts.push(Doubt::PlaceUnknown);
        }
        report
    }

    /// Tells a move; `report` says where and by whom.
    pub(super) fn tell(
        &mut self,
        mut report: Report,
        action: Action,
        original: &str,
        occurred: Occurred,
        classifier: Classifier,
    ) {
        let (verb, mode, laden) = match action {
            Action::Move { verb, mode, laden } => (verb, mode, laden),
            Action::Available(free) => {
                report.classifier = classifier;
                return self.available_at(report, free, occurred);
            }
            Action::Nothing => return,
        };
        report.verb = verb;
        report.classifier = classifier;
        report.original = format!("MOVE/{original}");
        if mode != Some(domain::report::Mode::Vessel) {
            report.leg = Leg::default();
        }
        report.leg.mode = mode;
        if let Some(gear) = &mut report.equipment {
            gear.laden = laden.or(gear.laden);
        }
        doubt(&mut report, &occurred);
        report.occurred = Some(occurred);
        self.push(report);
    }

    fn available_at(&mut self, mut report: Report, free: bool, occurred: Occurred) {
        report.verb = if free {
            Verb::Available
        } else {
            Verb::NotAvailable
        };
        report.original = "EVENT/AVAILABLE".into();
        report.leg = Leg::default();
        doubt(&mut report, &occurred);
        report.occurred = Some(occurred);
        self.push(report);
    }

    /// A claim that is known by its box and field, so that the next snapshot replaces it.
    pub(super) fn snapshot(&mut self, field: &str, verb: Verb, value: Option<Value>) {
        let mut report = self.base.clone();
        report.source_event_id = Some(format!("{}/{field}", self.number));
        report.verb = verb;
        report.value = value;
        report.leg = Leg::default();
        report.original = format!("SNAPSHOT/{}", field.to_uppercase());
        report.occurred.clone_from(&self.as_of);
        self.push(report);
    }

    /// Words that mean nothing known: kept and counted, and nothing follows from them.
    pub(super) fn unmapped(&mut self, field: &str, cell: &Cell) {
        let report = self.unknown(field, cell);
        self.push(report);
    }

    pub(super) fn unknown(&self, field: &str, cell: &Cell) -> Report {
        let mut report = self.base.clone();
        report.leg = Leg::default();
        report.original = format!("{}/{}", field.to_uppercase(), shown(cell).to_uppercase());
        report.doubts.push(Doubt::Unmapped);
        report.occurred.clone_from(&self.as_of);
        report
    }

    pub(super) fn push(&mut self, report: Report) {
        let position = self.row.place.clone();
        self.reading.push(Located { position, report });
    }

    /// A complaint about one cell, in the sender's word for its column; the others of the row are used.
    pub(super) fn fault(&mut self, column: &str, reason: &str) {
        let place = format!("{}.{column}", self.row.place);
        self.reading.defect(place, reason.to_owned());
    }

    /// The moment in a cell; none when it says nothing.
    pub(super) fn time(&self, cell: &Cell, found: &Found) -> Result<Option<Occurred>, String> {
        self.moment(cell, found, Clocks::read)
    }

    fn moment(
        &self,
        cell: &Cell,
        found: &Found,
        read: impl Fn(&Clocks, &Cell, Written<'_>) -> Option<WallClock>,
    ) -> Result<Option<Occurred>, String> {
        if self.names_no_date(cell) {
            return Ok(None);
        }
        let clocks = &self.reading.profile.clocks;
        let written = Written::at(found, self.reading.received_at);
        let occurred = read(clocks, cell, written)
            .and_then(|clock| clocks.resolve(clock, written))
            .ok_or_else(|| clock::refusal(cell, "time", written.received_at))?;
        if !time::is_plausible(occurred.at, self.reading.received_at) {
            return Err(format!("{} cannot be true", shown(cell)));
        }
        Ok(Some(occurred))
    }

    pub(super) fn status(&self, text: &str) -> Option<Action> {
        let words = &self.reading.profile.words.status;
        let known = words.get(&text.trim().to_uppercase()).copied();
        known.or_else(|| {
            words::pickup(text)
                .filter(|_| words.is_empty())
                .map(Action::Available)
        })
    }

    pub(super) fn cell(&self, field: Field) -> Option<Cell> {
        let slot = *self.reading.profile.fields.get(&field)?;
        Some(self.row.cell(slot).clone()).filter(|cell| *cell != Cell::Unknown)
    }

    /// The cell of a field that is a date; none where it names none.
    pub(super) fn date_cell(&self, field: Field) -> Option<Cell> {
        self.cell(field).filter(|cell| !self.names_no_date(cell))
    }

    fn names_no_date(&self, cell: &Cell) -> bool {
        let says_none = || cell.text().is_some_and(|text| self.is_none(&text));
        is_undated(cell) || says_none()
    }

    pub(super) fn is_yes(&self, cell: &Cell) -> Option<bool> {
        if let Cell::Flag(flag) = cell {
            return Some(*flag);
        }
        let text = cell.text()?.to_uppercase();
        let words = &self.reading.profile.words;
        if words.yes.contains(&text) {
            return Some(true);
        }
        if words.no.contains(&text) {
            return Some(false);
        }
        words::yes_no(&text)
    }

    fn is_none(&self, text: &str) -> bool {
        let own = &self.reading.profile.words.none;
        own.contains(&text.trim().to_uppercase()) || words::is_none(text)
    }

    /// What a cell says about a hold.
    fn said(&self, cell: &Cell, yes_releases: bool) -> Option<Said> {
        let yes = |yes: bool| {
            if yes == yes_releases {
                Said::Released
            } else {
                Said::Hold
            }
        };
        if let Cell::Flag(flag) = cell {
            return Some(yes(*flag));
        }
        let text = cell.text()?.to_uppercase();
        let own_words = &self.reading.profile.words;
        // `Freight Released: NO - HOLD`: behind the no stands why.
        let is_denied = || words::yes_no(&text) == Some(false);
        if yes_releases && !own_words.released.contains(&text) && is_denied() {
            return Some(Said::Hold);
        }
        let own = self.word_says(&text);
        let none = self.is_none(&text).then_some(Said::Released);
        // Whether a box can be had says nothing of one hold.
        let is_own_word = own_words.yes.contains(&text) || own_words.no.contains(&text);
        own.or(none).or_else(|| {
            let counts = is_own_word || !words::is_of_availability(&text);
            self.is_yes(cell).filter(|_| counts).map(yes)
        })
    }

    fn word_says(&self, upper: &str) -> Option<Said> {
        self.own_word(upper).or_else(|| words::standing(upper))
    }

    /// Whether the mapping says what a word means of a hold, or that it means none.
    fn has_a_meaning(&self, upper: &str) -> bool {
        let none = &self.reading.profile.words.none;
        self.own_word(upper).is_some() || none.iter().any(|word| word == upper)
    }

    /// What the mapping says that a word means.
    fn own_word(&self, upper: &str) -> Option<Said> {
        let words = &self.reading.profile.words;
        let is = |of: &[String]| of.iter().any(|word| word == upper);
        match () {
            () if is(&words.held) => Some(Said::Hold),
            () if is(&words.pending) => Some(Said::Pending),
            () if is(&words.released) => Some(Said::Released),
            () => None,
        }
    }

    /// What the sender calls a field.
    pub(super) fn column(&self, field: Field) -> String {
        let slot = self.reading.profile.fields.get(&field);
        slot.map_or_else(|| field.key().to_owned(), |slot| self.address(*slot))
    }

    /// As a person is told it: of several paths the first.
    fn address(&self, slot: Slot) -> String {
        let addresses = &self.reading.profile.addresses;
        let address = addresses.get(slot.0).map(String::as_str);
        first_path(address.unwrap_or_default()).to_owned()
    }
}

/// A fee as it is listed.
struct Charge {
    name: String,
    amount: Cell,
    currency: Option<String>,
}

impl Charge {
    /// One of which only the name is known.
    fn unposted(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            amount: Cell::Unknown,
            currency: None,
        }
    }
}

/// Whether an entry says anything of a fee besides its name and its money.
fn says_of_a_fee(entry: &serde_json::Value, rule: &ListRule) -> bool {
    let mut members = [&rule.name, &rule.amount, &rule.status, &rule.paid_at].into_iter();
    members.any(|path| member(entry, path).is_some())
}

/// What is owed of a fee that was paid.
fn nothing() -> Cell {
    Cell::Text("NONE".into())
}

/// What a column of its own says of a hold.
enum Flagged {
    /// It is empty.
    Nothing,
    Unread,
    Said(Said),
}

/// What a list tells of fees.
struct ListedFees {
    fees: Vec<Fee>,
    /// Whether they are all of it.
    is_whole: bool,
    /// Kinds of those that could not be told.
    untold: Vec<FeeKind>,
}

impl ListedFees {
    fn none() -> Self {
        Self {
            fees: Vec::new(),
            is_whole: true,
            untold: Vec::new(),
        }
    }
}

/// The fee in one part of a text; `None` where the part names none. A fee that does not apply is none in a list of all,
/// and nothing is owed of it in another.
fn charge_in(part: &str, profile: &Profile) -> Option<Charge> {
    let is_whole = profile.fees.complete;
    let charge = |name: &str, amount| Charge {
        name: name
            .trim()
            .trim_end_matches([':', '=', '-'])
            .trim_end()
            .to_owned(),
        amount,
        currency: None,
    };
    if let Some(at) = money::place_in(part) {
        let (before, amount) = part.split_at(at);
        let name = if has_letter(before) {
            before
        } else {
            money::name_behind(amount)
        };
        let amount = match () {
            () if paid::is_settled(part, Of::List) => nothing(),
            // What was paid of it, or is given back.
            () if paid::is_paid(part) => Cell::Unknown,
            () if money::may_be_negative(part, at) || money::is_no_sum(part) => Cell::Unknown,
            () if has_letter(before) && money::runs_on(amount) => Cell::Unknown,
            // Nothing is what was paid, and not what is still to be reckoned.
            () if is_zero(amount) && !beside_sum::names_a_fee(before, profile) => Cell::Unknown,
            () => Cell::of_text(amount),
        };
        return Some(charge(name, amount));
    }
    let is_settled = paid::is_settled(part, Of::List);
    // `Demurrage half paid` ends with the word of one that is paid.
    if paid::is_unpaid(part) || (paid::is_paid(part) && !is_settled) {
        return Some(charge(part, Cell::Unknown));
    }
    let upper = part.to_uppercase();
    let behind = [part.rsplit_once([':', '-', '=']), part.rsplit_once(' ')];
    let told = behind.into_iter().flatten().find_map(|(name, said)| {
        let said = words::said_of_fee(said)?;
        Some((name, said))
    });
    match told {
        Some((_, words::Owed::NotApplicable)) if is_whole => None,
        Some((name, words::Owed::NotPosted)) => Some(charge(name, Cell::Unknown)),
        Some((name, _)) => Some(charge(name, nothing())),
        None if is_settled => Some(charge(part, nothing())),
        None if matches!(
            words::said_of_fee(part),
            Some(words::Owed::Nothing | words::Owed::NotApplicable)
        ) =>
        {
            None
        }
        None => match upper
            .strip_prefix("NO ")
            .filter(|_| !words::is_not_posted(part))
        {
            Some(_) => Some(charge(part.get(3..)?, nothing())),
            None => Some(charge(part, Cell::Unknown)),
        },
    }
}

/// Whether the number of a text is nothing.
fn is_zero(text: &str) -> bool {
    text.contains('0') && !text.contains(|c: char| matches!(c, '1'..='9'))
}

fn fee(kind: FeeKind, amount: Amount, usual: Option<&str>) -> Option<Fee> {
    let (amount, said) = match amount {
        Amount::NotPosted => (None, None),
        Amount::Posted(amount, said) => (Some(amount), said),
    };
    Some(Fee {
        kind,
        amount,
        currency: money::settled(said, usual)?,
    })
}

fn doubt(report: &mut Report, occurred: &Occurred) {
    if occurred.zone_source == ZoneSource::Unknown {
        report.doubts.push(Doubt::ZoneUnknown);
    }
    let ahead = occurred.at.duration_since(report.received_at);
    if report.classifier == Classifier::Actual && ahead > SignedDuration::ZERO {
        let far = ahead > AHEAD_MAX;
        report.doubts.push(if far {
            Doubt::DowngradedToEstimate
        } else {
            Doubt::InFuture
        });
    }
}

/// The first of several paths in JSON, by which people are told where something stood.
pub(super) fn first_path(address: &str) -> &str {
    let (first, _) = address.split_once(" | ").unwrap_or((address, ""));
    first
}

/// A member of an object as a text.
pub(super) fn member(object: &serde_json::Value, path: &str) -> Option<String> {
    member_cell(object, path).text()
}

/// What stands at the first of several paths at which something is said, and that path.
fn said_at<'p>(paths: &'p str, object: &serde_json::Value) -> Option<(&'p str, String)> {
    let mut paths = paths.split(" | ").map(str::trim);
    paths.find_map(|path| Some((path, member(object, path)?)))
}

/// What stands at a member of an object.
pub(super) fn member_cell(object: &serde_json::Value, path: &str) -> Cell {
    if path.is_empty() {
        return Cell::Unknown;
    }
    let found = super::read::json::first_within(object, path);
    found.map_or(Cell::Unknown, |value| Cell::of_json(value.clone()))
}

/// A cell for a complaint, not without end.
pub(super) fn shown(cell: &Cell) -> String {
    let text = match cell {
        Cell::Nested(nested) => nested.kind().to_owned(),
        cell => cell.text().unwrap_or_default(),
    };
    text.chars().take(60).collect()
}

/// The same within a sentence: what stands there, else what it is.
pub(super) fn quoted(cell: &Cell) -> String {
    match cell {
        Cell::Nested(nested) => nested.kind().to_owned(),
        cell => format!("{:?}", shown(cell)),
    }
}
