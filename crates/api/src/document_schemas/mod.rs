//! What documents of a type hold.

pub(crate) mod get;
