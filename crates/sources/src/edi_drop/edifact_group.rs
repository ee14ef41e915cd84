//! What the three EDIFACT messages share: the document, groups of segments, and what is said of a box.

use domain::codes::UnLocode;
use domain::report::{
    Doubt, Mode, MoveHint, Place, Precision, SourceKind, Value, Verb, Withdrawal, ZoneSource,
};
use edi::Segment;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::desk::{Desk, Draft, Fault, Region, put};
use super::numbers::Numbers;
use super::parse::Written;
use super::ramp_322::weight;
use super::time::{self, Clock};
use super::whereabouts::Told;
use crate::{Parsed, country_codes, towns};

/// The document that a message is.
pub(super) struct Document<'a> {
    pub(super) bgm: Option<Segment<'a>>,
    /// What it is (element 1001).
    pub(super) code: String,
    number: String,
    function: Function,
    /// The document that it takes the place of, where it names one.
    former: Option<String>,
    written: Written,
}

/// Element 1225.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Original,
    Replaces,
    Cancels,
}

/// Segments of one box or status, and those of the heading.
#[derive(Clone, Copy)]
pub(super) struct Group<'s, 'a> {
    pub(super) own: &'s [Segment<'a>],
    pub(super) heading: &'s [Segment<'a>],
}

impl<'a> Document<'a> {
    pub(super) fn of(body: &[Segment<'a>], written: Written, desk: &Desk<'_>) -> Self {
        let bgm = body.iter().find(|segment| segment.is("BGM")).copied();
        let text = |element: usize| bgm.map(|b| b.component(element, 1).into_owned());
        let function = match text(3).unwrap_or_default().as_str() {
            "1" | "3" => Function::Cancels,
            "4" | "5" => Function::Replaces,
            _ => Function::Original,
        };
        let tells = |segment: &Segment<'_>| segment.is("DTM") && segment.component(1, 1) == "137";
        // The time of its day may stand right behind the date, or before it. What stands elsewhere is of another group, and counts
        // where nothing before it can be read.
        let told = body.chunk_by(|one, next| tells(one) == tells(next));
        let mut told = told.filter(|together| together.first().is_some_and(tells));
        let own = told.find_map(|together| clock_of(together.iter()));
        let own_at = own
            .as_ref()
            .map(|own| own.precision)
            .zip(desk.written(own.clone()));
        let mut former = body
            .iter()
            .filter(|s| s.is("RFF") && s.component(1, 1) == "ACW");
        Self {
            bgm,
            code: text(1).unwrap_or_default(),
            number: text(2).unwrap_or_default(),
            function,
            former: former.next().map(|rff| rff.component(1, 2).into_owned()),
            written: Written {
                at: match (own_at, written.at) {
                    // A bare date puts no two messages of one day in order; the time of the interchange does.
                    (Some((Precision::Day, day)), Some(sent)) => {
                        Some(Precision::Day.latest(day).min(sent))
                    }
                    (Some((Precision::Day, _)), None) => None,
                    (Some((_, at)), _) => Some(at),
                    (None, sent) => sent,
                },
            },
        }
    }

    /// A claim about the box of an EQD.
    pub(super) fn draft(
        &self,
        kind: SourceKind,
        eqd: &Segment<'_>,
        group: Group<'_, '_>,
        desk: &Desk<'_>,
    ) -> Result<Draft, Fault> {
        let mut draft = self.about(kind, &eqd.component(2, 1), group, desk)?;
        draft.laden(match eqd.component(6, 1).as_ref() {
            "4" => Some(false),
            "5" | "7" | "8" => Some(true),
            _ => None,
        });
        draft.report.move_hint = match eqd.component(5, 1).as_ref() {
            "2" => Some(MoveHint::Export),
            "3" => Some(MoveHint::Import),
            "5" => Some(MoveHint::Shifting),
            "6" => Some(MoveHint::Transshipment),
            _ => None,
        };
        if let Some(equipment) = &mut draft.report.equipment {
            equipment.iso_type =
                Some(eqd.component(3, 1).into_owned()).filter(|code| !code.is_empty());
            let said = group.of_box(eqd);
            equipment.gross_kg = gross_kg(&said);
            equipment.seals = seals(&said);
        }
        Ok(draft)
    }

    /// A claim about a box by its number.
    pub(super) fn about(
        &self,
        kind: SourceKind,
        number: &str,
        group: Group<'_, '_>,
        desk: &Desk<'_>,
    ) -> Result<Draft, Fault> {
        let mut numbers = Numbers::default();
        let segments = group.heading.iter().chain(group.own);
        segments
            .filter(|segment| segment.is("RFF"))
            .for_each(|rff| numbers.edifact(rff));
        let mut draft = desk.draft(kind, self.written.at);
        draft.about(number)?;
        let scac = draft.report.references.scac;
        draft.report.references = numbers.references;
        draft.report.references.scac = draft.report.references.scac.or(scac);
        if !self.number.is_empty() {
            // By it a later document takes this one back.
            draft.report.references.others.push(self.number.clone());
        }
        Ok(draft)
    }

    /// Puts claims down as the function of the document wants it: as they are, in place of former ones, or not
    /// at all but to take former ones back.
    pub(super) fn put(
        &self,
        parsed: &mut Parsed,
        segment: &Segment<'_>,
        claims: impl FnOnce() -> Result<Vec<Draft>, Fault>,
    ) {
        let drafts = match claims() {
            Ok(drafts) => drafts,
            refused => return put(parsed, segment, refused),
        };
        if self.function == Function::Original {
            return put(parsed, segment, Ok(drafts));
        }
        let withdrawals = drafts
            .iter()
            .filter(|d| !d.report.doubts.contains(&DERIVED));
        let withdrawals = withdrawals.map(|draft| self.withdrawal(draft)).collect();
        put(parsed, segment, Ok(withdrawals));
        if self.function == Function::Replaces {
            put(parsed, segment, Ok(drafts));
        }
    }

    /// Puts down what is told beside a status. It goes with the document that told it: one that only takes back
    /// claims none of it, neither what is expected nor what is derived.
    pub(super) fn put_beside(&self, parsed: &mut Parsed, segment: &Segment<'_>, draft: Draft) {
        let draft = match self.function {
            Function::Cancels => self.withdrawal(&draft),
            Function::Original | Function::Replaces => draft,
        };
        put(parsed, segment, Ok(vec![draft]));
    }

    /// Whether it only takes a document back, and says which: then it need not say when the moves were.
    pub(super) fn cancels_by_number(&self) -> bool {
        self.function == Function::Cancels && self.taken_back().is_some()
    }

    /// When the message was written, as far as it or its interchange tells.
    pub(super) fn written_at(&self) -> Option<Timestamp> {
        self.written.at
    }

    /// The number of the document that it takes back or replaces.
    fn taken_back(&self) -> Option<String> {
        let number = self.former.clone().or_else(|| Some(self.number.clone()));
        number.filter(|number| !number.is_empty())
    }

    fn withdrawal(&self, claim: &Draft) -> Draft {
        let mut draft = claim.clone();
        let original = std::mem::take(&mut draft.report.original);
        let withdrawal = Withdrawal {
            reference: self.taken_back(),
            date: None,
            original: Some(original.clone()),
            replaced: self.function == Function::Replaces,
        };
        draft = draft.says(Verb::Document, format!("{original}/withdrawn"));
        draft.report.value = Some(Value::Withdraws(withdrawal));
        // Place and time stay: they tell which claim is meant where the sender numbers each message anew. A time of writing is none
        // of the move.
        let doubts = &mut draft.report.doubts;
        doubts.retain(|doubt| *doubt == Doubt::AsOf);
        draft
    }
}

/// A place with what the clocks of its state say.
#[derive(Clone, Debug, Default)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) region: Region,
}

/// Element 1131: codes of countries.
const COUNTRIES: &str = "162";
/// Element 1131: codes of their states and provinces.
const STATES: &str = "163";
/// Places of a message that are looked through for the terminal or the port of another one.
pub(super) const PLACES_LOOKED_AT_MAX: usize = 16;
/// Longest code of a terminal (element 3223).
const TERMINAL_LETTERS_MAX: usize = 25;

const DERIVED: Doubt = Doubt::Derived;

impl<'s, 'a> Group<'s, 'a> {
    /// Segments of a name, the group's own first.
    pub(super) fn all(self, tag: &'static str) -> impl Iterator<Item = &'s Segment<'a>> {
        let both = self.own.iter().chain(self.heading);
        both.filter(move |segment| segment.is(tag))
    }

    /// The first place with one of these functions (element 3227). Where a box repeats the port of the heading, it stands at
    /// the terminal that is named there.
    pub(super) fn place(self, functions: &[&str], desk: &Desk<'_>) -> Option<Place> {
        Some(self.spot(functions, desk)?.place)
    }

    /// The same with what the clocks there say.
    pub(super) fn spot(self, functions: &[&str], desk: &Desk<'_>) -> Option<Spot> {
        let mut told = self
            .all("LOC")
            .filter(|loc| functions.contains(&loc.component(1, 1).as_ref()));
        let mut first = spot(told.next()?, desk);
        let place = &mut first.place;
        if place.facility_code.is_none() && place.locode.is_some() {
            let others = told.take(PLACES_LOOKED_AT_MAX);
            let mut others = others.map(|loc| self::place(loc, desk));
            let same =
                others.find(|other| other.locode == place.locode && other.facility_code.is_some());
            place.facility_code = same.and_then(|same| same.facility_code);
        }
        Some(first)
    }

    /// The first time with one of these qualifiers (element 2005), in their order; of the group's own before that of the heading.
    /// Where the group has one that cannot be read, what is said of all is not said of it.
    pub(super) fn time(self, qualifiers: &[&str]) -> Option<Clock> {
        let of = |part: &'s [Segment<'a>]| {
            qualifiers.iter().find_map(|qualifier| {
                let is_it = |dtm: &&Segment<'_>| dtm.is("DTM") && dtm.component(1, 1) == *qualifier;
                clock_of(part.iter().filter(is_it))
            })
        };
        let is_unread = |dtm: &Segment<'_>| unread(dtm, qualifiers).is_some();
        match of(self.own) {
            None if !self.own.iter().any(is_unread) => of(self.heading),
            own => own,
        }
    }

    /// Tells of the times with these qualifiers that cannot be read, be there others or not.
    pub(super) fn tell_unread(self, qualifiers: &[&str], desk: &Desk<'_>, parsed: &mut Parsed) {
        for dtm in self.all("DTM") {
            if let Some(reason) = unread(dtm, qualifiers) {
                desk.fault_once(parsed, dtm, reason);
            }
        }
    }

    /// The first means of transport of one of these stages (element 8051).
    pub(super) fn transport(self, stages: &[&str]) -> Option<&'s Segment<'a>> {
        self.all("TDT")
            .find(|tdt| stages.contains(&tdt.text(1).as_ref()))
    }

    /// By what it comes to the gate or leaves it.
    pub(super) fn inland_mode(self) -> Option<Mode> {
        mode(&self.transport(&["1"])?.component(3, 1))
    }

    /// What is said of one box: where several are named together, what stands behind its own EQD.
    fn of_box(self, eqd: &Segment<'_>) -> Vec<Segment<'a>> {
        let is_it = |segment: &Segment<'_>| segment.place == eqd.place;
        let of_own = self.own.iter().any(is_it);
        let part = if of_own { self.own } else { self.heading };
        let mut boxes = part.chunk_by(|_, next| !next.is("EQD"));
        let behind = boxes.find(|group| group.first().is_some_and(is_it));
        let behind = behind.unwrap_or_default();
        let alone = part.iter().filter(|segment| segment.is("EQD")).count() == 1;
        match (alone, of_own) {
            (true, true) => self.own.to_vec(),
            (true, false) => [self.own, behind].concat(),
            (false, _) => behind.to_vec(),
        }
    }
}

/// Whether it is the number of a seal, and no word that there is one, or none.
pub(super) fn is_seal(number: &str) -> bool {
    const NO_NUMBER: &[&str] = &[
        "", "-", "0", "N", "N/A", "NA", "NIL", "NO", "NO SEAL", "NONE", "NOSEAL", "X", "Y", "YES",
    ];
    let number = number.trim();
    !NO_NUMBER
        .iter()
        .any(|word| number.eq_ignore_ascii_case(word))
}

fn seals(said: &[Segment<'_>]) -> Vec<String> {
    let seals = said.iter().filter(|segment| segment.is("SEL"));
    let mut told: Vec<(u8, String)> = seals
        .map(|sel| {
            let party = sel.component(2, 1);
            let rank = match party.as_ref() {
                "CA" => 0,
                "SH" => 1,
                _ => 2,
            };
            (rank, sel.component(1, 1).into_owned())
        })
        .filter(|(_, number)| is_seal(number))
        .collect();
    told.sort_by_key(|(rank, _)| *rank);
    told.into_iter().map(|(_, number)| number).collect()
}

/// The verified mass, else the gross mass.
fn gross_kg(said: &[Segment<'_>]) -> Option<rust_decimal::Decimal> {
    let of = |wanted: &str| {
        let told = said.iter().filter(|mea| {
            let is = mea.component(1, 1) == wanted || mea.component(2, 1) == wanted;
            mea.is("MEA") && is
        });
        // Pounds are what X12 means by no unit; here nobody says.
        let mut measured = told.filter(|mea| !mea.component(3, 1).trim().is_empty());
        measured.find_map(|mea| weight(&mea.component(3, 2), &mea.component(3, 1)))
    };
    of("VGM").or_else(|| of("AET")).or_else(|| of("G"))
}

/// Number and name of the vessel in a TDT: the number only where the list is that of IMO numbers, or none.
pub(super) fn vessel_of(tdt: &Segment<'_>) -> (String, String) {
    let (id, list) = (tdt.component(8, 1), tdt.component(8, 2));
    let numbered =
        matches!(list.as_ref(), "146" | "11" | "IMO") || (list.is_empty() && id.len() == 7);
    let number = if numbered {
        id.into_owned()
    } else {
        String::new()
    };
    (number, tdt.component(8, 4).into_owned())
}

/// Element 8067.
pub(super) fn mode(code: &str) -> Option<Mode> {
    match code {
        "1" => Some(Mode::Vessel),
        "2" => Some(Mode::Rail),
        "3" => Some(Mode::Truck),
        "8" => Some(Mode::Barge),
        _ => None,
    }
}

/// The first time of these DTM, which are of one thing. A date may stand beside the same with its time, or the time of its day
/// alone.
pub(super) fn clock_of<'s, 'a: 's>(dates: impl Iterator<Item = &'s Segment<'a>>) -> Option<Clock> {
    let all: Vec<&Segment<'_>> = dates.collect();
    let first = all.iter().find_map(|dtm| clock(dtm))?;
    if first.precision != Precision::Day {
        return Some(first);
    }
    let date = first.local.date();
    let mut whole = all.iter().filter_map(|dtm| clock(dtm));
    let is_of_day = |told: &Clock| {
        told.precision != Precision::Day && told.ends.unwrap_or(told.local.date()) == date
    };
    if let Some(told) = whole.find(is_of_day) {
        return Some(told);
    }
    let mut of_day = all.iter().filter_map(|dtm| {
        let is_of_day = matches!(dtm.component(1, 3).as_ref(), "401" | "402");
        is_of_day
            .then(|| first.at_time(&dtm.component(1, 2).replace([':', '.'], "")))
            .flatten()
    });
    Some(of_day.next().unwrap_or(first))
}

/// What is wrong with a DTM of one of these kinds that cannot be read. One that is left empty tells nothing, and the time of a day
/// belongs to a date.
pub(super) fn unread(dtm: &Segment<'_>, qualifiers: &[&str]) -> Option<Fault> {
    let (qualifier, told) = (dtm.component(1, 1), dtm.component(1, 2));
    let is_it = dtm.is("DTM") && qualifiers.contains(&qualifier.as_ref());
    let is_of_day = matches!(dtm.component(1, 3).as_ref(), "401" | "402");
    let is_read = told.trim().is_empty() || is_of_day || clock(dtm).is_some();
    (is_it && !is_read).then(|| format!("DTM+{qualifier}: {told:?} is no time"))
}

/// The time of a DTM.
pub(super) fn clock(dtm: &Segment<'_>) -> Option<Clock> {
    time::edifact(&dtm.component(1, 2), &dtm.component(1, 3))
}

/// The place of a LOC: a UN/LOCODE, be it with more behind it, or the terminal's own code; a second code is the terminal in the
/// first, or its state or country.
pub(super) fn place(loc: &Segment<'_>, desk: &Desk<'_>) -> Place {
    let (code, list) = (loc.component(2, 1), loc.component(2, 2));
    let locode = matches!(list.as_ref(), "139" | "227" | "6");
    let port = code
        .get(..5)
        .filter(|port| locode && code.len() > 5 && desk.is_port(port));
    let is_area = matches!(loc.component(3, 2).as_ref(), COUNTRIES | STATES);
    let terminal = loc.component(3, 1);
    let terminal = if is_area { "" } else { terminal.as_ref() };
    let area = Area::of(loc);
    let mut place = desk.place(Told {
        qualifier: if locode { "UN" } else { "" },
        code: port.unwrap_or(&code),
        name: &loc.component(2, 4),
        terminal,
        state: &area.state,
        country: &area.country,
        city: "",
    });
    // A name stands there without a list, and is no code.
    let is_listed = !loc.component(3, 2).is_empty() && !terminal.contains(' ');
    let is_code = is_listed && !terminal.is_empty() && terminal.len() <= TERMINAL_LETTERS_MAX;
    if place.facility_code.is_none() && is_code {
        place.facility_code = Some(terminal.to_owned());
    }
    if place.locode.is_none() && !code.is_empty() && list != COUNTRIES {
        place.facility_code = Some(code.into_owned());
        place.name = Some(loc.component(2, 4).into_owned()).filter(|name| !name.is_empty());
    }
    place
}

/// The same with what the clocks of its state say.
pub(super) fn spot(loc: &Segment<'_>, desk: &Desk<'_>) -> Spot {
    let place = place(loc, desk);
    let area = Area::of(loc);
    let region = if area.is_contradicted_by(place.locode) {
        // Which of them is right nobody knows, nor what the clocks say.
        Some((TimeZone::UTC, ZoneSource::Unknown))
    } else {
        desk.region_of(area.told(&loc.component(2, 4)), place.locode)
    };
    Spot { place, region }
}

/// What the clocks of the state say that is told in a LOC, and not guessed from a word of the name.
pub(super) fn told_region(loc: &Segment<'_>, desk: &Desk<'_>) -> Region {
    let area = Area::of(loc);
    desk.told_region_of(area.told(&loc.component(2, 4)), None)
}

/// State and country in which a LOC says that its place lies (C519, C553).
#[derive(Default)]
struct Area {
    state: String,
    country: String,
    /// Two countries are told.
    is_in_doubt: bool,
}

impl Area {
    /// A state may have its country before it (`US-IL`), which is the one that is told where no other is. Where two are, neither
    /// they nor the state are believed.
    fn of(loc: &Segment<'_>) -> Self {
        let coded = |list: &str| {
            let named = [3, 4].into_iter().find(|at| loc.component(*at, 2) == list);
            let code = named.map(|at| loc.component(at, 1).into_owned());
            code.unwrap_or_default()
        };
        let (state, told) = (coded(STATES), coded(COUNTRIES));
        // Most say neither, and this is asked for each of them, several times.
        if state.is_empty() {
            return Self {
                country: told,
                ..Self::default()
            };
        }
        let (before, own) = state.rsplit_once('-').unwrap_or(("", &state));
        let before = Some(country_codes::country(before));
        let before = before.filter(|code| code.len() == 2).unwrap_or_default();
        // Puerto Rico is a state or a country.
        let lies_in = |country: &str| towns::codes(own, country).1;
        if towns::differ(&lies_in(&told), &lies_in(&before)) {
            return Self {
                is_in_doubt: true,
                ..Self::default()
            };
        }
        Self {
            country: if before.is_empty() { told } else { before },
            state: own.to_owned(),
            is_in_doubt: false,
        }
    }

    /// Whether it lies in another country than its code says, or in two.
    fn is_contradicted_by(&self, locode: Option<UnLocode>) -> bool {
        if self.state.is_empty() {
            return self.is_in_doubt;
        }
        let (_, country) = towns::codes(&self.state, &self.country);
        let own = locode.as_ref().map_or("", UnLocode::country);
        self.is_in_doubt || towns::differ(&country, own)
    }

    fn told<'t>(&'t self, name: &'t str) -> Told<'t> {
        Told {
            name,
            state: &self.state,
            country: &self.country,
            ..Told::default()
        }
    }
}
