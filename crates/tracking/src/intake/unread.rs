//! Messages that are kept and not read yet.
//!
//! They are taken up by lease; in which order the [desk](super::desk) says. Short messages of a source are taken up together, so
//! that a hundred pushes cost the commits of one. A message that fails again and again stands in the way of nobody: after some
//! tries it is put into quarantine, whole. One whose source is not configured here is not taken up at all: it waits for a start
//! that has the profile, or for another node.
//!
//! Reading short ones has two stages: their reports are filed, then who follows them is brought up to date. What comes
//! next from the same source is filed while the last is brought up to date, and no sooner, so that both are done in the
//! order in which messages came.
//!
//! What this node kept itself a moment ago comes from its [reception](super::reception) without a claim. Whatever it holds
//! stays in its [hands](super::hands) for as long as it takes. What failed is tried again after some minutes; after one lease,
//! where the store was away, and then the try is not counted. That the store ended a try may be the message's own fault, if it
//! needs more than there is time for, or that of others: it is counted, the next one comes after one lease if it was the first, and
//! there are some tries more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{AccountId, RawMessageId, WatchId};
use domain::report::Report;
use jiff::Timestamp;
use store::Key;
use store::raw_message::{Claimed, Others, Place, RawMessage, TOGETHER_BYTES_MAX, Turns};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::filing::{self, Origin};
use super::{Parts, Reading, Turn, answer, close_all};
use crate::projection::Stale;
use crate::{Source, Tracking, vessels};

/// Tries after which a message is put aside.
const TRIES_MAX: u32 = 5;
/// Of the tries that the store ended, because they took too long or others were in their way, so many do not count.
const OVERRUNS_MAX: u32 = 15;
/// Real time until a look is taken again after another node was quicker.
const LOST_RACE_WAIT: Duration = Duration::from_millis(20);

/// A source, and the account whose own the messages are.
pub(super) type Kin = (String, Option<AccountId>);

/// How the two stages of a batch stand to those of the next one of its source.
pub(super) struct Stages {
    pub(super) second: Arc<Semaphore>,
    pub(super) filed: Filed,
}

/// Tells that a batch is filed, or will not be, when it is dropped.
pub(super) struct Filed {
    pub(super) source: String,
    pub(super) tell: mpsc::UnboundedSender<String>,
}

impl Drop for Filed {
    fn drop(&mut self) {
        // Nobody listens any more: nothing comes next.
        let _ = self.tell.send(std::mem::take(&mut self.source));
    }
}

impl Stages {
    /// The second stage begins when that of the batch before has ended.
    async fn second(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.second).acquire_owned().await.ok()
    }

    /// All is filed: from now on the next batch is.
    fn filed(self) {
        drop(self.filed);
    }
}

/// Reads everything that waits, one message after the other, line by line in turn. Returns how many.
pub(crate) async fn read_all(tracking: &Tracking) -> Result<usize, Stale> {
    let answered_before = tracking.now() - tracking.watch_lease();
    let (mut count, mut turns) = (0, Turns::default());
    loop {
        let wanted = Wanted {
            answered_before,
            passed_over: &BTreeSet::new(),
            only: None,
            turns: &turns,
            before: None,
        };
        let Found { taken, more } = claim(tracking, wanted).await?;
        let Some(((source, account), claimed)) = taken else {
            if more {
                tokio::time::sleep(LOST_RACE_WAIT).await;
                continue;
            }
            return Ok(count);
        };
        turns.take(&source, account);
        count += claimed.len();
        work_off(tracking, claimed, None).await?;
    }
}

/// Gives free what an earlier run had in hand, before any worker of this node has anything. It is read like all that waits: a long
/// file that a crash left behind must not keep the start from telling, asking and sealing.
pub(crate) async fn begin(tracking: &Tracking) -> Result<(), store::Error> {
    if !tracking.store().is_shared() {
        let key = Key::sightings();
        tracking
            .store()
            .write(key, store::raw_message::release_all)
            .await?;
    }
    tell_strangers(tracking).await
}

/// Says what waits for profiles that are not there.
async fn tell_strangers(tracking: &Tracking) -> Result<(), store::Error> {
    let store = tracking.store();
    let unread = store.read(store::raw_message::unread_by_source).await?;
    for (source, messages) in unread {
        if tracking.source(&source).is_none() {
            tracing::warn!(
                source,
                messages,
                "messages wait, unread: their source is not configured here"
            );
        }
    }
    Ok(())
}

/// What is looked for among what waits in the store.
pub(super) struct Wanted<'w> {
    /// An answer to a question is left to who asked until it is older than this.
    pub(super) answered_before: Timestamp,
    /// Sources that are left out.
    pub(super) passed_over: &'w BTreeSet<String>,
    /// The only ones; `None`: all that are configured here.
    pub(super) only: Option<&'w BTreeSet<String>>,
    pub(super) turns: &'w Turns,
    /// What is in hand, which comes before all behind it.
    pub(super) before: Option<(Place, RawMessageId)>,
}

/// What was found there.
pub(super) struct Found {
    /// Messages of one source and account.
    pub(super) taken: Option<(Kin, Vec<Claimed>)>,
    /// Whether anything waits.
    pub(super) more: bool,
}

/// Leases what is next of what waits in the store.
pub(super) async fn claim(tracking: &Tracking, wanted: Wanted<'_>) -> Result<Found, store::Error> {
    let store = tracking.store();
    let (now, until) = (tracking.now(), tracking.message_lease());
    let Wanted {
        answered_before,
        before,
        ..
    } = wanted;
    let busy: Arc<[String]> = wanted.passed_over.iter().cloned().collect();
    let known = tracking.sources().map(|one| one.id().to_owned());
    let known = known.filter(|source| wanted.only.is_none_or(|only| only.contains(source)));
    let known: Arc<[String]> = known.collect();
    let (busy_sources, known_sources) = (Arc::clone(&busy), Arc::clone(&known));
    let waits = store.read(move |tx| {
        let others = Others {
            answered_before,
            busy_sources: &busy_sources,
            known_sources: Some(&known_sources),
            turns: None,
            before: None,
        };
        store::raw_message::any_waits(tx, now, others)
    });
    if !waits.await? {
        return Ok(Found {
            taken: None,
            more: false,
        });
    }
    let turns = wanted.turns.clone();
    let claimed = store
        .write(Key::sightings(), move |tx| {
            let others = Others {
                answered_before,
                busy_sources: &busy,
                known_sources: Some(&known),
                turns: Some(&turns),
                before,
            };
            store::raw_message::claim(tx, now, until, others)
        })
        .await?;
    let ids = claimed.iter().map(|claimed| claimed.message.id);
    tracking.hands().take(ids, until);
    let first = claimed.first().map(|first| &first.message);
    let kin = first.map(|message| (message.source.clone(), message.account));
    Ok(Found {
        // Where nothing was taken, another node is taking it.
        more: true,
        taken: kin.map(|kin| (kin, claimed)),
    })
}

/// Steps 2 and 3 for messages in hand, of one source and account. Those that were asked for, or tried before, come alone.
///
/// Where several cannot be read together, one of them may be at fault: each is read alone at once, so that the others do not
/// wait with it.
pub(super) async fn work_off(
    tracking: &Tracking,
    claimed: Vec<Claimed>,
    stages: Option<Stages>,
) -> Result<(), Stale> {
    let ids: Vec<RawMessageId> = claimed.iter().map(|claimed| claimed.message.id).collect();
    let held = tracking.hands().read(ids.clone());
    let claimed = match <[Claimed; 1]>::try_from(claimed) {
        Ok([only]) => return work_off_alone(tracking, only, stages).await,
        Err(several) => Arc::<[Claimed]>::from(several),
    };
    let read = read_together(tracking, Arc::clone(&claimed), stages).await;
    match read {
        Ok(()) => tracking.hands().done(&ids),
        Err(stale) if stale.is_away() => {
            put_off(tracking, &ids, Why::Store).await;
            return Err(stale);
        }
        Err(together) => {
            let (source, messages) = (claimed.first(), claimed.len());
            let source = source.map(|first| first.message.source.as_str());
            tracing::debug!(error = %together, source, messages, "messages are read one by one");
            let mut failed = Ok(());
            for one in claimed.iter() {
                failed = work_off_alone(tracking, one.clone(), None)
                    .await
                    .and(failed);
            }
            return failed;
        }
    }
    drop(held);
    Ok(())
}

async fn work_off_alone(
    tracking: &Tracking,
    claimed: Claimed,
    stages: Option<Stages>,
) -> Result<(), Stale> {
    let (ids, tries, overruns) = ([claimed.message.id], claimed.tries, claimed.overruns);
    let held = tracking.hands().read(ids.to_vec());
    let read = read_alone(tracking, claimed, stages).await;
    match &read {
        Ok(()) => tracking.hands().done(&ids),
        Err(stale) if stale.is_away() => put_off(tracking, &ids, Why::Store).await,
        Err(stale) if stale.passes() => {
            let is_first = overruns == 0;
            put_off(tracking, &ids, Why::Overrun { is_first }).await;
        }
        // Of what came without a claim nobody has counted this try.
        Err(_) if tries == 0 => put_off(tracking, &ids, Why::UncountedTry).await,
        Err(_) => put_off(tracking, &ids, Why::CountedTry).await,
    }
    drop(held);
    read
}

/// Why messages were not read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The store was away.
    Store,
    /// It ended the try: that took too long, or others were in its way.
    Overrun { is_first: bool },
    /// They were, at a try that was counted when they were claimed.
    CountedTry,
    /// They were, at a try for which they were not claimed.
    UncountedTry,
}

/// What could not be read is tried again later, not at once. Where even that cannot be written, its lease runs out, and this
/// node remembers whose fault it was.
async fn put_off(tracking: &Tracking, ids: &[RawMessageId], why: Why) {
    let hands = tracking.hands();
    let held = hands.let_go(ids);
    let (soon, late) = (
        tracking.message_lease(),
        tracking.now() + tracking.watch_lease(),
    );
    let put_off: Result<(), store::Error> = tracking
        .store()
        .write(Key::sightings(), move |tx| match why {
            Why::Store => store::raw_message::excuse(tx, &held, soon),
            // That may pass as soon as an absence.
            Why::Overrun { is_first } => {
                let until = if is_first { soon } else { late };
                store::raw_message::count_overrun(tx, &held, until)
            }
            Why::CountedTry => store::raw_message::renew(tx, &held, late).map(drop),
            Why::UncountedTry => store::raw_message::count_try(tx, &held, late),
        })
        .await;
    if let Err(error) = put_off {
        tracing::debug!(%error, "messages that could not be read are not put off");
        if matches!(why, Why::Store | Why::Overrun { .. }) {
            for id in ids {
                hands.excuse(*id);
            }
        }
    }
}

/// Short messages that came by themselves, tried for the first time.
async fn read_together(
    tracking: &Tracking,
    claimed: Arc<[Claimed]>,
    stages: Option<Stages>,
) -> Result<(), Stale> {
    let first = claimed.first().map(|first| &first.message);
    let account = first.and_then(|first| first.account);
    match first.and_then(|first| tracking.source(&first.source)) {
        Some(source) => file_all(tracking, source, account, Arc::clone(&claimed), stages).await,
        None => Ok(()),
    }
}

async fn read_alone(
    tracking: &Tracking,
    claimed: Claimed,
    stages: Option<Stages>,
) -> Result<(), Stale> {
    let Claimed { message, .. } = &claimed;
    // A store that takes nothing puts no message aside.
    let excuses = tracking.hands().excuses(message.id);
    let failed = claimed.tries.saturating_sub(1 + excuses);
    if failed >= TRIES_MAX + claimed.overruns.min(OVERRUNS_MAX) {
        let reason = format!("reading it failed {failed} times; the log says why");
        return set_aside(tracking, message, reason).await;
    }
    let Some(source) = tracking.source(&message.source) else {
        // Nothing of a source that is not configured is claimed, and none that is configured goes: it waits.
        return Ok(());
    };
    if let Some(watch) = message.watch {
        return answer::take_up(tracking, source, watch, message).await;
    }
    let account = message.account;
    if message.body.len() > TOGETHER_BYTES_MAX as usize {
        let _second = match &stages {
            Some(stages) => stages.second().await,
            None => None,
        };
        return file_long(tracking, source, account, claimed.message).await;
    }
    file_all(tracking, source, account, Arc::from([claimed]), stages).await
}

async fn file_all(
    tracking: &Tracking,
    source: &Source,
    account: Option<AccountId>,
    claimed: Arc<[Claimed]>,
    stages: Option<Stages>,
) -> Result<(), Stale> {
    let mut readings = parse(tracking, source, claimed).await?;
    let mut reports = Vec::new();
    for reading in &mut readings {
        let said = reading.take_reports(true);
        let sightings = reading.take_sightings();
        let said = reading
            .with_stops(
                tracking,
                source,
                said,
                &sightings,
                Turn::First { owner: account },
            )
            .await?;
        reports.extend(said.into_iter().map(|report| (reading.raw, report)));
    }
    let messages: Vec<RawMessageId> = readings.iter().map(|reading| reading.raw).collect();
    let is_sound = readings.iter().all(Reading::is_sound);
    let about = About {
        source,
        account,
        read: if is_sound { &messages } else { &[] },
    };
    if file_reports(tracking, &about, reports, stages).await? {
        return Ok(());
    }
    close(tracking, readings).await
}

/// A message that is too long to come with others, part by part.
async fn file_long(
    tracking: &Tracking,
    source: &Source,
    account: Option<AccountId>,
    message: RawMessage,
) -> Result<(), Stale> {
    let (id, mut said, mut failed) = (message.id, 0, None);
    let mut reading = Reading::begin(&message);
    let mut parts = Parts::of(tracking, message);
    while let Some(part) = parts.next().await? {
        let (reports, sightings) = reading.add(part);
        said += reports.len();
        let reports = reading
            .with_stops(
                tracking,
                source,
                reports,
                &sightings,
                Turn::First { owner: account },
            )
            .await?;
        let reports = reports.into_iter().map(|report| (id, report)).collect();
        let about = About {
            source,
            account,
            read: &[],
        };
        if let Err(stale) = file_reports(tracking, &about, reports, None).await {
            note_failed(stale, &mut failed)?;
        }
    }
    if let Some(failed) = failed {
        return Err(failed);
    }
    reading.end(said, true);
    close(tracking, vec![reading]).await
}

/// What messages of one source and account have in common.
struct About<'m> {
    source: &'m Source,
    account: Option<AccountId>,
    /// Those that are read, and found sound, when these reports are filed.
    read: &'m [RawMessageId],
}

/// Files reports of these messages, piece by piece, and tells who follows them. Whether those that are read are marked
/// so: a commit less than to do it afterwards.
///
/// A piece that cannot be filed or told keeps none behind it; that it failed is said when the others were, and nothing is
/// marked.
async fn file_reports(
    tracking: &Tracking,
    about: &About<'_>,
    reports: Vec<(RawMessageId, Report)>,
    mut stages: Option<Stages>,
) -> Result<bool, Stale> {
    let reports = vessels::told_of_boxes(tracking, about.account, reports).await?;
    let (mut closed, mut failed) = (false, None);
    let mut second = None;
    let mut whose = reports.into_iter().peekable();
    while let Some((account, reports)) = whose.next() {
        let mut pieces = filing::pieces(reports.into_iter(), tracking.registry()).peekable();
        while let Some(piece) = pieces.next() {
            let origin = Origin {
                source: about.source.id().to_owned(),
                account,
            };
            let filed = filing::file(tracking, &origin, piece).await;
            let is_last = pieces.peek().is_none() && whose.peek().is_none();
            let marks = is_last && failed.is_none();
            let read = if marks { about.read } else { &[] };
            if let Some(stages) = &stages
                && second.is_none()
            {
                second = stages.second().await;
            }
            if let Some(stages) = stages.take_if(|_| is_last) {
                stages.filed();
            }
            let told = match filed {
                Ok(filed) => filing::tell(tracking, filed, read).await,
                Err(error) => Err(error),
            };
            match told {
                Ok(marked) => closed = marked,
                Err(error) => note_failed(error.into(), &mut failed)?,
            }
        }
    }
    failed.map_or(Ok(closed), Err)
}

/// Keeps the first failure that is what was read's own. What the store fails for everybody ends it all.
fn note_failed(stale: Stale, failed: &mut Option<Stale>) -> Result<(), Stale> {
    if stale.is_away() {
        return Err(stale);
    }
    failed.get_or_insert(stale);
    Ok(())
}

async fn close(tracking: &Tracking, readings: Vec<Reading>) -> Result<(), Stale> {
    let now = tracking.now();
    let readings = Arc::new(readings);
    let closed = Arc::clone(&readings);
    tracking
        .store()
        .write(Key::sightings(), move |tx| {
            close_all(tx, closed.iter(), now).map_err(Stale::from)
        })
        .await?;
    for reading in readings.iter() {
        if let Some(reason) = reading.why_aside() {
            let (source, raw_message) = (reading.source(), reading.raw());
            tracing::warn!(source, %raw_message, reason, "a message is put aside");
        }
    }
    Ok(())
}

/// Messages are parsed beside the workers, not on one of them: some are long.
async fn parse(
    tracking: &Tracking,
    source: &Source,
    claimed: Arc<[Claimed]>,
) -> Result<Vec<Reading>, store::Error> {
    let (shared, id) = (tracking.clone(), source.id().to_owned());
    let parsed = tokio::task::spawn_blocking(move || {
        let source = shared.source(&id)?;
        let readings = claimed
            .iter()
            .map(|one| Reading::of(&shared, source, &one.message));
        Some(readings.collect())
    });
    let readings = parsed.await.ok().flatten();
    readings.ok_or_else(|| store::Error::Refused("the parser ended without a result".into()))
}

/// Puts a message into quarantine.
async fn set_aside(tracking: &Tracking, raw: &RawMessage, reason: String) -> Result<(), Stale> {
    tracing::warn!(source = raw.source, raw_message = %raw.id, reason, "a message is put aside");
    let (id, now) = (raw.id, tracking.now());
    tracking
        .store()
        .write(Key::watch(WatchId(id.0)), move |tx| {
            let aside = store::raw_message::quarantine(tx, id, now, &reason, &[]);
            aside.map(drop).map_err(Stale::from)
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two batches of one source, and where it is told that one is filed.
    fn two() -> ([Stages; 2], mpsc::UnboundedReceiver<String>) {
        let (tell, told) = mpsc::unbounded_channel();
        let second = Arc::new(Semaphore::new(1));
        let stages = || Stages {
            second: Arc::clone(&second),
            filed: Filed {
                source: "line".into(),
                tell: tell.clone(),
            },
        };
        ([stages(), stages()], told)
    }

    #[tokio::test]
    async fn the_next_batch_is_filed_while_the_last_is_brought_up_to_date_and_no_sooner() {
        let ([first, next], mut told) = two();
        let permit = first.second().await;
        assert!(told.try_recv().is_err(), "it is not all filed");
        first.filed();
        assert_eq!(told.try_recv().as_deref(), Ok("line"), "the next is filed");
        let waits = tokio::spawn(async move { (next.second().await, next) });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished(), "one at a time is brought up to date");
        assert!(told.try_recv().is_err(), "and no third is filed meanwhile");
        drop(permit);
        let (permit, next) = waits.await.unwrap();
        assert!(permit.is_some());
        next.filed();
        assert_eq!(told.try_recv().as_deref(), Ok("line"));
    }

    #[tokio::test]
    async fn a_batch_that_has_no_second_stage_lets_the_next_one_in() {
        let ([first, _], mut told) = two();
        drop(first);
        assert_eq!(told.try_recv().as_deref(), Ok("line"));
    }
}
