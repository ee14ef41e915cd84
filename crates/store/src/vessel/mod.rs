//! Vessels as reports name them: reference data shared by all accounts.

pub mod position;
pub mod stop;

use std::collections::{HashMap, HashSet};

use domain::codes::UnLocode;
use domain::ids::{AccountId, ContainerId, ReferenceId, ShipmentId};
use jiff::{SignedDuration, Timestamp};

use crate::db::{Value, padded, pieces, placeholders, rows_of_values};
use crate::{AccountTx, Error, Tx};

/// Vessels looked up in one statement at most.
const LOOKED_UP_MAX: usize = 512;
/// A radio that says the same again is written down after this.
const REPEATED_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// A vessel that some report named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vessel {
    /// Its id, from its IMO number, else from its name.
    pub id: ReferenceId,
    /// IMO number as seven digits.
    pub imo: Option<String>,
    /// Name as sent.
    pub name: Option<String>,
    /// The resource with nothing but its number and name: another one is another vessel.
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
    let is_known = |vessel: &&Vessel| known.get(&vessel.id) == Some(&vessel.document);
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

/// What is written of these ids, as it was rendered.
fn documents(tx: &mut Tx, ids: &[ReferenceId]) -> Result<HashMap<ReferenceId, String>, Error> {
    let mut found = HashMap::new();
    for some in ids.chunks(LOOKED_UP_MAX) {
        let values = padded(some.iter().map(|id| Value::from(id.0)).collect());
        let text = format!(
            "select id, document from vessels where id in ({})",
            placeholders(1, values.len())
        );
        found.extend(tx.query(&text, &values, |row| {
            Ok((row.id("id")?, row.get("document")?))
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

/// The vessel with this id, with the radio that named it last.
pub fn find(tx: &mut Tx, id: ReferenceId) -> Result<Option<Known>, Error> {
    Ok(known(tx, &[id])?.remove(&id))
}

/// The vessels with these ids, each with the radio that named it last; unknown ids are left out.
pub fn known(tx: &mut Tx, ids: &[ReferenceId]) -> Result<HashMap<ReferenceId, Known>, Error> {
    let mut found = HashMap::new();
    for some in ids.chunks(LOOKED_UP_MAX) {
        let values = padded(some.iter().map(|id| Value::from(id.0)).collect());
        let text = format!(
            "select id, imo, name,
                 (select mmsi from vessel_radios where vessel_id = vessels.id
                  order by told_at desc, mmsi desc limit 1) as mmsi
             from vessels where id in ({})",
            placeholders(1, values.len())
        );
        found.extend(tx.query(&text, &values, |row| {
            let known = Known {
                imo: row.get("imo")?,
                name: row.get("name")?,
                mmsi: row.get("mmsi")?,
            };
            Ok((row.id::<ReferenceId>("id")?, known))
        })?);
    }
    Ok(found)
}

/// What a radio said of its vessel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RadioWord {
    /// The number of the radio, nine digits.
    pub mmsi: String,
    /// The vessel that it speaks for, followed or not.
    pub vessel: ReferenceId,
    /// When it said so.
    pub at: Timestamp,
}

/// Keeps which vessels radios speak for. A radio passes on from ship to ship: what it said last counts, in whatever
/// order that comes. Words of ships that nobody follows are kept too, else the ship before would keep the radio, until
/// the radio was [silent for long](silent_radios): a row for each is as much as the fleet.
///
/// Radios repeat themselves every few minutes. The same word is written down once an hour.
pub fn identify(tx: &mut Tx, words: &[RadioWord]) -> Result<(), Error> {
    let mut news = news(tx, words)?;
    news.sort_by(|a, b| (&a.mmsi, a.at).cmp(&(&b.mmsi, b.at)));
    for word in news {
        tx.execute(
            "insert into vessel_radios (mmsi, vessel_id, told_at) values ($1, $2, $3)
             on conflict (mmsi) do update
                 set vessel_id = excluded.vessel_id, told_at = excluded.told_at
                 where vessel_radios.told_at < excluded.told_at",
            &[(&word.mmsi).into(), word.vessel.0.into(), word.at.into()],
        )?;
    }
    Ok(())
}

/// Those of these words that [`identify`] would write down now.
pub fn news(tx: &mut Tx, words: &[RadioWord]) -> Result<Vec<RadioWord>, Error> {
    let radios: Vec<String> = words.iter().map(|word| word.mmsi.clone()).collect();
    let known = last_words(tx, &radios)?;
    let is_news = |word: &&RadioWord| {
        known.get(&word.mmsi).is_none_or(|last| {
            let later = word.at.duration_since(last.at);
            let again = last.vessel == word.vessel;
            later
                > if again {
                    REPEATED_AFTER
                } else {
                    SignedDuration::ZERO
                }
        })
    };
    Ok(words.iter().filter(is_news).cloned().collect())
}

/// The last words of these radios, as far as they name vessels that are followed. Most ships that are heard are not, and
/// nothing more is to be done for what they say.
pub fn of_radios(tx: &mut Tx, radios: &[String]) -> Result<HashMap<String, RadioWord>, Error> {
    let mut words = last_words(tx, radios)?;
    let mut named: Vec<ReferenceId> = words.values().map(|word| word.vessel).collect();
    named.sort_unstable();
    named.dedup();
    let followed = followed(tx, &named)?;
    words.retain(|_, word| followed.contains(&word.vessel));
    Ok(words)
}

/// Which of these vessels are followed: some report named them.
pub fn followed(tx: &mut Tx, vessels: &[ReferenceId]) -> Result<HashSet<ReferenceId>, Error> {
    let mut found = HashSet::new();
    for some in vessels.chunks(LOOKED_UP_MAX) {
        let values = padded(some.iter().map(|id| Value::from(id.0)).collect());
        let text = format!(
            "select id from vessels where id in ({})",
            placeholders(1, values.len())
        );
        found.extend(tx.query(&text, &values, |row| row.id::<ReferenceId>("id"))?);
    }
    Ok(found)
}

/// Radios of vessels that nobody follows which said nothing since `before`, at most so many.
pub fn silent_radios(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<Vec<String>, Error> {
    tx.query(
        "select mmsi from vessel_radios where told_at < $1
             and not exists (select 1 from vessels where id = vessel_id) limit $2",
        &[before.into(), limit.into()],
        |row| row.get("mmsi"),
    )
}

/// Drops these radios, as far as they said nothing since `before`. Returns how many.
pub fn forget_radios(tx: &mut Tx, radios: &[String], before: Timestamp) -> Result<u64, Error> {
    let mut gone = 0;
    for some in radios.chunks(LOOKED_UP_MAX) {
        let mut values = vec![before.into()];
        values.extend(padded(some.iter().map(Value::from).collect()));
        let text = format!(
            "delete from vessel_radios where told_at < $1 and mmsi in ({})",
            placeholders(2, values.len() - 1)
        );
        gone += tx.execute(&text, &values)?;
    }
    Ok(gone)
}

fn last_words(tx: &mut Tx, radios: &[String]) -> Result<HashMap<String, RadioWord>, Error> {
    let mut found = HashMap::new();
    for some in radios.chunks(LOOKED_UP_MAX) {
        let values = padded(some.iter().map(Value::from).collect());
        let text = format!(
            "select mmsi, vessel_id, told_at from vessel_radios where mmsi in ({})",
            placeholders(1, values.len())
        );
        found.extend(tx.query(&text, &values, |row| {
            let word = RadioWord {
                mmsi: row.get("mmsi")?,
                vessel: row.id("vessel_id")?,
                at: row.get("told_at")?,
            };
            Ok((word.mmsi.clone(), word))
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

/// A container that travels on a vessel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The container.
    pub container: ContainerId,
    /// Its shipment.
    pub shipment: ShipmentId,
    /// Its port of lading, when it is known.
    pub pol: Option<UnLocode>,
    /// Its port of discharge, when it is known.
    pub pod: Option<UnLocode>,
}

/// Containers of the account that travel on this vessel, or did, newest first.
pub fn carried(a: &mut AccountTx, vessel: ReferenceId, limit: u32) -> Result<Vec<Carried>, Error> {
    a.query(
        "select v.container_id, c.shipment_id, c.pol, c.pod
         from container_vessels v
             join containers c on c.account_id = v.account_id and c.id = v.container_id
         where v.account_id = $1 and v.vessel_id = $2
         order by v.container_id desc limit $3",
        &[vessel.0.into(), limit.into()],
        |row| {
            let port = |name| row.optional_parsed(name, |text| UnLocode::from_store(text).ok());
            Ok(Carried {
                container: row.id("container_id")?,
                shipment: row.id("shipment_id")?,
                pol: port("pol")?,
                pod: port("pod")?,
            })
        },
    )
}
