//! A seeded world of ships and boxes, and the carrier that tells about it.
//!
//! The world speaks to Quayside only through the doors that real carriers use, and it knows the truth, so a
//! run can be checked to the last event:
//!
//! 1. [`world`] draws vessels, bills and boxes from a seed, and with them every true happening;
//! 2. [`mischief`] turns each happening into the words a carrier publishes about it: late, repeated, wrong
//!    and corrected, in odd spellings;
//! 3. [`speak::dcsa`] serves what is published by now, one paged answer at a time, with the moods of a real
//!    interface;
//! 4. [`receiver`] takes the webhooks and verifies them with code that shares nothing with the sender;
//! 5. [`check`] compares what was delivered with the [`truth`].
//!
//! It must stay an independent witness: of our own crates it knows only the domain's words (codes, event
//! names), never the rules that turn reports into events.

pub mod check;
mod dice;
pub mod feeds;
pub mod mischief;
pub mod receiver;
pub mod speak;
pub mod truth;
pub mod world;

pub use receiver::{Delivery, Receiver};
pub use truth::Truth;
pub use world::{Bill, World, WorldSettings};

/// Where the time comes from: the real clock, or the virtual one of a run.
pub type Clock = std::sync::Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;
