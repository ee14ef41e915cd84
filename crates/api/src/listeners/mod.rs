//! Webhooks whose deliveries are fetched instead of sent: open one, take what is due, settle it.

pub(crate) mod open;
pub(crate) mod settle;
pub(crate) mod take;
