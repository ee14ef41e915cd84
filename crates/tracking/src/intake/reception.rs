//! Reception: messages that come by themselves at the same time are kept in one commit, and stay in hand.
//!
//! Sixty-four pushes at once are sixty-four callers who wait for a commit. Whoever comes while a commit is under way
//! waits for the next one, together with all others who came meanwhile: one statement looks whether they are known,
//! one writes them.
//!
//! What was just written need not be claimed and read back by the reader beside it: a long file would be held twice for
//! that. So messages are written under the reader's lease and handed to it as they are, as long as it is there and has
//! room. Everything else waits in the store to be claimed: those beyond the room, those that come while nobody reads
//! here. A node that dies loses nothing: its leases run out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ids::RawMessageId;
use jiff::Timestamp;
use store::raw_message::{self, RawMessage, Receipt, Sent};
use store::{Error, Key};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::Hands;
use crate::Tracking;

/// Messages kept in one commit.
const COMMIT_MESSAGES_MAX: usize = 128;
/// Bytes after which a commit takes no more.
const COMMIT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Kibibytes of messages in hand, written and not yet read; each counts as one more than it is long.
const IN_HAND_KIB_MAX: usize = 16 * 1024;
/// Longest time until who sends is answered.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Messages that wait for a commit; beyond it who sends is refused for now.
const WAITING_MAX: usize = 4_096;

/// Messages on their way in, and the reader they are handed to.
#[derive(Default)]
pub(crate) struct Reception {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Arrival>,
    /// Whether a task keeps what waits.
    is_open: bool,
    reader: Option<Reader>,
}

struct Arrival {
    sent: Sent,
    kept: oneshot::Sender<Result<Receipt, Error>>,
}

#[derive(Clone)]
struct Reader {
    hand_over: mpsc::UnboundedSender<Handed>,
    room: Arc<Semaphore>,
}

/// Messages that are in [hand](Hands): stored, and leased to this node.
pub(super) struct Handed {
    pub(super) messages: Vec<RawMessage>,
    /// Room for them is taken as long as this lives.
    pub(super) room: OwnedSemaphorePermit,
}

impl Reception {
    /// Keeps a message together with those that come at the same time; answers after the commit.
    pub(super) async fn keep(&self, tracking: &Tracking, sent: Sent) -> Result<Receipt, Error> {
        let (kept, answer) = oneshot::channel();
        let opens = {
            let mut state = self.lock();
            let waiting = state.waiting.len();
            if waiting >= WAITING_MAX {
                return Err(Error::Busy { waiting });
            }
            state.waiting.push(Arrival { sent, kept });
            !std::mem::replace(&mut state.is_open, true)
        };
        if opens {
            // On its own: a caller that goes away takes nobody with it, and what he named is no part of what others bring.
            tokio::spawn(keep_all(tracking.unnamed()));
        }
        let gone = || Err(Error::Unavailable("the reception has closed".into()));
        // One that is kept after that is known when it comes again.
        match tokio::time::timeout(ANSWER_MAX, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_| gone()),
            Err(_) => Err(Error::TimedOut),
        }
    }

    /// From now on messages are handed to who holds the receiver; one reader at a time.
    pub(super) fn attend(&self) -> mpsc::UnboundedReceiver<Handed> {
        // Bounded by the room that each message takes.
        let (hand_over, handed) = mpsc::unbounded_channel();
        self.lock().reader = Some(Reader {
            hand_over,
            room: Arc::new(Semaphore::new(IN_HAND_KIB_MAX)),
        });
        handed
    }

    /// From now on nobody reads here.
    pub(super) fn leave(&self) {
        self.lock().reader = None;
    }

    /// What is kept in the next commit; `None`: nobody waits, and who comes next opens again.
    fn next(&self) -> Option<Vec<Arrival>> {
        let mut state = self.lock();
        let mut bytes = 0;
        let fits = |arrival: &&Arrival| {
            let had_room = bytes < COMMIT_BYTES_MAX;
            bytes += arrival.sent.message.body.len();
            had_room
        };
        let count = state.waiting.iter().take(COMMIT_MESSAGES_MAX);
        let count = count.take_while(fits).count();
        state.is_open = count > 0;
        (count > 0).then(|| state.waiting.drain(..count).collect())
    }

    /// The reader, with room for these messages.
    fn reader_for(&self, sent: &[Sent]) -> Option<(Reader, OwnedSemaphorePermit)> {
        let reader = self.lock().reader.clone()?;
        let kibibytes = sent.iter().map(|sent| sent.message.body.len() / 1024 + 1);
        let kibibytes = u32::try_from(kibibytes.sum::<usize>()).ok()?;
        let room = Arc::clone(&reader.room).try_acquire_many_owned(kibibytes);
        Some((reader, room.ok()?))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps what waits, commit after commit, until nobody waits.
async fn keep_all(tracking: Tracking) {
    while let Some(arrivals) = tracking.reception().next() {
        keep_some(&tracking, arrivals).await;
    }
}

async fn keep_some(tracking: &Tracking, arrivals: Vec<Arrival>) {
    let (sent, waiting): (Vec<Sent>, Vec<_>) = arrivals
        .into_iter()
        .map(|arrival| (arrival.sent, arrival.kept))
        .unzip();
    let reader = tracking.reception().reader_for(&sent);
    let leased_until = reader.is_some().then(|| tracking.message_lease());
    let rows = Arc::new(sent);
    let written = Arc::clone(&rows);
    let kept: Result<Vec<Receipt>, Error> = tracking
        .store()
        .write(Key::sightings(), move |tx| {
            raw_message::receive_all(tx, &written, leased_until)
        })
        .await;
    match kept {
        Ok(receipts) => {
            for (kept, receipt) in waiting.into_iter().zip(&receipts) {
                // A caller that has gone needs no answer.
                let _ = kept.send(Ok(*receipt));
            }
            match reader.zip(leased_until) {
                Some((reader, until)) => {
                    hand_over(tracking.hands(), reader, rows, &receipts, until);
                }
                None if receipts.contains(&Receipt::Fresh) => tracking.nudges().read(),
                None => {}
            }
        }
        Err(error) => {
            for kept in waiting {
                let _ = kept.send(Err(error.clone()));
            }
        }
    }
}

/// Hands over what is new.
fn hand_over(
    hands: &Hands,
    (reader, room): (Reader, OwnedSemaphorePermit),
    rows: Arc<Vec<Sent>>,
    receipts: &[Receipt],
    leased_until: Timestamp,
) {
    let rows = Arc::try_unwrap(rows).unwrap_or_else(|shared| shared.as_ref().clone());
    let fresh = rows.into_iter().zip(receipts);
    let fresh = fresh.filter(|(_, receipt)| **receipt == Receipt::Fresh);
    let messages: Vec<RawMessage> = fresh.map(|(row, _)| row.message).collect();
    if !messages.is_empty() {
        let ids: Vec<RawMessageId> = messages.iter().map(|message| message.id).collect();
        hands.take(ids.iter().copied(), leased_until);
        if reader.hand_over.send(Handed { messages, room }).is_err() {
            // A reader that has just gone gives nothing back: the lease runs out.
            hands.let_go(&ids);
        }
    }
}
