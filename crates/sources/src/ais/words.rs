//! What radios of one file say of their vessels, and when.
//!
//! A radio passes on from ship to ship. Who said it last, by the time of the message, has it: what it sends before another
//! ship names herself is the one's, and not the other's. Before the first such word of a file it may be that one's.

use std::collections::{BTreeMap, HashMap};

use domain::codes::ImoNumber;
use domain::vessel::is_of_one_ship;
use jiff::Timestamp;

use super::Sighting;

/// Words of one file at most.
const WORDS_MAX: usize = 200_000;

/// Each with its time; one without may have been said at any, and any that has one is newer.
#[derive(Default)]
pub(super) struct Words {
    ships: BTreeMap<(u32, Option<Timestamp>), Ship>,
    /// Names without a number.
    names: BTreeMap<u32, String>,
}

struct Ship {
    imo: ImoNumber,
    name: Option<String>,
}

impl Words {
    /// Takes a word; not where there are too many.
    pub(super) fn hear(
        &mut self,
        mmsi: u32,
        imo: Option<ImoNumber>,
        name: Option<String>,
        at: Option<Timestamp>,
    ) -> bool {
        if !is_of_one_ship(mmsi) {
            return true;
        }
        if self.ships.len().max(self.names.len()) >= WORDS_MAX {
            return imo.is_none() && name.is_none();
        }
        match (imo, name) {
            (Some(imo), name) => {
                self.ships.insert((mmsi, at), Ship { imo, name });
            }
            (None, Some(name)) => {
                self.names.insert(mmsi, name);
            }
            (None, None) => {}
        }
        true
    }

    /// Names the ship of a sighting that does not. Where no word does, the list of the profile knows.
    pub(super) fn name(&self, sighting: &mut Sighting, listed: &BTreeMap<u32, ImoNumber>) {
        let mmsi = sighting.mmsi;
        let ship = self.ship(mmsi, sighting.at);
        let told = ship.map(|ship| ship.imo);
        sighting.imo = sighting.imo.or(told).or_else(|| listed.get(&mmsi).copied());
        let names = ship
            .and_then(|ship| ship.name.as_ref())
            .or_else(|| self.names.get(&mmsi));
        let name = sighting.name.take();
        sighting.name = name.or_else(|| names.cloned());
    }

    fn ship(&self, mmsi: u32, at: Timestamp) -> Option<&Ship> {
        let mut before = self.ships.range((mmsi, None)..=(mmsi, Some(at)));
        let mut after = self
            .ships
            .range((mmsi, None)..=(mmsi, Some(Timestamp::MAX)));
        let ship = before.next_back().or_else(|| after.next());
        ship.map(|(_, ship)| ship)
    }

    /// The last words that no sighting carries: they count for what those radios send later.
    pub(super) fn alone(&mut self, sightings: &[Sighting], room: usize) -> Vec<Sighting> {
        let mut placed: HashMap<u32, (Timestamp, Option<ImoNumber>)> = HashMap::new();
        for one in sightings {
            let last = placed.entry(one.mmsi).or_insert((one.at, one.imo));
            if one.at >= last.0 {
                *last = (one.at, one.imo);
            }
        }
        let mut last: BTreeMap<u32, (Option<Timestamp>, Ship)> = BTreeMap::new();
        for ((mmsi, at), ship) in std::mem::take(&mut self.ships) {
            last.insert(mmsi, (at, ship));
        }
        let is_alone = |mmsi: u32, imo: ImoNumber| {
            placed
                .get(&mmsi)
                .is_none_or(|(_, carried)| *carried != Some(imo))
        };
        let alone = last
            .into_iter()
            .filter(|(mmsi, (_, ship))| is_alone(*mmsi, ship.imo));
        let words = alone.take(room).map(|(mmsi, (at, ship))| Sighting {
            mmsi,
            imo: Some(ship.imo),
            name: ship.name.or_else(|| self.names.get(&mmsi).cloned()),
            at: at.unwrap_or(Timestamp::UNIX_EPOCH),
            position: None,
            moored: None,
        });
        words.collect()
    }
}
