//! What a carrier makes of what happens: late, twice, wrong and corrected, misspelt.
//!
//! Everything here can be put right by the public rules: among the visible words about one happening the
//! newest written is the one to believe, a minute beats a date, an estimate beats a plan, and after the
//! actual no estimate counts. Nothing is published that only the truth could tell to be wrong. All words
//! about a box are out before its empty return is, because nobody asks for it after that.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::dice::Dice;
use crate::truth::Word;
use crate::world::voyage::{Code, Happening, Mode, Stop, Sure, Voyage};

/// How often each kind of mischief happens, of a thousand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mischief {
    /// Actuals published hours or days after.
    pub late: u32,
    /// Claims published again.
    pub repeated: u32,
    /// Actuals first published with a wrong time.
    pub corrected: u32,
    /// Of those and of estimates: the older word becomes visible after the newer.
    pub stale: u32,
    /// Estimates interrupted by one that is days off.
    pub wrong_estimate: u32,
    /// Calls with an estimate published after the actual.
    pub late_estimate: u32,
    /// Actuals told as a date first, or once more as a date.
    pub day_only: u32,
    /// Claims in an odd spelling.
    pub misspelt: u32,
    /// Claims that name a port by its second code.
    pub twin_place: u32,
    /// Bills whose list of events has no order.
    pub shuffled: u32,
    /// Bills with records that cannot be used.
    pub broken: u32,
    /// Answers 429.
    pub throttled: u32,
    /// Answers 5xx.
    pub failing: u32,
}

impl Default for Mischief {
    fn default() -> Self {
        Self {
            late: 120,
            repeated: 120,
            corrected: 100,
            stale: 250,
            wrong_estimate: 60,
            late_estimate: 80,
            day_only: 60,
            misspelt: 150,
            twin_place: 40,
            shuffled: 400,
            broken: 300,
            throttled: 15,
            failing: 15,
        }
    }
}

impl Mischief {
    /// A carrier without fault.
    pub const NONE: Self = Self {
        late: 0,
        repeated: 0,
        corrected: 0,
        stale: 0,
        wrong_estimate: 0,
        late_estimate: 0,
        day_only: 0,
        misspelt: 0,
        twin_place: 0,
        shuffled: 0,
        broken: 0,
        throttled: 0,
        failing: 0,
    };
}

/// How a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Spelling {
    /// As the standard says.
    Standard,
    /// Times in UTC.
    Zulu,
    /// Local times without offset.
    NoOffset,
    /// `2026/03/01 07:41:00 +08:00`
    Slashes,
    /// `2026 03 01 07:41:00`, local.
    Spaces,
    /// `Truck`, `Laden`, `Transport`.
    LowerCase,
    /// `unLocationCode`, `eventId`, `transportCallId`.
    OtherKeys,
    /// Every optional field is there and null.
    Nulls,
    /// No event id.
    NoId,
    /// The vessel's number is a placeholder.
    NoImo,
    /// Only the date; set together with a word that is not firm.
    DateOnly,
}

const SPELLINGS: [Spelling; 9] = [
    Spelling::Zulu,
    Spelling::NoOffset,
    Spelling::Slashes,
    Spelling::Spaces,
    Spelling::LowerCase,
    Spelling::OtherKeys,
    Spelling::Nulls,
    Spelling::NoId,
    Spelling::NoImo,
];

/// One published record.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// About which happening of the voyage.
    pub(crate) about: usize,
    /// The claim.
    pub(crate) word: Word,
    /// The carrier's id of it.
    pub(crate) event_id: String,
    /// How it is written.
    pub(crate) spelling: Spelling,
    /// Under which code the place is named.
    pub(crate) place: &'static str,
    /// Whether it is part of the truth; an estimate after the actual is not.
    pub(crate) counts: bool,
}

/// Everything the carrier publishes about one voyage.
pub(crate) fn publish(voyage: &Voyage, rates: &Mischief, dice: &mut Dice) -> Vec<Said> {
    let mut press = Press {
        voyage,
        rates,
        dice,
        said: Vec::new(),
    };
    for (about, happening) in voyage.happenings.iter().enumerate() {
        match happening.sure {
            Sure::Actual => press.actual(about, happening),
            Sure::Planned => press.plan(about, happening),
            Sure::Estimated => press.estimate(about, happening),
        }
    }
    press.estimates_after_the_fact();
    press.said
}

struct Press<'a> {
    voyage: &'a Voyage,
    rates: &'a Mischief,
    dice: &'a mut Dice,
    said: Vec<Said>,
}

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

impl<'a> Press<'a> {
    fn actual(&mut self, about: usize, happening: &Happening) {
        let close = self.closes(happening);
        let usual = happening.at + self.dice.minutes(10, 240);
        let last_thing = happening.code == Code::Avpu || is_return(happening);
        if self.dice.per_mille(self.rates.late) {
            let late = happening.at + self.dice.minutes(6 * 60, 72 * 60);
            self.once(about, happening.at, late.min(close));
        } else if !last_thing && self.dice.per_mille(self.rates.corrected) {
            self.corrected(about, happening, usual, close);
        } else if !last_thing && self.dice.per_mille(self.rates.day_only) {
            self.as_date(about, happening, usual, close);
        } else {
            self.once(about, happening.at, usual);
        }
        if self.dice.per_mille(self.rates.repeated) {
            self.again(close);
        }
    }

    fn plan(&mut self, about: usize, happening: &Happening) {
        let published = happening.published_at.unwrap_or(self.voyage.opens_at);
        let word = Word {
            published_at: published,
            created_at: published,
            at: happening.at,
            firm: false,
        };
        self.say(about, word, true);
    }

    fn estimate(&mut self, about: usize, happening: &Happening) {
        let published = happening.published_at.unwrap_or(happening.at);
        let before = self
            .said
            .last()
            .filter(|said| self.same_call(said, about))
            .cloned();
        self.once(about, happening.at, published);
        let Some(until) = self
            .actual_of(happening)
            .map(|actual| actual.at - MINUTE * 200)
        else {
            return;
        };
        if let Some(older) = before.filter(|_| self.dice.per_mille(self.rates.stale / 2)) {
            let again = Word {
                published_at: published + self.dice.minutes(60, 300),
                created_at: older.word.created_at + MINUTE,
                ..older.word
            };
            if again.published_at < until && again.created_at < published - MINUTE * 30 {
                self.say(about, again, true);
            }
        }
        if self.dice.per_mille(self.rates.wrong_estimate) {
            self.interrupted(about, happening.at, published, until);
        }
        if self.dice.per_mille(self.rates.repeated) {
            self.again(until);
        }
    }

    /// An estimate that is days off, and soon the right one again.
    fn interrupted(
        &mut self,
        about: usize,
        right: Timestamp,
        published: Timestamp,
        until: Timestamp,
    ) {
        let wrong = right + self.dice.minutes(4 * 24 * 60, 11 * 24 * 60);
        let slip = published + self.dice.minutes(120, 6 * 60);
        let mended = slip + self.dice.minutes(7 * 60, 20 * 60);
        if mended < until {
            self.once(about, wrong, slip);
            self.once(about, right, mended);
        }
    }

    fn corrected(
        &mut self,
        about: usize,
        happening: &Happening,
        usual: Timestamp,
        close: Timestamp,
    ) {
        let (after, before) = self.room(happening);
        let shift = self.dice.minutes(20, 6 * 60);
        let wrong = if self.dice.per_mille(600) {
            happening.at - shift
        } else {
            happening.at + shift
        };
        let published = usual.max(wrong + MINUTE * 5);
        let mended = (published + self.dice.minutes(120, 40 * 60)).min(close);
        if wrong <= after || wrong >= before || mended < published + MINUTE * 90 {
            return self.once(about, happening.at, usual);
        }
        if self.dice.per_mille(self.rates.stale) {
            self.once(about, happening.at, published);
            let old = Word {
                published_at: (published + self.dice.minutes(60, 10 * 60)).min(close),
                created_at: published - MINUTE * 40,
                at: wrong,
                firm: true,
            };
            self.say(about, old, true);
        } else {
            self.once(about, wrong, published);
            self.once(about, happening.at, mended);
        }
    }

    /// A date first and the minute later, or the minute first and once more as a date.
    fn as_date(&mut self, about: usize, happening: &Happening, usual: Timestamp, close: Timestamp) {
        let (after, before) = self.room(happening);
        let clock = self
            .stop(happening)
            .map_or(TimeZone::UTC, |stop| stop.place.clock());
        let day = happening.at.to_zoned(clock.clone()).date();
        let alone = [after, before]
            .iter()
            .all(|other| other.to_zoned(clock.clone()).date() != day);
        let later = usual + self.dice.minutes(120, 20 * 60);
        let midnight = clock.to_timestamp(day.to_datetime(jiff::civil::Time::midnight()));
        let (true, true, Ok(midnight)) = (alone, later < close, midnight) else {
            return self.once(about, happening.at, usual);
        };
        let date_first = self.dice.per_mille(500);
        let (minute_at, date_at) = if date_first {
            (later, usual)
        } else {
            (usual, later)
        };
        let date = Word {
            published_at: date_at,
            created_at: date_at - MINUTE,
            at: midnight,
            firm: false,
        };
        self.say(about, date, true);
        if let Some(said) = self.said.last_mut() {
            said.spelling = Spelling::DateOnly;
        }
        self.once(about, happening.at, minute_at);
    }

    /// The last record again: the very same, the same with a newer issue time, or under another id.
    fn again(&mut self, close: Timestamp) {
        let Some(mut said) = self.said.last().cloned() else {
            return;
        };
        said.word.published_at += self.dice.minutes(60, 30 * 60);
        if said.word.published_at > close || said.spelling == Spelling::DateOnly {
            return;
        }
        // A newer issue time would make a word that was already overtaken the one to believe.
        let newest = self.is_newest(&said);
        match self.dice.between(0, 2) {
            1 if newest => said.word.created_at = said.word.published_at,
            2 if newest => {
                said.word.created_at = said.word.published_at;
                said.event_id = self.dice.uuid();
            }
            _ => {}
        }
        self.said.push(said);
    }

    fn is_newest(&self, said: &Said) -> bool {
        self.said
            .iter()
            .filter(|other| other.about == said.about)
            .all(|other| other.word.created_at <= said.word.created_at)
    }

    /// Estimates that come when the ship has come.
    fn estimates_after_the_fact(&mut self) {
        let voyage = self.voyage;
        for (about, happening) in voyage.happenings.iter().enumerate() {
            if happening.sure != Sure::Planned || !self.dice.per_mille(self.rates.late_estimate) {
                continue;
            }
            let actual = voyage
                .happenings
                .iter()
                .position(|other| is_actual_of(other, happening));
            let Some(known) = actual.and_then(|at| self.first_published(at)) else {
                continue;
            };
            let published = known + self.dice.minutes(10 * 60, 30 * 60);
            if published < self.closes(happening) {
                let word = Word {
                    published_at: published,
                    created_at: published,
                    at: happening.at + self.dice.minutes(-600, 2_000),
                    firm: true,
                };
                self.say(about, word, false);
            }
        }
    }

    fn first_published(&self, about: usize) -> Option<Timestamp> {
        self.said
            .iter()
            .filter(|said| said.about == about)
            .map(|said| said.word.published_at)
            .min()
    }

    fn once(&mut self, about: usize, at: Timestamp, published: Timestamp) {
        let word = Word {
            published_at: published,
            created_at: published - MINUTE * self.small(),
            at,
            firm: true,
        };
        self.say(about, word, true);
    }

    fn small(&mut self) -> i32 {
        i32::try_from(self.dice.between(0, 9)).unwrap_or(0)
    }

    fn say(&mut self, about: usize, word: Word, counts: bool) {
        let happening = self.voyage.happenings.get(about);
        let Some(stop) = happening.and_then(|happening| self.stop(happening)) else {
            return;
        };
        let twin = stop
            .place
            .twin
            .filter(|_| self.dice.per_mille(self.rates.twin_place));
        let spelling = self.spelling(stop, word.at);
        self.said.push(Said {
            about,
            word,
            event_id: self.dice.uuid(),
            spelling,
            place: twin.unwrap_or(stop.place.code),
            counts,
        });
    }

    fn spelling(&mut self, stop: &Stop, at: Timestamp) -> Spelling {
        if !self.dice.per_mille(self.rates.misspelt) {
            return Spelling::Standard;
        }
        let spelling = self.dice.pick(&SPELLINGS).copied();
        match spelling.unwrap_or(Spelling::Standard) {
            Spelling::NoOffset | Spelling::Spaces if !says_itself(stop, at) => Spelling::Standard,
            Spelling::NoImo if stop.mode != Mode::Vessel => Spelling::Standard,
            spelling => spelling,
        }
    }

    fn stop(&self, happening: &Happening) -> Option<&'a Stop> {
        self.voyage.stops.get(happening.stop)
    }

    fn same_call(&self, said: &Said, about: usize) -> bool {
        let happenings = &self.voyage.happenings;
        let pair = happenings.get(said.about).zip(happenings.get(about));
        pair.is_some_and(|(a, b)| (a.sure, a.code, a.stop) == (b.sure, b.code, b.stop))
    }

    fn actual_of(&self, said_before: &Happening) -> Option<&'a Happening> {
        let happenings = &self.voyage.happenings;
        happenings
            .iter()
            .find(|other| is_actual_of(other, said_before))
    }

    /// After this moment nothing more is said about it.
    fn closes(&self, happening: &Happening) -> Timestamp {
        if is_return(happening) {
            return happening.at + SignedDuration::from_hours(72);
        }
        self.voyage
            .happenings
            .iter()
            .filter(|other| is_return(other))
            .filter(|back| happening.of.is_none() || back.of == happening.of)
            .map(|back| back.at - MINUTE)
            .min()
            .unwrap_or(self.voyage.ends_at)
    }

    /// The neighbours in time, between which a wrong time breaks no order.
    fn room(&self, happening: &Happening) -> (Timestamp, Timestamp) {
        let touches = |other: &&Happening| {
            other.sure == Sure::Actual
                && !std::ptr::eq(*other, happening)
                && (happening.of.is_none() || other.of.is_none() || other.of == happening.of)
        };
        let others = || {
            self.voyage
                .happenings
                .iter()
                .filter(touches)
                .map(|other| other.at)
        };
        let after = others().filter(|at| *at <= happening.at).max();
        let before = others().filter(|at| *at > happening.at).min();
        (
            after.unwrap_or(self.voyage.opens_at),
            before.unwrap_or(self.voyage.ends_at),
        )
    }
}

/// Whether `other` is the actual of the call that `said_before` plans or estimates.
fn is_actual_of(other: &Happening, said_before: &Happening) -> bool {
    other.sure == Sure::Actual && (other.code, other.stop) == (said_before.code, said_before.stop)
}

/// The return of an empty: the last happening of a box.
fn is_return(happening: &Happening) -> bool {
    happening.code == Code::Gtin && !happening.laden
}

/// Whether the local wall clock alone names the moment.
fn says_itself(stop: &Stop, at: Timestamp) -> bool {
    let clock = stop.place.clock();
    let local: DateTime = clock.to_datetime(at);
    !clock.to_ambiguous_zoned(local).is_ambiguous()
}
