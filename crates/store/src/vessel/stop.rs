//! Stops of vessels at quays, kept for boxes that are known to be aboard, or bound there, later.
//!
//! Whoever keeps a stop holds its vessel until the commit, and then looks which boxes it is for; whoever comes to know that
//! a box is aboard shares the vessel, and then looks for stops. So neither misses the other. Boxes that are settled together
//! share their vessels in any order; so whoever keeps stops holds one vessel at a time.

use domain::ids::{AccountId, RawMessageId, ReferenceId};
use domain::report::Report;
use jiff::Timestamp;

use crate::docket::source_of;
use crate::report::Written;
use crate::{Error, Tx, mirror};

/// Stops of one vessel that are kept for one owner at most: the newest.
pub const STOPS_MAX: u32 = 100;

/// A stop as it was told.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The vessel.
    pub vessel: ReferenceId,
    /// Whose own it is; `None`: everybody's.
    pub owner: Option<AccountId>,
    /// When it began.
    pub at: Timestamp,
    /// The message that told it.
    pub raw: RawMessageId,
    /// What was told. It names no box.
    pub report: Report,
}

/// Those of these stops that are not kept yet.
pub fn unknown(tx: &mut Tx, stops: &[Stop]) -> Result<Vec<Stop>, Error> {
    let mut new = Vec::new();
    for stop in stops {
        let whose = source_of(stop.owner);
        let content = stop.report.content().0;
        let known = tx.query_one(
            "select at from vessel_stops where vessel_id = $1 and whose = $2 and content = $3",
            &[stop.vessel.0.into(), (&whose).into(), (&content).into()],
            |row| row.get::<Timestamp>("at"),
        )?;
        if known.is_none() {
            new.push(stop.clone());
        }
    }
    Ok(new)
}

/// Keeps those of these stops that a vessel made which some report named, at most [`STOPS_MAX`], and drops what it did before
/// `before`. One that is kept gives way to a new one where the two are one stay that `is_moved`.
pub fn keep(
    tx: &mut Tx,
    vessel: ReferenceId,
    stops: &[Stop],
    before: Timestamp,
    is_moved: fn(&Report, &Report) -> bool,
) -> Result<(), Error> {
    let held = tx.locking(
        "select id from vessels where id = $1 /*pg for update*/",
        &[vessel.0.into()],
        |row| row.id::<ReferenceId>("id"),
    )?;
    if held.is_empty() {
        return Ok(());
    }
    for stop in stops.iter().filter(|stop| stop.vessel == vessel) {
        let written = Written::of(&stop.report);
        let whose = source_of(stop.owner);
        drop_moved(tx, stop, is_moved)?;
        tx.execute(
            "insert into vessel_stops (vessel_id, whose, content, at, raw_message_id, body)
             values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
            &[
                vessel.0.into(),
                (&whose).into(),
                written.content().into(),
                stop.at.into(),
                stop.raw.into(),
                written.body()?.into(),
            ],
        )?;
        tx.execute(
            "delete from vessel_stops where vessel_id = $1 and whose = $2 and (at < $3 or at < (
                 select at from vessel_stops where vessel_id = $1 and whose = $2
                 order by at desc limit 1 offset $4))",
            &[
                vessel.0.into(),
                (&whose).into(),
                before.into(),
                STOPS_MAX.saturating_sub(1).into(),
            ],
        )?;
    }
    Ok(())
}

/// Drops what is kept of the same stay elsewhere.
fn drop_moved(
    tx: &mut Tx,
    stop: &Stop,
    is_moved: fn(&Report, &Report) -> bool,
) -> Result<(), Error> {
    let whose = source_of(stop.owner);
    let kept = tx.query(
        "select content, body from vessel_stops where vessel_id = $1 and whose = $2",
        &[stop.vessel.0.into(), (&whose).into()],
        |row| {
            let report: Report = mirror::value("body", &row.unpacked("body")?)?;
            Ok((row.digest("content")?, report))
        },
    )?;
    for (content, _) in kept.iter().filter(|(_, kept)| is_moved(kept, &stop.report)) {
        tx.execute(
            "delete from vessel_stops where vessel_id = $1 and whose = $2 and content = $3",
            &[stop.vessel.0.into(), (&whose).into(), content.into()],
        )?;
    }
    Ok(())
}

/// What is kept of this vessel's stops since `since` for this account: everybody's and its own, newest first. Until the end of the
/// transaction no other is kept.
pub fn of_vessel(
    tx: &mut Tx,
    vessel: ReferenceId,
    account: AccountId,
    since: Timestamp,
) -> Result<Vec<Stop>, Error> {
    tx.locking(
        "select id from vessels where id = $1 /*pg for key share*/",
        &[vessel.0.into()],
        |row| row.id::<ReferenceId>("id"),
    )?;
    kept(tx, vessel, account, since)
}

/// The same as it is at this moment.
pub fn kept(
    tx: &mut Tx,
    vessel: ReferenceId,
    account: AccountId,
    since: Timestamp,
) -> Result<Vec<Stop>, Error> {
    let own = source_of(Some(account));
    tx.query(
        "select whose, at, raw_message_id, body from vessel_stops
         where vessel_id = $1 and whose in ($2, $3) and at >= $4 order by at desc, content limit $5",
        &[
            vessel.0.into(),
            (&source_of(None)).into(),
            (&own).into(),
            since.into(),
            STOPS_MAX.into(),
        ],
        |row| {
            let whose: String = row.get("whose")?;
            Ok(Stop {
                vessel,
                owner: (whose == own).then_some(account),
                at: row.get("at")?,
                raw: row.id("raw_message_id")?,
                report: mirror::value("body", &row.unpacked("body")?)?,
            })
        },
    )
}
