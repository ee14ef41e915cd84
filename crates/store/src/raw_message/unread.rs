//! Messages that are kept and not read yet: one small row for each, which goes when its message was read or put aside.
//!
//! A message is written once and for good; who reads it, how often it was tried and until when it is in somebody's
//! hands stands here. Thousands may be in hand at once, so whoever looks for what waits must not walk over them: what
//! is in nobody's hands has indexes of its own, one for what is everybody's and one for what is accounts' own, and what is
//! [next](super::turns) of each source is found by steps from source to source. A lease that has run out is ended by whoever
//! looks next; from then on its message is one that waits.

use std::collections::BTreeMap;

use domain::ids::{AccountId, RawMessageId};
use jiff::Timestamp;

use super::turns::{Place, Turns};
use super::{COLUMNS, RawMessage, TOGETHER_BYTES_MAX, TOGETHER_MAX, read};
use crate::db::{Value, chunks, padded, padded_pieces, pieces, placeholders, rows_of_values};
use crate::{Error, Tx};

/// Leases that are ended at once at most.
const ENDED_AT_ONCE_MAX: u32 = 1_024;

/// A message in somebody's hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The message.
    pub message: RawMessage,
    /// How often it was taken up, this time included.
    pub tries: u32,
    /// How many of these tries the store ended: they took it too long, or others were in their way.
    pub overruns: u32,
}

/// What is to be left alone by who looks for something to read.
#[derive(Clone, Copy, Debug)]
pub struct Others<'a> {
    /// An answer to a question is left to who asked until it is older than this.
    pub answered_before: Timestamp,
    /// Sources that are being read.
    pub busy_sources: &'a [String],
    /// The only sources whose messages can be read; `None`: all can.
    pub known_sources: Option<&'a [String]>,
    /// Whose turn it is; `None`: nobody has had one yet.
    pub turns: Option<&'a Turns>,
    /// What the asker has in hand: only what comes before it is wanted.
    pub before: Option<(Place, RawMessageId)>,
}

/// Notes that these messages wait, or that they are in hand until then.
pub(super) fn insert(
    tx: &mut Tx,
    messages: &[&RawMessage],
    leased_until: Option<Timestamp>,
) -> Result<(), Error> {
    let casts = [
        "uuid",
        "text",
        "uuid",
        "boolean",
        "boolean",
        "timestamptz",
        "timestamptz",
    ];
    for piece in pieces(messages) {
        let rows = rows_of_values(1, piece.len(), &casts);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|one| {
                let asked = one.watch.is_some();
                let is_short = one.body.len() <= TOGETHER_BYTES_MAX as usize;
                [
                    one.id.into(),
                    (&one.source).into(),
                    one.account.into(),
                    asked.into(),
                    (!asked && is_short).into(),
                    one.received_at.into(),
                    leased_until.into(),
                ]
            })
            .collect();
        let text = format!(
            "insert into unread_messages (raw_message_id, source, account_id, asked, short,
                 received_at, lease_until)
             values {rows}"
        );
        tx.execute(&text, &values)?;
    }
    Ok(())
}

/// These messages are unread no more. How many of them were.
pub(super) fn remove(tx: &mut Tx, ids: &[RawMessageId]) -> Result<usize, Error> {
    let mut removed = 0;
    for piece in pieces(ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, values.len());
        let text = format!("delete from unread_messages where raw_message_id in ({places})");
        removed += tx.execute(&text, &values)?;
    }
    Ok(usize::try_from(removed).unwrap_or(usize::MAX))
}

/// Leases the oldest message of the line whose turn it is, of those that wait to be read and are in nobody's hands, leaving out
/// what is of `others`.
///
/// Short messages that came by themselves bring along others of their kind: of the same source and for the same
/// account, tried for the first time. One that failed before comes alone, so that it spoils no other.
pub fn claim(
    tx: &mut Tx,
    now: Timestamp,
    lease_until: Timestamp,
    others: Others<'_>,
) -> Result<Vec<Claimed>, Error> {
    end_leases(tx, now)?;
    // Another node may hold the first one, and all of its kind, just now.
    for next in next_of_lines(tx, others)? {
        let taken = take(tx, &next, lease_until)?;
        if !taken.is_empty() {
            return read_claimed(tx, &taken);
        }
    }
    Ok(Vec::new())
}

/// Whether something waits to be read that is in nobody's hands and not of `others`.
pub fn any_waits(tx: &mut Tx, now: Timestamp, others: Others<'_>) -> Result<bool, Error> {
    let ended = tx.query_one(
        "select 1 as ended from unread_messages where lease_until <= $1 limit 1",
        &[now.into()],
        |_| Ok(()),
    )?;
    Ok(ended.is_some() || !next_of_lines(tx, others)?.is_empty())
}

/// Keeps messages in the same hands until then, each with the end of the lease under which it is held. Those that were:
/// one whose lease has run out may be in other hands by now, under a lease that ends later, and stays there.
pub fn renew(
    tx: &mut Tx,
    held: &[(RawMessageId, Timestamp)],
    lease_until: Timestamp,
) -> Result<Vec<RawMessageId>, Error> {
    lease_anew(tx, held, Some(lease_until), "tries = tries")
}

/// Gives messages back that were not read, as [`renew`] keeps them.
pub fn release(tx: &mut Tx, held: &[(RawMessageId, Timestamp)]) -> Result<(), Error> {
    lease_anew(tx, held, None, "tries = tries").map(drop)
}

/// Leaves messages alone until then, as [`renew`] keeps them. They could not be read through no fault of their own: that
/// they were taken up is not counted.
pub fn excuse(
    tx: &mut Tx,
    held: &[(RawMessageId, Timestamp)],
    lease_until: Timestamp,
) -> Result<(), Error> {
    let one_less = "tries = case when tries > 0 then tries - 1 else 0 end";
    lease_anew(tx, held, Some(lease_until), one_less).map(drop)
}

/// Leaves messages alone until then, as [`renew`] keeps them. They were read as they came, without a claim, and could not
/// be: that counts as a try like one for which they were claimed.
pub fn count_try(
    tx: &mut Tx,
    held: &[(RawMessageId, Timestamp)],
    lease_until: Timestamp,
) -> Result<(), Error> {
    lease_anew(tx, held, Some(lease_until), "tries = tries + 1").map(drop)
}

/// Leaves messages alone until then, as [`renew`] keeps them. The store ended this try, which is counted, also where they
/// were read as they came: it took too long, or others were in its way.
pub fn count_overrun(
    tx: &mut Tx,
    held: &[(RawMessageId, Timestamp)],
    lease_until: Timestamp,
) -> Result<(), Error> {
    let once = "tries = case when tries > 0 then tries else 1 end, overruns = overruns + 1";
    lease_anew(tx, held, Some(lease_until), once).map(drop)
}

fn lease_anew(
    tx: &mut Tx,
    held: &[(RawMessageId, Timestamp)],
    lease_until: Option<Timestamp>,
    counted: &str,
) -> Result<Vec<RawMessageId>, Error> {
    let mut kept = Vec::new();
    for piece in padded_pieces(held) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "timestamptz"]);
        let rows_held = piece
            .iter()
            .flat_map(|(id, until)| [Value::from(*id), Value::from(*until)]);
        let values: Vec<Value<'_>> = std::iter::once(lease_until.into())
            .chain(rows_held)
            .collect();
        let of_piece: Vec<RawMessageId> = tx.returning(
            &format!(
                "with held (held_id, held_until) as (values {rows})
                 update unread_messages set lease_until = $1, {counted} from held
                 where raw_message_id = held_id and lease_until = held_until
                 returning raw_message_id"
            ),
            &values,
            |row| row.id("raw_message_id"),
        )?;
        kept.extend(of_piece);
    }
    Ok(kept)
}

/// Ends all leases: whoever held them is gone. For a store that one process has to itself.
pub fn release_all(tx: &mut Tx) -> Result<u64, Error> {
    tx.execute(
        "update unread_messages set lease_until = null where lease_until is not null",
        &[],
    )
}

/// Messages that were not read yet, oldest first.
pub fn unread_ids(tx: &mut Tx, limit: u32) -> Result<Vec<RawMessageId>, Error> {
    tx.query(
        "select raw_message_id from unread_messages order by raw_message_id limit $1",
        &[limit.into()],
        |row| row.id("raw_message_id"),
    )
}

/// How many messages of each source were not read yet.
pub fn unread_by_source(tx: &mut Tx) -> Result<BTreeMap<String, u64>, Error> {
    let text = "select source, count(*) as unread from unread_messages group by source";
    let counted = tx.query(text, &[], |row| {
        Ok((row.get("source")?, u64::from(row.count("unread")?)))
    })?;
    Ok(counted.into_iter().collect())
}

/// How many messages were not read yet.
pub fn unread_count(tx: &mut Tx) -> Result<u64, Error> {
    let text = "select count(*) as unread from unread_messages";
    let found = tx.query_one(text, &[], |row| row.count("unread"))?;
    Ok(found.map_or(0, u64::from))
}

/// What has been in hands for too long waits again.
fn end_leases(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    tx.execute(
        "with ended as materialized (
             select raw_message_id as ended_id from unread_messages
             where lease_until <= $1 order by lease_until limit $2
             /*pg for update skip locked*/
         )
         update unread_messages set lease_until = null from ended where raw_message_id = ended_id",
        &[now.into(), ENDED_AT_ONCE_MAX.into()],
    )?;
    Ok(())
}

/// The oldest message of a line.
struct Next {
    id: RawMessageId,
    source: String,
    account: Option<AccountId>,
    brings_others: bool,
}

/// Of each source the oldest message of what is everybody's, and of the account that is next in the ring; in the order of
/// their turns. Messages of a source that is not known wait for who knows it: nobody has tried to read them. The order
/// names the lease, which is none, because only the indexes of what waits have it: along the primary key one would walk over
/// all that is in hand.
fn next_of_lines(tx: &mut Tx, others: Others<'_>) -> Result<Vec<Next>, Error> {
    let mut values = vec![others.answered_before.into()];
    let passed: Vec<_> = others.turns.iter().flat_map(|all| all.passed()).collect();
    let passed = if passed.is_empty() {
        "select '', null/*pg ::uuid*/ where 1 = 0".to_owned()
    } else {
        let pairs = passed.iter();
        let pairs =
            pairs.flat_map(|(source, account)| [Value::from(*source), Value::from(*account)]);
        values.extend(pairs);
        let rows = rows_of_values(2, passed.len(), &["text", "uuid"]);
        format!("values {rows}")
    };
    let first_busy = values.len() + 1;
    let not_busy = if others.busy_sources.is_empty() {
        String::new()
    } else {
        values.extend(padded(
            others.busy_sources.iter().map(Value::from).collect(),
        ));
        format!(
            "and line_source not in ({})",
            placeholders(first_busy, values.len() + 1 - first_busy)
        )
    };
    let found = tx.query(
        &format!(
            "with recursive passed (passed_source, passed_account) as ({passed}),
             everybodys (line_source) as (
                 select (select source from unread_messages
                         where lease_until is null and account_id is null
                         order by source limit 1)
                 union all
                 select (select source from unread_messages
                         where lease_until is null and account_id is null and source > line_source
                         order by source limit 1)
                 from everybodys where line_source is not null
             ), accounts (line_source) as (
                 select (select source from unread_messages
                         where lease_until is null and account_id is not null
                         order by source limit 1)
                 union all
                 select (select source from unread_messages
                         where lease_until is null and account_id is not null
                             and source > line_source
                         order by source limit 1)
                 from accounts where line_source is not null
             ), next (next_id) as (
                 select (
                     select w.raw_message_id from unread_messages w
                     where w.lease_until is null and w.account_id is null
                         and w.source = line_source and (not w.asked or w.received_at <= $1)
                     order by w.lease_until, w.raw_message_id limit 1
                 )
                 from everybodys where line_source is not null {not_busy}
                 union all
                 select (
                     select w.raw_message_id from unread_messages w
                     where w.lease_until is null and w.account_id is not null
                         and w.source = line_source and w.account_id = coalesce((
                             select account_id from unread_messages
                             where lease_until is null and account_id is not null
                                 and source = line_source and account_id > (
                                     select passed_account from passed
                                     where passed_source = line_source
                                 )
                             order by account_id limit 1
                         ), (
                             select account_id from unread_messages
                             where lease_until is null and account_id is not null
                                 and source = line_source
                             order by account_id limit 1
                         ))
                     order by w.lease_until, w.raw_message_id limit 1
                 )
                 from accounts where line_source is not null {not_busy}
             )
             select raw_message_id, source, account_id, short and tries = 0 as brings_others
             from next join unread_messages on raw_message_id = next_id"
        ),
        &values,
        |row| {
            Ok(Next {
                id: row.id("raw_message_id")?,
                source: row.get("source")?,
                account: row.optional_id("account_id")?,
                brings_others: row.get("brings_others")?,
            })
        },
    )?;
    let is_known = |one: &Next| {
        let known = others.known_sources;
        known.is_none_or(|known| known.contains(&one.source))
    };
    // Where nobody has had a turn, what has waited the longest comes first.
    let place = |one: &Next| {
        let place = others.turns.map(|all| all.place(&one.source, one.account));
        (place.unwrap_or_default(), one.id)
    };
    let is_wanted = |one: &Next| others.before.is_none_or(|hand| place(one) < hand);
    let found = found.into_iter().filter(is_known);
    let mut next: Vec<Next> = found.filter(is_wanted).collect();
    next.sort_by_key(place);
    Ok(next)
}

/// Leases a message, and those it brings along. How often each was tried, this time included, and how many of these the
/// store ended.
fn take(
    tx: &mut Tx,
    next: &Next,
    lease_until: Timestamp,
) -> Result<BTreeMap<RawMessageId, (u32, u32)>, Error> {
    let wanted = if next.brings_others {
        together(tx, next)?
    } else {
        vec![next.id]
    };
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids = padded(wanted.iter().map(|id| Value::from(*id)).collect());
    let places = placeholders(2, ids.len());
    let values: Vec<Value<'_>> = std::iter::once(lease_until.into()).chain(ids).collect();
    let taken = tx.returning(
        &format!(
            "with taken as materialized (
                 select raw_message_id as taken_id from unread_messages
                 where lease_until is null and raw_message_id in ({places})
                 /*pg for update skip locked*/
             )
             update unread_messages set lease_until = $1, tries = tries + 1
             from taken where raw_message_id = taken_id
             returning raw_message_id, tries, overruns"
        ),
        &values,
        |row| {
            let counts = (row.count("tries")?, row.count("overruns")?);
            Ok((row.id("raw_message_id")?, counts))
        },
    )?;
    Ok(taken.into_iter().collect())
}

/// The first of a line, as far as they can be read together: up to one that comes alone. Answers to questions stand in no line. What
/// another node holds at this moment is among them: [`take`] leaves it, and nothing behind it is taken instead.
fn together(tx: &mut Tx, next: &Next) -> Result<Vec<RawMessageId>, Error> {
    let mut values = vec![Value::from(&next.source), TOGETHER_MAX.into()];
    let of_account = match next.account {
        None => "account_id is null",
        Some(account) => {
            values.push(account.into());
            "account_id is not null and account_id = $3"
        }
    };
    let line = tx.query(
        &format!(
            "select raw_message_id, short and tries = 0 as brings_others from unread_messages
             where lease_until is null and source = $1 and {of_account} and not asked
             order by lease_until, raw_message_id limit $2"
        ),
        &values,
        |row| Ok((row.id("raw_message_id")?, row.get::<bool>("brings_others")?)),
    )?;
    let first = line.into_iter().take_while(|(_, brings)| *brings);
    Ok(first.map(|(id, _)| id).collect())
}

/// The messages themselves, oldest first. Read by themselves: what an update returns is held once more on its way, and a
/// body may be long.
fn read_claimed(
    tx: &mut Tx,
    taken: &BTreeMap<RawMessageId, (u32, u32)>,
) -> Result<Vec<Claimed>, Error> {
    let ids: Vec<RawMessageId> = taken.keys().copied().collect();
    let mut claimed = Vec::with_capacity(ids.len());
    for chunk in chunks(&ids) {
        let places = placeholders(1, chunk.len());
        let told = tx.query(
            &format!("select {COLUMNS} from raw_messages where id in ({places}) order by id"),
            &chunk,
            read,
        )?;
        for one in told {
            let message = one.whole(tx)?;
            let (tries, overruns) = taken.get(&message.id).copied().unwrap_or_default();
            claimed.push(Claimed {
                message,
                tries,
                overruns,
            });
        }
    }
    Ok(claimed)
}
