//! Sources that are configured while the service runs.
//!
//! Everybody borrows a source for as long as the service lives, so none is ever replaced or taken out: that needs a
//! start. A new one gets a place of its own, of which there are a few.

use std::sync::OnceLock;

use super::Source;

/// Sources that may be added between two starts.
const LATER_MAX: usize = 64;

/// The places of sources that came later, taken in order.
pub(crate) struct Later([OnceLock<Source>; LATER_MAX]);

impl Default for Later {
    fn default() -> Self {
        Self(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl Later {
    /// Gives it a place; `false`: there is none left.
    pub(crate) fn add(&self, source: Source) -> bool {
        let left = self.0.iter().try_fold(source, |source, place| {
            // Given back where the place is taken.
            place.set(source).err().ok_or(())
        });
        left.is_err()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Source> {
        self.0.iter().map_while(OnceLock::get)
    }
}
