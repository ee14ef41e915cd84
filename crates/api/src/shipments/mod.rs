//! Bills of lading and bookings.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod resume_tracking;
pub(crate) mod stop_tracking;
pub(crate) mod update;
