//! Files in which [snapshots](super::snapshot) stood.
//!
//! A file is the same one again by its bytes and the time when it was written: put back from where it was moved to, or met
//! by another node before it was moved, it is no news, whatever was read since. One with the same bytes that was written at
//! another time is another file, also where both waited in one folder.

use std::collections::{BTreeMap, BTreeSet};

use domain::ids::RawMessageId;
use domain::moment::whole_microseconds;
use jiff::Timestamp;

use super::RawMessage;
use super::snapshot::{Compared, Kin, Sent, kin};
use crate::{Error, Tx};

/// When the files were written that were read already, by their bytes.
#[derive(Default)]
pub(super) struct Files {
    written: BTreeMap<Bytes, BTreeSet<Timestamp>>,
    fresh: Vec<(RawMessageId, Timestamp)>,
}

/// A source, whose the message is, and its digest.
type Bytes = (Kin, [u8; 32]);

impl Files {
    /// Those with the bytes of these files.
    pub(super) fn of(tx: &mut Tx, sent: &[Sent]) -> Result<Self, Error> {
        let mut files = Self::default();
        for Sent { message, compared } in sent {
            if !matches!(
                compared,
                Compared::WithLast {
                    written_at: Some(_)
                }
            ) {
                continue;
            }
            let written = tx.query(
                "select f.written_at from raw_messages m
                 join snapshot_files f on f.raw_message_id = m.id
                 where m.source = $1 and m.digest = $2 and m.question = ''
                     and m.account_id is not distinct from $3",
                &[
                    (&message.source).into(),
                    (&message.digest).into(),
                    message.account.into(),
                ],
                |row| row.get::<Timestamp>("written_at"),
            )?;
            if !written.is_empty() {
                files
                    .written
                    .insert(bytes(message), written.into_iter().collect());
            }
        }
        Ok(files)
    }

    /// Whether this file was read before. Of bytes that came otherwise, or were kept before there was a note of files, it is
    /// not known: there, one that was written before they came counts as read.
    pub(super) fn were_read(
        &self,
        message: &RawMessage,
        written_at: Timestamp,
        received_at: Timestamp,
    ) -> bool {
        match self.written.get(&bytes(message)) {
            Some(written) => written.contains(&whole_microseconds(written_at)),
            None => written_at <= received_at,
        }
    }

    /// This one is read now.
    pub(super) fn note(&mut self, message: &RawMessage, written_at: Timestamp) {
        let written_at = whole_microseconds(written_at);
        let written = self.written.entry(bytes(message)).or_default();
        written.insert(written_at);
        self.fresh.push((message.id, written_at));
    }

    /// Writes down what was noted. The messages are stored.
    pub(super) fn keep(&self, tx: &mut Tx) -> Result<(), Error> {
        for (id, written_at) in &self.fresh {
            tx.execute(
                "insert into snapshot_files (raw_message_id, written_at) values ($1, $2)",
                &[(*id).into(), (*written_at).into()],
            )?;
        }
        Ok(())
    }
}

fn bytes(message: &RawMessage) -> Bytes {
    (kin(message), message.digest)
}
