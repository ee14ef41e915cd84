//! A message to reports and defects.
//!
//! A message is first taken to be sound and complete in its order. Where it turns out to be damaged, or to say
//! something about all events behind them, it is read again in the [`Way`] that fits. A long one is read
//! [`in_parts`], so that nobody has to hold all its reports at once: then what must be known of the whole before
//! anything can be given (the way, and which ids are used twice) is found out first.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use domain::place::Gazetteer;
use domain::report::{Report, ReportKey};
use jiff::Timestamp;

use super::harvest::{Harvest, Surroundings, Taker};
use super::profile::Profile;
use super::reading::Desk;
use super::recovery::{Damage, reason_of, recover};
use super::subject::{Names, Subject};
use super::wire::Event;
use crate::parsed::PART_REPORTS;
use crate::{Defect, Located, Parsed, Told};

/// About how long an event is. Only how often the list of reports grows depends on it.
const EVENT_BYTES_USUAL: usize = 1_000;

/// Reads one message. Equal arguments give equal results; nothing is asked of the outside.
pub fn parse(
    told: Told,
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    let usual = Desk {
        told,
        subject: None,
        profile,
        received_at,
        gazetteer,
    };
    let (message, odd) = text_of(bytes);
    let mut way = Way::default();
    loop {
        let desk = way.desk(&usual);
        let mut reader = Reader::new(&desk);
        reader.reports.reserve(message.len() / EVENT_BYTES_USUAL);
        match way.go(&message, &mut reader) {
            Ok(notes) => {
                if let Some(subject) = way.found_subject(&mut reader) {
                    way.subject = Some(Box::new(subject));
                    continue;
                }
                settle_ids(&mut reader.reports, &reader.revised);
                // That a letter was replaced cost nothing.
                let decisive = odd.is_some().then_some(1);
                let before = odd.into_iter().chain(notes.damages);
                return Parsed {
                    reports: reader.reports,
                    defects: before
                        .chain(reader.defects)
                        .chain(notes.strangers)
                        .collect(),
                    decisive,
                    envelope_broken: way.is_damaged(),
                    ..Parsed::default()
                };
            }
            Err(better) => way = better,
        }
    }
}

/// Messages up to this length are given whole.
const WHOLE_BYTES_MAX: usize = 256 * 1024;

/// Reads one message as [`parse`] does, and gives its reports and defects in order, some at a time. A long one is
/// read two or three times for that.
pub fn in_parts(
    told: Told,
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
    give: &mut dyn FnMut(Parsed),
) {
    if bytes.len() <= WHOLE_BYTES_MAX {
        return give(parse(told, profile, bytes, received_at, gazetteer));
    }
    let usual = Desk {
        told,
        subject: None,
        profile,
        received_at,
        gazetteer,
    };
    let (message, odd) = text_of(bytes);
    let mut way = Way::default();
    let (notes, repeated) = loop {
        let mut ids = Ids::default();
        let mut note = |part: &mut Reader<'_>| ids.note(part);
        let desk = way.desk(&usual);
        let mut parts = Parts::new(&desk, &way, &mut note);
        match way.go(&message, &mut parts) {
            Ok(notes) => match way.found_subject(&mut parts.reader) {
                Some(subject) => way.subject = Some(Box::new(subject)),
                None => break (notes, ids.repeated),
            },
            Err(better) => way = better,
        }
    };
    let desk = way.desk(&usual);
    let untrue = untrue_ids(&message, &way, &desk, &repeated);
    give(Parsed {
        decisive: odd.is_some().then_some(1),
        defects: odd.into_iter().chain(notes.damages).collect(),
        envelope_broken: way.is_damaged(),
        ..Parsed::default()
    });
    let mut pass_on = |part: &mut Reader<'_>| {
        for Located { report, .. } in &mut part.reports {
            let id = report.source_event_id.as_deref();
            if id.is_some_and(|id| untrue.contains(&digest(id))) {
                report.source_event_id = None;
            }
        }
        give(Parsed {
            reports: std::mem::take(&mut part.reports),
            defects: std::mem::take(&mut part.defects),
            envelope_broken: way.is_damaged(),
            ..Parsed::default()
        });
    };
    // The way is the right one now.
    let _ = way.go(&message, &mut Parts::new(&desk, &way, &mut pass_on));
    give(Parsed {
        defects: notes.strangers,
        envelope_broken: way.is_damaged(),
        ..Parsed::default()
    });
}

/// The message as text, and a word where it is none.
fn text_of(bytes: &[u8]) -> (Cow<'_, str>, Option<Defect>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(message) => (Cow::Borrowed(message), None),
        Err(error) => {
            // One letter in an old code page must not cost a whole message.
            let odd = Defect {
                place: format!("byte {}", error.valid_up_to()),
                reason: "not UTF-8; what could not be read was replaced".into(),
            };
            (String::from_utf8_lossy(bytes), Some(odd))
        }
    }
}

/// How a message has to be read.
#[derive(Default)]
struct Way<'m> {
    /// The first damage, where there is one.
    damaged: Option<Damage>,
    known: Surroundings<'m>,
    /// What its events are about that name nothing, where it came by itself.
    subject: Option<Box<Subject>>,
}

/// What there is to say about a message beside its events.
struct Notes {
    damages: Vec<Defect>,
    strangers: Vec<Defect>,
}

impl<'m> Way<'m> {
    fn is_damaged(&self) -> bool {
        self.damaged.is_some()
    }

    /// A desk for events that are read this way.
    fn desk<'a>(&'a self, usual: &Desk<'a>) -> Desk<'a> {
        Desk {
            subject: self.subject.as_deref(),
            ..*usual
        }
    }

    /// What the message turned out to be about, when all of it was read and that was not known. Of a damaged one nobody
    /// knows all.
    fn found_subject(&self, reader: &mut Reader<'_>) -> Option<Subject> {
        let found = std::mem::take(&mut reader.names).subject();
        found.filter(|_| self.subject.is_none() && !self.is_damaged())
    }

    /// Reads all of a message, or says how else it must be read.
    fn go(&self, message: &'m str, taker: &mut dyn Taker) -> Result<Notes, Self> {
        let (learned, events, notes) = match &self.damaged {
            None => self.straight(message, taker)?,
            Some(first) => self.around(first, message, taker),
        };
        if self.known.is_empty() && !learned.is_empty() && events > 0 {
            return Err(Self {
                damaged: self.damaged.clone(),
                known: learned,
                subject: None,
            });
        }
        Ok(notes)
    }

    fn straight(
        &self,
        message: &'m str,
        taker: &mut dyn Taker,
    ) -> Result<(Surroundings<'m>, usize, Notes), Self> {
        let mut harvest = Harvest::begin(&self.known, taker);
        if let Err(error) = harvest.whole(message) {
            let damage = Damage {
                line: error.line(),
                column: error.column(),
                reason: reason_of(&error),
            };
            return Err(Self {
                damaged: Some(damage),
                known: Surroundings::default(),
                subject: None,
            });
        }
        let strangers = harvest.strangers.into_iter().map(|path| Defect {
            place: if path.is_empty() {
                "the message".into()
            } else {
                path
            },
            reason: "nothing here is an event".into(),
        });
        let left_out = harvest.strangers_left_out;
        let more = (left_out > 0).then(|| Defect {
            place: "the end".into(),
            reason: format!("{left_out} more like these"),
        });
        let notes = Notes {
            damages: Vec::new(),
            strangers: strangers.chain(more).collect(),
        };
        Ok((harvest.learned, harvest.events, notes))
    }

    /// Around the damages.
    fn around(
        &self,
        first: &Damage,
        message: &'m str,
        taker: &mut dyn Taker,
    ) -> (Surroundings<'m>, usize, Notes) {
        let (learned, events, mut damages) = recover(message, &self.known, taker);
        if damages.is_empty() {
            damages.push(first.clone());
        }
        let notes = Notes {
            damages: damages.into_iter().map(damage_defect).collect(),
            strangers: Vec::new(),
        };
        (learned, events, notes)
    }
}

fn damage_defect(damage: Damage) -> Defect {
    Defect {
        place: format!("line {} column {}", damage.line, damage.column),
        reason: damage.reason,
    }
}

/// Makes reports of events.
struct Reader<'d> {
    desk: &'d Desk<'d>,
    reports: Vec<Located>,
    /// Of each report, whether its id is one that its source revises.
    revised: Vec<bool>,
    defects: Vec<Defect>,
    names: Names,
    /// How many of both count already.
    settled: (usize, usize),
}

impl<'d> Reader<'d> {
    fn new(desk: &'d Desk<'d>) -> Self {
        Self {
            desk,
            reports: Vec::new(),
            revised: Vec::new(),
            defects: Vec::new(),
            names: Names::default(),
            settled: (0, 0),
        }
    }
}

impl Taker for Reader<'_> {
    fn take(&mut self, event: &Event<'_>, position: &str) {
        let Self {
            desk,
            reports,
            revised,
            defects,
            names,
            ..
        } = self;
        desk.read(event, position, names, defects, &mut |report| {
            revised.push(event.updated.is_some());
            reports.push(Located {
                position: position.to_owned(),
                report,
            });
        });
    }

    fn settle(&mut self, counts: bool) {
        if !counts {
            let (reports, defects) = self.settled;
            self.reports.truncate(reports);
            self.revised.truncate(reports);
            self.defects.truncate(defects);
        }
        self.settled = (self.reports.len(), self.defects.len());
    }
}

/// Gives away reports and defects whenever there are enough of them. Who gets them empties the reader.
struct Parts<'d, 'g> {
    reader: Reader<'d>,
    /// In a sound message everything counts at once.
    is_sound: bool,
    give: &'g mut dyn FnMut(&mut Reader<'d>),
}

impl<'d, 'g> Parts<'d, 'g> {
    fn new(desk: &'d Desk<'d>, way: &Way<'_>, give: &'g mut dyn FnMut(&mut Reader<'d>)) -> Self {
        Self {
            reader: Reader::new(desk),
            is_sound: !way.is_damaged(),
            give,
        }
    }

    fn give_away(&mut self) {
        (self.give)(&mut self.reader);
        self.reader.reports.clear();
        self.reader.revised.clear();
        self.reader.defects.clear();
        self.reader.settled = (0, 0);
    }

    fn is_full(&self) -> bool {
        self.reader.reports.len() + self.reader.defects.len() >= PART_REPORTS
    }
}

impl Taker for Parts<'_, '_> {
    fn take(&mut self, event: &Event<'_>, position: &str) {
        self.reader.take(event, position);
        if self.is_sound && self.is_full() {
            self.give_away();
        }
    }

    fn settle(&mut self, counts: bool) {
        self.reader.settle(counts);
        self.give_away();
    }
}

fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// The ids of a message, as digests.
#[derive(Default)]
struct Ids {
    seen: HashSet<u64>,
    repeated: HashSet<u64>,
}

impl Ids {
    fn note(&mut self, part: &mut Reader<'_>) {
        for Located { report, .. } in &part.reports {
            let id = report.source_event_id.as_deref();
            if let Some(id) = id.map(digest)
                && !self.seen.insert(id)
            {
                self.repeated.insert(id);
            }
        }
    }
}

/// Which of the repeated ids do not mean one happening.
fn untrue_ids<'m>(
    message: &'m str,
    way: &Way<'m>,
    desk: &Desk<'_>,
    repeated: &HashSet<u64>,
) -> HashSet<u64> {
    if repeated.is_empty() {
        return HashSet::new();
    }
    let mut writings: HashMap<u64, Vec<Writing>> = HashMap::new();
    let mut note = |part: &mut Reader<'_>| {
        for (Located { report, .. }, revised) in part.reports.iter().zip(&part.revised) {
            let id = report.source_event_id.as_deref();
            if let Some(id) = id.map(digest).filter(|id| repeated.contains(id)) {
                let writing = Writing::of(report, *revised);
                writings.entry(id).or_default().push(writing);
            }
        }
    };
    let _ = way.go(message, &mut Parts::new(desk, way, &mut note));
    let untrue = writings.into_iter().filter(|(_, same)| !are_one(same));
    untrue.map(|(id, _)| id).collect()
}

/// An id counts only when it means one happening. Where a message gives one id to two, neither keeps it, and
/// what they are is told from what they say. But where the source says when it last wrote a record, two
/// writings of one id are a record and its correction, however different they are.
fn settle_ids(reports: &mut [Located], revised: &[bool]) {
    let mut first_of: HashMap<&str, usize> = HashMap::with_capacity(reports.len());
    let mut repeated: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, located) in reports.iter().enumerate() {
        let Some(id) = located.report.source_event_id.as_deref() else {
            continue;
        };
        match first_of.entry(id) {
            Entry::Vacant(first) => drop(first.insert(index)),
            Entry::Occupied(first) => {
                let same = repeated.entry(id).or_insert_with(|| vec![*first.get()]);
                same.push(index);
            }
        }
    }
    let untrue: Vec<usize> = repeated
        .into_values()
        .filter(|same| {
            let writing = |index: &usize| {
                let (located, revised) = (reports.get(*index)?, revised.get(*index)?);
                Some(Writing::of(&located.report, *revised))
            };
            !are_one(&same.iter().filter_map(writing).collect::<Vec<_>>())
        })
        .flatten()
        .collect();
    for index in untrue {
        if let Some(located) = reports.get_mut(index) {
            located.report.source_event_id = None;
        }
    }
}

/// One use of an id.
struct Writing {
    written: Option<Timestamp>,
    revised: bool,
    happening: ReportKey,
}

impl Writing {
    fn of(report: &Report, revised: bool) -> Self {
        Self {
            written: report.reported_at,
            revised,
            happening: happening(report),
        }
    }
}

/// Whether these uses of one id mean one happening: they say the same, or are writings of one record, each with a
/// time of its own.
fn are_one(same: &[Writing]) -> bool {
    let mut times: Vec<Timestamp> = same.iter().filter_map(|writing| writing.written).collect();
    times.sort_unstable();
    times.dedup();
    let are_writings = times.len() == same.len() && same.iter().all(|writing| writing.revised);
    let mut happenings = same.iter().map(|writing| writing.happening);
    let first = happenings.next();
    are_writings || happenings.all(|next| Some(next) == first)
}

/// Identity without the source's id.
fn happening(report: &Report) -> ReportKey {
    let mut bare = report.clone();
    bare.source_event_id = None;
    bare.key()
}
