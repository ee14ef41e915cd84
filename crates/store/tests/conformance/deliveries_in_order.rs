//! Order, exclusion and progress of deliveries under random and concurrent work.
//!
//! Runs print their seed; `QUAYSIDE_TEST_SEED` repeats one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::webhook::Verdict;
use store::delivery::{self, Claimed};
use store::{Database, Error, Key, Store, notification};
use uuid::Uuid;

use crate::bench::{Bench, at, begin, id, notification_row, seed};
use crate::deliveries::{claim, claim_due, outcome, overlooked, settle};

on_both_engines!(
    a_claim_never_passes_an_open_one_of_its_line,
    concurrent_claimers_share_without_overlap_or_loss,
    a_row_met_while_its_head_is_being_ended_is_not_forgotten,
    an_overlooked_head_is_woken_and_nobody_behind_it,
);

/// A small generator: the same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn seeded() -> (u64, Self) {
        let seed = seed();
        (seed, Self(seed))
    }

    /// SplitMix64, below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

type Line = (WebhookId, Uuid);

fn line_of(claimed: &Claimed) -> Line {
    (
        claimed.notification.webhook,
        claimed.notification.container.unwrap().0,
    )
}

/// Inserts, claims, outcomes, repeats and expiring leases in random order against a model of what is open.
async fn a_claim_never_passes_an_open_one_of_its_line(bench: &Bench) {
    let (seed, mut dice) = Dice::seeded();
    let account = bench.account().await;
    let mut lines: Vec<Line> = Vec::new();
    for _ in 0..3 {
        let hook = bench.webhook(account).await;
        lines.extend((0..3).map(|_| (hook, id::<Uuid>())));
    }
    let mut open: BTreeMap<Line, Vec<NotificationId>> = BTreeMap::new();
    let mut sequences: HashMap<Line, i64> = HashMap::new();
    let mut held: Vec<Claimed> = Vec::new();
    let mut clock = 1;
    for step in 0..150 {
        clock += i64::try_from(dice.roll(20)).unwrap();
        match dice.roll(4) {
            0 => {
                let mut rows = Vec::new();
                for _ in 0..=dice.roll(6) {
                    let line = lines[usize::try_from(dice.roll(9)).unwrap()];
                    let sequence = sequences.entry(line).or_default();
                    *sequence += 1;
                    let row = notification_row(line.0, line.1, *sequence);
                    open.entry(line).or_default().push(row.0.id);
                    rows.push(row);
                }
                bench
                    .write(move |tx| notification::insert(&mut tx.account(account), &rows))
                    .await;
            }
            1 | 2 => {
                let limit = u32::try_from(dice.roll(8)).unwrap() + 1;
                let claimed = claim(bench, at(clock), at(clock + 30), limit).await;
                assert!(claimed.len() <= limit as usize, "seed {seed}, step {step}");
                for claimed in &claimed {
                    let line = &open[&line_of(claimed)];
                    assert_eq!(
                        line[0], claimed.notification.id,
                        "seed {seed}, step {step}: passed an open one of its line"
                    );
                    held.retain(|earlier| earlier.notification.id != claimed.notification.id);
                }
                held.extend(claimed);
            }
            _ => {
                let mut outcomes = Vec::new();
                for claimed in std::mem::take(&mut held) {
                    let verdict = match dice.roll(5) {
                        0 => {
                            held.push(claimed);
                            continue;
                        }
                        1 => Verdict::RetryAt(at(clock + 40)),
                        2 => Verdict::Failed,
                        _ => Verdict::Succeeded,
                    };
                    if !matches!(verdict, Verdict::RetryAt(_)) {
                        open.get_mut(&line_of(&claimed)).unwrap().remove(0);
                    }
                    outcomes.push(outcome(&claimed, verdict));
                }
                let told = outcomes.len();
                assert_eq!(
                    settle(bench, outcomes).await,
                    told,
                    "seed {seed}, step {step}"
                );
            }
        }
    }
    let left: usize = open.values().map(Vec::len).sum();
    drain(bench, seed, clock + 1_000, left).await;
}

/// Everything that is open can be delivered: nothing is stuck.
async fn drain(bench: &Bench, seed: u64, now: i64, mut left: usize) {
    while left > 0 {
        let claimed = claim(bench, at(now), at(now + 30), 100).await;
        assert!(!claimed.is_empty(), "seed {seed}: {left} are stuck");
        left -= claimed.len();
        let outcomes = claimed
            .iter()
            .map(|c| outcome(c, Verdict::Succeeded))
            .collect();
        settle(bench, outcomes).await;
    }
    assert_eq!(bench.read(delivery::open_count).await, 0);
}

/// The race that could park a row for good: a claim meets it while the end of its head is not yet committed.
async fn a_row_met_while_its_head_is_being_ended_is_not_forgotten(bench: &Bench) {
    let account = bench.account().await;
    let line: Line = (bench.webhook(account).await, id());
    let rows = [1, 2].map(|sequence| notification_row(line.0, line.1, sequence));
    let [first, second] = rows.map(|row| [row]);
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &first))
        .await;
    let head = claim(bench, at(0), at(1_000), 1).await.remove(0);
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &second))
        .await;
    let ended = outcome(&head, Verdict::Succeeded);
    let other_node = match &bench.server {
        Some(_) => Store::open(&bench.settings).unwrap(),
        None => bench.store.clone(),
    };
    let store = bench.store.clone();
    let (begun, has_begun) = std::sync::mpsc::channel();
    let ending = begin(async move {
        store
            .write(Key::webhook(line.0), move |tx| {
                let settled = delivery::settle(tx, std::slice::from_ref(&ended))?;
                let _ = begun.send(());
                std::thread::sleep(Duration::from_millis(300));
                Ok::<_, Error>(settled.counted)
            })
            .await
    });
    has_begun.recv().unwrap();
    let met: Result<Vec<Claimed>, Error> = other_node
        .write(Key::webhook(line.0), |tx| {
            claim_due(
                tx,
                at(1),
                at(1_000),
                Uuid::nil(),
                delivery::Room::anywhere(10),
            )
        })
        .await;
    assert_eq!(ending.await.unwrap(), Ok(1));
    let met = met.unwrap().len();
    let found = claim(bench, at(20), at(1_000), 10).await.len();
    assert_eq!(met + found, 1, "it is due now that it is the head");
}

const WEBHOOKS: usize = 4;
const LINES: usize = 6;
const PER_LINE: i64 = 25;

/// What was delivered, in the order in which it was.
type Delivered = Arc<Mutex<HashMap<Line, Vec<i64>>>>;

async fn concurrent_claimers_share_without_overlap_or_loss(bench: &Bench) {
    let account = bench.account().await;
    let mut lines: Vec<Line> = Vec::new();
    for _ in 0..WEBHOOKS {
        let hook = bench.webhook(account).await;
        lines.extend((0..LINES).map(|_| (hook, id::<Uuid>())));
    }
    // On PostgreSQL a second node beside the first.
    let nodes = match &bench.server {
        Some(_) => vec![bench.store.clone(), Store::open(&bench.settings).unwrap()],
        None => vec![bench.store.clone()],
    };
    let delivered = Delivered::default();
    let mut tasks = tokio::task::JoinSet::new();
    for chunk in lines.chunks(3) {
        let (node, chunk) = (nodes[0].clone(), chunk.to_vec());
        tasks.spawn(async move { produce(node, account, chunk).await });
    }
    for place in 0..4 {
        let node = nodes[place % nodes.len()].clone();
        tasks.spawn(deliver(node, Arc::clone(&delivered)));
    }
    tasks.join_all().await;
    let delivered = delivered.lock().unwrap();
    let expected: Vec<i64> = (1..=PER_LINE).collect();
    for line in &lines {
        assert_eq!(delivered[line], expected, "each once, in order");
    }
}

/// Inserts one notification after the other into each line.
async fn produce(node: Store, account: AccountId, lines: Vec<Line>) {
    for sequence in 1..=PER_LINE {
        for line in lines.clone() {
            let row = [notification_row(line.0, line.1, sequence)];
            let inserted: Result<usize, Error> = node
                .write(Key::account(account), move |tx| {
                    notification::insert(&mut tx.account(account), &row)
                })
                .await;
            assert_eq!(inserted, Ok(1));
        }
    }
}

/// Claims and settles until everything is delivered. Leases never end, so nothing may come twice, and nothing
/// is repaired by time.
async fn deliver(node: Store, delivered: Delivered) {
    let all = WEBHOOKS * LINES * usize::try_from(PER_LINE).unwrap();
    let mut idle = 0;
    loop {
        let owner = id();
        let claimed: Result<Vec<Claimed>, Error> = node
            .write(Key::webhook(id()), move |tx| {
                claim_due(
                    tx,
                    at(100),
                    at(1_000_000),
                    owner,
                    delivery::Room::anywhere(7),
                )
            })
            .await;
        let claimed = claimed.unwrap();
        let lines: HashSet<Line> = claimed.iter().map(line_of).collect();
        assert_eq!(lines.len(), claimed.len(), "one of a line at a time");
        for claimed in &claimed {
            let mut delivered = delivered.lock().unwrap();
            delivered
                .entry(line_of(claimed))
                .or_default()
                .push(claimed.notification.version);
        }
        idle = if claimed.is_empty() { idle + 1 } else { 0 };
        let outcomes: Vec<_> = claimed
            .iter()
            .map(|c| outcome(c, Verdict::Succeeded))
            .collect();
        let told = outcomes.len();
        let settled: Result<usize, Error> = node
            .write(Key::webhook(id()), move |tx| {
                Ok(delivery::settle(tx, &outcomes)?.counted)
            })
            .await;
        assert_eq!(settled, Ok(told));
        let count: usize = delivered.lock().unwrap().values().map(Vec::len).sum();
        if count == all {
            return;
        }
        assert!(
            idle < 3_000,
            "{count} of {all} delivered, the rest is stuck"
        );
        if claimed.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// What must never happen is done by hand: a head that nobody looks at.
async fn an_overlooked_head_is_woken_and_nobody_behind_it(bench: &Bench) {
    let account = bench.account().await;
    let line: Line = (bench.webhook(account).await, id());
    let rows = [1, 2].map(|sequence| notification_row(line.0, line.1, sequence));
    let [first, second] = [rows[0].0.id, rows[1].0.id];
    bench
        .write(move |tx| notification::insert(&mut tx.account(account), &rows))
        .await;
    let forget = "update deliveries set due_at = null";
    match (&bench.settings.database, &bench.server) {
        (Database::Sqlite { path }, _) => {
            let side_door = rusqlite::Connection::open(path).unwrap();
            side_door.busy_timeout(Duration::from_secs(5)).unwrap();
            side_door.execute(forget, []).unwrap();
        }
        (Database::Postgres { .. }, server) => {
            server.as_ref().unwrap().administer(&[forget]).unwrap();
        }
    }
    assert!(claim(bench, at(5), at(10), 10).await.is_empty());
    assert_eq!(overlooked(bench, 1).await, [first]);
    let heads = [first, second];
    let woken = bench
        .write(move |tx| delivery::wake(tx, &heads, at(5)))
        .await;
    assert_eq!(woken, 1, "who waits behind it is no head");
    assert_eq!(overlooked(bench, 1).await, []);
    let again = bench
        .write(move |tx| delivery::wake(tx, &[first], at(6)))
        .await;
    assert_eq!(again, 0);
    let claimed = claim(bench, at(5), at(10), 10).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].notification.id, first);
}
