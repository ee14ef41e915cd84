//! Marine terminals and rail ramps.

pub(crate) mod get;
