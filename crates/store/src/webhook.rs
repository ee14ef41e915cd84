//! Webhooks of an account.

use domain::event::EventName;
use domain::ids::WebhookId;
use jiff::Timestamp;

use crate::{AccountTx, Error, Page, Slice, stub};

/// A subscription of one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where deliveries go.
    pub url: String,
    /// Whether deliveries go out.
    pub active: bool,
    /// What it wants to hear.
    pub events: Vec<EventName>,
    /// The signing secret, sealed.
    pub secret: Vec<u8>,
    /// Extra headers, sealed; empty when there are none.
    pub headers: Vec<u8>,
    /// Why it was disabled, when we did it.
    pub disabled_reason: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Adds a webhook.
pub fn insert(a: &mut AccountTx, webhook: &Webhook) -> Result<(), Error> {
    stub()
}

/// Replaces everything but the id and the time of creation; `false` when there is no such webhook.
pub fn update(a: &mut AccountTx, webhook: &Webhook) -> Result<bool, Error> {
    stub()
}

/// The webhook with this id.
pub fn find(a: &mut AccountTx, id: WebhookId) -> Result<Option<Webhook>, Error> {
    stub()
}

/// Removes a webhook, its notifications and its open deliveries; `false` when there was none.
pub fn delete(a: &mut AccountTx, id: WebhookId) -> Result<bool, Error> {
    stub()
}

/// Webhooks by time of creation, newest first.
pub fn page(a: &mut AccountTx, slice: Slice) -> Result<Page<Webhook>, Error> {
    stub()
}

/// The active webhooks that want to hear of `event`, by id.
pub fn subscribed(a: &mut AccountTx, event: EventName) -> Result<Vec<WebhookId>, Error> {
    stub()
}

/// All active webhooks, by id.
pub fn active(a: &mut AccountTx) -> Result<Vec<Webhook>, Error> {
    stub()
}
