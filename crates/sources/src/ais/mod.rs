//! AIS: where vessels say that they are.
//!
//! Two forms are read: lines of NMEA 0183 as receivers and hubs send them (`!AIVDM,…`), and JSON, as streams on
//! the web and shore stations give it. Both become [sightings](Sighting), which are about vessels and not about
//! boxes; who knows which box is aboard which vessel puts the two together.
//!
//! * **Lines stand alone.** One with a wrong checksum, a wrong talker or a missing part costs itself only.
//! * **A position needs a time.** Lines carry none of their own, so it comes from a tag block, from what a
//!   logger wrote beside the line, or, where the profile says that lines are live, from their receipt.
//! * **Names and numbers come seldom.** Vessels tell their IMO number every six minutes, in a message of its own;
//!   within one file it is put to all sightings of that radio, and `vessels` of the profile names the others.
//! * **A berth is the weakest word.** A stop at one of the profile's quays becomes a claim that the vessel is
//!   alongside, which counts where neither terminal nor line gives a better one. What crews type as destination
//!   and arrival is not used.
//!
//! Lines also come off a wire ([`Lines`]): a receiver that serves them is listened to without end, so what is no line
//! and what is said more often than anybody needs is left out before it is kept.
//!
//! The decoder is our own: of 27 kinds of message seven are read, a few fixed fields of each, and what surrounds
//! them (tag blocks, loggers' times, parts that never come) is most of the work and in no decoder.

mod berth;
mod bits;
mod json;
mod lines;
mod message;
mod nmea;
mod profile;

use std::collections::{BTreeMap, BTreeSet};

use domain::codes::ImoNumber;
use domain::place::Gazetteer;
use domain::vessel::{Position, Seen};
use jiff::{SignedDuration, Timestamp};

use crate::{Defect, Parsed};
pub use berth::{berth, berths};
pub use lines::Lines;
pub use profile::{Profile, Receiver};

/// How many sightings of one file are kept.
pub const SIGHTINGS_MAX: usize = 200_000;
/// Sightings given at once of a long file.
const PART_SIGHTINGS: usize = 1_000;
/// The shortest sighting in a file. A list that grew step by step would be held twice at each.
const SIGHTING_BYTES_MIN: usize = 48;
/// How many defects of one file are kept; the rest are counted.
const DEFECTS_MAX: usize = 200;
/// Clocks of receivers may be this much ahead of ours.
const CLOCK_AHEAD_MAX: SignedDuration = SignedDuration::from_mins(15);

/// One sighting of a vessel, or (without a position) the word of a radio which vessel it is aboard.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// Number of its radio (MMSI), nine digits. A vessel that changes its flag changes it.
    pub mmsi: u32,
    /// Its own number, when it is known.
    pub imo: Option<ImoNumber>,
    /// Its name, when it is known.
    pub name: Option<String>,
    /// When; of a word that carries no time, the beginning of time: any that does is newer.
    pub at: Timestamp,
    /// Where, how fast.
    pub position: Option<Position>,
    /// Said to be moored, or (`false`) at anchor or under way.
    pub moored: Option<bool>,
}

impl Sighting {
    /// Where the vessel was seen, if this says it.
    pub fn seen(&self) -> Option<Seen> {
        let moored = self.moored;
        self.position.map(|position| Seen { position, moored })
    }
}

/// Reads one file, or the lines that came together. Equal arguments give equal results; nothing is asked of the
/// outside.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    let mut heard = Heard::new(profile, received_at);
    heard
        .sightings
        .reserve((bytes.len() / SIGHTING_BYTES_MIN).min(SIGHTINGS_MAX));
    let first = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    match first.first() {
        Some(b'[' | b'{') => json::read(first, &mut heard),
        Some(b'<') => heard.broken(
            "line 1 column 1",
            "this is a web page or XML, not positions",
        ),
        Some(_) => nmea::read(bytes, &mut heard),
        None => heard.broken(
            "line 1",
            "the file is empty; what was known stays as it was",
        ),
    }
    heard.finish(gazetteer)
}

/// The same: stops first, then some sightings at a time.
pub fn in_parts(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
    give: &mut dyn FnMut(Parsed),
) {
    let mut whole = parse(profile, bytes, received_at, gazetteer);
    let mut sightings = std::mem::take(&mut whole.sightings).into_iter();
    give(whole);
    while sightings.len() > 0 {
        give(Parsed {
            sightings: sightings.by_ref().take(PART_SIGHTINGS).collect(),
            ..Parsed::default()
        });
    }
}

/// What was heard so far.
struct Heard<'a> {
    profile: &'a Profile,
    received_at: Timestamp,
    sightings: Vec<Sighting>,
    seen: BTreeSet<(u32, i64)>,
    names: BTreeMap<u32, Named>,
    defects: Vec<Defect>,
    defects_left_out: usize,
    left_out: usize,
    broken: bool,
}

/// What a radio said of its vessel.
#[derive(Clone, Debug, Default)]
struct Named {
    imo: Option<ImoNumber>,
    imo_at: Option<Timestamp>,
    name: Option<String>,
}

impl<'a> Heard<'a> {
    fn new(profile: &'a Profile, received_at: Timestamp) -> Self {
        Self {
            profile,
            received_at,
            sightings: Vec::new(),
            seen: BTreeSet::new(),
            names: BTreeMap::new(),
            defects: Vec::new(),
            defects_left_out: 0,
            left_out: 0,
            broken: false,
        }
    }

    /// A position; the same radio in the same second is the same sighting, heard by two receivers.
    fn sighting(&mut self, sighting: Sighting, place: &str) {
        let at = sighting.at;
        if at.duration_since(self.received_at) > CLOCK_AHEAD_MAX {
            return self.defect(
                place,
                "the position lies after its receipt; the clock is wrong",
            );
        }
        if !self.seen.insert((sighting.mmsi, at.as_second())) {
            return;
        }
        if self.sightings.len() < SIGHTINGS_MAX {
            self.sightings.push(sighting);
        } else {
            self.left_out += 1;
        }
    }

    fn named(
        &mut self,
        mmsi: u32,
        imo: Option<ImoNumber>,
        name: Option<String>,
        at: Option<Timestamp>,
    ) {
        let live = self.profile.live.then_some(self.received_at);
        let at = at.or(live).map(|at| at.min(self.received_at));
        let known = self.names.entry(mmsi).or_default();
        if imo.is_some() && at >= known.imo_at {
            (known.imo, known.imo_at) = (imo, at);
        }
        known.name = name.or_else(|| known.name.take());
    }

    fn defect(&mut self, place: &str, reason: &str) {
        if self.defects.len() < DEFECTS_MAX {
            self.defects.push(Defect {
                place: place.to_owned(),
                reason: reason.to_owned(),
            });
        } else {
            self.defects_left_out += 1;
        }
    }

    fn broken(&mut self, place: &str, reason: &str) {
        self.broken = true;
        self.defect(place, reason);
    }

    /// What radios say of their vessels and not with a position: it counts for what they send later.
    fn add_words(&mut self) {
        let placed: BTreeSet<u32> = self.sightings.iter().map(|one| one.mmsi).collect();
        let told = std::mem::take(&mut self.names).into_iter();
        let alone = told.filter(|(mmsi, named)| named.imo.is_some() && !placed.contains(mmsi));
        let room = SIGHTINGS_MAX.saturating_sub(self.sightings.len());
        let words = alone.take(room).map(|(mmsi, named)| Sighting {
            mmsi,
            imo: named.imo,
            name: named.name,
            at: named.imo_at.unwrap_or(Timestamp::UNIX_EPOCH),
            position: None,
            moored: None,
        });
        self.sightings.extend(words);
    }

    fn finish(mut self, gazetteer: &Gazetteer) -> Parsed {
        self.seen.clear();
        for sighting in &mut self.sightings {
            let known = self.names.get(&sighting.mmsi);
            let listed = self.profile.vessels.get(&sighting.mmsi).copied();
            let told = known.and_then(|named| named.imo);
            sighting.imo = sighting.imo.or(told).or(listed);
            let name = known.and_then(|named| named.name.clone());
            sighting.name = sighting.name.take().or(name);
        }
        self.add_words();
        for (count, what) in [
            (
                self.left_out,
                "positions are left out: the file is too long, so split it",
            ),
            (self.defects_left_out, "defects like these"),
        ] {
            if count > 0 {
                self.defects.push(Defect {
                    place: "the end".into(),
                    reason: format!("{count} more {what}"),
                });
            }
        }
        let reports = berths(self.profile, &self.sightings, self.received_at, gazetteer);
        Parsed {
            reports,
            sightings: self.sightings,
            defects: self.defects,
            decisive: None,
            envelope_broken: self.broken,
        }
    }
}
