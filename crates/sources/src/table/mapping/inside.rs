//! What the rows of a mapping tell of a box from inside a terminal, and of which one they tell it.

use std::collections::BTreeSet;

use domain::place::{Gazetteer, Inside, Terminal};
use domain::report::Verb;

use super::{Action, Field, Profile};

impl Profile {
    /// What its rows may tell, by the columns and words that are mapped.
    pub fn tells(&self) -> BTreeSet<Inside> {
        let told = Inside::ALL.into_iter();
        told.filter(|inside| self.maps(*inside)).collect()
    }

    /// Whether its rows are of this terminal where they name no place.
    pub fn is_of(&self, terminal: &Terminal, gazetteer: &Gazetteer) -> bool {
        if let Some(code) = self.terminal() {
            return code == terminal.code;
        }
        let named = self.home.port.zip(self.home.facility.as_deref());
        let found = named.and_then(|(port, facility)| gazetteer.terminal_at(port, facility));
        found.is_some_and(|found| found.code == terminal.code)
    }

    fn maps(&self, inside: Inside) -> bool {
        match inside {
            Inside::LastFreeDay => self.has(&[
                Field::LastFreeDay,
                Field::StorageBegins,
                Field::LfdLine,
                Field::LfdTerminal,
                Field::LfdRail,
            ]),
            Inside::FullOut => {
                self.moves.iter().any(|(action, ..)| lets_out(*action)) || self.says(lets_out)
            }
            Inside::Availability => {
                let is_yes_or_no = self.has(&[Field::Status]) && self.words.status.is_empty();
                self.has(&[Field::Available])
                    || is_yes_or_no
                    || self.says(|action| matches!(action, Action::Available(_)))
            }
            Inside::Fees => self.has(&[Field::Fees]) || !self.amounts.is_empty(),
            Inside::Holds => self.has(&[Field::Holds]) || !self.flags.is_empty(),
            Inside::Appointment => self.has(&[Field::Appointment]),
            Inside::YardLocation => self.has(&[Field::YardLocation]),
            Inside::Chassis => self.has(&[Field::Chassis]),
        }
    }

    fn has(&self, fields: &[Field]) -> bool {
        fields.iter().any(|field| self.fields.contains_key(field))
    }

    /// Whether a status or a happening of the row may mean this.
    fn says(&self, means: impl Fn(Action) -> bool) -> bool {
        let is_read = self.has(&[Field::Status]) || self.events.is_some();
        is_read && self.words.status.values().any(|action| means(*action))
    }
}

/// Whether a box leaves with its goods by it.
fn lets_out(action: Action) -> bool {
    matches!(
        action,
        Action::Move {
            verb: Verb::GateOut,
            laden: Some(true) | None,
            ..
        }
    )
}
