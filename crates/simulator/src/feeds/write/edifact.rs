//! EDIFACT: COARRI of the quay, CODECO of the gate, IFTSTA of a forwarder.

use edi::edifact::{Envelope, Outgoing};
use edi::{Syntax, Writer};

use super::super::tell::{Mark, Telling};
use super::super::way::{Act, Purpose, Way};
use super::{control, habits, local, universal};
use crate::world::voyage::Mode;

/// A load or discharge.
pub(super) fn coarri(way: &Way, telling: &Telling) -> Vec<u8> {
    let what = &telling.what;
    let (kind, port) = if what.act == Act::Load {
        ("270", "9")
    } else {
        ("98", "11")
    };
    message(telling, "COARRI", |out| {
        begin(telling, kind, out);
        if let Some(ship) = what.ship {
            let (voyage, imo) = (format!("{}E", ship.voyage), ship.vessel.imo());
            out.composite(
                "TDT",
                &[
                    &["20"],
                    &[&voyage],
                    &["1"],
                    &[],
                    &["HRNS", "172", "20"],
                    &[],
                    &[],
                    &[&imo, "146", "11", ship.vessel.name],
                ],
            );
        }
        out.composite("LOC", &[&[port], &[telling.place.code, "139", "6"]]);
        unit(way, telling, out);
        references(way, telling, out);
        out.composite("LOC", &[&[port], &[telling.place.code, "139", "6"]]);
        time(telling, "203", out);
        out.segment("CNT", &["16:1"]);
    })
}

/// Through a gate.
pub(super) fn codeco(way: &Way, telling: &Telling) -> Vec<u8> {
    let what = &telling.what;
    let kind = if what.act == Act::GateIn { "34" } else { "36" };
    message(telling, "CODECO", |out| {
        begin(telling, kind, out);
        unit(way, telling, out);
        references(way, telling, out);
        time(telling, "7", out);
        out.composite("LOC", &[&["165"], &[telling.place.code, "139", "6"]]);
        out.composite("TDT", &[&["1"], &[], &["3"]]);
    })
}

/// A status in the words of the ocean trade.
pub(super) fn iftsta(way: &Way, telling: &Telling) -> Option<Vec<u8>> {
    let what = &telling.what;
    let code = match (what.act, what.mode) {
        (Act::Load, Mode::Vessel) => "48",
        (Act::Discharge, Mode::Vessel) => "29",
        (Act::Arrive, Mode::Vessel) => "1",
        (Act::Depart, Mode::Vessel) => "24",
        _ => return None,
    };
    Some(message(telling, "IFTSTA", |out| {
        begin(telling, "77", out);
        out.composite("CNI", &[&["1"], &[&way.bill]]);
        out.composite("STS", &[&["1"], &[code]]);
        references(way, telling, out);
        time(telling, "334", out);
        out.composite("LOC", &[&["175"], &[telling.place.code, "139", "6"]]);
        if let Some(ship) = what.ship {
            let (voyage, imo) = (format!("{}E", ship.voyage), ship.vessel.imo());
            out.composite(
                "TDT",
                &[
                    &["20"],
                    &[&voyage],
                    &["1"],
                    &[],
                    &["HRNS", "172", "20"],
                    &[],
                    &[],
                    &[&imo, "146", "11", ship.vessel.name],
                ],
            );
        }
        out.composite(
            "EQD",
            &[
                &["CN"],
                &[&way.number.to_string()],
                &["45G1", "102", "5"],
                &[],
                &[],
                &["5"],
            ],
        );
    }))
}

fn begin(telling: &Telling, kind: &str, out: &mut Writer) {
    let function = match telling.mark {
        Mark::First => "9",
        Mark::Corrects => "5",
        Mark::TakesBack => "1",
    };
    // One move is one document; what puts it right names it again.
    let document = format!("D{}{:?}", telling.about, telling.feed);
    out.composite("BGM", &[&[kind], &[&document], &[function]]);
    let issued = universal(telling.issued_at, "%Y%m%d%H%MUTC");
    out.composite("DTM", &[&["137", &issued, "303"]]);
}

fn unit(way: &Way, telling: &Telling, out: &mut Writer) {
    let status = match telling.what.purpose {
        Purpose::Export => "2",
        Purpose::Import => "3",
        Purpose::Transshipment => "6",
    };
    let laden = if telling.what.laden { "5" } else { "4" };
    out.composite(
        "EQD",
        &[
            &["CN"],
            &[&way.number.to_string()],
            &["45G1", "102", "5"],
            &[],
            &[status],
            &[laden],
        ],
    );
}

/// Those who know the box only name no papers.
fn references(way: &Way, telling: &Telling, out: &mut Writer) {
    if !telling.what.foreign {
        out.composite("RFF", &[&["BN", &way.booking]]);
        out.composite("RFF", &[&["BM", &way.bill]]);
    }
}

fn time(telling: &Telling, qualifier: &str, out: &mut Writer) {
    let (form, list) = if telling.day_only {
        ("%Y%m%d", "102")
    } else {
        ("%Y%m%d%H%M", "203")
    };
    let at = local(telling.at, telling.place, form);
    out.composite("DTM", &[&[qualifier, &at, list]]);
}

fn message(telling: &Telling, kind: &str, body: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let envelope = Envelope {
        sender: ["HERONPORT".into(), "ZZ".into()],
        receiver: ["QUAYSIDE".into(), "ZZ".into()],
        date: universal(telling.issued_at, "%y%m%d"),
        time: universal(telling.issued_at, "%H%M"),
        control: control(telling.received_at),
        asks_for_answer: false,
    };
    let (syntax, habits) = habits::of(telling.issued_at, Syntax::EDIFACT);
    let mut file = Outgoing::begin(envelope, syntax, habits);
    file.message("1", &[kind, "D", "95B", "UN"], body);
    file.finish()
}
