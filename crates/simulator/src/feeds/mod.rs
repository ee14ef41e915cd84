//! Journeys that many feeds tell about, each in its own words and with its own mistakes.
//!
//! The [`world`](crate::world) is one carrier that speaks to a running service. Here is the wider witness: for
//! one box the line, the quay, the gate, a hub of messages, railroads and the terminal all speak, late, twice,
//! wrong and corrected, against each other or not at all. What comes out of a [`case`] are the bytes as each
//! feed would send them, in the order in which they arrive, and beside them what is true.
//!
//! 1. `way` draws what truly happens to the box, from its seed and its scenario;
//! 2. `tell` decides who tells what, and what goes wrong with it;
//! 3. `write` puts each telling into the format of its feed.
//!
//! Nothing is told that only the truth could show to be wrong: a wrong time is corrected by its own source or
//! contradicted by one that stands nearer to the move. Which one stands nearer is read off the table of the
//! trade here once more, by people who do not look at how Quayside decides it.

mod phantom;
mod tell;
mod way;
mod write;
mod yard;

use domain::codes::{ContainerNumber, UnLocode};
use domain::container::LfdOwner;
use domain::event::EventName;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::world::places::Place;
use crate::world::voyage::Sure;
pub use way::SCENARIOS;
use way::{Act, Purpose};
pub use write::{QUAYS, Quay};
pub use yard::Look;

/// A kind of feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feed {
    /// The shipping line: DCSA 2.2, one event a message.
    Line,
    /// The quay: COARRI, each lift.
    Quay,
    /// Gates of terminals and depots: CODECO.
    Gate,
    /// A hub that passes on the line's statuses: X12 315.
    Hub,
    /// A forwarder: IFTSTA.
    Forwarder,
    /// Railroads: car location messages.
    Road,
    /// A ramp: X12 322.
    Ramp,
    /// A terminal's interface: boxes of a yard in JSON.
    Terminal,
    /// A terminal's page that somebody exports: CSV.
    Sheet,
    /// Who hears ships: AIS.
    Ais,
    /// The shipping line, through its newer interface: DCSA 3.
    LineNext,
    /// Interfaces of single railroads.
    Up,
    /// The same of another.
    Cn,
    /// The same of a third.
    Bnsf,
    /// The trucker: X12 214.
    Trucker,
}

impl Feed {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Line,
        Self::Quay,
        Self::Gate,
        Self::Hub,
        Self::Forwarder,
        Self::Road,
        Self::Ramp,
        Self::Terminal,
        Self::Sheet,
        Self::Ais,
        Self::LineNext,
        Self::Up,
        Self::Cn,
        Self::Bnsf,
        Self::Trucker,
    ];

    /// Whether it is the shipping line itself.
    pub const fn is_line(self) -> bool {
        matches!(self, Self::Line | Self::LineNext)
    }

    /// Whether it is what a railroad answers when it is asked.
    const fn is_asked_road(self) -> bool {
        matches!(self, Self::Up | Self::Cn | Self::Bnsf)
    }

    /// Whether it tells what stands in a yard.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Terminal | Self::Sheet)
    }

    /// Whether it never tells a bare date.
    const fn is_exact(self) -> bool {
        matches!(self, Self::Road | Self::Ais | Self::Bnsf)
    }
}

/// What is to be expected of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It can be read to the last record.
    Sound,
    /// Something in it cannot be read; what it says about the box can.
    Damaged,
    /// It says nothing: an empty list by mistake, a page in place of an answer.
    Useless,
}

/// What arrived.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who sent it.
    pub feed: Feed,
    /// When it arrived.
    pub received_at: Timestamp,
    /// As it was sent.
    pub bytes: Vec<u8>,
    /// How well it can be read.
    pub condition: Condition,
}

/// Something that happened and has a public name.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its name.
    pub event: EventName,
    /// Where: the main code of the port, or the city of a ramp.
    pub place: UnLocode,
    /// IANA zone of the place.
    pub zone: &'static str,
    /// When.
    pub at: Timestamp,
    /// When somebody first told it; `None`: nobody ever did.
    pub told_from: Option<Timestamp>,
    /// Whether somebody told the minute rightly; else only the day.
    pub to_the_minute: bool,
}

/// A last free day that somebody told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeDay {
    /// Whose it is.
    pub owner: LfdOwner,
    /// When it was said. The last one said is the one to believe.
    pub said_at: Timestamp,
    /// When it became known.
    pub told_from: Timestamp,
    /// The day.
    pub day: Date,
}

/// An appointment to collect the box that somebody told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booked {
    /// When it was said. The last one said is the one to believe.
    pub said_at: Timestamp,
    /// When it became known.
    pub told_from: Timestamp,
    /// For when.
    pub at: Timestamp,
}

/// One journey of one box.
#[derive(Clone, Debug)]
pub struct Case {
    /// What kind of journey.
    pub scenario: &'static str,
    /// The box.
    pub number: ContainerNumber,
    /// The booking it goes by.
    pub booking: String,
    /// What arrived, in the order of arrival.
    pub messages: Vec<Message>,
    /// What is true, in the order in which it happened.
    pub facts: Vec<Fact>,
    /// The last free days that were told and count.
    pub free_days: Vec<FreeDay>,
    /// The appointments that were told.
    pub booked: Vec<Booked>,
    /// What the terminal answered.
    pub looks: Vec<Look>,
    /// When the box left the terminal.
    pub left_at: Option<Timestamp>,
    /// When somebody first said that it left, rightly or not.
    pub said_gone_from: Option<Timestamp>,
    /// The earliest time at which anybody ever said that it left.
    pub said_gone_at: Option<Timestamp>,
    /// What was done to the tellings.
    pub tally: Tally,
}

/// How many tellings of actual happenings there were, and what went wrong with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tellings that should have been.
    pub reports: u32,
    /// Arrived hours or days after.
    pub late: u32,
    /// Arrived again.
    pub repeated: u32,
    /// First told wrong.
    pub corrected: u32,
    /// Told another time or place than a better source.
    pub contradicting: u32,
    /// Never told.
    pub missing: u32,
    /// Told as a date only.
    pub dated: u32,
    /// Moves that never were, told and taken back; not among the reports.
    pub taken_back: u32,
}

/// The journey of this number in the world of this seed, told by those of `feeds` that know of it.
pub fn case(seed: u64, index: u64, feeds: &[Feed]) -> Option<Case> {
    let way = way::draw(seed, index)?;
    let told = tell::tell(seed, &way, feeds);
    Some(Case {
        scenario: way.scenario,
        number: way.number,
        booking: way.booking.clone(),
        facts: facts(&way, &told),
        free_days: free_days(&way, &told),
        booked: booked(&way, &told),
        left_at: way.yard.as_ref().map(|yard| yard.leaves_at),
        said_gone_from: gone(&told).map(|telling| telling.received_at).min(),
        said_gone_at: gone(&told).map(|telling| telling.at).min(),
        messages: messages(&way, &told),
        looks: told.looks,
        tally: told.tally,
    })
}

/// All words that it left the port or ramp.
fn gone(told: &tell::Told) -> impl Iterator<Item = &tell::Telling> {
    told.tellings.iter().filter(|telling| {
        let what = &telling.what;
        telling.sure == Sure::Actual
            && what.purpose == Purpose::Import
            && matches!(
                (what.act, what.laden),
                (Act::GateOut, true) | (Act::GateIn, false) | (Act::Deliver, _)
            )
    })
}

fn messages(way: &way::Way, told: &tell::Told) -> Vec<Message> {
    let message = |feed, received_at, (bytes, condition)| Message {
        feed,
        received_at,
        bytes,
        condition,
    };
    let mut messages: Vec<Message> = told
        .tellings
        .iter()
        .filter_map(|telling| {
            let written = write::message(way, telling)?;
            Some(message(telling.feed, telling.received_at, written))
        })
        .collect();
    for said in &told.notices {
        let Some(notice) = way.notices.get(said.about) else {
            continue;
        };
        if let Some(bytes) = write::notice(way, notice, said) {
            let condition = write::condition(said.feed, notice.said_at);
            messages.push(message(said.feed, said.received_at, (bytes, condition)));
        }
    }
    if let Some(yard) = &way.yard {
        for look in &told.looks {
            let written = write::look(way, yard, look);
            messages.push(message(look.feed, look.received_at, written));
        }
        if let [first, .., last] = told.looks.as_slice() {
            for (look, down) in [(first, true), (last, false)] {
                let at = look.received_at + jiff::SignedDuration::from_mins(11);
                let bytes = write::useless(look.feed, down);
                messages.push(message(look.feed, at, (bytes, Condition::Useless)));
            }
        }
    }
    if let Some(at) = way.cancelled_at.filter(|_| !messages.is_empty()) {
        let sound = (write::cancellation(way, at), Condition::Sound);
        messages.push(message(Feed::Line, at, sound));
    }
    messages.sort_by_key(|message| message.received_at);
    messages
}

fn free_days(way: &way::Way, told: &tell::Told) -> Vec<FreeDay> {
    let noticed = told.notices.iter().filter_map(|said| {
        let notice = way.notices.get(said.about)?;
        (notice.word == way::Word::FreeUntil).then(|| FreeDay {
            owner: if notice.inland {
                LfdOwner::Rail
            } else {
                LfdOwner::Line
            },
            said_at: said.said_at(notice),
            told_from: said.received_at,
            day: notice.value.to_zoned(notice.place.clock()).date(),
        })
    });
    let arrival = |yard: &yard::Yard| yard.arrives_at.to_zoned(yard.place.clock()).date();
    let arrives_on = way.yard.as_ref().map(arrival);
    let looked = told.looks.iter().filter_map(|look| {
        // A day before the arrival is of the box's last visit.
        let day = look.free_day.filter(|day| Some(*day) >= arrives_on)?;
        Some(FreeDay {
            owner: LfdOwner::Terminal,
            said_at: look.as_of,
            told_from: look.received_at,
            day,
        })
    });
    noticed.chain(looked).collect()
}

fn booked(way: &way::Way, told: &tell::Told) -> Vec<Booked> {
    let noticed = told.notices.iter().filter_map(|said| {
        let notice = way.notices.get(said.about)?;
        (notice.word == way::Word::Appointment).then_some(Booked {
            said_at: notice.said_at,
            told_from: said.received_at,
            at: notice.value,
        })
    });
    let looked = told.looks.iter().filter_map(|look| {
        Some(Booked {
            said_at: look.as_of,
            told_from: look.received_at,
            at: look.appointment?,
        })
    });
    noticed.chain(looked).collect()
}

fn facts(way: &way::Way, told: &tell::Told) -> Vec<Fact> {
    let tellings = &told.tellings;
    let mut facts = Vec::new();
    for (index, happening) in way.happenings.iter().enumerate() {
        let about = || {
            tellings
                .iter()
                .filter(move |telling| telling.sure == Sure::Actual && telling.about == index)
        };
        for event in &happening.means {
            let city = *event == EventName::ArrivedAtInlandDestination;
            let place = if city {
                happening.city()
            } else {
                happening.place
            };
            let Some(locode) = place.locode() else {
                continue;
            };
            facts.push(Fact {
                event: *event,
                place: locode,
                zone: place.zone,
                at: happening.at,
                told_from: about().map(|telling| telling.received_at).min(),
                to_the_minute: about().any(|telling| telling.right && !telling.day_only),
            });
        }
    }
    facts.extend(availability(way, told));
    facts.sort_by_key(|fact| fact.at);
    facts
}

/// Each time the word changed. Where a terminal speaks of the box in its yard, only its word counts.
fn availability(way: &way::Way, told: &tell::Told) -> Vec<Fact> {
    let fact = |event, place: &Place, at, told_from| {
        Some(Fact {
            event,
            place: place.locode()?,
            zone: place.zone,
            at,
            told_from,
            to_the_minute: true,
        })
    };
    let mut words: Vec<&Look> = told
        .looks
        .iter()
        .filter(|look| look.available.is_some())
        .collect();
    words.sort_by_key(|look| (look.as_of, look.received_at));
    let Some(yard) = way.yard.as_ref().filter(|_| !words.is_empty()) else {
        let free = way.notices.iter().enumerate();
        let free = free.filter(|(_, notice)| notice.word == way::Word::Available);
        return free
            .filter_map(|(about, notice)| {
                let said = told.notices.iter().filter(|said| said.about == about);
                let told_from = said.map(|said| said.received_at).min();
                fact(EventName::Available, notice.place, notice.value, told_from)
            })
            .collect();
    };
    words.retain(|look| look.as_of <= yard.leaves_at);
    words.dedup_by_key(|look| look.available);
    // A no before the first yes takes nothing back.
    let first_yes = words.iter().position(|look| look.available == Some(true));
    words.drain(..first_yes.unwrap_or(words.len()));
    words
        .into_iter()
        .filter_map(|look| {
            let event = if look.available == Some(true) {
                EventName::Available
            } else {
                EventName::NotAvailable
            };
            fact(event, yard.place, look.as_of, Some(look.received_at))
        })
        .collect()
}
