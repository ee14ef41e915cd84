//! The way that an X12 message tells: places with their functions (R4) and dates (DTM).
//!
//! A date at the port of loading is about leaving it, one at the port of discharge about reaching it. What is
//! said to have happened there is derived: the message is about something else.
//!
//! The port of discharge has three letters: D, 1 (the final one) and K (that of the bill). A line writes D or 1 for the same, so
//! each is the end of the sea where it stands alone; of two that differ 1 is, and what D names is a relay. So it is where K lies
//! beyond it, overseas; else K is the older word.

use domain::codes::UnLocode;
use domain::report::{Classifier, Doubt, FacilityType, Leg, Mode, MoveHint, Place, Verb};
use edi::Segment;

use super::desk::{Desk, Draft, Fault, Region};
use super::time::{self, Clock};
use super::whereabouts::{TOWN, Told};
use crate::towns::{self, differ};

/// The part of a place in the way (element 115).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Receipt,
    Lading,
    Discharge,
    /// Where the line hands the goods over by its bill.
    Delivery,
    /// Where somebody's way ends, perhaps not that of the goods.
    Destination,
    Transshipment,
    Interim,
    /// Between, and behind the port of loading: the goods were aboard before.
    Hub,
    Activity,
    LegOrigin,
    LegDestination,
    /// None that is read: it says what its place is called, and nothing of the way.
    Unread,
}

/// A place of the way with its dates.
#[derive(Clone, Debug)]
pub(super) struct Stop<'a> {
    pub(super) role: Role,
    pub(super) place: Place,
    /// The same where it is known that a terminal is meant, so that a town with terminals is their port; of an activity, of which
    /// only its status tells.
    pub(super) at_terminal: Option<Place>,
    pub(super) region: Region,
    called: Called,
    /// The element 115 as sent.
    letter: String,
    dates: Vec<Segment<'a>>,
    /// What railroads add (V9).
    pub(super) events: Vec<Segment<'a>>,
}

/// What the message calls a place.
#[derive(Clone, Debug)]
struct Called {
    qualifier: String,
    code: String,
    name: String,
    country: String,
    state: String,
}

/// The port of discharge of the ship.
const OF_THE_SHIP: &str = "D";
/// The final port of discharge.
const FINAL: &str = "1";
/// The port of discharge by the bill.
const OF_THE_BILL: &str = "K";
/// Ports of discharge of one message that are compared with its other places. A way has one.
const ENDS_MAX: usize = 4;

impl Role {
    fn of(letter: &str) -> Self {
        match letter {
            "R" => Self::Receipt,
            "L" => Self::Lading,
            OF_THE_SHIP | FINAL | OF_THE_BILL => Self::Discharge,
            "E" => Self::Delivery,
            "T" | "Y" => Self::Transshipment,
            "I" => Self::Interim,
            "5" => Self::Activity,
            "6" => Self::LegOrigin,
            "7" => Self::LegDestination,
            _ => Self::Unread,
        }
    }

    /// Whether a place of this part is one of ships or trains. Goods are received and delivered at doors.
    fn is_of_terminals(self) -> bool {
        !matches!(self, Self::Receipt | Self::Delivery | Self::Activity)
    }
}

/// The places of a record in their order.
pub(super) fn stops<'a>(body: &[Segment<'a>], desk: &Desk<'_>) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::new();
    let mut open = false;
    for segment in body {
        match segment.tag() {
            "R4" => {
                let letter = segment.text(1);
                let role = Role::of(&letter);
                open = role != Role::Unread;
                let place = place(segment, role.is_of_terminals(), desk);
                stops.push(Stop {
                    role,
                    at_terminal: at_terminal(segment, role, &place, desk),
                    region: region(segment, &place, desk),
                    place,
                    called: Called::of(segment),
                    letter: letter.into_owned(),
                    dates: Vec::new(),
                    events: Vec::new(),
                });
            }
            "DTM" if open => stops
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|stop| stop.dates.push(*segment)),
            "V9" if open => stops
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|stop| stop.events.push(*segment)),
            _ => {}
        }
    }
    end_at_one_port(&mut stops, desk);
    deliver_behind_the_port(&mut stops, desk);
    stops
}

/// Leaves of the ports that are called the port of discharge the one where the sea ends.
fn end_at_one_port(stops: &mut [Stop<'_>], desk: &Desk<'_>) {
    let called = |letter: &str| {
        let stops = stops.iter().filter(|stop| stop.letter == letter);
        stops.take(ENDS_MAX).cloned().collect::<Vec<Stop<'_>>>()
    };
    let (last, of_bill) = (called(FINAL), called(OF_THE_BILL));
    let mut ladings = stops.iter().filter(|stop| stop.role == Role::Lading);
    let from = ladings.find_map(|stop| stop.place.locode);
    let is_relay = |stop: &Stop<'_>| {
        if last.is_empty() {
            let mut ends = of_bill.iter();
            !of_bill.is_empty() && ends.all(|end| stop.is_on_the_way_to(end, from, desk))
        } else {
            last.iter().all(|end| stop.is_before(end, desk))
        }
    };
    let mut before = stops.iter().filter(|stop| stop.letter == OF_THE_SHIP);
    let ends_by_bill = last.is_empty() && before.all(&is_relay);
    for stop in stops {
        stop.role = match stop.letter.as_str() {
            OF_THE_SHIP if is_relay(stop) => Role::Transshipment,
            OF_THE_BILL if !ends_by_bill => Role::Unread,
            _ => stop.role,
        };
    }
}

/// Takes what is told of reaching the place of delivery away where that is the port of discharge: nothing goes on from there. Lines
/// that write the one date of the end there mean the ship's.
fn deliver_behind_the_port(stops: &mut [Stop<'_>], desk: &Desk<'_>) {
    let is_port = |stop: &&Stop<'_>| {
        let at_sea = stop.place.locode.is_none_or(|port| desk.is_seaport(port));
        stop.role == Role::Discharge && at_sea
    };
    let ports = stops.iter().filter(is_port);
    let ports: Vec<Stop<'_>> = ports.take(ENDS_MAX).cloned().collect();
    for port in ports {
        let mut of_the_ship = Vec::new();
        let at_port = stops.iter_mut().filter(|stop| stop.is_at(&port, desk));
        for end in at_port.filter(|stop| stop.role == Role::Delivery) {
            let reached = end.dates.extract_if(.., |dtm| dtm.text(1) != DELIVERED);
            of_the_ship.extend(reached.filter(is_foretold));
        }
        let calls = || stops.iter().filter(|stop| stop.role == Role::Discharge);
        let is_dated = calls().any(|stop| stop.is_at(&port, desk) && stop.tells_a_date(desk));
        let mut calls = stops.iter_mut().filter(|stop| stop.role == Role::Discharge);
        let ship = calls.find(|stop| stop.is_at(&port, desk));
        if let (false, Some(ship)) = (is_dated, ship) {
            ship.dates.extend(of_the_ship);
        }
    }
}

/// Whether a date tells when a ship is expected.
fn is_foretold(dtm: &Segment<'_>) -> bool {
    let told = said(&dtm.text(1), Role::Discharge);
    told.is_some_and(|(_, classifier)| classifier != Classifier::Actual)
}

/// What a place is, and whether it is known to be a terminal's.
fn place(r4: &Segment<'_>, is_of_terminals: bool, desk: &Desk<'_>) -> Place {
    let told = Told {
        qualifier: &r4.text(2),
        code: &r4.text(3),
        name: &r4.text(4),
        country: &r4.text(5),
        terminal: &r4.text(6),
        state: &r4.text(8),
        city: "",
    };
    if is_of_terminals {
        desk.terminals_place(told)
    } else {
        desk.place(told)
    }
}

/// What the clocks of its state say.
fn region(r4: &Segment<'_>, place: &Place, desk: &Desk<'_>) -> Region {
    let told = Told {
        qualifier: &r4.text(2),
        code: &r4.text(3),
        name: &r4.text(4),
        country: &r4.text(5),
        state: &r4.text(8),
        ..Told::default()
    };
    desk.region_of(told, place.locode)
}

/// The place of an activity, if it is one of a terminal.
fn at_terminal(r4: &Segment<'_>, role: Role, place: &Place, desk: &Desk<'_>) -> Option<Place> {
    if role != Role::Activity || place.locode.is_some() {
        return None;
    }
    let at_terminal = self::place(r4, true, desk);
    at_terminal.locode.is_some().then_some(at_terminal)
}

impl Called {
    fn of(r4: &Segment<'_>) -> Self {
        let text = |element: usize| r4.text(element).trim().to_ascii_uppercase();
        let (state, country) = towns::codes(&text(8), &text(5));
        Self {
            qualifier: text(2),
            code: text(3),
            name: text(4),
            country,
            state,
        }
    }
}

/// Of the dates at a place of delivery (element 374), the one that tells of the goods.
const DELIVERED: &str = "035";
/// When the goods are to be handed over at the end of a leg.
pub(super) const HANDED_OVER: &str = "017";

/// Element 374, and what it says at a place of this role.
fn said(qualifier: &str, role: Role) -> Option<(Verb, Classifier)> {
    use Classifier::{Actual, Estimated, Planned};
    use Role::{Delivery, Discharge, Lading, LegDestination, LegOrigin, Receipt, Transshipment};
    let leaves = matches!(role, Receipt | Lading | LegOrigin);
    let reaches = matches!(role, Discharge | Delivery | LegDestination | Transshipment);
    let verb = match role {
        _ if leaves => Verb::Depart,
        _ if reaches => Verb::Arrive,
        _ => return None,
    };
    Some(match qualifier {
        "139" => (verb, Estimated),
        "140" => (verb, Actual),
        "830" => (verb, Planned),
        "369" if leaves || role == Transshipment => (Verb::Depart, Estimated),
        "370" if leaves || role == Transshipment => (Verb::Depart, Actual),
        "371" if reaches => (Verb::Arrive, Estimated),
        "372" if reaches => (Verb::Arrive, Actual),
        HANDED_OVER if matches!(role, Delivery | LegDestination) => (Verb::Arrive, Estimated),
        DELIVERED if role == Delivery => (Verb::Dropoff, Actual),
        _ => return None,
    })
}

/// Date, time and zone of a DTM.
pub(super) fn clock(dtm: &Segment<'_>) -> Option<Clock> {
    time::x12(&dtm.text(2), &dtm.text(3), &dtm.text(4))
}

/// What is wrong with a date that cannot be read. One that is left empty, or filled with zeros, tells nothing.
pub(super) fn unread(dtm: &Segment<'_>) -> Option<Fault> {
    let told = unread_time(&dtm.text(2), &dtm.text(3))?;
    Some(format!("DTM*{}: {told:?} is no time", dtm.text(1)))
}

/// A date with its time that cannot be read.
pub(super) fn unread_time(date: &str, time: &str) -> Option<String> {
    let (date, time) = (date.trim(), time.trim());
    let is_empty = date.bytes().all(|digit| digit == b'0');
    if is_empty || time::x12(date, time, "").is_some() {
        return None;
    }
    let is_day = time::x12(date, "", "").is_some();
    Some(if is_day {
        format!("{date} {time}")
    } else {
        date.to_owned()
    })
}

/// Whether a date can be read and be true. One that cannot is none, and hides no other.
pub(super) fn is_time(dtm: &Segment<'_>, desk: &Desk<'_>) -> bool {
    clock(dtm).is_some_and(|clock| desk.is_time(clock))
}

impl Stop<'_> {
    /// Whether it says a town, in a list that others know. A terminal's own code says none.
    pub(super) fn names_a_town(&self) -> bool {
        let called = &self.called;
        let known = matches!(called.qualifier.as_str(), "UN" | "D" | "K" | "SL" | "CI");
        known && !called.code.is_empty()
    }

    /// Whether goods that this is the port of loading of had left it when something happened at that other place.
    pub(super) fn is_left_before(
        &self,
        there: UnLocode,
        then: Option<&Clock>,
        desk: &Desk<'_>,
    ) -> bool {
        let here = self.place.locode.filter(|here| *here != there);
        here.is_some_and(|here| desk.is_left_before(here, self.departed().as_ref(), there, then))
    }

    /// Whether no country or state told here speaks against this port.
    pub(super) fn may_be(&self, port: UnLocode, desk: &Desk<'_>) -> bool {
        let called = &self.called;
        towns::may_lie_in(&called.country, &called.state, port.country())
            && desk.known().may_lie_in(port, &called.state)
    }

    /// Whether this is a seaport that is sure to be another than the one where the sea ends.
    fn is_before(&self, end: &Stop<'_>, desk: &Desk<'_>) -> bool {
        match (self.place.locode, end.place.locode) {
            (Some(here), _) if desk.known().is_off_the_sea(here) => false,
            (Some(here), Some(there)) if desk.gazetteer.port(there).is_some() => {
                desk.lies_between(here, [there])
            }
            // Of a place in no table nobody knows whether ships come there. In another country the way goes on by one.
            (Some(here), Some(there)) => there.country() != here.country(),
            (Some(here), None) => {
                let called = &end.called;
                !towns::may_lie_in(&called.country, &called.state, here.country())
            }
            (None, Some(there)) => desk.is_seaport(there) && !self.may_be(there, desk),
            (None, None) => false,
        }
    }

    /// Whether these are two seaports with a sea between them, and this one is nearer to the port of loading.
    fn is_on_the_way_to(&self, end: &Stop<'_>, from: Option<UnLocode>, desk: &Desk<'_>) -> bool {
        let Some((here, there)) = self.place.locode.zip(end.place.locode) else {
            return false;
        };
        // A ship that was diverted there leaves the rest of the way to a train.
        let is_america = |port: UnLocode| matches!(port.country(), "US" | "CA" | "MX");
        desk.is_overseas(here, there)
            && !(is_america(here) && is_america(there))
            && desk.is_seaport(there)
            && from.is_some_and(|from| desk.is_nearer(from, here, there))
    }

    /// Whether it tells when the box is expected to come here.
    pub(super) fn tells_when_it_comes(&self, desk: &Desk<'_>) -> bool {
        let comes = |dtm: &&Segment<'_>| matches!(dtm.text(1).as_ref(), "139" | "371");
        self.dates
            .iter()
            .filter(comes)
            .any(|dtm| is_time(dtm, desk))
    }

    /// Whether one of its dates says something of it.
    fn tells_a_date(&self, desk: &Desk<'_>) -> bool {
        let mut dates = self.dates.iter();
        dates.any(|dtm| said(&dtm.text(1), self.role).is_some() && is_time(dtm, desk))
    }

    /// Whether two places are one, by their codes or by what they are called.
    pub(super) fn is_at(&self, other: &Stop<'_>, desk: &Desk<'_>) -> bool {
        let canonical = |stop: &Stop<'_>| Some(desk.gazetteer.canonical(stop.place.locode?));
        match canonical(self).zip(canonical(other)) {
            Some((here, there)) => here == there,
            None => self.is_called_like(other),
        }
    }

    /// Whether the message calls another place the same.
    pub(super) fn is_called_like<'s>(&'s self, other: &'s Stop<'_>) -> bool {
        let (a, b) = (&self.called, &other.called);
        if differ(&a.country, &b.country) || differ(&a.state, &b.state) {
            return false;
        }
        let coded = !a.code.is_empty() && (&a.qualifier, &a.code) == (&b.qualifier, &b.code);
        let told = |a: &'s str, b: &'s str| if a.is_empty() { b } else { a };
        let (state, country) = (told(&a.state, &b.state), told(&a.country, &b.country));
        coded || towns::is_one(&a.name, &b.name, state, country)
    }

    /// Whether this code in this list is its own.
    pub(super) fn is_coded(&self, list: &str, code: &str) -> bool {
        let called = &self.called;
        let same = |own: &str, told: &str| !told.is_empty() && own.eq_ignore_ascii_case(told);
        same(&called.qualifier, list.trim()) && same(&called.code, code.trim())
    }

    /// Whether this is its name, or the town that stands in the place of its code.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let called = &self.called;
        let town = Some(&called.code).filter(|_| called.qualifier == TOWN);
        let mut own = std::iter::once(&called.name).chain(town);
        own.any(|own| towns::is_one(own, name, &called.state, &called.country))
    }

    /// The actual time told here.
    pub(super) fn actual(&self) -> Option<Clock> {
        self.told(&["140", "370", "372"])
    }

    /// When what calls here left, where this is the port of loading. That the ship came says nothing of the goods.
    fn departed(&self) -> Option<Clock> {
        self.told(&["140", "370"])
    }

    fn told(&self, qualifiers: &[&str]) -> Option<Clock> {
        let is_one = |dtm: &&Segment<'_>| qualifiers.contains(&dtm.text(1).as_ref());
        self.dates.iter().filter(is_one).find_map(clock)
    }

    /// The claims of its dates, one by one: there may be many. `base` names box and numbers, `leg` the vessel, where the message's
    /// vessel is the one that calls here.
    pub(super) fn plan<'s>(
        &'s self,
        base: &'s Draft,
        leg: Option<&'s Leg>,
        desk: &'s Desk<'_>,
    ) -> impl Iterator<Item = (&'s Segment<'s>, Result<Draft, Fault>)> {
        let is_foretold = self.tells_when_it_comes(desk);
        let dates = self.dates.iter();
        // When the goods are handed over is no word about the train where that has one of its own.
        let dates = dates.filter(move |dtm| !is_foretold || dtm.text(1) != HANDED_OVER);
        dates.filter_map(move |dtm| Some((dtm, self.planned(dtm, base, leg, desk)?)))
    }

    /// What one date claims, or why it is none.
    fn planned(
        &self,
        dtm: &Segment<'_>,
        base: &Draft,
        leg: Option<&Leg>,
        desk: &Desk<'_>,
    ) -> Option<Result<Draft, Fault>> {
        let qualifier = dtm.text(1);
        let (verb, classifier) = said(&qualifier, self.role)?;
        let Some(clock) = clock(dtm) else {
            return unread(dtm).map(Err);
        };
        let original = format!("R4*{}/{qualifier}", self.letter);
        let mut draft = base.clone().says(verb, original);
        draft.report.classifier = classifier;
        draft.at(&self.place, desk.gazetteer);
        draft.region.clone_from(&self.region);
        draft.report.leg = self.leg(leg, desk);
        draft.report.move_hint = match self.role {
            Role::Transshipment => Some(MoveHint::Transshipment),
            // By it a newer message takes the port of discharge of an older one back.
            Role::Discharge if draft.report.leg.mode == Some(Mode::Vessel) => {
                Some(MoveHint::Import)
            }
            _ => None,
        };
        if verb == Verb::Dropoff {
            draft.report.leg.mode = Some(Mode::Truck);
            draft.report.place.facility_type = Some(FacilityType::CustomerLocation);
            draft.laden(Some(true));
        }
        if classifier == Classifier::Actual {
            draft.report.doubts.push(Doubt::Derived);
        }
        Some(desk.date(&mut draft, clock).map(|()| draft))
    }

    fn leg(&self, vessel: Option<&Leg>, desk: &Desk<'_>) -> Leg {
        let inland = self
            .place
            .locode
            .is_some_and(|l| desk.known().is_off_the_sea(l));
        let at_sea = matches!(
            self.role,
            Role::Lading | Role::Discharge | Role::Transshipment
        );
        let mode = match self.role {
            Role::Receipt | Role::Delivery if inland => Mode::Rail,
            Role::Receipt | Role::Delivery => Mode::Truck,
            _ if at_sea && !inland => Mode::Vessel,
            _ => Mode::Rail,
        };
        Leg {
            mode: Some(mode),
            ..match vessel {
                Some(leg) if at_sea && !inland => leg.clone(),
                _ => Leg::default(),
            }
        }
    }
}
