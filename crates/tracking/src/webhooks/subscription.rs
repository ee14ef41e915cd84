//! Subscriptions: an endpoint, the events it wants, its secret and its headers.
//!
//! The secret is made by us and leaves the house once: when it is made, be it by a rotation.

use domain::audit::Action;
use domain::event::EventName;
use domain::ids::{AccountId, WebhookId};
use domain::listener;
use domain::webhook::WEBHOOKS_MAX;
use http::{HeaderName, HeaderValue};
use sources::outbound::{UrlRefused, check_url};
use store::Key;
use store::webhook::Webhook;

use super::secrets;
use super::sign::secret_text;
use crate::audit::{self, Detail, origin};
use crate::entropy::random_bytes;
use crate::vault::{Vault, VaultError};
use crate::{Tracking, id_source};

/// Extra headers of one webhook.
pub const HEADERS_MAX: usize = 20;
/// Length of an extra header's name; servers read heads of some kilobytes.
pub const HEADER_NAME_BYTES_MAX: usize = 256;
/// Length of an extra header's value.
pub const HEADER_VALUE_BYTES_MAX: usize = 1_024;
const HEADERS_KIND: &str = "webhook headers";

/// What the caller asks for.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Where deliveries go.
    pub url: String,
    /// Whether they go at once.
    pub active: bool,
    /// Which events; at least one.
    pub events: Vec<EventName>,
    /// Headers sent with every delivery.
    pub headers: Vec<(String, String)>,
}

/// What a caller may change.
#[derive(Clone, Debug, Default)]
pub struct WebhookPatch {
    /// Where deliveries go.
    pub url: Option<String>,
    /// On or off. Switching on clears the reason for which we switched it off.
    pub active: Option<bool>,
    /// Which events.
    pub events: Option<Vec<EventName>>,
    /// Headers.
    pub headers: Option<Vec<(String, String)>>,
}

/// A webhook with its secrets open, as far as they may be shown.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The stored row.
    pub webhook: Webhook,
    /// The secret in full: show it at creation and rotation only, else [`mask`](super::mask) it.
    pub secret: String,
    /// Its headers.
    pub headers: Vec<(String, String)>,
}

/// Why a header is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("header {name:?} cannot be sent: {reason}")]
pub struct HeaderRefused {
    /// Its position in the list.
    pub index: usize,
    /// Its name as given, the first 64 characters.
    pub name: String,
    /// Why.
    pub reason: &'static str,
}

/// Why a subscription is refused.
#[derive(Debug, thiserror::Error)]
pub enum WebhookRefused {
    /// The address may not be called.
    #[error(transparent)]
    Url(#[from] UrlRefused),
    /// No event is named.
    #[error("at least one event is needed")]
    NoEvents,
    /// An event is named twice.
    #[error("event {} is named twice", .0.as_str())]
    EventTwice(EventName),
    /// More headers than we send.
    #[error("{0} headers are given, {HEADERS_MAX} are the most")]
    TooManyHeaders(usize),
    /// Headers that are none, or that are ours to set.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Headers(Vec<HeaderRefused>),
    /// As many as an account may have.
    #[error(
        "the account has {WEBHOOKS_MAX} webhooks already: delete one that nobody needs, or change it"
    )]
    TooMany,
    /// A listener has no address to change.
    #[error("nothing is sent to a listener, so it has no address")]
    IsListener,
    /// A stored secret does not open.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Subscribes. The secret in the answer is shown this once. The account is held meanwhile, so that two that come together, be
/// it to two nodes, cannot both be the last.
pub async fn create(
    tracking: &Tracking,
    account: AccountId,
    wanted: NewWebhook,
) -> Result<Opened, WebhookRefused> {
    check_url(&wanted.url, tracking.egress())?;
    let opened = drawn(tracking, account, &wanted)?;
    let by = tracking.whoever(opened.webhook.created_at);
    let headers = wanted.headers.len();
    let key = Key::several(vec![Key::account(account), Key::webhook(opened.webhook.id)]);
    tracking
        .store()
        .write(key, move |tx| {
            store::account::lock(tx, account)?;
            let a = &mut tx.account(account);
            if store::webhook::count(a)? >= WEBHOOKS_MAX {
                return Err(WebhookRefused::TooMany);
            }
            let webhook = &opened.webhook;
            store::webhook::insert(a, webhook)?;
            let detail = of_new(webhook, headers);
            audit::note(a, by, Action::WebhookCreated, webhook.id, detail);
            Ok(opened.clone())
        })
        .await
}

/// What is noted of a new webhook.
pub(super) fn of_new(row: &Webhook, headers: usize) -> Detail {
    Detail::default()
        .with("url", origin(&row.url))
        .with("active", row.active)
        .with("events", named(&row.events))
        .with("headers", headers)
}

/// What is noted of a changed one, but for its headers.
pub(super) fn of_changed(before: &Webhook, after: &Webhook) -> Detail {
    let added = |one: &Webhook, other: &Webhook| -> Vec<EventName> {
        let events = other.events.iter().copied();
        events.filter(|event| !one.events.contains(event)).collect()
    };
    let mut detail = Detail::default()
        .changed("url", origin(&before.url), origin(&after.url))
        .changed("active", before.active, after.active);
    if before.url != after.url && origin(&before.url) == origin(&after.url) {
        detail = detail.touched("path", true);
    }
    for (name, events) in [
        ("events_added", added(before, after)),
        ("events_removed", added(after, before)),
    ] {
        if !events.is_empty() {
            detail = detail.with(name, named(&events));
        }
    }
    detail
}

fn named(events: &[EventName]) -> Vec<&'static str> {
    events.iter().map(|event| event.as_str()).collect()
}

/// A webhook with an id and a secret, not yet stored; its address is for the caller to judge.
pub(super) fn drawn(
    tracking: &Tracking,
    account: AccountId,
    wanted: &NewWebhook,
) -> Result<Opened, WebhookRefused> {
    check_events(&wanted.events)?;
    check_headers(&wanted.headers)?;
    let now = tracking.now();
    let id: WebhookId = id_source(now).draw();
    let secret = secret_text(&random_bytes());
    let webhook = Webhook {
        id,
        url: wanted.url.clone(),
        active: wanted.active,
        events: wanted.events.clone(),
        secret: secrets::seal(tracking.vault(), account, id, &secret),
        retired: None,
        headers: seal_headers(tracking.vault(), account, id, &wanted.headers),
        disabled_reason: None,
        created_at: now,
        updated_at: now,
    };
    Ok(Opened {
        webhook,
        secret,
        headers: wanted.headers.clone(),
    })
}

/// Changes a subscription. `None`: this account has no such webhook.
pub async fn update(
    tracking: &Tracking,
    account: AccountId,
    id: WebhookId,
    patch: WebhookPatch,
) -> Result<Option<Opened>, WebhookRefused> {
    patch.events.as_deref().map_or(Ok(()), check_events)?;
    patch.headers.as_deref().map_or(Ok(()), check_headers)?;
    let headers = patch.headers.as_deref();
    let headers = headers.map(|headers| seal_headers(tracking.vault(), account, id, headers));
    let (now, shared) = (tracking.now(), tracking.clone());
    let by = tracking.whoever(now);
    let changed = tracking
        .store()
        .write(Key::webhook(id), move |tx| {
            let mut a = tx.account(account);
            let Some(mut row) = store::webhook::lock(&mut a, id)? else {
                return Ok(None);
            };
            let before = row.clone();
            // One that stands as it is was judged before, be it that it is allowed no more: who sends back what he read can
            // switch its webhook off.
            if let Some(url) = patch.url.clone().filter(|url| *url != row.url) {
                if listener::is_address(&row.url) {
                    return Err(WebhookRefused::IsListener);
                }
                check_url(&url, shared.egress())?;
                row.url = url;
            }
            row.events = patch.events.clone().unwrap_or(row.events);
            row.headers = headers.clone().unwrap_or(row.headers);
            if let Some(active) = patch.active {
                row.active = active;
                row.disabled_reason = row.disabled_reason.filter(|_| !active);
            }
            row.updated_at = now;
            // Deliveries before the record of failures, which goes with the update: a success takes them in this order.
            // Now that it is locked: what was tried while this waited was tried before.
            let (begun_at, lease) = (shared.now(), shared.delivery_lease());
            if before.url != row.url {
                store::delivery::lead_elsewhere(&mut a, id, begun_at, lease)?;
            } else if row.active && !before.active {
                store::delivery::hurry(&mut a, id, begun_at, lease)?;
            }
            store::webhook::update(&mut a, &row)?;
            let detail = of_changed(&before, &row).touched("headers", headers.is_some());
            if !detail.is_empty() {
                audit::note(&mut a, by, Action::WebhookUpdated, id, detail);
            }
            open(&shared, account, row).map(Some)
        })
        .await?;
    tracking.express().halt(id);
    tracking.nudges().deliver();
    // What the first step did not come to.
    tracking.nudges().restart();
    Ok(changed)
}

/// Ends a subscription and its open deliveries at once, however many there are; what it leaves behind is removed in the
/// background. False: this account has no such webhook.
pub async fn delete(
    tracking: &Tracking,
    account: AccountId,
    id: WebhookId,
) -> Result<bool, store::Error> {
    let now = tracking.now();
    let by = tracking.whoever(now);
    let gone = tracking
        .store()
        .write(Key::webhook(id), move |tx| {
            let a = &mut tx.account(account);
            let found = store::webhook::find(a, id)?;
            let gone = store::webhook::delete(a, id, now)?;
            if let Some(row) = found.filter(|_| gone) {
                let detail = Detail::default().with("url", origin(&row.url));
                audit::note(a, by, Action::WebhookDeleted, id, detail);
            }
            Ok(gone)
        })
        .await;
    tracking.express().halt(id);
    tracking.nudges().remove();
    gone
}

/// Makes a new secret, which signs from now on; those before it sign beside it for a while, as [`secrets`] says.
/// `None`: this account has no such webhook.
pub async fn rotate_secret(
    tracking: &Tracking,
    account: AccountId,
    id: WebhookId,
) -> Result<Option<Opened>, WebhookRefused> {
    let secret = secret_text(&random_bytes());
    let now = tracking.now();
    let shared = tracking.clone();
    let by = tracking.whoever(now);
    let changed = tracking
        .store()
        .write(Key::webhook(id), move |tx| {
            let mut a = tx.account(account);
            let Some(mut row) = store::webhook::lock(&mut a, id)? else {
                return Ok(None);
            };
            secrets::rotate(shared.vault(), account, &mut row, &secret, now)?;
            row.updated_at = now;
            store::webhook::update(&mut a, &row)?;
            let detail = Detail::default();
            audit::note(&mut a, by, Action::WebhookSecretRotated, id, detail);
            open(&shared, account, row).map(Some)
        })
        .await?;
    tracking.express().halt(id);
    Ok(changed)
}

/// Opens what is sealed in a stored row.
pub fn open(
    tracking: &Tracking,
    account: AccountId,
    webhook: Webhook,
) -> Result<Opened, WebhookRefused> {
    let secret = secrets::open(tracking.vault(), account, webhook.id, &webhook.secret)?;
    let headers = open_headers(tracking.vault(), account, webhook.id, &webhook.headers)?;
    Ok(Opened {
        webhook,
        secret,
        headers,
    })
}

pub(super) fn open_headers(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    sealed: &[u8],
) -> Result<Vec<(String, String)>, VaultError> {
    if sealed.is_empty() {
        return Ok(Vec::new());
    }
    let plain = vault.open(HEADERS_KIND, &place(account, id), sealed)?;
    serde_json::from_slice(&plain).map_err(|_| VaultError::Sealed(HEADERS_KIND))
}

/// What is stored of extra headers, sealed with the key that seals now.
pub(crate) fn headers_anew(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    vault.anew(HEADERS_KIND, &place(account, id), sealed)
}

fn seal_headers(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    headers: &[(String, String)],
) -> Vec<u8> {
    if headers.is_empty() {
        return Vec::new();
    }
    let plain = serde_json::to_vec(headers).unwrap_or_default();
    vault.seal(HEADERS_KIND, &place(account, id), &plain)
}

fn place(account: AccountId, id: WebhookId) -> String {
    format!("{account}/{id}")
}

fn check_events(events: &[EventName]) -> Result<(), WebhookRefused> {
    if events.is_empty() {
        return Err(WebhookRefused::NoEvents);
    }
    let mut seen = std::collections::BTreeSet::new();
    match events.iter().find(|event| !seen.insert(**event)) {
        Some(twice) => Err(WebhookRefused::EventTwice(*twice)),
        None => Ok(()),
    }
}

fn check_headers(headers: &[(String, String)]) -> Result<(), WebhookRefused> {
    if headers.len() > HEADERS_MAX {
        return Err(WebhookRefused::TooManyHeaders(headers.len()));
    }
    let refused = headers.iter().enumerate();
    let refused = refused.filter_map(|(index, (name, value))| {
        let mut before = headers.iter().take(index);
        let is_again = before.any(|(other, _)| other.eq_ignore_ascii_case(name));
        let reason = header_fault(name, value);
        let reason = reason.or(is_again.then_some("the name stands there already"))?;
        let name = name.chars().take(64).collect();
        Some(HeaderRefused {
            index,
            name,
            reason,
        })
    });
    let refused: Vec<HeaderRefused> = refused.collect();
    if refused.is_empty() {
        return Ok(());
    }
    Err(WebhookRefused::Headers(refused))
}

fn header_fault(name: &str, value: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let ours = [
        "host",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "user-agent",
    ];
    let ours = ours.contains(&lower.as_str())
        || ["content-", "proxy-", "webhook-", "x-t49-webhook-signature"]
            .iter()
            .any(|prefix| lower.starts_with(prefix));
    if name.len() > HEADER_NAME_BYTES_MAX {
        Some("the name is longer than 256 bytes")
    } else if HeaderName::from_bytes(lower.as_bytes()).is_err() {
        Some("the name is no header name")
    } else if ours {
        Some("the name is set by the sender")
    } else if value.len() > HEADER_VALUE_BYTES_MAX {
        Some("the value is longer than 1024 bytes")
    } else if HeaderValue::from_str(value).is_err()
        || !value.bytes().all(|b| (0x20..0x7f).contains(&b))
    {
        Some("the value is not visible ASCII")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_are_ours_are_refused() {
        let fault = |name: &str, value: &str| header_fault(name, value);
        assert_eq!(fault("X-Customer", "abc def"), None);
        for ours in [
            "Host",
            "content-type",
            "Webhook-Id",
            "X-T49-Webhook-Signature",
            "Connection",
            "User-Agent",
            "Expect",
        ] {
            assert_eq!(
                fault(ours, "x"),
                Some("the name is set by the sender"),
                "{ours}"
            );
        }
        assert!(fault("bad name", "x").is_some());
        assert!(fault("X-A", "line\r\nbreak").is_some());
        assert!(fault("X-A", "ümlaut").is_some());
        assert!(fault("X-A", &"x".repeat(1_025)).is_some());
        assert_eq!(fault(&"x".repeat(256), "x"), None);
        let long = fault(&"x".repeat(257), "x");
        assert_eq!(long, Some("the name is longer than 256 bytes"));
    }
}
