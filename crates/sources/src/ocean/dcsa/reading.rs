//! One event to the reports it makes.
//!
//! Three things keep a record from being used, and then it is a defect and nothing else: no usable time, no
//! reference to anything, or (for moves) a classifier that is none. Everything else that is odd is either
//! left out or kept with a doubt: what the carrier said about a box with a wrong check digit is still what
//! the carrier said.

use std::borrow::Cow;

use domain::codes::{ContainerNumber, ImoNumber, UnLocode};
use domain::container::{Hold, HoldStatus};
use domain::place::Gazetteer;
use domain::report::{
    Classifier, Doubt, Equipment, Leg, MoveHint, Occurred, Place, References, Report, SourceKind,
    Value, Verb,
};
use jiff::{SignedDuration, Timestamp};

use super::Defect;
use super::code::{self, Kind};
use super::profile::Profile;
use super::time;
use super::wire::{Call, Event, Reference, Spot, Text};

/// Longer texts are cut: no field of the trade is longer, and a hostile one must not be stored many times.
const TEXT_CHARS_MAX: usize = 255;
/// How many boxes one event may name.
const BOXES_PER_EVENT_MAX: usize = 200;
/// How many numbers of one kind are kept.
const REFERENCES_PER_EVENT_MAX: usize = 50;
/// How far ahead of its receipt an actual is still believed, and a created time used.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// What every event of a message is read with.
pub(super) struct Desk<'a> {
    pub(super) profile: &'a Profile,
    pub(super) received_at: Timestamp,
    pub(super) gazetteer: &'a Gazetteer,
}

/// A member and what is wrong with it.
pub(super) type Fault = (&'static str, String);

impl Desk<'_> {
    /// The reports of one event; what could not be used goes to `defects`.
    pub(super) fn read(
        &self,
        event: &Event<'_>,
        position: &str,
        defects: &mut Vec<Defect>,
    ) -> Vec<Report> {
        let mut notes = Vec::new();
        let read = self.reports(event, &mut notes);
        let (reports, fault) = match read {
            Ok(reports) => (reports, None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        defects.extend(
            fault
                .into_iter()
                .chain(notes)
                .map(|(member, reason)| Defect {
                    place: format!("{position}{member}"),
                    reason,
                }),
        );
        reports
    }

    fn reports(&self, event: &Event<'_>, notes: &mut Vec<Fault>) -> Result<Vec<Report>, Fault> {
        let meaning = Meaning::of(event)?;
        let references = references(event, self.profile);
        let boxes = boxes(event, meaning.kind, notes)?;
        if boxes.is_empty() && is_bare(&references) && event.retracted_id.is_none() {
            return Err((
                "",
                "it names no box, bill, booking or other reference".into(),
            ));
        }
        let mut doubts = Vec::new();
        let call = event.calls.first().unwrap_or(&event.flat_call);
        let place = place(event, call, self.gazetteer, &mut doubts);
        let leg = leg(event, call, &mut doubts);
        let spot = time::Spot {
            gazetteer: self.gazetteer,
            locode: place.locode,
            facility: place.facility_code.as_deref(),
        };
        let occurred = match self.occurred(event, spot) {
            Err(_) if event.retracted_id.is_some() => None,
            occurred => Some(occurred?),
        };
        if let Some(occurred) = &occurred {
            self.doubt_time(occurred, meaning.classifier, &mut doubts);
        }
        if meaning.unmapped {
            doubts.push(Doubt::Unmapped);
        }
        let id = self.event_id(event);
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
        };
        Ok(per_box(report, boxes, event, meaning.laden))
    }

    fn event_id(&self, event: &Event<'_>) -> Option<String> {
        clean(&event.id).filter(|_| !self.profile.quirks.ids_unusable)
    }

    fn occurred(&self, event: &Event<'_>, spot: time::Spot<'_>) -> Result<Occurred, Fault> {
        const MEMBER: &str = ".eventDateTime";
        let text = trimmed(&event.date_time).ok_or((MEMBER, "there is no time".to_owned()))?;
        let shown = || text.chars().take(40).collect::<String>();
        let occurred = time::read(text)
            .and_then(|clock| time::resolve(clock, spot, self.profile.quirks))
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
                let whole = super::profile::Quirks {
                    date_only: false,
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
        if occurred.zone_source == domain::report::ZoneSource::Unknown {
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

/// What an event says, apart from when, where and about which box.
struct Meaning {
    kind: Option<Kind>,
    verb: Verb,
    classifier: Classifier,
    laden: Option<bool>,
    value: Option<Value>,
    original: String,
    unmapped: bool,
}

impl Meaning {
    fn of(event: &Event<'_>) -> Result<Self, Fault> {
        let words = Words::of(event);
        let classifier = words.classifier(event)?;
        let laden = trimmed(&words.empty).and_then(code::laden);
        let mut meaning = Self {
            kind: words.kind,
            verb: Verb::Document,
            classifier,
            laden,
            value: None,
            original: words.original(),
            unmapped: false,
        };
        match words.kind {
            Some(Kind::Equipment) => meaning.equipment(words.code, event),
            Some(Kind::Transport) => {
                let verb = code::transport(words.code, classifier);
                meaning.or_words(verb, event);
            }
            Some(Kind::Shipment) => meaning.shipment(words.code, event),
            Some(Kind::Reading) => {}
            None if event.retracted_id.is_some() => meaning.original = "RETRACTION".into(),
            None => meaning.unmapped = true,
        }
        Ok(meaning)
    }

    fn equipment(&mut self, code: &str, event: &Event<'_>) {
        self.or_words(code::equipment(code), event);
        if matches!(self.verb, Verb::HoldSet | Verb::HoldClear) {
            let words = clean(&event.reason).or_else(|| clean(&event.description));
            self.value = Some(Value::Hold(code::customs_hold(code, words)));
        }
    }

    fn shipment(&mut self, code: &str, event: &Event<'_>) {
        let document = trimmed(&event.document_kind).or_else(|| {
            event
                .documents
                .first()
                .and_then(|reference| trimmed(&reference.kind))
        });
        let document = code::upper(document.unwrap_or_default());
        let document = document.as_str();
        self.original = format!("{}/{document}", self.original);
        let Some((verb, hold)) = code::shipment(code, document) else {
            self.unmapped = true;
            return;
        };
        self.verb = verb;
        let dead = matches!(
            code::upper(code).as_str(),
            "CANC" | "CANCELLED" | "VOID" | "VOIDED"
        );
        self.value = match hold {
            Some(name) => Some(Value::Hold(Hold {
                name,
                status: HoldStatus::Hold,
                description: clean(&event.reason),
            })),
            None => (dead && document == "BKG").then_some(Value::BookingCancelled),
        };
    }

    /// The verb of the code, else of the carrier's own sentence, else a document with a doubt.
    fn or_words(&mut self, verb: Option<Verb>, event: &Event<'_>) {
        let sentence = trimmed(&event.description).and_then(code::verb_in_words);
        match (verb, sentence) {
            (Some(verb), _) => self.verb = verb,
            (None, Some((verb, laden))) => {
                self.verb = verb;
                self.laden = self.laden.or(laden);
            }
            (None, None) => self.unmapped = true,
        }
    }
}

/// The words that decide the meaning, after slips between the members have been undone: a code in the place
/// of the kind, a kind in the place of the code, the empty flag in the place of the code.
struct Words<'e> {
    kind: Option<Kind>,
    said_kind: &'e str,
    code: &'e str,
    empty: Text<'e>,
}

impl<'e> Words<'e> {
    fn of(event: &'e Event<'_>) -> Self {
        let said_kind = trimmed(&event.kind).unwrap_or_default();
        let generic = trimmed(&event.code);
        let mut equipment = trimmed(&event.equipment_code);
        let transport = trimmed(&event.transport_code);
        let shipment = trimmed(&event.shipment_code);
        let mut empty = trimmed(&event.empty);
        if let Some(flag) = equipment.filter(|word| code::laden(word).is_some()) {
            empty = empty.or(Some(flag));
            equipment = None;
        }
        let (of_kind, stray) = match Kind::of(said_kind) {
            Some(kind) => (Some(kind), None),
            None => (None, Some(said_kind).filter(|word| !word.is_empty())),
        };
        let kind = of_kind
            .or_else(|| generic.and_then(Kind::of))
            .or(equipment.map(|_| Kind::Equipment))
            .or(transport.map(|_| Kind::Transport))
            .or(shipment.map(|_| Kind::Shipment))
            .or_else(|| {
                [stray, generic]
                    .into_iter()
                    .flatten()
                    .find_map(kind_of_code)
            });
        let generic = generic.filter(|word| Kind::of(word).is_none());
        let own = match kind {
            Some(Kind::Equipment) => equipment,
            Some(Kind::Transport) => transport,
            Some(Kind::Shipment) => shipment,
            Some(Kind::Reading) => trimmed(&event.other_code),
            None => None,
        };
        let code = own.or(generic).or(stray).unwrap_or_default();
        Self {
            kind,
            said_kind,
            code,
            empty: empty.map(Cow::Borrowed),
        }
    }

    /// Papers have happened when they are told of; a move that is neither planned nor done is not guessed.
    fn classifier(&self, event: &Event<'_>) -> Result<Classifier, Fault> {
        let word = trimmed(&event.classifier);
        if let Some(classifier) = word.and_then(code::classifier) {
            return Ok(classifier);
        }
        let is_move = matches!(self.kind, Some(Kind::Equipment | Kind::Transport));
        if is_move && event.retracted_id.is_none() {
            let shown: String = word.unwrap_or_default().chars().take(40).collect();
            return Err((
                ".eventClassifierCode",
                format!("{shown:?} says neither planned, estimated nor actual"),
            ));
        }
        Ok(Classifier::Actual)
    }

    fn original(&self) -> String {
        let said = |text: &str| {
            text.chars()
                .take(64)
                .collect::<String>()
                .to_ascii_uppercase()
        };
        let kind = self
            .kind
            .map_or_else(|| said(self.said_kind), |kind| kind.word().to_owned());
        let code = said(self.code);
        if kind == code {
            kind
        } else {
            format!("{kind}/{code}")
        }
    }
}

fn kind_of_code(word: &str) -> Option<Kind> {
    if code::equipment(word).is_some() {
        return Some(Kind::Equipment);
    }
    code::transport(word, Classifier::Actual).map(|_| Kind::Transport)
}

/// A box that an event names.
struct NamedBox {
    number: ContainerNumber,
    fits: bool,
    /// Whether it is named among the references: then the event is about several things, and its id is too.
    by_reference: bool,
}

/// The boxes of an event. Equipment events are about their box; transport events about the boxes in their
/// references, and when there are none, about all of the bill; papers about the bill.
fn boxes(
    event: &Event<'_>,
    kind: Option<Kind>,
    notes: &mut Vec<Fault>,
) -> Result<Vec<NamedBox>, Fault> {
    let own = trimmed(&event.box_number);
    let all = event.references.iter().chain(&event.documents);
    let referenced: Vec<&str> = all
        .filter(|reference| {
            trimmed(&reference.kind).is_some_and(|kind| kind.eq_ignore_ascii_case("EQ"))
        })
        .filter_map(|reference| meant(&reference.value))
        .collect();
    let mut boxes: Vec<NamedBox> = Vec::new();
    let mut unread = None;
    let own_only = kind == Some(Kind::Equipment) && own.is_some();
    let referenced = if own_only { Vec::new() } else { referenced };
    let named = own.into_iter().map(|number| (number, false));
    for (text, by_reference) in named.chain(referenced.into_iter().map(|number| (number, true))) {
        match ContainerNumber::from_feed(text) {
            Ok((number, _)) if boxes.iter().any(|known| known.number == number) => {}
            Ok((number, fits)) => boxes.push(NamedBox {
                number,
                fits,
                by_reference,
            }),
            Err(reason) => {
                let member = if by_reference {
                    ".references"
                } else {
                    ".equipmentReference"
                };
                unread = unread.or(Some((member, reason.to_string())));
            }
        }
        if boxes.len() == BOXES_PER_EVENT_MAX {
            notes.push((
                ".references",
                format!("only the first {BOXES_PER_EVENT_MAX} boxes are read"),
            ));
            break;
        }
    }
    match (boxes.is_empty(), unread) {
        // It is about a box that cannot be told; it must not be taken for a word about the whole bill.
        (true, Some(fault)) => return Err(fault),
        (true, None) if kind == Some(Kind::Equipment) && event.retracted_id.is_none() => {
            return Err((
                ".equipmentReference",
                "an equipment event names its box".into(),
            ));
        }
        (false, Some(fault)) => notes.push(fault),
        _ => {}
    }
    Ok(boxes)
}

/// One report for each box; one for all when none is named, and one for papers, which are the bill's.
fn per_box(
    report: Report,
    boxes: Vec<NamedBox>,
    event: &Event<'_>,
    laden: Option<bool>,
) -> Vec<Report> {
    let about_bill = report.verb == Verb::Document && report.original.starts_with("SHIPMENT");
    if boxes.is_empty() || about_bill {
        return vec![with_tombstone(report, event)];
    }
    let seals = seals(event);
    let iso_type = clean(&event.iso_type);
    let of_box = |named: NamedBox| {
        let mut report = report.clone();
        if named.by_reference {
            let id = report.source_event_id.take();
            report.source_event_id = id.map(|id| format!("{id}/{}", named.number));
        }
        if !named.fits {
            report.doubts.push(Doubt::CheckDigit);
        }
        report.equipment = Some(Equipment {
            number: named.number,
            iso_type: iso_type.clone(),
            laden,
            seals: seals.clone(),
            gross_kg: None,
        });
        with_tombstone(report, event)
    };
    boxes.into_iter().map(of_box).collect()
}

/// `isRetracted` withdraws the event's own id. The tombstone is a claim of its own, without that id, or it
/// would be taken for a newer reading of what it withdraws.
fn with_tombstone(mut report: Report, event: &Event<'_>) -> Report {
    let withdrawn =
        trimmed(&event.is_retracted).is_some_and(|word| word.eq_ignore_ascii_case("true"));
    if withdrawn && report.retracts.is_none() {
        report.retracts = report.source_event_id.take();
    }
    report
}

/// Carrier's seals first, then the shipper's, then the rest.
fn seals(event: &Event<'_>) -> Vec<String> {
    let rank = |source: &Text<'_>| match code::upper(trimmed(source).unwrap_or_default()).as_str() {
        "CAR" => 0,
        "SHI" => 1,
        _ => 2,
    };
    let mut seals: Vec<_> = event
        .seals
        .iter()
        .filter_map(|seal| Some((rank(&seal.source), clean(&seal.number)?)))
        .take(REFERENCES_PER_EVENT_MAX)
        .collect();
    seals.sort_by_key(|(rank, _)| *rank);
    seals.into_iter().map(|(_, number)| number).collect()
}

fn place(
    event: &Event<'_>,
    call: &Call<'_>,
    gazetteer: &Gazetteer,
    doubts: &mut Vec<Doubt>,
) -> Place {
    let spots = [
        &event.location,
        &call.location,
        &call.spot,
        &event.flat_call.spot,
    ];
    let locode_of = |spot: &Spot<'_>| {
        let told = meant(&spot.locode).and_then(|text| UnLocode::parse(text).ok());
        // A place sent as one word may be the code itself.
        told.or_else(|| UnLocode::parse(upper_code(meant(&spot.name)?)?).ok())
    };
    let locode = spots.iter().find_map(|spot| locode_of(spot));
    // A facility code means something only at its own port.
    let here = spots
        .iter()
        .filter(|spot| locode_of(spot).is_none_or(|there| Some(there) == locode));
    let facility = here
        .clone()
        .find(|spot| meant(&spot.facility_code).is_some());
    let types = || here.clone().filter_map(|spot| meant(&spot.facility_type));
    let facility_type = types().find_map(code::facility_type);
    // Terminal codes have been seen where the type belongs.
    let stray = types().find(|word| code::facility_type(word).is_none());
    let place = Place {
        locode,
        facility_code: facility
            .and_then(|spot| clean(&spot.facility_code))
            .or_else(|| stray.map(cleaned)),
        facility_list: facility.and_then(|spot| clean(&spot.facility_list)),
        facility_type,
        name: spots.iter().find_map(|spot| clean(&spot.name)),
    };
    let told = spots.iter().any(|spot| meant(&spot.locode).is_some()) || place.name.is_some();
    if told && locode.is_none_or(|locode| gazetteer.port(locode).is_none()) {
        doubts.push(Doubt::PlaceUnknown);
    }
    place
}

/// A five-letter word in capitals, as a code would be written.
fn upper_code(word: &str) -> Option<&str> {
    let code = word.len() == 5
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    code.then_some(word)
}

fn leg(event: &Event<'_>, call: &Call<'_>, doubts: &mut Vec<Doubt>) -> Leg {
    let flat = &event.flat_call;
    let either = |own: &Text<'_>, flat: &Text<'_>| clean(own).or_else(|| clean(flat));
    let number = |own: &Text<'_>, flat: &Text<'_>| {
        meant(own)
            .or(meant(flat))?
            .parse()
            .ok()
            .filter(|number: &u32| *number > 0)
    };
    let mode = meant(&call.mode).or(meant(&flat.mode)).and_then(code::mode);
    let imo_text = meant(&call.vessel_imo).or(meant(&flat.vessel_imo));
    let vessel_imo = imo_text.and_then(ImoNumber::parse);
    let none_meant = imo_text.is_none_or(|text| matches!(text, "0000000" | "1111111" | "9999999"));
    if vessel_imo.is_none() && !none_meant {
        doubts.push(Doubt::VesselUnknown);
    }
    let voyage = either(&call.voyage, &flat.voyage);
    Leg {
        mode: mode.or_else(|| meant(&event.description).and_then(code::mode_in_words)),
        vessel_name: either(&call.vessel_name, &flat.vessel_name),
        vessel_imo,
        voyage_out: either(&call.voyage_out, &flat.voyage_out).or_else(|| voyage.clone()),
        voyage_in: either(&call.voyage_in, &flat.voyage_in).or(voyage),
        service: either(&call.service, &flat.service),
        call_id: either(&call.id, &flat.id),
        sequence: number(&call.sequence, &flat.sequence),
        sequence_total: number(&call.sequence_total, &flat.sequence_total),
    }
}

/// What the event says about the purpose of the move: its own flag first, a sentence last.
fn move_hint(event: &Event<'_>) -> Option<MoveHint> {
    if trimmed(&event.transshipment).is_some_and(|flag| flag.eq_ignore_ascii_case("true")) {
        return Some(MoveHint::Transshipment);
    }
    [
        &event.movement,
        &event.location_kind,
        &event.phase,
        &event.description,
    ]
    .into_iter()
    .find_map(|words| code::move_hint(trimmed(words)?))
}

fn references(event: &Event<'_>, profile: &Profile) -> References {
    let mut references = References {
        scac: profile.scac(),
        ..References::default()
    };
    let mut note = |kind: &str, value: &Text<'_>| {
        let Some(number) = clean(value) else { return };
        let kind = code::upper(kind);
        let list = match kind.as_str() {
            "EQ" => return,
            "TRD" | "BL" | "MBL" => &mut references.bills,
            "BKG" => &mut references.bookings,
            _ => &mut references.others,
        };
        if list.len() < REFERENCES_PER_EVENT_MAX && !list.contains(&number) {
            list.push(number);
        }
    };
    let mut each = |reference: &Reference<'_>| {
        note(
            trimmed(&reference.kind).unwrap_or_default(),
            &reference.value,
        );
    };
    event.documents.iter().for_each(&mut each);
    event.references.iter().for_each(&mut each);
    note("TRD", &event.bill);
    note("BKG", &event.booking);
    note(
        trimmed(&event.document_kind).unwrap_or_default(),
        &event.document_id,
    );
    references
}

fn is_bare(references: &References) -> bool {
    references.bills.is_empty() && references.bookings.is_empty() && references.others.is_empty()
}

/// A text without the space around it; none when there is nothing else.
fn trimmed<'t>(text: &'t Text<'_>) -> Option<&'t str> {
    text.as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// A text that was meant: what forms are filled with when there is nothing to say counts as nothing.
fn meant<'t>(text: &'t Text<'_>) -> Option<&'t str> {
    let text = trimmed(text)?;
    let filler = [
        "string", "n/a", "na", "none", "null", "0", "-", "tbd", "tba",
    ];
    (!filler.iter().any(|word| text.eq_ignore_ascii_case(word))).then_some(text)
}

/// A meant text as it is kept.
fn clean(text: &Text<'_>) -> Option<String> {
    meant(text).map(cleaned)
}

/// Without control characters (a zero byte cannot be stored by every database) and not without end.
fn cleaned(text: &str) -> String {
    if text.len() <= TEXT_CHARS_MAX && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| !c.is_control())
        .take(TEXT_CHARS_MAX)
        .collect()
}
