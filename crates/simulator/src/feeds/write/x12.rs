//! X12: 315 with the route of the bill, 322 of a ramp.

use edi::x12::{Envelope, Outgoing};
use edi::{Syntax, Writer};

use jiff::Timestamp;

use super::super::tell::{Mark, Noticed, Telling};
use super::super::way::{Act, Happening, Notice, Way, Word};
use super::{control, habits, local, parts, universal};
use crate::world::places::Place;
use crate::world::voyage::Mode;

/// A 315; `None` where the hub has no code for the move.
pub(super) fn status(way: &Way, telling: &Telling) -> Option<Vec<u8>> {
    let what = &telling.what;
    let code = match (what.act, what.mode, what.laden) {
        (Act::Load, Mode::Vessel, _) if telling.mark == Mark::TakesBack => "CA",
        (Act::GateOut, _, false) => "EE",
        (Act::GateIn, _, false) => "RD",
        (Act::GateIn, ..) => "I",
        (Act::GateOut, ..) => "OA",
        (Act::Load, Mode::Vessel, _) => "AE",
        (Act::Depart, Mode::Vessel, _) => "VD",
        (Act::Arrive, Mode::Vessel, _) => "VA",
        (Act::Discharge, Mode::Vessel, _) => "UV",
        (Act::Load, Mode::Rail, _) => "AL",
        (Act::Depart, Mode::Rail, _) => "RL",
        (Act::Arrive, Mode::Rail, _) => "AR",
        (Act::Discharge, Mode::Rail, _) => "UR",
        (Act::Deliver, ..) => "D",
        _ => return None,
    };
    let (owner, serial, check) = parts(way);
    Some(set(
        (telling.issued_at, telling.received_at),
        "QO",
        "315",
        |out| {
            let place = telling.place;
            let (date, time) = moment(telling);
            let laden = if what.laden { "L" } else { "E" };
            out.segment(
                "B4",
                &[
                    "", "", code, &date, &time, "", &owner, &serial, laden, "45G1", place.code,
                    "UN", &check,
                ],
            );
            out.segment("N9", &["BM", &way.bill]);
            out.segment("N9", &["BN", &way.booking]);
            out.segment("N9", &["SCA", "HRNS"]);
            if let Some(ship) = what.ship {
                let voyage = format!("{}E", ship.voyage);
                out.segment(
                    "Q2",
                    &[
                        &ship.vessel.imo(),
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        &voyage,
                        "",
                        "",
                        "L",
                        ship.vessel.name,
                    ],
                );
            }
            route(way, telling, out);
            out.segment("R4", &["5", "UN", place.code, place.name]);
        },
    ))
}

/// Where the bill goes, with what is expected at its ends.
fn route(way: &Way, telling: &Telling, out: &mut Writer) {
    let ours = || way.happenings.iter().filter(|happening| !happening.foreign);
    let calls = |act: Act| {
        let mut of = ours().filter(move |h| h.act == act && h.mode == Mode::Vessel);
        (of.next(), of.next_back())
    };
    let (Some(left), _) = calls(Act::Depart) else {
        return;
    };
    let Some(landed) = ours().rfind(|h| h.act == Act::Arrive && h.mode == Mode::Vessel) else {
        return;
    };
    let stop = |out: &mut Writer, role: &str, place: &Place| {
        out.segment("R4", &[role, "UN", place.code, place.name]);
    };
    let expected = |out: &mut Writer, call: &Happening, code: &str| {
        if call.at > telling.issued_at {
            let at = |form| local(call.at, call.place, form);
            out.segment("DTM", &[code, &at("%Y%m%d"), &at("%H%M")]);
        }
    };
    stop(out, "L", left.place);
    expected(out, left, "369");
    for hub in ours().filter(|h| h.act == Act::Arrive && h.mode == Mode::Vessel && h.at < landed.at)
    {
        stop(out, "T", hub.place);
    }
    stop(out, "D", landed.place);
    expected(out, landed, "371");
    let inland = ours().rfind(|h| h.act == Act::Arrive && h.mode == Mode::Rail);
    if let Some(ramp) = inland {
        stop(out, "E", ramp.city());
        expected(out, ramp, "371");
    }
}

/// A 322 of the railroad at a ramp.
pub(super) fn ramp(way: &Way, telling: &Telling) -> Option<Vec<u8>> {
    let what = &telling.what;
    let code = match what.act {
        Act::Load => "AL",
        Act::Depart => "RL",
        Act::Arrive => "AR",
        Act::Discharge => "UR",
        _ => return None,
    };
    let (owner, serial, check) = parts(way);
    Some(set(
        (telling.issued_at, telling.received_at),
        "SO",
        "322",
        |out| {
            let (date, time) = moment(telling);
            if telling.mark == Mark::TakesBack {
                let former = ["R1", &owner, &serial, &way.bill, &date, "CA", "BNSF"];
                out.segment("ZC1", &former);
            }
            out.segment(
                "Q5",
                &[code, &date, &time, "LT", "", telling.place.name, "", "US"],
            );
            let mut unit = [
                "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
                "",
            ];
            let told = [
                (0, owner.as_str()),
                (1, &serial),
                (10, "CN"),
                (17, &check),
                (21, "45G1"),
            ];
            for (element, value) in told {
                if let Some(cell) = unit.get_mut(element) {
                    *cell = value;
                }
            }
            out.segment("N7", &unit);
            out.segment("W2", &[&owner, &serial, "", "CN", "L"]);
            out.segment(
                "R4",
                &["5", "UN", telling.place.code, telling.place.name, "US"],
            );
            out.segment("N1", &["RR", "", "2", "BNSF"]);
            out.segment("N9", &["BM", &way.bill]);
        },
    ))
}

/// Available, last free day or appointment: the hub's 315 of the line, or the railroad's 322.
pub(super) fn notice(way: &Way, notice: &Notice, said: &Noticed) -> Vec<u8> {
    let code = match notice.word {
        Word::Available => "AV",
        Word::FreeUntil => "NF",
        Word::Appointment => "AA",
    };
    let at = |form| local(notice.value, notice.place, form);
    let time = if notice.word == Word::FreeUntil {
        String::new()
    } else {
        at("%H%M")
    };
    let (date, place) = (at("%Y%m%d"), notice.place);
    let (owner, serial, check) = parts(way);
    let when = (notice.said_at, said.received_at);
    if notice.inland {
        return set(when, "SO", "322", |out| {
            out.segment("Q5", &[code, &date, &time, "LT", "", place.name, "", "US"]);
            out.segment(
                "N7",
                &[&owner, &serial, "", "", "", "", "", "", "", "", "CN"],
            );
            out.segment("W2", &[&owner, &serial, "", "CN", "L"]);
            out.segment("R4", &["5", "UN", place.code, place.name, "US"]);
            out.segment("N9", &["BM", &way.bill]);
        });
    }
    set(when, "QO", "315", |out| {
        out.segment(
            "B4",
            &[
                "", "", code, &date, &time, "", &owner, &serial, "L", "45G1", place.code, "UN",
                &check,
            ],
        );
        out.segment("N9", &["BM", &way.bill]);
        out.segment("N9", &["BN", &way.booking]);
        out.segment("R4", &["5", "UN", place.code, place.name]);
    })
}

/// Local date and time; midnight means that only the day is known.
fn moment(telling: &Telling) -> (String, String) {
    let time = if telling.day_only {
        "0000".to_owned()
    } else {
        local(telling.at, telling.place, "%H%M")
    };
    (local(telling.at, telling.place, "%Y%m%d"), time)
}

pub(super) fn set(
    (issued_at, received_at): (Timestamp, Timestamp),
    group: &str,
    code: &str,
    body: impl FnOnce(&mut Writer),
) -> Vec<u8> {
    let envelope = Envelope {
        sender: ["ZZ".into(), "HERONHUB".into()],
        receiver: ["ZZ".into(), "QUAYSIDE".into()],
        date: universal(issued_at, "%Y%m%d"),
        time: universal(issued_at, "%H%M"),
        control: control(received_at),
        functional_code: group.into(),
        version: "004010".into(),
    };
    let (syntax, habits) = habits::of(issued_at, Syntax::X12);
    let mut file = Outgoing::begin(envelope, syntax, habits);
    file.set(code, "0001", body);
    file.finish()
}
