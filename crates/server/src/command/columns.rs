//! Lines of columns, for a reader at a terminal or for a program.
//!
//! A program gets tabs between values and nothing else, and may rely on it. Who looks at a terminal gets a heading and columns
//! that stand under each other.

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::Result;

use super::pipe::unless_closed;

/// Terminals with fewer columns get narrower lines.
pub const WIDE_FROM: usize = 100;

/// Prints rows under these headings.
pub fn print(headings: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() {
        aligned(headings, rows)
    } else {
        tabbed(rows)
    };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    unless_closed(
        written.map_err(|error| {
            anyhow::Error::new(error).context("standard output cannot be written")
        }),
    )
}

fn tabbed(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.join("\t") + "\n").collect()
}

/// Two spaces between columns, and none at the end of a line. A row with fewer values is a sentence, and widens no column.
fn aligned(headings: &[&str], rows: &[Vec<String>]) -> String {
    let headings = headings.iter().map(|heading| (*heading).to_owned());
    let all: Vec<Vec<String>> = std::iter::once(headings.collect())
        .chain(rows.iter().cloned())
        .collect();
    let columns = all.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let whole = all.iter().filter(|row| row.len() == columns);
        let values = whole.filter_map(|row| row.get(column));
        values.map(|value| value.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths);
        let padded: Vec<String> = padded
            .map(|(value, width)| format!("{value:<width$}"))
            .collect();
        padded.join("  ").trim_end().to_owned() + "\n"
    };
    all.iter().map(line).collect()
}

/// The text in so many characters at most; what is cut is marked.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(std::iter::once('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_and_a_program_gets_tabs() {
        let rows: [&[&str]; 3] = [
            &["1", "Zoë & Sons", ""],
            &["22", "B", "off"],
            &["a sentence"],
        ];
        let rows = rows.map(|row| row.iter().map(|value| (*value).to_owned()).collect());
        assert_eq!(
            aligned(&["ID", "NAME", "OFF"], &rows),
            "ID  NAME        OFF\n1   Zoë & Sons\n22  B           off\na sentence\n"
        );
        assert_eq!(tabbed(&rows), "1\tZoë & Sons\t\n22\tB\toff\na sentence\n");
    }

    #[test]
    fn what_is_cut_is_marked() {
        assert_eq!(cut("vessel_arrived", 14), "vessel_arrived");
        assert_eq!(cut("vessel_arrived", 8), "vessel_…");
    }
}
