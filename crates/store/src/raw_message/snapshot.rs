//! Messages that tell how things stand as of their receipt: each is compared with the last one of its source only.
//!
//! A message that is dated, or tells what happened, is known for good by its bytes. A sheet without a date is not: what it
//! said before something else was said is true again when it comes again. So of each such source it is kept which message
//! was the last; its row is held by who receives the next one.

use std::collections::{BTreeMap, BTreeSet};

use domain::ids::RawMessageId;
use jiff::Timestamp;

use super::RawMessage;
use crate::docket::source_of;
use crate::{Error, Tx};

/// With which earlier messages of its source one that came by itself is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// With all: what was sent at any time before is no news.
    WithAll,
    /// With the last one: what is said again after something else was said is news.
    WithLast {
        /// When the file that it stands in was written. One that was read already, with the same bytes and written then, is
        /// that file again, whatever was read since.
        written_at: Option<Timestamp>,
    },
}

/// A message that came by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The message.
    pub message: RawMessage,
    /// What makes it news.
    pub compared: Compared,
}

impl From<RawMessage> for Sent {
    fn from(message: RawMessage) -> Self {
        Self {
            message,
            compared: Compared::WithAll,
        }
    }
}

/// The last message of each source, and of each account for what it brings itself.
#[derive(Default)]
pub(super) struct Lasts {
    last: BTreeMap<Kin, Last>,
    changed: BTreeSet<Kin>,
}

/// A source, and whose the messages are.
pub(super) type Kin = (String, String);

struct Last {
    id: RawMessageId,
    digest: [u8; 32],
}

impl Lasts {
    /// Those that these messages are compared with, held in one order for all.
    pub(super) fn of(tx: &mut Tx, sent: &[Sent]) -> Result<Self, Error> {
        let compared = sent
            .iter()
            .filter(|sent| sent.compared != Compared::WithAll);
        let kins: BTreeSet<Kin> = compared.map(|sent| kin(&sent.message)).collect();
        let mut lasts = Self::default();
        for kin in kins {
            let found = tx.locking(
                "select raw_message_id, digest from last_snapshots
                 where source = $1 and whose = $2 /*pg for update*/",
                &[(&kin.0).into(), (&kin.1).into()],
                |row| {
                    Ok(Last {
                        id: row.id("raw_message_id")?,
                        digest: row.digest("digest")?,
                    })
                },
            )?;
            lasts
                .last
                .extend(found.into_iter().map(|last| (kin.clone(), last)));
        }
        Ok(lasts)
    }

    /// The last message, where it said the same.
    pub(super) fn same(&self, message: &RawMessage) -> Option<RawMessageId> {
        let last = self.last.get(&kin(message));
        last.filter(|last| last.digest == message.digest)
            .map(|last| last.id)
    }

    /// This one is the last from now on.
    pub(super) fn note(&mut self, message: &RawMessage) {
        let (id, digest) = (message.id, message.digest);
        self.last.insert(kin(message), Last { id, digest });
        self.changed.insert(kin(message));
    }

    /// Writes down what has changed. The messages are stored.
    pub(super) fn keep(&self, tx: &mut Tx) -> Result<(), Error> {
        for kin in &self.changed {
            let Some(last) = self.last.get(kin) else {
                continue;
            };
            tx.execute(
                "insert into last_snapshots (source, whose, raw_message_id, digest)
                 values ($1, $2, $3, $4)
                 on conflict (source, whose) do update
                     set raw_message_id = excluded.raw_message_id, digest = excluded.digest",
                &[
                    (&kin.0).into(),
                    (&kin.1).into(),
                    last.id.into(),
                    (&last.digest).into(),
                ],
            )?;
        }
        Ok(())
    }
}

pub(super) fn kin(message: &RawMessage) -> Kin {
    (message.source.clone(), source_of(message.account))
}
