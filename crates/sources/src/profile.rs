//! A source as its settings file describes it, whatever it speaks.
//!
//! The key `protocol` says which connector reads the messages; everything else in the file is that connector's
//! own, and it refuses what it does not know. A new protocol needs a variant here and a line in each match.

use domain::place::Gazetteer;
use jiff::Timestamp;

use crate::Parsed;
use crate::ocean;
use crate::ocean::dcsa::{self, ProfileError};
use domain::shipping_line::ShippingLine;

/// A configured source.
#[derive(Clone, Debug)]
pub enum Profile {
    /// An ocean carrier that is asked over HTTP.
    Ocean(Box<dcsa::Profile>),
}

impl Profile {
    /// Reads a profile. Every key is checked, and one that means nothing is an error.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        Ok(Self::from(dcsa::Profile::parse(text)?))
    }

    /// Its id: names it in watches, raw messages and reports.
    pub fn id(&self) -> &str {
        match self {
            Self::Ocean(profile) => &profile.id,
        }
    }

    /// The shipping line that the file brings, when it is in no table.
    pub fn shipping_line(&self) -> Option<ShippingLine> {
        match self {
            Self::Ocean(profile) => profile.shipping_line(),
        }
    }

    /// Reads one message. Equal arguments give equal results; nothing is asked of the outside.
    pub fn read(&self, bytes: &[u8], received_at: Timestamp, gazetteer: &Gazetteer) -> Parsed {
        match self {
            Self::Ocean(profile) => ocean::parse(profile, bytes, received_at, gazetteer),
        }
    }
}

impl From<dcsa::Profile> for Profile {
    fn from(profile: dcsa::Profile) -> Self {
        Self::Ocean(Box::new(profile))
    }
}
