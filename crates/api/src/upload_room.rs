//! How many bytes of messages on their way in are held at once.
//!
//! A message may have megabytes, and there is no limit of calls for those who send them. So what has come of all of them
//! counts against one room, byte by byte as it comes: a length that is only announced takes nothing from others. Who has
//! shown a key or a secret has a room of its own, for what proves itself by its body only can be anybody's.
//!
//! A sender has a quarter of its room at most, and as much as the longest message needs: four connections that stop before their last
//! byte would fill it else, and keep everybody out for as long as an upload may take.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::AccountId;
use tracking::intake::MESSAGE_BYTES_MAX;

use crate::failure::Failure;

/// Room is given in such steps. Each connection that may be open can have one of them, and the room is not full.
const STEP_BYTES: usize = 4 * 1024;

/// Who sends a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sender {
    /// Who holds a key of it.
    Account(AccountId),
    /// Who has shown its secret.
    Source(String),
    /// Somebody from this address, or network, who will have to prove himself by the body.
    Somebody(IpAddr),
}

impl Sender {
    fn is_known(&self) -> bool {
        !matches!(self, Self::Somebody(_))
    }
}

/// The two rooms.
pub(crate) struct UploadRooms {
    known: Arc<Room>,
    unknown: Arc<Room>,
}

/// How many steps are given, together and by sender.
struct Room {
    steps_max: usize,
    share_max: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    steps: usize,
    by_sender: HashMap<Sender, usize>,
}

impl UploadRooms {
    /// Each holds so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self::with_shares(bytes_max, (bytes_max / 4).max(MESSAGE_BYTES_MAX))
    }

    fn with_shares(bytes_max: usize, share_bytes_max: usize) -> Self {
        let room = || {
            Arc::new(Room {
                steps_max: bytes_max / STEP_BYTES,
                share_max: share_bytes_max.div_ceil(STEP_BYTES),
                taken: Mutex::default(),
            })
        };
        Self {
            known: room(),
            unknown: room(),
        }
    }

    /// A place for the body of this sender.
    pub(crate) fn place(&self, sender: Sender) -> Place {
        let room = if sender.is_known() {
            &self.known
        } else {
            &self.unknown
        };
        Place {
            room: Arc::clone(room),
            sender,
            steps: 0,
        }
    }
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one body takes, until it is dropped.
pub(crate) struct Place {
    room: Arc<Room>,
    sender: Sender,
    steps: usize,
}

impl Place {
    /// Makes it this large, or says that there is no room for it now.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Failure> {
        let more = bytes.div_ceil(STEP_BYTES).saturating_sub(self.steps);
        if more == 0 {
            return Ok(());
        }
        let mut taken = self.room.lock();
        let own = taken.by_sender.get(&self.sender).copied();
        let own = own.unwrap_or_default() + more;
        if own > self.room.share_max || taken.steps + more > self.room.steps_max {
            return Err(Failure::UploadsFull);
        }
        taken.steps += more;
        taken.by_sender.insert(self.sender.clone(), own);
        self.steps += more;
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.room.lock();
        taken.steps -= self.steps;
        if let Some(own) = taken.by_sender.get_mut(&self.sender) {
            *own -= self.steps;
            if *own == 0 {
                taken.by_sender.remove(&self.sender);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use uuid::Uuid;

    use super::*;

    fn somebody(n: u8) -> Sender {
        Sender::Somebody(Ipv4Addr::new(192, 0, 2, n).into())
    }

    fn account(n: u128) -> Sender {
        Sender::Account(Uuid::from_u128(n).into())
    }

    #[test]
    fn a_room_is_given_in_steps_and_comes_back() {
        let rooms = UploadRooms::with_shares(4 * STEP_BYTES, 4 * STEP_BYTES);
        let (mut first, mut second) = (rooms.place(somebody(1)), rooms.place(somebody(2)));
        first.grow(3 * STEP_BYTES).unwrap();
        second.grow(1).unwrap();
        second.grow(STEP_BYTES).unwrap();
        assert!(second.grow(STEP_BYTES + 1).is_err(), "it is full");
        assert!(rooms.place(account(1)).grow(4 * STEP_BYTES).is_ok());
        drop(first);
        second.grow(4 * STEP_BYTES).unwrap();
        drop(second);
        assert!(rooms.place(somebody(1)).grow(4 * STEP_BYTES).is_ok());
        assert!(rooms.unknown.lock().by_sender.is_empty());
    }

    #[test]
    fn a_sender_has_a_share_on_all_its_connections_together() {
        let rooms = UploadRooms::with_shares(8 * STEP_BYTES, 2 * STEP_BYTES);
        let mut held = [rooms.place(account(1)), rooms.place(account(1))];
        for place in &mut held {
            place.grow(STEP_BYTES).unwrap();
        }
        let mut third = rooms.place(account(1));
        assert!(third.grow(1).is_err());
        let mut carrier = rooms.place(Sender::Source("hub".into()));
        assert!(carrier.grow(2 * STEP_BYTES).is_ok(), "others have theirs");
        drop(held);
        assert!(third.grow(2 * STEP_BYTES).is_ok());
    }

    #[test]
    fn whoever_sends_has_room_for_the_longest_message() {
        let rooms = UploadRooms::new(MESSAGE_BYTES_MAX + STEP_BYTES);
        rooms.place(somebody(1)).grow(MESSAGE_BYTES_MAX).unwrap();
    }
}
