//! A source as its settings file describes it, whatever it speaks.
//!
//! The key `protocol` says which connector reads the messages. The tables `drop` and `inbound` mean the same for
//! all of them ([`Doors`]); everything else in the file is that connector's own, and it refuses what it does not
//! know. A new protocol needs a variant of [`Speaks`] and a line in each match.

use std::collections::BTreeSet;

use domain::place::{Gazetteer, Inside, Terminal};
use domain::report::SourceKind;
use domain::shipping_line::ShippingLine;
use jiff::Timestamp;

use crate::ocean::dcsa;
use crate::plain::plain;
use crate::rail::clm;
use crate::section::Section;
use crate::{Doors, Parsed, ProfileError, Told, ais, edi_drop, ocean, table};

/// A configured source.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What it speaks.
    pub speaks: Speaks,
    /// How its messages come when nobody asks for them.
    pub doors: Doors,
}

/// What a source speaks, with the settings of its connector.
#[derive(Clone, Debug)]
pub enum Speaks {
    /// An ocean carrier that is asked over HTTP.
    Ocean(Box<dcsa::Profile>),
    /// A sender of X12 or EDIFACT files.
    Edi(Box<edi_drop::Profile>),
    /// A terminal or railroad whose files or answers a mapping explains.
    Table(Box<table::Profile>),
    /// Car location messages of railroads.
    Clm(Box<clm::Profile>),
    /// Positions of vessels.
    Ais(Box<ais::Profile>),
}

impl Profile {
    /// Reads a profile. Every key is checked, and one that means nothing is an error.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut top = Section::of_document(text)?;
        let doors = Doors::take(&mut top)?;
        let speaks = match top.text("protocol")?.as_deref() {
            Some("edi") => Speaks::Edi(Box::new(edi_drop::Profile::parse(text)?)),
            Some("terminal-table" | "rail-rest") => {
                Speaks::Table(Box::new(table::Profile::parse(text)?))
            }
            Some("clm") => Speaks::Clm(Box::new(clm::Profile::parse(text)?)),
            Some("ais") => Speaks::Ais(Box::new(ais::Profile::parse(text)?)),
            _ => Speaks::Ocean(Box::new(dcsa::Profile::parse(text)?)),
        };
        Ok(Self { speaks, doors })
    }

    /// Refuses a profile in which a value still says what its template said, with the key and its place. A template can
    /// be read; a service that is started with one would ask an address that is nobody's.
    pub fn check_filled_in(text: &str) -> Result<(), ProfileError> {
        Section::of_document(text)?.left_open().map_or(Ok(()), Err)
    }

    /// Its id: names it in watches, raw messages and reports.
    pub fn id(&self) -> &str {
        match &self.speaks {
            Speaks::Ocean(profile) => &profile.id,
            Speaks::Edi(profile) => &profile.id,
            Speaks::Table(profile) => &profile.id,
            Speaks::Clm(profile) => &profile.id,
            Speaks::Ais(profile) => &profile.id,
        }
    }

    /// What it speaks, as its file says it.
    pub fn protocol(&self) -> &'static str {
        use crate::ocean::dcsa::Protocol;
        match &self.speaks {
            Speaks::Ocean(profile) => match profile.protocol {
                Protocol::Dcsa2 => "dcsa-2",
                Protocol::Dcsa3(_) => "dcsa-3",
                Protocol::Cosco => "cosco",
            },
            Speaks::Edi(_) => "edi",
            Speaks::Table(profile) if profile.kind == SourceKind::RailApi => "rail-rest",
            Speaks::Table(_) => "terminal-table",
            Speaks::Clm(_) => "clm",
            Speaks::Ais(_) => "ais",
        }
    }

    /// How we prove who we are where it is asked; `None`: it is not.
    pub fn auth(&self) -> Option<&dcsa::Auth> {
        match &self.speaks {
            Speaks::Ocean(profile) => Some(&profile.auth),
            Speaks::Table(profile) => profile.asking.as_ref().map(|asking| &asking.auth),
            Speaks::Edi(_) | Speaks::Clm(_) | Speaks::Ais(_) => None,
        }
    }

    /// The login it is asked with, which other profiles may share: the one it names, else its own id.
    pub fn login(&self) -> &str {
        let named = self.auth().and_then(|auth| auth.login.as_deref());
        named.unwrap_or_else(|| self.id())
    }

    /// The terminals that the file names, by our codes.
    pub fn terminals(&self) -> Vec<&str> {
        match &self.speaks {
            Speaks::Table(profile) => profile.terminal().into_iter().collect(),
            Speaks::Ais(profile) => {
                let quays = profile.quays.iter();
                quays.map(|quay| quay.terminal.as_str()).collect()
            }
            Speaks::Ocean(_) | Speaks::Edi(_) | Speaks::Clm(_) => Vec::new(),
        }
    }

    /// What it tells of boxes from inside this terminal; nothing, where it names another one, or its terminals row by row.
    pub fn tells_of(&self, terminal: &Terminal, gazetteer: &Gazetteer) -> BTreeSet<Inside> {
        match &self.speaks {
            Speaks::Table(profile) if profile.is_of(terminal, gazetteer) => profile.tells(),
            Speaks::Table(_)
            | Speaks::Ocean(_)
            | Speaks::Edi(_)
            | Speaks::Clm(_)
            | Speaks::Ais(_) => BTreeSet::new(),
        }
    }

    /// The shipping line that the file brings, when it is in no table.
    pub fn shipping_line(&self) -> Option<ShippingLine> {
        match &self.speaks {
            Speaks::Ocean(profile) => profile.shipping_line(),
            Speaks::Edi(_) | Speaks::Table(_) | Speaks::Clm(_) | Speaks::Ais(_) => None,
        }
    }

    /// Reads one message that came by itself. Equal arguments give equal results; nothing is asked of the outside.
    pub fn read(&self, bytes: &[u8], received_at: Timestamp, gazetteer: &Gazetteer) -> Parsed {
        self.read_as(Told::Unasked, bytes, received_at, gazetteer)
    }

    /// The same for one of which it is known how it came: to carriers that are asked about numbers it makes a difference.
    pub fn read_as(
        &self,
        told: Told,
        bytes: &[u8],
        received_at: Timestamp,
        gazetteer: &Gazetteer,
    ) -> Parsed {
        let parsed = match &self.speaks {
            Speaks::Ocean(profile) => ocean::parse_as(told, profile, bytes, received_at, gazetteer),
            Speaks::Edi(profile) => edi_drop::parse(profile, bytes, received_at, gazetteer),
            Speaks::Table(profile) => table::parse(profile, bytes, received_at, gazetteer),
            Speaks::Clm(profile) => clm::parse(profile, bytes, received_at, gazetteer),
            Speaks::Ais(profile) => ais::parse(profile, bytes, received_at, gazetteer),
        };
        plain(parsed)
    }

    /// The same, some reports and defects at a time, so that nobody has to hold all of a long message: `give` gets
    /// them in order. Whether the envelope is broken is known at the end only.
    pub fn read_in_parts(
        &self,
        told: Told,
        bytes: &[u8],
        received_at: Timestamp,
        gazetteer: &Gazetteer,
        give: &mut dyn FnMut(Parsed),
    ) {
        let give = &mut |part| give(plain(part));
        match &self.speaks {
            Speaks::Ocean(profile) => {
                ocean::in_parts(told, profile, bytes, received_at, gazetteer, give);
            }
            Speaks::Edi(profile) => {
                edi_drop::in_parts(profile, bytes, received_at, gazetteer, give);
            }
            Speaks::Table(profile) => {
                table::in_parts(profile, bytes, received_at, gazetteer, give);
            }
            Speaks::Clm(profile) => clm::in_parts(profile, bytes, received_at, gazetteer, give),
            Speaks::Ais(profile) => ais::in_parts(profile, bytes, received_at, gazetteer, give),
        }
    }
}

impl From<dcsa::Profile> for Profile {
    fn from(profile: dcsa::Profile) -> Self {
        Self {
            speaks: Speaks::Ocean(Box::new(profile)),
            doors: Doors::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_that_there_is_not_is_told_all_that_there_are() {
        let refused = Profile::parse("id = \"x\"\nprotocol = \"fax\"\n");
        let refused = refused.unwrap_err().to_string();
        for known in "dcsa-2 dcsa-3 cosco terminal-table rail-rest edi clm ais".split(' ') {
            assert!(refused.contains(known), "{known}: {refused}");
        }
    }
}
