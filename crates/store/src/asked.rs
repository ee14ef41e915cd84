//! What is tracked, of all accounts, with the sources that are asked about it; and what nothing comes back to.

use domain::codes::Scac;
use domain::ids::{AccountId, ShipmentId, TrackingRequestId};
use domain::tracking_request::NumberKind;
use uuid::Uuid;

use crate::db::Row;
use crate::{Error, Tx};

/// A request that waits, or a shipment that is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<Id> {
    /// Whose it is.
    pub account: AccountId,
    /// Its id.
    pub id: Id,
    /// Its line and the kind of its number; `None` where they cannot be read.
    pub line: Option<(Scac, NumberKind)>,
    /// Profile ids of the sources with which a watch of it is kept.
    pub sources: Vec<String>,
}

/// Requests behind `after` that wait for data of a known line, by account and id.
pub fn requests(
    tx: &mut Tx,
    after: Option<(AccountId, TrackingRequestId)>,
    limit: u32,
) -> Result<Vec<Asked<TrackingRequestId>>, Error> {
    let (account, id) = after.unwrap_or((Uuid::nil().into(), Uuid::nil().into()));
    let rows = tx.query(
        "select r.account_id, r.id, r.scac, r.kind, w.source from tracking_requests r
         left join watches w on w.id = r.watch_id
         where (r.account_id, r.id) > ($1, $2) and r.scac is not null
             and r.status in ('pending', 'awaiting_manifest')
         order by r.account_id, r.id limit $3",
        &[account.into(), id.into(), limit.into()],
        |row| read(row, TrackingRequestId),
    )?;
    Ok(rows)
}

/// Shipments behind `after` whose tracking has not stopped, by account and id.
pub fn shipments(
    tx: &mut Tx,
    after: Option<(AccountId, ShipmentId)>,
    limit: u32,
) -> Result<Vec<Asked<ShipmentId>>, Error> {
    let (account, id) = after.unwrap_or((Uuid::nil().into(), Uuid::nil().into()));
    let rows = tx.query(
        "select s.account_id, s.id, s.scac, s.kind, w.source from (
             select account_id, id, scac, kind from shipments
             where (account_id, id) > ($1, $2) and stopped_at is null
             order by account_id, id limit $3
         ) s
         left join shipment_watches f on f.account_id = s.account_id and f.shipment_id = s.id
         left join watches w on w.id = f.watch_id
         order by s.account_id, s.id, w.source",
        &[account.into(), id.into(), limit.into()],
        |row| read(row, ShipmentId),
    )?;
    let mut grouped: Vec<Asked<ShipmentId>> = Vec::new();
    for mut row in rows {
        row.sources
            .retain(|source| !crate::docket::is_source_of_one(source));
        match grouped.last_mut() {
            Some(last) if (last.account, last.id) == (row.account, row.id) => {
                last.sources.append(&mut row.sources);
            }
            _ => grouped.push(row),
        }
    }
    Ok(grouped)
}

/// Shipments behind `after` whose tracking has not stopped, by account and id; each with whether nothing brings it up to date
/// while no message comes: no source is asked about it, and none of its containers has a due time. Its watches are looked up for each:
/// for `not exists` PostgreSQL gathers those of everybody, for every few shipments.
pub fn without_due_time(
    tx: &mut Tx,
    after: Option<(AccountId, ShipmentId)>,
    limit: u32,
) -> Result<Vec<(AccountId, ShipmentId, bool)>, Error> {
    let (account, id) = after.unwrap_or((Uuid::nil().into(), Uuid::nil().into()));
    tx.query(
        "select s.account_id, s.id,
             not exists (
                 select 1 from containers c where c.account_id = s.account_id
                     and c.shipment_id = s.id and c.next_due_at is not null
             ) and (
                 select 1 from shipment_watches f join watches w on w.id = f.watch_id
                 where f.account_id = s.account_id and f.shipment_id = s.id
                     and w.source not like '/%' limit 1
             ) is null as is_left
         from shipments s
         where (s.account_id, s.id) > ($1, $2) and s.stopped_at is null
         order by s.account_id, s.id limit $3",
        &[account.into(), id.into(), limit.into()],
        |row| {
            Ok((
                row.id("account_id")?,
                row.id("id")?,
                row.get::<bool>("is_left")?,
            ))
        },
    )
}

fn read<Id>(row: &Row<'_>, id: fn(Uuid) -> Id) -> Result<Asked<Id>, Error> {
    let scac = row.parsed("scac", |text| Scac::parse(text).ok());
    let kind = row.parsed("kind", NumberKind::parse);
    Ok(Asked {
        account: row.id("account_id")?,
        id: id(row.id("id")?),
        line: scac.ok().zip(kind.ok()),
        sources: row.get::<Option<String>>("source")?.into_iter().collect(),
    })
}
