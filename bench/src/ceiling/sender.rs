//! The ceiling of deliveries: the smallest durable sender.
//!
//! Sixty-four callers hand in messages, inside the process or over HTTP ([`pushed`]). A message and its outbox row are
//! committed before its caller is answered; then it is signed and posted on a connection that stays open, and the
//! attempt is recorded and the outbox row removed in a later commit. Writers take all that waits (up to 512) into one
//! commit. No order, no retries, no accounts, no second signature, no check of addresses.
//!
//! Its messages are bodies that ours has sent, each kept as it is: of one letter, repeated, PostgreSQL would keep next
//! to nothing.

mod desk;
mod door;
mod lane;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result, anyhow, ensure};
use bytes::Bytes;
use store::Database;
use tokio::sync::{mpsc as lanes, oneshot};
use tokio::task::JoinSet;
use uuid::Uuid;

use self::desk::{Desk, PostgresDesk, SqliteDesk};
use crate::dice::Dice;
use crate::ground::Ground;
use crate::machine::Meter;
use crate::receiver::{Log, Receiver};
use crate::service::runtime;
use crate::table::Rate;

/// Callers, each with a connection to the receiver.
const CALLERS: u32 = 64;
/// Committed messages that wait for a connection.
const WAITING_MAX: usize = 4;
/// Notes in one commit.
const COMMIT_NOTES_MAX: usize = 512;
/// Writing connections to PostgreSQL; SQLite has one writer.
const POSTGRES_WRITERS: usize = 2;

/// What a writer is told.
enum Note {
    /// A message to be kept; its caller waits.
    Message {
        id: Uuid,
        body: Bytes,
        kept: oneshot::Sender<()>,
    },
    /// A message was answered.
    Attempt { id: Uuid, status: u16 },
}

/// Where notes go: a message and its attempt to the same writer.
#[derive(Clone)]
struct Desks(Vec<mpsc::Sender<Note>>);

impl Desks {
    fn tell(&self, id: Uuid, note: Note) -> Result<()> {
        let place = usize::try_from(id.as_u128() & 0xffff)? % self.0.len().max(1);
        let desk = self.0.get(place).context("no writer")?;
        desk.send(note).map_err(|_| anyhow!("a writer has ended"))
    }
}

/// Sends `count` of these messages, one after the other and again, handed in inside the process.
pub fn run(ground: &Ground, messages: &Messages, count: u32) -> Result<Rate> {
    send(ground, count, async |desks, receiver| {
        send_all(desks, receiver, messages, count).await
    })
}

/// Sends a message for each of these bodies, handed in over HTTP by [`crate::driver::Pushes`].
pub fn pushed(ground: &Ground, messages: &Messages, bodies: &[Bytes]) -> Result<Rate> {
    let count = u32::try_from(bodies.len())?;
    send(ground, count, async |desks, receiver| {
        door::take_in(desks, receiver, messages.clone(), bodies.to_vec()).await
    })
}

/// What is sent.
#[derive(Clone)]
pub struct Messages(Arc<[Bytes]>);

impl Messages {
    /// Bodies that ours has sent.
    pub fn new(bodies: Vec<Bytes>) -> Result<Self> {
        ensure!(!bodies.is_empty(), "ours has sent nothing");
        Ok(Self(bodies.into()))
    }

    /// The message of this number.
    fn get(&self, number: usize) -> Bytes {
        let place = number % self.0.len().max(1);
        self.0.get(place).cloned().unwrap_or_default()
    }
}

fn send(
    ground: &Ground,
    count: u32,
    hand_in: impl AsyncFnOnce(&Desks, &Receiver) -> Result<()>,
) -> Result<Rate> {
    let (desks, writers) = open(ground)?;
    let receiver = Receiver::open(Log::Nothing)?;
    let runtime = runtime()?;
    let meter = Meter::start(ground.server);
    runtime.block_on(hand_in(&desks, &receiver))?;
    drop(desks);
    let mut recorded = 0;
    for writer in writers {
        recorded += writer.join().map_err(|_| anyhow!("a writer panicked"))??;
    }
    let spent = meter.spent();
    ensure!(
        recorded == count,
        "{recorded} of {count} attempts were recorded"
    );
    ensure!(
        receiver.arrivals() == u64::from(count),
        "{} arrived",
        receiver.arrivals()
    );
    Ok(Rate::of(count, spent))
}

type Writer = JoinHandle<Result<u32>>;

fn open(ground: &Ground) -> Result<(Desks, Vec<Writer>)> {
    let mut desks = Vec::new();
    let mut writers = Vec::new();
    match &ground.database {
        Database::Sqlite { path } => {
            let desk = SqliteDesk::open(path)?;
            let (tell, notes) = mpsc::channel();
            desks.push(tell);
            writers.push(std::thread::spawn(move || write_all(desk, &notes)));
        }
        Database::Postgres { url } => {
            PostgresDesk::make_tables(url)?;
            for _ in 0..POSTGRES_WRITERS {
                let (tell, notes) = mpsc::channel();
                let url = url.clone();
                desks.push(tell);
                writers.push(std::thread::spawn(move || {
                    write_all(PostgresDesk::open(&url)?, &notes)
                }));
            }
        }
    }
    Ok((Desks(desks), writers))
}

/// Group commit: the commit under way is the timer. Returns how many attempts were recorded.
fn write_all(mut desk: impl Desk, notes: &mpsc::Receiver<Note>) -> Result<u32> {
    let mut attempts = 0;
    while let Ok(first) = notes.recv() {
        let more = notes.try_iter().take(COMMIT_NOTES_MAX - 1);
        let group: Vec<Note> = std::iter::once(first).chain(more).collect();
        desk.write(&group)?;
        for note in group {
            match note {
                // A caller that has gone needs no answer.
                Note::Message { kept, .. } => drop(kept.send(())),
                Note::Attempt { .. } => attempts += 1,
            }
        }
    }
    Ok(attempts)
}

async fn send_all(
    desks: &Desks,
    receiver: &Receiver,
    messages: &Messages,
    count: u32,
) -> Result<()> {
    let next = Arc::new(AtomicU32::new(0));
    let mut tasks = JoinSet::new();
    for caller in 0..CALLERS {
        let (hand_over, waiting) = lanes::channel(WAITING_MAX);
        let lane = lane::Lane::open(receiver.address, desks.clone()).await?;
        tasks.spawn(lane.send(waiting));
        tasks.spawn(call(
            caller,
            count,
            Arc::clone(&next),
            messages.clone(),
            desks.clone(),
            hand_over,
        ));
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// One caller: hands in messages until all are handed in.
async fn call(
    caller: u32,
    count: u32,
    next: Arc<AtomicU32>,
    messages: Messages,
    desks: Desks,
    hand_over: lanes::Sender<(Uuid, Bytes)>,
) -> Result<()> {
    let mut dice = Dice(u64::from(caller));
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(());
        }
        let id = Uuid::from_bytes(dice.key());
        let body = messages.get(usize::try_from(number)?);
        let (kept, answer) = oneshot::channel();
        let note = Note::Message {
            id,
            body: body.clone(),
            kept,
        };
        desks.tell(id, note)?;
        answer.await?;
        hand_over.send((id, body)).await?;
    }
}
