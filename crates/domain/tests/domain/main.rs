//! What the domain promises, told from outside.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod ashore;
mod audits;
mod bindings;
mod cancelling;
mod custom_fields;
mod differences;
mod gates;
mod hard_won;
mod inferring;
mod journeys;
mod looks;
mod pickup;
mod properties;
mod provenances;
mod quays;
mod ranks;
mod readings;
mod renaming;
mod request_states;
mod reuse;
mod routes;
mod series;
mod shipments;
mod taken_back;
mod telling;
mod trusted;
mod verdicts;
mod ways;
mod yards;
