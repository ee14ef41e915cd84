//! Bills of lading and bookings.

pub(crate) mod get;
pub(crate) mod list;
