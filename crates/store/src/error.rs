//! What can go wrong between a use case and its database.

/// Why a statement or a transaction did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No connection, or no room left on the disk; nothing was changed. Try later.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The queue for this kind of work is full; nothing was changed. Try later.
    #[error("too much work is waiting for the database ({waiting} use cases)")]
    Busy {
        /// How many wait.
        waiting: usize,
    },
    /// The connection was lost between COMMIT and its answer: the change stands or it does not.
    #[error("the connection was lost during commit; the outcome is unknown")]
    UnknownOutcome,
    /// A unique constraint or a foreign key refused the row.
    #[error("the row conflicts with {constraint}")]
    Conflict {
        /// The constraint or its columns, as the engine names it.
        constraint: String,
    },
    /// The statement took longer than it may, or waited too long for a lock.
    #[error("the statement took too long")]
    TimedOut,
    /// Lost against another transaction again and again.
    #[error("lost against concurrent transactions {tries} times")]
    Contended {
        /// How often it was tried.
        tries: u32,
    },
    /// The engine refused the statement: a fault of ours.
    #[error("the statement was refused: {0}")]
    Refused(String),
    /// An earlier statement of this transaction failed, so this one was not tried.
    #[error("an earlier statement of this transaction failed")]
    Poisoned,
    /// A write in a transaction that only reads.
    #[error("a write was tried in a reading transaction")]
    ReadOnly,
    /// The request was made before, under the same name; nothing was changed.
    #[error("the request was made before")]
    Repeated,
    /// A column holds what it must not.
    #[error("column {column} holds {found}")]
    Unreadable {
        /// Its name.
        column: String,
        /// What was found, shortened.
        found: String,
    },
    /// The use case panicked; what it did was rolled back.
    #[error("the use case panicked: {0}")]
    Panicked(String),
}

impl Error {
    /// Whether the store is out of reach, for whatever is asked of it: to try something else is of no use.
    pub fn is_away(&self) -> bool {
        matches!(
            self,
            Self::Unavailable(_) | Self::Busy { .. } | Self::UnknownOutcome
        )
    }

    /// Whether it passes: the same use case may well succeed later.
    pub fn passes(&self) -> bool {
        match self {
            Self::Unavailable(_)
            | Self::Busy { .. }
            | Self::UnknownOutcome
            | Self::TimedOut
            | Self::Contended { .. } => true,
            Self::Conflict { .. }
            | Self::Refused(_)
            | Self::Poisoned
            | Self::ReadOnly
            | Self::Repeated
            | Self::Unreadable { .. }
            | Self::Panicked(_) => false,
        }
    }
}
