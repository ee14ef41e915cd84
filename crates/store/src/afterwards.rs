//! What a transaction writes with its last statements: lengths of lists, and terms to be found by.
//!
//! Use cases of one commit say what follows from them; it is written once for all of them, right before the
//! commit, and it is gone with the use case that fails.

use crate::tally::Tally;
use crate::terms::Changes;
use crate::{Error, Tx};

/// What is yet to be written.
#[derive(Debug, Default)]
pub(crate) struct Afterwards {
    pub(crate) tally: Tally,
    pub(crate) terms: Changes,
}

impl Afterwards {
    /// The use case that ran is to be committed.
    pub(crate) fn keep(&mut self) {
        self.tally.keep();
        self.terms.keep();
    }

    /// The use case that ran is not.
    pub(crate) fn forget(&mut self) {
        self.tally.forget();
        self.terms.forget();
    }

    /// Writes it. Tallies come last: whoever waits for one holds up nobody.
    pub(crate) fn write(self, tx: &mut Tx, shard: i64) -> Result<(), Error> {
        self.terms.write(tx)?;
        self.tally.write(tx, shard)
    }
}
