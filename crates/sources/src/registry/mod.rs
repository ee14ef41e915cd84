//! What we know without asking anybody: shipping lines, ports, terminals and rail ramps.
//!
//! The tables are text files in `data/`, compiled into the binary so that a fresh start needs no download
//! and a bad row is found by the tests, not by a user. They are read once, at start. A row that does not
//! fit refuses the whole table and names its file and line: a half-read gazetteer would place containers in
//! the wrong time zone without anybody noticing.

mod lines;
mod numbers;
mod places;
mod table;

use std::collections::BTreeMap;

use domain::codes::Scac;
use domain::infer::Clues;
use domain::place::Gazetteer;
use domain::shipping_line::ShippingLine;

pub use table::RegistryError;

/// The code under which a simulated carrier answers. Requests may name it; it is not shown in lists.
pub const TEST_LINE: &str = "TEST";

/// The texts of the tables.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Shipping lines.
    pub carriers: &'a str,
    /// Ports and inland points.
    pub ports: &'a str,
    /// Towns in which terminals of ports stand.
    pub harbour_towns: &'a str,
    /// Marine terminals.
    pub terminals: &'a str,
    /// Railroads and their ramps.
    pub rail: &'a str,
    /// Inland places and the metropolitan areas they lie in.
    pub metro: &'a str,
    /// Names of countries.
    pub countries: &'a str,
    /// Time zones of states and provinces.
    pub states: &'a str,
    /// Forms that lines give their numbers.
    pub number_forms: &'a str,
    /// Owner codes of boxes that sail with everybody.
    pub lessors: &'a str,
}

impl Tables<'static> {
    /// The ones in the binary.
    pub const BUILT_IN: Self = Self {
        carriers: include_str!("../../data/carriers.csv"),
        ports: include_str!("../../data/ports.csv"),
        harbour_towns: include_str!("../../data/harbour_towns.csv"),
        terminals: include_str!("../../data/terminals.csv"),
        rail: include_str!("../../data/rail.csv"),
        metro: include_str!("../../data/metro.csv"),
        countries: include_str!("../../data/countries.csv"),
        states: include_str!("../../data/states.csv"),
        number_forms: include_str!("../../data/number_forms.csv"),
        lessors: include_str!("../../data/lessors.csv"),
    };
}

/// The reference tables, read and checked.
#[derive(Clone, Debug)]
pub struct Registry {
    gazetteer: Gazetteer,
    lines: BTreeMap<Scac, ShippingLine>,
    main_codes: BTreeMap<Scac, Scac>,
    clues: Clues,
}

impl Registry {
    /// Reads the tables in the binary. `extra_lines` are carriers of configured sources; one that has the
    /// code of a line in the tables replaces it.
    pub fn load(extra_lines: &[ShippingLine]) -> Result<Self, RegistryError> {
        Self::read(&Tables::BUILT_IN, extra_lines)
    }

    /// Reads these tables.
    pub fn read(tables: &Tables<'_>, extra_lines: &[ShippingLine]) -> Result<Self, RegistryError> {
        let gazetteer = places::read(tables)?;
        let mut lines: BTreeMap<Scac, ShippingLine> = lines::test_line()
            .map(|line| (line.scac, line))
            .into_iter()
            .collect();
        lines.extend(lines::read(&table::CARRIERS.with(tables.carriers))?);
        lines.extend(extra_lines.iter().map(|line| (line.scac, line.clone())));
        let main_codes = lines::main_codes(&lines);
        let listed = lines
            .values()
            .filter(|line| line.scac.as_str() != TEST_LINE);
        let clues = numbers::read(
            listed.cloned().collect(),
            &table::NUMBER_FORMS.with(tables.number_forms),
            &table::LESSORS.with(tables.lessors),
        )?;
        Ok(Self {
            gazetteer,
            lines,
            main_codes,
            clues,
        })
    }

    /// Ports, terminals and ramps.
    pub fn gazetteer(&self) -> &Gazetteer {
        &self.gazetteer
    }

    /// The lines that lists show, by code.
    pub fn shipping_lines(&self) -> impl Iterator<Item = &ShippingLine> {
        self.lines
            .values()
            .filter(|line| line.scac.as_str() != TEST_LINE)
    }

    /// What numbers tell about their lines.
    pub fn clues(&self) -> &Clues {
        &self.clues
    }

    /// The line that this code means; an alternative code means its main line.
    pub fn shipping_line(&self, scac: Scac) -> Option<&ShippingLine> {
        let main = self.main_codes.get(&scac).copied().unwrap_or(scac);
        self.lines.get(&main)
    }
}
