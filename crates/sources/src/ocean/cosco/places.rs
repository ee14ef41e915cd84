//! Names to places. A name counts only together with its country: there are towns of one name on every
//! continent, and a wrong port is worse than none.

use std::collections::BTreeMap;

use domain::codes::UnLocode;
use domain::place::{Gazetteer, Port};
use serde_json::Value;

/// How deep a message is searched for places.
const LOOKED_INTO_MAX: u32 = 12;

/// The names of one message.
pub(super) struct Places<'a> {
    gazetteer: &'a Gazetteer,
    /// The country that the message gives a city, both in capitals; none when it gives two.
    countries: BTreeMap<String, Option<String>>,
}

impl<'a> Places<'a> {
    /// With what the message says about the countries of its cities.
    pub(super) fn new(gazetteer: &'a Gazetteer, message: &Value) -> Self {
        let mut places = Self {
            gazetteer,
            countries: BTreeMap::new(),
        };
        places.learn(message, 0);
        places
    }

    /// The port of `terminal,city,state,country`, of `city,country`, or of a city whose country the message
    /// says elsewhere.
    pub(super) fn locode(&self, text: &str) -> Option<UnLocode> {
        let (city, country) = if let Some(both) = split(text) {
            both
        } else {
            let city = capitals(text.split(" - ").next().unwrap_or(text));
            let country = self.countries.get(&city)?.clone()?;
            (city, country)
        };
        let here = |port: &&Port| {
            same(&port.name, &city) && same(self.gazetteer.country(port.locode.country()), &country)
        };
        // City and port may have a code each, and one name.
        let ports = self.gazetteer.ports().filter(here);
        let mut found = ports.map(|port| self.gazetteer.canonical(port.locode));
        let first = found.next()?;
        // Two towns of one name in a country are told apart by nothing that the tables name.
        found.all(|other| other == first).then_some(first)
    }

    /// Every text of the message with a country at its end teaches the country of its city.
    fn learn(&mut self, value: &Value, depth: u32) {
        if depth > LOOKED_INTO_MAX {
            return;
        }
        match value {
            Value::String(text) => {
                let Some((city, country)) = split(text) else {
                    return;
                };
                if self.is_country(&country) {
                    self.countries
                        .entry(city)
                        .and_modify(|known| {
                            if known.as_ref() != Some(&country) {
                                *known = None;
                            }
                        })
                        .or_insert(Some(country.clone()));
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.learn(value, depth + 1)),
            Value::Object(members) => members
                .values()
                .for_each(|value| self.learn(value, depth + 1)),
            _ => {}
        }
    }

    fn is_country(&self, name: &str) -> bool {
        let mut ports = self.gazetteer.ports();
        ports.any(|port| same(self.gazetteer.country(port.locode.country()), name))
    }
}

/// City and country of a text that has both. The city stands before the state, or, where there is no state
/// (`city,country`), first.
fn split(text: &str) -> Option<(String, String)> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let (country, before) = parts.split_last()?;
    let city = match before {
        [] => return None,
        [city] | [city, _] => city,
        [.., city, _state] => city,
    };
    let known = !city.is_empty() && !country.is_empty();
    known.then(|| (capitals(city), capitals(country)))
}

/// Whether a name is this one, which is in capitals.
fn same(name: &str, capitals: &str) -> bool {
    name.chars()
        .flat_map(char::to_uppercase)
        .eq(capitals.chars())
}

fn capitals(text: &str) -> String {
    text.trim().to_uppercase()
}
