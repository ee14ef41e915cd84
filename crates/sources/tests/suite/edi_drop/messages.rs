//! Messages of every kind, with what is read from each and the public events that would follow, a day later,
//! were it all there is. They are written from the published structure of each message.
//!
//! A file of `tests/edi` holds messages of one kind; each begins with `== name`, optionally with keys of the
//! sender's profile behind `|`. To read the snapshots: `INSTA_UPDATE=always cargo test -p sources edi_drop`.

use std::fmt::Write;
use std::path::Path;

use jiff::SignedDuration;
use sources::edi_drop::parse;

use super::{edifact_file, profile, received_at, x12_file};
use crate::messages::told;
use crate::told::gazetteer;

/// The least number of messages in the folder.
const MESSAGES_MIN: usize = 120;

/// A message with its name, its file, and the profile it is read with.
pub struct Message {
    pub kind: String,
    pub name: String,
    pub profile: String,
    pub file: Vec<u8>,
}

/// All messages, in the order of their files.
pub fn messages() -> Vec<Message> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edi");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|path| {
            let kind = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(path).unwrap();
            of_file(&kind, &text)
        })
        .collect()
}

fn of_file(kind: &str, text: &str) -> Vec<Message> {
    let messages = text.split("== ").skip(1);
    messages
        .map(|message| {
            let (head, body) = message.split_once('\n').unwrap();
            let (name, profile) = head.split_once('|').unwrap_or((head, ""));
            Message {
                kind: kind.to_owned(),
                name: name.trim().to_owned(),
                profile: profile.trim().replace(';', "\n"),
                file: file(kind, body),
            }
        })
        .collect()
}

fn file(kind: &str, body: &str) -> Vec<u8> {
    match kind {
        "envelopes" => body
            .replace("\\r", "\r")
            .replace("\\x1d", "\u{1d}")
            .into_bytes(),
        code if code.bytes().all(|b| b.is_ascii_digit()) => x12_file(code, body),
        kind => edifact_file(&kind.to_uppercase(), body),
    }
}

#[test]
fn every_message_is_read_as_it_stands_in_its_snapshot() {
    let gazetteer = gazetteer();
    let messages = messages();
    assert!(messages.len() >= MESSAGES_MIN, "{}", messages.len());
    let now = received_at() + SignedDuration::from_hours(24);
    for kind in messages.chunk_by(|a, b| a.kind == b.kind) {
        let mut text = String::new();
        for message in kind {
            let profile = profile(&message.profile);
            let parsed = parse(&profile, &message.file, received_at(), &gazetteer);
            write!(
                text,
                "== {}\n{}\n",
                message.name,
                told(&parsed, &gazetteer, now)
            )
            .unwrap();
        }
        insta::with_settings!({ snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("edi__{}", kind[0].kind), text);
        });
    }
}

/// Every code of the tables has a message.
#[test]
fn every_code_has_a_message() {
    let all = messages();
    let has = |kind: &str, segment: &str| {
        let wanted = segment.to_owned();
        all.iter()
            .any(|m| m.kind == kind && String::from_utf8_lossy(&m.file).contains(&wanted))
    };
    for code in "EE RD I OA O AE AP AO AL AM VD VA UV RL P A AR UR AV AU AW NF FT D X1 AG E C CR FP CT CU K \
                 PA PK PQ PR PL PP PS PT PW PX PU PV A1 A2 A3 A4 C1 HR TC NP FD DN IB AA AD X9 CS BF CO OB SA X6 AF J R HG N NR B CA"
        .split_whitespace()
    {
        assert!(has("315", &format!("B4***{code}*")), "315 {code}");
    }
    for code in "AL RL P A AR UR NF I OA AV VA UV".split_whitespace() {
        assert!(has("322", &format!("Q5*{code}*")), "322 {code}");
    }
    for code in "X3 AF X1 X2 D1 AG AR RL AL UR AV I1 P1 SD X6 CD CP OA DE".split_whitespace() {
        assert!(has("214", &format!("AT7*{code}*")), "214 {code}");
    }
    for code in
        "1 24 27 31 13 21 48 29 59 79 100 74 78 70 26 93 28 80 82 83 12 17 38 45 64 90 91 62 85 86"
            .split_whitespace()
    {
        assert!(has("iftsta", &format!("STS+1+{code}:")), "iftsta {code}");
    }
    for code in ["44", "98", "119", "46", "270", "122"] {
        assert!(has("coarri", &format!("BGM+{code}+")), "coarri {code}");
    }
}
