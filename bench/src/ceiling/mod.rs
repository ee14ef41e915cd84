//! Ceilings: for each path the least code that does the same durable work. They know nothing of Quayside and
//! leave out all that makes it a product (accounts, order, retries, signatures of two kinds, guarded
//! addresses, quarantine); what they keep is what no honest rival could leave out.

pub mod bare_page;
pub mod bare_store;
pub mod sender;
pub mod static_body;

use anyhow::{Result, anyhow};

/// Runs synchronous database work where no async runtime is near.
pub fn on_a_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|_| Err(anyhow!("a ceiling panicked")))
}
