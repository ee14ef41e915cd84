//! The rows of a chain, and how one follows from the other.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::Entry;
use crate::ids::AccountId;

/// SHA-256 of a row.
pub type Digest = [u8; 32];

/// Stands before all that is hashed. Another way to write rows down gets another number.
const ENCODING: &[u8] = b"quayside audit 1";

/// Where a chain stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Position of its last row.
    pub position: i64,
    /// Hash of its last row.
    pub hash: Digest,
}

/// A row of a chain, as it is stored: in words, so that one that somebody changed can be looked at too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Whose chain.
    pub account: AccountId,
    /// Its place, from 1, without gaps.
    pub position: i64,
    /// When.
    pub at: Timestamp,
    /// By whom: the id of an API key, `operator` or `quayside`.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// The type of what it was done to.
    pub subject_type: String,
    /// The id of what it was done to.
    pub subject: String,
    /// What is different now, a JSON object.
    pub detail: String,
    /// The hash of the row before it; of the first row, [`Head::START`]'s.
    pub previous: Digest,
    /// The hash of all the above.
    pub hash: Digest,
}

impl Head {
    /// The head of a chain without rows.
    pub const START: Self = Self {
        position: 0,
        hash: [0; 32],
    };

    /// The row that follows, with this entry.
    pub fn next(self, account: AccountId, entry: &Entry) -> Link {
        let mut link = Link {
            account,
            position: self.position.saturating_add(1),
            at: entry.at,
            actor: entry.actor.to_string(),
            action: entry.action.as_str().to_owned(),
            subject_type: entry.action.subject_type().to_owned(),
            subject: entry.subject.clone(),
            detail: entry.detail.clone(),
            previous: self.hash,
            hash: [0; 32],
        };
        link.hash = link.digest();
        link
    }
}

impl Link {
    /// The head of a chain that ends with it.
    pub fn head(&self) -> Head {
        Head {
            position: self.position,
            hash: self.hash,
        }
    }

    /// The hash that it should have. Of the time whole microseconds count, as the stores keep no more. Numbers and ids have one length, and each text has its length in front: no two
    /// rows are written down alike.
    pub fn digest(&self) -> Digest {
        let mut hasher = Sha256::new();
        hasher.update(ENCODING);
        hasher.update(self.previous);
        hasher.update(self.account.0.as_bytes());
        hasher.update(self.position.to_be_bytes());
        hasher.update(self.at.as_microsecond().to_be_bytes());
        for text in [
            &self.actor,
            &self.action,
            &self.subject_type,
            &self.subject,
            &self.detail,
        ] {
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            hasher.update(length.to_be_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().into()
    }
}

/// A hash as people see it.
pub fn hex(digest: &Digest) -> String {
    let bytes = digest.iter().map(|byte| format!("{byte:02x}"));
    bytes.collect()
}
