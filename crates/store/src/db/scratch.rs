//! A corner of a PostgreSQL database that is gone afterwards.
//!
//! What runs for show needs a store of its own and should leave a named database as it found it, however often
//! it is run. So it gets a schema of its own, which its address names and which goes when it is dropped.

use std::thread;

use super::OpenError;
use super::postgres::Connector;

/// A schema of its own. Drop it after the store that lives in it.
#[derive(Debug)]
pub struct Scratch {
    name: String,
    url: String,
    connector: Connector,
}

impl Scratch {
    /// Makes the schema `name`, small letters, digits and `_`, in the database at `url`.
    pub fn create(url: &str, name: &str) -> Result<Self, OpenError> {
        let scratch = Self {
            name: name.to_owned(),
            url: with_schema(url, name),
            connector: Connector::new(url, 1)?,
        };
        scratch.administer(&format!("create schema \"{name}\""))?;
        Ok(scratch)
    }

    /// The database's address, with everything in the schema.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The driver must not be used where async code runs.
    fn administer(&self, statement: &str) -> Result<(), OpenError> {
        let run = || {
            self.connector
                .bare()?
                .batch_execute(statement)
                .map_err(crate::Error::from)
        };
        let done = thread::scope(|scope| scope.spawn(run).join());
        let done = done.unwrap_or_else(|_| Err(crate::Error::Unavailable("it panicked".into())));
        done.map_err(|error| OpenError::Unreachable(error.to_string()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let gone = self.administer(&format!("drop schema if exists \"{}\" cascade", self.name));
        if let Err(error) = gone {
            tracing::warn!(%error, schema = self.name, "a schema of ours could not be removed");
        }
    }
}

fn with_schema(url: &str, name: &str) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}options=-csearch_path%3D{name}")
}
