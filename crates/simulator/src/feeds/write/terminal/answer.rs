//! The answer of an interface, in JSON.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::super::way::Way;
use super::super::local;
use super::{Row, currency, fee_kind, hold_name, hold_status, money, neighbour};
use crate::dice::Dice;
use crate::world::places::Place;

/// The box among others; empty cells are empty in one of the three ways of JSON.
pub(super) fn bytes(
    way: &Way,
    (place, terminal): (&Place, &str),
    as_of: Timestamp,
    row: &Row<'_>,
    damaged: bool,
    dice: &mut Dice,
) -> Vec<u8> {
    let iso = "%Y-%m-%dT%H:%M:%S%:z";
    let mut unit = Map::new();
    unit.insert("id".into(), json!(way.number.to_string()));
    if dice.per_mille(500) {
        unit.insert("bill".into(), json!(way.bill));
    }
    let mut put = |name: &str, told: Option<Value>| {
        let told = told.or_else(|| match dice.between(0, 2) {
            0 => None,
            1 => Some(Value::Null),
            _ => Some(json!("")),
        });
        told.map(|told| unit.insert(name.to_owned(), told));
    };
    let look = row.look;
    put(
        "ready",
        look.and_then(|look| look.available).map(Value::from),
    );
    let holds = look.and_then(|look| look.holds.as_ref());
    put(
        "holds",
        holds.map(|holds| {
            let each = holds.iter().map(
                |(name, status)| json!({ "kind": hold_name(*name), "state": hold_status(*status) }),
            );
            each.collect()
        }),
    );
    let fees = look.and_then(|look| look.fees.as_ref());
    put(
        "fees",
        fees.map(|fees| {
            let each = fees.iter().map(|(kind, cents)| {
                let sum = cents.map_or("TBD".to_owned(), money);
                json!({ "kind": fee_kind(*kind), "sum": sum, "money": currency(place) })
            });
            each.collect()
        }),
    );
    let day = look.and_then(|look| look.free_day);
    put("freeUntil", day.map(|day| json!(day.to_string())));
    let slot = look.and_then(|look| look.appointment);
    put("slot", slot.map(|at| json!(local(at, place, iso))));
    let spot = look.and_then(|look| look.spot.clone());
    put("spot", spot.map(Value::from));
    if let Some((column, at)) = &row.moved {
        unit.insert((*column).to_owned(), json!(at));
    }
    if let Some(ship) = row.ship {
        let voyage = format!("{}E", ship.voyage);
        let told = json!({ "name": ship.vessel.name, "imo": ship.vessel.imo(), "voyage": voyage });
        unit.insert("ship".into(), told);
    }
    let mut units = vec![Value::Object(unit)];
    units.insert(0, json!({ "id": neighbour(way, dice), "ready": false }));
    if damaged {
        units.insert(1, json!({ "id": "see remarks", "ready": true }));
    }
    json!({ "asOf": local(as_of, place, iso), "port": place.code, "pier": terminal, "units": units })
        .to_string()
        .into_bytes()
}
