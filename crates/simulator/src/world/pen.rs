//! Writes down one way from its beginning to its end: stops in their order, then what happens at each.

use domain::event::EventName as Name;
use jiff::{SignedDuration, Timestamp};

use super::fleet::PortCall;
use super::places::Place;
use super::voyage::{Code, Draw, Happening, Mode, Stop, Sure, Voyage};
use crate::dice::Dice;

/// A call with an estimate to keep up to date.
struct Target {
    stop: usize,
    code: Code,
    planned: Timestamp,
    real: Timestamp,
    means: Option<Name>,
}

/// The way as written so far.
pub(super) struct Pen {
    opens_at: Timestamp,
    stops: Vec<Stop>,
    happenings: Vec<Happening>,
    targets: Vec<Target>,
    /// Until when each box was busy, by its number on the bill.
    busy: Vec<Timestamp>,
    sequence: u32,
}

/// Words of one box or of all, at one stop.
struct At {
    stop: usize,
    of: Option<usize>,
}

impl Pen {
    pub(super) fn new(boxes: usize) -> Self {
        Self {
            opens_at: Timestamp::UNIX_EPOCH,
            stops: Vec::new(),
            happenings: Vec::new(),
            targets: Vec::new(),
            busy: vec![Timestamp::UNIX_EPOCH; boxes],
            sequence: 0,
        }
    }

    /// Booking, empty out, full in, and the barge to the first port where there is one.
    pub(super) fn origin(
        &mut self,
        draw: &Draw<'_>,
        legs: &[Vec<PortCall>],
        dice: &mut Dice,
    ) -> Option<()> {
        let first = legs.first()?.first()?;
        let ship_comes = first.real.0.min(first.planned.0);
        let barge = draw.route.barge_from.and_then(Place::of);
        let place = barge.unwrap_or(first.place);
        let gate_closes = match barge {
            Some(_) => ship_comes - SignedDuration::from_hours(100),
            None => ship_comes - SignedDuration::from_hours(12),
        };
        let depot = self.gate(place, "DEPO", None);
        let gate = match barge {
            Some(_) => self.gate(place, "INTE", None),
            None => self.gate(place, "POTE", dice.pick(place.terminals).copied()),
        };
        let mut first_out = gate_closes;
        for of in 0..draw.boxes {
            let full_in = gate_closes - dice.minutes(60, 36 * 60);
            let empty_out = full_in - dice.minutes(10 * 60, 70 * 60);
            first_out = first_out.min(empty_out);
            self.of_box(
                Code::Gtot,
                &at(depot, of),
                empty_out,
                false,
                Some(Name::EmptyOut),
            );
            self.of_box(Code::Gtin, &at(gate, of), full_in, true, Some(Name::FullIn));
        }
        self.opens_at = first_out - dice.minutes(3 * 24 * 60, 8 * 24 * 60);
        self.busy.fill(gate_closes);
        if barge.is_some() {
            self.barge((place, first.place), gate_closes, dice);
        }
        Some(())
    }

    /// One vessel from where the boxes are loaded to where they are discharged.
    pub(super) fn sea_leg(
        &mut self,
        leg: &[PortCall],
        (index, of_legs): (usize, usize),
        draw: &Draw<'_>,
        dice: &mut Dice,
    ) -> Option<()> {
        let (from, to) = (leg.first()?, leg.last()?);
        self.load_aboard(from, index == 0, draw, dice);
        if draw.lists_every_call {
            let between = leg.get(1..leg.len().checked_sub(1)?)?;
            for call in between {
                self.passes(call, dice);
            }
        }
        self.discharge(to, index + 1 == of_legs, draw, dice);
        Some(())
    }

    fn load_aboard(&mut self, call: &PortCall, first: bool, draw: &Draw<'_>, dice: &mut Dice) {
        let hub = first && draw.route.barge_from.is_some();
        let stop = self.sea_stop(call, dice);
        let (loaded, departed) = if first {
            (Name::VesselLoaded, Name::VesselDeparted)
        } else {
            (Name::TransshipmentLoaded, Name::TransshipmentDeparted)
        };
        if first && !hub && dice.per_mille(500) {
            self.of_all(Code::Arri, stop, call.real.0, None);
        }
        for of in 0..draw.boxes {
            let lifted = within_stay(call, dice);
            self.of_box(Code::Load, &at(stop, of), lifted, true, Some(loaded));
            self.or_transshipment(hub, Name::TransshipmentLoaded);
        }
        self.of_all(Code::Depa, stop, call.real.1, Some(departed));
        self.or_transshipment(hub, Name::TransshipmentDeparted);
        let means = first.then_some(Name::EstimatedVesselDeparted);
        self.expect(stop, Code::Depa, (call.planned.1, call.real.1), means);
        self.busy.fill(call.real.1);
    }

    fn discharge(&mut self, call: &PortCall, last: bool, draw: &Draw<'_>, dice: &mut Dice) {
        let stop = self.sea_stop(call, dice);
        let (arrived, discharged) = if last {
            (Name::VesselArrived, Name::VesselDischarged)
        } else {
            (Name::TransshipmentArrived, Name::TransshipmentDischarged)
        };
        self.of_all(Code::Arri, stop, call.real.0, Some(arrived));
        let mut ashore = Vec::new();
        for of in 0..draw.boxes {
            let lifted = within_stay(call, dice);
            self.of_box(Code::Disc, &at(stop, of), lifted, true, Some(discharged));
            ashore.push(lifted);
        }
        if last && draw.route.barge_to.is_none() && dice.per_mille(400) {
            self.of_all(Code::Depa, stop, call.real.1, None);
        }
        let means = last.then_some(Name::EstimatedVesselArrived);
        self.expect(stop, Code::Arri, (call.planned.0, call.real.0), means);
        self.busy = ashore;
    }

    /// A call on the way where nothing happens to the boxes: told by some carriers, and no event.
    fn passes(&mut self, call: &PortCall, dice: &mut Dice) {
        let stop = self.sea_stop(call, dice);
        self.of_all(Code::Arri, stop, call.real.0, None);
        self.of_all(Code::Depa, stop, call.real.1, None);
        self.plan(stop, Code::Arri, call.planned.0, None);
        self.plan(stop, Code::Depa, call.planned.1, None);
    }

    /// From the quay to the consignee's truck.
    pub(super) fn inland(&mut self, draw: &Draw<'_>, dice: &mut Dice) -> Option<()> {
        let port = self.stops.iter().rev().find(|s| s.mode == Mode::Vessel)?;
        let (port, terminal) = (port.place, port.terminal);
        let gate = if let Some(place) = draw.route.rail_to.and_then(Place::of) {
            self.rail((port, place), dice);
            self.gate(place, "RAMP", None)
        } else if let Some(place) = draw.route.barge_to.and_then(Place::of) {
            let ready = self.all_free() + dice.minutes(10 * 60, 30 * 60);
            self.barge((port, place), ready, dice);
            self.gate(place, "INTE", None)
        } else {
            self.gate(port, "POTE", terminal)
        };
        for of in 0..draw.boxes {
            let available = self.after(of, dice.minutes(4 * 60, 40 * 60));
            self.of_box(
                Code::Avpu,
                &at(gate, of),
                available,
                true,
                Some(Name::Available),
            );
            let collected = self.after(of, dice.minutes(8 * 60, 80 * 60));
            self.of_box(
                Code::Gtot,
                &at(gate, of),
                collected,
                true,
                Some(Name::FullOut),
            );
        }
        Some(())
    }

    /// The empties come back to a depot near the last place.
    pub(super) fn return_of_empties(&mut self, dice: &mut Dice) {
        let Some(place) = self.stops.last().map(|stop| stop.place) else {
            return;
        };
        let depot = self.gate(place, "DEPO", None);
        for of in 0..self.busy.len() {
            let back = self.after(of, dice.minutes(30 * 60, 110 * 60));
            self.of_box(Code::Gtin, &at(depot, of), back, false, Some(Name::EmptyIn));
        }
    }

    fn barge(
        &mut self,
        (from, to): (&'static Place, &'static Place),
        ready: Timestamp,
        dice: &mut Dice,
    ) {
        let quay = self.other_stop(
            from,
            Mode::Barge,
            if from.code == "DEDUI" { "INTE" } else { "POTE" },
        );
        let far = self.other_stop(
            to,
            Mode::Barge,
            if to.code == "DEDUI" { "INTE" } else { "POTE" },
        );
        let leaves = ready + dice.minutes(12 * 60, 16 * 60);
        let comes = leaves + dice.minutes(26 * 60, 34 * 60);
        for of in 0..self.busy.len() {
            let lifted = ready + dice.minutes(60, 11 * 60);
            self.of_box(
                Code::Load,
                &at(quay, of),
                lifted,
                true,
                Some(Name::FeederLoaded),
            );
        }
        self.of_all(Code::Depa, quay, leaves, Some(Name::FeederDeparted));
        self.of_all(Code::Arri, far, comes, Some(Name::FeederArrived));
        for of in 0..self.busy.len() {
            let lifted = comes + dice.minutes(60, 9 * 60);
            self.of_box(
                Code::Disc,
                &at(far, of),
                lifted,
                true,
                Some(Name::FeederDischarged),
            );
            self.free(of, lifted);
        }
        let early = dice.minutes(-300, 300);
        self.plan(quay, Code::Depa, leaves + early, None);
        self.plan(far, Code::Arri, comes + early, None);
    }

    fn rail(&mut self, (from, to): (&'static Place, &'static Place), dice: &mut Dice) {
        let yard = self.other_stop(from, Mode::Rail, "RAMP");
        let ramp = self.other_stop(to, Mode::Rail, "RAMP");
        let ready = self.all_free() + dice.minutes(10 * 60, 40 * 60);
        let leaves = ready + dice.minutes(14 * 60, 20 * 60);
        let comes = leaves + dice.minutes(70 * 60, 110 * 60);
        for of in 0..self.busy.len() {
            let lifted = ready + dice.minutes(60, 13 * 60);
            self.of_box(
                Code::Load,
                &at(yard, of),
                lifted,
                true,
                Some(Name::RailLoaded),
            );
        }
        self.of_all(Code::Depa, yard, leaves, Some(Name::RailDeparted));
        self.of_all(Code::Arri, ramp, comes, Some(Name::RailArrived));
        if let Some(last) = self.happenings.last_mut() {
            last.means.push(Name::ArrivedAtInlandDestination);
        }
        for of in 0..self.busy.len() {
            let lifted = comes + dice.minutes(2 * 60, 10 * 60);
            self.of_box(
                Code::Disc,
                &at(ramp, of),
                lifted,
                true,
                Some(Name::RailUnloaded),
            );
            self.free(of, lifted);
        }
        self.plan(yard, Code::Depa, leaves - dice.minutes(-300, 900), None);
        let planned = comes - dice.minutes(-300, 1_800);
        let means = Some(Name::EstimatedArrivedAtInlandDestination);
        self.expect(ramp, Code::Arri, (planned, comes), means);
    }

    /// Estimates of every call that has some: the nearer the call, the nearer to the truth.
    pub(super) fn estimates(&mut self, dice: &mut Dice) {
        for target in std::mem::take(&mut self.targets) {
            if target.means.is_some() || dice.per_mille(300) {
                self.follow(&target, dice);
            }
        }
    }

    fn follow(&mut self, target: &Target, dice: &mut Dice) {
        let hour = SignedDuration::from_hours(1);
        let mut shown = target.planned;
        let mut said_at = self.opens_at + dice.minutes(20 * 60, 60 * 60);
        let close = target.real - dice.minutes(5 * 60, 30 * 60);
        while said_at < target.real - hour * 4 {
            let days_left = target.real.duration_since(said_at).as_hours() / 24;
            let doubt = days_left.min(12) * 80 + 45;
            let value = half_hours(target.real + dice.minutes(-doubt, doubt * 2));
            if value.duration_since(shown).abs() >= hour && value > said_at + hour {
                self.say(target, Sure::Estimated, value, said_at);
                shown = value;
            }
            let next = said_at + dice.minutes(36 * 60, 6 * 24 * 60);
            said_at = if said_at < close && next > close {
                close
            } else {
                next
            };
        }
    }

    pub(super) fn finish(self) -> Voyage {
        let ends_at = self.happenings.iter().map(|happening| happening.at).max();
        Voyage {
            opens_at: self.opens_at,
            ends_at: ends_at.unwrap_or(self.opens_at),
            stops: self.stops,
            happenings: self.happenings,
        }
    }

    fn expect(
        &mut self,
        stop: usize,
        code: Code,
        (planned, real): (Timestamp, Timestamp),
        means: Option<Name>,
    ) {
        self.plan(stop, code, planned, means);
        self.targets.push(Target {
            stop,
            code,
            planned,
            real,
            means,
        });
    }

    fn plan(&mut self, stop: usize, code: Code, planned: Timestamp, means: Option<Name>) {
        let target = Target {
            stop,
            code,
            planned,
            real: planned,
            means,
        };
        self.say(&target, Sure::Planned, planned, self.opens_at);
    }

    fn say(&mut self, target: &Target, sure: Sure, value: Timestamp, said_at: Timestamp) {
        self.happenings.push(Happening {
            code: target.code,
            sure,
            at: value,
            published_at: Some(said_at),
            stop: target.stop,
            of: None,
            laden: true,
            means: target.means.into_iter().collect(),
            or: None,
        });
    }

    fn of_all(&mut self, code: Code, stop: usize, when: Timestamp, means: Option<Name>) {
        self.actual(code, &At { stop, of: None }, when, true, means);
    }

    fn of_box(&mut self, code: Code, here: &At, when: Timestamp, laden: bool, means: Option<Name>) {
        self.actual(code, here, when, laden, means);
    }

    fn actual(&mut self, code: Code, here: &At, when: Timestamp, laden: bool, means: Option<Name>) {
        self.happenings.push(Happening {
            code,
            sure: Sure::Actual,
            at: when,
            published_at: None,
            stop: here.stop,
            of: here.of,
            laden,
            means: means.into_iter().collect(),
            or: None,
        });
    }

    fn or_transshipment(&mut self, hub: bool, or: Name) {
        if let (true, Some(last)) = (hub, self.happenings.last_mut()) {
            last.or = Some(or);
        }
    }

    fn sea_stop(&mut self, call: &PortCall, dice: &mut Dice) -> usize {
        self.sequence += 1;
        self.stops.push(Stop {
            sequence: Some(self.sequence),
            place: call.place,
            terminal: dice.pick(call.place.terminals).copied(),
            facility: "POTE",
            mode: Mode::Vessel,
            vessel: Some(call.vessel),
            service: Some(call.service),
            voyage: Some(call.voyage.clone()),
        });
        self.stops.len() - 1
    }

    fn other_stop(&mut self, place: &'static Place, mode: Mode, facility: &'static str) -> usize {
        self.sequence += 1;
        let stop = self.gate(place, facility, None);
        if let Some(last) = self.stops.last_mut() {
            last.sequence = Some(self.sequence);
            last.mode = mode;
        }
        stop
    }

    fn gate(
        &mut self,
        place: &'static Place,
        facility: &'static str,
        terminal: Option<&'static str>,
    ) -> usize {
        self.stops.push(Stop {
            sequence: None,
            place,
            terminal,
            facility,
            mode: Mode::Truck,
            vessel: None,
            service: None,
            voyage: None,
        });
        self.stops.len() - 1
    }

    fn all_free(&self) -> Timestamp {
        self.busy.iter().copied().max().unwrap_or(self.opens_at)
    }

    fn after(&mut self, of: usize, wait: SignedDuration) -> Timestamp {
        let when = self.busy.get(of).copied().unwrap_or(self.opens_at) + wait;
        self.free(of, when);
        when
    }

    fn free(&mut self, of: usize, when: Timestamp) {
        if let Some(busy) = self.busy.get_mut(of) {
            *busy = when;
        }
    }
}

fn at(stop: usize, of: usize) -> At {
    At { stop, of: Some(of) }
}

/// A lift while the ship is alongside.
fn within_stay(call: &PortCall, dice: &mut Dice) -> Timestamp {
    call.real.0 + dice.minutes(90, 15 * 60)
}

fn half_hours(when: Timestamp) -> Timestamp {
    let second = when.as_second();
    Timestamp::from_second(second - second.rem_euclid(1_800)).unwrap_or(when)
}
