//! 322: a terminal's or railroad's word about one box.
//!
//! Q5 is the status, N7 and W2 the box, R4 where. A set may hold several Q5; what stands before the first is
//! said of all. ZC1 takes back, or puts right, a set that was sent before.

use std::collections::BTreeSet;

use domain::codes::{Scac, UnLocode};
use domain::report::{Classifier, Leg, Mode, Place, SourceKind, Value, Verb, Withdrawal};
use edi::Segment;
use rust_decimal::Decimal;

use super::code::{Says, Tongue, says};
use super::desk::{Desk, Draft, Fault, Region, fault, put};
use super::edifact_group::is_seal;
use super::numbers::{Numbers, is_box, is_gear, is_of_containers, key, means_box};
use super::ocean_315::box_number;
use super::parse::Written;
use super::route::{HANDED_OVER, Role, Stop, clock, is_time, stops, unread};
use super::status::Status;
use super::time::{self, Clock};
use super::whereabouts::{Told, name_vessel, name_voyage};
use crate::table::{known_railroad, railroad};
use crate::{Parsed, towns};

/// What ZC1-06 says when the former set is only taken back.
const CANCELLATIONS: &[&str] = &["CA", "CN", "DE", "VO"];

struct Record<'a, 'd, 'g> {
    q5: Segment<'a>,
    body: Vec<Segment<'a>>,
    stops: Vec<Stop<'a>>,
    desk: &'d Desk<'g>,
    written: Written,
}

/// Reads a set.
pub(super) fn read(body: &[Segment<'_>], written: Written, desk: &Desk<'_>, parsed: &mut Parsed) {
    let first = body.iter().position(|segment| segment.is("Q5"));
    let (heading, loops) = body.split_at(first.unwrap_or(body.len()));
    let correction = heading.iter().find(|segment| segment.is("ZC1"));
    let mut withdrawn = Ok(true);
    if let Some(zc1) = correction {
        withdrawn = take_back(zc1, loops, written, desk, parsed);
    }
    if loops.is_empty() && correction.is_none() {
        if let Some(first) = body.first() {
            fault(parsed, first, "a 322 without a status (Q5) says nothing");
        }
        return;
    }
    if withdrawn != Ok(true) {
        return;
    }
    for each in loops.chunk_by(|_, next| !next.is("Q5")) {
        let Some(q5) = each.first() else { continue };
        let boxes = Boxes::of(each);
        for of_box in &boxes.each {
            let said = || heading.iter().chain(boxes.said_of(of_box));
            if !desk.goes_on(parsed, q5, said().count()) {
                return;
            }
            let body: Vec<Segment<'_>> = said().copied().collect();
            let record = Record {
                q5: *q5,
                stops: stops(&body, desk),
                body,
                desk,
                written,
            };
            record.read(parsed);
        }
    }
}

/// What a status says of each box that it names: an N7 begins the next one, with its own W2, references and places. Where
/// several N7 stand together, what follows the last is said of all. What is said of a chassis or a rail car is of no box, but of the
/// one that it carries where no N7 names that.
struct Boxes<'s> {
    heading: Vec<Segment<'s>>,
    each: Vec<Vec<Segment<'s>>>,
    /// Behind the last.
    tail: Vec<Segment<'s>>,
}

impl<'s> Boxes<'s> {
    fn of(status: &[Segment<'s>]) -> Self {
        let of_n7 = |n7: &Segment<'_>| number_of(n7).filter(|number| means_box(number));
        let n7s = || status.iter().filter(|segment| segment.is("N7"));
        let named: BTreeSet<String> = n7s().filter_map(of_n7).map(|number| key(&number)).collect();
        let is_box = |group: &[Segment<'_>]| {
            let Some(n7) = group.first() else {
                return false;
            };
            let carries =
                || carried_by(group).is_some_and(|carried| !named.contains(&key(&carried)));
            of_n7(n7).is_some() || carries()
        };
        let mut groups = status.chunk_by(|_, next| !next.is("N7"));
        let mut heading: Vec<Segment<'s>> = groups.next().unwrap_or_default().to_vec();
        let mut each: Vec<Vec<Segment<'s>>> = Vec::new();
        for group in groups {
            if is_box(group) {
                each.push(group.to_vec());
                continue;
            }
            let Some(other) = group.first() else { continue };
            let rest = group.iter().filter(|segment| !is_of(other, segment));
            each.last_mut().unwrap_or(&mut heading).extend(rest);
        }
        let Some(last) = each.last() else {
            return Self {
                heading: Vec::new(),
                each: vec![status.to_vec()],
                tail: Vec::new(),
            };
        };
        let tail = last.iter().copied().filter(is_of_all).collect();
        Self {
            heading,
            each,
            tail,
        }
    }

    /// All that is said of one of them.
    fn said_of<'b>(&'b self, of_box: &'b [Segment<'s>]) -> impl Iterator<Item = &'b Segment<'s>> {
        let has_own = of_box.iter().any(is_of_all);
        let tail: &[Segment<'s>] = if has_own { &[] } else { &self.tail };
        self.heading.iter().chain(of_box).chain(tail)
    }
}

/// What may be said of several boxes at once.
fn is_of_all(segment: &Segment<'_>) -> bool {
    let names_equipment = segment.is("N9") && segment.text(1) == "EQ";
    !["N7", "W2", "M7", "NA"].contains(&segment.tag()) && !names_equipment
}

/// The box on a chassis or a rail car, as far as what stands behind its N7 names one.
fn carried_by(group: &[Segment<'_>]) -> Option<String> {
    let behind = group.iter().skip(1);
    let mut named = behind.clone().filter_map(number_of);
    named
        .find(|number| means_box(number))
        .or_else(|| Numbers::of(behind.clone()).box_number)
        .or_else(|| group.iter().find_map(beside))
}

/// Puts down what a ZC1 withdraws; says whether the set also tells what is right.
fn take_back(
    zc1: &Segment<'_>,
    loops: &[Segment<'_>],
    written: Written,
    desk: &Desk<'_>,
    parsed: &mut Parsed,
) -> Result<bool, ()> {
    let indicator = zc1.text(6).to_ascii_uppercase();
    let cancels = CANCELLATIONS.contains(&indicator.as_str());
    let own = box_number(&zc1.text(2), &zc1.text(3), &zc1.text(9));
    let number = own.or_else(|| loops.iter().find_map(number_of));
    let mut draft = desk.draft(SourceKind::X12_322, written.at);
    let named = number.ok_or_else(|| "it names no box (ZC1-02, ZC1-03)".to_owned());
    if let Err(reason) = named.and_then(|number| draft.about(&number)) {
        fault(parsed, zc1, reason);
        return Err(());
    }
    let code = loops.first().map(|q5| q5.text(1).to_ascii_uppercase());
    let text = |element: usize| Some(zc1.text(element).into_owned()).filter(|t| !t.is_empty());
    let date = time::x12(&zc1.text(5), "", "").map(|clock| clock.local.date());
    draft = draft.says(Verb::Document, format!("322/ZC1/{indicator}"));
    draft.report.value = Some(Value::Withdraws(Withdrawal {
        reference: text(4),
        date,
        original: code
            .filter(|code| !code.is_empty())
            .map(|code| format!("322/{code}")),
        replaced: !cancels,
    }));
    put(parsed, zc1, Ok(vec![draft]));
    Ok(!cancels)
}

/// Whether a segment is said of the chassis or rail car that this N7 names. A W2 behind it may name the box that it carries.
fn is_of(n7: &Segment<'_>, segment: &Segment<'_>) -> bool {
    match segment.tag() {
        "N7" | "M7" => true,
        "W2" => (segment.text(1), segment.text(2)) == (n7.text(1), n7.text(2)),
        _ => false,
    }
}

/// Equipment that is no box, unless its owner says that it is (element 40): chassis, with a gooseneck or without, and trailers.
const OTHER_EQUIPMENT: &[&str] = &["CB", "CH", "TL"];
/// A rail car.
const RAIL_CAR: &str = "RR";

fn number_of(segment: &Segment<'_>) -> Option<String> {
    let text = |element: usize| segment.text(element);
    match segment.tag() {
        // Rail cars and chassis stand in segments of the same name.
        "N7" => named(&text(11), box_number(&text(1), &text(2), &text(18))),
        "W2" => named(&text(4), box_number(&text(1), &text(2), "")),
        _ => None,
    }
}

/// The number, where such equipment may be a box.
fn named(code: &str, number: Option<String>) -> Option<String> {
    let number = number?;
    let is_other = OTHER_EQUIPMENT.contains(&code) && !is_of_containers(&number);
    (code != RAIL_CAR && !is_other && !is_gear(&number)).then_some(number)
}

/// The box that stands beside other equipment in a segment of that.
fn beside(segment: &Segment<'_>) -> Option<String> {
    let text = |element: usize| segment.text(element);
    let number = match segment.tag() {
        "NA" => box_number(&text(3), &text(4), ""),
        "W2" => box_number(&text(6), &text(7), ""),
        _ => None,
    };
    number.filter(|number| is_of_containers(number))
}

impl Record<'_, '_, '_> {
    fn read(&self, parsed: &mut Parsed) {
        let base = match self.base() {
            Ok(base) => base,
            Err(reason) => return fault(parsed, &self.q5, reason),
        };
        let code = self.q5.text(1).to_ascii_uppercase();
        if code.is_empty() {
            fault(parsed, &self.q5, "there is no status code (Q5-01)");
        } else if !self.desk.ignores(&code) {
            put(parsed, &self.q5, self.status(&base, &code));
        }
        self.arrivals(&base, parsed);
    }

    fn find(&self, tag: &str) -> Option<&Segment<'_>> {
        self.body.iter().find(|segment| segment.is(tag))
    }

    /// The first of these segments that names a box.
    fn of_box(&self, tag: &str) -> Option<&Segment<'_>> {
        let mut all = self.body.iter().filter(|segment| segment.is(tag));
        all.find(|segment| number_of(segment).is_some())
    }

    fn base(&self) -> Result<Draft, Fault> {
        let numbers = Numbers::of(&self.body);
        let mut named: Vec<String> = self.body.iter().filter_map(number_of).collect();
        named.extend(numbers.box_number.clone());
        if named.is_empty() {
            named.extend(self.body.iter().find_map(beside));
        }
        let number = named.iter().find(|n| is_box(n)).or(named.first());
        let number = number.ok_or("it names no box (N7, W2, N9*EQ)")?;
        let mut draft = self.desk.draft(SourceKind::X12_322, self.written.at);
        draft.about(number)?;
        // Whether a chassis is laden says that a box is on it, and not what is in that.
        let told = self.of_box("W2").map(|w2| w2.text(5).into_owned());
        draft.laden(match told.as_deref() {
            Some("L") => Some(true),
            Some("E") => Some(false),
            _ => None,
        });
        let seals = self.body.iter().filter(|segment| segment.is("M7"));
        // The fifth element says who applied them.
        let seals = seals.flat_map(|m7| (1..=4).map(|n| m7.text(n).into_owned()));
        if let (Some(equipment), Some(n7)) = (&mut draft.report.equipment, self.of_box("N7")) {
            equipment.iso_type = Some(n7.text(22).into_owned()).filter(|t| !t.is_empty());
            equipment.gross_kg = gross_kg(n7);
            equipment.seals = seals
                .filter(|seal| is_seal(seal))
                .chain(numbers.seals)
                .collect();
        }
        let scac = draft.report.references.scac;
        draft.report.references = numbers.references;
        let references = &mut draft.report.references;
        references.scac = self.railroad().or(references.scac).or(scac);
        Ok(draft)
    }

    /// The railroad that the set names (`N1*RR`), by its code or by a name that is known. Of several it is not told whose
    /// word it is.
    fn railroad(&self) -> Option<Scac> {
        let named = self.body.iter().filter(|segment| segment.is("N1"));
        let named = named.filter(|n1| n1.text(1) == "RR");
        let mut roads = named.filter_map(|n1| match n1.text(3).as_ref() {
            "2" => railroad(&n1.text(4)),
            _ => known_railroad(&n1.text(4)).or_else(|| known_railroad(&n1.text(2))),
        });
        let first = roads.next()?;
        roads.all(|other| other == first).then_some(first)
    }

    fn status(&self, base: &Draft, code: &str) -> Result<Vec<Draft>, Fault> {
        let mut draft = base.clone().says(Verb::Document, format!("322/{code}"));
        let meaning = says(code, Tongue::Ramp);
        let place = self.place(meaning);
        draft.at(&place, self.desk.gazetteer);
        draft.region = self.region();
        draft.report.leg = self.leg(&mut draft.report.doubts);
        if let Some(locode) = place.locode
            && self.desk.known().is_off_the_sea(locode)
        {
            draft.report.leg.mode = None;
        }
        let numbers = Numbers::of(&self.body);
        self.desk.claims(Status {
            says: meaning,
            draft,
            clock: self.clock(),
            role: self.role(place.locode),
            words: &numbers.words,
            text: &numbers.text,
        })
    }

    fn leg(&self, doubts: &mut Vec<domain::report::Doubt>) -> Leg {
        let mut leg = Leg::default();
        if let Some(v1) = self.find("V1") {
            let number = if v1.text(8) == "L" {
                v1.text(1)
            } else {
                "".into()
            };
            name_vessel(&mut leg, doubts, &number, &v1.text(2));
            name_voyage(&mut leg, &v1.text(4));
        }
        leg
    }

    /// The activity's place, else Q5's own. A town with terminals is their port, unless goods are said to come to a door there.
    fn place(&self, meaning: Option<Says>) -> Place {
        let is_of_terminals = meaning.is_some_and(Says::is_at_a_terminal);
        let activity = self.stops.iter().find(|stop| stop.role == Role::Activity);
        if let Some(stop) = activity.filter(|stop| stop.place != Place::default()) {
            let terminals = stop.at_terminal.as_ref().filter(|_| is_of_terminals);
            return terminals.unwrap_or(&stop.place).clone();
        }
        let (city, state) = (self.q5.text(6), self.q5.text(7));
        let told = Told {
            city: &city,
            state: &state,
            country: &self.country(),
            ..Told::default()
        };
        if is_of_terminals {
            self.desk.terminals_place(told)
        } else {
            self.desk.place(told)
        }
    }

    /// The country of Q5's own place.
    fn country(&self) -> String {
        towns::country_beside(&self.q5.text(7), &self.q5.text(8))
    }

    /// What the clocks of the activity's state say, else of Q5's own.
    fn region(&self) -> Region {
        let activity = self.stops.iter().find(|stop| stop.role == Role::Activity);
        let told = activity.and_then(|stop| stop.region.clone());
        told.or_else(|| {
            let told = Told {
                city: &self.q5.text(6),
                state: &self.q5.text(7),
                country: &self.country(),
                ..Told::default()
            };
            self.desk.region_of(told, None)
        })
    }

    fn role(&self, locode: Option<UnLocode>) -> Option<Role> {
        let here = locode?;
        let parts = [
            Role::Lading,
            Role::Discharge,
            Role::Delivery,
            Role::Transshipment,
        ];
        let mut stops = self.stops.iter().filter(|stop| parts.contains(&stop.role));
        stops
            .find(|stop| stop.place.locode == Some(here))
            .map(|stop| stop.role)
    }

    fn clock(&self) -> Option<Clock> {
        time::x12(&self.q5.text(2), &self.q5.text(3), &self.q5.text(4))
    }

    /// When the train is expected: a date of the set itself, at the end of the leg.
    fn arrivals(&self, base: &Draft, parsed: &mut Parsed) {
        let Some(end) = self
            .stops
            .iter()
            .find(|stop| stop.role == Role::LegDestination)
        else {
            return;
        };
        let of_set = || {
            let before_places = self.body.iter().take_while(|segment| !segment.is("R4"));
            before_places.filter(|segment| segment.is("DTM"))
        };
        let mut trains = of_set().filter(|dtm| dtm.text(1) == "371");
        let comes = end.tells_when_it_comes(self.desk) || trains.any(|dtm| is_time(dtm, self.desk));
        for dtm in of_set() {
            let qualifier = dtm.text(1);
            let tells = qualifier == "371" || (qualifier == HANDED_OVER && !comes);
            if !tells {
                continue;
            }
            let Some(clock) = clock(dtm) else {
                if let Some(reason) = unread(dtm) {
                    self.desk.fault_once(parsed, dtm, reason);
                }
                continue;
            };
            if !self.desk.goes_on(parsed, dtm, 1) {
                return;
            }
            let mut draft = base
                .clone()
                .says(Verb::Arrive, format!("322/DTM/{qualifier}"));
            draft.report.classifier = Classifier::Estimated;
            draft.at(&end.place, self.desk.gazetteer);
            draft.region.clone_from(&end.region);
            draft.report.leg.mode = Some(Mode::Rail);
            let dated = self.desk.date(&mut draft, clock).map(|()| draft);
            self.desk.put_date(parsed, dtm, dated);
        }
        for (dtm, draft) in end.plan(base, None, self.desk) {
            if comes && dtm.text(1) == HANDED_OVER {
                continue;
            }
            if !self.desk.goes_on(parsed, dtm, 1) {
                return;
            }
            self.desk.put_date(parsed, dtm, draft);
        }
    }
}

/// N7-03 in kilograms, when it is a gross weight.
fn gross_kg(n7: &Segment<'_>) -> Option<Decimal> {
    if !matches!(n7.text(4).as_ref(), "G" | "") {
        return None;
    }
    weight(&n7.text(3), &n7.text(17))
}

/// A weight in kilograms; pounds where no unit is told. A comma may stand for the decimal point (ISO 9735).
pub(super) fn weight(text: &str, unit: &str) -> Option<Decimal> {
    let weight: Decimal = text.trim().replace(',', ".").parse().ok()?;
    let pound = Decimal::new(45_359_237, 8);
    let kilograms = match unit.trim() {
        "K" | "KG" | "KGM" => weight,
        "TNE" | "MT" => weight.checked_mul(Decimal::ONE_THOUSAND)?,
        "" | "L" | "LB" | "LBR" => weight.checked_mul(pound)?.round_dp(2),
        _ => return None,
    };
    (kilograms > Decimal::ZERO).then(|| kilograms.normalize())
}
