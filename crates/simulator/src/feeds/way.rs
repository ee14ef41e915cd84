//! What truly happens to one box: the ways that feeds tell about.

use domain::codes::ContainerNumber;
use domain::event::EventName as Name;
use jiff::{SignedDuration, Timestamp};

use super::yard::{Yard, slot_of};
use crate::dice::Dice;
use crate::world::fleet::{Vessel, ship};
use crate::world::places::Place;
use crate::world::voyage::Mode;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Act {
    GateIn,
    GateOut,
    Load,
    Discharge,
    Arrive,
    Berth,
    Depart,
    Deliver,
}

/// What a move is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    Export,
    Import,
    Transshipment,
}

/// A ship on a voyage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ship {
    pub vessel: &'static Vessel,
    pub voyage: u32,
}

/// Something that happens, or was to happen.
#[derive(Clone, Debug)]
pub(super) struct Happening {
    pub act: Act,
    pub mode: Mode,
    pub place: &'static Place,
    pub terminal: Option<&'static str>,
    /// DCSA facility type.
    pub facility: &'static str,
    pub ship: Option<Ship>,
    pub laden: bool,
    pub purpose: Purpose,
    /// Position of the call in the way.
    pub call: Option<u32>,
    pub at: Timestamp,
    pub means: Vec<Name>,
    /// Of another trip of the same steel: told by those who know the box only.
    pub foreign: bool,
}

impl Happening {
    /// The city that a ramp stands for.
    pub fn city(&self) -> &'static Place {
        let code = if self.place.code == "USJOT" {
            "USCHI"
        } else {
            self.place.code
        };
        Place::of(code).unwrap_or(self.place)
    }
}

/// What is said about collecting the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// It may be collected.
    Available,
    /// Until this day it costs nothing at the line's, or the railroad's, terminal.
    FreeUntil,
    /// When it will be collected.
    Appointment,
}

/// One such word.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub word: Word,
    pub place: &'static Place,
    /// Behind a train: then the railroad says it, else the line.
    pub inland: bool,
    pub said_at: Timestamp,
    /// The moment, or the midnight of the day, that it names.
    pub value: Timestamp,
}

/// The whole way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub scenario: &'static str,
    pub number: ContainerNumber,
    pub bill: String,
    pub booking: String,
    pub opens_at: Timestamp,
    pub happenings: Vec<Happening>,
    pub notices: Vec<Notice>,
    /// The terminal that the box is collected from, where that is one at the quay.
    pub yard: Option<Yard>,
    /// Calls that were planned and did not come so.
    pub dropped: Vec<Happening>,
    /// When the plan that holds is told, where that is later than the opening.
    pub replanned_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
}

/// The kinds of journey.
pub const SCENARIOS: [&str; 15] = [
    "direct",
    "transshipment",
    "two transshipments",
    "feeder in",
    "feeder out",
    "rail",
    "rail with interchange",
    "rail to a ramp of the city",
    "rolled",
    "destination changed",
    "off dock",
    "delivered",
    "steel used again",
    "another quay",
    "booking cancelled",
];

static SHIPS: [Vessel; 6] = [
    ship("HERON ANTHEM", 991_041),
    ship("HERON BALLAD", 991_053),
    ship("HERON CHORUS", 991_067),
    ship("HERON DESCANT", 991_079),
    ship("HERON ETUDE", 991_082),
    ship("HERON FUGUE", 991_094),
];

const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// 1 March 2026, the first day on which a journey may open.
const FIRST_DAY: i64 = 1_772_323_200;
/// Journeys open within so many days.
const DAYS: i64 = 90;

/// Draws the way of this number.
pub(super) fn draw(seed: u64, index: u64) -> Option<Way> {
    let mut dice = Dice::about(seed, &format!("feeds {index}"));
    let kinds = u64::try_from(SCENARIOS.len()).ok()?;
    let scenario = *SCENARIOS.get(usize::try_from(index % kinds).ok()?)?;
    let start = Timestamp::from_second(FIRST_DAY).ok()? + dice.minutes(0, DAYS * 24 * 60);
    let mut pen = Pen::new(&mut dice, start);
    pen.write(scenario)?;
    let Pen {
        happenings,
        notices,
        yard,
        dropped,
        replanned_at,
        cancelled_at,
        ..
    } = pen;
    Some(Way {
        scenario,
        number: number(index)?,
        bill: format!("HRNS{}", dice.digits(9)),
        booking: format!("8{}", dice.digits(8)),
        opens_at: start,
        happenings,
        notices,
        yard,
        dropped,
        replanned_at,
        cancelled_at,
    })
}

fn number(index: u64) -> Option<ContainerNumber> {
    ContainerNumber::parse(&format!("HRNU{:06}", index % 1_000_000)).ok()
}

struct Pen<'d> {
    dice: &'d mut Dice,
    clock: Timestamp,
    happenings: Vec<Happening>,
    notices: Vec<Notice>,
    yard: Option<Yard>,
    dropped: Vec<Happening>,
    replanned_at: Option<Timestamp>,
    cancelled_at: Option<Timestamp>,
    calls: u32,
    ships: usize,
}

impl<'d> Pen<'d> {
    fn new(dice: &'d mut Dice, start: Timestamp) -> Self {
        let ships = usize::try_from(dice.between(0, 5)).unwrap_or(0);
        Self {
            dice,
            clock: start,
            happenings: Vec::new(),
            notices: Vec::new(),
            yard: None,
            dropped: Vec::new(),
            replanned_at: None,
            cancelled_at: None,
            calls: 0,
            ships,
        }
    }

    fn write(&mut self, scenario: &str) -> Option<()> {
        let import = [
            ("CNSHA", "USLAX"),
            ("CNNGB", "USOAK"),
            ("LKCMB", "USNYC"),
            ("DEHAM", "USSAV"),
        ];
        let any = [
            ("CNSHA", "NLRTM"),
            ("KRPUS", "USLAX"),
            ("DEHAM", "USNYC"),
            ("CNNGB", "DEHAM"),
        ];
        match scenario {
            "direct" => {
                let (from, to) = *self.dice.pick(&[import, any].concat())?;
                self.straight(from, to)?;
                self.collect(to, Purpose::Import)?;
                self.bring_back(to)
            }
            "transshipment" => {
                let ports = *self.dice.pick(&[
                    ["HKHKG", "KRPUS", "USLAX"],
                    ["CNSHA", "SGSIN", "USNYC"],
                    ["CNNGB", "SGSIN", "NLRTM"],
                ])?;
                self.by_sea(&ports)?;
                self.collect(ports[2], Purpose::Import)?;
                self.bring_back(ports[2])
            }
            "two transshipments" => {
                let ports = ["HKHKG", "CNSHA", "SGSIN", "USSAV"];
                self.by_sea(&ports)?;
                self.collect("USSAV", Purpose::Import)?;
                self.bring_back("USSAV")
            }
            "feeder in" => {
                self.origin("DEDUI", "INTE")?;
                self.barge("DEDUI", "NLRTM", Purpose::Export)?;
                self.sail(&["NLRTM", "USNYC"], true)?;
                self.collect("USNYC", Purpose::Import)?;
                self.bring_back("USNYC")
            }
            "feeder out" => {
                self.straight("CNSHA", "NLRTM")?;
                self.barge("NLRTM", "DEDUI", Purpose::Import)?;
                self.collect("DEDUI", Purpose::Import)?;
                self.bring_back("DEDUI")
            }
            "rail" => {
                self.straight("KRPUS", "USLAX")?;
                self.rail("USLAX", "USMEM", true)?;
                self.collect("USMEM", Purpose::Import)?;
                self.bring_back("USMEM")
            }
            "rail with interchange" => {
                self.straight("CNSHA", "USLAX")?;
                self.rail("USLAX", "USMEM", false)?;
                self.rail("USMEM", "USCHI", true)?;
                self.collect("USCHI", Purpose::Import)?;
                self.bring_back("USCHI")
            }
            "rail to a ramp of the city" => {
                self.straight("CNNGB", "USOAK")?;
                self.rail("USOAK", "USJOT", true)?;
                self.collect("USJOT", Purpose::Import)?;
                self.bring_back("USJOT")
            }
            "rolled" => self.rolled(),
            "destination changed" => self.diverted(),
            "off dock" => self.off_dock(),
            "delivered" => self.delivered(),
            "steel used again" => self.used_again(),
            "another quay" => self.another_quay(),
            _ => self.cancelled(),
        }
    }

    /// Planned on one ship, loaded on the next one.
    fn rolled(&mut self) -> Option<()> {
        let opened = self.clock;
        self.origin("CNSHA", "POTE")?;
        let missed = self.next_ship();
        let left = self.clock + HOUR * 30;
        let told = left - HOUR * i32::try_from(self.dice.between(6, 40)).ok()?;
        let call = |act, place, at, call| Happening {
            ship: Some(missed),
            call: Some(call),
            ..happening(act, Mode::Vessel, place, at)
        };
        let (from, to) = (Place::of("CNSHA")?, Place::of("USLAX")?);
        for planned in [
            call(Act::Depart, from, left, 1),
            call(Act::Arrive, to, left + HOUR * (24 * 15), 2),
        ] {
            self.dropped.push(planned);
        }
        self.replanned_at = Some(told.max(opened + HOUR));
        self.clock = left + HOUR * (24 * 6);
        self.sail(&["CNSHA", "USLAX"], false)?;
        self.collect("USLAX", Purpose::Import)?;
        self.bring_back("USLAX")
    }

    /// To be discharged at the second port, discharged at the first.
    fn diverted(&mut self) -> Option<()> {
        self.origin("CNSHA", "POTE")?;
        let sails = self.clock;
        self.sail(&["CNSHA", "USLAX"], false)?;
        let last = self.happenings.last()?;
        let (ship, landed) = (last.ship, last.at);
        let told = sails + HOUR * (24 * 5);
        let planned = |act, hours: i32| Happening {
            ship,
            call: Some(3),
            ..happening(
                act,
                Mode::Vessel,
                Place::of("USOAK").unwrap_or(last.place),
                landed + HOUR * hours,
            )
        };
        let dropped = [planned(Act::Arrive, 70), planned(Act::Discharge, 90)];
        self.dropped.extend(dropped);
        self.replanned_at = Some(told);
        self.collect("USLAX", Purpose::Import)?;
        self.bring_back("USLAX")
    }

    /// Expected at one terminal of the port, put ashore at its neighbour.
    fn another_quay(&mut self) -> Option<()> {
        self.origin("CNSHA", "POTE")?;
        let sails = self.clock;
        self.sail(&["CNSHA", "USLAX"], false)?;
        let landing = |h: &&mut Happening| h.place.code == "USLAX";
        for call in self.happenings.iter_mut().filter(landing) {
            call.terminal = Some("WBCT");
        }
        let arrival = self.happenings.iter().rfind(|h| h.act == Act::Arrive)?;
        let expected = Happening {
            terminal: Some("TRAP"),
            ..arrival.clone()
        };
        self.dropped.push(expected);
        self.replanned_at = Some(sails + HOUR * (24 * 5));
        self.collect("USLAX", Purpose::Import)?;
        self.bring_back("USLAX")
    }

    fn off_dock(&mut self) -> Option<()> {
        self.straight("CNSHA", "USLAX")?;
        self.collect("USLAX", Purpose::Import)?;
        self.wait(3, 10);
        let yard = |act, name| Happening {
            facility: "OFFD",
            purpose: Purpose::Import,
            means: vec![name],
            ..happening(
                act,
                Mode::Truck,
                Place::of("USLAX").unwrap_or(FALLBACK),
                Timestamp::UNIX_EPOCH,
            )
        };
        self.put(yard(Act::GateIn, Name::FullIn));
        self.wait(30, 80);
        self.put(yard(Act::GateOut, Name::FullOut));
        self.bring_back("USLAX")
    }

    fn delivered(&mut self) -> Option<()> {
        self.straight("CNSHA", "USLAX")?;
        self.collect("USLAX", Purpose::Import)?;
        self.wait(5, 20);
        let door = Place::of("USLAX")?;
        self.put(Happening {
            facility: "CLOC",
            purpose: Purpose::Import,
            means: vec![Name::Delivered],
            ..happening(Act::Deliver, Mode::Truck, door, self.clock)
        });
        self.bring_back("USLAX")
    }

    /// Before ours somebody else's goods came in the same steel, and after it others leave in it.
    fn used_again(&mut self) -> Option<()> {
        let opens = self.clock;
        self.clock = opens - HOUR * (24 * 40);
        self.sail(&["USLAX", "CNSHA"], false)?;
        self.collect("CNSHA", Purpose::Import)?;
        self.bring_back("CNSHA")?;
        self.estrange(0);
        self.calls = 0;
        self.clock = self.clock.max(opens);
        self.straight("CNSHA", "USLAX")?;
        self.collect("USLAX", Purpose::Import)?;
        self.bring_back("USLAX")?;
        let ours = self.happenings.len();
        self.clock += HOUR * (24 * 4);
        self.origin("USLAX", "POTE")?;
        self.sail(&["USLAX", "KRPUS"], false)?;
        self.estrange(ours);
        Some(())
    }

    fn estrange(&mut self, from: usize) {
        self.notices.retain(|_| from > 0);
        for happening in self.happenings.iter_mut().skip(from) {
            happening.foreign = true;
            happening.means.clear();
        }
    }

    fn cancelled(&mut self) -> Option<()> {
        let opened = self.clock;
        self.straight("CNSHA", "USLAX")?;
        self.notices.clear();
        self.cancelled_at = Some(opened + HOUR * 60);
        for call in self.happenings.drain(..).filter(|h| h.ship.is_some()) {
            self.dropped.push(call);
        }
        Some(())
    }

    fn straight(&mut self, from: &'static str, to: &'static str) -> Option<()> {
        self.by_sea(&[from, to])
    }

    fn by_sea(&mut self, ports: &[&'static str]) -> Option<()> {
        self.origin(ports.first()?, "POTE")?;
        self.sail(ports, false)
    }

    /// The empty goes out, the goods come in.
    fn origin(&mut self, port: &str, facility: &'static str) -> Option<()> {
        let place = Place::of(port)?;
        self.wait(72, 200);
        self.put(Happening {
            facility: "DEPO",
            laden: false,
            means: vec![Name::EmptyOut],
            ..happening(Act::GateOut, Mode::Truck, place, self.clock)
        });
        self.wait(10, 60);
        let terminal = self.dice.pick(place.terminals).copied();
        self.put(Happening {
            facility,
            terminal,
            means: vec![Name::FullIn],
            ..happening(Act::GateIn, Mode::Truck, place, self.clock)
        });
        Some(())
    }

    /// From port to port, a ship for each leg.
    fn sail(&mut self, ports: &[&'static str], fed: bool) -> Option<()> {
        for (leg, pair) in ports.windows(2).enumerate() {
            let (from, to) = (Place::of(pair.first()?)?, Place::of(pair.last()?)?);
            let hub = leg > 0;
            let (first, last) = (leg == 0 && !fed, leg + 2 == ports.len());
            self.board(from, first, hub);
            self.wait(24 * 9, 24 * 16);
            self.land(to, last);
        }
        Some(())
    }

    fn board(&mut self, place: &'static Place, first: bool, hub: bool) {
        let ship = self.next_ship();
        self.calls += 1;
        let terminal = self.dice.pick(place.terminals).copied();
        let names = if first {
            [Name::VesselLoaded, Name::VesselDeparted]
        } else {
            [Name::TransshipmentLoaded, Name::TransshipmentDeparted]
        };
        let purpose = if hub {
            Purpose::Transshipment
        } else {
            Purpose::Export
        };
        for (act, name) in [Act::Load, Act::Depart].into_iter().zip(names) {
            self.wait(8, 26);
            self.put(Happening {
                terminal,
                ship: Some(ship),
                purpose,
                call: Some(self.calls),
                means: vec![name],
                ..happening(act, Mode::Vessel, place, self.clock)
            });
        }
    }

    fn land(&mut self, place: &'static Place, last: bool) {
        self.calls += 1;
        let ship = self.happenings.iter().rev().find_map(|h| h.ship);
        let terminal = self.dice.pick(place.terminals).copied();
        let alongside = (Act::Berth, Name::VesselBerthed, (2, 6));
        let steps = if last {
            vec![
                (Act::Arrive, Name::VesselArrived, (6, 22)),
                alongside,
                (Act::Discharge, Name::VesselDischarged, (6, 22)),
            ]
        } else {
            vec![
                (Act::Arrive, Name::TransshipmentArrived, (6, 22)),
                (Act::Discharge, Name::TransshipmentDischarged, (6, 22)),
            ]
        };
        let purpose = if last {
            Purpose::Import
        } else {
            Purpose::Transshipment
        };
        let seen = |act: &Act| *act != Act::Berth || terminal.is_some();
        for (act, name, (low, high)) in steps.into_iter().filter(|(act, ..)| seen(act)) {
            self.wait(low, high);
            self.put(Happening {
                terminal,
                ship,
                purpose,
                call: Some(self.calls),
                means: vec![name],
                ..happening(act, Mode::Vessel, place, self.clock)
            });
        }
        self.wait(20, 50);
    }

    fn barge(&mut self, from: &str, to: &str, purpose: Purpose) -> Option<()> {
        let (from, to) = (Place::of(from)?, Place::of(to)?);
        let steps = [
            (Act::Load, from, Name::FeederLoaded, (6, 14)),
            (Act::Depart, from, Name::FeederDeparted, (5, 9)),
            (Act::Arrive, to, Name::FeederArrived, (26, 40)),
            (Act::Discharge, to, Name::FeederDischarged, (4, 9)),
        ];
        for (act, place, name, (low, high)) in steps {
            self.wait(low, high);
            if matches!(act, Act::Load | Act::Arrive) {
                self.calls += 1;
            }
            let facility = if place.code == "DEDUI" {
                "INTE"
            } else {
                "POTE"
            };
            self.put(Happening {
                facility,
                purpose,
                call: Some(self.calls),
                means: vec![name],
                ..happening(act, Mode::Barge, place, self.clock)
            });
        }
        self.wait(20, 40);
        Some(())
    }

    fn rail(&mut self, from: &str, to: &str, last: bool) -> Option<()> {
        let (from, to) = (Place::of(from)?, Place::of(to)?);
        let mut arrived = vec![Name::RailArrived];
        arrived.extend(last.then_some(Name::ArrivedAtInlandDestination));
        let steps = [
            (Act::Load, from, vec![Name::RailLoaded], (10, 30)),
            (Act::Depart, from, vec![Name::RailDeparted], (6, 20)),
            (Act::Arrive, to, arrived, (50, 90)),
            (Act::Discharge, to, vec![Name::RailUnloaded], (4, 12)),
        ];
        for (act, place, means, (low, high)) in steps {
            self.wait(low, high);
            if matches!(act, Act::Load | Act::Arrive) {
                self.calls += 1;
            }
            self.put(Happening {
                facility: "RAMP",
                purpose: Purpose::Import,
                call: Some(self.calls),
                means,
                ..happening(act, Mode::Rail, place, self.clock)
            });
        }
        Some(())
    }

    /// Out through the gate, laden.
    fn collect(&mut self, place: &str, purpose: Purpose) -> Option<()> {
        let here = Place::of(place)?;
        let landed = self
            .happenings
            .iter()
            .rev()
            .find(|h| h.mode == Mode::Vessel);
        let inland = self.happenings.last().is_some_and(|h| h.mode == Mode::Rail);
        let landed = landed.filter(|h| h.place == here && !inland);
        let terminal = landed.and_then(|h| h.terminal);
        let landed_at = landed.map(|h| h.at);
        let ashore = self.clock;
        self.wait(12, 90);
        self.notices_of(here, ashore);
        if let Some((terminal, lands_at)) = terminal.zip(landed_at) {
            let arrived = self.happenings.iter().rfind(|h| h.act == Act::Arrive);
            let arrives_at = arrived.map_or(lands_at, |h| h.at);
            let times = (arrives_at, lands_at, self.clock);
            self.yard = Some(Yard::draw((here, terminal), times, self.dice));
        }
        self.put(Happening {
            terminal,
            purpose,
            means: vec![Name::FullOut],
            ..happening(Act::GateOut, Mode::Truck, here, self.clock)
        });
        Some(())
    }

    /// Free, until when, and for when it is booked: said between the landing and the gate; the day is moved once.
    fn notices_of(&mut self, place: &'static Place, ashore: Timestamp) {
        let inland = self.happenings.last().is_some_and(|h| h.mode == Mode::Rail);
        let hour = |count: i32| ashore + HOUR * count;
        let day = |at: Timestamp| {
            let midnight = at.to_zoned(place.clock()).start_of_day();
            midnight.map_or(at, |midnight| midnight.timestamp())
        };
        let days = i32::try_from(self.dice.between(3, 6)).unwrap_or(3);
        let notice = |word, said_at, value| Notice {
            word,
            place,
            inland,
            said_at,
            value,
        };
        let first = notice(Word::FreeUntil, hour(1), day(hour(24 * days)));
        let moved = notice(Word::FreeUntil, hour(6), day(hour(24 * (days + 2))));
        let free = notice(Word::Available, hour(4), hour(4));
        let booked = notice(Word::Appointment, hour(8), slot_of(self.clock, place));
        self.notices.extend([first, moved, free]);
        // The railroads of this world take no appointments.
        self.notices.extend((!inland).then_some(booked));
    }

    fn bring_back(&mut self, place: &str) -> Option<()> {
        self.wait(30, 120);
        self.put(Happening {
            facility: "DEPO",
            laden: false,
            purpose: Purpose::Import,
            means: vec![Name::EmptyIn],
            ..happening(Act::GateIn, Mode::Truck, Place::of(place)?, self.clock)
        });
        Some(())
    }

    /// Happens at this moment of the pen.
    fn put(&mut self, happening: Happening) {
        // Midnight is how X12 says that it knows the day only.
        self.happenings.push(Happening {
            at: self.clock,
            ..happening
        });
    }

    fn wait(&mut self, low: i64, high: i64) {
        self.clock += self.dice.minutes(low * 60 + 1, high * 60);
        let second = self.clock.as_second().rem_euclid(3_600);
        if second < 60 {
            self.clock += SignedDuration::from_mins(1);
        }
    }

    fn next_ship(&mut self) -> Ship {
        self.ships += 1;
        let index = self.ships % SHIPS.len();
        let voyage = u32::try_from(self.dice.between(100, 899)).unwrap_or(100);
        let [first, ..] = &SHIPS;
        Ship {
            vessel: SHIPS.get(index).unwrap_or(first),
            voyage,
        }
    }
}

const FALLBACK: &Place = {
    let [first, ..] = crate::world::places::PLACES else {
        panic!("there are places")
    };
    first
};

/// The usual: laden, on its way out, at a port terminal.
fn happening(act: Act, mode: Mode, place: &'static Place, at: Timestamp) -> Happening {
    Happening {
        act,
        mode,
        place,
        terminal: None,
        facility: "POTE",
        ship: None,
        laden: true,
        purpose: Purpose::Export,
        call: None,
        at,
        means: Vec::new(),
        foreign: false,
    }
}
