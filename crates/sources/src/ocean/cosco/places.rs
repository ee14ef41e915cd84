//! Names to places. A name counts only together with its country: there are towns of one name on every
//! continent, and a wrong port is worse than none.

use std::collections::{BTreeMap, BTreeSet};

use domain::codes::UnLocode;
use domain::place::Gazetteer;
use serde_json::Value;

/// How deep a message is searched for places.
const LOOKED_INTO_MAX: u32 = 12;

/// The names of one message.
pub(super) struct Places {
    /// Port by (city, country), both in capitals.
    ports: BTreeMap<(String, String), UnLocode>,
    /// Names of countries that have a port.
    known: BTreeSet<String>,
    /// The country that the message gives a city; none when it gives two.
    countries: BTreeMap<String, Option<String>>,
}

impl Places {
    /// With what the message says about the countries of its cities.
    pub(super) fn new(gazetteer: &Gazetteer, message: &Value) -> Self {
        let mut ports = BTreeMap::new();
        for port in gazetteer.ports() {
            let country = capitals(gazetteer.country(port.locode.country()));
            let main = gazetteer.canonical(port.locode);
            let slot = ports.entry((capitals(&port.name), country)).or_insert(main);
            // Twins have one name; the main code of the two is the port.
            if gazetteer.canonical(*slot) == main {
                *slot = main;
            }
        }
        let mut places = Self {
            known: ports.keys().map(|(_, country)| country.clone()).collect(),
            ports,
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
        self.ports.get(&(city, country)).copied()
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
                if self.known.contains(&country) {
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

fn capitals(text: &str) -> String {
    text.trim().to_uppercase()
}
