//! What we know without asking anybody: shipping lines, ports, terminals and rail ramps.
//!
//! The tables are text files in `data/`, compiled into the binary so that a fresh start needs no download
//! and a bad row is found by the tests, not by a user. They are read once, at start. A row that does not
//! fit refuses the whole table and names its file and line: a half-read gazetteer would place containers in
//! the wrong time zone without anybody noticing.

mod lines;
mod places;
mod table;

use std::collections::BTreeMap;

use domain::codes::Scac;
use domain::place::Gazetteer;
use domain::shipping_line::ShippingLine;

pub use table::RegistryError;

/// The code under which a simulated carrier answers. Requests may name it; it is not shown in lists.
pub const TEST_LINE: &str = "TEST";

/// The reference tables, read and checked.
#[derive(Clone, Debug)]
pub struct Registry {
    gazetteer: Gazetteer,
    lines: BTreeMap<Scac, ShippingLine>,
    main_codes: BTreeMap<Scac, Scac>,
}

impl Registry {
    /// Reads the tables in the binary. `extra_lines` are carriers of configured sources; one that has the
    /// code of a line in the tables replaces it.
    pub fn load(extra_lines: &[ShippingLine]) -> Result<Self, RegistryError> {
        let gazetteer = places::read(
            table::PORTS.with(include_str!("../../data/ports.csv")),
            table::TERMINALS.with(include_str!("../../data/terminals.csv")),
            table::RAIL.with(include_str!("../../data/rail.csv")),
        )?;
        let carriers = table::CARRIERS.with(include_str!("../../data/carriers.csv"));
        let mut lines: BTreeMap<Scac, ShippingLine> = lines::read(carriers)?;
        for line in extra_lines.iter().cloned().chain(lines::test_line()) {
            lines.entry(line.scac).or_insert(line);
        }
        for line in extra_lines {
            lines.insert(line.scac, line.clone());
        }
        let main_codes = lines::main_codes(&lines);
        Ok(Self {
            gazetteer,
            lines,
            main_codes,
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

    /// The line that this code means; an alternative code means its main line.
    pub fn shipping_line(&self, scac: Scac) -> Option<&ShippingLine> {
        let main = self.main_codes.get(&scac).copied().unwrap_or(scac);
        self.lines.get(&main)
    }
}
