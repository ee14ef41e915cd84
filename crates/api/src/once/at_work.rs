//! Which named requests this node is at work on.
//!
//! What a request writes is done once by its transaction, wherever it runs. What goes out of the house cannot be taken back by
//! one: a test send under one name, asked for five times at once, would go out five times. So of the equal requests of one
//! node only one is at work, and the others come when it is done.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::AccountId;
use store::kept_answer::Asked;

type Name = (AccountId, Asked);

/// The names at work. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct AtWork {
    names: Arc<Mutex<HashSet<Name>>>,
}

/// That a name is at work, until this goes.
pub(crate) struct Turn {
    names: Arc<Mutex<HashSet<Name>>>,
    name: Name,
}

impl AtWork {
    /// The turn of a request; `None` while an equal one has it.
    pub(crate) fn turn(&self, account: AccountId, asked: &Asked) -> Option<Turn> {
        let name = (account, asked.clone());
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name.clone()).then(|| Turn {
            names: Arc::clone(&self.names),
            name,
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.remove(&self.name);
    }
}
