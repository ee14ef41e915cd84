//! Ocean carriers.

pub(crate) mod get;
pub(crate) mod list;
