//! Files in which [snapshots](super::snapshot) stood.
//!
//! A file is the same one again by its bytes and the time when it was written: put back from where it was moved to, or met
//! by another node before it was moved, it is no news, whatever was read since. One with the same bytes that was written at
//! another time is another file, also where both waited in one folder.
//!
//! The same bytes may have been read a thousand times, and who asks has the writer: so files are found by a key, and messages
//! are gone through for the first file with their bytes only.

use domain::ids::RawMessageId;
use domain::moment::whole_microseconds;
use jiff::Timestamp;

use super::RawMessage;
use super::snapshot::kin;
use crate::{Error, Tx};

/// The file itself.
const FILE: &str = "select raw_message_id from snapshot_files
     where source = $1 and whose = $2 and digest = $3 and written_at = $4";
/// Any file with these bytes.
const FILES: &str = "select raw_message_id from snapshot_files
     where source = $1 and whose = $2 and digest = $3 limit 1";
/// These bytes, however they came, at that time or later.
const CAME: &str = "select id from raw_messages
     where source = $1 and digest = $2 and question = '' and account_id is not distinct from $3
         and received_at >= $4
     limit 1";

/// The snapshots that are news among those that are received together, each with the time when its file was written.
#[derive(Default)]
pub(super) struct Files<'m> {
    fresh: Vec<(&'m RawMessage, Option<Timestamp>)>,
}

impl<'m> Files<'m> {
    /// The message in which this file was read before. Of bytes that came otherwise, or were kept before there was a note of
    /// files, it is not known: there, one that was written before they came counts as read.
    pub(super) fn read_before(
        &self,
        tx: &mut Tx,
        message: &RawMessage,
        written_at: Timestamp,
    ) -> Result<Option<RawMessageId>, Error> {
        let written_at = whole_microseconds(written_at);
        let together: Vec<_> = self.same(message).collect();
        let file = together.iter().find(|(_, at)| *at == Some(written_at));
        if let Some((same, _)) = file {
            return Ok(Some(same.id));
        }
        let whose = kin(message).1;
        let (source, digest) = ((&message.source).into(), (&message.digest).into());
        let bytes = [source, (&whose).into(), digest];
        let [source, whose, digest] = bytes;
        let values = [source, whose, digest, written_at.into()];
        let file = tx.query_one(FILE, &values, |row| row.id("raw_message_id"))?;
        if file.is_some() {
            return Ok(file);
        }
        let is_file = |row: &crate::db::Row<'_>| row.id::<RawMessageId>("raw_message_id");
        let are_noted = together.iter().any(|(_, at)| at.is_some());
        if are_noted || tx.query_one(FILES, &bytes, is_file)?.is_some() {
            return Ok(None);
        }
        let came = together
            .iter()
            .find(|(same, _)| written_at <= same.received_at);
        if let Some((same, _)) = came {
            return Ok(Some(same.id));
        }
        let values = [source, digest, message.account.into(), written_at.into()];
        tx.query_one(CAME, &values, |row| row.id("id"))
    }

    fn same(
        &self,
        message: &RawMessage,
    ) -> impl Iterator<Item = &(&'m RawMessage, Option<Timestamp>)> {
        self.fresh.iter().filter(|(other, _)| {
            let of_both = |one: &RawMessage| (one.account, one.digest);
            other.source == message.source && of_both(other) == of_both(message)
        })
    }

    /// This one is read now; `written_at` if it stood in a file.
    pub(super) fn note(&mut self, message: &'m RawMessage, written_at: Option<Timestamp>) {
        self.fresh
            .push((message, written_at.map(whole_microseconds)));
    }

    /// Writes down what was noted. The messages are stored.
    pub(super) fn keep(&self, tx: &mut Tx) -> Result<(), Error> {
        for (message, written_at) in &self.fresh {
            let Some(written_at) = *written_at else {
                continue;
            };
            let (source, whose) = kin(message);
            tx.execute(
                "insert into snapshot_files (source, whose, digest, written_at, raw_message_id)
                 values ($1, $2, $3, $4, $5) on conflict do nothing",
                &[
                    (&source).into(),
                    (&whose).into(),
                    (&message.digest).into(),
                    written_at.into(),
                    message.id.into(),
                ],
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Value;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn a_file_is_looked_up_by_its_bytes_and_when_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        for (sql, values, by) in [
            (
                FILE,
                4,
                "(source=? AND whose=? AND digest=? AND written_at=?)",
            ),
            (FILES, 3, "(source=? AND whose=? AND digest=?)"),
            (CAME, 4, "(digest=? AND source=?)"),
        ] {
            let plan = store.read(move |tx| {
                let values = vec![Value::Null; values];
                let sql = format!("explain query plan {sql}");
                tx.query(&sql, &values, |row| row.get::<String>("detail"))
            });
            let steps = plan.await.unwrap();
            let looked_up = steps.iter().all(|step| step.starts_with("SEARCH"));
            assert!(looked_up && steps[0].ends_with(by), "{steps:?}");
        }
    }
}
