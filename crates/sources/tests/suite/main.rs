//! What this crate promises, in one binary.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, which is what it is for"
)]

mod address;
mod ais;
mod asker;
mod availability;
mod damage;
mod edi_drop;
mod entries;
mod facilities;
mod fuzz;
mod headings;
mod inland;
mod inland_fuzz;
mod kept;
mod lists;
mod looks;
mod mappings;
mod messages;
mod nameless;
mod numbers;
mod outbound;
mod parser;
mod parts;
mod plain;
mod profile;
mod proxied;
mod published;
mod puller;
mod receiver;
mod records;
mod registry;
mod released;
mod sheets;
mod stations;
mod subscriptions;
mod times;
mod told;
mod urls;
