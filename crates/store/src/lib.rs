//! All SQL, and the only crate that knows a database.

pub mod account;
pub mod api_key;
pub mod container;
mod db;
pub mod delivery;
mod error;
pub mod event;
mod mirror;
pub mod notification;
mod page;
pub mod raw_message;
pub mod report;
pub mod shipment;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tracking_request;
pub mod vessel;
pub mod watch;
pub mod webhook;

pub use db::{AccountTx, Database, Key, OpenError, Settings, Store, Tx};
pub use error::Error;
pub use page::{Listed, Page, Slice};

