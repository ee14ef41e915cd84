//! Messages that are kept and not read yet.
//!
//! They are taken up by lease, one of each source at a time and few at once: a long file of one source delays only what came
//! after it from the same source. They wait in lines, and the lines have [turns](Turns): what is everybody's of each source, and
//! what is each account's own; in each line the oldest comes first, of what is in hand and of what there was no room for in
//! hand. Short messages of a source are taken up together, so
//! that a hundred pushes cost the commits of one. A message that fails again and again stands in
//! the way of nobody: after some tries it is put into quarantine, whole. One whose source is not configured here is not
//! taken up at all: it waits for a start that has the profile, or for another node.
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

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use domain::ids::{AccountId, RawMessageId, WatchId};
use domain::report::Report;
use jiff::Timestamp;
use store::raw_message::{
    Claimed, Others, Place, RawMessage, TOGETHER_BYTES_MAX, TOGETHER_MAX, Turns,
};
use store::{Key, Tx};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::filing::{self, Origin};
use super::hands::keep_hold;
use super::reception::Handed;
use super::{Parts, Reading, Turn, answer};
use crate::projection::Stale;
use crate::{Source, Tracking, vessels};

/// Sources of which messages are filed at once on one node.
const FILING_MAX: usize = 2;
/// Readers at once on one node, those in their second stage too.
const READERS_MAX: usize = 4;
/// So many messages of a source are filed while others of it are brought up to date.
const MANY: usize = TOGETHER_MAX as usize / 2;
/// After so many batches of a source from the hand it is the turn of what waits of it in the store.
const STORES_TURN: usize = 8;
/// Tries after which a message is put aside.
const TRIES_MAX: u32 = 5;
/// Of the tries that the store ended, because they took too long or others were in their way, so many do not count.
const OVERRUNS_MAX: u32 = 15;

/// Reads messages as they come, until told to stop.
pub(crate) async fn run(tracking: Tracking, stop: CancellationToken) {
    tokio::select! {
        () = attend(tracking.clone(), stop) => {}
        never = keep_hold(&tracking) => match never {},
    }
}

async fn attend(tracking: Tracking, stop: CancellationToken) {
    // Bounded by the readers, who tell it once each.
    let (filed, told) = mpsc::unbounded_channel();
    let mut desk = Desk {
        readers: JoinSet::new(),
        busy: BTreeSet::new(),
        handed: tracking.reception().attend(),
        second_stages: BTreeMap::new(),
        filed,
        told,
        in_hand: BTreeMap::new(),
        stores_turns: StoresTurns::default(),
        turns: Turns::default(),
        began_at: tracking.now(),
        something_is_left: true,
        store_may_have: true,
        tracking,
    };
    while !stop.is_cancelled() {
        desk.look_around();
        if !desk.has_a_hand_free() {
            desk.wait(&stop).await;
            continue;
        }
        match desk.next().await {
            Ok(Some((kin, taken))) => desk.read(kin, taken),
            Ok(None) => desk.wait(&stop).await,
            Err(error) => {
                tracing::warn!(%error, "messages cannot be claimed");
                desk.wait(&stop).await;
            }
        }
    }
    desk.close().await;
}

/// What is being read, and what is in hand to be read next.
struct Desk {
    tracking: Tracking,
    readers: JoinSet<()>,
    /// Sources of which messages are being filed.
    busy: BTreeSet<String>,
    /// Of each source one batch at a time is brought up to date.
    second_stages: BTreeMap<String, Arc<Semaphore>>,
    /// Sources whose messages are filed, or could not be.
    filed: mpsc::UnboundedSender<String>,
    told: mpsc::UnboundedReceiver<String>,
    handed: mpsc::UnboundedReceiver<Handed>,
    /// By source and account.
    in_hand: BTreeMap<Kin, VecDeque<InHand>>,
    stores_turns: StoresTurns,
    turns: Turns,
    began_at: Timestamp,
    /// Whether an earlier run may have left something unread. It came before what comes now, so of one line it is read before
    /// that.
    something_is_left: bool,
    /// Whether something may wait in the store for a source that is not being read. To look costs a
    /// transaction, so it is done when there is a reason.
    store_may_have: bool,
}

/// A source, and the account whose own the messages are.
type Kin = (String, Option<AccountId>);

struct InHand {
    message: RawMessage,
    /// Room is given back when the last message that shares it is taken up.
    _room: Arc<OwnedSemaphorePermit>,
}

impl Desk {
    /// Notes which readers have finished and what was handed over meanwhile.
    fn look_around(&mut self) {
        while self.readers.try_join_next().is_some() {
            self.store_may_have |= self.in_hand.is_empty();
        }
        while let Ok(source) = self.told.try_recv() {
            self.ended(&source);
        }
        while let Ok(handed) = self.handed.try_recv() {
            self.take_in(handed);
        }
    }

    fn has_a_hand_free(&self) -> bool {
        self.busy.len() < FILING_MAX && self.readers.len() < READERS_MAX
    }

    /// Messages of a source are not being filed any more: what waited for that in the store may come now.
    fn ended(&mut self, source: &str) {
        self.busy.remove(source);
        self.store_may_have |= !self.in_hand.keys().any(|(of, _)| of == source);
    }

    fn take_in(&mut self, handed: Handed) {
        let room = Arc::new(handed.room);
        for message in handed.messages {
            let kin = (message.source.clone(), message.account);
            let one = InHand {
                message,
                _room: Arc::clone(&room),
            };
            self.in_hand.entry(kin).or_default().push_back(one);
        }
    }

    /// What is read next, of a source that is not being read: of what is in hand the line whose turn it is, else what waits
    /// in the store. That has its turn too when hands are never empty.
    async fn next(&mut self) -> Result<Option<(Kin, Vec<Claimed>)>, store::Error> {
        let owed = self.stores_turns.owed(&self.busy);
        if !owed.is_empty() {
            let found = self.claim(&self.busy, Some(&owed), None).await?.taken;
            let whose = found.as_ref().map(|((source, _), _)| source.as_str());
            self.stores_turns.looked(&owed, whose);
            if found.is_some() {
                return Ok(found);
            }
        }
        let kin = self.next_in_hand();
        if !self.something_is_left {
            match kin {
                Some(kin) => return Ok(self.take(kin)),
                None if !self.store_may_have => return Ok(None),
                None => {}
            }
        }
        let mut passed_over = self.busy.clone();
        passed_over.extend(self.in_second_stage());
        if !self.something_is_left {
            // What is in hand came before what there was no room for.
            passed_over.extend(self.in_hand.keys().map(|(source, _)| source.clone()));
        }
        let before = kin.as_ref().and_then(|kin| {
            let oldest = self.in_hand.get(kin)?.front()?.message.id;
            Some((self.turns.place(&kin.0, kin.1), oldest))
        });
        let Found { taken, more } = self.claim(&passed_over, None, before).await?;
        self.store_may_have = more;
        self.something_is_left &= more || !passed_over.is_empty();
        Ok(taken.or_else(|| kin.and_then(|kin| self.take(kin))))
    }

    async fn claim(
        &self,
        passed_over: &BTreeSet<String>,
        only: Option<&BTreeSet<String>>,
        before: Option<(Place, RawMessageId)>,
    ) -> Result<Found, store::Error> {
        // What was asked for before this start nobody here reads any more who asked.
        let asked_long_ago = self.tracking.now() - self.tracking.watch_lease();
        let wanted = Wanted {
            answered_before: asked_long_ago.max(self.began_at),
            passed_over,
            only,
            turns: &self.turns,
            before,
        };
        claim(&self.tracking, wanted).await
    }

    fn next_in_hand(&self) -> Option<Kin> {
        let in_second_stage: BTreeSet<String> = self.in_second_stage().collect();
        next_of(&self.in_hand, &self.busy, &in_second_stage, &self.turns).cloned()
    }

    /// What is brought up to date stays in hand, however long it takes.
    fn in_second_stage(&self) -> impl Iterator<Item = String> {
        let stages = self.second_stages.iter();
        let busy = stages.filter(|(_, stage)| stage.available_permits() == 0);
        busy.map(|(source, _)| source.clone())
    }

    /// What is read next of a line. `None`: nothing of it is ours any more.
    fn take(&mut self, kin: Kin) -> Option<(Kin, Vec<Claimed>)> {
        let mut line = self.in_hand.remove(&kin).unwrap_or_default();
        let (hands, now) = (self.tracking.hands(), self.tracking.now());
        let (first, lost) = take_held(&mut line, |message| hands.hold(message, now));
        // Others have it, or it waits in the store.
        self.store_may_have |= lost;
        let taken = first.into_iter().map(|one| Claimed {
            message: one.message,
            tries: 0,
            overruns: 0,
        });
        let taken: Vec<Claimed> = taken.collect();
        self.stores_turns.read_from_hand(&kin.0);
        if !line.is_empty() {
            self.in_hand.insert(kin.clone(), line);
        }
        (!taken.is_empty()).then_some((kin, taken))
    }

    fn read(&mut self, (source, account): Kin, taken: Vec<Claimed>) {
        self.turns.take(&source, account);
        self.busy.insert(source.clone());
        let second = self
            .second_stages
            .entry(source.clone())
            .or_insert_with(|| Arc::new(Semaphore::new(1)));
        let stages = Stages {
            second: Arc::clone(second),
            filed: Filed {
                source: source.clone(),
                tell: self.filed.clone(),
            },
        };
        let tracking = self.tracking.clone();
        self.readers.spawn(async move {
            if let Err(error) = work_off(&tracking, taken, Some(stages)).await {
                tracing::warn!(%error, source, "a message could not be read; it is tried again soon");
            }
        });
    }

    async fn wait(&mut self, stop: &CancellationToken) {
        tokio::select! {
            () = tokio::time::sleep(crate::clock::WAIT_MAX) => self.store_may_have = true,
            () = self.tracking.nudges().read_nudged(), if self.has_a_hand_free() => {
                self.store_may_have = true;
            }
            Some(handed) = self.handed.recv() => self.take_in(handed),
            Some(source) = self.told.recv() => self.ended(&source),
            Some(_) = self.readers.join_next() => self.store_may_have |= self.in_hand.is_empty(),
            () = stop.cancelled() => {}
        }
    }

    /// Finishes what has begun and gives back the rest, as far as it is still ours.
    async fn close(mut self) {
        self.tracking.reception().leave();
        while self.readers.join_next().await.is_some() {}
        self.handed.close();
        while let Some(handed) = self.handed.recv().await {
            self.take_in(handed);
        }
        let left = self.tracking.hands().empty();
        let released: Result<(), store::Error> = self
            .tracking
            .store()
            .write(Key::sightings(), move |tx| {
                store::raw_message::release(tx, &left)
            })
            .await;
        if let Err(error) = released {
            tracing::warn!(%error, "messages could not be given back; their leases run out by themselves");
        }
    }
}

/// How the two stages of a batch stand to those of the next one of its source.
struct Stages {
    second: Arc<Semaphore>,
    filed: Filed,
}

/// Tells that a batch is filed, or will not be, when it is dropped.
struct Filed {
    source: String,
    tell: mpsc::UnboundedSender<String>,
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

/// When it is the turn of what waits of a source in the store, because there was no room for it in hand. A turn that falls to a
/// moment in which the source is being read, or another one comes first, is owed.
#[derive(Default)]
struct StoresTurns {
    /// Batches from the hand since the last one.
    batches: BTreeMap<String, usize>,
}

impl StoresTurns {
    fn read_from_hand(&mut self, source: &str) {
        *self.batches.entry(source.to_owned()).or_default() += 1;
    }

    /// The sources that are owed one, and are not being read.
    fn owed(&self, busy: &BTreeSet<String>) -> BTreeSet<String> {
        let due = self.batches.iter().filter(|(_, all)| **all >= STORES_TURN);
        let due = due.map(|(source, _)| source.clone());
        due.filter(|source| !busy.contains(source)).collect()
    }

    /// These were looked for, and of one something was found, or of none.
    fn looked(&mut self, owed: &BTreeSet<String>, found: Option<&str>) {
        let had_it = |source: &&String| found.is_none_or(|found| found == source.as_str());
        owed.iter().filter(had_it).for_each(|source| {
            self.batches.remove(source);
        });
    }
}

/// The line in hand whose turn it is, of a source of which nothing is being filed.
///
/// A few messages are not filed while those before them are brought up to date: more come meanwhile, and a batch
/// of many costs little more than one of a few. Where there are many of the source, each of its lines has its turn.
fn next_of<'h>(
    in_hand: &'h BTreeMap<Kin, VecDeque<InHand>>,
    busy: &BTreeSet<String>,
    in_second_stage: &BTreeSet<String>,
    turns: &Turns,
) -> Option<&'h Kin> {
    let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
    for ((source, _), line) in in_hand {
        *waiting.entry(source).or_default() += line.len();
    }
    let is_worth_it = |source: &str| {
        !in_second_stage.contains(source) || waiting.get(source).is_some_and(|all| *all >= MANY)
    };
    let free = in_hand
        .iter()
        .filter(|((source, _), _)| !busy.contains(source) && is_worth_it(source));
    let next = free.min_by_key(|((source, account), line)| {
        let oldest = line.front().map(|one| one.message.id);
        (turns.place(source, *account), oldest)
    });
    next.map(|(kin, _)| kin)
}

/// Takes the first of a line that are read at once: a long one comes alone. What is not held any more goes, and whether
/// there was any comes back. Only as many are looked at as are taken: behind them thousands may wait.
fn take_held(
    line: &mut VecDeque<InHand>,
    is_held: impl Fn(RawMessageId) -> bool,
) -> (Vec<InHand>, bool) {
    let (mut taken, mut lost) = (Vec::new(), false);
    while taken.len() < TOGETHER_MAX as usize
        && let Some(one) = line.pop_front()
    {
        if !is_held(one.message.id) {
            lost = true;
            continue;
        }
        let is_long = one.message.body.len() > TOGETHER_BYTES_MAX as usize;
        if is_long && !taken.is_empty() {
            line.push_front(one);
            break;
        }
        taken.push(one);
        if is_long {
            break;
        }
    }
    (taken, lost)
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
        let Some(((source, account), claimed)) = claim(tracking, wanted).await?.taken else {
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
struct Wanted<'w> {
    answered_before: Timestamp,
    /// Sources that are left out.
    passed_over: &'w BTreeSet<String>,
    /// The only ones; `None`: all that are configured here.
    only: Option<&'w BTreeSet<String>>,
    turns: &'w Turns,
    /// What is in hand, which comes before all behind it.
    before: Option<(Place, RawMessageId)>,
}

/// What was found there.
struct Found {
    /// Messages of one source and account.
    taken: Option<(Kin, Vec<Claimed>)>,
    /// Whether anything waits.
    more: bool,
}

async fn claim(tracking: &Tracking, wanted: Wanted<'_>) -> Result<Found, store::Error> {
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
        more: kin.is_some() || before.is_some(),
        taken: kin.map(|kin| (kin, claimed)),
    })
}

/// Steps 2 and 3 for messages in hand, of one source and account. Those that were asked for, or tried before, come alone.
///
/// Where several cannot be read together, one of them may be at fault: each is read alone at once, so that the others do not
/// wait with it.
async fn work_off(
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
            close_all(tx, &closed, now).map_err(Stale::from)
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

fn close_all(tx: &mut Tx, readings: &[Reading], now: Timestamp) -> Result<(), store::Error> {
    let (sound, others): (Vec<&Reading>, Vec<&Reading>) =
        readings.iter().partition(|reading| reading.is_sound());
    let sound: Vec<RawMessageId> = sound.iter().map(|reading| reading.raw).collect();
    store::raw_message::mark_sound(tx, &sound)?;
    others.iter().try_for_each(|reading| reading.close(tx, now))
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
            store::raw_message::quarantine(tx, id, now, &reason, &[]).map_err(Stale::from)
        })
        .await
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use uuid::Uuid;

    use super::*;

    /// A line of messages of these lengths, numbered from nought.
    fn line(lengths: impl IntoIterator<Item = usize>) -> VecDeque<InHand> {
        let room = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let room = Arc::new(room);
        let messages = (0..).zip(lengths).map(|(number, length)| RawMessage {
            id: RawMessageId(Uuid::from_u128(number)),
            source: "line".into(),
            watch: None,
            account: None,
            question: String::new(),
            content_type: String::new(),
            received_at: Timestamp::UNIX_EPOCH,
            body: vec![b' '; length],
            digest: [0; 32],
        });
        let in_hand = messages.map(|message| InHand {
            message,
            _room: Arc::clone(&room),
        });
        in_hand.collect()
    }

    #[test]
    fn of_many_in_hand_each_line_has_its_turn_while_others_are_brought_up_to_date() {
        let busy = AccountId(Uuid::from_u128(1));
        let kin = |account| (String::from("line"), account);
        let mut in_hand = BTreeMap::from([
            (kin(Some(busy)), line(std::iter::repeat_n(1, MANY))),
            (kin(None), line([1])),
        ]);
        let second = BTreeSet::from([String::from("line")]);
        let mut turns = Turns::default();
        turns.take("line", None);
        let next = |in_hand: &BTreeMap<_, _>, turns: &Turns| {
            let none = BTreeSet::new();
            next_of(in_hand, &none, &second, turns).map(|(_, account)| *account)
        };
        assert_eq!(next(&in_hand, &turns), Some(Some(busy)));
        turns.take("line", Some(busy));
        assert_eq!(next(&in_hand, &turns), Some(None));
        in_hand.insert(kin(Some(busy)), line([1]));
        assert_eq!(next(&in_hand, &turns), None, "they are few");
        assert_eq!(
            next_of(&in_hand, &second, &BTreeSet::new(), &turns),
            None,
            "others are filed"
        );
    }

    #[test]
    fn a_turn_of_the_store_is_owed_until_its_source_was_looked_for() {
        let set = |names: &[&str]| -> BTreeSet<String> {
            names.iter().map(|name| (*name).into()).collect()
        };
        let mut turns = StoresTurns::default();
        for _ in 1..STORES_TURN {
            turns.read_from_hand("a");
        }
        assert_eq!(turns.owed(&set(&[])), set(&[]));
        turns.read_from_hand("a");
        assert_eq!(turns.owed(&set(&["a"])), set(&[]), "it is being read");
        // Others are read from the store meanwhile.
        turns.looked(&set(&[]), Some("c"));
        turns.looked(&set(&["a"]), Some("c"));
        assert_eq!(turns.owed(&set(&["c"])), set(&["a"]));
        turns.looked(&set(&["a"]), Some("a"));
        assert_eq!(turns.owed(&set(&[])), set(&[]));
        for _ in 0..STORES_TURN {
            turns.read_from_hand("a");
        }
        turns.looked(&set(&["a"]), None);
        assert_eq!(turns.owed(&set(&[])), set(&[]), "there is nothing of it");
    }

    fn numbers<'l>(line: impl IntoIterator<Item = &'l InHand>) -> Vec<u128> {
        let ids = line.into_iter().map(|one| one.message.id.0.as_u128());
        ids.collect()
    }

    #[test]
    fn of_a_long_line_only_those_are_looked_at_that_are_taken() {
        let most = u128::from(TOGETHER_MAX);
        let mut waiting = line(std::iter::repeat_n(1, 10_000));
        let asked = RefCell::new(Vec::new());
        let (taken, lost) = take_held(&mut waiting, |message| {
            asked.borrow_mut().push(message.0.as_u128());
            message.0.as_u128() != 1
        });
        let expected: Vec<u128> = (0..=most).filter(|number| *number != 1).collect();
        assert_eq!(numbers(&taken), expected, "one of them was lost");
        assert!(lost);
        assert_eq!(*asked.borrow(), (0..=most).collect::<Vec<u128>>());
        assert_eq!(numbers(waiting.front()), [most + 1]);
        assert_eq!(waiting.len() + taken.len() + 1, 10_000);
    }

    #[test]
    fn a_long_message_is_taken_alone() {
        let long = TOGETHER_BYTES_MAX as usize + 1;
        let mut waiting = line([1, 1, long, 1]);
        let mut next = || numbers(&take_held(&mut waiting, |_| true).0);
        assert_eq!(next(), [0, 1]);
        assert_eq!(next(), [2]);
        assert_eq!(next(), [3]);
        assert_eq!(next(), [0; 0]);
    }

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
