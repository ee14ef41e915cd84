//! Seaports and inland points.

pub(crate) mod get;
