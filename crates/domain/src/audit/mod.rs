//! The audit: who changed what, when, in chains that show when somebody has been at them.
//!
//! What people and commands do to keys, webhooks, secrets, definitions and settings is noted, one row for each change,
//! and so is a webhook that the service itself switches off. Each account has a chain of its own, so that accounts do
//! not wait for each other; what belongs to none is in the chain of the [`INSTALLATION`]. A row holds the hash of the
//! row before it, and its own hash covers that and all it says. So none can be changed, taken out or moved without the
//! next one telling; the last one is told by the chain's *head*, which stands apart.
//!
//! Hashes prove order and wholeness, not authorship: whoever may write to the database and takes the trouble can
//! write a whole chain anew, head and all. Against that helps a head that was kept elsewhere.

mod chain;
mod walk;

pub use chain::{Digest, Head, Link, hex};
pub use walk::{Broken, Walk};

use std::fmt;

use jiff::Timestamp;
use uuid::Uuid;

use crate::ids::{AccountId, ApiKeyId};

/// The chain of what belongs to no account.
pub const INSTALLATION: AccountId = AccountId(Uuid::nil());

/// Who changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Whoever held this API key.
    Key(ApiKeyId),
    /// Whoever gave a command to the program.
    Operator,
    /// The service by itself.
    Quayside,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(id) => id.fmt(f),
            Self::Operator => f.write_str("operator"),
            Self::Quayside => f.write_str("quayside"),
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// An account was made.
    AccountCreated,
    /// An account's plan or features were changed.
    AccountUpdated,
    /// An API key was made.
    ApiKeyCreated,
    /// An API key was taken away.
    ApiKeyDeleted,
    /// A webhook or listener was made.
    WebhookCreated,
    /// A webhook's address, events, headers or activity were changed.
    WebhookUpdated,
    /// A webhook was ended.
    WebhookDeleted,
    /// A webhook was switched off by the service.
    WebhookDisabled,
    /// A webhook was given a new secret.
    WebhookSecretRotated,
    /// A window of time is sent to a webhook again.
    RedeliveryStarted,
    /// One notification is sent again.
    NotificationRedelivered,
    /// A custom field was defined.
    DefinitionCreated,
    /// The definition of a custom field was changed.
    DefinitionUpdated,
    /// The definition of a custom field was ended, with its values.
    DefinitionDeleted,
    /// A choice was added to a definition.
    OptionCreated,
    /// A choice of a definition was changed.
    OptionUpdated,
    /// A choice was taken out of a definition.
    OptionDeleted,
    /// A version of a schema of documents was loaded.
    DocumentSchemaCreated,
    /// A version of a schema of documents stands otherwise.
    DocumentSchemaUpdated,
    /// The tracking of a shipment was stopped by its account.
    TrackingStopped,
    /// The tracking of a shipment was resumed by its account.
    TrackingResumed,
    /// A source is left alone.
    SourcePaused,
    /// A source is asked again.
    SourceResumed,
    /// Our subscription at a source has a secret, its first or another.
    SourceSecretChanged,
    /// Everything that was kept is read again.
    ReplayStarted,
    /// A replay that was stopped goes on.
    ReplayResumed,
    /// A copy of the store took its place.
    StoreRestored,
    /// What the main key before sealed was sealed anew, and that key opens the store no more.
    MainKeyChanged,
}

impl Action {
    /// As stored and shown: the type of what it was done to, a dot, and what was done.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AccountCreated => "account.created",
            Self::AccountUpdated => "account.updated",
            Self::ApiKeyCreated => "api_key.created",
            Self::ApiKeyDeleted => "api_key.deleted",
            Self::WebhookCreated => "webhook.created",
            Self::WebhookUpdated => "webhook.updated",
            Self::WebhookDeleted => "webhook.deleted",
            Self::WebhookDisabled => "webhook.disabled",
            Self::WebhookSecretRotated => "webhook.secret_rotated",
            Self::RedeliveryStarted => "redelivery.started",
            Self::NotificationRedelivered => "webhook_notification.redelivered",
            Self::DefinitionCreated => "custom_field_definition.created",
            Self::DefinitionUpdated => "custom_field_definition.updated",
            Self::DefinitionDeleted => "custom_field_definition.deleted",
            Self::OptionCreated => "custom_field_option.created",
            Self::OptionUpdated => "custom_field_option.updated",
            Self::OptionDeleted => "custom_field_option.deleted",
            Self::DocumentSchemaCreated => "document_schema.created",
            Self::DocumentSchemaUpdated => "document_schema.updated",
            Self::TrackingStopped => "shipment.tracking_stopped",
            Self::TrackingResumed => "shipment.tracking_resumed",
            Self::SourcePaused => "source.paused",
            Self::SourceResumed => "source.resumed",
            Self::SourceSecretChanged => "source.secret_changed",
            Self::ReplayStarted => "replay.started",
            Self::ReplayResumed => "replay.resumed",
            Self::StoreRestored => "store.restored",
            Self::MainKeyChanged => "main_key.changed",
        }
    }

    /// The type of what it was done to.
    pub fn subject_type(self) -> &'static str {
        let (subject, _) = self.as_str().split_once('.').unwrap_or_default();
        subject
    }
}

/// One change, before it has its place in a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When; kept in whole microseconds.
    pub at: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// What was done.
    pub action: Action,
    /// The id of what it was done to.
    pub subject: String,
    /// What is different now: a small JSON object. Nothing secret: no key, no header, no body, no path of an address.
    pub detail: String,
}
