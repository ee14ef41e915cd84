//! When messages of a source last came by themselves. Noted in memory and written with the housekeeping: a push must
//! not wait for the row of its source.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use store::Key;

use crate::Tracking;

/// What was heard and is not written yet.
#[derive(Debug, Default)]
pub(crate) struct Heard(Mutex<BTreeMap<String, Timestamp>>);

impl Heard {
    /// A message of this source came.
    pub(crate) fn note(&self, source: &str, at: Timestamp) {
        let mut heard = self.lock();
        match heard.get_mut(source) {
            Some(last) => *last = at.max(*last),
            None => {
                heard.insert(source.to_owned(), at);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what was heard. What cannot be written is lost: it is a time to be shown, and the next message brings one.
pub(crate) async fn write(tracking: &Tracking) -> Result<(), store::Error> {
    let heard = std::mem::take(&mut *tracking.heard().lock());
    if heard.is_empty() {
        return Ok(());
    }
    let writing = tracking
        .store()
        .write(Key::sightings(), move |tx| store::source::heard(tx, &heard));
    writing.await
}
