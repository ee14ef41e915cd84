//! Where vessels were seen.
//!
//! **Who sees which vessel.** A vessel is reference data, like a port: name, number and sightings are public
//! facts, the same for every account, and say nothing about anybody's cargo. Any key that may read finds a
//! vessel by id or IMO number. What *is* an account's own is which of its boxes a vessel carries, and the
//! voyage it is on with them: that stands in the account's rows and is never read for another.
//!
//! Only vessels that some report named are followed. Sightings are kept for [`KEPT`] and then dropped, so that
//! the table is as large as the fleet and not as the years. What all other ships say, which is most of what is heard, is
//! looked at beside the writer, which never hears of it.

mod moved;
mod stops;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::codes::{ContainerNumber, ImoNumber, UnLocode};
use domain::container::{ContainerState, Vessel};
use domain::event::EventName;
use domain::ids::{AccountId, RawMessageId, ReferenceId};
use domain::place::Gazetteer;
use domain::report::{Equipment, Report, SourceKind};
use domain::vessel::{Position, Seen, is_moved, is_of_one_ship, is_somewhere};
use jiff::{SignedDuration, Timestamp};
use jsonapi::resource::vessel;
use store::container::Container;
use store::vessel::stop::Stop as StopTold;
use store::vessel::{Known, RadioWord};
use store::{Key, Tx};

use crate::Tracking;
pub(crate) use moved::moved_of;
pub(crate) use stops::told as stops;

/// How long sightings are kept.
pub const KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Boxes of one vessel that a stop is put to at most: the newest.
const ABOARD_MAX: u32 = 10_000;
/// A vessel that is not known to have the box comes at most so long before the box is expected.
const CALL_EARLY_MAX: SignedDuration = SignedDuration::from_hours(5 * 24);
/// Radios that are forgotten at once.
const FORGOTTEN_MAX: u32 = 1_000;
/// Sightings of one call at most; the caller sends what is left in the next.
pub const SIGHTINGS_MAX: usize = 1_000;

/// The resource text of a vessel, wherever it is shown: with the number of its radio, which is public as its name is. Where
/// it is and was stands in it when the caller says so.
pub fn render(
    known: &Known,
    last: Option<&Position>,
    positions: Option<(&[Position], bool)>,
) -> String {
    let named = Vessel {
        imo: known.imo.as_deref().and_then(ImoNumber::parse),
        name: known.name.clone(),
    };
    vessel::render_at(&vessel::View {
        vessel: &named,
        mmsi: known.mmsi.as_deref(),
        last,
        positions,
    })
}

/// One sighting by a receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The vessel's IMO number.
    pub imo: ImoNumber,
    /// The number its radio sends.
    pub mmsi: Option<String>,
    /// Where and when.
    pub position: Position,
}

/// Keeps sightings of vessels that are followed; those of others, those that are too old to keep, and all beyond
/// [`SIGHTINGS_MAX`] are passed over. May be repeated: a vessel is in one place at a time. Returns how many
/// were new.
pub async fn record_positions(
    tracking: &Tracking,
    sightings: &[Sighting],
) -> Result<u64, store::Error> {
    let mut seen: Vec<(ReferenceId, Seen)> = Vec::new();
    let mut words = Vec::new();
    for sighting in sightings.iter().take(SIGHTINGS_MAX) {
        let Some(id) = id_of(sighting.imo) else {
            continue;
        };
        let mmsi = sighting.mmsi.as_ref();
        let is_own = |mmsi: &&String| mmsi.parse().is_ok_and(is_of_one_ship);
        if let Some(mmsi) = mmsi.filter(is_own) {
            words.push(RadioWord {
                mmsi: mmsi.clone(),
                vessel: id,
                at: sighting.position.at,
            });
        }
        let (position, moored) = (sighting.position, None);
        seen.push((id, Seen { position, moored }));
    }
    record(tracking, seen, words).await
}

/// Keeps what a message of positions tells. A radio that does not tell its vessel's number in this message is known
/// by what it said last, and what it says without a position is kept for what comes. What many radios send as their number
/// is nobody's.
pub(crate) async fn keep(
    tracking: &Tracking,
    sightings: &[sources::ais::Sighting],
) -> Result<(), store::Error> {
    for some in sightings.chunks(SIGHTINGS_MAX) {
        let unnamed = some.iter().filter(|sighting| sighting.imo.is_none());
        let mut heard: Vec<String> = unnamed.map(|sighting| radio(sighting.mmsi)).collect();
        heard.sort_unstable();
        heard.dedup();
        let known = if heard.is_empty() {
            HashMap::new()
        } else {
            let store = tracking.store();
            store
                .read(move |tx| store::vessel::of_radios(tx, &heard))
                .await?
        };
        let mut seen = Vec::new();
        let mut words = Vec::new();
        for sighting in some.iter().filter(|one| is_of_one_ship(one.mmsi)) {
            let radio = radio(sighting.mmsi);
            let told = sighting.imo.and_then(id_of);
            let vessel = told.or_else(|| known.get(&radio).map(|word| word.vessel));
            seen.extend(vessel.zip(sighting.seen()));
            words.extend(told.map(|vessel| RadioWord {
                mmsi: radio,
                vessel,
                at: sighting.at,
            }));
        }
        record(tracking, seen, words).await?;
    }
    Ok(())
}

/// The number of a radio as it is kept: nine digits.
fn radio(mmsi: u32) -> String {
    format!("{mmsi:09}")
}

fn id_of(imo: ImoNumber) -> Option<ReferenceId> {
    vessel::id(&Vessel {
        imo: Some(imo),
        name: None,
    })
}

/// Claims, and the messages they stand in, by the account whose own they are; `None`: everybody's.
pub(crate) type Told = BTreeMap<Option<AccountId>, Vec<(RawMessageId, Report)>>;

/// Puts a vessel's stop at a quay to the boxes it brings there, each with a claim of its own: what is said of a
/// vessel alone names no box, and would be nobody's. Other claims are left as they are.
///
/// The stop is everybody's; that the vessel brings a box there is what an account knows of its box, perhaps from a file of
/// its own, and perhaps wrongly. So the claim is that account's own, and nobody else hears that his box has arrived.
///
/// The stop is kept first, for [boxes that are known to come later](stops_for). `owner`: whose own the reports are.
pub(crate) async fn told_of_boxes(
    tracking: &Tracking,
    owner: Option<AccountId>,
    reports: Vec<(RawMessageId, Report)>,
) -> Result<Told, store::Error> {
    keep_stops(tracking, owner, &reports).await?;
    let mut told = Told::new();
    for (raw, report) in reports {
        if !is_of_vessel(&report) {
            told.entry(owner).or_default().push((raw, report));
            continue;
        }
        let brought = brought_by(tracking, &report).await?.into_iter();
        for (account, number) in
            brought.filter(|(account, _)| owner.is_none_or(|own| own == *account))
        {
            let of_account = told.entry(Some(account)).or_default();
            of_account.push((raw, of_box(&report, number)));
        }
    }
    Ok(told)
}

/// Whether this is the stop of a vessel, put to no box yet.
fn is_of_vessel(report: &Report) -> bool {
    report.source_kind == SourceKind::Ais && report.equipment.is_none()
}

/// Keeps the stops that are new, as long as sightings are kept. A stay that is told at another quay than before, because
/// the quays were set right, is kept there alone.
async fn keep_stops(
    tracking: &Tracking,
    owner: Option<AccountId>,
    reports: &[(RawMessageId, Report)],
) -> Result<(), store::Error> {
    let oldest = tracking.now().checked_sub(KEPT).unwrap_or_default();
    let stops = reports.iter().filter(|(_, report)| is_of_vessel(report));
    let stops = stops.filter_map(|(raw, report)| {
        Some(StopTold {
            vessel: id_of(report.leg.vessel_imo?)?,
            owner,
            at: report.occurred.as_ref()?.at,
            raw: *raw,
            report: report.clone(),
        })
    });
    let stops: Vec<StopTold> = stops.filter(|stop| stop.at >= oldest).collect();
    if stops.is_empty() {
        return Ok(());
    }
    let store = tracking.store();
    let new = store.read(move |tx| store::vessel::stop::unknown(tx, &stops));
    let new: Vec<StopTold> = new.await?;
    let vessels: BTreeSet<ReferenceId> = new.iter().map(|stop| stop.vessel).collect();
    let new = Arc::new(new);
    for vessel in vessels {
        let new = Arc::clone(&new);
        let keep = move |tx: &mut Tx| store::vessel::stop::keep(tx, vessel, &new, oldest, is_moved);
        store.write(Key::stops(vessel), keep).await?;
    }
    Ok(())
}

/// Whether anybody here tells of stops. Where nobody does, none are looked for.
pub(crate) fn are_watched(tracking: &Tracking) -> bool {
    let mut positions = tracking.sources().filter_map(crate::Source::positions);
    positions.any(|profile| !profile.quays.is_empty())
}

/// What is kept of stops that the box's ship made where the box leaves it, put to the box: claims of this account's own
/// ([`told_of_boxes`]). Asked where it becomes known which ship brings it, or where to.
pub(crate) fn stops_for(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    number: ContainerNumber,
    call: &Call,
) -> Result<Vec<(RawMessageId, Report)>, store::Error> {
    let Some(vessel) = id_of(call.vessel) else {
        return Ok(Vec::new());
    };
    let gazetteer = tracking.gazetteer();
    let oldest = tracking.now().checked_sub(KEPT).unwrap_or_default();
    let kept = store::vessel::stop::of_vessel(tx, vessel, account, oldest)?;
    let brought = kept.into_iter().filter(|stop| {
        let port = stop.report.place.locode;
        port.is_some_and(|port| call.has(gazetteer.canonical(port), stop.at))
    });
    let told = brought.map(|stop| (stop.raw, of_box(&stop.report, number)));
    Ok(told.collect())
}

fn of_box(report: &Report, number: ContainerNumber) -> Report {
    let stop = report.source_event_id.as_deref().unwrap_or_default();
    Report {
        source_event_id: Some(format!("{stop}/{number}")),
        equipment: Some(Equipment {
            number,
            iso_type: None,
            laden: None,
            seals: Vec::new(),
            gross_kg: None,
        }),
        ..report.clone()
    }
}

/// The boxes that the vessel brings to the port where it lies, and that had not left it before, as each account knows it.
async fn brought_by(
    tracking: &Tracking,
    stop: &Report,
) -> Result<BTreeSet<(AccountId, ContainerNumber)>, store::Error> {
    let (Some(imo), Some(port)) = (stop.leg.vessel_imo, stop.place.locode) else {
        return Ok(BTreeSet::new());
    };
    let (Some(vessel), Some(at)) = (id_of(imo), stop.occurred.as_ref().map(|o| o.at)) else {
        return Ok(BTreeSet::new());
    };
    let shared = tracking.clone();
    let reading = tracking.store().read(move |tx| {
        let gazetteer = shared.gazetteer();
        let port = gazetteer.canonical(port);
        let mut brought = BTreeSet::new();
        for (account, container) in store::vessel::aboard(tx, vessel, ABOARD_MAX)? {
            let row = store::container::find(&mut tx.account(account), container)?;
            let Some(Container { state, number, .. }) = row else {
                continue;
            };
            let call = Call::of(&state, gazetteer);
            if call.is_some_and(|call| call.vessel == imo && call.has(port, at)) {
                brought.insert((account, number));
            }
        }
        Ok::<_, store::Error>(brought)
    });
    reading.await
}

/// A call of a vessel as a box knows it: which ship brings it to which port, and between when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    vessel: ImoNumber,
    port: UnLocode,
    /// When it was taken aboard, or the ship left with it.
    aboard_at: Option<Timestamp>,
    expected_at: Option<Timestamp>,
    /// When it had left the ship for sure.
    ashore_at: Option<Timestamp>,
}

impl Call {
    /// `None`: it is not known which ship brings the box, or where to.
    pub(crate) fn of(state: &ContainerState, gazetteer: &Gazetteer) -> Option<Self> {
        let journey = &state.journey;
        let vessel = journey.pod_vessel.as_ref()?.imo?;
        let aboard = state.milestones.iter().filter(|milestone| {
            let leaves = matches!(
                milestone.slot.event,
                EventName::VesselLoaded
                    | EventName::VesselDeparted
                    | EventName::TransshipmentLoaded
                    | EventName::TransshipmentDeparted
            );
            let by = milestone.vessel.as_ref().and_then(|vessel| vessel.imo);
            leaves && by == Some(vessel)
        });
        let expected = state.estimate(EventName::EstimatedVesselArrived);
        let ashore = [
            EventName::VesselDischarged,
            EventName::FullOut,
            EventName::EmptyIn,
        ];
        let ashore = ashore
            .into_iter()
            .filter_map(|event| state.milestone(event));
        Some(Self {
            vessel,
            port: gazetteer.canonical(journey.port_of_discharge?),
            aboard_at: aboard.map(|milestone| milestone.at).min(),
            expected_at: expected.map(|estimate| estimate.at),
            ashore_at: ashore.map(|milestone| milestone.at).min(),
        })
    }

    /// Whether a stop there and then belongs to it. A vessel comes again: one before the box was taken aboard, and long
    /// before it is expected, is an earlier call's, and one after the box had left the ship another voyage's.
    fn has(&self, port: UnLocode, at: Timestamp) -> bool {
        let is_aboard = self.aboard_at.is_some_and(|aboard| aboard < at);
        let is_near = |expected: Timestamp| expected.duration_since(at) < CALL_EARLY_MAX;
        let left_before = self.ashore_at.is_some_and(|left| left < at);
        self.port == port && (is_aboard || self.expected_at.is_some_and(is_near)) && !left_before
    }
}

async fn record(
    tracking: &Tracking,
    mut seen: Vec<(ReferenceId, Seen)>,
    words: Vec<RadioWord>,
) -> Result<u64, store::Error> {
    let oldest = tracking.now().checked_sub(KEPT).unwrap_or(tracking.now());
    seen.retain(|(_, seen)| is_somewhere(seen.position.point) && seen.position.at >= oldest);
    let mut vessels: Vec<ReferenceId> = seen.iter().map(|(id, _)| *id).collect();
    vessels.sort_unstable();
    vessels.dedup();
    let words = newest(words);
    if vessels.is_empty() && words.is_empty() {
        return Ok(0);
    }
    let reading = tracking.store().read(move |tx| {
        let followed = store::vessel::followed(tx, &vessels)?;
        Ok::<_, store::Error>((followed, store::vessel::news(tx, &words)?))
    });
    let (followed, words) = reading.await?;
    seen.retain(|(id, _)| followed.contains(id));
    if followed.is_empty() && words.is_empty() {
        return Ok(0);
    }
    let mut vessels: Vec<ReferenceId> = followed.into_iter().collect();
    vessels.sort_unstable();
    let writing = tracking.store().write(Key::sightings(), move |tx| {
        store::vessel::identify(tx, &words)?;
        let new = store::vessel::position::record(tx, &seen)?;
        store::vessel::position::forget(tx, &vessels, oldest)?;
        Ok(new)
    });
    writing.await
}

/// Forgets some radios of ships that nobody follows and that said nothing for as long as sightings are kept.
pub(crate) async fn forget_radios(tracking: &Tracking) -> Result<(), store::Error> {
    let before = tracking.now().checked_sub(KEPT).unwrap_or_default();
    let store = tracking.store();
    let silent = store.read(move |tx| store::vessel::silent_radios(tx, before, FORGOTTEN_MAX));
    let silent: Vec<String> = silent.await?;
    if silent.is_empty() {
        return Ok(());
    }
    let forgetting = store.write(Key::sightings(), move |tx| {
        store::vessel::forget_radios(tx, &silent, before).map(drop)
    });
    forgetting.await
}

/// The last word of each radio.
fn newest(words: Vec<RadioWord>) -> Vec<RadioWord> {
    let mut newest: BTreeMap<String, RadioWord> = BTreeMap::new();
    for word in words {
        if newest.get(&word.mmsi).is_none_or(|last| last.at < word.at) {
            newest.insert(word.mmsi.clone(), word);
        }
    }
    newest.into_values().collect()
}
