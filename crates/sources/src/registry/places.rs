//! Ports, terminals and ramps.

use std::collections::{BTreeMap, HashSet};

use domain::codes::UnLocode;
use domain::place::{Gazetteer, Port, StateZone, Terminal, TerminalKind};
use jiff::tz::TimeZone;

use super::Tables;
use super::table::{
    COUNTRIES, HARBOUR_TOWNS, METRO, PORTS, RAIL, RegistryError, Row, STATES, TERMINALS, Table,
};

/// All places. Every terminal must stand in a port of the ports table, and no two may share a code.
pub(super) fn read(tables: &Tables<'_>) -> Result<Gazetteer, RegistryError> {
    let mut ports = ports(&PORTS.with(tables.ports))?;
    place_in_metro_areas(&mut ports, &METRO.with(tables.metro))?;
    place_harbour_towns(&mut ports, &HARBOUR_TOWNS.with(tables.harbour_towns))?;
    let terminals = terminals(
        &ports,
        &TERMINALS.with(tables.terminals),
        &RAIL.with(tables.rail),
    )?;
    let (countries, country_zones) = countries(&COUNTRIES.with(tables.countries))?;
    let states = STATES.with(tables.states).rows(state)?;
    let gazetteer = Gazetteer::new(ports.into_values(), terminals);
    Ok(gazetteer
        .with_countries(countries)
        .with_country_zones(country_zones)
        .with_states(states))
}

type ByCode = Vec<(String, String)>;

/// Names of countries, and the zones of those in which all clocks agree.
fn countries(table: &Table<'_>) -> Result<(ByCode, ByCode), RegistryError> {
    let rows = table.rows(|row| {
        let zone = match row.text("iana_timezone") {
            "" => None,
            _ => Some(zone(row)?),
        };
        Ok((row.required("code")?, row.required("name")?, zone))
    })?;
    let zones = rows
        .iter()
        .filter_map(|(code, _, zone)| Some((code.clone(), zone.clone()?)));
    let zones = zones.collect();
    Ok((
        rows.into_iter()
            .map(|(code, name, _)| (code, name))
            .collect(),
        zones,
    ))
}

/// What the clocks of a state say.
fn state(row: &Row<'_>) -> Result<((String, String), StateZone), String> {
    let zone = row.required("iana_timezone")?;
    TimeZone::get(&zone).map_err(|_| format!("there is no time zone {zone}"))?;
    let split = match row.text("split") {
        "" => false,
        "yes" => true,
        other => return Err(format!("split is \"yes\" or nothing, not {other:?}")),
    };
    let key = (row.required("country")?, row.required("state")?);
    Ok((key, StateZone { zone, split }))
}

/// Marine terminals and ramps.
fn terminals(
    ports: &BTreeMap<UnLocode, Port>,
    terminals_table: &Table<'_>,
    rail_table: &Table<'_>,
) -> Result<Vec<Terminal>, RegistryError> {
    let mut terminals = Vec::new();
    let railroads: BTreeMap<String, String> = rail_table
        .rows(|row| {
            Ok((
                row.text("scac").to_owned(),
                row.text("name").to_owned(),
                is_ramp(row)?,
            ))
        })?
        .into_iter()
        .filter_map(|(scac, name, ramp)| (!ramp).then_some((scac, name)))
        .collect();
    let mut codes = HashSet::new();
    let marine = terminals_table.rows(|row| Ok((row.line(), Some(terminal(row, ports)?))))?;
    let ramps = rail_table.rows(|row| Ok((row.line(), ramp(row, &railroads)?)))?;
    let with_table = |rows: Vec<(u64, Option<Terminal>)>, table| {
        rows.into_iter()
            .map(move |(line, terminal)| (table, line, terminal))
    };
    let all = with_table(marine, terminals_table).chain(with_table(ramps, rail_table));
    for (table, line, terminal) in all {
        let Some(terminal) = terminal else { continue };
        if !ports.contains_key(&terminal.port) {
            let reason = format!("{} is not in the ports table", terminal.port);
            return Err(table.bad(line, reason));
        }
        if !codes.insert(terminal.code.clone()) {
            return Err(table.bad(line, format!("the code {} is taken", terminal.code)));
        }
        terminals.push(terminal);
    }
    Ok(terminals)
}

/// Each town stands at one port.
fn place_harbour_towns(
    ports: &mut BTreeMap<UnLocode, Port>,
    table: &Table<'_>,
) -> Result<(), RegistryError> {
    let rows = table.rows(|row| {
        Ok((
            row.line(),
            un_locode(row.text("unlocode"))?,
            row.required("town")?,
        ))
    })?;
    for (line, locode, town) in rows {
        let state = ports
            .get(&locode)
            .ok_or_else(|| table.bad(line, format!("{locode} is not in the ports table")))?
            .state
            .clone();
        let is_taken = ports.values().any(|port| {
            let is_near = port.state == state && port.locode.country() == locode.country();
            let mut names = port.names().chain(port.towns.iter().map(String::as_str));
            is_near && names.any(|name| name.eq_ignore_ascii_case(&town))
        });
        if is_taken {
            return Err(table.bad(line, format!("{town} is the name of a port there")));
        }
        if let Some(port) = ports.get_mut(&locode) {
            port.towns.push(town);
        }
    }
    Ok(())
}

/// An area's own row says that it is one; a place of it names an area that is.
fn place_in_metro_areas(
    ports: &mut BTreeMap<UnLocode, Port>,
    table: &Table<'_>,
) -> Result<(), RegistryError> {
    let rows = table.rows(|row| {
        let (place, area) = (row.text("unlocode"), row.text("metro_area"));
        Ok((row.line(), un_locode(place)?, un_locode(area)?))
    })?;
    for (line, place, area) in &rows {
        if !rows.iter().any(|(_, p, a)| p == a && a == area) {
            return Err(table.bad(*line, format!("{area} is no metropolitan area")));
        }
        let port = ports
            .get_mut(place)
            .ok_or_else(|| table.bad(*line, format!("{place} is not in the ports table")))?;
        port.metro_area = Some(*area);
    }
    Ok(())
}

fn ports(table: &Table<'_>) -> Result<BTreeMap<UnLocode, Port>, RegistryError> {
    let mut ports: BTreeMap<UnLocode, Port> = BTreeMap::new();
    let rows = table.rows(|row| Ok((row.line(), port(row)?)))?;
    for (line, port) in &rows {
        if ports.insert(port.locode, port.clone()).is_some() {
            return Err(table.bad(*line, format!("{} is listed twice", port.locode)));
        }
    }
    for (line, port) in &rows {
        let twin = ports.get(&port.canonical);
        if twin.is_none_or(|twin| twin.canonical != twin.locode) {
            let reason = format!(
                "{} is counted as {}, which is no main code",
                port.locode, port.canonical
            );
            return Err(table.bad(*line, reason));
        }
    }
    Ok(ports)
}

fn port(row: &Row<'_>) -> Result<Port, String> {
    let locode = un_locode(row.text("unlocode"))?;
    let country = row.text("country");
    if country != locode.country() {
        return Err(format!("{locode} is not in {country}"));
    }
    let canonical = match row.text("same_port_as") {
        "" => locode,
        twin => un_locode(twin)?,
    };
    Ok(Port {
        locode,
        name: row.required("name")?,
        state: row.optional("state"),
        coordinates: coordinates(row)?,
        zone: zone(row)?,
        canonical,
        metro_area: None,
        inland: inland(row)?,
        towns: Vec::new(),
    })
}

fn inland(row: &Row<'_>) -> Result<bool, String> {
    if row.text("inland").is_empty() {
        return Ok(false);
    }
    row.flag("inland")
}

fn coordinates(row: &Row<'_>) -> Result<Option<(f64, f64)>, String> {
    if row.text("lat").is_empty() && row.text("lon").is_empty() {
        return Ok(None);
    }
    let degrees = |column: &str, most: f64| {
        let text = row.text(column);
        text.parse::<f64>()
            .ok()
            .filter(|value| value.abs() <= most)
            .ok_or_else(|| format!("{column} is a number of degrees, not {text:?}"))
    };
    Ok(Some((degrees("lat", 90.0)?, degrees("lon", 180.0)?)))
}

fn terminal(row: &Row<'_>, ports: &BTreeMap<UnLocode, Port>) -> Result<Terminal, String> {
    let port = un_locode(row.text("unlocode"))?;
    let name = row.required("name")?;
    let nickname = row.optional("nickname").unwrap_or_else(|| name.clone());
    let (firms_code, smdg_code) = (row.optional("firms_code"), row.optional("smdg_code"));
    let bic_facility_code = row.optional("bic_facility_code");
    let known = [&firms_code, &smdg_code, &bic_facility_code];
    let code = known.into_iter().flatten().next().cloned();
    Ok(Terminal {
        code: format!("{port}-{}", code.unwrap_or_else(|| slug(&nickname))),
        name,
        nickname,
        port,
        kind: TerminalKind::Ocean,
        firms_code,
        smdg_code,
        bic_facility_code,
        zone: zone(row)?,
        city: ports.get(&port).map(|port| port.name.clone()),
        state: ports.get(&port).and_then(|port| port.state.clone()),
    })
}

/// A ramp; `None` for a railroad's own row, and for a ramp whose UN/LOCODE is not known: it cannot be
/// placed, and inventing a code would be worse than leaving it out.
fn ramp(row: &Row<'_>, railroads: &BTreeMap<String, String>) -> Result<Option<Terminal>, String> {
    if !is_ramp(row)? || row.text("unlocode").is_empty() {
        return Ok(None);
    }
    let port = un_locode(row.text("unlocode"))?;
    let name = row.required("name")?;
    let mark = row.required("scac")?;
    let railroad = railroads.get(&mark).unwrap_or(&mark);
    let firms_code = row.optional("firms_code");
    let code = firms_code.clone().or_else(|| row.optional("splc"));
    Ok(Some(Terminal {
        code: format!(
            "{port}-{}",
            code.unwrap_or_else(|| slug(&format!("{mark} {name}")))
        ),
        name: format!("{railroad} {name}"),
        nickname: name,
        port,
        kind: TerminalKind::Rail,
        firms_code,
        smdg_code: None,
        bic_facility_code: None,
        zone: zone(row)?,
        city: row.optional("city"),
        state: row.optional("state"),
    }))
}

fn is_ramp(row: &Row<'_>) -> Result<bool, String> {
    match row.text("kind") {
        "ramp" => Ok(true),
        "carrier" => Ok(false),
        other => Err(format!("kind is carrier or ramp, not {other:?}")),
    }
}

fn un_locode(text: &str) -> Result<UnLocode, String> {
    UnLocode::parse(text).map_err(|e| e.to_string())
}

/// The zone must be one that times can be read in: a misspelt one would show up as times in UTC.
fn zone(row: &Row<'_>) -> Result<String, String> {
    let name = row.required("iana_timezone")?;
    TimeZone::get(&name).map_err(|_| format!("{name:?} is not a time zone"))?;
    Ok(name)
}

/// `STE Oakland` → `STE-OAKLAND`.
fn slug(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_uppercase()
}
