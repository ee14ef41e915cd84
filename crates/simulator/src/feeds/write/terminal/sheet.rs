//! A page that somebody exports: lines of text, or a workbook.

use jiff::Timestamp;

use super::super::super::way::Way;
use super::super::local;
use super::{Row, book, currency, fee_kind, hold_name, hold_status, money, neighbour};
use crate::dice::Dice;
use crate::world::places::Place;

/// Columns of the sheet.
const COLUMNS: [&str; 18] = [
    "Unit",
    "Bill",
    "Port",
    "Pier",
    "Refreshed",
    "Ready",
    "Holds",
    "Fees",
    "Money",
    "Free until",
    "Slot",
    "Spot",
    "Berthed",
    "Discharged",
    "Out",
    "Ship",
    "IMO",
    "Voyage",
];

/// The box among others.
pub(super) fn bytes(
    way: &Way,
    (place, terminal): (&Place, &str),
    as_of: Timestamp,
    row: &Row<'_>,
    damaged: bool,
    dice: &mut Dice,
) -> Vec<u8> {
    let clock = "%m/%d/%Y %H:%M";
    let refreshed = local(as_of, place, clock);
    let look = row.look;
    let told =
        |column: &str| -> Option<String> {
            Some(match column {
                "Unit" => way.number.to_string(),
                "Port" => place.code.to_owned(),
                "Pier" => terminal.to_owned(),
                "Refreshed" => refreshed.clone(),
                "Money" => currency(place).to_owned(),
                "Ready" => if look?.available? { "Y" } else { "N" }.to_owned(),
                "Holds" => listed(look?.holds.as_ref()?.iter().map(|(name, status)| {
                    format!("{} {}", hold_name(*name), hold_status(*status))
                })),
                "Fees" => listed(look?.fees.as_ref()?.iter().map(|(kind, cents)| {
                    let sum = cents.map_or("TBD".to_owned(), money);
                    format!("{} {sum}", fee_kind(*kind))
                })),
                "Free until" => look?.free_day?.strftime("%m/%d/%Y").to_string(),
                "Slot" => local(look?.appointment?, place, clock),
                "Spot" => look?.spot.clone()?,
                "Ship" => row.ship?.vessel.name.to_owned(),
                "IMO" => row.ship?.vessel.imo(),
                "Voyage" => format!("{}E", row.ship?.voyage),
                "Berthed" | "Discharged" | "Out" => {
                    let (moved, at) = row.moved.as_ref()?;
                    moved.eq_ignore_ascii_case(column).then(|| at.clone())?
                }
                _ => return None,
            })
        };
    let named = dice.per_mille(500);
    let cells: Vec<String> = COLUMNS
        .iter()
        .map(|column| match (*column, told(column)) {
            ("Bill", _) if named => way.bill.clone(),
            (_, Some(told)) => told,
            _ => dice
                .pick(&["", "-", "N/A"])
                .copied()
                .unwrap_or_default()
                .to_owned(),
        })
        .collect();
    let remark = |first: &str, free: &str| {
        let mut cells = vec![String::new(); COLUMNS.len()];
        for (cell, told) in cells
            .iter_mut()
            .zip([first, "", place.code, terminal, &refreshed, free])
        {
            told.clone_into(cell);
        }
        cells
    };
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    rows.push(remark(&neighbour(way, dice), "N"));
    rows.extend(damaged.then(|| remark("see remarks", "Y")));
    rows.push(cells);
    match dice.between(0, 2) {
        0 => lines(&rows, "\r\n"),
        1 => lines(&rows, "\n"),
        _ => book::of(&rows),
    }
}

/// The sheet of a yard in which nothing stands.
pub(super) fn nothing() -> Vec<u8> {
    lines(&[COLUMNS.map(str::to_owned).to_vec()], "\n")
}

fn lines(rows: &[Vec<String>], end: &str) -> Vec<u8> {
    let lines = rows.iter().map(|cells| cells.join(",") + end);
    lines.collect::<String>().into_bytes()
}

fn listed(each: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = each.collect();
    if all.is_empty() {
        "NONE".to_owned()
    } else {
        all.join("; ")
    }
}
