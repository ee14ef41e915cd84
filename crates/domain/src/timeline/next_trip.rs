//! When somebody else's goods begin to move in the box, where nobody told of the return of the empty.
//!
//! Terminals and railroads know the box and not the papers, so what they tell must be ours until something proves that
//! it is not. Nothing does before the way has ended by the words of those who name the papers: the box was landed, and
//! no plan of theirs goes on from there. A hub behind which a ship is still expected is no end, whatever is told there,
//! and where they tell of a way further on later, what seemed the next trip is ours again. Behind the end prove it:
//!
//! * an empty that goes out of a depot or terminal: the goods were taken out, whoever told of that. Where it comes in
//!   again within days and no goods move before, it was driven to the depot, and this is the return of ours;
//! * what a terminal marks as export, into its gate or onto a ship: it knows a transshipment by another mark;
//! * once the goods were collected, a ship that takes the box, or another ship or port that lands it. A gate alone is
//!   no collection, boxes are driven between the terminals of a hub: it is one in the words of those who name the papers
//!   or where it is called import, and the box does not come in again within days;
//! * once a truck took the goods away, a train that brings the box back to the port, or takes it up at that ramp or that
//!   port more than a week later, where no plan of ours leads on to where it goes. Its road may go on to another city within the week, and the way with it. A railroad's
//!   mark proves nothing: a cross-town leg is called export, too.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::claims::{Claim, Ship, is_railroad};
use super::trip::{is_exit, is_goods_move, is_named};
use crate::codes::UnLocode;
use crate::journey::Way;
use crate::journey::classify::looks_like_a_return;
use crate::journey::stop::Stop;
use crate::report::{FacilityType, Mode, MoveHint, Verb};

/// A box that comes in again within this was driven to another terminal.
const DRIVEN_MAX: SignedDuration = SignedDuration::from_hours(72);
/// A train that is told of without papers this long after the gate carries the same goods.
const GOES_ON_WITHIN: SignedDuration = SignedDuration::from_hours(24 * 7);

/// When the next trip begins.
pub(super) fn next_trip(moves: &[Claim<'_>]) -> Option<Timestamp> {
    let no_papers = |c: &&Claim<'_>| c.is_actual() && !is_named(&c.report.references);
    if !moves.iter().any(|claim| no_papers(&claim)) {
        return None;
    }
    let ended = Ended::of(moves, &|claim| is_named(&claim.report.references))?;
    let mut later = moves.iter().filter(no_papers);
    later
        .find(|claim| claim.at > ended.at && ended.is_followed_by(claim))
        .map(|claim| claim.at)
}

/// When the next trip begins by what is told under `others`' papers, where `ours` are those who name the papers.
///
/// Papers that nobody tied to ours may be ours under another number: they are, where they tell of our goods before the
/// empty goes out, or how goods were brought on by land until it was let go. And a line has no mark for an export, so that
/// only an empty that goes out proves it, and once the goods were collected another voyage, or goods that days later come
/// into a terminal for a booking.
pub(crate) fn next_trip_under<'a>(
    moves: &[Claim<'a>],
    ours: &dyn Fn(&Claim<'a>) -> bool,
    others: &dyn Fn(&Claim<'a>) -> bool,
) -> Option<Timestamp> {
    let ended = Ended::of(moves, ours)?;
    let theirs = moves.iter().filter(|c| c.is_actual() && others(c));
    let proof = theirs
        .clone()
        .find(|claim| claim.at > ended.at && ended.is_followed_under_papers_by(claim))?;
    let mut before = theirs.filter(|c| c.at < proof.at && c.laden != Some(false));
    let is_let_go = is_exit(proof) && ended.are_brought_on(before.clone());
    let tells_of_ours = is_let_go || before.any(|claim| ended.is_of_these_goods(claim));
    (!tells_of_ours).then_some(proof.at)
}

/// The end of the way at sea.
struct Ended<'c, 'a> {
    /// None where plans still go on from there.
    port: Option<Port<'a>>,
    at: Timestamp,
    moves: &'c [Claim<'a>],
    /// Those who name the papers.
    ours: &'c dyn Fn(&Claim<'a>) -> bool,
}

struct Port<'a> {
    place: UnLocode,
    area: Option<UnLocode>,
    /// The ship that brought the box.
    ship: Option<Ship<'a>>,
}

impl<'c, 'a> Ended<'c, 'a> {
    fn of(moves: &'c [Claim<'a>], ours: &'c dyn Fn(&Claim<'a>) -> bool) -> Option<Self> {
        let named = moves.iter().filter(|claim| ours(claim));
        let named: Vec<Claim<'a>> = named.copied().collect();
        let way = Way::of(&named);
        let landed = way.sea.discharge().and_then(|stop| {
            let at = landed(stop)
                .or_else(|| landed_without_papers(stop, way.aboard_since?, moves))
                .or(way.landed_since)?;
            Some((stop, at))
        });
        if let Some((stop, at)) = landed {
            let mut acts = stop.acts();
            let port = Some(Port {
                place: stop.place,
                area: acts.find_map(|sight| sight.claim.area),
                ship: stop.inbound(),
            });
            return Some(Self {
                port,
                at,
                moves,
                ours,
            });
        }
        let at_sea =
            |c: &&Claim<'_>| c.is_actual() && c.is_by(Mode::Vessel) && c.laden != Some(false);
        let at = named.iter().filter(at_sea).map(Claim::latest).max()?;
        let port = None;
        Some(Self {
            port,
            at,
            moves,
            ours,
        })
    }

    fn is_followed_by(&self, claim: &Claim<'a>) -> bool {
        let leaves_empty = self.leaves_empty(claim);
        let Some(port) = &self.port else {
            return leaves_empty && self.is_collected_before(claim);
        };
        leaves_empty
            || is_marked_export(claim)
            || (is_other_voyage(claim, port) && self.is_collected_before(claim))
            || self.is_taken_up_again(claim, port)
    }

    fn is_followed_under_papers_by(&self, claim: &Claim<'a>) -> bool {
        let other_voyage = |port: &Port<'a>| is_other_voyage(claim, port);
        match &self.port {
            Some(_) if self.leaves_empty(claim) => true,
            Some(port) if other_voyage(port) => self.is_collected_before(claim),
            Some(port) if self.is_taken_up_again(claim, port) => true,
            Some(_) => brings_goods(claim) && self.is_collected_days_before(claim),
            None => self.leaves_empty(claim) && self.is_collected_before(claim),
        }
    }

    /// Whether it tells of the goods that came: on the way at sea, or when they leave its port by truck, or by ship where
    /// nobody collected them.
    fn is_of_these_goods(&self, claim: &Claim<'a>) -> bool {
        let leaves = || {
            let by_ship = claim.verb == Verb::Load && claim.is_by(Mode::Vessel);
            leaves_by_truck(claim) || (by_ship && !self.is_collected_before(claim))
        };
        let port = self.port.as_ref();
        claim.at <= self.at || (port.is_some_and(|p| claim.place == Some(p.place)) && leaves())
    }

    /// Whether goods were brought on by land since the end, to wherever they were unpacked: neither by ship, nor into a
    /// terminal or back to the port.
    fn are_brought_on<'m>(&self, claims: impl Iterator<Item = &'m Claim<'a>>) -> bool
    where
        'a: 'm,
    {
        let at_port = |claim: &Claim<'_>| self.port.as_ref().is_some_and(|p| p.is_at(claim));
        let goes_back = |claim: &Claim<'_>| {
            let comes = matches!(claim.verb, Verb::Arrive | Verb::Discharge);
            claim.is_by(Mode::Vessel) || comes_in_laden(claim) || (comes && at_port(claim))
        };
        let delivered = |c: &Claim<'_>| c.verb == Verb::Dropoff && c.laden == Some(true);
        let tells = |c: &&Claim<'_>| is_by_land(c) || is_goods_move(c) || delivered(c);
        let mut goods = claims.filter(|c| c.at > self.at).filter(tells).peekable();
        goods.peek().is_some() && !goods.any(goes_back)
    }

    fn leaves_empty(&self, claim: &Claim<'a>) -> bool {
        is_exit(claim)
            && claim.facility() != Some(FacilityType::CustomerLocation)
            && !self.is_driven_to_a_depot(claim)
    }

    fn is_collected_before(&self, claim: &Claim<'a>) -> bool {
        let earlier = self.since_the_end().filter(|other| other.at < claim.at);
        earlier
            .filter(|other| self.is_collection(other))
            .any(|gate| !self.is_driven(gate, claim.at) && !self.leads_on(gate))
    }

    /// Longer ago than a truck takes from one terminal to the other.
    fn is_collected_days_before(&self, claim: &Claim<'a>) -> bool {
        let lately = claim.at.checked_sub(DRIVEN_MAX).unwrap_or(claim.at);
        let mut gates = self.since_the_end().filter(|o| o.at < claim.at);
        self.is_collected_before(claim)
            && !gates.any(|other| leaves_by_truck(other) && other.latest() >= lately)
    }

    /// Whether the box came in again soon after it left through a gate.
    fn is_driven(&self, gate: &Claim<'a>, until: Timestamp) -> bool {
        gate.verb == Verb::GateOut
            && self.since_the_end().any(|other| {
                other.verb == Verb::GateIn
                    && other.laden == Some(true)
                    && !is_marked_export(other)
                    && other.place == gate.place
                    && other.at > gate.at
                    && other.at < until
                    && other.at.duration_since(gate.at) <= DRIVEN_MAX
            })
    }

    /// Whether the empty that goes out is not back yet and comes in behind, before any goods move.
    fn is_driven_to_a_depot(&self, exit: &Claim<'a>) -> bool {
        let tells = |other: &&Claim<'a>| comes_in_empty(other) || is_goods_move(other);
        let mut around = self.since_the_end().filter(tells);
        let mut before = around.clone().filter(|other| other.at < exit.at);
        if before.next_back().is_some_and(comes_in_empty) {
            return false;
        }
        let next = around.find(|other| other.at >= exit.at);
        next.is_some_and(|back| {
            comes_in_empty(back) && back.at.duration_since(exit.latest()) <= DRIVEN_MAX
        })
    }

    /// A gate of a seaport whose message names the end further on. At a ramp it only says that this is no such end.
    fn leads_on(&self, gate: &Claim<'a>) -> bool {
        let by_sea = |other: &Claim<'a>| other.is_by(Mode::Vessel) && other.place == gate.place;
        gate.hint == Some(MoveHint::Onward) && self.moves.iter().any(by_sea)
    }

    /// Whether a railroad has the box again after a truck took it away.
    fn is_taken_up_again(&self, claim: &Claim<'a>, port: &Port<'a>) -> bool {
        if !is_by_land(claim) {
            return false;
        }
        let before = self.since_the_end().filter(|other| other.at < claim.at);
        let mut by_land = before.filter(|other| is_by_land(other));
        let Some(gate) = by_land.next_back() else {
            return false;
        };
        if !leaves_by_truck(gate) || self.leads_on(gate) {
            return false;
        }
        let late = is_railroad(claim.report.source_kind)
            && claim.at.duration_since(gate.at) > GOES_ON_WITHIN;
        if port.is_at(claim) {
            let is_by_train = claim.is_by(Mode::Rail) && port.is_at(gate);
            return late && is_by_train && !self.goes_on_by_rail(port);
        }
        (late && self.was_brought_by_rail(gate)) || self.comes_back(claim, port)
    }

    /// Whether those who name the papers tell of a train, or plan one: be it that they only name the town to which a railroad brings
    /// the box, and not by what it goes there.
    fn goes_on_by_rail(&self, port: &Port<'a>) -> bool {
        let reached = self.reached_by_railroads();
        let mut ours = self.moves.iter().filter(|claim| (self.ours)(claim));
        ours.any(|claim| {
            let is_further_on = claim.at > self.at && !port.is_at(claim);
            let is_with_goods = claim.laden != Some(false) && !claim.is_by(Mode::Vessel);
            let towns = [claim.place, claim.area];
            claim.is_by(Mode::Rail)
                || (is_further_on
                    && is_with_goods
                    && towns.iter().flatten().any(|town| reached.contains(town)))
        })
    }

    /// Places, and the cities that they are in, to which railroads bring the box or expect it.
    fn reached_by_railroads(&self) -> BTreeSet<UnLocode> {
        let reaching = self.moves.iter().filter(|other| {
            let reaches = matches!(other.verb, Verb::Arrive | Verb::Discharge | Verb::Eta);
            reaches && is_railroad(other.report.source_kind) && other.is_by(Mode::Rail)
        });
        reaching
            .flat_map(|other| [other.place, other.area])
            .flatten()
            .collect()
    }

    fn was_brought_by_rail(&self, gate: &Claim<'a>) -> bool {
        self.since_the_end().any(|other| {
            other.at <= gate.latest()
                && other.is_by(Mode::Rail)
                && matches!(other.verb, Verb::Arrive | Verb::Discharge)
                && other.area.is_some()
                && other.area == gate.area
        })
    }

    /// Whether a train brings the box to the port, before a truck takes it away again.
    fn comes_back(&self, claim: &Claim<'a>, port: &Port<'a>) -> bool {
        let gone = self.since_the_end().filter(|other| other.at > claim.at);
        let gone = gone.filter(|other| leaves_by_truck(other)).map(|c| c.at);
        let gone = gone.min().unwrap_or(Timestamp::MAX);
        self.moves.iter().any(|other| {
            let reaches = matches!(other.verb, Verb::Arrive | Verb::Discharge | Verb::Eta);
            reaches
                && other.is_by(Mode::Rail)
                && other.laden != Some(false)
                && !is_named(&other.report.references)
                && port.is_at(other)
                && other.at > claim.at
                && other.at <= gone
        })
    }

    fn is_collection(&self, claim: &Claim<'a>) -> bool {
        let import = claim.hint.is_some_and(MoveHint::is_import);
        let known = (self.ours)(claim) || (import && !is_named(&claim.report.references));
        match claim.verb {
            Verb::GateOut => leaves_by_truck(claim) && known,
            Verb::Dropoff => claim.laden == Some(true) && known,
            _ => false,
        }
    }

    fn since_the_end(&self) -> impl DoubleEndedIterator<Item = &'c Claim<'a>> + Clone {
        let moves = self.moves.iter();
        moves.filter(|claim| claim.is_actual() && claim.latest() >= self.at)
    }
}

impl Port<'_> {
    fn is_at(&self, claim: &Claim<'_>) -> bool {
        claim.place == Some(self.place) || (claim.area.is_some() && claim.area == self.area)
    }
}

/// Not at a shipper, to be stuffed.
fn comes_in_empty(claim: &Claim<'_>) -> bool {
    let facility = claim.facility();
    looks_like_a_return(claim)
        && facility != Some(FacilityType::CustomerLocation)
        && (claim.verb == Verb::GateIn || facility.is_some())
}

fn landed(stop: &Stop<'_>) -> Option<Timestamp> {
    let mut sights = [&stop.discharge, &stop.arrive].into_iter().flatten();
    let sight = sights.find(|sight| sight.is_actual())?;
    Some(sight.claim.latest())
}

/// The terminal's word, where those who name the papers only told where the way ends.
fn landed_without_papers(
    stop: &Stop<'_>,
    aboard: Timestamp,
    moves: &[Claim<'_>],
) -> Option<Timestamp> {
    let lands = |claim: &&Claim<'_>| {
        claim.is_actual()
            && claim.verb == Verb::Discharge
            && claim.is_by(Mode::Vessel)
            && claim.laden != Some(false)
            && claim.place == Some(stop.place)
            && claim.at > aboard
    };
    moves.iter().filter(lands).map(Claim::latest).min()
}

fn is_marked_export(claim: &Claim<'_>) -> bool {
    let goes_in = claim.verb == Verb::GateIn;
    let is_taken = claim.verb == Verb::Load && claim.is_by(Mode::Vessel);
    claim.hint == Some(MoveHint::Export)
        && claim.laden == Some(true)
        && (goes_in || is_taken)
        && !is_railroad(claim.report.source_kind)
}

/// A lift that the ship which brought the goods cannot have done with them.
fn is_other_voyage(claim: &Claim<'_>, port: &Port<'_>) -> bool {
    if !claim.is_by(Mode::Vessel) {
        return false;
    }
    let differs = || matches!((claim.ship, port.ship), (Some(a), Some(b)) if a.differs(b));
    match claim.verb {
        Verb::Load => true,
        Verb::Discharge => {
            let elsewhere = claim.place.is_some() && claim.place != Some(port.place);
            claim.laden != Some(false) && (elsewhere || differs())
        }
        _ => false,
    }
}

/// Into a terminal, for a booking: an import names none. A yard off the dock takes in what was collected, too.
fn brings_goods(claim: &Claim<'_>) -> bool {
    comes_in_laden(claim)
        && matches!(claim.mode, Some(Mode::Truck) | None)
        && !claim.report.references.bookings.is_empty()
}

/// Through the gate of a terminal, with no word that it goes on from there.
fn comes_in_laden(claim: &Claim<'_>) -> bool {
    claim.verb == Verb::GateIn
        && claim.laden == Some(true)
        && matches!(claim.facility(), Some(FacilityType::PortTerminal) | None)
        && !matches!(
            claim.hint,
            Some(
                MoveHint::Import | MoveHint::Delivery | MoveHint::Transshipment | MoveHint::Onward
            )
        )
}

/// Goods that a truck takes away through a gate.
pub(super) fn leaves_by_truck(claim: &Claim<'_>) -> bool {
    claim.verb == Verb::GateOut
        && claim.laden == Some(true)
        && matches!(claim.mode, Some(Mode::Truck) | None)
        && !matches!(claim.hint, Some(MoveHint::Transshipment | MoveHint::Export))
}

/// Goods on a train, or through a gate.
fn is_by_land(claim: &Claim<'_>) -> bool {
    let by_rail = claim.is_by(Mode::Rail)
        && claim.laden != Some(false)
        && matches!(
            claim.verb,
            Verb::Load | Verb::Depart | Verb::Arrive | Verb::Discharge
        );
    let gate = matches!(claim.verb, Verb::GateIn | Verb::GateOut) && claim.laden == Some(true);
    by_rail || (gate && !claim.is_by(Mode::Vessel))
}
