//! A walk along a chain, row by row, that finds the first place where it does not hold.

use super::chain::{Head, Link};

/// Where a chain does not hold, and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// What a row says is not what was hashed.
    #[error("row {0} was altered")]
    Altered(i64),
    /// A row is whole in itself, or not, but holds another hash than that of the row before it.
    #[error(
        "row {0} does not follow the row before it: rows are out of order, or the one before was written anew"
    )]
    OutOfOrder(i64),
    /// Rows are not there.
    #[error("rows {from} to {until} are missing")]
    Missing {
        /// The first.
        from: i64,
        /// The last.
        until: i64,
    },
    /// A row holds something that nobody writes there.
    #[error("row {position} cannot be read: its {column} is damaged")]
    Unreadable {
        /// Its place.
        position: i64,
        /// What of it.
        column: String,
    },
    /// There are rows behind the last one that the head knows.
    #[error(
        "rows {from} to {until} are not known to the head: they were added, or the head was set back"
    )]
    Unknown {
        /// The first.
        from: i64,
        /// The last.
        until: i64,
    },
    /// The head has another hash than the last row.
    #[error("the last row, {0}, is not the one that the head knows")]
    Replaced(i64),
    /// A row is another than the one of which the hash was kept elsewhere.
    #[error("row {0} is not the one whose hash was kept: the chain was written anew")]
    Rewritten(i64),
    /// There is no head.
    #[error("the head is missing, so nobody knows whether rows are missing at the end")]
    Headless,
}

/// A walk along one chain.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    stands: Head,
    kept: Option<Head>,
}

impl Walk {
    /// Before the first row. `kept` is an earlier head of the chain, as somebody kept it elsewhere.
    pub fn begin(kept: Option<Head>) -> Self {
        Self {
            stands: Head::START,
            kept,
        }
    }

    /// The last row that was passed.
    pub fn stands(&self) -> Head {
        self.stands
    }

    /// Passes the next row there is, when it follows from the last.
    pub fn pass(&mut self, link: &Link) -> Result<(), Broken> {
        let expected = self.stands.position.saturating_add(1);
        if link.position > expected {
            return Err(Broken::Missing {
                from: expected,
                until: link.position.saturating_sub(1),
            });
        }
        if link.position < expected || link.previous != self.stands.hash {
            return Err(Broken::OutOfOrder(link.position));
        }
        if link.hash != link.digest() {
            return Err(Broken::Altered(link.position));
        }
        let other = |kept: &Head| kept.position == link.position && kept.hash != link.hash;
        if self.kept.as_ref().is_some_and(other) {
            return Err(Broken::Rewritten(link.position));
        }
        self.stands = link.head();
        Ok(())
    }

    /// All rows are passed: the head must know the last of them.
    pub fn end(&self, head: Option<Head>) -> Result<(), Broken> {
        let stands = self.stands;
        let known = [head, self.kept].into_iter().flatten();
        let until = known.map(|head| head.position).max().unwrap_or(0);
        if until > stands.position {
            return Err(Broken::Missing {
                from: stands.position.saturating_add(1),
                until,
            });
        }
        let Some(head) = head else {
            return match stands.position {
                0 => Ok(()),
                _ => Err(Broken::Headless),
            };
        };
        if head.position < stands.position {
            return Err(Broken::Unknown {
                from: head.position.saturating_add(1),
                until: stands.position,
            });
        }
        if head.hash != stands.hash {
            return Err(Broken::Replaced(stands.position));
        }
        Ok(())
    }
}
