//! What is asked next: watches that are due, of sources that may be asked, as many of each as it has places.
//!
//! Many boxes go into one question, and those that failed into smaller and smaller ones ([`company`]).

use std::collections::BTreeMap;

use domain::ids::WatchId;
use domain::source::{Budget, Standing};
use jiff::Timestamp;
use sources::Asker;
use store::watch::{Leasing, Turn, Watch};
use store::{Key, Tx};
use uuid::Uuid;

use super::standing;
use crate::{Source, Tracking};

/// Questions to one source under way at once on one node.
pub(crate) const SOURCE_QUESTIONS_MAX: u32 = 8;
/// Boxes that will be due within this part of the shortest interval are asked about together with those that are.
const SOON_PART: u32 = 2;
/// Watches without a source looked at in one round.
const UNASKED_MAX: u32 = 16;

/// Questions under way on this node, by source.
pub(crate) type Busy = BTreeMap<String, u32>;

/// What one worker does.
#[derive(Debug)]
pub(crate) enum Task {
    /// Ask about one number.
    Number(Watch),
    /// Ask about boxes in one question, all of one source.
    Boxes(String, Vec<Watch>),
}

impl Task {
    /// Whose place it takes.
    pub(crate) fn source(&self) -> &str {
        match self {
            Self::Number(watch) => &watch.source,
            Self::Boxes(source, _) => source,
        }
    }

    /// What was claimed for it, in the order of the numbers: who brings a shipment up to date holds the watches of its boxes
    /// in that order, and one who renewed leases in another would be waited for in a circle.
    pub(super) fn claims(&self) -> Vec<(WatchId, i64)> {
        let mut watches: Vec<&Watch> = self.watches().iter().collect();
        watches.sort_by(|a, b| a.number.cmp(&b.number));
        watches
            .into_iter()
            .map(|watch| (watch.id, watch.claim_token))
            .collect()
    }

    pub(super) fn watches(&self) -> &[Watch] {
        match self {
            Self::Number(watch) => std::slice::from_ref(watch),
            Self::Boxes(_, watches) => watches,
        }
    }

    fn order(&self) -> (Option<Timestamp>, &str, &str) {
        let first = self.watches().first();
        let due_at = first.and_then(|watch| watch.next_poll_at);
        let number = first.map_or("", |watch| &watch.number);
        (due_at, self.source(), number)
    }
}

/// Claims what is due, each with its question taken out of the budget; in order of due time, source and number.
/// `busy` are the questions that are under way already.
pub(crate) async fn claim(
    tracking: &Tracking,
    owner: Uuid,
    busy: &Busy,
) -> Result<Vec<Task>, store::Error> {
    let now = tracking.now();
    // Most rounds find nothing: then nothing is written.
    if next_due(tracking, busy).await?.is_none_or(|due| due > now) {
        return Ok(Vec::new());
    }
    let round = Round {
        tracking: tracking.clone(),
        owner,
        now,
        busy: busy.clone(),
        turns: tracking.asking_turns().all(),
    };
    let key = Key::watch(WatchId(owner));
    let claiming = tracking.store().write(key, move |tx| round.claim(tx));
    let Claimed { tasks, turns } = claiming.await?;
    for (source, turn) in turns {
        tracking.asking_turns().taken(&source, turn.passed);
    }
    Ok(tasks)
}

/// When something can be asked next: a watch falls due, or a source that has due ones may be asked again.
/// Sources whose places are taken are left out; they come back when a question ends.
pub(crate) async fn next_due(
    tracking: &Tracking,
    busy: &Busy,
) -> Result<Option<Timestamp>, store::Error> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let mut full: Vec<String> = full(busy).map(str::to_owned).collect();
    full.sort();
    let reading = tracking.store().read(move |tx| {
        let standings = store::source::all(tx)?;
        let closed = standing::closed(&shared, &standings, now);
        let opening = closed.iter().filter_map(|(_, closed)| closed.until).min();
        let mut left_out: Vec<String> = closed.into_iter().map(|(id, _)| id).collect();
        left_out.extend(full.iter().cloned());
        let due = store::watch::next_due(tx, &left_out)?;
        Ok::<_, store::Error>((due, opening))
    });
    let (due, opening) = reading.await?;
    Ok([due, opening].into_iter().flatten().min())
}

fn full(busy: &Busy) -> impl Iterator<Item = &str> {
    let full = busy
        .iter()
        .filter(|(_, under_way)| **under_way >= SOURCE_QUESTIONS_MAX);
    full.map(|(id, _)| id.as_str())
}

struct Round {
    tracking: Tracking,
    owner: Uuid,
    now: Timestamp,
    busy: Busy,
    turns: BTreeMap<String, Turn>,
}

/// What a round claimed.
#[derive(Default)]
struct Claimed {
    tasks: Vec<Task>,
    /// Of each source of which it did, whose turn it was.
    turns: BTreeMap<String, Turn>,
}

impl Round {
    fn claim(&self, tx: &mut Tx) -> Result<Claimed, store::Error> {
        let standings = store::source::all(tx)?;
        let mut claimed = Claimed::default();
        let mut asked = Vec::new();
        for source in self.tracking.sources() {
            if let Some(budget) = standing::budget(source) {
                let known = standings.get(source.login()).cloned().unwrap_or_default();
                self.of_source(tx, source, budget, &known, &mut claimed)?;
                asked.push(source.id().to_owned());
            }
        }
        let until = self.lease_until();
        let unasked =
            store::watch::claim_due(tx, self.now, until, self.owner, UNASKED_MAX, &asked)?;
        claimed.tasks.extend(unasked.into_iter().map(Task::Number));
        claimed.tasks.sort_by(|a, b| a.order().cmp(&b.order()));
        Ok(claimed)
    }

    fn of_source(
        &self,
        tx: &mut Tx,
        source: &Source,
        budget: Budget,
        known: &Standing,
        Claimed { tasks, turns }: &mut Claimed,
    ) -> Result<(), store::Error> {
        let under_way = self.busy.get(source.id()).copied().unwrap_or(0);
        let places = SOURCE_QUESTIONS_MAX.saturating_sub(under_way);
        // Those who share a login share what is left of it; what one does not need the next round gives to the others.
        let sharers = self.tracking.sharers(source.login());
        let room = places.min(known.room(budget, self.now).div_ceil(sharers));
        if room == 0 {
            return Ok(());
        }
        let turn = self.turns.get(source.id()).copied().unwrap_or_default();
        let claimed = match source.asker() {
            Some(asker) => self.boxes(tx, source, asker, known, room, turn)?,
            None => self.numbers(tx, source, known, room, turn)?,
        };
        let mut has_turn = |task: &Task| {
            let turn = turns.entry(source.id().to_owned()).or_insert(turn);
            // The others of a question only come along.
            task.watches()
                .first()
                .into_iter()
                .for_each(|first| turn.pass(first));
        };
        if claimed.is_empty() || source.is_for_trials() {
            claimed.iter().for_each(has_turn);
            tasks.extend(claimed);
            return Ok(());
        }
        let mut standing = store::source::hold(tx, source.login())?;
        for task in claimed {
            // Another node or source may have used the budget, or the one trial of the breaker, meanwhile. Whoever is given back
            // has had no turn.
            if standing.ask(budget, self.now).is_ok() {
                has_turn(&task);
                tasks.push(task);
            } else {
                self.give_back(tx, &task)?;
            }
        }
        store::source::save(tx, source.login(), &standing)
    }

    fn numbers(
        &self,
        tx: &mut Tx,
        source: &Source,
        known: &Standing,
        room: u32,
        turn: Turn,
    ) -> Result<Vec<Task>, store::Error> {
        let watches = self.watches(tx, source.id(), known, room, turn)?;
        Ok(watches.into_iter().map(Task::Number).collect())
    }

    /// Boxes that are due, and with them those that will be soon: a question costs the same for one as for all that
    /// it may name.
    fn boxes(
        &self,
        tx: &mut Tx,
        source: &Source,
        asker: &Asker,
        known: &Standing,
        room: u32,
        mut turn: Turn,
    ) -> Result<Vec<Task>, store::Error> {
        let asking = asker.asking();
        let most = u32::try_from(asking.batch_max.max(1)).unwrap_or(u32::MAX);
        let soon = self.now + asking.polling.near_arrival / SOON_PART;
        let mut questions = Vec::new();
        for _ in 0..room {
            let mut watches = self.watches(tx, source.id(), known, 1, turn)?;
            turn.new_first = !turn.new_first;
            let Some(first) = watches.first().cloned() else {
                break;
            };
            turn.pass(&first);
            let more = company(most, first.failures).saturating_sub(1);
            if more > 0 {
                let leasing = self.leasing(source.id());
                let alike = store::watch::claim_alike(tx, &leasing, &first, soon, more)?;
                watches.extend(alike);
            }
            questions.push(Task::Boxes(first.source, watches));
        }
        Ok(questions)
    }

    fn give_back(&self, tx: &mut Tx, task: &Task) -> Result<(), store::Error> {
        task.watches().iter().try_for_each(|watch| {
            let due_at = watch.next_poll_at.unwrap_or(self.now);
            store::watch::give_back(tx, watch.id, watch.claim_token, due_at)
        })
    }

    fn watches(
        &self,
        tx: &mut Tx,
        source: &str,
        known: &Standing,
        room: u32,
        turn: Turn,
    ) -> Result<Vec<Watch>, store::Error> {
        let leasing = self.leasing(source);
        if known.is_on_trial() {
            // It may be this one number of which the source has enough, though it answered before: every second time it is the one
            // that waits longest, whichever that is.
            if known.waits > 0 && turn.new_first {
                return store::watch::claim_of_source(tx, &leasing, self.now, 1);
            }
            return store::watch::claim_for_trial(tx, &leasing);
        }
        store::watch::claim_in_turn(tx, &leasing, room, turn)
    }

    fn leasing<'s>(&self, source: &'s str) -> Leasing<'s> {
        Leasing {
            source,
            now: self.now,
            until: self.lease_until(),
            owner: self.owner,
        }
    }

    fn lease_until(&self) -> Timestamp {
        self.now + self.tracking.watch_lease()
    }
}

/// How many boxes one question names that failed so often in a row, where it may name `most`: each time half as many, until
/// each is asked about by itself. A source may refuse a whole question for one number in it; so those beside that number are
/// soon answered, and it has no company again before it is answered too. Where it was the source that failed, they cost it some
/// questions more, once, and its breaker counts them.
fn company(most: u32, failures: u32) -> u32 {
    most.checked_shr(failures).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use domain::tracking_request::NumberKind;

    use super::*;

    #[test]
    fn who_failed_is_asked_about_in_smaller_and_smaller_company() {
        let sizes = |most| [0, 1, 2, 6, 13, 40].map(|failures| company(most, failures));
        assert_eq!(sizes(100), [100, 50, 25, 1, 1, 1]);
        assert_eq!(sizes(1), [1; 6]);
    }

    #[test]
    fn claims_are_held_in_the_order_of_their_numbers() {
        let watch = |number: &str| Watch {
            id: WatchId(Uuid::new_v5(&Uuid::NAMESPACE_OID, number.as_bytes())),
            source: "quay".into(),
            kind: NumberKind::Container,
            number: number.into(),
            created_at: Timestamp::UNIX_EPOCH,
            next_poll_at: None,
            failures: 0,
            last_attempted_at: None,
            last_succeeded_at: None,
            last_changed_at: None,
            claim_token: 0,
            asked_by: None,
        };
        let numbers = ["NWLU0000446", "CSQU3054383", "NWLU0000425"];
        let task = Task::Boxes("quay".into(), numbers.map(watch).to_vec());
        let sorted = ["CSQU3054383", "NWLU0000425", "NWLU0000446"];
        let held: Vec<WatchId> = task.claims().into_iter().map(|(id, _)| id).collect();
        assert_eq!(held, sorted.map(|number| watch(number).id));
    }
}
