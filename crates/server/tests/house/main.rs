//! The house keeps its own rules: they are compared with the workspace as it is.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a workspace that cannot be read is a failed test"
)]

mod floors;
mod rules;
mod workspace;
