//! Asking for a number to be tracked.
//!
//! A request is answered at once and means nothing but "pending": the line is asked in the background. The
//! request holds on to a *watch*, the pair of number and source, which every account that wants the same
//! number shares.

mod create;
mod detect;
mod infer;
mod row;
mod searching;
mod turns;
mod update;
mod writings;

pub(crate) use create::watched;
pub use create::{NewRequest, RequestRefused, create};
pub use infer::inferred;
pub(crate) use row::{find_held, render, store_change};
pub(crate) use searching::{detect_due, run};
pub use update::{RequestPatch, update};
pub use writings::writings;
