//! Stops: everything said about the box and its vessel at one port, in the order of the way.
//!
//! A stop is a place, not a visit of a ship: reports of one stop name its vessel in many spellings or not at
//! all, so the vessel cannot tell stops apart, and a box does not come back to a port on one journey.
//!
//! The order of stops comes first from what is done there, and only then from sequence numbers and times.
//! Where a box is only loaded, its way begins; where it is only discharged, it ends; both is between. Wrong
//! times are common and wrong acts are rare, so that one bad clock cannot turn a journey round.

use jiff::{SignedDuration, Timestamp};

use crate::codes::UnLocode;
use crate::event::EventName;
use crate::report::{Classifier, Mode, MoveHint, Verb};
use crate::timeline::claims::{Claim, Ship, by_issue};
use crate::timeline::milestones::is_one_happening;
use crate::timeline::precedence::order;

/// A load this much before the discharge at the same port is a shut-out, not a transshipment.
const SHUT_OUT_GAP: SignedDuration = SignedDuration::from_hours(12);

/// The best that is said about one act at one stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight<'a> {
    pub claim: Claim<'a>,
    /// The newest issue of any claim about this act here.
    pub issued: Timestamp,
    /// Whether a source calls the move part of a transshipment.
    pub transshipment: bool,
    /// Whether a source calls it part of the import or export.
    pub terminal: bool,
    /// The ship of the best claim that tells one.
    ship: Option<Ship<'a>>,
}

impl<'a> Sight<'a> {
    fn of(claim: Claim<'a>) -> Self {
        Self {
            claim,
            issued: claim.report.issued_at(),
            transshipment: claim.hint == Some(MoveHint::Transshipment),
            terminal: matches!(claim.hint, Some(MoveHint::Import | MoveHint::Export)),
            ship: claim.ship,
        }
    }

    fn merge(&mut self, claim: Claim<'a>) {
        let other = Self::of(claim);
        self.issued = self.issued.max(other.issued);
        self.transshipment |= other.transshipment;
        self.terminal |= other.terminal;
        if better(&claim, &self.claim) {
            self.claim = claim;
            self.ship = claim.ship.or(self.ship);
        } else {
            self.ship = self.ship.or(claim.ship);
        }
    }

    pub fn is_actual(&self) -> bool {
        self.claim.is_actual()
    }

    pub fn ship(&self) -> Option<Ship<'a>> {
        self.ship
    }
}

/// Actual over estimated over planned, then the newer issue.
fn better(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    a.classifier
        .cmp(&b.classifier)
        .then_with(|| by_issue(a.report, b.report))
        .is_gt()
}

/// One port of the way at sea.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent findings about one stop, each set once"
)]
pub(crate) struct Stop<'a> {
    pub place: UnLocode,
    pub load: Option<Sight<'a>>,
    pub discharge: Option<Sight<'a>>,
    pub arrive: Option<Sight<'a>>,
    pub depart: Option<Sight<'a>>,
    /// Ships named for coming here.
    pub brought_by: Vec<Ship<'a>>,
    /// Ships named for loading or leaving here.
    pub leaving: Vec<Ship<'a>>,
    /// The ship that leaves with the box is not the one that came with it.
    pub sails_on: bool,
    /// Its lift contradicts a better one at another port.
    pub misplaced: bool,
    /// Whether anything is planned or expected here, or a ship called.
    expected: bool,
    /// A feeder or barge brought it here.
    pub fed: bool,
}

impl<'a> Stop<'a> {
    fn new(place: UnLocode) -> Self {
        Self {
            place,
            load: None,
            discharge: None,
            arrive: None,
            depart: None,
            brought_by: Vec::new(),
            leaving: Vec::new(),
            sails_on: false,
            misplaced: false,
            expected: false,
            fed: false,
        }
    }

    fn see(&mut self, claim: &Claim<'a>) {
        let act = match claim.verb {
            Verb::Load => &mut self.load,
            Verb::Discharge => &mut self.discharge,
            Verb::Arrive | Verb::Berth | Verb::Eta => &mut self.arrive,
            Verb::Depart => &mut self.depart,
            _ => return,
        };
        match act {
            Some(sight) => sight.merge(*claim),
            None => *act = Some(Sight::of(*claim)),
        }
        let lifts = matches!(claim.verb, Verb::Load | Verb::Discharge);
        self.expected |= !claim.is_actual() || !lifts;
        let ships = if matches!(claim.verb, Verb::Load | Verb::Depart) {
            &mut self.leaving
        } else {
            &mut self.brought_by
        };
        ships.extend(claim.ship.filter(|ship| !ships.contains(ship)));
    }

    fn acts(&self) -> impl Iterator<Item = &Sight<'a>> {
        [&self.load, &self.discharge, &self.arrive, &self.depart]
            .into_iter()
            .flatten()
    }

    /// The ship that brings the box.
    pub fn inbound(&self) -> Option<Ship<'a>> {
        let arrival = || self.arrive.as_ref().and_then(Sight::ship);
        self.discharge
            .as_ref()
            .and_then(Sight::ship)
            .or_else(arrival)
    }

    /// The ship that takes the box away.
    pub fn outbound(&self) -> Option<Ship<'a>> {
        let other = || self.other_ships().next().filter(|_| self.sails_on);
        let departure = || self.depart.as_ref().and_then(Sight::ship);
        let loaded = self.load.as_ref().and_then(Sight::ship);
        loaded.or_else(other).or_else(departure)
    }

    /// Ships that leave and did not bring the box.
    fn other_ships(&self) -> impl Iterator<Item = Ship<'a>> {
        self.leaving.iter().copied().filter(|out| {
            !self.brought_by.is_empty() && self.brought_by.iter().all(|b| b.differs(*out))
        })
    }

    /// Discharged and loaded here, by its lifts or by its ships, and not loaded first (that is a shut-out, a
    /// box that stayed).
    pub fn changes_ship(&self) -> bool {
        if self.sails_on {
            return true;
        }
        match (&self.load, &self.discharge) {
            (Some(load), Some(discharge)) => {
                let shut_out = load.claim.at.checked_add(SHUT_OUT_GAP);
                load.transshipment || shut_out.is_ok_and(|at| at >= discharge.claim.at)
            }
            _ => false,
        }
    }

    pub fn only_loads(&self) -> bool {
        self.load.is_some() && !self.changes_ship()
    }

    /// Whether any source names a transshipment here.
    pub fn is_marked_transshipment(&self) -> bool {
        self.acts().any(|sight| sight.transshipment)
    }

    /// Begins the way, lies on it, or ends it, by what is done here.
    fn stage(&self) -> u8 {
        if self.changes_ship() {
            return 1;
        }
        let calls = (self.arrive.is_some(), self.depart.is_some());
        match (&self.load, &self.discharge, calls) {
            (Some(_), ..) | (None, None, (false, true)) => 0,
            (None, Some(_), _) | (None, None, (true, false)) => 2,
            (None, None, _) => 1,
        }
    }

    fn sequence(&self) -> Option<u32> {
        self.acts()
            .filter_map(|sight| sight.claim.report.leg.sequence)
            .min()
    }

    fn at(&self) -> Timestamp {
        let firmest = self.acts().map(|s| s.claim.classifier).max();
        let firmest = firmest.unwrap_or(Classifier::Planned);
        self.acts()
            .filter(|sight| sight.claim.classifier == firmest)
            .map(|sight| sight.claim.at)
            .min()
            .unwrap_or(Timestamp::MAX)
    }
}

/// The stops of the sea way in order. Moves of empties are repositioning and shifting is no move: neither
/// counts.
pub(crate) fn stops<'a>(moves: &[Claim<'a>]) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::with_capacity(8);
    for claim in moves.iter().filter(|claim| is_sea_call(claim)) {
        let Some(place) = claim.place else { continue };
        if let Some(stop) = stops.iter_mut().find(|stop| stop.place == place) {
            stop.see(claim);
        } else {
            let mut stop = Stop::new(place);
            stop.see(claim);
            stops.push(stop);
        }
    }
    mark_changes_of_ship(&mut stops);
    mark_misplaced(&mut stops);
    for stop in &mut stops {
        stop.fed = is_fed(stop, moves);
    }
    let sequenced = stops.iter().all(|stop| stop.sequence().is_some()) && sequence_fits(&stops);
    stops.sort_by_key(|stop| {
        let sequence = if sequenced { stop.sequence() } else { None };
        (stop.stage(), sequence, stop.at(), stop.place)
    });
    stops
}

/// A ship that came from another stop of the way, and another ship that leaves: the box changes ships even
/// before anybody reports a lift. (Where the ship came from nowhere it is a roll at the port of lading.)
fn mark_changes_of_ship(stops: &mut [Stop<'_>]) {
    let changes: Vec<bool> = stops
        .iter()
        .map(|stop| {
            let came_along = |ship: &Ship<'_>| {
                stops
                    .iter()
                    .filter(|other| other.place != stop.place)
                    .any(|other| other.leaving.iter().any(|left| left.is(*ship)))
            };
            stop.brought_by.iter().any(came_along) && stop.other_ships().next().is_some()
        })
        .collect();
    for (stop, sails_on) in stops.iter_mut().zip(changes) {
        stop.sails_on = sails_on;
    }
}

/// One lift at two ports at about one time: one of them is a mistake. The port where something was expected
/// is believed, then the better source.
fn mark_misplaced(stops: &mut [Stop<'_>]) {
    mark_worse(stops, EventName::VesselDischarged, |stop| {
        stop.discharge.as_ref()
    });
    mark_worse(stops, EventName::VesselLoaded, |stop| stop.load.as_ref());
}

fn mark_worse<'a>(
    stops: &mut [Stop<'a>],
    event: EventName,
    lift: for<'s> fn(&'s Stop<'a>) -> Option<&'s Sight<'a>>,
) {
    let is_worse = |stop: &Stop<'a>, other: &Stop<'a>| {
        is_worse(event, (stop, lift(stop)), (other, lift(other)))
    };
    let worse: Vec<bool> = stops
        .iter()
        .map(|stop| stops.iter().any(|other| is_worse(stop, other)))
        .collect();
    for (stop, worse) in stops.iter_mut().zip(worse) {
        stop.misplaced |= worse;
    }
}

type Lift<'s, 'a> = (&'s Stop<'a>, Option<&'s Sight<'a>>);

fn is_worse(event: EventName, (stop, lift): Lift<'_, '_>, (other, lifted): Lift<'_, '_>) -> bool {
    let Some((a, b)) = lift.zip(lifted) else {
        return false;
    };
    let one_move = stop.place != other.place
        && a.is_actual()
        && b.is_actual()
        && !stop.changes_ship()
        && !other.changes_ship()
        && !a.ship.zip(b.ship).is_some_and(|(a, b)| a.differs(b))
        && is_one_happening(&a.claim, &b.claim);
    one_move
        && (other.expected.cmp(&stop.expected))
            .then_with(|| order(event, &a.claim, &b.claim))
            .then_with(|| stop.place.cmp(&other.place))
            .is_gt()
}

fn is_sea_call(claim: &Claim<'_>) -> bool {
    let call = matches!(
        claim.verb,
        Verb::Load | Verb::Discharge | Verb::Arrive | Verb::Depart | Verb::Berth | Verb::Eta
    );
    call && claim.is_by(Mode::Vessel)
        && claim.laden != Some(false)
        && claim.hint != Some(MoveHint::Shifting)
}

/// Sequence numbers order the way only where no actual time contradicts them.
fn sequence_fits(stops: &[Stop<'_>]) -> bool {
    let actual = |stop: &Stop<'_>| {
        let times = stop.acts().filter(|s| s.is_actual()).map(|s| s.claim.at);
        times.min()
    };
    stops.iter().all(|a| {
        stops.iter().all(|b| match (actual(a), actual(b)) {
            (Some(first), Some(second)) if first < second => a.sequence() <= b.sequence(),
            _ => true,
        })
    })
}

fn is_fed(stop: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|claim| {
        claim.is_by(Mode::Barge)
            && claim.place == Some(stop.place)
            && matches!(claim.verb, Verb::Discharge | Verb::Arrive)
            && claim.laden != Some(false)
            && stop.load.is_some_and(|load| claim.at <= load.claim.at)
    })
}
