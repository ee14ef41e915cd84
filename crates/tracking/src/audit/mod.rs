//! Noting who changed what, and looking whether the notes are whole.
//!
//! A use case says what it changed with [`note`], in its transaction: both are committed or neither is. Who it was is
//! known by the service that the use case was given ([`Tracking::by`]): the API's by the key of the call, a command's by
//! its name, and the service itself is what it is unless told otherwise.
//!
//! A detail tells what is different and nothing that opens anything: no key and no secret, no headers, no bodies, and of
//! an address only its [origin], since what stands behind it is a secret at more than one receiver.
//!
//! [origin]: origin

mod verify;

use std::fmt::Display;

use domain::audit::{Action, Actor, Entry, INSTALLATION};
use jiff::Timestamp;
use serde_json::{Map, Value};
use store::{AccountTx, Tx};

use crate::Tracking;

pub use verify::{Kept, Verified, verify};

/// Longest text in a detail, in characters.
const TEXT_CHARS_MAX: usize = 255;

/// Who changes something, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By {
    actor: Actor,
    at: Timestamp,
}

impl By {
    /// Whoever gave the command.
    pub(crate) fn operator(at: Timestamp) -> Self {
        Self {
            actor: Actor::Operator,
            at,
        }
    }

    /// When.
    pub(crate) fn at(self) -> Timestamp {
        self.at
    }
}

impl Tracking {
    /// The same service for somebody: what is changed through it was changed by them.
    #[must_use]
    pub fn by(&self, actor: Actor) -> Self {
        Self {
            actor,
            ..self.clone()
        }
    }

    /// Who changes what is changed through this service at `at`.
    pub(crate) fn whoever(&self, at: Timestamp) -> By {
        By {
            actor: self.actor,
            at,
        }
    }
}

/// Notes a change of the account in the transaction that makes it.
pub(crate) fn note(
    a: &mut AccountTx<'_>,
    by: By,
    action: Action,
    subject: impl Display,
    detail: Detail,
) {
    let entry = Entry {
        at: by.at,
        actor: by.actor,
        action,
        subject: subject.to_string(),
        detail: Value::Object(detail.0).to_string(),
    };
    store::audit::note(a, entry);
}

/// Notes a change that belongs to no account.
pub(crate) fn note_for_all(
    tx: &mut Tx,
    by: By,
    action: Action,
    subject: impl Display,
    detail: Detail,
) {
    note(&mut tx.account(INSTALLATION), by, action, subject, detail);
}

/// What is different: names with their values, or with those before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detail(Map<String, Value>);

impl Detail {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// This is so.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), short(value.into()));
        self
    }

    /// This was changed; left out where both are the same.
    pub(crate) fn changed(
        self,
        name: &str,
        before: impl Into<Value>,
        after: impl Into<Value>,
    ) -> Self {
        let (before, after) = (before.into(), after.into());
        if before == after {
            return self;
        }
        self.with(name, vec![short(before), short(after)])
    }

    /// This was changed, and what it was and is says nothing or too much; left out where it was not.
    pub(crate) fn touched(self, name: &str, touched: bool) -> Self {
        if touched {
            self.with(name, "changed")
        } else {
            self
        }
    }
}

fn short(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > TEXT_CHARS_MAX => {
            Value::String(text.chars().take(TEXT_CHARS_MAX - 1).chain(['…']).collect())
        }
        other => other,
    }
}

/// Scheme, host and port of an address; the whole of a listener's.
pub(crate) fn origin(url: &str) -> String {
    if domain::listener::is_address(url) {
        return url.to_owned();
    }
    let address = sources::outbound::target(url).ok();
    let parts = address.as_ref().and_then(|address| {
        let port = address
            .port()
            .map_or(String::new(), |port| format!(":{port}"));
        Some(format!(
            "{}://{}{port}",
            address.scheme_str()?,
            address.host()?
        ))
    });
    parts.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_address_no_more_is_told_than_where_it_leads() {
        for (url, told) in [
            (
                "https://hooks.example/services/T0/B0/token",
                "https://hooks.example",
            ),
            (
                "https://user:secret@h.example:8443/?key=1#f",
                "https://h.example:8443",
            ),
            ("http://[::1]:8080/x", "http://[::1]:8080"),
            ("https://h.example:443/", "https://h.example"),
            (
                "https://bücher.example/<x>",
                "https://xn--bcher-kva.example",
            ),
            ("listen:laptop", "listen:laptop"),
            ("/only/a/path", ""),
        ] {
            assert_eq!(origin(url), told, "{url}");
        }
    }

    #[test]
    fn a_detail_tells_what_is_different_and_not_at_length() {
        let detail = Detail::default()
            .changed("active", true, false)
            .changed("name", "same", "same")
            .touched("headers", true)
            .touched("rules", false)
            .with("reason", "x".repeat(10_000));
        assert_eq!(detail.0["active"], serde_json::json!([true, false]));
        assert_eq!(detail.0["headers"], "changed");
        assert_eq!(detail.0.len(), 3);
        let reason = detail.0["reason"].as_str().unwrap();
        assert_eq!(reason.chars().count(), TEXT_CHARS_MAX);
    }
}
