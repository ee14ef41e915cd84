//! How many connections are open, in all and by address: of IPv6 by the network of one household.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use sources::outbound::Network;
use tokio_util::sync::CancellationToken;

use super::forwarded::is_trusted;
use super::wire::Exchange;
use crate::rate_limit::network;
use crate::settings::Settings;

/// The open connections.
pub(super) struct Crowd {
    connections_max: usize,
    per_address_max: usize,
    /// One of these brings many clients: its connections are counted in all only.
    trusted_proxies: Vec<Network>,
    inside: Arc<Mutex<Inside>>,
}

/// There is no room, and nobody idle to make it.
#[derive(Debug)]
pub(super) struct Full {
    /// The setting that says so.
    pub(super) setting: &'static str,
    pub(super) most: usize,
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
            trusted_proxies: settings.trusted_proxies.clone(),
            inside: Arc::default(),
        }
    }

    /// Room for one more, if need be by sending the newest idle connection away.
    pub(super) fn admit(&self, address: IpAddr) -> Result<Guest, Full> {
        let full = |setting, most| move || Full { setting, most };
        let mut inside = lock(&self.inside);
        let is_proxy = is_trusted(address, &self.trusted_proxies);
        // A proxy has no neighbours: what it brings is nobody else's share.
        let address = if is_proxy { address } else { network(address) };
        let of_address = inside.by_address.get(&address).copied().unwrap_or(0);
        let most = self.per_address_max;
        if of_address >= most && !is_proxy {
            let room = inside.make_room(Some(address));
            room.ok_or_else(full("http.connections_per_address_max", most))?;
        } else if inside.guests.len() >= self.connections_max {
            let room = inside.make_room(None);
            room.ok_or_else(full("http.connections_max", self.connections_max))?;
        }
        Ok(inside.seat(address, Arc::clone(&self.inside)))
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
        let full = crowd.admit(there).err().unwrap();
        assert_eq!((full.setting, full.most), ("http.connections_max", 2));
        drop((first, second));
        assert!(crowd.admit(there).is_ok());
    }

    #[test]
    fn one_address_cannot_take_all() {
        let crowd = crowd(10, 1);
        let here: IpAddr = "192.0.2.1".parse().unwrap();
        let busy = crowd.admit(here).unwrap();
        busy.exchange.begin();
        let full = crowd.admit(here).err().unwrap();
        assert_eq!(full.setting, "http.connections_per_address_max");
        assert!(crowd.admit("192.0.2.2".parse().unwrap()).is_ok());
        let household = |end: &str| format!("2001:db8:0:1::{end}").parse().unwrap();
        let busy = crowd.admit(household("1")).unwrap();
        busy.exchange.begin();
        assert!(crowd.admit(household("2")).is_err(), "one household");
        assert!(crowd.admit("2001:db8:0:2::1".parse().unwrap()).is_ok());
    }

    #[test]
    fn a_trusted_proxy_has_as_many_as_there_are_in_all() {
        let crowd = Crowd::new(&Settings {
            connections_max: 2,
            connections_per_address_max: 1,
            trusted_proxies: vec!["192.0.2.0/24".parse().unwrap()],
            ..Settings::default()
        });
        let proxy: IpAddr = "192.0.2.1".parse().unwrap();
        let guests = [crowd.admit(proxy).unwrap(), crowd.admit(proxy).unwrap()];
        for guest in &guests {
            guest.exchange.begin();
        }
        let full = crowd.admit(proxy).err().unwrap();
        assert_eq!(full.setting, "http.connections_max");
    }

    #[test]
    fn a_proxy_and_who_calls_from_beside_it_are_not_in_each_others_way() {
        let crowd = Crowd::new(&Settings {
            connections_max: 10,
            connections_per_address_max: 2,
            trusted_proxies: vec!["2001:db8::2/128".parse().unwrap()],
            ..Settings::default()
        });
        let admit = |address: &str| crowd.admit(address.parse().unwrap());
        let guests: Vec<Guest> = (0..4).map(|_| admit("2001:db8::2").unwrap()).collect();
        let beside = admit("2001:db8::3").unwrap();
        assert!(guests.iter().all(|guest| !guest.leave.is_cancelled()));
        drop(beside);
    }
}
