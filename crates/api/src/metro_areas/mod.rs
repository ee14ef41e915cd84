//! Inland metropolitan areas.

pub(crate) mod get;
