//! A report: what one source claims about one happening. Not yet the truth.
//!
//! Connectors turn bytes into reports and decide nothing; whether a claim becomes a public event is the
//! business of [`journey`](crate::journey) and [`timeline`](crate::timeline). A report is told from others
//! by its [`ReportKey`] (times are **not** in the key: a new time is a correction) and one reading of it
//! from the next by its [`ContentHash`].

use std::fmt::{self, Write};

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;
use sha2::{Digest, Sha256};

use crate::codes::{ContainerNumber, ImoNumber, Scac, UnLocode};

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Which configured feed said it: the id of its profile (`MSCU`, `usoak-csv`).
    pub source: String,
    /// What kind of feed it is; decides its rank ([`trust`](crate::trust)), unless an operator gave it another.
    pub source_kind: SourceKind,
    /// The source's own id of the happening, when it has one that is unique and stable.
    pub source_event_id: Option<String>,
    /// The source's own id of an earlier claim that this one withdraws; the rest is then not used.
    pub retracts: Option<String>,
    /// When the source says it wrote the record.
    pub reported_at: Option<Timestamp>,
    /// When we got it. Data, not a clock reading: a replay keeps it.
    pub received_at: Timestamp,
    /// What is said to have happened.
    pub verb: Verb,
    /// Actual, estimated or planned.
    pub classifier: Classifier,
    /// When.
    pub occurred: Option<Occurred>,
    /// Which box; `None` when the claim is about the whole bill or booking.
    pub equipment: Option<Equipment>,
    /// Where.
    pub place: Place,
    /// On which leg.
    pub leg: Leg,
    /// What the source says about the purpose of the move.
    pub move_hint: Option<MoveHint>,
    /// Numbers it names.
    pub references: References,
    /// The source's own code or words (`EQUIPMENT/LOAD`), for people and for the count of unmapped codes.
    pub original: String,
    /// The claimed value of `hold_set`, `fee`, `lfd`, … verbs.
    pub value: Option<Value>,
    /// Doubts that do not reject the claim (bad check digit, zone unknown).
    pub doubts: Vec<Doubt>,
    /// Where it stands in its message, where that has an order that means something: the later word counts. What is said
    /// in series (holds, free days, appointments, availability) bears it, and a move of which an earlier part of the message
    /// said the like otherwise. None where the order means nothing, and of what was stored before positions were.
    pub position: Option<u32>,
}

/// Kinds of feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceKind {
    /// DCSA Track & Trace 2.x.
    Dcsa2,
    /// DCSA Track & Trace 3.
    Dcsa3,
    /// A carrier's own API.
    CarrierApi,
    /// X12 315.
    X12_315,
    /// X12 322.
    X12_322,
    /// X12 214.
    X12_214,
    /// EDIFACT IFTSTA.
    Iftsta,
    /// EDIFACT CODECO.
    Codeco,
    /// EDIFACT COARRI.
    Coarri,
    /// Rail sightings.
    Clm,
    /// A railroad's API.
    RailApi,
    /// A terminal's API or file.
    TerminalApi,
    /// Vessel positions.
    Ais,
    /// A person.
    Manual,
}

impl SourceKind {
    /// Whether such a feed speaks for a line, which knows whose a box is; others say what they see of it.
    pub fn speaks_for_line(self) -> bool {
        matches!(
            self,
            Self::Dcsa2 | Self::Dcsa3 | Self::CarrierApi | Self::X12_315 | Self::Iftsta
        )
    }
}

/// What is said to have happened to the box, its vessel or its papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Through the gate, inwards.
    GateIn,
    /// Through the gate, outwards.
    GateOut,
    /// Onto a vessel, barge, rail car or truck.
    Load,
    /// Off it.
    Discharge,
    /// The means of transport arrived.
    Arrive,
    /// The means of transport departed.
    Depart,
    /// The vessel is alongside.
    Berth,
    /// Cargo put in.
    Stuff,
    /// Cargo taken out.
    Strip,
    /// Collected at a haulage stop.
    Pickup,
    /// Left at a haulage stop.
    Dropoff,
    /// A seal put on or taken off.
    SealChange,
    /// Inspected.
    Inspect,
    /// Free to be collected.
    Available,
    /// Not free to be collected.
    NotAvailable,
    /// A hold put on.
    HoldSet,
    /// A hold taken off.
    HoldClear,
    /// A fee.
    Fee,
    /// A last free day.
    LastFreeDay,
    /// A pick-up appointment.
    Appointment,
    /// An estimate that is not tied to a call.
    Eta,
    /// Papers, or a code we do not map: kept, no public event.
    Document,
    /// A vessel position.
    Position,
    /// Customs.
    Customs,
}

impl Verb {
    /// Whether it is about collecting the box: such words are a series, of which the last one stands, and no moves that are
    /// corrected.
    pub fn is_about_pickup(self) -> bool {
        matches!(
            self,
            Self::Available
                | Self::NotAvailable
                | Self::HoldSet
                | Self::HoldClear
                | Self::Fee
                | Self::LastFreeDay
                | Self::Appointment
        )
    }
}

/// How sure the source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Classifier {
    /// It was going to.
    Planned,
    /// It is thought to.
    Estimated,
    /// It did.
    Actual,
}

/// When, and how well that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurred {
    /// The instant in UTC. For `Precision::Day` the local midnight that begins the day.
    pub at: Timestamp,
    /// The wall clock as sent.
    pub local: DateTime,
    /// How the zone was found.
    pub zone_source: ZoneSource,
    /// Day, hour or minute.
    pub precision: Precision,
}

/// How the zone of a wall clock was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ZoneSource {
    /// The message carries an offset.
    Offset,
    /// The message says UTC, or the feed is defined to be.
    Utc,
    /// A zone tag of the message.
    Tag,
    /// The zone of the place.
    Location,
    /// Not found: read as if UTC, to be read again when the place becomes known.
    Unknown,
}

/// How fine a time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// Only the date.
    Day,
    /// To the hour.
    Hour,
    /// To the minute or finer.
    Minute,
}

impl Precision {
    /// The last moment that a time of this precision can mean: a bare date may mean the evening.
    pub fn latest(self, at: Timestamp) -> Timestamp {
        let slack = match self {
            Self::Minute => SignedDuration::ZERO,
            Self::Hour => SignedDuration::from_mins(59),
            Self::Day => SignedDuration::from_mins(24 * 60 - 1),
        };
        at.checked_add(slack).unwrap_or(at)
    }
}

/// The box of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equipment {
    /// Its number.
    pub number: ContainerNumber,
    /// Size-type code as sent.
    pub iso_type: Option<String>,
    /// Laden or empty, when told.
    pub laden: Option<bool>,
    /// Seal numbers: carrier's first, then shipper's.
    pub seals: Vec<String>,
    /// Gross mass in kilograms.
    pub gross_kg: Option<Decimal>,
}

/// Where, as sent. Any part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its UN/LOCODE as sent.
    pub locode: Option<UnLocode>,
    /// Facility code as sent.
    pub facility_code: Option<String>,
    /// Who keeps the list of that code: `SMDG`, `BIC`.
    pub facility_list: Option<String>,
    /// What the facility is.
    pub facility_type: Option<FacilityType>,
    /// Free name.
    pub name: Option<String>,
}

/// What a facility is (DCSA facility type codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FacilityType {
    /// Border crossing.
    Border,
    /// Customer's premises.
    CustomerLocation,
    /// Container freight station.
    FreightStation,
    /// Off-dock storage, container yard.
    OffDock,
    /// Empty depot.
    Depot,
    /// Inland terminal.
    InlandTerminal,
    /// Port terminal.
    PortTerminal,
    /// Rail ramp.
    Ramp,
    /// Waypoint.
    Waypoint,
}

/// The leg a claim names. Any part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leg {
    /// Means of transport.
    pub mode: Option<Mode>,
    /// Vessel name as sent.
    pub vessel_name: Option<String>,
    /// Vessel, when its number is valid.
    pub vessel_imo: Option<ImoNumber>,
    /// Voyage on departure.
    pub voyage_out: Option<String>,
    /// Voyage on arrival.
    pub voyage_in: Option<String>,
    /// Carrier's service code.
    pub service: Option<String>,
    /// The carrier's id of this call.
    pub call_id: Option<String>,
    /// Position of this call in the box's way, from 1.
    pub sequence: Option<u32>,
    /// How many calls there are.
    pub sequence_total: Option<u32>,
}

/// Means of transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Sea vessel.
    Vessel,
    /// Barge or feeder named as such.
    Barge,
    /// Rail.
    Rail,
    /// Truck.
    Truck,
}

/// What the source says the move is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MoveHint {
    /// Towards the first vessel.
    Export,
    /// Away from the last vessel.
    Import,
    /// The same, at the place of delivery: the line's own message calls the place of this move that.
    Delivery,
    /// Between vessels.
    Transshipment,
    /// On the way to an end further on, which the same message names. It may be an old end, and the box may stay aboard.
    Onward,
    /// To the port of loading that the same message names, and by water: by a feeder, where it is more than a ship's call.
    PreCarriage,
    /// Moved on board or along the quay; no public event.
    Shifting,
}

impl MoveHint {
    /// Whether it is part of the import.
    pub fn is_import(self) -> bool {
        matches!(self, Self::Import | Self::Delivery)
    }
}

/// Numbers that a claim names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Bills of lading (DCSA TRD).
    pub bills: Vec<String>,
    /// Bookings (DCSA BKG).
    pub bookings: Vec<String>,
    /// The carrier.
    pub scac: Option<Scac>,
    /// Customer and other references.
    pub others: Vec<String>,
}

/// The value of a claim that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A hold: public name, status, and the source's words.
    Hold(crate::container::Hold),
    /// A hold of which a column or member of its own speaks: no list of its source takes it away.
    HoldOfItsOwn(crate::container::Hold),
    /// A release that only its text tells: the holds which it names, whatever they are called here, else those of the name
    /// that it was taken for, else all.
    Release(Option<crate::container::HoldName>, String),
    /// A release of the one hold of this name that is described so: it takes no other away.
    Lifted(crate::container::HoldName, String),
    /// A fee.
    Fee(crate::container::Fee),
    /// Every hold that the source knows of: its earlier ones that are not among them are gone, but those of their own.
    Holds(Vec<crate::container::Hold>),
    /// Every fee that the source knows of: its earlier ones that are not among them are gone.
    Fees(Vec<crate::container::Fee>),
    /// A last free day and whose it is.
    LastFreeDay(crate::container::LfdOwner, crate::container::LastFreeDay),
    /// A pick-up appointment.
    Appointment(Timestamp),
    /// That there is none, or none any more.
    NoAppointment,
    /// Words in place of a yes or no that nobody understands: what their source said of availability before stands no more.
    AvailabilityUnclear,
    /// Where in the yard.
    YardLocation(String),
    /// Number of the chassis on which the box leaves.
    Chassis(String),
    /// A cancelled booking (`CANC` or `VOID` of a booking).
    BookingCancelled,
    /// A confirmed booking (`CONF` of a booking): one that was cancelled before is not any more.
    BookingConfirmed,
    /// A load at this place that is taken back (X12 315 status `CA`).
    LoadCancelled,
    /// Earlier claims about the box that are taken back without an id of theirs (X12 ZC1, EDIFACT BGM 1225).
    Withdraws(Withdrawal),
}

/// Which earlier claims a source takes back, where its claims have no ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// A number that they name.
    pub reference: Option<String>,
    /// The local day they are about.
    pub date: Option<Date>,
    /// The source's word for what they claim, where it repeats it.
    pub original: Option<String>,
    /// Whether the same message says what is right: then claims of its own issue stand.
    pub replaced: bool,
}

/// A doubt that an operator may want to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doubt {
    /// The container's check digit does not fit.
    CheckDigit,
    /// The zone of the wall clock is unknown.
    ZoneUnknown,
    /// An actual time in the future of its receipt, by up to 24 h.
    InFuture,
    /// An actual more than 24 h in the future; counted as an estimate.
    DowngradedToEstimate,
    /// The place is not in our tables.
    PlaceUnknown,
    /// The vessel number is not a valid IMO number.
    VesselUnknown,
    /// The code is in no table; kept as a document.
    Unmapped,
    /// Told on the side, by a message about something else: counts where nobody tells it directly.
    Derived,
    /// Its time is when its source looked: it had happened by then.
    AsOf,
}

/// Identity of a claim over its corrections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReportKey(pub [u8; 32]);

/// Digest of everything a reading of a claim says, its issue time included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl Report {
    /// Identity: the source's own id when it has one, else what happened to which box where on which leg.
    /// Never a time: a new time is a correction (reliability rule 8).
    pub fn key(&self) -> ReportKey {
        let mut said = Saying::default();
        said.part("source", &self.source);
        if let Some(id) = &self.source_event_id {
            said.part("id", id);
        } else {
            said.part("box", &self.equipment.as_ref().map(|e| e.number));
            said.part("laden", &self.equipment.as_ref().and_then(|e| e.laden));
            said.part("verb", &(self.verb, self.classifier, &self.original));
            let place = &self.place;
            said.part("place", &(place.locode, &place.facility_code));
            said.part("facility", &place.facility_type);
            let leg = &self.leg;
            said.part("leg", &(leg.mode, leg.vessel_imo, &leg.vessel_name));
            said.part("voyage", &(&leg.voyage_out, &leg.voyage_in, leg.sequence));
            said.part("value", &self.value_kind());
            said.part("retracts", &self.retracts);
        }
        ReportKey(said.digest())
    }

    /// Digest of what this reading says. The time we received it is left out, unless the source gives no
    /// issue time of its own: then two equal readings at different times are two readings.
    pub fn content(&self) -> ContentHash {
        let Self {
            source,
            source_kind,
            source_event_id,
            retracts,
            reported_at,
            received_at,
            verb,
            classifier,
            occurred,
            equipment,
            place,
            leg,
            move_hint,
            references,
            original,
            value,
            doubts,
            position,
        } = self;
        let mut said = Saying::default();
        said.part("source", &(source, source_kind, source_event_id, retracts));
        match reported_at {
            Some(issued) => said.part("reported", issued),
            None => said.part("received", received_at),
        }
        said.part("what", &(verb, classifier, occurred, original, value));
        said.part("where", &(place, leg, move_hint));
        said.part("which", &(equipment, references, doubts));
        // What is stored without one keeps its digest.
        if let Some(position) = position {
            said.part("position", position);
        }
        ContentHash(said.digest())
    }

    /// The ids by which its source can take the claim back: its own, and that of the event which named this
    /// box among others (`id/BOXU1234567`).
    pub fn withdrawable_as(&self) -> impl Iterator<Item = &str> {
        let own = self.source_event_id.as_deref();
        let number = self.equipment.as_ref().map(|equipment| equipment.number);
        let whole = own.zip(number).and_then(|(id, number)| {
            let event = id.strip_suffix(number.as_str())?;
            event.strip_suffix('/')
        });
        own.into_iter().chain(whole)
    }

    /// Whether this takes the other one back, by the id that their source gave it.
    pub fn takes_back(&self, other: &Self) -> bool {
        let Some(id) = self.retracts.as_deref() else {
            return false;
        };
        self.source == other.source && other.withdrawable_as().any(|name| name == id)
    }

    /// Whether its time is only that at which its source looked.
    pub fn is_as_of(&self) -> bool {
        self.doubts.contains(&Doubt::AsOf)
    }

    /// Whether its source only saw, when it looked, that the box had gone out: it did so by then, perhaps long before.
    pub fn is_seen_gone(&self) -> bool {
        self.is_as_of() && self.verb == Verb::GateOut
    }

    /// When the source issued the claim, else when we received it. Orders readings of one claim. Nothing was issued after it
    /// was received: a sender whose clock or zone is wrong would be believed until the others' clocks have come so far.
    pub fn issued_at(&self) -> Timestamp {
        self.reported_at
            .map_or(self.received_at, |at| at.min(self.received_at))
    }

    /// When the source wrote it by its own clock, however wrong that is, else when we received it: orders the words of one source.
    pub fn written_at(&self) -> Timestamp {
        self.reported_at.unwrap_or(self.received_at)
    }

    /// Orders the words of all: when they were issued, and of what was received at once when it was written.
    pub fn issue(&self) -> (Timestamp, Timestamp) {
        (self.issued_at(), self.written_at())
    }

    fn value_kind(&self) -> Option<String> {
        self.value.as_ref().map(|value| match value {
            Value::Hold(hold) => format!("hold {:?}", hold.name),
            Value::HoldOfItsOwn(hold) => format!("own hold {:?}", hold.name),
            Value::Release(name, _) => format!("release {name:?}"),
            Value::Lifted(name, text) => format!("lifted {name:?} {text}"),
            Value::Fee(fee) => format!("fee {:?}", fee.kind),
            Value::Holds(_) => "holds".into(),
            Value::Fees(_) => "fees".into(),
            Value::LastFreeDay(owner, _) => format!("lfd {owner:?}"),
            Value::Appointment(_) | Value::NoAppointment => "appointment".into(),
            Value::AvailabilityUnclear => "availability unclear".into(),
            Value::YardLocation(_) => "yard".into(),
            Value::Chassis(_) => "chassis".into(),
            Value::BookingCancelled => "booking cancelled".into(),
            Value::BookingConfirmed => "booking confirmed".into(),
            Value::LoadCancelled => "load cancelled".into(),
            Value::Withdraws(withdrawal) => format!("withdraws {withdrawal:?}"),
        })
    }
}

/// Parts of a report on their way into a digest, without a text between.
#[derive(Default)]
struct Saying(Sha256);

impl Saying {
    fn part(&mut self, name: &str, value: &dyn fmt::Debug) {
        // Writing into a digest cannot fail, and no `Debug` here does.
        let _ = write!(self, "{name}={value:?};");
    }

    fn digest(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

impl fmt::Write for Saying {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Precision;

    fn report() -> Report {
        Report {
            source: "line".into(),
            source_kind: SourceKind::Dcsa2,
            source_event_id: None,
            retracts: None,
            reported_at: Some(Timestamp::UNIX_EPOCH),
            received_at: Timestamp::UNIX_EPOCH,
            verb: Verb::Load,
            classifier: Classifier::Actual,
            occurred: None,
            equipment: None,
            place: Place::default(),
            leg: Leg::default(),
            move_hint: None,
            references: References::default(),
            original: "EQUIPMENT/LOAD".into(),
            value: None,
            doubts: Vec::new(),
            position: None,
        }
    }

    fn changed(change: impl FnOnce(&mut Report)) -> Report {
        let mut other = report();
        change(&mut other);
        other
    }

    #[test]
    fn a_new_time_is_the_same_claim_in_another_reading() {
        let moved = changed(|r| {
            r.occurred = Some(Occurred {
                at: Timestamp::UNIX_EPOCH,
                local: DateTime::default(),
                zone_source: ZoneSource::Utc,
                precision: Precision::Day,
            });
        });
        assert_eq!(moved.key(), report().key());
        assert_ne!(moved.content(), report().content());
        let reissued = changed(|r| r.reported_at = Some(Timestamp::MAX));
        assert_eq!(reissued.key(), report().key());
        assert_ne!(reissued.content(), report().content());
    }

    #[test]
    fn the_time_of_receipt_counts_only_where_nothing_else_dates_a_reading() {
        let later = changed(|r| r.received_at = Timestamp::MAX);
        assert_eq!(later.content(), report().content());
        let undated = changed(|r| r.reported_at = None);
        let undated_later = changed(|r| {
            r.reported_at = None;
            r.received_at = Timestamp::MAX;
        });
        assert_ne!(undated.content(), undated_later.content());
        assert_eq!(undated.key(), undated_later.key());
    }

    #[test]
    fn an_id_names_a_claim_inside_its_source_only() {
        let named = |id: &str| changed(|r| r.source_event_id = Some(id.into()));
        let elsewhere = |id: &str| {
            changed(|r| {
                r.source = "other".into();
                r.source_event_id = Some(id.into());
            })
        };
        assert_eq!(named("a").key(), {
            let mut other = named("a");
            other.verb = Verb::Discharge;
            other.key()
        });
        assert_ne!(named("a").key(), named("b").key());
        assert_ne!(named("a").key(), elsewhere("a").key());
        assert_ne!(report().key(), changed(|r| r.leg.sequence = Some(2)).key());
        assert_ne!(
            report().key(),
            changed(|r| r.leg.voyage_in = Some("1".into())).key()
        );
    }
}
