//! Where a row or a sighting is: SPLC first, then UN/LOCODE, the name last.
//!
//! Names of the rail trade are cut to nine letters ([`towns`]), and there are towns of one name in many states, so a name is
//! believed only with its state, and only when it means one place.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::codes::{Scac, UnLocode};
use domain::place::{Gazetteer, StateZone, Terminal, TerminalKind};
use domain::report::{FacilityType, Place};
use jiff::tz::TimeZone;

use crate::registry::Tables;
use crate::towns::{self, Town};

/// Rail places by the first six digits of their standard point location code, and ramps by all nine.
static SPLC: LazyLock<BTreeMap<String, Ramp>> = LazyLock::new(by_code);
/// All ramps, for their names and the towns they lie in.
static RAMPS: LazyLock<Vec<Ramp>> = LazyLock::new(|| {
    ramps()
        .unwrap_or_default()
        .into_iter()
        .map(|(_, ramp)| ramp)
        .collect()
});
/// Countries of which the states have clocks in our tables.
const NORTH_AMERICA: [&str; 2] = ["US", "CA"];
/// Digits of an SPLC that name the place.
const SPLC_DIGITS: usize = 6;

#[derive(Clone, Debug)]
struct Ramp {
    locode: UnLocode,
    firms: Option<String>,
    /// Its own, often that of a station: `Alliance` lies in Fort Worth.
    name: String,
    city: String,
    state: String,
}

/// What a message says about a place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) splc: Option<String>,
    pub(crate) locode: Option<String>,
    pub(crate) facility: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) state: Option<String>,
}

/// A place and the zone of its clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) place: Place,
    /// Of the place, or of all of its state or country.
    pub(crate) zone: Option<TimeZone>,
    /// Where that is not known, the zone of most of its state or province: nearer than none, and not sure.
    pub(crate) near: Option<TimeZone>,
    /// Whether it lies in the United States or Canada, where `ET` and `CST` are names of clocks.
    pub(crate) is_american: bool,
}

/// Finds places.
pub(crate) struct Finder<'g> {
    gazetteer: &'g Gazetteer,
    names: BTreeMap<(String, String), Option<UnLocode>>,
}

impl<'g> Finder<'g> {
    pub(crate) fn new(gazetteer: &'g Gazetteer) -> Self {
        Self {
            gazetteer,
            names: BTreeMap::new(),
        }
    }

    /// The place of a terminal by our code (`USLAX-Y258`).
    pub(crate) fn terminal(&self, code: &str) -> Option<Found> {
        let terminal = self.gazetteer.terminal(code)?;
        let place = Place {
            locode: Some(terminal.port),
            name: Some(terminal.name.clone()),
            ..at(terminal)
        };
        Some(Found {
            place,
            zone: TimeZone::get(&terminal.zone).ok(),
            near: None,
            is_american: NORTH_AMERICA.contains(&terminal.port.country()),
        })
    }

    /// The place that a message means; nothing but its words when that cannot be told.
    pub(crate) fn find(&mut self, said: Said, rail: bool) -> Found {
        let ramp = said.splc.as_deref().and_then(splc_ramp);
        let told = || {
            said.locode
                .as_deref()
                .and_then(|code| UnLocode::parse(code).ok())
        };
        let locode = ramp.map(|ramp| ramp.locode).or_else(told).or_else(|| {
            let (name, state) = said.name.as_deref().zip(said.state.as_deref())?;
            self.named(name, state)
        });
        let code = said
            .facility
            .or_else(|| ramp.and_then(|ramp| ramp.firms.clone()));
        let at_port = locode.zip(code.as_deref());
        let coded = at_port.and_then(|(locode, code)| self.gazetteer.terminal_at(locode, code));
        let terminal = coded.or_else(|| {
            let (locode, name) = at_port?;
            self.called(locode, name)
        });
        let zone = terminal.map(|terminal| terminal.zone.as_str());
        let zone = zone.or_else(|| self.gazetteer.zone(locode?));
        let state = said.state.as_deref();
        let clocks = state.and_then(|state| self.clocks_of_state(state, locode));
        let (near, all) = clocks.map_or((None, None), |clocks| {
            let zone = Some(clocks.zone.as_str());
            if clocks.split {
                (zone, None)
            } else {
                (None, zone)
            }
        });
        let zone = zone.or(all);
        let named = |name: Option<&str>| name.and_then(|name| TimeZone::get(name).ok());
        let is_told = |code: UnLocode| NORTH_AMERICA.contains(&code.country());
        let usual = if rail {
            FacilityType::Ramp
        } else {
            FacilityType::PortTerminal
        };
        let mut place = terminal.map_or_else(Place::default, at);
        place.locode = locode;
        // A name says less to others than the code that our tables have for it.
        let by_name = coded.is_none().then(|| place.facility_code.take());
        place.facility_code = by_name.flatten().or(code);
        place.facility_type = place
            .facility_type
            .or(Some(usual).filter(|_| rail || terminal.is_some()));
        place.name = said.name;
        Found {
            place,
            zone: named(zone),
            near: named(near.filter(|_| zone.is_none())),
            is_american: locode.map_or(clocks.is_some(), is_told),
        }
    }

    /// The one terminal of a port with this name, or this one that people call it by, letter by letter.
    fn called(&self, port: UnLocode, name: &str) -> Option<&'g Terminal> {
        let name = letters(name);
        let is_it = |own: &str| !name.is_empty() && letters(own) == name;
        let all = self.gazetteer.terminals_in(port);
        let mut found = all.filter(|terminal| {
            is_it(&terminal.name) || is_it(&terminal.nickname) || is_it(&terminal.code)
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The port of which this is a terminal's code, where it is none at the port of the place.
    pub(crate) fn strange_port(&self, place: &Place) -> Option<UnLocode> {
        let (port, code) = (place.locode?, place.facility_code.as_deref()?);
        if self.gazetteer.terminal_at(port, code).is_some() {
            return None;
        }
        let is = |own: &Option<String>| {
            let own = own.as_deref();
            own.is_some_and(|own| own.eq_ignore_ascii_case(code.trim()))
        };
        let mut all = self.gazetteer.terminals();
        let of_another = all.find(|terminal| {
            is(&terminal.firms_code)
                || is(&terminal.smdg_code)
                || is(&terminal.bic_facility_code)
                || terminal.code.eq_ignore_ascii_case(code.trim())
        });
        of_another.map(|terminal| terminal.port)
    }

    /// What the clocks of a state or province of North America say. Abroad other states go by these letters.
    fn clocks_of_state(&self, state: &str, place: Option<UnLocode>) -> Option<&'g StateZone> {
        let state = towns::state(state);
        let is_meant = |country: &&str| place.is_none_or(|place| place.country() == *country);
        let mut countries = NORTH_AMERICA.into_iter().filter(is_meant);
        countries.find_map(|country| self.gazetteer.state_zone(country, &state))
    }

    /// The code under which places of one neighbourhood are one.
    pub(crate) fn area(&self, locode: UnLocode) -> UnLocode {
        self.gazetteer.area(locode)
    }

    /// Whether the tables have this place.
    pub(crate) fn knows(&self, place: &Place) -> bool {
        place
            .locode
            .is_some_and(|locode| self.gazetteer.port(locode).is_some())
    }

    fn named(&mut self, name: &str, state: &str) -> Option<UnLocode> {
        let key = (name.trim().to_uppercase(), towns::state(state));
        if let Some(found) = self.names.get(&key) {
            return *found;
        }
        let found = self.looked_up(&key.0, &key.1);
        self.names.insert(key, found);
        found
    }

    /// The one place of this name in this state: by the whole name, else by its first letters; ports before the
    /// towns of ramps, which are often part of one, and these before the names of ramps.
    fn looked_up(&self, name: &str, state: &str) -> Option<UnLocode> {
        let town = Town::read(name, state, "")?;
        let is_there = |of: &str| of.eq_ignore_ascii_case(&town.state);
        let named = |name: &str, place| Some((Town::read(name, "", "")?, place));
        let ports = self.gazetteer.ports();
        let ports = ports.filter(|port| port.state.as_deref().is_some_and(is_there));
        let ports = ports.flat_map(|port| port.names().filter_map(|n| named(n, port.locode)));
        let ramps = || RAMPS.iter().filter(|ramp| is_there(&ramp.state));
        let towns = ramps().filter_map(|ramp| named(&ramp.city, ramp.locode));
        let stations = ramps().filter_map(|ramp| named(&ramp.name, ramp.locode));
        let known: [Vec<(Town, UnLocode)>; 3] =
            [ports.collect(), towns.collect(), stations.collect()];
        let mut all = known.iter();
        let whole = all.find_map(|all| one(all, |known| town.is_named_like(known)));
        let cut = || {
            let mut all = known.iter();
            all.find_map(|all| one(all, |known| town.is_cut_from(known)))
        };
        whole.or_else(cut)
    }
}

/// The place of the names that fit, when they are all names of one.
fn one(known: &[(Town, UnLocode)], fits: impl Fn(&Town) -> bool) -> Option<UnLocode> {
    let mut found: Vec<UnLocode> = known
        .iter()
        .filter(|(known, _)| fits(known))
        .map(|(_, locode)| *locode)
        .collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// What our tables know of a facility.
fn at(terminal: &Terminal) -> Place {
    let lists = [
        (&terminal.firms_code, "FIRMS"),
        (&terminal.smdg_code, "SMDG"),
        (&terminal.bic_facility_code, "BIC"),
    ];
    let known = lists
        .into_iter()
        .find_map(|(code, list)| code.clone().map(|code| (code, list.to_owned())));
    let (code, list) = known.unzip();
    Place {
        locode: Some(terminal.port),
        facility_code: code,
        facility_list: list,
        facility_type: Some(match terminal.kind {
            TerminalKind::Ocean => FacilityType::PortTerminal,
            TerminalKind::Rail => FacilityType::Ramp,
        }),
        name: None,
    }
}

/// What two spellings of a name have in common.
fn letters(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_uppercase).collect()
}

fn splc_ramp(code: &str) -> Option<&'static Ramp> {
    let code = code.trim();
    SPLC.get(code)
        .or_else(|| SPLC.get(code.get(..SPLC_DIGITS)?))
}

fn by_code() -> BTreeMap<String, Ramp> {
    let mut found = BTreeMap::new();
    for (code, ramp) in ramps().unwrap_or_default() {
        if let Some(place) = code.get(..SPLC_DIGITS) {
            found.insert(code.clone(), ramp.clone());
            // Several ramps of one place: the place is sure, the ramp is not.
            let area = Ramp {
                firms: None,
                ..ramp
            };
            found.entry(place.to_owned()).or_insert(area);
        }
    }
    found
}

/// Every ramp with its SPLC, which may be empty.
fn ramps() -> Result<Vec<(String, Ramp)>, csv::Error> {
    let mut found = Vec::new();
    let mut rows = csv::Reader::from_reader(Tables::BUILT_IN.rail.as_bytes());
    let headers = rows.headers()?.clone();
    for row in rows.records() {
        let row = row?;
        let text = |column: &str| {
            let index = headers.iter().position(|name| name == column);
            let text = index.and_then(|index| row.get(index));
            text.unwrap_or_default().trim()
        };
        let Ok(locode) = UnLocode::parse(text("unlocode")) else {
            continue;
        };
        let ramp = Ramp {
            locode,
            firms: Some(text("firms_code").to_owned()).filter(|code| !code.is_empty()),
            name: text("name").to_owned(),
            city: text("city").to_owned(),
            state: text("state").to_owned(),
        };
        found.push((text("splc").to_owned(), ramp));
    }
    Ok(found)
}

/// Railroads by every mark and name that messages use for them.
static RAILROADS: LazyLock<BTreeMap<String, Scac>> = LazyLock::new(|| roads().unwrap_or_default());

/// The railroad that a reporting mark or a name means; a mark in no table is taken as it is.
pub(crate) fn railroad(name: &str) -> Option<Scac> {
    known_railroad(name).or_else(|| Scac::parse(name.trim()).ok())
}

/// The railroad of our tables that a reporting mark or a name means.
pub(crate) fn known_railroad(name: &str) -> Option<Scac> {
    RAILROADS.get(&name.trim().to_uppercase()).copied()
}

fn roads() -> Result<BTreeMap<String, Scac>, csv::Error> {
    let mut found = BTreeMap::new();
    let mut rows = csv::Reader::from_reader(Tables::BUILT_IN.rail.as_bytes());
    let headers = rows.headers()?.clone();
    for row in rows.records() {
        let row = row?;
        let text = |column: &str| {
            let index = headers.iter().position(|name| name == column);
            index.and_then(|index| row.get(index)).unwrap_or_default()
        };
        let Ok(scac) = Scac::parse(text("scac")) else {
            continue;
        };
        if text("kind") == "carrier" {
            let names = text("aliases")
                .split(';')
                .chain([text("scac"), text("name")]);
            let names = names.map(str::trim).filter(|name| !name.is_empty());
            found.extend(names.map(|name| (name.to_uppercase(), scac)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    fn found(said: Said) -> Option<String> {
        let registry = Registry::load(&[]).ok()?;
        let mut finder = Finder::new(registry.gazetteer());
        let place = finder.find(said, false).place;
        place.locode.map(|locode| locode.to_string())
    }

    /// Portland lies in Oregon and in Maine, and three thousand kilometres are between them.
    #[test]
    fn a_code_beats_a_name_and_a_name_counts_with_its_state_only() {
        let named = |name: &str, state: Option<&str>, locode: Option<&str>| {
            found(Said {
                name: Some(name.into()),
                state: state.map(Into::into),
                locode: locode.map(Into::into),
                ..Said::default()
            })
        };
        assert_eq!(named("Oakland", Some("CA"), None).as_deref(), Some("USOAK"));
        assert_eq!(named("Oakland", None, None), None);
        assert_eq!(named("Oakland", Some("NJ"), None), None);
        // Either town of a port that has two.
        assert_eq!(
            named("New York", Some("NY"), None).as_deref(),
            Some("USNYC")
        );
        let told = named("Oakland", Some("CA"), Some("USLGB"));
        assert_eq!(told.as_deref(), Some("USLGB"));
    }

    /// Railroads name the station, and their ramps often have a name that no town has.
    #[test]
    fn the_name_of_a_ramp_is_that_of_its_place_where_it_means_one() {
        for (name, state, place) in [
            ("ALLIANCE", "TX", Some("USFWT")),
            ("BENSENVIL", "IL", Some("USCHI")),
            ("LITTLEFER", "NJ", Some("USNBN")),
            ("FORT WORTH", "TX", Some("USFWT")),
            ("FT WORTH", "TX", Some("USFWT")),
            ("STLOUIS", "MO", Some("USSTL")),
            ("ST LOUIS", "MO", Some("USSTL")),
            ("LOS ANGEL", "CA", Some("USLAX")),
            ("LOSANGELE", "CA", Some("USLAX")),
            ("LONG BEAC", "CA", Some("USLGB")),
            ("KANSAS CI", "MO", Some("USMKC")),
            ("KANSAS CI", "KS", Some("USKCK")),
            ("MONTREAL", "PQ", Some("CAMTR")),
            ("LOS ANG", "CA", None),
            ("ALLIANCE", "OH", None),
            ("WEST", "TX", None),
        ] {
            let said = Said {
                name: Some(name.into()),
                state: Some(state.into()),
                ..Said::default()
            };
            assert_eq!(found(said).as_deref(), place, "{name}, {state}");
        }
    }
}
