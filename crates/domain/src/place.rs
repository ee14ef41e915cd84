//! Places: ports, inland points and the terminals in them, and the gazetteer that finds them.

use std::collections::BTreeMap;

use crate::codes::UnLocode;
use crate::geography::Point;

/// A seaport, inland point or ramp city.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its UN/LOCODE.
    pub locode: UnLocode,
    /// Its English name.
    pub name: String,
    /// State or province abbreviation (US, CA, MX, AU …), when there is one.
    pub state: Option<String>,
    /// Degrees north and east (WGS 84), two decimals, of the port area.
    pub coordinates: Option<(f64, f64)>,
    /// IANA zone name.
    pub zone: String,
    /// The code under which the same port is counted (`CNSGH` is counted as `CNSHA`); else its own.
    pub canonical: UnLocode,
    /// The inland metropolitan area it lies in, by that area's code (`USEWI` lies in `USCHI`, and so does
    /// `USCHI`); `None` for seaports and for places that no railroad serves.
    pub metro_area: Option<UnLocode>,
    /// Whether it is known that no sea vessel comes here. Of places in a metropolitan area their terminals tell.
    pub inland: bool,
    /// Towns of the same state in which its terminals stand: truckers name them (San Pedro, Elizabeth).
    pub towns: Vec<String>,
}

impl Port {
    /// What it is called: its name, and where that is the name of two towns (`New York/New Jersey`) either.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let towns = self.name.split('/').filter(|town| *town != self.name);
        std::iter::once(self.name.as_str()).chain(towns)
    }

    /// Whether it stands for a whole metropolitan area.
    pub fn is_metro_area(&self) -> bool {
        self.metro_area == Some(self.locode)
    }
}

/// What a facility is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TerminalKind {
    /// Loads and discharges sea vessels.
    Ocean,
    /// Loads and unloads rail cars.
    Rail,
}

/// What a source may tell of a box from inside a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inside {
    /// The day up to which it stands for free.
    LastFreeDay,
    /// When it left with its goods.
    FullOut,
    /// Whether it may leave.
    Availability,
    /// What is owed for it.
    Fees,
    /// What keeps it there.
    Holds,
    /// When it is to be collected.
    Appointment,
    /// Where in the yard it stands.
    YardLocation,
    /// The chassis on which it left.
    Chassis,
}

impl Inside {
    /// All of it.
    pub const ALL: [Self; 8] = [
        Self::LastFreeDay,
        Self::FullOut,
        Self::Availability,
        Self::Fees,
        Self::Holds,
        Self::Appointment,
        Self::YardLocation,
        Self::Chassis,
    ];
}

/// A marine terminal or rail ramp.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminal {
    /// Stable code in our tables: the UN/LOCODE and the best known facility code (`USLAX-Y258`).
    pub code: String,
    /// Its full name.
    pub name: String,
    /// What people call it.
    pub nickname: String,
    /// Where it is.
    pub port: UnLocode,
    /// Ocean terminal or rail ramp.
    pub kind: TerminalKind,
    /// US customs FIRMS code, or a Canadian customs sub-location.
    pub firms_code: Option<String>,
    /// SMDG terminal code, unique inside its port only.
    pub smdg_code: Option<String>,
    /// BIC facility code.
    pub bic_facility_code: Option<String>,
    /// IANA zone name.
    pub zone: String,
    /// City as published, when it is.
    pub city: Option<String>,
    /// State or province abbreviation, when there is one.
    pub state: Option<String>,
}

/// All places we know. A value like any other: rules that need it take it as an argument.
#[derive(Clone, Debug, Default)]
pub struct Gazetteer {
    ports: BTreeMap<UnLocode, Port>,
    terminals: BTreeMap<String, Terminal>,
    /// Codes of terminals, in order, by the port that counts for theirs: rules ask it for every report.
    by_port: BTreeMap<UnLocode, Vec<String>>,
    countries: BTreeMap<String, String>,
    country_zones: BTreeMap<String, String>,
    /// Zones of states and provinces, by country and state.
    states: BTreeMap<(String, String), StateZone>,
}

/// What the clocks of a state or province say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateZone {
    /// IANA zone name: of all of it, or of most of it.
    pub zone: String,
    /// Whether a part of it keeps another time, so that a place of which only the state is known may be an hour off.
    pub split: bool,
}

impl Gazetteer {
    /// Collects the tables. A later row of the same code replaces the earlier one.
    pub fn new(
        ports: impl IntoIterator<Item = Port>,
        terminals: impl IntoIterator<Item = Terminal>,
    ) -> Self {
        let mut gazetteer = Self {
            ports: ports.into_iter().map(|port| (port.locode, port)).collect(),
            terminals: terminals.into_iter().map(|t| (t.code.clone(), t)).collect(),
            by_port: BTreeMap::new(),
            countries: BTreeMap::new(),
            country_zones: BTreeMap::new(),
            states: BTreeMap::new(),
        };
        let mut by_port: BTreeMap<UnLocode, Vec<String>> = BTreeMap::new();
        for (code, terminal) in &gazetteer.terminals {
            let port = gazetteer.canonical(terminal.port);
            by_port.entry(port).or_default().push(code.clone());
        }
        gazetteer.by_port = by_port;
        gazetteer
    }

    /// With the English names of countries, by ISO 3166-1 code.
    #[must_use]
    pub fn with_countries(mut self, names: impl IntoIterator<Item = (String, String)>) -> Self {
        self.countries.extend(names);
        self
    }

    /// With the IANA zones of countries in which all clocks agree, by ISO 3166-1 code.
    #[must_use]
    pub fn with_country_zones(mut self, zones: impl IntoIterator<Item = (String, String)>) -> Self {
        self.country_zones.extend(zones);
        self
    }

    /// With the zones of states and provinces, by ISO 3166-1 code of the country and abbreviation of the state.
    #[must_use]
    pub fn with_states(
        mut self,
        zones: impl IntoIterator<Item = ((String, String), StateZone)>,
    ) -> Self {
        self.states.extend(zones);
        self
    }

    /// What the clocks of a state or province say, for places of which no more is known.
    pub fn state_zone(&self, country: &str, state: &str) -> Option<&StateZone> {
        let key = |text: &str| text.trim().to_ascii_uppercase();
        self.states.get(&(key(country), key(state)))
    }

    /// The name of the country with this ISO 3166-1 code; the code where no name is known.
    pub fn country<'a>(&'a self, code: &'a str) -> &'a str {
        self.countries.get(code).map_or(code, String::as_str)
    }

    /// The port with this code.
    pub fn port(&self, locode: UnLocode) -> Option<&Port> {
        self.ports.get(&locode)
    }

    /// All ports, by code.
    pub fn ports(&self) -> impl Iterator<Item = &Port> {
        self.ports.values()
    }

    /// The terminals in this port, by code; those of its twins count as its own.
    pub fn terminals_in(&self, port: UnLocode) -> impl Iterator<Item = &Terminal> {
        let codes = self.by_port.get(&self.canonical(port));
        let codes = codes.into_iter().flatten();
        codes.filter_map(|code| self.terminals.get(code))
    }

    /// All terminals, by code.
    pub fn terminals(&self) -> impl Iterator<Item = &Terminal> {
        self.terminals.values()
    }

    /// The terminal with our code (`USLAX-Y258`).
    pub fn terminal(&self, code: &str) -> Option<&Terminal> {
        self.terminals.get(code)
    }

    /// The code under which this port is counted: twins of one port compare equal after this.
    pub fn canonical(&self, locode: UnLocode) -> UnLocode {
        self.ports
            .get(&locode)
            .map_or(locode, |port| port.canonical)
    }

    /// The metropolitan area that this place lies in.
    pub fn metro_area(&self, locode: UnLocode) -> Option<&Port> {
        let area = self.ports.get(&locode)?.metro_area?;
        self.ports.get(&area)
    }

    /// The code under which places are compared where a neighbourhood is good enough: that of the metropolitan
    /// area, else the canonical one. A railroad says Joliet where the line says Chicago.
    pub fn area(&self, locode: UnLocode) -> UnLocode {
        self.metro_area(locode)
            .map_or_else(|| self.canonical(locode), |area| area.locode)
    }

    /// Whether two places are one, or no farther apart than this; never so where we do not know where one of them is.
    pub fn is_within(&self, a: UnLocode, b: UnLocode, km: f64) -> bool {
        let point = |place| self.ports.get(&place)?.coordinates.map(Point::of);
        let both = point(a).zip(point(b));
        self.canonical(a) == self.canonical(b) || both.is_some_and(|(a, b)| a.distance_km(b) <= km)
    }

    /// Whether no sea vessel comes here, as far as we know: a place marked so, or one of an inland metropolis without a terminal for
    /// them. Not so of places that are in no table.
    pub fn is_inland(&self, locode: UnLocode) -> bool {
        let is_marked = self.port(locode).is_some_and(|port| port.inland);
        let mut terminals = self.terminals_in(locode);
        is_marked
            || (self.metro_area(locode).is_some()
                && !terminals.any(|terminal| terminal.kind == TerminalKind::Ocean))
    }

    /// IANA zone of a place, when we know the place, or all clocks of its country agree. A code that no table has may be a
    /// terminal's own where digits are in it: then its first letters name no country whose hours could be sure.
    pub fn zone(&self, locode: UnLocode) -> Option<&str> {
        let own = self.ports.get(&locode).map(|port| &port.zone);
        let is_a_place = locode.is_letters();
        let of_country = || self.zone_of_country(locode).filter(|_| is_a_place);
        own.map(String::as_str).or_else(of_country)
    }

    /// IANA zone in which all clocks of the country agree that a code begins with: near, where a code has digits, and not sure.
    pub fn zone_of_country(&self, locode: UnLocode) -> Option<&str> {
        self.country_zones.get(locode.country()).map(String::as_str)
    }

    /// The terminal that a feed means by `facility_code` at `port`: SMDG, BIC or FIRMS code, whichever fits.
    /// SMDG codes are unique only inside their port, so the port is part of the question.
    pub fn terminal_at(&self, port: UnLocode, facility_code: &str) -> Option<&Terminal> {
        let given = facility_code.trim();
        let is = |code: &Option<String>| {
            code.as_deref()
                .is_some_and(|code| code.eq_ignore_ascii_case(given))
        };
        self.terminals_in(port)
            .find(|t| is(&t.smdg_code) || is(&t.bic_facility_code) || is(&t.firms_code))
    }
}
