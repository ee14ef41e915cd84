//! The world is what it promises to be: without that no run against it proves anything.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "in a test a missing value is the failure"
)]

mod asking;
mod carrier;
mod checking;
mod receiving;
mod worlds;
