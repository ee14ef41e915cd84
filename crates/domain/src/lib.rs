//! What containers, shipments and events are, and the rules that turn claims into one truth.
//!
//! This floor knows no serialisation, no SQL, no HTTP, no async, no wall clock and no randomness.
//! Time and identifiers come in as arguments, so the same input always gives the same output.
//!
//! The way of a fact through this crate:
//!
//! 1. a [`report::Report`] is what one source claims;
//! 2. [`journey`] says which leg of the container's way a report belongs to;
//! 3. [`timeline`] folds *all* reports about a container into one [`container::ContainerState`];
//! 4. [`event::difference`] compares two states: that difference is what the world is told.

pub mod account;
pub mod audit;
pub mod binding;
pub mod codes;
pub mod container;
pub mod custom_field;
pub mod event;
pub mod geography;
pub mod ids;
pub mod infer;
pub mod journey;
pub mod listener;
pub mod moment;
pub mod place;
pub mod provenance;
pub mod rate;
pub mod report;
pub mod route;
pub mod shipment;
pub mod shipping_line;
pub mod source;
pub mod timeline;
pub mod tracking_request;
pub mod trust;
pub mod vessel;
pub mod webhook;
