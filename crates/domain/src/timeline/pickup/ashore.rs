//! Where the box stands once it is ashore, whose yard that is, and until when.
//!
//! A terminal knows its own yard and nothing else, and a railroad its ramps. So what they say of collecting the box
//! counts while it stands there: the port's words until it left the port, the ramp's from then on. Both go on
//! speaking of a box that they have no more: the port says no when it has gone by rail.
//!
//! * **A terminal in whose yard the box does not stand** often lists it all the same ([`yards`](super::yards)).
//! * **Leaving through the gate is not yet the collection.** A truck takes a box to a ramp off the dock, or across a
//!   town from one railroad to the other. Where goods are seen on a train behind the gate, they were not collected
//!   there. A number is used again, though, and railroads name no papers: without papers only what follows within
//!   days is taken for the same goods, and nothing that comes behind a delivery or the return of the empty. What
//!   leaves the last ramp of the way is collected; a train that leaves there later leaves without the box.
//! * **Inland** is a box that a train took away from the port. Loaded on one it still stands there, and the terminal
//!   knows whether it truly is. Where nobody tells of trains but that one came to the ramp, the ramp's yes proves when it came;
//!   its no does not, because a road that is asked says no of a box which it expects.
//! * **By barge** a box leaves the port as by train, and the terminal where the barge brought it has the word from then on. A
//!   barge that comes back to the port, or stays in it, went to another terminal there.
//! * **The port's own last free day** stays shown when the box has left by rail, until the railroad names the day of
//!   the ramp. Then it gives way: in the fixed order of owners it would hide the day that costs money.
//! * **A line's word** has a place on availability and fees, and none on holds: customs hold the goods, wherever they
//!   stand.
//! * **An earlier visit** of the box is still told of until it comes again. What was said before the box set out from
//!   its origin is of that visit, and so is an appointment of days before the ship is expected. A yes or a fee of days
//!   before that is not of a box ashore: it waits until the box has landed, and where nobody told that it set out, it is
//!   of the earlier visit. A hold may be early: customs look at papers. Nothing waits for the line to tell of a landing
//!   that is about due: the terminal knows it first.

use jiff::{SignedDuration, Timestamp};

use super::yards::Yards;
use crate::codes::UnLocode;
use crate::container::{Milestone, Slot};
use crate::event::EventName;
use crate::journey::Way;
use crate::journey::inland::{ARRIVAL_DRIFT_MAX, is_behind_the_sea, is_on_carriage};
use crate::journey::stop::Sight;
use crate::place::Gazetteer;
use crate::provenance::Verdict;
use crate::report::{Mode, MoveHint, Report, Value, Verb};
use crate::timeline::claims::{Claim, is_facility, is_railroad};
use crate::timeline::trip::is_named;

/// A train that is told of without papers this long after a gate-out carries the same goods.
const GOES_ON_WITHIN: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Where a box can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// The port of discharge.
    Port,
    /// The ramp inland, or where a barge brought it.
    Ramp,
}

impl Stand {
    /// In the order in which a box comes to them.
    pub const ALL: [Self; 2] = [Self::Port, Self::Ramp];
}

/// What is known of the box's progress ashore when pick-up readings are weighed.
pub(crate) struct Ashore<'g> {
    /// It arrived at, or was discharged in, the port of discharge, or a terminal there lets it go.
    pub landed_at: Option<Timestamp>,
    /// The landing as the way tells it, which what left the port by land proves, too.
    pub landed_since: Option<Timestamp>,
    /// It was discharged or is further, or a terminal in the port of discharge lets it go.
    pub discharged: bool,
    /// It left the port of discharge, by whatever means.
    pub left_port_at: Option<Timestamp>,
    /// It went on inland by rail or barge.
    pub inland_since: Option<Timestamp>,
    /// It left for good: collected, delivered or back empty.
    pub collected_at: Option<Timestamp>,
    /// Gates that it left by and went on from by rail.
    passed: Vec<Slot>,
    places: Places<'g>,
    yards: Yards<'g>,
    visit: Visit,
}

/// The places of the way, as readings name them.
struct Places<'g> {
    gazetteer: &'g Gazetteer,
    port: Option<UnLocode>,
    /// The area of the inland destination, where trains reach it.
    ramp: Option<UnLocode>,
    /// Where a barge brought it from the port.
    barged_to: Option<UnLocode>,
    /// Where the box is put to sea, which is no place to collect the goods.
    lading: Option<UnLocode>,
}

/// Since when facilities can speak of this visit of the box; nothing is known where nothing is known of the sea.
struct Visit {
    /// The last that is told of its origin.
    set_out_at: Option<Timestamp>,
    /// When it can be ashore at the earliest.
    ashore_from: Option<Timestamp>,
    has_landed: bool,
}

impl<'g> Ashore<'g> {
    pub fn of<'a>(
        milestones: &[Milestone],
        moves: &[Claim<'a>],
        readings: &[&'a Report],
        way: &Way<'a>,
        gazetteer: &'g Gazetteer,
    ) -> Self {
        use EventName as E;
        let first = |events: &[EventName]| of(milestones, events).map(|m| m.at).min();
        let places = Places::of(way, gazetteer);
        let passed = passed(milestones, moves, way, &places);
        let yards = Yards::of(moves, readings, way, gazetteer);
        let brought = brought_from(milestones, &yards);
        let collected_at = of(milestones, &[E::FullOut, E::Delivered, E::EmptyIn])
            .filter(|m| !passed.contains(&m.slot) && !brought.contains(&&m.slot))
            .map(Milestone::latest)
            .min();
        let landed_at = first(&[E::VesselArrived, E::VesselBerthed, E::VesselDischarged]);
        let mut ashore = Self {
            landed_at,
            landed_since: way.landed_since,
            discharged: first(&[E::VesselDischarged, E::RailLoaded, E::FullOut]).is_some()
                && first(&[E::VesselArrived, E::VesselDischarged]).is_some(),
            left_port_at: None,
            inland_since: None,
            collected_at,
            passed,
            places,
            yards,
            visit: Visit::of(milestones, landed_at, way),
        };
        let freed = ashore.ports_yes(readings);
        ashore.landed_at = landed_at.into_iter().chain(freed).min();
        ashore.discharged |= freed.is_some();
        let train = ashore.first_train(milestones, way);
        let by_rail = train.map(|train| (train.at, train.latest()));
        // The end of its way may be told with a time of after the ramp's yes; what is told of a train before may not.
        let yes = train
            .is_none_or(|train| ashore.reaches_the_ramp(train))
            .then(|| ashore.ramps_yes(readings, way))
            .flatten()
            .filter(|at| by_rail.is_none_or(|(since, _)| *at < since));
        let by_rail = yes.map(|at| (at, at)).or(by_rail);
        let barges = ashore.barges(milestones, way);
        let by_barge = barges.first().map(|first| (first.at, first.latest()));
        let ends = barges.iter().rev().find(|m| is_end_of_a_barge(m));
        ashore.places.barged_to = ends.and_then(|end| end.slot.place);
        let away = [by_rail, by_barge].into_iter().flatten().min();
        ashore.inland_since = away.map(|(since, _)| since);
        let gates = of(milestones, &[E::FullOut, E::Delivered, E::EmptyIn])
            .filter(|m| !brought.contains(&&m.slot))
            .map(Milestone::latest);
        ashore.left_port_at = gates.chain(away.map(|(_, left)| left)).min();
        ashore
    }

    /// Whether the goods went on by rail behind this gate.
    pub fn went_on_behind(&self, gate: &Slot) -> bool {
        self.passed.contains(gate)
    }

    /// Whether the box went through this gate on its way back into the yard of the port where it had stood: it was driven
    /// out to be examined.
    pub fn is_back_behind(&self, gate: &Milestone) -> bool {
        let brought = self.yards.brought();
        brought.is_some_and(|yard| yard.is_back_behind(gate))
    }

    /// Where the box stands now, or stood last.
    pub fn stand(&self) -> Stand {
        if self.inland_since.is_some() {
            Stand::Ramp
        } else {
            Stand::Port
        }
    }

    /// Of which stand this was said; `None` when of neither. Who names no place speaks of where the box is, but a
    /// terminal always of its port.
    pub fn stand_of(&self, report: &Report) -> Option<Stand> {
        let places = &self.places;
        let is_terminal = is_facility(report.source_kind) && !is_railroad(report.source_kind);
        let place = report
            .place
            .locode
            .map(|code| places.gazetteer.canonical(code));
        if place.is_some() && place == places.lading {
            return None;
        }
        Some(
            if places.is_destination(place) || self.is_at_the_barges_end(report) {
                Stand::Ramp
            } else if self.yards.is_strange(report, said_at(report))
                || self.is_ready_on_the_way(report)
            {
                return None;
            } else if is_terminal || (place.is_some() && place == places.port) {
                Stand::Port
            } else {
                self.stand()
            },
        )
    }

    /// Whether this is said of the inland destination.
    pub fn is_of_the_ramp(&self, report: &Report) -> bool {
        let gazetteer = self.places.gazetteer;
        let place = report.place.locode.map(|code| gazetteer.canonical(code));
        place.is_some() && self.places.is_destination(place)
    }

    /// Whether this is said of the place where a barge brought the box.
    pub fn is_at_the_barges_end(&self, report: &Report) -> bool {
        let gazetteer = self.places.gazetteer;
        let place = report.place.locode.map(|code| gazetteer.canonical(code));
        place.is_some() && place == self.places.barged_to
    }

    /// When the box can be ashore at the earliest, where anything is known of the sea.
    pub fn ashore_from(&self) -> Option<Timestamp> {
        self.visit.ashore_from
    }

    /// Whether this is said of where the way ends, as far as anybody tells where that is.
    pub fn is_of_the_end(&self, report: &Report) -> bool {
        let unknown = report.place.locode.is_none() || self.places.ramp.is_none();
        unknown || self.is_of_the_ramp(report)
    }

    /// Whether a railroad says of a ramp on the way whether the box is ready: nobody collects it there.
    fn is_ready_on_the_way(&self, report: &Report) -> bool {
        let place = report.place.locode;
        let place = place.map(|code| self.places.gazetteer.canonical(code));
        is_railroad(report.source_kind)
            && super::availability::word(report).is_some()
            && place != self.places.port
            && (!self.is_of_the_end(report) || self.is_billed_further(report))
    }

    /// Whether the waybill names an end further on, and no train was told to have reached it here.
    fn is_billed_further(&self, report: &Report) -> bool {
        report.move_hint == Some(MoveHint::Onward) && !self.is_of_the_ramp(report)
    }

    /// Whether it tells that a train came to the inland destination.
    pub fn reaches_the_ramp(&self, train: &Milestone) -> bool {
        let comes = matches!(
            train.slot.event,
            EventName::RailArrived | EventName::RailUnloaded
        );
        comes && self.places.is_destination(train.slot.place)
    }

    /// Whether this is said by, or of, the place where the box stands.
    pub fn is_said_here(&self, report: &Report) -> bool {
        self.stand_of(report) == Some(self.stand()) && !self.is_of_a_strange_yard(report)
    }

    /// Whether a terminal says this in whose yard the box does not stand.
    pub fn is_of_a_strange_yard(&self, report: &Report) -> bool {
        self.yards.is_strange(report, said_at(report))
    }

    /// Why what a facility says is not of this visit of the box, or not yet; `None` where it is.
    pub fn not_of_this_visit(&self, report: &Report) -> Option<Verdict> {
        let Visit {
            set_out_at,
            ashore_from,
            has_landed,
        } = self.visit;
        let is_before = |from: Option<Timestamp>, at| from.is_some_and(|from| at < from);
        let said = said_at(report);
        match (report.verb, &report.value) {
            // A trucker's may be at the shipper.
            (_, Some(Value::Appointment(at))) if is_before(ashore_from, *at) => {
                Some(Verdict::EarlierVisit)
            }
            _ if !is_facility(report.source_kind) => None,
            _ if is_before(set_out_at, said) => Some(Verdict::EarlierVisit),
            (Verb::Available | Verb::Fee, _) if is_before(ashore_from, said) => {
                if set_out_at.is_none() {
                    Some(Verdict::EarlierVisit)
                } else {
                    (!has_landed).then_some(Verdict::Waits)
                }
            }
            _ => None,
        }
    }

    /// The first that is told of the train which took the box inland. What goes by rail behind the collection are
    /// other goods.
    fn first_train<'m>(&self, milestones: &'m [Milestone], way: &Way<'_>) -> Option<&'m Milestone> {
        milestones
            .iter()
            .filter(|m| m.is_of_a_train_away_from(self.places.port, self.places.gazetteer))
            .filter(|m| self.can_be_inland(way, m.latest()))
            .filter(|m| self.collected_at.is_none_or(|out| m.at <= out))
            .min_by_key(|m| m.at)
    }

    /// What is told of the barge that took the box away from the port, in order; nothing where it was landed in the port again.
    fn barges<'m>(&self, milestones: &'m [Milestone], way: &Way<'_>) -> Vec<&'m Milestone> {
        let Some(landed) = way.landed_since else {
            return Vec::new();
        };
        let port = self.places.port;
        let back = milestones
            .iter()
            .filter(|m| is_end_of_a_barge(m) && m.slot.place == port)
            .map(|m| m.at)
            .max();
        milestones
            .iter()
            .filter(|m| m.is_of_a_barge_away_from(port) && m.latest() >= landed)
            .filter(|m| back.is_none_or(|back| m.at > back))
            .filter(|m| self.collected_at.is_none_or(|out| m.at <= out))
            .collect()
    }

    /// The first yes of a terminal in the port of discharge since its ship was due: whoever lets the box go has it.
    fn ports_yes(&self, readings: &[&Report]) -> Option<Timestamp> {
        let from = self.visit.ashore_from?;
        let is_terminals = |report: &Report| {
            let locode = report.place.locode;
            let place = locode.map(|code| self.places.gazetteer.canonical(code));
            is_facility(report.source_kind)
                && !is_railroad(report.source_kind)
                && place.is_some()
                && place == self.places.port
        };
        readings
            .iter()
            .filter(|report| super::availability::word(report) == Some(true))
            .filter(|report| is_terminals(report) && !super::is_from_the_future(report))
            .filter(|report| self.not_of_this_visit(report).is_none())
            .filter(|report| !self.is_of_a_strange_yard(report))
            .map(|report| said_at(report))
            .filter(|at| *at >= from)
            .min()
    }

    /// The first yes at the inland destination. No train is there before the ship is due: until the landing is told, the road may
    /// still speak of another trip.
    fn ramps_yes(&self, readings: &[&Report], way: &Way<'_>) -> Option<Timestamp> {
        let places = &self.places;
        let place = |report: &Report| {
            let locode = report.place.locode;
            locode.map(|code| places.gazetteer.canonical(code))
        };
        readings
            .iter()
            .filter(|report| super::availability::word(report) == Some(true))
            .filter(|report| places.is_destination(place(report)))
            .filter(|report| !super::is_from_the_future(report))
            .map(|report| said_at(report))
            .filter(|at| {
                self.visit.has_landed || way.expected_ashore().is_none_or(|due| *at >= due)
            })
            .filter(|at| self.can_be_inland(way, *at))
            .filter(|at| self.collected_at.is_none_or(|out| *at <= out))
            .min()
    }

    /// Whether what happened then can have happened inland, behind the sea.
    fn can_be_inland(&self, way: &Way<'_>, at: Timestamp) -> bool {
        let early = self.visit.ashore_from.is_some_and(|from| at < from);
        !early && is_behind_the_sea(way, at, true)
    }
}

impl<'g> Places<'g> {
    fn of(way: &Way<'_>, gazetteer: &'g Gazetteer) -> Self {
        let port = way.sea.discharge().map(|stop| stop.place);
        // Where nobody tells to which port they go, goods that were loaded leave this one all the same.
        let lading = way.sea.lading().filter(|stop| match port {
            Some(port) => port != stop.place,
            None => stop.load.as_ref().is_some_and(Sight::is_actual),
        });
        Self {
            gazetteer,
            port,
            ramp: way.destination_area.filter(|_| !way.ends_at_door),
            barged_to: None,
            lading: lading.map(|stop| stop.place),
        }
    }

    /// The inland destination, which a seaport is not that lies around the port of discharge.
    fn is_ramp(&self, place: UnLocode, area: UnLocode) -> bool {
        self.ramp == Some(area) && self.port != Some(place)
    }

    fn is_destination(&self, place: Option<UnLocode>) -> bool {
        place.is_some_and(|place| self.is_ramp(place, self.gazetteer.area(place)))
    }
}

impl Visit {
    fn of(milestones: &[Milestone], landed_at: Option<Timestamp>, way: &Way<'_>) -> Self {
        use EventName as E;
        let landed = landed_at.or(way.landed_since);
        let comes_at = landed.or_else(|| way.expected_ashore());
        let origin = of(
            milestones,
            &[E::EmptyOut, E::VesselLoaded, E::VesselDeparted],
        );
        // What goes out behind the collection begins another way.
        let until = comes_at.or_else(|| {
            let ends = of(milestones, &[E::FullOut, E::Delivered]).map(|m| m.at);
            ends.min()
        });
        Self {
            set_out_at: origin
                .map(|m| m.at)
                .filter(|at| until.is_none_or(|until| *at < until))
                .max(),
            ashore_from: comes_at.and_then(|at| at.checked_sub(ARRIVAL_DRIFT_MAX).ok()),
            has_landed: landed.is_some(),
        }
    }
}

fn of<'m>(
    milestones: &'m [Milestone],
    events: &'m [EventName],
) -> impl Iterator<Item = &'m Milestone> {
    milestones
        .iter()
        .filter(move |m| events.contains(&m.slot.event))
}

fn is_end_of_a_barge(milestone: &Milestone) -> bool {
    let ends = [EventName::FeederArrived, EventName::FeederDischarged];
    ends.contains(&milestone.slot.event)
}

/// The last moment at which it can have been said. Days and appointments lie ahead of the word.
pub(super) fn said_at(report: &Report) -> Timestamp {
    let ahead = matches!(report.verb, Verb::LastFreeDay | Verb::Appointment);
    let occurred = report.occurred.as_ref().filter(|_| !ahead);
    occurred.map_or(report.issued_at(), |o| o.precision.latest(o.at))
}

/// The gates behind which a train took the goods on.
fn passed(
    milestones: &[Milestone],
    moves: &[Claim<'_>],
    way: &Way<'_>,
    places: &Places<'_>,
) -> Vec<Slot> {
    use EventName as E;
    if way.landed_since.is_none() {
        return Vec::new();
    }
    let ended = of(milestones, &[E::Delivered, E::EmptyIn])
        .map(|m| m.at)
        .min();
    let goes_on = |gate: &&Milestone| {
        !places.is_destination(gate.slot.place)
            && moves.iter().any(|claim| {
                ended.is_none_or(|ended| claim.at < ended)
                    && is_train_inland(claim, way, places)
                    && follows(claim, gate)
            })
    };
    of(milestones, &[E::FullOut])
        .filter(goes_on)
        .map(|gate| gate.slot.clone())
        .collect()
}

/// The gates behind which the box was brought into another yard of the port: it was not collected there.
fn brought_from<'m>(milestones: &'m [Milestone], yards: &Yards<'_>) -> Vec<&'m Slot> {
    use EventName as E;
    let Some(brought) = yards.brought() else {
        return Vec::new();
    };
    let ended = of(milestones, &[E::Delivered, E::EmptyIn]).map(|m| m.at);
    if ended.min().is_some_and(|ended| brought.is_behind(ended)) {
        return Vec::new();
    }
    of(milestones, &[E::FullOut])
        .filter(|gate| brought.came_through(gate))
        .map(|gate| &gate.slot)
        .collect()
}

/// A train with goods that leaves the port, or leaves or reaches any place behind it.
fn is_train_inland(claim: &Claim<'_>, way: &Way<'_>, places: &Places<'_>) -> bool {
    let away = matches!(claim.verb, Verb::Load | Verb::Depart | Verb::GateOut);
    let inward = matches!(claim.verb, Verb::Arrive | Verb::Discharge | Verb::GateIn);
    claim.is_actual()
        && claim.is_by(Mode::Rail)
        && claim.laden != Some(false)
        && claim.place.is_some()
        && (away || (inward && claim.place != places.port))
        && is_on_carriage(way, claim)
}

fn follows(claim: &Claim<'_>, gate: &Milestone) -> bool {
    let later = if gate.slot.place.is_some() {
        claim.latest() > gate.at
    } else {
        claim.at > gate.latest()
    };
    let soon = claim.at.duration_since(gate.at) <= GOES_ON_WITHIN;
    later && (soon || is_named(&claim.report.references))
}
