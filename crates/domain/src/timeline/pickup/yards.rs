//! In whose yard of the port the box stands, and which terminals have no word on it.
//!
//! A terminal lists boxes that were to come to it. Two of one port may speak of one box, and so may one of the port to
//! which its ship was to go: with holds and fees that hold up nobody, and with a last free day that costs money when it is
//! believed. Whom to believe is known once the box was discharged:
//!
//! * **The discharge names the yard.** Where those who tell of it name one or several terminals that we know, no other
//!   terminal of that port counts once one of these has said what only a yard says that has the box. Until then others do: a
//!   line that names the wrong berth must not silence the right one, and that berth expected the box: it says no, and knows of
//!   holds. What [`Proof`] it gave tells, and a terminal that lets the box be collected is silenced by none but one that
//!   surely has it. The no of a terminal that gave none decides nothing beside that.
//! * **The way at sea ended here.** Then no terminal of another port counts. A discharge alone proves nothing, because that
//!   of a hub looks the same while nobody has told of the ship onward, and one that is called import may be a mistake that
//!   is taken back tomorrow. Proof is that the box left for import or by train, or that a terminal here lets it be
//!   collected. Ports near by are one to many who write events: their
//!   terminals are put aside only where the yard is named, too.
//! * **The box was brought into another yard.** Then that one counts alone. But silence clears nothing, and boxes are driven
//!   to be examined because they are held: what the first yard said while it had the box of holds, fees and its last free day
//!   stands until the second one speaks of the same, and holds until that one lets the box go. Whether a box can be had is
//!   told as it came, so what the first yard said of that before stays told. What the second one said before counts, too: a
//!   word that is said again is kept as it was said first. Whoever does not say that the box was laden tells of none that was
//!   brought: it may be the empty.
//!
//! Before the discharge anybody may speak: customs hold boxes that are at sea. A facility that we do not know is never put
//! aside, for it may be another name of the right one. Codes of one terminal (SMDG, BIC, FIRMS) are one. What is put aside
//! is shown as said elsewhere, and decides nothing.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::availability::{is_unclear, word};
use super::holds::{Standing, is_about_holds, is_of_its_own};
use super::series::{Said, in_order};
use super::{ends_after, is_from_the_future};
use crate::codes::UnLocode;
use crate::container::{BACK_WITHIN, Fee, Milestone};
use crate::journey::Way;
use crate::journey::stop::Sight;
use crate::place::{Gazetteer, Terminal, TerminalKind};
use crate::report::{Classifier, Mode, MoveHint, Report, Value, Verb};
use crate::timeline::claims::{Claim, is_facility, is_railroad};

/// Ports no farther apart than this are mistaken for each other.
const NEIGHBOURS_KM: f64 = 100.0;

/// A box that is driven from one yard of a port to another is on the road no longer than this.
const BROUGHT_WITHIN: SignedDuration = SignedDuration::from_hours(48);

/// The yards in which the box stood since its discharge.
pub(super) struct Yards<'g> {
    gazetteer: &'g Gazetteer,
    /// The port at which it was discharged; nobody is put aside before.
    port: Option<UnLocode>,
    /// Our codes of the terminals at which it was, as those say who tell of the discharge and of gates.
    named: Vec<&'g str>,
    /// By what terminals of the port have shown that they have the box, since its ship came.
    proofs: BTreeSet<(&'g str, Proof)>,
    /// The way at sea ended here.
    is_end: bool,
    /// Places where it was brought in through a gate.
    places: Vec<UnLocode>,
    brought: Option<Brought<'g>>,
}

/// By what a terminal shows that it has the box.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// A day or a fee, which those have named, too, that only expected the box.
    Charges,
    /// A place in its yard, or a move of its own.
    Has,
    /// It lets the box be collected.
    Frees,
}

/// The last yard of the port into which the box was driven.
pub(super) struct Brought<'g> {
    terminal: &'g str,
    at: Timestamp,
    /// The last moment that this can mean: a bare date may mean the evening.
    latest: Timestamp,
    /// From when on the first yard has it no more.
    left: Timestamp,
    /// It came back into a yard where it had stood before.
    is_back: bool,
    /// What it has spoken of since the ship came.
    speaks_of: BTreeSet<Kind>,
}

impl Brought<'_> {
    /// Whether it left another yard by this gate on its way to this one.
    pub fn came_through(&self, gate: &Milestone) -> bool {
        let is_own = gate.terminal.as_deref() == Some(self.terminal) || !gate.slot.leg.is_empty();
        let until = if is_own { self.at } else { self.latest };
        let is_one_drive = self.at.duration_since(gate.at) <= BROUGHT_WITHIN;
        gate.at < until && (self.is_back || is_one_drive)
    }

    /// Whether the box came back into the yard where it had stood before, and this gate, in or out, was on its way there.
    pub fn is_back_behind(&self, gate: &Milestone) -> bool {
        self.is_back && (gate.at <= self.at || self.came_through(gate))
    }

    pub fn is_behind(&self, end: Timestamp) -> bool {
        end < self.at
    }

    /// Whether it has said anything of what another yard says here.
    fn answers(&self, report: &Report) -> bool {
        Kind::of(report).is_some_and(|kind| kind == Kind::Here || self.speaks_of.contains(&kind))
    }
}

/// What a yard speaks of.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Holds,
    Fees,
    FreeDay,
    /// Its own ground, where the box is not when it has left.
    Here,
}

impl Kind {
    fn of(report: &Report) -> Option<Self> {
        match (report.verb, &report.value) {
            (Verb::HoldSet | Verb::HoldClear, _) => Some(Self::Holds),
            (Verb::Fee, _) => Some(Self::Fees),
            (_, Some(Value::LastFreeDay(..))) => Some(Self::FreeDay),
            (_, Some(Value::YardLocation(_) | Value::Appointment(_) | Value::NoAppointment)) => {
                Some(Self::Here)
            }
            _ => None,
        }
    }
}

impl<'g> Yards<'g> {
    pub fn of(
        moves: &[Claim<'_>],
        readings: &[&Report],
        way: &Way<'_>,
        gazetteer: &'g Gazetteer,
    ) -> Self {
        let mut yards = Self {
            gazetteer,
            port: None,
            named: Vec::new(),
            proofs: BTreeSet::new(),
            is_end: false,
            places: Vec::new(),
            brought: None,
        };
        let discharge = way
            .sea
            .discharge()
            .and_then(|stop| Some((stop.place, stop.discharge?)));
        let Some((port, lift)) = discharge.filter(|(_, lift)| lift.is_actual()) else {
            return yards;
        };
        yards.port = Some(port);
        let since = lift.claim.at;
        let ashore: Vec<&Claim<'_>> = moves
            .iter()
            .filter(|claim| is_of_goods_since(claim, since))
            .collect();
        let inward = || ashore.iter().filter(|claim| claim.verb == Verb::GateIn);
        yards.places = inward().filter_map(|claim| claim.place).collect();
        let outward = ashore.iter().filter(|claim| claim.verb == Verb::GateOut);
        let outward: Vec<&Claim<'_>> = outward
            .filter(|claim| claim.place == Some(port))
            .copied()
            .collect();
        let landed = yards.discharging(port, moves, &lift);
        yards.named.clone_from(&landed);
        if !yards.named.is_empty() {
            let left = outward.iter().filter_map(|gate| yards.yard(gate.report));
            let left: Vec<&str> = left.collect();
            yards.named.extend(left);
        }
        let ship = way.sea.discharge().and_then(|stop| stop.arrive);
        let ship = ship.filter(Sight::is_actual).map(|ship| ship.claim.at);
        let came = ship.map_or(since, |ship| ship.min(since));
        let said: Vec<&Report> = readings
            .iter()
            .filter(|report| is_said_since(report, came))
            .copied()
            .collect();
        let proofs = said.iter().filter_map(|report| yards.proof(report));
        yards.proofs = proofs.collect();
        let last = inward()
            .filter(|claim| claim.place == Some(port) && claim.laden == Some(true))
            .filter_map(|claim| Some((claim.latest(), claim.at, yards.yard(claim.report)?)))
            .max();
        yards.brought = last.map(|(latest, at, terminal)| {
            // Where only the day is known, the gate of the other yard tells better until when the box was there.
            let of_the_day = outward.iter().filter(|gate| {
                gate.at >= at && gate.at <= latest && yards.yard(gate.report) != Some(terminal)
            });
            let left = of_the_day.map(|gate| gate.latest().min(latest)).max();
            let own = said.iter().filter(|r| yards.is_speaker(terminal, r));
            let at_gate = (terminal, at, latest);
            let is_back = yards.is_back(at_gate, &landed, &outward, &said);
            Brought {
                terminal,
                at,
                latest,
                left: left.unwrap_or(latest),
                is_back,
                speaks_of: own.filter_map(|report| spoken_of(report)).collect(),
            }
        });
        let is_end = ashore.iter().any(|claim| is_import(claim, port))
            || readings
                .iter()
                .any(|report| yards.lets_collect(report, port, since));
        yards.is_end = is_end;
        yards
    }

    pub fn brought(&self) -> Option<&Brought<'g>> {
        self.brought.as_ref()
    }

    /// Whether the box came back by this gate into a yard where it had stood before, to be had there again. An export comes
    /// back, too, and nobody says that it is one: a box was held when it was driven to an exam, or its yard speaks of it anew.
    fn is_back(
        &self,
        (terminal, at, latest): (&str, Timestamp, Timestamp),
        landed: &[&str],
        outward: &[&Claim<'_>],
        said: &[&Report],
    ) -> bool {
        let before = outward.iter().filter(|gate| gate.at < latest);
        let Some(out) = before.map(|gate| gate.at).max() else {
            return false;
        };
        let left_it = |gate: &&Claim<'_>| gate.at < at && self.yard(gate.report) == Some(terminal);
        let stood_there = landed.contains(&terminal) || outward.iter().any(left_it);
        let stays = outward.iter().all(|gate| gate.at < latest);
        stood_there
            && stays
            && at.duration_since(out) <= BACK_WITHIN
            && (self.was_held(terminal, out, said) || self.speaks_anew(terminal, latest, said))
    }

    /// Whether it was known then that the box cannot be had: a hold stood, or the last word of its yard was no. Whose yard
    /// lists all holds, or lets the box go, knows of no other.
    fn was_held(&self, terminal: &str, until: Timestamp, said: &[&Report]) -> bool {
        let all = Said::of(said);
        let known = said.iter().copied();
        let known = known.filter(|report| all.known_at(report) <= until);
        let mut standing = Standing::default();
        let mut is_free = None;
        for report in in_order(known) {
            if is_about_holds(report) {
                standing.hear(report);
            }
            if !self.is_speaker(terminal, report) {
                continue;
            }
            let own = word(report);
            is_free = own.or(is_free);
            if own == Some(true) || lists_holds(report) {
                let is_told = |by: &Report| lists_holds(by) || is_of_its_own(by);
                standing.keep(|by, _| self.is_speaker(terminal, by) && is_told(by));
            }
        }
        is_free == Some(false) || standing.is_in_force()
    }

    fn speaks_anew(&self, terminal: &str, since: Timestamp, said: &[&Report]) -> bool {
        let mut own = said.iter().filter(|r| self.is_speaker(terminal, r));
        own.any(|report| {
            let of_the_goods = spoken_of(report).is_some_and(|kind| kind != Kind::Here);
            of_the_goods && !tells_of_nothing(report) && report.issued_at() > since
        })
    }

    fn is_speaker(&self, terminal: &str, report: &Report) -> bool {
        self.speaker(report).is_some_and(|one| one.code == terminal)
    }

    /// Whether a terminal says this, and then, which has no word on the box: it stands in another's yard.
    pub fn is_strange(&self, report: &Report, said: Timestamp) -> bool {
        let Some(terminal) = self.speaker(report) else {
            return false;
        };
        match &self.brought {
            Some(brought) if self.is_of_the_port(terminal) => {
                let has_it = terminal.code == brought.terminal;
                let is_over = said >= brought.left || brought.answers(report);
                !has_it && (is_over || self.is_other(terminal))
            }
            _ => self.is_other(terminal) || self.is_idle_no(terminal, report),
        }
    }

    /// The terminals that those name who tell of the discharge.
    fn discharging(&self, port: UnLocode, moves: &[Claim<'_>], lift: &Sight<'_>) -> Vec<&'g str> {
        let lifts = moves.iter().filter(|claim| {
            claim.verb == Verb::Discharge
                && claim.is_actual()
                && claim.laden != Some(false)
                && claim.place == Some(port)
                && !claim.is_by(Mode::Rail)
                && !claim.is_by(Mode::Truck)
        });
        // The one that counts is among them, unless a rule of the way took it from elsewhere.
        let all = lifts
            .map(|claim| claim.report)
            .chain(std::iter::once(lift.claim.report));
        all.filter_map(|report| self.yard(report)).collect()
    }

    /// Our code of the marine terminal that a report names.
    fn yard(&self, report: &Report) -> Option<&'g str> {
        self.terminal(report).map(|terminal| terminal.code.as_str())
    }

    fn terminal(&self, report: &Report) -> Option<&'g Terminal> {
        let place = &report.place;
        let (locode, code) = place.locode.zip(place.facility_code.as_deref())?;
        let found = self.gazetteer.terminal_at(locode, code)?;
        (found.kind == TerminalKind::Ocean).then_some(found)
    }

    /// The terminal that speaks of its yard in this report; `None` where we do not know it.
    fn speaker(&self, report: &Report) -> Option<&'g Terminal> {
        let speaks = is_facility(report.source_kind) && !is_railroad(report.source_kind);
        speaks.then(|| self.terminal(report)).flatten()
    }

    fn proof(&self, report: &Report) -> Option<(&'g str, Proof)> {
        let terminal = self.speaker(report)?;
        let here = self.is_of_the_port(terminal);
        here.then_some((terminal.code.as_str(), proof(report)?))
    }

    fn is_of_the_port(&self, terminal: &Terminal) -> bool {
        self.port == Some(self.gazetteer.canonical(terminal.port))
    }

    /// Whether this terminal is none at which the box was.
    fn is_other(&self, terminal: &Terminal) -> bool {
        let Some(port) = self.port else {
            return false;
        };
        if self.is_of_the_port(terminal) {
            let code = terminal.code.as_str();
            let own = |is: fn(Proof) -> bool| {
                let mut proofs = self.proofs.iter();
                proofs.any(|(by, proof)| self.named.contains(by) && is(*proof))
            };
            let is_silenced = own(|proof| proof != Proof::Charges)
                || (own(|_| true) && !self.proofs.contains(&(code, Proof::Frees)));
            return !self.named.contains(&code) && is_silenced;
        }
        let place = self.gazetteer.canonical(terminal.port);
        let told = !self.named.is_empty() || !self.gazetteer.is_within(port, place, NEIGHBOURS_KM);
        self.is_end && told && !self.places.contains(&place)
    }

    /// The no of a terminal of the port that never showed that it has the box, while another one lets it be collected.
    fn is_idle_no(&self, terminal: &Terminal, report: &Report) -> bool {
        let shows = |(by, proof): &(&str, Proof)| *by == terminal.code && *proof != Proof::Charges;
        let is_no_yes = word(report) == Some(false) || is_unclear(report);
        is_no_yes
            && self.is_of_the_port(terminal)
            && !self.proofs.iter().any(shows)
            && self.proofs.iter().any(|(_, proof)| *proof == Proof::Frees)
    }

    /// Whether a terminal of the port lets a box be collected that came ashore then.
    fn lets_collect(&self, report: &Report, port: UnLocode, since: Timestamp) -> bool {
        let is_word = match report.verb {
            Verb::Available => report.classifier == Classifier::Actual,
            Verb::LastFreeDay | Verb::Appointment => true,
            _ => false,
        };
        let place = report.place.locode;
        is_word
            && report.issued_at() >= since
            && !is_from_the_future(report)
            && place.is_some_and(|code| self.gazetteer.canonical(code) == port)
            && is_facility(report.source_kind)
            && !is_railroad(report.source_kind)
    }
}

/// What only a yard says that has the box; holds and a no may be those of one that expects it.
fn proof(report: &Report) -> Option<Proof> {
    let is_laden = report.equipment.as_ref().and_then(|e| e.laden) != Some(false);
    let moved = report.classifier == Classifier::Actual
        && is_laden
        && report.move_hint != Some(MoveHint::Export);
    match (report.verb, &report.value) {
        (Verb::Discharge | Verb::GateIn | Verb::GateOut, _) if moved => Some(Proof::Has),
        (_, Some(Value::YardLocation(_))) => Some(Proof::Has),
        (_, Some(Value::LastFreeDay(..))) => Some(Proof::Charges),
        (_, Some(Value::Fee(fee))) if !fee.is_paid() => Some(Proof::Charges),
        (_, Some(Value::Fees(all))) if !all.iter().all(Fee::is_paid) => Some(Proof::Charges),
        _ => (word(report) == Some(true)).then_some(Proof::Frees),
    }
}

/// Of what the yard speaks by this. One that lets the box go knows of no hold.
fn spoken_of(report: &Report) -> Option<Kind> {
    if word(report) == Some(true) {
        return Some(Kind::Holds);
    }
    Kind::of(report)
}

fn lists_holds(report: &Report) -> bool {
    matches!(report.value, Some(Value::Holds(_)))
}

/// Whether it tells that nothing holds the box, or that nothing is owed. Sheets have that of every box.
fn tells_of_nothing(report: &Report) -> bool {
    match &report.value {
        Some(Value::Holds(all)) => all.is_empty(),
        Some(Value::Fees(all)) => all.iter().all(Fee::is_paid),
        Some(Value::Fee(fee)) => fee.is_paid(),
        _ => false,
    }
}

/// Whether it can be of this visit of the box, for which a ship came then. Terminals carry free days of the one before.
fn is_said_since(report: &Report, came: Timestamp) -> bool {
    let is_over = match &report.value {
        Some(Value::LastFreeDay(_, day)) => !ends_after(day, came),
        _ => false,
    };
    report.issued_at() >= came && !is_over && !is_from_the_future(report)
}

fn is_of_goods_since(claim: &Claim<'_>, since: Timestamp) -> bool {
    claim.is_actual()
        && claim.laden != Some(false)
        && claim.hint != Some(MoveHint::Export)
        && claim.latest() >= since
}

/// Goods that leave the port for a consignee.
fn is_import(claim: &Claim<'_>, port: UnLocode) -> bool {
    let leaves = matches!(claim.verb, Verb::GateOut | Verb::Load | Verb::Depart);
    let inland = claim.hint.is_some_and(MoveHint::is_import) || claim.is_by(Mode::Rail);
    leaves && inland && claim.place == Some(port) && !claim.is_by(Mode::Vessel)
}
