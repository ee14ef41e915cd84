//! The profile of one sender. The keys are described in the [module essay](super) and in `docs/sources/edi.md`.

use std::collections::BTreeSet;

use domain::codes::Scac;
use jiff::tz::TimeZone;

use crate::ProfileError;
use crate::section::Section;

/// How the files of one sender are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Name of the feed; stands in every report as its source.
    pub id: String,
    /// Code of the line, where the messages do not name it.
    pub scac: Option<Scac>,
    /// What the sender is; `None` is told from the kind of message.
    pub sender: Option<Sender>,
    /// Which files are answered.
    pub acknowledge: Acknowledge,
    /// What it does its own way.
    pub quirks: Quirks,
}

/// What a sender is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A shipping line.
    Line,
    /// A marine terminal.
    Terminal,
    /// A railroad.
    Railroad,
}

/// Which files are answered with a 997 or a CONTRL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acknowledge {
    /// X12 always, as partners expect it; EDIFACT when the file asks for it.
    #[default]
    Asked,
    /// Every file.
    Always,
    /// None.
    Never,
}

/// What a sender does its own way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quirks {
    /// Zone of times at places we do not know, and of the times in the envelope.
    pub zone: Option<TimeZone>,
    /// Only the date of its times means anything.
    pub date_only: bool,
    /// The zone tags of its times are not to be believed.
    pub tags_are_wrong: bool,
    /// Status codes that are not read.
    pub ignored_codes: BTreeSet<String>,
}

/// Letters of an id.
const ID_LETTERS_MAX: usize = 64;

impl Profile {
    /// Reads a profile. A key that means nothing is an error: a misspelt quirk would move times silently.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut top = Section::of_document(text)?;
        let protocol = top.required_text("protocol")?;
        if protocol != "edi" {
            return Err(top.bad("protocol", &format!("is \"edi\", not {protocol:?}")));
        }
        let id = top.required_text("id")?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.len() > ID_LETTERS_MAX || !id.chars().all(plain) {
            let reason = "has 1 to 64 letters, digits, dashes, dots and underscores";
            return Err(top.bad("id", reason));
        }
        let scac = top.text("scac")?.map(|code| Scac::parse(&code));
        let profile = Self {
            id,
            scac: scac
                .transpose()
                .map_err(|error| top.bad("scac", &error.to_string()))?,
            sender: sender(&mut top)?,
            acknowledge: acknowledge(&mut top)?,
            quirks: quirks(top.table_or_empty("quirks")?)?,
        };
        top.finish()?;
        Ok(profile)
    }
}

fn sender(top: &mut Section) -> Result<Option<Sender>, ProfileError> {
    match top.text("sender")?.as_deref() {
        None => Ok(None),
        Some("line") => Ok(Some(Sender::Line)),
        Some("terminal") => Ok(Some(Sender::Terminal)),
        Some("railroad") => Ok(Some(Sender::Railroad)),
        Some(other) => {
            let reason = format!("is line, terminal or railroad, not {other:?}");
            Err(top.bad("sender", &reason))
        }
    }
}

fn acknowledge(top: &mut Section) -> Result<Acknowledge, ProfileError> {
    match top.text("acknowledge")?.as_deref() {
        None | Some("asked") => Ok(Acknowledge::Asked),
        Some("always") => Ok(Acknowledge::Always),
        Some("never") => Ok(Acknowledge::Never),
        Some(other) => {
            let reason = format!("is asked, always or never, not {other:?}");
            Err(top.bad("acknowledge", &reason))
        }
    }
}

fn quirks(mut table: Section) -> Result<Quirks, ProfileError> {
    let zone = table.text("zone")?.map(|name| TimeZone::get(&name));
    let zone = zone.transpose();
    let codes = table.texts("ignored_codes")?;
    let quirks = Quirks {
        zone: zone.map_err(|_| table.bad("zone", "is no IANA zone"))?,
        date_only: table.flag("date_only")?,
        tags_are_wrong: table.flag("tags_are_wrong")?,
        ignored_codes: codes
            .iter()
            .map(|code| code.trim().to_ascii_uppercase())
            .collect(),
    };
    table.finish()?;
    Ok(quirks)
}
