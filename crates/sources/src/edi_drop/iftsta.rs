//! IFTSTA: statuses of consignments.
//!
//! Under each consignment (CNI) stand statuses (STS), and under each status its references, time, place, means
//! of transport and boxes. What stands before the first status of a consignment, and before the first
//! consignment, is said of all. The code is a number of Recommendation 24, or letters of X12's list.

use std::collections::{BTreeMap, BTreeSet};

use domain::codes::UnLocode;
use domain::report::{Classifier, Doubt, FacilityType, Leg, Mode, MoveHint, SourceKind, Verb};
use edi::Segment;

use super::code::{Says, Tongue, says};
use super::desk::{Desk, Draft, Fault, fault};
use super::edifact_group::{
    Document, Group, Spot, clock, clock_of, place, spot, unread, vessel_of,
};
use super::numbers::Numbers;
use super::parse::Written;
use super::pre_carriage::Named;
use super::rec24;
use super::route::Role;
use super::stages::{Directory, Happening, Way, mode_of};
use super::status::Status;
use super::time::Clock;
use super::whereabouts::{name_vessel, name_voyage};
use super::words_of_moves;
use crate::Parsed;

/// Times of a status, best first. Beside the word that the ship left may stand when it had come.
const TIMES: &[&str] = &["334", "7", "178", "186", "136", "203"];
const TIMES_OF_LEAVING: &[&str] = &["334", "7", "186", "136", "203", "178"];
/// When it was processed: it had happened by then.
const PROCESSED: &[&str] = &["9"];

/// Ports no farther apart than this may be one truck or train from each other.
const BY_LAND_KM: f64 = 1_500.0;

/// Countries from which no truck and no train goes to another one (ISO 3166-1): theirs is no ferry of trucks either.
const ISLANDS: &[&str] = &[
    "AU", "BS", "CU", "CY", "FJ", "ID", "IS", "JM", "JP", "LK", "MG", "MT", "MU", "MV", "NZ", "PG",
    "PH", "PR", "TT", "TW",
];

/// Element 3055: the list is the carrier's own. Many write X12's letters under it all the same.
const OF_CARRIER: &str = "87";

/// One STS with what belongs to it.
struct Record<'s, 'a> {
    sts: &'s Segment<'a>,
    group: Group<'s, 'a>,
    way: Way<'s, 'a>,
}

/// What the code of a status tells.
#[derive(Clone, Copy)]
struct Meaning {
    /// `None`: nobody knows it.
    says: Option<Says>,
    transshipped: bool,
}

/// Reads a message.
pub(super) fn read(
    body: &[Segment<'_>],
    directory: Directory,
    written: Written,
    desk: &Desk<'_>,
    parsed: &mut Parsed,
) {
    let document = Document::of(body, written, desk);
    let starts = |segment: &Segment<'_>| segment.is("CNI") || segment.is("STS");
    let first = body.iter().position(starts).unwrap_or(body.len());
    let (heading, consignments) = body.split_at(first);
    let mut found = false;
    for consignment in consignments.chunk_by(|_, next| !next.is("CNI")) {
        let first = consignment.iter().position(|segment| segment.is("STS"));
        let (above, statuses) = consignment.split_at(first.unwrap_or(consignment.len()));
        let about = above.len() + heading.len();
        if let Some(first) = consignment.first()
            && !desk.goes_on(parsed, first, about)
        {
            return;
        }
        let shared: Vec<Segment<'_>> = above.iter().chain(heading).copied().collect();
        for (index, own) in statuses.chunk_by(|_, next| !next.is("STS")).enumerate() {
            let Some(sts) = own.first() else { continue };
            // Its boxes are looked for.
            if !desk.goes_on(parsed, sts, about + own.len()) {
                return;
            }
            found = true;
            let group = Group {
                own,
                heading: &shared,
            };
            // The way of the consignment is told once, with its first status.
            let above: &[Segment<'_>] = if index == 0 { above } else { &[] };
            let happening = Happening::of(own, &shared, desk);
            let way = |part| Way::of(part, directory, &happening);
            let record = Record {
                sts,
                group,
                way: way(own).and(way(above)),
            };
            record.read(&document, desk, parsed);
        }
    }
    if let (false, Some(first)) = (found, body.first()) {
        fault(
            parsed,
            first,
            "an IFTSTA without a status (STS) says nothing",
        );
    }
}

impl Meaning {
    fn of(code: &str, sts: &Segment<'_>) -> Self {
        let numeric = code.bytes().all(|b| b.is_ascii_digit());
        let told = numeric
            .then(|| rec24::says(code.trim_start_matches('0')))
            .flatten();
        let (says, transshipped) = match (numeric, told) {
            (true, Some((says, transshipped))) => (Some(says), transshipped),
            (true, None) => (None, false),
            (false, _) => (says(code, Tongue::Ocean), false),
        };
        let is_own = !numeric && sts.component(2, 3) == OF_CARRIER;
        let meaning = Self { says, transshipped };
        let verb = meaning.verb();
        let is_move = verb != Verb::Document;
        if is_own && is_move && words_of_moves::deny(&sts.component(2, 4), verb) {
            return Self {
                says: None,
                transshipped,
            };
        }
        meaning
    }

    fn verb(self) -> Verb {
        match self.says {
            Some(Says::Moved(verb, _) | Says::MovedAs(verb, ..) | Says::Expected(verb)) => verb,
            _ => Verb::Document,
        }
    }

    fn times(self) -> &'static [&'static str] {
        match self.verb() {
            Verb::Load | Verb::Depart | Verb::GateOut | Verb::Pickup => TIMES_OF_LEAVING,
            _ => TIMES,
        }
    }
}

impl<'s, 'a> Record<'s, 'a> {
    fn read(&self, document: &Document<'_>, desk: &Desk<'_>, parsed: &mut Parsed) {
        let boxes = self.boxes();
        if boxes.is_empty() {
            fault(
                parsed,
                self.sts,
                "not a container: it names none (EQD, RFF+EQ)",
            );
            return;
        }
        let code = self.sts.component(2, 1).to_ascii_uppercase();
        if code.is_empty() {
            fault(parsed, self.sts, "there is no status code");
            return;
        }
        if let Some(astray) = rec24::is_astray(&code) {
            fault(
                parsed,
                self.sts,
                format!("the goods are {astray}: no move follows from this"),
            );
        }
        let meaning = Meaning::of(&code, self.sts);
        for dtm in meaning.times().iter().flat_map(|kind| self.dates(kind)) {
            if let Some(reason) = unread(dtm, meaning.times()) {
                desk.fault_once(parsed, dtm, reason);
            }
        }
        for dtm in self.unused(meaning.times()) {
            let qualifier = dtm.component(1, 1);
            let reason = format!(
                "DTM+{qualifier} is not used: no place that is left or reached then stands with it"
            );
            fault(parsed, dtm, reason);
        }
        let looked_at = self.group.own.len() + self.group.heading.len();
        for (index, (number, eqd)) in boxes.into_iter().enumerate() {
            if !desk.goes_on(parsed, eqd.unwrap_or(self.sts), looked_at) {
                return;
            }
            let base = match eqd {
                Some(eqd) => document.draft(SourceKind::Iftsta, eqd, self.group, desk),
                None => document.about(SourceKind::Iftsta, &number, self.group, desk),
            };
            let base = match base {
                Ok(base) => base,
                Err(reason) => {
                    fault(parsed, eqd.unwrap_or(self.sts), reason);
                    continue;
                }
            };
            if !desk.ignores(&code) {
                document.put(parsed, self.sts, || {
                    self.status(&base, &code, meaning, desk)
                });
            }
            for (dtm, planned) in self.plan(&base, desk) {
                match planned {
                    Ok(draft) => document.put_beside(parsed, dtm, draft),
                    // What is wrong with a date is said once, not of each box.
                    Err(reason) if index == 0 => fault(parsed, dtm, reason),
                    Err(_) => {}
                }
            }
        }
    }

    /// The boxes of the status, else of what stands above it, else those that references name.
    fn boxes(&self) -> Vec<(String, Option<&'s Segment<'a>>)> {
        let of = |segments: &'s [Segment<'a>]| -> Vec<_> {
            let boxes = segments
                .iter()
                .filter(|eqd| eqd.is("EQD") && eqd.text(1) == "CN");
            boxes
                .map(|eqd| (eqd.component(2, 1).into_owned(), Some(eqd)))
                .filter(|(number, _)| !number.is_empty())
                .collect()
        };
        let own = of(self.group.own);
        let named = if own.is_empty() {
            of(self.group.heading)
        } else {
            own
        };
        if !named.is_empty() {
            return named;
        }
        let mut numbers = Numbers::default();
        self.group.all("RFF").for_each(|rff| numbers.edifact(rff));
        numbers
            .box_number
            .into_iter()
            .map(|number| (number, None))
            .collect()
    }

    fn status(
        &self,
        base: &Draft,
        code: &str,
        meaning: Meaning,
        desk: &Desk<'_>,
    ) -> Result<Vec<Draft>, Fault> {
        let mut draft = base.clone().says(Verb::Document, format!("IFTSTA/{code}"));
        let Spot { place, region } = self.spot(meaning.verb(), desk);
        draft.at(&place, desk.gazetteer);
        draft.region = region;
        let tdt = self.transport(place.locode, meaning.verb(), desk);
        draft.report.leg = Self::leg(tdt, &mut draft.report.doubts);
        // What the equipment's status says of the trade is said of the shipment, not of this move.
        let of_trade = |hint: &MoveHint| matches!(hint, MoveHint::Import | MoveHint::Export);
        draft.report.move_hint = draft.report.move_hint.filter(|hint| !of_trade(hint));
        if meaning.transshipped {
            draft.report.move_hint = Some(MoveHint::Transshipment);
        }
        let clock = self.clock(meaning.times()).or_else(|| {
            let processed = self.clock(PROCESSED)?;
            draft.report.doubts.push(Doubt::AsOf);
            Some(processed)
        });
        let text = self.sts.component(2, 4);
        let role = self.role(place.locode, clock.as_ref(), desk);
        let mut drafts = desk.claims(Status {
            says: meaning.says,
            role,
            draft,
            clock,
            words: &text,
            text: &text,
        })?;
        let named = Named {
            role,
            here: place.locode,
            ladings: self.places("9", desk).flatten().collect(),
            discharges: (self.places("11", desk).chain(self.places("12", desk)))
                .flatten()
                .collect(),
        };
        desk.mark_pre_carriage(&mut drafts, &named);
        Ok(drafts)
    }

    /// The best of these times. One that cannot be read is that of the status all the same, and no other is told in its place.
    fn clock(&self, times: &[&'static str]) -> Option<Clock> {
        let mut told = times.iter().filter_map(|qualifier| {
            let clock = clock_of(self.dates(qualifier));
            let is_unread = self
                .dates(qualifier)
                .any(|dtm| unread(dtm, times).is_some());
            (clock.is_some() || is_unread).then_some(clock)
        });
        told.next().flatten()
    }

    /// The dates of this kind that are the status's own.
    fn dates(&self, qualifier: &str) -> impl Iterator<Item = &'s Segment<'a>> {
        let dates = self.group.own.iter().filter(|s| s.is("DTM"));
        dates.filter(move |dtm| {
            dtm.component(1, 1) == qualifier && (qualifier == "334" || !self.way.holds(dtm))
        })
    }

    /// Dates of the way that neither a place of it nor the status itself can use.
    fn unused(&self, times: &[&'static str]) -> impl Iterator<Item = &'s Segment<'a>> {
        let mut of_status = times
            .iter()
            .map(|qualifier| self.dates(qualifier).collect::<Vec<_>>());
        let told = of_status.find(|dates| clock_of(dates.iter().copied()).is_some());
        let told = told.unwrap_or_default().into_iter();
        let told: BTreeSet<u32> = told.map(|dtm| dtm.place.number).collect();
        let unused = self.way.unused.iter().copied();
        unused.filter(move |dtm| !told.contains(&dtm.place.number))
    }

    /// The activity's place, else the end of the leg at which such a thing happens.
    fn spot(&self, verb: Verb, desk: &Desk<'_>) -> Spot {
        let ends: &[&[&str]] = match verb {
            Verb::Load | Verb::Depart => &[&["9"], &["5"]],
            Verb::Discharge | Verb::Arrive => &[&["11"], &["12"], &["60"]],
            Verb::Dropoff => &[&["7", "8"]],
            _ => &[],
        };
        let activity: &[&[&str]] = &[&["175"], &["29"], &["165"]];
        for functions in activity.iter().chain(ends).copied() {
            if let Some(mut spot) = self.group.spot(functions, desk) {
                if functions == ["29"] {
                    spot.place.facility_type = Some(FacilityType::Ramp);
                }
                return spot;
            }
        }
        Spot::default()
    }

    /// The means of transport that does such a thing at a place, else the main one, else the only one.
    fn transport(
        &self,
        locode: Option<UnLocode>,
        verb: Verb,
        desk: &Desk<'_>,
    ) -> Option<&'s Segment<'a>> {
        let ends: &[&str] = match verb {
            Verb::Load | Verb::Depart => &["9", "88"],
            Verb::Discharge | Verb::Arrive => &["11", "12", "7", "8"],
            _ => &[],
        };
        let calls_here = self.way.calls.iter().find_map(|call| {
            let here = locode.is_some() && place(call.loc, desk).locode == locode;
            let fits = ends.contains(&call.loc.component(1, 1).as_ref());
            call.transport.filter(|_| here && fits)
        });
        let main = || self.group.transport(&["20"]);
        calls_here
            .or_else(main)
            .or_else(|| self.group.all("TDT").next())
    }

    fn leg(tdt: Option<&Segment<'_>>, doubts: &mut Vec<Doubt>) -> Leg {
        let mut leg = Leg::default();
        let Some(tdt) = tdt else { return leg };
        leg.mode = mode_of(tdt);
        if matches!(leg.mode, None | Some(Mode::Vessel | Mode::Barge)) {
            let (number, name) = vessel_of(tdt);
            name_vessel(&mut leg, doubts, &number, &name);
            name_voyage(&mut leg, &tdt.text(2));
        }
        leg
    }

    fn role(
        &self,
        locode: Option<UnLocode>,
        then: Option<&Clock>,
        desk: &Desk<'_>,
    ) -> Option<Role> {
        let canonical = |locode| desk.gazetteer.canonical(locode);
        let locode = locode?;
        let here = canonical(locode);
        let roles = [
            ("13", Role::Transshipment),
            ("9", Role::Lading),
            ("11", Role::Discharge),
            ("12", Role::Discharge),
            ("7", Role::Delivery),
            ("8", Role::Destination),
            ("88", Role::Receipt),
        ];
        let of = |function: &'static str| self.places(function, desk);
        let is_here = |place: Option<UnLocode>| place.map(canonical) == Some(here);
        let found = roles
            .into_iter()
            .find(|(function, _)| of(function).any(is_here));
        let between = || desk.lies_between(locode, of("11").chain(of("12")).flatten());
        found
            .map(|(function, role)| match role {
                // One of two may be the end of a leg.
                Role::Delivery if !of(function).all(is_here) => Role::Destination,
                role => role,
            })
            .or_else(|| {
                let left = self.departures(desk);
                let mut ladings = of("9").flatten();
                let behind =
                    ladings.any(|port| desk.is_left_before(port, left.get(&port), locode, then));
                let role = if behind { Role::Hub } else { Role::Interim };
                between().then_some(role)
            })
    }

    /// When ships left the ports of loading.
    fn departures(&self, desk: &Desk<'_>) -> BTreeMap<UnLocode, Clock> {
        let calls = self.way.calls.iter();
        let ladings = calls.filter(|call| call.loc.component(1, 1) == "9");
        let left = ladings.filter_map(|call| {
            let dates = call.dates.iter().copied();
            let left = clock_of(dates.filter(|dtm| dtm.component(1, 1) == "186"))?;
            Some((place(call.loc, desk).locode?, left))
        });
        // The first that is told of each.
        left.fold(BTreeMap::new(), |mut all, (port, left)| {
            all.entry(port).or_insert(left);
            all
        })
    }

    /// The places that have this function.
    fn places(
        &self,
        function: &'static str,
        desk: &Desk<'_>,
    ) -> impl Iterator<Item = Option<UnLocode>> {
        let locs = self.group.all("LOC");
        let locs = locs.filter(move |loc| loc.component(1, 1) == function);
        locs.map(|loc| place(loc, desk).locode)
    }

    /// The trucks and trains under which the ports of loading and discharge stand in a message that names no ship: none of them
    /// goes from one to the other where they lie in two countries and far apart. By the number of their segment.
    fn under_which_are_ports(&self, desk: &Desk<'_>) -> BTreeSet<u32> {
        if self.group.transport(&["20"]).is_some() {
            return BTreeSet::new();
        }
        let mut ends: BTreeMap<u32, [Option<UnLocode>; 2]> = BTreeMap::new();
        for call in self.way.calls.iter().filter(|call| call.is_by_land()) {
            let end = match call.loc.component(1, 1).as_ref() {
                "9" => 0,
                "11" | "12" => 1,
                _ => continue,
            };
            let of_tdt = ends.entry(call.under()).or_default();
            if let Some(port) = of_tdt.get_mut(end).filter(|port| port.is_none()) {
                *port = place(call.loc, desk).locode;
            }
        }
        let are_apart = |ends: &[Option<UnLocode>; 2]| match *ends {
            [Some(from), Some(to)] => {
                let is_island = |port: UnLocode| ISLANDS.contains(&port.country());
                from.country() != to.country()
                    && (is_island(from)
                        || is_island(to)
                        || !desk.gazetteer.is_within(from, to, BY_LAND_KM))
                    && desk.is_seaport(from)
                    && desk.is_seaport(to)
            }
            _ => false,
        };
        ends.retain(|_, ends| are_apart(ends));
        ends.into_keys().collect()
    }

    /// The claims of the way's own times.
    fn plan(&self, base: &Draft, desk: &Desk<'_>) -> Vec<(&'s Segment<'a>, Result<Draft, Fault>)> {
        let mut planned = Vec::new();
        let of_ports = self.under_which_are_ports(desk);
        for call in self.way.calls.iter().filter(|call| call.is_of_the_way()) {
            let is_at_sea = call.is_port() && of_ports.contains(&call.under());
            for dtm in &call.dates {
                let qualifier = dtm.component(1, 1);
                let Some((verb, classifier)) = call.said(&qualifier) else {
                    continue;
                };
                let Some(clock) = clock(dtm) else {
                    let told = dtm.component(1, 2);
                    // An element that is left empty tells nothing.
                    if !told.is_empty() {
                        planned.push((*dtm, Err(format!("{told:?} is no time"))));
                    }
                    continue;
                };
                let function = call.loc.component(1, 1);
                let original = format!("LOC+{function}/{qualifier}");
                let mut draft = base.clone().says(verb, original);
                draft.report.classifier = classifier;
                let Spot { place, region } = spot(call.loc, desk);
                draft.at(&place, desk.gazetteer);
                draft.region = region;
                draft.report.leg = if is_at_sea {
                    Leg::default()
                } else {
                    Self::leg(call.transport, &mut draft.report.doubts)
                };
                let inland = matches!(function.as_ref(), "7" | "8");
                if draft.report.leg.mode.is_none() {
                    draft.report.leg.mode = Some(if inland { Mode::Truck } else { Mode::Vessel });
                }
                draft.report.move_hint = (function == "13").then_some(MoveHint::Transshipment);
                if classifier == Classifier::Actual {
                    draft.report.doubts.push(Doubt::Derived);
                }
                let dated = desk.date(&mut draft, clock);
                planned.push((*dtm, dated.map(|()| draft)));
            }
        }
        planned
    }
}
