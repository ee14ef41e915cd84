//! How many bytes of messages on their way in are held at once.
//!
//! A message may have megabytes, and there is no limit of calls for those who send them. So what has come of all of them
//! counts against one room, byte by byte as it comes: a length that is only announced takes nothing from others. Who has
//! shown a key or a secret has a room of its own, for what proves itself by its body only can be anybody's.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::Failure;

/// Room is given in such steps. Each connection that may be open can have one of them, and the room is not full.
const STEP_BYTES: usize = 4 * 1024;

/// The two rooms.
pub(crate) struct UploadRooms {
    known: Arc<Semaphore>,
    unknown: Arc<Semaphore>,
}

impl UploadRooms {
    /// Each holds so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let room = || Arc::new(Semaphore::new(bytes_max / STEP_BYTES));
        Self {
            known: room(),
            unknown: room(),
        }
    }

    /// A place for the body of a sender who has shown who it is, or will show it by the body.
    pub(crate) fn place(&self, is_known: bool) -> Place {
        let room = if is_known { &self.known } else { &self.unknown };
        Place {
            room: Arc::clone(room),
            taken: None,
            bytes: 0,
        }
    }
}

/// What one body takes, until it is dropped.
pub(crate) struct Place {
    room: Arc<Semaphore>,
    taken: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl Place {
    /// Makes it this large, or says that there is no room for it now.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Failure> {
        while self.bytes < bytes {
            let step = Arc::clone(&self.room).try_acquire_owned();
            let step = step.map_err(|_| Failure::UploadsFull)?;
            match &mut self.taken {
                Some(taken) => taken.merge(step),
                None => self.taken = Some(step),
            }
            self.bytes += STEP_BYTES;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_given_in_steps_and_comes_back() {
        let rooms = UploadRooms::new(4 * STEP_BYTES);
        let (mut first, mut second) = (rooms.place(false), rooms.place(false));
        first.grow(3 * STEP_BYTES).unwrap();
        second.grow(1).unwrap();
        second.grow(STEP_BYTES).unwrap();
        assert!(second.grow(STEP_BYTES + 1).is_err(), "it is full");
        assert!(rooms.place(true).grow(4 * STEP_BYTES).is_ok());
        drop(first);
        second.grow(4 * STEP_BYTES).unwrap();
        drop(second);
        assert!(rooms.place(false).grow(4 * STEP_BYTES).is_ok());
    }
}
