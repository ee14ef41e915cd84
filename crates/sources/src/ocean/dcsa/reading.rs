//! One event to the reports it makes.
//!
//! Three things keep a record from being used, and then it is a defect and nothing else: no usable time, no
//! reference to anything, or (for moves) a classifier that is none. Everything else that is odd is either
//! left out or kept with a doubt: what the carrier said about a box with a wrong check digit is still what
//! the carrier said.

use std::collections::BTreeSet;

use domain::place::Gazetteer;
use domain::report::{
    Classifier, Doubt, Leg, Occurred, References, Report, SourceKind, ZoneSource,
};
use jiff::{SignedDuration, Timestamp};

use super::boxes::{NamedBox, NamedBoxes, per_box};
use super::code::Kind;
use super::meaning::Meaning;
use super::profile::{Profile, Quirks};
use super::references::{is_bare, references};
use super::subject::{Names, Subject};
use super::text::{clean, cleaned, meant, trimmed};
use super::time;
use super::whereabouts::{leg, move_hint, place};
use super::wire::{Event, Party};
use super::words::Words;
use crate::{Defect, Told};

/// How far ahead of its receipt an actual is still believed, and a created time used.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// How many producers of one event make up its id.
const PARTIES_PER_EVENT_MAX: usize = 10;

/// What every event of a message is read with.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    pub(super) told: Told,
    /// What an unasked message is about, where it is found to be about one thing.
    pub(super) subject: Option<&'a Subject>,
    pub(super) profile: &'a Profile,
    pub(super) received_at: Timestamp,
    pub(super) gazetteer: &'a Gazetteer,
}

/// A member and what is wrong with it.
pub(super) type Fault = (&'static str, String);

impl Desk<'_> {
    /// Gives the reports of one event; what could not be used goes to `defects`, and what it names to `names`.
    pub(super) fn read(
        &self,
        event: &Event<'_>,
        position: &str,
        names: &mut Names,
        defects: &mut Vec<Defect>,
        give: &mut dyn FnMut(Report),
    ) {
        let mut notes = Vec::new();
        let fault = self.reports(event, names, &mut notes, give).err();
        defects.extend(
            fault
                .into_iter()
                .chain(notes)
                .map(|(member, reason)| Defect {
                    place: format!("{position}{member}"),
                    reason,
                }),
        );
    }

    fn reports(
        &self,
        event: &Event<'_>,
        names: &mut Names,
        notes: &mut Vec<Fault>,
        give: &mut dyn FnMut(Report),
    ) -> Result<(), Fault> {
        let meaning = Meaning::of(event);
        let mut references = references(event, self.profile);
        let kind = match &meaning {
            Ok(meaning) => meaning.kind,
            Err(_) => Words::of(event).kind,
        };
        let named = NamedBoxes::of(event, kind);
        if self.is_first_unasked() {
            names.note(&named, &references);
        }
        let meaning = meaning?;
        let mut boxes = named.usable(event, kind, notes)?;
        let call = event.calls.first().unwrap_or(&event.flat_call);
        let mut leg_doubts = Vec::new();
        let leg = leg(event, call, &mut leg_doubts);
        if boxes.is_empty() && is_bare(&references) && !event.withdraws() {
            let call = (&leg, meaning.classifier);
            self.settle_nameless(kind, call, names, &mut boxes, &mut references)?;
        } else if !boxes.is_empty() && self.is_first_unasked() {
            names.note_ship(&leg, meaning.classifier);
        }
        let id = self.event_id(event);
        if event.is_withdrawn() && event.retracted_id.is_none() && id.is_none() {
            // Kept, it would claim what it takes back.
            return Err((".eventID", "it takes back what it does not name".into()));
        }
        let mut doubts = Vec::new();
        let place = place(event, call, self.gazetteer, &mut doubts);
        doubts.append(&mut leg_doubts);
        let spot = time::Spot {
            gazetteer: self.gazetteer,
            locode: place.locode,
            facility: place.facility_code.as_deref(),
        };
        let occurred = match self.occurred(event, spot) {
            Err(_) if event.withdraws() => None,
            occurred => Some(occurred?),
        };
        if let Some(occurred) = &occurred {
            self.doubt_time(occurred, meaning.classifier, &mut doubts);
        }
        if meaning.unmapped {
            doubts.push(Doubt::Unmapped);
        }
        let report = Report {
            source: self.profile.id.clone(),
            source_kind: if event.version_3 {
                SourceKind::Dcsa3
            } else {
                SourceKind::Dcsa2
            },
            source_event_id: id,
            retracts: clean(&event.retracted_id),
            reported_at: self.reported_at(event, spot, notes),
            received_at: self.received_at,
            verb: meaning.verb,
            classifier: meaning.classifier,
            occurred,
            equipment: None,
            place,
            leg,
            move_hint: move_hint(event),
            references,
            original: meaning.original,
            value: meaning.value,
            doubts,
            position: None,
        };
        per_box(report, boxes, event, meaning.laden, give);
        Ok(())
    }

    /// Whether an unasked message is read for the first time, to see what it is about.
    fn is_first_unasked(&self) -> bool {
        self.told == Told::Unasked && self.subject.is_none()
    }

    /// Finds out what an event is about that names nothing. Only a paper or a call of the ship may be told so: of what
    /// happened to a box it must be said to which.
    fn settle_nameless(
        &self,
        kind: Option<Kind>,
        (leg, classifier): (&Leg, Classifier),
        names: &mut Names,
        boxes: &mut Vec<NamedBox>,
        references: &mut References,
    ) -> Result<(), Fault> {
        let may_be_nameless = matches!(kind, Some(Kind::Transport | Kind::Shipment));
        if may_be_nameless && self.told == Told::InAnswer {
            return Ok(());
        }
        if may_be_nameless {
            names.note_nameless();
            if let Some(subject) = self.subject {
                subject.lend_papers(references);
                // A paper is the bill's, whichever box is on it.
                if kind == Some(Kind::Transport) {
                    boxes.extend(subject.box_aboard(leg, classifier));
                }
            }
        }
        if boxes.is_empty() && is_bare(references) {
            let reason = "it names no box, bill, booking or other reference";
            return Err(("", reason.into()));
        }
        Ok(())
    }

    /// The event's id, if it is one. In version 3 ids are the producers', and one feed may carry several.
    fn event_id(&self, event: &Event<'_>) -> Option<String> {
        let quirks = self.profile.quirks;
        let id = clean(&event.id).filter(|_| !quirks.ids_unusable)?;
        if quirks.ids_numeric_only && !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(match producers(&event.producers) {
            Some(producers) => format!("{producers}:{id}"),
            None => id,
        })
    }

    fn occurred(&self, event: &Event<'_>, spot: time::Spot<'_>) -> Result<Occurred, Fault> {
        const MEMBER: &str = ".eventDateTime";
        let text = trimmed(&event.date_time).ok_or((MEMBER, "there is no time".to_owned()))?;
        let shown = || text.chars().take(40).collect::<String>();
        let quirks = self.profile.quirks;
        let read = time::read(text).map(|clock| match &event.id {
            // An id made up of the time may have the offset that is not behind the time itself.
            Some(id) if quirks.z_is_local => time::with_offset_in(id, clock),
            _ => clock,
        });
        let occurred = read
            .and_then(|clock| time::resolve(clock, spot, quirks))
            .ok_or_else(|| (MEMBER, format!("{:?} is no time", shown())))?;
        if !time::is_plausible(occurred.at, self.received_at) {
            return Err((MEMBER, format!("{} cannot be true", shown())));
        }
        Ok(occurred)
    }

    /// When the carrier wrote the record. A created time outside all sense is left out, with a word.
    fn reported_at(
        &self,
        event: &Event<'_>,
        spot: time::Spot<'_>,
        notes: &mut Vec<Fault>,
    ) -> Option<Timestamp> {
        if self.profile.quirks.created_is_event {
            return None;
        }
        let (member, slot) = match &event.updated {
            Some(_) => (".eventUpdatedDateTime", &event.updated),
            None => (".eventCreatedDateTime", &event.created),
        };
        let text = trimmed(slot)?;
        let told = time::read(text)
            .and_then(|clock| {
                let whole = Quirks {
                    date_only: false,
                    midnight_is_date: false,
                    ..self.profile.quirks
                };
                time::resolve(clock, spot, whole)
            })
            .map(|told| told.at)
            .filter(|at| time::is_plausible(*at, self.received_at))
            .filter(|at| at.duration_since(self.received_at) <= AHEAD_MAX);
        if told.is_none() {
            let shown: String = text.chars().take(40).collect();
            notes.push((
                member,
                format!("{shown:?} cannot be used; the claim is kept without it"),
            ));
        }
        told
    }

    fn doubt_time(&self, occurred: &Occurred, classifier: Classifier, doubts: &mut Vec<Doubt>) {
        if occurred.zone_source == ZoneSource::Unknown {
            doubts.push(Doubt::ZoneUnknown);
        }
        let ahead = occurred.at.duration_since(self.received_at);
        if classifier == Classifier::Actual && ahead > SignedDuration::ZERO {
            doubts.push(if ahead > AHEAD_MAX {
                Doubt::DowngradedToEstimate
            } else {
                Doubt::InFuture
            });
        }
    }
}

/// Who wrote an event, in one order whatever the order they are named in.
fn producers(parties: &[Party<'_>]) -> Option<String> {
    let party = |party: &Party<'_>| {
        let mut named = clean(&party.code)?;
        for list in [&party.list_provider, &party.list] {
            if let Some(list) = meant(list) {
                named.push('/');
                named.push_str(&cleaned(list));
            }
        }
        Some(named)
    };
    let named = parties.iter().take(PARTIES_PER_EVENT_MAX);
    let named: BTreeSet<String> = named.filter_map(party).collect();
    let named: Vec<String> = named.into_iter().collect();
    Some(named.join("+")).filter(|named| !named.is_empty())
}
