//! Raw messages: every payload as it was received, kept before it is parsed.
//!
//! A message that was not read yet has a row beside its own ([`unread`]); one that could not be read at all is put aside,
//! into quarantine. A message that has neither mark was read.

mod body;
mod snapshot;
mod snapshot_file;
mod turns;
mod unread;

use std::collections::{BTreeMap, HashMap};

use domain::ids::{AccountId, RawMessageId, WatchId};
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, pieces, placeholders, rows_of_values};
use crate::{Error, Tx};
use body::Told;
use snapshot::Lasts;
use snapshot_file::Files;

pub use snapshot::{Compared, Sent};
pub use turns::{Place, Turns};
pub use unread::{
    Claimed, Others, any_waits, claim, count_overrun, count_try, excuse, release, release_all,
    renew, unread_by_source, unread_count, unread_ids,
};

/// A payload as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMessage {
    /// Its id.
    pub id: RawMessageId,
    /// The source's profile id.
    pub source: String,
    /// The watch whose question it answers.
    pub watch: Option<WatchId>,
    /// The account whose own it is (uploads, entries by hand).
    pub account: Option<AccountId>,
    /// What was asked; empty when it was pushed to us.
    pub question: String,
    /// Its media type.
    pub content_type: String,
    /// When it was received.
    pub received_at: Timestamp,
    /// Its bytes.
    pub body: Vec<u8>,
    /// SHA-256 of the bytes.
    pub digest: [u8; 32],
}

/// What became of a received payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// News: stored, to be parsed.
    Fresh,
    /// Nothing new: this message said the same.
    Seen(RawMessageId),
}

/// A part of a message that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Where in the message.
    pub place: String,
    /// What is wrong there.
    pub reason: String,
}

/// Stores a payload unless it says what the previous answer to the same question said (an answer), or what
/// this source sent at any time before (pushed, `question` empty).
pub fn receive(tx: &mut Tx, message: &RawMessage) -> Result<Receipt, Error> {
    if let Some(id) = said_before(tx, message)? {
        tx.execute(
            "update raw_messages set last_seen_at = $2 where id = $1",
            &[id.into(), message.received_at.into()],
        )?;
        return Ok(Receipt::Seen(id));
    }
    tx.execute(
        "insert into raw_messages (id, source, watch_id, account_id, question, content_type,
             received_at, last_seen_at, body, body_bytes, digest)
         values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)",
        &[
            message.id.into(),
            (&message.source).into(),
            message.watch.into(),
            message.account.into(),
            (&message.question).into(),
            (&message.content_type).into(),
            message.received_at.into(),
            body::in_row(message),
            body::length(message),
            (&message.digest).into(),
        ],
    )?;
    body::insert_long(tx, message)?;
    unread::insert(tx, &[message], None)?;
    Ok(Receipt::Fresh)
}

/// Stores messages that came by themselves (`question` empty, no watch), except those that are [no news](Compared): one
/// commit, few statements. Receipts in the order of the messages. `leased_until`: they stay in the hands
/// of who stores them, who reads them without a claim; else they wait to be claimed.
pub fn receive_all(
    tx: &mut Tx,
    sent: &[Sent],
    leased_until: Option<Timestamp>,
) -> Result<Vec<Receipt>, Error> {
    let mut lasts = Lasts::of(tx, sent)?;
    let mut files = Files::default();
    let mut known = sent_before(tx, sent)?;
    let mut fresh: Vec<&RawMessage> = Vec::with_capacity(sent.len());
    let mut seen: Vec<RawMessageId> = Vec::new();
    let mut receipts = Vec::with_capacity(sent.len());
    for Sent { message, compared } in sent {
        let first = match *compared {
            Compared::WithAll => known.get(&identity(message)).copied(),
            Compared::WithLast { written_at } => match (lasts.same(message), written_at) {
                (None, Some(at)) => files.read_before(tx, message, at)?,
                (last, _) => last,
            },
        };
        if let Some(first) = first {
            seen.push(first);
            receipts.push(Receipt::Seen(first));
            continue;
        }
        match *compared {
            Compared::WithAll => {
                known.insert(identity(message), message.id);
            }
            Compared::WithLast { written_at } => {
                lasts.note(message);
                files.note(message, written_at);
            }
        }
        fresh.push(message);
        receipts.push(Receipt::Fresh);
    }
    for piece in pieces(&fresh) {
        insert_piece(tx, piece)?;
    }
    lasts.keep(tx)?;
    files.keep(tx)?;
    unread::insert(tx, &fresh, leased_until)?;
    if let Some(at) = sent.iter().map(|sent| sent.message.received_at).max() {
        see_again(tx, &seen, at)?;
    }
    Ok(receipts)
}

/// What makes a message that came by itself the same as another one.
type Identity = (String, Option<AccountId>, [u8; 32]);

fn identity(message: &RawMessage) -> Identity {
    (message.source.clone(), message.account, message.digest)
}

/// Those that are kept of what is compared with all, of which there is one of each. What is compared with the last is not
/// looked for: of that there are as many as were news. By source and list of digests: a planner that takes the table for small
/// would go through all of it for a join.
fn sent_before(tx: &mut Tx, sent: &[Sent]) -> Result<HashMap<Identity, RawMessageId>, Error> {
    let mut of_source: BTreeMap<&str, Vec<&[u8; 32]>> = BTreeMap::new();
    let with_all = sent
        .iter()
        .filter(|sent| sent.compared == Compared::WithAll);
    for Sent { message, .. } in with_all {
        let digests = of_source.entry(&message.source).or_default();
        digests.push(&message.digest);
    }
    let mut known: HashMap<Identity, RawMessageId> = HashMap::new();
    for (source, digests) in of_source {
        for chunk in chunks(&digests) {
            let places = placeholders(2, chunk.len());
            let values: Vec<Value<'_>> = std::iter::once(source.into()).chain(chunk).collect();
            let text = format!(
                "select id, account_id, digest from raw_messages
                 where source = $1 and digest in ({places}) and question = ''"
            );
            let found = tx.query(&text, &values, |row| {
                let account = row.optional_id("account_id")?;
                let identity = (source.to_owned(), account, row.digest("digest")?);
                Ok((identity, row.id("id")?))
            })?;
            known.extend(found);
        }
    }
    Ok(known)
}

fn insert_piece(tx: &mut Tx, piece: &[&RawMessage]) -> Result<(), Error> {
    let casts = [
        "uuid",
        "text",
        "uuid",
        "text",
        "timestamptz",
        "timestamptz",
        "bytea",
        "bigint",
        "bytea",
    ];
    let rows = rows_of_values(1, piece.len(), &casts).replace("($", "('', $");
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|one| {
            [
                one.id.into(),
                (&one.source).into(),
                one.account.into(),
                (&one.content_type).into(),
                one.received_at.into(),
                one.received_at.into(),
                body::in_row(one),
                body::length(one),
                (&one.digest).into(),
            ]
        })
        .collect();
    let text = format!(
        "insert into raw_messages (question, id, source, account_id, content_type, received_at,
             last_seen_at, body, body_bytes, digest)
         values {rows}"
    );
    tx.execute(&text, &values)?;
    piece.iter().try_for_each(|one| body::insert_long(tx, one))
}

fn see_again(tx: &mut Tx, ids: &[RawMessageId], at: Timestamp) -> Result<(), Error> {
    for chunk in chunks(ids) {
        let places = placeholders(2, chunk.len());
        let values: Vec<Value<'_>> = std::iter::once(at.into()).chain(chunk).collect();
        tx.execute(
            &format!("update raw_messages set last_seen_at = $1 where id in ({places})"),
            &values,
        )?;
    }
    Ok(())
}

/// Messages that are taken up together at most.
pub const TOGETHER_MAX: u32 = 128;
/// The longest message that is taken up together with others.
pub const TOGETHER_BYTES_MAX: u32 = 16 * 1024;

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was read, and what it says is used.
    Read,
    /// It stands in quarantine, for this reason.
    Quarantined(String),
}

/// What became of a message; `None` while it waits, or when there is none of this id.
pub fn fate(tx: &mut Tx, id: RawMessageId) -> Result<Option<Fate>, Error> {
    let found = tx.query_one(
        "select quarantined_at, quarantine_reason, exists (
             select 1 from unread_messages where raw_message_id = id
         ) as waits
         from raw_messages where id = $1",
        &[id.into()],
        |row| {
            let aside: Option<Timestamp> = row.get("quarantined_at")?;
            let reason: Option<String> = row.get("quarantine_reason")?;
            let waits: bool = row.get("waits")?;
            Ok(match aside {
                Some(_) => Some(Fate::Quarantined(reason.unwrap_or_default())),
                None => (!waits).then_some(Fate::Read),
            })
        },
    )?;
    Ok(found.flatten())
}

/// The message with this id.
pub fn find(tx: &mut Tx, id: RawMessageId) -> Result<Option<RawMessage>, Error> {
    let told = tx.query_one(
        &format!("select {COLUMNS} from raw_messages where id = $1"),
        &[id.into()],
        read,
    )?;
    told.map(|told| told.whole(tx)).transpose()
}

/// Marks messages as read that have no defect.
pub fn mark_sound(tx: &mut Tx, ids: &[RawMessageId]) -> Result<(), Error> {
    mark_read(tx, ids).map(drop)
}

/// Marks messages as read, whether all of them were unread until now. Those have no defects from before.
fn mark_read(tx: &mut Tx, ids: &[RawMessageId]) -> Result<bool, Error> {
    if unread::remove(tx, ids)? == ids.len() {
        return Ok(true);
    }
    take_back(tx, ids)?;
    for chunk in chunks(ids) {
        let places = placeholders(1, chunk.len());
        tx.execute(
            &format!("delete from defects where raw_message_id in ({places})"),
            &chunk,
        )?;
    }
    Ok(false)
}

/// Marks a message as read and replaces its defects. Whether it was unread until now.
pub fn mark_parsed(tx: &mut Tx, id: RawMessageId, defects: &[Defect]) -> Result<bool, Error> {
    let is_first = mark_read(tx, &[id])?;
    insert_defects(tx, id, defects)?;
    Ok(is_first)
}

/// What stands in quarantine does so no more. A message that was unread a moment ago was not put there.
fn take_back(tx: &mut Tx, ids: &[RawMessageId]) -> Result<(), Error> {
    for chunk in chunks(ids) {
        let places = placeholders(1, chunk.len());
        tx.execute(
            &format!(
                "update raw_messages set quarantined_at = null, quarantine_reason = null
                 where id in ({places}) and quarantined_at is not null"
            ),
            &chunk,
        )?;
    }
    Ok(())
}

/// Puts a message aside: it could not be processed. Whether it was unread until now.
pub fn quarantine(
    tx: &mut Tx,
    id: RawMessageId,
    at: Timestamp,
    reason: &str,
    defects: &[Defect],
) -> Result<bool, Error> {
    let is_first = unread::remove(tx, &[id])? > 0;
    tx.execute(
        "update raw_messages set quarantined_at = $2, quarantine_reason = $3 where id = $1",
        &[id.into(), at.into(), reason.into()],
    )?;
    replace_defects(tx, id, defects)?;
    Ok(is_first)
}

/// A message in quarantine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Its id.
    pub id: RawMessageId,
    /// When it came.
    pub received_at: Timestamp,
    /// Why nothing of it could be used.
    pub reason: String,
}

/// The messages of a source that stand in quarantine, those first that were put there last; at most `limit`.
pub fn quarantined(tx: &mut Tx, source: &str, limit: u32) -> Result<Vec<Aside>, Error> {
    tx.query(
        "select id, received_at, quarantine_reason from raw_messages
         where source = $1 and quarantined_at is not null
         order by quarantined_at desc, id desc limit $2",
        &[source.into(), limit.into()],
        |row| {
            Ok(Aside {
                id: row.id("id")?,
                received_at: row.get("received_at")?,
                reason: row
                    .get::<Option<String>>("quarantine_reason")?
                    .unwrap_or_default(),
            })
        },
    )
}

/// The defects of a message, in the order they were found.
pub fn defects(tx: &mut Tx, id: RawMessageId) -> Result<Vec<Defect>, Error> {
    tx.query(
        "select place, reason from defects where raw_message_id = $1 order by position",
        &[id.into()],
        |row| {
            Ok(Defect {
                place: row.get("place")?,
                reason: row.get("reason")?,
            })
        },
    )
}

const COLUMNS: &str = "id, source, watch_id, account_id, question, content_type, received_at, \
    body, body_bytes, digest";

/// The message that said the same. For an answer only the previous one counts: what is said again after
/// something else was said is news.
fn said_before(tx: &mut Tx, message: &RawMessage) -> Result<Option<RawMessageId>, Error> {
    let source = Value::from(&message.source);
    let account = Value::from(message.account);
    if message.question.is_empty() {
        return tx.query_one(
            "select id from raw_messages
             where source = $1 and digest = $2 and question = ''
                 and account_id is not distinct from $3
             limit 1",
            &[source, (&message.digest).into(), account],
            |row| row.id("id"),
        );
    }
    let previous = tx.query_one(
        "select id, digest from raw_messages
         where source = $1 and question = $2 and question <> ''
             and account_id is not distinct from $3
         order by received_at desc, id desc limit 1",
        &[source, (&message.question).into(), account],
        |row| Ok((row.id("id")?, row.digest("digest")?)),
    )?;
    let same = previous.filter(|(_, digest)| *digest == message.digest);
    Ok(same.map(|(id, _)| id))
}

fn replace_defects(tx: &mut Tx, id: RawMessageId, defects: &[Defect]) -> Result<(), Error> {
    tx.execute(
        "delete from defects where raw_message_id = $1",
        &[id.into()],
    )?;
    insert_defects(tx, id, defects)
}

fn insert_defects(tx: &mut Tx, id: RawMessageId, defects: &[Defect]) -> Result<(), Error> {
    let numbered: Vec<(i64, &Defect)> = (0..).zip(defects).collect();
    for piece in pieces(&numbered) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "bigint", "text", "text"]);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|(position, defect)| {
                let (place, reason) = (&defect.place, &defect.reason);
                [id.into(), (*position).into(), place.into(), reason.into()]
            })
            .collect();
        let text =
            format!("insert into defects (raw_message_id, position, place, reason) values {rows}");
        tx.execute(&text, &values)?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> Result<Told, Error> {
    let message = RawMessage {
        id: row.id("id")?,
        source: row.get("source")?,
        watch: row.optional_id("watch_id")?,
        account: row.optional_id("account_id")?,
        question: row.get("question")?,
        content_type: row.get("content_type")?,
        received_at: row.get("received_at")?,
        body: row.get("body")?,
        digest: row.digest("digest")?,
    };
    Told::new(message, row)
}
