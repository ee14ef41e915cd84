//! Vessels as reports name them: reference data shared by all accounts, rendered once.

pub mod position;

use std::collections::HashMap;

use domain::ids::{AccountId, ContainerId, ReferenceId};
use jiff::Timestamp;

use crate::db::{Value, padded, pieces, placeholders, rows_of_values};
use crate::{AccountTx, Error, Listed, Tx};

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
/// Nearly all are known as they are, and a ship has thousands of boxes: an insert that finds its row there holds it
/// until the commit, and everybody else who names the ship would wait. So they are looked up first. What is written is
/// written in the order of the ids: writers on several connections then meet each row in the same order.
pub fn remember(tx: &mut Tx, vessels: &[Vessel]) -> Result<(), Error> {
    let ids: Vec<ReferenceId> = vessels.iter().map(|vessel| vessel.id).collect();
    let known = documents(tx, &ids)?;
    let is_known = |vessel: &&Vessel| {
        let same = |row: &Listed| row.id == vessel.id.0 && row.document == vessel.document;
        known.iter().any(same)
    };
    let mut ordered: Vec<&Vessel> = vessels.iter().filter(|one| !is_known(one)).collect();
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

/// A vessel as it is known, with the number its radio sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// IMO number as seven digits.
    pub imo: Option<String>,
    /// Name as sent.
    pub name: Option<String>,
    /// Maritime mobile service identity, once a radio told it.
    pub mmsi: Option<String>,
}

/// The vessel with this id.
pub fn find(tx: &mut Tx, id: ReferenceId) -> Result<Option<Known>, Error> {
    tx.query_one(
        "select imo, name, mmsi from vessels where id = $1",
        &[id.0.into()],
        |row| {
            Ok(Known {
                imo: row.get("imo")?,
                name: row.get("name")?,
                mmsi: row.get("mmsi")?,
            })
        },
    )
}

/// Keeps the number that a vessel's radio sends.
pub fn identify(tx: &mut Tx, id: ReferenceId, mmsi: &str) -> Result<(), Error> {
    tx.execute(
        "update vessels set mmsi = $2 where id = $1 and (mmsi is null or mmsi <> $2)",
        &[id.0.into(), mmsi.into()],
    )?;
    Ok(())
}

/// The vessels that these radios were last heard of.
pub fn of_radios(tx: &mut Tx, radios: &[String]) -> Result<HashMap<String, ReferenceId>, Error> {
    let mut found = HashMap::new();
    for some in radios.chunks(LOOKED_UP_MAX) {
        let values = padded(some.iter().map(Value::from).collect());
        let text = format!(
            "select id, mmsi from vessels where mmsi in ({}) order by id",
            placeholders(1, values.len())
        );
        found.extend(tx.query(&text, &values, |row| {
            Ok((row.get::<String>("mmsi")?, row.id("id")?))
        })?);
    }
    Ok(found)
}

/// Containers of all accounts that travel on this vessel, or did, newest first.
pub fn aboard(
    tx: &mut Tx,
    vessel: ReferenceId,
    limit: u32,
) -> Result<Vec<(AccountId, ContainerId)>, Error> {
    tx.query(
        "select account_id, container_id from container_vessels where vessel_id = $1
         order by container_id desc limit $2",
        &[vessel.0.into(), limit.into()],
        |row| Ok((row.id("account_id")?, row.id("container_id")?)),
    )
}

/// Notes which containers of the account travel on which vessels.
pub fn carries(a: &mut AccountTx, travels: &[(ContainerId, ReferenceId)]) -> Result<(), Error> {
    let mut ordered = travels.to_vec();
    ordered.sort_unstable();
    ordered.dedup();
    for piece in pieces(&ordered) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "uuid"]);
        let rows = rows.replace("($", "($1/*pg ::uuid*/, $");
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|(container, vessel)| [(*container).into(), Value::from(vessel.0)])
            .collect();
        a.execute(
            &format!(
                "insert into container_vessels (account_id, container_id, vessel_id)
                 values {rows} on conflict do nothing"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// Containers of the account that travel on this vessel, newest first.
pub fn carried(
    a: &mut AccountTx,
    vessel: ReferenceId,
    limit: u32,
) -> Result<Vec<ContainerId>, Error> {
    a.query(
        "select container_id from container_vessels where account_id = $1 and vessel_id = $2
         order by container_id desc limit $3",
        &[vessel.0.into(), limit.into()],
        |row| row.id("container_id"),
    )
}
