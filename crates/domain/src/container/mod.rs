//! A container on one journey, as we hold it true.

mod status;
pub use status::CurrentStatus;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;

use crate::codes::{ContainerNumber, ImoNumber, Scac, SizeType, UnLocode};
use crate::event::{Category, EventName};
use crate::journey::Journey;
use crate::place::Gazetteer;
use crate::report::{Precision, SourceKind};

/// Everything we hold true about a container. Computed by [`timeline::container_state`](crate::timeline),
/// never edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerState {
    /// Its number.
    pub number: ContainerNumber,
    /// Which ports and legs.
    pub journey: Journey,
    /// Public transport events that stand, in the order they happened.
    pub milestones: Vec<Milestone>,
    /// Shown estimates: at most one of each kind.
    pub estimates: Vec<Estimate>,
    /// What the line first expected.
    pub first_estimates: FirstEstimates,
    /// What the line says of the arrival inland, whatever the railroad says.
    pub inland_by_line: InlandByLine,
    /// Where the box stands in its life.
    pub status: CurrentStatus,
    /// Size and type.
    pub size_type: SizeType,
    /// Gross mass in kilograms.
    pub gross_kg: Option<Decimal>,
    /// Seals, carrier's first.
    pub seals: Vec<String>,
    /// What terminal, line and railroad say about collecting it.
    pub pickup: Pickup,
    /// What railroads say.
    pub rail: Rail,
    /// Things an operator may want to look at; never decide anything.
    pub flags: Vec<QualityFlag>,
}

impl ContainerState {
    /// Whether anything is another than in `before`. That a terminal or a railroad was heard again is no change: who says the
    /// same each hour would make a version each hour.
    pub fn differs_from(&self, before: &Self) -> bool {
        if self == before {
            return false;
        }
        let (checked, heard) = (self.pickup.terminal_checked_at, self.rail.heard_at);
        let was = (before.pickup.terminal_checked_at, before.rail.heard_at);
        // Only who was heard again is worth a copy.
        if was == (checked, heard) {
            return true;
        }
        let mut before = before.clone();
        (before.pickup.terminal_checked_at, before.rail.heard_at) = (checked, heard);
        *self != before
    }
}

/// Ports no farther apart than this are one harbour to who loads trains there: Los Angeles and Long Beach, New York and Newark.
const ONE_HARBOUR_KM: f64 = 20.0;
/// A railroad may tell the unloading with a time of before the line's arrival of the train.
const CLOCKS_DIFFER_MAX: SignedDuration = SignedDuration::from_hours(6);
/// A box that was driven out to be examined is back within this.
pub(crate) const BACK_WITHIN: SignedDuration = SignedDuration::from_hours(24 * 7);

/// A transport event that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Milestone {
    /// What makes it this milestone and no other: survives corrections of time and source.
    pub slot: Slot,
    /// When.
    pub at: Timestamp,
    /// How fine the time is.
    pub precision: Precision,
    /// IANA zone of the place; `None` when the place is unknown.
    pub zone: Option<String>,
    /// UN/LOCODE as sent by the winning report.
    pub locode: Option<UnLocode>,
    /// Our code of the terminal ([`Terminal::code`](crate::place::Terminal)), when the facility is known.
    pub terminal: Option<String>,
    /// The vessel, for events aboard one.
    pub vessel: Option<Vessel>,
    /// Voyage number as sent.
    pub voyage: Option<String>,
    /// Which kind of feed won.
    pub source: SourceKind,
    /// Extra value: none for milestones so far reported.
    pub value: Option<String>,
}

impl Milestone {
    /// The last moment that it can mean: a bare date may mean the evening.
    pub(crate) fn latest(&self) -> Timestamp {
        self.precision.latest(self.at)
    }

    /// Whether it tells of a barge that left the port, or that is seen elsewhere.
    pub(crate) fn is_of_a_barge_away_from(&self, port: Option<UnLocode>) -> bool {
        self.slot.place.is_some()
            && self.slot.event.category() == Category::Feeder
            && (self.slot.event == EventName::FeederDeparted || self.slot.place != port)
    }

    /// Whether it tells of a train that left the port, or that is seen elsewhere. What is loaded on one in the port still
    /// stands there, also where the railroad names its ramp after the port next to it: all ramps of Long Beach are of Los Angeles.
    pub(crate) fn is_of_a_train_away_from(
        &self,
        port: Option<UnLocode>,
        gazetteer: &Gazetteer,
    ) -> bool {
        let is_here =
            |place| port.is_some_and(|port| gazetteer.is_within(place, port, ONE_HARBOUR_KM));
        let place = self.slot.place;
        match self.slot.event {
            EventName::RailDeparted => true,
            EventName::RailLoaded => place.is_some_and(|place| !is_here(place)),
            EventName::RailArrived | EventName::RailUnloaded => place.is_some() && place != port,
            _ => false,
        }
    }
}

/// Identity of a milestone within its container: one public event per name, place and leg.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// The event.
    pub event: EventName,
    /// Canonical place.
    pub place: Option<UnLocode>,
    /// The leg, where one place sees the same event on two (`off dock`); else empty.
    pub leg: String,
    /// Which one, when the same event recurs on the same leg (`available` twice), from 0.
    pub occurrence: u32,
}

impl Slot {
    /// As text, for a unique column: `vessel_arrived|USLAX|9321483|0`.
    pub fn text(&self) -> String {
        let place = self.place.map(|p| p.to_string()).unwrap_or_default();
        format!(
            "{}|{place}|{}|{}",
            self.event.as_str(),
            self.leg,
            self.occurrence
        )
    }
}

/// A vessel as named by reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vessel {
    /// Its IMO number.
    pub imo: Option<ImoNumber>,
    /// Its name as sent.
    pub name: Option<String>,
}

impl Vessel {
    /// Whether it is certain that this is another ship: by number, or by name where neither has a number. Where one has
    /// none, its name may be another spelling, or an old name, of the same ship.
    pub fn differs(&self, other: &Self) -> bool {
        match (self.imo, other.imo) {
            (Some(a), Some(b)) => a != b,
            (None, None) => {
                let names = self.name.as_deref().zip(other.name.as_deref());
                names.is_some_and(|(a, b)| !is_one_ship(a, b))
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

/// Whether two names are of one ship: some feeds write `MV` before it or the voyage behind it.
pub(crate) fn is_one_ship(a: &str, b: &str) -> bool {
    is_one_name(a, b) || is_one_name(bare(a), bare(b))
}

/// What is written before the name of a ship and is no part of it.
const KINDS_OF_SHIP: [&str; 6] = ["M/V", "M.V.", "MV", "S/S", "S.S.", "SS"];

/// The name of a ship alone, unless nothing would be left.
fn bare(name: &str) -> &str {
    let spelt = name.trim();
    let without_kind = KINDS_OF_SHIP.iter().find_map(|kind| {
        let (before, rest) = spelt.split_at_checked(kind.len())?;
        let ends = kind.ends_with('.') || !rest.starts_with(char::is_alphanumeric);
        (before.eq_ignore_ascii_case(kind) && ends).then_some(rest)
    });
    let bare = without_kind.filter(|rest| is_told(rest)).unwrap_or(spelt);
    let without_voyage = bare
        .rsplit_once(|c: char| c.is_whitespace() || c == '/')
        .filter(|(rest, last)| is_told(rest) && is_voyage(last))
        .map(|(rest, _)| rest);
    without_voyage.unwrap_or(bare)
}

fn is_told(name: &str) -> bool {
    name.contains(char::is_alphanumeric)
}

/// Three figures or more and the way that the ship goes: `0123W`, `V.012E`. Figures alone may be the ship's own number.
fn is_voyage(word: &str) -> bool {
    let word = word.trim_start_matches(['V', 'v']).trim_start_matches('.');
    let figures = word.strip_suffix(['N', 'E', 'S', 'W', 'n', 'e', 's', 'w']);
    figures.is_some_and(|f| f.len() >= 3 && f.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether two spellings are one name: `MSC OSCAR` and `M.S.C. Oscar`. Only letters and digits count.
pub(crate) fn is_one_name(a: &str, b: &str) -> bool {
    let spelt = |name: &str| -> String {
        let counts = name.chars().filter(|letter| letter.is_alphanumeric());
        counts.flat_map(char::to_uppercase).collect()
    };
    a.eq_ignore_ascii_case(b) || spelt(a) == spelt(b)
}

/// A shown estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// `container.transport.estimated.…`.
    pub event: EventName,
    /// The estimate.
    pub at: Timestamp,
    /// IANA zone of the place.
    pub zone: Option<String>,
    /// The place.
    pub locode: Option<UnLocode>,
    /// Vessel and voyage.
    pub vessel: Option<Vessel>,
    /// Voyage number as sent.
    pub voyage: Option<String>,
    /// Which kind of feed won.
    pub source: SourceKind,
}

/// The first estimates that the line reported; later ones, and what then happened, do not change them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstEstimates {
    /// Departure from the port of lading.
    pub pol_departure: Option<Timestamp>,
    /// Arrival at the port of discharge.
    pub pod_arrival: Option<Timestamp>,
    /// Arrival at the inland destination.
    pub inland_arrival: Option<Timestamp>,
}

/// The line's own view of the arrival at the inland destination. The railroad's stands beside it: neither overwrites the
/// other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlandByLine {
    /// When it expects the box there; `None` once it said that it came.
    pub expected: Option<Timestamp>,
    /// When it says that the box came.
    pub arrived: Option<Timestamp>,
}

/// What railroads say about the way inland.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rail {
    /// The railroad that takes the box away from the port of discharge.
    pub pod_carrier: Option<Scac>,
    /// The railroad that brings it to the inland destination.
    pub inland_carrier: Option<Scac>,
    /// When a railroad last told us anything.
    pub heard_at: Option<Timestamp>,
    /// Active holds at the ramp, sorted.
    pub holds: Vec<Hold>,
    /// Fees at the ramp, sorted.
    pub fees: Vec<Fee>,
}

/// What terminal, line and railroad say about collecting the box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pickup {
    /// Our code of the terminal where it is, or will be, discharged.
    pub pod_terminal: Option<String>,
    /// Said to be free to collect; `None` when nobody says.
    pub available: Option<bool>,
    /// Holds in force or announced, sorted.
    pub holds: Vec<Hold>,
    /// Fees, sorted.
    pub fees: Vec<Fee>,
    /// The line's last free day.
    pub lfd_line: Option<LastFreeDay>,
    /// The terminal's last free day.
    pub lfd_terminal: Option<LastFreeDay>,
    /// The railroad's last free day.
    pub lfd_rail: Option<LastFreeDay>,
    /// Pick-up appointment.
    pub appointment: Option<Timestamp>,
    /// Where in the yard.
    pub yard_location: Option<String>,
    /// Number of the chassis on which it left the port of discharge.
    pub chassis: Option<String>,
    /// When a terminal last told us anything.
    pub terminal_checked_at: Option<Timestamp>,
}

impl Pickup {
    /// Whether any hold is shown, in force or announced. A box of which nobody told has none: nobody told of one either.
    pub fn has_holds(&self) -> bool {
        !self.holds.is_empty()
    }

    /// By what the box is held now: what is only announced does not block it yet.
    pub fn held_by(&self) -> impl Iterator<Item = HoldName> {
        let in_force = self.holds.iter().filter(|hold| hold.is_in_force());
        in_force.map(|hold| hold.name)
    }

    /// What is owed for the box: each fee that is shown, also one whose amount is not posted yet, but for what is paid. A box of
    /// which nobody told owes nothing.
    pub fn owed(&self) -> impl Iterator<Item = FeeKind> {
        let unpaid = self.fees.iter().filter(|fee| !fee.is_paid());
        unpaid.map(|fee| fee.kind)
    }

    /// Line, else terminal, else rail; never the earliest (api: `pickup_lfd`).
    pub fn last_free_day(&self) -> Option<&LastFreeDay> {
        self.coalesced().map(|(_, day)| day)
    }

    /// Whose that is.
    pub fn owner_of_last_free_day(&self) -> Option<LfdOwner> {
        self.coalesced().map(|(owner, _)| owner)
    }

    fn coalesced(&self) -> Option<(LfdOwner, &LastFreeDay)> {
        let owned = [
            (LfdOwner::Line, &self.lfd_line),
            (LfdOwner::Terminal, &self.lfd_terminal),
            (LfdOwner::Rail, &self.lfd_rail),
        ];
        let mut told = owned.into_iter();
        told.find_map(|(owner, day)| Some((owner, day.as_ref()?)))
    }
}

/// A last free day: a whole local day at the facility.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LastFreeDay {
    /// The day.
    pub date: Date,
    /// IANA zone of the facility; `None` reads as UTC.
    pub zone: Option<String>,
}

impl LastFreeDay {
    /// The instant that stands for the day on the wire: local midnight at its start.
    pub fn instant(&self) -> Timestamp {
        let zone = self
            .zone
            .as_deref()
            .and_then(|name| jiff::tz::TimeZone::get(name).ok());
        self.date
            .to_zoned(zone.unwrap_or(jiff::tz::TimeZone::UTC))
            .map_or(Timestamp::UNIX_EPOCH, |start| start.timestamp())
    }
}

/// Whose last free day it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LfdOwner {
    /// The shipping line (per diem, line demurrage).
    Line,
    /// The marine terminal.
    Terminal,
    /// The railroad.
    Rail,
}

/// Why a box may not leave.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hold {
    /// Public name.
    pub name: HoldName,
    /// In force or announced.
    pub status: HoldStatus,
    /// The source's own words.
    pub description: Option<String>,
}

impl Hold {
    /// Whether it keeps the box, and is not only announced.
    pub fn is_in_force(&self) -> bool {
        self.status == HoldStatus::Hold
    }
}

/// Public names of holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldName {
    /// Freight not paid or bill not surrendered.
    Freight,
    /// Customs.
    Customs,
    /// US agriculture.
    Usda,
    /// Non-intrusive inspection.
    Vacis,
    /// Terminal or traffic mitigation fee.
    Tmf,
    /// Any other.
    Other,
}

impl HoldName {
    /// Every value.
    pub const ALL: [Self; 6] = [
        Self::Freight,
        Self::Customs,
        Self::Usda,
        Self::Vacis,
        Self::Tmf,
        Self::Other,
    ];

    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Freight => "freight",
            Self::Customs => "customs",
            Self::Usda => "USDA",
            Self::Vacis => "VACIS",
            Self::Tmf => "TMF",
            Self::Other => "other",
        }
    }

    /// Reads a name in capital or small letters, as the reference does.
    pub fn parse(text: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|name| name.as_str().eq_ignore_ascii_case(text))
    }
}

/// Status of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldStatus {
    /// In force.
    Hold,
    /// Announced, not yet blocking.
    Pending,
}

/// A fee at the terminal or ramp.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fee {
    /// Its kind.
    pub kind: FeeKind,
    /// The amount; `None` when the kind is known and the amount not yet posted.
    pub amount: Option<Decimal>,
    /// ISO 4217.
    pub currency: String,
}

impl Fee {
    /// A fee of zero that is posted is a fee that is paid.
    pub fn is_paid(&self) -> bool {
        self.amount.is_some_and(|amount| amount.is_zero())
    }
}

/// Kinds of fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeeKind {
    /// Demurrage.
    Demurrage,
    /// Exam.
    Exam,
    /// Extended dwell time.
    ExtendedDwellTime,
    /// Any other.
    Other,
    /// The sum; never added to the parts.
    Total,
}

/// Things an operator may want to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QualityFlag {
    /// Two good sources differ by more than a day.
    TimesDiffer,
    /// Two sources put one milestone in different ports.
    PlacesDiffer,
    /// An actual lies in the future of its receipt.
    InFuture,
    /// The container's check digit does not fit.
    CheckDigit,
    /// The terminal has been silent for a day: what it said about availability, holds and fees stands, but may
    /// no longer be so.
    TerminalStale,
}

impl ContainerState {
    /// A container that nothing is known about yet.
    pub fn unknown(number: ContainerNumber) -> Self {
        Self {
            number,
            journey: Journey::default(),
            milestones: Vec::new(),
            estimates: Vec::new(),
            first_estimates: FirstEstimates::default(),
            inland_by_line: InlandByLine::default(),
            status: CurrentStatus::New,
            size_type: SizeType::default(),
            gross_kg: None,
            seals: Vec::new(),
            pickup: Pickup::default(),
            rail: Rail::default(),
            flags: Vec::new(),
        }
    }

    /// The last standing milestone of this name, when there is one.
    pub fn milestone(&self, event: EventName) -> Option<&Milestone> {
        self.milestones
            .iter()
            .rev()
            .find(|milestone| milestone.slot.event == event)
    }

    /// What the ship did at the port of lading: where a feeder brought the box there, it is told as in transshipment.
    fn at_lading(&self, event: EventName, fed: EventName) -> Option<&Milestone> {
        let lading = self.journey.port_of_lading;
        let mut milestones = self.milestones.iter().rev();
        let of_fed = || milestones.find(|m| m.slot.event == fed && m.slot.place == lading);
        self.milestone(event)
            .or_else(|| lading.is_some().then(of_fed).flatten())
    }

    /// The attributes of a container that milestones fill, with their values, always all of them and in one
    /// order.
    pub fn milestone_times(&self) -> [(&'static str, Option<Timestamp>); 14] {
        self.shown_milestones()
            .map(|(attribute, milestone)| (attribute, milestone.map(|milestone| milestone.at)))
    }

    /// The same with the milestones themselves.
    pub fn shown_milestones(&self) -> [(&'static str, Option<&Milestone>); 14] {
        use EventName as E;
        let (gate, inland): (Vec<&Milestone>, Vec<&Milestone>) = self
            .milestones
            .iter()
            .filter(|milestone| milestone.slot.event == E::FullOut)
            .partition(|milestone| self.is_gate_of_discharge(milestone));
        [
            ("empty_out_at", self.milestone(E::EmptyOut)),
            ("pol_full_in_at", self.full_in_before_sea()),
            (
                "pol_vessel_loaded_at",
                self.at_lading(E::VesselLoaded, E::TransshipmentLoaded),
            ),
            (
                "pol_vessel_departed_at",
                self.at_lading(E::VesselDeparted, E::TransshipmentDeparted),
            ),
            ("pod_arrived_at", self.milestone(E::VesselArrived)),
            ("pod_discharged_at", self.milestone(E::VesselDischarged)),
            ("pod_full_out_at", self.out_for_good(&gate)),
            ("pod_rail_loaded_at", self.first_after_sea(E::RailLoaded)),
            (
                "pod_rail_departed_at",
                self.first_after_sea(E::RailDeparted),
            ),
            ("ind_ata_at", self.milestone(E::ArrivedAtInlandDestination)),
            ("ind_rail_unloaded_at", self.unloaded_inland()),
            ("final_destination_full_out_at", inland.last().copied()),
            ("empty_terminated_at", self.milestone(E::EmptyIn)),
            ("delivered_at", self.milestone(E::Delivered)),
        ]
    }

    /// The first gate of the port that the box did not come back through: from an exam it comes back into the terminal that it
    /// left, and is collected later.
    fn out_for_good<'m>(&self, gates: &[&'m Milestone]) -> Option<&'m Milestone> {
        let mut gates = gates.iter().copied();
        let mut out = gates.next()?;
        while let Some(back) = self.back_into_its_terminal(out) {
            out = match gates.find(|gate| gate.latest() > back.at) {
                Some(next) => next,
                None if self.status.is_grounded() => return None,
                // An export comes back, too, and what was collected stays so.
                None => return Some(out),
            };
        }
        Some(out)
    }

    fn back_into_its_terminal(&self, out: &Milestone) -> Option<&Milestone> {
        let mut back = self
            .after_sea()
            .filter(|m| m.slot.event == EventName::FullIn);
        back.find(|m| {
            let is_own = m.terminal.is_some() && m.terminal == out.terminal;
            is_own && m.at > out.at && m.at.duration_since(out.at) <= BACK_WITHIN
        })
    }

    /// Off the train at the inland destination; else the last time, unless a train took the box on from there, which one
    /// railroad handed to the next.
    fn unloaded_inland(&self) -> Option<&Milestone> {
        let of = |event| self.after_sea().filter(move |m| m.slot.event == event);
        let arrived = self.milestone(EventName::ArrivedAtInlandDestination);
        let at_the_end = arrived.and_then(|arrived| {
            of(EventName::RailUnloaded).find(|m| {
                m.slot.place == arrived.slot.place
                    || arrived.at.duration_since(m.latest()) <= CLOCKS_DIFFER_MAX
            })
        });
        at_the_end.or_else(|| {
            let last = of(EventName::RailUnloaded).last()?;
            let mut trains = of(EventName::RailLoaded).chain(of(EventName::RailDeparted));
            trains.all(|train| train.at <= last.at).then_some(last)
        })
    }

    /// A gate is the inland one only where there is a way inland, or a barge that went there, and the gate is elsewhere.
    fn is_gate_of_discharge(&self, milestone: &Milestone) -> bool {
        let place = milestone.slot.place;
        place.is_none()
            || place == self.journey.port_of_discharge
            || (self.journey.destination.is_none() && !self.was_barged_to(place))
    }

    /// Whether a barge brought it to this place from the port of discharge.
    fn was_barged_to(&self, place: Option<UnLocode>) -> bool {
        let ends = [EventName::FeederArrived, EventName::FeederDischarged];
        self.after_sea()
            .any(|m| ends.contains(&m.slot.event) && m.slot.place == place)
    }

    /// The gate of the port of lading; else the first that no train or barge took the box on from to the sea: a ramp has a
    /// gate, too, and one without a place may be a ramp's. A full box that comes in after the landing comes into a yard off
    /// the dock.
    fn full_in_before_sea(&self) -> Option<&Milestone> {
        let landed = [EventName::VesselArrived, EventName::VesselDischarged];
        let landed = landed.iter().find_map(|event| self.milestone(*event));
        let before_sea = || {
            let all = self.milestones.iter();
            all.filter(|m| landed.is_none_or(|landed| m.at < landed.at))
        };
        let gates = || before_sea().filter(|m| m.slot.event == EventName::FullIn);
        let lading = self.journey.port_of_lading;
        let in_port = |gate: &&Milestone| lading.is_some() && gate.slot.place == lading;
        let aboard = [
            EventName::VesselLoaded,
            EventName::VesselDeparted,
            EventName::TransshipmentLoaded,
        ];
        let aboard = aboard.iter().filter_map(|event| self.milestone(*event));
        let aboard = aboard.map(|milestone| milestone.at).min();
        let stays = |gate: &&Milestone| {
            let to_sea = before_sea().filter(|m| aboard.is_none_or(|aboard| m.at < aboard));
            let mut on = to_sea.filter(|m| m.at > gate.at);
            !on.any(|m| matches!(m.slot.event.category(), Category::Rail | Category::Feeder))
        };
        let nowhere = |gate: &&Milestone| gate.slot.place.is_none() && stays(gate);
        gates()
            .find(in_port)
            .or_else(|| gates().find(nowhere))
            .or_else(|| gates().find(stays))
    }

    /// Whether a train took it away from the port of discharge.
    pub(crate) fn went_inland_by_rail(&self, gazetteer: &Gazetteer) -> bool {
        let port = self.journey.port_of_discharge;
        self.after_sea()
            .any(|milestone| milestone.is_of_a_train_away_from(port, gazetteer))
    }

    /// The first such move after the last sea vessel: rail before the port of lading is another leg.
    fn first_after_sea(&self, event: EventName) -> Option<&Milestone> {
        self.after_sea()
            .find(|milestone| milestone.slot.event == event)
    }

    /// What happened from the last move by sea on; nothing where none is known.
    fn after_sea(&self) -> impl Iterator<Item = &Milestone> {
        after_sea(&self.milestones)
    }

    /// The shown estimate of this name.
    pub fn estimate(&self, event: EventName) -> Option<&Estimate> {
        self.estimates
            .iter()
            .find(|estimate| estimate.event == event)
    }
}

/// The same of these milestones, in the order in which they happened.
pub(crate) fn after_sea(milestones: &[Milestone]) -> impl Iterator<Item = &Milestone> {
    let at_sea = |m: &Milestone| {
        matches!(
            m.slot.event,
            EventName::VesselLoaded
                | EventName::VesselDeparted
                | EventName::VesselArrived
                | EventName::VesselDischarged
        )
    };
    let last_at_sea = milestones.iter().rposition(at_sea);
    let behind = last_at_sea.and_then(|last| milestones.get(last..));
    behind.into_iter().flatten()
}
