//! AIS: where vessels say that they are.
//!
//! Two forms are read: lines of NMEA 0183 as receivers and hubs send them (`!AIVDM,…`), and JSON, as streams on
//! the web and shore stations give it. Both become [sightings](Sighting), which are about vessels and not about
//! boxes; who knows which box is aboard which vessel puts the two together.
//!
//! * **Lines stand alone.** One with a wrong checksum, a wrong talker or a missing part costs itself only.
//! * **A position needs a time.** Lines carry none of their own, so it comes from a tag block, from what a
//!   logger wrote beside the line, or, where the profile says that lines are live, from their receipt.
//! * **Names and numbers come seldom.** Vessels tell their IMO number every six minutes, in a message of its own; it counts
//!   for what that radio sends from then on (`words`), and `vessels` of the profile names the others.
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
mod clock;
mod json;
mod lines;
mod message;
mod nmea;
mod object;
mod parts;
mod profile;
mod shape;
mod words;

use std::collections::BTreeMap;

use domain::codes::ImoNumber;
use domain::place::Gazetteer;
use domain::vessel::{KNOTS_MAX, Position, Seen, is_lost, is_of_one_ship};
use jiff::{SignedDuration, Timestamp};

use self::clock::Clock;
use crate::{Defect, Parsed};
pub use berth::{berth, berths};
pub use lines::Lines;
pub use profile::{Profile, Receiver};
use shape::Shape;
use words::Words;

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
    match shape::of(bytes) {
        Ok(Shape::Lines) => nmea::read(bytes, &mut heard),
        Ok(Shape::Json(text)) => json::read(text, &mut heard),
        Err(what) => heard.broken("line 1", what),
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

/// How a sighting came by its time.
#[derive(Clone, Copy)]
enum Stamp {
    Told(Timestamp),
    /// It has none, and the source is live.
    Receipt,
}

impl Stamp {
    fn at(self, received_at: Timestamp) -> Timestamp {
        match self {
            Self::Told(at) => at,
            Self::Receipt => received_at,
        }
    }
}

/// What was heard so far.
struct Heard<'a> {
    profile: &'a Profile,
    received_at: Timestamp,
    sightings: Vec<Sighting>,
    /// Where the sighting of a radio in a second stands.
    seen: BTreeMap<(u32, i64), usize>,
    words: Words,
    defects: Vec<Defect>,
    defects_left_out: usize,
    left_out: usize,
    broken: bool,
}

impl<'a> Heard<'a> {
    fn new(profile: &'a Profile, received_at: Timestamp) -> Self {
        Self {
            profile,
            received_at,
            sightings: Vec::new(),
            seen: BTreeMap::new(),
            words: Words::default(),
            defects: Vec::new(),
            defects_left_out: 0,
            left_out: 0,
            broken: false,
        }
    }

    /// A position; the same radio in the same second is the same sighting, heard by two receivers. Where that second is the
    /// one of their receipt they are not the same, and the last says where the vessel is.
    fn sighting(&mut self, sighting: Sighting, stamp: Stamp, place: &str) {
        let at = sighting.at;
        if at.duration_since(self.received_at) > CLOCK_AHEAD_MAX {
            return self.defect(
                place,
                "the position lies after its receipt; the clock is wrong",
            );
        }
        if sighting
            .position
            .is_some_and(|position| is_lost(position.point))
        {
            return self.defect(
                place,
                "the position is 0/0: the radio does not know where it is",
            );
        }
        let sighting = believed(sighting);
        let next = self.sightings.len();
        let known = *self
            .seen
            .entry((sighting.mmsi, at.as_second()))
            .or_insert(next);
        match (self.sightings.get_mut(known), stamp) {
            (Some(before), Stamp::Receipt) => *before = sighting,
            (Some(_), Stamp::Told(_)) => {}
            (None, _) if known == next && next < SIGHTINGS_MAX => self.sightings.push(sighting),
            (None, _) => self.left_out += 1,
        }
    }

    fn named(&mut self, mmsi: u32, imo: Option<ImoNumber>, name: Option<String>, at: Clock) {
        let at = match at {
            Clock::At(at) => Some(at.min(self.received_at)),
            Clock::Silent => self.profile.live.then_some(self.received_at),
            Clock::Unread => None,
        };
        if !self.words.hear(mmsi, imo, name, at) {
            self.left_out += 1;
        }
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

    fn finish(mut self, gazetteer: &Gazetteer) -> Parsed {
        self.seen.clear();
        for sighting in &mut self.sightings {
            self.words.name(sighting, &self.profile.vessels);
        }
        let room = SIGHTINGS_MAX.saturating_sub(self.sightings.len());
        let alone = self.words.alone(&self.sightings, room);
        self.sightings.extend(alone);
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

/// What can be believed of a sighting. A number that many radios send is no ship's, and one that goes faster than ships do says
/// its speed in other units, or wrongly: how fast it is, and that it lies still, is not known then.
fn believed(mut sighting: Sighting) -> Sighting {
    sighting.imo = sighting.imo.filter(|_| is_of_one_ship(sighting.mmsi));
    if let Some(position) = &mut sighting.position
        && position.speed_knots.is_some_and(|knots| knots > KNOTS_MAX)
    {
        position.speed_knots = None;
        sighting.moored = sighting.moored.filter(|moored| !moored);
    }
    sighting
}
