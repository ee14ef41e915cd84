//! The seam: the only module that knows which engine runs.

mod key;
mod settings;
mod store;
mod tx;

pub use key::Key;
pub use settings::{Database, OpenError, Settings};
pub use store::Store;
pub use tx::{AccountTx, Tx};
