//! Ocean carriers: one module per protocol they speak.

pub mod dcsa;
