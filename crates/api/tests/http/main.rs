//! The running service over HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that finds something missing should stop there"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "the rows of the matrix read better without references"
)]

mod audit;
mod client;
mod contract;
mod coverage;
mod custom_fields;
mod customers;
mod docs;
mod document_schemas;
mod events;
mod heads;
mod health;
mod holds_and_fees;
mod house;
mod included;
mod infer_number;
mod keys;
mod limits;
mod listeners;
mod matrix;
mod once;
mod openapi;
mod parties;
mod plans;
mod planted;
mod planted_fields;
mod rail_data;
mod ramps;
mod reading;
mod refresh;
mod refusals;
mod rows;
mod saying_again;
mod search;
mod silence;
mod sources;
mod spellings;
mod terminals;
mod tracking_requests;
mod uploads;
mod vessels;
mod webhook_trials;
mod webhooks;
