//! How many connections are open, in all and by address.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::wire::Exchange;
use crate::settings::Settings;

/// The open connections.
pub(super) struct Crowd {
    connections_max: usize,
    per_address_max: usize,
    inside: Arc<Mutex<Inside>>,
}

#[derive(Default)]
struct Inside {
    count: u64,
    guests: BTreeMap<u64, Seat>,
    by_address: HashMap<IpAddr, usize>,
}

struct Seat {
    address: IpAddr,
    exchange: Arc<Exchange>,
    leave: CancellationToken,
}

/// A place among the open connections, given back when dropped.
pub(super) struct Guest {
    number: u64,
    pub(super) exchange: Arc<Exchange>,
    /// Cancelled when the place is needed for somebody else.
    pub(super) leave: CancellationToken,
    inside: Arc<Mutex<Inside>>,
}

impl Crowd {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            connections_max: settings.connections_max,
            per_address_max: settings.connections_per_address_max,
            inside: Arc::default(),
        }
    }

    /// Room for one more, if need be by sending the newest idle connection away.
    pub(super) fn admit(&self, address: IpAddr) -> Option<Guest> {
        let mut inside = lock(&self.inside);
        let of_address = inside.by_address.get(&address).copied().unwrap_or(0);
        if of_address >= self.per_address_max {
            inside.make_room(Some(address))?;
        } else if inside.guests.len() >= self.connections_max {
            inside.make_room(None)?;
        }
        Some(inside.seat(address, Arc::clone(&self.inside)))
    }
}

impl Inside {
    fn make_room(&mut self, of: Option<IpAddr>) -> Option<()> {
        let newest = self.guests.values().rev().find(|seat| {
            of.is_none_or(|address| seat.address == address)
                && seat.exchange.is_idle()
                && !seat.leave.is_cancelled()
        })?;
        newest.leave.cancel();
        Some(())
    }

    fn seat(&mut self, address: IpAddr, inside: Arc<Mutex<Self>>) -> Guest {
        self.count += 1;
        let number = self.count;
        let exchange = Arc::<Exchange>::default();
        let leave = CancellationToken::new();
        let seat = Seat {
            address,
            exchange: Arc::clone(&exchange),
            leave: leave.clone(),
        };
        self.guests.insert(number, seat);
        *self.by_address.entry(address).or_insert(0) += 1;
        Guest {
            number,
            exchange,
            leave,
            inside,
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut inside = lock(&self.inside);
        let Some(seat) = inside.guests.remove(&self.number) else {
            return;
        };
        if let Some(count) = inside.by_address.get_mut(&seat.address) {
            *count -= 1;
            if *count == 0 {
                inside.by_address.remove(&seat.address);
            }
        }
    }
}

/// The counts stay right whatever panicked beside them.
fn lock(inside: &Mutex<Inside>) -> std::sync::MutexGuard<'_, Inside> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(connections_max: usize, per_address_max: usize) -> Crowd {
        Crowd::new(&Settings {
            connections_max,
            connections_per_address_max: per_address_max,
            ..Settings::default()
        })
    }

    #[test]
    fn the_newest_idle_one_leaves_and_busy_ones_stay() {
        let crowd = crowd(2, 2);
        let here: IpAddr = "192.0.2.1".parse().unwrap();
        let there: IpAddr = "192.0.2.2".parse().unwrap();
        let first = crowd.admit(here).unwrap();
        let second = crowd.admit(there).unwrap();
        let third = crowd.admit(here).unwrap();
        assert!(second.leave.is_cancelled() && !first.leave.is_cancelled());
        first.exchange.begin();
        third.exchange.begin();
        assert!(crowd.admit(there).is_none(), "nobody is idle");
        drop((first, second));
        assert!(crowd.admit(there).is_some());
    }

    #[test]
    fn one_address_cannot_take_all() {
        let crowd = crowd(10, 1);
        let here: IpAddr = "192.0.2.1".parse().unwrap();
        let busy = crowd.admit(here).unwrap();
        busy.exchange.begin();
        assert!(crowd.admit(here).is_none());
        assert!(crowd.admit("192.0.2.2".parse().unwrap()).is_some());
    }
}
