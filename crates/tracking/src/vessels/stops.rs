//! Stops at quays, found in all that is kept of a vessel.
//!
//! A stop takes twenty minutes, and what a receiver sends together is often a few seconds long. So the sightings of a
//! message are put beside those that are kept of its vessels, a day before and after. A message tells the stops that it
//! begins or settles, and once an hour those that last, as the quays are known by then. The words are the
//! same each time, so a stop that is told again is only seen again: for one that has lasted for more than a day its beginning
//! is looked for further back. A stop whose beginning is not found there is not told.
//!
//! Sightings are kept for a while only: what a message told with the help of others cannot be found anew after that, and is
//! not told again by a part of them. A replay takes nothing back of it.
//!
//! Most sightings name a radio and no ship, and a radio passes on from ship to ship. What is read again may be months old,
//! and the radio another ship's by now. So it counts only where it is sure whose it was then: kept with that ship, or heard
//! after the radio named it for the last time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::codes::ImoNumber;
use domain::ids::ReferenceId;
use domain::moment::whole_microseconds;
use domain::report::Report;
use domain::vessel::{Quay, Seen, Stop, is_of_one_ship, stops};
use jiff::{SignedDuration, Timestamp};
use sources::ais::{Sighting, berth};
use store::Tx;
use store::vessel::position;

use super::{KEPT, id_of, radio};
use crate::{Source, Tracking};

/// How far back and ahead of a message the sightings of its vessels are looked at.
const AROUND: SignedDuration = SignedDuration::from_hours(24);
/// So far back the beginning of a stop that lasts is looked for at most.
const LASTS_MAX: SignedDuration = SignedDuration::from_hours(60 * 24);
/// Sightings of a vessel that are looked at for one message at most.
const SIGHTINGS_MAX: usize = 100_000;
/// A stop that lasts is told again by the first message of each hour.
const AGAIN_AFTER_SECONDS: i64 = 3_600;
/// Positions are kept in millionths of a degree.
const SAME_PLACE_DEGREES: f64 = 1e-6;

/// What a part of a message of positions says of stops, in place of `said`, which knows this message only. Of what is so
/// old that its sightings are not kept `said` stands, where the message is read for the first time (`new`), and what other
/// sources say is left as it is.
pub(crate) async fn told(
    tracking: &Tracking,
    source: &Source,
    received_at: Timestamp,
    said: Vec<Report>,
    sightings: &[Sighting],
    new: bool,
) -> Result<Vec<Report>, store::Error> {
    let Some(profile) = source.positions() else {
        return Ok(said);
    };
    let now = tracking.now();
    let kept_since = now.checked_sub(KEPT).unwrap_or(now) + AROUND;
    let is_old = |report: &Report| report.occurred.as_ref().is_some_and(|o| o.at < kept_since);
    let mut told: Vec<Report> = said.into_iter().filter(|one| new && is_old(one)).collect();
    if sightings.is_empty() || profile.quays.is_empty() {
        return Ok(told);
    }
    let (heard, quays) = (sightings.to_vec(), profile.quays.clone());
    let reading = tracking
        .store()
        .read(move |tx| tracks(tx, &heard, &quays, new));
    let tracks = reading.await?;
    for track in tracks {
        let whole = track.whole();
        let stops = stops(&whole, &profile.quays).into_iter();
        let stops = stops.filter(|stop| stop.from >= kept_since && !track.cuts(&whole, stop));
        for stop in stops.filter(|stop| track.tells(&whole, stop)) {
            let vessel = (track.imo, track.name.as_deref());
            let gazetteer = tracking.gazetteer();
            told.push(berth(profile, vessel, &stop, received_at, gazetteer));
        }
    }
    Ok(told)
}

/// A followed vessel: what a message says of it, and what is kept.
struct Track {
    imo: ImoNumber,
    name: Option<String>,
    own: Vec<Seen>,
    kept: Vec<Seen>,
    /// It was seen before, so long ago that it is not looked at.
    was_seen_before: bool,
}

impl Track {
    /// Whether the stop may have begun before what is looked at.
    fn cuts(&self, whole: &[Seen], stop: &Stop<'_>) -> bool {
        let first = whole.first().map(|seen| seen.position.at);
        self.was_seen_before && first == Some(stop.from)
    }

    /// Looks further back for the beginning of a stop that this message tells.
    fn reach_back(
        &mut self,
        tx: &mut Tx,
        id: ReferenceId,
        quays: &[Quay],
    ) -> Result<(), store::Error> {
        let mut oldest = None;
        loop {
            let whole = self.whole();
            let Some(first) = whole.first().map(|seen| seen.position.at) else {
                return Ok(());
            };
            let oldest =
                *oldest.get_or_insert_with(|| first.checked_sub(LASTS_MAX).unwrap_or(first));
            let stops = stops(&whole, quays);
            let mut begun = stops.iter().filter(|stop| stop.from == first);
            if !begun.any(|stop| self.tells(&whole, stop)) {
                return Ok(());
            }
            let before = first
                .checked_sub(SignedDuration::from_micros(1))
                .unwrap_or(first);
            let from = before.checked_sub(AROUND).unwrap_or(before);
            let mut earlier = position::track(tx, id, from, before)?;
            self.was_seen_before = !earlier.is_empty();
            if earlier.is_empty() || first < oldest || whole.len() > SIGHTINGS_MAX {
                return Ok(());
            }
            earlier.append(&mut self.kept);
            self.kept = earlier;
        }
    }

    fn whole(&self) -> Vec<Seen> {
        let own: BTreeSet<Timestamp> = self.own.iter().map(|seen| seen.position.at).collect();
        let others = self.kept.iter();
        let others = others.filter(|seen| !own.contains(&seen.position.at));
        let mut whole: Vec<Seen> = self.own.iter().chain(others).copied().collect();
        whole.sort_by_key(|seen| seen.position.at);
        whole
    }

    /// Whether this message is the one to tell it.
    fn tells(&self, whole: &[Seen], stop: &Stop<'_>) -> bool {
        let hour = |at: Timestamp| at.as_second().div_euclid(AGAIN_AFTER_SECONDS);
        self.own.iter().map(|seen| seen.position.at).any(|at| {
            let makes_it = stop.from <= at && at <= stop.settled_at;
            let before = whole.iter().map(|seen| seen.position.at);
            let before = before.take_while(|other| *other < at).last();
            let begins_an_hour = before.is_some_and(|before| hour(before) < hour(at));
            makes_it || (stop.settled_at < at && at <= stop.until && begins_an_hour)
        })
    }
}

fn tracks(
    tx: &mut Tx,
    sightings: &[Sighting],
    quays: &[Quay],
    new: bool,
) -> Result<Vec<Track>, store::Error> {
    let mut tracks = Vec::new();
    for (id, own) in by_vessel(tx, sightings)? {
        // Only vessels that some report named are followed.
        let Some(known) = store::vessel::find(tx, id)? else {
            continue;
        };
        let imo = known.imo.as_deref().and_then(ImoNumber::parse);
        let times = || own.iter().map(|heard| heard.seen.position.at);
        let (Some(imo), Some(first), Some(last)) = (imo, times().min(), times().max()) else {
            continue;
        };
        let from = first.checked_sub(AROUND).unwrap_or(first);
        let to = last.checked_add(AROUND).unwrap_or(last);
        let kept = position::track(tx, id, from, to)?;
        let sure = own
            .iter()
            .filter(|heard| new || heard.is_sure || is_kept(&kept, &heard.seen));
        let mut track = Track {
            imo,
            name: known.name,
            own: sure.map(|heard| heard.seen).collect(),
            kept,
            was_seen_before: false,
        };
        track.reach_back(tx, id, quays)?;
        tracks.push(track);
    }
    Ok(tracks)
}

/// Whether this sighting is among those that are kept, oldest first: it was this vessel's when it was heard.
fn is_kept(kept: &[Seen], seen: &Seen) -> bool {
    let at = whole_microseconds(seen.position.at);
    let found = kept.binary_search_by_key(&at, |kept| kept.position.at);
    let Some(there) = found.ok().and_then(|place| kept.get(place)) else {
        return false;
    };
    let (there, here) = (there.position.point, seen.position.point);
    let is_same = |there: f64, here: f64| (there - here).abs() < SAME_PLACE_DEGREES;
    is_same(there.latitude, here.latitude) && is_same(there.longitude, here.longitude)
}

/// What a message heard of a vessel.
struct Heard {
    seen: Seen,
    /// The radio was aboard that vessel then.
    is_sure: bool,
}

/// The sightings of each vessel. A radio that does not tell its vessel in a sighting is known by another one of the message, or
/// by another message.
fn by_vessel(
    tx: &mut Tx,
    sightings: &[Sighting],
) -> Result<BTreeMap<ReferenceId, Vec<Heard>>, store::Error> {
    let unnamed = sightings.iter().filter(|sighting| sighting.imo.is_none());
    let radios: BTreeSet<String> = unnamed.map(|sighting| radio(sighting.mmsi)).collect();
    let radios: Vec<String> = radios.into_iter().collect();
    let known = if radios.is_empty() {
        HashMap::new()
    } else {
        store::vessel::of_radios(tx, &radios)?
    };
    let mut named: BTreeMap<u32, Vec<(ReferenceId, Timestamp)>> = BTreeMap::new();
    for sighting in sightings {
        if let Some(id) = sighting.imo.and_then(id_of) {
            named
                .entry(sighting.mmsi)
                .or_default()
                .push((id, sighting.at));
        }
    }
    let mut found: BTreeMap<ReferenceId, Vec<Heard>> = BTreeMap::new();
    for sighting in sightings.iter().filter(|one| is_of_one_ship(one.mmsi)) {
        let Some(seen) = sighting.seen() else {
            continue;
        };
        let told = sighting.imo.and_then(id_of).map(|id| (id, true));
        let by_word = || {
            let here = named.get(&sighting.mmsi).into_iter().flatten().copied();
            let kept = known.get(&radio(sighting.mmsi));
            let mut words: Vec<(ReferenceId, Timestamp)> = here
                .chain(kept.map(|word| (word.vessel, word.at)))
                .collect();
            words.sort_unstable_by_key(|(_, at)| *at);
            // One that carried no time may have been said at any.
            let before = |at: Timestamp| at > Timestamp::UNIX_EPOCH && at <= seen.position.at;
            let sure = words.iter().rfind(|(_, at)| before(*at));
            sure.map(|(vessel, _)| (*vessel, true))
                .or_else(|| words.last().map(|(vessel, _)| (*vessel, false)))
        };
        if let Some((id, is_sure)) = told.or_else(by_word) {
            found.entry(id).or_default().push(Heard { seen, is_sure });
        }
    }
    Ok(found)
}
