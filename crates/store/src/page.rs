//! Pages of lists.

use jiff::Timestamp;
use uuid::Uuid;

/// Which part of a list: rows before it and rows in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Rows to leave out.
    pub offset: u64,
    /// Rows at most.
    pub limit: u32,
}

/// Part of a list, and how long the whole is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows of the slice.
    pub rows: Vec<T>,
    /// Rows of the whole list.
    pub total: u64,
}

/// A resource as the API serves it: rendered when it changed, copied when it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: Uuid,
    /// The resource object as JSON text.
    pub document: String,
    /// When it last changed.
    pub updated_at: Timestamp,
}
