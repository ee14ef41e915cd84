//! The store.

use super::{Key, OpenError, Settings, Tx};
use crate::Error;

/// An open database. Clones share it.
#[derive(Clone, Debug)]
pub struct Store {}

impl Store {
    /// Opens, checks and migrates the database. Blocks.
    pub fn open(settings: &Settings) -> Result<Self, OpenError> {
        let _ = settings;
        Err(OpenError::Unreachable("not built yet".into()))
    }

    /// Runs a use case in a transaction and answers after its commit is durable.
    ///
    /// The use case may run twice, and it is committed even when the caller has gone.
    pub async fn write<T, E, F>(&self, key: Key, use_case: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        let _ = (key, use_case);
        Err(Error::Unavailable("not built yet".into()).into())
    }

    /// Runs a query on one snapshot; writes are refused.
    pub async fn read<T, E, F>(&self, query: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        let _ = query;
        Err(Error::Unavailable("not built yet".into()).into())
    }
}
