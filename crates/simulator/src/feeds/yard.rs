//! What a terminal knows of a box in its yard, and what it says of it when somebody looks.
//!
//! Holds come and go, fees grow and are paid, the last free day and the appointment are moved. None of this is
//! told as it happens: each look shows the whole row as it stands then, and terminals leave cells empty. Before
//! the ship is in, the row still carries the last free day of the box's previous visit; after the box has left,
//! it says that it is not to be had.

use domain::container::{FeeKind, HoldName, HoldStatus};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::Feed;
use crate::dice::Dice;
use crate::world::places::Place;

/// One answer of a terminal about the box. `None`: the cell was empty, which says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Who answered.
    pub feed: Feed,
    /// When it arrived.
    pub received_at: Timestamp,
    /// When it was so.
    pub as_of: Timestamp,
    /// Free to be collected.
    pub available: Option<bool>,
    /// All holds.
    pub holds: Option<Vec<(HoldName, HoldStatus)>>,
    /// All fees with their cents; `None` of an amount that is not posted yet.
    pub fees: Option<Vec<(FeeKind, Option<u32>)>>,
    /// The last free day.
    pub free_day: Option<Date>,
    /// When it will be collected.
    pub appointment: Option<Timestamp>,
    /// Where it stands.
    pub spot: Option<String>,
}

/// A box in a yard.
#[derive(Clone, Debug)]
pub(super) struct Yard {
    pub place: &'static Place,
    pub terminal: &'static str,
    /// When the ship is in.
    pub arrives_at: Timestamp,
    /// When the box is ashore.
    lands_at: Timestamp,
    /// When it leaves through the gate.
    pub leaves_at: Timestamp,
    holdings: Vec<Holding>,
    exam_ends: Option<Timestamp>,
    dwells: bool,
    sums: bool,
    /// Not to be had for a while although nothing holds it.
    shut: Option<Timestamp>,
    days: Vec<(Timestamp, Date)>,
    old_day: Date,
    appointments: Vec<(Timestamp, Timestamp)>,
    spots: Vec<(Timestamp, String)>,
}

#[derive(Clone, Copy, Debug)]
struct Holding {
    name: HoldName,
    /// Announced from here on …
    from: Timestamp,
    /// … in force from here …
    holds_from: Timestamp,
    /// … until here.
    until: Timestamp,
}

const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Cents a day.
const DEMURRAGE: u32 = 18_050;
const DWELL: u32 = 4_000;
const EXAM: u32 = 62_500;
/// Cells of a thousand that a terminal leaves empty.
const EMPTY: u32 = 150;
const LATE: u32 = 220;
const REPEATED: u32 = 250;

impl Yard {
    /// Draws what becomes of a box that lands and leaves at these times, at least a day apart.
    pub fn draw(
        (place, terminal): (&'static Place, &'static str),
        (arrives_at, lands_at, leaves_at): (Timestamp, Timestamp, Timestamp),
        dice: &mut Dice,
    ) -> Self {
        let date = |at: Timestamp| at.to_zoned(place.clock()).date();
        let first = plus(date(lands_at), dice.between(3, 6));
        let moved = plus(first, if dice.per_mille(700) { 2 } else { -1 });
        let slot = slot_of(leaves_at, place);
        let mut appointments = vec![(lands_at + HOUR * 9, slot)];
        if dice.per_mille(400) {
            let earlier = slot - SignedDuration::from_hours(26);
            appointments = vec![(lands_at + HOUR * 7, earlier), (lands_at + HOUR * 18, slot)];
        }
        let mut holdings = Vec::new();
        for (name, share, announced) in HOLDS {
            if dice.per_mille(share) {
                let (from, holds_from) = if announced {
                    (lands_at + HOUR * 2, lands_at + HOUR * 7)
                } else {
                    (arrives_at - HOUR * 40, arrives_at - HOUR * 40)
                };
                let until = lands_at + dice.minutes(9 * 60, 26 * 60);
                holdings.push(Holding {
                    name,
                    from,
                    holds_from,
                    until,
                });
            }
        }
        let exam = holdings.iter().find(|h| h.name == HoldName::Vacis);
        let spot = |dice: &mut Dice| format!("{}-{}", dice.digits(2), dice.digits(3));
        Self {
            place,
            terminal,
            arrives_at,
            lands_at,
            leaves_at,
            exam_ends: exam.map(|exam| exam.until),
            holdings,
            dwells: dice.per_mille(300),
            sums: dice.per_mille(300),
            shut: dice
                .per_mille(600)
                .then(|| lands_at + dice.minutes(27 * 60, 30 * 60)),
            days: vec![(lands_at + HOUR, first), (lands_at + HOUR * 14, moved)],
            old_day: plus(date(arrives_at), -dice.between(12, 40)),
            appointments,
            spots: vec![
                (lands_at + HOUR, spot(dice)),
                (lands_at + HOUR * 11, spot(dice)),
            ],
        }
    }

    /// What the terminal says of it over the days, every answer as it arrives; `gone` when somebody will tell
    /// that the box has left.
    pub fn looks(&self, feed: Feed, gone: bool, dice: &mut Dice) -> Vec<Look> {
        let mut looks = Vec::new();
        let mut at = self.arrives_at - dice.minutes(8 * 60, 36 * 60);
        while at < self.leaves_at - HOUR {
            arrive(partial(self.seen(feed, at), dice), dice, &mut looks);
            at += dice.minutes(4 * 60, 11 * 60);
        }
        let last = self.seen(feed, self.leaves_at - SignedDuration::from_mins(20));
        arrive(partial(last, dice), dice, &mut looks);
        if gone {
            let at = self.leaves_at + dice.minutes(26 * 60, 29 * 60);
            let after = Look {
                available: Some(false),
                ..nothing(feed, at)
            };
            arrive(after, dice, &mut looks);
        }
        looks
    }

    /// The whole row at a moment.
    fn seen(&self, feed: Feed, at: Timestamp) -> Look {
        let holds = self.holds(at);
        let held = holds.iter().any(|(_, status)| *status == HoldStatus::Hold);
        let shut = self
            .shut
            .is_some_and(|from| from <= at && at < from + HOUR * 9);
        let stale = (at < self.lands_at).then_some(self.old_day);
        Look {
            available: Some(self.lands_at + HOUR * 4 <= at && !held && !shut),
            fees: Some(self.fees(at)),
            holds: Some(holds),
            free_day: last(&self.days, at).or(stale),
            appointment: last(&self.appointments, at),
            spot: last(&self.spots, at),
            ..nothing(feed, at)
        }
    }

    fn holds(&self, at: Timestamp) -> Vec<(HoldName, HoldStatus)> {
        let standing = self
            .holdings
            .iter()
            .filter(|holding| holding.from <= at && at < holding.until);
        let mut holds: Vec<(HoldName, HoldStatus)> = standing
            .map(|holding| {
                let status = if holding.holds_from <= at {
                    HoldStatus::Hold
                } else {
                    HoldStatus::Pending
                };
                (holding.name, status)
            })
            .collect();
        holds.sort_unstable();
        holds
    }

    fn fees(&self, at: Timestamp) -> Vec<(FeeKind, Option<u32>)> {
        let mut fees = Vec::new();
        let free = last(&self.days, at);
        let today = at.to_zoned(self.place.clock()).date();
        if let Some(over) = free.filter(|free| *free < today && at < self.leaves_at - HOUR) {
            let days = today.since(over).map_or(1, |span| span.get_days());
            let owed = u32::try_from(days).unwrap_or(1) * DEMURRAGE;
            fees.push((FeeKind::Demurrage, Some(owed)));
        }
        if let Some(ends) = self.exam_ends.filter(|ends| at < *ends + HOUR * 5) {
            let posted = ends - HOUR * 3 <= at;
            let begun = self.lands_at + HOUR * 7 <= at;
            fees.extend(begun.then_some((FeeKind::Exam, posted.then_some(EXAM))));
        }
        let dwelt = at.duration_since(self.lands_at).as_hours();
        if self.dwells && (12..32).contains(&dwelt) {
            let owed = if dwelt < 20 { DWELL } else { DWELL * 2 };
            fees.push((FeeKind::ExtendedDwellTime, Some(owed)));
        }
        let sum: u32 = fees.iter().filter_map(|(_, owed)| *owed).sum();
        if self.sums && sum > 0 {
            fees.push((FeeKind::Total, Some(sum)));
        }
        fees.sort_unstable();
        fees
    }
}

/// Which holds boxes have, how many of a thousand, and whether they are announced first.
const HOLDS: [(HoldName, u32, bool); 5] = [
    (HoldName::Customs, 600, false),
    (HoldName::Freight, 500, false),
    (HoldName::Tmf, 300, false),
    (HoldName::Usda, 150, true),
    (HoldName::Vacis, 250, true),
];

/// The afternoon of a day.
pub(super) fn slot_of(leaves_at: Timestamp, place: &'static Place) -> Timestamp {
    let midnight = leaves_at.to_zoned(place.clock()).start_of_day();
    midnight.map_or(leaves_at, |midnight| midnight.timestamp()) + HOUR * 15
}

/// Some cells are empty.
fn partial(look: Look, dice: &mut Dice) -> Look {
    let mut tells = || !dice.per_mille(EMPTY);
    Look {
        available: look.available.filter(|_| tells()),
        holds: look.holds.filter(|_| tells()),
        fees: look.fees.filter(|_| tells()),
        free_day: look.free_day.filter(|_| tells()),
        appointment: look.appointment.filter(|_| tells()),
        spot: look.spot.filter(|_| tells()),
        ..look
    }
}

/// It arrives soon, or late behind newer ones, and some arrive again.
fn arrive(mut look: Look, dice: &mut Dice, looks: &mut Vec<Look>) {
    if look.says_nothing() {
        return;
    }
    look.received_at = look.as_of + dice.minutes(2, 50);
    if dice.per_mille(LATE) {
        look.received_at += dice.minutes(6 * 60, 30 * 60);
    }
    if dice.per_mille(REPEATED) {
        let mut again = look.clone();
        again.received_at += dice.minutes(30, 30 * 60);
        looks.push(again);
    }
    looks.push(look);
}

impl Look {
    fn says_nothing(&self) -> bool {
        let blank = nothing(self.feed, self.as_of);
        Self {
            received_at: blank.received_at,
            ..self.clone()
        } == blank
    }
}

fn nothing(feed: Feed, as_of: Timestamp) -> Look {
    Look {
        feed,
        received_at: as_of,
        as_of,
        available: None,
        holds: None,
        fees: None,
        free_day: None,
        appointment: None,
        spot: None,
    }
}

fn last<T: Clone>(series: &[(Timestamp, T)], at: Timestamp) -> Option<T> {
    let mut told = series.iter().filter(|(from, _)| *from <= at);
    told.next_back().map(|(_, value)| value.clone())
}

fn plus(date: Date, days: i64) -> Date {
    date.checked_add(days.days()).unwrap_or(date)
}
