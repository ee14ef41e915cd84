//! One port of the way at sea, and the best that is said about each act there.

use jiff::{SignedDuration, Timestamp};

use crate::codes::UnLocode;
use crate::event::EventName;
use crate::report::{Classifier, MoveHint, Verb};
use crate::timeline::claims::{Claim, Ship};
use crate::timeline::precedence::order;
use crate::timeline::readings::by_issue;

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
    /// Whether a message names an end further on.
    pub onward: bool,
    /// Whether a source calls it part of the import or export.
    pub terminal: bool,
    /// The newest issue of a claim that calls it part of the import: whoever plans names the end with it.
    pub named_end: Option<Timestamp>,
    /// The best claim that names a ship: that of a plan does not stand before the one of a lift because a better word on the
    /// lift names none.
    aboard: Option<Claim<'a>>,
}

impl<'a> Sight<'a> {
    fn of(claim: Claim<'a>) -> Self {
        let import = claim.hint.is_some_and(MoveHint::is_import);
        Self {
            claim,
            issued: claim.report.issued_at(),
            transshipment: claim.hint == Some(MoveHint::Transshipment),
            onward: claim.hint == Some(MoveHint::Onward),
            terminal: import || claim.hint == Some(MoveHint::Export),
            named_end: import.then(|| claim.report.issued_at()),
            aboard: claim.ship.map(|_| claim),
        }
    }

    fn merge(&mut self, claim: Claim<'a>) {
        let other = Self::of(claim);
        self.issued = self.issued.max(other.issued);
        self.transshipment |= other.transshipment;
        self.onward |= other.onward;
        self.terminal |= other.terminal;
        self.named_end = self.named_end.max(other.named_end);
        let is_better = |known: Claim<'a>| better(&claim, &known);
        if claim.ship.is_some() && self.aboard.is_none_or(is_better) {
            self.aboard = Some(claim);
        }
        if better(&claim, &self.claim) {
            self.claim = claim;
        }
    }

    pub fn is_actual(&self) -> bool {
        self.claim.is_actual()
    }

    pub fn ship(&self) -> Option<Ship<'a>> {
        self.aboard?.ship
    }

    /// The best claim that names a ship.
    pub fn named(&self) -> Option<Claim<'a>> {
        self.aboard
    }
}

/// Actual over estimated over planned; of actuals the source that stands nearer to the act, else the newer issue.
fn better(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    a.classifier
        .cmp(&b.classifier)
        .then_with(|| {
            if a.is_actual() {
                order(told_as(a.verb), b, a)
            } else {
                by_issue(a.report, b.report)
            }
        })
        .is_gt()
}

/// A public event whose sources are ranked as those of this act.
fn told_as(verb: Verb) -> EventName {
    match verb {
        Verb::Load => EventName::VesselLoaded,
        Verb::Discharge => EventName::VesselDischarged,
        Verb::Depart => EventName::VesselDeparted,
        _ => EventName::VesselArrived,
    }
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
    pub expected: bool,
    /// Who planned or expected that the box comes, when, and when he said so.
    planned: Vec<(&'a str, Timestamp, Timestamp)>,
    /// A feeder or barge brought it here.
    pub fed: bool,
}

impl<'a> Stop<'a> {
    pub fn new(place: UnLocode) -> Self {
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
            planned: Vec::new(),
            fed: false,
        }
    }

    pub fn see(&mut self, claim: &Claim<'a>) {
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
        let leaves = matches!(claim.verb, Verb::Load | Verb::Depart);
        if !leaves && !claim.is_actual() {
            let issued = claim.report.issued_at();
            self.planned.push((&claim.report.source, claim.at, issued));
        }
        let ships = if leaves {
            &mut self.leaving
        } else {
            &mut self.brought_by
        };
        ships.extend(claim.ship.filter(|ship| !ship.is_among(ships)));
    }

    /// Whether somebody planned that the box comes here after it comes to the other, and did not say so before he planned the
    /// other: a plan that was given up for another is none.
    pub fn is_planned_behind(&self, other: &Stop<'_>) -> bool {
        self.planned.iter().any(|(source, at, issued)| {
            let of_source = other.planned.iter().filter(|(other, ..)| other == source);
            let first = of_source.min_by_key(|(_, _, issued)| *issued);
            first.is_some_and(|(_, before, said)| before < at && said <= issued)
        })
    }

    pub fn acts(&self) -> impl Iterator<Item = &Sight<'a>> {
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

    /// Whether the load of the box on another ship was told here since: what is expected of the one before is not the box's.
    pub fn took_on_since(&self, expected: &Claim<'a>) -> bool {
        let load = self.load.as_ref().and_then(Sight::named);
        load.is_some_and(|load| {
            let ships = expected.ship.zip(load.ship);
            let differ = ships.is_some_and(|(expected, loads)| expected.differs(loads));
            differ && expected.report.issued_at() < load.report.issued_at()
        })
    }

    /// Ships that leave and did not bring the box.
    pub fn other_ships(&self) -> impl Iterator<Item = Ship<'a>> {
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

    /// Whether any message names an end further on.
    pub fn is_before_a_named_end(&self) -> bool {
        self.acts().any(|sight| sight.onward)
    }

    /// Begins the way, lies on it, or ends it, by what is done here.
    pub fn stage(&self) -> u8 {
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

    /// Position in the way, as the carrier counts.
    pub fn sequence(&self) -> Option<u32> {
        self.acts()
            .filter_map(|sight| sight.claim.report.leg.sequence)
            .min()
    }

    /// When the box or its ship is there: the earliest of the firmest claims.
    pub fn at(&self) -> Timestamp {
        let firmest = self.acts().map(|s| s.claim.classifier).max();
        let firmest = firmest.unwrap_or(Classifier::Planned);
        self.acts()
            .filter(|sight| sight.claim.classifier == firmest)
            .map(|sight| sight.claim.at)
            .min()
            .unwrap_or(Timestamp::MAX)
    }
}
