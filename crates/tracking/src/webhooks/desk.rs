//! What this node has in hand to deliver, and who may have how much of it.
//!
//! A receiver that hangs costs twenty seconds for each attempt; the ones that answer must not notice. So an
//! attempt needs a place on the desk, and places are given by what a receiver has shown:
//!
//! - One that has not accepted anything yet, that was silent three times in a row, or that takes five seconds to
//!   accept, is *on trial*: one attempt at a time, and all that are on trial together hold a quarter of the places.
//! - One that answers has up to four attempts under way. The quicker it is, the more of its deliveries are
//!   claimed ahead, so that a busy one is not held up by the round trip of a claim.
//! - An account holds a quarter of the places at most, and half of those with receivers on trial.
//! - Of the places for those on trial half at most is taken by receivers whose last attempt failed, before a start of this node
//!   too, and three quarters by these and those that are new: one that is new does not wait for as many as hang, and one that
//!   succeeded last, which after a start is on trial as all are, for neither. What hangs shows it late, and may be new.
//! - One that *lingers*, with an attempt that takes far longer than others did lately, is on trial while it does: nothing
//!   begins beside it, and its places count as theirs. What waits for it, or for one that is put on trial, is given back.
//!   Else it would hold up others: the desk has room for what four quick ones have in hand.
//! - Before anybody lingers, many that begin to hang at once can take a place for each delivery that comes. So the last quarter
//!   of the places, and of an account's, is for receivers that answered last and have no attempt that is late. Nobody on trial
//!   is among them, and who is has to go on answering: there one attempt begins for each that ends. Else a burst would fill
//!   it before the first attempt can be late.
//! - A quarter of that quarter is for the others all the same, one attempt each: for who has not answered yet, or not last.
//!   Those that go on answering keep all other places in use for as long as they have a backlog, and nobody can answer who
//!   is not asked. All that are on trial count, so that those that hang take no more of it than that.
//!
//! A long body is read when its attempt begins, and only a few such attempts are under way at once, of an account half of them.
//! Receivers on trial have half of these places together and an account one, and whoever had one goes behind the others: those
//! that hang would hold all of them else. What waits for such a place holds up no other line of a receiver that answers, and, up
//! to a number, no receiver on trial that waits for something short.
//!
//! What this node writes itself can come without a claim: a place is promised for it before it is written (see
//! [`express`](super::express)). Only a receiver that answers gets one, and only while no claim has left anything of
//! its deliveries in the store.
//!
//! What waits here is leased. A lease is renewed while the desk holds it; what was lost to another node is
//! dropped, what is left at a stop is given back. What waits longer than its lease, because the node stood still, is not
//! begun before it was renewed: another one may have sent it since.
//!
//! What waits here also knows where it goes and what signs it, as of its claim. A webhook that is changed, switched off
//! or deleted is *halted* at once where that was done or noticed, and looked at every second everywhere
//! ([`Desk::doubted`]): what is not any more what was claimed is given back, to be claimed anew or to wait.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::{SignedDuration, Timestamp};
use store::delivery::{Body, Claim, Claimed, Part, Record, Room};
use store::webhook::Webhook;

/// Attempts under way at once on one node.
pub(super) const UNDER_WAY_MAX: usize = 256;
/// Attempts under way at once for one account.
const OF_ACCOUNT_MAX: usize = 64;
/// Attempts under way at once to one receiver that answers.
const OF_RECEIVER_MAX: usize = 4;
/// Attempts under way at once to all receivers on trial: a quarter.
const ON_TRIAL_MAX: usize = UNDER_WAY_MAX / 4;
/// Attempts under way at once to all receivers on trial of one account.
const ON_TRIAL_OF_ACCOUNT_MAX: usize = OF_ACCOUNT_MAX / 2;
/// Places of the node up to which anybody may have them. Receivers that begin to hang take all they can before that is
/// known; the last quarter is for those that answered last, go on answering and are not late just now.
const FOR_ALL_MAX: usize = UNDER_WAY_MAX - UNDER_WAY_MAX / 4;
/// The same of an account's.
const FOR_ALL_OF_ACCOUNT_MAX: usize = OF_ACCOUNT_MAX - OF_ACCOUNT_MAX / 4;
/// Attempts to receivers on trial under way at once while no other places are left for them.
const CHANCES_MAX: usize = (UNDER_WAY_MAX - FOR_ALL_MAX) / 4;
/// The same of one account.
const CHANCES_OF_ACCOUNT_MAX: usize = (OF_ACCOUNT_MAX - FOR_ALL_OF_ACCOUNT_MAX) / 4;
/// Attempts with long bodies under way at once: some ten megabytes each at most.
const LONG_MAX: usize = 6;
/// The same of one account.
const LONG_OF_ACCOUNT_MAX: usize = LONG_MAX / 2;
/// The same to all receivers on trial.
const LONG_ON_TRIAL_MAX: usize = LONG_MAX / 2;
/// The same to all receivers on trial of one account.
const LONG_ON_TRIAL_OF_ACCOUNT_MAX: usize = 1;
/// Receivers on trial that wait for a place for a long body, and take none of the others'.
const LONG_WAITING_MAX: usize = UNDER_WAY_MAX;
/// An attempt that takes longer than this, and than twice what others took lately, is late.
const LATE: Duration = Duration::from_millis(50);
/// Deliveries in hand at once, under way or waiting.
const IN_HAND_MAX: usize = 4 * UNDER_WAY_MAX;
/// Deliveries in hand at once of one account.
const IN_HAND_OF_ACCOUNT_MAX: usize = 5 * OF_ACCOUNT_MAX;
/// Silences in a row that put a receiver on trial.
const SILENCES_MAX: u32 = 3;
/// Receivers remembered; when there are more, those with nothing in hand are forgotten.
const RECEIVERS_MAX: usize = 10_000;
/// A receiver that answers within this is quick.
const QUICK: Duration = Duration::from_millis(100);
/// One that takes longer than this gets nothing claimed ahead.
const SLOW: Duration = Duration::from_secs(1);
/// One that takes longer than this is on trial, whatever it answers.
pub(super) const SLUGGISH: Duration = Duration::from_secs(5);
/// Deliveries claimed ahead for a quick receiver.
const AHEAD_OF_QUICK: usize = 248;
/// Deliveries claimed ahead for one that is neither quick nor slow.
const AHEAD: usize = 8;
/// An attempt that takes longer than this, and than twice what others took lately, lingers.
const LINGERING: Duration = Duration::from_millis(500);
/// What a silence counts as for one that had been quicker.
const AFTER_SILENCE: Duration = Duration::from_secs(2);

/// How an attempt ended, as far as the next one is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It was accepted, after this long.
    Accepted(Duration),
    /// Nothing came in time, or only what is of no use.
    Silent,
    /// It was refused, or could not be made.
    Refused,
}

/// Whether a webhook may have changed since its deliveries were claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// Nothing is known of that.
    None,
    /// It says that it is gone; nothing is begun, and nobody looks, before that is written.
    Gone,
    /// It may; nothing is begun until somebody has looked.
    Halted,
    /// Somebody looks.
    Looked,
}

/// Everything in hand.
#[derive(Default)]
pub(super) struct Desk {
    receivers: HashMap<WebhookId, Receiver>,
    accounts: HashMap<AccountId, Held>,
    /// Receivers with something that waits, whoever began longest ago first.
    turn: VecDeque<WebhookId>,
    under_way: HashMap<NotificationId, Attempted>,
    /// Of these, to receivers on trial, those that linger, and those that began as a chance.
    on_trial: usize,
    /// Of these, with long bodies.
    long: Long,
    waiting: usize,
    promised: usize,
    /// When the first lease of what is in hand ends, or earlier; `None`: nothing is in hand.
    leased_until: Option<Timestamp>,
    /// Webhooks that were halted since the present claim began: what it brings may be as they were before.
    halted: HashSet<WebhookId>,
}

/// An attempt under way.
#[derive(Clone, Copy)]
struct Attempted {
    webhook: WebhookId,
    token: i64,
    on_trial: bool,
    is_long: bool,
    began_at: Timestamp,
}

/// Counts of one account.
#[derive(Clone, Copy, Default)]
struct Held {
    under_way: usize,
    /// Of these, to receivers on trial.
    on_trial: usize,
    /// Of these, with long bodies.
    long: Long,
    in_hand: usize,
}

/// Attempts under way with long bodies.
#[derive(Clone, Copy, Default)]
struct Long {
    all: usize,
    /// Of these, to receivers on trial.
    on_trial: usize,
}

impl Long {
    /// Whether another one may begin.
    fn has_place(self, on_trial: bool, (all, of_trials): (usize, usize)) -> bool {
        self.all < all && (!on_trial || self.on_trial < of_trials)
    }

    fn begin(&mut self, on_trial: bool) {
        self.all += 1;
        self.on_trial += usize::from(on_trial);
    }

    fn end(&mut self, on_trial: bool) {
        self.all -= 1;
        self.on_trial -= usize::from(on_trial);
    }
}

struct Receiver {
    account: AccountId,
    /// How long it took to accept deliveries lately: the last one, or what is left of one that took longer; `None` before
    /// the first.
    pace: Option<Duration>,
    silences: u32,
    /// What it showed last.
    lately: Record,
    under_way: usize,
    /// When the attempts under way began; as many as those.
    began_at: Vec<Timestamp>,
    /// Whether one began since the last one ended.
    has_begun: bool,
    waiting: VecDeque<Claimed>,
    /// Places held for deliveries that are being written.
    promised: usize,
    /// Whether deliveries of it may wait in the store, as far as is known here.
    is_behind: bool,
    /// Whether an attempt takes far longer than others did lately, at the last look.
    lingers: bool,
    doubt: Doubt,
}

impl Receiver {
    fn new(account: AccountId) -> Self {
        Self {
            account,
            pace: None,
            silences: 0,
            lately: Record::New,
            under_way: 0,
            began_at: Vec::new(),
            has_begun: false,
            waiting: VecDeque::new(),
            promised: 0,
            is_behind: true,
            lingers: false,
            doubt: Doubt::None,
        }
    }

    fn on_trial(&self) -> bool {
        let slow = self.pace.is_none_or(|pace| pace >= SLUGGISH);
        self.silences >= SILENCES_MAX || slow || self.lingers
    }

    fn in_hand(&self) -> usize {
        self.under_way + self.waiting.len() + self.promised
    }

    /// Attempts it may have under way.
    fn width(&self) -> usize {
        if self.on_trial() { 1 } else { OF_RECEIVER_MAX }
    }

    /// Deliveries it may have in hand.
    fn reach(&self) -> usize {
        let ahead = match self.pace {
            _ if self.on_trial() => 0,
            Some(pace) if pace <= QUICK => AHEAD_OF_QUICK,
            Some(pace) if pace <= SLOW => AHEAD,
            _ => 0,
        };
        self.width() + ahead
    }

    /// What was slow once is not quick at once: what is claimed ahead for it would go back and forth.
    fn fading_pace(&self) -> Duration {
        let fading = |pace: Duration| pace.saturating_sub(pace / 8);
        self.pace.map(fading).unwrap_or_default()
    }

    /// What waits beyond the places it has.
    fn beyond(&self) -> usize {
        let free = self.width().saturating_sub(self.under_way);
        self.waiting.len().saturating_sub(free)
    }

    /// Whether it answered last, one ended since the last one began, and no attempt takes longer than others did lately.
    fn is_punctual(&self, now: Timestamp) -> bool {
        if self.on_trial() || self.has_begun {
            return false;
        }
        let usual = LATE.max(2 * self.pace.unwrap_or_default());
        let usual = SignedDuration::try_from(usual).unwrap_or_default();
        let mut began = self.began_at.iter();
        self.silences == 0 && began.all(|began| now.duration_since(*began) <= usual)
    }

    /// How long an attempt may take before it lingers.
    fn patience(&self) -> Duration {
        LINGERING.max(2 * self.pace.unwrap_or_default())
    }
}

impl Desk {
    /// A claim begins, of what there is room for.
    pub(super) fn begin_claim(&mut self) -> Room {
        self.halted.clear();
        self.room()
    }

    /// What may be claimed now.
    fn room(&self) -> Room {
        let known = self
            .receivers
            .iter()
            .filter(|(_, receiver)| !receiver.on_trial() || receiver.in_hand() > 0);
        let webhooks = known.map(|(id, receiver)| {
            let room = receiver.reach().saturating_sub(receiver.in_hand());
            (*id, room)
        });
        let on_trial = self.places_on_trial(|_| true);
        let stuck = self.stuck_on_trial(|_| true);
        let stuck_together: usize = stuck.values().sum();
        let few_left = self.under_way.len() >= FOR_ALL_MAX;
        let accounts = self.accounts.iter().map(|(id, held)| {
            let room = IN_HAND_OF_ACCOUNT_MAX.saturating_sub(held.in_hand);
            (*id, room)
        });
        // No more than may begin: what waits here can begin nowhere else.
        let trials = if few_left { CHANCES_MAX } else { ON_TRIAL_MAX };
        // What waits of one account for its own places takes none of the others'.
        let taken = on_trial.iter().map(|(id, held)| {
            let account = self.accounts.get(id).copied().unwrap_or_default();
            let few_left = few_left || account.under_way >= FOR_ALL_OF_ACCOUNT_MAX;
            let may_begin = trials_of_account(few_left);
            let stuck = stuck.get(id).copied().unwrap_or_default();
            held.saturating_sub(stuck)
                .min(may_begin)
                .max(account.on_trial)
        });
        let unknown_accounts = self.accounts.iter().map(|(id, held)| {
            let few_left = few_left || held.under_way >= FOR_ALL_OF_ACCOUNT_MAX;
            let on_trial = on_trial.get(id).copied().unwrap_or_default();
            (*id, trials_of_account(few_left).saturating_sub(on_trial))
        });
        Room {
            all: IN_HAND_MAX.saturating_sub(self.in_hand()),
            webhooks: webhooks.collect(),
            unknown: 1,
            unknown_together: trials
                .saturating_sub(taken.sum())
                .saturating_sub(stuck_together.saturating_sub(LONG_WAITING_MAX)),
            unknown_accounts: unknown_accounts.collect(),
            unknown_account: trials_of_account(few_left),
            unproven: self.part(few_left, (3, 4), |lately| lately != Record::Answered),
            failing: self.part(few_left, (1, 2), |lately| lately == Record::Failed),
            accounts: accounts.collect(),
            account: IN_HAND_OF_ACCOUNT_MAX,
        }
    }

    /// What of the places for those on trial some of them may still take, in all and of each account that holds anything.
    fn part(
        &self,
        few_left: bool,
        (share, of_all): (usize, usize),
        are: impl Fn(Record) -> bool,
    ) -> Part {
        let of = |trials: usize| trials * share / of_all;
        let mut taken = self.places_on_trial(|receiver| are(receiver.lately));
        // Those that wait for a place for a long body hold none of the others.
        for (account, stuck) in self.stuck_on_trial(|receiver| are(receiver.lately)) {
            let held = taken.entry(account).or_default();
            *held = held.saturating_sub(stuck);
        }
        let trials = if few_left { CHANCES_MAX } else { ON_TRIAL_MAX };
        let accounts = self.accounts.iter().map(|(id, held)| {
            let few_left = few_left || held.under_way >= FOR_ALL_OF_ACCOUNT_MAX;
            let taken = taken.get(id).copied().unwrap_or_default();
            (*id, of(trials_of_account(few_left)).saturating_sub(taken))
        });
        Part {
            together: of(trials).saturating_sub(taken.values().sum()),
            accounts: accounts.collect(),
            account: of(trials_of_account(few_left)),
        }
    }

    /// Takes claimed deliveries.
    pub(super) fn take_in(&mut self, claimed: Vec<Claimed>) {
        self.forget_the_idle();
        if self.under_way.is_empty() && self.waiting == 0 {
            // The lease of what has ended would make what comes now overdue at once.
            self.leased_until = None;
        }
        for delivery in claimed {
            let webhook = delivery.notification.webhook;
            self.accounts.entry(delivery.account).or_default().in_hand += 1;
            let receiver = self
                .receivers
                .entry(webhook)
                .or_insert_with(|| Receiver::new(delivery.account));
            receiver.lately = delivery.record;
            if receiver.waiting.is_empty() {
                self.turn.push_back(webhook);
            }
            if self.halted.contains(&webhook) && receiver.doubt == Doubt::None {
                receiver.doubt = Doubt::Halted;
            }
            let first_end = self.leased_until.unwrap_or(delivery.leased_until);
            self.leased_until = Some(first_end.min(delivery.leased_until));
            receiver.waiting.push_back(delivery);
            self.waiting += 1;
        }
    }

    /// Whether a webhook is halted and nobody looks yet.
    pub(super) fn is_halted(&self) -> bool {
        let mut receivers = self.receivers.values();
        receivers.any(|receiver| receiver.doubt == Doubt::Halted)
    }

    /// Holds a place for a delivery that is about to be written. `false`: it is to wait in the store.
    pub(super) fn promise(&mut self, webhook: WebhookId, account: AccountId) -> bool {
        let held = self.accounts.get(&account).copied().unwrap_or_default();
        let full = self.in_hand() >= IN_HAND_MAX || held.in_hand >= IN_HAND_OF_ACCOUNT_MAX;
        let Some(receiver) = self.receivers.get_mut(&webhook) else {
            return false;
        };
        let halted = receiver.doubt != Doubt::None;
        if full || halted || receiver.on_trial() || receiver.in_hand() >= receiver.reach() {
            receiver.is_behind = true;
        }
        if receiver.is_behind {
            return false;
        }
        receiver.promised += 1;
        self.promised += 1;
        self.accounts.entry(account).or_default().in_hand += 1;
        true
    }

    /// Deliveries to these wait in the store.
    pub(super) fn left_behind(&mut self, webhooks: impl Iterator<Item = WebhookId>) {
        for webhook in webhooks {
            if let Some(receiver) = self.receivers.get_mut(&webhook) {
                receiver.is_behind = true;
            }
        }
    }

    /// Gives a promised place back.
    pub(super) fn withdraw(&mut self, webhook: WebhookId) {
        if let Some(receiver) = self.receivers.get_mut(&webhook) {
            receiver.promised -= 1;
            self.promised -= 1;
            let account = receiver.account;
            self.leave(account);
        }
    }

    /// A claim for which there was this room brought these, which are to be [taken in](Self::take_in). A receiver that got
    /// less than it, and its account, had room for has nothing left in the store. What waits here already, and was claimed
    /// once more because its lease had run out, is held under its last claim alone.
    pub(super) fn claimed(&mut self, of: &Room, brought: &[Claimed]) {
        let ids: HashSet<NotificationId> = brought.iter().map(|one| one.notification.id).collect();
        self.drop_waiting(|delivery| ids.contains(&delivery.notification.id));
        let mut of_webhook: HashMap<WebhookId, usize> = HashMap::new();
        let mut of_account: HashMap<AccountId, usize> = HashMap::new();
        for delivery in brought {
            *of_account.entry(delivery.account).or_default() += 1;
            *of_webhook.entry(delivery.notification.webhook).or_default() += 1;
        }
        let all = brought.len() < of.all;
        for (webhook, room) in &of.webhooks {
            if let Some(receiver) = self.receivers.get_mut(webhook) {
                let taken = of_webhook.get(webhook).copied().unwrap_or_default();
                let account = &receiver.account;
                let account_room = of.accounts.get(account).unwrap_or(&of.account);
                let account_full = of_account.get(account).unwrap_or(&0) >= account_room;
                receiver.is_behind = !all || taken >= *room || account_full;
            }
        }
    }

    /// The next one to attempt, when there is a place for it and its lease lasts. Who is passed over keeps its turn: however
    /// often others begin, nobody comes before it twice, unless its own account [goes behind](Self::go_behind).
    pub(super) fn next(&mut self, now: Timestamp) -> Option<Claimed> {
        if self.under_way.len() >= UNDER_WAY_MAX {
            return None;
        }
        let mut place = 0;
        while let Some(webhook) = self.turn.get(place).copied() {
            let started = self.start(webhook, now);
            let receiver = self.receivers.get(&webhook);
            let waits = receiver.is_some_and(|receiver| !receiver.waiting.is_empty());
            if started.is_none() && waits {
                place += 1;
                continue;
            }
            self.turn.remove(place);
            if waits {
                self.turn.push_back(webhook);
            }
            if started.is_some() {
                return started;
            }
        }
        None
    }

    fn start(&mut self, webhook: WebhookId, now: Timestamp) -> Option<Claimed> {
        let receiver = self.receivers.get_mut(&webhook)?;
        if receiver.doubt != Doubt::None || receiver.waiting.is_empty() {
            return None;
        }
        let account = self.accounts.entry(receiver.account).or_default();
        let on_trial = receiver.on_trial();
        let no_trials =
            account.on_trial >= ON_TRIAL_OF_ACCOUNT_MAX || self.on_trial >= ON_TRIAL_MAX;
        let full = account.under_way >= OF_ACCOUNT_MAX || (on_trial && no_trials);
        if full || receiver.under_way >= receiver.width() {
            return None;
        }
        let few_left = self.under_way.len() >= FOR_ALL_MAX;
        let few_of_account = account.under_way >= FOR_ALL_OF_ACCOUNT_MAX;
        let is_chance = (few_left || few_of_account) && !receiver.is_punctual(now);
        // Others on trial take no place of an account while there are places enough for all.
        let no_chances = account.on_trial >= CHANCES_OF_ACCOUNT_MAX
            || (few_left && self.on_trial >= CHANCES_MAX);
        if is_chance && (no_chances || receiver.under_way > 0) {
            return None;
        }
        let on_trial = on_trial || is_chance;
        let of_all = (LONG_MAX, LONG_ON_TRIAL_MAX);
        let of_account = (LONG_OF_ACCOUNT_MAX, LONG_ON_TRIAL_OF_ACCOUNT_MAX);
        let takes_long =
            self.long.has_place(on_trial, of_all) && account.long.has_place(on_trial, of_account);
        let may_begin = |delivery: &Claimed| takes_long || !is_long(delivery);
        // Each is of a line of its own.
        let place = receiver.waiting.iter().position(may_begin)?;
        let first = receiver.waiting.get(place)?;
        // One that was claimed once more while it is under way waits for the end of that.
        let is_under_way = self.under_way.contains_key(&first.notification.id);
        if is_under_way || first.leased_until <= now {
            return None;
        }
        let delivery = receiver.waiting.remove(place)?;
        let is_long = is_long(&delivery);
        receiver.under_way += 1;
        receiver.has_begun = true;
        receiver.began_at.push(now);
        account.under_way += 1;
        account.on_trial += usize::from(on_trial);
        self.on_trial += usize::from(on_trial);
        if is_long {
            account.long.begin(on_trial);
            self.long.begin(on_trial);
        }
        self.waiting -= 1;
        let attempted = Attempted {
            webhook,
            token: delivery.claim_token,
            on_trial,
            is_long,
            began_at: now,
        };
        self.under_way.insert(delivery.notification.id, attempted);
        Some(delivery)
    }

    /// An attempt is over. Whether the receiver could do with more, and there may be more.
    pub(super) fn ended(&mut self, id: NotificationId, ending: Ending) -> bool {
        let Some(attempted) = self.under_way.remove(&id) else {
            return false;
        };
        let Some(receiver) = self.receivers.get_mut(&attempted.webhook) else {
            return false;
        };
        receiver.under_way -= 1;
        receiver.has_begun = false;
        let began = attempted.began_at;
        if let Some(place) = receiver.began_at.iter().position(|one| *one == began) {
            receiver.began_at.swap_remove(place);
        }
        self.on_trial -= usize::from(attempted.on_trial);
        if attempted.is_long {
            self.long.end(attempted.on_trial);
        }
        match ending {
            Ending::Accepted(took) => {
                receiver.pace = Some(took.max(receiver.fading_pace()));
                receiver.silences = 0;
                receiver.lately = Record::Answered;
            }
            Ending::Silent => {
                receiver.pace = receiver.pace.map(|pace| pace.max(AFTER_SILENCE));
                receiver.silences = receiver.silences.saturating_add(1);
            }
            Ending::Refused => {}
        }
        let account = receiver.account;
        let wants_more = receiver.is_behind && receiver.in_hand() <= receiver.reach() / 2;
        if let Some(held) = self.accounts.get_mut(&account) {
            held.under_way -= 1;
            held.on_trial -= usize::from(attempted.on_trial);
            if attempted.is_long {
                held.long.end(attempted.on_trial);
            }
        }
        if attempted.is_long && attempted.on_trial {
            self.go_behind(account);
        }
        self.leave(account);
        wants_more
    }

    /// Every claim in hand.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let under_way = self.under_way.iter();
        let under_way = under_way.map(|(id, attempted)| (*id, attempted.token));
        under_way.chain(self.waiting_claims()).collect()
    }

    /// Whether something in hand is to be renewed first: its lease has run out, and whoever claims could take it up.
    pub(super) fn is_overdue(&self, now: Timestamp) -> bool {
        let holds_leases = !self.under_way.is_empty() || self.waiting > 0;
        holds_leases && self.leased_until.is_some_and(|until| until <= now)
    }

    /// Of these claims, those were prolonged until then. Drops of what waits the others, which somebody else holds now.
    /// What came meanwhile was not asked about, and stays.
    pub(super) fn renewed(
        &mut self,
        asked: &[Claim],
        held: &HashSet<NotificationId>,
        until: Timestamp,
    ) {
        let asked: HashSet<Claim> = asked.iter().copied().collect();
        for receiver in self.receivers.values_mut() {
            for delivery in &mut receiver.waiting {
                if held.contains(&delivery.notification.id) && asked.contains(&claim_of(delivery)) {
                    delivery.leased_until = until;
                }
            }
        }
        self.drop_waiting(|delivery| {
            asked.contains(&claim_of(delivery)) && !held.contains(&delivery.notification.id)
        });
        let waiting = self.receivers.values().flat_map(|r| r.waiting.iter());
        let first_end = waiting.map(|delivery| delivery.leased_until).min();
        // What is under way was asked about too, and what began since had a lease that lasted.
        let of_what_began = (!self.under_way.is_empty()).then_some(until);
        self.leased_until = first_end.into_iter().chain(of_what_began).min();
    }

    /// Nothing more of what is in hand, or comes with the claim under way, begins for this webhook until somebody has
    /// looked at it.
    pub(super) fn halt(&mut self, webhook: WebhookId) {
        self.halted.insert(webhook);
        if let Some(receiver) = self.receivers.get_mut(&webhook) {
            receiver.doubt = Doubt::Halted;
        }
    }

    /// The receiver says that it is not there any more. Nothing more begins until that is written, and the webhook halted.
    pub(super) fn gone(&mut self, webhook: WebhookId) {
        if let Some(receiver) = self.receivers.get_mut(&webhook) {
            receiver.doubt = Doubt::Gone;
        }
    }

    /// Lets go of what waits beyond their places for receivers that linger or are on trial; it is due for whoever has a
    /// place for it.
    pub(super) fn ease(&mut self, now: Timestamp) -> Vec<Claim> {
        for receiver in self.receivers.values_mut() {
            receiver.lingers = false;
        }
        for attempted in self.under_way.values_mut() {
            let Some(receiver) = self.receivers.get_mut(&attempted.webhook) else {
                continue;
            };
            let took = now.duration_since(attempted.began_at);
            let patience = SignedDuration::try_from(receiver.patience());
            if patience.is_ok_and(|patience| took > patience) {
                receiver.lingers = true;
                if !attempted.on_trial {
                    attempted.on_trial = true;
                    let is_long = usize::from(attempted.is_long);
                    self.on_trial += 1;
                    self.long.on_trial += is_long;
                    if let Some(account) = self.accounts.get_mut(&receiver.account) {
                        account.on_trial += 1;
                        account.long.on_trial += is_long;
                    }
                }
            }
        }
        let (mut eased, mut let_go) = (HashMap::new(), Vec::new());
        for (id, receiver) in &mut self.receivers {
            let beyond = receiver.beyond();
            if beyond > 0 && receiver.on_trial() {
                receiver.is_behind = true;
                eased.insert(*id, beyond);
            }
        }
        if eased.is_empty() {
            return let_go;
        }
        // Those that came last.
        for (id, beyond) in &eased {
            if let Some(receiver) = self.receivers.get(id) {
                let last = receiver.waiting.iter().rev().take(*beyond);
                let_go.extend(last.map(claim_of));
            }
        }
        let gone: HashSet<Claim> = let_go.iter().copied().collect();
        self.drop_waiting(|delivery| gone.contains(&claim_of(delivery)));
        let_go
    }

    /// Webhooks to be looked at: those that were halted, and those with something that waits.
    pub(super) fn doubted(&mut self) -> Vec<WebhookId> {
        let mut doubted = Vec::new();
        for (id, receiver) in &mut self.receivers {
            if receiver.doubt == Doubt::Halted {
                receiver.doubt = Doubt::Looked;
            }
            if receiver.doubt == Doubt::Looked || !receiver.waiting.is_empty() {
                doubted.push(*id);
            }
        }
        doubted
    }

    /// Lets go of what waits for one of these `doubted` webhooks and is not as it stands among the `active` ones now.
    /// One that was halted once more since goes on when it was looked at once more, and one for which something is being
    /// written: that may be as it was before.
    pub(super) fn recall(&mut self, doubted: &[WebhookId], active: &[Webhook]) -> Vec<Claim> {
        let doubted: HashSet<WebhookId> = doubted.iter().copied().collect();
        let active: HashMap<WebhookId, &Webhook> =
            active.iter().map(|webhook| (webhook.id, webhook)).collect();
        let is_as_it_was = |delivery: &Claimed| {
            let webhook = active.get(&delivery.notification.webhook);
            webhook.is_some_and(|now| {
                let (headers, secrets) = (&now.headers, (&now.secret, &now.retired));
                delivery.url == now.url
                    && delivery.headers == *headers
                    && (&delivery.secret, &delivery.retired) == secrets
            })
        };
        let mut recalled = Vec::new();
        self.drop_waiting(|delivery| {
            let goes = doubted.contains(&delivery.notification.webhook) && !is_as_it_was(delivery);
            if goes {
                recalled.push(claim_of(delivery));
            }
            goes
        });
        for id in &doubted {
            if let Some(receiver) = self.receivers.get_mut(id)
                && receiver.doubt == Doubt::Looked
                && receiver.promised == 0
            {
                receiver.doubt = Doubt::None;
            }
        }
        recalled
    }

    fn drop_waiting(&mut self, mut is_lost: impl FnMut(&Claimed) -> bool) {
        let mut lost = Vec::new();
        for receiver in self.receivers.values_mut() {
            let before = receiver.waiting.len();
            receiver.waiting.retain(|delivery| !is_lost(delivery));
            let gone = before - receiver.waiting.len();
            lost.extend(std::iter::repeat_n(receiver.account, gone));
        }
        if lost.is_empty() {
            return;
        }
        let receivers = &self.receivers;
        self.turn
            .retain(|id| receivers.get(id).is_some_and(|r| !r.waiting.is_empty()));
        self.waiting -= lost.len();
        for account in lost {
            self.leave(account);
        }
    }

    /// Lets go of all that waits.
    pub(super) fn give_back(&mut self) -> Vec<Claim> {
        let claims: Vec<Claim> = self.waiting_claims().collect();
        self.drop_waiting(|_| true);
        claims
    }

    pub(super) fn is_idle(&self) -> bool {
        self.in_hand() == 0
    }

    fn waiting_claims(&self) -> impl Iterator<Item = Claim> {
        let waiting = self.receivers.values().flat_map(|r| r.waiting.iter());
        waiting.map(claim_of)
    }

    fn in_hand(&self) -> usize {
        self.under_way.len() + self.waiting + self.promised
    }

    /// The places that receivers on trial have or wait for, by account.
    fn places_on_trial(&self, of: impl Fn(&Receiver) -> bool) -> HashMap<AccountId, usize> {
        let mut held: HashMap<AccountId, usize> = HashMap::new();
        let on_trial = self.receivers.values().filter(|r| r.on_trial());
        for receiver in on_trial.filter(|receiver| of(receiver)) {
            // What was claimed before it was on trial waits for one place.
            let places = receiver.in_hand().min(receiver.width());
            let places = places.max(receiver.under_way);
            if places > 0 {
                *held.entry(receiver.account).or_default() += places;
            }
        }
        held
    }

    /// Those on trial that wait for a place for a long body, as far as there is none for them.
    fn stuck_on_trial(&self, of: impl Fn(&Receiver) -> bool) -> HashMap<AccountId, usize> {
        let mut stuck: HashMap<AccountId, usize> = HashMap::new();
        for receiver in self.receivers.values().filter(|receiver| of(receiver)) {
            let waits_for_long = receiver.on_trial()
                && receiver.under_way + receiver.promised == 0
                && !receiver.waiting.is_empty()
                && receiver.waiting.iter().all(is_long);
            if waits_for_long {
                *stuck.entry(receiver.account).or_default() += 1;
            }
        }
        let mut places = LONG_ON_TRIAL_MAX.saturating_sub(self.long.on_trial);
        for (account, waiting) in &mut stuck {
            let held = self.accounts.get(account).copied().unwrap_or_default();
            let own = LONG_ON_TRIAL_OF_ACCOUNT_MAX.saturating_sub(held.long.on_trial);
            let may_begin = own.min(places).min(*waiting);
            places -= may_begin;
            *waiting -= may_begin;
        }
        stuck
    }

    /// Whoever else waits comes first.
    fn go_behind(&mut self, account: AccountId) {
        let receivers = &self.receivers;
        let is_of_it =
            |webhook: &WebhookId| receivers.get(webhook).is_some_and(|r| r.account == account);
        let turn = std::mem::take(&mut self.turn);
        let (of_it, others): (Vec<_>, Vec<_>) = turn.into_iter().partition(is_of_it);
        self.turn = others.into_iter().chain(of_it).collect();
    }

    fn leave(&mut self, account: AccountId) {
        if let Some(held) = self.accounts.get_mut(&account) {
            held.in_hand = held.in_hand.saturating_sub(1);
            if held.in_hand == 0 {
                self.accounts.remove(&account);
            }
        }
    }

    fn forget_the_idle(&mut self) {
        if self.receivers.len() > RECEIVERS_MAX {
            self.receivers.retain(|_, receiver| receiver.in_hand() > 0);
        }
    }
}

/// Whether its body is read as its attempt begins.
fn is_long(delivery: &Claimed) -> bool {
    delivery.body == Body::Kept
}

/// How the store knows it.
pub(super) fn claim_of(delivery: &Claimed) -> Claim {
    (delivery.notification.id, delivery.claim_token)
}

/// Places that receivers on trial of one account have at once.
fn trials_of_account(few_left: bool) -> usize {
    if few_left {
        CHANCES_OF_ACCOUNT_MAX
    } else {
        ON_TRIAL_OF_ACCOUNT_MAX
    }
}

#[cfg(test)]
mod tests {
    use domain::event::EventName;
    use domain::webhook::DeliveryStatus;
    use jiff::Timestamp;
    use store::notification::Notification;
    use uuid::Uuid;

    use super::*;

    /// What one that answers quickly may have in hand.
    const REACH: usize = OF_RECEIVER_MAX + AHEAD_OF_QUICK;
    const SOON: Ending = Ending::Accepted(Duration::from_millis(5));

    fn delivery(n: u128, webhook: u128, account: u128) -> Claimed {
        Claimed {
            account: AccountId(Uuid::from_u128(account)),
            notification: Notification {
                id: NotificationId(Uuid::from_u128(n)),
                webhook: hook(webhook),
                event: EventName::ContainerUpdated,
                reference_type: "transport_event".into(),
                reference: Uuid::from_u128(n),
                container: None,
                shipment: None,
                tracking_request: None,
                version: 1,
                created_at: Timestamp::UNIX_EPOCH,
                status: DeliveryStatus::Pending,
            },
            url: String::new(),
            secret: Vec::new(),
            retired: None,
            headers: Vec::new(),
            attempt: 1,
            attempts_before: 0,
            refusals_in_a_row: 0,
            record: Record::Answered,
            claim_token: 1,
            leased_until: at(30),
            body: Body::InHand(String::new()),
        }
    }

    fn hook(n: u128) -> WebhookId {
        WebhookId(Uuid::from_u128(n))
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// All that can be started now.
    fn start_all(desk: &mut Desk) -> Vec<NotificationId> {
        start_all_at(desk, 0)
    }

    fn start_all_at(desk: &mut Desk, second: i64) -> Vec<NotificationId> {
        std::iter::from_fn(|| desk.next(at(second)))
            .map(|delivery| delivery.notification.id)
            .collect()
    }

    fn id(n: u128) -> NotificationId {
        NotificationId(Uuid::from_u128(n))
    }

    /// A desk that knows webhook 1 as one that answers.
    fn with_a_good_one() -> Desk {
        let mut desk = Desk::default();
        desk.take_in(vec![delivery(1, 1, 1)]);
        assert_eq!(start_all(&mut desk), [id(1)]);
        assert!(desk.ended(id(1), SOON));
        assert!(desk.is_idle());
        desk
    }

    #[test]
    fn a_receiver_on_trial_has_one_attempt_at_a_time() {
        let mut desk = Desk::default();
        desk.take_in(vec![delivery(1, 1, 1), delivery(2, 1, 1)]);
        assert_eq!(start_all(&mut desk), [id(1)]);
        assert_eq!(desk.room().webhooks[&hook(1)], 0);
        desk.ended(id(1), Ending::Refused);
        assert_eq!(start_all(&mut desk), [id(2)]);
    }

    #[test]
    fn those_that_failed_last_take_half_of_the_places_on_trial() {
        let mut desk = Desk::default();
        let nothing = desk.room();
        assert_eq!(nothing.failing.together, ON_TRIAL_MAX / 2);
        assert_eq!(nothing.failing.account, ON_TRIAL_OF_ACCOUNT_MAX / 2);
        let failed = |n: u128| Claimed {
            record: Record::Failed,
            ..delivery(n, n, 1)
        };
        desk.take_in((1..=10).map(failed).collect());
        desk.take_in(vec![delivery(11, 11, 1)]);
        assert_eq!(start_all(&mut desk).len(), 11);
        let of_one = AccountId(Uuid::from_u128(1));
        let room = desk.room();
        assert_eq!(
            room.failing.accounts[&of_one],
            ON_TRIAL_OF_ACCOUNT_MAX / 2 - 10
        );
        assert_eq!(room.failing.together, ON_TRIAL_MAX / 2 - 10);
        assert_eq!(room.unknown_accounts[&of_one], ON_TRIAL_OF_ACCOUNT_MAX - 11);
        // Those that wait for a place for a long body take none of the others'.
        let long = (100..120).map(|n: u128| Claimed {
            body: Body::Kept,
            record: Record::Failed,
            ..delivery(n, n, n)
        });
        desk.take_in(long.collect());
        start_all(&mut desk);
        let room = desk.room();
        let begun = LONG_ON_TRIAL_MAX;
        assert_eq!(room.failing.together, ON_TRIAL_MAX / 2 - 10 - begun);
        // One that answers is none of them any more.
        desk.ended(id(1), SOON);
        assert_eq!(
            desk.room().failing.accounts[&of_one],
            ON_TRIAL_OF_ACCOUNT_MAX / 2 - 9
        );
    }

    /// Found by a tester: after a start who had always answered waited for all that hung, since these had shown nothing yet.
    #[test]
    fn those_that_are_new_leave_a_quarter_of_the_places_on_trial_to_who_answered() {
        let mut desk = Desk::default();
        let (all, of_account) = (ON_TRIAL_MAX * 3 / 4, ON_TRIAL_OF_ACCOUNT_MAX * 3 / 4);
        let nothing = desk.room().unproven;
        assert_eq!((nothing.together, nothing.account), (all, of_account));
        let new = |n: u128| Claimed {
            record: Record::New,
            ..delivery(n, n, 1)
        };
        desk.take_in((1..=10).map(new).collect());
        let failed = Claimed {
            record: Record::Failed,
            ..delivery(11, 11, 1)
        };
        desk.take_in(vec![failed, delivery(12, 12, 1)]);
        assert_eq!(start_all(&mut desk).len(), 12);
        let of_one = AccountId(Uuid::from_u128(1));
        let left = |desk: &Desk| desk.room().unproven.accounts[&of_one];
        assert_eq!(left(&desk), of_account - 11);
        assert_eq!(desk.room().unproven.together, all - 11);
        desk.ended(id(1), SOON);
        assert_eq!(left(&desk), of_account - 10);
    }

    #[test]
    fn one_that_answers_has_four_and_more_claimed_ahead() {
        let mut desk = with_a_good_one();
        assert_eq!(desk.room().webhooks[&hook(1)], REACH);
        desk.take_in((10..20).map(|n| delivery(n, 1, 1)).collect());
        assert_eq!(start_all(&mut desk).len(), OF_RECEIVER_MAX);
        assert_eq!(desk.room().webhooks[&hook(1)], REACH - 10);
        desk.ended(id(10), Ending::Accepted(Duration::from_secs(4)));
        assert_eq!(
            desk.room().webhooks[&hook(1)],
            0,
            "a slow one gets none ahead"
        );
    }

    #[test]
    fn three_silences_put_it_on_trial_until_it_answers() {
        let mut desk = with_a_good_one();
        desk.take_in((10..30).map(|n| delivery(n, 1, 1)).collect());
        let under_way = start_all(&mut desk);
        let (last, others) = under_way.split_last().unwrap();
        for id in others {
            desk.ended(*id, Ending::Silent);
        }
        assert_eq!(start_all(&mut desk), [], "one is under way still");
        desk.ended(*last, Ending::Silent);
        assert_eq!(start_all(&mut desk), [id(14)]);
        desk.ended(id(14), SOON);
        assert_eq!(start_all(&mut desk).len(), OF_RECEIVER_MAX);
    }

    #[test]
    fn one_that_accepts_after_five_seconds_is_on_trial() {
        let mut desk = with_a_good_one();
        desk.take_in((10..20).map(|n| delivery(n, 1, 1)).collect());
        start_all(&mut desk);
        for n in 10..14 {
            desk.ended(id(n), Ending::Accepted(SLUGGISH));
        }
        assert_eq!(start_all(&mut desk), [id(14)]);
    }

    #[test]
    fn those_on_trial_hold_a_quarter_together() {
        let mut desk = with_a_good_one();
        let silent = (100..200).map(|n| delivery(n, n, n));
        desk.take_in(silent.collect());
        let under_way = start_all(&mut desk);
        assert_eq!(under_way.len(), ON_TRIAL_MAX, "an account each");
        let room = desk.room();
        assert_eq!((room.unknown_together, room.webhooks[&hook(1)]), (0, REACH));
        desk.ended(under_way[0], Ending::Silent);
        assert_eq!(start_all(&mut desk).len(), 1, "the next of them");
    }

    /// A desk on which webhooks 1 to `count`, sixteen an account, have answered.
    fn with_good_ones(count: u128) -> Desk {
        let mut desk = Desk::default();
        for n in 1..=count {
            desk.take_in(vec![delivery(n, n, (n - 1) / 16)]);
            assert_eq!(start_all(&mut desk), [id(n)]);
            desk.ended(id(n), SOON);
        }
        desk
    }

    #[test]
    fn many_that_begin_to_hang_leave_the_last_quarter_to_those_that_answer() {
        let mut desk = with_good_ones(65);
        let moment =
            |n: u128| Timestamp::from_millisecond(100 * i64::try_from(n).unwrap()).unwrap();
        let start_at = |desk: &mut Desk, now| std::iter::from_fn(|| desk.next(now)).count();
        // Each of 64 gets something every tenth of a second, and answers nothing.
        let mut hanging = 0;
        for round in 1..=4 {
            let some = (1..65).map(|n| delivery(1_000 * round + n, n, (n - 1) / 16));
            desk.take_in(some.collect());
            hanging += start_at(&mut desk, moment(round));
        }
        assert_eq!(hanging, FOR_ALL_MAX);
        desk.take_in((1..=4).map(|n| delivery(9_000 + n, 65, 4)).collect());
        for n in 1..=4 {
            assert_eq!(start_at(&mut desk, moment(5)), 1, "one for each that ends");
            desk.ended(id(9_000 + n), SOON);
        }
    }

    /// Nothing is late yet: all of it comes at once.
    #[test]
    fn a_burst_to_many_that_hang_leaves_the_last_quarter_to_those_that_answer() {
        let mut desk = with_good_ones(264);
        let burst = |n: u128| (1..=4).map(move |one| delivery(1_000 * n + one, n, (n - 1) / 16));
        desk.take_in((1..=64).flat_map(burst).collect());
        // And to others that nobody knows yet.
        let unknown = (1_001..1_101).map(|n| delivery(9_000_000 + n, n, n));
        desk.take_in(unknown.collect());
        assert_eq!(start_all(&mut desk).len(), FOR_ALL_MAX);
        let good = (65..=264).map(|n| delivery(500_000 + n, n, (n - 1) / 16));
        desk.take_in(good.collect());
        let mut told = 0;
        while told < 200 {
            let under_way = start_all(&mut desk);
            assert!(!under_way.is_empty(), "held up behind {told}");
            for id in under_way {
                desk.ended(id, SOON);
                told += 1;
            }
        }
    }

    #[test]
    fn receivers_on_trial_have_a_quarter_of_the_last_quarter() {
        let mut desk = with_good_ones(64);
        let some = |n: u128| (1..=3).map(move |one| delivery(1_000 * n + one, n, (n - 1) / 16));
        desk.take_in((1..=64).flat_map(some).collect());
        assert_eq!(start_all(&mut desk).len(), FOR_ALL_MAX);
        desk.take_in((1_001..1_101).map(|n| delivery(n, n, n)).collect());
        let chances = start_all(&mut desk);
        assert_eq!(chances.len(), CHANCES_MAX);
        desk.ended(id(1_001_001), SOON);
        assert_eq!(start_all(&mut desk), [], "not of the others' places");
        desk.ended(chances[0], Ending::Silent);
        assert_eq!(start_all(&mut desk).len(), 1, "the next of them");
    }

    /// Whether a delivery to webhook 999 begins while good ones, that are on this desk, keep all places they can have in use.
    fn begins_beside_busy_ones(mut desk: Desk, account: u128) -> bool {
        let good: Vec<(u128, u128)> = (1..=desk.receivers.len() as u128)
            .filter(|n| desk.receivers.contains_key(&hook(*n)))
            .map(|n| (n, (n - 1) / 16))
            .collect();
        let backlog = good.iter().flat_map(|(n, account)| {
            (1..=8).map(move |one| delivery(10_000 * n + one, *n, *account))
        });
        desk.take_in(backlog.collect());
        let mut under_way: VecDeque<NotificationId> = start_all(&mut desk).into();
        for step in 0..300 {
            if step == 200 {
                desk.take_in(vec![delivery(999, 999, account)]);
            }
            // The oldest ends, and its receiver has something new.
            let first = under_way.pop_front().unwrap();
            let webhook = desk.under_way[&first].webhook.0.as_u128();
            desk.ended(first, SOON);
            let again = delivery(9_000_000 + step, webhook, (webhook - 1) / 16);
            desk.take_in(vec![again]);
            under_way.extend(start_all(&mut desk));
            if desk.under_way.contains_key(&id(999)) {
                return true;
            }
        }
        false
    }

    #[test]
    fn who_has_to_answer_first_begins_while_others_keep_all_places_in_use() {
        // Thirteen of one account, and sixty of four; the new one is of that account, or of none of these.
        for (good, account) in [(13, 0), (60, 99)] {
            for silences in [None, Some(1), Some(SILENCES_MAX)] {
                let mut desk = with_good_ones(good);
                for n in 0..silences.map_or(0, |silences| 1 + u128::from(silences)) {
                    desk.take_in(vec![delivery(5_000 + n, 999, account)]);
                    assert_eq!(start_all(&mut desk), [id(5_000 + n)]);
                    let ending = if n == 0 { SOON } else { Ending::Silent };
                    desk.ended(id(5_000 + n), ending);
                }
                assert!(
                    begins_beside_busy_ones(desk, account),
                    "{good} busy ones, {silences:?} silences"
                );
            }
        }
    }

    #[test]
    fn hanging_receivers_of_others_take_no_chances_of_a_busy_account() {
        let mut desk = with_good_ones(13);
        let hanging = 2_001..2_001 + CHANCES_MAX as u128;
        desk.take_in(hanging.map(|n| delivery(n, n, n)).collect());
        assert_eq!(start_all(&mut desk).len(), CHANCES_MAX);
        assert!(begins_beside_busy_ones(desk, 0));
    }

    #[test]
    fn no_more_is_claimed_for_unknown_ones_than_may_begin() {
        let mut desk = with_good_ones(13);
        let room = desk.room();
        let of_account = |room: &Room, n| {
            let account = AccountId(Uuid::from_u128(n));
            let some = room.unknown_accounts.get(&account);
            some.copied().unwrap_or(room.unknown_account)
        };
        assert_eq!(room.unknown_together, ON_TRIAL_MAX);
        assert_eq!(of_account(&room, 0), ON_TRIAL_OF_ACCOUNT_MAX);
        let some = |n: u128| (1..=4).map(move |one| delivery(1_000 * n + one, n, (n - 1) / 16));
        desk.take_in((1..=13).flat_map(some).collect());
        start_all(&mut desk);
        let room = desk.room();
        assert_eq!(room.unknown_together, ON_TRIAL_MAX, "others have places");
        assert_eq!(of_account(&room, 99), ON_TRIAL_OF_ACCOUNT_MAX);
        assert_eq!(of_account(&room, 0), CHANCES_OF_ACCOUNT_MAX);

        let mut desk = with_good_ones(64);
        desk.take_in((1..=64).flat_map(some).collect());
        start_all(&mut desk);
        let room = desk.room();
        assert_eq!(room.unknown_together, CHANCES_MAX);
        assert_eq!(of_account(&room, 99), CHANCES_OF_ACCOUNT_MAX);
        // Those of one account, claimed when there was room, wait for its places and for nobody else's.
        desk.take_in((2_001..2_033).map(|n| delivery(n, n, 0)).collect());
        assert_eq!(start_all(&mut desk).len(), CHANCES_OF_ACCOUNT_MAX);
        let room = desk.room();
        assert_eq!(room.unknown_together, CHANCES_MAX - CHANCES_OF_ACCOUNT_MAX);
    }

    #[test]
    fn what_waits_of_a_busy_account_takes_no_trial_room_of_others() {
        let mut desk = with_good_ones(32);
        let some = |n: u128| (1..=3).map(move |one| delivery(1_000 * n + one, n, (n - 1) / 16));
        // Two accounts, each one place below the last quarter of its own.
        let busy = (1..=32).flat_map(some);
        let busy =
            busy.filter(|delivery| ![1_001, 17_001].map(id).contains(&delivery.notification.id));
        desk.take_in(busy.collect());
        let places = 2 * (FOR_ALL_OF_ACCOUNT_MAX - 1);
        assert_eq!(start_all(&mut desk).len(), places);
        let of_account = ON_TRIAL_OF_ACCOUNT_MAX as u128;
        for account in [0, 1] {
            let first = 2_001 + 1_000 * account;
            let hanging = first..first + of_account;
            desk.take_in(hanging.map(|n| delivery(n, n, account)).collect());
        }
        let begun = 2 * CHANCES_OF_ACCOUNT_MAX;
        assert_eq!(start_all(&mut desk).len(), begun, "the rest waits");
        assert_eq!(desk.room().unknown_together, ON_TRIAL_MAX - begun);
    }

    #[test]
    fn those_that_go_on_answering_keep_all_places_in_use() {
        let mut desk = with_good_ones(64);
        let many = |n: u128| (1..=8).map(move |one| delivery(1_000 * n + one, n, (n - 1) / 16));
        desk.take_in((1..=64).flat_map(many).collect());
        let mut under_way: VecDeque<NotificationId> = start_all(&mut desk).into();
        let mut most = 0;
        // The one that began first ends first.
        while let Some(first) = under_way.pop_front() {
            desk.ended(first, SOON);
            under_way.extend(start_all(&mut desk));
            most = most.max(desk.under_way.len());
        }
        assert!(desk.is_idle());
        assert!(most >= FOR_ALL_MAX, "{most}");
    }

    #[test]
    fn one_that_lingers_is_on_trial_for_as_long_as_it_does() {
        let mut desk = with_good_ones(65);
        let all = (1..65).map(|n| delivery(1_000 + n, n, (n - 1) / 16));
        desk.take_in(all.collect());
        assert_eq!(start_all(&mut desk).len(), 64);
        desk.ease(at(1));
        assert_eq!(desk.on_trial, ON_TRIAL_MAX);
        assert_eq!(desk.accounts[&AccountId(Uuid::from_u128(0))].on_trial, 16);
        desk.take_in(
            (1..65)
                .map(|n| delivery(2_000 + n, n, (n - 1) / 16))
                .collect(),
        );
        assert_eq!(start_all_at(&mut desk, 1), [], "nothing begins beside it");
        desk.ended(id(1_001), SOON);
        desk.ease(at(1));
        assert_eq!(desk.on_trial, ON_TRIAL_MAX - 1);
        assert_eq!(start_all_at(&mut desk, 1), [id(2_001)]);
        for n in 2..65 {
            desk.ended(id(1_000 + n), SOON);
        }
        desk.ease(at(1));
        assert_eq!(desk.on_trial, 0);
        // What waited for them was given back, and comes with the next claim.
        desk.take_in(
            (2..65)
                .map(|n| delivery(3_000 + n, n, (n - 1) / 16))
                .collect(),
        );
        assert_eq!(start_all_at(&mut desk, 1).len(), 63);
    }

    #[test]
    fn what_one_that_lingers_has_waiting_is_given_back() {
        let (one, account) = (hook(1), AccountId(Uuid::from_u128(1)));
        let mut desk = with_a_good_one();
        after_a_claim(&mut desk, (10..40).map(|n| delivery(n, 1, 1)).collect());
        let under_way = start_all(&mut desk);
        assert_eq!(desk.ease(at(0)), [], "it has just begun");
        assert!(desk.promise(one, account));
        desk.withdraw(one);
        let mut eased = desk.ease(at(1));
        eased.sort_unstable();
        let others = (10..40).map(id).filter(|id| !under_way.contains(id));
        assert_eq!(eased, others.map(|id| (id, 1)).collect::<Vec<_>>());
        assert_eq!(desk.ease(at(2)), [], "once");
        assert!(!desk.promise(one, account));
        assert_eq!(desk.room().webhooks[&one], 0);
        desk.ended(under_way[0], Ending::Silent);
        assert_eq!(desk.room().webhooks[&one], 0, "it lingers");
        for id in &under_way[1..] {
            desk.ended(*id, SOON);
        }
        desk.ease(at(2));
        assert_eq!(
            desk.room().webhooks[&one],
            OF_RECEIVER_MAX,
            "nothing ahead yet"
        );
        for n in 100..130 {
            desk.take_in(vec![delivery(n, 1, 1)]);
            start_all_at(&mut desk, 2);
            desk.ended(id(n), SOON);
        }
        assert_eq!(desk.room().webhooks[&one], REACH);
    }

    #[test]
    fn one_that_takes_as_long_as_ever_does_not_linger() {
        let mut desk = with_a_good_one();
        desk.take_in(vec![delivery(9, 1, 1)]);
        start_all(&mut desk);
        desk.ended(id(9), Ending::Accepted(SLOW));
        desk.take_in((10..20).map(|n| delivery(n, 1, 1)).collect());
        start_all(&mut desk);
        assert_eq!(desk.ease(at(2)), []);
        assert!(!desk.ease(at(3)).is_empty());
    }

    #[test]
    fn one_that_is_put_on_trial_counts_as_the_place_it_has() {
        let mut desk = with_a_good_one();
        desk.take_in((10..100).map(|n| delivery(n, 1, 1)).collect());
        let under_way = start_all(&mut desk);
        for id in &under_way {
            desk.ended(*id, Ending::Silent);
        }
        assert_eq!(desk.room().unknown_together, ON_TRIAL_MAX - 1);
        let again = start_all(&mut desk);
        assert_eq!(again.len(), 1);
        assert_eq!(desk.ease(at(0)).len(), 90 - under_way.len() - 1);
        assert_eq!(desk.room().unknown_together, ON_TRIAL_MAX - 1);
        desk.ended(again[0], Ending::Silent);
        assert!(desk.is_idle() && desk.accounts.is_empty());
    }

    #[test]
    fn one_that_is_gone_begins_nothing_whoever_looks_meanwhile() {
        let mut desk = with_a_good_one();
        desk.take_in((10..30).map(|n| delivery(n, 1, 1)).collect());
        let under_way = start_all(&mut desk);
        desk.gone(hook(1));
        desk.halt(hook(1));
        let doubted = desk.doubted();
        assert_eq!(
            desk.recall(&doubted, &[unchanged(1)]),
            [],
            "switched on again at once"
        );
        desk.ended(under_way[0], Ending::Refused);
        assert_eq!(start_all(&mut desk).len(), 1, "it is written, and goes on");
    }

    #[test]
    fn an_account_holds_a_quarter() {
        let mut desk = Desk::default();
        desk.take_in((1..=40).map(|n| delivery(n, n, 7)).collect());
        let on_trial = start_all(&mut desk);
        assert_eq!(on_trial.len(), ON_TRIAL_OF_ACCOUNT_MAX);
        for id in on_trial.into_iter().take(28) {
            desk.ended(id, SOON);
        }
        for hooks in [1..=11, 12..=28] {
            let more =
                hooks.flat_map(|hook| (1..9).map(move |n| delivery(100 * hook + n, hook, 7)));
            desk.take_in(more.collect());
            start_all(&mut desk);
        }
        assert_eq!(desk.under_way.len(), OF_ACCOUNT_MAX);
        desk.take_in(vec![delivery(99, 99, 8)]);
        assert_eq!(start_all(&mut desk), [id(99)], "another one is not held up");
    }

    #[test]
    fn few_long_bodies_are_under_way_at_once_and_hold_up_nothing_else() {
        let long = |n: u128, account: u128| Claimed {
            body: Body::Kept,
            ..delivery(n, n, account)
        };
        let mut desk = Desk::default();
        for (hooks, account) in [(1..=20, 7), (30..=40, 8), (50..=51, 9)] {
            answering(&mut desk, hooks, account);
        }
        desk.take_in((1..=10).map(|n| long(n, 7)).collect());
        let first = start_all(&mut desk);
        assert_eq!(first, [id(1), id(2), id(3)], "half of the places");
        let waits = Claimed {
            body: Body::Kept,
            ..delivery(21, 20, 7)
        };
        desk.take_in(vec![waits, delivery(20, 20, 7)]);
        assert_eq!(
            start_all(&mut desk),
            [id(20)],
            "others of the account go on, those of the receiver too"
        );
        desk.take_in((30..=40).map(|n| long(n, 8)).collect());
        assert_eq!(start_all(&mut desk).len(), LONG_MAX - first.len());
        desk.take_in(vec![long(50, 9), delivery(51, 51, 9)]);
        assert_eq!(start_all(&mut desk), [id(51)]);
        desk.ended(id(1), Ending::Silent);
        desk.ended(id(2), SOON);
        assert_eq!(
            start_all(&mut desk).len(),
            2,
            "one begins for each that ends"
        );
    }

    /// Receivers of an account that have accepted something.
    fn answering(desk: &mut Desk, hooks: impl Iterator<Item = u128>, account: u128) {
        for hook in hooks {
            desk.take_in(vec![delivery(1_000 + hook, hook, account)]);
            assert_eq!(start_all(desk), [id(1_000 + hook)]);
            desk.ended(id(1_000 + hook), SOON);
        }
    }

    #[test]
    fn those_that_hang_leave_places_for_long_bodies_of_others_and_for_all_that_is_short() {
        let long = |n: u128, account: u128| Claimed {
            body: Body::Kept,
            ..delivery(n, n, account)
        };
        let mut desk = Desk::default();
        answering(&mut desk, 90..=90, 9);
        desk.take_in((1..=32).map(|n| long(n, 7)).collect());
        desk.take_in((33..=64).map(|n| long(n, 8)).collect());
        assert_eq!(start_all(&mut desk), [id(1), id(33)], "one an account");
        let room = desk.room();
        assert_eq!(room.unknown_together, ON_TRIAL_MAX - 2, "those that hang");
        assert_eq!(room.unknown_accounts[&AccountId(Uuid::from_u128(7))], 0);
        desk.take_in(vec![long(90, 9)]);
        assert_eq!(start_all(&mut desk), [id(90)], "it answers");
        desk.take_in(vec![long(100, 10)]);
        assert_eq!(start_all(&mut desk), [id(100)], "half of the places");
        desk.take_in(vec![long(110, 11)]);
        assert_eq!(start_all(&mut desk), [], "behind those that hang");
        desk.ended(id(1), Ending::Silent);
        assert_eq!(start_all(&mut desk), [id(110)], "whoever had none is next");
        desk.ended(id(33), Ending::Silent);
        assert_eq!(start_all(&mut desk).len(), 1);
        desk.ended(id(90), SOON);
        desk.ended(id(100), SOON);
        desk.ended(id(110), SOON);
        assert_eq!((desk.long.all, desk.long.on_trial), (1, 1));
    }

    #[test]
    fn whoever_waits_for_a_long_body_is_next_however_often_others_begin() {
        let long = |n: u128, hook: u128, account: u128| Claimed {
            body: Body::Kept,
            ..delivery(n, hook, account)
        };
        let mut desk = Desk::default();
        answering(&mut desk, 90..=90, 90);
        for account in 1..=5 {
            let hooks = account * 10..account * 10 + 3;
            desk.take_in(hooks.map(|hook| long(hook, hook, account)).collect());
        }
        let mut hangs: VecDeque<NotificationId> = start_all(&mut desk).into();
        desk.take_in(vec![long(70, 70, 70)]);
        for round in 1..=6 {
            // One that answers goes on while they hang, and keeps a backlog.
            let quick = |n| delivery(1_000 * round + n, 90, 90);
            desk.take_in((0..7).map(quick).collect());
            for one in start_all(&mut desk) {
                desk.ended(one, SOON);
            }
            let ended = hangs.pop_front().unwrap();
            let hook = desk.under_way[&ended].webhook;
            desk.ended(ended, Ending::Silent);
            let next = start_all(&mut desk);
            if next.contains(&id(70)) {
                return;
            }
            let (short, of_long): (Vec<_>, Vec<_>) = next
                .into_iter()
                .partition(|one| !desk.under_way[one].is_long);
            for one in short {
                desk.ended(one, SOON);
            }
            hangs.extend(of_long);
            let hook = hook.0.as_u128();
            desk.take_in(vec![long(1_000 * round + 500, hook, hook / 10)]);
        }
        panic!("it had no place while others had two");
    }

    #[test]
    fn those_that_wait_for_a_long_body_shut_no_new_ones_out_of_many_accounts_either() {
        let mut desk = Desk::default();
        let long = |n: u128| Claimed {
            body: Body::Kept,
            ..delivery(n, n, n)
        };
        desk.take_in((1..=ON_TRIAL_MAX as u128).map(long).collect());
        assert_eq!(start_all(&mut desk).len(), LONG_ON_TRIAL_MAX);
        let room = desk.room().unknown_together;
        assert_eq!(room, ON_TRIAL_MAX - LONG_ON_TRIAL_MAX);
    }

    #[test]
    fn what_was_given_back_and_comes_again_has_one_turn() {
        let mut desk = Desk::default();
        for _ in 0..3 {
            desk.take_in(vec![delivery(1, 1, 7)]);
            desk.give_back();
        }
        desk.take_in(vec![delivery(1, 1, 7)]);
        assert_eq!(desk.turn, [hook(1)]);
    }

    #[test]
    fn an_account_of_which_all_was_lost_is_forgotten() {
        let mut desk = Desk::default();
        desk.take_in(vec![delivery(1, 1, 7)]);
        let asked = desk.claims();
        desk.renewed(&asked, &HashSet::new(), at(60));
        assert_eq!(start_all(&mut desk), []);
        assert!(desk.accounts.is_empty());
    }

    #[test]
    fn a_receiver_whose_deliveries_were_given_back_is_behind() {
        let mut desk = with_a_good_one();
        after_a_claim(&mut desk, Vec::new());
        assert!(desk.promise(hook(1), AccountId(Uuid::from_u128(1))));
        desk.left_behind([hook(1)].into_iter());
        assert!(!desk.promise(hook(1), AccountId(Uuid::from_u128(1))));
    }

    #[test]
    fn receivers_take_turns() {
        let mut desk = Desk::default();
        for (n, webhook) in [(1, 1), (2, 2)] {
            desk.take_in(vec![delivery(n, webhook, webhook)]);
            start_all(&mut desk);
            desk.ended(id(n), SOON);
        }
        desk.take_in((10..13).map(|n| delivery(n, 1, 1)).collect());
        desk.take_in((20..23).map(|n| delivery(n, 2, 2)).collect());
        let order = start_all(&mut desk);
        assert_eq!(order, [10, 20, 11, 21, 12, 22].map(id));
    }

    #[test]
    fn what_was_lost_is_dropped_and_what_is_left_is_given_back() {
        let mut desk = with_a_good_one();
        desk.take_in((10..24).map(|n| delivery(n, 1, 1)).collect());
        let under_way = start_all(&mut desk);
        assert_eq!(desk.claims().len(), 14);
        let lost = (10..24).map(id).filter(|id| !under_way.contains(id));
        let lost = lost.filter(|lost| ![id(20), id(21)].contains(lost));
        let lost: HashSet<NotificationId> = lost.collect();
        let asked = desk.claims();
        let held = asked.iter().map(|(id, _)| *id);
        let held = held.filter(|id| !lost.contains(id)).collect();
        desk.renewed(&asked, &held, at(60));
        assert_eq!(desk.claims().len(), under_way.len() + 2);
        let mut left = desk.give_back();
        left.sort_unstable();
        assert_eq!(left, [(id(20), 1), (id(21), 1)]);
        assert_eq!(start_all(&mut desk), []);
        for id in under_way {
            desk.ended(id, SOON);
        }
        assert!(desk.is_idle() && desk.accounts.is_empty());
    }

    /// The room of a claim, and what it brought for webhook 1.
    fn after_a_claim(desk: &mut Desk, brought: Vec<Claimed>) {
        let room = desk.room();
        desk.claimed(&room, &brought);
        desk.take_in(brought);
    }

    #[test]
    fn places_are_promised_for_receivers_that_answer_and_have_nothing_waiting() {
        let (one, account) = (hook(1), AccountId(Uuid::from_u128(1)));
        let mut desk = Desk::default();
        assert!(!desk.promise(one, account), "nobody knows it");
        let mut desk = with_a_good_one();
        assert!(
            !desk.promise(one, account),
            "no claim has said that nothing waits"
        );
        after_a_claim(&mut desk, Vec::new());
        let promised = (0..2 * REACH).take_while(|_| desk.promise(one, account));
        let promised = promised.count();
        assert_eq!(promised, REACH, "its reach");
        assert_eq!(
            desk.room().webhooks[&one],
            0,
            "a claim leaves promised places free"
        );
        assert!(!desk.is_idle());
        for _ in 0..promised {
            desk.withdraw(one);
        }
        assert!(desk.is_idle() && desk.accounts.is_empty());
        assert!(
            !desk.promise(one, account),
            "one was turned away, and waits in the store"
        );
        after_a_claim(&mut desk, Vec::new());
        assert!(desk.promise(one, account));
    }

    #[test]
    fn a_claim_that_fills_its_room_leaves_its_receiver_behind() {
        let (one, account) = (hook(1), AccountId(Uuid::from_u128(1)));
        let mut desk = with_a_good_one();
        let all = 10..10 + REACH as u128;
        after_a_claim(&mut desk, all.clone().map(|n| delivery(n, 1, 1)).collect());
        for n in all {
            assert_eq!(
                desk.next(at(0)).map(|next| next.notification.id),
                Some(id(n))
            );
            desk.ended(id(n), SOON);
        }
        assert!(!desk.promise(one, account), "more may wait in the store");
        after_a_claim(&mut desk, vec![delivery(9_000, 1, 1)]);
        assert!(desk.promise(one, account));
    }

    #[test]
    fn a_claim_that_fills_its_accounts_room_leaves_its_receivers_behind() {
        let (one, other, account) = (hook(1), hook(2), AccountId(Uuid::from_u128(1)));
        let mut desk = with_a_good_one();
        desk.take_in(vec![delivery(2, 2, 1)]);
        assert_eq!(start_all(&mut desk), [id(2)]);
        desk.ended(id(2), SOON);
        after_a_claim(&mut desk, (10..240).map(|n| delivery(n, 1, 1)).collect());
        assert!(desk.promise(one, account) && desk.promise(other, account));
        desk.withdraw(one);
        desk.withdraw(other);
        let left = desk.room().accounts[&account] as u128;
        assert!((left as usize) < desk.room().webhooks[&other]);
        let brought = 1_000..1_000 + left;
        after_a_claim(&mut desk, brought.map(|n| delivery(n, 2, 1)).collect());
        for n in start_all(&mut desk) {
            desk.ended(n, SOON);
        }
        for receiver in [one, other] {
            assert!(
                !desk.promise(receiver, account),
                "more may wait in the store"
            );
        }
    }

    #[test]
    fn one_that_falls_silent_is_promised_nothing() {
        let (one, account) = (hook(1), AccountId(Uuid::from_u128(1)));
        let mut desk = with_a_good_one();
        after_a_claim(&mut desk, (10..13).map(|n| delivery(n, 1, 1)).collect());
        assert!(desk.promise(one, account));
        start_all(&mut desk);
        for n in 10..13 {
            desk.ended(id(n), Ending::Silent);
        }
        assert!(!desk.promise(one, account));
    }

    #[test]
    fn what_has_waited_longer_than_its_lease_begins_when_it_was_renewed() {
        let mut desk = with_a_good_one();
        desk.take_in((10..12).map(|n| delivery(n, 1, 1)).collect());
        assert_eq!(start_all_at(&mut desk, 30), [], "another may hold it");
        assert!(!desk.is_overdue(at(29)) && desk.is_overdue(at(30)));
        let asked = desk.claims();
        desk.renewed(&asked, &HashSet::from([id(11)]), at(60));
        assert_eq!(
            start_all_at(&mut desk, 30),
            [id(11)],
            "the other one is lost"
        );
        assert!(!desk.is_overdue(at(59)));
        assert!(desk.is_overdue(at(60)), "what is under way is held too");
    }

    #[test]
    fn the_lease_of_what_has_ended_makes_nothing_overdue() {
        // Its lease, which would end at 30, is of no interest any more.
        let mut desk = with_a_good_one();
        let later = Claimed {
            leased_until: at(90),
            ..delivery(10, 1, 1)
        };
        desk.take_in(vec![later]);
        assert!(!desk.is_overdue(at(60)));
        assert!(desk.is_overdue(at(90)));
    }

    #[test]
    fn what_is_claimed_once_more_is_in_hand_once() {
        let mut desk = with_a_good_one();
        let again = |n| Claimed {
            claim_token: 2,
            ..delivery(n, 1, 1)
        };
        after_a_claim(&mut desk, vec![delivery(10, 1, 1)]);
        assert_eq!(start_all(&mut desk), [id(10)]);
        after_a_claim(&mut desk, vec![delivery(11, 1, 1)]);
        after_a_claim(&mut desk, vec![again(11), again(10)]);
        assert_eq!(start_all(&mut desk), [id(11)]);
        assert_eq!(start_all(&mut desk), [], "it is under way");
        let mut claims = desk.claims();
        claims.sort_unstable();
        assert_eq!(claims, [(id(10), 1), (id(10), 2), (id(11), 2)]);
        for n in [10, 11] {
            desk.ended(id(n), SOON);
        }
        assert_eq!(start_all(&mut desk), [id(10)], "under its last claim");
        desk.ended(id(10), SOON);
        assert!(desk.is_idle() && desk.accounts.is_empty());
        assert_eq!(desk.receivers[&hook(1)].under_way, 0);
    }

    /// Webhook `n` as [`delivery`] was claimed for it.
    fn unchanged(n: u128) -> Webhook {
        Webhook {
            id: hook(n),
            url: String::new(),
            active: true,
            events: Vec::new(),
            secret: Vec::new(),
            retired: None,
            headers: Vec::new(),
            disabled_reason: None,
            created_at: at(0),
            updated_at: at(0),
        }
    }

    #[test]
    fn what_waits_for_a_webhook_that_is_not_what_it_was_is_given_back() {
        type Change = fn(&mut Webhook);
        let changes: [Change; 4] = [
            |one| one.url = "https://elsewhere.example/".into(),
            |one| one.secret = vec![1],
            |one| one.headers = vec![1],
            |one| {
                one.retired = Some(store::webhook::Retired {
                    sealed: vec![1],
                    until: at(9),
                });
            },
        ];
        for change in changes {
            let mut desk = with_a_good_one();
            desk.take_in(vec![delivery(10, 1, 1), delivery(20, 2, 1)]);
            let doubted = desk.doubted();
            let mut now = unchanged(1);
            change(&mut now);
            assert_eq!(desk.recall(&doubted, &[now, unchanged(2)]), [(id(10), 1)]);
            assert_eq!(start_all(&mut desk), [id(20)]);
        }
        let mut desk = with_a_good_one();
        desk.take_in(vec![delivery(10, 1, 1), delivery(20, 2, 1)]);
        let doubted = desk.doubted();
        desk.take_in(vec![delivery(30, 3, 1)]);
        let switched_off = desk.recall(&doubted, &[unchanged(2)]);
        assert_eq!(switched_off, [(id(10), 1)]);
        assert_eq!(
            start_all(&mut desk),
            [id(20), id(30)],
            "nobody asked about the last"
        );
    }

    #[test]
    fn nothing_begins_for_a_halted_webhook_until_it_was_looked_at() {
        let mut desk = with_a_good_one();
        after_a_claim(&mut desk, (10..13).map(|n| delivery(n, 1, 1)).collect());
        desk.halt(hook(1));
        assert_eq!(start_all(&mut desk), []);
        assert!(!desk.promise(hook(1), AccountId(Uuid::from_u128(1))));
        let doubted = desk.doubted();
        desk.halt(hook(1));
        assert_eq!(desk.recall(&doubted, &[unchanged(1)]), []);
        assert_eq!(start_all(&mut desk), [], "halted once more");
        let doubted = desk.doubted();
        assert_eq!(desk.recall(&doubted, &[unchanged(1)]), []);
        assert_eq!(start_all(&mut desk), [10, 11, 12].map(id));
        desk.take_in(vec![delivery(13, 1, 1)]);
        desk.gone(hook(1));
        desk.ended(id(10), Ending::Refused);
        assert_eq!(start_all(&mut desk), [], "it says that it is gone");
        let doubted = desk.doubted();
        assert_eq!(desk.recall(&doubted, &[unchanged(1)]), []);
        assert_eq!(start_all(&mut desk), [], "that is not written yet");
        desk.halt(hook(1));
        let doubted = desk.doubted();
        assert_eq!(desk.recall(&doubted, &[]), [(id(13), 1)]);
    }

    #[test]
    fn what_a_claim_brings_that_began_before_a_webhook_was_halted_is_looked_at() {
        for is_known in [true, false] {
            let mut desk = if is_known {
                with_a_good_one()
            } else {
                Desk::default()
            };
            let room = desk.begin_claim();
            desk.halt(hook(1));
            let doubted = desk.doubted();
            assert_eq!(desk.recall(&doubted, &[unchanged(1)]), []);
            let brought = vec![delivery(10, 1, 1)];
            desk.claimed(&room, &brought);
            desk.take_in(brought);
            assert!(desk.is_halted());
            assert_eq!(start_all(&mut desk), [], "it may be as it was before");
            let doubted = desk.doubted();
            let mut now = unchanged(1);
            now.url = "https://elsewhere.example/".into();
            assert_eq!(desk.recall(&doubted, &[now]), [(id(10), 1)]);
            desk.begin_claim();
            desk.take_in(vec![delivery(11, 1, 1)]);
            assert_eq!(
                start_all(&mut desk),
                [id(11)],
                "of a claim that began later"
            );
        }
    }

    #[test]
    fn what_was_being_written_when_a_webhook_was_halted_is_looked_at() {
        let (one, account) = (hook(1), AccountId(Uuid::from_u128(1)));
        let mut desk = with_a_good_one();
        after_a_claim(&mut desk, Vec::new());
        assert!(desk.promise(one, account));
        desk.halt(one);
        let doubted = desk.doubted();
        assert_eq!(desk.recall(&doubted, &[unchanged(1)]), []);
        desk.withdraw(one);
        desk.take_in(vec![delivery(10, 1, 1)]);
        assert_eq!(start_all(&mut desk), [], "it may be as it was before");
        let doubted = desk.doubted();
        assert_eq!(desk.recall(&doubted, &[unchanged(1)]), []);
        assert_eq!(start_all(&mut desk), [id(10)]);
    }
}
