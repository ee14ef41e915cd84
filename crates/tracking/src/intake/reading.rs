//! What was read of a message, and what stands against it.

use domain::ids::{AccountId, RawMessageId};
use domain::report::Report;
use jiff::Timestamp;
use sources::ais::Sighting;
use sources::{Parsed, Told};
use store::Tx;
use store::raw_message::{Defect, Fate, RawMessage};

use crate::{Source, Tracking, vessels};

/// How many defects of one message are kept; the rest are counted.
const DEFECTS_MAX: usize = 5_000;

/// A message that was parsed.
pub(crate) struct Reading {
    pub(super) raw: RawMessageId,
    pub(super) source: String,
    /// Whose own it is; `None`: everybody's.
    pub(super) owner: Option<AccountId>,
    received_at: Timestamp,
    pub(super) reports: Vec<Report>,
    sightings: Vec<Sighting>,
    saw_vessels: bool,
    pub(super) defects: Vec<Defect>,
    defects_left_out: usize,
    /// The defect that says why, should the message be put aside.
    decisive: Option<String>,
    pub(super) envelope_broken: bool,
}

/// Which time a message is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The first.
    First {
        /// Whose own it is; `None`: everybody's.
        owner: Option<AccountId>,
    },
    /// Another one.
    Again,
}

impl Reading {
    /// Step 2.
    pub(crate) fn of(tracking: &Tracking, source: &Source, raw: &RawMessage) -> Self {
        let mut reading = Self::begin(raw);
        let parsed = source.read(told(raw), &raw.body, raw.received_at, tracking.gazetteer());
        (reading.reports, reading.sightings) = reading.add(parsed);
        reading
    }

    /// A reading to which the parts are added as they come.
    pub(crate) fn begin(raw: &RawMessage) -> Self {
        Self {
            raw: raw.id,
            source: raw.source.clone(),
            owner: raw.account,
            received_at: raw.received_at,
            reports: Vec::new(),
            sightings: Vec::new(),
            saw_vessels: false,
            defects: Vec::new(),
            defects_left_out: 0,
            decisive: None,
            envelope_broken: false,
        }
    }

    /// The source that sent it.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The message that is read.
    pub(crate) fn raw(&self) -> RawMessageId {
        self.raw
    }

    /// Adds what the next part says against the message. What it claims and where it saw vessels comes back.
    pub(crate) fn add(&mut self, part: Parsed) -> (Vec<Report>, Vec<Sighting>) {
        self.weigh(&part);
        self.add_defects(part.defects);
        self.envelope_broken |= part.envelope_broken;
        self.saw_vessels |= !part.sightings.is_empty();
        let reports = part.reports.into_iter().map(|l| l.report).collect();
        (reports, part.sightings)
    }

    /// What breaks the message counts before what costs a row or a record, and that before a remark.
    fn weigh(&mut self, part: &Parsed) {
        let breaks = part.envelope_broken && !self.envelope_broken;
        let costs = part.decisive.is_some() && self.decisive.is_none();
        let decisive = part.defects.get(part.decisive.unwrap_or(0));
        if let Some(defect) = decisive.filter(|_| breaks || costs) {
            self.decisive = Some(format!("{}: {}", defect.place, defect.reason));
        }
    }

    fn add_defects(&mut self, defects: Vec<sources::Defect>) {
        let room = DEFECTS_MAX.saturating_sub(self.defects.len());
        self.defects_left_out += defects.len().saturating_sub(room);
        let kept = defects.into_iter().take(room).map(|defect| Defect {
            place: defect.place,
            reason: defect.reason,
        });
        self.defects.extend(kept);
        if self.defects_left_out > 0 {
            self.defects.truncate(DEFECTS_MAX);
            self.defects.push(Defect {
                place: "the end".into(),
                reason: format!("{} more defects like these", self.defects_left_out),
            });
        }
    }

    /// When all parts were added: `reports` is how many there were, `unasked` whether the message came by itself.
    pub(crate) fn end(&mut self, reports: usize, unasked: bool) {
        let nothing = reports == 0 && !self.saw_vessels;
        self.envelope_broken |= unasked && nothing && !self.defects.is_empty();
    }

    /// The reports, taken out. For a message that came by itself nobody waits for an answer: one of which
    /// nothing can be used is for a person to look at.
    pub(crate) fn take_reports(&mut self, unasked: bool) -> Vec<Report> {
        self.end(self.reports.len(), unasked);
        std::mem::take(&mut self.reports)
    }

    /// Where it saw vessels, taken out.
    pub(crate) fn take_sightings(&mut self) -> Vec<Sighting> {
        std::mem::take(&mut self.sightings)
    }

    /// What it says, with the stops that are found when the sightings of other messages are put beside these. What is new
    /// and everybody's is kept first; what is an account's own moves no ship for others.
    pub(crate) async fn with_stops(
        &self,
        tracking: &Tracking,
        source: &Source,
        said: Vec<Report>,
        sightings: &[Sighting],
        turn: Turn,
    ) -> Result<Vec<Report>, store::Error> {
        if turn == (Turn::First { owner: None }) {
            vessels::keep(tracking, sightings).await?;
        }
        let at = self.received_at;
        let is_new = turn != Turn::Again;
        vessels::stops(tracking, source, at, said, sightings, is_new).await
    }

    /// Closes a message that was read before, where it reads otherwise than then.
    pub(crate) fn close_again(&self, tx: &mut Tx, now: Timestamp) -> Result<(), store::Error> {
        let aside = match store::raw_message::fate(tx, self.raw)? {
            // It waits for its first reading.
            None => return Ok(()),
            Some(Fate::Quarantined(_)) => true,
            Some(Fate::Read) => false,
        };
        let defects = store::raw_message::defects(tx, self.raw)?;
        if aside == self.envelope_broken && defects == self.defects {
            return Ok(());
        }
        self.close(tx, now).map(drop)
    }

    /// Whether nothing of an answer could be used. One that says "service busy" with a status of success, or in which each
    /// event is broken, does not say that there is none.
    pub(crate) fn is_unreadable(&self) -> bool {
        let nothing = self.reports.is_empty() && !self.saw_vessels;
        nothing && (self.envelope_broken || !self.defects.is_empty())
    }

    /// Whether it says anything about a box or its papers.
    pub(crate) fn says_something(&self) -> bool {
        !self.reports.is_empty()
    }

    /// Why something of it could not be used.
    pub(crate) fn first_defect(&self) -> Option<&str> {
        self.defects.first().map(|defect| defect.reason.as_str())
    }

    /// Whether there is nothing to be said against the message.
    pub(crate) fn is_sound(&self) -> bool {
        !self.envelope_broken && self.defects.is_empty()
    }

    /// The message has been read, or stands in quarantine. Whether it was unread until now.
    pub(super) fn close(&self, tx: &mut Tx, now: Timestamp) -> Result<bool, store::Error> {
        match self.why_aside() {
            None => store::raw_message::mark_parsed(tx, self.raw, &self.defects),
            Some(reason) => {
                store::raw_message::quarantine(tx, self.raw, now, &reason, &self.defects)
            }
        }
    }

    /// Why it stands in quarantine; `None`: it does not.
    pub(super) fn why_aside(&self) -> Option<String> {
        let first = || {
            let defect = self.defects.first()?;
            Some(format!("{}: {}", defect.place, defect.reason))
        };
        let reason = || {
            let decisive = self.decisive.clone().or_else(first);
            decisive.unwrap_or_else(|| "the message cannot be read".to_owned())
        };
        self.envelope_broken.then(reason)
    }
}

/// How a message came: an answer has the watch that asked.
pub(super) fn told(raw: &RawMessage) -> Told {
    match raw.watch {
        Some(_) => Told::InAnswer,
        None => Told::Unasked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(defects: std::ops::Range<usize>) -> Parsed {
        let defect = |number| sources::Defect {
            place: format!("[{number}]"),
            reason: "no code".into(),
        };
        Parsed {
            defects: defects.map(defect).collect(),
            ..Parsed::default()
        }
    }

    fn message() -> RawMessage {
        RawMessage {
            id: RawMessageId(uuid::Uuid::nil()),
            source: "hub".into(),
            watch: None,
            account: None,
            question: String::new(),
            content_type: String::new(),
            received_at: Timestamp::UNIX_EPOCH,
            body: Vec::new(),
            digest: [0; 32],
        }
    }

    /// Found by a reviewer: a column that was missing stood as the reason, and the rows had no number of a box.
    #[test]
    fn the_reason_is_what_was_decisive() {
        let told = |breaks: bool, decisive, defects| Parsed {
            decisive,
            envelope_broken: breaks,
            ..part(defects)
        };
        let cases = [
            (vec![told(false, None, 0..2)], "[0]: no code"),
            (vec![told(false, Some(1), 0..3)], "[1]: no code"),
            (vec![told(true, Some(2), 0..3)], "[2]: no code"),
            (
                vec![told(false, None, 0..2), told(false, Some(1), 2..4)],
                "[3]: no code",
            ),
            (
                vec![told(false, Some(1), 0..2), told(true, None, 2..4)],
                "[2]: no code",
            ),
        ];
        for (parts, reason) in cases {
            let mut reading = Reading::begin(&message());
            for part in parts {
                reading.add(part);
            }
            reading.end(0, true);
            assert_eq!(reading.why_aside().as_deref(), Some(reason));
        }
    }

    #[test]
    fn however_much_is_wrong_a_bounded_part_of_it_is_kept_and_the_rest_counted() {
        let mut reading = Reading::begin(&message());
        reading.add(part(0..DEFECTS_MAX));
        assert_eq!(reading.defects.len(), DEFECTS_MAX);
        reading.add(part(DEFECTS_MAX..DEFECTS_MAX + 7));
        reading.add(part(0..0));
        reading.add(part(DEFECTS_MAX + 7..DEFECTS_MAX + 10));
        assert_eq!(reading.defects.len(), DEFECTS_MAX + 1);
        let [.., before, last] = reading.defects.as_slice() else {
            panic!("there are defects");
        };
        assert_eq!(before.place, format!("[{}]", DEFECTS_MAX - 1));
        assert_eq!(last.reason, "10 more defects like these");
    }
}
