//! Rows to reports.

use std::collections::BTreeSet;

use domain::codes::{ContainerNumber, ImoNumber, Scac};
use domain::place::Gazetteer;
use domain::report::{Doubt, Equipment, Leg, Mode, SourceKind};
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;

use super::cell::Cell;
use super::claims::{Claims, first_path};
use super::lists::{Lists, Taken};
use super::mapping::{Field, Profile, Slot};
use super::place::{Finder, Found, Said, railroad};
use super::{CLAIMS_MAX, equipment, joined, mass, written_whole};
use crate::parsed::PART_REPORTS;
use crate::{Defect, Located, Parsed};

/// Clocks of terminals may be this much ahead of ours.
const CLOCK_AHEAD_MAX: SignedDuration = SignedDuration::from_mins(15);
/// How many defects of one file are kept; the rest are counted.
const DEFECTS_MAX: usize = 1_000;

/// One row as it was read.
pub(super) struct Row {
    /// Where it stands.
    pub(super) place: String,
    /// A cell for each of [`Profile::addresses`].
    pub(super) cells: Vec<Cell>,
}

/// What a reader of files finds.
pub(super) enum Read {
    Row(Row),
    Damage {
        place: String,
        reason: String,
    },
    /// What is missing and may cost nothing.
    Remark {
        place: String,
        reason: String,
    },
}

/// A file on its way into reports.
pub(super) struct Reading<'a> {
    pub(super) profile: &'a Profile,
    pub(super) received_at: Timestamp,
    finder: Finder<'a>,
    home: Found,
    reports: Vec<Located>,
    /// Claims so far, those that were given away or wait included.
    count: usize,
    defects: Vec<Defect>,
    defects_left_out: usize,
    /// The first defect that cost a row.
    decisive: Option<usize>,
    rows_left_out: usize,
    lists: Lists,
    told: BTreeSet<String>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        received_at: Timestamp,
        gazetteer: &'a Gazetteer,
        lists: Lists,
    ) -> Self {
        let mut finder = Finder::new(gazetteer);
        let home = home(profile, &mut finder);
        Self {
            profile,
            received_at,
            finder,
            home,
            reports: Vec::new(),
            count: 0,
            defects: Vec::new(),
            defects_left_out: 0,
            decisive: None,
            rows_left_out: 0,
            lists,
            told: BTreeSet::new(),
        }
    }

    /// Reads one row; one that says nothing is none.
    pub(super) fn row(&mut self, read: &Read) {
        match read {
            Read::Remark { place, reason } => self.defect(place.clone(), reason.clone()),
            Read::Damage { place, reason } => {
                self.decisive.get_or_insert(self.defects.len());
                self.defect(place.clone(), reason.clone());
            }
            Read::Row(row) if self.count >= CLAIMS_MAX => {
                self.rows_left_out += usize::from(row.cells.iter().any(|c| *c != Cell::Unknown));
            }
            Read::Row(row) => {
                if let Err((address, reason)) = self.claims(row) {
                    self.decisive.get_or_insert(self.defects.len());
                    let dot = if address.is_empty() { "" } else { "." };
                    self.defect(format!("{}{dot}{address}", row.place), reason);
                }
            }
        }
    }

    /// The claims that can be given away, where they are enough for a part.
    pub(super) fn part(&mut self) -> Option<Parsed> {
        (self.reports.len() >= PART_REPORTS).then(|| Parsed {
            reports: std::mem::take(&mut self.reports),
            ..Parsed::default()
        })
    }

    /// Only the lists, once all rows were counted.
    pub(super) fn into_lists(self) -> Lists {
        self.lists
    }

    /// Forgets the claims of the last row: they are only counted.
    pub(super) fn forget(&mut self) {
        self.reports.clear();
    }

    /// Everything that was read and not given away.
    pub(super) fn finish(mut self, parsed: &mut Parsed) {
        self.reports.extend(self.lists.left());
        if self.rows_left_out > 0 {
            let reason = format!(
                "{} more rows are left out: one file makes at most {CLAIMS_MAX} claims, so split it",
                self.rows_left_out
            );
            self.defects.push(Defect {
                place: "the end".into(),
                reason,
            });
        }
        if self.defects_left_out > 0 {
            self.defects.push(Defect {
                place: "the end".into(),
                reason: format!("{} more defects like these", self.defects_left_out),
            });
        }
        parsed.reports.append(&mut self.reports);
        parsed.defects.append(&mut self.defects);
        parsed.decisive = self.decisive;
    }

    pub(super) fn defect(&mut self, place: String, reason: String) {
        if self.defects.len() < DEFECTS_MAX {
            self.defects.push(Defect { place, reason });
        } else {
            self.defects_left_out += 1;
        }
    }

    fn claims(&mut self, row: &Row) -> Result<(), (String, String)> {
        if row.cells.iter().all(|cell| *cell == Cell::Unknown) {
            return Ok(());
        }
        let profile = self.profile;
        let address = |slot: Slot| profile.addresses.get(slot.0).cloned().unwrap_or_default();
        let first = profile.container.first().copied().unwrap_or(Slot(0));
        let parts = profile.container.iter().filter_map(|slot| row.text(*slot));
        let number = joined(&parts.collect::<Vec<String>>());
        let fault = |reason: String| (address(first), reason);
        if number.is_empty() {
            return Err(fault("a row names its box".into()));
        }
        // A serial in a column of its own lost its zeros to a spreadsheet.
        let is_whole = profile.kind != SourceKind::RailApi && profile.container.len() == 1;
        let read = if is_whole { written_whole } else { equipment };
        let (number, fits) = read(&number).map_err(fault)?;
        let named = self.named_place(row);
        self.tell_strange(row, named.as_ref());
        let home = self.home.clone();
        let found = match &named {
            Some(named) => named.clone(),
            None if home.zone.is_some() => home.clone(),
            None => super::events::last_place(self, row).unwrap_or_else(|| home.clone()),
        };
        let mut claims = Claims::new(self, row, number, &found);
        claims.ahead = named.unwrap_or(home);
        if !fits {
            claims.base.doubts.push(Doubt::CheckDigit);
        }
        let gross_kg = mass::of_row(profile, row).unwrap_or_else(|(field, reason)| {
            let column = claims.column(field);
            claims.fault(&column, &reason);
            None
        });
        claims.base.equipment = Some(gear(profile, row, number, gross_kg));
        claims.base.leg = leg(profile, row);
        let named = row
            .field(profile, Field::Railroad)
            .and_then(|name| railroad(&name));
        claims.base.references.scac = named.or(profile.railroad);
        claims.base.references.bills = claims.papers(Field::Bill);
        claims.base.references.bookings = claims.papers(Field::Booking);
        if let Some(slot) = profile.fields.get(&Field::AsOf).copied() {
            claims
                .as_of(slot, CLOCK_AHEAD_MAX)
                .map_err(|reason| (address(slot), reason))?;
        }
        claims.all();
        Ok(())
    }

    /// Where the row is, as it says itself.
    fn named_place(&mut self, row: &Row) -> Option<Found> {
        let profile = self.profile;
        let said = Said {
            splc: row.field(profile, Field::Splc),
            locode: row.field(profile, Field::Locode),
            facility: row.field(profile, Field::Facility),
            name: row.field(profile, Field::City),
            state: row.field(profile, Field::State),
        };
        self.place(said)
    }

    /// Tells of a terminal that is none of its port: whoever reads on takes it for one that nobody knows.
    fn tell_strange(&mut self, row: &Row, named: Option<&Found>) {
        let Some(place) = named.map(|named| &named.place) else {
            return;
        };
        let of_a_terminal = self.profile.kind == SourceKind::TerminalApi;
        let Some(port) = self.finder.strange_port(place).filter(|_| of_a_terminal) else {
            return;
        };
        let code = place.facility_code.clone().unwrap_or_default();
        let here = place.locode.map(|locode| locode.to_string());
        let reason = format!(
            "{code:?} is a terminal of {port}, and none of {}",
            here.unwrap_or_default()
        );
        let slot = self.profile.fields.get(&Field::Facility);
        let column = slot.and_then(|slot| self.profile.addresses.get(slot.0));
        let column = column.map_or(Field::Facility.key(), |address| first_path(address));
        self.once(&format!("{}.{column}", row.place), reason);
    }

    /// The place that these words mean; `None` when there are none.
    pub(super) fn place(&mut self, mut said: Said) -> Option<Found> {
        let is_empty = said.splc.is_none() && said.locode.is_none() && said.name.is_none();
        if is_empty && said.facility.is_none() {
            return None;
        }
        if is_empty {
            let home = self.home.place.locode;
            said.locode = home.map(|locode| locode.to_string());
        }
        let rail = self.profile.kind == SourceKind::RailApi;
        Some(self.finder.find(said, rail))
    }

    /// How many claims there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn knows(&self, found: &Found) -> bool {
        self.finder.knows(&found.place)
    }

    pub(super) fn push(&mut self, located: Located) {
        let (is_new, own) = match self.lists.take(located, &mut self.reports) {
            Taken::Own(located) => (true, Some(located)),
            Taken::Joined { first, whole } => (first, whole),
        };
        self.count += usize::from(is_new);
        self.reports.extend(own);
    }

    /// A complaint about the whole file, made once.
    pub(super) fn once(&mut self, place: &str, reason: String) {
        if self.told.insert(reason.clone()) {
            self.defect(place.to_owned(), reason);
        }
    }
}

fn home(profile: &Profile, finder: &mut Finder<'_>) -> Found {
    let known = profile
        .home
        .terminal
        .as_deref()
        .and_then(|code| finder.terminal(code));
    known.unwrap_or_else(|| {
        let said = Said {
            locode: profile.home.port.map(|port| port.to_string()),
            facility: profile.home.facility.clone(),
            ..Said::default()
        };
        let rail = profile.kind == SourceKind::RailApi;
        finder.find(said, rail && profile.home.port.is_some())
    })
}

fn gear(
    profile: &Profile,
    row: &Row,
    number: ContainerNumber,
    gross_kg: Option<Decimal>,
) -> Equipment {
    let seals = row.field(profile, Field::Seal);
    let seals = seals.iter().flat_map(|text| text.split([',', ';', '/']));
    Equipment {
        number,
        iso_type: row.field(profile, Field::SizeType),
        laden: row
            .field(profile, Field::Laden)
            .and_then(|text| laden(&text)),
        seals: seals
            .map(str::trim)
            .filter(|seal| !seal.is_empty())
            .map(str::to_owned)
            .collect(),
        gross_kg,
    }
}

fn laden(text: &str) -> Option<bool> {
    match text.to_uppercase().as_str() {
        "L" | "F" | "LADEN" | "LOADED" | "LOAD" | "FULL" | "FCL" => Some(true),
        "E" | "M" | "EMPTY" | "MTY" | "MT" => Some(false),
        _ => None,
    }
}

fn leg(profile: &Profile, row: &Row) -> Leg {
    let imo = row
        .field(profile, Field::VesselImo)
        .and_then(|text| ImoNumber::parse(&text));
    let name = row.field(profile, Field::VesselName);
    Leg {
        mode: (imo.is_some() || name.is_some()).then_some(Mode::Vessel),
        vessel_name: name,
        vessel_imo: imo,
        voyage_in: row.field(profile, Field::Voyage),
        ..Leg::default()
    }
}

impl Row {
    pub(super) fn cell(&self, slot: Slot) -> &Cell {
        const UNKNOWN: &Cell = &Cell::Unknown;
        self.cells.get(slot.0).unwrap_or(UNKNOWN)
    }

    pub(super) fn text(&self, slot: Slot) -> Option<String> {
        self.cell(slot).text()
    }

    pub(super) fn field(&self, profile: &Profile, field: Field) -> Option<String> {
        self.text(*profile.fields.get(&field)?)
    }
}

/// The railroad that a text means, for the events of a row.
pub(super) fn road(text: Option<String>) -> Option<Scac> {
    text.and_then(|name| railroad(&name))
}
