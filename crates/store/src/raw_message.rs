//! Raw messages: every payload as it was received, kept before it is parsed.

mod body;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use domain::ids::{AccountId, RawMessageId, WatchId};
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, padded, pieces, placeholders, rows_of_values};
use crate::{Error, Tx};
use body::Told;

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
    Ok(Receipt::Fresh)
}

/// Stores messages that came by themselves (`question` empty, no watch), except those whose bytes their source sent
/// before: one commit, few statements. Receipts in the order of the messages. `leased_until`: they stay in the hands
/// of who stores them, who reads them without a claim; else they wait to be claimed.
pub fn receive_all(
    tx: &mut Tx,
    messages: &[RawMessage],
    leased_until: Option<Timestamp>,
) -> Result<Vec<Receipt>, Error> {
    let mut known = sent_before(tx, messages)?;
    let mut fresh: Vec<&RawMessage> = Vec::with_capacity(messages.len());
    let mut seen: Vec<RawMessageId> = Vec::new();
    let mut receipts = Vec::with_capacity(messages.len());
    for message in messages {
        match known.entry(identity(message)) {
            Entry::Occupied(first) => {
                seen.push(*first.get());
                receipts.push(Receipt::Seen(*first.get()));
            }
            Entry::Vacant(unknown) => {
                unknown.insert(message.id);
                fresh.push(message);
                receipts.push(Receipt::Fresh);
            }
        }
    }
    for piece in pieces(&fresh) {
        insert_piece(tx, piece, leased_until)?;
    }
    if let Some(at) = messages.iter().map(|message| message.received_at).max() {
        see_again(tx, &seen, at)?;
    }
    Ok(receipts)
}

/// What makes a message that came by itself the same as another one.
type Identity = (String, Option<AccountId>, [u8; 32]);

fn identity(message: &RawMessage) -> Identity {
    (message.source.clone(), message.account, message.digest)
}

/// By source and list of digests: a planner that takes the table for small would go through all of it for a join.
fn sent_before(
    tx: &mut Tx,
    messages: &[RawMessage],
) -> Result<HashMap<Identity, RawMessageId>, Error> {
    let mut of_source: BTreeMap<&str, Vec<&[u8; 32]>> = BTreeMap::new();
    for message in messages {
        let digests = of_source.entry(&message.source).or_default();
        digests.push(&message.digest);
    }
    let mut known = HashMap::new();
    for (source, digests) in of_source {
        for chunk in chunks(&digests) {
            let places = placeholders(2, chunk.len());
            let values: Vec<Value<'_>> = std::iter::once(source.into()).chain(chunk).collect();
            let text = format!(
                "select id, account_id, digest from raw_messages
                 where source = $1 and digest in ({places}) and question = ''"
            );
            known.extend(tx.query(&text, &values, |row| {
                let account = row.optional_id("account_id")?;
                let identity = (source.to_owned(), account, row.digest("digest")?);
                Ok((identity, row.id("id")?))
            })?);
        }
    }
    Ok(known)
}

fn insert_piece(
    tx: &mut Tx,
    piece: &[&RawMessage],
    leased_until: Option<Timestamp>,
) -> Result<(), Error> {
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
        "timestamptz",
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
                leased_until.into(),
            ]
        })
        .collect();
    let text = format!(
        "insert into raw_messages (question, id, source, account_id, content_type, received_at,
             last_seen_at, body, body_bytes, digest, lease_until)
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

/// A message in somebody's hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The message.
    pub message: RawMessage,
    /// How often it was taken up, this time included.
    pub tries: u32,
}

/// Messages that are taken up together at most.
pub const TOGETHER_MAX: u32 = 128;
/// The longest message that is taken up together with others.
pub const TOGETHER_BYTES_MAX: u32 = 16 * 1024;

/// Leases the oldest message that waits to be read and is in nobody's hands, leaving out those of
/// `busy_sources`. An answer to a question is left to who asked until it is older than `answered_before`.
///
/// Short messages that came by themselves bring along others of their kind: of the same source and for the same
/// account, tried for the first time. One that failed before comes alone, so that it spoils no other.
pub fn claim(
    tx: &mut Tx,
    now: Timestamp,
    lease_until: Timestamp,
    answered_before: Timestamp,
    busy_sources: &[String],
) -> Result<Vec<Claimed>, Error> {
    let busy: Vec<Value<'_>> = padded(busy_sources.iter().map(Value::from).collect());
    let not_busy = if busy_sources.is_empty() {
        String::new()
    } else {
        format!("and source not in ({})", placeholders(4, busy.len()))
    };
    let mut values = vec![now.into(), lease_until.into(), answered_before.into()];
    values.extend(busy.iter().filter(|_| !busy_sources.is_empty()));
    let waits = "parsed_at is null and quarantined_at is null
        and (lease_until is null or lease_until <= $1)";
    let short = format!("watch_id is null and tries = 0 and body_bytes <= {TOGETHER_BYTES_MAX}");
    let taken: Vec<(RawMessageId, u32)> = tx.returning(
        &format!(
            "with oldest as materialized (
                 select id as oldest_id, source as oldest_source, account_id as oldest_account,
                     case when {short} then {TOGETHER_MAX} else 1 end as together
                 from raw_messages
                 where {waits} and (watch_id is null or received_at <= $3) {not_busy}
                 order by id limit 1
                 /*pg for update skip locked*/
             ),
             taken as materialized (
                 select id as taken_id from raw_messages, oldest
                 where {waits} and (id = oldest_id or (together > 1 and {short}
                     and source = oldest_source and account_id is not distinct from oldest_account))
                 order by id limit {TOGETHER_MAX}
                 /*pg for update of raw_messages skip locked*/
             )
             update raw_messages set lease_until = $2, tries = tries + 1
             from taken where id = taken.taken_id
             returning id, tries"
        ),
        &values,
        |row| Ok((row.id("id")?, row.count("tries")?)),
    )?;
    // Read by itself: what an update returns is held once more on its way, and a body may be long.
    let tries: BTreeMap<RawMessageId, u32> = taken.into_iter().collect();
    let ids: Vec<RawMessageId> = tries.keys().copied().collect();
    let mut claimed = Vec::with_capacity(ids.len());
    for piece in pieces(&ids) {
        let ids = padded(piece.iter().map(|id| Value::from(*id)).collect());
        let places = placeholders(1, ids.len());
        let told = tx.query(
            &format!("select {COLUMNS} from raw_messages where id in ({places}) order by id"),
            &ids,
            read,
        )?;
        for one in told {
            let message = one.whole(tx)?;
            let tries = tries.get(&message.id).copied().unwrap_or_default();
            claimed.push(Claimed { message, tries });
        }
    }
    Ok(claimed)
}

/// Keeps claimed messages in the same hands for longer.
pub fn hold(tx: &mut Tx, ids: &[RawMessageId], lease_until: Timestamp) -> Result<(), Error> {
    for piece in pieces(ids) {
        let mut values: Vec<Value<'_>> = vec![lease_until.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(2, piece.len());
        tx.execute(
            &format!("update raw_messages set lease_until = $1 where id in ({places})"),
            &values,
        )?;
    }
    Ok(())
}

/// Gives messages back that were not read.
pub fn release(tx: &mut Tx, ids: &[RawMessageId]) -> Result<(), Error> {
    for chunk in chunks(ids) {
        let places = placeholders(1, chunk.len());
        tx.execute(
            &format!("update raw_messages set lease_until = null where id in ({places})"),
            &chunk,
        )?;
    }
    Ok(())
}

/// Ends all leases: whoever held them is gone. For a store that one process has to itself.
pub fn release_all(tx: &mut Tx) -> Result<u64, Error> {
    tx.execute(
        "update raw_messages set lease_until = null
         where parsed_at is null and quarantined_at is null and lease_until is not null",
        &[],
    )
}

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
        "select parsed_at, quarantined_at, quarantine_reason from raw_messages where id = $1",
        &[id.into()],
        |row| {
            let read: Option<Timestamp> = row.get("parsed_at")?;
            let aside: Option<Timestamp> = row.get("quarantined_at")?;
            let reason: Option<String> = row.get("quarantine_reason")?;
            Ok(match (read, aside) {
                (_, Some(_)) => Some(Fate::Quarantined(reason.unwrap_or_default())),
                (Some(_), None) => Some(Fate::Read),
                (None, None) => None,
            })
        },
    )?;
    Ok(found.flatten())
}

/// Messages neither parsed nor quarantined, oldest first.
pub fn unparsed(tx: &mut Tx, limit: u32) -> Result<Vec<RawMessageId>, Error> {
    tx.query(
        "select id from raw_messages
         where parsed_at is null and quarantined_at is null order by id limit $1",
        &[limit.into()],
        |row| row.id("id"),
    )
}

/// Whether a message waits to be read and is in nobody's hands.
pub fn any_waits(tx: &mut Tx, now: Timestamp) -> Result<bool, Error> {
    let found = tx.query_one(
        "select id from raw_messages
         where parsed_at is null and quarantined_at is null
             and (lease_until is null or lease_until <= $1)
         limit 1",
        &[now.into()],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// How many messages are neither parsed nor quarantined.
pub fn unparsed_count(tx: &mut Tx) -> Result<u64, Error> {
    let found = tx.query_one(
        "select count(*) as waiting from raw_messages
         where parsed_at is null and quarantined_at is null",
        &[],
        |row| row.count("waiting"),
    )?;
    Ok(found.map_or(0, u64::from))
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

/// Marks messages as parsed that have no defect.
pub fn mark_sound(tx: &mut Tx, ids: &[RawMessageId], at: Timestamp) -> Result<(), Error> {
    for piece in pieces(ids) {
        let mut values: Vec<Value<'_>> = vec![at.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(2, piece.len());
        tx.execute(
            &format!(
                "update raw_messages
                 set parsed_at = $1, quarantined_at = null, quarantine_reason = null
                 where id in ({places})"
            ),
            &values,
        )?;
        let places = placeholders(1, piece.len());
        tx.execute(
            &format!("delete from defects where raw_message_id in ({places})"),
            values.get(1..).unwrap_or_default(),
        )?;
    }
    Ok(())
}

/// Marks a message as parsed and replaces its defects.
pub fn mark_parsed(
    tx: &mut Tx,
    id: RawMessageId,
    at: Timestamp,
    defects: &[Defect],
) -> Result<(), Error> {
    tx.execute(
        "update raw_messages set parsed_at = $2, quarantined_at = null, quarantine_reason = null
         where id = $1",
        &[id.into(), at.into()],
    )?;
    replace_defects(tx, id, defects)
}

/// Puts a message aside: it could not be processed.
pub fn quarantine(
    tx: &mut Tx,
    id: RawMessageId,
    at: Timestamp,
    reason: &str,
    defects: &[Defect],
) -> Result<(), Error> {
    tx.execute(
        "update raw_messages set quarantined_at = $2, quarantine_reason = $3 where id = $1",
        &[id.into(), at.into(), reason.into()],
    )?;
    replace_defects(tx, id, defects)
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
