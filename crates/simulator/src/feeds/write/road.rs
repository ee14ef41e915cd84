//! Interfaces of railroads, each in the shape of its own: what one answered when it was asked about the box.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::Feed;
use super::super::tell::{Noticed, Telling};
use super::super::way::{Act, Notice, Way, Word};
use super::{local, parts};
use crate::world::places::Place;
use crate::world::voyage::Mode;

/// A move; `None` where the road does not tell it.
pub(super) fn moved(way: &Way, telling: &Telling) -> Option<Vec<u8>> {
    let what = &telling.what;
    if what.mode != Mode::Rail {
        return None;
    }
    let place = telling.place;
    match telling.feed {
        Feed::Up => {
            let code = match what.act {
                Act::Load => "Ramped",
                Act::Depart => "Departed",
                Act::Arrive => "Arrived",
                Act::Discharge => "Deramped",
                _ => return None,
            };
            let form = if telling.day_only { "%Y-%m-%d" } else { OFFSET };
            let at = local(telling.at, place, form);
            Some(up(way, None, Some((code, at, place))))
        }
        Feed::Cn => {
            let code = match what.act {
                Act::Load => "Loaded on train",
                Act::Depart => "Departed",
                Act::Arrive => "Arrived",
                Act::Discharge => "Unloaded",
                _ => return None,
            };
            let form = if telling.day_only { "%Y-%m-%d" } else { WALL };
            let at = local(telling.at, place, form);
            Some(cn(way, None, Some((code, at, place))))
        }
        Feed::Bnsf if what.act == Act::Arrive && !telling.day_only => {
            let at = local(telling.at, place, WALL);
            Some(bnsf(
                way,
                place,
                json!({ "destinationArrivalDateTime": at }),
            ))
        }
        _ => None,
    }
}

/// A word about collecting the box; `None` where the road has none for it.
pub(super) fn notice(way: &Way, notice: &Notice, said: &Noticed) -> Option<Vec<u8>> {
    let place = notice.place;
    let day = |at: Timestamp| local(at, place, "%Y-%m-%d");
    match (said.feed, notice.word) {
        (Feed::Up, Word::Available) => {
            let at = local(notice.value, place, OFFSET);
            Some(up(way, None, Some(("Notified", at, place))))
        }
        (Feed::Up, Word::FreeUntil) => Some(up(way, Some(&day(notice.value)), None)),
        (Feed::Cn, Word::Available) => {
            let at = local(notice.value, place, WALL);
            Some(cn(way, None, Some(("Grounded", at, place))))
        }
        (Feed::Cn, Word::FreeUntil) => Some(cn(way, Some(&day(notice.value)), None)),
        (Feed::Bnsf, Word::FreeUntil) => {
            // It tells when storage begins: the midnight behind the last free day.
            let begins = notice
                .value
                .to_zoned(place.clock())
                .date()
                .tomorrow()
                .ok()?;
            let begins = format!("{begins}T00:00:00");
            Some(bnsf(way, place, json!({ "storageStartDateTime": begins })))
        }
        _ => None,
    }
}

const OFFSET: &str = "%Y-%m-%dT%H:%M:%S%:z";
const WALL: &str = "%Y-%m-%dT%H:%M:%S";

type Told<'p> = (&'static str, String, &'p Place);

/// Union Pacific: shipments with their events.
fn up(way: &Way, free_until: Option<&str>, told: Option<Told<'_>>) -> Vec<u8> {
    let (owner, serial, _) = parts(way);
    let events: Vec<Value> = told
        .into_iter()
        .map(|(code, at, place)| {
            let (city, state) = station(place);
            json!({ "code": code, "date_time": at,
                "location": { "city": city, "state_abbreviation": state } })
        })
        .collect();
    json!([{
        "load": {
            "equipment": { "id": format!("{owner}0000{serial}") },
            "load_empty_code": "Loaded",
            "last_free_date": free_until,
        },
        "waybill": { "bill_of_lading_number": way.bill },
        "events": events,
    }])
    .to_string()
    .into_bytes()
}

/// Canadian National: equipment of third-party shipments; clocks of the stations.
fn cn(way: &Way, free_until: Option<&str>, told: Option<Told<'_>>) -> Vec<u8> {
    let (owner, serial, _) = parts(way);
    let events: Vec<Value> = told
        .into_iter()
        .map(|(code, at, place)| {
            let (city, state) = station(place);
            json!({ "EventCode": code, "EventDateTime": at,
                "Location": { "Station": city, "ProvinceState": state } })
        })
        .collect();
    json!({ "ThirdPartyIntermodalShipment": { "Equipment": [{
        "EquipmentId": format!("{owner}{serial}"),
        "LoadEmpty": "L",
        "StorageInformation": { "LastFreeDay": free_until },
        "Events": events,
    }] } })
    .to_string()
    .into_bytes()
}

/// BNSF: one unit, and the end of its way.
fn bnsf(way: &Way, place: &Place, more: Value) -> Vec<u8> {
    let (owner, serial, _) = parts(way);
    let (city, state) = station(place);
    let mut unit = json!({
        "equipmentInitial": owner,
        "equipmentNumber": serial.trim_start_matches('0'),
        "destinationStation333": city,
        "destinationStateCode": state,
        "loadEmptyChassisCode": "L",
    });
    if let (Some(unit), Value::Object(more)) = (unit.as_object_mut(), more) {
        unit.extend(more);
    }
    json!({ "intermodalUnits": [unit] })
        .to_string()
        .into_bytes()
}

/// A place as railroads call it.
pub(super) fn station(place: &Place) -> (&'static str, &'static str) {
    match place.code {
        "USLAX" => ("LOS ANGELES", "CA"),
        "USOAK" => ("OAKLAND", "CA"),
        "USMEM" => ("MEMPHIS", "TN"),
        "USJOT" => ("JOLIET", "IL"),
        "USNYC" => ("NEW YORK", "NY"),
        "USSAV" => ("SAVANNAH", "GA"),
        _ => ("CHICAGO", "IL"),
    }
}
