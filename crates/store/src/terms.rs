//! Numbers and references by any part of them.
//!
//! People look for a box by the digits they remember, so a part of a number must be found wherever it stands in it,
//! and without reading every row. A part of a text is the beginning of one of its endings. So each ending of each
//! number is a row (`MSCU6639870`, `SCU6639870`, `CU6639870`, …), and what contains `6639` is one stretch of the
//! index, the same few words of SQL on both engines. It costs a dozen short rows for a number; they are written
//! once, by the last statements of the transaction, with those of all use cases of the same commit.
//!
//! Letter case, spaces and dashes do not count: `mscu 663987-0` is the same number. References and tags are also
//! there as a whole, behind a mark that no query can hold.
//!
//! Of the whole of a text all counts, of its parts those in its first 64 characters: the endings of a long one are many.
//! A row that was stored while less did is found by that until it changes or is [mended](crate::cut_terms).

use domain::ids::AccountId;
use uuid::Uuid;

use crate::db::{Value, pieces, rows_of_values};
use crate::{AccountTx, Error, Tx};

/// What counts of a text, in bytes: an index of PostgreSQL takes no more than some 2,700. The longest that callers may send
/// (255 characters) fits in, whatever capital letters make of it (7 bytes of one character at most).
const TERM_BYTES_MAX: usize = 2_048;
/// Characters of a text of which any part is found.
const PART_CHARS_MAX: usize = 64;
/// Greater than every text that begins like the one before it.
const BEHIND_ALL: char = char::MAX;
const REFERENCE: char = '\u{1}';
const TAG: char = '\u{2}';

/// What kind of row is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A shipment.
    Shipment = 0,
    /// A container.
    Container = 1,
    /// A request.
    TrackingRequest = 2,
}

impl Kind {
    /// The kind of this number.
    pub(crate) fn of(number: i64) -> Option<Self> {
        let all = [Self::Shipment, Self::Container, Self::TrackingRequest];
        all.into_iter().find(|kind| *kind as i64 == number)
    }
}

impl From<Kind> for Value<'_> {
    fn from(kind: Kind) -> Self {
        Self::Int(kind as i64)
    }
}

/// The texts by which a row is found, one a line; also a column of the row, to see when they change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texts(String);

impl Texts {
    pub(crate) fn of(number: &str, references: &[String], tags: &[String]) -> Self {
        let mut lines = normal(number);
        for (mark, texts) in [(REFERENCE, references), (TAG, tags)] {
            for text in texts {
                lines.push('\n');
                lines.push(mark);
                lines.push_str(&normal(text));
            }
        }
        Self(lines)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The rows of the index.
    fn terms(text: &str) -> Vec<&str> {
        let mut terms = Vec::new();
        for line in text.split('\n') {
            let plain = match line.chars().next() {
                Some(TAG) => "",
                Some(mark @ REFERENCE) => line.trim_start_matches(mark),
                _ => line,
            };
            if plain.len() != line.len() {
                terms.push(line);
            }
            let plain = beginning(plain);
            let endings = plain.char_indices().filter_map(|(at, _)| plain.get(at..));
            terms.extend(endings);
        }
        terms.sort_unstable();
        terms.dedup();
        terms
    }
}

/// Letter case, white space and dashes do not count.
fn normal(text: &str) -> String {
    let counts = |c: &char| !c.is_whitespace() && *c != '-' && !c.is_control();
    let mut normal = String::with_capacity(text.len());
    for c in text.chars().filter(counts).flat_map(char::to_uppercase) {
        if normal.len() + c.len_utf8() > TERM_BYTES_MAX {
            break;
        }
        normal.push(c);
    }
    normal
}

/// What counts of a text of which parts are found.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(PART_CHARS_MAX);
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// A stretch of the index: from the first, before the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) from: String,
    pub(crate) before: String,
}

impl Stretch {
    /// What contains `text`. `None`: nothing of it counts.
    pub(crate) fn containing(text: &str) -> Option<Self> {
        Some(beginning(&normal(text)).to_owned())
            .filter(|from| !from.is_empty())
            .map(|from| Self {
                before: format!("{from}{BEHIND_ALL}"),
                from,
            })
    }

    /// What has the whole of this reference.
    pub(crate) fn reference(text: &str) -> Self {
        Self::whole(REFERENCE, text)
    }

    /// What has the whole of this tag.
    pub(crate) fn tag(text: &str) -> Self {
        Self::whole(TAG, text)
    }

    fn whole(mark: char, text: &str) -> Self {
        let from = format!("{mark}{}", normal(text));
        Self {
            // The next text there is.
            before: format!("{from}\u{1}"),
            from,
        }
    }
}

/// Changes of the index that a transaction has yet to write.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    running: Vec<Change>,
    kept: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    added: bool,
    account: AccountId,
    kind: Kind,
    row: Uuid,
    texts: String,
}

impl Changes {
    pub(crate) fn keep(&mut self) {
        self.kept.append(&mut self.running);
    }

    pub(crate) fn forget(&mut self) {
        self.running.clear();
    }

    /// Writes them down, in the order in which they came.
    pub(crate) fn write(self, tx: &mut Tx) -> Result<(), Error> {
        for alike in self.kept.chunk_by(|one, next| one.added == next.added) {
            let rows: Vec<[Value<'_>; 4]> = alike.iter().flat_map(rows_of).collect();
            let added = alike.first().is_some_and(|change| change.added);
            for piece in pieces(&rows) {
                write_piece(tx, piece, added)?;
            }
        }
        Ok(())
    }
}

fn rows_of(change: &Change) -> impl Iterator<Item = [Value<'_>; 4]> {
    let terms = Texts::terms(&change.texts).into_iter();
    terms.map(|term| {
        [
            change.account.into(),
            term.into(),
            change.kind.into(),
            change.row.into(),
        ]
    })
}

fn write_piece(tx: &mut Tx, piece: &[[Value<'_>; 4]], added: bool) -> Result<(), Error> {
    let rows = rows_of_values(1, piece.len(), &["uuid", "text", "bigint", "uuid"]);
    let values: Vec<Value<'_>> = piece.iter().flatten().copied().collect();
    let text = if added {
        format!(
            "insert into terms (account_id, term, kind, row_id) values {rows}
             on conflict (account_id, term, kind, row_id) do nothing"
        )
    } else {
        format!("delete from terms where (account_id, term, kind, row_id) in (values {rows})")
    };
    tx.execute(&text, &values)?;
    Ok(())
}

impl AccountTx<'_> {
    /// A new row is found by these texts.
    pub(crate) fn found_by(&mut self, kind: Kind, row: Uuid, texts: &Texts) {
        self.change_terms(true, kind, row, texts.as_str());
    }

    /// A row that was found by `before` is found by these.
    pub(crate) fn found_anew(&mut self, kind: Kind, row: Uuid, before: &str, texts: &Texts) {
        if before != texts.as_str() {
            self.change_terms(false, kind, row, before);
            self.change_terms(true, kind, row, texts.as_str());
        }
    }

    fn change_terms(&mut self, added: bool, kind: Kind, row: Uuid, texts: &str) {
        let change = Change {
            added,
            account: self.account(),
            kind,
            row,
            texts: texts.to_owned(),
        };
        self.afterwards().terms.running.push(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &Texts, stretch: &Stretch) -> bool {
        let within =
            |term: &&str| *term >= stretch.from.as_str() && *term < stretch.before.as_str();
        Texts::terms(texts.as_str()).iter().any(within)
    }

    #[test]
    fn every_part_is_found_and_nothing_else() {
        let references = [
            "PO 47-11".to_owned(),
            "Ünïcode".to_owned(),
            "100%".to_owned(),
        ];
        let texts = Texts::of("MSCU6639870", &references, &["Rush".to_owned()]);
        for part in [
            "m",
            "mscu 663987-0",
            "6639",
            "0",
            "po4711",
            "PO 47",
            "711",
            "ünï",
            "DE",
            "0%",
            "%",
        ] {
            assert!(found(&texts, &Stretch::containing(part).unwrap()), "{part}");
        }
        for part in ["MSKU", "66398700", "4711M", "rush", "RUSH", "0_", "PO4712"] {
            assert!(
                !found(&texts, &Stretch::containing(part).unwrap()),
                "{part}"
            );
        }
        assert_eq!(Stretch::containing(" - "), None);
    }

    #[test]
    fn references_and_tags_are_found_whole() {
        let texts = Texts::of("A", &["PO 7".into()], &["Rush".into()]);
        assert!(found(&texts, &Stretch::reference("po-7")));
        assert!(found(&texts, &Stretch::tag("rUSH")));
        for no in [
            Stretch::reference("po"),
            Stretch::reference("o7"),
            Stretch::reference("po 77"),
            Stretch::tag("rus"),
            Stretch::tag("po 7"),
            Stretch::reference("rush"),
        ] {
            assert!(!found(&texts, &no), "{no:?}");
        }
    }

    #[test]
    fn what_is_longer_than_an_index_takes_is_found_by_its_beginning() {
        let long = "Ü".repeat(5_000);
        let texts = Texts::of(&long, std::slice::from_ref(&long), &[]);
        let whole = Stretch::reference(&long);
        assert!(whole.from.len() <= TERM_BYTES_MAX + 1 && whole.from.len() > 255 * 7);
        assert!(found(&texts, &whole));
        assert!(found(&texts, &Stretch::containing(&long).unwrap()));
        assert!(Texts::terms(texts.as_str()).len() <= PART_CHARS_MAX + 1);
    }
}
