//! Statement text: one for both engines.
//!
//! Parameters are numbered (`$1`, `$2`, …) and may stand in any order and more than once. Words that only
//! PostgreSQL knows stand in a comment, `/*pg for update skip locked */`, which is opened when the statement
//! is prepared there; as written, the text is valid SQLite.
//!
//! Sets go in as rows of parameters. The number of rows is cut to powers of two, so that the number of
//! different texts, each prepared once per connection, stays small.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::value::Value;

/// Lists of placeholders that are kept.
const PLACES_MAX: usize = 1_024;
/// Rows in one statement at most.
pub(crate) const SET_ROWS_MAX: usize = 128;

/// The text as PostgreSQL gets it: its own words uncommented.
pub(super) fn for_postgres(sql: &str) -> String {
    let mut opened = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once("/*pg") {
        let (words, behind) = after.split_once("*/").unwrap_or((after, ""));
        opened.push_str(before);
        opened.push_str(words);
        rest = behind;
    }
    opened.push_str(rest);
    opened
}

/// The number a parameter's name stands for: `$12` is 12.
pub(super) fn parameter_number(name: &str) -> Option<usize> {
    name.strip_prefix('$')?.parse().ok()
}

/// Cuts a set into pieces whose lengths are powers of two.
pub(crate) fn pieces<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    pieces_up_to(SET_ROWS_MAX, rows)
}

/// As [`pieces`], of at most `most` rows.
pub(super) fn pieces_up_to<T>(most: usize, rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let largest = rest.len().min(most);
        let size = (largest > 0).then(|| 1 << largest.ilog2())?;
        let (piece, behind) = rest.split_at(size);
        rest = behind;
        Some(piece)
    })
}

/// A list of values padded to a power of two by repeating its last one: for `in (…)`, which does not mind.
pub(crate) fn padded(mut values: Vec<Value<'_>>) -> Vec<Value<'_>> {
    let last = values.last().copied().unwrap_or(Value::Null);
    let size = values.len().max(1).next_power_of_two();
    values.resize(size, last);
    values
}

/// Cuts a set into pieces that are padded to powers of two by repeating the last row: for statements that do not mind,
/// one instead of two for three rows.
pub(crate) fn padded_pieces<T: Copy>(rows: &[T]) -> impl Iterator<Item = Vec<T>> {
    rows.chunks(SET_ROWS_MAX).map(|some| {
        let last = some.last().into_iter().copied().cycle();
        let size = some.len().next_power_of_two();
        some.iter().copied().chain(last).take(size).collect()
    })
}

/// Cuts ids into lists for `in (…)`, each padded to a power of two.
pub(crate) fn chunks<'a, I: Copy + Into<Value<'a>>>(
    ids: &[I],
) -> impl Iterator<Item = Vec<Value<'a>>> {
    ids.chunks(SET_ROWS_MAX)
        .map(|some| padded(some.iter().map(|id| (*id).into()).collect()))
}

/// `$first, $first+1, …`: `count` placeholders.
pub(crate) fn placeholders(first: usize, count: usize) -> Rc<str> {
    PLACES.with_borrow_mut(|known| {
        if known.len() >= PLACES_MAX {
            known.clear();
        }
        let text = known.entry((first, count)).or_insert_with(|| {
            let numbers = first..first + count;
            let numbers: Vec<String> = numbers.map(|n| format!("${n}")).collect();
            numbers.join(", ").into()
        });
        Rc::clone(text)
    })
}

/// `($first, …), (…)`: `rows` rows, one column for each of `casts`. The casts stand in the first row only and
/// only for PostgreSQL, which otherwise takes parameters in a list of values for text.
pub(crate) fn rows_of_values(first: usize, rows: usize, casts: &[&'static str]) -> Rc<str> {
    ROWS.with_borrow_mut(|known| {
        let shapes = known.entry((first, rows)).or_default();
        if let Some((_, text)) = shapes.iter().find(|(of, _)| of == casts) {
            return Rc::clone(text);
        }
        let text: Rc<str> = written_rows(first, rows, casts).into();
        shapes.push((casts.to_vec(), Rc::clone(&text)));
        text
    })
}

/// Updates these columns in rows of one account, `$1`. The first column is the `id` by which a row is found; values
/// follow from `$2`, row by row. Names of columns come with their types, for PostgreSQL.
pub(super) fn update_of_rows(
    table: &str,
    columns: &[(&'static str, &'static str)],
    rows: usize,
) -> String {
    let written = columns.iter().skip(1);
    if rows == 1 {
        let set: Vec<String> = written
            .zip(3..)
            .map(|((name, cast), number)| format!("{name} = ${number}/*pg ::{cast}*/"))
            .collect();
        let set = set.join(", ");
        return format!("update {table} set {set} where account_id = $1 and id = $2/*pg ::uuid*/");
    }
    let names: Vec<String> = columns
        .iter()
        .map(|(name, _)| format!("told_{name}"))
        .collect();
    let set: Vec<String> = written
        .map(|(name, _)| format!("{name} = told_{name}"))
        .collect();
    let casts: Vec<&'static str> = columns.iter().map(|(_, cast)| *cast).collect();
    format!(
        "with told ({}) as (values {}) update {table} set {} from told
         where account_id = $1 and id = told_id",
        names.join(", "),
        rows_of_values(2, rows, &casts),
        set.join(", "),
    )
}

/// Casts, and the text of rows of their columns.
type Shapes = Vec<(Vec<&'static str>, Rc<str>)>;

thread_local! {
    /// Texts of rows by first place and number: a thousand placeholders are not written anew for each statement. There
    /// are as many as statements have shapes, a few hundred.
    static ROWS: RefCell<HashMap<(usize, usize), Shapes>> = RefCell::default();
    /// Lists of placeholders by first place and number.
    static PLACES: RefCell<HashMap<(usize, usize), Rc<str>>> = RefCell::default();
}

fn written_rows(first: usize, rows: usize, casts: &[&str]) -> String {
    let row = |place: usize| {
        let begin = first + place * casts.len();
        let columns: Vec<String> = (begin..)
            .zip(casts)
            .map(|column| typed(column, place))
            .collect();
        format!("({})", columns.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    rows.join(", ")
}

fn typed((number, cast): (usize, &&str), row: usize) -> String {
    match (row, *cast) {
        (0, cast) if !cast.is_empty() => format!("${number}/*pg ::{cast}*/"),
        _ => format!("${number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_postgres_are_opened_and_the_rest_stays() {
        let text = "select 1 /*pg for update */ where /* note */ $1/*pg::uuid*/ = 2";
        assert_eq!(
            for_postgres(text),
            "select 1  for update  where /* note */ $1::uuid = 2"
        );
    }

    #[test]
    fn sets_are_cut_into_few_sizes_and_lose_nothing() {
        for length in 0..1000usize {
            let rows: Vec<usize> = (0..length).collect();
            let cut: Vec<&[usize]> = pieces(&rows).collect();
            assert_eq!(cut.concat(), rows);
            assert!(
                cut.iter()
                    .all(|p| p.len().is_power_of_two() && p.len() <= SET_ROWS_MAX)
            );
        }
    }

    #[test]
    fn padded_pieces_repeat_the_last_row() {
        for length in 0..300usize {
            let rows: Vec<usize> = (0..length).collect();
            let mut cut: Vec<usize> = Vec::new();
            for piece in padded_pieces(&rows) {
                assert!(piece.len().is_power_of_two() && piece.len() <= SET_ROWS_MAX);
                cut.extend(piece);
            }
            cut.dedup();
            assert_eq!(cut, rows);
        }
    }

    #[test]
    fn rows_of_values_are_numbered_through() {
        assert_eq!(
            &*rows_of_values(3, 2, &["uuid", ""]),
            "($3/*pg ::uuid*/, $4), ($5, $6)"
        );
    }
}
