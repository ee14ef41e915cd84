//! What migrations leave to the start: to read what is packed, which their SQL cannot.
//!
//! It is done in small transactions before the store opens. Who is killed meanwhile has lost nothing: the next start goes on.

use super::postgres::{Commit, Connection};
use super::{OpenError, Tx};
use crate::Error;
use crate::container::unnoted;

/// Works all of it off. Refused where it was not `allowed` and something is left: the store is not yet what this program serves.
pub(super) fn work_off(tx: &mut Tx, allowed: bool) -> Result<(), OpenError> {
    if !allowed {
        let left = unnoted::any(tx).map_err(failed)?;
        return if left {
            {
                let known = super::start::newest_schema();
                Err(OpenError::NotMigrated {
                    found: known,
                    known,
                })
            }
        } else {
            Ok(())
        };
    }
    let mut count = 0;
    while let Some(looked_at) = committed(tx, unnoted::step).map_err(failed)? {
        count += looked_at;
    }
    if count > 0 {
        tracing::info!(
            count,
            "containers were looked at: lists know by what they are held and what they owe"
        );
    }
    Ok(())
}

fn committed<T>(tx: &mut Tx, step: impl FnOnce(&mut Tx) -> Result<T, Error>) -> Result<T, Error> {
    tx.fresh();
    match tx.sqlite() {
        Some(connection) => connection.word("begin immediate")?,
        None => words(tx, "begin")?,
    }
    // What fails goes with the connection.
    let done = step(tx)?;
    match tx.sqlite() {
        Some(connection) => connection.word("commit")?,
        None => commit(tx)?,
    }
    Ok(done)
}

fn words(tx: &mut Tx, words: &str) -> Result<(), Error> {
    tx.postgres()
        .map_or(Ok(()), |connection| connection.words(words))
}

fn commit(tx: &mut Tx) -> Result<(), Error> {
    match tx.postgres().map(Connection::commit) {
        Some(Commit::Done) | None => Ok(()),
        Some(Commit::Failed(error)) => Err(error),
        Some(Commit::Unknown) => Err(Error::Unavailable("the connection was lost".into())),
    }
}

fn failed(error: Error) -> OpenError {
    match error {
        Error::Unavailable(why) => OpenError::Unreachable(why),
        error => OpenError::Migration(error.to_string()),
    }
}
