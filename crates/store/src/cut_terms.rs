//! Rows that were stored while 64 references and 64 tags counted at most, and of each its first 64 characters.
//!
//! A migration has listed those that may be concerned. The texts by which such a row is found are made once more from what it
//! holds, and written where they are others; then it leaves the list, in the same transaction. So the walk may be killed
//! anywhere, may run on several nodes at once, and ends for good.

use domain::ids::AccountId;
use uuid::Uuid;

pub use crate::terms::Kind;

use crate::db::{Row, Value, pieces, rows_of_values, unreadable};
use crate::terms::Texts;
use crate::{AccountTx, Error, Tx};

/// A row that is on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Whose it is.
    pub account: AccountId,
    /// What it is.
    pub kind: Kind,
    /// Its id.
    pub row: Uuid,
}

/// Rows that stand next to each other on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Those that are found by a part of what they hold, or cannot be read.
    pub cut: Vec<Listed>,
    /// Those that are found by the whole, or are gone.
    pub sound: Vec<Listed>,
    /// The last of all; `None`: there is no more.
    pub last: Option<Listed>,
}

/// Looks at the next rows of the list.
pub fn step(tx: &mut Tx, after: Option<Listed>, limit: u32) -> Result<Step, Error> {
    let nil = || (Uuid::nil().into(), Value::Int(-1), Uuid::nil());
    let (account, kind, row) =
        after.map_or_else(nil, |after| (after.account, after.kind.into(), after.row));
    let rows = tx.query(
        "select l.account_id, l.kind, l.row_id,
             coalesce(s.number, c.number, r.number) as number,
             coalesce(s.ref_numbers, c.ref_numbers, r.ref_numbers) as ref_numbers,
             coalesce(s.tags, '[]') as tags,
             coalesce(s.sought, c.sought, r.sought) as sought
         from (
             select account_id, kind, row_id from cut_terms
             where (account_id, kind, row_id) > ($1, $2, $3) order by account_id, kind, row_id limit $4
         ) l
         left join shipments s on l.kind = 0 and s.account_id = l.account_id and s.id = l.row_id
         left join containers c on l.kind = 1 and c.account_id = l.account_id and c.id = l.row_id
         left join tracking_requests r
             on l.kind = 2 and r.account_id = l.account_id and r.id = l.row_id
         order by l.account_id, l.kind, l.row_id",
        &[account.into(), kind, row.into(), limit.into()],
        |row| {
            let sought: Option<String> = row.get("sought")?;
            // What cannot be read is told when it is to be mended.
            let is_cut = sought.is_some_and(|sought| {
                texts(row).map_or(true, |texts| texts.as_str() != sought)
            });
            Ok((listed(row)?, is_cut))
        },
    )?;
    let last = rows.last().map(|(listed, _)| *listed);
    let (cut, sound): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, is_cut)| *is_cut);
    let only = |rows: Vec<(Listed, bool)>| rows.into_iter().map(|(listed, _)| listed).collect();
    Ok(Step {
        cut: only(cut),
        sound: only(sound),
        last,
    })
}

/// Lets a row be found by all that it holds and takes it off the list; `false` where it was found so already, or is gone.
pub fn mend(a: &mut AccountTx, kind: Kind, row: Uuid) -> Result<bool, Error> {
    let (table, tags) = match kind {
        Kind::Shipment => ("shipments", "tags"),
        Kind::Container => ("containers", "'[]'"),
        Kind::TrackingRequest => ("tracking_requests", "'[]'"),
    };
    let found = a.locking(
        &format!(
            "select number, ref_numbers, {tags} as tags, sought from {table}
             where account_id = $1 and id = $2 /*pg for update*/"
        ),
        &[row.into()],
        |row| Ok((row.get::<String>("sought")?, texts(row)?)),
    )?;
    a.execute(
        "delete from cut_terms where account_id = $1 and kind = $2 and row_id = $3",
        &[kind.into(), row.into()],
    )?;
    let cut = found
        .first()
        .filter(|(before, texts)| before != texts.as_str());
    let Some((before, texts)) = cut else {
        return Ok(false);
    };
    a.execute(
        &format!("update {table} set sought_before = sought, sought = $3 where account_id = $1 and id = $2"),
        &[row.into(), texts.as_str().into()],
    )?;
    a.found_anew(kind, row, before, texts);
    Ok(true)
}

/// Takes rows off the list.
pub fn forget(tx: &mut Tx, rows: &[Listed]) -> Result<(), Error> {
    let keys = rows.iter();
    let keys: Vec<[Value<'_>; 3]> = keys
        .map(|listed| [listed.account.into(), listed.kind.into(), listed.row.into()])
        .collect();
    for piece in pieces(&keys) {
        let places = rows_of_values(1, piece.len(), &["uuid", "bigint", "uuid"]);
        tx.execute(
            &format!("delete from cut_terms where (account_id, kind, row_id) in (values {places})"),
            piece.as_flattened(),
        )?;
    }
    Ok(())
}

fn listed(row: &Row<'_>) -> Result<Listed, Error> {
    let kind: i64 = row.get("kind")?;
    Ok(Listed {
        account: row.id("account_id")?,
        kind: Kind::of(kind).ok_or_else(|| unreadable("kind", &kind))?,
        row: row.get("row_id")?,
    })
}

fn texts(row: &Row<'_>) -> Result<Texts, Error> {
    let number: String = row.get("number")?;
    let [references, tags]: [Vec<String>; 2] =
        [row.mirrored("ref_numbers")?, row.mirrored("tags")?];
    Ok(Texts::of(&number, &references, &tags))
}
