//! Events that are taken back by their sender's id alone.
//!
//! A report is filed under the numbers it names, an answer under the watch that asked. A retraction of DCSA 3.0 may name no
//! number (a retracted id, no payload), or fewer than its event did, and it may be the answer to another question; it is filed
//! wherever its event was ([`store::recall`]). One that comes before its event is filed along with it.
//!
//! What a transaction holds anyway is filed in it. Under the other watches it is filed afterwards, one by one: who held them
//! all at once could wait in a circle with who holds them for their answers. What an answer takes back elsewhere is filed
//! before the answer is settled, which closes its message: until then it is taken up again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::ids::{AccountId, RawMessageId, WatchId};
use domain::report::{Report, SourceKind};
use jiff::Timestamp;
use store::docket::Followers;
use store::recall::{self, Recall, Told};
use store::replay::Replay;
use store::{Key, Tx};

use super::Reading;
use super::filing::{self, Filed, Said};
use crate::Tracking;

/// Retractions, by the watches under which they are still to be filed.
pub(crate) type Elsewhere = BTreeMap<WatchId, Vec<Arc<Said>>>;

/// What is filed beside a piece.
#[derive(Default)]
pub(crate) struct Recalls {
    /// Retractions that came before, and the watches of the piece under which they are filed with it.
    pub(crate) along: Vec<(Said, Vec<WatchId>)>,
    /// Retractions of the piece, where the transaction holds no watch.
    pub(crate) elsewhere: Elsewhere,
}

impl Recalls {
    /// Notes the ids of a piece, and looks for what takes them back and for what is taken back in it. `watches`, under which
    /// each of its reports is filed, are held; a retraction gets those of its event among them too.
    pub(crate) fn of(
        tx: &mut Tx,
        owner: Option<AccountId>,
        piece: &[Said],
        watches: &mut [Vec<WatchId>],
        replay: Option<&Replay>,
        now: Timestamp,
    ) -> Result<Self, store::Error> {
        let mut recalls = Self::default();
        let held: BTreeSet<WatchId> = watches.iter().flatten().copied().collect();
        let said = piece.iter().map(|said| (said.raw, &said.report));
        for (place, of_event) in take_back(tx, owner, said, replay, now)? {
            let (Some(said), Some(own)) = (piece.get(place), watches.get_mut(place)) else {
                continue;
            };
            let (here, there): (Vec<WatchId>, Vec<WatchId>) =
                of_event.into_iter().partition(|watch| held.contains(watch));
            own.extend(here);
            own.sort_unstable();
            own.dedup();
            if there.is_empty() {
                continue;
            }
            let said = Arc::new(said.clone());
            for watch in there {
                let of_watch = recalls.elsewhere.entry(watch).or_default();
                of_watch.push(Arc::clone(&said));
            }
        }
        let told = piece.iter().zip(watches.iter());
        let told = told.map(|(said, watches)| (&said.report, watches.as_slice()));
        for recall in along(tx, owner, told, replay)? {
            let said = Said::of(recall.raw, recall.report);
            recalls
                .along
                .push((said, recall.watches.into_iter().collect()));
        }
        Ok(recalls)
    }

    /// What is filed, and under which watches.
    pub(crate) fn with<'p>(
        &'p self,
        piece: &'p [Said],
        watches: &'p [Vec<WatchId>],
    ) -> Vec<(&'p Said, &'p [WatchId])> {
        let of_piece = piece.iter().zip(watches.iter().map(Vec::as_slice));
        let along = self.along.iter();
        let along = along.map(|(said, watches)| (said, watches.as_slice()));
        of_piece.chain(along).collect()
    }
}

/// Notes under which watches, which are held, these reports are filed. What takes them back comes along.
pub(super) fn along<'r>(
    tx: &mut Tx,
    owner: Option<AccountId>,
    said: impl Iterator<Item = (&'r Report, &'r [WatchId])>,
    replay: Option<&Replay>,
) -> Result<Vec<Recall>, store::Error> {
    let mut told: BTreeMap<&str, Told> = BTreeMap::new();
    for (report, watches) in said {
        if !is_known_by_id(report) || report.retracts.is_some() || watches.is_empty() {
            continue;
        }
        let of_source = told.entry(&report.source).or_default();
        for id in report.withdrawable_as() {
            let known = of_source.entry(id.to_owned()).or_default();
            known.extend(watches.iter().copied());
        }
    }
    let mut recalls = Vec::new();
    for (source, told) in told {
        recalls.extend(recall::tell(tx, owner, source, &told, replay)?);
    }
    Ok(recalls)
}

/// Files what an answer takes back under the other watches of its events, and tells those who follow them.
pub(crate) async fn spread(
    tracking: &Tracking,
    watch: WatchId,
    readings: &[Reading],
) -> Result<(), store::Error> {
    let said = readings.iter().flat_map(|reading| {
        let taken_back = reading.reports.iter().filter(|one| takes_back_by_id(one));
        taken_back.map(|report| Arc::new(Said::of(reading.raw, report.clone())))
    });
    let said: Vec<Arc<Said>> = said.collect();
    if said.is_empty() {
        return Ok(());
    }
    let now = tracking.now();
    let note = move |tx: &mut Tx| {
        let reports = said.iter().map(|said| (said.raw, &said.report));
        let mut elsewhere = Elsewhere::new();
        for (place, of_event) in take_back(tx, None, reports, None, now)? {
            for there in of_event.into_iter().filter(|there| *there != watch) {
                let of_watch = elsewhere.entry(there).or_default();
                of_watch.extend(said.get(place).cloned());
            }
        }
        Ok::<_, store::Error>(elsewhere)
    };
    let filed = Filed {
        followers: Followers::default(),
        elsewhere: tracking.store().write(Key::dockets(), note).await?,
    };
    filing::tell(tracking, filed, &[]).await.map(drop)
}

/// Notes what takes events back by their ids: for each such report, by its place, the watches of its event.
fn take_back<'r>(
    tx: &mut Tx,
    owner: Option<AccountId>,
    said: impl Iterator<Item = (RawMessageId, &'r Report)>,
    replay: Option<&Replay>,
    now: Timestamp,
) -> Result<Vec<(usize, BTreeSet<WatchId>)>, store::Error> {
    let taken_back = said
        .enumerate()
        .filter(|(_, (_, report))| takes_back_by_id(report));
    let mut taken_back: Vec<(usize, (RawMessageId, &Report))> = taken_back.collect();
    // One order for all who write the same ids.
    taken_back.sort_by_key(|(_, (_, report))| (&report.source, &report.retracts));
    let noted = taken_back.into_iter().map(|(place, (raw, report))| {
        let of_event = recall::take_back(tx, owner, raw, report, replay, now)?;
        Ok((place, of_event))
    });
    noted.collect()
}

fn takes_back_by_id(report: &Report) -> bool {
    report.retracts.is_some() && is_known_by_id(report)
}

/// Whether its sender takes events back by their ids (DCSA Track & Trace 3.0, `retractedEventID` and `isRetracted`).
fn is_known_by_id(report: &Report) -> bool {
    report.source_kind == SourceKind::Dcsa3
}
