//! Whether this program can work with the store, and whether anything can be written: one small row, written anew by who asks. What writes nothing is committed on a full disk too.

use jiff::Timestamp;

use crate::db::newest_schema;
use crate::{Error, Tx};

/// Writes the row; its commit is the answer.
pub fn touch(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    tx.execute(
        "insert into readiness (id, touched_at) values (1, $1)
         on conflict (id) do update set touched_at = excluded.touched_at",
        &[now.into()],
    )?;
    Ok(())
}

/// Whether no newer program has brought the store to a schema that this one does not know.
pub fn schema_fits(tx: &mut Tx) -> Result<bool, Error> {
    let question =
        "select cast(coalesce(max(version), 0) as bigint) as newest from refinery_schema_history";
    let newest: Option<i64> = tx.query_one(question, &[], |row| row.get("newest"))?;
    Ok(newest.is_some_and(|newest| newest <= newest_schema()))
}
