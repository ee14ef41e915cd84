//! The mapping of one source: which column or path means what. The keys are described in
//! `docs/sources/terminals.md` and `docs/sources/rail.md`.

pub(crate) mod file;
mod inside;

use std::collections::BTreeMap;

use domain::codes::{Scac, UnLocode};
use domain::container::{FeeKind, HoldName, LfdOwner};
use domain::report::{Mode, SourceKind, Verb};
use domain::source::Keeper;

use super::clock::Clocks;
use super::place::known_railroad;
use crate::ProfileError;
use crate::asking::Asking;

/// One source that speaks in tables.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name of the feed; stands in every report as its source.
    pub id: String,
    /// Who speaks: a terminal or a railroad.
    pub kind: SourceKind,
    /// Whose last free day the column `last_free_day` is.
    pub owner: LfdOwner,
    /// The railroad, for one that names itself in no column.
    pub railroad: Option<Scac>,
    /// How it is asked; `None` for one that sends files.
    pub asking: Option<Asking>,
    pub(super) home: Home,
    pub(super) form: Form,
    /// The columns and paths that are named anywhere, each once.
    pub(super) addresses: Vec<String>,
    /// The box's number, in as many parts as it is split into.
    pub(super) container: Vec<Slot>,
    pub(super) fields: BTreeMap<Field, Slot>,
    pub(super) flags: Vec<Flag>,
    pub(super) amounts: Vec<(FeeKind, String, Slot)>,
    pub(super) moves: Vec<(Action, String, Slot)>,
    pub(super) estimates: Vec<(Action, String, Slot)>,
    pub(super) holds: ListRule,
    pub(super) fees: ListRule,
    pub(super) events: Option<Events>,
    pub(super) words: Words,
    pub(super) clocks: Clocks,
    pub(super) currency: Option<String>,
    pub(super) decimal_comma: bool,
    pub(super) zero_is_unposted: bool,
    pub(super) pounds: bool,
}

/// Where rows are that name no place.
#[derive(Clone, Debug, Default)]
pub(super) struct Home {
    /// Our code of the terminal (`USLAX-Y258`).
    pub(super) terminal: Option<String>,
    pub(super) port: Option<UnLocode>,
    pub(super) facility: Option<String>,
}

/// What the files are.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    /// As told by the mapping; else as the bytes look.
    pub(super) kind: Option<FormKind>,
    pub(super) separator: Option<u8>,
    /// Line of the header, from 1; the first that has the box's column when not told.
    pub(super) header: Option<u32>,
    pub(super) sheet: Option<String>,
    /// Path of the list in a JSON document.
    pub(super) records: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormKind {
    Csv,
    Xlsx,
    Json,
}

/// Position of a cell in a row as it is read: that of its address among [`Profile::addresses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(pub(super) usize);

/// What a column can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    AsOf,
    Facility,
    Locode,
    Splc,
    City,
    State,
    Railroad,
    Bill,
    Booking,
    SizeType,
    GrossMass,
    MassUnit,
    Seal,
    Laden,
    Available,
    Status,
    StatusAt,
    LastFreeDay,
    StorageBegins,
    LfdLine,
    LfdTerminal,
    LfdRail,
    Appointment,
    YardLocation,
    Chassis,
    Holds,
    Fees,
    Currency,
    VesselName,
    VesselImo,
    Voyage,
}

/// Columns of their own for one hold.
#[derive(Clone, Debug)]
pub(super) struct Flag {
    pub(super) name: HoldName,
    /// As the mapping calls it.
    pub(super) word: String,
    /// Of several it is in force where one of them says so.
    pub(super) slots: Vec<Slot>,
    /// What `yes` means: that it is released.
    pub(super) yes_releases: bool,
}

/// A column or member with a list of holds or fees.
#[derive(Clone, Debug)]
pub(super) struct ListRule {
    /// Whether it is all there is, so that what it does not name is gone.
    pub(super) complete: bool,
    /// What stands between the names in a text.
    pub(super) separators: Vec<String>,
    /// Members of the objects of a JSON list.
    pub(super) name: String,
    pub(super) status: String,
    /// Of holds alone.
    pub(super) description: String,
    /// Of fees alone, as the next.
    pub(super) amount: String,
    pub(super) currency: String,
    /// A date in it says that the fee was paid.
    pub(super) paid_at: String,
}

/// JSON lists of happenings inside a row.
#[derive(Clone, Debug)]
pub(super) struct Events {
    /// Where they stand. What one tells again that stands behind another is told once.
    pub(super) lists: Vec<String>,
    pub(super) code: String,
    pub(super) at: String,
    pub(super) splc: String,
    pub(super) locode: String,
    pub(super) facility: String,
    pub(super) city: String,
    pub(super) state: String,
    /// Member that tells an estimate from what happened, and its words for either beside the usual ones.
    pub(super) classifier: String,
    pub(super) estimated: Vec<String>,
    pub(super) actual: Vec<String>,
    pub(super) railroad: String,
}

/// Words of the source, beside those that every source uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// In capitals.
    pub(super) holds: BTreeMap<String, HoldName>,
    pub(super) fees: BTreeMap<String, FeeKind>,
    pub(super) status: BTreeMap<String, Action>,
    pub(super) yes: Vec<String>,
    pub(super) no: Vec<String>,
    pub(super) held: Vec<String>,
    pub(super) pending: Vec<String>,
    pub(super) released: Vec<String>,
    /// Of the status of a fee, as the next.
    pub(super) paid: Vec<String>,
    pub(super) owed: Vec<String>,
    pub(super) none: Vec<String>,
}

/// What a status, a code or a column of times means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The word on availability.
    Available(bool),
    /// A move of the box or its vessel.
    Move {
        verb: Verb,
        mode: Option<Mode>,
        laden: Option<bool>,
    },
    /// Nothing that is told.
    Nothing,
}

impl Profile {
    /// Whose boxes it can know: what decides about which boxes it is asked.
    pub fn keeper(&self) -> Keeper {
        match self.kind {
            SourceKind::RailApi => Keeper::Railroad(self.roads()),
            _ => Keeper::Terminal {
                port: self.home.port,
                terminal: self.home.terminal.clone(),
            },
        }
    }

    /// Our code of the terminal where rows are that name no place.
    pub fn terminal(&self) -> Option<&str> {
        self.home.terminal.as_deref()
    }

    /// The codes that its railroad goes under: its own, and that of our tables.
    fn roads(&self) -> Vec<Scac> {
        let known = self.railroad.and_then(|code| known_railroad(code.as_str()));
        self.railroad.into_iter().chain(known).collect()
    }

    /// Reads a mapping. Every key is checked, and one that means nothing is an error with its place.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        file::read(text)
    }
}

impl Action {
    /// By its name in a mapping.
    pub(super) fn named(name: &str) -> Option<Self> {
        let done = |verb, mode, laden| Some(Self::Move { verb, mode, laden });
        let (sea, rail, road) = (Some(Mode::Vessel), Some(Mode::Rail), Some(Mode::Truck));
        match name {
            "available" => Some(Self::Available(true)),
            "not_available" => Some(Self::Available(false)),
            "nothing" => Some(Self::Nothing),
            "document" => done(Verb::Document, None, None),
            "vessel_arrived" => done(Verb::Arrive, sea, None),
            "vessel_berthed" => done(Verb::Berth, sea, None),
            "vessel_departed" => done(Verb::Depart, sea, None),
            "vessel_discharged" => done(Verb::Discharge, sea, Some(true)),
            "vessel_loaded" => done(Verb::Load, sea, Some(true)),
            "full_in" => done(Verb::GateIn, road, Some(true)),
            "full_out" => done(Verb::GateOut, road, Some(true)),
            "empty_in" => done(Verb::GateIn, road, Some(false)),
            "empty_out" => done(Verb::GateOut, road, Some(false)),
            "gate_in" => done(Verb::GateIn, road, None),
            "gate_out" => done(Verb::GateOut, road, None),
            "rail_loaded" => done(Verb::Load, rail, None),
            "rail_departed" => done(Verb::Depart, rail, None),
            "rail_arrived" => done(Verb::Arrive, rail, None),
            "rail_unloaded" => done(Verb::Discharge, rail, None),
            "delivered" => done(Verb::Dropoff, road, Some(true)),
            _ => None,
        }
    }

    /// All names, for a complaint.
    pub(super) const NAMES: &str = "available, not_available, vessel_arrived, vessel_berthed, vessel_departed, \
        vessel_discharged, vessel_loaded, full_in, full_out, empty_in, empty_out, gate_in, gate_out, rail_loaded, \
        rail_departed, rail_arrived, rail_unloaded, delivered, document or nothing";
}

impl Field {
    /// Its key in `[columns]`.
    pub(super) fn key(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, field)| *field == self);
        named.map_or("", |(key, _)| key)
    }

    /// Every field with its key in `[columns]`.
    pub(super) const ALL: [(&'static str, Self); 31] = [
        ("as_of", Self::AsOf),
        ("facility", Self::Facility),
        ("locode", Self::Locode),
        ("splc", Self::Splc),
        ("city", Self::City),
        ("state", Self::State),
        ("railroad", Self::Railroad),
        ("bill", Self::Bill),
        ("booking", Self::Booking),
        ("size_type", Self::SizeType),
        ("gross_mass", Self::GrossMass),
        ("mass_unit", Self::MassUnit),
        ("seal", Self::Seal),
        ("laden", Self::Laden),
        ("available", Self::Available),
        ("status", Self::Status),
        ("status_at", Self::StatusAt),
        ("last_free_day", Self::LastFreeDay),
        ("storage_begins", Self::StorageBegins),
        ("last_free_day_line", Self::LfdLine),
        ("last_free_day_terminal", Self::LfdTerminal),
        ("last_free_day_rail", Self::LfdRail),
        ("appointment", Self::Appointment),
        ("yard_location", Self::YardLocation),
        ("chassis", Self::Chassis),
        ("holds", Self::Holds),
        ("fees", Self::Fees),
        ("currency", Self::Currency),
        ("vessel_name", Self::VesselName),
        ("vessel_imo", Self::VesselImo),
        ("voyage", Self::Voyage),
    ];
}
