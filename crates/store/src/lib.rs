//! All SQL, and the only crate that knows a database.
//!
//! [`Store`] runs use cases: plain synchronous functions over a [`Tx`], on SQLite or PostgreSQL alike. There is
//! one module for each aggregate with its rows and its functions. Functions on tenants' tables take an
//! [`AccountTx`], which puts the account into every statement; functions on shared tables (watches, raw
//! messages, reports) and those that work for all accounts (claims of deliveries) take the [`Tx`].
//!
//! Use cases may run twice: ids and the time come in as arguments, and nothing but the transaction is touched.
//!
//! A use case is a plain function over [`Tx`], sent to the [`Store`] with the [`Key`] of what it changes; it may
//! run twice and is committed even when its caller has gone. Functions on an account's tables take an
//! [`AccountTx`], so that a statement cannot forget the account.
//!
//! One module for each aggregate holds its rows and its SQL: one text for both engines. Only `db` knows which
//! engine runs, and only `mirror` how states and reports are written down.

pub mod account;
mod afterwards;
pub mod api_key;
pub mod asked;
pub mod audit;
pub mod container;
pub mod custom_field;
pub mod cut_terms;
mod db;
pub mod defective_place;
pub mod delivery;
pub mod disk;
pub mod docket;
pub mod document_schema;
mod error;
pub mod event;
mod fold;
pub mod kept_answer;
pub mod listener;
pub mod main_key;
mod mirror;
pub mod notification;
mod packed;
mod page;
pub mod party;
pub mod plan;
pub mod push_subscription;
pub mod rate_window;
pub mod raw_message;
pub mod readiness;
pub mod recall;
pub mod redelivery;
pub mod replay;
pub mod report;
pub mod search;
pub mod set_back;
pub mod shipment;
pub mod source;
mod tally;
mod terms;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tracking_request;
pub mod unmapped_code;
pub mod vessel;
pub mod watch;
pub mod webhook;

pub use db::backup;
pub use db::{
    AccountTx, Around, Database, Key, OpenError, Scratch, Settings, Store, Tx, make_folder,
    may_write,
};
pub use error::Error;
pub use page::{By, Listed, Order, Page, Range, Slice, Spans};
