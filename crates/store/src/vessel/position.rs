//! Where vessels were seen. Coordinates are kept as whole millionths of a degree.

use std::collections::HashMap;

use domain::geography::Point;
use domain::ids::ReferenceId;
use domain::vessel::{Position, Seen, last_sure};
use jiff::{SignedDuration, Timestamp};

use crate::db::{Row, Value};
use crate::{Error, Tx};

/// Positions read of one vessel at most: the newest of the time that is asked for.
pub const POSITIONS_READ_MAX: u32 = 10_000;

/// Sightings of a vessel that are looked at for its last place, at most: some hours of one a minute.
const LAST_READ_MAX: u32 = 256;
/// So long before the last sighting.
const LAST_AROUND: SignedDuration = SignedDuration::from_hours(24);

const COLUMNS: &str = "vessel_id, at, latitude, longitude, heading, speed, moored";

/// Adds positions of vessels that are known; one of a time that has one already is left as it is. Returns how
/// many were new. Ships that no report named are nobody's news: their positions are not kept.
pub fn record(tx: &mut Tx, seen: &[(ReferenceId, Seen)]) -> Result<u64, Error> {
    let mut ordered: Vec<&(ReferenceId, Seen)> = seen.iter().collect();
    ordered.sort_by_key(|(id, seen)| (*id, seen.position.at));
    let mut new = 0;
    for (id, Seen { position, moored }) in ordered {
        new += tx.execute(
            "insert into vessel_positions (vessel_id, at, latitude, longitude, heading, speed, moored)
             select id, $2, $3, $4, $5, $6, $7 from vessels where id = $1
             on conflict (vessel_id, at) do nothing",
            &[
                id.0.into(),
                position.at.into(),
                scaled(position.point.latitude, 1e6).into(),
                scaled(position.point.longitude, 1e6).into(),
                optional(position.heading),
                optional(position.speed_knots),
                (*moored).into(),
            ],
        )?;
    }
    Ok(new)
}

/// Drops what was seen of these vessels before `before`.
pub fn forget(tx: &mut Tx, vessels: &[ReferenceId], before: Timestamp) -> Result<u64, Error> {
    let mut gone = 0;
    for vessel in vessels {
        gone += tx.execute(
            "delete from vessel_positions where vessel_id = $1 and at < $2",
            &[vessel.0.into(), before.into()],
        )?;
    }
    Ok(gone)
}

/// Where a vessel was seen from `from` to `to`, both included, oldest first.
pub fn between(
    tx: &mut Tx,
    vessel: ReferenceId,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<Position>, Error> {
    let track = track(tx, vessel, from, to)?;
    Ok(track.into_iter().map(|seen| seen.position).collect())
}

/// The same with what the vessel said of its state.
pub fn track(
    tx: &mut Tx,
    vessel: ReferenceId,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<Seen>, Error> {
    let mut found = tx.query(
        &format!(
            "select {COLUMNS} from vessel_positions where vessel_id = $1 and at >= $2 and at <= $3
             order by at desc limit $4"
        ),
        &[
            vessel.0.into(),
            from.into(),
            to.into(),
            POSITIONS_READ_MAX.into(),
        ],
        |row| {
            let (_, position) = read(row)?;
            let moored = row.get("moored")?;
            Ok(Seen { position, moored })
        },
    )?;
    found.reverse();
    Ok(found)
}

/// Where each of these vessels that was seen at all was last, as far as it [can have been there](last_sure): while it is in
/// doubt whether a sighting is hers, the one before it stands.
pub fn last(tx: &mut Tx, vessels: &[ReferenceId]) -> Result<HashMap<ReferenceId, Position>, Error> {
    let mut found = HashMap::new();
    let text = format!(
        "select {COLUMNS} from vessel_positions where vessel_id = $1 order by at desc limit $2"
    );
    for vessel in vessels {
        let values = [vessel.0.into(), LAST_READ_MAX.into()];
        let mut track = tx.query(&text, &values, |row| {
            read(row).map(|(_, position)| position)
        })?;
        track.reverse();
        let newest = track.last().map(|position| position.at);
        let is_near = |position: &Position| {
            newest.is_some_and(|newest| newest.duration_since(position.at) <= LAST_AROUND)
        };
        let from = track.iter().position(is_near);
        let track = from.and_then(|from| track.get(from..)).unwrap_or_default();
        found.extend(last_sure(track).map(|last| (*vessel, last)));
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<(ReferenceId, Position), Error> {
    let degrees = |name| Ok::<_, Error>(unscaled(row.get(name)?, 1e6));
    let tenths = |name| {
        let value: Option<i64> = row.get(name)?;
        Ok::<_, Error>(value.map(|value| unscaled(value, 10.0)))
    };
    let position = Position {
        at: row.get("at")?,
        point: Point {
            latitude: degrees("latitude")?,
            longitude: degrees("longitude")?,
        },
        heading: tenths("heading")?,
        speed_knots: tenths("speed")?,
    };
    Ok((row.id("vessel_id")?, position))
}

fn optional(value: Option<f64>) -> Value<'static> {
    value.map(|value| scaled(value, 10.0)).into()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "degrees and knots, scaled, are far inside the range; anything else saturates"
)]
fn scaled(value: f64, by: f64) -> i64 {
    (value * by).round() as i64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "millionths of degrees are exact in a double"
)]
fn unscaled(value: i64, by: f64) -> f64 {
    value as f64 / by
}
