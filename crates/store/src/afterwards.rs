//! What a transaction writes with its last statements: lengths of lists, terms to be found by, and rows of the audit.
//!
//! Use cases of one commit say what follows from them; it is written once for all of them, right before the
//! commit, and it is gone with the use case that fails.

use crate::audit::Notes;
use crate::tally::Tally;
use crate::terms::Changes;
use crate::{Error, Tx};

/// What is yet to be written.
#[derive(Debug, Default)]
pub(crate) struct Afterwards {
    pub(crate) tally: Tally,
    pub(crate) terms: Changes,
    pub(crate) audit: Notes,
}

impl Afterwards {
    /// The use case that ran is to be committed.
    pub(crate) fn keep(&mut self) {
        self.tally.keep();
        self.terms.keep();
        self.audit.keep();
    }

    /// The use case that ran is not.
    pub(crate) fn forget(&mut self) {
        self.tally.forget();
        self.terms.forget();
        self.audit.forget();
    }

    /// Writes it. Tallies come last: whoever waits for one holds up nobody. Nearly every transaction has some and hardly
    /// any has a row for the audit, so nobody waits for a tally behind somebody who waits for a chain.
    pub(crate) fn write(self, tx: &mut Tx, shard: i64) -> Result<(), Error> {
        self.terms.write(tx)?;
        self.audit.write(tx)?;
        self.tally.write(tx, shard)
    }
}
