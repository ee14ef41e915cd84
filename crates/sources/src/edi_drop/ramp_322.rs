//! 322: a terminal's or railroad's word about one box.
//!
//! Q5 is the status, N7 and W2 the box, R4 where. A set may hold several Q5; what stands before the first is
//! said of all. ZC1 takes back, or puts right, a set that was sent before.

use domain::codes::{Scac, UnLocode};
use domain::report::{Classifier, Leg, Mode, Place, SourceKind, Value, Verb, Withdrawal};
use edi::Segment;
use rust_decimal::Decimal;

use super::boxes_322::{Boxes, OfBox};
use super::code::{Says, Tongue, says};
use super::desk::{Desk, Draft, Fault, Region, fault, put};
use super::edifact_group::is_seal;
use super::numbers::{Numbers, is_nobodys, means_box};
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

/// A status of one box.
struct Record<'r, 'a, 'd, 'g> {
    q5: Segment<'a>,
    boxes: &'r Boxes<'r, 'a>,
    of_box: &'r OfBox<'r, 'a>,
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
        withdrawn = take_back(zc1, heading, loops, written, desk, parsed);
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
        if !desk.goes_on(parsed, q5, heading.len() + each.len()) {
            return;
        }
        let boxes = Boxes::of(heading, each);
        if boxes.each.is_empty() {
            fault(parsed, q5, "it names no box (N7, W2, N9*EQ)");
        }
        for (segment, number) in &boxes.strangers {
            let reason = format!("nothing is told of {number:?}, which stands beside another box");
            desk.fault_once(parsed, segment, reason);
        }
        for of_box in &boxes.each {
            if !desk.goes_on(parsed, q5, boxes.looks_at(of_box)) {
                return;
            }
            let body = boxes.said_of(of_box);
            let record = Record {
                q5: *q5,
                boxes: &boxes,
                of_box,
                stops: stops(&body, desk),
                body,
                desk,
                written,
            };
            record.read(parsed);
        }
    }
}

/// Puts down what a ZC1 withdraws; says whether the set also tells what is right.
fn take_back(
    zc1: &Segment<'_>,
    heading: &[Segment<'_>],
    loops: &[Segment<'_>],
    written: Written,
    desk: &Desk<'_>,
    parsed: &mut Parsed,
) -> Result<bool, ()> {
    let indicator = zc1.text(6).to_ascii_uppercase();
    let cancels = CANCELLATIONS.contains(&indicator.as_str());
    let code_of = |status: &[Segment<'_>]| {
        let code = status.first().map(|q5| q5.text(1).to_ascii_uppercase());
        code.filter(|code| !code.is_empty())
    };
    let own = box_number(&zc1.text(2), &zc1.text(3), &zc1.text(9));
    let is_of_set = |number: &String| {
        let names = |n7: &Segment<'_>| box_number(&n7.text(1), &n7.text(2), &n7.text(18));
        let mut n7s = loops.iter().filter(|segment| segment.is("N7"));
        is_nobodys(number)
            || (!means_box(number) && n7s.any(|n7| names(n7).as_ref() == Some(number)))
    };
    let mut withdrawn = Vec::new();
    match own.filter(|number| !is_of_set(number)) {
        Some(number) => withdrawn.push((number, code_of(loops))),
        // One that names gear, or nothing, takes back what the set says of each box.
        None => {
            for status in loops.chunk_by(|_, next| !next.is("Q5")) {
                if !desk.goes_on(parsed, zc1, heading.len() + status.len()) {
                    return Err(());
                }
                let each = Boxes::of(heading, status).each.into_iter();
                withdrawn.extend(each.map(|of_box| (of_box.number, code_of(status))));
            }
        }
    }
    if withdrawn.is_empty() {
        fault(parsed, zc1, "it names no box (ZC1-02, ZC1-03)");
        return Err(());
    }
    let text = |element: usize| Some(zc1.text(element).into_owned()).filter(|t| !t.is_empty());
    let date = time::x12(&zc1.text(5), "", "").map(|clock| clock.local.date());
    for (number, code) in withdrawn {
        if !desk.goes_on(parsed, zc1, 1) {
            return Err(());
        }
        let mut draft = desk.draft(SourceKind::X12_322, written.at);
        if let Err(reason) = draft.about(&number) {
            fault(parsed, zc1, reason);
            return Err(());
        }
        draft = draft.says(Verb::Document, format!("322/ZC1/{indicator}"));
        draft.report.value = Some(Value::Withdraws(Withdrawal {
            reference: text(4),
            date,
            original: code.map(|code| format!("322/{code}")),
            replaced: !cancels,
        }));
        put(parsed, zc1, Ok(vec![draft]));
    }
    Ok(!cancels)
}

impl Record<'_, '_, '_, '_> {
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

    fn base(&self) -> Result<Draft, Fault> {
        let numbers = Numbers::of(&self.body);
        let mut draft = self.desk.draft(SourceKind::X12_322, self.written.at);
        draft.about(&self.of_box.number)?;
        draft.laden(self.boxes.laden(self.of_box));
        let seals = self.boxes.seals(self.of_box).into_iter();
        let referred = numbers.seals.into_iter();
        let referred = referred.filter(|_| self.of_box.has_own_seals());
        if let Some(equipment) = &mut draft.report.equipment {
            equipment.seals = seals.filter(|seal| is_seal(seal)).chain(referred).collect();
            // Of gear these say nothing of the box on it.
            if let Some(n7) = self.of_box.n7 {
                equipment.iso_type = Some(n7.text(22).into_owned()).filter(|t| !t.is_empty());
                equipment.gross_kg = gross_kg(n7);
            }
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
