//! How a source's messages come when nobody asks for them: two tables that every profile may have, whatever its
//! protocol.
//!
//! | key | meaning |
//! |---|---|
//! | `drop.folder` | folder into which its files are moved; each is read once and moved on |
//! | `inbound.proof` | how a sender to `POST /inbound/{id}` proves who it is: `"bearer"`, `"field"` or `"hmac-sha256"` |
//! | `inbound.field` | header field that carries the proof; `Authorization` for a bearer |
//! | `inbound.secret` | name of the secret; `inbound` |

use std::path::PathBuf;

use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, header};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::ProfileError;
use crate::section::Section;

/// The doors of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doors {
    /// The folder that is watched.
    pub folder: Option<PathBuf>,
    /// The folder into which answers to its files are written (a 997 or CONTRL); `None`: they are not.
    pub answers: Option<PathBuf>,
    /// How pushes are let in; `None`: they are not.
    pub inbound: Option<Inbound>,
}

/// How a sender of pushes proves who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inbound {
    /// What is proved how.
    pub proof: Proof,
    /// The header field that carries the proof.
    pub field: HeaderName,
    /// Name of the secret.
    pub secret: String,
}

/// Kinds of proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// `Bearer` and the secret.
    Bearer,
    /// The secret as it is.
    Field,
    /// HMAC-SHA256 of the body under the secret, in hex; `sha256=` may stand in front.
    HmacSha256,
}

impl Doors {
    /// Takes its tables out of a profile.
    pub(crate) fn take(profile: &mut Section) -> Result<Self, ProfileError> {
        let mut doors = Self::default();
        if let Some(mut table) = profile.table("drop")? {
            doors.folder = Some(table.required_text("folder")?.into());
            doors.answers = table.text("answers")?.map(PathBuf::from);
            if doors.answers.is_some() && doors.answers == doors.folder {
                return Err(table.bad("answers", "is another folder than the watched one"));
            }
            table.finish()?;
        }
        if let Some(table) = profile.table("inbound")? {
            doors.inbound = Some(inbound(table)?);
        }
        Ok(doors)
    }
}

impl Inbound {
    /// Whether the header fields and the body of a push prove that the sender knows the secret. An empty secret
    /// proves nothing.
    pub fn proves(&self, headers: &HeaderMap, body: &[u8], secret: &str) -> bool {
        let mut given = headers.get_all(&self.field).iter();
        let (Some(given), None) = (given.next(), given.next()) else {
            return false;
        };
        let Ok(given) = given.to_str().map(str::trim) else {
            return false;
        };
        !secret.is_empty() && self.proof.fits(given, body, secret)
    }

    /// Whether the header fields alone are the proof; else the body is part of it.
    pub fn is_in_head(&self) -> bool {
        match self.proof {
            Proof::Bearer | Proof::Field => true,
            Proof::HmacSha256 => false,
        }
    }

    /// Whether the header field of the proof is there.
    pub fn is_shown(&self, headers: &HeaderMap) -> bool {
        headers.contains_key(&self.field)
    }
}

impl Proof {
    fn fits(self, given: &str, body: &[u8], secret: &str) -> bool {
        match self {
            Self::Bearer => {
                let (word, given) = given.split_once(' ').unwrap_or_default();
                word.eq_ignore_ascii_case("bearer") && is_same(given.trim().as_bytes(), secret)
            }
            Self::Field => is_same(given.as_bytes(), secret),
            Self::HmacSha256 => {
                let given = given.strip_prefix("sha256=").unwrap_or(given);
                let signed = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
                let (Some(given), Ok(mut signed)) = (from_hex(given), signed) else {
                    return false;
                };
                signed.update(body);
                signed.verify_slice(&given).is_ok()
            }
        }
    }
}

fn is_same(given: &[u8], secret: &str) -> bool {
    given.ct_eq(secret.as_bytes()).into()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
        .collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    let pairs = digits.chunks_exact(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(high * 16 + low),
            _ => None,
        })
        .collect()
}

fn inbound(mut table: Section) -> Result<Inbound, ProfileError> {
    let proof = match table.text("proof")?.as_deref() {
        Some("bearer") => Proof::Bearer,
        Some("field") => Proof::Field,
        Some("hmac-sha256") => Proof::HmacSha256,
        _ => return Err(table.bad("proof", "is \"bearer\", \"field\" or \"hmac-sha256\"")),
    };
    let field = match (table.text("field")?, proof) {
        (Some(name), _) => HeaderName::try_from(name.as_str())
            .map_err(|error| table.bad("field", &format!("{name:?}: {error}")))?,
        (None, Proof::Bearer) => header::AUTHORIZATION,
        (None, Proof::Field | Proof::HmacSha256) => return Err(table.bad("field", "is missing")),
    };
    let secret = table.text("secret")?.unwrap_or_else(|| "inbound".into());
    table.finish()?;
    Ok(Inbound {
        proof,
        field,
        secret,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doors(text: &str) -> Result<Doors, String> {
        let mut top = Section::of_document(text).unwrap();
        Doors::take(&mut top).map_err(|error| format!("{}: {}", error.key, error.reason))
    }

    #[test]
    fn what_a_profile_says_of_its_doors() {
        assert_eq!(doors("id = 'x'"), Ok(Doors::default()));
        let both = "[drop]\nfolder = '/spool/x'\n[inbound]\nproof = 'bearer'";
        let both = doors(both).unwrap();
        assert_eq!(both.folder, Some("/spool/x".into()));
        let inbound = both.inbound.unwrap();
        assert_eq!(
            (inbound.field, inbound.secret.as_str()),
            (header::AUTHORIZATION, "inbound")
        );
        for (text, expected) in [
            ("drop = '/x'", "drop: is a table"),
            ("[drop]", "drop.folder: is missing"),
            (
                "[drop]\nfolder = ''",
                "drop.folder: is a text that is not empty",
            ),
            (
                "[drop]\nfolder = 'x'\nanswers = 'x'",
                "drop.answers: is another folder than the watched one",
            ),
            (
                "[drop]\nfolder = 'x'\nfolders = 'y'",
                "drop.folders: is not a key of a profile",
            ),
            (
                "[inbound]\nproof = 'hmac-sha256'",
                "inbound.field: is missing",
            ),
            (
                "[inbound]\nproof = 'trust'",
                "inbound.proof: is \"bearer\", \"field\" or \"hmac-sha256\"",
            ),
        ] {
            assert_eq!(doors(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn only_who_knows_the_secret_is_let_in() {
        let push = |proof, field: &str| Inbound {
            proof,
            field: HeaderName::try_from(field).unwrap(),
            secret: "push".into(),
        };
        let proves = |push: &Inbound, values: &[&str], secret: &str| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(push.field.clone(), value.parse().unwrap());
            }
            push.proves(&headers, b"body", secret)
        };
        let bearer = push(Proof::Bearer, "authorization");
        assert!(proves(&bearer, &["Bearer s3cret"], "s3cret"));
        for wrong in [
            &["Bearer s3cre"][..],
            &["s3cret"],
            &["Basic s3cret"],
            &[],
            &["Bearer s3cret", "x"],
        ] {
            assert!(!proves(&bearer, wrong, "s3cret"), "{wrong:?}");
        }
        assert!(!proves(&bearer, &["Bearer "], ""), "no secret is no secret");
        let field = push(Proof::Field, "x-key");
        assert!(proves(&field, &["s3cret"], "s3cret") && !proves(&field, &["S3cret"], "s3cret"));
        let signed = push(Proof::HmacSha256, "x-signature");
        let mac = "63d7d468988fe3de60e994cf90f219719ea4b63df0ee7521079ed251fa76e83d";
        assert!(proves(&signed, &[mac], "s3cret"));
        let capital = format!("sha256={}", mac.to_uppercase());
        assert!(proves(&signed, &[&capital], "s3cret"));
        assert!(!proves(&signed, &[mac], "other") && !proves(&signed, &["zz"], "s3cret"));
    }
}
