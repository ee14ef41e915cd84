//! A file to reports and defects, message by message.

use domain::place::Gazetteer;
use edi::{Broken, Flaw, Message, Note, Reader, edifact, x12};
use jiff::Timestamp;

use super::desk::Desk;
use super::profile::Profile;
use super::stages::Directory;
use super::{iftsta, ocean_315, rail_plans, ramp_322, terminal_moves, time, truck_214};
use crate::parsed::PART_REPORTS;
use crate::{Defect, Kind, Parsed, detect};

/// When the sender wrote a message, as far as its envelope tells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) at: Option<Timestamp>,
}

/// Reads one file. Equal arguments give equal results; nothing is asked of the outside.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    let mut whole = Parsed::default();
    for part in records(profile, bytes, received_at, gazetteer) {
        whole.add(part);
    }
    whole
}

/// The same, one message of the file at a time: a large file need not be held as reports all at once. What is
/// odd about the file itself comes last.
pub fn records<'a>(
    profile: &'a Profile,
    bytes: &'a [u8],
    received_at: Timestamp,
    gazetteer: &'a Gazetteer,
) -> impl Iterator<Item = Parsed> + use<'a> {
    let desk = Desk::new(profile, received_at, gazetteer);
    let mut opened = Some(open(bytes));
    let mut reading = None;
    let mut left = None;
    std::iter::from_fn(move || {
        match opened.take() {
            Some(Ok(reader)) => reading = Some(reader),
            Some(Err(broken)) => left = Some(refused(&broken)),
            None => {}
        }
        if let Some((language, reader)) = &mut reading {
            if let Some(message) = reader.next() {
                return Some(one(*language, &message, &desk));
            }
            left = Some(about_file(reader.notes()));
            reading = None;
        }
        left.take()
    })
}

/// The same, as many messages at a time as make some hundred reports.
pub fn in_parts(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
    give: &mut dyn FnMut(Parsed),
) {
    let mut part = Parsed::default();
    for record in records(profile, bytes, received_at, gazetteer) {
        part.add(record);
        if part.reports.len() + part.defects.len() >= PART_REPORTS {
            give(std::mem::take(&mut part));
        }
    }
    give(part);
}

/// The two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    X12,
    Edifact,
}

pub(super) fn open(bytes: &[u8]) -> Result<(Language, Reader<'_>), Broken> {
    if detect(bytes) == Some(Kind::X12) {
        return Ok((Language::X12, x12::read(bytes)?));
    }
    match edifact::read(bytes) {
        Ok(reader) => Ok((Language::Edifact, reader)),
        // Something stands before the file: whichever language is found behind it.
        Err(broken) => match x12::read(bytes) {
            Ok(reader) => Ok((Language::X12, reader)),
            Err(_) => Err(Broken {
                reason: "this is neither X12 nor EDIFACT: there is no ISA, GS, ST, UNA, UNB or UNH",
                ..broken
            }),
        },
    }
}

fn refused(broken: &Broken) -> Parsed {
    Parsed {
        defects: vec![Defect {
            place: format!("line {} column {}", broken.line, broken.column),
            reason: broken.reason.to_owned(),
        }],
        envelope_broken: true,
        ..Parsed::default()
    }
}

/// One message.
pub(super) fn one(language: Language, message: &Message<'_>, desk: &Desk<'_>) -> Parsed {
    let mut parsed = about_file(&message.notes);
    desk.begin();
    match language {
        Language::X12 => of_x12(message, desk, &mut parsed),
        Language::Edifact => of_edifact(message, desk, &mut parsed),
    }
    desk.said_before.place(&mut parsed);
    parsed
}

/// The code of a set: told by its header, else by its first segment.
pub(super) fn code_of_set(message: &Message<'_>) -> String {
    let header = message.header.as_ref();
    let told = header.map(|st| st.text(1).into_owned()).unwrap_or_default();
    if !told.is_empty() {
        return told;
    }
    let first = message.body.iter().find_map(|segment| match segment.tag() {
        "B4" => Some("315"),
        "Q5" | "ZC1" => Some("322"),
        "B10" | "AT7" => Some("214"),
        "BAX" => Some("418"),
        _ => None,
    });
    first.unwrap_or_default().to_owned()
}

/// The type of a message: told by its header, else by its segments.
pub(super) fn type_of_message(message: &Message<'_>) -> String {
    let header = message.header.as_ref();
    let told = header.map(|unh| unh.component(2, 1).into_owned());
    if let Some(told) = told.filter(|told| !told.is_empty()) {
        return told.to_ascii_uppercase();
    }
    if message.body.iter().any(|segment| segment.is("STS")) {
        return "IFTSTA".into();
    }
    let bgm = message.body.iter().find(|segment| segment.is("BGM"));
    let code = bgm
        .map(|bgm| bgm.component(1, 1).into_owned())
        .unwrap_or_default();
    match code.as_str() {
        "34" | "36" | "109" | "111" => "CODECO".into(),
        "44" | "46" | "98" | "119" | "122" | "270" => "COARRI".into(),
        _ => String::new(),
    }
}

fn of_x12(message: &Message<'_>, desk: &Desk<'_>, parsed: &mut Parsed) {
    let code = code_of_set(message);
    let group = message.group.as_ref();
    let at = group.and_then(|gs| desk.written(time::x12(&gs.text(4), &gs.text(5), "")));
    let written = Written { at };
    let body = &message.body;
    match code.as_str() {
        "315" => ocean_315::read(body, written, desk, parsed),
        "322" => ramp_322::read(body, written, desk, parsed),
        "214" => truck_214::read(body, written, desk, parsed),
        "404" | "417" => rail_plans::waybill(&code, body, written, desk, parsed),
        "418" => rail_plans::consist(body, written, desk, parsed),
        // Answers to what we sent claim nothing.
        "997" | "999" => {}
        _ => unread(
            message,
            &format!("sets of the code {code:?} are not read"),
            parsed,
        ),
    }
}

fn of_edifact(message: &Message<'_>, desk: &Desk<'_>, parsed: &mut Parsed) {
    let unb = message.interchange.as_ref();
    let at = unb.and_then(|unb| {
        let text = format!("{}{}", unb.component(4, 1), unb.component(4, 2));
        let format = if unb.component(4, 1).len() == 8 {
            "203"
        } else {
            "201"
        };
        desk.written(time::edifact(&text, format))
    });
    let written = Written { at };
    let body = &message.body;
    match type_of_message(message).as_str() {
        "IFTSTA" => {
            let header = message.header.as_ref();
            let release = header.map(|unh| unh.component(2, 3).into_owned());
            let directory = Directory::of(&release.unwrap_or_default());
            iftsta::read(body, directory, written, desk, parsed);
        }
        "CODECO" => terminal_moves::codeco(body, written, desk, parsed),
        "COARRI" => terminal_moves::coarri(body, written, desk, parsed),
        "CONTRL" => {}
        other => unread(
            message,
            &format!("messages of the type {other:?} are not read"),
            parsed,
        ),
    }
}

fn unread(message: &Message<'_>, reason: &str, parsed: &mut Parsed) {
    parsed.defects.push(Defect {
        place: message.place().to_string(),
        reason: reason.to_owned(),
    });
}

/// What is odd about an envelope. Wrong counts and numbers are worth a word; what is cut off or unreadable
/// means that something may not have been found.
fn about_file(notes: &[Note]) -> Parsed {
    let harmless = |note: &Note| {
        matches!(
            note.flaw,
            Flaw::CountDiffers { .. } | Flaw::ControlDiffers { .. } | Flaw::SeparatorsGuessed
        )
    };
    let decisive = notes.iter().position(|note| !harmless(note));
    Parsed {
        decisive,
        envelope_broken: decisive.is_some(),
        defects: notes
            .iter()
            .map(|note| Defect {
                place: note.place.to_string(),
                reason: note.flaw.to_string(),
            })
            .collect(),
        ..Parsed::default()
    }
}
