//! The interfaces through which the world can be asked.

pub mod dcsa;
