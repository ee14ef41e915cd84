//! Bodies: a short one stands in the row of its message, a long one beside it, in pieces.
//!
//! The row is written anew when its message is said again or put aside, and an engine holds a value several times over on
//! its way in and out: a file of ten megabytes in its row was held four times. In pieces it is written once, and of what is
//! under way only a few pieces are held.

use domain::ids::RawMessageId;

use super::{RawMessage, TOGETHER_BYTES_MAX};
use crate::db::{Row, Value, unreadable};
use crate::{Error, Tx};

/// Longest body that stands in the row. The migration that cut what was there before has the same figures.
const IN_ROW_BYTES_MAX: usize = TOGETHER_BYTES_MAX as usize;
/// Length of every piece but the last.
const PIECE_BYTES: usize = 256 * 1024;
/// Pieces read by one statement.
const PIECES_AT_ONCE: i64 = 4;

/// What stands in the row.
pub(super) fn in_row(message: &RawMessage) -> Value<'_> {
    let is_short = message.body.len() <= IN_ROW_BYTES_MAX;
    Value::Bytes(if is_short { &message.body } else { &[] })
}

/// How long the body is, wherever it stands.
pub(super) fn length(message: &RawMessage) -> Value<'static> {
    i64::try_from(message.body.len()).unwrap_or(i64::MAX).into()
}

/// Stores the body of a message whose row is there, unless it stands in it.
pub(super) fn insert_long(tx: &mut Tx, message: &RawMessage) -> Result<(), Error> {
    if message.body.len() <= IN_ROW_BYTES_MAX {
        return Ok(());
    }
    for (position, bytes) in (0_i64..).zip(message.body.chunks(PIECE_BYTES)) {
        tx.execute(
            "insert into long_bodies (raw_message_id, position, bytes) values ($1, $2, $3)",
            &[message.id.into(), position.into(), bytes.into()],
        )?;
    }
    Ok(())
}

/// A message as its row tells it, and how long its body is.
pub(super) struct Told {
    pub(super) message: RawMessage,
    body_bytes: usize,
}

impl Told {
    pub(super) fn new(message: RawMessage, row: &Row<'_>) -> Result<Self, Error> {
        let body_bytes = row.count("body_bytes")? as usize;
        Ok(Self {
            message,
            body_bytes,
        })
    }

    /// With the body that stands beside the row.
    pub(super) fn whole(mut self, tx: &mut Tx) -> Result<RawMessage, Error> {
        let RawMessage { id, body, .. } = &mut self.message;
        body.reserve_exact(self.body_bytes.saturating_sub(body.len()));
        let mut position = 0;
        while body.len() < self.body_bytes {
            let before = body.len();
            read_pieces(tx, *id, position, body)?;
            if body.len() == before {
                let found = format!("{before} of {} bytes of {id}", self.body_bytes);
                return Err(unreadable("long_bodies.bytes", &found));
            }
            position += PIECES_AT_ONCE;
        }
        Ok(self.message)
    }
}

fn read_pieces(
    tx: &mut Tx,
    id: RawMessageId,
    position: i64,
    body: &mut Vec<u8>,
) -> Result<(), Error> {
    tx.query(
        "select bytes from long_bodies
         where raw_message_id = $1 and position >= $2 and position < $3 order by position",
        &[
            id.into(),
            position.into(),
            (position + PIECES_AT_ONCE).into(),
        ],
        |row| {
            body.extend_from_slice(&row.get::<Vec<u8>>("bytes")?);
            Ok(())
        },
    )?;
    Ok(())
}
