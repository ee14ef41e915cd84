//! 315: an ocean carrier's word about one box.
//!
//! B4 is the status; N9, Q2 and R4 tell numbers, vessel and way. B4 often names the port of loading while the
//! happening is elsewhere, so the activity's own place (`R4*5`) is believed first, then a reference that
//! repeats the status code beside a place, then B4. What B4 calls a place may be no more than a name or a code of a short list;
//! where an R4 repeats it, that one tells the rest.

use std::cell::OnceCell;

use domain::codes::UnLocode;
use domain::report::{Leg, Mode, Place, SourceKind, Verb};
use edi::Segment;

use super::code::{Says, Tongue, says, twin};
use super::desk::{Desk, Draft, Fault, Region, fault, put};
use super::numbers::{Numbers, is_box};
use super::parse::Written;
use super::pre_carriage::{Named, is_by_feeder};
use super::route::{Role, Stop, stops, unread_time};
use super::status::Status;
use super::time::{self, Clock};
use super::whereabouts::{Told, name_vessel, name_voyage};
use crate::Parsed;

/// One B4 with what belongs to it.
struct Record<'a, 'd, 'g> {
    b4: Segment<'a>,
    body: &'d [Segment<'a>],
    numbers: Numbers,
    stops: Vec<Stop<'a>>,
    /// Where its statuses happened: asked for every one beside B4's.
    spots: Spots,
    leg: Leg,
    desk: &'d Desk<'g>,
    written: Written,
}

/// Where a status happened.
#[derive(Clone, Debug, Default)]
struct Spot {
    place: Place,
    /// Its part in the way.
    role: Option<Role>,
    /// What the clocks there say.
    region: Region,
}

/// The spots of the kinds of statuses, of which a message may have many.
#[derive(Default)]
struct Spots {
    ships: OnceCell<Spot>,
    terminals: OnceCell<Spot>,
    pickups: OnceCell<Spot>,
    doors: OnceCell<Spot>,
}

/// Reads a set. A B4 in its middle begins a record of its own: the envelope between two was lost.
pub(super) fn read(body: &[Segment<'_>], written: Written, desk: &Desk<'_>, parsed: &mut Parsed) {
    let mut records = body.chunk_by(|_, next| !next.is("B4")).peekable();
    if records
        .peek()
        .and_then(|first| first.first())
        .is_some_and(|s| !s.is("B4"))
    {
        records.next();
    }
    let mut found = false;
    for record in records {
        let Some(b4) = record.first() else { continue };
        found = true;
        if !desk.goes_on(parsed, b4, record.len()) {
            return;
        }
        Record::of(*b4, record, written, desk).read(parsed);
    }
    if let (false, Some(first)) = (found, body.first()) {
        fault(parsed, first, "a 315 without a status (B4) says nothing");
    }
}

impl<'a, 'd, 'g> Record<'a, 'd, 'g> {
    fn of(b4: Segment<'a>, body: &'d [Segment<'a>], written: Written, desk: &'d Desk<'g>) -> Self {
        let numbers = Numbers::of(body);
        Self {
            b4,
            body,
            numbers,
            stops: stops(body, desk),
            spots: Spots::default(),
            leg: Leg::default(),
            desk,
            written,
        }
    }

    fn read(mut self, parsed: &mut Parsed) {
        let base = match self.base() {
            Ok(base) => base,
            Err(reason) => return fault(parsed, &self.b4, reason),
        };
        let code = self.b4.text(3).to_ascii_uppercase();
        let meaning = says(&code, Tongue::Ocean);
        let role = self.spot(meaning).role;
        let mut is_fed = false;
        if code.is_empty() {
            fault(parsed, &self.b4, "there is no status code (B4-03)");
        } else if !self.desk.ignores(&code) {
            if let Some(told) = unread_time(&self.b4.text(4), &self.b4.text(5)) {
                fault(parsed, &self.b4, format!("B4-04: {told:?} is no time"));
            }
            let clock = self.clock();
            let drafts = self.status(&base, &code, meaning, clock);
            is_fed = drafts.as_ref().is_ok_and(|drafts| is_by_feeder(drafts));
            put(parsed, &self.b4, drafts);
        }
        self.further(&base, &code, parsed);
        self.plan(&base, role.filter(|_| !is_fed), is_fed, parsed);
    }

    /// Box, numbers and vessel.
    fn base(&mut self) -> Result<Draft, Fault> {
        let b4 = self.b4;
        let own = box_number(&b4.text(7), &b4.text(8), &b4.text(13));
        let number = match &self.numbers.box_number {
            Some(number) if !own.as_deref().is_some_and(is_box) => Some(number.clone()),
            _ => own,
        };
        let number = number.ok_or("it names no box (B4-07, B4-08, N9*EQ)")?;
        let mut draft = self.desk.draft(SourceKind::X12_315, self.written.at);
        draft.about(&number)?;
        draft.laden(match b4.text(9).as_ref() {
            "L" | "F" => Some(true),
            "E" | "M" => Some(false),
            _ => None,
        });
        if let Some(equipment) = &mut draft.report.equipment {
            equipment.iso_type = Some(b4.text(10).into_owned()).filter(|t| !t.is_empty());
            equipment.seals.clone_from(&self.numbers.seals);
        }
        let scac = draft.report.references.scac;
        draft.report.references = self.numbers.references.clone();
        draft.report.references.scac = draft.report.references.scac.or(scac);
        self.leg = self.vessel(&mut draft);
        Ok(draft)
    }

    fn vessel(&self, draft: &mut Draft) -> Leg {
        let mut leg = Leg::default();
        let Some(q2) = self.body.iter().find(|segment| segment.is("Q2")) else {
            leg.vessel_name.clone_from(&self.numbers.vessel_name);
            return leg;
        };
        let (code, qualifier) = (q2.text(1), q2.text(12));
        // Call signs and ships' own ids are no IMO numbers; seven digits without a qualifier are tried.
        let number = match qualifier.as_ref() {
            "L" => code.as_ref(),
            "" if code.len() == 7 => code.as_ref(),
            _ => "",
        };
        name_vessel(&mut leg, &mut draft.report.doubts, number, &q2.text(13));
        name_voyage(&mut leg, &q2.text(9));
        if leg.vessel_name.is_none() {
            leg.vessel_name.clone_from(&self.numbers.vessel_name);
        }
        leg
    }

    fn activity(&self) -> Option<&Stop<'a>> {
        self.of_role(Role::Activity).next()
    }

    /// Where a status of this meaning happened.
    fn spot(&self, meaning: Option<Says>) -> &Spot {
        let spots = &self.spots;
        let spot = match meaning {
            Some(says) if says.is_by_sea() => &spots.ships,
            Some(Says::Free | Says::NotFree) => &spots.pickups,
            Some(says) if says.is_at_a_terminal() => &spots.terminals,
            _ => &spots.doors,
        };
        spot.get_or_init(|| self.find_spot(meaning))
    }

    fn find_spot(&self, meaning: Option<Says>) -> Spot {
        if let Some(stop) = self.told_activity() {
            return self.spot_at(self.activity_place(stop, meaning), Some(stop));
        }
        if let Some(place) = self.named_with() {
            let stop = self.stops.iter().find(|stop| self.is_of(stop, &place));
            return self.spot_at(place, stop);
        }
        let place = self.of_b4();
        let repeated = self.repeats_b4().or_else(|| self.activity());
        let is_known = place.locode.is_some_and(|port| self.desk.knows(port));
        let fits = |stop: &&Stop<'_>| match stop.place.locode {
            Some(_) => self.is_of(stop, &place),
            None => !is_known,
        };
        let spot = self.spot_at(place.clone(), repeated.filter(fits));
        let is_where_it_began = matches!(spot.role, Some(Role::Receipt | Role::Lading));
        match meaning {
            // What lies ready behind the sea does not lie where B4 names the port of loading from habit; nobody says where.
            Some(Says::Free | Says::NotFree) if is_where_it_began && self.has_landed() => {
                Spot::default()
            }
            _ => spot,
        }
    }

    /// A place that was chosen, with the part and the clock of the stop that tells it.
    fn spot_at(&self, place: Place, stop: Option<&Stop<'a>>) -> Spot {
        Spot {
            role: self.role(place.locode, stop),
            region: stop.and_then(|stop| stop.region.clone()),
            place,
        }
    }

    /// Whether a stop has the port of a place.
    fn is_of(&self, stop: &Stop<'_>, place: &Place) -> bool {
        let canonical = |port| self.desk.gazetteer.canonical(port);
        let ports = stop.place.locode.zip(place.locode);
        ports.is_some_and(|(here, there)| canonical(here) == canonical(there))
    }

    /// Whether the message tells that the box has reached the end of the sea.
    fn has_landed(&self) -> bool {
        let ends = [Role::Discharge, Role::Delivery, Role::Destination];
        let mut ends = self.stops.iter().filter(|stop| ends.contains(&stop.role));
        ends.any(|stop| stop.actual().is_some())
    }

    /// An activity of which it is said where.
    fn told_activity(&self) -> Option<&Stop<'a>> {
        self.activity()
            .filter(|stop| stop.place != Place::default())
    }

    /// A town with terminals is their port for what a ship does, and for what is done in a yard unless goods are received or
    /// delivered in that town.
    fn activity_place(&self, stop: &Stop<'_>, meaning: Option<Says>) -> Place {
        let is_door = |other: &Stop<'_>| {
            matches!(other.role, Role::Receipt | Role::Delivery) && other.is_called_like(stop)
        };
        let is_at_port = meaning.is_some_and(|says| {
            says.is_by_sea() || (says.is_at_a_terminal() && !self.stops.iter().any(is_door))
        });
        if let Some(place) = stop.at_terminal.as_ref().filter(|_| is_at_port) {
            return place.clone();
        }
        Place {
            locode: stop.place.locode.or_else(|| self.port_of(stop)),
            ..stop.place.clone()
        }
    }

    /// The port of an activity's place that is in no table: as the same place is told elsewhere in the message, or beside
    /// the code of the status. A terminal by a code of its own says no port; it is in that of B4. So is what is called like
    /// the port of loading, since B4 often names that one; of another town B4 says nothing.
    fn port_of(&self, stop: &Stop<'_>) -> Option<UnLocode> {
        let fits = |port: &UnLocode| stop.may_be(*port, self.desk);
        let twins = || self.stops.iter().filter(|o| o.is_called_like(stop));
        let told = twins().filter_map(|twin| twin.place.locode).find(fits);
        let named = || self.named_with()?.locode.filter(fits);
        let loads = |twin: &Stop<'_>| matches!(twin.role, Role::Lading | Role::Receipt);
        let of_b4 = || {
            let port = self.of_b4().locode.filter(fits);
            port.filter(|_| !stop.names_a_town() || twins().any(loads))
        };
        told.or_else(named).or_else(of_b4)
    }

    /// The place of B4: by itself, else as the R4 tells it that repeats it.
    fn of_b4(&self) -> Place {
        let place = self.b4_alone();
        let repeated = || self.repeats_b4()?.place.locode;
        Place {
            locode: place.locode.or_else(repeated),
            ..place
        }
    }

    /// The place that B4 names in one of its two elements. The second is the one for codes; some senders have the code in the
    /// first, and beside it a name or nothing.
    fn b4_alone(&self) -> Place {
        let b4 = self.b4;
        let (list, second, first) = (b4.text(12), b4.text(11), b4.text(6));
        let told = |code, name| {
            self.desk.place(Told {
                qualifier: &list,
                code,
                name,
                ..Told::default()
            })
        };
        let usual = told(&second, &first);
        let is_known = |place: &Place| place.locode.is_some_and(|port| self.desk.knows(port));
        if is_known(&usual) {
            return usual;
        }
        // A name of five letters may look like a code, so here it is one of a place that is known.
        let turned = told(&first, &second);
        if is_known(&turned) { turned } else { usual }
    }

    /// The place of the way that B4 repeats, by its code or by its name, where they fit no other.
    fn repeats_b4(&self) -> Option<&Stop<'a>> {
        let b4 = self.b4;
        let list = b4.text(12);
        let elements = [b4.text(11), b4.text(6)];
        let only = |is_meant: &dyn Fn(&Stop<'a>) -> bool| {
            let mut meant = self.stops.iter().filter(|stop| is_meant(stop));
            let first = meant.next()?;
            meant
                .all(|other| other.is_at(first, self.desk))
                .then_some(first)
        };
        let coded = |stop: &Stop<'a>| elements.iter().any(|code| stop.is_coded(&list, code));
        let named = |stop: &Stop<'a>| elements.iter().any(|name| stop.is_named(name));
        only(&coded).or_else(|| only(&named))
    }

    /// A place that a reference names beside the code of B4.
    fn named_with(&self) -> Option<Place> {
        let code = self.b4.text(3).to_ascii_uppercase();
        let mut references = self.body.iter().filter(|s| s.is("N9") && s.text(1) == "ZZ");
        references.find_map(|n9| {
            let (first, second) = (n9.text(2), n9.text(3));
            let told = match (first == code, second == code) {
                (true, false) => second,
                (false, true) => first,
                _ => return None,
            };
            let place = self.desk.place(Told {
                qualifier: "UN",
                code: &told,
                ..Told::default()
            });
            place.locode.map(|_| place)
        })
    }

    /// The part in the way that has this place, by its code or by what the stop is called that tells it. A place that has none lies between,
    /// where the message names another seaport as the port of discharge.
    fn role(&self, locode: Option<UnLocode>, at: Option<&Stop<'_>>) -> Option<Role> {
        let canonical = |locode| self.desk.gazetteer.canonical(locode);
        let here = locode.map(canonical);
        let is_here = |stop: &Stop<'_>| {
            let there = stop.place.locode.map(canonical);
            match here.zip(there) {
                Some((here, there)) => here == there,
                None => at.is_some_and(|at| stop.is_called_like(at)),
            }
        };
        let order = [
            Role::Transshipment,
            Role::Lading,
            Role::Discharge,
            Role::Delivery,
            Role::Receipt,
        ];
        let named = order
            .into_iter()
            .find(|role| self.of_role(*role).any(is_here))
            .map(|role| match role {
                // One of two may be the end of a leg.
                Role::Delivery if !self.of_role(role).all(is_here) => Role::Destination,
                role => role,
            });
        let ends = || {
            let ends = self.of_role(Role::Discharge);
            ends.filter_map(|stop| stop.place.locode)
        };
        let between = || match (locode, at) {
            (Some(here), _) => self.desk.lies_between(here, ends()),
            (None, Some(stop)) => {
                let mut ends = ends().peekable();
                let elsewhere = |end| self.desk.is_seaport(end) && !stop.may_be(end, self.desk);
                ends.peek().is_some() && ends.all(elsewhere)
            }
            (None, None) => false,
        };
        named.or_else(|| {
            let behind = locode.is_some_and(|here| {
                let mut laden = self.of_role(Role::Lading);
                laden.any(|port| port.is_left_before(here, self.clock().as_ref(), self.desk))
            });
            let role = if behind { Role::Hub } else { Role::Interim };
            between().then_some(role)
        })
    }

    fn of_role(&self, role: Role) -> impl Iterator<Item = &Stop<'a>> {
        self.stops.iter().filter(move |stop| stop.role == role)
    }

    /// B4's own time, else the activity's.
    fn clock(&self) -> Option<Clock> {
        let own = time::x12(&self.b4.text(4), &self.b4.text(5), "");
        let activity = || self.activity()?.actual();
        let finer = own
            .as_ref()
            .is_none_or(|own| own.precision == domain::report::Precision::Day);
        let same_day = |other: &Clock| {
            own.as_ref()
                .is_none_or(|own| own.local.date() == other.local.date())
        };
        match activity() {
            // The tag of a zone stands only there.
            Some(told) if finer && same_day(&told) => Some(told),
            Some(told) if own.as_ref().is_some_and(|own| own.local == told.local) => Some(told),
            _ => own,
        }
    }

    fn status(
        &self,
        base: &Draft,
        code: &str,
        meaning: Option<Says>,
        clock: Option<Clock>,
    ) -> Result<Vec<Draft>, Fault> {
        let Spot {
            place,
            role,
            region,
        } = self.spot(meaning);
        let role = *role;
        let mut draft = base.clone().says(Verb::Document, format!("315/{code}"));
        draft.at(place, self.desk.gazetteer);
        draft.region.clone_from(region);
        draft.report.leg = self.leg.clone();
        let mut drafts = self.desk.claims(Status {
            says: meaning,
            draft,
            clock,
            role,
            words: &self.numbers.words,
            text: &self.numbers.text,
        })?;
        let ports = |role| {
            let stops = self.of_role(role);
            stops.filter_map(|stop| stop.place.locode).collect()
        };
        let named = Named {
            role,
            here: place.locode,
            ladings: ports(Role::Lading),
            discharges: ports(Role::Discharge),
        };
        self.desk.mark_pre_carriage(&mut drafts, &named);
        Ok(drafts)
    }

    /// Statuses beside B4's: SG, and what railroads add at a place.
    fn further(&self, base: &Draft, main: &str, parsed: &mut Parsed) {
        for sg in self.body.iter().filter(|segment| segment.is("SG")) {
            let code = sg.text(1).to_ascii_uppercase();
            if code.is_empty() || code == main || self.desk.ignores(&code) {
                continue;
            }
            if !self.desk.goes_on(parsed, sg, self.stops.len()) {
                return;
            }
            if let Some(told) = unread_time(&sg.text(4), &sg.text(5)) {
                fault(parsed, sg, format!("SG-04: {told:?} is no time"));
                continue;
            }
            let meaning = says(&code, Tongue::Ocean);
            let own = time::x12(&sg.text(4), &sg.text(5), &sg.text(6));
            let clock = own.or_else(|| self.clock());
            put(parsed, sg, self.status(base, &code, meaning, clock));
        }
        for stop in &self.stops {
            for v9 in &stop.events {
                let word = v9.text(1).to_ascii_uppercase();
                let meaning = twin(&word).and_then(|code| says(code, Tongue::Ocean));
                if self.desk.ignores(&word) || word.is_empty() {
                    continue;
                }
                if !self.desk.goes_on(parsed, v9, 1) {
                    return;
                }
                if let Some(told) = unread_time(&v9.text(3), &v9.text(4)) {
                    fault(parsed, v9, format!("V9-03: {told:?} is no time"));
                    continue;
                }
                let clock = time::x12(&v9.text(3), &v9.text(4), "");
                let clock = clock.map_or_else(|| stop.actual(), Some);
                let claims = self.railroad(base, &word, meaning, stop, clock);
                put(parsed, v9, claims);
            }
        }
    }

    fn railroad(
        &self,
        base: &Draft,
        word: &str,
        meaning: Option<Says>,
        stop: &Stop<'_>,
        clock: Option<Clock>,
    ) -> Result<Vec<Draft>, Fault> {
        let mut draft = base.clone().says(Verb::Document, format!("315/V9/{word}"));
        draft.at(&stop.place, self.desk.gazetteer);
        draft.region.clone_from(&stop.region);
        // Trucks go through the gates of a ramp (IGT, OGT), and of a port.
        let is_gate = matches!(meaning, Some(Says::Moved(Verb::GateIn | Verb::GateOut, _)));
        draft.report.leg.mode = (!is_gate).then_some(Mode::Rail);
        self.desk.claims(Status {
            says: meaning,
            draft,
            clock,
            role: Some(stop.role),
            words: &self.numbers.words,
            text: &self.numbers.text,
        })
    }

    /// The message names one vessel: the one of its status. Where the box changes ships on the way, that is
    /// not the vessel of the other ports.
    fn plan(&self, base: &Draft, role: Option<Role>, is_fed: bool, parsed: &mut Parsed) {
        let direct = !is_fed
            && !matches!(role, Some(Role::Interim | Role::Hub))
            && self.of_role(Role::Transshipment).next().is_none();
        let mut base = base.clone();
        if let Some(equipment) = &mut base.report.equipment {
            // The status may be about the empty; the way is that of the goods.
            equipment.laden = equipment.laden.filter(|laden| *laden);
            equipment.seals.clear();
        }
        for stop in &self.stops {
            let leg = (direct || role == Some(stop.role)).then_some(&self.leg);
            for (dtm, draft) in stop.plan(&base, leg, self.desk) {
                if !self.desk.goes_on(parsed, dtm, 1) {
                    return;
                }
                self.desk.put_date(parsed, dtm, draft);
            }
        }
    }
}

/// A number from its parts: six digits and the check digit beside them, seven digits, leading zeros lost. With a gap between them
/// they are left as they are: it may stand for a digit that is lost, and nobody knows which.
pub(super) fn box_number(initial: &str, number: &str, check: &str) -> Option<String> {
    let is_gap = |c: char| c.is_whitespace() || c == '-';
    let (initial, digits) = (initial.trim(), number.trim_matches(is_gap));
    if digits.is_empty() {
        return None;
    }
    if initial.is_empty() {
        return Some(digits.to_owned());
    }
    if digits.contains(is_gap) {
        let is_serial = digits.bytes().filter(u8::is_ascii_digit).count() <= 6;
        let check = if is_serial { check.trim() } else { "" };
        return Some(format!("{initial}{digits}{check}"));
    }
    let digits = without_padding(digits, check);
    let padded = format!("{digits:0>6}");
    let check = if padded.len() == 6 { check.trim() } else { "" };
    Some(format!("{initial}{padded}{check}"))
}

/// A number that was filled with zeros to the width of its element (ten in X12): six digits where the check digit stands
/// beside it, else seven where the last one is their check digit.
fn without_padding<'d>(digits: &'d str, check: &str) -> &'d str {
    let last = |count: usize| {
        digits
            .get(digits.len().saturating_sub(count)..)
            .unwrap_or(digits)
    };
    let (six, seven) = (last(6), last(7));
    let filled = digits.strip_suffix(seven).unwrap_or_default();
    if digits.len() <= 7 || filled.contains(|c| c != '0') {
        return digits;
    }
    if seven.starts_with('0') && !check.trim().is_empty() {
        six
    } else {
        seven
    }
}
