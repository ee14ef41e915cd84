//! Who tells what, when, and what goes wrong with it.

use domain::event::EventName;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::phantom;
use super::way::{Act, Happening, Notice, Purpose, Way, Word};
use super::write::Dialect;
use super::yard::Look;
use super::{Feed, Tally};
use crate::dice::Dice;
use crate::world::places::Place;
use crate::world::voyage::{Mode, Sure};

/// One claim of one feed.
#[derive(Clone, Debug)]
pub(super) struct Telling {
    pub feed: Feed,
    /// Which happening of the way.
    pub about: usize,
    /// What it is said to be; differs from the happening where a plan was given up.
    pub what: Happening,
    pub sure: Sure,
    pub at: Timestamp,
    pub place: &'static Place,
    pub day_only: bool,
    /// Whether it is true, as far as it goes.
    pub right: bool,
    pub issued_at: Timestamp,
    pub received_at: Timestamp,
    /// The source's own id of this record.
    pub id: String,
    /// What it is to what was told before.
    pub mark: Mark,
}

/// What a telling is to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    First,
    /// Puts it right: the same record, or the same document.
    Corrects,
    /// Takes it back: it never happened.
    TakesBack,
}

/// All of them.
pub(super) struct Told {
    pub tellings: Vec<Telling>,
    pub notices: Vec<Noticed>,
    pub looks: Vec<Look>,
    pub tally: Tally,
}

/// Rates of a thousand.
pub(super) const LATE: u32 = 270;
const REPEATED: u32 = 270;
const CORRECTED: u32 = 160;
const CONTRADICTING: u32 = 220;
const MISSING: u32 = 75;
const DATED: u32 = 85;

const LAST_RAMP: EventName = EventName::ArrivedAtInlandDestination;
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// Tells the whole way.
pub(super) fn tell(seed: u64, way: &Way, feeds: &[Feed]) -> Told {
    let mut dice = Dice::about(seed, &format!("tellings of {}", way.number));
    let mut voices = voices(feeds, &mut dice);
    // Only the line tells of the barge before the ship; without it the hub is where the way begins.
    if way.scenario == "feeder in" && !voices.iter().any(|feed| feed.is_line()) {
        voices.push(Feed::Line);
    }
    let mut told = Told {
        tellings: Vec::new(),
        notices: notices(way, &voices, &mut dice),
        looks: Vec::new(),
        tally: Tally::default(),
    };
    plans(way, &voices, &mut dice, &mut told.tellings);
    for (about, happening) in way.happenings.iter().enumerate() {
        actual(way, (about, happening), &voices, &mut dice, &mut told);
    }
    phantom::tell(way, &voices, &mut dice, &mut told);
    told.looks = looks(way, &voices, &told.tellings);
    told
}

/// What the terminal answers about the box. Its word that the box is not to be had any more comes only where
/// somebody tells that it left: nobody could know else what it means.
fn looks(way: &Way, voices: &[Feed], tellings: &[Telling]) -> Vec<Look> {
    let terminal = voices.iter().find(|feed| feed.is_terminal());
    let Some((yard, feed)) = way.yard.as_ref().zip(terminal) else {
        return Vec::new();
    };
    let mut dice = Dice::about(0, &format!("looks at {} {}", way.number, yard.leaves_at));
    let left = |what: &Happening| what.act == Act::GateOut && what.at == yard.leaves_at;
    let gone = tellings
        .iter()
        .any(|telling| telling.sure == Sure::Actual && left(&telling.what));
    yard.looks(*feed, gone, &mut dice)
}

/// The feeds that this journey has: the line nearly always, the others often.
fn voices(feeds: &[Feed], dice: &mut Dice) -> Vec<Feed> {
    let line = feeds.contains(&Feed::Line);
    let mut voices = Vec::new();
    for feed in feeds {
        let share = match feed {
            Feed::Line => 900,
            Feed::Up | Feed::Cn | Feed::Bnsf => 250,
            Feed::LineNext => 400,
            Feed::Road | Feed::Hub => 600,
            _ => 500,
        };
        if dice.per_mille(share) {
            voices.push(*feed);
        }
    }
    // A terminal gives its tables in one form.
    if voices.contains(&Feed::Terminal) {
        voices.retain(|feed| *feed != Feed::Sheet);
    }
    // The line has one interface, and one railroad has the box.
    if voices.contains(&Feed::LineNext) {
        voices.retain(|feed| *feed != Feed::Line);
    }
    let mut asked = voices.iter().copied().filter(|feed| feed.is_asked_road());
    let road = asked.nth(usize::from(dice.per_mille(300)));
    voices.retain(|feed| !feed.is_asked_road() || Some(*feed) == road);
    // Somebody has to tell the plan.
    let planned = voices
        .iter()
        .any(|feed| feed.is_line() || *feed == Feed::Hub);
    if !planned {
        voices.push(if line { Feed::Line } else { Feed::Hub });
    }
    voices
}

/// How near a feed stands to a move, 1 the nearest; `None`: it does not tell such moves.
#[expect(clippy::match_same_arms, reason = "the rows of a table, read as one")]
fn nearness(feed: Feed, what: &Happening) -> Option<u8> {
    let feed = if feed.is_line() { Feed::Line } else { feed };
    let lift = matches!(what.act, Act::Load | Act::Discharge);
    let sail = matches!(what.act, Act::Arrive | Act::Depart);
    let gate = matches!(what.act, Act::GateIn | Act::GateOut);
    let inland = matches!(feed, Feed::Road | Feed::Ramp) || feed.is_asked_road();
    let its_door = what.purpose == Purpose::Import
        && what.facility == "POTE"
        && what.terminal.is_some()
        && what.laden
        && !what.foreign;
    let its_yard = feed.is_terminal() && its_door;
    let landing = matches!(what.act, Act::Berth | Act::Discharge);
    if what.foreign && matches!(feed, Feed::Line | Feed::Hub | Feed::Forwarder) {
        return None;
    }
    match (what.mode, feed) {
        (_, Feed::Line) if what.act == Act::Deliver => Some(1),
        (_, Feed::Hub) if what.act == Act::Deliver => Some(2),
        (_, Feed::Trucker) if what.act == Act::Deliver => Some(3),
        (Mode::Truck, Feed::Trucker) => (its_door && what.act == Act::GateOut).then_some(4),
        (Mode::Rail, Feed::Up | Feed::Cn) => Some(1),
        (Mode::Rail, Feed::Bnsf) => {
            (what.act == Act::Arrive && what.means.contains(&LAST_RAMP)).then_some(1)
        }
        (Mode::Rail, Feed::Road | Feed::Ramp) => Some(2),
        (Mode::Rail, Feed::Line) => Some(3),
        (Mode::Rail, Feed::Hub) => Some(4),
        (Mode::Vessel, _) if feed.is_terminal() => (its_yard && landing).then_some(1),
        (Mode::Truck, _) if feed.is_terminal() => {
            (its_yard && what.act == Act::GateOut).then_some(1)
        }
        (Mode::Vessel, Feed::Ais) if what.act == Act::Berth => Some(2),
        (Mode::Vessel, Feed::Quay) if lift => Some(1),
        (Mode::Vessel | Mode::Barge, Feed::Line) if lift => Some(2),
        (Mode::Vessel, Feed::Hub | Feed::Forwarder) if lift => Some(3),
        (Mode::Vessel | Mode::Barge, Feed::Line) if sail => Some(1),
        (Mode::Vessel, Feed::Hub | Feed::Forwarder) if sail => Some(3),
        (Mode::Truck, _) if inland || !gate => None,
        (Mode::Truck, Feed::Gate) => Some(if what.laden { 1 } else { 2 }),
        (Mode::Truck, Feed::Line) => Some(if what.laden { 2 } else { 1 }),
        (Mode::Truck, Feed::Hub) => Some(3),
        _ => None,
    }
}

/// What somebody said about collecting the box, once or again.
pub(super) struct Noticed {
    pub feed: Feed,
    /// Which notice of the way.
    pub about: usize,
    pub received_at: Timestamp,
}

impl Noticed {
    /// When it was said. What a railroad answers has no time of its own: it is so when it is asked.
    pub fn said_at(&self, notice: &Notice) -> Timestamp {
        if self.feed.is_asked_road() {
            self.received_at
        } else {
            notice.said_at
        }
    }
}

/// The line speaks through its hub, a railroad for its ramp.
fn notices(way: &Way, voices: &[Feed], dice: &mut Dice) -> Vec<Noticed> {
    let mut said = Vec::new();
    for (about, notice) in way.notices.iter().enumerate() {
        let speaks = |feed: &Feed| match notice.inland {
            // One of the roads tells when storage begins, and not from when the box is free.
            true if *feed == Feed::Bnsf => notice.word == Word::FreeUntil,
            true => *feed == Feed::Ramp || feed.is_asked_road(),
            false => *feed == Feed::Hub,
        };
        for feed in voices.iter().copied().filter(speaks) {
            let mut again = |received_at| {
                said.push(Noticed {
                    feed,
                    about,
                    received_at,
                });
            };
            let received_at = notice.said_at + dice.minutes(2, 200);
            again(received_at);
            // An answer that was given before is not given again once another was.
            if !feed.is_asked_road() && dice.per_mille(REPEATED) {
                again(received_at + dice.minutes(10, 30 * 60));
            }
        }
    }
    said
}

fn plans(way: &Way, voices: &[Feed], dice: &mut Dice, tellings: &mut Vec<Telling>) {
    let Some(line) = voices.iter().copied().find(|feed| feed.is_line()) else {
        return;
    };
    for dropped in &way.dropped {
        let about = way.happenings.len();
        let told = telling(line, about, dropped, way.opens_at, dice);
        plan(told, dropped.at, tellings);
    }
    let opens = way.replanned_at.unwrap_or(way.opens_at);
    for (about, call) in way.happenings.iter().enumerate() {
        // A change of destination names the new place of discharge.
        let moved = way.scenario == "destination changed" && call.act == Act::Discharge;
        let called = moved || matches!(call.act, Act::Arrive | Act::Depart);
        if call.foreign || !called || call.mode == Mode::Truck {
            continue;
        }
        // Where the plan changed later, the beginning of the way was known all along.
        let known = way.replanned_at.is_none_or(|told| call.at < told);
        let said = if known { way.opens_at } else { opens };
        let early = dice.minutes(-14 * 60, 3 * 60);
        plan(
            telling(line, about, call, said, dice),
            call.at + early,
            tellings,
        );
        let mut when = said + dice.minutes(20 * 60, 90 * 60);
        while when < call.at - HOUR * 5 {
            let days = call.at.duration_since(when).as_hours() / 24;
            let doubt = days.min(10) * 40 + 30;
            let value = call.at + dice.minutes(-doubt, doubt);
            let mut estimate = telling(line, about, call, when, dice);
            estimate.sure = Sure::Estimated;
            estimate.at = value;
            tellings.push(estimate);
            when += dice.minutes(40 * 60, 7 * 24 * 60);
        }
    }
}

fn plan(mut plan: Telling, at: Timestamp, tellings: &mut Vec<Telling>) {
    plan.sure = Sure::Planned;
    plan.at = at;
    tellings.push(plan);
}

pub(super) fn telling(
    feed: Feed,
    about: usize,
    what: &Happening,
    issued_at: Timestamp,
    dice: &mut Dice,
) -> Telling {
    Telling {
        feed,
        about,
        what: what.clone(),
        sure: Sure::Actual,
        at: what.at,
        place: what.place,
        day_only: false,
        right: true,
        issued_at,
        received_at: issued_at + SignedDuration::from_mins(3),
        id: dice.uuid(),
        mark: Mark::First,
    }
}

/// Everybody's word about one happening.
fn actual(
    way: &Way,
    (about, what): (usize, &Happening),
    voices: &[Feed],
    dice: &mut Dice,
    told: &mut Told,
) {
    let mut speakers: Vec<(u8, Feed)> = voices
        .iter()
        .filter_map(|feed| Some((nearness(*feed, what)?, *feed)))
        .collect();
    speakers.sort_unstable();
    // The nearest that told the minute rightly; only those behind it may be wrong for ever.
    let mut anchor: Option<u8> = None;
    for (near, feed) in speakers {
        told.tally.reports += 1;
        if dice.per_mille(MISSING) {
            told.tally.missing += 1;
            continue;
        }
        // A stop is seen when it has lasted.
        let soon = if feed == Feed::Ais { 40 } else { 10 };
        let issued_at = what.at + dice.minutes(soon, 5 * 60);
        let mut word = telling(feed, about, what, issued_at, dice);
        if dice.per_mille(LATE) {
            told.tally.late += 1;
            word.received_at += dice.minutes(6 * 60, 96 * 60);
        }
        if anchor.is_some_and(|anchor| anchor < near) && dice.per_mille(CONTRADICTING) {
            told.tally.contradicting += 1;
            contradict(&mut word, dice);
        } else if !feed.is_exact() && dice.per_mille(DATED) {
            told.tally.dated += 1;
            date_only(&mut word);
        } else if feed != Feed::Ais && dice.per_mille(CORRECTED) {
            told.tally.corrected += 1;
            let mut wrong = first_wrong(&word, dice);
            if feed == Feed::LineNext && Dialect::of(way).revises() {
                wrong.id.clone_from(&word.id);
            }
            word.mark = Mark::Corrects;
            word.issued_at = wrong.issued_at + dice.minutes(2 * 60, 30 * 60);
            word.received_at = word
                .received_at
                .max(word.issued_at + SignedDuration::from_mins(3));
            told.tellings.push(wrong);
            anchor = anchor.or(Some(near));
        } else {
            anchor = anchor.or(Some(near));
        }
        if dice.per_mille(REPEATED) {
            told.tally.repeated += 1;
            let mut again = word.clone();
            again.received_at += dice.minutes(30, 60 * 60);
            told.tellings.push(again);
        }
        told.tellings.push(word);
    }
}

/// Another time, or another port of the same coast.
fn contradict(word: &mut Telling, dice: &mut Dice) {
    word.right = false;
    let lift = word.what.act == Act::Discharge && word.what.mode == Mode::Vessel;
    let elsewhere = match word.place.code {
        "USLAX" => Place::of("USOAK"),
        "USNYC" => Place::of("USSAV"),
        _ => None,
    };
    if let Some(place) = elsewhere.filter(|_| lift && dice.per_mille(300)) {
        word.place = place;
        word.what.terminal = None;
        return;
    }
    let off = dice.minutes(60, 40 * 60);
    word.at = if dice.per_mille(500) {
        word.at - off
    } else {
        // Nobody reports what is still to come.
        (word.at + off).min(word.issued_at.max(word.at))
    };
    word.at = not_midnight(word.at, word.place.clock());
}

fn date_only(word: &mut Telling) {
    let clock = word.place.clock();
    let day = word.at.to_zoned(clock).start_of_day();
    word.day_only = true;
    word.at = day.map_or(word.at, |midnight| midnight.timestamp());
}

/// What was said before it was put right.
fn first_wrong(word: &Telling, dice: &mut Dice) -> Telling {
    let off = dice.minutes(20, 6 * 60);
    let at = if dice.per_mille(600) {
        word.at - off
    } else {
        word.at + off
    };
    let mut wrong = word.clone();
    wrong.id = dice.uuid();
    wrong.right = false;
    wrong.at = not_midnight(at, wrong.place.clock());
    wrong.issued_at = word.issued_at.max(wrong.at + SignedDuration::from_mins(5));
    wrong.received_at = wrong.issued_at + SignedDuration::from_mins(3);
    wrong
}

/// Midnight is how X12 says that it knows the day only.
pub(super) fn not_midnight(at: Timestamp, clock: TimeZone) -> Timestamp {
    let local = at.to_zoned(clock);
    if local.hour() == 0 && local.minute() == 0 {
        at + SignedDuration::from_mins(1)
    } else {
        at
    }
}
