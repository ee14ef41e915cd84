//! Codes and names to places.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use domain::codes::{ImoNumber, UnLocode};
use domain::geography::Point;
use domain::place::{Gazetteer, Terminal, TerminalKind};
use domain::report::{Doubt, Leg, Place, ZoneSource};

use super::codes_of_places;
use super::desk::{Desk, Region};
use super::time::Clock;
use crate::towns::{self, Town, differ};

/// Countries in whose states there are towns of one name.
const COUNTRIES_OF_STATES: &[&str] = &["US", "CA"];

/// Towns there that everybody knows by their name alone, by country and name without blanks. Of Portland, Newark, Wilmington and
/// Charleston there are others that boxes go to.
const KNOWN_BY_NAME: &[&str] = &[
    "CA CALGARY",
    "CA EDMONTON",
    "CA HALIFAX",
    "CA MONTREAL",
    "CA PRINCERUPERT",
    "CA TORONTO",
    "CA VANCOUVER",
    "CA WINNIPEG",
    "US ATLANTA",
    "US BALTIMORE",
    "US BOSTON",
    "US CHICAGO",
    "US CINCINNATI",
    "US DALLAS",
    "US DENVER",
    "US DETROIT",
    "US ELPASO",
    "US HONOLULU",
    "US HOUSTON",
    "US INDIANAPOLIS",
    "US LASVEGAS",
    "US LONGBEACH",
    "US LOSANGELES",
    "US MEMPHIS",
    "US MIAMI",
    "US MILWAUKEE",
    "US MINNEAPOLIS",
    "US NEWORLEANS",
    "US NEWYORK",
    "US NEWYORKNEWJERSEY",
    "US NORFOLK",
    "US OAKLAND",
    "US OMAHA",
    "US PHILADELPHIA",
    "US PHOENIX",
    "US PITTSBURGH",
    "US PORTEVERGLADES",
    "US SALTLAKECITY",
    "US SANANTONIO",
    "US SAVANNAH",
    "US SEATTLE",
    "US STLOUIS",
    "US TACOMA",
    "US TAMPA",
];

/// Names shorter than this may stand inside others.
const NAME_LETTERS_MIN: usize = 5;

/// Ports this near to each other are taken for one another: Los Angeles and Long Beach, Shanghai and Yangshan.
const NEIGHBOURS_KM: f64 = 100.0;
/// Between two countries no goods are carried farther than this to their port, and no ship brings them so far from it.
const OVERSEAS_KM: f64 = 1_500.0;

/// The list of codes that are names of towns.
pub(super) const TOWN: &str = "CI";

/// The gazetteer, sorted for questions that every record asks.
pub(super) struct Known<'a> {
    gazetteer: &'a Gazetteer,
    terminals: HashMap<UnLocode, Vec<&'a Terminal>>,
    /// Ports by name and country; several where a country has one name twice.
    names: OnceCell<HashMap<String, Vec<Named>>>,
    /// The states in which a port and its twins lie, by its main code.
    states: HashMap<UnLocode, Vec<&'a str>>,
    /// Towns in which terminals stand, or by which one is called, with state and country.
    towns_of_terminals: OnceCell<HashSet<String>>,
}

/// The state in which a place of some name lies, and the main code of the place.
#[derive(Clone, PartialEq)]
struct Named {
    main: UnLocode,
    state: Option<String>,
    /// A town of its terminals: goods may go to a door there.
    of_terminals: bool,
}

/// What the towns are taken for in which the terminals of a port stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Towns {
    /// The port.
    OfTerminals,
    /// Towns like others, of which the tables have none.
    OfDoors,
}

/// What a message says about a place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told<'t> {
    /// Whose list the code is from (element 309).
    pub(super) qualifier: &'t str,
    pub(super) code: &'t str,
    pub(super) name: &'t str,
    pub(super) city: &'t str,
    pub(super) state: &'t str,
    pub(super) country: &'t str,
    pub(super) terminal: &'t str,
}

impl<'a> Known<'a> {
    pub(super) fn of(gazetteer: &'a Gazetteer) -> Self {
        let mut terminals: HashMap<UnLocode, Vec<&Terminal>> = HashMap::new();
        for terminal in gazetteer.terminals() {
            let port = gazetteer.canonical(terminal.port);
            terminals.entry(port).or_default().push(terminal);
        }
        let mut states: HashMap<UnLocode, Vec<&str>> = HashMap::new();
        for port in gazetteer.ports() {
            let of_port = states.entry(port.canonical).or_default();
            of_port.extend(port.state.as_deref());
        }
        Self {
            gazetteer,
            terminals,
            names: OnceCell::new(),
            states,
            towns_of_terminals: OnceCell::new(),
        }
    }

    /// Whether a port may lie in this state: New York lies in New Jersey, too.
    pub(super) fn may_lie_in(&self, port: UnLocode, state: &str) -> bool {
        let known = self.states.get(&self.gazetteer.canonical(port));
        let known = known.map_or([].as_slice(), Vec::as_slice);
        state.is_empty() || known.is_empty() || known.contains(&state)
    }

    /// Whether sea vessels are loaded and discharged at terminals here that the tables have.
    pub(super) fn has_a_quay(&self, locode: UnLocode) -> bool {
        let mut terminals = self.terminals_in(self.gazetteer.canonical(locode));
        terminals.any(|terminal| terminal.kind == TerminalKind::Ocean)
    }

    /// Whether terminals or ramps stand here that the tables have.
    pub(super) fn has_terminals(&self, locode: UnLocode) -> bool {
        let mut terminals = self.terminals_in(self.gazetteer.canonical(locode));
        terminals.next().is_some()
    }

    /// Whether a terminal or ramp of the tables stands in this town, or is called by it: Cicero (`Chicago (Cicero)`), Fairburn.
    /// Most of such towns are no places of the tables.
    pub(super) fn is_town_of_a_terminal(&self, city: &str, state: &str, country: &str) -> bool {
        let Some(mut town) = Town::read(city, state, country) else {
            return false;
        };
        (town.state, town.country) = towns::codes(&town.state, &town.country);
        let known = self.towns_of_terminals.get_or_init(|| {
            let towns = self.gazetteer.terminals().flat_map(|terminal| {
                let port = self.gazetteer.port(terminal.port);
                let of_port = port.and_then(|port| port.state.as_deref());
                let state = terminal.state.as_deref().or(of_port).unwrap_or_default();
                // The name of a ramp is its railroad's and its own.
                let own = match terminal.kind {
                    TerminalKind::Rail => &terminal.nickname,
                    TerminalKind::Ocean => &terminal.name,
                };
                let parts = own.split(['(', ')']);
                let names = parts.chain(terminal.city.as_deref());
                let towns =
                    names.filter_map(move |name| Town::read(name, state, terminal.port.country()));
                towns.flat_map(|town| in_state(&town).collect::<Vec<_>>())
            });
            towns.collect()
        });
        !town.state.is_empty() && in_state(&town).any(|key| known.contains(&key))
    }

    /// The terminals of a port, by its canonical code.
    pub(super) fn terminals_in(&self, port: UnLocode) -> impl Iterator<Item = &'a Terminal> {
        self.terminals.get(&port).into_iter().flatten().copied()
    }

    /// Whether the tables know of no sea vessel that comes here.
    pub(super) fn is_off_the_sea(&self, locode: UnLocode) -> bool {
        self.gazetteer.is_inland(locode)
    }

    /// A name counts only with its country, and in North America only with its state, unless everybody knows it.
    fn named(&self, name: &str, state: &str, country: &str, towns: Towns) -> Option<UnLocode> {
        self.find(Town::read(name, state, country)?, towns)
    }

    /// Whether a town of this name is known in its state, be it one in which terminals stand.
    fn is_town(&self, town: &Town) -> bool {
        self.find(town.clone(), Towns::OfTerminals).is_some()
    }

    fn find(&self, mut town: Town, towns: Towns) -> Option<UnLocode> {
        (town.state, town.country) = towns::codes(&town.state, &town.country);
        if town.country.len() != 2 {
            return None;
        }
        let names = self.names.get_or_init(|| {
            let mut names: HashMap<String, Vec<Named>> = HashMap::new();
            for port in self.gazetteer.ports() {
                // The second port of two that are one is a town in which terminals of it stand: Newark, Portsmouth.
                let is_twin = port.canonical != port.locode && port.state.is_some();
                let own = port.names().map(|name| (name, is_twin));
                let towns = port.towns.iter().map(|name| (name.as_str(), true));
                for (name, of_terminals) in own.chain(towns) {
                    let named = Named {
                        main: self.gazetteer.canonical(port.locode),
                        state: port.state.clone(),
                        of_terminals,
                    };
                    let town = Town::read(name, "", port.locode.country());
                    for key in town.iter().flat_map(keys) {
                        let places = names.entry(key).or_default();
                        if !places.contains(&named) {
                            places.push(named.clone());
                        }
                    }
                }
            }
            names
        });
        let has_states = COUNTRIES_OF_STATES.contains(&town.country.as_str());
        let is_well_known = || keys(&town).any(|key| KNOWN_BY_NAME.contains(&key.as_str()));
        if has_states && town.state.is_empty() && !is_well_known() {
            return None;
        }
        let fits = |named: &&Named| {
            let known = named.state.as_deref();
            let is_meant = towns == Towns::OfTerminals || !named.of_terminals;
            is_meant && known.is_none_or(|known| !differ(known, &town.state))
        };
        let found = keys(&town).filter_map(|key| names.get(&key));
        let mut found = found.flatten().filter(fits);
        let only = found.next()?.main;
        found.all(|other| other.main == only).then_some(only)
    }
}

/// Its spellings in its country.
fn keys(town: &Town) -> impl Iterator<Item = String> + '_ {
    town.keys().map(|name| format!("{} {name}", town.country))
}

/// Its spellings in its state.
fn in_state(town: &Town) -> impl Iterator<Item = String> + '_ {
    keys(town).map(|key| format!("{} {key}", town.state))
}

impl Desk<'_> {
    /// Whether a place that has no part in the way lies before its end: the port of discharge is another one. A
    /// neighbour of it may be the same quay by another name, and a place inland is reached behind the port.
    pub(super) fn lies_between(
        &self,
        here: UnLocode,
        ends: impl IntoIterator<Item = UnLocode>,
    ) -> bool {
        let point = |locode| Some(Point::of(self.gazetteer.port(locode)?.coordinates?));
        let apart = |end: UnLocode| {
            let twins = self.gazetteer.canonical(here) == self.gazetteer.canonical(end);
            let ends = point(here).zip(point(end));
            !twins && ends.is_none_or(|(a, b)| a.distance_km(b) > NEIGHBOURS_KM)
        };
        let known = |end: &UnLocode| self.gazetteer.port(*end).is_some();
        let off_the_sea = |place: UnLocode| self.known().is_off_the_sea(place);
        let mut ends = ends.into_iter().filter(known).peekable();
        ends.peek().is_some() && ends.all(|end| !off_the_sea(end) && apart(end))
    }

    /// Whether the first of two places is the nearer one.
    pub(super) fn is_nearer(&self, from: UnLocode, one: UnLocode, other: UnLocode) -> bool {
        let point = |place| Some(Point::of(self.gazetteer.port(place)?.coordinates?));
        let km = |to| Some(point(from)?.distance_km(point(to)?));
        km(one)
            .zip(km(other))
            .is_some_and(|(one, other)| one < other)
    }

    /// Whether the tables have this place.
    pub(super) fn knows(&self, place: UnLocode) -> bool {
        self.gazetteer.port(place).is_some()
    }

    /// Whether the tables have a place of this code.
    pub(super) fn is_port(&self, code: &str) -> bool {
        UnLocode::parse(code).is_ok_and(|code| self.knows(code))
    }

    /// Whether the one is a seaport in another country than the other place, and far from it.
    pub(super) fn is_overseas(&self, one: UnLocode, other: UnLocode) -> bool {
        one.country() != other.country()
            && self.is_seaport(one)
            && !self.gazetteer.is_within(one, other, OVERSEAS_KM)
    }

    /// Whether goods had left their port of loading when something happened elsewhere: it is told when they did, or the two lie in
    /// two countries and farther apart than goods are carried to their port.
    pub(super) fn is_left_before(
        &self,
        port: UnLocode,
        left: Option<&Clock>,
        there: UnLocode,
        then: Option<&Clock>,
    ) -> bool {
        match left.zip(then) {
            Some((left, then)) => left.is_before(then),
            None => self.is_overseas(port, there),
        }
    }

    /// Whether sea vessels come to a place that the tables know.
    pub(super) fn is_seaport(&self, place: UnLocode) -> bool {
        self.gazetteer.port(place).is_some() && !self.known().is_off_the_sea(place)
    }

    /// The place that is meant: by its code in the list that is named, by its code though no list is named,
    /// by name and country. A town with terminals is none: goods may go there, too.
    pub(super) fn place(&self, told: Told<'_>) -> Place {
        self.place_at(told, self.locode(told, Towns::OfDoors))
    }

    /// What the clocks of a place's state say: the one that is told, else the one that the last word of its name may be. Nearer than
    /// none are the latter's, and not sure.
    pub(super) fn region_of(&self, told: Told<'_>, locode: Option<UnLocode>) -> Region {
        let region = self.told_region_of(told, locode);
        if region.is_some() || !told.state.trim().is_empty() {
            return region;
        }
        let mut towns = towns_with_states(told, locode);
        let (zone, _) = towns.find_map(|town| {
            let may_be = town.may_lie_in_its_state();
            may_be.then(|| self.region(&town.state, &town.country))?
        })?;
        Some((zone, ZoneSource::Unknown))
    }

    /// The same for a state that is told beside the place, behind a comma, or behind a town that is known there. The country is
    /// that of its code where none is told.
    pub(super) fn told_region_of(&self, told: Told<'_>, locode: Option<UnLocode>) -> Region {
        if !told.state.trim().is_empty() {
            return self.region(told.state, country_of(&told, locode.as_ref()));
        }
        let mut towns = towns_with_states(told, locode);
        towns.find_map(|town| {
            let is_told = !town.state_may_be_a_word || self.known().is_town(&town);
            is_told.then(|| self.region(&town.state, &town.country))?
        })
    }

    /// The place of a terminal, be it told by its town.
    pub(super) fn terminals_place(&self, told: Told<'_>) -> Place {
        self.place_at(told, self.locode(told, Towns::OfTerminals))
    }

    fn place_at(&self, told: Told<'_>, locode: Option<UnLocode>) -> Place {
        let names = [told.name, told.city, told.code];
        let mut names = names.into_iter().filter(|name| !name.is_empty());
        let name = names.find(|name| Some(*name) != locode.as_ref().map(UnLocode::as_str));
        let facility_code = locode.and_then(|port| self.facility(port, told));
        let coded = told.terminal.len() <= 6 && !told.terminal.contains(' ');
        let own = Some(told.terminal).filter(|code| coded && !code.is_empty());
        Place {
            locode,
            facility_code: facility_code.or_else(|| own.map(str::to_owned)),
            name: name.map(str::to_owned),
            ..Place::default()
        }
    }

    fn locode(&self, told: Told<'_>, towns: Towns) -> Option<UnLocode> {
        let named = |name| {
            let known = self.known();
            known.named(name, told.state, told.country, towns)
        };
        let as_code = |code: &str| {
            let whole = code.len() == 5;
            whole.then(|| UnLocode::parse(code).ok()).flatten()
        };
        let ours = |code: &str| as_code(code).filter(|code| self.gazetteer.port(*code).is_some());
        let by_list = match told.qualifier {
            "UN" => as_code(told.code),
            "D" | "K" | "SL" => codes_of_places::find(told.qualifier, told.code),
            TOWN => named(told.code),
            _ => None,
        };
        by_list
            .or_else(|| ours(told.code))
            .or_else(|| named(told.city))
            .or_else(|| named(told.name))
    }

    /// The terminal by its code, else by its name, at this port.
    pub(super) fn facility(&self, port: UnLocode, told: Told<'_>) -> Option<String> {
        let code_of = |terminal: &Terminal| {
            let codes = [
                &terminal.smdg_code,
                &terminal.firms_code,
                &terminal.bic_facility_code,
            ];
            codes.into_iter().flatten().next().cloned()
        };
        if self.terminal(port, told.terminal).is_some() {
            return Some(told.terminal.to_owned());
        }
        // A ramp is often called like its town: whoever names the town means no terminal.
        let here = self.gazetteer.port(port);
        let is_town = |name: &str, of: &Terminal| {
            let same = |town: &str| town.eq_ignore_ascii_case(name);
            of.city.as_deref().is_some_and(same) || here.is_some_and(|port| port.names().any(same))
        };
        let named = [told.terminal, told.name].into_iter().find_map(|name| {
            let mut all = self.known().terminals_in(self.gazetteer.canonical(port));
            all.find(|terminal| {
                let mut own = [&terminal.name, &terminal.nickname].into_iter();
                own.any(|own| is_name(name, own) && !is_town(own, terminal))
            })
        });
        named.and_then(code_of)
    }
}

/// The names of a place as towns with the states that stand behind them.
fn towns_with_states(told: Told<'_>, locode: Option<UnLocode>) -> impl Iterator<Item = Town> {
    let code = Some(told.code).filter(|_| told.qualifier == TOWN);
    let names = [told.name, told.city].into_iter().chain(code);
    names.filter_map(move |name| towns::with_state_behind(name, country_of(&told, locode.as_ref())))
}

/// The country that is told beside a place, else that of its code.
fn country_of<'t>(told: &Told<'t>, locode: Option<&'t UnLocode>) -> &'t str {
    let is_told = !told.country.trim().is_empty();
    if is_told {
        told.country
    } else {
        locode.map_or("", UnLocode::country)
    }
}

/// Whether a text is this name or holds it whole.
fn is_name(text: &str, name: &str) -> bool {
    if text.len() < NAME_LETTERS_MIN || name.len() < NAME_LETTERS_MIN {
        return text.eq_ignore_ascii_case(name) && !text.is_empty();
    }
    let found = text.len() >= name.len()
        && text
            .as_bytes()
            .windows(name.len())
            .any(|part| part.eq_ignore_ascii_case(name.as_bytes()));
    found || text.eq_ignore_ascii_case(name)
}

/// Names the vessel: a number where it is one, else what is told.
pub(super) fn name_vessel(leg: &mut Leg, doubts: &mut Vec<Doubt>, number: &str, name: &str) {
    leg.vessel_imo = ImoNumber::parse(number);
    let none_meant = matches!(number, "" | "0000000" | "1111111" | "9999999");
    if leg.vessel_imo.is_none() && !none_meant {
        doubts.push(Doubt::VesselUnknown);
    }
    leg.vessel_name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
}

/// A voyage, for both directions.
pub(super) fn name_voyage(leg: &mut Leg, voyage: &str) {
    let voyage = Some(voyage.trim().to_owned()).filter(|voyage| !voyage.is_empty());
    leg.voyage_in.clone_from(&voyage);
    leg.voyage_out = voyage;
}
