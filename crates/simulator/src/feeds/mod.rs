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

mod tell;
mod way;
mod write;

use domain::codes::{ContainerNumber, UnLocode};
use domain::event::EventName;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::world::voyage::Sure;
pub use way::SCENARIOS;

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
}

impl Feed {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Line,
        Self::Quay,
        Self::Gate,
        Self::Hub,
        Self::Forwarder,
        Self::Road,
        Self::Ramp,
    ];
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
    /// Told by a railroad about its ramp, else by the line.
    pub by_railroad: bool,
    /// When it became known.
    pub told_from: Timestamp,
    /// The day.
    pub day: Date,
}

/// One journey of one box.
#[derive(Clone, Debug)]
pub struct Case {
    /// What kind of journey.
    pub scenario: &'static str,
    /// The box.
    pub number: ContainerNumber,
    /// What arrived, in the order of arrival.
    pub messages: Vec<Message>,
    /// What is true, in the order in which it happened.
    pub facts: Vec<Fact>,
    /// The last free days that were told.
    pub free_days: Vec<FreeDay>,
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
}

/// The journey of this number in the world of this seed, told by those of `feeds` that know of it.
pub fn case(seed: u64, index: u64, feeds: &[Feed]) -> Option<Case> {
    let way = way::draw(seed, index)?;
    let told = tell::tell(seed, &way, feeds);
    let mut messages: Vec<Message> = told
        .tellings
        .iter()
        .filter_map(|telling| {
            let bytes = write::message(&way, telling)?;
            Some(Message {
                feed: telling.feed,
                received_at: telling.received_at,
                bytes,
            })
        })
        .collect();
    for said in &told.notices {
        let Some(notice) = way.notices.get(said.about) else {
            continue;
        };
        messages.push(Message {
            feed: said.feed,
            received_at: said.received_at,
            bytes: write::notice(&way, notice, said),
        });
    }
    if let Some(at) = way.cancelled_at.filter(|_| !messages.is_empty()) {
        messages.push(Message {
            feed: Feed::Line,
            received_at: at,
            bytes: write::cancellation(&way, at),
        });
    }
    messages.sort_by_key(|message| message.received_at);
    Some(Case {
        scenario: way.scenario,
        number: way.number,
        facts: facts(&way, &told),
        free_days: free_days(&way, &told.notices),
        messages,
        tally: told.tally,
    })
}

/// In the order in which they were said.
fn free_days(way: &way::Way, notices: &[tell::Noticed]) -> Vec<FreeDay> {
    let days = way.notices.iter().enumerate();
    days.filter(|(_, notice)| notice.word == way::Word::FreeUntil)
        .filter_map(|(about, notice)| {
            let said = notices.iter().filter(|said| said.about == about);
            Some(FreeDay {
                by_railroad: notice.inland,
                told_from: said.map(|said| said.received_at).min()?,
                day: notice.value.to_zoned(notice.place.clock()).date(),
            })
        })
        .collect()
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
    let free = way.notices.iter().enumerate();
    for (about, notice) in free.filter(|(_, notice)| notice.word == way::Word::Available) {
        let said = told.notices.iter().filter(|said| said.about == about);
        let Some(place) = notice.place.locode() else {
            continue;
        };
        facts.push(Fact {
            event: EventName::Available,
            place,
            zone: notice.place.zone,
            at: notice.value,
            told_from: said.map(|said| said.received_at).min(),
            to_the_minute: true,
        });
    }
    facts.sort_by_key(|fact| fact.at);
    facts
}
