//! Stops: everything said about the box and its vessel at one port, in the order of the way.
//!
//! A stop is a place, not a visit of a ship: reports of one stop name its vessel in many spellings or not at
//! all, so the vessel cannot tell stops apart, and a box does not come back to a port on one journey.
//!
//! The order of stops comes first from what is done there, and only then from sequence numbers and times.
//! Where a box is only loaded, its way begins; where it is only discharged, it ends; both is between. Wrong
//! times are common and wrong acts are rare, so that one bad clock cannot turn a journey round.

use jiff::{SignedDuration, Timestamp};

use crate::codes::{ImoNumber, UnLocode};
use crate::report::{Classifier, Mode, MoveHint, Verb};
use crate::timeline::claims::{Claim, by_issue};

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
}

impl<'a> Sight<'a> {
    fn of(claim: Claim<'a>) -> Self {
        Self {
            claim,
            issued: claim.report.issued_at(),
            transshipment: claim.hint == Some(MoveHint::Transshipment),
            terminal: matches!(claim.hint, Some(MoveHint::Import | MoveHint::Export)),
        }
    }

    fn merge(&mut self, claim: Claim<'a>) {
        let other = Self::of(claim);
        self.issued = self.issued.max(other.issued);
        self.transshipment |= other.transshipment;
        self.terminal |= other.terminal;
        if better(&claim, &self.claim) {
            self.claim = claim;
        }
    }

    pub fn is_actual(&self) -> bool {
        self.claim.is_actual()
    }

    pub fn imo(&self) -> Option<ImoNumber> {
        self.claim.imo()
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
pub(crate) struct Stop<'a> {
    pub place: UnLocode,
    pub load: Option<Sight<'a>>,
    pub discharge: Option<Sight<'a>>,
    pub arrive: Option<Sight<'a>>,
    pub depart: Option<Sight<'a>>,
    /// Vessels named for loading or leaving here.
    pub outbound_vessels: Vec<ImoNumber>,
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
            outbound_vessels: Vec::new(),
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
        if matches!(claim.verb, Verb::Load | Verb::Depart) {
            self.outbound_vessels.extend(claim.imo());
        }
    }

    fn acts(&self) -> impl Iterator<Item = &Sight<'a>> {
        [&self.load, &self.discharge, &self.arrive, &self.depart]
            .into_iter()
            .flatten()
    }

    /// Loaded and discharged here, and not loaded first (that is a shut-out, a box that stayed).
    pub fn changes_ship(&self) -> bool {
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
        match (
            self.load.is_some(),
            self.discharge.is_some(),
            self.arrive.is_some(),
            self.depart.is_some(),
        ) {
            (true, true, ..) if self.changes_ship() => 1,
            (true, ..) => 0,
            (false, true, ..) => 2,
            (false, false, true, false) => 2,
            (false, false, false, true) => 0,
            (false, false, ..) => 1,
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
        match stops.iter_mut().find(|stop| stop.place == place) {
            Some(stop) => stop.see(claim),
            None => {
                let mut stop = Stop::new(place);
                stop.see(claim);
                stops.push(stop);
            }
        }
    }
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
