//! Replays: every message that was kept is read again, by the parser and the profiles of today.
//!
//! Three walks, each of which can stop after any step and go on from there:
//!
//! 1. *reading*: each message is parsed. Readings that are there are marked with the replay's number; new ones are
//!    stored with a minus before it, and nobody is told of them yet.
//! 2. *settling*: for each watch at once, readings that no message gives any more are taken out and the new ones
//!    are put in their place, so that nobody ever sees both.
//! 3. *showing*: every shipment is computed from what is there now. The difference is told, as always.
//!
//! What was read of a message that cannot be read again stays as it was: the message is noted as passed over.
//!
//! A reading that was seen after the replay began is left alone: a running service reads on meanwhile. Seen is a report,
//! under whichever watch: one that names several numbers is filed under all of them whenever it is said. Marked and
//! settled is what stands under a watch ([`report`]), and the report goes with the last of it.

use domain::ids::{AccountId, RawMessageId, ReportId, ShipmentId, TrackingRequestId, WatchId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value, chunks, padded, pieces, placeholders};
use crate::{Error, Tx, raw_message, report, watch};

/// How far a replay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Messages are read.
    Reading,
    /// Watches are settled.
    Settling,
    /// Shipments are shown.
    Showing,
}

/// A replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Its number, from 1.
    pub number: i64,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; `None`: it goes on, or waits to be gone on with.
    pub ended_at: Option<Timestamp>,
    /// What is done now.
    pub stage: Stage,
    /// The last record that this stage is done with, with its account where it has one.
    pub cursor: Option<(Uuid, Uuid)>,
    /// Records of this stage that are done.
    pub done: u64,
    /// How many there were when the stage began; 0: that is not known.
    pub total: u64,
    /// Readings that no message gives any more.
    pub gone: u64,
    /// Readings that no message gave before.
    pub found: u64,
    /// Messages that could not be read and were passed over, by whoever goes on with it now; this is not kept.
    pub passed: u64,
    /// The same of watches that could not be settled, and of shipments and requests that could not be shown.
    pub unshown: u64,
}

impl Stage {
    /// As it is stored and told.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Settling => "settling",
            Self::Showing => "showing",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [Self::Reading, Self::Settling, Self::Showing];
        all.into_iter().find(|stage| stage.as_str() == text)
    }
}

/// The replay that has not ended.
pub fn open(tx: &mut Tx) -> Result<Option<Replay>, Error> {
    tx.query_one(
        &format!(
            "select {COLUMNS} from replays where ended_at is null order by number desc limit 1"
        ),
        &[],
        read,
    )
}

/// Begins a replay of so many messages. One that had not ended is given up.
pub fn begin(tx: &mut Tx, now: Timestamp, total: u64) -> Result<Replay, Error> {
    tx.execute("delete from passed_over", &[])?;
    tx.execute(
        "update replays set ended_at = $1 where ended_at is null",
        &[now.into()],
    )?;
    let last = tx.query_one("select max(number) as number from replays", &[], |row| {
        row.get::<Option<i64>>("number")
    })?;
    let replay = Replay {
        number: last.flatten().unwrap_or_default() + 1,
        started_at: now,
        ended_at: None,
        stage: Stage::Reading,
        cursor: None,
        done: 0,
        total,
        gone: 0,
        found: 0,
        passed: 0,
        unshown: 0,
    };
    tx.execute(
        "insert into replays (number, started_at, stage, done, total, gone, found)
         values ($1, $2, $3, 0, $4, 0, 0)",
        &[
            replay.number.into(),
            now.into(),
            replay.stage.as_str().into(),
            signed(replay.total).into(),
        ],
    )?;
    Ok(replay)
}

/// Records how far a replay is.
pub fn keep(tx: &mut Tx, replay: &Replay) -> Result<(), Error> {
    tx.execute(
        "update replays set ended_at = $2, stage = $3, cursor_account = $4, cursor_id = $5,
             done = $6, total = $7, gone = $8, found = $9
         where number = $1",
        &[
            replay.number.into(),
            replay.ended_at.into(),
            replay.stage.as_str().into(),
            replay.cursor.map(|(account, _)| account).into(),
            replay.cursor.map(|(_, id)| id).into(),
            signed(replay.done).into(),
            signed(replay.total).into(),
            signed(replay.gone).into(),
            signed(replay.found).into(),
        ],
    )?;
    Ok(())
}

/// How many records a stage has to do. It goes through all of them: on a large store that may take longer than a statement
/// may, so nothing but what is told hangs on it.
pub fn count(tx: &mut Tx, stage: Stage) -> Result<u64, Error> {
    let table = match stage {
        Stage::Reading => "raw_messages",
        Stage::Settling => "watches",
        Stage::Showing => "shipments",
    };
    let text = format!("select count(*) as records from {table}");
    let found = tx.query_one(&text, &[], |row| row.get::<i64>("records"))?;
    Ok(u64::try_from(found.unwrap_or_default()).unwrap_or_default())
}

/// Messages behind `after`, oldest first, with their lengths in bytes.
pub fn messages(
    tx: &mut Tx,
    after: Option<RawMessageId>,
    limit: u32,
) -> Result<Vec<(RawMessageId, u64)>, Error> {
    tx.query(
        "select id, body_bytes from raw_messages where id > $1 order by id limit $2",
        &[after.unwrap_or(Uuid::nil().into()).into(), limit.into()],
        |row| Ok((row.id("id")?, u64::from(row.count("body_bytes")?))),
    )
}

/// Watches behind `after`, by id.
pub fn watches(tx: &mut Tx, after: Option<WatchId>, limit: u32) -> Result<Vec<WatchId>, Error> {
    tx.query(
        "select id from watches where id > $1 order by id limit $2",
        &[after.unwrap_or(Uuid::nil().into()).into(), limit.into()],
        |row| row.id("id"),
    )
}

/// Which of these watches hold readings that are to be taken out or put in. What came from sources that are not
/// among `readable`, and in messages that were passed over, could not be read again, and stays.
pub fn unsettled(
    tx: &mut Tx,
    replay: &Replay,
    readable: &[String],
    watches: &[WatchId],
) -> Result<Vec<WatchId>, Error> {
    let mut found: Vec<WatchId> = Vec::new();
    for piece in pieces(watches) {
        let mut values = vec![replay.number.into(), replay.started_at.into()];
        values.extend(piece.iter().map(|watch| Value::from(*watch)));
        let text = unsettled_among(piece.len(), readable, &mut values);
        found.extend(tx.query(&text, &values, |row| row.id::<WatchId>("watch_id"))?);
    }
    Ok(found)
}

/// Settles a watch, which is held until the end of the transaction: readings that no message gives any more are
/// taken out, new ones are put in. How many of each.
pub fn settle(
    tx: &mut Tx,
    replay: &Replay,
    readable: &[String],
    watch: WatchId,
) -> Result<(u64, u64), Error> {
    watch::lock(tx, watch)?;
    let mut values = vec![
        replay.number.into(),
        replay.started_at.into(),
        watch.into(),
        (-replay.number).into(),
    ];
    let text = outdated(readable, &mut values);
    let mut gone: Vec<ReportId> = tx.returning(&text, &values, |row| row.id("report_id"))?;
    // One order for all who write to reports.
    gone.sort_unstable();
    report::let_go(tx, &gone)?;
    let found = tx.execute(
        FOUND_TOLD,
        &[watch.into(), replay.number.into(), (-replay.number).into()],
    )?;
    Ok((gone.len() as u64, found))
}

/// Passes over a message that could not be read again: what was read of it before stays as it is. One that was read or put
/// aside stands in quarantine from now on, for this reason; one that waits for its first reading goes on waiting.
///
/// It is only noted: to mark what stands of it, all that stands anywhere would have to be gone through.
pub fn pass_over(
    tx: &mut Tx,
    replay: &Replay,
    message: RawMessageId,
    at: Timestamp,
    reason: &str,
) -> Result<(), Error> {
    if raw_message::fate(tx, message)?.is_some() {
        raw_message::quarantine(tx, message, at, reason, &[])?;
    }
    tx.execute(
        "insert into passed_over (replay, raw_message_id) values ($1, $2)
         on conflict (replay, raw_message_id) do nothing",
        &[replay.number.into(), message.into()],
    )?;
    Ok(())
}

/// Takes out what a replay has found under these watches in a message that it passes over: half a reading beside a whole one
/// would tell its moves twice. At once, so that what another message says too is found in that one.
pub fn take_out(
    tx: &mut Tx,
    replay: &Replay,
    message: RawMessageId,
    watches: &[WatchId],
) -> Result<(), Error> {
    let mut held: Vec<WatchId> = Vec::new();
    for chunk in chunks(watches) {
        let text = holding(chunk.len());
        let mut values = vec![message.into(), (-replay.number).into()];
        values.extend(chunk);
        held.extend(tx.query(&text, &values, |row| row.id::<WatchId>("watch_id"))?);
    }
    // One order for all who hold several.
    held.sort_unstable();
    for watch in held {
        watch::lock(tx, watch)?;
        let values = [message.into(), (-replay.number).into(), watch.into()];
        let mut gone: Vec<ReportId> =
            tx.returning(FOUND_IN_VAIN, &values, |row| row.id("report_id"))?;
        // One order for all who write to reports.
        gone.sort_unstable();
        report::let_go(tx, &gone)?;
    }
    Ok(())
}

/// What a replay found under a watch is told from now on.
const FOUND_TOLD: &str =
    "update filed_reports set read_by = $2 where watch_id = $1 and read_by = $3";

/// What a replay found of a message under a watch goes. A report is looked up by itself: a planner that takes the table for
/// small would go through all of it for a join.
const FOUND_IN_VAIN: &str = "delete from filed_reports
     where watch_id = $3 and read_by = $2
         and (select r.raw_message_id from reports r where r.id = filed_reports.report_id) = $1
     returning report_id";

/// Which of so many watches, from `$3` on, hold what a replay found of a message.
fn holding(watches: usize) -> String {
    let places = placeholders(3, watches);
    format!(
        "select distinct watch_id from filed_reports
         where watch_id in ({places}) and read_by = $2
             and (select r.raw_message_id from reports r where r.id = filed_reports.report_id) = $1"
    )
}

/// Which of so many watches, from `$3` on, are to be settled.
fn unsettled_among<'v>(
    watches: usize,
    readable: &'v [String],
    values: &mut Vec<Value<'v>>,
) -> String {
    let places = placeholders(3, watches);
    let unread = unread(readable, values);
    format!(
        "select distinct watch_id from filed_reports
         where watch_id in ({places}) and read_by < $1 and (read_by < 0 or {unread})
         order by watch_id"
    )
}

/// What no message gives any more goes from the watch `$3`; what this replay has found bears `$4`.
fn outdated<'v>(readable: &'v [String], values: &mut Vec<Value<'v>>) -> String {
    let unread = unread(readable, values);
    format!(
        "delete from filed_reports
         where watch_id = $3 and read_by < $1 and read_by <> $4 and (read_by < 0 or {unread})
         returning report_id"
    )
}

/// A reading was not seen since the replay `$1` began, at `$2`, and its message could have been read again: a source that is
/// configured sent it, and it was not passed over. The sources follow the values that are there.
fn unread<'v>(readable: &'v [String], values: &mut Vec<Value<'v>>) -> String {
    let named = padded(readable.iter().map(Value::from).collect());
    let places = placeholders(values.len() + 1, named.len());
    values.extend(named);
    format!(
        "(select m.source from reports r join raw_messages m on m.id = r.raw_message_id
          where r.id = filed_reports.report_id and r.last_seen_at < $2
              and not exists (select 1 from passed_over p
                  where p.replay = $1 and p.raw_message_id = r.raw_message_id)) in ({places})"
    )
}

/// Tracked shipments of all accounts behind `after`, by account and id.
pub fn shipments(
    tx: &mut Tx,
    after: Option<(AccountId, ShipmentId)>,
    limit: u32,
) -> Result<Vec<(AccountId, ShipmentId)>, Error> {
    let (account, id) = after.unwrap_or((Uuid::nil().into(), Uuid::nil().into()));
    tx.query(
        "select account_id, id from shipments
         where (account_id, id) > ($1, $2) and stopped_at is null
         order by account_id, id limit $3",
        &[account.into(), id.into(), limit.into()],
        |row| Ok((row.id("account_id")?, row.id("id")?)),
    )
}

/// Requests of all accounts that wait for data, oldest first; at most `limit`.
pub fn waiting(tx: &mut Tx, limit: u32) -> Result<Vec<(AccountId, TrackingRequestId)>, Error> {
    tx.query(
        "select account_id, id from tracking_requests
         where status in ('pending', 'awaiting_manifest') order by created_at, id limit $1",
        &[limit.into()],
        |row| Ok((row.id("account_id")?, row.id("id")?)),
    )
}

const COLUMNS: &str = "number, started_at, ended_at, stage, cursor_account, cursor_id, done, total, \
    gone, found";

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn read(row: &Row<'_>) -> Result<Replay, Error> {
    let count = |name| Ok::<u64, Error>(u64::from(row.count(name)?));
    let account: Option<Uuid> = row.get("cursor_account")?;
    let id: Option<Uuid> = row.get("cursor_id")?;
    Ok(Replay {
        number: row.get("number")?,
        started_at: row.get("started_at")?,
        ended_at: row.get("ended_at")?,
        stage: row.parsed("stage", Stage::parse)?,
        cursor: id.map(|id| (account.unwrap_or(Uuid::nil()), id)),
        done: count("done")?,
        total: count("total")?,
        gone: count("gone")?,
        found: count("found")?,
        passed: 0,
        unshown: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Settings, Store};

    /// Of readings there may be a hundred million: what goes through all of them takes longer than a statement may.
    #[tokio::test(flavor = "multi_thread")]
    async fn readings_are_looked_up_and_never_gone_through() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let readable = ["line".to_owned(), "hub".to_owned()];
        let (mut of_many, mut of_one) = (vec![Value::Null; 6], vec![Value::Null; 4]);
        let statements = [
            (unsettled_among(4, &readable, &mut of_many), of_many.len()),
            (outdated(&readable, &mut of_one), of_one.len()),
            (FOUND_TOLD.to_owned(), 3),
            (FOUND_IN_VAIN.to_owned(), 3),
            (holding(4), 6),
        ];
        for (sql, values) in statements {
            let plan = store.read(move |tx| {
                let values = vec![Value::Null; values];
                let sql = format!("explain query plan {sql}");
                tx.query(&sql, &values, |row| row.get::<String>("detail"))
            });
            let steps = plan.await.unwrap();
            let searches = steps.iter().any(|step| step.starts_with("SEARCH"));
            let scans = steps.iter().any(|step| step.starts_with("SCAN"));
            assert!(searches && !scans, "{steps:?}");
        }
    }
}
