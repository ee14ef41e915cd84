//! Where the box stands once it is ashore, whose yard that is, and until when.
//!
//! * **Leaving through the gate is not yet the collection.** A truck takes a box to a ramp off the dock, or across a
//!   town from one railroad to the other. Where goods are seen on a train behind the gate, they were not collected
//!   there. A number is used again, though, and railroads name no papers: without papers only what follows within
//!   days is taken for the same goods, and nothing that comes behind a delivery or the return of the empty. What
//!   leaves the last ramp of the way is collected; a train that leaves there later leaves without the box.

use jiff::{SignedDuration, Timestamp};

use crate::codes::UnLocode;
use crate::container::{Milestone, Slot};
use crate::event::EventName;
use crate::journey::Way;
use crate::journey::inland::is_on_carriage;
use crate::place::Gazetteer;
use crate::report::{Mode, Verb};
use crate::timeline::claims::Claim;
use crate::timeline::trip::is_named;

/// A train that is told of without papers this long after a gate-out carries the same goods.
const GOES_ON_WITHIN: SignedDuration = SignedDuration::from_hours(24 * 7);

/// What is known of the box's progress ashore when pick-up readings are weighed.
pub(crate) struct Ashore {
    /// It arrived at, or was discharged in, the port of discharge.
    pub landed_at: Option<Timestamp>,
    /// The landing as the way tells it, which what left the port by land proves, too.
    pub landed_since: Option<Timestamp>,
    /// It was discharged or is further.
    pub discharged: bool,
    /// It left for good: collected, delivered or back empty.
    pub collected_at: Option<Timestamp>,
    /// Gates that it left by and went on from by rail.
    passed: Vec<Slot>,
}

/// The places of the way, as readings name them.
struct Places<'g> {
    gazetteer: &'g Gazetteer,
    port: Option<UnLocode>,
    /// The area of the inland destination, where trains reach it.
    ramp: Option<UnLocode>,
}

impl Ashore {
    pub fn of(
        milestones: &[Milestone],
        moves: &[Claim<'_>],
        way: &Way<'_>,
        gazetteer: &Gazetteer,
    ) -> Self {
        use EventName as E;
        let first = |events: &[EventName]| of(milestones, events).map(|m| m.at).min();
        let places = Places::of(way, gazetteer);
        let passed = passed(milestones, moves, way, &places);
        let collected_at = of(milestones, &[E::FullOut, E::Delivered, E::EmptyIn])
            .filter(|m| !passed.contains(&m.slot))
            .map(Milestone::latest)
            .min();
        Self {
            landed_at: first(&[E::VesselArrived, E::VesselBerthed, E::VesselDischarged]),
            landed_since: way.landed_since,
            discharged: first(&[E::VesselDischarged, E::RailLoaded, E::FullOut]).is_some()
                && first(&[E::VesselArrived, E::VesselDischarged]).is_some(),
            collected_at,
            passed,
        }
    }

    /// Whether the goods went on by rail behind this gate.
    pub fn went_on_behind(&self, gate: &Slot) -> bool {
        self.passed.contains(gate)
    }
}

impl<'g> Places<'g> {
    fn of(way: &Way<'_>, gazetteer: &'g Gazetteer) -> Self {
        Self {
            gazetteer,
            port: way.sea.discharge().map(|stop| stop.place),
            ramp: way.destination_area.filter(|_| !way.ends_at_door),
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

fn of<'m>(
    milestones: &'m [Milestone],
    events: &'m [EventName],
) -> impl Iterator<Item = &'m Milestone> {
    milestones
        .iter()
        .filter(move |m| events.contains(&m.slot.event))
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
