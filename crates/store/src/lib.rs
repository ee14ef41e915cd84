//! All SQL, and the only crate that knows a database.

pub mod account;
pub mod api_key;
pub mod container;
mod db;
pub mod delivery;
mod error;
pub mod event;
pub mod notification;
mod page;
pub mod raw_message;
pub mod report;
pub mod shipment;
pub mod tracking_request;
pub mod watch;
pub mod webhook;

pub use db::{AccountTx, Database, Key, OpenError, Settings, Store, Tx};
pub use error::Error;
pub use page::{Listed, Page, Slice};

pub(crate) fn stub<T>() -> Result<T, Error> {
    Err(Error::Unavailable("not built yet".into()))
}
