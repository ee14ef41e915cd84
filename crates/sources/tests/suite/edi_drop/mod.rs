//! EDI files of our own making: what is read from each, and what of it stands when one is damaged.

mod answers;
mod appointments;
mod boxes;
mod chassis;
mod clocks;
mod codes;
mod damage;
mod dialects;
mod ends;
mod fuzz;
mod harbour_towns;
mod iftsta;
mod lifts;
mod messages;
mod parts;
mod places;
mod profiles;
mod series;
mod spellings;
mod stages;
mod status_place;
mod taken_back;
mod trains;
mod truckers;
mod unread_dates;
mod ways;
mod zone_names;

use std::fmt::Write;

use domain::place::Gazetteer;
use jiff::Timestamp;
use sources::Parsed;
use sources::edi_drop::{Profile, parse};

/// When the files are read: a day after the messages were received would be too early for what waits.
fn received_at() -> Timestamp {
    "2026-03-15T12:00:00Z".parse().unwrap()
}

fn profile(more: &str) -> Profile {
    Profile::parse(&format!("id = \"qse\"\nprotocol = \"edi\"\n{more}")).unwrap()
}

fn read(file: &[u8], gazetteer: &Gazetteer) -> Parsed {
    parse(&profile(""), file, received_at(), gazetteer)
}

/// A set in an envelope of its own; lines are segments.
fn x12_file(code: &str, segments: &str) -> Vec<u8> {
    let lines: Vec<&str> = segments
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let group = match code {
        "315" => "QO",
        "322" => "SO",
        "214" => "QM",
        _ => "IC",
    };
    let mut file = String::from(
        "ISA*00*          *00*          *ZZ*QSELINE        *ZZ*QSEUSER        *260314*0600*U*00401*000000041*0*P*>~\n",
    );
    write!(
        file,
        "GS*{group}*QSELINE*QSEUSER*20260314*0600*41*X*004010~\nST*{code}*0001~\n"
    )
    .unwrap();
    for line in &lines {
        file.push_str(line);
        file.push_str("~\n");
    }
    write!(
        file,
        "SE*{}*0001~\nGE*1*41~\nIEA*1*000000041~\n",
        lines.len() + 2
    )
    .unwrap();
    file.into_bytes()
}

fn edifact_file(kind: &str, segments: &str) -> Vec<u8> {
    let lines: Vec<&str> = segments
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let mut file = format!("UNB+UNOA:2+QSELINE+QSEUSER+260314:0600+Q41'\nUNH+1+{kind}:D:99B:UN'\n");
    for line in &lines {
        file.push_str(line);
        file.push_str("'\n");
    }
    write!(file, "UNT+{}+1'\nUNZ+1+Q41'\n", lines.len() + 2).unwrap();
    file.into_bytes()
}
