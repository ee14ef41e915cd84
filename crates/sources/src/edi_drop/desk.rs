//! What every record of a file is read with, and how a claim is begun, dated and put down.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;

use domain::codes::{ContainerNumber, UnLocode};
use domain::place::{Gazetteer, Terminal};
use domain::report::{
    Classifier, Doubt, Equipment, Leg, Occurred, Place, Precision, References, Report, SourceKind,
    Verb, ZoneSource,
};
use edi::Segment;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::numbers::is_nobodys;
use super::profile::Profile;
use super::said_before::SaidBefore;
use super::time::{Clock, is_plausible};
use super::whereabouts::Known;
use crate::{Defect, Located, Parsed, country_codes, towns};

/// How far ahead of its receipt an actual is still believed, and a time of writing used.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// Claims and faults of one message at most. A message says of each of its boxes what it says of all, so that a short one may ask
/// for millions; what carriers and terminals send makes some thousands.
const CLAIMS_MAX: usize = 50_000;
/// Segments looked at for one message at most, each as often as it is looked at for another record.
const LOOKS_MAX: usize = 5_000_000;

/// What every record of a file is read with.
pub(super) struct Desk<'a> {
    pub(super) profile: &'a Profile,
    pub(super) received_at: Timestamp,
    pub(super) gazetteer: &'a Gazetteer,
    known: OnceCell<Known<'a>>,
    /// Segments that may still be looked at for the message in hand; `None` when it was said that the rest is not read.
    looks: Cell<Option<usize>>,
    /// Segments of the message in hand, by their number, of which it was said what is wrong with them.
    faulty: RefCell<BTreeSet<u32>>,
    /// What earlier messages of the file said.
    pub(super) said_before: SaidBefore,
}

/// Why a record is not used.
pub(super) type Fault = String;

/// What the clocks of a state say.
pub(super) type Region = Option<(TimeZone, ZoneSource)>;

/// A claim that is being made.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) report: Report,
    /// What the clocks of its state say, where no more is known of the place.
    pub(super) region: Region,
}

impl<'a> Desk<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        received_at: Timestamp,
        gazetteer: &'a Gazetteer,
    ) -> Self {
        Self {
            profile,
            received_at,
            gazetteer,
            known: OnceCell::new(),
            looks: Cell::new(Some(LOOKS_MAX)),
            faulty: RefCell::default(),
            said_before: SaidBefore::default(),
        }
    }

    /// Another message is read.
    pub(super) fn begin(&self) {
        self.looks.set(Some(LOOKS_MAX));
        self.faulty.borrow_mut().clear();
    }

    /// Whether the record that begins with this segment is read, for which so many segments are looked at. The first that is not
    /// is a fault, and no further one of its message is read.
    pub(super) fn goes_on(&self, parsed: &mut Parsed, at: &Segment<'_>, segments: usize) -> bool {
        let Some(left) = self.looks.get() else {
            return false;
        };
        let has_room = parsed.reports.len() + parsed.defects.len() < CLAIMS_MAX;
        let left = left.checked_sub(segments.max(1)).filter(|_| has_room);
        self.looks.set(left);
        if left.is_none() {
            fault(
                parsed,
                at,
                format!(
                    "the message says too much of too many boxes: from here on it is not read, so split it (at most {CLAIMS_MAX} claims)"
                ),
            );
        }
        left.is_some()
    }

    /// Puts down what is wrong with a segment that is said of many boxes: once.
    pub(super) fn fault_once(&self, parsed: &mut Parsed, at: &Segment<'_>, reason: Fault) {
        if self.faulty.borrow_mut().insert(at.place.number) {
            fault(parsed, at, reason);
        }
    }

    /// Puts down what a date of the way claims, or once what is wrong with it.
    pub(super) fn put_date(
        &self,
        parsed: &mut Parsed,
        at: &Segment<'_>,
        told: Result<Draft, Fault>,
    ) {
        match told {
            Ok(draft) => put(parsed, at, Ok(vec![draft])),
            Err(reason) => self.fault_once(parsed, at, reason),
        }
    }

    /// Places by name and terminals by port.
    pub(super) fn known(&self) -> &Known<'a> {
        self.known.get_or_init(|| Known::of(self.gazetteer))
    }

    /// A claim that says nothing yet.
    pub(super) fn draft(&self, kind: SourceKind, written: Option<Timestamp>) -> Draft {
        Draft {
            region: None,
            report: Report {
                source: self.profile.id.clone(),
                source_kind: kind,
                source_event_id: None,
                retracts: None,
                reported_at: written,
                received_at: self.received_at,
                verb: Verb::Document,
                classifier: Classifier::Actual,
                occurred: None,
                equipment: None,
                place: Place::default(),
                leg: Leg::default(),
                move_hint: None,
                references: References {
                    scac: self.profile.scac,
                    ..References::default()
                },
                original: String::new(),
                value: None,
                doubts: Vec::new(),
                position: None,
            },
        }
    }

    /// When a file or message was written; nothing, when that cannot be true.
    pub(super) fn written(&self, clock: Option<Clock>) -> Option<Timestamp> {
        let here = self.zone_of_sender();
        let at = clock?.resolve(here)?.at;
        let sound =
            is_plausible(at, self.received_at) && at.duration_since(self.received_at) <= AHEAD_MAX;
        sound.then_some(at)
    }

    /// Whether the sender's operator does not want this code to be read.
    pub(super) fn ignores(&self, code: &str) -> bool {
        self.profile.quirks.ignored_codes.contains(code)
    }

    /// Dates a claim; what is wrong with the time is the fault of its record.
    pub(super) fn date(&self, draft: &mut Draft, clock: Clock) -> Result<(), Fault> {
        let quirks = &self.profile.quirks;
        let mut clock = if quirks.date_only {
            clock.whole_day()
        } else {
            clock
        };
        if quirks.tags_are_wrong {
            clock.said = None;
        }
        let shown = clock.local;
        let here = self.here(draft);
        let occurred = clock
            .resolve(here)
            .filter(|occurred| is_plausible(occurred.at, self.received_at))
            .ok_or_else(|| format!("{shown} cannot be true"))?;
        let doubts = &mut draft.report.doubts;
        if occurred.zone_source == ZoneSource::Unknown {
            doubts.push(Doubt::ZoneUnknown);
        }
        let ahead = occurred.at.duration_since(self.received_at);
        let foretells = matches!(
            draft.report.verb,
            Verb::LastFreeDay | Verb::Appointment | Verb::Document
        );
        let actual = draft.report.classifier == Classifier::Actual;
        if actual && !foretells && ahead > SignedDuration::ZERO {
            let far = ahead > AHEAD_MAX;
            doubts.push(if far {
                Doubt::DowngradedToEstimate
            } else {
                Doubt::InFuture
            });
        }
        draft.report.occurred = Some(occurred);
        Ok(())
    }

    /// Dates a claim of which only the envelope of its message tells anything: when it was written. The clock is that of the
    /// sender. Nothing was written after it was received.
    pub(super) fn date_by_envelope(&self, draft: &mut Draft, written: Timestamp) {
        let at = written.min(self.received_at);
        let (zone, zone_source) = self
            .zone_of_sender()
            .unwrap_or((TimeZone::UTC, ZoneSource::Unknown));
        if zone_source == ZoneSource::Unknown {
            draft.report.doubts.push(Doubt::ZoneUnknown);
        }
        draft.report.occurred = Some(Occurred {
            at,
            local: at.to_zoned(zone).datetime(),
            zone_source,
            precision: Precision::Minute,
        });
    }

    /// Whether a time may be one of its message, wherever it is.
    pub(super) fn is_time(&self, clock: Clock) -> bool {
        let occurred = clock.resolve(None);
        occurred.is_some_and(|occurred| is_plausible(occurred.at, self.received_at))
    }

    /// What the clocks of a claim's place say: as far as the tables know it, else what its sender writes, else what its state or
    /// its country keeps.
    pub(super) fn here(&self, draft: &Draft) -> Option<(TimeZone, ZoneSource)> {
        let place = &draft.report.place;
        let known = place
            .locode
            .is_some_and(|code| self.gazetteer.port(code).is_some());
        let own = self.zone_at(place);
        let sure = own.clone().filter(|_| known);
        sure.or(self.zone_of_sender())
            .or(draft.region.clone())
            .or(own)
            .or_else(|| self.zone_nearby(place))
    }

    /// What most clocks near a code with digits say: it may be a terminal's own, whose first letters name no country.
    fn zone_nearby(&self, place: &Place) -> Option<(TimeZone, ZoneSource)> {
        let name = self.gazetteer.zone_of_country(place.locode?)?;
        Some((TimeZone::get(name).ok()?, ZoneSource::Unknown))
    }

    /// The zone of a place: its terminal's, else its own, else that of its country.
    pub(super) fn zone_at(&self, place: &Place) -> Option<(TimeZone, ZoneSource)> {
        let name = self.zone_name(place)?;
        Some((TimeZone::get(name).ok()?, ZoneSource::Location))
    }

    pub(super) fn zone_name(&self, place: &Place) -> Option<&'a str> {
        let locode = place.locode?;
        let code = place.facility_code.as_deref();
        let terminal = code.and_then(|code| self.terminal(locode, code));
        terminal
            .map(|terminal| terminal.zone.as_str())
            .or_else(|| self.gazetteer.zone(locode))
    }

    /// The terminal that a code means at a port.
    pub(super) fn terminal(&self, port: UnLocode, code: &str) -> Option<&'a Terminal> {
        let given = code.trim();
        let is = |known: &Option<String>| {
            known
                .as_deref()
                .is_some_and(|known| known.eq_ignore_ascii_case(given))
        };
        let mut all = self.known().terminals_in(self.gazetteer.canonical(port));
        all.find(|t| is(&t.smdg_code) || is(&t.bic_facility_code) || is(&t.firms_code))
    }

    /// The zone of a state. Where a part of it keeps another time the zone of most of it is nearer than none, and not sure.
    pub(super) fn region(&self, state: &str, country: &str) -> Region {
        let country = country_codes::country(country);
        let clocks = self.gazetteer.state_zone(&country, &towns::state(state))?;
        let sure = if clocks.split {
            ZoneSource::Unknown
        } else {
            ZoneSource::Location
        };
        Some((TimeZone::get(&clocks.zone).ok()?, sure))
    }

    pub(super) fn zone_of_sender(&self) -> Option<(TimeZone, ZoneSource)> {
        let zone = self.profile.quirks.zone.clone()?;
        Some((zone, ZoneSource::Location))
    }
}

impl Draft {
    /// A claim in the words of the source.
    #[must_use]
    pub(super) fn says(mut self, verb: Verb, original: String) -> Self {
        self.report.verb = verb;
        self.report.original = original;
        self
    }

    /// About this box.
    pub(super) fn about(&mut self, written: &str) -> Result<(), Fault> {
        let (number, fits) =
            ContainerNumber::from_feed(written).map_err(|error| error.to_string())?;
        if is_nobodys(written) {
            return Err(format!("{number} stands for a box that nobody named"));
        }
        if !fits {
            self.report.doubts.push(Doubt::CheckDigit);
        }
        self.report.equipment = Some(Equipment {
            number,
            iso_type: None,
            laden: None,
            seals: Vec::new(),
            gross_kg: None,
        });
        Ok(())
    }

    /// At this place.
    pub(super) fn at(&mut self, place: &Place, gazetteer: &Gazetteer) {
        let named = place.name.is_some() || place.facility_code.is_some();
        let told = place.locode.is_some() || named;
        let unknown = place
            .locode
            .is_none_or(|code| gazetteer.port(code).is_none());
        if told && unknown {
            self.report.doubts.push(Doubt::PlaceUnknown);
        }
        self.report.place = place.clone();
    }

    /// Whether goods are in it.
    pub(super) fn laden(&mut self, laden: Option<bool>) {
        if let (Some(equipment), Some(laden)) = (&mut self.report.equipment, laden) {
            equipment.laden = Some(laden);
        }
    }
}

/// Which segment it is, for people.
pub(super) fn position(segment: &Segment<'_>) -> String {
    format!("segment {} {}", segment.place.number, segment.tag())
}

/// The same with line and column.
pub(super) fn place_of(segment: &Segment<'_>) -> String {
    let edi::Place { line, column, .. } = segment.place;
    format!("{} (line {line} column {column})", position(segment))
}

/// Puts a claim down with its place in the file, or what is wrong with it.
pub(super) fn put(parsed: &mut Parsed, segment: &Segment<'_>, drafts: Result<Vec<Draft>, Fault>) {
    match drafts {
        Ok(drafts) => {
            let place = segment.place.number;
            let put_down = drafts.into_iter().map(|Draft { mut report, .. }| {
                report.position = Some(place);
                Located {
                    position: position(segment),
                    report,
                }
            });
            parsed.reports.extend(put_down);
        }
        Err(reason) => fault(parsed, segment, reason),
    }
}

/// Puts down what is wrong.
pub(super) fn fault(parsed: &mut Parsed, segment: &Segment<'_>, reason: impl Into<String>) {
    parsed.defects.push(Defect {
        place: place_of(segment),
        reason: reason.into(),
    });
}
