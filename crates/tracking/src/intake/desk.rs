//! The desk where messages are read: what is in hand, and which is next, of that and of what waits in the store.
//!
//! Messages wait in lines, and the lines have [turns](Turns): what is everybody's of each source, and what is each account's
//! own; in each line the oldest comes first. One batch of each source is read at a time and few at once: a long file of one
//! source delays only what came after it from the same source.
//!
//! What this node kept itself a moment ago is in hand. The rest waits in the store: what there was no room for in hand, answers to
//! questions nobody is left to take, what failed and is tried again, what another node had. To look there costs a
//! transaction, so while there is something in hand it is done by [turns](StoresTurns): of each source after some batches
//! of it from the hand, and of all that have nothing in hand after some batches of anybody's. So neither waits for a moment in
//! which hands are empty, which may never come.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use domain::ids::RawMessageId;
use jiff::Timestamp;
use store::Key;
use store::raw_message::{Claimed, Place, RawMessage, TOGETHER_BYTES_MAX, TOGETHER_MAX, Turns};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::hands::keep_hold;
use super::reception::Handed;
use super::unread::{Filed, Found, Kin, Stages, Wanted, claim, work_off};
use crate::Tracking;

/// Sources of which messages are filed at once on one node.
const FILING_MAX: usize = 2;
/// Readers at once on one node, those in their second stage too.
const READERS_MAX: usize = 4;
/// So many messages of a source are filed while others of it are brought up to date.
const MANY: usize = TOGETHER_MAX as usize / 2;
/// After so many batches from the hand it is the turn of what waits in the store: of a source's own for what waits of it, of
/// anybody's for what waits of those that have nothing in hand.
const STORES_TURN: usize = 8;

/// Reads messages as they come, until told to stop.
pub(crate) async fn run(tracking: Tracking, stop: CancellationToken) {
    tokio::select! {
        () = attend(tracking.clone(), stop) => {}
        never = keep_hold(&tracking) => match never {},
    }
}

async fn attend(tracking: Tracking, stop: CancellationToken) {
    let mut desk = Desk::open(tracking);
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
    /// Whether the last look left out sources whose batch was brought up to date: what waits of them may come when that ends.
    left_out: bool,
}

struct InHand {
    message: RawMessage,
    /// Room is given back when the last message that shares it is taken up.
    _room: Arc<OwnedSemaphorePermit>,
}

impl Desk {
    fn open(tracking: Tracking) -> Self {
        // Bounded by the readers, who tell it once each.
        let (filed, told) = mpsc::unbounded_channel();
        Self {
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
            left_out: false,
            tracking,
        }
    }

    /// Notes which readers have finished and what was handed over meanwhile.
    fn look_around(&mut self) {
        while self.readers.try_join_next().is_some() {
            self.reader_ended();
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

    /// A batch is brought up to date.
    fn reader_ended(&mut self) {
        self.store_may_have |= std::mem::take(&mut self.left_out) || self.in_hand.is_empty();
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
        if let Some(found) = self.of_stores_turn().await? {
            return Ok(Some(found));
        }
        let kin = self.next_in_hand();
        if !self.something_is_left && (kin.is_some() || !self.store_may_have) {
            return Ok(self.take_next());
        }
        let in_second_stage: BTreeSet<String> = self.in_second_stage().collect();
        let mut passed_over = self.busy.clone();
        passed_over.extend(in_second_stage.iter().cloned());
        if self.something_is_left {
            // Of the source that is next what is left comes first, also while another batch of it is brought up to date.
            if let Some((source, _)) = &kin {
                passed_over.remove(source);
            }
        } else {
            // What is in hand came before what there was no room for.
            passed_over.extend(self.sources_in_hand());
        }
        let before = kin.as_ref().and_then(|kin| {
            let oldest = self.in_hand.get(kin)?.front()?.message.id;
            Some((self.turns.place(&kin.0, kin.1), oldest))
        });
        let Found { taken, more } = self.claim(&passed_over, None, before).await?;
        self.store_may_have = more;
        self.left_out = !in_second_stage.is_empty();
        self.something_is_left &= more || !passed_over.is_empty();
        Ok(taken.or_else(|| self.take_next()))
    }

    /// What is found in the store where it is owed a turn.
    async fn of_stores_turn(&mut self) -> Result<Option<(Kin, Vec<Claimed>)>, store::Error> {
        let owed = self.stores_turns.owed(&self.busy);
        if !owed.is_empty() {
            let Found { taken, more } = self.claim(&self.busy, Some(&owed), None).await?;
            let whose = taken.as_ref().map(|((source, _), _)| source.as_str());
            // Another node that was quicker has had nobody's turn here.
            if taken.is_some() || !more {
                self.stores_turns.looked(&owed, whose);
            }
            if taken.is_some() {
                return Ok(taken);
            }
        }
        if !self.stores_turns.rest_is_owed() {
            return Ok(None);
        }
        let mut others = self.busy.clone();
        others.extend(self.sources_in_hand());
        // A batch of theirs would only wait, and others could be filed meanwhile. Where nothing else is found they are
        // looked for after the next batch.
        let later: BTreeSet<String> = self.in_second_stage().collect();
        let leaves_out = !later.is_subset(&others);
        others.extend(later);
        let Found { taken, more } = self.claim(&others, None, None).await?;
        self.stores_turns
            .looked_for_the_rest(taken.is_none() && (more || leaves_out));
        Ok(taken)
    }

    fn sources_in_hand(&self) -> impl Iterator<Item = String> {
        self.in_hand.keys().map(|(source, _)| source.clone())
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

    /// The first of the line in hand whose turn it is. Of some nothing is ours any more: then it is the next one's turn.
    fn take_next(&mut self) -> Option<(Kin, Vec<Claimed>)> {
        while let Some(kin) = self.next_in_hand() {
            let taken = self.take(&kin);
            if !taken.is_empty() {
                return Some((kin, taken));
            }
        }
        None
    }

    /// What is read at once of a line, as far as it is still ours; nothing: then there is no such line any more.
    fn take(&mut self, kin: &Kin) -> Vec<Claimed> {
        let mut line = self.in_hand.remove(kin).unwrap_or_default();
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
        if !taken.is_empty() {
            self.stores_turns.read_from_hand(&kin.0);
        }
        if !line.is_empty() {
            self.in_hand.insert(kin.clone(), line);
        }
        taken
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
            Some(_) = self.readers.join_next() => self.reader_ended(),
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

/// When it is the turn of what waits in the store while there is something in hand: of a source that has something there, and of
/// those that have nothing. A turn of a source that falls to a moment in which it is being read, or another one comes
/// first, is owed.
#[derive(Default)]
struct StoresTurns {
    /// Of each source, its batches from the hand since its last one.
    batches: BTreeMap<String, usize>,
    /// Batches of anybody since that of the rest.
    since_the_rest: usize,
}

impl StoresTurns {
    fn read_from_hand(&mut self, source: &str) {
        *self.batches.entry(source.to_owned()).or_default() += 1;
        self.since_the_rest += 1;
    }

    /// Whether it is the turn of those that have nothing in hand.
    fn rest_is_owed(&self) -> bool {
        self.since_the_rest >= STORES_TURN
    }

    /// They were looked for; in vain, though there may be something: then again after the next batch.
    fn looked_for_the_rest(&mut self, in_vain: bool) {
        self.since_the_rest = if in_vain { STORES_TURN - 1 } else { 0 };
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use domain::ids::AccountId;
    use domain::trust::Trust;
    use jiff::SignedDuration;
    use sources::Profile;
    use sources::outbound::{EgressSettings, Limits, Outbound};
    use sources::registry::Registry;
    use store::raw_message::{self, Compared, Sent};
    use store::{Database, Settings, Store};
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::clock::ManualClock;
    use crate::{LEASE_DEFAULT, NOTIFICATIONS_KEPT_DEFAULT, Parts, Source, Vault};

    /// A desk at which nothing is read: what would be is told.
    struct Ground {
        desk: Desk,
        _folder: TempDir,
    }

    impl Ground {
        /// Where sources `a`, `b` and `c` push. Nothing is left of an earlier run, and nobody says that the store has anything.
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.db");
            let sources = ["a", "b", "c"].map(|id| {
                let profile = format!(
                    "id = \"{id}\"\nprotocol = \"dcsa-2\"\nscac = [\"NWLX\"]\n[endpoint]\nbase = \"https://{id}.invalid\""
                );
                Source::unasked(Profile::parse(&profile).unwrap())
            });
            let egress = EgressSettings::default();
            let tracking = Tracking::new(Parts {
                store: Store::open(&Settings::new(Database::Sqlite { path })).unwrap(),
                registry: Registry::load(&[]).unwrap(),
                sources: sources.into(),
                outbound: Outbound::new(egress.clone()).unwrap(),
                egress,
                clock: Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH)),
                vault: Vault::new(&[7; 32]),
                base_url: "http://127.0.0.1/v2".into(),
                lease: LEASE_DEFAULT,
                attempt: Limits::DELIVERY,
                notifications_kept: NOTIFICATIONS_KEPT_DEFAULT,
                trust: Trust::default(),
            });
            let mut desk = Desk::open(tracking);
            (desk.something_is_left, desk.store_may_have) = (false, false);
            Self {
                desk,
                _folder: folder,
            }
        }

        /// These wait in the store.
        async fn stored(&self, source: &str, numbers: impl IntoIterator<Item = u128>) {
            let sent: Vec<Sent> = numbers
                .into_iter()
                .map(|number| Sent {
                    message: message(source, number),
                    compared: Compared::WithAll,
                })
                .collect();
            let store = self.desk.tracking.store();
            let kept = store.write(Key::sightings(), move |tx| {
                raw_message::receive_all(tx, &sent, None)
            });
            kept.await.unwrap();
        }

        /// These come to hand.
        fn handed(&mut self, source: &str, numbers: impl IntoIterator<Item = u128>) {
            let messages = numbers.into_iter().map(|number| message(source, number));
            let messages: Vec<RawMessage> = messages.collect();
            let ids = messages.iter().map(|message| message.id);
            let until = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(1);
            self.desk.tracking.hands().take(ids, until);
            let room = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
            self.desk.take_in(Handed { messages, room });
        }

        /// A batch of this source is brought up to date for as long as this lives.
        fn second_stage(&mut self, source: &str) -> OwnedSemaphorePermit {
            let stages = &mut self.desk.second_stages;
            let stage = stages
                .entry(source.to_owned())
                .or_insert_with(|| Arc::new(Semaphore::new(1)));
            Arc::clone(stage).try_acquire_owned().unwrap()
        }

        /// Whose messages are read now, and which.
        async fn next(&mut self) -> Option<(String, Vec<u128>)> {
            let ((source, account), taken) = self.desk.next().await.unwrap()?;
            self.desk.turns.take(&source, account);
            let numbers = taken.iter().map(|one| one.message.id.0.as_u128());
            Some((source, numbers.collect()))
        }
    }

    fn message(source: &str, number: u128) -> RawMessage {
        let mut digest = [0; 32];
        digest[..16].copy_from_slice(&number.to_be_bytes());
        RawMessage {
            id: RawMessageId(Uuid::from_u128(number)),
            source: source.into(),
            watch: None,
            account: None,
            question: String::new(),
            content_type: String::new(),
            received_at: Timestamp::UNIX_EPOCH,
            body: vec![b' '],
            digest,
        }
    }

    /// Answers that are only kept, what failed and what a killed node had are in no hand, and hands may never be empty.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_waits_in_the_store_alone_has_its_turn_while_others_always_have_something_in_hand()
    {
        let mut ground = Ground::new();
        ground.stored("c", [1, 2]).await;
        let (mut read, mut number) = (Vec::new(), 100);
        for _ in 0..=STORES_TURN {
            for source in ["a", "b"] {
                ground.handed(source, number..number + 2 * MANY as u128);
                number += 1_000;
            }
            read.push(ground.next().await.unwrap());
        }
        let of_store = read.iter().filter(|(source, _)| source == "c");
        assert_eq!(of_store.count(), 1, "{read:?}");
        assert!(read.contains(&("c".into(), vec![1, 2])), "{read:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_the_stores_turn_leaves_out_is_looked_for_after_the_next_batch() {
        let mut ground = Ground::new();
        ground.stored("c", [1]).await;
        for source in ["a", "b"] {
            ground.handed(source, (0..10).map(|number| 1_000 + number));
        }
        ground.desk.stores_turns.since_the_rest = STORES_TURN;
        let of_c = ground.second_stage("c");
        assert_ne!(ground.next().await.unwrap().0, "c", "it would only wait");
        drop(of_c);
        assert_eq!(ground.next().await, Some(("c".into(), vec![1])));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_turn_that_is_owed_to_a_source_goes_to_no_other_that_waits() {
        let mut ground = Ground::new();
        ground.stored("c", [1]).await;
        ground.stored("a", [2]).await;
        for place in 0..STORES_TURN as u128 {
            ground.handed("a", [100 + place]);
            ground.desk.stores_turns.since_the_rest = 0;
            assert_eq!(ground.next().await.unwrap().1, [100 + place]);
        }
        ground.handed("a", [200]);
        ground.desk.stores_turns.since_the_rest = 0;
        assert_eq!(ground.next().await, Some(("a".into(), vec![2])));
        assert_eq!(ground.next().await, Some(("a".into(), vec![200])));
    }

    /// Others have something in hand all the while, so that nothing else leads to the store.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_left_out_while_its_source_was_brought_up_to_date_comes_when_that_ends() {
        let mut ground = Ground::new();
        ground.stored("a", [1]).await;
        ground.handed("b", [100]);
        let (of_a, _of_b) = (ground.second_stage("a"), ground.second_stage("b"));
        ground.desk.store_may_have = true;
        assert_eq!(ground.next().await, None);
        drop(of_a);
        ground.desk.reader_ended();
        assert_eq!(ground.next().await, Some(("a".into(), vec![1])));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_an_earlier_run_left_comes_before_what_is_in_hand_of_its_line() {
        let mut ground = Ground::new();
        ground.desk.something_is_left = true;
        ground.stored("a", [1, 2]).await;
        ground.handed("a", 100..100 + MANY as u128);
        let _of_a = ground.second_stage("a");
        assert_eq!(ground.next().await, Some(("a".into(), vec![1, 2])));
        assert_eq!(ground.next().await.unwrap().1[0], 100);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_line_of_which_nothing_is_ours_any_more_keeps_no_other_waiting() {
        let mut ground = Ground::new();
        ground.handed("a", [1]);
        ground.handed("b", [2]);
        ground.desk.tracking.hands().let_go(&[message("a", 1).id]);
        assert_eq!(ground.next().await, Some(("b".into(), vec![2])));
        assert_eq!(ground.next().await, None);
    }

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
}
