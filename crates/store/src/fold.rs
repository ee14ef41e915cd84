//! Names without regard to their letter case, alike on both engines.
//!
//! An engine folds the letters of its own choice: SQLite those of ASCII, PostgreSQL those of the language it was set up
//! with. So the engine is asked about ASCII letters only and lets everything stand for the others, and what it finds is
//! judged here.

use uuid::Uuid;

use crate::{AccountTx, Error};

/// A part of a name that is looked for.
pub(crate) struct Part {
    folded: String,
    /// Where it stands in the name.
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Beginning,
    Anywhere,
}

impl Part {
    pub(crate) fn new(text: &str, place: Place) -> Self {
        Self {
            folded: folded(text),
            place,
        }
    }

    /// For `like … escape '!'`, beside the column in small letters of ASCII: finds at least what has this part.
    fn pattern(&self) -> String {
        let mut pattern = String::with_capacity(self.folded.len() + 2);
        if self.place == Place::Anywhere {
            pattern.push('%');
        }
        for letter in self.folded.chars() {
            match letter {
                '!' | '%' | '_' => pattern.extend(['!', letter]),
                letter if letter.is_ascii() => pattern.push(letter),
                _ if pattern.ends_with('%') && !pattern.ends_with("!%") => {}
                _ => pattern.push('%'),
            }
        }
        pattern.push('%');
        pattern
    }

    fn is_in(&self, name: &str) -> bool {
        let name = folded(name);
        match self.place {
            Place::Beginning => name.starts_with(&self.folded),
            Place::Anywhere => name.contains(&self.folded),
        }
    }
}

/// The account's rows of a table whose name, in this column, has the part; by id.
pub(crate) fn named(
    a: &mut AccountTx,
    (table, column): (&'static str, &'static str),
    part: &Part,
) -> Result<Vec<Uuid>, Error> {
    let found = a.query(
        &format!(
            "select id, {column} as name from {table}
             where account_id = $1 and lower({column}/*pg collate \"C\"*/) like $2 escape '!'
             order by id"
        ),
        &[(&part.pattern()).into()],
        |row| Ok((row.get("id")?, part.is_in(&row.get::<String>("name")?))),
    )?;
    let named = found.into_iter().filter(|(_, is_named)| *is_named);
    Ok(named.map(|(id, _)| id).collect())
}

/// By way of the capitals, which some letters share: both small sigmas, and "ß" with "ss".
fn folded(text: &str) -> String {
    let capitals = text.chars().flat_map(char::to_uppercase);
    capitals.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_in_any_case_of_any_letter() {
        for (text, name) in [
            ("österreich ag", "Österreich AG"),
            ("ÖSTERREICHISCHE KÄSE", "österreichische Käse"),
            ("ΟΔΟΣ", "οδος"),
            ("straße", "STRASSE"),
            ("100%_!", "at 100%_! now"),
        ] {
            assert!(Part::new(text, Place::Anywhere).is_in(name), "{text}");
        }
        assert!(!Part::new("ag", Place::Beginning).is_in("Österreich AG"));
        assert!(!Part::new("osterreich", Place::Anywhere).is_in("Österreich"));
    }

    #[test]
    fn the_pattern_lets_other_letters_be_anything() {
        for (text, place, pattern) in [
            ("ÖÖsterÜ", Place::Anywhere, "%ster%%"),
            ("Über Ref", Place::Beginning, "%ber ref%"),
            ("50%Ä_!", Place::Beginning, "50!%%!_!!%"),
        ] {
            assert_eq!(Part::new(text, place).pattern(), pattern);
        }
    }
}
