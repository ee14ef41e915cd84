//! Shipping lines and the codes that mean them.

use std::collections::BTreeMap;

use domain::codes::Scac;
use domain::shipping_line::ShippingLine;

use super::TEST_LINE;
use super::table::{RegistryError, Row, Table};

/// The lines of the table, by main code.
pub(super) fn read(table: &Table<'_>) -> Result<BTreeMap<Scac, ShippingLine>, RegistryError> {
    let mut lines = BTreeMap::new();
    for (line_number, line) in table.rows(|row| Ok((row.line(), shipping_line(row)?)))? {
        let scac = line.scac;
        if lines.insert(scac, line).is_some() {
            return Err(table.bad(line_number, format!("{scac} is listed twice")));
        }
    }
    Ok(lines)
}

fn shipping_line(row: &Row<'_>) -> Result<ShippingLine, String> {
    let scac = |text: &str| Scac::parse(text).map_err(|e| e.to_string());
    let texts = |column| row.list(column).map(str::to_owned).collect();
    Ok(ShippingLine {
        scac: scac(row.text("scac"))?,
        name: row.required("name")?,
        short_name: row.required("short_name")?,
        alternative_scacs: row
            .list("alternative_scacs")
            .map(scac)
            .collect::<Result<_, _>>()?,
        bill_of_lading_support: row.flag("bl_support")?,
        booking_support: row.flag("booking_support")?,
        container_support: row.flag("container_support")?,
        bill_of_lading_prefixes: texts("bill_of_lading_prefixes"),
        container_owner_prefixes: texts("container_owner_prefixes"),
        not_provided: Some(texts("not_provided")),
    })
}

/// The line of simulated carriers. Known, so that a request can name it, and never listed.
pub(super) fn test_line() -> Option<ShippingLine> {
    Some(ShippingLine {
        scac: Scac::parse(TEST_LINE).ok()?,
        name: "Test Line".into(),
        short_name: "Test".into(),
        alternative_scacs: Vec::new(),
        bill_of_lading_support: true,
        booking_support: true,
        // It knows two numbers, and neither is a box.
        container_support: false,
        bill_of_lading_prefixes: vec![TEST_LINE.into()],
        container_owner_prefixes: Vec::new(),
        not_provided: None,
    })
}

/// Every alternative code and the line it means. A code that is itself a line means that line.
pub(super) fn main_codes(lines: &BTreeMap<Scac, ShippingLine>) -> BTreeMap<Scac, Scac> {
    lines
        .values()
        .flat_map(|line| {
            line.alternative_scacs
                .iter()
                .map(|other| (*other, line.scac))
        })
        .filter(|(other, _)| !lines.contains_key(other))
        .collect()
}
