//! The seam: the only module that knows which engine runs.

mod group;
mod job;
mod key;
mod lane;
mod postgres;
mod queue;
mod row;
mod settings;
mod sqlite;
mod start;
mod store;
mod text;
mod tx;
mod value;

pub use key::Key;
pub(crate) use row::{Row, unreadable};
pub use settings::{Database, OpenError, Settings};
pub use store::Store;
pub(crate) use text::{padded, pieces, placeholders, rows_of_values};
pub use tx::{AccountTx, Tx};
pub(crate) use value::Value;
