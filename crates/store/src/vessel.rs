//! Vessels as reports name them: reference data shared by all accounts, rendered once.

use domain::ids::ReferenceId;
use jiff::Timestamp;

use crate::db::{Value, padded, placeholders};
use crate::{Error, Listed, Tx};

/// Vessels looked up in one statement at most.
const LOOKED_UP_MAX: usize = 512;

/// A vessel that some report named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vessel {
    /// Its id, from its IMO number, else from its name.
    pub id: ReferenceId,
    /// IMO number as seven digits.
    pub imo: Option<String>,
    /// Name as sent.
    pub name: Option<String>,
    /// The rendered resource.
    pub document: String,
}

/// Adds vessels; one that is known keeps its row unless the document differs.
///
/// In the order of their ids: writers on several connections then meet each row in the same order.
pub fn remember(tx: &mut Tx, vessels: &[Vessel]) -> Result<(), Error> {
    let mut ordered: Vec<&Vessel> = vessels.iter().collect();
    ordered.sort_by_key(|vessel| vessel.id);
    for vessel in ordered {
        tx.execute(
            "insert into vessels (id, imo, name, document) values ($1, $2, $3, $4)
             on conflict (id) do update
                 set imo = excluded.imo, name = excluded.name, document = excluded.document
                 where vessels.document <> excluded.document",
            &[
                vessel.id.0.into(),
                (&vessel.imo).into(),
                (&vessel.name).into(),
                (&vessel.document).into(),
            ],
        )?;
    }
    Ok(())
}

/// The rendered resources of these ids, in no order; unknown ids are left out. They show no time of change.
pub fn documents(tx: &mut Tx, ids: &[ReferenceId]) -> Result<Vec<Listed>, Error> {
    let mut found = Vec::new();
    for some in ids.chunks(LOOKED_UP_MAX) {
        let values = padded(some.iter().map(|id| Value::from(id.0)).collect());
        let text = format!(
            "select id, document from vessels where id in ({})",
            placeholders(1, values.len())
        );
        found.extend(tx.query(&text, &values, |row| {
            Ok(Listed {
                id: row.id("id")?,
                document: row.get("document")?,
                updated_at: Timestamp::UNIX_EPOCH,
            })
        })?);
    }
    Ok(found)
}
