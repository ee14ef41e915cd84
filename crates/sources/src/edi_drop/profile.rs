//! The profile of one sender. The keys are described in the [module essay](super) and in `docs/sources/edi.md`.

use std::collections::BTreeSet;

use domain::codes::Scac;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::ocean::dcsa::ProfileError;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sender {
    /// A shipping line.
    Line,
    /// A marine terminal.
    Terminal,
    /// A railroad.
    Railroad,
}

/// Which files are answered with a 997 or a CONTRL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: String,
    protocol: String,
    scac: Option<String>,
    sender: Option<Sender>,
    #[serde(default)]
    acknowledge: Acknowledge,
    #[serde(default)]
    quirks: QuirksTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct QuirksTable {
    zone: Option<String>,
    date_only: bool,
    tags_are_wrong: bool,
    ignored_codes: Vec<String>,
}

impl Profile {
    /// Reads a profile. A key that means nothing is an error: a misspelt quirk would move times silently.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let file: File = toml::from_str(text).map_err(|error| shape(text, &error))?;
        let bad = |key: &str, reason: String| {
            Err(ProfileError {
                key: key.to_owned(),
                reason,
            })
        };
        if file.protocol != "edi" {
            return bad("protocol", format!("is \"edi\", not {:?}", file.protocol));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if file.id.is_empty() || file.id.len() > ID_LETTERS_MAX || !file.id.chars().all(plain) {
            let reason = "has 1 to 64 letters, digits, dashes, dots and underscores";
            return bad("id", reason.into());
        }
        let scac = match file.scac.as_deref().map(Scac::parse).transpose() {
            Ok(scac) => scac,
            Err(error) => return bad("scac", error.to_string()),
        };
        let zone = file.quirks.zone.as_deref().map(TimeZone::get).transpose();
        let Ok(zone) = zone else {
            return bad("quirks.zone", "is no IANA zone".into());
        };
        let codes = file.quirks.ignored_codes.iter();
        Ok(Self {
            id: file.id,
            scac,
            sender: file.sender,
            acknowledge: file.acknowledge,
            quirks: Quirks {
                zone,
                date_only: file.quirks.date_only,
                tags_are_wrong: file.quirks.tags_are_wrong,
                ignored_codes: codes.map(|code| code.trim().to_ascii_uppercase()).collect(),
            },
        })
    }
}

fn shape(text: &str, error: &toml::de::Error) -> ProfileError {
    let before = error.span().and_then(|span| text.get(..span.start));
    ProfileError {
        key: format!(
            "line {}",
            before.unwrap_or_default().matches('\n').count() + 1
        ),
        reason: error.message().to_owned(),
    }
}
