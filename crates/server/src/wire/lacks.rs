//! What a source can be read without and cannot work without, or not well: secrets that its profile names and nobody gave, folders
//! that are not there or may not be used, terminals that are in no table, and a login or line that it shares with
//! another.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use domain::codes::{Scac, UnLocode};
use domain::place::Gazetteer;
use domain::tracking_request::NumberKind;
use rustix::fs::Access;
use sources::ocean::dcsa;
use sources::{Profile, Speaks};

use super::credentials;
use super::secret_owners::{settled, variable};
use crate::config::{Settings, SettingsInvalid};

/// What one source lacks.
#[derive(Debug, PartialEq, Eq)]
pub struct Lack {
    source: String,
    what: What,
}

#[derive(Debug, PartialEq, Eq)]
enum What {
    /// A secret, and whose it would be.
    Secret {
        name: String,
        owner: String,
        /// Whether pushes are proved by it; else we are, where the source is asked.
        proves_pushes: bool,
    },
    Folder {
        key: &'static str,
        path: PathBuf,
        fault: &'static str,
    },
    Terminal {
        code: String,
        /// Those of its port.
        known: Vec<String>,
    },
    /// One login for it and this source, which has the same secrets.
    Login { twin: String },
    /// Questions about this line: they go to this source.
    Line { scac: Scac, twin: String },
}

/// What any of these lacks, by profile.
pub fn of(
    settings: &Settings,
    profiles: &[Profile],
    gazetteer: &Gazetteer,
) -> Result<Vec<Lack>, SettingsInvalid> {
    let settings = settled(settings, profiles)?;
    let each = profiles.iter().flat_map(|profile| {
        let secrets = secrets(&settings, profile).into_iter();
        let lacks = secrets.chain(folders(profile));
        let lacks = lacks.chain(terminals(profile, gazetteer));
        lacks.map(|what| Lack {
            source: profile.id().to_owned(),
            what,
        })
    });
    let twins = credentials::twins(&settings, profiles).into_iter();
    let twins = twins.map(|(profile, twin)| Lack {
        source: profile.id().to_owned(),
        what: What::Login {
            twin: twin.id().to_owned(),
        },
    });
    Ok(each.chain(twins).chain(lines(profiles)).collect())
}

/// A number of a line is asked about at the first profile that answers for it: for it a later one is asked nothing, and what it is
/// sent is told twice.
fn lines(profiles: &[Profile]) -> Vec<Lack> {
    let asked: Vec<&dcsa::Profile> = profiles.iter().filter_map(ocean).collect();
    let answer_both = |one: &dcsa::Profile, other: &dcsa::Profile| {
        let mut kinds = NumberKind::ALL.into_iter();
        kinds.any(|kind| one.supports(kind) && other.supports(kind))
    };
    let shared = |(index, profile): (usize, &&dcsa::Profile)| {
        let mut earlier = asked.iter().take(index);
        earlier.find_map(|other| {
            let mut codes = other.scacs.iter();
            let scac = codes.find(|scac| profile.scacs.contains(scac))?;
            answer_both(other, profile).then(|| Lack {
                source: profile.id.clone(),
                what: What::Line {
                    scac: *scac,
                    twin: other.id.clone(),
                },
            })
        })
    };
    asked.iter().enumerate().filter_map(shared).collect()
}

fn ocean(profile: &Profile) -> Option<&dcsa::Profile> {
    match &profile.speaks {
        Speaks::Ocean(ocean) => Some(ocean),
        Speaks::Edi(_) | Speaks::Table(_) | Speaks::Clm(_) | Speaks::Ais(_) => None,
    }
}

/// Says which secrets are missing with which a source is asked, which terminals nobody knows, and who shares a login unawares. Of
/// secrets for pushes whoever opens its doors warns, and of folders whoever watches them.
pub fn warn(lacks: &[Lack]) {
    for Lack { source, what } in lacks {
        match what {
            What::Secret {
                name,
                owner,
                proves_pushes: false,
            } => tracing::warn!(
                source,
                secret = name,
                variable = variable(owner, name),
                "the source cannot be asked: there is no such secret"
            ),
            What::Terminal { code, known } => tracing::warn!(
                source,
                terminal = code,
                known = known.join(", "),
                "the terminal is in no table: what the source says has no place"
            ),
            What::Login { twin } => tracing::warn!(
                source,
                twin,
                "these have the same secrets: name one auth.login in both profiles, so that they share its budget"
            ),
            What::Line { scac, twin } => tracing::warn!(
                source,
                twin,
                line = scac.as_str(),
                "both profiles answer for this line: what both could be asked is asked of the first, and what this one is sent is told beside it; name each line and kind of number in one"
            ),
            What::Secret { .. } | What::Folder { .. } => {}
        }
    }
}

fn secrets(settings: &Settings, profile: &Profile) -> Vec<What> {
    let given = credentials::secrets(settings, profile);
    let asked = profile.auth().map(|auth| auth.secrets());
    let asked = asked.into_iter().flatten();
    let asked = asked.map(|name| (name, profile.login(), false));
    let pushed = profile.doors.inbound.as_ref();
    let pushed = pushed.map(|inbound| (inbound.secret.as_str(), profile.id(), true));
    let named = asked.chain(pushed);
    let lacking = named.filter(|(name, ..)| !given.contains_key(*name));
    // A profile may name one secret in several places.
    let mut told = BTreeSet::new();
    lacking
        .filter(|(name, owner, _)| told.insert((*name, *owner)))
        .map(|(name, owner, proves_pushes)| What::Secret {
            name: name.to_owned(),
            owner: owner.to_owned(),
            proves_pushes,
        })
        .collect()
}

/// Files are moved inside the folder that is watched; answers are only written.
fn folders(profile: &Profile) -> impl Iterator<Item = What> {
    let (taken, written) = (
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
        Access::WRITE_OK | Access::EXEC_OK,
    );
    let doors = &profile.doors;
    let named = [
        ("drop.folder", &doors.folder, taken),
        ("drop.answers", &doors.answers, written),
    ];
    named.into_iter().filter_map(|(key, path, needed)| {
        let path = path.as_ref()?;
        let fault = fault(path, needed)?;
        let path = path.clone();
        Some(What::Folder { key, path, fault })
    })
}

/// A code that is in no table is mistyped: rows would have no place, and no vessel a terminal.
fn terminals(profile: &Profile, gazetteer: &Gazetteer) -> impl Iterator<Item = What> {
    let named: BTreeSet<&str> = profile.terminals().into_iter().collect();
    let unknown = named
        .into_iter()
        .filter(|code| gazetteer.terminal(code).is_none());
    unknown.map(|code| {
        let port = code.split('-').next().unwrap_or_default();
        let port = UnLocode::parse(port).ok();
        let there = port
            .into_iter()
            .flat_map(|port| gazetteer.terminals_in(port));
        What::Terminal {
            code: code.into(),
            known: there.map(|terminal| terminal.code.clone()).collect(),
        }
    })
}

fn fault(path: &Path, needed: Access) -> Option<&'static str> {
    match path.try_exists() {
        Ok(true) => {}
        Ok(false) => return Some("is not there"),
        Err(_) => return Some("cannot be reached by this user"),
    }
    if !path.is_dir() {
        return Some("is no folder");
    }
    let refused = rustix::fs::access(path, needed).is_err();
    refused.then_some("cannot be written by this user")
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = &self.source;
        match &self.what {
            What::Secret { name, owner, .. } => {
                let variable = variable(owner, name);
                write!(f, "{source}: no secret {name:?} ({variable})")
            }
            What::Folder { key, path, fault } => {
                write!(f, "{source}: {key} {} {fault}", path.display())
            }
            What::Terminal { code, known } => {
                let known = match known.as_slice() {
                    [] => "no terminal of its port is".into(),
                    known => format!("of its port there are: {}", known.join(", ")),
                };
                write!(f, "{source}: terminal {code:?} is in no table; {known}")
            }
            What::Login { twin } => write!(
                f,
                "{source}: its secrets are those of {twin} too: name one auth.login in both profiles, so that they share its \
                 budget"
            ),
            What::Line { scac, twin } => write!(
                f,
                "{source}: {twin} answers for the line {scac} too: what both could be asked is asked of that one, and what this \
                 one is sent is told beside it; name each line and kind of number in one"
            ),
        }
    }
}
