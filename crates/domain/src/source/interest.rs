//! Whether a terminal or a railroad can know something about a box now, and how soon it is asked again.
//!
//! Neither is asked about every box: a terminal only about boxes that come to it or stand in it, a railroad only
//! about those that go on by rail. What decides is the way of the box as far as it is known: who has it no more is not
//! asked. A truck that takes a box from the port may only take it to a ramp, so while its way leads on to a place
//! that railroads serve, they are asked for some time.

use jiff::{SignedDuration, Timestamp};

use crate::codes::{Scac, UnLocode};
use crate::container::{ContainerState, CurrentStatus};
use crate::event::EventName;
use crate::place::Gazetteer;

/// Around an arrival, this far on either side, whoever knows is asked more often.
const NEAR: SignedDuration = SignedDuration::from_hours(48);
/// A box that left the port by truck is on a train after this long, or on none.
const DRAY_MAX: SignedDuration = SignedDuration::from_hours(24 * 14);

/// Who keeps a box, or carries it inland.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// A terminal.
    Terminal {
        /// Its port; `None` where one interface answers for terminals in many ports.
        port: Option<UnLocode>,
        /// Our code of it; `None` where one interface answers for every terminal of the port.
        terminal: Option<String>,
    },
    /// A railroad, by every code it goes under; none where one interface answers for all roads.
    Railroad(Vec<Scac>),
}

/// How much there is to be learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// The box is near, or there.
    Near,
    /// It is on its way.
    UnderWay,
}

/// Whether this box is to be asked about; `None`: not, or not any more.
pub fn interest(
    state: &ContainerState,
    keeper: &Keeper,
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> Option<Interest> {
    use CurrentStatus as S;
    match state.status {
        S::PickedUp => {
            return may_be_on_its_way_to_a_ramp(state, keeper, gazetteer, now)
                .then_some(Interest::UnderWay);
        }
        S::Delivered | S::EmptyReturned => return None,
        S::New
        | S::OnShip
        | S::Grounded
        | S::Available
        | S::NotAvailable
        | S::AwaitingInlandTransfer
        | S::OnRail
        | S::OffDock => {}
    }
    match keeper {
        Keeper::Terminal { port, terminal } => {
            comes_to(state, *port, terminal.as_deref(), gazetteer)
                .then(|| at_terminal(state, gazetteer, now))?
        }
        Keeper::Railroad(roads) => goes_by(state, roads).then(|| by_rail(state, now))?,
    }
}

/// When this box is first to be asked about by the passing of time alone; `None` where it is asked about already, or
/// only something that is said can change that.
pub fn interest_begins(
    state: &ContainerState,
    keeper: &Keeper,
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> Option<Timestamp> {
    let near_from = arrival(state)?.checked_sub(NEAR).ok()?;
    let there_is = |at| interest(state, keeper, gazetteer, at).is_some();
    (near_from > now && !there_is(now) && there_is(near_from)).then_some(near_from)
}

/// The port of discharge decides, and the terminal in it where the line named one.
fn comes_to(
    state: &ContainerState,
    port: Option<UnLocode>,
    terminal: Option<&str>,
    gazetteer: &Gazetteer,
) -> bool {
    let Some(discharge) = state.journey.port_of_discharge else {
        return false;
    };
    let here = port.is_none_or(|port| gazetteer.canonical(port) == gazetteer.canonical(discharge));
    let named = state.pickup.pod_terminal.as_deref();
    here && match (named, terminal) {
        (Some(named), Some(own)) => named == own,
        (Some(_) | None, _) => true,
    }
}

/// A box that went on by rail is the railroad's; one that is only loaded stands in the port until its train leaves, and a railroad
/// may take that back. What trains do while it is on a ship they do with other goods.
fn at_terminal(state: &ContainerState, gazetteer: &Gazetteer, now: Timestamp) -> Option<Interest> {
    let at_sea = state.status == CurrentStatus::OnShip;
    let is_on_its_way = state.status == CurrentStatus::OnRail && !is_only_loaded(state);
    if is_on_its_way || (!at_sea && state.went_inland_by_rail(gazetteer)) {
        return None;
    }
    Some(if is_ashore(state) || arrives_near(state, now) {
        Interest::Near
    } else {
        Interest::UnderWay
    })
}

/// A railroad that took the box, or may: where no road is known yet, each is asked.
fn goes_by(state: &ContainerState, roads: &[Scac]) -> bool {
    if state.journey.destination.is_none() && !is_on_rail(state) {
        return false;
    }
    let known = [state.rail.pod_carrier, state.rail.inland_carrier];
    let mut known = known.into_iter().flatten().peekable();
    roads.is_empty() || known.peek().is_none() || known.any(|road| roads.contains(&road))
}

fn by_rail(state: &ContainerState, now: Timestamp) -> Option<Interest> {
    if is_on_rail(state) || is_ashore(state) {
        Some(Interest::Near)
    } else if arrives_near(state, now) {
        Some(Interest::UnderWay)
    } else {
        // Nobody ashore knows a box that is at sea.
        None
    }
}

/// Through the gate of the port, and bound for the ramps of a city further on.
fn may_be_on_its_way_to_a_ramp(
    state: &ContainerState,
    keeper: &Keeper,
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> bool {
    let Keeper::Railroad(roads) = keeper else {
        return false;
    };
    let (Some(destination), Some(out)) = (
        state.journey.destination,
        state.milestone(EventName::FullOut),
    ) else {
        return false;
    };
    let there = gazetteer.area(destination);
    let has_ramps = gazetteer.metro_area(destination).is_some();
    let leads_on = out.slot.place.map(|place| gazetteer.area(place)) != Some(there);
    has_ramps && leads_on && now.duration_since(out.at) <= DRAY_MAX && goes_by(state, roads)
}

fn is_on_rail(state: &ContainerState) -> bool {
    state.status == CurrentStatus::OnRail
        || state.milestone(EventName::RailLoaded).is_some()
        || state.milestone(EventName::RailDeparted).is_some()
}

/// Of its train nobody knows more than that the box is on it.
fn is_only_loaded(state: &ContainerState) -> bool {
    let is_known = |event| state.milestone(event).is_some();
    is_known(EventName::RailLoaded) && !is_known(EventName::RailDeparted)
}

fn is_ashore(state: &ContainerState) -> bool {
    state.milestone(EventName::VesselDischarged).is_some()
}

fn arrives_near(state: &ContainerState, now: Timestamp) -> bool {
    arrival(state).is_some_and(|at| now.duration_since(at).abs() <= NEAR)
}

fn arrival(state: &ContainerState) -> Option<Timestamp> {
    let arrived = state.milestone(EventName::VesselArrived).map(|m| m.at);
    let expected = || {
        state
            .estimate(EventName::EstimatedVesselArrived)
            .map(|e| e.at)
    };
    arrived.or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::ContainerNumber;
    use crate::container::{Estimate, Milestone, Slot};
    use crate::place::Port;
    use crate::report::{Precision, SourceKind};

    fn now() -> Timestamp {
        "2026-03-10T12:00:00Z".parse().unwrap()
    }

    fn bound_for(port: &str, terminal: Option<&str>) -> ContainerState {
        let mut state = ContainerState::unknown(ContainerNumber::parse("CSQU3054383").unwrap());
        state.status = CurrentStatus::OnShip;
        state.journey.port_of_discharge = UnLocode::parse(port).ok();
        state.pickup.pod_terminal = terminal.map(str::to_owned);
        state
    }

    fn ask(state: &ContainerState, keeper: &Keeper) -> Option<Interest> {
        interest(state, keeper, &Gazetteer::default(), now())
    }

    fn terminal(port: &str, code: Option<&str>) -> Keeper {
        Keeper::Terminal {
            port: UnLocode::parse(port).ok(),
            terminal: code.map(str::to_owned),
        }
    }

    #[test]
    fn a_terminal_is_asked_about_boxes_that_come_to_it() {
        let own = terminal("USLAX", Some("USLAX-W185"));
        for (state, expected) in [
            (
                bound_for("USLAX", Some("USLAX-W185")),
                Some(Interest::UnderWay),
            ),
            (bound_for("USLAX", None), Some(Interest::UnderWay)),
            (bound_for("USLAX", Some("USLAX-Y258")), None),
            (bound_for("USOAK", None), None),
        ] {
            assert_eq!(
                ask(&state, &own),
                expected,
                "{:?}",
                state.pickup.pod_terminal
            );
        }
        let many = Keeper::Terminal {
            port: None,
            terminal: None,
        };
        assert_eq!(
            ask(&bound_for("USOAK", None), &many),
            Some(Interest::UnderWay)
        );
        let mut unknown = bound_for("USLAX", None);
        unknown.journey.port_of_discharge = None;
        assert_eq!(ask(&unknown, &many), None);
    }

    #[test]
    fn nobody_is_asked_about_a_box_that_left() {
        for status in [
            CurrentStatus::PickedUp,
            CurrentStatus::Delivered,
            CurrentStatus::EmptyReturned,
            CurrentStatus::OnRail,
        ] {
            let mut state = bound_for("USLAX", None);
            state.status = status;
            assert_eq!(ask(&state, &terminal("USLAX", None)), None, "{status:?}");
        }
    }

    #[test]
    fn the_terminal_is_asked_about_a_box_on_a_train_that_has_not_left() {
        let mut state = bound_for("USLAX", None);
        state.status = CurrentStatus::OnRail;
        let terminal = terminal("USLAX", None);
        told(
            &mut state,
            EventName::VesselDischarged,
            "USLAX",
            "2026-03-20T08:00:00Z",
        );
        told(
            &mut state,
            EventName::RailLoaded,
            "USLAX",
            "2026-03-22T08:00:00Z",
        );
        assert_eq!(ask(&state, &terminal), Some(Interest::Near));
        let mut left = state.clone();
        told(
            &mut left,
            EventName::RailDeparted,
            "USLAX",
            "2026-03-23T08:00:00Z",
        );
        assert_eq!(ask(&left, &terminal), None);
        let mut seen = state.clone();
        told(
            &mut seen,
            EventName::RailArrived,
            "USCHI",
            "2026-03-25T08:00:00Z",
        );
        assert_eq!(ask(&seen, &terminal), None, "seen further on");
        let mut next_door = state.clone();
        for milestone in &mut next_door.milestones {
            if milestone.slot.event == EventName::RailLoaded {
                milestone.slot.place = UnLocode::parse("USLGB").ok();
            }
        }
        let gazetteer = harbour();
        let asked = |state| interest(state, &terminal, &gazetteer, now());
        assert_eq!(asked(&next_door), Some(Interest::Near));
        assert_eq!(ask(&next_door, &terminal), None, "nobody knows where it is");
    }

    #[test]
    fn a_railroad_is_asked_about_its_own_boxes_and_those_whose_road_is_not_known() {
        let road = |code: &str| Scac::parse(code).unwrap();
        let roads = Keeper::Railroad(vec![road("UPRR")]);
        let mut state = bound_for("USLAX", None);
        state.status = CurrentStatus::OnRail;
        assert_eq!(ask(&state, &roads), Some(Interest::Near));
        state.rail.pod_carrier = Some(road("BNSF"));
        assert_eq!(ask(&state, &roads), None);
        state.rail.inland_carrier = Some(road("UPRR"));
        assert_eq!(ask(&state, &roads), Some(Interest::Near));
        let mut at_sea = bound_for("USLAX", None);
        at_sea.journey.destination = UnLocode::parse("USCHI").ok();
        assert_eq!(ask(&at_sea, &roads), None, "still at sea");
    }

    #[test]
    fn a_box_at_sea_becomes_the_railroads_two_days_before_its_vessel_arrives() {
        let arrives: Timestamp = "2026-03-20T08:00:00Z".parse().unwrap();
        let from = arrives - SignedDuration::from_hours(48);
        let roads = Keeper::Railroad(Vec::new());
        let mut state = bound_for("USLAX", None);
        state.journey.destination = UnLocode::parse("USCHI").ok();
        let begins = |state: &ContainerState, keeper: &Keeper, now| {
            interest_begins(state, keeper, &Gazetteer::default(), now)
        };
        assert_eq!(begins(&state, &roads, now()), None, "nobody knows when");
        expected(&mut state, arrives);
        assert_eq!(begins(&state, &roads, now()), Some(from));
        assert_eq!(begins(&state, &roads, from), None, "it has begun");
        let pier = terminal("USLAX", None);
        assert_eq!(begins(&state, &pier, now()), None, "asked all the way");
        state.journey.destination = None;
        assert_eq!(begins(&state, &roads, now()), None, "it goes by no rail");
    }

    fn expected(state: &mut ContainerState, at: Timestamp) {
        state.estimates.push(Estimate {
            event: EventName::EstimatedVesselArrived,
            at,
            zone: None,
            locode: state.journey.port_of_discharge,
            vessel: None,
            voyage: None,
            source: SourceKind::Dcsa2,
        });
    }

    fn told(state: &mut ContainerState, event: EventName, place: &str, at: &str) {
        state.milestones.push(Milestone {
            slot: Slot {
                event,
                place: UnLocode::parse(place).ok(),
                leg: String::new(),
                occurrence: 0,
            },
            at: at.parse().unwrap(),
            precision: Precision::Minute,
            zone: None,
            locode: UnLocode::parse(place).ok(),
            terminal: None,
            vessel: None,
            voyage: None,
            source: SourceKind::Dcsa2,
            value: None,
        });
    }

    #[test]
    fn the_terminal_at_the_port_is_not_asked_about_a_box_that_stands_at_the_ramp() {
        let mut state = bound_for("USLAX", None);
        state.journey.destination = UnLocode::parse("USCHI").ok();
        let discharged = EventName::VesselDischarged;
        told(&mut state, discharged, "USLAX", "2026-03-01T00:00:00Z");
        state.status = CurrentStatus::Grounded;
        let (pier, roads) = (terminal("USLAX", None), Keeper::Railroad(Vec::new()));
        let (loaded, unloaded) = (EventName::RailLoaded, EventName::RailUnloaded);
        told(&mut state, loaded, "USLAX", "2026-03-01T18:00:00Z");
        told(&mut state, unloaded, "USLAX", "2026-03-01T20:00:00Z");
        assert_eq!(ask(&state, &pier), Some(Interest::Near), "it never left");
        let departed = EventName::RailDeparted;
        told(&mut state, departed, "USLAX", "2026-03-02T00:00:00Z");
        told(&mut state, unloaded, "USCHI", "2026-03-08T00:00:00Z");
        assert_eq!(ask(&state, &pier), None);
        assert_eq!(ask(&state, &roads), Some(Interest::Near));
        state.status = CurrentStatus::OnShip;
        assert_eq!(ask(&state, &pier), Some(Interest::Near), "not this box");
    }

    #[test]
    fn railroads_are_asked_about_a_box_that_a_truck_took_from_the_port_on_its_way_inland() {
        let gone = |out: &str, to: &str, left: &str| {
            let mut state = bound_for("USLAX", None);
            state.journey.destination = UnLocode::parse(to).ok();
            let discharged = EventName::VesselDischarged;
            told(&mut state, discharged, "USLAX", "2026-02-01T00:00:00Z");
            told(&mut state, EventName::FullOut, out, left);
            state.status = CurrentStatus::PickedUp;
            state
        };
        let by =
            |state: &ContainerState, keeper: &Keeper| interest(state, keeper, &served(), now());
        let (pier, roads) = (terminal("USLAX", None), Keeper::Railroad(Vec::new()));
        let (lately, long_ago) = ("2026-03-08T00:00:00Z", "2026-02-20T00:00:00Z");
        for (out, to, left, expected) in [
            ("USLAX", "USCHI", lately, Some(Interest::UnderWay)),
            ("USLAX", "USCHI", long_ago, None),
            ("USCHI", "USCHI", lately, None),
            ("USJOT", "USCHI", lately, None),
            ("USLAX", "USABC", lately, None),
            ("USLAX", "", lately, None),
        ] {
            let state = gone(out, to, left);
            assert_eq!(by(&state, &roads), expected, "{out} {to} {left}");
            assert_eq!(by(&state, &pier), None);
        }
    }

    /// Los Angeles and Long Beach.
    fn harbour() -> Gazetteer {
        let port = |code: &str, longitude| Port {
            locode: UnLocode::parse(code).unwrap(),
            name: code.into(),
            state: None,
            coordinates: Some((33.75, longitude)),
            zone: "America/Los_Angeles".into(),
            canonical: UnLocode::parse(code).unwrap(),
            metro_area: None,
            inland: false,
            towns: Vec::new(),
        };
        Gazetteer::new([port("USLAX", -118.26), port("USLGB", -118.21)], [])
    }

    /// Chicago, and Joliet in it.
    fn served() -> Gazetteer {
        let ramp = |code: &str| Port {
            locode: UnLocode::parse(code).unwrap(),
            name: code.into(),
            state: None,
            coordinates: None,
            zone: "America/Chicago".into(),
            canonical: UnLocode::parse(code).unwrap(),
            metro_area: UnLocode::parse("USCHI").ok(),
            inland: false,
            towns: Vec::new(),
        };
        Gazetteer::new([ramp("USCHI"), ramp("USJOT")], [])
    }
}
